"""Chatbox's export of all data, a JSON file.

The export is a copy of the program's storage. Up to version 1.11, `chat-sessions` is a list of sessions; since then,
each session has its own key, `session:ID`, and `chat-sessions-list` has their order. Messages have `contentParts`, in
older exports `content`. `messageForksHash` maps the message at which branches fork to the branches that are not open.
`threads` contains the messages that were put away when the user began a new context; each thread becomes a
conversation. A compaction point names the message that summarizes everything before it. Images and files are not in the
export. Based on the source code that writes it, 2023 to 2026.
"""

from __future__ import annotations

from collections.abc import Iterator

from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation, ForeignEntry, UnreadFile
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

from .format import Fields, Format, Found, json_of, rest_json
from .sources import Source
from .trees import attachment_at, in_turns

PROGRAM = "Chatbox"
ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
OF_SESSION = "session:"
PLACEHOLDER = "..."
"""Text of a reply that has not arrived yet."""


def recognizes(source: Source) -> bool:
    """Return whether the file is a copy of Chatbox's storage."""
    keys = source.first_keys
    known = not keys.isdisjoint(("chat-sessions", "chat-sessions-list")) or keys >= {
        "__exported_items",
        "__exported_at",
    }
    return known or any(key.startswith(OF_SESSION) for key in keys)


def read(source: Source) -> Iterator[Found]:
    """Yield a conversation for each thread of each session."""
    for value in source.items(""):
        root = Fields(value)
        sessions = _sessions(root)
        for listed in root.objects("chat-sessions-list"):
            if listed.text("id") not in sessions:
                yield UnreadFile(source.name, translatable("its messages are not in the export"), listed.text("name"))
        for name, session in sessions.items():
            yield from _conversations(name, session)


def _sessions(root: Fields) -> dict[str, Fields]:
    """Return the sessions by their ids."""
    sessions = {each.text("id"): each for each in root.objects("chat-sessions")}
    for key, each in root.named_objects().items():
        if key.startswith(OF_SESSION):
            sessions[key.removeprefix(OF_SESSION)] = each
    return sessions


def _conversations(name: str, session: Fields) -> Iterator[ForeignConversation]:
    """Yield the threads that were put away, then the open one."""
    title, forks = session.text("name"), session.object("messageForksHash").named_objects()
    threads = session.objects("threads")
    for thread in [*threads, session]:
        reader = _ThreadReader(forks, {point.text("summaryMessageId") for point in thread.objects("compactionPoints")})
        reader.read(thread.objects("messages"))
        if not reader.first:  # an unused session
            continue
        thread.skip("id")
        own_title = session.text("threadName") if thread is session else thread.text("name")
        rest = thread.rest()
        rest.pop("threads", None)
        if own_title and own_title != title:
            rest["session"] = title
        yield ForeignConversation(
            PROGRAM,
            f"{name}/{reader.first}",  # a thread's own id changes when it is opened or put away
            own_title or title,
            tuple(reader.entries),
            created_at=thread.time("createdAt") if thread is not session else 0.0,
            current=reader.current,
            model=session.object("settings").text("modelId"),
            is_pinned=session.flag("starred"),
            rest=rest_json(rest),
        )


class _ThreadReader:
    """Reads the messages of a thread, including its other branches."""

    def __init__(self, forks: dict[str, Fields], summaries: set[str]) -> None:
        self.entries: list[ForeignEntry] = []
        self.current = ""
        self.first = ""
        """The id of the first message other than a system prompt; "" for none."""
        self._forks = forks
        self._summaries = summaries
        self._names: set[str] = set()

    def read(self, messages: list[Fields]) -> None:
        """Read the open branch and, at each fork, the other branches in the order of their versions."""
        branches = [(messages, "", True)]
        while branches:
            branch, parent, is_open = branches.pop()
            for position, fields in enumerate(branch, start=1):
                name = fields.text("id")
                parent = self._add(name, fields, parent)
                if is_open:
                    self.current = parent
                fork = self._forks.pop(name, None)
                if fork is not None:
                    branches += reversed(_all_branches(fork, (branch[position:], parent, is_open)))
                    break

    def _add(self, name: str, fields: Fields, parent: str) -> str:
        """Append a message; return the id of the entry that the next message follows."""
        message = _message(fields)
        if message is None:
            return parent
        if parent and name in self._summaries and name not in self._names:
            self._names.add(name)
            self.entries.append(ForeignCompaction(name, parent, message.text, at=message.at, model=message.model))
            return name
        turns = in_turns(name or "message", parent, message, self._names)
        self.entries += turns
        if message.role is not Role.SYSTEM:
            self.first = self.first or turns[0].id
        return turns[-1].id


