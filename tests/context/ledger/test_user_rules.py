from __future__ import annotations

import time
from pathlib import Path

import pytest

from builders import head, letters, model, user
from desktop_app.context.extractive.extract import extract
from desktop_app.context.ledger.ledger import MAX_SUPERSEDED, fidelity, ledger_of, open_questions
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.ledger.prose import sentences
from desktop_app.context.ledger.user_rules import announces_rules, is_decision, is_rule, is_strong_rule, superseded_by
from desktop_app.context.summary.restore_facts import restore_facts
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.openai_chat import messages_of, read_jsonl
from slowness import slowness

RULES = [
    "Never commit to main.",
    "Please use tabs for indentation.",
    "You must add a changelog entry for every change.",
    "Always run make test before you say that it works.",
    "All answers should be in German.",
]


@pytest.mark.parametrize(
    ("sentence", "old"),
    [
        ("Actually use spaces instead.", [RULES[1]]),
        ("On second thought, spaces for indentation, please.", [RULES[1]]),
        ("Use spaces instead of tabs.", [RULES[1]]),
        ("Forget what I said about the changelog.", [RULES[2]]),
        ("Ignore the rule about changelog entries.", [RULES[2]]),
        ("We no longer need changelog entries.", [RULES[2]]),
        ("You don't have to add a changelog entry any more.", [RULES[2]]),
        ("It's fine to commit to main now.", [RULES[0]]),
        ("Run make check rather than make test.", [RULES[3]]),
        ("I changed my mind: answers in English.", [RULES[4]]),
        ("From now on all answers should be in English.", [RULES[4]]),
    ],
)
def test_what_a_later_word_replaces_or_takes_back_is_found(sentence: str, old: list[str]) -> None:
    assert superseded_by(sentence, RULES) == old


@pytest.mark.parametrize(
    "sentence",
    [
        "Actually, I like it.",
        "Actually use pytest instead of nose.",
        "Actually the build is slow, look at it.",
        "Could we use spaces instead?",
        "Also add a note to the readme instead of a comment.",
        "From now on the tables are in schema billing.",
        "Forget it.",
        "The old parser is no longer there.",
        "Ignore the warnings about the linker.",
        "You can now read the file.",
        "Rename the column instead of dropping it.",
        "Use four spaces.",
        "Use a comment instead of a changelog file.",
        "It does not work any more.",
        "",
    ],
)
def test_what_may_be_about_something_else_replaces_nothing(sentence: str) -> None:
    assert superseded_by(sentence, RULES) == []


def test_instead_points_at_the_last_rule_if_it_asks_for_the_same_thing_to_be_done() -> None:
    assert superseded_by("Use lodash instead.", ["Never push.", "Use ramda."]) == ["Use ramda."]
    assert superseded_by("Use lodash instead.", ["Use ramda.", "Never push."]) == []


def test_a_sentence_does_not_replace_itself() -> None:
    said = "From now on always use spaces instead of tabs."
    assert superseded_by(said, [said]) == []


def test_no_sentence_takes_long() -> None:
    started = time.perf_counter()
    for text in ("forget " * 80, "instead of " * 60, "ne " * 200, "you can " * 80, "a" * 600):
        superseded_by(text, ["never " * 100] * 60)
    assert time.perf_counter() - started < 1.0 * slowness()


def page_of(said: list[Message], ledger: Ledger, earlier: str = "") -> str:
    return extract(said, earlier, ledger, 900, letters().text)


def test_the_page_says_which_rule_does_not_hold_any_more() -> None:
    said = head(
        user("We write the parser anew. Please use tabs for indentation. Never commit to main."),
        model("I begin."),
        user("Actually use spaces instead."),
        model("Spaces it is."),
    )
    ledger = ledger_of(said, Ledger())
    assert [fact.text for fact in ledger.rules] == ["Never commit to main.", "Actually use spaces instead."]
    assert [(old.text, old.by, old.message_id) for old in ledger.superseded] == [
        ("Please use tabs for indentation.", "Actually use spaces instead.", "m2")
    ]
    page = page_of(said, ledger)
    line = "- Superseded: Please use tabs for indentation. – since then: Actually use spaces instead."
    assert page.splitlines().count(line) == 1
    assert page.count("use tabs") == 1, "nowhere is it shown as valid"
    assert fidelity(said, page, [], set()).lost_facts == ()
    restored = restore_facts("## Rules and constraints\n- Actually use spaces instead.", said, ledger)
    assert line in restored.splitlines()


