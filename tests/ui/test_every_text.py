"""Each text of each screen goes through the translations: in a language of brackets, nothing stands outside of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from plan_scenes import PLAN
from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from settings_scenes import MODELS, SETTINGS, STORAGE, open_settings
from shiboken6 import isValid
from shown_texts import Painted, Pseudo, forms_of, shown_texts, strings_in, untranslated
from ui_scenes import is_idle, optimize, play_scene, send, until

from desktop_app.chat.turn.take_turn import TOO_MANY_ROUNDS
from desktop_app.conversation.events import (
    Noticed,
    ReplyStarted,
    RoomEnded,
    RoomStarted,
    TextDelta,
    TurnFailed,
    TurnStarted,
)
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import OwnPolicy
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.transcript import Trigger
from desktop_app.engine.protocol import ChooseFolder, decode_engine_line
from desktop_app.settings import Settings
from desktop_app.ui.bridge import ENGINE_GAVE_UP, Bridge
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.policy.policy_sheet import PolicySheet
from desktop_app.ui.projects.project_sheet import ProjectSheet
from desktop_app.ui.translation import use_translator
from desktop_app.ui.widgets.palette_sheet import PaletteSheet
from desktop_app.ui.widgets.sheet import Sheet

SIZE = (1_440, 2_000)


class Look:
    """Looks at screens, and keeps what stands there untranslated."""

    def __init__(self, painted: Painted) -> None:
        self._painted = painted
        self._told: set[str] = set()
        self.found: dict[str, str] = {}
        """By what stands there untranslated: the first screen with it."""

    def told(self, value: object) -> None:
        """Take all texts of a value for those of the user."""
        self._told |= {form for text in strings_in(value) for form in forms_of(text)}

    def at(self, window: QWidget, screen: str) -> None:
        self._painted.texts.clear()
        window.grab()
        texts = [*(("painted", text) for text in self._painted.texts), *shown_texts(window)]
        if isinstance(window, MainWindow):
            self.told(window.ui.composer.text())
        for where, text in texts:
            if left := untranslated(text, self._told):
                self.found.setdefault(f"{left!r} in {text!r}" if left != text else repr(text), f"{screen}, {where}")


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch, language_is_restored) -> Iterator[Look]:
    """Brackets around what is translated. At the end nothing may stand outside of them."""
    looking = Look(Painted(monkeypatch.setattr))

    def note(line: bytes) -> Any:
        value = decode_engine_line(line)
        looking.told(value)
        return value

    monkeypatch.setattr("desktop_app.ui.bridge.decode_engine_line", note)
    use_translator(Pseudo())
    yield looking
    assert not looking.found, "\n".join(f"{where}: {text}" for text, where in looking.found.items())


async def act(window: MainWindow, name: str) -> None:
    """Carry out an action of the window by its name."""
    next(action for action in window.commands.actions if action.name == name).run()


async def sheet(window: MainWindow) -> Sheet:
    """Return the sheet that is open, once it is complete."""

    def found() -> list[Sheet]:
        return [one for one in window.findChildren(Sheet) if one.isVisible() and one.is_complete]

    await until(found)
    return found()[-1]


async def menu() -> QMenu:
    def found() -> list[QMenu]:
        return [one for one in QApplication.topLevelWidgets() if isinstance(one, QMenu) and one.isVisible()]

    await until(found)
    return found()[0]


async def grow(window: MainWindow) -> None:
    window.resize(*SIZE)
    await until(lambda: window.ui.transcript.is_settled)


@pytest.mark.wire
@play_scene(messages=120, tools_off=(), is_sandboxed=False, rules=(Rule("bash"),))
async def test_the_chat(window: MainWindow, bridge: Bridge, look: Look, tmp_path: Path) -> None:
    await grow(window)
    look.told((tmp_path.name, "bash seq 40"))
    await bridge.ask(ChooseFolder("c1", str(tmp_path)))
    look.at(window, "chat")
    for text in ("A question", "!tool seq 40", "!fail", "!overflow"):
        await send(window, bridge, text)
        look.at(window, f"chat after {text}")
    for event in (
        TurnFailed("c1", TOO_MANY_ROUNDS),
        TurnFailed("c1", replace(TOO_MANY_ROUNDS, kind="nearly_full")),
        Noticed("c1", replace(TOO_MANY_ROUNDS, kind="silent_cut")),
    ):
        look.told(event)
        bridge.happened.emit(event)
        look.at(window, f"chat after {event}")
    await optimize(window)
    look.at(window, "chat, compacted")
    window.ui.panel.requests.undo_requested.emit(window.ui.transcript_model.operations[-1].id)
    await until(lambda: window.ui.transcript_model.operations[-1].is_undone)
    look.at(window, "chat, compaction undone")


@pytest.mark.wire
@play_scene(messages=6)
async def test_a_reply_that_is_stopped_to_make_room_and_goes_on(window: MainWindow, bridge: Bridge, look: Look) -> None:
    await grow(window)
    look.told("The first half and more")
    for event in (
        TurnStarted("c1"),
        ReplyStarted("c1", "r1", "large"),
        TextDelta("c1", "r1", "The first ha"),
        RoomStarted("c1", Trigger.STREAMING),
        RoomEnded("c1"),
        ReplyStarted("c1", "r2", "large", continues="r1"),
        TextDelta("c1", "r2", "lf and more"),
    ):
        look.told(event)
        bridge.happened.emit(event)
        look.at(window, f"chat after {event}")


@pytest.mark.wire
@play_scene(messages=6)
async def test_a_running_turn(window: MainWindow, bridge: Bridge, look: Look) -> None:
    await grow(window)
    window.ui.composer.set_text("!wait")
    look.at(window, "composer with a draft")
    window.chat.send("!wait")
    await until(lambda: window.ui.transcript_model.is_running)
    look.at(window, "a reply streams")
    window.ui.composer.set_text("!run this")
    look.at(window, "composer with a command")
    window.ui.composer.set_text("/research what")
    look.at(window, "composer with /research")
    window.chat.stop()
    await until(lambda: is_idle(window))
    look.at(window, "stopped")
    window.recovery.edit_message()
    look.at(window, "editor of a message")


@pytest.mark.wire
@play_scene(messages=6, tools_off=(), is_sandboxed=False, max_rounds=1)
async def test_questions(window: MainWindow, bridge: Bridge, look: Look, tmp_path: Path) -> None:
    await grow(window)
    look.told(tmp_path.name)
    await bridge.ask(ChooseFolder("c1", str(tmp_path)))
    for text in ("!tools", "!look"):
        window.chat.send(text)
        await until(window.ui.question.isVisible)
        look.at(window, f"question {text}")
        while window.ui.transcript_model.is_running:
            if window.ui.question.isVisible():
                look.at(window, f"question {text}")
                window.ui.question.deny.click()
            await asyncio.sleep(0.05)
            await until(lambda: window.ui.question.isVisible() or is_idle(window))
    look.at(window, "after the questions")


@pytest.mark.wire
@play_scene(messages=6)
async def test_what_lies_over_the_chat(window: MainWindow, bridge: Bridge, look: Look) -> None:
    await grow(window)
    look.told("http://localhost:1234/v1")  # an example of an address
    for name in (
        "Commands…", "Search everything", "Move to project…", "Keyboard shortcuts", "Export conversation…",
        "Optimize conversation…", "Choose tools…", "Settings…", "Choose a model…",
    ):  # fmt: skip
        await act(window, name)
        opened = await sheet(window)
        look.at(window, name)
        if isinstance(opened, PaletteSheet):
            look.told("zzz")
            opened.field.setText("zzz")
            await asyncio.sleep(0.3)  # the search begins at a pause
            look.at(window, f"{name}, nothing found")
        opened.reject()
        await until(lambda opened=opened: not opened.isVisible())


@pytest.mark.wire
@play_scene(messages=6)
async def test_pages(window: MainWindow, bridge: Bridge, look: Look) -> None:
    await grow(window)
    await act(window, "Insights")
    await until(lambda: window.insights.page is not None and window.insights.page.isVisible())
    await asyncio.sleep(0.2)
    look.at(window, "insights")
    await act(window, "Insights")
    await act(window, "View the request")
    await until(lambda: window.ui.chat_pane.request.list.parts.rows)
    look.at(window, "request")
    await act(window, "View the request")
    for tab in ("history", "pins", "memory", "breakdown"):
        window.ui.panel.show_tab(tab)
        await asyncio.sleep(0.1)
        look.at(window, f"panel, {tab}")
    await act(window, "Find in this conversation")
    window.ui.find_bar.field.setText("zzz")
    await asyncio.sleep(0.3)
    look.at(window, "find bar")
    window.ui.find_bar.close_bar()
    await act(window, "New conversation")
    await until(lambda: window.ui.transcript_model.is_blank)
    look.at(window, "welcome")


@pytest.mark.wire
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@play_scene(messages=6)
async def test_menus(window: MainWindow, bridge: Bridge, look: Look) -> None:
    await grow(window)
    listed, header = window.ui.sidebar.list, window.ui.header
    index = listed.conversations.index_of("c1")
    above = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, listed.visualRect(index).center(), QPoint(10, 10))
    for name, open_menu in (
        ("of the conversation", header.menu.click),
        ("of orders", window.ui.sidebar.offer_orders),
        ("of the list", lambda: listed.contextMenuEvent(above)),
    ):
        open_menu()
        opened = await menu()
        look.at(window, f"menu {name}")
        opened.close()
        await until(lambda opened=opened: not isValid(opened) or not opened.isVisible())


@pytest.mark.wire
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@play_scene(messages=6)
async def test_projects(window: MainWindow, bridge: Bridge, look: Look) -> None:
    await grow(window)
    listed, model = window.ui.sidebar.list, window.ui.sidebar.list.conversations
    look.told(("Billing", "Be brief.", "/nowhere/at/all", "Ledger fact"))
    await act(window, "New project…")
    opened = await sheet(window)
    assert isinstance(opened, ProjectSheet)
    look.at(window, "new project")
    opened.save.click()
    look.at(window, "new project without a name")
    opened.name.edit.setText("Billing")
    opened.instructions.area.setPlainText("Be brief.")
    opened.save.click()
    await until(lambda: model.projects and window.ui.chat_pane.project.isVisible())
    project = replace(model.projects[0], folder="/nowhere/at/all", recall_in="everything")
    bridge.projects_changed.emit((project,))
    look.at(window, "page of a project")
    await until(lambda: not window.findChildren(ProjectSheet))
    window.projects.open_settings(project.id)
    opened = await sheet(window)
    assert isinstance(opened, ProjectSheet)
    memory = Memory("m", "Ledger fact", 0.0, 0.0, scope="project", project=project.id)
    opened.memories.show_memories([memory], {})
    opened.instructions.area.setPlainText("Be very brief.")
    look.told("Be very brief.")
    look.at(window, "project")
    opened.reject()
    window.projects.move(("c1", "c2"), project.id)
    await until(lambda: model.project_of("c1") is not None)
    listed.fold(project.id, is_folded=True)
    look.at(window, "moved and folded")
    window.projects.offer()
    (await menu()).close()
    window.projects.delete(project.id)
    await until(lambda: not model.projects)
    look.at(window, "deleted")


@pytest.mark.wire
@play_scene(messages=6)
async def test_notices(window: MainWindow, bridge: Bridge, look: Look) -> None:
    await grow(window)
    for name, happen in (
        ("the engine gives up", lambda: bridge.engine_gave_up.emit(ENGINE_GAVE_UP)),
        ("deleted", lambda: window.listing.delete(("c2",))),
        ("put away", lambda: window.listing.put_away(("c1",), True)),
        ("not imported", lambda: window.importing.import_files(["/nowhere/chat.jsonl"])),
        ("a bug", lambda: window.watch.show_bug("?")),
    ):
        happen()
        await asyncio.sleep(0.1)
        look.at(window, name)


def test_the_settings(window: QWidget, look: Look) -> None:
    dialog = open_settings(window)
    dialog.build()
    dialog.resize(900, 4_000)
    look.told((SETTINGS, MODELS, STORAGE))
    look.at(window, "settings")


def test_the_plan(window: QWidget, look: Look) -> None:
    look.told(PLAN)
    plan = PlanDialog(PLAN, "c", window)
    plan.open()
    look.at(window, "plan")
    plan.set_busy(True)
    look.at(window, "plan, busy")


@pytest.mark.wire
def test_the_policy(window: QWidget, look: Look) -> None:
    own = OwnPolicy("Mine", "balanced", {"compact_at": 0.5})
    look.told((own, "Billing"))
    for chosen in ("balanced", "Mine"):
        policy = PolicySheet(Settings(policies=(own,)), chosen, "Billing", {}, window)
        policy.open()
        policy.build()
        for group in policy.groups:
            group.unfold()
            for _ in range(30):  # its rows come one after the other
                QCoreApplication.processEvents()
        policy.resize(1_000, 6_000)
        look.at(window, f"policy {chosen}")
        policy.reject()
