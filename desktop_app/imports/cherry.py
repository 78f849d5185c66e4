"""Cherry Studio's backup: `data.json`, alone or in its zip with the files of conversations in `Data/Files`.

A copy of a browser's storage: the text `persist:cherry-studio` holds JSON whose values are JSON again, `assistants`
among them, with the names of topics; the table `topics` holds messages, and `message_blocks` what they say, up to
version 3 the messages themselves. Several replies with the same `askId` are versions. Seen for the versions 2 to 5 in
the source that writes and upgrades them; from 6 a backup has the browser's database files, which are not read, but
"Export to phone" still writes 5.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage, UnreadFile
from desktop_app.conversation.message import Message, Part, Role, Text, Usage
from desktop_app.conversation.words import translatable

from .cherry_blocks import blocks_before, parts_of, rest_of
from .fields import Fields, rest_json
from .format import Format, Found
from .reasons import NO_MESSAGES
from .sources import Source
from .turns import in_turns

PROGRAM = "Cherry Studio"
DATABASE_FILES = translatable(
    "it holds database files, which cannot be read; what “Export to phone” in Cherry Studio saves can be"
)
ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
SYSTEM = "system"
"""The id of the message that is made of the assistant's prompt."""
Json = dict[str, Any]


def recognizes(source: Source) -> bool:
    """Return whether it is a copy of the browser's storage, or says of one that it is Cherry Studio's."""
    return source.first_keys >= {"time", "version", "localStorage"} or _is_of_database(source)


def _is_of_database(source: Source) -> bool:
    return source.first_keys >= {"appName", "appVersion", "resources"} and PROGRAM.encode() in source.beginning


def read(source: Source) -> Iterator[Found]:
    """Return the conversations of the table of topics."""
    if _is_of_database(source):
        yield UnreadFile(source.name, DATABASE_FILES)
        return
    topics = _topics(next(source.items("localStorage.persist:cherry-studio"), ""))
    blocks = {Fields(block).text("id"): block for block in source.items("indexedDB.message_blocks.item")}
    for place, value in enumerate(source.items("indexedDB.topics.item"), start=1):
        fields = Fields(value)
        name = fields.text("id")
        topic, assistant = topics.get(name, (Fields({}), Fields({})))
        conversation = _TopicReader(source, blocks).conversation(name or f"topic {place}", fields, topic, assistant)
        if conversation.messages:
            yield conversation
        elif fields.value("messages") != []:  # a topic that was never used
            yield UnreadFile(source.name, NO_MESSAGES, topic.text("name"))


def _topics(stored: object) -> dict[str, tuple[Fields, Fields]]:
    """Return what is known of each topic besides its messages, with its assistant."""
    slices = Fields(_decoded(stored))
    assistants = Fields(_decoded(slices.value("assistants")))
    found: dict[str, tuple[Fields, Fields]] = {}
    for assistant in [*assistants.objects("assistants"), assistants.object("defaultAssistant")]:
        for topic in assistant.objects("topics"):
            found.setdefault(topic.text("id"), (topic, assistant))
    return found


