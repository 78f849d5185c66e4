"""Where the built-in model is not installed, the first page and the settings say so, and install it."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from ui_scenes import is_idle, opened_sheet, play_scene, until

from desktop_app.conversation.events import DataProgressed, Failure
from desktop_app.conversation.listing import ModelInfo
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.widgets.text_label import TextLabel

MODEL = ModelInfo(id="builtin", label="SmolLM2 135M", window=8_192, max_output=2_048, is_builtin=True)
MISSING = p.ModelsListed((replace(MODEL, note="It is not installed."),))
BROKEN = Failure("connection", "The built-in model could not be fetched", "The line broke.", advice="Try again later.")


class Engine:
    """Stands before the real one: its built-in model is missing until an installation ends well."""

    def __init__(self, bridge: Bridge) -> None:
        self._ask = bridge.ask
        self.listed = MISSING
        self.installing: asyncio.Future[p.ModelsListed]
        self.cancelled: list[p.Computation] = []
        bridge.ask = self.ask

    async def ask(self, request):
        match request:
            case p.ListModels():
                return self.listed
            case p.InstallBuiltinModel():
                self.installing = asyncio.get_running_loop().create_future()
                self.listed = await self.installing
                return self.listed
            case p.CancelComputation(computation):
                self.cancelled.append(computation)
                return p.Done()
        return await self._ask(request)


@pytest.mark.long
@play_scene(messages=0, servers=(), chat_model="builtin")
async def test_it_is_offered_on_the_first_page_until_it_is_installed(window, bridge):
    engine, offer = Engine(bridge), window.ui.chat_pane.welcome.offer
    line = window.ui.chat_pane.welcome.builtin.findChild(TextLabel)
    window.chat.open(window.chat.conversation)
    await until(lambda: offer.card.isVisible() and not line.isVisible())
    QTest.mouseClick(offer.install, Qt.MouseButton.LeftButton)
    await until(lambda: offer.task.is_working)
    assert not offer.install.isEnabled()
    bridge.happened.emit(DataProgressed("", 31, 93, "model"))
    bar = offer.task.bar.grab().toImage()
    colours = [bar.pixelColor(round(bar.width() * share), bar.height() // 2).name() for share in (0.1, 0.3, 0.4, 0.9)]
    assert colours[0] == colours[1] != colours[2] == colours[3], "a third of it has arrived"
    engine.installing.set_exception(EngineFailure(BROKEN))
    await until(lambda: "The line broke." in offer.task.told.text())
    QTest.mouseClick(offer.install, Qt.MouseButton.LeftButton)
    await until(lambda: offer.task.is_working)
    QTest.mouseClick(offer.task.stop, Qt.MouseButton.LeftButton)
    await until(lambda: engine.cancelled == [p.Computation.MODEL])
    engine.installing.set_exception(EngineFailure(Failure("cancelled", "This was cancelled")))
    await until(lambda: "Stopped." in offer.task.told.text())
    QTest.mouseClick(offer.install, Qt.MouseButton.LeftButton)
    await until(lambda: offer.task.is_working)
    engine.installing.set_result(p.ModelsListed((MODEL,)))
    await until(lambda: line.isVisible() and not offer.card.isVisible())
    await until(lambda: is_idle(window) and window.ui.composer.field.hasFocus())


@pytest.mark.long
@play_scene()
async def test_the_settings_offer_it_too_and_it_goes_on_when_they_are_closed(window, bridge):
    engine = Engine(bridge)
    window.settings.open("servers")
    dialog = await opened_sheet(window, SettingsDialog)
    await until(lambda: dialog.builtin.card.isVisible())
    QTest.mouseClick(dialog.builtin.install, Qt.MouseButton.LeftButton)
    await until(lambda: dialog.builtin.task.is_working)
    dialog.reject()
    await until(lambda: not window.findChildren(SettingsDialog))
    assert window.ui.chat_pane.welcome.offer.task.is_working
    engine.installing.set_result(p.ModelsListed((MODEL,)))
    await until(lambda: window.ui.toast.isVisible() and "installed" in window.ui.toast.label.text())
    await until(lambda: is_idle(window))


@pytest.mark.long
@play_scene(messages=0, servers=(), chat_model="builtin")
async def test_a_bug_says_nothing_of_an_installation_that_can_be_begun_again(window, bridge, monkeypatch):
    engine, offer, told = Engine(bridge), window.ui.chat_pane.welcome.offer, list[BaseException]()
    monkeypatch.setattr(bridge, "note_bug", told.append)
    window.chat.open(window.chat.conversation)
    await until(lambda: offer.card.isVisible())
    QTest.mouseClick(offer.install, Qt.MouseButton.LeftButton)
    await until(lambda: offer.task.is_working)
    engine.installing.set_exception(ZeroDivisionError("a bug of ours"))
    await until(lambda: told and offer.install.isEnabled())
    assert not offer.task.is_working
    assert not offer.task.told.isVisible()
