"""Attaching by paste, drop and button: chips in the composer, and what is shown of them in the conversation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from ui_scenes import is_idle, play_scene, press, texts, until

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Attachment, MessageDraft
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import EngineFailure
from desktop_app.ui.composer.attach_controller import MAX_FILES
from desktop_app.ui.composer.attachments import READING
from desktop_app.ui.composer.composer import NO_FILES, READING_HINT, RESEARCH, RUN_HINT, Composer
from desktop_app.ui.composer.path_completer import query_of
from desktop_app.ui.importing.import_sheet import ImportSheet
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.tools.tools_sheet import SpillViewer
from desktop_app.ui.transcript.row_painter import Action, Picture
from desktop_app.ui.transcript.transcript_items import MessageItem

NOTE = Attachment("note.txt", "text/plain", "a text", "1 page")


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., QMimeData]:
    """Files of a folder as a file manager copies them."""

    def copied(*names: str) -> QMimeData:
        for name in names:
            (tmp_path / name).write_text(NOTE.content)
        content = QMimeData()
        content.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in names])
        content.setText("\n".join(names))
        return content

    return copied


def picture() -> QMimeData:
    content = QMimeData()
    image = QImage(80, 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    content.setImageData(image)
    return content


def paste(window: MainWindow, content: QMimeData) -> None:
    QGuiApplication.clipboard().setMimeData(content)
    window.ui.composer.take_focus()
    QTest.keyClick(window.ui.composer.field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    QGuiApplication.clipboard().clear()  # what it holds at the end of the process is freed twice


def shown(window: MainWindow) -> list[str]:
    return [chip.label.text() for chip in window.ui.composer.attachments.chips]


async def counted(window: MainWindow, chips: int) -> None:
    await until(lambda: len(shown(window)) == chips and all(" token" in text for text in shown(window)))


@pytest.mark.long
@play_scene()
async def test_pasted_files_are_chips_with_their_tokens_and_are_sent(window, bridge, files):
    paste(window, files("spec.md", "note.txt"))
    await counted(window, 2)
    assert "spec.md" in shown(window)[0]
    assert window.ui.composer.text() == ""
    await until(lambda: window.ui.composer.draft_tokens)
    of_files = window.ui.composer.draft_tokens
    QTest.keyClicks(window.ui.composer.field, "Look")
    await until(lambda: window.ui.composer.draft_tokens > of_files)
    before = len(texts(window))
    QTest.keyClick(window.ui.composer.field, Qt.Key.Key_Return)
    await until(lambda: len(texts(window)) > before + 1 and is_idle(window))
    sent = next(m for m in reversed(window.ui.transcript_model.rows) if m.message.text == "Look").message
    assert [part.name for part in sent.parts[1:]] == ["spec.md", "note.txt"]
    await until(lambda: window.ui.composer.draft() == MessageDraft())
    assert shown(window) == []


@pytest.mark.long
@play_scene()
async def test_a_pasted_image_is_sent_alone_and_shown_in_place(window, bridge):
    paste(window, picture())
    await counted(window, 1)
    assert window.ui.composer.button.isEnabled()
    press(window.ui.composer.button)
    await until(lambda: any(r.message.has_image for r in window.ui.transcript_model.rows) and is_idle(window))
    row = max(n for n, r in enumerate(window.ui.transcript_model.rows) if r.message.has_image)
    key = window.ui.transcript_model.rows[row].message.id
    layout = window.ui.transcript.layout_of(window.ui.transcript_model.row_of(key))
    drawn = next(one for one in layout.drawn if isinstance(one, Picture))
    assert drawn.box.size().toSize().toTuple() == (80, 60)


@play_scene()
async def test_what_is_dropped_on_the_window_is_attached(window, bridge, files):
    where, none = (
        QPointF(window.ui.chat_pane.mapTo(window, window.ui.chat_pane.rect().center())),
        Qt.KeyboardModifier.NoModifier,
    )
    content, copying = files("note.txt"), Qt.DropAction.CopyAction
    entering = QDragEnterEvent(where.toPoint(), copying, content, Qt.MouseButton.LeftButton, none)
    QApplication.sendEvent(window, entering)
    assert entering.isAccepted()
    QApplication.sendEvent(window, QDropEvent(where, copying, content, Qt.MouseButton.LeftButton, none))
    await counted(window, 1)
    words = QMimeData()
    words.setText("only words")
    refused = QDragEnterEvent(where.toPoint(), copying, words, Qt.MouseButton.LeftButton, none)
    refused.ignore()
    QApplication.sendEvent(window, refused)
    assert not refused.isAccepted()


@play_scene()
async def test_what_is_dropped_is_copied_even_where_moving_is_proposed(window, bridge, files):
    both = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    held = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    words = QMimeData()
    words.setText("words of another program")
    sheet = ImportSheet(window)
    for onto, content in (
        (window, files("note.txt")),
        (window.ui.composer.field.viewport(), files("note.txt")),
        (window.ui.composer.field.viewport(), words),
        (sheet, files("note.txt")),
    ):
        place = onto.rect().center()
        for event in (
            QDragEnterEvent(place, both, content, *held),
            QDragMoveEvent(place, both, content, *held),
            QDropEvent(QPointF(place), both, content, *held),
        ):
            event.setDropAction(Qt.DropAction.MoveAction)
            QApplication.sendEvent(onto, event)
            if not isinstance(event, QDragMoveEvent) or onto is window.ui.composer.field.viewport():
                assert (event.isAccepted(), event.dropAction()) == (True, Qt.DropAction.CopyAction), (onto, event)
    assert window.ui.composer.text() == "words of another program"


@pytest.mark.long
@play_scene()
async def test_chips_are_removed_by_click_and_by_keys(window, bridge, files):
    paste(window, files("a.txt", "b.txt", "c.txt"))
    await counted(window, 3)
    press(window.ui.composer.attachments.chips[0].remove)
    assert [text.split()[0] for text in shown(window)] == ["b.txt", "c.txt"]
    window.ui.composer.take_focus()
    QTest.keyClick(window.ui.composer.field, Qt.Key.Key_Backspace)  # the draft is empty
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Backspace)
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Delete)
    assert shown(window) == []
    await until(lambda: window.ui.composer.draft_tokens == 0)
    assert QApplication.focusWidget() is window.ui.composer.field


@pytest.mark.long
@play_scene()
async def test_a_file_that_cannot_be_read_leaves_the_draft_as_it_is(window, bridge, files, tmp_path):
    window.ui.composer.set_text("Look at this")
    files("note.txt", *(f"{n}.txt" for n in range(2 * MAX_FILES)))
    window.attach.attach_files([str(tmp_path / name) for name in ("gone.txt", "note.txt")])
    await until(window.ui.failure.isVisible)
    await counted(window, 1)
    assert window.ui.composer.text() == "Look at this"
    window.attach.attach_files([str(tmp_path / f"{n}.txt") for n in range(2 * MAX_FILES)])
    await counted(window, MAX_FILES)
    assert window.ui.toast.isVisible()


@pytest.mark.long
@play_scene()
async def test_each_conversation_keeps_its_attachments(window, bridge, files, tmp_path):
    first = window.chat.conversation
    files("late.txt")
    paste(window, files("note.txt"))
    await counted(window, 1)
    window.attach.attach_files([str(tmp_path / "late.txt")])  # still being read when the conversation is left
    window.chat.open_with(p.CreateConversation())
    await until(lambda: window.chat.conversation != first and not shown(window))
    window.chat.open(first)
    await counted(window, 2)


@play_scene()
async def test_a_text_that_was_sent_is_opened_from_its_chip(window, bridge):
    before = len(texts(window))
    window.chat.send("", (NOTE,))
    await until(lambda: len(texts(window)) > before + 1 and is_idle(window))
    items = [window.ui.transcript_model.item(n) for n in range(window.ui.transcript_model.rowCount())]
    row = max(n for n, i in enumerate(items) if isinstance(i, MessageItem) and NOTE in i.row.message.parts)
    window.ui.transcript.show_message(items[row].key)
    await until(lambda: window.ui.transcript.is_settled)
    chip = next(h for h in window.ui.transcript.layout_of(row).hit_regions if h.action is Action.OPEN_ATTACHMENT)
    where = (window.ui.transcript.origin(row) + chip.box.center()).toPoint()
    QTest.mouseClick(window.ui.transcript.viewport(), Qt.MouseButton.LeftButton, pos=where)
    viewer = window.findChildren(SpillViewer)[0]
    await until(lambda: NOTE.content in viewer.text.toPlainText())
    viewer.close()


@pytest.mark.long
@play_scene()
async def test_at_completes_files_of_the_folder_and_the_chosen_one_is_attached(window, bridge, tmp_path):
    (tmp_path / "src").mkdir()
    for name in ("one.py", "other.py"):
        (tmp_path / "src" / name).write_text("pass\n")
    await bridge.ask(p.ChooseFolder("c1", str(tmp_path)))
    field, popup = window.ui.composer.field, window.ui.composer.paths.list
    window.ui.composer.set_text("Look \U0001f642 ")
    window.ui.composer.take_focus()
    QTest.keyClicks(field, "@o")
    await until(popup.isVisible)
    assert popup.count() == 2
    QTest.keyClick(field, Qt.Key.Key_Down)
    QTest.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: any("src/other.py" in text for text in shown(window)))
    assert window.ui.composer.text() == "Look \U0001f642 "
    assert not popup.isVisible()
    QTest.keyClicks(field, "@ot")
    await until(lambda: popup.isVisible() and popup.count() == 1)
    QTest.keyClick(field, Qt.Key.Key_Tab)
    assert window.ui.composer.text() == "Look \U0001f642 "
    await counted(window, 2)
    QTest.keyClicks(field, "@on")
    await until(popup.isVisible)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    assert window.ui.composer.text().endswith("@on")
    QTest.keyClicks(field, "zz")
    await until(lambda: popup.count() == 0)
    assert len(shown(window)) == 2


@play_scene()
async def test_a_command_is_run_and_its_output_attached_not_sent(window, bridge, tmp_path):
    await bridge.ask(p.ChooseFolder("c1", str(tmp_path)))
    before = texts(window)
    QTest.keyClicks(window.ui.composer.field, "!echo here")
    assert window.ui.composer.note.text() == RUN_HINT
    QTest.keyClick(window.ui.composer.field, Qt.Key.Key_Return)
    await counted(window, 1)
    assert "$ echo here" in shown(window)[0]
    assert window.ui.composer.text() == ""
    assert texts(window) == before


@play_scene()
async def test_a_running_command_is_stopped_by_removing_its_chip(window, bridge, monkeypatch):
    asked = []
    ask = bridge.ask

    async def ask_slowly(request):
        asked.append(request)
        if isinstance(request, p.RunCommand):
            await until(lambda: p.StopCommand(request.key) in asked)
            raise EngineFailure(Failure("cancelled", "This was cancelled"))
        return await ask(request)

    monkeypatch.setattr(bridge, "ask", ask_slowly)
    QTest.keyClicks(window.ui.composer.field, "!sleep 60")
    QTest.keyClick(window.ui.composer.field, Qt.Key.Key_Return)
    await until(lambda: any(isinstance(request, p.RunCommand) for request in asked))
    QTest.mouseClick(window.ui.composer.attachments.chips[0].remove, Qt.MouseButton.LeftButton)
    await until(lambda: any(isinstance(request, p.StopCommand) for request in asked))
    assert not window.ui.composer.attachments.chips
    assert not window.ui.failure.isVisible()


@pytest.mark.parametrize(
    ("text", "query"),
    [("@", ""), ("see @src/o", "src/o"), ("me@home", None), ("@a b", None), ("", None), ("@a@b", None)],
)
def test_a_path_follows_an_at_that_begins_a_word(text, query):
    assert query_of(text) == query


@pytest.fixture
def composer(qtbot):
    made = Composer()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.row("U10", "the button")
def test_the_button_asks_for_files(composer, qtbot):
    with qtbot.waitSignal(composer.attach_requested):
        qtbot.mouseClick(composer.attach, Qt.MouseButton.LeftButton)


def test_nothing_is_sent_while_a_file_is_read(composer, qtbot):
    number = composer.attachments.begin("big.pdf")
    assert READING in composer.attachments.chips[0].label.text()
    with qtbot.assertNotEmitted(composer.send_requested):
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert composer.note.text() == READING_HINT
    composer.attachments.finish(number, (NOTE,))
    with qtbot.waitSignal(composer.send_requested) as sent:
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent.args == ["", (NOTE,)]


def test_pages_that_are_pictures_follow_their_file(composer, qtbot):
    bar = composer.attachments
    scan, note = bar.begin("scan.pdf"), bar.begin("note.txt")
    bar.finish(note, (NOTE,))
    pages = tuple(Attachment(f"scan.pdf, page {n}", "image/jpeg", "data:image/jpeg;base64,") for n in (2, 3))
    file = Attachment("scan.pdf", "application/pdf", "text", "3 pages · 2 of 3 pages are pictures")
    bar.finish(scan, (file, *pages))
    assert bar.attachments == (file, *pages, NOTE)

    def placed():
        return tuple(chip.attachment for chip in sorted(bar.chips, key=lambda chip: (chip.y(), chip.x())))

    qtbot.waitUntil(lambda: placed() == bar.attachments)


def test_many_chips_scroll_and_none_is_cut(composer, qtbot):
    long = Attachment(
        "a-very-long-name-of-a-file-that-goes-on.txt", "text/plain", "text", "scaled down from " + "9" * 60
    )
    composer.resize(420, 300)
    composer.set_draft(MessageDraft("", (NOTE, long) * 10))
    qtbot.waitUntil(lambda: composer.chips.verticalScrollBar().maximum() > 0)
    assert composer.chips.height() < 150
    right = composer.chips.viewport().width()
    qtbot.waitUntil(lambda: all(chip.geometry().right() < right for chip in composer.attachments.chips))
    composer.clear()
    assert not composer.chips.isVisible()


def test_a_chip_says_who_looks_at_its_image(composer):
    picture = Attachment("plan.png", "image/png", "data:image/png;base64,AAAA", "80 × 60")
    composer.set_draft(MessageDraft("", (NOTE, picture)))
    texts = []
    for reader in ("", "Sonnet", None):
        composer.attachments.set_tokens((5, 14), reader)
        texts.append([chip.label.text() for chip in composer.attachments.chips])
    assert len({note for note, _ in texts}) == 1, "a text is read by every model"
    assert len({picture for _, picture in texts}) == 3
    assert "Sonnet" in texts[1][1]
    assert composer.attachments.chips[0].accessibleDescription() == ""
    assert composer.attachments.chips[1].accessibleDescription()


def test_chips_are_equally_high_and_the_text_begins_below_them(composer, qtbot):
    picture = Attachment("plan.png", "image/png", "data:image/png;base64,AAAA", "80 × 60")
    composer.resize(720, composer.sizeHint().height())
    composer.set_draft(MessageDraft("", (NOTE, picture)))
    qtbot.waitUntil(lambda: len({chip.height() for chip in composer.attachments.chips}) == 1)
    composer.resize(720, composer.sizeHint().height())
    bottom = max(chip.height() for chip in composer.attachments.chips)
    qtbot.waitUntil(lambda: composer.chips.height() <= bottom + 2)


def test_research_takes_no_attachments(composer, qtbot):
    composer.set_draft(MessageDraft("/research why", (NOTE,)))
    with qtbot.assertNotEmitted(composer.send_requested):
        qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert composer.note.text() == NO_FILES.format(command=RESEARCH)
    assert composer.draft() == MessageDraft("/research why", (NOTE,))
