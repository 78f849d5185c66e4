"""Rules, facts, goals and preferences in what is sent after five compactions of a conversation that grows.

data/lasting.tsv has sentences in six languages: language, kind, text, and what of it must be found. They were written
before the code that keeps them was looked at. data/small_talk.tsv has what else is said: language, subject, speaker.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from builders import model, user
from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.compact.room_decision import next_step
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, Budget, policy_for_target
from desktop_app.context.view.view import View, assemble, view_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Chain, Transcript, Trigger
from desktop_app.models.tokens.tokenizers import tokenizer_for

pytestmark = pytest.mark.slow

DATA = Path(__file__).parent / "data"
TURNS, OF_EACH, SEEDS, ROUNDS, SHARE = 70, 3, 3, 5, 0.3


def rows_of(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def conversations() -> Iterator[tuple[list[Message], list[list[str]]]]:
    """Each subject several times: the messages, and the rows of the sentences in them."""
    talk = rows_of("small_talk.tsv")
    for language, subject in dict.fromkeys((row[0], row[1]) for row in talk):
        users, models = ([row[3] for row in talk if row[:3] == [language, subject, who]] for who in ("user", "model"))
        for seed in range(SEEDS):
            dice = random.Random(f"{subject}{seed}")
            of_kind = defaultdict[str, list[list[str]]](list)
            for row in rows_of("lasting.tsv"):
                if row[0] == language:
                    of_kind[row[1]].append(row)
            chosen = [row for rows in of_kind.values() for row in dice.sample(rows, min(OF_EACH, len(rows)))]
            dice.shuffle(chosen)
            spots = dict(zip(sorted(dice.sample(range(TURNS - 6), len(chosen))), chosen, strict=True))
            said: list[Message] = []
            for turn in range(TURNS):
                words = dice.sample(users, dice.choice([1, 1, 2]))
                if turn in spots:
                    words.insert(dice.randrange(len(words) + 1), spots[turn][2])
                said += [user(" ".join(words)), model(" ".join(dice.sample(models, dice.choice([1, 2]))))]
            yield [replace(message, id=f"m{number}") for number, message in enumerate(said)], chosen


def after_rounds(messages: Sequence[Message], counts: TokenCounts) -> View:
    """The view of a conversation of which room was made five times while it grew, each time to the same size."""
    budget = Budget(round(SHARE * request_tokens(view_of(Transcript(Chain(messages))), counts)), 0)
    transcript, done = Transcript(Chain()), 0
    for number in range(1, ROUNDS + 1):
        for message in messages[done : (done := len(messages) * number // ROUNDS)]:
            transcript = transcript.append(message)
        while step := next_step(view_of(transcript), policy_for_target(BALANCED), budget, counts, Trigger.USER):
            assert isinstance(step, CompactionPlan)
            compaction = compaction_of(step, transcript, view_of(transcript), counts)
            assert compaction is not None
            transcript = transcript.append(replace(compaction, id=f"c{len(transcript.entries)}"))
    view = view_of(transcript)
    assert request_tokens(view, counts) <= budget.usable
    return view


def test_nine_tenths_of_each_kind_are_sent_after_five_rounds() -> None:
    counts, kept = TokenCounts(tokenizer_for("gpt-4o")), defaultdict[str, list[bool]](list)
    for messages, planted in conversations():
        sent = "\n".join(message.text for message in assemble(after_rounds(messages, counts))).lower()
        for _, kind, _, wanted in planted:
            kept[kind].append(all(text.lower() in sent for text in wanted.split("|")))
    shares = {kind: sum(found) / len(found) for kind, found in kept.items()}
    print(shares)
    assert min(shares.values()) >= 0.9, shares
