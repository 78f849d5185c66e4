"""The transcript's rows: made from the record, and folded from events."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy
from transcript_rows import abandoned, call, changes_of, chat, compaction, result, row
from ui_scenes import keys, tell

from desktop_app.conversation.events import (
    Failure,
    GaugeChanged,
    MessageRecorded,
    MessageRow,
    MessageState,
    ReasoningDelta,
    ReplyStarted,
    TextDelta,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    ViewChanged,
)
from desktop_app.conversation.gauge import Gauge, Status
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.ui.transcript.items import MarkItem, MessageItem, items_of
from desktop_app.ui.transcript.pages import MAX_OLDER, PAGE, GapItem
from desktop_app.ui.transcript.replies import ReplyItem
from desktop_app.ui.transcript.transcript_model import TranscriptModel


def opened(rows: list[MessageRow], *operations) -> TranscriptModel:
    model = TranscriptModel()
    model.open(rows, operations)
    return model


def test_a_mark_stands_behind_the_last_message_of_its_operation() -> None:
    items = items_of(chat(4), [compaction(1, after=1), compaction(2, after=3, is_undone=True)])
    assert [item.key for item in items] == ["m0", "m1", "mark op1", "m2", "m3"]


def test_a_question_that_was_replaced_is_left_out_with_its_answer() -> None:
    rows = [row(0, state=MessageState.ABANDONED), abandoned(1, "r"), row(2), row(3, Role.ASSISTANT)]
    assert [item.key for item in items_of(rows, ())] == ["m2", "m3"]


def test_only_the_last_reply_can_be_asked_for_again() -> None:
    def again(rows: list[MessageRow]) -> list[str]:
        return [item.key for item in items_of(rows, ()) if isinstance(item, MessageItem) and item.is_last_reply]

    assert again(chat(4)) == ["m3"]
    assert again(chat(5)) == []


def test_results_find_their_calls_although_ids_repeat() -> None:
    items = items_of([call(0, "read", "bash"), result(1, "read"), result(2, "bash"), call(3, "grep")], ())
    assert [item.call.name if item.call else "" for item in items if isinstance(item, MessageItem)] == [
        "", "read", "bash", "",
    ]  # fmt: skip
    assert [bool(item.unanswered) for item in items if isinstance(item, MessageItem)] == [False, False, False, True]


def test_a_reply_grows_in_one_row_and_becomes_the_stored_message(qapp) -> None:
    model = opened(chat(1))
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    tell(model, TurnStarted("c"))
    tell(model, ReplyStarted("c", "m1", "Sonnet"))
    inserted, removed, changed = (
        QSignalSpy(model.rowsInserted),
        QSignalSpy(model.rowsRemoved),
        QSignalSpy(model.dataChanged),
    )
    tell(model, ReasoningDelta("c", "m1", "Hm. "))
    tell(model, TextDelta("c", "m1", "Good "))
    tell(model, TextDelta("c", "m1", "morning"))
    model.refresh()
    reply = model.item(1)
    assert isinstance(reply, ReplyItem)
    assert (reply.text, reply.reasoning, reply.reply.model) == ("Good morning", "Hm. ", "Sonnet")
    tell(model, MessageRecorded("c", row(1, Role.ASSISTANT)))
    tell(model, TurnFinished("c"))
    assert keys(model) == ["m0", "m1"]
    assert isinstance(model.item(1), MessageItem)
    assert (inserted.count(), removed.count()) == (0, 0)
    assert changed.count() >= 2
    assert not model.is_running


def test_a_stopped_reply_of_which_nothing_was_stored_leaves_no_row(qapp) -> None:
    model = opened(chat(1))
    tell(model, TurnStarted("c"))
    tell(model, ReplyStarted("c", "m1", "Sonnet"))
    tell(model, TurnFinished("c", "stopped"))
    assert keys(model) == ["m0"]


def test_a_failure_stands_at_the_end_until_the_next_turn(qapp) -> None:
    model = opened(chat(1))
    tell(model, TurnFailed("c", Failure("provider", "No answer")))
    tell(model, TurnFinished("c", "failed"))
    assert keys(model) == ["m0", "failure 0"]
    tell(model, TurnStarted("c"))
    assert keys(model) == ["m0"]


def test_a_failure_that_comes_again_is_told_once(qapp) -> None:
    model = opened(chat(1))
    for title in ("Too small", "Other", "Too small"):  # "Optimize and retry" may fail before a turn starts
        tell(model, TurnFailed("c", Failure("window_too_small", title)))
    assert keys(model) == ["m0", "failure 0", "failure 1"]
    assert [failure.title for failure in model.turn.failures] == ["Other", "Too small"]


def test_an_operation_dims_its_messages_and_undo_brings_them_back(qapp) -> None:
    model = opened(chat(4))
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    archived = tuple(row(n, r.message.role, state=MessageState.ARCHIVED) for n, r in enumerate(chat(2)))
    tell(model, ViewChanged("c", (compaction(1, after=1),), changes_of(archived)))
    assert keys(model) == ["m0", "m1", "mark op1", "m2", "m3"]
    first = model.item(0)
    assert isinstance(first, MessageItem)
    assert first.row.state is MessageState.ARCHIVED
    tell(model, ViewChanged("c", (compaction(1, after=1, is_undone=True),), changes_of(chat(2))))
    assert keys(model) == ["m0", "m1", "m2", "m3"]
    assert not any(isinstance(model.item(n), MarkItem) for n in range(4))


def test_pages_fill_gaps_and_overlaps_are_left_out(qapp) -> None:
    model = opened(chat(4, first=10))
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert model.item(0) == GapItem(0, 9)
    model.add_page(chat(3, first=2), 3)
    assert [model.item(0), model.item(4)] == [GapItem(0, 1), GapItem(5, 9)]
    assert [model.row_of_index(n) for n in (0, 2, 7, 10)] == [0, 1, 4, 5]
    model.add_page(chat(12), 3)
    assert keys(model) == [f"m{n}" for n in range(14)]


def test_what_is_kept_is_bounded_and_the_end_is_always_there(qapp) -> None:
    model = opened(chat(60, first=9_940))
    for before in range(60, 3_000, 60):
        model.add_page(chat(60, first=before - 60), before)
        assert len(model.rows) <= MAX_OLDER + 2 * PAGE
    assert keys(model)[-1] == "m9999"
    assert len(keys(model)) <= MAX_OLDER + 2 * PAGE + 3


def test_the_system_prompt_alone_is_still_blank(qapp) -> None:
    assert opened([row(0, Role.SYSTEM)]).is_blank
    assert not opened(chat(1)).is_blank


@given(st.lists(st.sampled_from(["send", "reply", "stop", "fail", "archive", "undo", "gauge"]), max_size=14))
def test_folding_events_gives_what_a_snapshot_gives(acts: list[str]) -> None:
    """Property: at the end of a turn the folded model shows the same messages and marks as one opened anew."""
    model, record = opened([]), list[MessageRow]()
    operation = None

    def say(role: Role, text: str) -> None:
        message = Message(id=f"m{len(record)}", role=role, parts=(Text(text),))
        record.append(MessageRow(message, len(record), 1))
        tell(model, MessageRecorded("c", record[-1]))

    for act in acts:
        if act in ("send", "stop", "fail"):
            tell(model, TurnStarted("c"))
            say(Role.USER, act)
            tell(model, ReplyStarted("c", f"m{len(record)}", ""))
            tell(model, TextDelta("c", f"m{len(record)}", "partial"))
            if act == "fail":
                tell(model, TurnFailed("c", Failure("provider", "x")))
            tell(model, TurnFinished("c"))
            tell(model, TurnStarted("c"))
            tell(model, TurnFinished("c"))
        elif act == "reply":
            tell(model, ReplyStarted("c", f"m{len(record)}", ""))
            say(Role.ASSISTANT, "reply")
        elif act in ("archive", "undo") and record:
            state = MessageState.ARCHIVED if act == "archive" else MessageState.IN_VIEW
            record[0] = MessageRow(record[0].message, 0, 1, state)
            operation = compaction(1, after=0, is_undone=act == "undo")
            tell(model, ViewChanged("c", (operation,), changes_of(record[:1])))
        else:
            tell(model, GaugeChanged("c", Gauge({}, 0, 10, 1, Status.SAFE)))
    fresh = opened(record, *([operation] if operation else []))
    assert [model.item(n) for n in range(model.rowCount())] == [fresh.item(n) for n in range(fresh.rowCount())]