def _all_branches(fork: Fields, open_branch: tuple[list[Fields], str, bool]) -> list[tuple[list[Fields], str, bool]]:
    """Return all branches at a fork in order, with the open one in its place.

    The fork itself has an empty list for the open branch, whose messages follow in the thread.
    """
    position, parent = fork.count("position"), open_branch[1]
    fork.skip("createdAt")
    others = [(branch.objects("messages"), parent, False) for branch in _stored_branches(fork)]
    return [*others[:position], open_branch, *others[position:]]


def _stored_branches(fork: Fields) -> list[Fields]:
    branches = fork.objects("lists")
    for branch in branches:
        branch.skip("id")
    return branches


def _message(fields: Fields) -> Message | None:
    """Return a message; None if it has no content or an unknown role."""
    role = ROLES.get(fields.text("role"))
    parts = () if role is None else tuple(_parts(fields))
    if role is None or not parts:
        return None
    fields.skip("id", "wordCount", "tokenCountMap", "tokenCalculatedAt", "cancel")
    if role is Role.TOOL:
        text = "\n\n".join(part.text for part in parts if isinstance(part, Text))
        parts = (ToolResult("", fields.text("name") or "tool", text),)
    is_reply = role is Role.ASSISTANT
    return Message(
        role=role,
        parts=parts,
        at=fields.time("timestamp"),
        model=fields.text("model") if is_reply else "",
        is_interrupted=is_reply and (fields.flag("generating") or "error" in fields),
        usage=_usage(fields.object("usage")) if is_reply else None,
    )


def _usage(fields: Fields) -> Usage | None:
    prompt, reply = fields.count("inputTokens"), fields.count("outputTokens")
    cached, thought = fields.count("cachedInputTokens"), fields.count("reasoningTokens")
    fields.skip("totalTokens")
    return Usage(prompt, reply, cached_tokens=cached, reasoning_tokens=thought) if prompt or reply else None


def _parts(fields: Fields) -> Iterator[Part]:
    if thought := fields.text("reasoningContent"):
        yield Reasoning(thought)
    if searched := fields.object("webBrowsing"):
        query, links = searched.strings("query"), searched.values("links")
        yield ToolCall("", "web_search", _as_text({"query": ", ".join(query)}))
        yield ToolResult("", "web_search", _as_text(links))
    parts = [part for each in fields.objects("contentParts") for part in _content(each)]
    yield from parts
    text = fields.text("content")
    if text not in ("", PLACEHOLDER) and not any(isinstance(part, Text) for part in parts):
        yield Text(text)
    for picture in fields.objects("pictures") if not parts else ():
        yield _image(picture)
    for file in fields.objects("files"):
        yield attachment_at(file.text("url"), file.text("name") or "file")
        file.skip("id", "fileType", "storageKey", "tokenCountMap", "tokenCalculatedAt")
    for link in fields.objects("links"):
        url = link.text("url")
        yield Attachment(link.text("title") or url, "text/uri-list", url)
        link.skip("id", "storageKey", "tokenCountMap", "tokenCalculatedAt")


def _content(fields: Fields) -> tuple[Part, ...]:
    """Return the parts of a content part; () for an unsupported kind, whose fields remain in the rest."""
    kind = fields.text("type")
    text = fields.text("text") if kind in ("text", "reasoning") else ""
    if kind == "text":
        return (Text(text),) if text not in ("", PLACEHOLDER) else ()
    if kind == "reasoning":
        return (Reasoning(text),) if text else ()
    if kind == "image":
        return (_image(fields),)
    if kind == "tool-call":
        return _call_and_result(fields)
    return ()


def _image(fields: Fields) -> Attachment:
    fields.skip("storageKey")
    return attachment_at(fields.text("url"), "image")


def _call_and_result(fields: Fields) -> tuple[Part, ...]:
    call_id, name = fields.text("toolCallId"), fields.text("toolName") or "tool"
    arguments, state = fields.value("args"), fields.text("state")
    call = ToolCall(call_id, name, _as_text({} if arguments is None else arguments))
    if state not in ("result", "error"):
        return (call,)
    result = fields.value("result")
    return (call, ToolResult(call_id, name, "" if result is None else _as_text(result), is_error=state == "error"))


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json_of(value)


FORMAT = Format(PROGRAM, translatable("the JSON file that it exports under Settings"), recognizes, read)
