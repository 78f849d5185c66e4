"""Reads what a provider answered instead of a reply: its words and its codes, in whichever shape they came.

Errors come as OpenAI's object, as Anthropic's, as Google's with details, as a bare text, as an HTML page, as JSON
inside the text of JSON (gateways quote the provider behind them), and as the text of an exception that quotes one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

DEEPEST = 8
"""Levels of objects in objects that are read; real bodies have four."""

LONGEST_WORDS = 8_000
"""Characters of its words that are searched: some servers answer with a page, or with a traceback."""

WORDS = ("message", "msg", "detail", "error", "raw", "reason", "blockReason", "retryDelay", "errorMessage")
"""Fields whose text a person would read, those that say most first."""

CODES = ("code", "type", "status", "reason", "blockReason", "quotaId", "errorType", "error_type", "__type")
"""Fields that a program would read."""

ECHO = {"input", "messages", "content", "contents", "prompt", "text", "failed_generation", "flagged_input", "arguments"}
"""Fields in which servers quote the request or what the model wrote: nothing in them is the server's own word."""

GENERIC = {"error", "invalid_request_error", "bad_request_error", "badrequesterror", "api_error", "invalid_argument"}
"""Codes that say only that something is wrong, or that are used for anything."""

_TAG = re.compile(r"<[^<>]*>")
_CODE = re.compile(r"<(style|script)\b", re.IGNORECASE)
_CODE_ENDS = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("style", "script")}


class Body(msgspec.Struct, frozen=True):
    """What an error says. text: all its words, in lines. codes: in small letters. numbers: named ones, such as n_ctx.

    status: the HTTP status that the body itself names; 0 when it names none. is_page: it is HTML. said: the words
    to show, the innermost ones where one server quotes another.
    """

    text: str
    codes: frozenset[str] = frozenset()
    numbers: dict[str, int] = {}
    status: int = 0
    is_page: bool = False
    said: str = ""


def body_of(text: str) -> Body:
    """Reads a body, which may be anything. Never raises."""
    if re.match(r"\s*<(!doctype|html|head|body)\b", text, re.IGNORECASE):
        words = re.sub(r"\s+", " ", _TAG.sub(" ", _without_code(text))).strip()
        return Body(words[:LONGEST_WORDS], is_page=True, said=words)
    found = list(_facts(_value_in(text), 0))
    if not found:
        return Body(text.strip()[:LONGEST_WORDS], said=text.strip())
    words = [value for name, value in found if isinstance(value, str) and _is_word(name, value)]
    codes = {str(value).lower() for name, value in found if name in CODES and isinstance(value, str | int)}
    numbers = {name: value for name, value in found if isinstance(value, int) and not isinstance(value, bool)}
    prefix = "" if _is_json(text) else text.replace(_quoted(text), "")
    return Body(
        "\n".join(dict.fromkeys([*words, prefix.strip()])).strip()[:LONGEST_WORDS],
        frozenset(codes - GENERIC - {"", "none"}),
        numbers,
        _status(found),
        said=_said(found) or prefix.strip(),
    )


def _without_code(page: str) -> str:
    """Return a page without its styles and scripts, in time that grows with its length whatever stands in it."""
    kept: list[str] = []
    begin = 0
    while opening := _CODE.search(page, begin):
        kept.append(page[begin : opening.start()])
        closing = _CODE_ENDS[opening[1].lower()].search(page, opening.end())
        if closing is None:
            return "".join(kept)
        begin = closing.start()
    return "".join([*kept, page[begin:]])


def _is_word(name: str, value: str) -> bool:
    """Some put the sentence where the name of the parameter belongs, and "Param Incorrect" where the sentence does."""
    return bool(value.strip()) and (name in WORDS or (name == "param" and " " in value))


def _value_in(text: str) -> Any:
    """The JSON value of a text, or of the part of it that looks like one; None when there is none."""
    for part in (text, _quoted(text)):
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            return value
    return None


def _quoted(text: str) -> str:
    """From the first brace to the last one, as an exception quotes an answer."""
    return text[text.find("{") : text.rfind("}") + 1] if "{" in text else ""


def _is_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))


def _facts(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Every named plain value, the outer ones first; JSON inside a text is read as if it stood there."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for entry in value:
            yield from _facts(entry, depth + 1)
    elif isinstance(value, dict):
        for name, entry in _placed(value).items():
            if name in ECHO:
                continue
            inner = _value_in(entry) if isinstance(entry, str) and "{" in entry else entry
            if isinstance(inner, dict | list):
                yield from _facts(inner, depth + 1)
            else:
                yield name, entry


def _placed(value: dict[str, Any]) -> dict[str, Any]:
    """The same; where a validator says beside its words what they are about, that stands before them."""
    match value:
        case {"loc": [*place], "msg": str(words)}:
            return value | {"msg": f"{'.'.join(map(str, place))}: {words}"}
        case {"param": str(place), "message": str(words)} if re.search(r"[.\[]", place) and place not in words:
            return value | {"message": f"{place}: {words}"}
        case _:
            return value


def _status(found: list[tuple[str, Any]]) -> int:
    """The HTTP status among the codes: the innermost one, since a gateway wraps others' errors in its own."""
    named = [value for name, value in found if name in ("code", "status", "http_status", "status_code", "http_code")]
    numbers = [int(value) for value in named if str(value).isdigit() and 400 <= int(value) <= 599]
    return numbers[-1] if numbers else 0


def _said(found: list[tuple[str, Any]]) -> str:
    """The words to show: the last message, which is the innermost; else the first word of any kind."""
    messages = [value for name, value in found if name in ("message", "msg") and isinstance(value, str) and value]
    others = [value for name, value in found if name in WORDS and isinstance(value, str) and value]
    raw = [value for name, value in found if name == "raw" and isinstance(value, str)]
    sentences = [value for name, value in found if name == "param" and isinstance(value, str) and " " in value]
    return ": ".join([*(raw or messages[-1:] or others)[:1], *sentences[-1:]])
