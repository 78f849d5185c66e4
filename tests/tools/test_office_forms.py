"""Files of Word, Excel and LibreOffice in all their forms, known by their content: read the same, or refused by name.

LibreOffice 7.4.7 wrote `lease_libreoffice.docx` and saved it as odt. The strict form is made here.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

import pytest

from desktop_app.chat.ports import WorldError
from desktop_app.tools.document_text import Unreadable
from desktop_app.tools.odt_reader import read_odt
from desktop_app.tools.office_files import ATTACH_FILES, EXPORT_PDF, SAVE_NEWER, office_kind
from desktop_app.tools.read_attachments import read_attachment
from desktop_app.tools.sheet_reader import read_sheets
from desktop_app.tools.word_reader import read_docx

FILES = Path(__file__).parents[1] / "data" / "documents"
LEASE = FILES / "lease_libreoffice.docx"
WORD = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
Change = Callable[[str, bytes], bytes]


def changed(file: Path, target: Path, change: Change) -> str:
    """Write a copy of a file of Office with changed parts. Returns its path."""
    with ZipFile(file) as old, ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return str(target)


def strict(name: str, content: bytes) -> bytes:
    """Return a part with the names of ISO's strict form."""
    names = re.sub(
        rb"http://schemas.openxmlformats.org/(\w+)/2006/(\w+)", rb"http://purl.oclc.org/ooxml/\1/\2", content
    )
    package = rb"http://purl.oclc.org/ooxml/package/(relationships|content-types|metadata)"
    return re.sub(package, rb"http://schemas.openxmlformats.org/package/2006/\1", names)


def typed(kind: bytes) -> Change:
    return lambda name, content: content.replace(WORD, kind) if name == "[Content_Types].xml" else content


FORMS: dict[str, Change] = {
    "strict.docx": strict,
    "macros.docm": typed(b"application/vnd.ms-word.document.macroEnabled.main+xml"),
    "template.dotx": typed(b"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml"),
    "template.dotm": typed(b"application/vnd.ms-word.template.macroEnabledTemplate.main+xml"),
    "no ending": lambda _, content: content,
    "another ending.zip": lambda _, content: content,
}


@pytest.mark.parametrize("name", FORMS)
def test_each_form_of_a_word_file_is_read_like_the_usual_one(tmp_path: Path, name: str) -> None:
    file = changed(LEASE, tmp_path / name, FORMS[name])
    assert office_kind(file) == "word"
    assert read_docx(file).content == read_docx(str(LEASE)).content


def test_an_odt_is_read_like_the_same_text_as_docx() -> None:
    odt, docx = read_odt(str(FILES / "lease_libreoffice.odt")), read_docx(str(LEASE))
    assert odt.content == docx.content
    assert odt.chip == docx.chip


@pytest.mark.parametrize("name", ["costs_libreoffice.xlsx", "costs_openpyxl.xlsx", "sum_xlsxwriter.xlsx"])
def test_strict_sheets_are_read_like_the_usual_ones(tmp_path: Path, name: str) -> None:
    file = changed(FILES / name, tmp_path / "strict.xlsx", strict)
    assert office_kind(file) == "sheets"
    assert read_sheets(file).content == read_sheets(str(FILES / name)).content


def flat(kind: str, body: str) -> str:
    spaces = {
        "office": "office", "text": "text", "table": "table", "style": "style", "fo": "xsl-fo-compatible",
        "form": "form", "draw": "drawing",
    }  # fmt: skip
    names = " ".join(f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for key, name in spaces.items())
    media = f"application/vnd.oasis.opendocument.{kind}"
    return (
        f'<?xml version="1.0"?>\n<office:document {names} xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'office:mimetype="{media}">{body}</office:document>'
    )


def in_text(content: str, before: str = "", styles: str = "") -> str:
    body = f"<office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>{before}{content}"
    return flat("text", f"{body}</office:text></office:body>")


