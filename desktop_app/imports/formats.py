"""All formats that can be imported, and what they find in files.

A further format is a file like `chatgpt.py`, and a line in FORMATS.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from desktop_app.chat.titles import title_of
from desktop_app.conversation.foreign import ForeignMessage, KnownKind, UnreadFile
from desktop_app.conversation.message import Role
from desktop_app.conversation.words import translatable

from . import (
    chatbox,
    chatgpt,
    cherry,
    claude,
    claude_code,
    codex,
    gemini_cli,
    librechat,
    lm_studio,
    openai_files,
    opencode,
    openwebui,
)
from .format import Format, Found
from .shapes import unknown_shape
from .sources import BadFile, Source, Sources

PART_OF_OURS = translatable("it is part of a whole archive of Palimpsest: give its zip file itself")
FORMATS: tuple[Format, ...] = (
    chatbox.FORMAT,
    cherry.FORMAT,
    chatgpt.FORMAT,
    opencode.FORMAT,
    codex.FORMAT,
    librechat.FORMAT,
    openwebui.FORMAT,
    claude.FORMAT,
    gemini_cli.FORMAT,
    lm_studio.FORMAT,
    claude_code.FORMAT,
    openai_files.FORMAT,
)
"""The first one that recognizes a file reads it."""


def known_kinds() -> tuple[KnownKind, ...]:
    """Return what can be imported, by the names of the programs."""
    return tuple(KnownKind(each.program, each.where) for each in sorted(FORMATS, key=lambda each: each.program.lower()))


def read_all(sources: Sources) -> Iterator[tuple[Source, Found]]:
    """Return what is found in the files one after the other, each with the file that it is in.

    A file of no known format is passed over if another one was recognized; else it is an UnreadFile.
    """
    own = sources.named("archive.json")
    if own is not None and b'"palimpsest-archive"' in own.beginning:
        yield own, UnreadFile(own.name, PART_OF_OURS)
        return
    unknown: list[Source] = []
    is_any_known = False
    for source in sources:
        try:
            recognized = next((each for each in FORMATS if each.recognizes(source)), None)
            if recognized is None:
                unknown.append(source)
                continue
            is_any_known = True
            for found in recognized.read(source):
                yield source, _titled(found, source)
        except BadFile as error:
            yield source, UnreadFile(source.name, error.reason)
    for source in [] if is_any_known else unknown:
        yield source, UnreadFile(source.name, unknown_shape(source))


def _titled(found: Found, source: Source) -> Found:
    """Return a conversation without a title with that of its first words, or of its file."""
    if isinstance(found, UnreadFile) or found.title:
        return found
    said = (e.message.text for e in found.entries if isinstance(e, ForeignMessage) and e.message.role is Role.USER)
    title = title_of(next(filter(str.strip, said), "")) or source.name.rpartition("/")[2].rpartition(".")[0]
    return replace(found, title=title)
