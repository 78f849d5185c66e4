"""Gemini CLI's sessions and saved chats, in `~/.gemini/tmp/PROJECT`.

- `chats/session-*.jsonl`, since 0.39: a line about the session, then a line for each message and each version of it,
  `$set` for changes and `$rewindTo` for rewinding. Each sub-agent has its own file.
- `chats/session-*.json`, before 0.39: one object with a list `messages`.
- `checkpoint-NAME.json`, written by `/chat save`: a list of Google's `Content`; in newer versions an object with that
  list as `history`.

Based on the program's source (chatRecordingService.ts, logger.ts), files of October 2025 to April 2026, and version
0.61.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast
from urllib.parse import unquote

import msgspec

from desktop_app.chat.titles import title_of
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation, ForeignEntry, ForeignMessage
from desktop_app.conversation.message import (
    Attachment,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from desktop_app.conversation.words import translatable

from .format import NOT_AN_OBJECT, NOT_WHOLE, Fields, Format, Found, bad_line, json_of, rest_json, seconds_of
from .gemini_parts import arguments_of, fields_of, parts_of, turns_of
from .sources import BYTE_ORDER_MARK, BadFile, Source

ROLES = {"user": Role.USER, "gemini": Role.ASSISTANT, "model": Role.ASSISTANT}
PROGRAM = "Gemini CLI"
CONTEXTS = ("<session_context>", "<hook_context>")
"""Beginnings of texts in the user's role that the program wrote to the model."""
SHELL = "run_shell_command"
FAILED = re.compile(r"^Exit Code: (?!0$)-?\d+$", re.MULTILINE)
"""How the shell's result says that the command failed."""
IMPOSSIBLE_TOKENS = 2**53
"""Token counts of this size or larger are ignored."""


class SessionMessages:
    """Reads the messages of one session in their order."""

    def __init__(self) -> None:
        self.rests: dict[str, Any] = {}
        """Fields that nothing else represents, by the message's id."""
        self.notices: dict[str, Any] = {}
        """Messages from the program to the user, by their ids."""
        self._answered: set[str] = set()

    def messages_of(self, name: str, value: dict[str, Any]) -> list[Message]:
        """Return the messages that this one becomes; [] for a notice and for a message without content."""
        fields = Fields(value)
        fields.skip("id")
        role = ROLES.get(fields.text("type", "role"))
        if role is None:
            self.notices[name] = {key: each for key, each in value.items() if key != "id"}
            return []
        inner = fields_of(fields.value("content") or fields.value("parts") or "")
        calls = fields.objects("toolCalls")
        results = [fields_of(call.value("result") or []) for call in calls]
        at = fields.time("timestamp")
        messages = list(self._turns(fields, role, inner, calls))
        for call, result in zip(calls, results, strict=True):
            messages += self._result(call, result, at)
        rests = [rest for part in [*inner, *(part for result in results for part in result)] if (rest := part.rest())]
        if rest := fields.rest() | ({"parts": rests} if rests else {}):
            self.rests[name] = rest
        return messages

    def _turns(self, fields: Fields, role: Role, inner: list[Fields], calls: list[Fields]) -> Iterator[Message]:
        at, model, usage = fields.time("timestamp"), fields.text("model"), _usage(fields)
        ids = {call.text("id") for call in calls}
        parts = [*_thoughts(fields), *self._unrepeated(parts_of(inner), ids)]
        parts += [ToolCall(call.text("id"), call.text("name") or "tool", arguments_of(call)) for call in calls]
        for speaker, turn in turns_of(role, parts):
            if speaker is Role.ASSISTANT:
                yield Message(role=speaker, parts=turn, at=at, model=model, usage=usage)
                usage = None
            else:
                text = next((part.text for part in turn if isinstance(part, Text)), "")
                is_by_program = speaker is Role.USER and text.startswith(CONTEXTS)
                yield Message(role=speaker, parts=turn, at=at, speaker=PROGRAM if is_by_program else "")

    def _unrepeated(self, parts: Iterable[Part], calls: set[str]) -> Iterator[Part]:
        """Yield the parts without calls and results that are also in `toolCalls`, and without the results' files."""
        is_repeated = False
        for part in parts:
            is_repeated = self._is_repeated(part, calls) or (is_repeated and isinstance(part, Attachment))
            if not is_repeated:
                yield part

    def _is_repeated(self, part: Part, calls: set[str]) -> bool:
        """Return whether a part of the content is also in `toolCalls`: the content may repeat calls and results."""
        if isinstance(part, ToolResult):
            return part.call_id in self._answered
        return isinstance(part, ToolCall) and part.call_id in calls

    def _result(self, call: Fields, inner: list[Fields], at: float) -> Iterator[Message]:
        call_id, name, status = call.text("id"), call.text("name") or "tool", call.text("status")
        parts = [part for part in parts_of(inner) if not isinstance(part, ToolResult) or part.call_id in ("", call_id)]
        text = _text(parts)
        displayed = call.text("resultDisplay") if call.peek("resultDisplay") == text or not text else ""
        if not parts and not displayed and status not in ("error", "cancelled"):
            return
        self._answered.add(call_id)
        result = ToolResult(
            call_id,
            name,
            text or displayed,
            is_error=status in ("error", "cancelled")
            or any(isinstance(p, ToolResult) and p.is_error for p in parts)
            or (name == SHELL and FAILED.search(text) is not None),
            ending="stopped" if status == "cancelled" else "",
        )
        files = (part for part in parts if isinstance(part, Attachment))
        yield Message(role=Role.TOOL, parts=(result, *files), at=call.time("timestamp") or at)


