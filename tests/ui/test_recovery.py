"""The ways out of a failed turn, and the countdown until a provider is asked again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from ui_scenes import is_idle, texts, until

from desktop_app.conversation.events import Failure, GaugeChanged, RetryScheduled, TextDelta
from desktop_app.conversation.listing import ModelInfo
from desktop_app.engine import protocol as p
from desktop_app.settings import Server, Settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.notifications import RetryNotice
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.toast import Toast
from desktop_app.ui.transcript.cards import SETTING_WORDS, WAYS_OUT, lay_out_failure, ways_out
from desktop_app.ui.transcript.display_list import Action
from desktop_app.ui.transcript.documents import DocumentCache
from desktop_app.ui.transcript.items import FailureItem
from desktop_app.ui.transcript.row_builder import RowBuilder


def offered(window: MainWindow) -> list[Action]:
    model = window.transcript_model
    row = next(n for n in range(model.rowCount()) if isinstance(model.item(n), FailureItem))
    return [hot.action for hot in window.chat_pane.transcript.layout_of(row).hit_regions]


async def fail(window: MainWindow) -> None:
    window.chat.send("!overflow")
    await until(lambda: "FailureItem" in texts(window) and is_idle(window))


def test_a_full_window_offers_four_ways_out_and_takes_none_by_itself(play, tmp_path):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        await fail(window)
        assert offered(window) == [
            Action.OPTIMIZE_AND_RETRY, Action.START_FRESH, Action.SWITCH_MODEL, Action.EXPORT
        ]  # fmt: skip
        assert texts(window)[-1] == "FailureItem"
        window.chat_pane.transcript.perform(Action.OPTIMIZE_AND_RETRY, "")
        await until(lambda: "The down step drops data." in texts(window)[-1])

    play(scene)


def test_what_hardly_has_room_is_sent_at_the_users_word(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.chat.send("!nearly")
        await until(lambda: "FailureItem" in texts(window) and is_idle(window))
        assert offered(window)[:2] == [Action.OPTIMIZE_AND_RETRY, Action.SEND_ANYWAY]
        window.chat_pane.transcript.perform(Action.SEND_ANYWAY, "")
        await until(lambda: "The down step drops data." in texts(window)[-1])

    play(scene)


def test_a_suspected_cut_is_told_behind_a_reply_that_stands(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.chat.send("!cut")
        await until(lambda: "FailureItem" in texts(window) and is_idle(window))
        assert texts(window)[-2:] == ["Here it is.", "FailureItem"]
        assert window.chat.conversation not in window.chat.turns.activities, "nothing stopped with an error"
        assert Action.USE_OWN_WINDOW in offered(window)
        told: list[object] = []
        bridge.happened.connect(told.append)
        window.chat_pane.transcript.perform(Action.USE_OWN_WINDOW, "")
        await until(lambda: any(isinstance(event, GaugeChanged) for event in told))
        await until(lambda: "FailureItem" not in texts(window))
        assert not window.chat.turns.of(window.chat.conversation).notices

    play(scene)


def test_starting_fresh_opens_another_conversation(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        await fail(window)
        window.chat_pane.transcript.perform(Action.START_FRESH, "")
        await until(lambda: window.header.label.text() == "Started fresh")
        assert window.chat.conversation == "c3"

    play(scene)


def test_switching_offers_the_largest_windows_first(play, monkeypatch):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        await fail(window)
        offered: list[Sequence[ModelInfo]] = []  # the menu itself cannot pop up without a screen
        monkeypatch.setattr(window.header, "offer_models", offered.append)
        window.chat_pane.transcript.perform(Action.SWITCH_MODEL, "")
        await until(lambda: offered)
        assert [model.id for model in offered[0]] == ["builtin", "far/large"]  # what can be used now comes first

    play(scene)


def test_an_export_is_written_where_the_user_says(play, tmp_path):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.recovery.choose_export()
        dialog = window.findChildren(QFileDialog)[0]
        assert dialog.selectedFiles()[0].endswith("Migrating the billing service.md")
        dialog.fileSelected.emit(str(tmp_path / "chat.md"))
        dialog.close()
        await until(lambda: window.toast.isVisible())
        assert window.toast.label.text() == "Exported to chat.md, 11 bytes"
        assert (tmp_path / "chat.md").exists()

    play(scene)


def test_editing_puts_the_last_message_into_the_composer_but_not_over_a_draft(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        await fail(window)
        window.recovery.perform(Action.EDIT_MESSAGE)
        assert window.composer.text() == "!overflow"
        window.composer.set_text("something else")
        window.recovery.perform(Action.EDIT_MESSAGE)
        assert window.composer.text() == "something else"
        await until(lambda: window.composer.draft_tokens == len("something else") // 4)  # before the loop ends

    play(scene)


def test_after_too_many_rounds_the_model_goes_on_from_where_it_was(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.chat.send("!too-many")
        await until(lambda: "FailureItem" in texts(window) and is_idle(window))
        assert offered(window) == [Action.GO_ON, Action.OPEN_SETTINGS]
        window.composer.set_text("a draft")
        window.chat_pane.transcript.perform(Action.GO_ON, "")
        await until(lambda: "The down step drops data." in texts(window)[-1] and is_idle(window))
        assert texts(window)[-2] == "Round 25 is done.", "what the rounds have done stays"
        assert window.composer.text() == "a draft"

    play(scene)


def test_every_kind_of_a_providers_failure_has_a_way_out():
    kinds = (
        "provider overflow rate_limit quota auth malformed content_filter unsupported server timeout connection cut "
        "garbage window_too_small not_found rounds"
    )
    assert [kind for kind in kinds.split() if not ways_out(kind)] == []
    assert ways_out("bug") == ()
    assert all(WAYS_OUT.values())
    assert [kind for kind in WAYS_OUT if Action.SEND_ANYWAY in ways_out(kind)] == ["nearly_full"]
    assert ways_out("not_found")[0] is Action.OPEN_SETTINGS


def test_the_way_into_the_settings_names_the_field_and_leads_there(play):
    builder = RowBuilder(600, DocumentCache())
    for field, label in SETTING_WORDS.items():
        lay_out_failure(builder, Failure("auth", "home needs a key", setting=f"servers/home/{field}"))
        link = next(link for link in reversed(builder.layout.hit_regions) if link.action is Action.OPEN_SETTINGS)
        assert (link.argument, link.words and link.words.text) == (f"servers/home/{field}", label)

    async def scene(window: MainWindow, bridge: Bridge) -> None:
        server = Server("home", "http://127.0.0.1:9/v1", ("m",))
        await bridge.ask(p.WriteSettings(Settings(servers=(server,)), {}))
        window.chat_pane.transcript.perform(Action.OPEN_SETTINGS, "servers/home/key")
        await until(lambda: any(dialog.is_complete for dialog in window.findChildren(SettingsDialog)))
        (dialog,) = window.findChildren(SettingsDialog)
        shown = dialog.servers.forms[0].field("key")
        assert shown is not None
        await until(shown.edit.hasFocus)
        dialog.reject()

    play(scene)


@pytest.fixture
def notice(qtbot):
    toast = Toast()
    toast.resize(600, 60)
    qtbot.addWidget(toast)
    stopped: list[bool] = []
    made = RetryNotice(toast, lambda: stopped.append(True))
    made.stopped = stopped  # type: ignore[attr-defined]
    return made


@pytest.mark.wire
def test_it_counts_down_and_can_be_stopped(notice, qtbot):
    toast = notice.parent()
    notice.note(RetryScheduled("v", "rate limit", 2.0, 1))
    assert toast.label.text() == "Retrying in 2 s (rate limit)"
    qtbot.waitUntil(lambda: toast.label.text() == "Retrying in 1 s (rate limit)")
    toast.action.click()
    assert notice.stopped == [True]


@pytest.mark.wire
def test_a_countdown_that_was_dismissed_stays_away_until_the_next_one(notice, qtbot):
    toast = notice.parent()
    notice.note(RetryScheduled("v", "rate limit", 2.0, 1))
    qtbot.mouseClick(toast.dismiss, Qt.MouseButton.LeftButton)
    qtbot.wait(1_200)  # it counts on
    assert not toast.isVisible()
    notice.note(RetryScheduled("v", "rate limit", 9.0, 2))
    assert toast.isVisible()


def test_the_countdown_ends_as_soon_as_something_arrives(notice):
    notice.note(RetryScheduled("v", "rate limit", 20.0, 1))
    notice.note(TextDelta("v", "r", "Hello"))
    assert not notice.parent().isVisible()