def _decoded(value: object) -> object:
    """Return the value of a text of JSON; None for any other text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None  # then conversations have no names, which are all that it tells


class _TopicReader:
    """Reads the messages of one topic."""

    def __init__(self, source: Source, blocks: dict[str, object]) -> None:
        self._source = source
        self._blocks = blocks
        self._entries: list[ForeignMessage] = []
        self._names: set[str] = set()
        self._newest = ""
        self._groups: dict[str, str] = {}  # of each question, what its replies follow
        self._group = ""  # the question to which the newest message replies
        self._is_chosen = False  # whether the user chose it among these replies
        self._rests: dict[str, Json] = {}
        self._missing = 0

    def conversation(self, name: str, table: Fields, topic: Fields, assistant: Fields) -> ForeignConversation:
        if prompt := "\n".join(filter(None, [assistant.text("prompt"), topic.text("prompt")])):
            self._append(SYSTEM, Message(role=Role.SYSTEM, parts=(Text(prompt),)))
        for place, fields in enumerate(table.objects("messages"), start=1):
            self._read(fields.text("id") or f"message {place}", fields)
        missing = translatable("parts of messages that are not in the backup: {number}").format(number=self._missing)
        topic.skip("id", "assistantId", "messages")
        return ForeignConversation(
            PROGRAM,
            name,
            topic.text("name"),
            tuple(self._entries),
            created_at=topic.time("createdAt"),
            updated_at=topic.time("updatedAt"),
            current=self._newest,
            model=assistant.object("model").text("id"),
            section=assistant.text("name"),
            is_pinned=topic.flag("pinned"),
            rest=rest_json({**topic.rest(), **({"messages": self._rests} if self._rests else {})}),
            unread=(missing,) if self._missing else (),
        )

    def _read(self, name: str, fields: Fields) -> None:
        role = ROLES.get(fields.text("role"))
        blocks = [] if role is None else self._blocks_of(fields)
        parts = tuple(part for block in blocks for part in parts_of(block, self._source.folder))
        if role is not None and parts:
            message = _message(fields, role, parts)
            question = fields.text("askId") if role is Role.ASSISTANT else ""
            self._add(name, message, question, is_chosen=fields.flag("useful"))
            fields.skip("id", "assistantId", "topicId", "foldSelected", "modelId", "enabledMCPs")
        rest = fields.rest()
        if of_blocks := [left for block in blocks if (left := rest_of(block))]:
            rest["blocks"] = of_blocks
        if rest:
            self._rests[name] = rest

    def _add(self, name: str, message: Message, question: str, *, is_chosen: bool) -> None:
        """Append a message. What comes next follows, of several replies, the one that is chosen, or else the first."""
        newest, is_first = self._newest, question not in self._groups
        if question and not is_first:
            self._newest = self._groups[question]
            end = self._append(name, message)
            is_next = self._group == question and is_chosen and not self._is_chosen
            self._newest = end if is_next else newest
            self._is_chosen |= is_next
            return
        if question:
            self._groups[question] = newest
        self._group, self._is_chosen = question, is_chosen
        self._append(name, message)

    def _append(self, name: str, message: Message) -> str:
        turns = in_turns(name, self._newest, message, self._names)
        self._entries += turns
        self._newest = turns[-1].id
        return self._newest

    def _blocks_of(self, fields: Fields) -> list[Fields]:
        if "blocks" not in fields:
            return list(map(Fields, blocks_before(fields)))
        names = fields.values("blocks")
        found = [self._blocks[name] for name in names if isinstance(name, str) and name in self._blocks]
        self._missing += len(names) - len(found)
        return list(map(Fields, found))


def _message(fields: Fields, role: Role, parts: tuple[Part, ...]) -> Message:
    at, status, metrics = fields.time("createdAt"), fields.text("status"), fields.object("metrics")
    if role is not Role.ASSISTANT:
        return Message(role=role, parts=parts, at=at)
    return Message(
        role=role,
        parts=parts,
        at=at,
        model=fields.object("model").text("id") or fields.text("modelId"),
        is_interrupted=status not in ("", "success"),
        usage=_usage(fields.object("usage")),
        seconds=metrics.count("time_completion_millsec") / 1000,
    )


def _usage(fields: Fields) -> Usage | None:
    prompt, reply = fields.count("inputTokens", "prompt_tokens"), fields.count("outputTokens", "completion_tokens")
    cached = fields.count("cachedInputTokens") or fields.object("prompt_tokens_details").count("cached_tokens")
    thought = fields.count("reasoningTokens", "thoughts_tokens")
    fields.skip("total_tokens", "totalTokens")
    return Usage(prompt, reply, cached_tokens=cached, reasoning_tokens=thought) if prompt or reply else None


FORMAT = Format(PROGRAM, translatable("the zip of a backup, or the data.json in it"), recognizes, read)
