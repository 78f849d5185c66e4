"""What others wrote reaches a terminal as text: it cannot move the cursor, set the title or answer for the user."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.commands.arguments import PrintableFormatter, print_failure, printable
from desktop_app.commands.chat import EventPrinter
from desktop_app.conversation.events import Failure, TextDelta

TITLE_AND_PASTE = "\x1b]0;owned\x07\x1b[2J\x1b[201~rm -rf ~\r\x9b31m\x08\x7f"


def is_harmless(text: str) -> bool:
    return all(character in "\n\t" or not (ord(character) < 32 or 127 <= ord(character) < 160) for character in text)


@given(st.text(st.characters(max_codepoint=0x2FF)))
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    shown = printable(text)
    assert is_harmless(shown)
    assert [c for c in shown if c.isalnum()] == [c for c in text if c.isalnum()]
    assert printable(shown) == shown
    assert printable("a\x1b[1mb\x07\x9btab\tand\r\nline\r\n") == "a␛[1mb␇\ufffdtab\tand\nline\n"


def test_an_import_and_a_search_show_titles_messages_and_faults_harmlessly(
    chat_file, data: Path, stored, printed
) -> None:
    sound = chat_file([{"role": "user", "content": TITLE_AND_PASTE}])
    broken = chat_file([{"role": TITLE_AND_PASTE, "content": "x"}], "broken.jsonl")
    stored([f"ledger {TITLE_AND_PASTE}"], f"title {TITLE_AND_PASTE}")
    for shown in (
        printed("import", sound, broken, "--data-dir", data, code=2),
        printed("search", "ledger", "--data-dir", data),
    ):
        assert "␛" in shown
        assert is_harmless(shown)


def test_a_reply_and_an_error_are_shown_harmlessly(capsys: pytest.CaptureFixture[str]) -> None:
    printer = EventPrinter(is_json=False)
    for character in TITLE_AND_PASTE:  # a sequence may be spread over several deltas
        printer.print(TextDelta("c", "r", character))
    print_failure(Failure("server", TITLE_AND_PASTE, TITLE_AND_PASTE))
    out, err = capsys.readouterr()
    assert "rm -rf ~" in out
    assert is_harmless(out)
    assert is_harmless(err)


def test_a_log_line_is_harmless() -> None:
    try:
        raise ValueError(TITLE_AND_PASTE)
    except ValueError:
        record = logging.LogRecord("engine", logging.ERROR, "", 0, TITLE_AND_PASTE, (), sys.exc_info())
    assert is_harmless(PrintableFormatter("%(name)s %(message)s").format(record))
