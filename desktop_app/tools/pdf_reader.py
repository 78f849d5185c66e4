"""Reads PDF files: the text of pages, form fields and comments; pages that are only pictures become pictures.

One damaged part does not spoil the others: it is passed over, and what could not be read is said.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError
from pypdf.generic import ContentStream

from desktop_app.conversation.words import translatable

from .document_text import PAGES, DocumentNote, DocumentText, PagePicture, Unreadable, count_of, parse_part

if TYPE_CHECKING:
    from PIL.Image import Image

PAGE_SECONDS = 40.0
"""Seconds after which no further page is read."""
PICTURE_SECONDS = 50.0
"""Seconds after which no further page becomes a picture."""
READ_IN_PART = translatable("the first {read} of {pages} pages")
MAX_PICTURES = 20
MAX_PICTURE_BYTES = 6_500_000
"""Bytes of all pictures of a file."""
PICTURE_SIDE = 1_568
"""Pixels; see `attachment_child.MAX_SIDE`."""
FEW = 100
"""Characters up to which a page under a picture counts as a picture: scanners and their programs write a line on it."""
COVERED = 0.5
"""Share of a page that its pictures then cover."""
DRAWN = 300
"""Bytes of content from which a page without text has drawings, such as letters as outlines."""
FIGURE = 150
"""Pixels of the shorter side from which a picture on a page with text is worth a word."""
MAX_FORMS = 8
"""Levels of forms within forms of a page's content."""
PUSH_BUTTON, PASSWORD = 1 << 16, 1 << 13
MAX_RANGES = 12
"""Ranges of pages that are named."""
PIECE = 1 << 20
"""Bytes of a stream that are unpacked at once to find its end."""
DAMAGE = (
    PyPdfError, DependencyError, zlib.error, struct.error,
    LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError, NotImplementedError,
    OSError, RecursionError, MemoryError,
)  # fmt: skip
"""What pypdf and Pillow raise where a file is not as its format says: pypdf takes most values' types for granted."""
PAGE, REST, FIELD, COMMENT, PICTURE, FILES = "page", "rest", "field", "comment", "picture", "files"
"""Kinds of parts that can be damaged."""
_SILENT = frozenset({"/Popup", "/Link", "/Widget"})
Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)


def read_pdf(file: str) -> DocumentText:
    """Return the text of a PDF, page by page. Raises Unreadable."""
    reader = PdfReader(file)
    try:
        is_open = not reader.is_encrypted or bool(reader.decrypt(""))
    except DependencyError:  # the library for decryption is not always installed
        is_open = False
    if not is_open:
        raise Unreadable("is encrypted")
    return _PdfReader(reader).read()