def test_it_stays_superseded_from_compaction_to_compaction_until_it_is_said_again() -> None:
    first = head(user("Please use tabs for indentation."), model("I will."))
    second = head(user("Use spaces instead of tabs."), model("I will."))
    page = page_of(first, ledger := ledger_of(first, Ledger()))
    assert "- Please use tabs for indentation." in page
    ledger = ledger_of(second, ledger)
    page = page_of(second, ledger, page)
    assert page.count("use tabs") == 1
    assert "Superseded: Please use tabs for indentation." in page
    again = head(user("Please use tabs for indentation."))
    assert ledger_of(again, ledger).superseded == ()
    assert "Please use tabs for indentation." in [fact.text for fact in ledger_of(again, ledger).rules]


def test_within_one_message_only_what_was_said_before_is_superseded() -> None:
    said = head(user("You should use npm here. Actually use pnpm instead. You must not use yarn."))
    ledger = ledger_of(said, Ledger())
    assert [old.text for old in ledger.superseded] == ["You should use npm here."]
    assert [fact.text for fact in ledger.rules] == ["You must not use yarn."]


def test_a_model_does_not_change_the_rules() -> None:
    said = head(user("Please use tabs for indentation."), model("Actually I use spaces instead of tabs."))
    assert ledger_of(said, Ledger()).superseded == ()


def test_there_is_a_bound_and_what_is_beyond_is_counted() -> None:
    said = [
        m for n in range(40) for m in (user(f"Always call table_{n}."), user(f"Forget what I said about table_{n}."))
    ]
    ledger = ledger_of(head(*said), Ledger())
    assert len(ledger.superseded) == MAX_SUPERSEDED
    assert ledger.superseded[-1].text == "Always call table_39."
    assert ledger.dropped >= 40 - MAX_SUPERSEDED
    assert ledger.rules == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "Never touch vendor/.",
        "Always run the tests first.",
        "Don't change the config without asking me.",
        "dont use emojis",
        "You must not delete rows.",
        "truncated text should stop at the first new line",
        "I prefer tabs.",
        "Please use British spelling.",
        "Every migration needs a down step.",
        "No floats anywhere, not even in tests.",
        "We never force-push to main.",
        "Make sure that it is reversible.",
        "2,400 words at most.",
        "必须先运行测试。",
        "请总是先运行测试，永远不要改这个文件。",
        "我们应该使用整数。",
        "Bitte keine Kommentare.",
    ],
)
def test_a_rule_is_known(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Should we use a queue?",
        "I don't know what to do.",
        "I don't think so.",
        "I've never been there.",
        "You must be so proud!",
        "That must have been hard.",
        "Don't worry about it.",
        "I'll make sure to keep that in mind.",
        "They don't pass.",
        "It works now.",
        "我们明天见。",
        "和你聊天总是让我收获很多。",
        "不过很快应该就会去的。",
    ],
)
def test_what_only_sounds_like_a_rule_is_none(sentence: str) -> None:
    assert not is_rule(sentence)


@pytest.mark.parametrize(
    ("paragraph", "announced"),
    [
        ("House rules first, they hold for the whole work:", True),
        ("Please keep in mind:", True),
        ("规则：", True),
        ("Here is what I found:", False),
        ("Those are the rules.", False),
    ],
)
def test_a_list_of_rules_is_announced(paragraph: str, announced: bool) -> None:
    assert announces_rules(paragraph) is announced


def test_rules_that_say_must_are_strong() -> None:
    assert is_strong_rule("NEVER push.")
    assert is_strong_rule("必须先运行测试。")
    assert not is_strong_rule("You should use tabs.")


# What is listed as a rule is one: sentences written for this, from which nothing was tuned or trained.


SENTENCES = [
    line.split("\t")
    for line in (Path(__file__).parents[1] / "data" / "directives.tsv").read_text(encoding="utf-8").splitlines()
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
