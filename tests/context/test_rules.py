from __future__ import annotations

import pytest

from desktop_app.context.ledger.rules import announces_rules, is_rule, is_strong_rule


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
