"""What is done to a long draft while it is measured how long it holds the window: pasted, cut, stored, put away."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

from PySide6.QtCore import QMimeData, QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.conversation.message import MessageDraft
from desktop_app.engine import protocol as p
from desktop_app.ui.composer.composer import Composer
from desktop_app.ui.composer.draft_field import DraftField
from desktop_app.ui.composer.drafts import Drafts
from desktop_app.ui.transcript.message_editor import MessageEditor

Steps = dict[str, Callable[[], object]]


class _Engine:
    """Takes each request as the bridge would write it, and answers at once."""

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        QTimer.singleShot(0, lambda: self._run(work))

    @staticmethod
    def _run(work: Coroutine[Any, Any, None]) -> None:
        with suppress(StopIteration):
            work.send(None)

    async def ask(self, request: p.AnyRequest) -> p.EngineResponse:
        p.encode_line(p.RequestLine(1, request))
        return p.DraftCounted(7) if isinstance(request, p.CountDraft) else p.Done()


def cut_by_menu(field: DraftField) -> None:
    """Select all, and choose Cut from the context menu: Qt does that by itself."""
    field.selectAll()
    menu = field.createStandardContextMenu()
    next(action for action in menu.actions() if action.objectName() == "edit-cut").trigger()
    menu.deleteLater()


def move_by_drag(field: DraftField) -> None:
    """Do to all of a text what Qt does when it is dragged to another place of its field."""
    field.selectAll()
    dragged, place = field.createMimeDataFromSelection(), field.textCursor()
    place.removeSelectedText()
    field.insertFromMimeData(dragged)


def drafts(holder: QWidget, text: str) -> Steps:
    """A text is the draft of a conversation that is left and opened again; it is pasted with markup, and cut."""
    composer, pasted = Composer(), QMimeData()
    QVBoxLayout(holder).addWidget(composer)
    figures = cast(Any, SimpleNamespace(set_draft_tokens=lambda tokens: None))
    made = Drafts(cast(Any, _Engine()), composer, MessageEditor(holder), figures, figures)
    composer.draft_changed.connect(made.count)
    pasted.setText(text)
    pasted.setHtml(f"<b>{text}</b>")
    composer.field.setFocus()
    return {
        "stored before": lambda: made.show("c1", MessageDraft(text)),
        "kept": made.keep,
        "another": lambda: made.show("c2", MessageDraft("short")),
        "back": lambda: made.show("c1", MessageDraft()),
        "left": made.leave,
        "come back": lambda: made.come_back("c1"),
        "sent": lambda: made.note_sent("c1", MessageDraft(text)),
        "with markup": lambda: composer.field.insertFromMimeData(pasted),
        "dragged": lambda: move_by_drag(composer.field),
        "cut by the menu": lambda: cut_by_menu(composer.field),
        "undone": composer.field.undo,
    }
