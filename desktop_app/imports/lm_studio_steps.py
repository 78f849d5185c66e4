"""What a version of a message in LM Studio holds, as messages here: one for each time that the model spoke, and one for
each result of a tool."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from msgspec.structs import replace

from desktop_app.conversation.message import (
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)

from .fields import Fields, arguments_json, json_of, seconds_of
from .images import image_of
from .sources import Source

WHOLE = ("", "eosFound", "stopStringFound", "toolCalls")
"""Why a reply ended that was not cut off."""
STEP_TIME = re.compile(r"\d{13}(?=-)")
"""Milliseconds since 1970, with which the id of a step begins."""
LONGEST = 1e9
"""Seconds that a reply takes at most: what is longer is damaged."""


class StepReader:
    """Reads the versions of one conversation."""

    def __init__(self, source: Source) -> None:
        self.configs: list[Any] = []
        """Settings with which replies were made, each once: with long templates, they stand at each reply."""
        self._source = source
        self._kept: set[str] = set()
        self._names: dict[str, str] = {}

    def messages_of(self, version: Fields, role: Role) -> list[Message]:
        """Return the messages that it is here."""
        sender = version.object("senderInfo").text("senderName") if role is Role.ASSISTANT else ""
        if isinstance(version.peek("content"), str):
            text = version.text("content")
            said = [Message(role=role, parts=(Text(text),), model=sender)] if text else []
        else:
            said = _merged([Message(role=role, model=sender)], self._parts(version, is_thought=False))
        for step in version.objects("steps"):
            if step.peek("type") == "contentBlock":
                said = self._with_step(said, step, role, sender)
        sent = version.object("preprocessed")
        if sent.peek("content") == version.peek("content"):
            version.skip("preprocessed")
        return [message for message in said if message.parts]

    def _with_step(self, said: list[Message], step: Fields, role: Role, sender: str) -> list[Message]:
        style = step.object("style")
        at = STEP_TIME.match(step.text("stepIdentifier"))
        step.skip("type", "defaultShouldIncludeInContext")
        if step.peek("shouldIncludeInContext") is True:
            step.skip("shouldIncludeInContext")
        begun = Message(role=role, model=sender, at=seconds_of(int(at.group())) if at else 0.0)
        said = _merged([*said, begun], self._parts(step, is_thought=style.text("type") == "thinking"))
        info = step.object("genInfo")
        last = max((n for n, message in enumerate(said) if message.role is role and message.parts), default=-1)
        if info and last >= 0:
            said[last] = self._with_numbers(said[last], info)
        return said

    def _parts(self, step: Fields, is_thought: bool) -> list[Part]:
        """Return the parts of a block; a text may stand there in pieces."""
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
            return ToolResult(call_id, name, _said(piece.value("content")))
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
            is_interrupted=stats.text("stopReason") not in WHOLE,
        )

    def _keep(self, config: Any) -> None:
        text = json_of(config, sort_keys=True)
        if text not in self._kept:
            self._kept.add(text)
            self.configs.append(config)


def _merged(said: list[Message], parts: list[Part]) -> list[Message]:
    """Return the messages with these parts behind: the newest one goes on until a tool answers."""
    *said, begun = said
    for part in parts:
        if isinstance(part, ToolResult):
            said.append(Message(role=Role.TOOL, parts=(part,), at=begun.at))
        elif said and said[-1].parts and said[-1].role is begun.role:
            said[-1] = replace(said[-1], parts=(*said[-1].parts, part), at=said[-1].at or begun.at)
        else:
            said.append(replace(begun, parts=(part,)))
    return said


def _call_id(piece: Fields) -> str:
    """Return the id by which a call and its result are a pair."""
    number = piece.peek("callId")
    if isinstance(number, int | str) and str(number):
        piece.skip("callId")
        return str(number)
    return piece.text("toolCallRequestId", "toolCallId")


def _said(content: Any) -> str:
    """Return what a tool answered: a text, or JSON of one, or of a list of texts."""
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
