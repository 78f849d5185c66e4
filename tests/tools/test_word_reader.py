"""What Word shows of its own markup: each kind in a small document, in the form that Word and LibreOffice write."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from desktop_app.tools.document_text import Unreadable
from desktop_app.tools.word_reader import read_docx

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPACES = " ".join(
    f'xmlns:{prefix}="{address}"'
    for prefix, address in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": OFFICE,
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
    }.items()
)
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def gone(text: str) -> str:
    return f'<w:del w:id="1"><w:r><w:delText xml:space="preserve">{text}</w:delText></w:r></w:del>'


def paragraph(content: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def document(path: Path, body: str, **parts: str) -> Path:
    """Write a document. parts: further parts by their names, such as footnotes."""
    links = "".join(
        f'<Relationship Id="{name}" Type="{OFFICE}/{name.rstrip("0123456789")}" Target="{name}.xml"/>' for name in parts
    )
    kinds = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{MAIN}.{name.rstrip("0123456789")}+xml"/>'
        for name in parts
    )
    package = "http://schemas.openxmlformats.org/package/2006"
    with ZipFile(path, "w") as file:
        file.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.'
            f'openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
            f'ContentType="{MAIN}.document.main+xml"/>{kinds}</Types>',
        )
        file.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="d" Type="{OFFICE}/officeDocument" '
            'Target="word/document.xml"/></Relationships>',
        )
        file.writestr(
            "word/_rels/document.xml.rels", f'<Relationships xmlns="{package}/relationships">{links}</Relationships>'
        )
        file.writestr("word/document.xml", f"<w:document {SPACES}><w:body>{body}</w:body></w:document>")
        for name, content in parts.items():
            file.writestr(f"word/{name}.xml", content)
    return path


DRAWN = (
    "<wp:inline><wp:docPr descr='{words}'/><a:graphic><a:graphicData>{inside}</a:graphicData></a:graphic></wp:inline>"
)
BOX = "<w:txbxContent>{inside}</w:txbxContent>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (paragraph(run("The rent is ") + gone("1,") + gone("200") + run("x")), "The rent is [deleted: 1,200]x"),
        (
            paragraph('<w:moveFrom w:id="1">' + run("here ") + "</w:moveFrom>" + run("stays"))
            + paragraph('<w:moveTo w:id="2">' + run("here") + "</w:moveTo>"),
            "[deleted: here ]stays\nhere",
        ),
        (paragraph('<w:hyperlink r:id="x">' + run("a link") + "</w:hyperlink>" + run("!")), "a link!"),
        (paragraph('<w:fldSimple w:instr="DATE">' + run("1 May") + "</w:fldSimple>"), "1 May"),
        (
            paragraph('<w:r><w:fldChar w:fldCharType="begin"/><w:instrText> PAGE </w:instrText></w:r>' + run("7")),
            "7",
        ),
        (
            paragraph(
                '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/>'
                "</w:checkBox></w:ffData></w:fldChar></w:r>" + run(" yes")
            ),
            "☒ yes",
        ),
        (
            paragraph(
                "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>"
                + run("Click here")
                + "</w:sdtContent></w:sdt>"
            ),
            "[empty field: Click here]",
        ),
        (paragraph('<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>' + run(" done")), "✓ done"),
        (paragraph(run("a") + "<w:r><w:tab/><w:noBreakHyphen/><w:br/></w:r>" + run("b")), "a\t-\nb"),
        (paragraph(run("seen ") + run("unseen", "<w:vanish/>")), "seen [hidden: unseen]"),
        (paragraph("<m:oMath><m:r><m:t>x</m:t></m:r><m:r><m:t>=1</m:t></m:r></m:oMath>"), "x=1"),
        (
            paragraph("<w:ruby><w:rt>" + run("kan") + "</w:rt><w:rubyBase>" + run("漢") + "</w:rubyBase></w:ruby>"),
            "漢",
        ),
        (
            paragraph("<w:r><w:drawing>" + DRAWN.format(words="A lamp", inside="<pic:pic/>") + "</w:drawing></w:r>"),
            "[picture: A lamp]",
        ),
        (
            paragraph(
                run("Sales ") + "<w:r><w:drawing>" + DRAWN.format(words="", inside="<c:chart/>") + "</w:drawing></w:r>"
            ),
            "Sales [chart]",
        ),
        (
            paragraph(
                run("Before")
                + "<w:r><w:pict><v:shape><v:textbox>"
                + BOX.format(inside=paragraph(run("one")) + paragraph(run("two")))
                + "</v:textbox></v:shape></w:pict></w:r>"
            ),
            "Before\n[Text box]\none\ntwo\n[End of the text box]",
        ),
        (paragraph('<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>'), "[Word art] DRAFT"),
        (
            "<w:tbl>" + row(cell(paragraph(run("a"))), cell(paragraph(run("b")))) + "</w:tbl>",
            "a | b",
        ),
        (
            "<w:tbl><w:sdt><w:sdtContent>"
            + row(
                "<w:sdt><w:sdtContent>" + cell(paragraph(run("a"))) + "</w:sdtContent></w:sdt>",
                cell(paragraph(run("b"))),
            )
            + "</w:sdtContent></w:sdt></w:tbl>",
            "a | b",
        ),
        (
            "<w:tbl>"
            + row(cell(paragraph(run("old"))), properties='<w:del w:id="1"/>')
            + row(cell(paragraph(run("new")) + "<w:tbl>" + row(cell(paragraph(run("in")))) + "</w:tbl>"))
            + "</w:tbl>",
            "[deleted: old]\nnew [table: in]",
        ),
        (
            "<w:tbl>"
            + row(cell(paragraph(run("wide")), '<w:gridSpan w:val="2"/>'))
            + row(cell(paragraph(run("tall")), '<w:vMerge w:val="restart"/>'), cell(paragraph(run("1"))))
            + row(cell(paragraph(""), "<w:vMerge/>"), cell(paragraph(run("2"))))
            + "</w:tbl>",
            "wide | \ntall | 1\ntall | 2",
        ),
        (
            paragraph(run("one")) + paragraph("<w:r><w:lastRenderedPageBreak/></w:r>" + run("two")),
            "[Page 1]\none\n[Page 2]\ntwo",
        ),
        (
            "<w:sdt><w:sdtContent><w:sdt><w:sdtContent>"
            + paragraph(run("deep"))
            + "</w:sdtContent></w:sdt></w:sdtContent></w:sdt>",
            "deep",
        ),
    ],
)
def test_what_word_shows_is_read(tmp_path: Path, body: str, text: str) -> None:
    assert read_docx(str(document(tmp_path / "a.docx", body))).text == text


def test_notes_comments_and_margins_are_read(tmp_path: Path) -> None:
    def part(root: str, inside: str) -> str:
        return f"<w:{root} {SPACES}>{inside}</w:{root}>"

    separator = f'<w:footnote w:id="0" w:type="separator">{paragraph("")}</w:footnote>'
    body = (
        paragraph(run("Rent") + '<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:endnoteReference w:id="1"/></w:r>')
        + paragraph(run("Due") + '<w:r><w:commentReference w:id="5"/></w:r>')
        + '<w:sectPr><w:headerReference w:type="first" r:id="header1"/>'
        '<w:headerReference w:type="default" r:id="header2"/>'
        '<w:footerReference w:type="default" r:id="footer1"/></w:sectPr>'
    )
    path = document(
        tmp_path / "a.docx",
        body,
        footnotes=part("footnotes", separator + f'<w:footnote w:id="2">{paragraph(run("Heated."))}</w:footnote>'),
        endnotes=part("endnotes", f'<w:endnote w:id="1">{paragraph(run("By law."))}</w:endnote>'),
        comments=part("comments", f'<w:comment w:id="5" w:author="Ada">{paragraph(run("When?"))}</w:comment>'),
        header1=part("hdr", paragraph(run("only on a title page"))),
        header2=part("hdr", paragraph(run("Contract"))),
        footer1=part("ftr", paragraph(run("Page 1"))),
    )
    document_read = read_docx(str(path))
    assert document_read.text == (
        "[Header] Contract\nRent[^1][^2]\nDue[comment by Ada: When?]\n[^1]: Heated.\n[^2]: By law.\n[Footer] Page 1"
    )
    assert document_read.chip.endswith("comments: 1")


def test_a_document_of_pictures_alone_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"holds no text$"):
        read_docx(str(document(tmp_path / "a.docx", paragraph(""))))


def test_numbers_and_bullets_are_counted_as_word_counts_them(tmp_path: Path) -> None:
    def level(number: int, kind: str, text: str, more: str = "") -> str:
        shape = f'<w:start w:val="1"/><w:numFmt w:val="{kind}"/>{more}<w:lvlText w:val="{text}"/>'
        return f'<w:lvl w:ilvl="{number}">{shape}</w:lvl>'

    legal = level(0, "decimal", "Clause %1.") + level(1, "decimal", "%1.%2") + level(2, "lowerLetter", "(%3)")
    numbering = (
        f'<w:numbering {SPACES}><w:abstractNum w:abstractNumId="0">{legal}</w:abstractNum>'
        f'<w:abstractNum w:abstractNumId="1">{level(0, "bullet", "·")}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
        '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/>'
        "</w:lvlOverride></w:num></w:numbering>"
    )

    def item(text: str, at: int, of: int = 1) -> str:
        return paragraph(run(text), f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{of}"/></w:numPr>')

    items = [
        ("Rent", 0, 1),
        ("Due", 1, 1),
        ("cash", 2, 1),
        ("card", 2, 1),
        ("Late", 1, 1),
        ("Term", 0, 1),
        ("By", 1, 1),
    ]
    body = "".join(item(*each) for each in items) + item("lamp", 0, 2) + item("End", 0, 3) + item("Off", 0, 0)
    lines = read_docx(str(document(tmp_path / "a.docx", body, numbering=numbering))).text.split("\n")
    assert lines[:7] == ["Clause 1. Rent", "1.1 Due", "(a) cash", "(b) card", "1.2 Late", "Clause 2. Term", "2.1 By"]
    assert lines[7:] == ["- lamp", "Clause 7. End", "Off"]


def test_controls_that_are_nested_too_deeply_are_counted_as_unread(tmp_path):
    body = paragraph(run("innermost"))
    for _ in range(70):
        body = f"<w:sdt><w:sdtContent>{body}</w:sdtContent></w:sdt>"
    read = read_docx(str(document(tmp_path / "nested.docx", paragraph(run("before")) + body)))
    assert read.text == "before"
    assert "1 embedded document" in read.chip
