"""Reads an attached image or document in a child process, run as a script, with limits on memory and time.

Its arguments are the kind of file ("image", "pdf" or "office") and the path. It prints {"media_type", "content",
"about"}, or {"error": the reason, as the end of a sentence that begins with the file's name, "advice": what to do, or
""}. See docs/decisions/0019.
"""

from __future__ import annotations

import base64
import io
import json
import os
import sys
from typing import Any

from desktop_app.own_processes import given_arguments, limit_memory
from desktop_app.tools.document_text import Unreadable
from desktop_app.tools.office_files import office_kind

MAX_MEMORY = 1_000_000_000
"""Bytes of address space."""
MAX_SIDE = 1_568
"""Pixels. Anthropic scales larger images down to this size, OpenAI to 2,048; https://docs.claude.com, "Vision"."""
MAX_IMAGE = 3_750_000
"""Bytes. In base64, these are the 5 MB that Anthropic accepts, the lowest limit of all providers."""
MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
"""Formats that providers accept, by Pillow's names."""
MEDIA_TYPES["MPO"] = "image/jpeg"  # written by phones


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


def read_document(kind: str, file: str) -> dict[str, Any]:
    """Return the text of a document, and its pages that are only pictures. Raises Unreadable."""
    if kind == "pdf":
        from desktop_app.tools.pdf_reader import read_pdf as read
    elif (kind := office_kind(file)) == "word":
        from desktop_app.tools.word_reader import read_docx as read
    elif kind == "odt":
        from desktop_app.tools.odt_reader import read_odt as read
    else:
        from desktop_app.tools.sheet_reader import read_sheets as read
    document = read(file)
    pages = [_sent_image("image/jpeg", page.content, "") | {"page": page.number} for page in document.pictures]
    return {"media_type": document.media_type, "content": document.content, "about": document.chip, "pages": pages}


def main() -> None:
    """Read the file and print the result."""
    limit_memory(MAX_MEMORY)
    kind, file = given_arguments()
    try:
        answer: dict[str, Any] = read_image(file) if kind == "image" else read_document(kind, file)
    except Unreadable as error:
        answer = {"error": str(error), "advice": error.advice}
    except Exception as error:  # noqa: BLE001 - a damaged file makes the libraries raise anything
        answer = {"error": f"is damaged, or is not what its name says ({type(error).__name__}: {str(error)[:200]})"}
    sys.stdout.buffer.write(json.dumps(answer).encode(errors="replace"))


if __name__ == "__main__":
    main()
