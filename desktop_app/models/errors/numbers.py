"""Numbers in providers' errors: the token limit, the tokens counted, and the seconds until a retry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

N = r"(\d[\d,_]*)"

MIN_WINDOW = 256
"""No context window is smaller."""

RETRY_FIELDS = ("resets_in_seconds", "retry_after_seconds", "retry_after")
"""Fields of bodies that hold the seconds until a retry."""


def _pattern(text: str) -> re.Pattern[str]:
    """Compile a phrase with <limit> for the limit, and <observed>, or <prompt> and <reply>, for what was counted."""
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
        r"n_keep \(<observed>\) >= n_ctx \(<limit>\)",
        r"reached context length of <limit> tokens",
        r"must be <= <limit>\. given: <prompt> `?inputs`? tokens and <reply>",
        r"context length is only <limit> tokens",
        r"sequence length for this model \(<observed> > <limit>\)",
        # whoever else says it in that order
        r"maximum context length of \S+ is <limit>\..{0,60}?will take <observed> tokens",
        r"too large for \S+ model\. max size: <limit> tokens",
        r"maximum context length (?:is|of) <limit>",
        r"exceeds the limit of <limit>",
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
    )
]
"""How errors name the part of the observed tokens that the reply was to have."""


def reply_tokens_in(text: str) -> int:
    """Return how many of the observed tokens of an overflow were asked for as the reply; 0 where it does not say."""
    found = (match for match in (pattern.search(text) for pattern in REPLIES) if match)
    return next((int(re.sub(r"\D", "", match["reply"])) for match in found), 0)


def tokens_in(text: str, numbers: Mapping[str, int]) -> tuple[int, int]:
    """Return the limit and the observed tokens of an overflow; 0 where it does not say.

    numbers: named fields of the body, such as llama.cpp's n_prompt_tokens and n_ctx. The reply's tokens are included
    where the limit is for both.
    """
    if numbers.get("n_ctx"):
        return numbers["n_ctx"], numbers.get("n_prompt_tokens", 0)
    for pattern in PATTERNS:
        match = pattern.search(text)
        if match:
            found = {name: int(re.sub(r"\D", "", value)) for name, value in match.groupdict().items() if value}
            return found.pop("limit"), sum(found.values())
    return _in_other_words(text)


_MAXIMUM = re.compile(r"(?:max\w*|limit\w*|cannot exceed|less than|longer than|allowed|context length)\D{0,40}?" + N)
_SUM = re.compile(N + r" ?\+ ?" + N)
_ABOUT_TOKENS = re.compile(r"token|context|seq(uence)?_?len|(input|prompt) length", re.IGNORECASE)


def _in_other_words(text: str) -> tuple[int, int]:
    """Read an unknown sentence: the smallest number after a word for a maximum is the limit, and the largest number, if
    it is larger, was observed. Return zeros where that is not so: a wrong window does harm."""
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
    """Return the seconds until a retry, from headers, named fields of the body, or its words; None if absent.

    A date in a header is compared with the header `Date` of the same answer, so that no clock is needed.
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
