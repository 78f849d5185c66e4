"""Every screen at the sizes and text sizes that people have: nothing is cut off, and all of it can be reached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest
from import_scenes import empty_import, preview_of_import
from plan_scenes import PLAN
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QLabel, QWidget
from settings_scenes import open_settings
from ui_scenes import play_scene, until

from desktop_app.conversation.events import Failure, QuestionAsked
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission
from desktop_app.settings import Settings
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.policy.policy_sheet import PolicySheet
from desktop_app.ui.transcript.accessible_transcript import AccessibleTranscript
from desktop_app.ui.widgets.accessibility import AccessibleLines
from desktop_app.ui.widgets.sheet import Sheet

LEFT, RIGHT = Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft
FROM_THE_RIGHT, LOW = "low, from the right", "low, large text"
SIZES = {
    "small": ((640, 420), 1.0, LEFT),
    FROM_THE_RIGHT: ((800, 500), 1.0, RIGHT),
    "large text": ((1_280, 800), 2.0, LEFT),
    LOW: ((800, 500), 2.0, LEFT),
    "low, large text, from the right": ((800, 500), 2.0, RIGHT),
}
SLOW = {FROM_THE_RIGHT, LOW}
"""What each of these cuts off, the one that is both cuts off, too."""
NOT_TRIED = {
    "Choose a working folder…", "Import conversations…", "Attach files…", "Sort conversations…", "Delete conversation",
    "Archive or unarchive", "Show the log…", "Making room: choose a policy…", "New conversation",
    "Settings…",  # shows another text size at once: see below
    "Quit",
}  # fmt: skip
LONG = "/home/anastasia/Projects/customers/northwind/billing-service/migrations/0042_split_ledger_entries.py"


@pytest.fixture(params=[LEFT, RIGHT], ids=["ltr", "rtl"])
def direction(request, qapp: QApplication) -> Iterator[Qt.LayoutDirection]:
    qapp.setLayoutDirection(request.param)
    yield request.param
    qapp.setLayoutDirection(LEFT)


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else ()) for name in SIZES])
def size(request, qapp: QApplication, text_size: Callable[[float], None]) -> Iterator[tuple[int, int]]:
    """A size of the window, while text has the size and the direction that go with it."""
    size, scale, direction = SIZES[request.param]
    qapp.setLayoutDirection(direction)
    text_size(scale)
    yield size
    qapp.setLayoutDirection(LEFT)


def shown(root: QWidget) -> Iterator[QWidget]:
    """Yield what is on the screen below `root`: not what only a screen reader sees, nor Qt's own parts."""
    for child in root.children():
        if not isinstance(child, QWidget) or isinstance(child, AccessibleLines | AccessibleTranscript):
            continue
        is_qts_own = child.objectName().startswith("qt_") and child.objectName() != "qt_scrollarea_viewport"
        if not child.isHidden() and not child.isWindow() and not is_qts_own:
            yield child
            yield from shown(child)


def scrolls(parent: QWidget) -> bool:
    """Whether what lies below the parent's end is reached by scrolling."""
    holder = parent.parentWidget()
    return isinstance(holder, QAbstractScrollArea) and holder.viewport() is parent


def described(widget: QWidget) -> str:
    words = widget.text() if isinstance(widget, QAbstractButton | QLabel) else widget.accessibleName()
    return f"{type(widget).__name__} in {type(widget.parentWidget()).__name__} “{words[:40]}”"


def faults(root: QWidget) -> Iterator[str]:
    """Yield what is cut off."""
    for widget in shown(root):
        parent = widget.parentWidget()
        room = parent.rect()
        if scrolls(parent):
            bar = parent.parentWidget().verticalScrollBar()
            room = QRect(room.left(), -bar.maximum() - 9, room.width(), room.height() + 2 * bar.maximum() + 18)
        if not room.contains(widget.geometry()) and not widget.geometry().isEmpty():
            yield f"outside: {described(widget)} {widget.geometry()} of {parent.rect()}"
        least = widget.minimumSizeHint()
        is_text = isinstance(widget, QAbstractButton)
        if is_text and (widget.width() < least.width() or widget.height() < least.height()):
            yield f"squeezed: {described(widget)} {widget.size()} of {least}"
        needed = widget.heightForWidth(widget.width()) if isinstance(widget, QLabel) else -1
        if widget.height() < needed:
            yield f"cut: {described(widget)} {widget.size()} of {needed}"


async def settled(window: QWidget) -> set[str]:
    """Return what is cut off once everything is laid out."""
    for _ in range(60):
        await asyncio.sleep(0.01)
        found = set(faults(window))
        if not found and all(sheet.is_complete for sheet in window.findChildren(Sheet) if sheet.isVisible()):
            break
    return found


