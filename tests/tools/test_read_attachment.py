"""What is attached: texts in any encoding, images as providers take them, documents as text; and what is refused."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.message import Attachment
from desktop_app.tools.read_attachments import MAX_BYTES, MAX_TEXT, kind_of, read_attachment, read_image

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


async def refused(path: Path) -> str:
    with pytest.raises(WorldError) as error:
        await read_attachment(path)
    assert error.value.failure.kept
    assert error.value.failure.advice
    return error.value.failure.title


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
async def test_a_text_is_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "note.txt").write_bytes("Grüße aus Köln\n".encode(encoding))
    attachment = await read_attachment(tmp_path / "note.txt")
    assert (attachment.name, attachment.media_type, attachment.content) == (
        "note.txt",
        "text/plain",
        "Grüße aus Köln\n",
    )
    assert ("Windows-1252" in attachment.about) == (encoding == "cp1252")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("data.bin", b"a\0b"),
        ("late.txt", b"x" * 20_000 + b"\0"),
        ("song.webp", b"RIFF\0\0\0\0WAVE"),
        ("program.zip", b"PK\x03\x04 and more"),
        ("letter.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        ("long.txt", b"x" * (MAX_TEXT + 1)),
    ],
)
async def test_what_is_neither_text_nor_image_or_too_long_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert name in await refused(tmp_path / name)


async def test_what_is_no_file_or_too_large_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    for path in (tmp_path, tmp_path / "gone", tmp_path / "huge.txt"):
        assert path.name in await refused(path)


@given(st.binary(max_size=40), st.sampled_from(["a.txt", "b.docx", "c.xlsx", "d", "e.png"]))
@example(b"%PDF-", "b.docx")
def test_how_a_file_is_read_depends_on_its_first_bytes(start: bytes, name: str) -> None:
    assert kind_of(b"\x89PNG\r\n\x1a\n" + start) == "image"
    assert kind_of(b"%PDF-1.7" + start) == "pdf"
    assert kind_of(b"PK\x03\x04" + start) == "office"


# In the process of its own


def png(size: tuple[int, int], kind: str = "PNG", mode: str = "RGB") -> bytes:
    image = pytest.importorskip("PIL.Image").effect_noise(size, 60).convert(mode)
    content = io.BytesIO()
    image.save(content, kind)
    return content.getvalue()


def image_of(attachment: Attachment) -> Any:
    content = base64.b64decode(attachment.content.partition(";base64,")[2])
    return pytest.importorskip("PIL.Image").open(io.BytesIO(content))


@pytest.mark.wire
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
async def test_a_small_image_is_sent_as_it_is(tmp_path: Path, kind: str) -> None:
    content = png((40, 30), kind)
    (tmp_path / "picture").write_bytes(content)
    attachment = await read_attachment(tmp_path / "picture")
    assert attachment.media_type == f"image/{kind.lower()}"
    assert base64.b64decode(attachment.content.partition(";base64,")[2]) == content
    assert "40 × 30" in attachment.about


@pytest.mark.wire
@pytest.mark.parametrize(("kind", "mode"), [("PNG", "P"), ("PNG", "RGBA"), ("JPEG", "CMYK"), ("JPEG", "L")])
async def test_a_large_image_is_scaled_down_and_that_is_said(kind: str, mode: str) -> None:
    attachment = await read_image("Pasted image.png", png((2_000, 1_000), kind, mode))
    with image_of(attachment) as image:
        assert image.size == (1_568, 784)
    assert attachment.is_image
    assert "2,000 × 1,000" in attachment.about


@pytest.mark.wire
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
async def test_an_image_is_sent_upright_and_without_where_it_was_taken(tmp_path: Path, kind: str) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "PlaceThatNobodyShouldKnow"  # turned by 90 degrees; the maker
    path = tmp_path / f"photo.{kind.lower()}"
    Image.effect_noise((60, 40), 50).convert("RGB").save(path, kind, exif=exif)
    assert b"PlaceThatNobody" in path.read_bytes()
    attachment = await read_attachment(path)
    content = base64.b64decode(attachment.content.partition(",")[2])
    assert b"PlaceThatNobody" not in content
    with Image.open(io.BytesIO(content)) as sent:
        assert sent.size == (40, 60)
        assert not sent.getexif()


@pytest.mark.wire
async def test_an_image_that_is_heavy_as_png_becomes_a_jpeg() -> None:
    attachment = await read_image("noise.png", png((1_560, 1_560)))
    assert attachment.media_type == "image/jpeg"
    assert len(attachment.content) < 5_000_000


@pytest.mark.wire
async def test_damaged_files_are_refused_in_words(tmp_path: Path) -> None:
    broken = {
        "cut.png": png((400, 300))[:2_000],
        "bad.pdf": b"%PDF-1.7 nothing",
        "bad.docx": b"PK\x03\x04",
        "bad.xlsx": b"PK\x03\x04",
    }
    for name, content in broken.items():
        (tmp_path / name).write_bytes(content)
        assert name in await refused(tmp_path / name)


@pytest.mark.wire
async def test_a_bomb_ends_with_its_process(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    rows = f'<worksheet xmlns="{SHEET}"><sheetData>' + "<row><c t='inlineStr'><is><t>x</t></is></c></row>" * 10
    workbook(tmp_path / "bomb.xlsx", rows.encode(), padding=1_500_000_000)
    attachment = await read_attachment(tmp_path / "bomb.xlsx")
    assert "sheets that could not be read as a whole: 1" in attachment.about
    assert len(attachment.content) < 1_000


def workbook(path: Path, sheet: bytes, padding: int = 0) -> None:
    """Write a spreadsheet with one sheet, and so many spaces in it."""
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as file:
        kind = "application/vnd.openxmlformats-"
        part = f"{kind}officedocument.spreadsheetml"
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="{kind}package.'
            f'relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{part}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{part}.worksheet+xml"/></Types>',
        )
        link = f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{OFFICE}/%s" Target="%s"/>'
        file.writestr("_rels/.rels", link % ("officeDocument", "xl/workbook.xml") + "</Relationships>")
        file.writestr("xl/_rels/workbook.xml.rels", link % ("worksheet", "worksheets/sheet1.xml") + "</Relationships>")
        sheets = '<sheets><sheet name="Costs" sheetId="1" r:id="r1"/></sheets>'
        file.writestr("xl/workbook.xml", f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}">{sheets}</workbook>')
        with file.open("xl/worksheets/sheet1.xml", "w") as written:
            written.write(sheet)
            for _ in range(padding // 10_000_000):
                written.write(b" " * 10_000_000)


@pytest.mark.wire
async def test_a_spreadsheet_is_a_line_for_each_row_with_its_sheets(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    cells = '<c r="A1" t="inlineStr"><is><t>Rent</t></is></c><c r="B1"><v>900</v></c><c r="C1"><v>0.5</v></c>'
    rows = f'<sheetData><row r="1">{cells}</row></sheetData>'
    workbook(tmp_path / "costs.xlsx", f'<worksheet xmlns="{SHEET}">{rows}</worksheet>'.encode())
    attachment = await read_attachment(tmp_path / "costs.xlsx")
    assert attachment.content == "[Sheet Costs]\nRent\t900\t0.5"
    assert attachment.about == "1 sheet"


@pytest.mark.wire
async def test_a_word_document_keeps_its_headings_and_tables(tmp_path: Path) -> None:
    document = pytest.importorskip("docx").Document()
    document.add_heading("Plan", 2)
    document.add_paragraph("First words.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "who", "when"
    document.save(str(tmp_path / "plan.docx"))
    attachment = await read_attachment(tmp_path / "plan.docx")
    assert attachment.content == "## Plan\nFirst words.\nwho | when"


@pytest.mark.wire
async def test_a_pdf_is_its_pages_with_marks(tmp_path: Path) -> None:
    (tmp_path / "two.pdf").write_bytes(pdf("First page", "Second page"))
    attachment = await read_attachment(tmp_path / "two.pdf")
    assert attachment.content == "[Page 1]\nFirst page\n\n[Page 2]\nSecond page"
    assert (attachment.media_type, attachment.about) == ("application/pdf", "2 pages")


@pytest.mark.wire
async def test_a_pdf_without_text_or_with_a_password_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(pdf(""))
    assert "scan.pdf holds no text" in await refused(tmp_path / "scan.pdf")
    writer = pytest.importorskip("pypdf").PdfWriter(io.BytesIO(pdf("Secret")))
    writer.encrypt("password", algorithm="RC4-128")
    writer.write(str(tmp_path / "locked.pdf"))
    assert "encrypted" in await refused(tmp_path / "locked.pdf")


def pdf(*pages: str) -> bytes:
    """Return a PDF with a line of text on each page."""
    pypdf = pytest.importorskip("pypdf")
    generic = pypdf.generic
    writer = pypdf.PdfWriter()
    for text in pages:
        page = writer.add_blank_page(300, 300)
        font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
        names = {generic.NameObject(key): generic.NameObject(value) for key, value in font.items()}
        fonts = generic.DictionaryObject({generic.NameObject("/F1"): generic.DictionaryObject(names)})
        page[generic.NameObject("/Resources")] = generic.DictionaryObject({generic.NameObject("/Font"): fonts})
        stream = generic.DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode() if text else b"")
        page[generic.NameObject("/Contents")] = writer._add_object(stream)
    content = io.BytesIO()
    writer.write(content)
    return content.getvalue()
