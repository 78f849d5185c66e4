"""What toasts say while room is made, and as the window fills up."""

from __future__ import annotations

import pytest

from desktop_app.chat.rows import operation_rows
from desktop_app.conversation.branches import Branches
from desktop_app.conversation.events import (
    DescriptionStarted,
    Failure,
    GaugeChanged,
    OperationRow,
    ReplyStarted,
    RoomEnded,
    RoomRefused,
    RoomStarted,
    TurnFailed,
    ViewChanged,
)
from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.conversation.transcript import Compaction, Prune, PrunedResult, Trigger, Undo
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.context_panel.operation_card import means_of
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.notifications import Notification, Notifications


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
    assert [text.partition(" is in use")[0].partition(". ")[0] for text in rising] == [
        "80 % of the usable window",
        "80 % of the usable window",
        "The usable window is full (80 %)",
    ]
    assert filled(room, Status.SAFE) == []
    assert len(filled(room, Status.WARNING)) == 1


def test_what_a_conversation_is_like_when_it_is_opened_is_no_news():
    room = Notifications()
    room.open(gauge(Status.CRITICAL))
    assert filled(room, Status.CRITICAL) == []
    assert len(filled(room, Status.EXCEEDED)) == 1


def test_when_automatic_is_off_the_user_is_told_what_to_choose():
    room = Notifications()
    room.is_automatic = False
    room.open(gauge(Status.SAFE))
    assert all("Optimize conversation" in text for text in filled(room, Status.WARNING, Status.EXCEEDED))


@pytest.mark.parametrize("cause", [Trigger.TOOL_RESULT, Trigger.STREAMING, Trigger.OVERFLOW])
def test_in_the_middle_of_a_turn_it_says_that_the_turn_goes_on(cause):
    news = Notifications().notification_of(ViewChanged("v", (operation(),), (), cause))
    assert news == Notification("Context compacted, continuing… · 900 → 300 tokens", ("o",))


def test_a_redo_does_not_repeat_the_figures_of_then():
    news = Notifications().notification_of(ViewChanged("v", (operation(),), ()))
    assert news is not None
    assert news.undo == ("o",)
    assert not any(sign.isdigit() for sign in news.text)


def test_a_compaction_that_came_to_nothing_is_told():
    room = Notifications()
    assert room.notification_of(RoomStarted("v", Trigger.BEFORE_REQUEST)) == Notification(
        "Compacting conversation history…", stays=True
    )
    assert room.notification_of(RoomEnded("v")) == Notification("No room could be made. The conversation is unchanged.")


@pytest.mark.parametrize("stops_by", ["success", "refusal", "user"])
def test_a_compaction_that_succeeded_or_was_stopped_ends_without_more_words(stops_by):
    room = Notifications()
    room.notification_of(RoomStarted("v", Trigger.BEFORE_REQUEST))
    if stops_by == "success":
        room.notification_of(ViewChanged("v", (operation(),), (), Trigger.BEFORE_REQUEST))
    elif stops_by == "refusal":
        room.notification_of(RoomRefused("v", "Too often."))
    else:
        room.note_stop()
    assert room.notification_of(RoomEnded("v")) is None


def test_memories_that_were_saved_can_be_taken_back():
    room = Notifications()
    assert room.notification_of(ViewChanged("v", (operation("flush"),), ())) == Notification("2 memories saved", ("o",))
    assert room.notification_of(ViewChanged("v", (operation("flush", is_undone=True),), ())) == Notification(
        "2 memories removed"
    )


def test_images_that_another_model_looks_at_are_told_until_the_reply_starts(play):
    assert Notifications().notification_of(DescriptionStarted("v", 2, "GPT-5.1")) == Notification(
        "GPT-5.1 is describing 2 images…", stays=True
    )

    async def scene(window: MainWindow, bridge: Bridge) -> None:
        for end in (ReplyStarted("c1", "r", "Sonnet"), TurnFailed("c1", Failure("server", "No answer"))):
            bridge.happened.emit(DescriptionStarted("c1", 1, "GPT-5.1"))
            assert window.toast.label.text() == "GPT-5.1 is describing 1 image…"
            assert window.toast.isVisible()
            bridge.happened.emit(end)
            assert not window.toast.isVisible()

    play(scene)


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
    assert means_of(row) == "1 summarized · assembled by rules"
    (undone,) = operation_rows(
        entries := [prune, compaction, Undo(id="u1", entry_id="c"), Undo(id="u2", entry_id="p")], Branches(entries)
    )
    assert undone.is_undone


def test_a_link_to_another_conversation_is_no_news():
    assert Notifications().notification_of(ViewChanged("v", (operation("link"),), ())) is None


def test_that_the_window_is_known_at_last_is_no_news():
    room = Notifications()
    unknown = Gauge({Segment.USER: 800}, 800, 0, 0, Status.UNKNOWN)
    room.open(unknown)
    assert filled(room, Status.CRITICAL) == [], "it is as full as it was"
    assert room.notification_of(GaugeChanged("v", unknown)) is None
