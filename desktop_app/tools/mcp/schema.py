"""Rewriting of the JSON Schemas of servers' tools, so that every provider accepts them."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, cast

import msgspec

from desktop_app.conversation.transcript import replace_surrogates_in_text
from desktop_app.conversation.words import format_number, translatable

Json = dict[str, Any]

MAX_SCHEMA_BYTES = 20_000
"""Bytes of one tool's schema as JSON: about 5,000 tokens, which every request costs."""
MAX_READ = 100_000
"""Bytes of a schema that is rewritten, since it may fit with shorter descriptions. Rewriting takes 30 ms."""
MAX_DESCRIPTION = 1_024
"""Characters of the description of an argument."""
MAX_DEPTH = 24
"""Levels of nested schemas; deeper ones, which are generated or malicious, become {}."""

_ARGUMENT = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""Names of arguments that Anthropic accepts; any other name makes it reject the entire request."""
_COMBINED = ("allOf", "anyOf", "oneOf")
_ONE = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_MANY = (*_COMBINED, "prefixItems")
_NAMED = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_NOT_AT_THE_TOP = (*_COMBINED, "enum", "not", "properties", "required", "type")
_UNSENT = ("$schema", "$id", "$comment", "$anchor", "title")
"""Keys that are dropped. Titles, which mostly repeat the names, take a tenth of the tokens."""
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn")
"""Unicode categories of invisible characters: control and format characters (some of which can hide a text inside
another), lone surrogates, private-use and unassigned characters."""


_TOO_LONG = translatable("its schema has {bytes} bytes, and at most {most} are sent")
_TOO_LONG_TO_READ = translatable("its schema has more than {bytes} bytes, and at most {most} are sent")


class SchemaRefused(Exception):
    """Raised for a schema that no provider would accept, or that is too large, with the reason."""


def schema_text(schema: Json) -> str:
    """Return the schema as JSON text, which is the same for equal schemas. Raises SchemaRefused.

    The top level becomes an object without "anyOf" and the like. References that lead out of the schema are dropped,
    the others are inlined if that is not longer.
    """
    if len(msgspec.json.encode(schema)) > MAX_READ:
        raise SchemaRefused(
            _TOO_LONG_TO_READ.format(bytes=format_number(MAX_READ), most=format_number(MAX_SCHEMA_BYTES))
        )
    try:
        text = _shortest(_resolve_top(schema))
    except (ValueError, RecursionError) as error:
        raise SchemaRefused(translatable("its schema cannot be written as JSON")) from error
    size = len(text.encode())
    if size > MAX_SCHEMA_BYTES:
        raise SchemaRefused(_TOO_LONG.format(bytes=format_number(size), most=format_number(MAX_SCHEMA_BYTES)))
    return text


def clean_text(text: str, length: int = MAX_DESCRIPTION) -> str:
    """Return the text without invisible characters except line ends and tabs, cut to `length` characters."""
    text = replace_surrogates_in_text(text[: length * 8]).replace("\r\n", "\n")
    visible = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in _INVISIBLE).strip()
    return visible if len(visible) <= length else visible[: length - 1].rstrip() + "…"


class _TooLarge(Exception):
    """Raised if a schema would grow endlessly, or too large, when its references are inlined."""


def _shortest(schema: Json) -> str:
    cleaned = _clean(schema, 0, schema)
    kept = _text(_finish(cleaned))
    try:
        inlined = _text(_finish(_Inliner(schema).inline(cleaned)))
    except _TooLarge:
        return kept
    return inlined if len(inlined) <= len(kept) else kept


def _resolve_top(schema: Json) -> Json:
    """Replace a reference at the top level, where no provider accepts one."""
    for _ in range(MAX_DEPTH):
        if "$ref" not in schema:
            break
        siblings = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**siblings, **(_target_of(schema["$ref"], schema) or {})}
    return schema


def _text(schema: Json) -> str:
    return replace_surrogates_in_text(json.dumps(schema, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def _clean(schema: Any, depth: int, whole: Json) -> Json:
    """Return a schema, cleaned recursively: with shorter descriptions and without references that lead out of it.

    whole: the entire schema, which references are resolved in.
    """
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return {}
    parts = {str(key): value for key, value in cast("Json", schema).items() if key not in _UNSENT}
    if "$ref" in parts and _target_of(parts["$ref"], whole) is None:
        del parts["$ref"]
    if "description" in parts:
        parts["description"] = clean_text(str(parts["description"]))
    for key in _ONE:
        if isinstance(parts.get(key), dict):
            parts[key] = _clean(parts[key], depth + 1, whole)
    for key in _MANY:
        if isinstance(parts.get(key), list):
            parts[key] = [_clean(each, depth + 1, whole) for each in cast("list[Any]", parts[key])]
    for key in _NAMED:
        if isinstance(parts.get(key), dict):
            named = cast("Json", parts[key])
            parts[key] = {str(name): _clean(each, depth + 1, whole) for name, each in named.items()}
    return parts


def _target_of(reference: Any, whole: Json) -> Json | None:
    """Return the target of a reference such as "#/$defs/Place"; None if it is not in the schema."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found: Any = whole
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            return None
        found = cast("Json", found)[name]
    return cast("Json", found) if isinstance(found, dict) else None


