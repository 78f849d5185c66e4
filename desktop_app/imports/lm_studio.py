"""LM Studio's conversations: `*.conversation.json` in `~/.lmstudio/conversations` and its subfolders.

Each message has `versions`, of which one is `currentlySelected`; the next message follows that one. A version is a
single step with a `content`, or several `steps`: blocks of text, reasoning, tool calls and their results, with the
model and its statistics in `genInfo`. Messages have no ids, and only steps have times. LM Studio does not document the
format: this is based on a file of March 2026 and, for reasoning, tools and files, on programs that read and write such
files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, cast

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage
from desktop_app.conversation.message import Message, Part, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.words import translatable

from .format import NOT_AN_OBJECT, Fields, Format, Found, arguments_json, json_of, rest_json, seconds_of
from .sources import BadFile, Source
from .trees import image_of

COMPLETE = ("", "eosFound", "stopStringFound", "toolCalls")
"""Stop reasons of replies that were not cut off."""
STEP_TIME = re.compile(r"\d{13}(?=-)")
"""Milliseconds since 1970 at the beginning of a step's id."""
LONGEST = 1e9
"""Maximum seconds of a reply; a longer duration is invalid and limited to this."""


class StepReader:
    """Reads the versions of one conversation."""

    def __init__(self, source: Source) -> None:
        self.configs: list[Any] = []
        """The replies' settings, each once: every reply repeats them, with long templates."""
        self._source = source
        self._kept: set[str] = set()
        self._names: dict[str, str] = {}

    def messages_of(self, version: Fields, role: Role) -> list[Message]:
        """Return the messages that a version becomes."""
        sender = version.object("senderInfo").text("senderName") if role is Role.ASSISTANT else ""
        if isinstance(version.peek("content"), str):
            text = version.text("content")
            messages = [Message(role=role, parts=(Text(text),), model=sender)] if text else []
        else:
            messages = _merged([Message(role=role, model=sender)], self._parts(version, is_thought=False))
        for step in version.objects("steps"):
            if step.peek("type") == "contentBlock":
                messages = self._with_step(messages, step, role, sender)
        sent = version.object("preprocessed")
        if sent.peek("content") == version.peek("content"):
            version.skip("preprocessed")
        return [message for message in messages if message.parts]

    def _with_step(self, messages: list[Message], step: Fields, role: Role, sender: str) -> list[Message]:
        style = step.object("style")
        at = STEP_TIME.match(step.text("stepIdentifier"))
        step.skip("type", "defaultShouldIncludeInContext")
        if step.peek("shouldIncludeInContext") is True:
            step.skip("shouldIncludeInContext")
        begun = Message(role=role, model=sender, at=seconds_of(int(at.group())) if at else 0.0)
        messages = _merged([*messages, begun], self._parts(step, is_thought=style.text("type") == "thinking"))
        info = step.object("genInfo")
        last = max((n for n, message in enumerate(messages) if message.role is role and message.parts), default=-1)
        if info and last >= 0:
            messages[last] = self._with_numbers(messages[last], info)
        return messages

    def _parts(self, step: Fields, is_thought: bool) -> list[Part]:
        """Return the parts of a block, with adjacent pieces of text joined."""
        parts: list[Part] = []
        for piece in step.objects("content"):
            part = self._part(piece, is_thought)
            before = parts[-1] if parts else None
            if isinstance(part, Text | Reasoning) and type(before) is type(part):
                parts[-1] = replace(part, text=cast("Text", before).text + part.text)
            elif part:
                parts.append(part)
        return parts

    def _part(self, piece: Fields, is_thought: bool) -> Part | None:
        kind = piece.text("type")
        if kind == "file":
            name = piece.text("fileIdentifier", "identifier", "name")
            return image_of(self._source.folder, name) if name else None
        if kind == "toolCallRequest":
            call_id, name = _call_id(piece), piece.text("name") or "tool"
            self._names[call_id] = name
            return ToolCall(call_id, name, arguments_json(piece.value("parameters") or piece.value("arguments")))
        if kind == "toolCallResult":
            call_id = _call_id(piece)
            name = piece.text("name") or self._names.get(call_id, "tool")
            return ToolResult(call_id, name, _result_text(piece.value("content")))
        text = piece.text("text")
        return (Reasoning(text) if is_thought else Text(text)) if text else None

    def _with_numbers(self, message: Message, info: Fields) -> Message:
        stats = info.object("stats")
        usage = Usage(stats.count("promptTokensCount"), stats.count("predictedTokensCount"))
        stats.skip("totalTokensCount")
        for name in ("loadModelConfig", "predictionConfig"):
            if config := info.value(name):
                self._keep(config)
        return replace(
            message,
            model=info.text("identifier") or message.model or info.text("indexedModelIdentifier"),
            usage=usage if usage.prompt_tokens or usage.reply_tokens else message.usage,
            seconds=max(0.0, min(stats.number("totalTimeSec"), LONGEST)),
            is_interrupted=stats.text("stopReason") not in COMPLETE,
        )

    def _keep(self, config: Any) -> None:
        text = json_of(config, sort_keys=True)
        if text not in self._kept:
            self._kept.add(text)
            self.configs.append(config)


