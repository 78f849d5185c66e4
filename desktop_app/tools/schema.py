"""The JSON Schema of a tool's arguments, and what is wrong with arguments that do not fit it."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from desktop_app.conversation.tools import ToolSpec

from .tool import Arguments, Tool, ToolFailed

A = TypeVar("A", bound=Arguments)


def spec_of(tool: Tool[Any]) -> ToolSpec:
    """The tool as it is offered to a model: the same bytes each time."""
    return ToolSpec(tool.name, tool.description, parameters_of(tool.arguments))


@lru_cache(128)
def parameters_of(arguments: type[Arguments]) -> str:
    """The schema as JSON text, without references, and without what only costs tokens: titles, empty defaults."""
    return json.dumps(_schema(arguments), separators=(",", ":"), ensure_ascii=False)


def read_arguments(name: str, text: str, arguments: type[A]) -> A:
    """What the model wrote, as a value. Raises ToolFailed, saying what is wrong and what the tool takes.

    Numbers and truth values in quotes are taken: models write them so, and what is meant is clear.
    """
    try:
        fields = json.loads(text.strip() or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolFailed(f"The arguments are not valid JSON ({error}). {_takes(name, arguments)}") from None
    try:
        return msgspec.convert(fields, arguments, strict=False)
    except msgspec.ValidationError as error:
        raise ToolFailed(f"The arguments do not fit: {error}. {_takes(name, arguments)}") from None


def _takes(name: str, arguments: type[Arguments]) -> str:
    """The fields in words, so that the call can be repeated right."""
    schema = _schema(arguments)
    required = schema.get("required", [])
    fields = [
        f"{field} ({told.get('type', 'any')}, {'required' if field in required else 'optional'})"
        for field, told in schema["properties"].items()
    ]
    return f"{name} takes: {', '.join(fields)}."


def _schema(arguments: type[Arguments]) -> dict[str, Any]:
    whole = msgspec.json.schema(arguments)
    own = whole["$defs"][arguments.__name__]
    fields = {name: _field(told) for name, told in own["properties"].items()}
    required = {"required": own["required"]} if own["required"] else {}
    return {"type": "object", "properties": fields, **required}


def _field(told: dict[str, Any]) -> dict[str, Any]:
    dropped = {"title", "minLength"} | ({"default"} if told.get("default") in ("", None, False) else set[str]())
    return {key: value for key, value in told.items() if key not in dropped}
