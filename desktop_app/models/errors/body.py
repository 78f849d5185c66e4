"""Extract the messages, codes and numbers of a provider's error, whatever its format.

Errors come as OpenAI's object, as Anthropic's, as Google's with details, as plain text, as an HTML page, as JSON inside
a string of JSON (gateways quote their provider), and as the text of an exception that quotes one of these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

MAX_DEPTH = 8
"""Nested objects that are read; real bodies have four levels."""

MAX_TEXT = 8_000
"""Characters that are searched: some servers answer with a page or a traceback."""

WORDS = (
    "message", "msg", "detail", "error", "raw", "reason", "blockReason", "retryDelay", "errorMessage", "error_msg",
    "status_msg", "description",
)  # fmt: skip
"""Fields for people, the most informative first."""

CODES = (
    "code", "type", "status", "reason", "blockReason", "quotaId", "errorType", "error_type", "error_code", "__type",
)  # fmt: skip
"""Fields for programs."""

ECHO = {"input", "messages", "content", "contents", "prompt", "text", "failed_generation", "flagged_input", "arguments"}
"""Fields in which servers quote the request or the model's output, and which are ignored."""

GENERIC = {"error", "invalid_request_error", "bad_request_error", "badrequesterror", "api_error", "invalid_argument"}
"""Codes that are used for any kind of error, and which are ignored."""

_TAG = re.compile(r"<[^<>]*>")
_SCRIPT = re.compile(r"<(style|script)\b", re.IGNORECASE)
_SCRIPT_ENDS = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("style", "script")}


class ErrorBody(msgspec.Struct, frozen=True):
    """The content of an error."""

    text: str
    """All messages, one per line."""
    codes: frozenset[str] = frozenset()
    """In lower case."""
    numbers: dict[str, int] = {}
    """Named numbers, such as n_ctx."""
    status: int = 0
    """The HTTP status that the body itself names; 0 if it names none."""
    is_page: bool = False
    """Whether the body is HTML."""
    message: str = ""
    """The message to show; the innermost one if a server quotes another."""


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
    # Some servers put the sentence into `param`, and "Param Incorrect" into the message.
    return bool(value.strip()) and (name in WORDS or (name == "param" and " " in value))


def _value_in(text: str) -> Any:
    """Return the JSON object or list in a text, either as all of it or quoted in it; None if there is none."""
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
    """Yield every named scalar, the outer ones first, including those in JSON inside strings."""
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
    """Prepend the location, which validators report in a separate field, to the message."""
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
    """Return the last message, which is the innermost, or the first text of any kind if there is no message."""

    def texts(*names: str) -> list[str]:
        return [value for name, value in found if name in names and isinstance(value, str) and value]

    sentences = [text for text in texts("param") if " " in text]
    return ": ".join([*(texts("raw") or texts("message", "msg")[-1:] or texts(*WORDS))[:1], *sentences[-1:]])


N = r"(\d[\d,_]*)"

MIN_WINDOW = 256
"""No context window is smaller."""

RETRY_FIELDS = ("resets_in_seconds", "retry_after_seconds", "retry_after")
"""Fields of bodies with the seconds until a retry."""


def _pattern(text: str) -> re.Pattern[str]:
    """Compile a phrase with <limit> for the limit, and <observed>, or <prompt> and <reply>, for the counted tokens.

    A phrase may have only one of the two.
    """
    return re.compile(re.sub(r"<(\w+)>", lambda match: f"(?P<{match[1]}>{N[1:]}", text), re.IGNORECASE | re.DOTALL)


