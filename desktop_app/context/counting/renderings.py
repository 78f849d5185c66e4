"""Render a tool and its calls in the forms of chat templates, for counting: JSON, TypeScript, XML or DSML.

Nothing is copied from a template: each form follows the output of real renderers for made-up schemas, and marks that
are single tokens of a vocabulary are left out, since `Overhead` contains their number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Literal, cast

import msgspec

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ToolSpec

ToolForm = Literal["plain", "json", "function", "indented", "xml", "typescript", "openai", "gemma", "words", "none"]
"""The form of a tool: only its texts; OpenAI's object in JSON, the function in it, or the object with an indent of
four; tags; TypeScript; the texts that OpenAI's rule counts; Gemma's declaration; the words of the schema; nothing."""
CallForm = Literal["plain", "arguments", "parameters", "list", "tags", "attributes", "pairs", "gemma", "raw"]
"""The form of a call: only its texts; JSON with "arguments", or with "parameters"; in a list, with its id; arguments
with the name in their tag, as an attribute, or on a separate line; Gemma's; the name, and JSON."""

Json = dict[str, Any]
MAX_DEPTH = 12
"""Levels of nested objects in a schema that are rendered."""
ID = "x1B2y3D4z"
"""The id of a call in forms that contain one."""


def tool_texts(tool: ToolSpec, form: ToolForm) -> tuple[list[str], int]:
    """Return the texts of a tool in the form, and additional tokens. An invalid schema is counted as its text."""
    if form in ("plain", "none"):
        return ([tool.name, tool.description, tool.parameters] if form == "plain" else []), 0
    schema = _object(tool.parameters)
    if schema is None:
        return [tool.name, tool.description, tool.parameters], 0
    if form == "openai":
        return _by_openai(tool, schema)
    return [_TOOLS[form](tool, schema)], 0


def call_texts(call: ToolCall, form: CallForm) -> tuple[list[str], int]:
    """Return the texts of a call in the form, and the number of its arguments."""
    arguments = None if form == "plain" else _object(call.arguments or "{}")
    if arguments is None:
        return [call.name, call.arguments], 0
    if form == "raw":
        return [call.name, to_json(arguments)], len(arguments)
    return [_CALLS[form](call.name, arguments)], len(arguments)


def _object(text: str) -> Json | None:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("Json", value) if isinstance(value, dict) else None


def to_json(value: Any) -> str:
    """Return the JSON that Jinja's `tojson` writes, with a space after each comma and colon."""
    return json.dumps(value, ensure_ascii=False)


def _indented(value: Json) -> str:
    """Return the JSON that `tojson(indent=4)` writes. msgspec's takes a third of the time."""
    try:
        return msgspec.json.format(to_json(value), indent=4)
    except (msgspec.DecodeError, ValueError):  # such as NaN, or a lone surrogate
        return json.dumps(value, ensure_ascii=False, indent=4)


def _text(value: object) -> str:
    return value if isinstance(value, str) else to_json(value)


def _function(tool: ToolSpec, schema: Json) -> Json:
    return {"name": tool.name, "description": tool.description, "parameters": schema}


def _dict(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _openai_object(tool: ToolSpec, schema: Json) -> Json:
    return {"type": "function", "function": _function(tool, schema)}


# Tags


def _tagged(tool: ToolSpec, schema: Json) -> str:
    """Return Qwen3-Coder's form: a tag for each field, and for each other entry of a schema."""
    lines = ["", "<function>", f"<name>{tool.name}</name>", f"<description>{tool.description.strip()}</description>"]
    lines.append("<parameters>")
    for name, about in _dict(schema.get("properties")).items():
        field = _dict(about)
        lines += ["<parameter>", f"<name>{name}</name>"]
        lines += [f"<{key}>{_python(field[key])}</{key}>" for key in ("type", "description") if key in field]
        lines += [*_others(field, ("name", "type", "description")), "</parameter>"]
    return "\n".join([*lines, *_others(schema, ("type", "properties")), "</parameters>", "</function>"])


def _python(value: object) -> str:
    return value.strip() if isinstance(value, str) else str(value)


def _others(fields: Json, known: tuple[str, ...]) -> list[str]:
    texts = ((key, value) for key, value in fields.items() if key not in known)
    return [f"<{key}>{to_json(v) if isinstance(v, dict | list) else v}</{key}>" for key, v in texts]


# TypeScript


def _typescript(tool: ToolSpec, schema: Json) -> str:
    """Return gpt-oss's form: a type for each tool, with the fields' descriptions as comments before them."""
    about = "\n".join(f"// {line}" for line in tool.description.splitlines())
    fields = "".join(_fields(schema, "", 0))
    return f"{about}\ntype {tool.name} = (_: {{\n{fields}}}) => any;\n\n"


def _fields(schema: Json, indent: str, depth: int) -> Iterator[str]:
    required = _list(schema.get("required"))
    for name, about in _dict(schema.get("properties")).items():
        field = _dict(about)
        yield from _comments(field, indent)
        mark = "" if name in required else "?"
        before = f"{indent}    " if field.get("type") == "object" and "description" in field else ""
        comment = f"{before}// {field['description']}\n" if before else ""
        yield f"{indent}{name}{mark}: {comment}{_type(field, indent, depth)},{_default(field)}\n"


def _comments(field: Json, indent: str) -> Iterator[str]:
    if title := field.get("title"):
        yield f"{indent}// {title}\n{indent}//\n"
    if description := field.get("description"):
        yield f"{indent}// {description}\n"
    if examples := _list(field.get("examples")):
        yield f"{indent}// Examples:\n" + "".join(f"{indent}// - {to_json(example)}\n" for example in examples)


def _default(field: Json) -> str:
    if "default" not in field:
        return ""
    value = field["default"]
    return f" // default: {value if 'enum' in field else to_json(value)}"


def _type(field: Json, indent: str, depth: int) -> str:
    kind = field.get("type")
    if depth > MAX_DEPTH:
        return "any"
    if variants := _list(field.get("oneOf")):
        lines = "".join(f"{indent} | {_type(_dict(variant), indent, depth + 1)}\n" for variant in variants)
        return f"\n{lines}{indent}"
    if isinstance(kind, list):
        return " | ".join(map(str, cast("list[object]", kind)))
    if kind == "object":
        inner = f"{indent}    "
        return f"{{\n{''.join(_fields(field, inner, depth + 1))}{inner}}}"
    if kind == "array":
        return f"{_type(_dict(field['items']), indent, depth + 1)}[]" if field.get("items") else "Array<any>"
    if kind == "string" and field.get("enum"):
        return " | ".join(f'"{value}"' for value in _list(field["enum"]))
    name = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}.get(str(kind), "any")
    return f"{name} | null" if field.get("nullable") else name


