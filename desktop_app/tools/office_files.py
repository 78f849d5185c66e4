"""Finds out by its content what an office file is, and mends Word files that python-docx does not open."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from typing import Literal
from zipfile import BadZipFile, ZipFile

from desktop_app.conversation.words import translatable

from .document_text import Unreadable

OfficeKind = Literal["word", "sheets", "odt"]
DAMAGE = (
    BadZipFile, zlib.error, SyntaxError, EOFError, OSError, NotImplementedError,
    LookupError, TypeError, ValueError, AttributeError, RecursionError,
)  # fmt: skip
"""What zipfile, lxml (whose errors of syntax are SyntaxErrors) and python-docx raise where a file is damaged."""
MAX_MENDED = 300_000_000
"""Bytes of the parts of a file that is mended."""
_OLD = b"\xd0\xcf\x11\xe0"
EXPORT_PDF = translatable("Export it as PDF in the program that made it, and attach that.")
SAVE_NEWER = translatable("Save it as docx, odt or PDF in the program that made it, and attach that.")
ATTACH_FILES = translatable("Attach the files in it one by one.")
_OLD_STREAMS: tuple[tuple[str, OfficeKind | Unreadable], ...] = (
    ("EncryptedPackage", Unreadable("is encrypted")),
    ("Workbook", "sheets"),
    ("Book", "sheets"),
    ("WordDocument", Unreadable("is in the format of Word before 2007 (doc), which is not read", SAVE_NEWER)),
    ("PowerPoint Document", Unreadable("is a presentation, which is not read", EXPORT_PDF)),
    ("__properties_version1.0", Unreadable("is a message of Outlook, which is not read", "")),
)
"""Streams of the formats before 2007, in the order in which they decide: a text may hold a sheet."""
_NEWER: tuple[tuple[str, OfficeKind | Unreadable], ...] = (
    (r"oasis\.opendocument\.text|sun\.xml\.writer", "odt"),
    (r"oasis\.opendocument\.spreadsheet", "sheets"),
    (
        r"oasis\.opendocument\.(presentation|graphics)",
        Unreadable("is a presentation or a drawing, which is not read", EXPORT_PDF),
    ),
    (r"epub\+zip", Unreadable("is an electronic book (EPUB), which is not read", EXPORT_PDF)),
    (r"(wordprocessingml\.(document|template)|ms-word\.(document|template)\.macroEnabled\w*)\.main\+xml", "word"),
    (r"(spreadsheetml\.(sheet|template)|ms-excel\.[\w.]+)\.main(\+xml)?", "sheets"),
    (r"presentationml|ms-powerpoint", Unreadable("is a presentation, which is not read", EXPORT_PDF)),
    (r"ms-visio", Unreadable("is a drawing of Visio, which is not read", EXPORT_PDF)),
)
"""What the type that a newer file names says of it."""
_MAIN_TYPE = re.compile(
    rb"application/vnd\.(?:ms-word\.\w+\.macroEnabled\w*|openxmlformats-officedocument\.wordprocessingml\.template)\.main\+xml"
)
_DOCUMENT_TYPE = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_ROOTS = {"header": "hdr", "footer": "ftr"}


def office_kind(file: str) -> OfficeKind:
    """Return how an office file is read. Raises Unreadable for one that is not, with what it is."""
    with open(file, "rb") as opened:
        start = opened.read(len(_OLD))
        found = _kind_of_old(opened.read(), file) if start == _OLD else None
    if start.startswith(b"<"):
        opening = _start_of(file)
        return "sheets" if "opendocument.spreadsheet" in opening else "odt"
    found = found or _kind_of_newer(file)
    if isinstance(found, Unreadable):
        raise found
    return found


def _start_of(file: str) -> str:
    with open(file, encoding="utf-8", errors="replace") as opened:
        return opened.read(4_000)


def _kind_of_old(content: bytes, file: str) -> OfficeKind | Unreadable:
    kinds: list[OfficeKind | Unreadable] = [kind for name, kind in _OLD_STREAMS if name.encode("utf-16-le") in content]
    is_text = file.lower().endswith((".doc", ".dot", ".ppt", ".pps", ".msg"))
    unread = [kind for kind in kinds if isinstance(kind, Unreadable)]
    if is_text and unread:
        return unread[0]
    return kinds[0] if kinds else Unreadable("is in a format of Office before 2007 that is not read", SAVE_NEWER)


def _kind_of_newer(file: str) -> OfficeKind | Unreadable:
    with ZipFile(file) as zipped:
        names = {*zipped.namelist()}
        types = "".join(_beginning(zipped, name) for name in ("mimetype", "[Content_Types].xml") if name in names)
    for pattern, kind in _NEWER:
        if re.search(pattern, types):
            return kind
    if "content.xml" in names and "META-INF/manifest.xml" in names:
        return "sheets" if file.lower().endswith((".ods", ".ots")) else "odt"
    if any(name.startswith("word/") for name in names):
        return "word"
    if any(name.startswith("xl/") for name in names):
        return "sheets"
    return Unreadable("is an archive of other files", ATTACH_FILES)


def _beginning(zipped: ZipFile, name: str) -> str:
    try:
        with zipped.open(name) as part:
            return part.read(200_000).decode(errors="replace")
    except DAMAGE:  # then the names of its parts tell
        return ""


def mended_word(file: str) -> tuple[io.BytesIO, tuple[str, ...]]:
    """Return a Word file in the form that python-docx takes, and the names of its damaged parts.

    Templates, files with macros and files in strict Open XML become usual ones; of damaged parts the whole beginning
    is kept.
    """
    content = io.BytesIO()
    damaged: list[str] = []
    with ZipFile(file) as zipped, ZipFile(content, "w") as mended:
        for name, part in _parts_of(zipped, damaged):
            mended.writestr(name, part)
    content.seek(0)
    return content, tuple(damaged)


def _parts_of(zipped: ZipFile, damaged: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of a Word file as python-docx takes them. damaged: gets the names of those that are."""
    size = 0
    for entry in zipped.infolist():
        name = entry.filename
        size += entry.file_size
        if size > MAX_MENDED:
            raise Unreadable("is too large to be read")
        try:
            content = zipped.read(entry)
        except DAMAGE:
            content = _beginning(zipped, name).encode()
            damaged += [] if "/media/" in name else [_words(name)]
        if name.endswith((".xml", ".rels")):
            content = well_formed(name, _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/\2", content), damaged)
        if name == "[Content_Types].xml":
            content = _MAIN_TYPE.sub(_DOCUMENT_TYPE, content)
        yield name, content


def _words(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".xml")


def well_formed(name: str, content: bytes, damaged: list[str]) -> bytes:
    """Return a part as it is, or what is whole of it. damaged: then gets its name."""
    import lxml.etree as xml

    try:
        xml.fromstring(content, xml.XMLParser(resolve_entities=False, no_network=True))
        return content
    except xml.XMLSyntaxError:
        if _words(name) not in damaged:
            damaged.append(_words(name))
    root = None
    if content:
        root = xml.fromstring(content, xml.XMLParser(recover=True, resolve_entities=False, no_network=True))
    if root is None:
        kind = re.sub(r"\d+$", "", _words(name))
        root = xml.Element(f"{{{_W}}}{_ROOTS.get(kind, kind) if kind.isidentifier() else 'damaged'}")
    return xml.tostring(root)
