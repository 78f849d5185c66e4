"""The first page: servers that were found, samples, and where the important things are."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from ui_scenes import PATIENCE, Run, in_window, is_idle, opened_sheet, send, texts, until

from desktop_app.conversation.message import MessageDraft
from desktop_app.engine import protocol as p
from desktop_app.models.discovery import USUAL_PORTS
from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, read_settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.first_start import with_server
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.settings.settings_controller import added_models, with_first_model
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.welcome import WelcomePage, about
from desktop_app.ui.widgets.look import colour
from desktop_app.ui.widgets.ring import Ring
from provider import Reply, ScriptedProvider

Scene = Callable[[MainWindow, Bridge], Coroutine[Any, Any, None]]
LOCAL = Server("LM Studio", "http://127.0.0.1:1/v1", ("one", "two"))
CLOUD = Server("Anthropic", "", ("claude",), kind="anthropic")
LOCKED = Server("Server", "http://127.0.0.1:2/v1", ())


def click(widget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def test_each_server_is_told_with_where_it_is(qtbot):
    page = WelcomePage()
    qtbot.addWidget(page)
    page.resize(800, 900)
    page.show()
    page.show_found((LOCAL, CLOUD, LOCKED))
    assert [button.text() for button in page.found.buttons] == ["Use LM Studio", "Use Anthropic", "Use Server"]
    assert len({about(server) for server in (LOCAL, CLOUD, LOCKED)}) == 3
    with qtbot.waitSignal(page.found.chosen) as chosen:
        click(page.found.buttons[1])
    assert chosen.args == [CLOUD]
    page.show_found(())
    assert not page.found.isVisible()


@pytest.mark.parametrize("width", [360, 560, 640, 832, 1_000])
def test_no_example_is_cut_and_none_stands_alone_beside_a_longer_row(qtbot, width):
    page = WelcomePage()
    qtbot.addWidget(page)
    page.resize(width, 700)
    page.show()
    first = page.prompts[0]
    qtbot.waitUntil(lambda: first.width() > 100 and page.prompts[-1].y() != 0)
    assert all(button.height() >= button.heightForWidth(button.width()) for button in page.prompts)
    rows = Counter(button.y() for button in page.prompts)
    assert len(set(rows.values())) == 1, "four are one, two or four in a row"


def test_a_ring_is_drawn_around_what_is_pointed_at(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 200)
    target = QWidget(window)
    target.setGeometry(100, 80, 80, 40)
    window.show()
    ring = Ring(target)
    image = ring.grab().toImage()
    across, below = image.width() // 2, image.height() // 2
    edge, inside = (image.pixelColor(across, y).name() for y in (3, below))
    assert edge == colour("accent").name()
    assert inside != edge


def test_the_first_server_gives_the_model_of_new_conversations_and_a_further_one_does_not():
    first = with_server(Settings(), LOCAL, "LM Studio/one")
    assert first.chat_model == "LM Studio/one"
    assert with_server(first, CLOUD, "Anthropic/claude").chat_model == "LM Studio/one"
    assert with_server(first, CLOUD, "Anthropic/claude").servers == (LOCAL, CLOUD)


def test_models_are_added_by_what_they_are_and_the_first_of_all_answers_in_new_conversations():
    alone = Settings(servers=(LOCAL,))
    assert added_models(alone, Settings()) == ("LM Studio/one", "LM Studio/two")
    assert with_first_model(alone, ("LM Studio/one", "LM Studio/two")).chat_model == "LM Studio/one"
    renamed = Settings(servers=(replace(LOCAL, name="Studio"), CLOUD))
    assert added_models(renamed, alone) == ("Anthropic/claude",)
    assert with_first_model(renamed, ("Anthropic/claude",)).chat_model == "builtin", "a further one was not first"
    assert with_first_model(Settings(), ()).chat_model == "builtin"


@pytest.fixture
def play(run: Run, qapp: QApplication, data_folder: Path) -> Callable[[Scene], None]:
    """Opens the window with the real engine on an empty data folder, plays a scene, closes in order."""

    def play_scene(scene: Scene) -> None:
        bridge = Bridge(engine_command(data_folder), data_folder / "engine.log")
        window = MainWindow(bridge, Settings(), data_folder / "window.json")
        run(in_window(window, bridge, lambda: scene(window, bridge), lambda: window.chat.conversation))

    return play_scene


@pytest.mark.row("U7", "a server that runs, with one click")
@pytest.mark.wire
def test_a_server_that_runs_is_used_with_one_click(play, data_folder):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        found = Server("Mine", provider.base_url, ("scripted",), window=32_000, max_output=1_000)
        window.ui.chat_pane.welcome.show_found((found,))
        click(window.ui.chat_pane.welcome.found.buttons[0])
        await until(lambda: "scripted" in window.ui.header.chip.text())
        assert not window.ui.chat_pane.welcome.found.isVisible()
        await send(window, bridge, "hello")
        await until(lambda: is_idle(window) and "At your service" in " ".join(texts(window)))
        assert read_settings(settings_file(data_folder)).chat_model == "Mine/scripted"

    with ScriptedProvider([Reply("At your service")]) as provider:
        play(scene)


class LockedServer(BaseHTTPRequestHandler):
    """Asks for a key whatever it is asked."""

    def do_GET(self) -> None:
        self.send_error(401)

    def log_message(self, format: str, *args: object) -> None:
        pass


def on_a_usual_port() -> ThreadingHTTPServer:
    for port in USUAL_PORTS:
        with suppress(OSError):
            return ThreadingHTTPServer(("127.0.0.1", port), LockedServer)
    pytest.skip("other servers have all usual ports")


@pytest.mark.wire
def test_a_server_that_was_started_later_is_found_for_the_next_conversation(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        welcome = window.ui.chat_pane.welcome
        click(welcome.samples.links["interview.jsonl"])
        await until(lambda: window.ui.transcript_model.rowCount() > 20)
        with on_a_usual_port() as server:
            port = str(server.server_address[1])
            threading.Thread(target=server.serve_forever, daemon=True).start()
            async with asyncio.timeout(PATIENCE):  # a search gives up early, and a busy machine answers late
                while not any(port in one.base_url for one in welcome.found.servers):
                    click(window.ui.sidebar.new)
                    await asyncio.sleep(2)
            assert welcome.found.isVisible()
            server.shutdown()

    play(scene)


@pytest.mark.wire
def test_the_first_model_that_is_added_answers_where_nothing_was_said_and_a_further_one_is_offered(play, data_folder):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        click(window.ui.chat_pane.welcome.adding)
        dialog = await opened_sheet(window, SettingsDialog)
        click(dialog.servers.providers.buttons["openai_compatible"])
        (form,) = dialog.servers.forms
        for field, text in (
            (form.name, "Mine"),
            (form.address, provider.base_url),
            (form.window_size, "32K"),
            (form.models, "scripted"),
        ):
            QTest.keyClicks(field.edit, text)
        click(dialog.save)
        await until(lambda: "scripted" in window.ui.header.chip.text())
        await send(window, bridge, "hello")
        await until(lambda: is_idle(window) and "At your service" in " ".join(texts(window)))
        assert read_settings(settings_file(data_folder)).chat_model == "Mine/scripted"
        window.models.add()
        dialog = await opened_sheet(window, SettingsDialog)
        QTest.keyClicks(dialog.servers.forms[0].models.edit, "other")
        click(dialog.save)
        await until(lambda: window.ui.toast.action.isVisible() and "other" in window.ui.toast.label.text())
        assert "scripted" in window.ui.header.chip.text(), "what was begun goes on with its model"
        click(window.ui.toast.action)
        await until(lambda: "other" in window.ui.header.chip.text())

    with ScriptedProvider([Reply("At your service")], models=("scripted", "other")) as provider:
        play(scene)


@pytest.mark.wire
def test_a_wrong_key_is_put_right_from_its_card_and_the_model_answers(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        click(window.ui.chat_pane.welcome.adding)
        dialog = await opened_sheet(window, SettingsDialog)
        click(dialog.servers.providers.buttons["openai_compatible"])
        (form,) = dialog.servers.forms
        for field, text in ((form.name, "Mine"), (form.address, provider.base_url), (form.models, "scripted")):
            QTest.keyClicks(field.edit, text)
        QTest.keyClicks(form.key.edit, "wrong")
        click(dialog.save)
        await until(lambda: window.ui.failure.button.isVisible())
        assert window.ui.composer.field.hasFocus(), "a key that is pressed now goes nowhere else"
        click(window.ui.failure.button)
        await until(lambda: not window.ui.failure.isVisible())
        form = (await opened_sheet(window, SettingsDialog)).servers.forms[0]
        await until(lambda: form.key.edit.hasFocus())
        QTest.keyClicks(form.key.edit, "right")
        click((await opened_sheet(window, SettingsDialog)).save)
        await until(lambda: "scripted" in window.ui.header.chip.text())

    with ScriptedProvider([Reply("At your service")], key="right", flavour="vllm") as provider:
        play(scene)


@pytest.mark.row("U7", "a sample")
@pytest.mark.wire
def test_a_sample_opens_with_one_click_and_fills_the_gauge(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        click(window.ui.chat_pane.welcome.samples.links["interview.jsonl"])
        await until(lambda: window.ui.transcript_model.rowCount() > 20)
        await until(lambda: "7,168" in window.ui.gauge.numbers.text())
        assert window.ui.chat_pane.currentWidget() is window.ui.transcript
        listed = window.ui.sidebar.list.conversations
        await until(lambda: [info.id for info in listed.conversations] == [window.chat.conversation])

    play(scene)


@pytest.mark.wire
def test_a_draft_keeps_the_conversation_that_a_sample_was_offered_in(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        first, listed = window.chat.conversation, window.ui.sidebar.list.conversations
        window.ui.composer.set_draft(MessageDraft("Not sent yet."))
        click(window.ui.chat_pane.welcome.samples.links["interview.jsonl"])
        await until(lambda: window.ui.transcript_model.rowCount() > 20)
        await bridge.ask(p.ListConversations())
        assert first in {info.id for info in listed.conversations}
        window.chat.open(first)
        await until(lambda: window.ui.composer.text() == "Not sent yet.")

    play(scene)


@pytest.mark.wire
def test_the_important_things_are_pointed_at(play):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        window.ui.panel.hide()
        links = window.ui.chat_pane.welcome.places.links
        for name, target in (("gauge", window.ui.gauge.bar), ("optimize", window.ui.gauge.optimize)):
            click(links[name])
            (ring,) = window.findChildren(Ring)
            around = ring.geometry()
            assert around.contains(target.rect().translated(target.mapTo(window, target.rect().topLeft())))
            ring.close()
            await until(lambda: not window.findChildren(Ring))
        click(links["history"])
        assert window.ui.panel.isVisible()
        assert window.ui.panel.tabs.value() == "history"

    play(scene)


@pytest.mark.wire
def test_settings_with_a_fault_are_told_until_the_user_has_seen_it(play, data_folder: Path):
    async def scene(window: MainWindow, bridge: Bridge) -> None:
        assert window.ui.failure.isVisible()
        assert "settings.damaged.json" in window.ui.failure.text.text()

    settings_file(data_folder).parent.mkdir(parents=True, exist_ok=True)
    settings_file(data_folder).write_text('{"theme": "sepia"}')
    play(scene)
