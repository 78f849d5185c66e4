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
from .fields import TOO_DEEP
from .format import Format, Found
from .reasons import NO_MESSAGES
from .shapes import unknown_shape
from .sources import BadFile, Source, Sources

TOO_MUCH_MEMORY = translatable("it needs more memory than is allowed for it")
TOO_MANY_BRANCHES = translatable("it branches off more than {limit} times")
MAX_BRANCHES = 10_000
"""Of one conversation: storing each takes longer than the one before."""
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

    A file of no known format is passed over if another one was recognized; else it is an UnreadFile. So is a recognized
    one where nothing is found in any.
    """
    own = sources.named("archive.json")
    if own is not None and b'"palimpsest-archive"' in own.beginning:
        yield own, UnreadFile(own.name, PART_OF_OURS)
        return
    unknown: list[Source] = []
    known: Source | None = None
    is_any_found = False
    for source in sources:
        try:
            recognized = next((each for each in FORMATS if each.recognizes(source)), None)
            if recognized is None:
                unknown.append(source)
                continue
            known = source
            for found in recognized.read(source):
                is_any_found = True
                yield source, _completed(found, source)
        except (BadFile, MemoryError) as error:
            is_any_found = True
            yield source, UnreadFile(source.name, error.reason if isinstance(error, BadFile) else TOO_MUCH_MEMORY)
    if known is None:
        yield from ((source, UnreadFile(source.name, unknown_shape(source))) for source in unknown)
    elif not is_any_found:
        yield known, UnreadFile(known.name, NO_MESSAGES)


def _completed(found: Found, source: Source) -> Found:
    """Return a conversation with what was cut off of it told; one without a title with that of its first words, or of
    its file."""
    if isinstance(found, UnreadFile):
        return found
    if len(found.entries) - len({entry.parent for entry in found.entries}) > MAX_BRANCHES:
        return UnreadFile(source.name, TOO_MANY_BRANCHES.format(limit=f"{MAX_BRANCHES:,}"), found.title)
    if TOO_DEEP in found.rest:
        found = replace(found, unread=(*found.unread, translatable("what is nested too deeply was left out")))
    if found.title:
        return found
    said = (e.message.text for e in found.entries if isinstance(e, ForeignMessage) and e.message.role is Role.USER)
    title = title_of(next(filter(str.strip, said), "")) or source.name.rpartition("/")[2].rpartition(".")[0]
    return replace(found, title=title)
