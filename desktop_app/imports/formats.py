"""The formats that can be imported, the choice of one for a file, and the search for histories on this machine.

To add a format, write a file like `chatgpt.py` and add a line to FORMATS. Histories are found by their folders alone.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from desktop_app.chat.titles import title_of
from desktop_app.conversation.foreign import ForeignMessage, FoundHistory, KnownKind, UnreadFile, kind_by_beginning
from desktop_app.conversation.message import Role
from desktop_app.conversation.words import translatable

from . import (
    aider,
    chatbox,
    chatgpt,
    cherry,
    claude,
    claude_code,
    cline,
    codex,
    continue_sessions,
    copilot,
    gemini_cli,
    goose,
    gptme,
    kilo,
    kimi,
    librechat,
    llm_logs,
    lm_studio,
    openai_files,
    opencode,
    openhands,
    openwebui,
    pi,
    qwen_code,
    vibe,
)
from .format import NO_MESSAGES, TOO_DEEP, Format, Found
from .sources import BadFile, Source, Sources

MAX_FIELDS, MAX_FIELD = 8, 40
"""Field names in a reason, and characters of each."""


def unknown_shape(source: Source) -> str:
    """Return the reason for a file of no known format, with what it seems to be instead. Raises BadFile."""
    return translatable("its format is not known: it seems to be {kind}").format(kind=_kind_of(source))


def _kind_of(source: Source) -> str:
    if not source.beginning:
        return translatable("an empty file")
    if kind := kind_by_beginning(source.beginning):
        return kind
    if names := sorted(source.first_keys):
        listed = ", ".join(name[:MAX_FIELD] for name in names[:MAX_FIELDS])
        more = ", …" if len(names) > MAX_FIELDS else ""
        return translatable("JSON with the fields {names}").format(names=listed + more)
    if source.beginning.lstrip()[:1] in (b"{", b"["):
        return translatable("JSON without conversations")
    return translatable("a file without text") if b"\0" in source.beginning else translatable("plain text")


TOO_MUCH_MEMORY = translatable("it needs more memory than is allowed for it")
TOO_MANY_BRANCHES = translatable("it branches off more than {limit} times")
MAX_BRANCHES = 10_000
"""Branches of one conversation; storing each takes longer than the previous one."""
COMMAND = re.compile(r"[/!][\w:-]*(\s|\Z)")
"""A command to an agent, which makes no title if anything else was written."""
PART_OF_OURS = translatable("it is part of a whole archive of Palimpsest: give its zip file itself")
FORMATS: tuple[Format, ...] = (
    chatbox.FORMAT,
    cherry.FORMAT,
    chatgpt.FORMAT,
    kilo.FORMAT,
    opencode.FORMAT,
    llm_logs.FORMAT,
    goose.FORMAT,
    codex.FORMAT,
    librechat.FORMAT,
    openwebui.FORMAT,
    claude.FORMAT,
    gemini_cli.FORMAT,
    lm_studio.FORMAT,
    qwen_code.FORMAT,
    claude_code.FORMAT,
    cline.FORMAT,
    pi.FORMAT,
    kimi.FORMAT,
    copilot.FORMAT,
    continue_sessions.FORMAT,
    aider.FORMAT,
    gptme.FORMAT,
    openhands.FORMAT,
    vibe.FORMAT,
    openai_files.FORMAT,
)
"""In the order in which they are tried: the first one that recognizes a file reads it."""


def known_kinds() -> tuple[KnownKind, ...]:
    """Return the kinds of files that can be imported, in the order of the programs' names."""
    return tuple(KnownKind(each.program, each.where) for each in sorted(FORMATS, key=lambda each: each.program.lower()))


def read_all(sources: Sources) -> Iterator[tuple[Source, Found]]:
    """Yield the conversations in the files, each with its file.

    A file of no known format is skipped if another file was recognized; otherwise it is an UnreadFile. If nothing is
    found in any recognized file, the last one of them is an UnreadFile.
    """
    try:
        yield from _read_all(sources)
    finally:
        sources.close()


def _read_all(sources: Sources) -> Iterator[tuple[Source, Found]]:
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
    """Return a conversation with a note on omitted levels and with a title: from the user's first words, or the file's
    name."""
    if isinstance(found, UnreadFile):
        return found
    if len(found.entries) - len({entry.parent for entry in found.entries}) > MAX_BRANCHES:
        return UnreadFile(source.name, TOO_MANY_BRANCHES.format(limit=f"{MAX_BRANCHES:,}"), found.title)
    if TOO_DEEP in found.rest:
        found = replace(found, unread=(*found.unread, translatable("what is nested too deeply was left out")))
    if found.title:
        return found
    messages = (e.message for e in found.entries if isinstance(e, ForeignMessage) and e.message.role is Role.USER)
    texts = [message.text for message in messages if not message.speaker and message.text.strip()]
    first = next((text for text in texts if not COMMAND.match(text)), texts[0] if texts else "")
    title = title_of(first) or source.name.rpartition("/")[2].rpartition(".")[0]
    return replace(found, title=title)


def find_histories() -> tuple[FoundHistory, ...]:
    """Return the histories in the user's home that contain files, the last modified one first."""
    homes = {Path.home() / home: each.program for each in FORMATS for home in each.homes}
    found = (_history_in(folder, program) for folder, program in homes.items())
    return tuple(sorted((each for each in found if each.files), key=lambda each: -each.newest))


def _history_in(folder: Path, program: str) -> FoundHistory:
    files = [status for status in _statuses_in(folder) if stat.S_ISREG(status.st_mode)]
    newest = max((status.st_mtime for status in files), default=0.0)
    return FoundHistory(program, str(folder), len(files), sum(status.st_size for status in files), newest)


def _statuses_in(folder: Path) -> Iterator[os.stat_result]:
    """Yield the status of each file; unreadable folders, and files that are removed in the meantime, are skipped."""
    for directory, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                yield Path(directory, name).stat()
