"""The places beside the transcript in which a long text of others is shown, each with what is done to it there."""

from __future__ import annotations

import time
from collections.abc import Callable

from bomb_drafts import drafts
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QVBoxLayout, QWidget

from desktop_app.conversation.events import Failure, MessageRow, MessageState, QuestionAsked
from desktop_app.conversation.gauge import Gauge, PartKind, Segment, SentPart, SentRequest, Status
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message, MessageDraft, Role, Text, ToolCall
from desktop_app.conversation.message_rows import OperationRow
from desktop_app.conversation.tools import RequiredPermission
from desktop_app.conversation.transcript import Trigger
from desktop_app.ui.composer.composer import Composer
from desktop_app.ui.composer.draft_field import DraftField
from desktop_app.ui.composer.question_card import QuestionCard
from desktop_app.ui.composer.question_text import pending_question_text
from desktop_app.ui.context_panel.history import History
from desktop_app.ui.context_panel.memory_card import CurrentScope, MemoryCard
from desktop_app.ui.context_panel.requests import PanelRequests
from desktop_app.ui.desktop_notifications import DesktopNotifier
from desktop_app.ui.failure_card import FailureCard
from desktop_app.ui.request_view.request_view import RequestView
from desktop_app.ui.sidebar.sidebar import Sidebar
from desktop_app.ui.toast import Toast
from desktop_app.ui.transcript.message_editor import MessageEditor, MessageReader
from desktop_app.ui.widgets.long_text import TextReader

Steps = dict[str, Callable[[], object]]
END = QTextCursor.MoveOperation.End
Place = Callable[[QWidget, str], Steps]
"""Builds the place within a widget, and returns what is done there with a text, in that order."""


def _put(holder: QWidget, *widgets: QWidget) -> None:
    column = holder.layout() or QVBoxLayout(holder)
    for widget in widgets:
        column.addWidget(widget)
        widget.show()


