"""Sessions of Mistral Vibe: `~/.vibe/logs/session/unified/SESSION`, with a file `CURRENT`.

It names a generation, whose manifest names the chunks with the entries that Vibe displays, and with the context that it
sends. A journal has what was added after the generation was written. A compaction keeps messages of the user, before
the summary; only the context has its text. Based on version 3.0.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import cast

from desktop_app.conversation.foreign import ForeignCompaction, ForeignMessage
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.words import translatable

from .agent_sessions import AgentSession, lines_of, object_in, sibling_object
from .format import NOT_WHOLE, Fields, Format, Found, arguments_json, json_of
from .sources import BadFile, Source
from .trees import attachment_at

PROGRAM = "Mistral Vibe"
CURRENT = {"generation", "session_id", "store_format"}
CHUNK = re.compile(r"(?:(.*)/)?chunks/[0-9a-f]{64}\.json")
COMPLETION = re.compile(r"(?:reasoning|assistant)-([0-9a-f-]{36})")
SUMMARY = re.compile(r"<compaction_summary>\s*(.*?)\s*</compaction_summary>", re.DOTALL)


def recognizes(source: Source) -> bool:
    """Return whether the file names the current generation of a session, or is one of its chunks."""
    if source.first_keys >= CURRENT:
        return True
    found = CHUNK.fullmatch(source.name)
    return found is not None and _named(source, found[1] or "", "CURRENT") is not None


def _named(source: Source, folder: str, name: str) -> Source | None:
    return source.folder.named(f"{folder}/{name}" if folder else name)


def read(source: Source) -> Iterator[Found]:
    """Yield the session. Its other files are read with it."""
    if not source.first_keys >= CURRENT:
        return
    session = AgentSession(PROGRAM, source)
    about, folder = object_in(source), source.name.rpartition("/")[0]
    session.id = about.text("session_id") or folder.rpartition("/")[2]
    _describe(session, sibling_object(source, "meta.json"))
    manifest = object_in(_named(source, folder, f"generations/{about.text('generation')}/manifest.json"))
    entries = {
        entry.text("id"): entry for entry in _chunks(source, folder, manifest.object("projection_state"), session)
    }
    _replay(source, folder, manifest, entries, session)
    context = [each.object("message") for each in _chunks(source, folder, manifest.object("checkpoint"), session)]
    reader = _Entries(session, context)
    for name, entry in entries.items():
        reader.add(name, entry)
    reader.finish()
    yield session.found()


def _describe(session: AgentSession, about: Fields) -> None:
    session.title = about.text("title")
    session.folder = about.object("environment").text("working_directory")
    session.model = about.object("config").text("model_name")
    session.created_at = about.time("start_time")
    session.is_put_away = bool(about.text("parent_session_id") or about.text("archived_at"))
    about.keep("parent_session_id", "archived_at")
    session.keep("meta", about)


def _chunks(source: Source, folder: str, part: Fields, session: AgentSession) -> Iterator[Fields]:
    """Yield the objects in the chunks of a part of the manifest; a chunk that is missing or broken is reported."""
    for name in part.strings("chunks"):
        chunk = _named(source, folder, f"chunks/{name}.json")
        try:
            value: object = json.loads(chunk.read()) if chunk is not None else None
        except (BadFile, ValueError, RecursionError):
            value = None
        if isinstance(value, list):
            yield from (Fields(each) for each in cast("list[object]", value))
        else:
            problem = translatable("{file} cannot be read: {problem}").format(
                file=f"chunks/{name}.json", problem=NOT_WHOLE
            )
            session.unread.append(problem)


def _replay(source: Source, folder: str, manifest: Fields, entries: dict[str, Fields], session: AgentSession) -> None:
    """Add the entries of the journal that came after the generation."""
    first = manifest.object("recovery_journal_segment").count("first_sequence")
    for journal in source.folder.directly_in(f"{folder}/journal" if folder else "journal"):
        for _, line in lines_of(journal, session.unread):
            if line.count("sequence") < first:
                continue
            for change in line.object("payload").objects("delta"):
                if change.text("op") in ("append_entry", "replace_entry"):
                    entry = change.object("entry")
                    entries[entry.text("id")] = entry


class _Entries:
    """Converts the entries, one after the other."""

    def __init__(self, session: AgentSession, context: list[Fields]) -> None:
        self._session = session
        self._context = context
        self._completion = self._name = ""
        self._parts: list[Part] = []
        self._results: list[Message] = []
        self._at = 0.0

    def add(self, name: str, entry: Fields) -> None:
        """Add an entry."""
        kind, at = entry.text("type"), entry.time("createdAt")
        completion = found[1] if (found := COMPLETION.match(name)) else ""
        if kind != "effect" and (not completion or completion != self._completion):
            self.finish()
        if kind == "reasoning" and (thought := entry.text("text")):
            self._extend(name, completion, at, [Reasoning(thought)])
        elif kind == "effect" and entry.object("detail").peek("kind") == "tool":
            self._extend(name, completion or self._completion, at, [_call(name, entry)])
            self._results += _result(name, entry)
        elif kind == "message" and entry.peek("role") == "assistant":
            self._extend(name, completion, at, list(_parts(entry)))
        elif kind == "message" and (parts := tuple(_parts(entry))):
            self._session.add(name, [Message(role=Role.USER, parts=parts, at=at)])
        elif entry.peek("kind") == "compaction":
            self._compact(name, entry, at)
        entry.skip("sessionId", "id", "inputEntryId", "relatedEntryId", "turnId", "updatedAt")
        self._session.keep(name, entry)

    def _extend(self, name: str, completion: str, at: float, parts: list[Part]) -> None:
        self._name, self._at = self._name or name, self._at or at
        self._completion = completion
        self._parts += parts

    def finish(self) -> None:
        """Add the reply whose entries were added last, then its results."""
        if self._parts:
            model, parts = self._session.model, tuple(self._parts)
            self._session.add(self._name, [Message(role=Role.ASSISTANT, parts=parts, at=self._at, model=model)])
        for number, result in enumerate(self._results):
            self._session.add(f"{self._name}/result {number}", [result])
        self._completion, self._name, self._at, self._parts, self._results = "", "", 0.0, [], []

    def _compact(self, name: str, entry: Fields, at: float) -> None:
        """Add a compaction; earlier ones are left out, as only the last summary is in the context."""
        texts = ["\n".join(part.text for part in _parts(each) if isinstance(part, Text)) for each in self._context]
        place = next((n for n, text in enumerate(texts) if SUMMARY.search(text)), -1)
        summary = SUMMARY.search(texts[place]) if place >= 0 else None
        asked = (each for each in self._session.entries if isinstance(each, ForeignMessage))
        sent = frozenset(texts[:place])
        kept = [each.id for each in asked if each.message.role is Role.USER and each.message.text in sent]
        about = entry.object("details")
        compaction = ForeignCompaction(
            name,
            self._session.end,
            summary[1] if summary else "",
            at,
            is_automatic=about.peek("trigger") != "manual",
            kept=tuple(kept),
            follows=kept[-1] if kept else "",
        )
        length = about.count("summaryLength")
        if summary is not None and length in (0, len(summary[1])):
            self._session.compact(name, compaction)


def _call(name: str, entry: Fields) -> ToolCall:
    detail = entry.object("detail")
    return ToolCall(name, detail.text("toolName").rpartition(".")[2] or "tool", arguments_json(detail.value("input")))


def _result(name: str, entry: Fields) -> Iterator[Message]:
    """Yield the result of a call; nothing for a call that runs."""
    state, output = entry.object("state"), entry.object("state").object("output")
    if not output and state.peek("status") not in ("failed", "rejected", "cancelled"):
        return
    content, structured = [*_parts(output)], output.object("structured_content")
    text = "\n".join(part.text for part in content if isinstance(part, Text))
    error = state.object("error")
    is_error = output.text("type") != "success" or structured.number("returncode") != 0
    ending = "denied" if error.peek("code") == "tool_denied" else ""
    text = text or (json_of(output.value("structured_content")) if structured else "")
    text = text or error.text("message") or state.text("outputText")
    tool = entry.object("detail").text("toolName").rpartition(".")[2] or "tool"
    files = [part for part in content if isinstance(part, Attachment)]
    at = entry.time("updatedAt")
    yield Message(role=Role.TOOL, parts=(ToolResult(name, tool, text, is_error, ending=ending), *files), at=at)


def _parts(holder: Fields) -> Iterator[Part]:
    for each in holder.objects("content"):
        if text := each.text("text"):
            yield Text(text)
        elif data := each.text("data"):
            yield attachment_at(f"data:{each.text('mimeType') or 'image/png'};base64,{data}")


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.vibe/logs/session, or the folder of a session in it"),
    recognizes,
    read,
    homes=(".vibe/logs/session",),
)