# OpenAI's rule

FUNCTION, PROPERTIES, KEY, ENUM, ENUM_ITEM = 7, 3, 3, -3, 3
"""Tokens of a function, its properties, each property, an enumeration and each value in it, for GPT-4o and later
(https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken)."""


def _by_openai(tool: ToolSpec, schema: Json) -> tuple[list[str], int]:
    texts, tokens = [f"{tool.name}:{tool.description.rstrip('.')}"], FUNCTION
    properties = _dict(schema.get("properties"))
    tokens += PROPERTIES if properties else 0
    for name, about in properties.items():
        field, tokens = _dict(about), tokens + KEY
        values = [str(value) for value in _list(field.get("enum"))]
        tokens += ENUM + ENUM_ITEM * len(values) if values else 0
        description = str(field.get("description", "")).rstrip(".")
        texts += [*values, f"{name}:{field.get('type', '')}:{description}"]
    return texts, tokens


# Google's


def _gemma(tool: ToolSpec, schema: Json) -> str:
    """Return Gemma 4's form: a declaration with names and values; quotes replace the mark around a string."""
    return f'declaration:{tool.name}{{description:"{tool.description}",parameters:{_gemma_value(schema, 0)}}}'


def _gemma_value(value: object, depth: int = 0) -> str:
    if depth > MAX_DEPTH:
        return ""
    if isinstance(value, dict):
        pairs = sorted(cast("Json", value).items())
        return "{" + ",".join(f"{key}:{_gemma_value(element, depth + 1)}" for key, element in pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_gemma_value(element, depth + 1) for element in cast("list[object]", value)) + "]"
    return f'"{value}"' if isinstance(value, str) else to_json(value)


def _words(tool: ToolSpec, schema: Json) -> str:
    return "\n".join([tool.name, tool.description, *_words_in(schema, 0)])


def _words_in(schema: Json, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        return
    for name, about in _dict(schema.get("properties")).items():
        field = _dict(about)
        yield " ".join([name, str(field.get("type", "")), str(field.get("description", ""))])
        yield from map(str, _list(field.get("enum")))
        yield from _words_in(field, depth + 1)
        yield from _words_in(_dict(field.get("items")), depth + 1)


_TOOLS: dict[str, Callable[[ToolSpec, Json], str]] = {
    "json": lambda tool, schema: to_json(_openai_object(tool, schema)),
    "function": lambda tool, schema: to_json(_function(tool, schema)),
    "indented": lambda tool, schema: _indented(_openai_object(tool, schema)),
    "xml": _tagged,
    "typescript": _typescript,
    "gemma": _gemma,
    "words": _words,
}


# Calls


def _tags(name: str, arguments: Json) -> str:
    lines = (f"<parameter={key}>\n{_text_of(value)}\n</parameter>\n" for key, value in arguments.items())
    return f"<function={name}>\n{''.join(lines)}</function>"


def _text_of(value: object) -> str:
    return to_json(value) if isinstance(value, dict | list) else str(value)


def _attributes(name: str, arguments: Json) -> str:
    lines = (
        f'<parameter name="{key}" string="{str(isinstance(value, str)).lower()}">{_text(value)}</parameter>\n'
        for key, value in arguments.items()
    )
    return f'<invoke name="{name}">\n{"".join(lines)}</invoke>\n'


def _pairs(name: str, arguments: Json) -> str:
    return "".join([f"{name}\n", *(f"{key}\n{_text(value)}\n" for key, value in arguments.items())])


_CALLS: dict[str, Callable[[str, Json], str]] = {
    "arguments": lambda name, arguments: to_json({"name": name, "arguments": arguments}),
    "parameters": lambda name, arguments: to_json({"name": name, "parameters": arguments}),
    "list": lambda name, arguments: to_json([{"name": name, "arguments": arguments, "id": ID}]),
    "tags": _tags,
    "attributes": _attributes,
    "pairs": _pairs,
    "gemma": lambda name, arguments: f"call:{name}{_gemma_value(arguments)}",
}
