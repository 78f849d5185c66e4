"""Documents as text, with notes for the user and for the model about anything that the text does not show."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any, NamedTuple
from zipfile import ZipFile

from desktop_app.conversation.words import translatable

if TYPE_CHECKING:
    from lxml.etree import _Element

OFFICE = "application/vnd.openxmlformats-officedocument."


class Unreadable(Exception):
    """Raised with the reason why a file cannot be read. advice: "" for the usual one."""

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(reason)
        self.advice = advice


class DocumentNote(NamedTuple):
    """Something about a document that its text does not show. chip: for the user, in a few words. sentence: for the
    model."""

    chip: str
    sentence: str


class PagePicture(NamedTuple):
    """A page that is sent as a picture."""

    number: int
    content: bytes


class DocumentText(NamedTuple):
    """A document as text. about: its size in words, such as "14 pages"."""

    media_type: str
    text: str
    about: str
    notes: tuple[DocumentNote, ...] = ()
    pictures: tuple[PagePicture, ...] = ()

    @property
    def content(self) -> str:
        """The text with the notes for the model before it."""
        notes = " ".join(note.sentence for note in self.notes)
        return f"[About this file: {notes}]\n{self.text}" if notes else self.text

    @property
    def chip(self) -> str:
        """The size and the notes for the user."""
        return " · ".join([self.about, *(note.chip for note in self.notes)])


PAGES = translatable("1 page"), translatable("{count} pages")
WORDS = translatable("1 word"), translatable("{count} words")
SHEETS = translatable("1 sheet"), translatable("{count} sheets")


def count_of(number: int, nouns: tuple[str, str]) -> str:
    """Return "1 page", "14 pages". nouns: for one, and for several."""
    return nouns[0] if number == 1 else nouns[1].format(count=f"{number:,}")


def parse_part(file: IO[bytes]) -> Any:
    """Return the root of an XML part of a document, which loads nothing and expands nothing."""
    import lxml.etree as xml

    return xml.parse(file, xml.XMLParser(resolve_entities=False, no_network=True)).getroot()


def open_document_content(zipped: ZipFile) -> Any:
    """Return the root of the content of an OpenDocument file. Raises Unreadable if it is encrypted."""
    if "META-INF/manifest.xml" in zipped.namelist() and b"encryption-data" in zipped.read("META-INF/manifest.xml"):
        raise Unreadable("is encrypted")
    with zipped.open("content.xml") as part:
        return parse_part(part)


def local_name(element: _Element) -> str:
    """Return an element's name without its namespace; "" for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute_of(element: _Element, name: str) -> str:
    """Return an attribute by its local name; "" if there is none."""
    return next((str(value) for key, value in element.attrib.items() if str(key).rpartition("}")[2] == name), "")
