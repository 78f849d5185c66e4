"""Reads files that the user attaches to a message: images in the form that is sent, and the text of all other files."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import IO, Literal

import msgspec

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Attachment
from desktop_app.conversation.words import translatable
from desktop_app.open_databases import open_other

from .change_files import decode_text
from .child_process import run_script
from .path_policy import one_line
from .text_encodings import bom_of

MAX_BYTES = 50_000_000
"""Bytes of one file."""
MAX_TEXT = 5_000_000
"""Characters of one file; about the size of a window of a million tokens, so that more is certainly a mistake."""
SECONDS = 60.0
"""Timeout for one file; a document whose pages take longer is read in part, see `attachment_child.py`."""
_SNIFFED = 1_024
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
_ARCHIVE, _OLD_OFFICE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
KINDS = (
    "Images (PNG, JPEG, GIF, WebP), text in any form, PDF, texts of Word (docx) and LibreOffice (odt), and spreadsheets"
    " can be attached."
)
ReaderKind = Literal["image", "pdf", "office", "text", ""]


class _PageReply(msgspec.Struct, frozen=True):
    """A page that is only a picture, from attachment_child.py."""

    page: int
    media_type: str
    content: str


class _ChildReply(msgspec.Struct, frozen=True):
    """The output of attachment_child.py."""

    media_type: str = ""
    content: str = ""
    about: str = ""
    error: str = ""
    advice: str = ""
    pages: tuple[_PageReply, ...] = ()


async def read_attachment(path: Path) -> Attachment:
    """Return a file in the form that is sent, without pages that are only pictures. Raises WorldError."""
    return (await read_attachments(path))[0]


async def read_attachments(path: Path) -> tuple[Attachment, ...]:
    """Return a file in the form that is sent, and each of its pages that is only a picture. Raises WorldError."""
    kind, content = await asyncio.to_thread(_look_at, path)
    if kind == "text":
        return (await asyncio.to_thread(_text_of, one_line(path.name), content),)
    if not kind:
        raise _refusal(translatable("{name} is neither an image nor text").format(name=one_line(path.name)), KINDS)
    return await _read_in_child(kind, path, one_line(path.name))


async def read_image(name: str, content: bytes) -> Attachment:
    """Return an image that is not in a file, such as one from the clipboard. Raises WorldError."""
    with tempfile.NamedTemporaryFile(prefix="palimpsest-") as file:
        await asyncio.to_thread(Path(file.name).write_bytes, content)
        return (await _read_in_child("image", Path(file.name), name))[0]


def _look_at(path: Path) -> tuple[ReaderKind, bytes]:
    """Return the kind of reader for a file, and the content if it is text."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise _refusal(
                    translatable("{name} is not a file").format(name=one_line(path.name)),
                    translatable("Attach the files in it one by one.")
                    if stat.S_ISDIR(status.st_mode)
                    else translatable("Write its output to a file, and attach that."),
                )
            if status.st_size > MAX_BYTES:
                raise _refusal(
                    translatable("{name} is larger than {size} MB").format(
                        name=one_line(path.name), size=MAX_BYTES // 1_000_000
                    ),
                    translatable("Attach a part of it."),
                )
            kind = kind_of(_read(file, _SNIFFED))
            file.seek(0)
            content = _read(file, MAX_BYTES) if kind == "text" else b""
    except (OSError, ValueError) as error:  # ValueError: an invalid file name
        advice, reason = (
            translatable("Check its path and its permissions."),
            getattr(error, "strerror", None) or str(error),
        )
        raise _refusal(
            translatable("{name} cannot be read: {strerror}").format(name=one_line(path.name), strerror=reason),
            advice,
            "not_found",
        ) from error
    is_binary = b"\0" in content and not bom_of(content)[0]
    return ("", b"") if is_binary else (kind, content)


def _read(file: IO[bytes], limit: int) -> bytes:
    content: bytes | None = file.read(limit)
    if content is None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))  # e.g. the kernel's log, where a read would wait
    return content


def _open_at_once(path: str, flags: int) -> int:
    return open_other(path, flags | getattr(os, "O_NONBLOCK", 0))  # otherwise, opening a pipe waits for a writer


def kind_of(start: bytes) -> ReaderKind:
    """Return the kind of reader for a file, by its first bytes."""
    if start.startswith(_IMAGES) or (start[:4] == b"RIFF" and start[8:12] == b"WEBP"):
        return "image"
    if start.startswith((_ARCHIVE, _OLD_OFFICE)) or (start.startswith(b"<?xml") and b"<office:document" in start):
        return "office"
    return "pdf" if b"%PDF-" in start else "text"


def _text_of(name: str, content: bytes) -> Attachment:
    file = decode_text(content)
    if len(file.text) > MAX_TEXT:
        raise _too_long(name)
    count = file.text.count("\n") + (not file.text.endswith("\n"))
    lines = translatable("1 line") if count == 1 else translatable("{count} lines").format(count=f"{count:,}")
    about = translatable("{lines}, read as {encoding}").format(lines=lines, encoding=file.name) if file.name else lines
    return Attachment(name, "text/plain", file.text, about)


async def _read_in_child(kind: ReaderKind, path: Path, name: str) -> tuple[Attachment, ...]:
    """Read the file in a child process, because a malicious file may take for ever or exhaust memory."""
    printed = await run_script("attachment_child", kind, str(path.absolute()), seconds=SECONDS)
    if printed is None:
        title = translatable("{name} could not be read within {seconds} seconds and 1 GB of memory").format(
            name=name, seconds=f"{SECONDS:.0f}"
        )
        raise _refusal(title, translatable("Save it again in the program that made it, or attach a part of it."))
    read = msgspec.json.decode(printed, type=_ChildReply)
    if read.error:
        usual = translatable("Save it again in the program that made it, or attach it as text.")
        raise _refusal(f"{name} {read.error}", read.advice or usual)
    if kind != "image" and len(read.content) > MAX_TEXT:
        raise _too_long(name)
    pages = (Attachment(f"{name}, page {page.page}", page.media_type, page.content) for page in read.pages)
    return Attachment(name, read.media_type, read.content, read.about), *pages


def _too_long(name: str) -> WorldError:
    return _refusal(
        translatable("{name} holds more than {max_text} characters").format(name=name, max_text=f"{MAX_TEXT:,}"),
        translatable("Attach a part of it."),
    )


def _refusal(title: str, advice: str, kind: str = "bad_input") -> WorldError:
    return WorldError(Failure(kind, title, kept=translatable("Nothing was sent."), advice=advice))
