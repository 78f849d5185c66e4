"""Tool calls in the transcript: cards that appear at once, grow while the tool runs, and become the stored result."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy
from transcript_rows import call, chat, result, row
from ui_scenes import keys, tell

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import truncate_result
from desktop_app.conversation.events import (
    MessageRecorded,
    ReplyStarted,
    TextDelta,
    ToolFinished,
    ToolOutputReceived,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.message import Role, Text, ToolCall, ToolResult
from desktop_app.ui.live_turns import MAX_OUTPUT, LiveTurn, LiveTurns, turn_after
from desktop_app.ui.transcript.display_list import Action, TextLine
from desktop_app.ui.transcript.items import MessageItem, ToolItem
from desktop_app.ui.transcript.replies import ReplyItem
from desktop_app.ui.transcript.row_text import (
    accessible_text,
    arguments_summary,
    arguments_text,
    last_lines,
    plain_output,
)
from desktop_app.ui.transcript.transcript_model import TranscriptModel
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.widgets.formats import format_duration

CALLS = (ToolCall("c", "bash", '{"command": "pytest -q", "timeout": 60}'), ToolCall("c", "read", '{"path": "a.py"}'))


def calling(model: TranscriptModel) -> None:
    """A running turn whose reply m1 has made two calls, both of one id."""
    model.open(chat(1), ())
    tell(
        model, TurnStarted("v"), ReplyStarted("v", "m1", "Sonnet"), MessageRecorded("v", row(1, Role.ASSISTANT, *CALLS))
    )


def words(view: TranscriptWidget, number: int) -> list[str]:
    layout = view.layout_of(number)
    lines = [drawn.text for drawn in layout.drawn if isinstance(drawn, TextLine)]
    return (
        lines + [h.words.text for h in layout.hit_regions if h.words] + [f.document.toPlainText() for f in layout.flows]
    )


def test_calls_are_cards_from_the_moment_they_are_made(view):
    model = view.transcript
    calling(model)
    assert keys(model) == ["m0", "m1", "m1 call 0", "m1 call 1"]
    assert "waiting" in words(view, 2)
    tell(model, ToolStarted("v", "m1", CALLS[0]))
    assert {"bash", "pytest -q timeout=60", "running", "Stop"} <= set(words(view, 2))
    assert "waiting" in words(view, 3)
    assert "Stop" not in words(view, 3), "only what runs can be stopped"
    assert accessible_text(model.item(2)).startswith("bash is running: pytest")


def test_the_stored_result_takes_the_place_of_the_running_card_without_a_row_coming_or_going(view, qtbot):
    model = view.transcript
    calling(model)
    tell(model, ToolStarted("v", "m1", CALLS[0]), ToolStarted("v", "m1", CALLS[1], 1))
    come, gone = QSignalSpy(model.rowsInserted), QSignalSpy(model.rowsRemoved)
    tell(model, ToolOutputReceived("v", "c", "collecting\n", "m1"))
    qtbot.waitUntil(lambda: any("collecting" in text for text in words(view, 2)))
    tell(
        model,
        MessageRecorded("v", result(2, "bash", "2 passed")),
        ToolFinished("v", "c", "m2", "bash", False, 1.5, 0, "m1"),
    )
    assert keys(model) == ["m0", "m1", "m1 call 0", "m1 call 1"]
    assert isinstance(model.item(2), MessageItem)
    assert isinstance(model.item(3), ToolItem)
    assert "2 passed" in words(view, 2)
    assert model.row_of("m2") == 2
    tell(model, MessageRecorded("v", result(3, "read", "x = 1")), TurnFinished("v"))
    assert keys(model) == ["m0", "m1", "m1 call 0", "m1 call 1"]
    assert (come.count(), gone.count()) == (0, 0)


def test_results_that_come_in_another_order_stay_beside_their_calls(view):
    model = view.transcript
    calls = (ToolCall("a", "bash"), ToolCall("b", "read"))
    model.open(chat(1), ())
    tell(model, TurnStarted("v"), MessageRecorded("v", row(1, Role.ASSISTANT, *calls)))
    tell(model, ToolStarted("v", "m1", calls[0]), ToolStarted("v", "m1", calls[1], 1))
    tell(model, MessageRecorded("v", row(2, Role.TOOL, ToolResult("b", "read", "second, but first to end"))))
    assert [type(model.item(n)) for n in (2, 3)] == [ToolItem, MessageItem]
    tell(model, MessageRecorded("v", row(3, Role.TOOL, ToolResult("a", "bash", "first"))))
    stored = [model.item(n) for n in (2, 3)]
    assert [item.row.message.id for item in stored if isinstance(item, MessageItem)] == ["m3", "m2"]


def test_calls_that_were_never_answered_are_named_in_their_message_once_the_turn_is_over(view):
    calling(view.transcript)
    tell(view.transcript, ToolStarted("v", "m1", CALLS[0]), TurnFinished("v", "stopped"))
    assert keys(view.transcript) == ["m0", "m1"]
    assert {"bash", "read"} <= set(words(view, 1))


def test_a_conversation_that_is_left_and_opened_again_shows_what_its_tools_have_put_out(view):
    called = row(1, Role.ASSISTANT, *CALLS)
    turns = LiveTurns()
    for event in (
        TurnStarted("v"), MessageRecorded("v", called), ToolStarted("v", "m1", CALLS[0]),
        ToolStarted("w", "n1", CALLS[0]), ToolOutputReceived("w", "c", "theirs", "n1"),
        ToolOutputReceived("v", "c", "one\n", "m1"), ToolOutputReceived("v", "c", "two\n", "m1"),
    ):  # fmt: skip
        turns.fold(event, 0.0)
    view.transcript.open([*chat(1), called], (), turns.of("v"))
    run = view.transcript.item(2).run
    assert (run.tail, run.lines) == ("one\ntwo\n", 2)


def test_stop_on_a_running_card_stops_that_call_alone(view, qtbot):
    calling(view.transcript)
    tell(view.transcript, ToolStarted("v", "m1", CALLS[0]), ToolStarted("v", "m1", CALLS[1], 1))
    hot = next(hot for hot in view.layout_of(3).hit_regions if hot.action is Action.STOP)
    with qtbot.waitSignal(view.stop_requested) as told:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=(view.origin(3) + hot.box.center()).toPoint())
    assert told.args == ["m1", 1]


def test_a_call_runs_although_one_of_its_id_was_refused_before_it(view):
    """Ids repeat, and what was not allowed never starts: the place among the calls tells which of them runs."""
    model = view.transcript
    calling(model)
    tell(model, MessageRecorded("v", result(2, "bash", "denied", is_error=True)))
    tell(model, ToolFinished("v", "c", "m2", "bash", True, 0.0, 0, "m1"), ToolStarted("v", "m1", CALLS[1], 1))
    tell(model, ToolOutputReceived("v", "c", "one\n", "m1", 1))
    model.refresh()
    assert model.item(3).run.tail == "one\n"
    assert int(model.item(3).run.duration(2.0)) == 2


def test_a_reply_that_was_continued_has_cards_for_its_calls_too(view):
    model = view.transcript
    model.open(chat(1), ())
    tell(model, TurnStarted("v"), MessageRecorded("v", row(1, Role.ASSISTANT, Text("I will lo"))))
    called = continued(2, "ok.", "m1")
    parts = (*called.message.parts, CALLS[0])
    called = msgspec.structs.replace(called, message=msgspec.structs.replace(called.message, parts=parts))
    tell(model, ReplyStarted("v", "m2", "Sonnet", "m1"), MessageRecorded("v", called))
    tell(model, ToolStarted("v", "m2", CALLS[0]), ToolOutputReceived("v", "c", "one\n", "m2"))
    assert keys(model) == ["m0", "m1", "m2 call 0"]
    model.refresh()
    assert model.item(2).run.tail == "one\n"
    tell(model, MessageRecorded("v", result(3, "bash", "2 passed")))
    assert keys(model) == ["m0", "m1", "m2 call 0"]
    assert isinstance(model.item(2), MessageItem)


def test_a_click_on_the_head_shows_all_arguments(view, qtbot):
    long = ToolCall("c", "write", '{"path": "a.py", "content": "import os\\nprint(1)"}')
    view.transcript.open([row(0, Role.ASSISTANT, long), result(1, "write", "written")], ())
    assert "path: a.py\ncontent:\nimport os\nprint(1)" not in words(view, 1)
    view.perform(Action.FOLD, view.transcript.item(1).key)
    assert "path: a.py\ncontent:\nimport os\nprint(1)" in words(view, 1)


def test_an_output_that_was_cut_says_how_much_and_opens_whole(view, qtbot):
    cut = truncate_result("a line of some length\n" * 9_000, "bash", ContextPolicy())
    assert cut.spill
    stored = ToolResult("c", "bash", cut.text, spill=cut.spill)
    view.transcript.open([call(0, "bash"), row(1, Role.TOOL, stored)], ())
    assert "truncated" in words(view, 1)
    with qtbot.waitSignal(view.whole_requested) as told:
        view.perform(Action.OPEN_WHOLE, "m1")
    assert told.args == [cut.spill, "bash a.py lines=3"]


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
    tell(model, MessageRecorded("v", continued(2, "lf, and", "m1")))
    tell(model, ReplyStarted("v", "m3", "Sonnet", continues="m2"), TextDelta("v", "m3", " more"))
    tell(model, MessageRecorded("v", continued(3, " more", "m2")), TurnFinished("v"))
    assert keys(model) == ["m0", "m1"]
    assert (come.count(), gone.count()) == (0, 0)
    whole = model.item(1)
    assert isinstance(whole, MessageItem)
    assert whole.row.message.text == "The first half, and more"
    assert model.row_of("m3") == 1


def continued(index: int, text: str, continues: str):
    made = row(index, Role.ASSISTANT, Text(text))
    return msgspec.structs.replace(made, message=msgspec.structs.replace(made.message, continues=continues))


def test_only_the_end_of_an_output_is_kept():
    turn = turn_after(LiveTurn(), ToolStarted("v", "m1", CALLS[0]))
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


def test_long_times_are_said_in_minutes_and_hours():
    assert [format_duration(s) for s in (0.4, 59.9, 125, 3_780)] == ["0 s", "59 s", "2 min 5 s", "1 h 3 min"]


def test_arguments_that_nest_too_deeply_are_shown_as_they_came() -> None:
    arguments = '{"a": ' + "[" * 100_000
    assert arguments_text(ToolCall("c", "read", arguments)) == arguments
    assert arguments_summary(ToolCall("c", "read", arguments)).startswith('{"a": [[[')
