"""Files that a line of `palimpsest chat` names: @path/to/image.png, or @"a name with spaces.txt"."""

from __future__ import annotations

import base64
import re
from pathlib import Path

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Attachment

MAX_BYTES = 10_000_000
"""Of one file."""
_IMAGE = re.compile(
    rb"(?P<png>\x89PNG\r\n\x1a\n)|(?P<jpeg>\xff\xd8\xff)|(?P<gif>GIF8[79]a)|(?P<webp>RIFF.{4}WEBP)", re.DOTALL
)
"""How the images begin that are sent, whatever their files are called."""
_NAMED = re.compile(r'(?<!\S)@(?:"([^"\n]+)"|(\S+))')


def attached_in(line: str, folder: Path) -> tuple[Attachment, ...]:
    """Return the files that the line names, each once, read from `folder`. Raises WorldError.

    A word such as @ana, which names no file and does not look like one, is a word.
    """
    found: dict[Path, Attachment] = {}
    for match in _NAMED.finditer(line):
        name = match[1] or match[2]
        path = next((p for p in (folder / Path(name).expanduser(), _bare(folder, name)) if p.is_file()), None)
        if path is not None:
            found.setdefault(path.resolve(), attachment_of(path))
        elif match[1] or "/" in name or re.search(r"\.\w{1,5}$", name):
            raise WorldError(_failure(f"There is no file {name}", "Check its path.", "not_found"))
    return tuple(found.values())


def attachment_of(path: Path) -> Attachment:
    """Return that file as it is sent: an image, or text. Raises WorldError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            title = f"{path.name} is larger than {MAX_BYTES // 1_000_000} MB"
            raise WorldError(_failure(title, "Attach a part of it."))
        content = path.read_bytes()
    except OSError as error:
        raise WorldError(_failure(f"{path.name} cannot be read: {error.strerror}", "Check its rights.")) from error
    if beginning := _IMAGE.match(content):
        kind = f"image/{beginning.lastgroup}"
        return Attachment(path.name, kind, f"data:{kind};base64,{base64.b64encode(content).decode()}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        title = f"{path.name} is neither text (UTF-8) nor an image"
        raise WorldError(_failure(title, "Attach PNG, JPEG, GIF or WebP."))
    return Attachment(path.name, "text/plain", text)


def _bare(folder: Path, name: str) -> Path:
    """Return the path without the punctuation of the sentence around it."""
    return folder / Path(name.rstrip(".,;:!?)")).expanduser()


def _failure(title: str, advice: str, kind: str = "bad_input") -> Failure:
    return Failure(kind, title, kept="The line was not sent.", advice=advice)