def _text(parts: Sequence[Part]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, ToolResult | Text) and part.text)


def _thoughts(fields: Fields) -> list[Part]:
    thoughts = ((each.text("subject"), each.text("description")) for each in fields.objects("thoughts"))
    texts = ("\n\n".join(filter(None, (subject and f"**{subject}**", details))) for subject, details in thoughts)
    text = "\n\n".join(filter(None, texts))
    return [Reasoning(text)] if text else []


def _usage(fields: Fields) -> Usage | None:
    tokens = fields.object("tokens")
    thought, prompt = _count(tokens, "thoughts"), _count(tokens, "input")
    usage = Usage(prompt, _count(tokens, "output") + thought, _count(tokens, "cached"), reasoning_tokens=thought)
    tokens.skip("total")
    return usage if usage.prompt_tokens or usage.reply_tokens else None


def _count(tokens: Fields, name: str) -> int:
    found = tokens.number(name)
    return int(found) if 0 <= found < IMPOSSIBLE_TOKENS else 0


Json = dict[str, Any]
SNAPSHOT = "<state_snapshot>"
"""Marks the summary with which Gemini CLI replaces older messages."""


class Node(msgspec.Struct):
    """A message of the session, or a summary that replaced the messages before it."""

    parent: str
    value: Json
    summary: str = ""
    kept: tuple[str, ...] = ()
    """The nodes that the program sent together with the summary, in their order."""
    follows: str = ""
    """The kept node that the summary follows; "" if it precedes all of them."""