def _scroll(text: QPlainTextEdit) -> Steps:
    bar = text.verticalScrollBar
    return {
        "to its end": lambda: bar().setValue(bar().maximum()),
        "to its middle": lambda: bar().setValue(bar().maximum() // 2),
        "narrower": lambda: text.window().resize(500, 700),
        "select all": text.selectAll,
        "copy": text.copy,
    }


def _message(text: str, role: Role = Role.ASSISTANT) -> Message:
    return Message(id="m0", role=role, parts=(Text(text),))


def history(holder: QWidget, text: str, role: Role = Role.ASSISTANT) -> Steps:
    """An archived message is opened, looked through, and found."""
    shown = History(PanelRequests())
    _put(holder, shown)
    operation = OperationRow("c1", "compaction", 1.0, Trigger.USER, {}, 2)
    rows = [
        MessageRow(_message(text, role), 0, 10, MessageState.ARCHIVED),
        MessageRow(Message(id="m1", role=Role.USER, parts=(Text("short"),)), 1, 10, MessageState.ARCHIVED),
    ]
    shown.set_operations([operation])
    archived = shown.archived

    def choose(number: int) -> None:
        archived.list.setCurrentIndex(archived.list.rows.index(number))

    def seek(words: str) -> None:
        archived.search.setText(words)
        archived.replace(rows, 2)
        choose(0)

    sign = next((sign for sign in text if not sign.isspace()), "x")
    return {
        "open": lambda: shown.open_messages("c1"),
        "list": lambda: shown.show_archived("c1", rows, 2),
        "read": lambda: choose(0),
        **_scroll(archived.reader.body),
        "tokens": lambda: archived.scale_tokens(1.5),
        "found": lambda: seek(sign),
        "nothing found": lambda: seek("needle"),
        "another": lambda: choose(1),
    }


def typed_history(holder: QWidget, text: str) -> Steps:
    """The same with a message of the user's."""
    return history(holder, text, Role.USER)


def summary(holder: QWidget, text: str) -> Steps:
    """The summary of an operation is unfolded, and the card with what was found out is shown."""
    shown = History(PanelRequests())
    _put(holder, shown)
    kept = OperationRow("c1", "compaction", 2.0, Trigger.USER, {}, 2, 9, 5, summary=text)
    flush = OperationRow("f1", "flush", 1.0, Trigger.USER, {}, 2, summary=text)
    failed = OperationRow("e1", "failed", 0.5, Trigger.USER, {"error": 1}, note=text)
    return {
        "list": lambda: shown.set_operations([kept]),
        "unfold": lambda: shown.list.cards["c1"].toggle_summary(),
        "narrower": lambda: holder.resize(500, 700),
        "fold": lambda: shown.list.cards["c1"].toggle_summary(),
        "flush": lambda: shown.set_operations([flush]),
        "failed": lambda: shown.set_operations([failed]),
    }


def request(holder: QWidget, text: str) -> Steps:
    """The X-ray: a part with its beginning, as the engine cuts it, and its whole text."""
    view = RequestView()
    _put(holder, view)
    gauge = Gauge({Segment.USER: 10}, 10, 100, 10, Status.SAFE)
    part = SentPart(
        PartKind.MESSAGE, "tool", text[:4_000], text[:4_000], len(text), 10, Segment.USER, arguments=text[:400]
    )
    readers: list[TextReader] = []

    def read() -> None:
        readers.append(TextReader("Part", text, holder, is_mono=True))
        readers[0].show()

    steps = _of_reader(readers)
    return {"list": lambda: view.set_request(SentRequest(gauge, (part,))), "open": read, **steps}


def _of_reader(readers: list[TextReader]) -> Steps:
    def scroll(share: float) -> None:
        bar = readers[0].text.verticalScrollBar()
        bar.setValue(round(share * bar.maximum()))

    return {
        "to its end": lambda: scroll(1.0),
        "to its middle": lambda: scroll(0.5),
        "narrower": lambda: readers[0].resize(400, 600),
        "select all": lambda: readers[0].text.selectAll(),
        "copy": lambda: readers[0].text.copy(),
        "close": lambda: readers[0].close(),
    }


def _to_end(reader: TextReader) -> None:
    reader.text.verticalScrollBar().setValue(reader.text.verticalScrollBar().maximum())


def reader(holder: QWidget, text: str) -> Steps:
    """A message in a window of its own."""
    readers: list[TextReader] = []

    def read() -> None:
        readers.append(MessageReader(_message(text), holder))
        readers[0].show()

    return {"open": read, **_of_reader(readers)}


def _typed(field: DraftField) -> Steps:
    def key(code: Qt.Key) -> Callable[[], None]:
        return lambda: QTest.keyClick(field, code)

    def move(to: QTextCursor.MoveOperation) -> Callable[[], None]:
        return lambda: field.moveCursor(to)

    return {
        "key": key(Qt.Key.Key_A),
        "backspace": key(Qt.Key.Key_Backspace),
        "to its start": move(QTextCursor.MoveOperation.Start),
        "key at its start": key(Qt.Key.Key_B),
        "new line": lambda: QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier),
        "to its end": move(QTextCursor.MoveOperation.End),
        "narrower": lambda: field.window().resize(500, 700),
        "select all": field.selectAll,
        "copy": field.copy,
        "cut": field.cut,
        "undo": field.undo,
        "redo": field.redo,
    }


def composer(holder: QWidget, text: str) -> Steps:
    """A text is pasted into the draft, typed in, sent, put away and brought back."""
    made = Composer()
    _put(holder, made)
    pasted, drafts = QMimeData(), list[MessageDraft]()
    pasted.setText(text)
    made.draft_changed.connect(drafts.append)
    made.field.setFocus()
    return {
        "paste": lambda: made.field.insertFromMimeData(pasted),
        **_typed(made.field),
        "clear": made.clear,
        "draft shown": lambda: made.set_draft(MessageDraft(text)),
        "send": lambda: QTest.keyClick(made.field, Qt.Key.Key_Return),
        "running": lambda: made.set_running(True),
        "cleared": made.clear,
        "edits forgotten": made.forget_edits,
    }


