"""Documents with one damaged part: the others are read, and the chip and the model are given what could not be read.

The files are made here, as programs write them; the damage is what a bad disk, a broken transfer or a careless program
leaves behind.
"""

from __future__ import annotations

import base64
import dataclasses
import io
import zlib
from collections.abc import Callable
from pathlib import Path

import pypdf.filters
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    NameObject,
    NullObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)

from desktop_app.tools.document_text import DocumentText
from desktop_app.tools.pdf_reader import number_ranges, read_pdf

PAGES = 3
WORDS = "The lighthouse keeper counts ships"


def content_of(number: int, *, is_packed: bool = False) -> StreamObject:
    """Return a page's content: twenty lines of text."""
    lines = "".join(f"BT /F1 12 Tf 72 {760 - 14 * n} Td ({WORDS} {number}.{n}) Tj ET\n" for n in range(20)).encode()
    stream = StreamObject()
    stream._data = zlib.compress(lines) if is_packed else lines
    if is_packed:
        stream[NameObject("/Filter")] = NameObject("/FlateDecode")
    return stream


def words(**entries: object) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{key}"): value for key, value in entries.items()})


def whole() -> PdfWriter:
    """Return three pages, each with text, a form field and a comment."""
    writer = PdfWriter()
    for number in range(1, PAGES + 1):
        page = writer.add_blank_page(595, 842)
        font = words(Type=NameObject("/Font"), Subtype=NameObject("/Type1"), BaseFont=NameObject("/Helvetica"))
        page[NameObject("/Resources")] = words(Font=words(F1=font))
        page[NameObject("/Contents")] = writer._add_object(content_of(number, is_packed=True))
        field = words(
            Subtype=NameObject("/Widget"), FT=NameObject("/Tx"), T=TextStringObject(f"field{number}"),
            V=TextStringObject(f"value {number}"),
        )  # fmt: skip
        note = words(Subtype=NameObject("/Text"), Contents=TextStringObject(f"remark {number}"))
        page[NameObject("/Annots")] = ArrayObject([writer._add_object(field), writer._add_object(note)])
    return writer


def read(writer: PdfWriter, folder: Path) -> DocumentText:
    writer.write(folder / "file.pdf")
    return read_pdf(str(folder / "file.pdf"))


def packed(content: bytes) -> StreamObject:
    stream = StreamObject()
    stream._data = content
    stream[NameObject("/Filter")] = NameObject("/FlateDecode")
    return stream


def set_content(value: Callable[[], object]) -> Callable[[DictionaryObject], None]:
    return lambda page: page.__setitem__(NameObject("/Contents"), value())


def in_field(key: str, value: object) -> Callable[[DictionaryObject], None]:
    return lambda page: page["/Annots"][0].get_object().__setitem__(NameObject(key), value)


def in_comment(key: str, value: object) -> Callable[[DictionaryObject], None]:
    return lambda page: page["/Annots"][1].get_object().__setitem__(NameObject(key), value)


def annotation(number: int, value: object) -> Callable[[DictionaryObject], None]:
    return lambda page: page["/Annots"].__setitem__(number, value)


def unknown_filter() -> StreamObject:
    stream = content_of(2)
    stream[NameObject("/Filter")] = NameObject("/Unheard")
    return stream


