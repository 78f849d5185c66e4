from __future__ import annotations

import pytest

from desktop_app.context.wording import (
    FACT_MOST,
    QUESTION,
    error_lines,
    facts_in,
    is_decision,
    is_error_line,
    words_of,
)


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
    assert facts_in("x_" * FACT_MOST) == []


@pytest.mark.parametrize(
    "sentence", ["We decided on bigint.", "I'll go with option 1.", "Renamed it.", "我们决定这样。"]
)
def test_a_decision_is_known(sentence: str) -> None:
    assert is_decision(sentence)


def test_what_is_not_settled_is_no_decision() -> None:
    assert not is_decision("We could do that.")


@pytest.mark.parametrize(
    "line",
    [
        "ValueError: bad currency",
        "psycopg.errors.NotNullViolation: Error: null value",
        "src/a.ts(28,2): error TS2739: Type '{}' is missing",
        "error[E0382]: borrow of moved value",
        "grep: src/editor.ts: No such file or directory",
        "bash: foo: command not found",
        "FAILED tests/test_a.py::test_b - assert 1 == 2",
        "E       AssertionError: assert 2999700 == 59400",
        "Traceback (most recent call last):",
        "fatal: not a git repository",
        "npm ERR! code ELIFECYCLE",
        "make: *** [Makefile:31: test] Error 1",
        "Command exited with code 2",
        "Permission denied (publickey).",
        '{"error": "the model does not exist"}',
    ],
)
def test_a_line_that_reports_an_error_is_known(line: str) -> None:
    assert is_error_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "    raise ValueError(msg)",
        "1480:        except (TypeError, ValueError) as error:",
        "  43      except Error as error:",
        "throw new Error(`Theme not found: ${name}`);",
        "isError: event.isError,",
        '"error": "#ff0000",',
        "// show the error: red",
        "| `error` | Error states |",
        "Command exited with code 0",
        "all good",
    ],
)
def test_code_that_speaks_of_errors_reports_none(line: str) -> None:
    assert not is_error_line(line)


def test_of_many_error_lines_the_first_and_the_last_are_kept() -> None:
    text = "\n".join(["$ make", *(f"a.py:{n}: error: no. {n}" for n in range(9)), "done"])
    assert error_lines(text) == ["a.py:0: error: no. 0", "a.py:7: error: no. 7", "a.py:8: error: no. 8"]
    assert len(error_lines(text, most=20)) == 9
    assert error_lines("fine\nall passed") == []
    assert error_lines("error: " + "x" * 900, width=50) == ["error: " + "x" * 43]
    assert error_lines("error: same\nerror: same") == ["error: same"]


@pytest.mark.parametrize(("text", "asks"), [("Is it?", True), ("是吗？", True), ('"Why?"', True), ("Yes.", False)])
def test_a_question_is_known_by_its_end(text: str, asks: bool) -> None:
    assert (QUESTION.search(text) is not None) is asks


def test_words_are_small_and_chinese_goes_in_pairs() -> None:
    assert words_of("The Ledger, the end") == {"the", "ledger", "end"}
    assert words_of("数据库表 v2") == {"数据", "库表", "v2"}
