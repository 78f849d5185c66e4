"""Claude Code's sessions: `~/.claude/projects/FOLDER/SESSION.jsonl`, one JSON object a line.

Lines with a `uuid` form a tree by `parentUuid`. Messages are the lines of type `user` and `assistant`, and attachments
of type `queued_command`: input that the user typed while the agent was working. Claude Code does not display lines of
other types or lines marked `isMeta`; an import keeps them unchanged in the rest. Subagents become separate
conversations, archived from the start. In versions 1, a subagent is a tree of lines with `isSidechain` in the session's
file; since about 2.0.60, it is a file in `SESSION/subagents/`.

Each block of a reply is written as a line, all with the same `message.id`; an import merges them into one message. Tool
calls run in parallel and each result is a line that follows its call, so the lines fork although the user created no
branch. An import puts the results after the reply, in sequence; whatever follows any of them follows the last one.

A compaction is a line `compact_boundary` followed by the summary, a user's line marked `isCompactSummary`. The lines
that it kept are sent after its `anchorUuid`: the boundary, and so before the summary, or the summary. They remain where
they were written, and what follows the last of them may name it as its parent.

Commands and their output are messages in the user's role, in tags. Based on versions 1.0 to 2.1.332, 2025 to 2026; the
format is not documented.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from desktop_app.conversation.foreign import (
    ForeignCompaction,
    ForeignConversation,
    ForeignEntry,
    ForeignMessage,
    UnreadFile,
)
from desktop_app.conversation.message import Attachment, Message, Part, Role, Text, ToolResult, Usage
from desktop_app.conversation.words import translatable

from .anthropic_blocks import Turn, called_tools, turns_of
from .claude_code_lines import BOUNDARY, PROGRAM, Preserved, lines_of, parents_of, roots_of, written_by
from .format import Fields, Format, Found, json_of, rest_json, without_messages
from .sources import Source
from .trees import attachment_at, in_order

ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
NO_MODEL = "<synthetic>"
"""The model named in messages that Claude Code itself writes, such as errors."""


class SessionTree:
    """Converts lines to entries. A group is a reply with its results, or a single other line."""

    def __init__(self, parents: Mapping[str, str]) -> None:
        """parents: the line that each line follows, including lines that are not added."""
        self._parents = parents
        self._lines: dict[str, None] = {}
        self._current = ""
        self._entries: dict[str, ForeignEntry] = {}
        self._inner: dict[str, str] = {}  # each entry of a group except the first: the previous one
        self._group_of: dict[str, str] = {}  # by line
        self._ends: dict[str, str] = {}  # the last entry of each group
        self._replies: dict[str, str] = {}  # by the ids of their messages
        self._callers: dict[str, str] = {}  # the replies whose calls have no result yet, by the ids of the calls
        self._names: dict[str, str] = {}
        self.model = ""
        """The model of the last reply."""

    def __contains__(self, name: str) -> bool:
        return name in self._lines

    def add(self, name: str, line: Fields) -> None:
        """Add a line."""
        self._lines[name] = None
        if self._add(name, line):
            self._current = name

    def entries(self) -> tuple[tuple[ForeignEntry, ...], str]:
        """Return the entries in order, and the id of the last one of the open branch."""
        self._drop_empty_compactions()
        linked = {name: self._end_of(self._parents.get(name, "")) for name in self._lines}
        return in_order(self._entries, linked | self._inner), self._end_of(self._current)

    def _end_of(self, name: str) -> str:
        """Return the last entry of a line's group, which whatever follows the line follows; without one, the line."""
        return self._ends[self._group_of[name]] if name in self._group_of else name

    def _add(self, name: str, line: Fields) -> bool:
        """Add a line and return whether it is a message."""
        kind = line.text("type")
        if line.text("subtype") == BOUNDARY:
            self._add_boundary(name, line)
            return False
        queued = line.object("attachment")
        if kind == "attachment" and queued.text("type") == "queued_command" and queued.text("commandMode") == "prompt":
            return self._add_turns(name, line, turns_of(Role.USER, _blocks(queued, "prompt"), {}))
        if kind == "attachment" and queued.text("type") == "file" and (picture := _picture_in(queued)):
            return self._add_turns(name, line, [(Role.USER, (picture,))])
        role = ROLES.get(kind)
        if role is None or _is_hidden(line):
            return False
        blocks = _blocks(line.object("message"), "content")
        if line.flag("isCompactSummary") and self._add_summary(name, line, blocks):
            return True
        add = self._add_reply if role is Role.ASSISTANT else self._add_input
        return add(name, line, blocks)

    def _add_boundary(self, name: str, line: Fields) -> None:
        about = line.object("compactMetadata")
        preserved = Preserved.of(about)
        kept = [piece for each in preserved.lines(self._parents) for piece in self._pieces(each)]
        messages = [each for each in kept if isinstance(self._entries[each], ForeignMessage)]
        about.skip("preservedSegment", "preservedMessages")
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
                kept=tuple(dict.fromkeys(kept)),
                follows=messages[-1] if messages and preserved.anchor == line.text("uuid") else "",
            ),
        )

    def _pieces(self, name: str) -> list[str]:
        """Return the entries of the line's group, in order; [] for a line that is no message."""
        group = self._group_of.get(name, "")
        pieces = [self._ends[group]] if group else []
        while pieces and pieces[-1] in self._inner:
            pieces.append(self._inner[pieces[-1]])
        return pieces[::-1]

    def _add_summary(self, name: str, line: Fields, blocks: list[Fields]) -> bool:
        """Add a summary to its compaction; return False if it has nothing before it and so is an ordinary message.

        Such a summary begins a file that continues the session of another file.
        """
        summary = "\n\n".join(filter(None, (block.text("text") for block in blocks)))
        if not summary:
            return False
        above = self._groups_above(name)
        pending = next((n for n, group in enumerate(above) if self._is_pending(group)), -1)
        boundary = self._entries[above[pending]] if pending >= 0 else None
        if isinstance(boundary, ForeignCompaction) and pending == 0:
            self._entries[above[0]] = replace(boundary, summary=summary)
            self._group_of[name] = above[0]
            return True
        if not above:
            return False
        between = above[:pending][::-1] if pending > 0 else []  # in a forked session, what it kept is written there
        kept = tuple(piece for group in between for piece in self._pieces(group))
        at = line.time("timestamp")
        self._start(name, ForeignCompaction(name, "", summary, at=at, kept=kept, follows=kept[-1] if kept else ""))
        return True

    def _groups_above(self, name: str) -> list[str]:
        """Return the groups of the line's ancestors, nearest first, up to a compaction."""
        seen, groups = {name}, dict[str, None]()
        while (name := self._parents.get(name, "")) and name not in seen:
            seen.add(name)
            if group := self._group_of.get(name, ""):
                groups[group] = None
                if isinstance(self._entries[group], ForeignCompaction):
                    break
        return list(groups)

    def _is_pending(self, group: str) -> bool:
        """Return whether the group is a compaction whose summary has not come yet."""
        entry = self._entries[group]
        return isinstance(entry, ForeignCompaction) and not entry.summary

    def _drop_empty_compactions(self) -> None:
        for name, entry in list(self._entries.items()):
            if isinstance(entry, ForeignCompaction) and not entry.summary:
                del self._entries[name]
                del self._ends[self._group_of.pop(name)]

    def _add_reply(self, name: str, line: Fields, blocks: list[Fields]) -> bool:
        turns = turns_of(Role.ASSISTANT, blocks, called_tools(blocks))
        message = line.object("message")
        message.skip("type", "role")
        model, usage = message.text("model").replace(NO_MODEL, ""), _usage(message.object("usage"))
        self.model = model or self.model
        message_id = message.text("id")
        reply = self._replies.get(message_id, "") if message_id else ""
        if not turns:
            return False
        is_interrupted = line.flag("isAbortedMidStream")
        if reply:
            self._group_of[name] = reply
            parts = [part for role, parts in turns if role is Role.ASSISTANT for part in parts]
            self._extend(reply, parts, usage, is_interrupted)
            turns = [turn for turn in turns if turn[0] is Role.TOOL]
        else:
            reply = name
        self._add_turns(name, line, turns, into=reply if reply != name else "")
        started = self._entries.get(name)
        if reply == name and isinstance(started, ForeignMessage):
            completed = replace(started.message, model=model, usage=usage, is_interrupted=is_interrupted)
            self._entries[name] = replace(started, message=completed)
            self._replies[message_id] = name
        called = called_tools(blocks)
        self._names |= called
        self._callers |= dict.fromkeys(called, reply)
        return True

    def _extend(self, reply: str, parts: list[Part], usage: Usage | None, is_interrupted: bool) -> None:
        entry = self._entries[reply]
        if isinstance(entry, ForeignMessage):
            message = entry.message
            extended = replace(
                message,
                parts=(*message.parts, *parts),
                usage=usage or message.usage,
                is_interrupted=is_interrupted or message.is_interrupted,
            )
            self._entries[reply] = replace(entry, message=extended)

    def _add_input(self, name: str, line: Fields, blocks: list[Fields]) -> bool:
        """Add a message of the user, or tool results."""
        line.object("message").skip("role")
        turns = turns_of(Role.USER, blocks, self._names)
        written = written_by(turns)
        calls = [parts[0].call_id for _, parts in turns if isinstance(parts[0], ToolResult)]
        callers = {self._callers.pop(call, "") for call in calls if call}
        reply = callers.pop() if len(callers) == 1 else ""
        if line.text("toolDenialKind") == "user-rejected":
            turns = [(role, _denied(parts)) for role, parts in turns]
        if written is not None:
            line.object("message").keep("content")
            return self._add_turns(name, line, [(Role.USER, (Text(written.text),))], speaker=written.speaker)
        return self._add_turns(name, line, turns, into=reply)

    def _add_turns(self, name: str, line: Fields, turns: Iterable[Turn], into: str = "", speaker: str = "") -> bool:
        """Append messages to the group `into`, or as a new group if it is ""."""
        at = line.time("timestamp")
        group = into
        for number, (role, parts) in enumerate(turns):
            piece = f"{name}/{number}" if number else name
            entry = ForeignMessage(piece, "", Message(role=role, parts=parts, at=at, speaker=speaker))
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
    """Return whether the line is text that Claude Code sent to the model without displaying it."""
    kinds = {block.text("type") for block in line.object("message").objects("content")}
    return line.flag("isMeta") and kinds <= {"text"}