class _PdfReader:
    """Reads one file."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._started = monotonic()
        self._pictures: list[PagePicture] = []
        self._scanned = self._undrawn = self._comments = self._wordless = self._figures = 0
        self._fields: set[str] = set()
        self._damaged: defaultdict[str, list[int]] = defaultdict(list)
        self._lacks_program = False

    def read(self) -> DocumentText:
        """Return the pages with what is written on them."""
        total = len(self._reader.pages)
        self._missing = max(_page_count(self._reader) - total, 0)
        texts: list[str] = []
        for number, page in enumerate(self._reader.pages, 1):
            texts.append(self._page(number, page))
            if self._seconds > PAGE_SECONDS:
                break
        rest = [*self._other_fields()]
        if not any(text.partition("]")[2].strip() for text in texts) and not rest and not self._pictures:
            raise Unreadable(
                "is damaged: none of its pages could be read"
                if self._damaged[PAGE] and not self._lacks_program
                else f"holds no text, only images of pages, perhaps because it was scanned{self._advice}"
            )
        about = (
            count_of(total, PAGES)
            if len(texts) == total
            else READ_IN_PART.format(read=f"{len(texts):,}", pages=f"{total:,}")
        )
        text = "\n\n".join([*texts, *(["\n".join(rest)] if rest else [])])
        return DocumentText("application/pdf", text, about, tuple(self._notes(total)), tuple(self._pictures))

    @property
    def _seconds(self) -> float:
        return monotonic() - self._started

    @contextmanager
    def _part(self, kind: str, number: int) -> Iterator[None]:
        """Pass over a damaged part of a page, and remember it for the notes. number: 0 if it is on no page."""
        try:
            yield
        except DAMAGE as error:
            self._damaged[kind].append(number)
            self._lacks_program |= isinstance(error, DependencyError)

    @property
    def _advice(self) -> str:
        return "; pictures in JBIG2 need the program jbig2dec, which is not installed" if self._lacks_program else ""

    def _notes(self, total: int) -> Iterator[DocumentNote]:
        yield from self._damage_notes()
        if self._scanned:
            attached = f"{len(self._pictures):,} of them are attached as pictures."
            chip = translatable("{count} of {pages} pages are pictures").format(
                count=f"{self._scanned:,}", pages=f"{total:,}"
            )
            yield DocumentNote(chip, f"{self._scanned:,} of {total:,} pages are pictures without text: {attached}")
        if self._undrawn:
            chip = translatable("pages that are too many or too large to be attached: {count}").format(
                count=f"{self._undrawn:,}"
            )
            yield DocumentNote(chip, f"Too many or too large to be attached: {self._undrawn:,} of these pages.")
        if self._wordless:
            chip = translatable("pages without text: {count}").format(count=f"{self._wordless:,}")
            yield DocumentNote(chip, f"Pages with drawings, but without text that can be read: {self._wordless:,}.")
        if self._figures:
            chip = translatable("pages with pictures that are not read: {count}").format(count=f"{self._figures:,}")
            yield DocumentNote(chip, f"Not read are the pictures on {self._figures:,} of the pages with text.")
        if self._comments:
            chip = translatable("comments: {count}").format(count=f"{self._comments:,}")
            yield DocumentNote(chip, "Comments follow the text of their page.")
        if self._fields:
            chip = translatable("form fields: {count}").format(count=f"{len(self._fields):,}")
            yield DocumentNote(chip, "Form fields follow the text of their page, with what was filled in.")
        if names := self._embedded_files():
            chip = translatable("embedded files are not read: {names}").format(names=", ".join(names)[:200])
            yield DocumentNote(chip, f"Not read are the files within it: {', '.join(names)[:1_000]}.")
        if self._damaged[FILES]:
            chip = translatable("the list of embedded files could not be read")
            yield DocumentNote(chip, "The list of files within it is damaged and could not be read.")

    def _damage_notes(self) -> Iterator[DocumentNote]:
        """Yield what could not be read because it is damaged."""
        if self._missing:
            chip = translatable("pages that could not be found: {count}").format(count=f"{self._missing:,}")
            yield DocumentNote(chip, f"Pages that are damaged and were not found, nor counted: {self._missing:,}.")
        for kind, (chip, sentence) in _DAMAGE_WORDS.items():
            if found := self._damaged[kind]:
                pages = number_ranges(found)
                yield DocumentNote(
                    chip.format(pages=pages, count=f"{len(found):,}"),
                    sentence.format(pages=pages or "none", count=f"{len(found):,}"),
                )
        if self._lacks_program:
            chip = translatable("jbig2dec is not installed, which pictures in JBIG2 need")
            yield DocumentNote(chip, "Pictures in JBIG2 need the program jbig2dec, which is not installed.")

    def _embedded_files(self) -> list[str]:
        with self._part(FILES, 0):
            tree = self._reader.trailer["/Root"].get("/Names", {}).get("/EmbeddedFiles", {})
            tree.keys()  # pypdf passes over what is no tree
            return list(self._reader.attachments)
        return []

    def _page(self, number: int, page: Any) -> str:
        lines = [f"[Page {number}, which could not be read]"]
        with self._part(PAGE, number):
            lines = self._page_lines(number, page)
        return "\n".join([*lines, *self._annotations(number, page)])

    def _page_lines(self, number: int, page: Any) -> list[str]:
        """Return the head and the text of a page."""
        text = page.extract_text().strip()
        with self._part(REST if text else PAGE, number):
            check_contents(page)
        placed: list[_Placed] = []
        if len("".join(text.split())) <= FEW and number not in self._damaged[PAGE]:
            with self._part(PICTURE if text else PAGE, number):
                placed = [*_images_in(page.get_contents(), page.get("/Resources"), page.pdf, IDENTITY, 0)]
        is_damaged = number in self._damaged[PAGE]
        head = f"[Page {number}{', which could not be read' if is_damaged else ''}]"
        if placed and _is_picture(page, text, placed):
            self._scanned += 1
            is_drawn = self._draw(number, page, placed)
            head = f"[Page {number}, a picture{' that is attached' if is_drawn else ' that is not read'}]"
        elif not text and not is_damaged and _has_drawings(page):
            self._wordless += 1
            head = f"[Page {number}, without text]"
        elif not is_damaged:
            with self._part(PICTURE, number):
                self._figures += _has_figure(page)
        return [head, *filter(None, [text])]

    def _draw(self, number: int, page: Any, placed: list[_Placed]) -> bool:
        """Keep a page as a picture. Returns whether that was possible."""
        used = sum(len(picture.content) for picture in self._pictures)
        if len(self._pictures) < MAX_PICTURES and used < MAX_PICTURE_BYTES and self._seconds < PICTURE_SECONDS:
            content = b""
            with self._part(PAGE, number):  # damaged, or in a form that needs another program, such as JBIG2
                content = self._drawn(number, page, placed)
            if content and used + len(content) <= MAX_PICTURE_BYTES:
                self._pictures.append(PagePicture(number, content))
                return True
            if not content:
                return False
        self._undrawn += 1
        return False

    def _annotations(self, number: int, page: Any) -> Iterator[str]:
        """Yield the form fields of a page, and then its comments."""
        found: list[Any] = []
        with self._part(COMMENT, number):
            references = page.get("/Annots")
            found = [*(references.get_object() if references is not None else ())]
        comments: list[str] = []
        for reference in found:
            kind = COMMENT
            with self._part(COMMENT, number):
                note = reference.get_object()
                if note is None:  # an object that is not in the file is null, which is no annotation
                    continue
                kind = FIELD if note.get("/Subtype") == "/Widget" else COMMENT
                if kind == COMMENT:
                    comments += self._comment(note)
            if kind == FIELD:
                with self._part(FIELD, number):
                    yield from self._field(note)
        yield from comments

    def _field(self, field: Any) -> Iterator[str]:
        name = _field_name(field)
        flags = int(_inherited(field, "/Ff") or 0)
        is_button = _inherited(field, "/FT") == "/Btn"
        if name in self._fields or (is_button and flags & PUSH_BUTTON):
            return
        self._fields.add(name)
        value = "(a password)" if flags & PASSWORD else _field_value(field, is_button)
        label = str(_inherited(field, "/TU") or "").strip()
        named = f"{name} ({label})" if label and label != name else name
        yield f"[Form field {' '.join(named.split())}: {value or 'empty'}]"

    def _other_fields(self) -> Iterator[str]:
        """Yield the fields that are on no page, and what was filled into a form that only Adobe's programs show."""
        if self._damaged[FIELD]:
            return  # fields of pages that could not be read would be tried once more
        with self._part(FIELD, 0):
            for name, field in (self._reader.get_fields() or {}).items():
                if name not in self._fields and field.get("/V") not in (None, "") and "/Kids" not in field:
                    yield from self._field(field)
        with self._part(FIELD, 0):
            yield from _xfa_values(self._reader.xfa or {}) if not self._fields else ()

    def _comment(self, note: Any) -> Iterator[str]:
        """Yield what is written in an annotation."""
        kind = str(note.get("/Subtype") or "")
        content = note.get("/Contents")
        if kind in _SILENT or content is None:
            return
        if not isinstance(content, str | bytes):
            raise TypeError(f"a comment is {type(content).__name__}")
        words = " ".join(str(content).split())
        if words:
            self._comments += 1
            author = " ".join(str(note.get("/T") or "").split())
            what = {"/FreeText": "Text box", "/Highlight": "Comment on marked text", "/StrikeOut": "Struck out"}
            yield f"[{what.get(kind, 'Comment')}{f' by {author}' if author else ''}: {words}]"

    def _drawn(self, number: int, page: Any, placed: list[_Placed]) -> bytes:
        """Return a page as JPEG, with its pictures where they belong."""
        canvas, to_canvas = _canvas_of(page, placed)
        failed: list[BaseException] = []
        for image, matrix in placed:
            try:
                _paste(canvas, image, _times(matrix, to_canvas))
            except DAMAGE as error:
                failed.append(error)
        if len(failed) == len(placed):
            raise failed[0]
        if failed:
            self._damaged[PICTURE].append(number)
        turned = canvas.rotate(-int(page.rotation) % 360, expand=True)
        content = io.BytesIO()
        turned.save(content, "JPEG", quality=80)
        return content.getvalue()