def _merged(messages: list[Message], parts: list[Part]) -> list[Message]:
    """Return the messages with these parts added.

    messages: the last one is a template without parts for new messages of the same role. Parts are added to the newest
    message until a tool result follows it.
    """
    *messages, template = messages
    for part in parts:
        if isinstance(part, ToolResult):
            messages.append(Message(role=Role.TOOL, parts=(part,), at=template.at))
        elif messages and messages[-1].parts and messages[-1].role is template.role:
            newest = messages[-1]
            messages[-1] = replace(newest, parts=(*newest.parts, part), at=newest.at or template.at)
        else:
            messages.append(replace(template, parts=(part,)))
    return messages


def _call_id(piece: Fields) -> str:
    """Return the id that a call and its result share."""
    number = piece.peek("callId")
    if isinstance(number, int | str) and str(number):
        piece.skip("callId")
        return str(number)
    return piece.text("toolCallRequestId", "toolCallId")


def _result_text(content: Any) -> str:
    """Return the text of a tool result: a string, or a string or a list of texts encoded as JSON."""
    if not isinstance(content, str):
        return json_of(content) if content else ""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return content
    if isinstance(value, str):
        return value
    texts = [Fields(each).text("text") for each in cast("list[object]", value)] if isinstance(value, list) else []
    return "\n\n".join(texts) if texts and all(texts) else content


PROGRAM = "LM Studio"
ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT}
OWN_KEYS = {"clientInput", "looseFiles", "perChatPredictionConfig", "tokenCount", "userLastMessagedAt", "lastUsedModel"}
SYSTEM_PROMPT = "llm.prediction.systemPrompt"


def recognizes(source: Source) -> bool:
    """Return whether the messages have versions or, for an empty conversation, whether it has keys of LM Studio."""
    keys = source.first_keys
    return "messages" in keys and (b'"currentlySelected"' in source.beginning or len(OWN_KEYS & keys) > 1)


def read(source: Source) -> Iterator[Found]:
    """Yield the one conversation of the file."""
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
        """Return the path of the conversation's folder below `conversations`; "" for that folder itself."""
        folder = f"/{self._source.name}".rpartition("/")[0]
        return f"{folder}/".rpartition("/conversations/")[2].strip("/")

    def _add_all(self, asked_at: float) -> str:
        """Add all messages; return the id of the last one of the open branch."""
        end, asked = self._add_system_prompt(), ""
        for number, value in enumerate(self._fields.values("messages")):
            slot = Fields(value)
            versions, selected, before = slot.objects("versions"), slot.number("currentlySelected"), end
            chosen = selected if selected in range(len(versions)) else 0
            for position, version in enumerate(versions):
                last = self._add(version, before)
                if position == chosen:
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
        """Add a version of a message after `before`; return its last message, or `before` if it has none."""
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
        """Return the id of a version: a hash of its content and everything before it, made unique."""
        hashed = [
            version.peek("role"),
            version.peek("content"),
            [step.peek("content") for step in version.objects("steps")],
        ]
        name = hashlib.sha256(f"{before}{json_of(hashed, sort_keys=True, ensure_ascii=True)}".encode()).hexdigest()[:32]
        while f"{name}/0" in self._entries:
            name += "'"
        return name


FORMAT = Format(
    PROGRAM,
    translatable("a conversation from its folder .lmstudio/conversations, or the folder"),
    recognizes,
    read,
    homes=(".lmstudio/conversations", ".cache/lm-studio/conversations"),
)
