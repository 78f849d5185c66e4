"""Reading the words and codes of a provider's error, whatever its format.

Errors come as OpenAI's object, as Anthropic's, as Google's with details, as plain text, as an HTML page, as JSON inside
a text of JSON (gateways quote the provider behind them), and as the text of an exception that quotes one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

MAX_DEPTH = 8
"""Levels of nested objects that are read; real bodies have four."""

MAX_TEXT = 8_000
"""Characters that are searched: some servers answer with a page, or with a traceback."""

WORDS = ("message", "msg", "detail", "error", "raw", "reason", "blockReason", "retryDelay", "errorMessage")
"""Fields for people, the most informative first."""

CODES = ("code", "type", "status", "reason", "blockReason", "quotaId", "errorType", "error_type", "__type")
"""Fields for programs."""

ECHO = {"input", "messages", "content", "contents", "prompt", "text", "failed_generation", "flagged_input", "arguments"}
"""Fields in which servers quote the request or the model's output."""

GENERIC = {"error", "invalid_request_error", "bad_request_error", "badrequesterror", "api_error", "invalid_argument"}
"""Codes that are used for any kind of error."""

_TAG = re.compile(r"<[^<>]*>")
_SCRIPT = re.compile(r"<(style|script)\b", re.IGNORECASE)
_SCRIPT_ENDS = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("style", "script")}


class ErrorBody(msgspec.Struct, frozen=True):
    """What an error says."""

    text: str
    """All its words, in lines."""
    codes: frozenset[str] = frozenset()
    """In lower case."""
    numbers: dict[str, int] = {}
    """Named numbers, such as n_ctx."""
    status: int = 0
    """The HTTP status that the body itself names; 0 if it names none."""
    is_page: bool = False
    """Whether it is HTML."""
    message: str = ""
    """The words to show, the innermost ones where one server quotes another."""


def parse_body(text: str) -> ErrorBody:
    """Read a body, which may be anything. Never raises."""
    if re.match(r"\s*<(!doctype|html|head|body)\b", text, re.IGNORECASE):
        words = re.sub(r"\s+", " ", _TAG.sub(" ", _without_scripts(text))).strip()
        return ErrorBody(words[:MAX_TEXT], is_page=True, message=words)
    found = list(_named_values(_value_in(text), 0))
    if not found:
        return ErrorBody(text.strip()[:MAX_TEXT], message=text.strip())
    words = [value for name, value in found if isinstance(value, str) and _is_message(name, value)]
    codes = {str(value).lower() for name, value in found if name in CODES and isinstance(value, str | int)}
    numbers = {name: value for name, value in found if isinstance(value, int) and not isinstance(value, bool)}
    prefix = "" if text.lstrip().startswith(("{", "[")) else text.replace(_quoted(text), "")
    return ErrorBody(
        "\n".join(dict.fromkeys([*words, prefix.strip()])).strip()[:MAX_TEXT],
        frozenset(codes - GENERIC - {"", "none"}),
        numbers,
        _status(found),
        message=_message_in(found) or prefix.strip(),
    )


def _without_scripts(page: str) -> str:
    """Remove styles and scripts from a page, in linear time."""
    kept: list[str] = []
    begin = 0
    while opening := _SCRIPT.search(page, begin):
        kept.append(page[begin : opening.start()])
        closing = _SCRIPT_ENDS[opening[1].lower()].search(page, opening.end())
        if closing is None:
            return "".join(kept)
        begin = closing.start()
    return "".join([*kept, page[begin:]])


def _is_message(name: str, value: str) -> bool:
    # Some put the sentence into `param`, and "Param Incorrect" into the message.
    return bool(value.strip()) and (name in WORDS or (name == "param" and " " in value))


def _value_in(text: str) -> Any:
    """Return the JSON value of a text, or of the object that it quotes; None if there is none."""
    for part in (text, _quoted(text)):
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            return value
    return None


def _quoted(text: str) -> str:
    return text[text.find("{") : text.rfind("}") + 1] if "{" in text else ""


def _named_values(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield every named scalar, the outer ones first; JSON inside a text is read, too."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for entry in value:
            yield from _named_values(entry, depth + 1)
    elif isinstance(value, dict):
        for name, entry in _with_location(value).items():
            if name in ECHO:
                continue
            inner = _value_in(entry) if isinstance(entry, str) and "{" in entry else entry
            if isinstance(inner, dict | list):
                yield from _named_values(inner, depth + 1)
            else:
                yield name, entry


def _with_location(value: dict[str, Any]) -> dict[str, Any]:
    """Put the location that a validator gives in a field of its own before its message."""
    match value:
        case {"loc": [*location], "msg": str(words)}:
            return value | {"msg": f"{'.'.join(map(str, location))}: {words}"}
        case {"param": str(name), "message": str(words)} if re.search(r"[.\[]", name) and name not in words:
            return value | {"message": f"{name}: {words}"}
        case _:
            return value


def _status(found: list[tuple[str, Any]]) -> int:
    """Return the innermost HTTP status, since a gateway wraps others' errors in its own."""
    named = [value for name, value in found if name in ("code", "status", "http_status", "status_code", "http_code")]
    numbers = [int(value) for value in named if str(value).isdigit() and 400 <= int(value) <= 599]
    return numbers[-1] if numbers else 0


def _message_in(found: list[tuple[str, Any]]) -> str:
    """Return the last message, which is the innermost; else the first words of any kind."""

    def texts(*names: str) -> list[str]:
        return [value for name, value in found if name in names and isinstance(value, str) and value]

    sentences = [text for text in texts("param") if " " in text]
    return ": ".join([*(texts("raw") or texts("message", "msg")[-1:] or texts(*WORDS))[:1], *sentences[-1:]])
