"""The schemas of tools that a server describes, in the form that every provider takes."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, cast

import msgspec

from desktop_app.conversation.surrogates import replace_surrogates_in_text

Json = dict[str, Any]

MOST_SCHEMA_BYTES = 20_000
"""Of one tool's schema as JSON: some 5,000 tokens, paid in every request."""
MOST_READ = 100_000
"""Bytes of a schema that is looked at: with its descriptions shortened it may still fit. Takes 30 ms."""
MOST_DESCRIPTION = 1_024
"""Characters of a description: what OpenAI takes for a function, and enough for others."""
MOST_DEPTH = 24
"""Of schemas in schemas; below, anything goes. Deeper ones are made by generators, or to do harm."""

_ARGUMENT = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""What Anthropic takes as an argument's name; it refuses the whole request for one that differs."""
_COMBINED = ("allOf", "anyOf", "oneOf")
_ONE = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_MANY = (*_COMBINED, "prefixItems")
_NAMED = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_NOT_AT_THE_TOP = (*_COMBINED, "enum", "not", "properties", "required", "title", "type")
_UNSENT = ("$schema", "$id", "$comment", "$anchor")
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn")
"""Unicode's categories that nobody sees: control and format characters (among them those that can hide a text inside
another), lone surrogates, and what has no meaning of its own."""


class SchemaRefused(Exception):
    """A schema that no provider would take, or that costs too much. Its text says why."""


def schema_text(schema: Json) -> str:
    """The schema as JSON text, the same for equal schemas: an object at the top, references within the schema only,
    put in place where that is not longer, no "anyOf" at the top. Raises SchemaRefused."""
    if len(msgspec.json.encode(schema)) > MOST_READ:
        raise SchemaRefused(f"its schema has more than {MOST_READ:,} bytes, and at most {MOST_SCHEMA_BYTES:,} are sent")
    try:
        text = _shortest(_opened(schema))
    except (ValueError, RecursionError) as error:
        raise SchemaRefused("its schema cannot be written as JSON") from error
    size = len(text.encode())
    if size > MOST_SCHEMA_BYTES:
        raise SchemaRefused(f"its schema has {size:,} bytes, and at most {MOST_SCHEMA_BYTES:,} are sent")
    return text


def cleaned_text(text: str, most: int = MOST_DESCRIPTION) -> str:
    """The text without characters that nobody sees, but for line ends and tabs, and at most that long."""
    whole = replace_surrogates_in_text(text[: most * 8]).replace("\r\n", "\n")
    seen = "".join(c for c in whole if c in "\n\t" or unicodedata.category(c) not in _INVISIBLE).strip()
    return seen if len(seen) <= most else seen[: most - 1].rstrip() + "…"


class _TooLarge(Exception):
    """A schema would grow without end, or too far, if its references were put in place."""


def _shortest(schema: Json) -> str:
    cleaned = _cleaned(schema, 0, schema)
    kept = _text(_finished(cleaned))
    try:
        placed = _text(_finished(_placed(cleaned, schema, ())))
    except _TooLarge:
        return kept
    return placed if len(placed) <= len(kept) else kept


def _opened(schema: Json) -> Json:
    """The schema with what a reference at its very top means: no provider takes one there."""
    for _ in range(MOST_DEPTH):
        if "$ref" not in schema:
            break
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**beside, **(_aimed(schema["$ref"], schema) or {})}
    return schema


