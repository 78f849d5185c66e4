"""Attach files that a line of `palimpsest chat` names: @path/to/image.png, or @"a name with spaces.txt"."""

from __future__ import annotations

import os
import re
from pathlib import Path

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Attachment
from desktop_app.tools.read_attachments import read_attachments

_NAMED = re.compile(r'(?<!\S)@(?:"([^"\n]+)"|(\S+))')


async def attached_in(line: str, folder: Path) -> tuple[Attachment, ...]:
    """Return the files that the line names, each once, read from `folder`. Raises WorldError.

    A word such as @ana that neither names a file nor looks like a file name is ordinary text.
    """
    found: dict[Path, tuple[Attachment, ...]] = {}
    for match in _NAMED.finditer(line):
        name = match[1] or match[2]
        plain = name.rstrip(".,;:!?)")  # without punctuation of the surrounding sentence
        path = next((p for n in (name, plain) if os.path.isfile(p := folder / os.path.expanduser(n))), None)
        if path is not None:
            if path.resolve() not in found:
                found[path.resolve()] = await read_attachments(path)
        elif match[1] or "/" in name or re.search(r"\.\w{1,5}$", name):
            failure = Failure("not_found", f"There is no file {name}", "", "Nothing was sent.", "Check its path.")
            raise WorldError(failure)
    return tuple(attachment for attachments in found.values() for attachment in attachments)
