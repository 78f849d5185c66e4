"""Images that lie beside a conversation."""

from __future__ import annotations

import base64
import mimetypes
from urllib.parse import unquote_to_bytes

from desktop_app.conversation.message import Attachment

from .sources import MAX_IMAGE, BadFile, Sources

NOT_IN_EXPORT, NOT_READABLE = "not in the export", "not readable"
LARGER_THAN_20_MB = "larger than 20 MB"
_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}


def image_of(folder: Sources, name: str) -> Attachment:
    """Return the image whose file's name begins so; its name alone where the file is missing, or too large."""
    source = folder.beginning_with(name)
    if source is None:
        return Attachment(name, "application/octet-stream", "", about=NOT_IN_EXPORT)
    file_name = source.name.rpartition("/")[2]
    try:
        content = source.read(MAX_IMAGE)
    except BadFile as error:
        return Attachment(file_name, "application/octet-stream", "", about=error.reason)
    return attachment_of(file_name, content)


def attachment_of(name: str, content: bytes) -> Attachment:
    """Return a file as an attachment: an image as such, text as text, else its name alone."""
    kind = next((kind for beginning, kind in _SIGNATURES.items() if content.startswith(beginning)), "")
    if kind and (kind != "image/webp" or content[8:12] == b"WEBP"):
        return Attachment(name, kind, f"data:{kind};base64,{base64.b64encode(content).decode()}")
    try:
        return Attachment(name, mimetypes.guess_type(name)[0] or "text/plain", content.decode())
    except UnicodeDecodeError:
        return Attachment(name, "application/octet-stream", "", about="not readable as text")


def attachment_at(url: str, name: str = "image") -> Attachment:
    """Return an image or a file of that address: with its content if that is what the address holds."""
    if url.startswith("data:"):
        return _attachment_in(url, name)
    if url.startswith(("https://", "http://")):
        return Attachment(name, "image/*", url)
    return Attachment(name, mimetypes.guess_type(name)[0] or "application/octet-stream", "", about=NOT_IN_EXPORT)


def _attachment_in(url: str, name: str) -> Attachment:
    """Return what a data URL holds. An image is one by its content: no provider takes what only says so."""
    head, _, encoded = url.partition(",")
    kind = head.removeprefix("data:").partition(";")[0] or "application/octet-stream"
    if not kind.startswith("image/"):
        return Attachment(name, kind, url)
    try:
        content = base64.b64decode(encoded, validate=True) if head.endswith(";base64") else unquote_to_bytes(encoded)
    except ValueError:
        content = b""
    found = attachment_of(name, content)
    if found.is_image and len(content) <= MAX_IMAGE:
        return found
    about = LARGER_THAN_20_MB if found.is_image else NOT_READABLE
    return Attachment(name, "application/octet-stream", "", about=about)