class SessionRecord:
    """Replays the lines of a session. A session in the older form is one object, which counts as a single line.

    Rewound messages stay as a branch. Where the program rewrites its list of messages, shortened messages keep their
    full content, and messages that were replaced by a summary stay before it.
    """

    def __init__(self) -> None:
        self.about: Json = {}
        self.nodes: dict[str, Node] = {}
        self.order: list[str] = []
        """Names of nodes, parents before their children."""
        self.unknown: list[Json] = []
        self._path: list[str] = []
        self._open: set[str] = set()
        self._summarized: set[str] = set()
        self._copies: dict[str, str] = {}
        """The nodes of which the program wrote copies, by the copies' ids."""

    @property
    def current(self) -> str:
        """The last message of the open branch; "" for none."""
        return self._path[-1] if self._path else ""

    def add(self, line: Json) -> None:
        """Apply one line."""
        change = line.get("$set")
        if isinstance(line.get("$rewindTo"), str):
            self._rewind(line["$rewindTo"])
        elif isinstance(change, dict):
            if (messages := self._describe(cast("Json", change))) is not None:
                self._replace(messages)
        elif isinstance(line.get("id"), str):
            self._put(line)
        elif "sessionId" in line:
            for message in self._describe(line) or ():
                self._put(message)
        else:
            self.unknown.append(line)

    def _describe(self, change: Json) -> list[Json] | None:
        """Update the session's metadata from a line; return the line's messages, or None if it has no such list."""
        messages = change.get("messages")
        if not isinstance(messages, list):
            self.about |= change
            return None
        self.about |= {name: value for name, value in change.items() if name != "messages"}
        found = [cast("Json", each) for each in cast("list[object]", messages) if isinstance(each, dict)]
        self.unknown += [{"message": each} for each in cast("list[object]", messages) if not isinstance(each, dict)]
        return found

    def _id(self, message: Json) -> str:
        found = message.get("id")
        return found if isinstance(found, str) and found else f"#{len(self.order)}"

    def _put(self, message: Json) -> None:
        """Add a message or its newer version: a message is written again when its calls and tokens are known."""
        name = self._id(message)
        if name in self.nodes:
            self.nodes[name].value = message
        else:
            self._insert(name, Node(self.current, message), self.current)

    def _insert(self, name: str, node: Node, previous: str) -> None:
        """Insert a node into the open branch after `previous`, or first if that is ""."""
        position = self._path.index(previous) + 1 if previous else 0
        if position < len(self._path):
            follower = self._path[position]
            self.nodes[follower].parent = name
            self.order.insert(self.order.index(follower), name)
        else:
            self.order.append(name)
        self._path.insert(position, name)
        self._open.add(name)
        self.nodes[name] = node

    def _rewind(self, name: str) -> None:
        """Remove a message and all after it from the open branch; like the program, all messages if it is unknown."""
        position = self._path.index(name) if name in self._open else 0
        self._path = self._path[:position]
        self._open = set(self._path)

    def _replace(self, messages: list[Json]) -> None:
        """Apply a rewritten list of messages, in which the program has summarized, shortened or added some."""
        named = [(self._id(each), each) for each in messages]
        named = [(name, each) for name, each in named if name not in self._summarized]
        snapshot = next((n for n, (name, each) in enumerate(named) if self._is_new_summary(name, each)), -1)
        if snapshot >= 0 and self._keep_and_summarize(named, snapshot):
            return
        first_kept = next(
            (n for n, (name, _) in enumerate(named) if self._copies.get(name, name) in self._open), len(named)
        )
        snapshot = next((n for n in range(first_kept) if SNAPSHOT in _text_of(named[n][1])), -1)
        previous = ""
        if snapshot >= 0 and self._path:
            kept = named[first_kept][0] if first_kept < len(named) else ""
            previous = self._summarize(named[: snapshot + 1], kept)
            named = named[snapshot + 1 :]
        elif first_kept == len(named):
            self._rewind("")
        for name, message in ((self._copies.get(name, name), each) for name, each in named):
            if name not in self.nodes:
                self._insert(name, Node(previous, message), previous)
            if name in self._open:
                previous = name

    def _is_new_summary(self, name: str, message: Json) -> bool:
        return name not in self.nodes and name not in self._copies and SNAPSHOT in _text_of(message)

    def _keep_and_summarize(self, named: list[tuple[str, Json]], snapshot: int) -> bool:
        """Add a summary after the open branch with the nodes that it kept; return False if it kept none under new ids.

        Since 0.61, what is kept is written again: what precedes the summary under its id, what follows it as a copy.
        """
        by_key = {_key_of(self.nodes[name].value): name for name in self._path}
        found = [
            name if name in self._open else self._copy_of(name, by_key.get(_key_of(each), "")) for name, each in named
        ]
        before, after = list(filter(None, found[:snapshot])), list(filter(None, found[snapshot + 1 :]))
        if not self._path or not (before or set(after) - {name for name, _ in named}):
            return False
        name, message = named[snapshot]
        node = Node(self.current, message, _text_of(message), (*before, *after), before[-1] if before else "")
        self._insert(name, node, self.current)
        for (other, each), known in zip(named, found, strict=True):
            if not known and other not in self.nodes:
                self._summarized.add(other)  # an acknowledgement by the program
                self.unknown.append(each)
        return True

    def _copy_of(self, name: str, original: str) -> str:
        """Note that the message is a copy of a node of the open branch; return the node, or "" for none."""
        if original:
            self._copies[name] = original
        return self._copies.get(name, "")

    def _summarize(self, replacement: list[tuple[str, Json]], kept: str) -> str:
        """Insert a summary before the first kept message; return its id."""
        name, message = replacement[-1]
        replaced = self._path[: self._path.index(kept)] if kept else self._path
        previous = replaced[-1] if replaced else ""
        self._summarized.update(each for each, _ in replacement[:-1])
        if name not in self.nodes:
            text = "\n\n".join(_text_of(each) for _, each in replacement)
            self._insert(name, Node(previous, message, text), previous)
        return name


