"""Documents as real programs write them: what is read, and what is said on the chip and to the model.

The files are our own, written with LibreOffice 7.4.7, openpyxl 3.1.5, XlsxWriter 3.3.1, xlwt 1.3.0, reportlab 5.1.0 and
PyMuPDF 2.0, and by hand.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from desktop_app.conversation.message import Attachment
from desktop_app.tools.read_attachments import read_attachment, read_attachments
from desktop_app.tools.sheet_numbers import format_value, plain_number
from desktop_app.tools.sheet_reader import column_name, column_number, moved_formula

FILES = Path(__file__).parents[1] / "data" / "documents"


class Document(NamedTuple):
    """A file, the lines that must be in its text, and the parts of its chip."""

    name: str
    lines: list[str]
    chip: list[str]


DOCUMENTS = [
    Document(
        "tracked.docx",
        [
            "The monthly rent is [deleted: 1,200]1,450 euros, due on the first.",
            "The tenant may terminate with three months notice.",
        ],
        ["tracked changes: 3"],
    ),
    Document(
        "contentcontrols.docx",
        ["Project title: Lighthouse (in a block control)", "Name: Ada Example (inline control)."],
        ["18 words"],
    ),
    Document(
        "textbox.docx",
        ["Curriculum vitae", "[Text box] Work experience: five years at the lighthouse (in a text box)", "End."],
        [],
    ),
    Document(
        "lease_libreoffice.docx",
        [
            "[Header] Contract 17 header",
            "# Lease",
            "The rent is [deleted: 1,200]1,450 euros[^1], due[^2] on the first[comment by Bob: Why?].",
            "[Text box]\nInside the box\nSecond line\n[End of the text box]",
            "tall | b",
            "tall | outer [table: n1 | n2]",
            "[^1]: Heating included.",
            "[^2]: By transfer.",
            "[Footer] Page 1 footer",
        ],
        ["tracked changes: 2", "comments: 1"],
    ),
    Document("formulas_uncached.xlsx", ["lamp\t40", "total\t=SUM(B2:B3)"], ["formulas without values: 1"]),
    Document(
        "costs_openpyxl.xlsx",
        [
            "01067\t19%\t1,450.50 €\t2026-11-27\t2026-11-27 14:30:00\t=1/0\t=SUM(C2:C2)",
            "[Merged cells: A4:C4]",
            "[Hidden: columns G, row 2]",
            "[comment on B2 by Ada: Really?]",
            "[Sheet Secret (hidden), from C5]\nhid",
        ],
        ["2 sheets", "formulas without values: 2", "hidden sheets: 1"],
    ),
    Document(
        "costs_libreoffice.xlsx",
        ["01067\t19%\t1,450.50 €\t2026-11-27\t2026-11-27 14:30:00\t#DIV/0!\t1450.5"],
        ["cells with errors: 1", "hidden sheets: 1"],
    ),
    Document(
        "costs_libreoffice.ods",
        ["01067\t19%\t1,450.50 €\t27.11.2026\t2026-11-27 14:30:00\t#DIV/0!\t1,450.50 €", "[Merged cells: A4:C4]"],
        ["cells with errors: 1", "hidden sheets: 1"],
    ),
    Document(
        "sum_xlsxwriter.xlsx",  # writes 0 as the value of each formula
        ["40\t01067", "60", "=SUM(A1:A2)", "[Text box] A box"],
        ["formulas without values: 1", "charts and pictures are not read"],
    ),
    Document(
        "drawn_reportlab.pdf",
        ["[Page 2, without text]"],
        ["pages without text: 1", "pages with pictures that are not read: 1"],
    ),
    Document("old_xlwt.xls", ["1067\t0.19"], ["without number formats"]),
    Document(
        "form_of_a_writer.pdf",
        ["[Form field name: Ada Example]", "[Form field wage: 1450 euros]", "[Form field nights: checked]"],
        ["form fields: 3"],
    ),
    Document(
        "form_reportlab.pdf",
        [
            "[Form field name (Full name): Ada Example]",
            "[Form field empty: empty]",
            "[Form field agree: checked]",
            "[Form field news: not checked]",
            "[Form field town: Bremen]",
            "[Form field pay: monthly]",
        ],
        ["form fields: 6"],
    ),
    Document(
        "comments_pymupdf.pdf",
        ["[Comment: Is this right?]", "[Comment on marked text by Ada: Too much]", "[Text box: Free text here]"],
        ["comments: 3"],
    ),
    Document("partscan.pdf", ["[Page 2, a picture that is attached]"], ["3 pages", "2 of 3 pages are pictures"]),
]


@pytest.mark.wire
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
async def test_what_a_document_shows_is_read_and_the_rest_is_said(document: Document) -> None:
    attachment = await read_attachment(FILES / document.name)
    for lines in document.lines:
        assert f"\n{lines}\n" in f"\n{attachment.content}\n"
    assert set(document.chip) <= set(attachment.about.split(" · "))
    is_noted = attachment.content.startswith("[About this file: ")
    assert is_noted == (len(attachment.about.split(" · ")) > 1), "what is on the chip is said to the model"


def picture_of(attachment: Attachment) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(attachment.content.partition(",")[2]))).convert("L")


@pytest.mark.wire
async def test_pages_that_are_only_pictures_are_attached_as_pictures() -> None:
    """Of a page in four strips, one with the scanner's line, one that lies on its side, and one in black and white; not
    of pages with text, also if they have a logo."""
    text, *pages = await read_attachments(FILES / "scans_reportlab.pdf")
    assert "4 of 6 pages are pictures" in text.about
    assert [page.name for page in pages] == [f"scans_reportlab.pdf, page {number}" for number in (2, 3, 4, 5)]
    assert "[Page 3, a picture that is attached]\nScanned with a telephone" in text.content
    assert "[Page 6]\nJust a logo page" in text.content
    for page in pages:
        picture = picture_of(page)
        assert max(picture.size) == 1_568
        dark = ImageOps.invert(picture).point([0] * 128 + [255] * 128).getbbox()
        assert dark is not None
        # Twenty lines that begin at the top left; on the page that lies on its side, at the bottom left.
        left, top, right, bottom = dark
        assert left < picture.width / 4
        assert bottom - top > picture.height / (8 if "page 4" in page.name else 2)
        assert (bottom > picture.height * 0.8) == ("page 4" in page.name)
        assert right < picture.width


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1067, "00000", "01067"),
        (0.19, "0%", "19%"),
        (0.1234, "0.00%", "12.34%"),
        (1450, '#,##0.00 "€"', "1,450.00 €"),
        (1450, "[$€-407] #,##0.00", "€ 1,450.00"),
        (-1450.5, "#,##0.00_);(#,##0.00)", "(1,450.50)"),
        (-1450.5, "#,##0.00;[Red]-#,##0.00", "-1,450.50"),
        (45_000, "dd/mm/yyyy", "2023-03-15"),
        (45_000.5, "m/d/yy h:mm", "2023-03-15 12:00"),
        (0.75, "h:mm AM/PM", "18:00"),
        (1.5, "[h]:mm", "36:00:00"),
        (123_456_789, "000-00-0000", "123-45-6789"),
        (1_234_567, '0.0,,"M"', "1.2M"),
        (1_234_567, '#,##0,"k"', "1,235k"),
        (0, '#,##0;-#,##0;"-"', "-"),
        (5, "0.##", "5"),
        (0.5, "# ?/?", "0.5"),
        (12_345, "0.00E+00", "1.23E+04"),
        (0.1 + 0.2, "", "0.3"),
        (15, '0 "°C"', "15 °C"),
        (7, '[>=10]"big";"small"', "small"),
        (3.5, "General", "3.5"),
    ],
)
def test_a_number_is_shown_as_its_format_says(value: float, code: str, shown: str) -> None:
    assert format_value(value, code) == shown


@given(st.floats(-1e12, 1e12), st.text(st.sampled_from('0#?.,;%@E+-[]$€"\\_*ymdhs/ Ge'), max_size=20))
def test_any_format_shows_something_without_failing(value: float, code: str) -> None:
    assert isinstance(format_value(value, code), str)


@given(st.integers(0, 999_999))
def test_digits_stay_what_they_are(number: int) -> None:
    assert format_value(number, "#,##0").replace(",", "") == str(number)
    assert format_value(number, "000000") == f"{number:06}"
    assert format_value(number / 100, "0.00") == f"{number // 100}.{number % 100:02}"
    assert plain_number(number) == str(number)


@given(st.integers(1, 16_384))
def test_columns_are_counted_in_letters(number: int) -> None:
    assert column_number(column_name(number)) == number


def test_a_shared_formula_moves_with_its_cell() -> None:
    assert moved_formula('SUM(A1:$B$2)*LOG10(C3)&"A1"', 2, 1) == 'SUM(B3:$B$2)*LOG10(D5)&"A1"'