_DAMAGE_WORDS = {
    PAGE: (
        translatable("could not be read: page {pages}"),
        "Damaged, or in a form that is not known, and not read at all: page {pages}.",
    ),
    REST: (translatable("read only in part: page {pages}"), "Damaged, and read only in part: page {pages}."),
    FIELD: (
        translatable("form fields that could not be read: {count}"),
        "Form fields that are damaged and could not be read: {count} (page {pages}).",
    ),
    COMMENT: (
        translatable("comments that could not be read: {count}"),
        "Comments that are damaged and could not be read: {count} (page {pages}).",
    ),
    PICTURE: (
        translatable("pictures that could not be read: page {pages}"),
        "Pictures that are damaged and could not be read: page {pages}.",
    ),
}
"""What is said of damaged parts of each kind: to the user, and to the model."""


def number_ranges(numbers: Sequence[int]) -> str:
    """Return numbers of pages as "2, 5–7", without 0."""
    ranges: list[list[int]] = []
    for number in sorted({*numbers} - {0}):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    texts = [f"{first}" if first == last else f"{first}–{last}" for first, last in ranges]
    return ", ".join([*texts[:MAX_RANGES], *(["…"] if len(texts) > MAX_RANGES else [])])


def _page_count(reader: Any) -> int:
    """Return the number of pages that a file says it has; 0 if it does not say it."""
    try:
        return int(reader.trailer["/Root"]["/Pages"]["/Count"])
    except DAMAGE:
        return 0