def _key_of(message: Json) -> tuple[object, ...]:
    """Return what a message and its copy have in common: the role, the text, and the ids of calls and results."""
    parts = fields_of(message.get("content"))
    calls = {Fields(each).text("id") for each in Fields(message).values("toolCalls")}
    calls |= {part.object("functionCall").text("id") for part in parts}
    results = {part.object("functionResponse").text("id") for part in parts}
    text = "" if results - {""} else "".join(part.text("text") for part in parts if not part.flag("thought"))
    return message.get("type"), text.strip(), frozenset(calls - {""}), frozenset(results - {""})


def _text_of(message: Json) -> str:
    return "\n\n".join(text for part in fields_of(message.get("content")) if (text := part.text("text")))


FIRST = 4
"""Number of first messages that identify a saved chat, which has no id."""
OF_THE_PROGRAM = ("/", "?", *CONTEXTS)
"""Beginnings of texts in the user's role that the user did not write to the model."""


def recognizes(source: Source) -> bool:
    """Return whether the file is a session, or a list of contents, alone or as a history."""
    keys = source.first_keys
    if {"sessionId", "projectHash"} <= keys or keys == {"role", "parts"}:
        return True
    return "history" in keys and "clientHistory" not in keys and b'"parts"' in source.beginning


def read(source: Source) -> Iterator[Found]:
    """Yield the one conversation of the file."""
    if "projectHash" in source.first_keys:
        found = _session(source)
        messages = [entry.message for entry in found.entries if isinstance(entry, ForeignMessage)]
        if not messages or not all(message.speaker == PROGRAM for message in messages):  # otherwise nothing was said
            yield found
    else:
        yield _saved_chat(source)


def _session(source: Source) -> ForeignConversation:
    record = SessionRecord()
    unread: list[str] = []
    for number, line in _lines(source):
        value = _json(line)
        if isinstance(value, dict):
            record.add(cast("Json", value))
        else:
            unread.append(bad_line(number, NOT_AN_OBJECT) if number else NOT_AN_OBJECT)
    if not record.about:
        raise BadFile(unread[0] if unread else translatable("it is empty"))
    return _conversation(record, source, tuple(unread))


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield the numbered lines; if the first line is not JSON, yield the entire file as number 0: the older form."""
    for number, line in enumerate(source.lines(), start=1):
        if number == 1 and _json(line.removeprefix(BYTE_ORDER_MARK)) is None:
            yield 0, source.read().removeprefix(BYTE_ORDER_MARK)
            return
        yield number, line.removeprefix(BYTE_ORDER_MARK)


def _json(content: bytes) -> Any:
    """Return the JSON value; None for invalid JSON."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):  # ValueError includes UnicodeDecodeError
        return None