class _Inliner:
    """Replaces references by their targets. A target of several references is cleaned once."""

    def __init__(self, whole: Json) -> None:
        self._whole = whole
        self._cleaned: dict[str, Json] = {}
        self._spent = 0

    def inline(self, schema: Any, within: tuple[str, ...] = (), depth: int = 0) -> Any:
        """Return the schema with its references inlined and without definitions. Raises _TooLarge."""
        self._spent += 1
        if depth > MAX_DEPTH * 2 or self._spent > MAX_SCHEMA_BYTES // 4:
            raise _TooLarge
        if isinstance(schema, list):
            return [self.inline(each, within, depth + 1) for each in cast("list[Any]", schema)]
        if not isinstance(schema, dict):
            return schema
        parts = cast("Json", schema)
        reference = parts.get("$ref")
        if isinstance(reference, str):
            if reference in within:
                raise _TooLarge  # the schema is recursive
            siblings = {key: value for key, value in parts.items() if key != "$ref"}
            return self.inline({**self._target(reference), **siblings}, (*within, reference), depth + 1)
        left_out = ("$defs", "definitions") if depth == 0 else ()
        return {key: self.inline(value, within, depth + 1) for key, value in parts.items() if key not in left_out}

    def _target(self, reference: str) -> Json:
        if reference not in self._cleaned:
            self._cleaned[reference] = _clean(_target_of(reference, self._whole), 0, self._whole)
        return self._cleaned[reference]


def _finish(schema: Json) -> Json:
    """Return the schema as an object with properties. Raises SchemaRefused."""
    merged = {**schema, **_merged(schema)} if any(key in schema for key in _COMBINED) else schema
    parts = {key: value for key, value in merged.items() if key not in _NOT_AT_THE_TOP}
    properties = _object(merged.get("properties"))
    for name in properties:
        if not _ARGUMENT.fullmatch(name):
            raise SchemaRefused(
                translatable("its argument {name} has a name that providers refuse").format(
                    name=repr(clean_text(name, 40))
                )
            )
    required = [name for name in _names(merged.get("required")) if name in properties]
    return {"type": "object", "properties": properties, **({"required": required} if required else {}), **parts}


def _merged(schema: Json) -> Json:
    """Merge the alternatives at the top level: all their properties, of which those are required that all require."""
    properties = dict(_object(schema.get("properties")))
    required = dict.fromkeys(_names(schema.get("required")))
    for key in _COMBINED:
        branches = [_object(branch) for branch in _elements(schema.get(key))]
        for branch in branches:
            known = _object(branch.get("properties"))
            properties |= {name: each for name, each in known.items() if name not in properties}
        wanted = [dict.fromkeys(_names(branch.get("required"))) for branch in branches]
        every = (name for names in wanted for name in names if key == "allOf" or all(name in some for some in wanted))
        required |= dict.fromkeys(every)
    return {"properties": properties, "required": list(required)}


def _object(value: Any) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _elements(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _names(value: Any) -> list[str]:
    return [name for name in _elements(value) if isinstance(name, str)]
