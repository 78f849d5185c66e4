"""The messages of a session of Claude Code, out of its lines.

A reply is written in a line for each of its blocks, all with the same `message.id`; here it is one message. Tools that
it calls run side by side: each result is a line that follows that of its call, so that the lines fork where nobody
branched off. Here the results stand behind the reply, one after the other, and what follows any of them follows the
last. A compaction is a line `compact_boundary` and the summary behind it, a user's line marked `isCompactSummary`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignCompaction, ForeignEntry, ForeignMessage
from desktop_app.conversation.message import Message, Part, Role, ToolResult, Usage

from .anthropic_blocks import Turn, called_tools, turns_of
from .fields import Fields
from .trees import in_order

ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
BOUNDARY = "compact_boundary"
NO_MODEL = "<synthetic>"
"""What stands as the model of what the program itself says, such as an error."""


class SessionTree:
    """Lines on their way to entries. A group is what stands together: a reply with its results, or one line alone."""

    def __init__(self, parents: Mapping[str, str]) -> None:
        """parents: what each line follows, also of lines that are not added."""
        self._parents = parents
        self._lines: dict[str, None] = {}
        self._current = ""
        self._entries: dict[str, ForeignEntry] = {}
        self._inner: dict[str, str] = {}  # of each entry in a group but the first, the one before
        self._group_of: dict[str, str] = {}  # of each line
        self._ends: dict[str, str] = {}  # of each group
        self._replies: dict[str, str] = {}  # by the ids of their messages
        self._callers: dict[str, str] = {}  # the replies with calls without a result, by the ids of the calls
        self._names: dict[str, str] = {}
        self.model = ""
        """The last one that replied."""

    def __contains__(self, name: str) -> bool:
        return name in self._lines

    def add(self, name: str, line: Fields) -> None:
        """Take a line in."""
        self._lines[name] = None
        if self._add(name, line):
            self._current = name

    def entries(self) -> tuple[tuple[ForeignEntry, ...], str]:
        """Return the entries in order, and the one with which the branch ends that was open."""
        self._drop_empty_compactions()
        linked = {name: self._end_of(self._parents.get(name, "")) for name in self._lines}
        return in_order(self._entries, linked | self._inner), self._end_of(self._current)

    def _end_of(self, name: str) -> str:
        """Return what follows a line follows in truth; of a line without a message, itself."""
        return self._ends[self._group_of[name]] if name in self._group_of else name

    def _add(self, name: str, line: Fields) -> bool:
        """Return whether the line is a message, after it was taken in."""
        kind = line.text("type")
        if line.text("subtype") == BOUNDARY:
            self._add_boundary(name, line)
            return False
        queued = line.object("attachment")
        if kind == "attachment" and queued.text("type") == "queued_command" and queued.text("commandMode") == "prompt":
            return self._add_turns(name, line, turns_of(Role.USER, _blocks(queued, "prompt"), {}))
        role = ROLES.get(kind)
        if role is None or _is_hidden(line):
            return False
        blocks = _blocks(line.object("message"), "content")
        if line.flag("isCompactSummary") and self._add_summary(name, line, blocks):
            return True
        return self._add_reply(name, line, blocks) if role is Role.ASSISTANT else self._add_said(name, line, blocks)

    def _add_boundary(self, name: str, line: Fields) -> None:
        about = line.object("compactMetadata")
        self._start(
            name,
            ForeignCompaction(
                name,
                "",
                "",
                at=line.time("timestamp"),
                is_automatic=about.text("trigger") != "manual",
                tokens_before=about.count("preTokens"),
                tokens_after=about.count("postTokens"),
            ),
        )

    def _add_summary(self, name: str, line: Fields, blocks: list[Fields]) -> bool:
        """Make a summary that of its compaction. One with nothing before it is a message: it replaced another file."""
        summary = "\n\n".join(filter(None, (block.text("text") for block in blocks)))
        if not summary:
            return False
        above = self._above(self._parents.get(name, ""))
        boundary = self._entries.get(above)
        if isinstance(boundary, ForeignCompaction) and not boundary.summary:
            self._entries[above] = replace(boundary, summary=summary)
            self._group_of[name] = above
            return True
        if not above:
            return False
        self._start(name, ForeignCompaction(name, "", summary, at=line.time("timestamp")))
        return True

    def _above(self, name: str) -> str:
        """Return the group of the nearest line from here up that has one; "" for none."""
        seen: set[str] = set()
        while name and name not in seen and name not in self._group_of:
            seen.add(name)
            name = self._parents.get(name, "")
        return self._group_of.get(name, "")

    def _drop_empty_compactions(self) -> None:
        for name, entry in list(self._entries.items()):
            if isinstance(entry, ForeignCompaction) and not entry.summary:
                del self._entries[name]
                del self._ends[self._group_of.pop(name)]

    def _add_reply(self, name: str, line: Fields, blocks: list[Fields]) -> bool:
        turns = turns_of(Role.ASSISTANT, blocks, called_tools(blocks))
        said = line.object("message")
        said.skip("type", "role")
        model, usage = said.text("model").replace(NO_MODEL, ""), _usage(said.object("usage"))
        self.model = model or self.model
        message_id = said.text("id")
        reply = self._replies.get(message_id, "") if message_id else ""
        if not turns:
            return False
        if reply:
            self._group_of[name] = reply
            self._grow(reply, [part for role, parts in turns if role is Role.ASSISTANT for part in parts], usage)
            turns = [turn for turn in turns if turn[0] is Role.TOOL]
        else:
            reply = name
        self._add_turns(name, line, turns, into=reply if reply != name else "")
        started = self._entries.get(name)
        if reply == name and isinstance(started, ForeignMessage):
            is_interrupted = line.flag("isAbortedMidStream")
            whole = replace(started.message, model=model, usage=usage, is_interrupted=is_interrupted)
            self._entries[name] = replace(started, message=whole)
            self._replies[message_id] = name
        called = called_tools(blocks)
        self._names |= called
        self._callers |= dict.fromkeys(called, reply)
        return True

    def _grow(self, reply: str, parts: list[Part], usage: Usage | None) -> None:
        entry = self._entries[reply]
        if isinstance(entry, ForeignMessage):
            message = entry.message
            grown = replace(message, parts=(*message.parts, *parts), usage=usage or message.usage)
            self._entries[reply] = replace(entry, message=grown)

    def _add_said(self, name: str, line: Fields, blocks: list[Fields]) -> bool:
        """Add what the user said, or tools answered."""
        line.object("message").skip("role")
        turns = turns_of(Role.USER, blocks, self._names)
        calls = [parts[0].call_id for _, parts in turns if isinstance(parts[0], ToolResult)]
        callers = {self._callers.pop(call, "") for call in calls if call}
        reply = callers.pop() if len(callers) == 1 else ""
        if line.text("toolDenialKind") == "user-rejected":
            turns = [(role, _denied(parts)) for role, parts in turns]
        return self._add_turns(name, line, turns, into=reply)

    def _add_turns(self, name: str, line: Fields, turns: Iterable[Turn], into: str = "") -> bool:
        """Add messages: as a group of their own, or at the end of one."""
        at = line.time("timestamp")
        group = into
        for number, (role, parts) in enumerate(turns):
            piece = f"{name}/{number}" if number else name
            entry = ForeignMessage(piece, "", Message(role=role, parts=parts, at=at))
            if not group:
                group = name
                self._start(name, entry)
            else:
                self._inner[piece] = self._ends[group]
                self._entries[piece] = entry
                self._ends[group] = piece
        if group:
            self._group_of[name] = group
        return bool(group)

    def _start(self, name: str, entry: ForeignEntry) -> None:
        self._entries[name] = entry
        self._group_of[name] = self._ends[name] = name


def _is_hidden(line: Fields) -> bool:
    """Return whether it is words of the program's to the model, which the user never saw."""
    kinds = {block.text("type") for block in line.object("message").objects("content")}
    return line.flag("isMeta") and kinds <= {"text"}


def _blocks(holder: Fields, field: str) -> list[Fields]:
    """Return the blocks of a content: a text is one block."""
    if text := holder.text(field):
        return [Fields({"type": "text", "text": text})]
    values = holder.values(field)
    blocks = holder.objects(field) if values else []
    pairs = zip(values, blocks, strict=True)
    return [Fields({"type": "text", "text": value}) if isinstance(value, str) else block for value, block in pairs]


def _denied(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(replace(part, ending="denied") if isinstance(part, ToolResult) else part for part in parts)


def _usage(fields: Fields) -> Usage | None:
    """Return the tokens of the request so far: each line of a reply has them, the last one all."""
    if not fields:
        return None
    read, written = fields.count("cache_read_input_tokens"), fields.count("cache_creation_input_tokens")
    return Usage(
        fields.count("input_tokens") + read + written,
        fields.count("output_tokens"),
        cached_tokens=read,
        cache_written_tokens=written,
        reasoning_tokens=fields.object("output_tokens_details").count("thinking_tokens"),
    )
