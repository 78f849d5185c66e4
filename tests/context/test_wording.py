from __future__ import annotations

import pytest

from desktop_app.context.ledger.facts import MAX_FACT, QUESTION, facts_in, words_of


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Look at src/billing/ledger.py, please.", ["src/billing/ledger.py"]),
        ("See (https://example.org/a?b=1&c=2#d).", ["https://example.org/a?b=1&c=2#d"]),
        ("Write to anna.b+x@mail.example.org!", ["anna.b+x@mail.example.org"]),
        ("call `post(a, b)` and `x`", ["post(a, b)"]),
        ("flight HAT082 of 4OG6T3 for noah_muller_9847", ["HAT082", "4OG6T3", "noah_muller_9847"]),
        ("it costs $1,299.50 or 12 %, 50% off, on 2024-05-17", ["$1,299.50", "12", "50%", "2024-05-17"]),
        ("use getThinkingBorderColor in MarkdownTheme", ["getThinkingBorderColor", "MarkdownTheme"]),
        ("ticket PROJ-112, version v2.1.3", ["PROJ-112", "v2.1.3"]),
        ("~/notes.md and ./run and ../x/y", ["~/notes.md", "./run", "../x/y"]),
        ("the colour is #b5bd68", ["b5bd68"]),
        ("请修改 billing/models.py", ["billing/models.py"]),
        ("I went home on Monday, it was nice. Don't worry - O'Neil's well-known dog.", []),
        ("", []),
    ],
)
def test_facts_stand_in_their_order_without_what_surrounds_them(text: str, facts: list[str]) -> None:
    assert facts_in(text) == facts


def test_a_fact_is_named_once_and_data_is_no_fact() -> None:
    assert facts_in("a.py b.py a.py") == ["a.py", "b.py"]
    assert facts_in("x_" * MAX_FACT) == []


@pytest.mark.parametrize(("text", "asks"), [("Is it?", True), ("是吗？", True), ('"Why?"', True), ("Yes.", False)])
def test_a_question_is_known_by_its_end(text: str, asks: bool) -> None:
    assert (QUESTION.search(text) is not None) is asks


def test_words_are_small_and_chinese_goes_in_pairs() -> None:
    assert words_of("The Ledger, the end") == {"the", "ledger", "end"}
    assert words_of("数据库表 v2") == {"数据", "库表", "v2"}
