"""The base class of the built-in tools, their schemas, and the parser for the arguments of a call."""

from __future__ import annotations

import json
from abc import ABC
from collections.abc import AsyncGenerator
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import msgspec

from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome, ToolSpec


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of a call. The schema for the model includes the descriptions and bounds of the fields."""


A = TypeVar("A", bound=Arguments)

CHANGED = "What this call would do was not asked for, or has changed since, so it did not run. Call it again."


class ToolFailed(Exception):
    """Raised if a call failed, with a reason for the model."""


class Tool(ABC, Generic[A]):
    """A built-in tool."""

    name: ClassVar[str]
    description: ClassVar[str]
    arguments: type[A]

    @property
    def is_available(self) -> bool:
        """Whether the tool works on this machine and is switched on."""
        return True

    async def spec(self) -> ToolSpec:
        """Return the tool's current specification for models."""
        return spec_of(self)

    async def needs(self, arguments: A, context: ToolContext) -> tuple[RequiredPermission, ...]:
        """Return the permissions that the call requires. Raises ToolFailed and OSError."""
        return ()

    async def answer(self, arguments: A, context: ToolContext) -> str:
        """Run the call and return its text. Raises ToolFailed and OSError."""
        raise NotImplementedError

    async def run(self, arguments: A, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Yield output as it is produced, then the outcome. Most tools yield only the outcome."""
        yield ToolOutcome(await self.answer(arguments, context))


def field(description: str, **bounds: Any) -> Any:
    """Return the metadata of an argument. bounds: msgspec's constraints (`ge`, `le`, `min_length`)."""
    return msgspec.Meta(description=description, **bounds)


FilePath = Annotated[str, field("Absolute, or relative to the working folder", min_length=1)]


def spec_of(tool: Tool[Any]) -> ToolSpec:
    """Return the tool's specification for models, with the same bytes each time."""
    return ToolSpec(tool.name, tool.description, parameters_of(tool.arguments))


def read_arguments(name: str, text: str, arguments: type[A]) -> A:
    """Parse and validate the arguments that a model wrote. Raises ToolFailed with the error and the tool's parameters.

    Raw line breaks in strings, and numbers and booleans in quotes, are accepted, because models write them and the
    meaning is clear. Nothing else is repaired, see docs/decisions/0018.
    """
    try:
        fields = json.loads(text.strip() or "{}", strict=False)
    except (ValueError, RecursionError) as error:
        raise ToolFailed(f"The arguments are not valid JSON ({error}). {_usage(name, arguments)}") from None
    try:
        return msgspec.convert(fields, arguments, strict=False)
    except msgspec.ValidationError as error:
        raise ToolFailed(f"The arguments do not fit: {error}. {_usage(name, arguments)}") from None


def _usage(name: str, arguments: type[Arguments]) -> str:
    schema = _schema(arguments)
    required = schema.get("required", [])
    fields = [
        f"{field} ({of.get('type', 'any')}, {'required' if field in required else 'optional'})"
        for field, of in schema["properties"].items()
    ]
    return f"{name} takes: {', '.join(fields)}."


@lru_cache(128)
def parameters_of(arguments: type[Arguments]) -> str:
    """Return the JSON Schema of the arguments as text."""
    return json.dumps(_schema(arguments), separators=(",", ":"), ensure_ascii=False)


def _schema(arguments: type[Arguments]) -> dict[str, Any]:
    """Return the JSON Schema without references, titles and empty defaults, which only cost tokens.

    An argument that may be a number or a string is described as a string.
    """
    schema = msgspec.json.schema(arguments)["$defs"][arguments.__name__]
    fields = {name: _without_extras(of) for name, of in schema["properties"].items()}
    required = {"required": schema["required"]} if schema["required"] else {}
    return {"type": "object", "properties": fields, **required}


def _without_extras(schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" in schema or "anyOf" in schema:  # some providers accept neither values without a type nor several types
        schema = {"type": "string"} | {key: value for key, value in schema.items() if key != "anyOf"}
    dropped = {"title", "minLength"} | ({"default"} if schema.get("default") in ("", None, False) else set[str]())
    return {key: value for key, value in schema.items() if key not in dropped}