PATTERNS = [
    _pattern(text)
    for text in (
        # Anthropic, also through Bedrock and gateways
        r"too long: <observed> tokens > <limit> maximum",
        r"exceed context limit: <prompt> \+ <reply> > <limit>",
        # OpenAI, OpenRouter, DeepSeek, vLLM, Cloudflare
        r"maximum context length is <limit> tokens[.,] however, your messages resulted in <observed> tokens",
        r"maximum context length is <limit> tokens and your request has <prompt> input tokens \(<reply> >",
        r"maximum context length is <limit> tokens.{0,160}?for a total of at least <observed> tokens",
        r"maximum context length is <limit> tokens.{0,80}?(?:requested|contains|has|passed) (?:about |at least )?"
        r"<observed> (?:input )?tokens",
        r"maximum context length of <limit> tokens\. you requested a total of <observed> tokens",
        r"passed <prompt> input tokens and requested <reply> output tokens.{0,60}context length is only <limit>",
        r"maximum context length is <limit> tokens.{0,40}resulted in over <observed> tokens",
        # Google, GitHub Copilot, Moonshot, Mistral, Cerebras, Cohere
        r"token count exceeds the maximum number of tokens allowed \(?<limit>",
        r"size limit exceeded by \d+ tokens.{0,80}?limit for this model is <limit>",
        r"token count of <observed> exceeds the limit of <limit>",
        r"max length:\s*<limit>",
        r"contains <observed> tokens.{0,60}with <limit> maximum context length",
        r"current length is <observed> while limit is <limit>",
        r"range of input length should be \[\d+, ?<limit>\]",
        # llama.cpp, its Python bindings, LM Studio, text-generation-inference
        r"request \(<observed> tokens\) exceeds the available context size \(<limit> tokens\)",
        r"requested tokens (?:\(<observed>\) )?exceed context window of <limit>",
        r"n_keep:? \(?<observed>\)? >= n_ctx:? \(?<limit>",
        r"reached context length of <limit> tokens",
        r"must be <= <limit>\. given: <prompt> `?inputs`? tokens and <reply>",
        r"context length is only <limit> tokens",
        r"sequence length for this model \(<observed> > <limit>\)",
        # Vertex, TensorRT-LLM, Groq and OpenAI
        r"token count is <observed> but the model only supports up to <limit>",
        r"prompt length \(<observed>(?:\.\d+)?\).{0,60}max_num_tokens \(<limit>",
        r"request too large.{0,200}limit:? <limit>, requested:? <observed>",
        # any other that has the numbers in these positions
        r"(?:length|tokens?|count)\W{1,3}(?:of )?<observed>\W{0,2}(?: tokens)? exceed(?:s|ed)? [^.\d]{0,60}?<limit>",
        r"window of <limit> tokens \(got <observed>",
        r"\b<observed> ?> ?<limit>\b(?! ?-)",
        r"maximum context length of \S+ is <limit>\..{0,60}?will take <observed> tokens",
        r"too large for \S+ model\. max size: <limit> tokens",
        r"maximum context length (?:is|of) <limit>",
        r"exceeds the limit of <limit>",
        r"the model's max(?:imum)? of <limit>",
        r"max(?:imum)? tokens of <limit> exceeded",
        r"prompt length <observed> must",
        r"too long: <observed> tokens",
    )
]


REPLIES = [
    _pattern(text)
    for text in (
        r"\+ <reply> > \d",
        r"<reply> in the (?:completion|output)",
        r"requested <reply> output tokens",
        r"input tokens \(<reply> > \d",
        r"tokens and <reply> `?max_new_tokens",
        r"<reply> tokens for the completion",
    )
]
"""Phrases for the part of the observed tokens that was requested for the reply."""


def reply_tokens_in(text: str) -> int:
    """Return how many of an overflow's observed tokens were requested for the reply; 0 if it does not say."""
    found = (match for match in (pattern.search(text) for pattern in REPLIES) if match)
    return next((int(re.sub(r"\D", "", match["reply"])) for match in found), 0)


