"""LM Studio's conversations: `*.conversation.json` in `~/.lmstudio/conversations`, and in folders below it.

Each message has `versions`, of which one is `currentlySelected`; what follows follows that one. A version is a single
step with a `content`, or several `steps`: blocks of text, thoughts, calls of tools and their results, with the model
and its numbers in `genInfo`. Messages have no ids, and only steps have times. LM Studio documents none of it: after a
file of March 2026, and, for thoughts, tools and files, after programs that read and write such files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.words import translatable

from .fields import Fields, json_of, rest_json
from .format import Format, Found
from .lm_studio_steps import StepReader
from .reasons import NOT_AN_OBJECT
from .sources import BadFile, Source

PROGRAM = "LM Studio"
ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
OWN_KEYS = {"clientInput", "looseFiles", "perChatPredictionConfig", "tokenCount", "userLastMessagedAt", "lastUsedModel"}
SYSTEM_PROMPT = "llm.prediction.systemPrompt"


def recognizes(source: Source) -> bool:
    """Return whether its messages have versions; those of an empty conversation, whether it has keys of LM Studio."""
    keys = source.first_keys
    return "messages" in keys and (b'"currentlySelected"' in source.beginning or len(OWN_KEYS & keys) > 1)


def read(source: Source) -> Iterator[Found]:
    """Return the one conversation of the file."""
    for value in source.items(""):
        if not isinstance(value, dict):
            raise BadFile(NOT_AN_OBJECT)
        yield _ConversationReader(Fields(value), source).conversation()


class _ConversationReader:
    """Reads one conversation."""

    def __init__(self, fields: Fields, source: Source) -> None:
        self._fields = fields
        self._source = source
        self._steps = StepReader(source)
        self._entries: dict[str, ForeignMessage] = {}
        self._rests: dict[str, Any] = {}

    def conversation(self) -> ForeignConversation:
        fields = self._fields
        created_at, asked_at = fields.time("createdAt"), fields.time("userLastMessagedAt")
        answered_at, title = fields.time("assistantLastMessagedAt"), fields.text("name")
        used = fields.object("lastUsedModel")
        model = used.text("identifier", "indexedModelIdentifier")
        is_pinned = fields.flag("pinned")
        current = self._add_all(asked_at)
        rest = fields.rest() | {"messages": self._rests, "configs": self._steps.configs}
        return ForeignConversation(
            PROGRAM,
            str(round(created_at * 1000)) if created_at else self._source.name,
            title,
            tuple(self._entries.values()),
            created_at=created_at,
            updated_at=max(asked_at, answered_at),
            current=current,
            model=model,
            section=self._section(),
            is_pinned=is_pinned,
            rest=rest_json({name: value for name, value in rest.items() if value}),
        )

    def _section(self) -> str:
        """Return the folder that it lies in, below that of all conversations."""
        folder = f"/{self._source.name}".rpartition("/")[0]
        return f"{folder}/".rpartition("/conversations/")[2].strip("/")

    def _add_all(self, asked_at: float) -> str:
        """Add all messages; return the last one of the branch that is open."""
        end, asked = self._add_system_prompt(), ""
        for number, value in enumerate(self._fields.values("messages")):
            slot = Fields(value)
            versions, selected, before = slot.objects("versions"), slot.number("currentlySelected"), end
            chosen = selected if selected in range(len(versions)) else 0
            for place, version in enumerate(versions):
                last = self._add(version, before)
                if place == chosen:
                    asked = last if version.text("role") == "user" else asked
                    end = last
            if rest := slot.rest() if isinstance(value, dict) else value:
                self._rests[str(number)] = rest
        if asked in self._entries:
            entry = self._entries[asked]
            self._entries[asked] = replace(entry, message=replace(entry.message, at=asked_at))
        return end

    def _add_system_prompt(self) -> str:
        text = self._fields.text("systemPrompt")
        if not text:
            own = Fields({"options": self._fields.object("perChatPredictionConfig").peek("fields")}).objects("options")
            text = next((option.text("value") for option in own if option.text("key") == SYSTEM_PROMPT), "")
        if not text:
            return ""
        self._entries["system"] = ForeignMessage("system", "", Message(role=Role.SYSTEM, parts=(Text(text),)))
        return "system"

    def _add(self, version: Fields, before: str) -> str:
        """Add a version of a message behind that one; return its last message, or that one if it has none."""
        role = ROLES.get(version.text("role"))
        if role is None:
            return before
        base, end = self._hashed(before, version), before
        version.skip("type")
        for number, message in enumerate(self._steps.messages_of(version, role)):
            name = f"{base}/{number}"
            self._entries.setdefault(name, ForeignMessage(name, end, message))
            end = name
        return end

    def _hashed(self, before: str, version: Fields) -> str:
        """Return the id of a version: its content, after all that stands before. An equal one has another."""
        said = [
            version.peek("role"),
            version.peek("content"),
            [step.peek("content") for step in version.objects("steps")],
        ]
        name = hashlib.sha256(f"{before}{json_of(said, sort_keys=True, ensure_ascii=True)}".encode()).hexdigest()[:32]
        while f"{name}/0" in self._entries:
            name += "'"
        return name


FORMAT = Format(
    PROGRAM,
    translatable("a conversation out of its folder .lmstudio/conversations, or the folder"),
    recognizes,
    read,
    homes=(".lmstudio/conversations", ".cache/lm-studio/conversations"),
)
