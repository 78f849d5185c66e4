"""What is listed as a rule is one: sentences written for this, from which nothing was tuned or trained."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_by_hand import head, user

from desktop_app.context.ledger.ledger import ledger_of
from desktop_app.context.ledger.prose import sentences
from desktop_app.context.ledger.rules import is_rule
from desktop_app.conversation.facts import Ledger
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
    assert len(rules) <= 0.05 * len(sentences(STORY)), rules


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