def check_contents(page: Any) -> None:
    """Raise PyPdfError if a part of a page's content is missing: pypdf returns what it can, without a word."""
    contents = page.get("/Contents")
    contents = contents.get_object() if contents is not None else None
    if contents is None:
        return
    for stream in contents if isinstance(contents, list) else [contents]:
        stream = stream.get_object()
        if not hasattr(stream, "get_data"):
            raise PyPdfError("a page's content is no stream")
        filters = stream.get("/Filter")
        if "/FlateDecode" in (filters[:1] if isinstance(filters, list) else [filters]):
            _check_packed(stream._data)


def _check_packed(packed: bytes) -> None:
    """Raise PyPdfError unless a packed stream has its end. Its checksum may be missing: nothing is lost then."""
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    rest = packed.lstrip(b"\r\n")[2:]
    while rest and not unpacker.eof:
        unpacker.decompress(rest, PIECE)
        rest = unpacker.unconsumed_tail
    if not unpacker.eof:
        raise PyPdfError("a page's content is cut off")


def _inherited(field: Any, key: str) -> Any:
    """Return an entry of a field or of the fields that it belongs to."""
    for _ in range(20):
        if key in field:
            return field[key]
        if "/Parent" not in field:
            return None
        field = field["/Parent"]
    return None


def _field_name(field: Any) -> str:
    names: list[str] = []
    for _ in range(20):
        names += [str(field["/T"])] if "/T" in field else []
        if "/Parent" not in field:
            break
        field = field["/Parent"]
    return ".".join(reversed(names)) or "without name"


def _field_value(field: Any, is_button: bool) -> str:
    value = _inherited(field, "/V")
    if is_button:
        state = str(value if value is not None else field.get("/AS") or "/Off").removeprefix("/")
        return "not checked" if state == "Off" else "checked" if state in ("Yes", "On", "1") else state
    if _inherited(field, "/FT") == "/Sig":
        return f"signed {value.get('/Name') or ''}".strip() if value is not None else ""
    names = {}
    for option in _inherited(field, "/Opt") or ():
        pair = option.get_object()
        if isinstance(pair, list) and len(pair) == 2:
            names[str(pair[0])] = str(pair[1])
    values = value if isinstance(value, list) else [] if value is None else [value]
    texts = (v.get_data().decode(errors="replace") if hasattr(v, "get_data") else str(v) for v in values)
    return ", ".join(" ".join(names.get(text, text).split()) for text in texts)


def _xfa_values(parts: dict[str, bytes]) -> Iterator[str]:
    data = next((content for name, content in parts.items() if "datasets" in name), b"")
    if data:
        root = parse_part(io.BytesIO(data))
        for element in root.iter():
            words = " ".join((element.text or "").split())
            if words and isinstance(element.tag, str) and not len(element):
                yield f"[Form field {element.tag.rpartition('}')[2]}: {words}]"


def _has_drawings(page: Any) -> bool:
    """Return whether a page without text is probably not blank."""
    content = page.get_contents()
    return content is not None and len(content.get_data()) >= DRAWN


def _has_figure(page: Any) -> bool:
    """Return whether a page has a picture that is larger than a logo."""
    objects = (page.get("/Resources") or {}).get("/XObject") or {}
    images = (found.get_object() for found in objects.values())
    return any(
        image.get("/Subtype") == "/Image" and min(int(image["/Width"]), int(image["/Height"])) >= FIGURE
        for image in images
    )


# Pages that are pictures


