"""The ways out of a failed turn, and the countdown until a provider is asked again."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from ui_scenes import is_idle, play_scene, texts, until

from desktop_app.conversation.events import Failure, ReplyStarted, RetryScheduled, TextDelta
from desktop_app.engine import protocol as p
from desktop_app.settings import Server, Settings
from desktop_app.ui import toast as toast_module
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.composer import question_card
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.model_picker import ModelPicker
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.settings.setup_sheet import SetupSheet
from desktop_app.ui.toast import RetryNotice, Toast
from desktop_app.ui.tools.tools_sheet import ToolsSheet
from desktop_app.ui.transcript.cards import SETTING_WORDS, WAYS_OUT, lay_out_failure
from desktop_app.ui.transcript.documents import DocumentCache
from desktop_app.ui.transcript.row_builder import RowBuilder
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_items import FailureItem
from provider import Call, Overflow, Reply


def offered(window: MainWindow) -> list[Action]:
    model = window.ui.transcript_model
    row = next(n for n in range(model.rowCount()) if isinstance(model.item(n), FailureItem))
    return [hot.action for hot in window.ui.transcript.layout_of(row).hit_regions]


async def fail(window: MainWindow, text: str = "!overflow") -> None:
    window.chat.send(text)
    await until(lambda: "FailureItem" in texts(window) and is_idle(window))


@pytest.mark.parametrize(
    ("steps", "options", "ways", "way"),
    [
        (
            [Overflow(), Reply("Now.")],
            {"is_automatic": False},
            [Action.OPTIMIZE_AND_RETRY, Action.START_FRESH, Action.SWITCH_MODEL, Action.EXPORT],
            Action.OPTIMIZE_AND_RETRY,
        ),
        (
            [Reply("Now.")],
            {"is_automatic": False, "window": 3_050},
            [Action.OPTIMIZE_AND_RETRY, Action.SEND_ANYWAY, Action.START_FRESH, Action.SWITCH_MODEL],
            Action.SEND_ANYWAY,
        ),
        (
            [Reply(calls=(Call("recall", '{"query": "Question"}'),)), Reply("Now.")],
            {"tools_off": (), "max_rounds": 1},
            [Action.GO_ON, Action.OPEN_SETTINGS],
            Action.GO_ON,
        ),
    ],
    ids=["overflow", "nearly full", "rounds"],
)
@pytest.mark.long
def test_a_failed_turn_offers_ways_out_and_takes_none_by_itself(play, provider, monkeypatch, steps, options, ways, way):
    provider.script = [replace(step, usage=None) if isinstance(step, Reply) else step for step in steps]
    monkeypatch.setattr(question_card, "DEAF_FOR", 0.0)

    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.chat.send("Hello")
        if "max_rounds" in options:
            await until(window.ui.question.isVisible)
            window.ui.question.deny.click()
        await until(lambda: "FailureItem" in texts(window) and is_idle(window))
        assert offered(window) == ways
        stored = texts(window)[:-1]
        window.ui.composer.set_text("a draft")
        window.ui.transcript.perform(way, "")
        await until(lambda: texts(window)[-1] == "Now." and is_idle(window))
        assert [text for text in texts(window)[:-1] if text != "MarkItem"] == stored, "what was done stays"
        assert window.ui.composer.text() == "a draft"
        await until(lambda: window.ui.composer.draft_tokens)  # before the loop ends

    play(scene, **options)


@pytest.mark.long
@play_scene()
async def test_a_suspected_cut_is_told_behind_a_reply_that_stands(window, bridge, provider):
    provider.script = [Reply("Here it is.", usage=(1_000, 7, 0))]
    await fail(window, "Hello")
    assert texts(window)[-2:] == ["Here it is.", "FailureItem"]
    assert window.chat.conversation not in window.chat.turns.activities, "nothing stopped with an error"
    window.ui.transcript.perform(Action.USE_OWN_WINDOW, "")
    await until(lambda: "FailureItem" not in texts(window))


@pytest.mark.long
@play_scene()
async def test_switching_offers_the_largest_windows_first(window, bridge):
    await fail(window)
    window.ui.transcript.perform(Action.SWITCH_MODEL, "")
    await until(lambda: window.findChildren(ModelPicker))
    (picker,) = window.findChildren(ModelPicker)
    rows = [row.key for row in picker.list.rows.rows if row.key.startswith("scripted/")]
    assert rows == ["scripted/huge", "scripted/large", "scripted/small"]


@pytest.mark.long
@play_scene()
async def test_a_message_that_failed_is_edited_in_its_place(window, bridge):
    await fail(window)
    window.ui.composer.set_text("something else")
    window.recovery.perform(Action.EDIT_MESSAGE)
    assert window.ui.transcript.editor.isVisible()
    assert window.ui.transcript.editor.field.written() == "!overflow"
    assert window.ui.composer.text() == "something else"
    await until(lambda: window.ui.composer.draft_tokens)  # before the loop ends


@pytest.mark.row("U9", "every kind of failure has a way out")
def test_every_kind_of_a_providers_failure_has_a_way_out():
    kinds = (
        "provider overflow rate_limit quota auth malformed content_filter unsupported server timeout connection cut "
        "garbage window_too_small not_found rounds message_too_large message_too_large_to_cut nothing_can_leave "
        "circles spending"
    )
    assert [kind for kind in kinds.split() if not WAYS_OUT.get(kind)] == []
    assert [kind for kind, ways in WAYS_OUT.items() if Action.SEND_ANYWAY in ways] == ["nearly_full", "spending"]


def ways_of(failure: Failure) -> list[tuple[Action, str, str]]:
    builder = RowBuilder(600, DocumentCache())
    lay_out_failure(builder, failure)
    return [(one.action, one.argument, one.words.text if one.words else "") for one in builder.layout.hit_regions]


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        ("message_too_large", Action.SEND_AS_FILE),
        ("message_too_large_to_cut", Action.SEND_CUT),
        ("nothing_can_leave", Action.SWITCH_MODEL),
        ("overflow", Action.OPTIMIZE_AND_RETRY),
        ("window_too_small", Action.OPTIMIZE_AND_RETRY),
        ("auth", Action.OPEN_SETTINGS),
        ("window_unknown", Action.OPEN_SETTINGS),
        ("connection", Action.TRY_AGAIN),
        ("unsupported", Action.SWITCH_MODEL),
    ],
)
def test_the_first_button_is_one_that_can_help(qapp, kind: str, first: Action):
    assert ways_of(Failure(kind, "It went wrong"))[0][0] is first


@pytest.mark.parametrize("kind", ["nothing_can_leave", "nearly_full"])
@pytest.mark.parametrize(
    ("filled_by", "first"),
    [
        ("tools", Action.CHOOSE_TOOLS),
        ("pins", Action.SHOW_PINS),
        ("memory", Action.SHOW_MEMORY),
        ("instructions", Action.EDIT_SETUP),
        ("message", Action.EDIT_MESSAGE),
        ("results", Action.SWITCH_MODEL),
    ],
)
def test_what_fills_the_window_has_its_button_first_and_no_optimizing(qapp, kind, filled_by, first):
    ways = [way for way, _, _ in ways_of(Failure(kind, "Too large", filled_by=filled_by))]
    assert ways[0] is first
    assert Action.OPTIMIZE_AND_RETRY not in ways
    assert (Action.SEND_ANYWAY in ways) == (kind == "nearly_full")


@pytest.mark.long
@pytest.mark.row("U9", "what fills the window is named, with the button by which room is made")
@play_scene()
async def test_the_buttons_of_what_fills_the_window_open_where_room_is_made(window, bridge):
    await fail(window)
    window.recovery.perform(Action.CHOOSE_TOOLS)
    await until(lambda: window.findChildren(ToolsSheet))
    window.findChildren(ToolsSheet)[0].close()
    for action, tab in ((Action.SHOW_PINS, "pins"), (Action.SHOW_MEMORY, "memory")):
        window.recovery.perform(action)
        assert window.ui.panel.tabs.value() == tab
    window.recovery.perform(Action.EDIT_SETUP)
    await until(lambda: window.findChildren(SetupSheet))
    window.findChildren(SetupSheet)[0].close()


def test_a_provider_that_said_when_is_asked_then(qapp):
    later = time.time() + 90
    action, argument, label = ways_of(Failure("rate_limit", "Too many", retry_at=later))[0]
    assert (action, float(argument)) == (Action.TRY_AGAIN, later)
    assert time.strftime("%H:%M:%S", time.localtime(later)) in label
    assert ways_of(Failure("rate_limit", "Too many", retry_at=later - 100))[0][1] == "", "that is over"


@pytest.mark.long
@play_scene()
async def test_the_way_into_the_settings_names_the_field_and_leads_there(window, bridge):
    builder = RowBuilder(600, DocumentCache())
    for field, label in SETTING_WORDS.items():
        lay_out_failure(builder, Failure("auth", "home needs a key", setting=f"servers/home/{field}"))
        link = next(link for link in reversed(builder.layout.hit_regions) if link.action is Action.OPEN_SETTINGS)
        assert (link.argument, link.words and link.words.text) == (f"servers/home/{field}", label)
    server = Server("home", "http://127.0.0.1:9/v1", ("m",))
    await bridge.ask(p.WriteSettings(Settings(servers=(server,)), {}))
    window.ui.transcript.perform(Action.OPEN_SETTINGS, "servers/home/key")
    await until(lambda: any(dialog.is_complete for dialog in window.findChildren(SettingsDialog)))
    (dialog,) = window.findChildren(SettingsDialog)
    shown = dialog.servers.forms[0].field("key")
    assert shown is not None
    await until(shown.hasFocus)
    dialog.reject()


@pytest.fixture
def notice(qtbot):
    toast = Toast(QWidget())
    qtbot.addWidget(toast)
    return RetryNotice(toast, lambda: toast.show_message("stopped"))


@pytest.mark.wire
def test_a_countdown_can_be_stopped_and_stays_away_once_it_is_dismissed(notice, qtbot):
    toast = notice.parent()
    notice.note(RetryScheduled("v", "rate limit", 2.0, 1))
    assert toast.label.text() == "Retrying in 2 s (rate limit)"
    qtbot.waitUntil(lambda: toast.label.text() == "Retrying in 1 s (rate limit)")
    qtbot.mouseClick(toast.dismiss, Qt.MouseButton.LeftButton)
    qtbot.wait(1_200)  # it counts on
    assert not toast.isVisible()
    notice.note(RetryScheduled("v", "rate limit", 9.0, 2))
    assert toast.isVisible()
    toast.action.click()
    assert toast.label.text() == "stopped"


def test_the_countdown_ends_as_soon_as_something_arrives(notice):
    notice.note(RetryScheduled("v", "rate limit", 20.0, 1))
    notice.note(TextDelta("v", "r", "Hello"))
    assert not notice.parent().isVisible()


def without_isolates(text):
    return text.replace("\u2068", "").replace("\u2069", "").replace("\xa0", " ")


def test_a_long_wait_for_the_first_word_is_shown_with_its_time_and_stop(notice, qtbot, monkeypatch):
    monkeypatch.setattr(toast_module, "WAITING_SHOWN_AFTER", 1.0)
    toast = notice.parent()
    notice.note(ReplyStarted("v", "r", "Model"))
    assert not toast.isVisible(), "most replies begin soon"
    qtbot.waitUntil(lambda: without_isolates(toast.label.text()) == "Waiting for the first word · 1 s")
    qtbot.waitUntil(lambda: without_isolates(toast.label.text()) == "Waiting for the first word · 2 s")
    notice.note(TextDelta("v", "r", "Hello"))
    assert not toast.isVisible()
    notice.note(ReplyStarted("v", "r", "Model"))
    qtbot.waitUntil(toast.isVisible)
    toast.action.click()
    assert toast.label.text() == "stopped"


def test_a_lasting_notice_stays_when_a_reply_begins_soon(notice):
    toast = notice.parent()
    notice.note(ReplyStarted("v", "r", "Model"))
    toast.show_message("Making room", stays=True)
    notice.note(TextDelta("v", "r", "Hello"))
    assert toast.isVisible()
