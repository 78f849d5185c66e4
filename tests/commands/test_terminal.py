"""What others wrote reaches a terminal as text: it cannot move the cursor, set the title or answer for the user."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.__main__ import main
from desktop_app.archive.store import Store
from desktop_app.commands.arguments import print_failure
from desktop_app.commands.chat import EventPrinter
from desktop_app.commands.terminal import PrintableFormatter, printable
from desktop_app.conversation.events import Failure, TextDelta
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text

TITLE_AND_PASTE = "\x1b]0;owned\x07\x1b[2J\x1b[201~rm -rf ~\r\x9b31m\x08\x7f"


def is_harmless(text: str) -> bool:
    return all(character in "\n\t" or not (ord(character) < 32 or 127 <= ord(character) < 160) for character in text)


@given(st.text(st.characters(max_codepoint=0x2FF)))
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    shown = printable(text)
    assert is_harmless(shown)
    assert [c for c in shown if c.isalnum()] == [c for c in text if c.isalnum()]
    assert printable(shown) == shown


def test_what_was_there_can_be_seen() -> None:
    assert printable("a\x1b[1mb\x07\x9b") == "a␛[1mb␇�"
    assert printable("tab\tand\r\nline\r\n") == "tab\tand\nline\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = Store(tmp_path / "data" / "archive.sqlite3")
    message = Message(id="m", at=1.0, role=Role.USER, parts=(Text(f"ledger {TITLE_AND_PASTE}"),))
    store.create(ConversationInfo("c", f"title {TITLE_AND_PASTE}", 1.0, 1.0), [message])
    store.close()
    return tmp_path / "data"


def test_a_search_shows_titles_and_messages_harmlessly(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "ledger", "--data-dir", str(data)]) == 0
    shown = capsys.readouterr().out
    assert "␛" in shown
    assert is_harmless(shown)


def test_an_import_shows_titles_and_faults_harmlessly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sound, broken = tmp_path / "sound.jsonl", tmp_path / "broken.jsonl"
    sound.write_text(json.dumps({"role": "user", "content": TITLE_AND_PASTE}))
    broken.write_text(json.dumps({"role": TITLE_AND_PASTE, "content": "x"}))
    main(["import", str(sound), str(broken), "--data-dir", str(tmp_path / "data")])
    out, err = capsys.readouterr()
    assert "␛" in out
    assert is_harmless(out)
    assert is_harmless(err)


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
