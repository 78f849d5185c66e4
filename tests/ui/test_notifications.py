"""What toasts say while room is made, and as the window fills up."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from ui_scenes import play_scene, press

from desktop_app.chat.record_rows import operation_rows
from desktop_app.conversation.branches import Branches
from desktop_app.conversation.events import (
    DescriptionStarted,
    Failure,
    GaugeChanged,
    OperationRow,
    ReplyStarted,
    RoomEnded,
    RoomStarted,
    TurnFailed,
    ViewChanged,
)
from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.conversation.message_rows import MessageChange, MessageState
from desktop_app.conversation.transcript import Compaction, Prune, PrunedResult, Trigger, Undo
from desktop_app.ui.context_panel.operation_card import means_of, title_of
from desktop_app.ui.notification_controller import EXPLAINED
from desktop_app.ui.toast import Notification, Notifications
from desktop_app.ui.transcript.row_text import mark_text
from desktop_app.ui.window_memory import WindowMemory
from texts import ASSEMBLED, BACK_IN_VIEW, NO_ROOM, OLDER_LEFT_OUT


def gauge(status: Status, total: int = 800) -> Gauge:
    return Gauge({Segment.USER: total}, total, 1_200, 200, status)


def filled(room: Notifications, *statuses: Status) -> list[str]:
    told = [room.notification_of(GaugeChanged("v", gauge(status))) for status in statuses]
    return [news.text for news in told if news is not None]


def operation(kind: str = "compaction", *, is_undone: bool = False) -> OperationRow:
    return OperationRow(
        id="o", kind=kind, at=0, trigger=Trigger.STREAMING, strategies={}, messages=2, tokens_before=900,
        tokens_after=300, after_message_id="m", is_undone=is_undone,
    )  # fmt: skip


def test_each_step_up_is_told_once_and_no_step_down():
    room = Notifications()
    room.open(gauge(Status.SAFE))
    rising = filled(room, Status.SAFE, Status.WARNING, Status.TIGHT, Status.CRITICAL, Status.CRITICAL, Status.EXCEEDED)
    assert [text.partition(". ")[0] for text in rising] == ["80 % full", "80 % full", "Too long (80 %)"]
    assert "soon be summarized" in rising[0]
    assert filled(room, Status.SAFE) == []
    assert len(filled(room, Status.WARNING)) == 1


@pytest.mark.parametrize(
    ("opened", "later", "count"),
    [(gauge(Status.CRITICAL), Status.CRITICAL, 0), (gauge(Status.CRITICAL), Status.EXCEEDED, 1),
     (Gauge({Segment.USER: 800}, 800, 0, 0, Status.UNKNOWN), Status.CRITICAL, 0)],
)  # fmt: skip
def test_what_a_conversation_is_like_when_it_is_opened_is_no_news(opened, later, count):
    room = Notifications()
    room.open(opened)
    assert len(filled(room, later)) == count


def test_what_an_undo_brought_back_is_not_told_as_a_window_that_fills_up():
    room = Notifications()
    room.open(gauge(Status.SAFE))
    undone = room.notification_of(ViewChanged("v", (operation(is_undone=True),), ()))
    assert undone is not None
    assert "Undone" in undone.text
    assert filled(room, Status.WARNING) == [], "it would stand in place of what the user did"
    assert len(filled(room, Status.CRITICAL)) == 1, "what comes later is news again"


@pytest.mark.parametrize(
    ("kind", "is_undone", "cause", "words", "undo"),
    [
        ("compaction", False, Trigger.TOOL_RESULT, "continuing… · 900 → 300 tokens", ("o",)),
        ("compaction", False, Trigger.STREAMING, "continuing… · 900 → 300 tokens", ("o",)),
        ("compaction", False, Trigger.OVERFLOW, "continuing… · 900 → 300 tokens", ("o",)),
        ("compaction", False, Trigger.BEFORE_REQUEST, "messages summarized · 900 → 300 tokens", ("o",)),
        ("compaction", False, Trigger.USER, "optimized · 900 → 300 tokens", ("o",)),
        ("compaction", False, None, "Redone", ("o",)),  # without the figures of then
        ("compaction", True, None, "Undone", ()),
        ("prune", False, Trigger.AFTER_TURN, "2 tool results · 900 → 300 tokens", ("o",)),
        ("flush", False, None, "2 memories saved", ("o",)),
        ("flush", True, None, "2 memories removed", ()),
    ],
)
def test_an_operation_is_told_in_a_few_words_and_can_be_taken_back(kind, is_undone, cause, words, undo):
    news = Notifications().notification_of(ViewChanged("v", (operation(kind, is_undone=is_undone),), (), cause))
    assert words in news.text
    assert ("→" in news.text) is ("→" in words)
    assert news.undo == undo


def test_messages_that_are_brought_back_are_told_and_can_be_archived_again():
    room = Notifications()
    room.open(gauge(Status.SAFE))
    news = room.notification_of(ViewChanged("v", (), (MessageChange("m1"), MessageChange("m2")), brought_back="b"))
    assert news == Notification(BACK_IN_VIEW.format(count=2), ("b",))
    assert filled(room, Status.WARNING) == [], "it would stand in place of what the user did"
    archived = MessageChange("m1", MessageState.ARCHIVED)
    undone = room.notification_of(ViewChanged("v", (), (archived,), brought_back="b"))
    assert (undone.text.startswith("Undone"), undone.undo) == (True, ())


def test_a_link_to_another_conversation_is_no_news():
    assert Notifications().notification_of(ViewChanged("v", (operation("link"),), ())) is None


def test_a_compaction_that_came_to_nothing_is_told_unless_the_user_stopped_it():
    room = Notifications()
    assert room.notification_of(RoomStarted("v", Trigger.BEFORE_REQUEST)).stays
    assert NO_ROOM in room.notification_of(RoomEnded("v", has_failed=True)).text
    room.notification_of(RoomStarted("v", Trigger.BEFORE_REQUEST))
    assert room.notification_of(RoomEnded("v")) is None, "it was not due yet, or was made, or why not is told already"
    room.notification_of(RoomStarted("v", Trigger.BEFORE_REQUEST))
    room.note_stop()
    assert room.notification_of(RoomEnded("v", has_failed=True)) is None


def test_what_must_last_is_looked_for_under_its_own_words():
    looked_for = Notifications().notification_of(RoomStarted("v", Trigger.BEFORE_REQUEST, is_for_memory=True))
    assert looked_for.stays
    assert "remembered" in looked_for.text
    assert "Compacting" not in looked_for.text


def test_when_automatic_is_off_the_user_is_told_what_to_choose():
    room = Notifications()
    room.is_automatic = False
    room.open(gauge(Status.SAFE))
    assert all("Optimize conversation" in text for text in filled(room, Status.WARNING, Status.EXCEEDED))


@play_scene()
async def test_images_that_another_model_looks_at_are_told_until_the_reply_starts(window, bridge):
    assert Notifications().notification_of(DescriptionStarted("v", 2, "GPT-5.1")) == Notification(
        "GPT-5.1 is describing 2 images…", stays=True
    )
    for end in (ReplyStarted("c1", "r", "Sonnet"), TurnFailed("c1", Failure("server", "No answer"))):
        bridge.happened.emit(DescriptionStarted("c1", 1, "GPT-5.1"))
        assert window.ui.toast.label.text() == "GPT-5.1 is describing 1 image…"
        assert window.ui.toast.isVisible()
        bridge.happened.emit(end)
        assert not window.ui.toast.isVisible()


def test_the_toast_and_the_mark_tell_the_same_pair_of_one_optimize():
    prune = Prune(
        id="p", trigger=Trigger.USER, results=(PrunedResult("r", "digest", ""),), tokens_before=33_581,
        tokens_after=14_678, plan_id="plan",
    )  # fmt: skip
    compaction = Compaction(
        id="c", trigger=Trigger.USER, strategy="extractive", archived=("m", "r"), summary="S", tokens_before=14_678,
        tokens_after=2_753, plan_id="plan",
    )  # fmt: skip
    rows = operation_rows(entries := [prune, compaction], Branches(entries))
    news = Notifications().notification_of(ViewChanged("v", rows, (), Trigger.USER))
    (row,) = rows
    assert news.text.endswith("33,581 → 2,753 tokens")
    assert (row.tokens_before, row.tokens_after) == (33_581, 2_753)
    assert news.undo == (row.id,)
    assert means_of(row) == ASSEMBLED.format(results="1 result")
    (undone,) = operation_rows(
        entries := [prune, compaction, Undo(id="u1", entry_id="c"), Undo(id="u2", entry_id="p")], Branches(entries)
    )
    assert undone.is_undone


def test_what_has_no_summary_is_not_called_summarized():
    last = replace(operation(), strategies={"last_messages": 2})
    news = Notifications().notification_of(ViewChanged("v", (last,), (), Trigger.BEFORE_REQUEST))
    assert news is not None
    assert news.text == OLDER_LEFT_OUT.format(before=900, after=300)
    assert mark_text(last) == "2 messages left out"
    assert mark_text(operation()) == "2 messages summarized"
    assert title_of(last) == "Older messages left out"


def test_the_first_summary_is_explained_once():
    room = Notifications()
    room.is_explained = False
    done = ViewChanged("v", (operation(),), (), Trigger.BEFORE_REQUEST)
    for other in (
        ViewChanged("v", (operation("prune"),), (), Trigger.BEFORE_REQUEST),
        ViewChanged("v", (operation(),), (), Trigger.USER),  # whoever optimizes has read it in the plan
        ViewChanged("v", (operation(is_undone=True),), ()),
        ViewChanged("v", (replace(operation(), strategies={"last_messages": 2}),), (), Trigger.BEFORE_REQUEST),
    ):
        news = room.notification_of(other)
        assert news is not None
        assert not news.explains
    first = room.notification_of(done)
    assert first is not None
    assert "Nothing is gone" in first.text
    assert (first.explains, first.undo) == ("o", ())
    room.is_explained = True
    second = room.notification_of(done)
    assert second is not None
    assert (second.explains, second.undo) == ("", ("o",))


@play_scene()
async def test_the_explanation_leads_to_the_history_and_does_not_come_again(window, bridge):
    done = ViewChanged("c1", (operation(),), (), Trigger.BEFORE_REQUEST)
    bridge.happened.emit(done)
    assert "Nothing is gone" in window.ui.toast.label.text()
    press(window.ui.toast.action)
    assert window.ui.panel.isVisible()
    assert window.ui.panel.tabs.value() == "history"
    bridge.happened.emit(done)
    assert "Nothing is gone" not in window.ui.toast.label.text()
    window._memory.wait()
    assert WindowMemory(window._memory._file).is_set(EXPLAINED, False), "a crash does not explain it again"
