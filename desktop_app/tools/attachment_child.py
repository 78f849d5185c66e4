"""Reads an attached image or document in a process of its own, run as a script, within limits of memory and time.

Its arguments: how to read ("image", "pdf", "docx" or "sheets") and the file. It prints {"media_type", "content",
"about"} or {"error": why not, as the end of a sentence that begins with the file's name}. See docs/decisions/0019.
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
"""After which no further page of a PDF is begun."""
MAX_SIDE = 1_568
"""Pixels: Anthropic scales larger images down to this, OpenAI to 2,048; https://docs.claude.com, "Vision"."""
MAX_IMAGE = 3_750_000
"""Bytes: with base64 the 5 MB that Anthropic takes, the least of all providers."""
SENT_AS_THEY_ARE = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
SENT_AS_THEY_ARE["MPO"] = "image/jpeg"  # as telephones write it


_OFFICE = "application/vnd.openxmlformats-officedocument."


class Unreadable(Exception):
    """Why a file cannot be read, in words."""


def limit_memory() -> None:
    """Let this process take no more than MAX_MEMORY, where the system can do that."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def read_image(file: str) -> dict[str, str]:
    """Return an image as a data URL, scaled down to what providers take, without where and by whom it was taken."""
    from PIL import Image, ImageOps

    with Image.open(file, formats=tuple(SENT_AS_THEY_ARE)) as opened:
        kind, size = str(opened.format), opened.size
        opened.draft("RGB", (2 * MAX_SIDE, 2 * MAX_SIDE))  # a JPEG is decoded at a fraction of its size
        opened.load()  # raises if it is damaged
        about = f"{size[0]:,} × {size[1]:,}"
        tells_more = bool(opened.getexif()) or "xmp" in opened.info
        if max(size) <= MAX_SIDE and os.path.getsize(file) <= MAX_IMAGE and not tells_more:
            with open(file, "rb") as whole:
                return _sent_image(SENT_AS_THEY_ARE[kind], whole.read(), about)
        scaled = ImageOps.exif_transpose(opened if opened.mode != "P" else opened.convert("RGBA"))
        scaled.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    if max(size) > MAX_SIDE:
        about = f"{scaled.width:,} × {scaled.height:,}, scaled down from {about}"
    if SENT_AS_THEY_ARE[kind] != "image/jpeg":
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
    except pypdf.errors.DependencyError:  # what could decrypt it is not installed everywhere
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
    """Return the text of a Word document with its headings, tables, and pages as Word last laid them out."""
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
    """Return the values of a spreadsheet, sheet by sheet, a line for each row."""
    from python_calamine import CalamineWorkbook, PasswordError

    try:
        with CalamineWorkbook.from_path(file) as book:
            texts = [f"[Sheet {name}]\n" + "\n".join(_rows(book, name)) for name in book.sheet_names]
    except PasswordError:
        raise Unreadable("is encrypted") from None
    about = _count(len(texts), "sheet")
    return {"media_type": _OFFICE + "spreadsheetml.sheet", "content": "\n\n".join(texts), "about": about}


def _rows(book: CalamineWorkbook, name: str) -> Iterator[str]:
    """Yield the rows with their cells separated by tabs; without the empty ones at the end."""
    for row in book.get_sheet_by_name(name).iter_rows():
        yield "\t".join(" ".join(_cell(value).split()) for value in row).rstrip("\t")


def _cell(value: object) -> str:
    """Return a cell as a person would write it: whole numbers are kept as fractions by most programs."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


READERS = {"image": read_image, "pdf": read_pdf, "docx": read_docx, "sheets": read_sheets}


def main() -> None:
    """Read the file."""
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
