"""What is listed as a rule is one: sentences written for this, from which nothing was tuned or trained."""

from __future__ import annotations

from pathlib import Path

import pytest

from builders import head, model, user
from desktop_app.context.ledger.ledger import ledger_of, open_questions
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.ledger.prose import sentences
from desktop_app.context.ledger.user_rules import is_decision, is_rule
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Role
from desktop_app.conversation.openai_chat import messages_of, read_jsonl

SENTENCES = [
    line.split("\t")
    for line in (Path(__file__).parent / "data" / "directives.tsv").read_text(encoding="utf-8").splitlines()
]
STORY = """The ferry left at dawn, and nobody was on the quay. My uncle had to carry the trunk himself, since the
porters never came before eight. I should have helped him. He said that the sea must be rough beyond the
point. We needed an hour to find the cabin, and I always thought that it had no window. The stewardess only
laughed. All the lamps swung. She kept the door open with a book, every page of it wet. I loved that
crossing, and I would rather remember it than the town. No letter came for us. The captain asked whether we
could eat something. Nothing was ever said about the money. I can't tell why he kept the ticket. It was to
be the last time that he travelled. They don't run on Sundays now. If you go there today you see a fence,
and a sign that somebody painted over."""


def test_most_of_what_is_taken_for_a_rule_is_one_and_most_rules_are_found() -> None:
    taken = [kind for kind, sentence in SENTENCES if is_rule(sentence)]
    missed = [sentence for kind, sentence in SENTENCES if kind == "rule" and not is_rule(sentence)]
    wrong = [sentence for kind, sentence in SENTENCES if kind == "other" and is_rule(sentence)]
    rules = [sentence for kind, sentence in SENTENCES if kind == "rule"]
    assert len(wrong) <= 0.1 * len(taken), wrong
    assert len(missed) <= 0.15 * len(rules), missed


def test_a_story_lays_down_next_to_nothing() -> None:
    rules = [fact.text for fact in ledger_of(head(user(STORY)), Ledger()).rules]
    assert len(rules) <= 0.1 * len(sentences(STORY)), rules


@pytest.mark.parametrize(
    ("name", "some", "none"),
    [
        ("interview", ("Three rules from my editor", "Keep that one whatever"), ("My editor just rang", "I love the")),
        (
            "migration",
            ("Never touch `vendor/`", "Names never leave", "One decision"),
            ("I like that", "Finance has been"),
        ),
    ],
)
def test_the_rules_of_a_sample_are_rules(
    samples: Path, name: str, some: tuple[str, ...], none: tuple[str, ...]
) -> None:
    said = messages_of(read_jsonl((samples / f"{name}.jsonl").read_bytes()), str)
    rules = [fact.text for fact in ledger_of(said, Ledger()).rules]
    for beginning in some:
        assert any(rule.startswith(beginning) for rule in rules), beginning
    assert not any(rule.startswith(none) for rule in rules)
    assert len(rules) <= sum(message.role is Role.USER for message in said) * 0.6


@pytest.mark.parametrize(
    "sentence",
    [
        "Decision: we ship without the importer.",
        "Agreed, six o'clock and not later.",
        "I agree with both points, SQLite it is.",
        "Let's go with the blue cover.",
        "We decided to drop the second volume.",
        "I'll go with the smaller flat.",
        "The launch was postponed to March.",
        "Wir haben uns auf Montag geeinigt.",
        "我们敲定用第二个方案。",
    ],
)
def test_a_decision_is_known(sentence: str) -> None:
    assert is_decision(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "It rolled back cleanly on the second try.",
        "Blank paper, yes.",
        "She owned the only key to the tower.",
        "It's not exported.",
        "I'll keep the umbrella.",
        "Both of them use the cache.",
        "Should we go with the blue cover?",
        "I'll write that on the back of the envelope.",
    ],
)
def test_a_report_or_a_remark_is_no_decision(sentence: str) -> None:
    assert not is_decision(sentence)


def test_a_question_that_was_answered_or_is_quoted_is_not_open() -> None:
    answered = head(user("Which title is better?"), model("The second one."))
    assert open_questions(answered, Reading()) == []
    asked_back = head(user("Which title is better?"), model("Is it for children?"))
    assert [text for text, _ in open_questions(asked_back, Reading())] == [
        "Which title is better?",
        "Is it for children?",
    ]
    quoted = head(user("What do I say to her?"), model("Begin with: “What did you do on the day after?”"))
    assert open_questions(quoted, Reading()) == []