def _blocks(holder: Fields, field: str) -> list[Fields]:
    """Return the blocks of a content; a string is one text block."""
    if text := holder.text(field):
        return [Fields({"type": "text", "text": text})]
    values = holder.values(field)
    blocks = holder.objects(field) if values else []
    pairs = zip(values, blocks, strict=True)
    return [Fields({"type": "text", "text": value}) if isinstance(value, str) else block for value, block in pairs]


def _picture_in(attached: Fields) -> Attachment | None:
    """Return an image that the user named in a message; None for other files, whose text is in the rest."""
    file = attached.object("content").object("file")
    if attached.object("content").peek("type") != "image" or not file.peek("base64"):
        return None
    name = attached.text("displayPath", "filename").rpartition("/")[2] or "image"
    return attachment_at(f"data:{file.text('type') or 'image/png'};base64,{file.text('base64')}", name)


def _denied(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(replace(part, ending="denied") if isinstance(part, ToolResult) else part for part in parts)


def _usage(fields: Fields) -> Usage | None:
    """Return the tokens of the request so far; each line of a reply has them, and the last line has the total."""
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


REDUNDANT = ("uuid", "parentUuid", "logicalParentUuid")
LASTING = (
    "cwd",
    "version",
    "gitBranch",
    "userType",
    "entrypoint",
    "slug",
    "sessionId",
    "isSidechain",
    "permissionMode",
)
"""Fields that most lines repeat; an import keeps them only where they change."""
COPIES = ("api-request", "api-request-blob", "api-request-shape")
"""Kinds of lines that repeat requests: the messages, the program's own prompt and its tools. They are not kept."""
TITLES = ("custom-title", "ai-title", "summary")
"""Sources of a title in order of preference: the user, Claude Code, and a summary, which may be of another session."""


class SessionReader:
    """Collects the lines of a session or a subagent. The rest keeps the fields that nothing else represents."""

    def __init__(self, parents: Mapping[str, str], source: Source, root: str) -> None:
        """root: the first line of a subagent; "" for the session itself."""
        self._tree = SessionTree(parents)
        self._source = source
        self._root = root
        self._ids: dict[str, None] = {}
        self._times: list[float] = []
        self._folder = ""
        self._agent = ""
        self._titles: dict[str, str] = {}
        self._summaries: list[tuple[str, str]] = []  # (last line summarized, summary)
        self._lasting: dict[str, Any] = {}
        self._rest: list[str] = []  # as JSON, which takes a third of the memory

    def add(self, name: str, line: Fields) -> None:
        """Add a line."""
        self._tree.add(name, line)
        if session := line.text("sessionId"):
            self._ids[session] = None
        if at := line.time("timestamp"):
            self._times.append(at)
        self._folder = self._folder or line.text("cwd")
        self._agent = self._agent or line.text("agentId")
        self._add_title(line)
        self._add_rest(name, line)

    def conversation(self) -> ForeignConversation:
        """Return the conversation of the lines added so far."""
        entries, current = self._tree.entries()
        session = self._session()
        return ForeignConversation(
            PROGRAM,
            f"{session}/{self._agent or self._root}" if self._root else session,
            self._title(),
            entries,
            created_at=min(self._times, default=self._source.modified),
            updated_at=max(self._times, default=self._source.modified),
            current=current,
            model=self._tree.model,
            folder=self._folder,
            is_put_away=bool(self._root),
            rest=f'{{"lines":{{{",".join(self._rest)}}}}}' if self._rest else "",
        )

    def _session(self) -> str:
        """Return the session's id, preferably from the file's name: a resumed session begins with another's lines."""
        name = self._source.name.rpartition("/")[2].removesuffix(".jsonl")
        return name if name in self._ids or not self._ids else next(iter(self._ids))

    def _add_title(self, line: Fields) -> None:
        kind = line.text("type")
        if kind in ("custom-title", "ai-title"):
            self._titles[kind] = line.text("customTitle", "aiTitle")
        elif kind == "summary":
            self._summaries.append((line.text("leafUuid"), line.text("summary")))
        line.keep("customTitle", "aiTitle", "leafUuid", "summary")  # only one of them becomes the title

    def _title(self) -> str:
        own = [summary for leaf, summary in self._summaries if leaf in self._tree]
        titles = self._titles | ({"summary": own[-1]} if own else {})
        return next((titles[kind] for kind in TITLES if titles.get(kind)), "")

    def _add_rest(self, name: str, line: Fields) -> None:
        """Keep the fields that nothing else represents, by the id of the line."""
        if line.peek("type") in COPIES or line.object("attachment").peek("type") == "prompt_snapshot":
            return
        about = {field: line.value(field) for field in LASTING if field in line}
        line.skip(*REDUNDANT)
        changed = {field: value for field, value in about.items() if self._lasting.get(field) != value}
        self._lasting |= changed
        rest = line.rest()
        rest.pop("type", None) if set(rest) <= {"type", "timestamp"} else None
        if kept := changed | rest:
            self._rest.append(f"{json_of(name)}:{rest_json(kept)}")


FIRST_KEYS = ({"type", "leafUuid"}, {"type", "messageId", "snapshot"}, {"type", "operation", "timestamp", "sessionId"})
"""Keys of lines that a file may begin with and that no other program writes. The third may have a long prompt."""


def recognizes(source: Source) -> bool:
    """Return whether the first line belongs to a session of Claude Code.

    Lines of Qwen Code and Droid also have a sessionId, but no isSidechain.
    """
    if not source.beginning.lstrip().startswith(b"{"):
        return False
    is_of_session = {"type", "sessionId"} <= source.first_keys and b'"isSidechain"' in source.beginning
    return is_of_session or any(keys <= source.first_keys for keys in FIRST_KEYS)


def read(source: Source) -> Iterator[Found]:
    """Yield the session, then its subagents."""
    lines, unread = lines_of(source)
    parents = parents_of(lines)
    roots = roots_of(parents)
    subagents = {root for root in roots.values() if lines[root].is_sidechain}
    sessions = {"": SessionReader(parents, source, "")}
    for name in list(lines):
        root = roots.get(name, "")
        part = root if root in subagents else ""
        if part not in sessions:
            sessions[part] = SessionReader(parents, source, part)
        sessions[part].add(name, Fields(json.loads(lines.pop(name).content)))
    found = [session.conversation() for session in sessions.values()]
    filled = [each for each in found if each.entries]
    if not filled:
        yield UnreadFile(source.name, without_messages(unread))
    for number, each in enumerate(filled):
        yield each if number else replace(each, unread=unread)


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.claude/projects, or the file of a session in it"),
    recognizes,
    read,
    homes=(".claude/projects",),
)