def tokens_in(text: str, numbers: Mapping[str, int]) -> tuple[int, int]:
    """Return the limit and the observed tokens of an overflow; 0 for a number that it does not contain.

    numbers: named fields of the body, such as llama.cpp's n_prompt_tokens and n_ctx. The reply's tokens are included
    if the limit applies to both.
    """
    if numbers.get("n_ctx"):
        return numbers["n_ctx"], numbers.get("n_prompt_tokens", 0)
    if _IN_BYTES.search(text) and not _ABOUT_TOKENS.search(text):
        return 0, 0
    for pattern in PATTERNS:
        match = pattern.search(text)
        if match:
            found = {name: int(re.sub(r"\D", "", value)) for name, value in match.groupdict().items() if value}
            limit, observed = found.pop("limit", 0), sum(found.values())
            return (limit, observed) if limit else max((_in_other_words(text), (limit, observed)))
    return _in_other_words(text)


_MAXIMUM = re.compile(r"(?:max\w*|limit\w*|cannot exceed|less than|longer than|allowed|context length)\D{0,40}?" + N)
_SUM = re.compile(N + r" ?\+ ?" + N)
_IN_BYTES = re.compile(r"\bbytes\b", re.IGNORECASE)
_ABOUT_TOKENS = re.compile(r"token|context|seq(uence)?_?len|(input|prompt) length", re.IGNORECASE)


def _in_other_words(text: str) -> tuple[int, int]:
    """Interpret an unknown sentence, and return the limit and the observed tokens.

    The smallest number after a word for a maximum is the limit, and the largest number in the text, if it is larger,
    was observed. Otherwise zeros are returned, since a wrong window does harm.
    """
    if not _ABOUT_TOKENS.search(text):
        return 0, 0
    limits = [int(re.sub(r"\D", "", number)) for number in _MAXIMUM.findall(text.lower())]
    sums = [sum(int(re.sub(r"\D", "", number)) for number in pair) for pair in _SUM.findall(text)]
    numbers = sums or [int(re.sub(r"\D", "", number)) for number in re.findall(N, text)]
    limit, observed = min(limits, default=0), max(numbers, default=0)
    return (limit, observed) if MIN_WINDOW <= limit < observed else (0, 0)


_WAIT = re.compile(
    r"(?:try again|retry|wait|available)(?: again)?(?: after| in| for|,? about)* ?"
    r"(?:(?P<h>\d+)\s*h(?:ours?)?)?\s*(?:(?P<m>\d+)\s*m(?:in(?:ute)?s?)?(?!s))?\s*"
    r"(?:(?P<s>\d+(?:\.\d+)?)\s*(?P<unit>ms|milliseconds?|s\b|sec\w*))?",
    re.IGNORECASE,
)
_DELAY = re.compile(r"^(\d+(?:\.\d+)?)s$", re.MULTILINE)


def retry_after_of(headers: Mapping[str, str], text: str, numbers: Mapping[str, int] | None = None) -> float | None:
    """Return the seconds until a retry, from headers, named fields of the body, or its text; None if absent.

    A date is compared with the `Date` header of the same answer, so that no clock is needed.
    """
    named = {name.lower(): value for name, value in headers.items()}
    in_milliseconds = _number(named.get("retry-after-ms", ""))
    if in_milliseconds is not None:
        return in_milliseconds / 1000
    header = named.get("retry-after", "")
    seconds = _number(header)
    if seconds is not None:
        return seconds
    if header and named.get("date"):
        return _between(named["date"], header)
    delay = _DELAY.search(text)
    named_wait = next((float((numbers or {})[name]) for name in RETRY_FIELDS if (numbers or {}).get(name)), None)
    return float(delay[1]) if delay else named_wait or _in_words(text)


def _in_words(text: str) -> float | None:
    for match in _WAIT.finditer(text):
        hours, minutes, seconds = (float(match[name] or 0) for name in "hms")
        if hours or minutes or seconds:
            small = (match["unit"] or "").lower().startswith(("ms", "milli"))
            return hours * 3600 + minutes * 60 + (seconds / 1000 if small else seconds)
    return None


def _between(start: str, end: str) -> float | None:
    try:
        return max(0.0, (parsedate_to_datetime(end) - parsedate_to_datetime(start)).total_seconds())
    except (ValueError, TypeError):
        return None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < 1e9 else None