NUMBERS = (
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"'
    ' style:num-suffix="." text:start-value="4"/><text:list-level-style-number text:level="2" style:num-format="a"'
    ' style:num-prefix="(" style:num-suffix=")" text:display-levels="2"/><text:list-level-style-bullet'
    ' text:level="3" text:bullet-char="•"/></text:list-style>'
)
HIDDEN = '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>'
ODT_SHAPES = {
    "numbers": (
        in_text(
            '<text:list text:style-name="L"><text:list-item><text:p>a</text:p><text:list><text:list-item>'
            "<text:p>b</text:p><text:list><text:list-item><text:p>c</text:p></text:list-item></text:list></text:list-item></text:list>"
            "</text:list-item><text:list-item><text:p>d</text:p><text:p>more</text:p></text:list-item></text:list>"
            '<text:list text:style-name="L" text:continue-numbering="true"><text:list-item><text:p>e</text:p>'
            '</text:list-item></text:list><text:list text:style-name="L"><text:list-item><text:p>f</text:p>'
            "</text:list-item></text:list>",
            styles=NUMBERS,
        ),
        "4. a\n(4.a) b\n    - c\n5. d\nmore\n6. e\n4. f",
    ),
    "spaces": (in_text('<text:p>a\n  b<text:s text:c="3"/>c<text:tab/>d<text:line-break/>e</text:p>'), "a b   c\td\ne"),
    "hidden": (
        in_text('<text:p>a <text:span text:style-name="H">b</text:span></text:p>', styles=HIDDEN),
        "a [hidden: b]",
    ),
    "deleted": (
        in_text(
            '<text:p>a<text:change text:change-id="c1"/>c</text:p>',
            '<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><office:change-info/>'
            "<text:p>b</text:p></text:deletion></text:changed-region></text:tracked-changes>",
        ),
        "a[deleted: b]c",
    ),
    "comment": (
        in_text(
            "<text:p>a<office:annotation><dc:creator>Ada</dc:creator><text:p>Why?</text:p></office:annotation></text:p>"
        ),
        "a[comment by Ada: Why?]",
    ),
    "fields": (
        in_text(
            '<text:p>Name: <draw:control draw:control="n"/>, paid: <draw:control draw:control="p"/></text:p>',
            '<office:forms><form:form><form:text form:id="n" form:name="name" form:current-value="Ada"/>'
            '<form:checkbox form:id="p" form:current-state="checked"/></form:form></office:forms>',
        ),
        "Name: [Form field name: Ada], paid: ☒",
    ),
    "spanned rows": (
        in_text(
            '<table:table><table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>a</text:p>'
            "</table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row><table:table-row>"
            "<table:covered-table-cell/><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row>"
            "</table:table>"
        ),
        "a | b\na | c",
    ),
    "box and picture": (
        in_text(
            "<text:p>a<draw:frame><draw:text-box><text:p>in</text:p></draw:text-box></draw:frame><draw:frame><draw:image/>"
            "</draw:frame></text:p>"
        ),
        "a[picture]\n[Text box] in",
    ),
    "section": (in_text("<text:section><text:h text:outline-level='2'>a</text:h></text:section>"), "## a"),
    "pages": (in_text("<text:p>a</text:p><text:soft-page-break/><text:p>b</text:p>"), "[Page 1]\na\n[Page 2]\nb"),
}


@pytest.mark.parametrize("name", ODT_SHAPES)
def test_what_an_odt_shows_is_read(tmp_path: Path, name: str) -> None:
    xml, text = ODT_SHAPES[name]
    file = tmp_path / "text.fodt"
    file.write_text(xml)
    assert office_kind(str(file)) == "odt"
    assert read_odt(str(file)).text == text


def test_a_flat_sheet_is_read(tmp_path: Path) -> None:
    cells = "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in ("lamp", "40"))
    table = f'<table:table table:name="Costs"><table:table-row>{cells}</table:table-row></table:table>'
    file = tmp_path / "sheet.fods"
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    file.write_text(flat("spreadsheet", body))
    assert office_kind(str(file)) == "sheets"
    assert read_sheets(str(file)).text == "[Sheet Costs]\nlamp\t40"


def zipped(**parts: str) -> bytes:
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_STORED) as file:
        for name, text in parts.items():
            file.writestr(name.replace("__", "/"), text)
    return content.getvalue()


def named(kind: str) -> bytes:
    return zipped(**{"[Content_Types].xml": f"<Types><Override ContentType='application/vnd.{kind}'/></Types>"})


def old(stream: str) -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + stream.encode("utf-16-le")