def editor(holder: QWidget, text: str) -> Steps:
    """A message that was sent is edited in its place."""
    made = MessageEditor(holder)
    made.resize(700, 200)
    return {
        "edit": lambda: made.edit(_message(text, Role.USER)),
        **_typed(made.field),
        "leave": made.leave,
        "edit again": lambda: made.edit(_message(text, Role.USER)),
        "end": made.end,
    }


def sidebar(holder: QWidget, text: str) -> Steps:
    """A conversation has it as its title."""
    made = Sidebar()
    _put(holder, made)
    now = time.time()
    infos = [ConversationInfo("c0", text, now, now, 3), ConversationInfo("c1", "Other", now, now, 3)]
    shown = made.list
    return {
        "list": lambda: shown.conversations.show_conversations(infos),
        "filter": lambda: made.filter.setText("a"),
        "no filter": lambda: made.filter.setText(""),
        "rename": lambda: shown.edit(shown.model().index(1, 0)),
        "end": lambda: QTest.keyClick(QApplication.focusWidget() or shown, Qt.Key.Key_Escape),
    }


def question(holder: QWidget, text: str) -> Steps:
    """The permission for a call that has it as its command is asked for."""
    made = QuestionCard()
    _put(holder, made)
    call = ToolCall("c", "bash", '{"command": ' + repr(text[:1]) + "}")
    one = QuestionAsked("v", "q1", "permission", call, (RequiredPermission("bash", "run", text, "git *"),))
    needs = tuple(RequiredPermission("move", kind, text, text) for kind in ("read", "write"))
    two = QuestionAsked("v", "q2", "permission", ToolCall("c", "move", text), needs)
    return {
        "one": lambda: made.show_question(one),
        "to its end": lambda: made.targets.text.moveCursor(END),
        "several": lambda: made.show_question(two),
        "arguments": lambda: made.whole.click(),
        "read to its end": lambda: [_to_end(reader) for reader in holder.findChildren(TextReader)],
        "narrower": lambda: holder.resize(500, 700),
        "clear": made.clear,
    }


def notices(holder: QWidget, text: str) -> Steps:
    """A notice, a failure that belongs to no message, and a notification of the desktop have it."""
    toast, card = Toast(QWidget()), FailureCard()
    asked = QuestionAsked("v", "q1", "permission", ToolCall("c", text, text))
    _put(holder, toast, card)
    return {
        "toast": lambda: toast.show_message(text, "Undo"),
        "narrower": lambda: holder.resize(500, 700),
        "failure": lambda: card.show_failure(Failure("provider", text[:300], text, "kept", "advice")),
        "clear": card.clear,
        "of the desktop": lambda: DesktopNotifier(holder).notify("c1", text, text),
        "of a question": lambda: pending_question_text(asked, text),
    }


def memory(holder: QWidget, text: str) -> Steps:
    """It was remembered, and is edited."""
    holding: list[MemoryCard] = []

    def show() -> None:
        holding.append(MemoryCard(Memory("x1", text, 1.0, 1.0), "Title", CurrentScope(), PanelRequests()))
        _put(holder, holding[0])

    return {"show": show, "edit": lambda: holding[0].begin_edit(), "narrower": lambda: holder.resize(500, 700)}


PLACES: dict[str, Place] = {
    "archived": history,
    "archived, typed": typed_history,
    "operation": summary,
    "X-ray": request,
    "reader": reader,
    "composer": composer,
    "drafts": drafts,
    "editor": editor,
    "title": sidebar,
    "question": question,
    "notice": notices,
    "memory": memory,
}