@pytest.mark.wire
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@play_scene()
async def test_nothing_is_cut_off(window, bridge, size):
    window.resize(*size)
    await until(lambda: window.ui.transcript.is_settled)
    window.ui.header.show_folder(LONG)
    found: set[str] = set()

    async def look(name: str, close: Callable[[], object] = lambda: None) -> None:
        cut = await settled(window)
        assert (window.width(), window.height()) == size, name
        found.update(f"{name}: {fault}" for fault in cut)
        close()
        await asyncio.sleep(0.01)

    def close_all() -> None:
        for sheet in window.findChildren(Sheet):
            sheet.close()
        for drawer in (window.ui.sidebar_pane, window.ui.panel_pane):
            drawer.close_drawer()
        window.ui.transcript.editor.leave()  # it stays open, and the rows around it move with what comes next

    await look("the window")
    for drawer in (window.ui.sidebar_pane, window.ui.panel_pane):
        drawer.toggle()
        await look("a drawer", drawer.toggle)
    for action in window.commands.actions:
        if action.name not in NOT_TRIED and action.is_available():
            action.run_if_available()
            await look(action.name, close_all)
    window.ui.chat_pane.show_request(True)
    window.ui.toast.show_message("Something happened", "Undo", lambda: None)
    await look("the request above a notice", window.ui.toast.dismiss.click)
    window.ui.chat_pane.show_request(False)
    for make in (
        lambda: PolicySheet(Settings(), "balanced", "Billing", {}, window),
        lambda: PlanDialog(PLAN, "c", window),
        lambda: open_settings(window),
        lambda: empty_import(window),
        lambda: preview_of_import(window),
    ):
        sheet = make()
        sheet.open()
        for group in getattr(sheet, "groups", ()):
            group.unfold()
        await look(type(sheet).__name__, sheet.close)
    needs = (RequiredPermission("bash", "run", LONG, f"{LONG} *"),)
    window.ui.question.show_question(QuestionAsked("v", "q", "permission", ToolCall("c", "bash", "{}"), needs))
    await look("a question", window.ui.question.hide)
    window.ui.failure.show_failure(Failure("x", "Something went wrong", LONG, LONG, LONG), "Try again", lambda: None)
    window.ui.toast.show_message("Something happened", "Undo", lambda: None)
    await look("a failure")
    window.ui.failure.clear()
    window.chat.open_new()
    await until(lambda: window.ui.chat_pane.welcome.isVisible())
    await look("a new conversation")
    assert not found, "\n".join(sorted(found))


@pytest.mark.long
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@play_scene()
async def test_what_the_header_has_no_room_for_is_in_its_menu(window, bridge, text_size):
    window.resize(1_440, 900)
    await until(lambda: window.ui.transcript.is_settled)
    header = window.ui.header

    def menu() -> list[str]:
        QTest.mouseClick(header.menu, Qt.MouseButton.LeftButton)
        opened = QApplication.activePopupWidget()
        names = [action.text().split("\t")[0] for action in opened.actions()]
        opened.close()
        return names

    assert "View the request" not in menu()
    text_size(2.0)

    def is_narrow() -> bool:
        window.resize(640, 500)  # again and again, as a hand drags it: the sidebar has to fold away first
        return header.views.isHidden()

    await until(is_narrow)
    assert {"View the request", "Choose a model…", "Choose a working folder…"} <= set(menu())
    assert window.rect().contains(QRect(header.menu.mapTo(window, QPoint(0, 0)), header.menu.size()))


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.long
@play_scene()
async def test_the_sidebar_folds_away_and_comes_back(window, bridge, direction):
    window.resize(1_440, 900)
    await until(lambda: window.ui.sidebar.isVisible())
    assert not window.ui.header.sidebar_button.isVisible()
    window.resize(640, 420)
    await until(lambda: not window.ui.sidebar.isVisible())
    middle = window.ui.pages.geometry()
    QTest.mouseClick(window.ui.header.sidebar_button, Qt.MouseButton.LeftButton)
    await until(lambda: window.ui.sidebar.isVisible())
    assert window.ui.pages.geometry() == middle, "it lies over the chat"
    at_left = direction is LEFT
    assert window.ui.sidebar.x() == (0 if at_left else 640 - window.ui.sidebar.width())
    QTest.keyClick(window.ui.sidebar.list, Qt.Key.Key_Escape)
    assert not window.ui.sidebar.isVisible()
    QTest.mouseClick(window.ui.header.sidebar_button, Qt.MouseButton.LeftButton)
    beside = QPoint(600 if at_left else 40, 200)
    QTest.mouseClick(window.childAt(beside), Qt.MouseButton.LeftButton)
    assert not window.ui.sidebar.isVisible(), "a click beside it closes it"
    QTest.mouseClick(window.ui.header.sidebar_button, Qt.MouseButton.LeftButton)
    listed = window.ui.sidebar.list
    first = listed.visualRect(listed.conversations.index_of("c1")).center()
    QTest.mouseClick(window.ui.sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=first)
    assert not window.ui.sidebar.isVisible(), "the chosen conversation is seen"
    window.resize(1_440, 900)
    await until(lambda: window.ui.sidebar.isVisible())
    QTest.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: not window.ui.sidebar.isVisible())
    assert not window.ui.sidebar_pane.is_wanted
