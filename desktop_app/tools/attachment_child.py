"""Reads an attached image or document in a child process, run as a script, with limits on memory and time.

Its arguments are the kind of file ("image", "pdf", "docx" or "sheets") and the path. It prints {"media_type",
"content", "about"}, or {"error": the reason, as the end of a sentence that begins with the file's name}. See
docs/decisions/0019.
"""

from __future__ import annotations

import base64
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from desktop_app.own_processes import given_arguments

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

MAX_MEMORY = 1_000_000_000
"""Bytes of address space."""
PAGE_SECONDS = 40.0
"""Seconds after which no further page of a PDF is read."""
MAX_SIDE = 1_568
"""Pixels. Anthropic scales larger images down to this size, OpenAI to 2,048; https://docs.claude.com, "Vision"."""
MAX_IMAGE = 3_750_000
"""Bytes. In base64, these are the 5 MB that Anthropic accepts, the lowest limit of all providers."""
MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
"""Formats that providers accept, by Pillow's names."""
MEDIA_TYPES["MPO"] = "image/jpeg"  # written by phones


_OFFICE = "application/vnd.openxmlformats-officedocument."


class Unreadable(Exception):
    """Raised with the reason why a file cannot be read."""


def limit_memory() -> None:
    """Limit the address space of this process to MAX_MEMORY, if the system supports it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def read_image(file: str) -> dict[str, str]:
    """Return an image as a data URL, scaled down to the providers' limits and without metadata such as its location."""
    from PIL import Image, ImageOps

    with Image.open(file, formats=tuple(MEDIA_TYPES)) as opened:
        kind, size = str(opened.format), opened.size
        opened.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))  # decodes a large JPEG at a reduced size
        opened.load()  # raises if it is damaged
        about = f"{size[0]:,} × {size[1]:,}"
        has_metadata = bool(opened.getexif()) or "xmp" in opened.info
        if max(size) <= MAX_SIDE and os.path.getsize(file) <= MAX_IMAGE and not has_metadata:
            with open(file, "rb") as original:
                return _sent_image(MEDIA_TYPES[kind], original.read(), about)
        scaled = ImageOps.exif_transpose(opened if opened.mode != "P" else opened.convert("RGBA"))
        scaled.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    if max(size) > MAX_SIDE:
        about = f"{scaled.width:,} × {scaled.height:,}, scaled down from {about}"
    if MEDIA_TYPES[kind] != "image/jpeg":
        content = io.BytesIO()
        scaled.save(content, "PNG")
        if content.tell() <= MAX_IMAGE:
            return _sent_image("image/png", content.getvalue(), about)
    content = io.BytesIO()
    scaled.convert("RGB").save(content, "JPEG", quality=88)
    return _sent_image("image/jpeg", content.getvalue(), about)


def _sent_image(media_type: str, content: bytes, about: str) -> dict[str, str]:
    url = f"data:{media_type};base64,{base64.b64encode(content).decode()}"
    return {"media_type": media_type, "content": url, "about": about}


def read_pdf(file: str) -> dict[str, str]:
    """Return the text of a PDF, page by page."""
    import pypdf
    import pypdf.errors

    reader = pypdf.PdfReader(file)
    try:
        is_open = not reader.is_encrypted or reader.decrypt("")
    except pypdf.errors.DependencyError:  # the library for decryption is not always installed
        is_open = False
    if not is_open:
        raise Unreadable("is encrypted")
    texts: list[str] = []
    until = monotonic() + PAGE_SECONDS
    for page in reader.pages:
        texts.append(page.extract_text().strip())
        if monotonic() > until:
            break
    if not any(texts):
        raise Unreadable("holds no text, only images of pages, perhaps because it was scanned")
    total = len(reader.pages)
    about = _count(total, "page") if len(texts) == total else f"the first {len(texts):,} of {total:,} pages"
    text = "\n\n".join(f"[Page {number}]\n{text}" for number, text in enumerate(texts, 1))
    return {"media_type": "application/pdf", "content": text, "about": about}


def read_docx(file: str) -> dict[str, str]:
    """Return the text of a Word document with its headings, tables, and the page breaks of Word's last layout."""
    import docx
    from docx.table import Table

    document = docx.Document(file)
    page, lines = 1, ["[Page 1]"]
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            lines += (" | ".join(" ".join(cell.text.split()) for cell in row.cells) for row in block.rows)
            continue
        for _ in block.rendered_page_breaks:
            page += 1
            lines.append(f"[Page {page}]")
        style = block.style.name or "" if block.style is not None else ""
        level = style.removeprefix("Heading ")
        lines.append(f"{'#' * int(level)} {block.text}" if style != level and level.isdecimal() else block.text)
    text = "\n".join(lines if page > 1 else lines[1:])
    if not text.strip():
        raise Unreadable("holds no text")
    about = _count(page, "page") if page > 1 else _count(len(text.split()), "word")
    return {"media_type": _OFFICE + "wordprocessingml.document", "content": text, "about": about}


def read_sheets(file: str) -> dict[str, str]:
    """Return the values of a spreadsheet, sheet by sheet, with a line for each row."""
    from python_calamine import CalamineWorkbook, PasswordError

    try:
        with CalamineWorkbook.from_path(file) as book:
            texts = [f"[Sheet {name}]\n" + "\n".join(_rows(book, name)) for name in book.sheet_names]
    except PasswordError:
        raise Unreadable("is encrypted") from None
    about = _count(len(texts), "sheet")
    return {"media_type": _OFFICE + "spreadsheetml.sheet", "content": "\n\n".join(texts), "about": about}


def _rows(book: CalamineWorkbook, name: str) -> Iterator[str]:
    """Yield the rows with their cells separated by tabs, without empty cells at the end."""
    for row in book.get_sheet_by_name(name).iter_rows():
        yield "\t".join(" ".join(_cell(value).split()) for value in row).rstrip("\t")


def _cell(value: object) -> str:
    """Return the text of a cell. Most programs store integers as floats, so these are written without a fraction."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


READERS = {"image": read_image, "pdf": read_pdf, "docx": read_docx, "sheets": read_sheets}


def main() -> None:
    """Read the file and print the result."""
    limit_memory()
    kind, file = given_arguments()
    try:
        answer = READERS[kind](file)
    except Unreadable as error:
        answer = {"error": str(error)}
    except Exception as error:  # noqa: BLE001 - a damaged file makes the libraries raise anything
        answer = {"error": f"is damaged, or is not what its name says ({type(error).__name__}: {str(error)[:200]})"}
    sys.stdout.buffer.write(json.dumps(answer).encode(errors="replace"))


if __name__ == "__main__":
    main()
