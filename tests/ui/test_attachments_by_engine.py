"""Attachments with the real engine: each kind by paste, drop and `@`, counted before sending, and sent."""

from __future__ import annotations

import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from person import Person
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop_app.conversation.gauge import Segment
from provider import Reply

pytestmark = pytest.mark.wire
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def write_pdf(file: Path) -> None:
    writer = QPdfWriter(str(file))
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A5))
    painter = QPainter(writer)
    painter.drawText(300, 600, "The pier of the portable document.")
    painter.end()


def write_document(file: Path) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_paragraph("The letter of the word document.")
    document.save(str(file))


def write_workbook(file: Path) -> None:
    link = f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{OFFICE}/%s" Target="%s"/>'
    cell = '<c t="inlineStr"><is><t>The cell of the workbook</t></is></c>'
    with ZipFile(file, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
            'ContentType="application/xml"/></Types>',
        )
        archive.writestr("_rels/.rels", link % ("officeDocument", "xl/workbook.xml") + "</Relationships>")
        target = link % ("worksheet", "worksheets/sheet1.xml")
        archive.writestr("xl/_rels/workbook.xml.rels", target + "</Relationships>")
        sheets = '<sheets><sheet name="Tides" sheetId="1" r:id="rId1"/></sheets>'
        archive.writestr("xl/workbook.xml", f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}">{sheets}</workbook>')
        rows = f"<sheetData><row>{cell}</row></sheetData>"
        archive.writestr("xl/worksheets/sheet1.xml", f'<worksheet xmlns="{SHEET}">{rows}</worksheet>')


def mime_of(*files: Path) -> QMimeData:
    content = QMimeData()
    content.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    return content


def drop(person: Person, *files: Path) -> None:
    """Drop files on the conversation, as from a file manager."""
    window, content = person.window, mime_of(*files)
    where = QPointF(window.ui.chat_pane.mapTo(window, window.ui.chat_pane.rect().center()))
    held = Qt.DropAction.CopyAction, content, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(where.toPoint(), *held))
    QApplication.sendEvent(window, QDropEvent(where, *held))


def paste(person: Person, content: QMimeData) -> None:
    QGuiApplication.clipboard().setMimeData(content)
    QTest.keyClick(person.window.ui.composer.field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    QGuiApplication.clipboard().clear()  # what it holds at the end of the process is freed twice


def picture() -> QMimeData:
    content, image = QMimeData(), QImage(80, 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    content.setImageData(image)
    return content


async def counted(person: Person, chips: int) -> None:
    """Wait until so many chips are there, each with its tokens."""
    bar = person.window.ui.composer.attachments
    await person.sees(
        lambda: len(bar.attachments) == chips and all("token" in chip.label.text() for chip in bar.chips),
        f"{chips} attachments with their tokens",
    )


def told(person: Person) -> list[int]:
    """Return the tokens that the chips tell."""
    texts = [chip.label.text() for chip in person.window.ui.composer.attachments.chips]
    return [int(found[1].replace(",", "")) for text in texts if (found := re.search(r"([\d,]+) token", text))]


@pytest.mark.row("U5", "`@path`, `!command`, paste, drop")
@pytest.mark.row("U10", "image, text, code, PDF, docx, spreadsheet, counted and sent")
def test_each_kind_is_counted_and_sent(play_by_engine, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "tides.py").write_text("def tide():\n    return 'The function of the program'\n")
    (tmp_path / "note.txt").write_text("The line of the note.\n")
    files = {name: tmp_path / name for name in ("pier.pdf", "letter.docx", "tides.xlsx", "note.txt")}
    write_document(files["letter.docx"])
    write_workbook(files["tides.xlsx"])

    async def scene(person: Person) -> None:
        composer = person.window.ui.composer
        write_pdf(files["pier.pdf"])
        before = await person.shown_gauge()
        await person.click(composer.field.viewport(), (8, 8))
        paste(person, picture())
        await counted(person, 1)
        drop(person, *files.values())
        await counted(person, 5)
        await person.click(composer.field.viewport(), (8, 8))
        await person.type("@ti")
        await person.sees(composer.paths.list.isVisible, "files of the folder")
        await person.enter()
        await counted(person, 6)
        await person.type("!echo the output of the command")
        await person.enter()
        await counted(person, 7)
        await person.sees(lambda: composer.draft_tokens == sum(told(person)), "the tokens of all of them")
        drafted = composer.draft_tokens
        await person.ask("What are these?", "A pier.")
        after = await person.shown_gauge()
        assert after.segments[Segment.ATTACHMENTS] >= drafted * 0.9
        assert after.total > before.total + drafted
        assert not composer.attachments.chips

    sees = {"/props": {"default_generation_settings": {"n_ctx": 32_000}, "modalities": {"vision": True}}}
    (request,) = play_by_engine(scene, [Reply("A pier.", usage=None)], pages=sees, folder=str(work)).requests
    content = request.messages[-1]["content"]
    assert [part["type"] for part in content].count("image_url") == 1
    sent = "\n".join(part.get("text", "") for part in content)
    for words in (
        "The line of the note.", "The pier of the portable document", "The letter of the word document.",
        "The cell of the workbook", "The function of the program", "the output of the command", "What are these?",
    ):  # fmt: skip
        assert words in " ".join(sent.split())
