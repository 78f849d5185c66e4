"""What a reply of Open WebUI thought, called and said: its `output`, or `<details>` elements in its text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from desktop_app.conversation.message import Part, Reasoning, Text, ToolCall, ToolResult

from .fields import Fields, arguments_json, json_of

INTERPRETER = "code_interpreter"
OPENING = re.compile(
    r"""<details\s+type="(reasoning|tool_calls|code_interpreter)"((?:\s+[\w-]+=(?:"[^"]*"|'[^']*'))*+)\s*>"""
)
CLOSING = "</details>"
ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
SUMMARY = re.compile(r"\A\s*<summary>[^<]*</summary>")
FENCED = re.compile(r"\A\s*```[^\n]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def parts_of_content(content: str) -> list[Part]:
    """Return what stands in a text: what is between the elements is said."""
    parts: list[Part] = []
    for said, opening, body in _pieces(content):
        parts += _said(said)
        if opening is not None:
            attributes = {a[1]: html.unescape(a[2] or a[3] or "") for a in ATTRIBUTE.finditer(opening[2])}
            inner = html.unescape(SUMMARY.sub("", body))
            parts += list(_element(opening[1], attributes, inner)) or _said(f"{opening[0]}{body}{CLOSING}")
    return parts


def words_of_content(content: str) -> list[str]:
    """Return the words that stand in a text outside of the elements."""
    return " ".join(said for said, _, _ in _pieces(content)).split()


def _pieces(content: str) -> Iterator[tuple[str, re.Match[str] | None, str]]:
    """Return what stands before each element, with its opening and what is in it, and what stands behind the last."""
    start = 0
    while (opening := OPENING.search(content, start)) and (end := content.find(CLOSING, opening.end())) >= 0:
        yield content[start : opening.start()], opening, content[opening.end() : end]
        start = end + len(CLOSING)
    yield content[start:], None, ""


def _said(text: str) -> list[Part]:
    return [Text(text.strip())] if text.strip() else []


def _element(kind: str, attributes: dict[str, str], body: str) -> Iterator[Part]:
    """Return what an element says; nothing for one that is of no known shape."""
    if kind == "reasoning":
        yield Reasoning("\n".join(re.sub(r"^> ?", "", line) for line in body.strip().splitlines()))
    elif kind == INTERPRETER:
        code = FENCED.search(body)
        yield ToolCall("", INTERPRETER, json_of({"code": code[1] if code else body.strip()}))
        if output := attributes.get("output"):
            yield ToolResult("", INTERPRETER, _as_text(_value(output)))
    elif name := attributes.get("name"):
        call_id, result = attributes.get("id", ""), attributes.get("result") or body.strip()
        yield ToolCall(call_id, name, arguments_json(_value(attributes.get("arguments", ""))))
        if result:
            yield ToolResult(call_id, name, _as_text(_value(result)))
    elif attributes.get("content"):
        yield from _calls_of_old(Fields({"calls": _value(attributes["content"])}), attributes.get("results", ""))


def _calls_of_old(fields: Fields, results: str) -> Iterator[Part]:
    """Return the calls of an element of older versions, which holds several, and their results."""
    names: dict[str, str] = {}
    for call in fields.objects("calls"):
        function, call_id = call.object("function"), call.text("id")
        names[call_id] = function.text("name") or "tool"
        yield ToolCall(call_id, names[call_id], arguments_json(function.value("arguments")))
    for result in Fields({"results": _value(results)}).objects("results"):
        call_id = result.text("tool_call_id")
        yield ToolResult(call_id, names.get(call_id, "tool"), _as_text(result.value("content")))


def _value(text: str) -> Any:
    """Return the value of JSON, or the text where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json_of(value)


def parts_of_output(items: Iterable[Fields]) -> list[Part]:
    """Return what stands in an output: items in the shape of OpenAI's Responses, and code that was run."""
    parts: list[Part] = []
    names: dict[str, str] = {}
    for item in items:
        kind, call_id = item.text("type"), item.text("call_id", "id")
        item.skip("id", "status", "role", "duration", "started_at", "ended_at", "start_tag", "end_tag", "attributes")
        if kind == "message":
            parts += _said(_text_of(item, "content"))
        elif kind == "reasoning":
            thought = _text_of(item, "content") or _text_of(item, "summary")
            parts += [Reasoning(thought)] if thought else []
        elif kind == "function_call":
            names[call_id] = item.text("name") or "tool"
            parts.append(ToolCall(call_id, names[call_id], arguments_json(item.value("arguments"))))
        elif kind == "function_call_output":
            parts.append(ToolResult(call_id, names.get(call_id, "tool"), _text_of(item, "output")))
        elif kind == f"open_webui:{INTERPRETER}":
            parts.append(ToolCall(call_id, INTERPRETER, json_of({"code": item.text("code")})))
            if output := item.value("output"):
                parts.append(ToolResult(call_id, INTERPRETER, _as_text(output)))
    return parts


def _text_of(item: Fields, name: str) -> str:
    """Return a text, or those of a list of parts."""
    texts: list[str] = []
    for part in item.objects(name):
        part.skip("type")
        texts.append(part.text("text"))
    return item.text(name) or "\n".join(filter(None, texts))