class _Placed(NamedTuple):
    """A picture on a page, and the matrix that maps the unit square to its place."""

    image: Any
    matrix: Matrix


def _times(first: Matrix, second: Matrix) -> Matrix:
    """Return the matrix that applies the first one, and then the second one."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def _images_in(stream: Any, resources: Any, pdf: Any, matrix: Matrix, depth: int) -> Iterator[_Placed]:
    if stream is None or depth > MAX_FORMS:
        return
    objects = (resources.get_object() if resources is not None else {}).get("/XObject") or {}
    kept: list[Matrix] = []
    for operands, operator in ContentStream(stream, pdf).operations:
        if operator == b"q":
            kept.append(matrix)
        elif operator == b"Q" and kept:
            matrix = kept.pop()
        elif operator == b"cm":
            matrix = _times(_matrix(operands), matrix)
        elif operator == b"Do" and operands[0] in objects:
            found = objects[operands[0]].get_object()
            if found.get("/Subtype") == "/Image":
                yield _Placed(found, matrix)
            elif found.get("/Subtype") == "/Form":
                inner = _times(_matrix(found.get("/Matrix") or IDENTITY), matrix)
                yield from _images_in(found, found.get("/Resources") or resources, pdf, inner, depth + 1)


def _matrix(numbers: Any) -> Matrix:
    a, b, c, d, e, f = (float(number) for number in numbers)
    return a, b, c, d, e, f


def _is_picture(page: Any, text: str, placed: list[_Placed]) -> bool:
    size = float(page.cropbox.width) * float(page.cropbox.height)
    covered = sum(abs(m[0] * m[3] - m[1] * m[2]) for _, m in placed)
    return covered >= COVERED * size if text else covered >= 0.05 * size


def _canvas_of(page: Any, placed: list[_Placed]) -> tuple[Image, Matrix]:
    """Return an empty picture of a page, and the matrix that maps the page to it."""
    from PIL import Image

    box = page.cropbox
    left, bottom, width, height = float(box.left), float(box.bottom), float(box.width), float(box.height)
    largest = max(
        max(
            float(image["/Width"]) / max(abs(m[0]) + abs(m[1]), 1),
            float(image["/Height"]) / max(abs(m[2]) + abs(m[3]), 1),
        )
        for image, m in placed
    )
    scale = min(PICTURE_SIDE / max(width, height), max(largest, 0.1))
    canvas = Image.new("RGB", (max(round(width * scale), 1), max(round(height * scale), 1)), "white")
    return canvas, (scale, 0, 0, -scale, -left * scale, (bottom + height) * scale)


def _paste(canvas: Image, image: Any, matrix: Matrix) -> None:
    """Draw a picture. matrix: maps the unit square to the canvas."""
    from PIL import Image, ImageOps

    picture = image.decode_as_image()
    is_stencil = bool(image.get("/ImageMask"))
    if is_stencil:
        is_inverted = next(iter(image.get("/Decode") or [0, 1])) == 1
        picture = picture.convert("L")
        picture = picture if is_inverted else ImageOps.invert(picture)
    elif picture.mode not in ("RGB", "RGBA", "L"):
        picture = picture.convert("RGBA" if "A" in picture.mode or "transparency" in picture.info else "RGB")
    across, down = max(abs(matrix[0]), abs(matrix[1]), 1), max(abs(matrix[2]), abs(matrix[3]), 1)
    picture = picture.resize(
        (min(picture.width, round(across) + 1), min(picture.height, round(down) + 1)), Image.Resampling.LANCZOS
    )
    back = _inverse(_times((1 / picture.width, 0, 0, -1 / picture.height, 0, 1), matrix))
    data = (back[0], back[2], back[4], back[1], back[3], back[5])
    alpha = (
        picture
        if is_stencil
        else picture.getchannel("A")
        if picture.mode == "RGBA"
        else Image.new("L", picture.size, 255)
    )
    mask = alpha.transform(canvas.size, Image.Transform.AFFINE, data, Image.Resampling.BILINEAR)
    if is_stencil:
        canvas.paste((0, 0, 0), mask=mask)
        return
    colours = picture.convert("RGB").transform(canvas.size, Image.Transform.AFFINE, data, Image.Resampling.BILINEAR)
    canvas.paste(colours, mask=mask)


def _inverse(matrix: Matrix) -> Matrix:
    a, b, c, d, e, f = matrix
    scale = a * d - b * c
    return d / scale, -b / scale, -c / scale, a / scale, (c * f - d * e) / scale, (b * e - a * f) / scale