REFUSED = {
    "old.doc": (old("WordDocument") + old("Workbook"), "Word before 2007", SAVE_NEWER),
    "old.ppt": (old("PowerPoint Document"), "a presentation", EXPORT_PDF),
    "locked.docx": (old("EncryptedPackage"), "is encrypted", ""),
    "mail.msg": (old("__properties_version1.0"), "a message of Outlook", ""),
    "new.pptx": (
        named("openxmlformats-officedocument.presentationml.presentation.main+xml"),
        "a presentation",
        EXPORT_PDF,
    ),
    "slides.odp": (zipped(mimetype="application/vnd.oasis.opendocument.presentation"), "a presentation", EXPORT_PDF),
    "book.epub": (zipped(mimetype="application/epub+zip"), "an electronic book", EXPORT_PDF),
    "drawing.vsdx": (named("ms-visio.drawing.main+xml"), "a drawing of Visio", EXPORT_PDF),
    "files.zip": (zipped(a="1", b="2"), "an archive of other files", ATTACH_FILES),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_refused_with_what_it_is(tmp_path: Path, name: str) -> None:
    content, reason, advice = REFUSED[name]
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(Unreadable, match=reason) as refused:
        office_kind(str(file))
    assert refused.value.advice == advice


@pytest.mark.wire
async def test_a_refusal_says_what_to_do_instead(tmp_path: Path) -> None:
    file = tmp_path / "slides.pptx"
    file.write_bytes(REFUSED["new.pptx"][0])
    with pytest.raises(WorldError) as refused:
        await read_attachment(file)
    assert refused.value.failure.title == "slides.pptx is a presentation, which is not read"
    assert refused.value.failure.advice == EXPORT_PDF


# Damage


def without(part: str) -> Change:
    """Return a change that cuts off the second half of a part, as a broken transfer does."""
    return lambda name, content: content[: len(content) // 2] if name == part else content


@pytest.mark.parametrize("part", ["comments", "header1", "footnotes", "styles", "settings", "numbering"])
def test_a_damaged_part_of_a_word_file_is_named(tmp_path: Path, part: str) -> None:
    with ZipFile(LEASE) as lease:
        if f"word/{part}.xml" not in lease.namelist():
            part = next(name for name in lease.namelist() if part.rstrip("1") in name).removeprefix("word/")[:-4]
    document = read_docx(changed(LEASE, tmp_path / "damaged.docx", without(f"word/{part}.xml")))
    assert f"damaged and read only in part: {part}" in document.chip
    assert f"was not read: {part}" in document.content.partition("\n")[0]
    assert "1,450 euros" in document.text


def test_the_whole_part_of_a_damaged_text_is_read(tmp_path: Path) -> None:
    document = read_docx(changed(LEASE, tmp_path / "damaged.docx", without("word/document.xml")))
    assert "damaged and read only in part: document" in document.chip
    assert "Lease" in document.text


def test_a_comment_that_is_lost_is_counted(tmp_path: Path) -> None:
    def lost(name: str, content: bytes) -> bytes:
        return content.replace(b'w:id="0"', b'w:id="77"') if name == "word/comments.xml" else content

    document = read_docx(changed(LEASE, tmp_path / "lost.docx", lost))
    assert "[a comment that could" in document.text
    assert "notes or comments that could not be read: 1" in document.chip


COSTS = FILES / "costs_openpyxl.xlsx"


@pytest.mark.parametrize(
    ("part", "chip"),
    [
        ("xl/worksheets/sheet1.xml", "sheets that could not be read as a whole: 1"),
        ("xl/sharedStrings.xml", "cells that could not be read: "),
        ("xl/styles.xml", "without number formats"),
    ],
)
def test_a_damaged_part_of_a_spreadsheet_is_said(tmp_path: Path, part: str, chip: str) -> None:
    costs = FILES / "costs_libreoffice.xlsx"
    document = read_sheets(changed(costs, tmp_path / "damaged.xlsx", without(part)))
    assert chip in document.chip
    assert document.content.startswith("[About this file: ")
    assert "[Sheet Secret (hidden)" in document.text


def test_damaged_comments_of_a_sheet_are_said(tmp_path: Path) -> None:
    with ZipFile(COSTS) as costs:
        part = next(name for name in costs.namelist() if "comments" in name and name.endswith(".xml"))
    document = read_sheets(changed(COSTS, tmp_path / "damaged.xlsx", without(part)))
    assert "sheets whose comments could not be read: 1" in document.chip
    assert "1067" in document.text


def test_a_sheet_that_is_missing_is_said(tmp_path: Path) -> None:
    target = tmp_path / "missing.xlsx"
    with ZipFile(COSTS) as whole, ZipFile(target, "w") as file:
        for name in whole.namelist():
            if name != "xl/worksheets/sheet1.xml":
                file.writestr(name, whole.read(name))
    document = read_sheets(str(target))
    assert "sheet is missing" in document.text
    assert "sheets that could not be read as a whole: 1" in document.chip
