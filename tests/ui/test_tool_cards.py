"""Tool calls in the transcript: cards that appear at once, grow while the tool runs, and become the stored result."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy
from transcript_rows import call, chat, result, row
from ui_scenes import click, keys, point_of, settle, tell, words

from desktop_app.conversation.events import (
    MessageRecorded,
    MessageRow,
    ReplyStarted,
    TextDelta,
    ToolFinished,
    ToolOutputReceived,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.message import Part, Role, Text, ToolCall, ToolResult
from desktop_app.ui.live_turns import MAX_OUTPUT, LiveTurn, LiveTurns, turn_after
from desktop_app.ui.transcript import transcript_view
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.row_text import (
    accessible_text,
    arguments_summary,
    arguments_text,
    beginning_of_output,
    last_lines,
    plain_output,
)
from desktop_app.ui.transcript.tool_card import CARD_CHARACTERS, REFUSALS
from desktop_app.ui.transcript.transcript_items import MessageItem, ReplyItem, ToolItem
from desktop_app.ui.transcript.transcript_model import TranscriptModel
from desktop_app.ui.widgets.number_formats import format_duration
from texts import ENDED_EARLY

CALLS = (ToolCall("c", "bash", '{"command": "pytest -q", "timeout": 60}'), ToolCall("c", "read", '{"path": "a.py"}'))
FIRST_RUNS, SECOND_RUNS = ToolStarted("v", "m1", CALLS[0]), ToolStarted("v", "m1", CALLS[1], 1)
CARDS = ["m0", "m1", "m1 call 0", "m1 call 1"]


@pytest.fixture
def model(view) -> TranscriptModel:
    """A running turn whose reply m1 has made two calls, both of one id."""
    view.transcript.open(chat(1), ())
    called = MessageRecorded("v", row(1, Role.ASSISTANT, *CALLS))
    tell(view.transcript, TurnStarted("v"), ReplyStarted("v", "m1", "Sonnet"), called)
    return view.transcript


def continued(index: int, continues: str, *parts: Part) -> MessageRow:
    made = row(index, Role.ASSISTANT, *parts)
    return replace(made, message=replace(made.message, continues=continues))


def test_calls_are_cards_from_the_moment_they_are_made(view, model, qtbot):
    assert keys(model) == CARDS
    assert "waiting" in words(view, CARDS[2])
    tell(model, FIRST_RUNS)
    assert {"bash", "pytest -q timeout=60", "running", "Stop"} <= set(words(view, CARDS[2]))
    assert "waiting" in words(view, CARDS[3])
    assert "Stop" not in words(view, CARDS[3]), "only what runs can be stopped"
    assert accessible_text(model.item(2)).startswith("bash is running: pytest")
    tell(model, SECOND_RUNS)
    with qtbot.waitSignal(view.stop_requested) as told:
        click(view, qtbot, CARDS[3], Action.STOP)
    assert told.args == ["m1", 1]


def test_the_stored_result_takes_the_place_of_the_running_card_without_a_row_coming_or_going(view, model, qtbot):
    tell(model, FIRST_RUNS, SECOND_RUNS)
    come, gone = QSignalSpy(model.rowsInserted), QSignalSpy(model.rowsRemoved)
    tell(model, ToolOutputReceived("v", "c", "collecting\n", "m1"))
    qtbot.waitUntil(lambda: any("collecting" in text for text in words(view, CARDS[2])))
    stored = MessageRecorded("v", result(2, "bash", "2 passed"))
    tell(model, stored, ToolFinished("v", "c", "m2", "bash", False, 1.5, 0, "m1"))
    assert keys(model) == CARDS
    assert [type(model.item(n)) for n in (2, 3)] == [MessageItem, ToolItem]
    assert "2 passed" in words(view, "m2")
    tell(model, MessageRecorded("v", result(3, "read", "x = 1")), TurnFinished("v"))
    assert keys(model) == CARDS
    assert (come.count(), gone.count()) == (0, 0)


def test_results_that_come_in_another_order_stay_beside_their_calls(view):
    model, calls = view.transcript, (ToolCall("a", "bash"), ToolCall("b", "read"))
    model.open(chat(1), ())
    tell(model, TurnStarted("v"), MessageRecorded("v", row(1, Role.ASSISTANT, *calls)))
    tell(model, MessageRecorded("v", row(2, Role.TOOL, ToolResult("b", "read", "second, but first to end"))))
    assert [type(model.item(n)) for n in (2, 3)] == [ToolItem, MessageItem]
    tell(model, MessageRecorded("v", row(3, Role.TOOL, ToolResult("a", "bash", "first"))))
    assert [item.row.message.id for n in (2, 3) if isinstance(item := model.item(n), MessageItem)] == ["m3", "m2"]


def test_calls_that_were_never_answered_are_named_in_their_message_once_the_turn_is_over(view, model):
    tell(model, FIRST_RUNS, TurnFinished("v", "stopped"))
    assert keys(model) == ["m0", "m1"]
    assert {"bash", "read"} <= set(words(view, "m1"))
    tell(model, TurnStarted("v"))
    assert keys(model) == ["m0", "m1"], "nothing of it runs in another turn"


def test_a_conversation_that_is_left_and_opened_again_shows_what_its_tools_have_put_out(view):
    called, turns = row(1, Role.ASSISTANT, *CALLS), LiveTurns()
    for event in (
        TurnStarted("v"), MessageRecorded("v", called), FIRST_RUNS, ToolStarted("w", "m1", CALLS[0]),
        ToolOutputReceived("w", "c", "theirs", "m1"), ToolOutputReceived("v", "c", "one\n", "m1"),
        ToolOutputReceived("v", "c", "two\n", "m1"),
    ):  # fmt: skip
        turns.fold(event, 0.0)
    view.transcript.open([*chat(1), called], (), turns.of("v"))
    run = view.transcript.item(2).run
    assert (run.tail, run.lines) == ("one\ntwo\n", 2)


def test_a_call_runs_although_one_of_its_id_was_refused_before_it(model):
    """Ids repeat, and what was not allowed never starts: the index among the calls tells which of them runs."""
    tell(model, MessageRecorded("v", result(2, "bash", "denied", is_error=True)))
    tell(model, ToolFinished("v", "c", "m2", "bash", True, 0.0, 0, "m1"), SECOND_RUNS)
    tell(model, ToolOutputReceived("v", "c", "one\n", "m1", 1))
    model.refresh()
    run = model.item(3).run
    assert (run.tail, run.duration(2.0)) == ("one\n", 2.0)


def test_a_reply_that_was_continued_has_cards_for_its_calls_too(view):
    model = view.transcript
    model.open(chat(1), ())
    tell(model, TurnStarted("v"), MessageRecorded("v", row(1, Role.ASSISTANT, Text("I will lo"))))
    tell(
        model, ReplyStarted("v", "m2", "Sonnet", "m1"), MessageRecorded("v", continued(2, "m1", Text("ok."), CALLS[0]))
    )
    tell(model, ToolStarted("v", "m2", CALLS[0]), ToolOutputReceived("v", "c", "one\n", "m2"))
    assert keys(model) == ["m0", "m1", "m2 call 0"]
    model.refresh()
    assert model.item(2).run.tail == "one\n"
    tell(model, MessageRecorded("v", result(3, "bash", "2 passed")))
    assert keys(model) == ["m0", "m1", "m2 call 0"]
    assert isinstance(model.item(2), MessageItem)


def test_a_reply_that_was_stopped_to_make_room_goes_on_in_its_own_row(view):
    model = view.transcript
    model.open(chat(1), ())
    tell(model, TurnStarted("v"), ReplyStarted("v", "m1", "Sonnet"), TextDelta("v", "m1", "The first ha"))
    tell(model, MessageRecorded("v", row(1, Role.ASSISTANT, Text("The first ha"))))
    come, gone = QSignalSpy(model.rowsInserted), QSignalSpy(model.rowsRemoved)
    tell(model, ReplyStarted("v", "m2", "Sonnet", continues="m1"), TextDelta("v", "m2", "lf, and"))
    model.refresh()
    growing = model.item(1)
    assert isinstance(growing, ReplyItem)
    assert (growing.key, growing.text) == ("m1", "The first half, and")
    tell(model, MessageRecorded("v", continued(2, "m1", Text("lf, and"))))
    tell(model, ReplyStarted("v", "m3", "Sonnet", continues="m2"), TextDelta("v", "m3", " more"))
    tell(model, MessageRecorded("v", continued(3, "m2", Text(" more"))), TurnFinished("v"))
    assert keys(model) == ["m0", "m1"]
    assert (come.count(), gone.count()) == (0, 0)
    whole = model.item(1)
    assert isinstance(whole, MessageItem)
    assert whole.row.message.text == "The first half, and more"
    assert model.row_of("m3") == 1


def test_a_result_says_what_was_called_and_what_became_of_it(view):
    rows = [call(0, "read"), result(1, "read", "\n".join(f"line {n}" for n in range(50)), is_error=True)]
    view.transcript.open(rows, ())
    assert {"read", "a.py lines=3", "error", "10 tokens", "Show 44 more lines"} <= set(words(view, "m1"))
    assert "Assistant called read" in words(view, "m0")


@pytest.mark.parametrize(
    ("ending", "tag"), [("", "error"), ("denied", "not allowed"), ("stopped", "stopped"), ("timed_out", "timed out")]
)
def test_a_call_that_was_denied_or_stopped_is_no_error(view, ending, tag):
    ended = row(1, Role.TOOL, ToolResult("c", "bash", "[why]", is_error=True, ending=ending))
    view.transcript.open([call(0, "bash"), ended], ())
    assert {"error", "not allowed", "stopped", "timed out"} & set(words(view, "m1")) == {tag}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_denied_call_says_so_to_the_user_and_not_to_the_model(view, refusal):
    ended = row(1, Role.TOOL, ToolResult("c", "bash", refusal, is_error=True, ending="denied"))
    view.transcript.open([call(0, "bash"), ended], ())
    shown = words(view, "m1")
    assert REFUSALS[refusal] in shown
    assert refusal not in shown


def test_a_card_unfolds_to_all_arguments_and_opens_the_whole_output(view, qtbot):
    long = ToolCall("c", "note", '{"path": "a.py", "content": "import os\\nprint(1)"}')
    stored = ToolResult("c", "note", "the beginning", spill="s1")
    view.transcript.open([row(0, Role.ASSISTANT, long), row(1, Role.TOOL, stored)], ())
    everything = "path: a.py\ncontent:\nimport os\nprint(1)"
    assert everything not in words(view, "m1")
    click(view, qtbot, "m1", Action.FOLD)
    assert {everything, "truncated"} <= set(words(view, "m1"))
    with qtbot.waitSignal(view.whole_requested) as told:
        click(view, qtbot, "m1", Action.OPEN_WHOLE)
    assert told.args == ["s1", "note a.py content=import os print(1)"]


def test_what_was_recalled_elsewhere_says_where_it_is_from_and_leads_there(view, qtbot):
    page = (
        "From the archive:\nConversation 3f2a9c1b0d5e, “The trip”:\n[2026-11-22]\n#12 user: At nine.\n#13 user: Yes."
        "\nConversation 0a, “Work\u202e”:\n[2026-11-23]\n#4 user: No."
    )
    view.transcript.open([call(0, "recall"), result(1, "recall", page)], ())
    assert {"From “The trip”", "From “Work‹U+202E›”"} <= set(words(view, "m1"))
    with qtbot.waitSignal(view.action_requested) as told:
        click(view, qtbot, "m1", Action.SHOW_RECALLED)
    assert told.args == [Action.SHOW_RECALLED, "3f2a9c1b0d5e#12"]
    view.transcript.open([call(0, "bash"), result(1, "bash", page)], ())
    assert not [word for word in words(view, "m1") if word.startswith("From “")], "another tool says what it likes"


def test_only_the_end_of_an_output_is_kept():
    turn = turn_after(LiveTurn(), FIRST_RUNS)
    for n in range(5_000):
        turn = turn_after(turn, ToolOutputReceived("v", "c", f"line {n}\n", "m1"))
    run = turn.runs["m1", 0]
    assert run.lines == 5_000
    assert len(run.tail) <= MAX_OUTPUT
    assert last_lines(run.tail, 2) == "line 4998\nline 4999"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("10 %\r50 %\r100 %\ndone", "100 %\ndone"),
        ("a\r\nb", "a\nb"),
        ("\x1b]0;title\x07text\x00", "text"),
        ("50 %\r", "50 %"),
    ],
)
def test_output_is_shown_as_a_terminal_would(raw, shown):
    assert plain_output(raw) == shown


@pytest.mark.parametrize(
    "text", ["", "\n", "one", "a\n" * 9, "1 %\r2 %\r\nb\n", "\x1b[31mred\x1b[0m\r\n" * 9, "x" * 50]
)
@pytest.mark.parametrize("most_lines", [1, 3, 60])
@pytest.mark.parametrize("room", [4, 30, 400])
def test_of_a_long_output_no_more_is_read_than_is_shown(text, most_lines, room):
    shown, is_all = beginning_of_output(text, most_lines, room)
    whole = plain_output(text)
    assert whole.startswith(shown)
    assert is_all == (shown == whole)
    assert is_all or shown.count("\n") == most_lines - 1 or len(shown) > room
    huge = "x" * 100 + "\x1b[31m" * 900_000
    assert beginning_of_output(huge, 6, 600) == ("x" * 100, False)


def test_long_times_are_said_in_minutes_and_hours():
    assert [format_duration(s) for s in (0.4, 59.9, 125, 3_780)] == ["0 s", "59 s", "2 min 5 s", "1 h 3 min"]


def test_arguments_that_nest_too_deeply_are_shown_as_they_came() -> None:
    deep = ToolCall("c", "read", '{"a": ' + "[" * 100_000)
    assert arguments_text(deep) == deep.arguments
    assert arguments_summary(deep).startswith('{"a": [[[')


@pytest.mark.parametrize(
    ("sandbox", "said"),
    [
        ("closed", "in the sandbox · no network · 10 tokens"),
        ("network", "in the sandbox · 10 tokens"),
        ("outside", "outside of the sandbox · 10 tokens"),
        ("missing", "no sandbox · 10 tokens"),
        ("", "10 tokens"),
    ],
)
def test_a_card_says_where_its_program_ran(view, sandbox, said):
    done = row(1, Role.TOOL, ToolResult("c", "bash", "done", sandbox=sandbox))
    view.transcript.open([*chat(1), call(0, "bash"), done], ())
    assert said in words(view, "m1")
    assert said.removesuffix(" · 10 tokens").removesuffix("10 tokens") in accessible_text(MessageItem(done))
    view.resize(400, 600)
    assert "10 tokens" in words(view, "m1")  # there is no room for more


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("\n".join("x" * 300 for _ in range(20)), "\n".join("x" * 300 for _ in range(1))),
        ("y" * 2_000, "y" * CARD_CHARACTERS),
        ("\n\n" + "y" * 2_000, "\n\n" + "y" * (CARD_CHARACTERS - 2)),
    ],
)
def test_a_card_ends_with_a_whole_line(view, output: str, shown: str):
    view.transcript.open([*chat(1), call(1, "grep"), result(2, "grep", output)], ())
    found = next(text for text in words(view, "m2") if "x" in text or "yy" in text)
    assert set(found.split("\n")) == set(shown.split("\n"))
    assert len(found) <= CARD_CHARACTERS


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT])
def test_a_message_without_text_says_so(view, role: Role):
    view.transcript.open([row(0, role, Text("")), row(1)], ())
    assert "(no text)" in words(view, "m0")


@pytest.mark.parametrize("width", [300, 800])
def test_why_a_reply_ended_is_whole_in_a_narrow_window(view, width: int):
    view.resize(width, 600)
    cut = row(1, Role.ASSISTANT)
    view.transcript.open([row(0), replace(cut, message=replace(cut.message, is_interrupted=True))], ())
    shown = words(view, "m1")
    assert ENDED_EARLY in shown
    assert "Write it again" in shown
    assert "Continue" in shown


def test_a_click_is_delivered_where_a_row_is_seen_before_all_is_laid_out(view, qtbot, monkeypatch):
    """A busy machine lays out in several passes; until then heights were estimates, and links lay below their row."""
    monkeypatch.setattr(transcript_view, "LAYOUT_SLICE", -1.0)
    long = ToolCall("c", "note", '{"path": "a.py", "content": "' + "import os\\n" * 20 + '"}')
    stored = ToolResult("c", "note", "the beginning", spill="s1")
    view.transcript.open([row(0, Role.ASSISTANT, long), row(1, Role.TOOL, stored)], ())
    view.cache.unfold("m0 call 0")
    with qtbot.waitSignal(view.whole_requested, timeout=500):
        click(view, qtbot, "m1", Action.OPEN_WHOLE)


def test_a_click_is_delivered_although_what_was_pressed_moves_before_the_release(view, model, qtbot):
    tell(model, FIRST_RUNS, SECOND_RUNS)
    settle(view, qtbot)
    pressed = point_of(view, CARDS[3], Action.STOP)
    with qtbot.waitSignal(view.stop_requested, timeout=500) as told:
        qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=pressed)
        tell(model, ToolOutputReceived("v", "c", "a line\n" * 9, "m1"))
        settle(view, qtbot)
        assert point_of(view, CARDS[3], Action.STOP) != pressed
        qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=pressed)
    assert told.args == ["m1", 1]
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=point_of(view, CARDS[3], Action.STOP))
    with qtbot.assertNotEmitted(view.stop_requested):
        qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(2, 2))