def _conversation(record: SessionRecord, source: Source, unread: tuple[str, ...]) -> ForeignConversation:
    reader = SessionMessages()
    entries: list[ForeignEntry] = []
    ends: dict[str, str] = {}
    pieces: dict[str, list[str]] = {}
    for name in record.order:
        node = record.nodes[name]
        end = ends.get(node.parent, "")
        if node.summary:
            kept = tuple(each for known in node.kept for each in pieces.get(known, ()))
            follows = ends.get(node.follows, "")
            at = seconds_of(node.value.get("timestamp"))
            entries.append(ForeignCompaction(name, end, node.summary, at=at, kept=kept, follows=follows))
            end = name
        for number, message in enumerate(() if node.summary else reader.messages_of(name, node.value)):
            entry = ForeignMessage(f"{name}/{number}" if number else name, end, message)
            entries.append(entry)
            pieces.setdefault(name, []).append(entry.id)
            end = entry.id
        ends[name] = end
    fields = Fields(record.about)
    messages = [e.message for e in entries if isinstance(e, ForeignMessage)]
    models = [message.model for message in messages if message.model]
    title, name = fields.text("summary") or _title(messages), fields.text("sessionId") or source.name
    created_at, updated_at = fields.time("startTime"), fields.time("lastUpdated")
    rest = fields.rest() | {"messages": reader.rests, "notices": reader.notices, "unknown": record.unknown}
    return ForeignConversation(
        PROGRAM,
        name,
        title,
        tuple(entries),
        created_at=created_at,
        updated_at=updated_at,
        current=ends.get(record.current, ""),
        model=models[-1] if models else "",
        folder=_project_of(source),
        is_put_away=record.about.get("kind") == "subagent",
        rest=rest_json({name: value for name, value in rest.items() if value}),
        unread=unread,
    )


def _title(messages: list[Message]) -> str:
    """Return a title from the user's first text; "" if the program wrote all texts in the user's role."""
    texts = (message.text.strip() for message in messages if message.role is Role.USER)
    return title_of(next((text for text in texts if text and not text.startswith(OF_THE_PROGRAM)), ""))


def _project_of(source: Source) -> str:
    """Return the path of the project, which newer versions store next to its chats; "" if it is missing."""
    path, _, inner = f"/{source.name}".partition("/chats/")
    marker = source.folder.named(f"{path}/.project_root".lstrip("/")) if inner else None
    try:
        found = marker.read().decode().strip() if marker is not None else ""
    except (BadFile, UnicodeDecodeError):  # the conversation can do without its folder
        return ""
    return found if found.startswith("/") or found[1:3] == ":\\" else ""


def _saved_chat(source: Source) -> ForeignConversation:
    value = _json(source.read().removeprefix(BYTE_ORDER_MARK))
    if value is None:
        raise BadFile(NOT_WHOLE)
    fields = Fields({"history": value} if isinstance(value, list) else value)
    entries: list[ForeignEntry] = []
    rests: dict[str, Json] = {}
    content_id = ""
    for number, content in enumerate(fields.objects("history")):
        content_id = _hashed(content_id, content)
        role = Role.USER if content.text("role") in ("user", "function") else Role.ASSISTANT
        parts = fields_of(content.value("parts"))
        for position, (speaker, turn) in enumerate(turns_of(role, parts_of(parts))):
            end = entries[-1].id if entries else ""
            message = Message(role=speaker, parts=turn)
            entries.append(ForeignMessage(f"{content_id}/{position}", end, message))
        if part_rests := [rest for part in parts if (rest := part.rest())]:
            rests[str(number)] = {"parts": part_rests}
    key = entries[min(FIRST, len(entries)) - 1].id if entries else source.name
    rest = fields.rest() | ({"contents": rests} if rests else {})
    return ForeignConversation(PROGRAM, key, _tag(source), tuple(entries), source.modified, rest=rest_json(rest))


def _hashed(before: str, content: Fields) -> str:
    hashed = json_of([content.value("role"), content.value("parts")], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(f"{before}{hashed}".encode()).hexdigest()


def _tag(source: Source) -> str:
    """Return the name under which the user saved the chat."""
    name = source.name.rpartition("/")[2]
    return unquote(name.removeprefix("checkpoint-").removesuffix(".json")) if name.startswith("checkpoint-") else ""


FORMAT = Format(
    PROGRAM,
    translatable("a session or a saved chat from its folder .gemini/tmp, or the folder"),
    recognizes,
    read,
    homes=(".gemini/tmp",),
)
