"""Made-up conversations in which something was decided, at three times each, and questions with known answers."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime
from typing import NamedTuple

from builders import message
from conversations_made_up import LANGUAGES, TOPICS
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Role
from stores import Store

TODAY = date(2026, 11, 23)
TIMES = (date(2026, 4, 14), date(2025, 10, 8), date(2026, 7, 21))
WHEN = (
    ("last spring", "in April", "in April 2026", "in the spring of 2026", "im Frühling 2026"),
    ("in October 2025", "in 2025-10", "in autumn 2025", "im Oktober 2025"),
    ("last summer", "in July", "on 21 July", "this summer", "letzten Sommer"),
)

SUBJECTS = {
    "index": ("a partial index on created_at", "the composite index", "no index on the payload column"),
    "cache": ("Redis for sessions", "an in-process cache of 500 entries", "to clear it every night"),
    "parser": ("a hand-written recursive descent", "lark with a grammar file", "to reject trailing commas"),
    "invoice numbers": ("one sequence for each country", "a prefix with the year", "to never reuse a gap"),
    "retention": ("ninety days for logs", "seven years for receipts", "thirty days for raw events"),
    "flight to Lisbon": ("the Thursday morning one", "the train to Porto instead", "to fly with hand luggage only"),
    "kitchen": ("oak worktops", "the induction hob", "to keep the old tiles"),
    "error messages": ("plain words without codes", "to log the code and show the text", "one sentence and an action"),
    "deployment": ("blue and green with a switch", "to release on Tuesdays", "canaries of five percent"),
    "authentication": ("passkeys first", "sessions of twelve hours", "no passwords for service accounts"),
    "logo": ("the serif variant", "dark green on cream", "no tagline below it"),
    "backup": ("nightly to the second site", "to test a restore each month", "encryption with age"),
    "queue": ("Postgres with skip locked", "five retries with backoff", "a dead letter table"),
    "garden": ("a hedge of hornbeam", "raised beds along the wall", "gravel in place of lawn"),
}
ASKED = (
    "what did we decide about the {subject} {when}?",
    "What was the decision on the {subject} {when}",
    "which way did we go with the {subject} {when}?",
    "do you remember what we agreed on for the {subject} {when}?",
)
ASKED_IN_GERMAN = "was haben wir {when} über {subject} entschieden?"
DECIDED = (
    "Then it is settled: {choice}. Thanks.",
    "OK, let's go with {choice}.",
    "We decided that yesterday with the others, it will be {choice}.",
    "Agreed, {choice} it is.",
)


class Asked(NamedTuple):
    """A question, and the messages that answer it."""

    question: str
    answers: frozenset[str]


def write_conversations(store: Store, seed: int = 5) -> list[Asked]:
    """Store the conversations, with others around them, and return the questions."""
    chance = random.Random(seed)
    asked: list[Asked] = []
    for number, (subject, choices) in enumerate(SUBJECTS.items()):
        for turn, (day, choice) in enumerate(zip(TIMES, choices, strict=True)):
            name = f"s{number}-{turn}"
            _store(store, name, day, _discussion(chance, subject, choices, choice))
            if turn == 0:
                _store(store, f"u{number}", date(2026, 3, 20), _undecided(subject))
            when = WHEN[turn][(number + turn) % len(WHEN[turn])]
            is_german = any(word in when for word in ("im ", "letzten"))
            form = ASKED_IN_GERMAN if is_german else ASKED[(number + turn) % len(ASKED)]
            asked.append(Asked(form.format(subject=subject, when=when), frozenset({f"{name}-4", f"{name}-5"})))
    for number in range(150):
        day = date(2025 + number % 2, 1 + number % 9, 1 + number % 27)
        _store(store, f"n{number}", day, [_noise(chance, number, n) for n in range(8)])
    return asked


def _discussion(chance: random.Random, subject: str, choices: tuple[str, ...], choice: str) -> list[str]:
    """A user and a model in turn; the fifth message decides, the sixth confirms."""
    pros = " ".join(f"Of the {subject}, {one} is cheap at first; the {subject} may cost more later." for one in choices)
    return [
        f"We have to talk about the {subject}. Should we change it, and which way?",
        f"There are some ways for the {subject}. {pros} What matters most about the {subject} to you?",
        "Mostly that nobody has to think of it again, and that it is done this month.",
        f"Then I would compare {choices[0]} and {choices[1]} for the {subject}; decide when you have seen the figures.",
        chance.choice(DECIDED).format(choice=choice),
        f"Noted for the {subject}: {choice}. I have written it down as the decision.",
        f"And how do we tell the others about the {subject}?",
        f"A short note will do: what changes with the {subject}, from when on, whom to ask.",
    ]


def _undecided(subject: str) -> list[str]:
    return [
        f"What did we decide about the {subject}? I cannot find it.",
        f"I do not see a decision about the {subject} here; we have not decided anything on the {subject} yet.",
        f"Let us come back to the {subject} when there is time.",
        f"Of course. The {subject} can wait.",
    ]


def _noise(chance: random.Random, number: int, n: int) -> str:
    words = {"t": chance.choice(TOPICS), "n": number * 10 + n}
    return chance.choice(LANGUAGES).format(**words) + chance.choice(list(SUBJECTS)) + " was mentioned, too."


def _store(store: Store, name: str, day: date, texts: list[str]) -> None:
    began = datetime(day.year, day.month, day.day, 10, tzinfo=UTC).timestamp()
    roles = (Role.USER, Role.ASSISTANT)
    messages = [message(roles[n % 2], text, id=f"{name}-{n}", at=began + 60 * n) for n, text in enumerate(texts)]
    store.create(ConversationInfo(name, f"Talk {name}", began, began), messages)
