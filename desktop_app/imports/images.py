"""Images that lie beside a conversation."""

from __future__ import annotations

import base64
import mimetypes

from desktop_app.conversation.message import Attachment

from .sources import MAX_IMAGE, BadFile, Sources

NOT_IN_EXPORT = "not in the export"
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
    if kind:
        return Attachment(name, kind, f"data:{kind};base64,{base64.b64encode(content).decode()}")
    try:
        return Attachment(name, mimetypes.guess_type(name)[0] or "text/plain", content.decode())
    except UnicodeDecodeError:
        return Attachment(name, "application/octet-stream", "", about="not readable as text")


def attachment_at(url: str, name: str = "image") -> Attachment:
    """Return an image or a file of that address: with its content if that is what the address holds."""
    media_type = url.removeprefix("data:").partition(",")[0].partition(";")[0]
    if url.startswith("data:"):
        return Attachment(name, media_type or "application/octet-stream", url)
    if url.startswith(("https://", "http://")):
        return Attachment(name, "image/*", url)
    return Attachment(name, mimetypes.guess_type(name)[0] or "application/octet-stream", "", about=NOT_IN_EXPORT)