def _text(schema: Json) -> str:
    return replace_surrogates_in_text(json.dumps(schema, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def _cleaned(schema: Any, depth: int, whole: Json) -> Json:
    """One schema with what is in it, its descriptions shortened, and without references that lead out of it."""
    if not isinstance(schema, dict) or depth > MOST_DEPTH:
        return {}
    parts = {str(key): value for key, value in cast("Json", schema).items() if key not in _UNSENT}
    if "$ref" in parts and _aimed(parts["$ref"], whole) is None:
        del parts["$ref"]
    for key in ("description", "title"):
        if key in parts:
            parts[key] = cleaned_text(str(parts[key]))
    for key in _ONE:
        if isinstance(parts.get(key), dict):
            parts[key] = _cleaned(parts[key], depth + 1, whole)
    for key in _MANY:
        if isinstance(parts.get(key), list):
            parts[key] = [_cleaned(each, depth + 1, whole) for each in cast("list[Any]", parts[key])]
    for key in _NAMED:
        if isinstance(parts.get(key), dict):
            named = cast("Json", parts[key])
            parts[key] = {
                str(name): _untitled(str(name), _cleaned(each, depth + 1, whole)) for name, each in named.items()
            }
    return parts


def _untitled(name: str, schema: Json) -> Json:
    """The schema without a title that only says its name again, as generators write it: a tenth of the tokens."""
    title = schema.get("title")
    is_repeated = isinstance(title, str) and re.sub(r"\W|_", "", title).lower() == re.sub(r"\W|_", "", name).lower()
    return {key: value for key, value in schema.items() if key != "title"} if is_repeated else schema


def _aimed(reference: Any, whole: Json) -> Json | None:
    """What a reference such as "#/$defs/Place" means; None where it leads out of the schema, or nowhere."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found: Any = whole
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            return None
        found = cast("Json", found)[name]
    return cast("Json", found) if isinstance(found, dict) else None


def _placed(schema: Any, whole: Json, within: tuple[str, ...], depth: int = 0, spent: list[int] | None = None) -> Any:
    """The schema with its references put in place, and so without definitions. Raises _TooLarge."""
    spent = [0] if spent is None else spent
    spent[0] += 1
    if depth > MOST_DEPTH * 2 or spent[0] > MOST_SCHEMA_BYTES // 4:
        raise _TooLarge
    if isinstance(schema, list):
        return [_placed(each, whole, within, depth + 1, spent) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    parts = cast("Json", schema)
    reference = parts.get("$ref")
    if isinstance(reference, str):
        if reference in within:
            raise _TooLarge  # it contains itself
        aimed = _cleaned(_aimed(reference, whole), 0, whole)
        beside = {key: value for key, value in parts.items() if key != "$ref"}
        return _placed({**aimed, **beside}, whole, (*within, reference), depth + 1, spent)
    left_out = ("$defs", "definitions") if depth == 0 else ()
    return {key: _placed(value, whole, within, depth + 1, spent) for key, value in parts.items() if key not in left_out}


def _finished(schema: Json) -> Json:
    """An object at the top, with properties. Raises SchemaRefused."""
    whole = {**schema, **_merged(schema)} if any(key in schema for key in _COMBINED) else schema
    parts = {key: value for key, value in whole.items() if key not in _NOT_AT_THE_TOP}
    properties = _object(whole.get("properties"))
    for name in properties:
        if not _ARGUMENT.fullmatch(name):
            raise SchemaRefused(f"its argument {cleaned_text(name, 40)!r} has a name that providers refuse")
    required = [name for name in _names(whole.get("required")) if name in properties]
    return {"type": "object", "properties": properties, **({"required": required} if required else {}), **parts}


def _merged(schema: Json) -> Json:
    """What the alternatives at the top have together: every property, and as required what all of them require."""
    properties = dict(_object(schema.get("properties")))
    required = _names(schema.get("required"))
    for key in _COMBINED:
        branches = [_object(branch) for branch in _elements(schema.get(key))]
        for branch in branches:
            known = _object(branch.get("properties"))
            properties |= {name: each for name, each in known.items() if name not in properties}
        wanted = [_names(branch.get("required")) for branch in branches]
        every = [name for names in wanted for name in names if key == "allOf" or all(name in some for some in wanted)]
        required += [name for name in dict.fromkeys(every) if name not in required]
    return {"properties": properties, "required": required}


def _object(value: Any) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _elements(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _names(value: Any) -> list[str]:
    return [name for name in _elements(value) if isinstance(name, str)]