LINES = zlib.compress("".join(f"BT ({WORDS}) Tj ET\n" for _ in range(2_000)).encode())
NOT_READ, IN_PART = "could not be read: page 2", "read only in part: page 2"
FIELDS, COMMENTS = "form fields that could not be read: 1", "comments that could not be read: 1"
DAMAGES = {
    "content is a number": (set_content(lambda: NumberObject(17)), NOT_READ),
    "content was packed in an unknown way": (set_content(unknown_filter), NOT_READ),
    "content is noise": (set_content(lambda: packed(b"\x78\x9c" + b"noise, no data" * 30)), NOT_READ),
    "content begins with noise": (set_content(lambda: packed(b"no" + LINES[4:])), NOT_READ),
    "resources are a list": (lambda page: page.update({NameObject("/Resources"): ArrayObject()}), NOT_READ),
    "flags of a field are a word": (in_field("/Ff", TextStringObject("many")), FIELDS),
    "choices of a field are a number": (in_field("/Opt", NumberObject(7)), FIELDS),
    "a comment is a dictionary": (in_comment("/Contents", words(A=NumberObject(1))), COMMENTS),
    "a comment is a list": (annotation(1, ArrayObject()), COMMENTS),
    "all comments are a number": (lambda page: page.update({NameObject("/Annots"): NumberObject(5)}), COMMENTS),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_one_damaged_part_is_named_and_the_others_are_read(tmp_path: Path, name: str) -> None:
    damage, chip = DAMAGES[name]
    writer = whole()
    damage(writer.pages[1])
    document = read(writer, tmp_path)
    assert chip in document.chip.split(" · ")
    assert "page 2" in document.content.partition("\n")[0], "said to the model as well"
    for number in (1, 3):
        assert f"{WORDS} {number}.19" in document.text
        assert f"[Form field field{number}: value {number}]" in document.text
        assert f"[Comment: remark {number}]" in document.text
    assert (f"{WORDS} 2.19" in document.text) == (chip != NOT_READ)
    assert ("[Page 2, which could not be read]" in document.text) == (chip == NOT_READ)


def test_a_whole_file_has_nothing_that_could_not_be_read(tmp_path: Path) -> None:
    assert read(whole(), tmp_path).chip == "3 pages · comments: 3 · form fields: 3"


@given(st.integers(20, 95))
def test_a_content_that_is_cut_off_is_never_taken_for_whole(share: int) -> None:
    writer = whole()
    content = content_of(2, is_packed=True)._data
    writer.pages[1][NameObject("/Contents")] = packed(content[: len(content) * share // 100])
    file = io.BytesIO()
    writer.write(file)
    document = read_pdf(file)  # type: ignore[arg-type]  # pypdf takes files as well
    assert {NOT_READ, IN_PART} & {*document.chip.split(" · ")}


def test_a_content_without_its_checksum_is_whole(tmp_path: Path) -> None:
    writer = whole()
    content = content_of(2, is_packed=True)._data
    writer.pages[1][NameObject("/Contents")] = packed(content[:-4])
    assert read(writer, tmp_path).chip == "3 pages · comments: 3 · form fields: 3"


def test_pages_that_are_lost_are_counted(tmp_path: Path) -> None:
    writer = whole()
    writer._root_object["/Pages"]["/Kids"][1] = NullObject()
    document = read(writer, tmp_path)
    assert document.chip.startswith("2 pages · pages that could not be found: 1")
    assert "not found, nor counted: 1" in document.content


def test_a_damaged_list_of_embedded_files_is_said(tmp_path: Path) -> None:
    writer = whole()
    writer._root_object[NameObject("/Names")] = words(EmbeddedFiles=NumberObject(5))
    assert "embedded files could not" in read(writer, tmp_path).chip


def scan(*filters: str, content: bytes) -> PdfWriter:
    """Return a page of text, and one that is only a picture."""
    writer = whole()
    del writer.pages[2]["/Annots"]
    picture = StreamObject()
    picture._data = content
    picture.update(
        words(
            Subtype=NameObject("/Image"), Width=NumberObject(600), Height=NumberObject(800),
            ColorSpace=NameObject("/DeviceGray"), BitsPerComponent=NumberObject(1),
            Filter=ArrayObject(NameObject(name) for name in filters),
        )
    )  # fmt: skip
    shown = StreamObject()
    shown._data = b"595 0 0 842 0 0 cm /Im0 Do"
    writer.pages[2][NameObject("/Resources")] = words(XObject=words(Im0=writer._add_object(picture)))
    writer.pages[2][NameObject("/Contents")] = writer._add_object(shown)
    return writer


def test_a_damaged_picture_of_a_page_is_named(tmp_path: Path) -> None:
    document = read(scan("/FlateDecode", content=b"\x78\x9cnoise" * 20), tmp_path)
    assert "could not be read: page 3" in document.chip
    assert "[Page 3, a picture that is not read]" in document.text


def test_a_picture_that_needs_another_program_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = dataclasses.replace(pypdf.filters.get_configuration(), jbig2dec_binary=None)
    monkeypatch.setattr(pypdf.filters, "get_configuration", lambda: lacking)
    document = read(scan("/JBIG2Decode", content=b"any"), tmp_path)
    assert "could not be read: page 3" in document.chip
    assert "jbig2dec is not installed" in document.chip
    assert "need the program jbig2dec" in document.content


JBIG2 = "AAAAADAAAQAAABMAAABAAAAAMAAAAAAAAAAAAQAAAAAAASYAAQAAADUAAABAAAAAMAAAAAAAAAAAAAAD//3/Av7+/v9l8KAc4efN"
JBIG2 += "6u9h+Tj/f/60mrDITQf3OSj/rA=="
"""64 by 48 pixels, which jbig2enc 0.30 wrote for a PDF: black are 8 columns on the left, 8 rows on top and a square."""


def test_a_scan_in_jbig2_is_read_if_its_program_is_installed(tmp_path: Path) -> None:
    """A page that jbig2enc wrote in its generic and its symbol mode was read likewise."""
    writer = scan("/JBIG2Decode", content=base64.b64decode(JBIG2))
    picture = writer.pages[2]["/Resources"]["/XObject"]["/Im0"].get_object()
    picture.update(words(Width=NumberObject(64), Height=NumberObject(48)))
    document = read(writer, tmp_path)
    if pypdf.filters.get_configuration().jbig2dec_binary is None:
        assert "jbig2dec is not installed" in document.chip
        return
    (page,) = document.pictures
    seen = Image.open(io.BytesIO(page.content)).convert("L")
    across, down = seen.width / 64, seen.height / 48
    points = {(4, 24): 0, (32, 4): 0, (48, 32): 0, (24, 24): 255, (60, 44): 255}
    assert {(x, y): 255 * (seen.getpixel((int(x * across), int(y * down))) > 127) for x, y in points} == points


@given(st.sets(st.integers(1, 40)))
def test_ranges_of_pages_hold_all_of_them(numbers: set[int]) -> None:
    found: set[int] = set()
    for text in filter(None, number_ranges([*numbers]).replace("…", "").split(", ")):
        first, _, last = text.partition("–")
        found |= {*range(int(first), int(last or first) + 1)}
    assert found == numbers or ("…" in number_ranges([*numbers]) and found < numbers)


def test_the_files_made_here_are_valid() -> None:
    file = io.BytesIO()
    whole().write(file)
    assert len(PdfReader(file, strict=True).pages) == PAGES
