"""Reads PDF files: the text of pages, form fields and comments; pages that are only pictures become pictures."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

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
_SILENT = frozenset({"/Popup", "/Link", "/Widget"})
Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)


def read_pdf(file: str) -> DocumentText:
    """Return the text of a PDF, page by page. Raises Unreadable."""
    import pypdf
    import pypdf.errors

    reader = pypdf.PdfReader(file)
    try:
        is_open = not reader.is_encrypted or bool(reader.decrypt(""))
    except pypdf.errors.DependencyError:  # the library for decryption is not always installed
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

    def read(self) -> DocumentText:
        """Return the pages with what is written on them."""
        total = len(self._reader.pages)
        texts: list[str] = []
        for number, page in enumerate(self._reader.pages, 1):
            texts.append(self._page(number, page))
            if self._seconds > PAGE_SECONDS:
                break
        rest = [*self._other_fields()]
        if not any(text.partition("]")[2].strip() for text in texts) and not rest and not self._pictures:
            raise Unreadable("holds no text, only images of pages, perhaps because it was scanned")
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

    def _notes(self, total: int) -> Iterator[DocumentNote]:
        if self._scanned:
            attached = f"{len(self._pictures):,} of them are attached as pictures."
            if self._undrawn:
                attached += f" {self._undrawn:,} could not be read at all."
            chip = translatable("{count} of {pages} pages are pictures").format(
                count=f"{self._scanned:,}", pages=f"{total:,}"
            )
            yield DocumentNote(chip, f"{self._scanned:,} of {total:,} pages are pictures without text: {attached}")
        if self._undrawn:
            chip = translatable("pages that could not be read: {count}").format(count=f"{self._undrawn:,}")
            yield DocumentNote(chip, "")
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
        names = []
        with suppress(Exception):  # a damaged list of files does not spoil the text
            names = list(self._reader.attachments)
        if names:
            chip = translatable("embedded files are not read: {names}").format(names=", ".join(names)[:200])
            yield DocumentNote(chip, f"Not read are the files within it: {', '.join(names)[:1_000]}.")

    def _page(self, number: int, page: Any) -> str:
        text = page.extract_text().strip()
        head = f"[Page {number}]"
        if len("".join(text.split())) <= FEW and (placed := _placed_images(page)) and _is_picture(page, text, placed):
            self._scanned += 1
            is_drawn = self._draw(number, page, placed)
            head = f"[Page {number}, a picture{' that is attached' if is_drawn else ' that is not read'}]"
        elif not text and _has_drawings(page):
            self._wordless += 1
            head = f"[Page {number}, without text]"
        else:
            self._figures += _has_figure(page)
        notes = [*self._form_fields(page), *self._annotations(page)]
        return "\n".join([head, *filter(None, [text]), *notes])

    def _draw(self, number: int, page: Any, placed: list[_Placed]) -> bool:
        """Keep a page as a picture. Returns whether that was possible."""
        used = sum(len(picture.content) for picture in self._pictures)
        if len(self._pictures) < MAX_PICTURES and used < MAX_PICTURE_BYTES and self._seconds < PICTURE_SECONDS:
            with suppress(Exception):  # damaged, or in a form that needs another program, such as JBIG2
                content = _drawn(page, placed)
                if used + len(content) <= MAX_PICTURE_BYTES:
                    self._pictures.append(PagePicture(number, content))
                    return True
        self._undrawn += 1
        return False

    def _form_fields(self, page: Any) -> Iterator[str]:
        for widget in _annotations_of(page):
            if widget.get("/Subtype") == "/Widget":
                with suppress(Exception):  # one damaged field does not spoil the others
                    yield from self._field(widget)

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
        with suppress(Exception):
            for name, field in (self._reader.get_fields() or {}).items():
                if name not in self._fields and field.get("/V") not in (None, "") and "/Kids" not in field:
                    yield from self._field(field)
        with suppress(Exception):
            yield from _xfa_values(self._reader.xfa or {}) if not self._fields else ()

    def _annotations(self, page: Any) -> Iterator[str]:
        for note in _annotations_of(page):
            kind = str(note.get("/Subtype") or "")
            words = " ".join(str(note.get("/Contents") or "").split())
            if kind in _SILENT or not words:
                continue
            self._comments += 1
            author = " ".join(str(note.get("/T") or "").split())
            what = {"/FreeText": "Text box", "/Highlight": "Comment on marked text", "/StrikeOut": "Struck out"}
            yield f"[{what.get(kind, 'Comment')}{f' by {author}' if author else ''}: {words}]"


def _annotations_of(page: Any) -> Iterator[Any]:
    with suppress(Exception):
        for reference in page.get("/Annots") or ():
            with suppress(Exception):
                yield reference.get_object()


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
    with suppress(Exception):
        content = page.get_contents()
        return content is not None and len(content.get_data()) >= DRAWN
    return False


def _has_figure(page: Any) -> bool:
    """Return whether a page has a picture that is larger than a logo."""
    with suppress(Exception):
        objects = page["/Resources"].get("/XObject") or {}
        images = (found.get_object() for found in objects.values())
        return any(
            image.get("/Subtype") == "/Image" and min(int(image["/Width"]), int(image["/Height"])) >= FIGURE
            for image in images
        )
    return False


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


def _placed_images(page: Any) -> list[_Placed]:
    """Return the pictures of a page from the bottom to the top."""
    with suppress(Exception):  # a damaged page counts as one without pictures
        return [*_images_in(page.get_contents(), page.get("/Resources"), page.pdf, IDENTITY, 0)]
    return []


def _images_in(stream: Any, resources: Any, pdf: Any, matrix: Matrix, depth: int) -> Iterator[_Placed]:
    from pypdf.generic import ContentStream

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


def _drawn(page: Any, placed: list[_Placed]) -> bytes:
    """Return a page as JPEG, with its pictures where they belong."""
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
    size = max(round(width * scale), 1), max(round(height * scale), 1)
    canvas = Image.new("RGB", size, "white")
    count = 0
    for image, matrix in placed:
        with suppress(Exception):
            to_canvas = _times(matrix, (scale, 0, 0, -scale, -left * scale, (bottom + height) * scale))
            _paste(canvas, image, to_canvas)
            count += 1
    if not count:
        raise Unreadable("no picture of the page can be decoded")
    turned = canvas.rotate(-int(page.rotation) % 360, expand=True)
    content = io.BytesIO()
    turned.save(content, "JPEG", quality=80)
    return content.getvalue()


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
