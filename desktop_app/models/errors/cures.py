"""Recognize refusals that say what a server wants instead: the request is then sent again in that form. Pure.

Servers word the same refusal differently, and the same text can be about several things, so that a cure also requires
that the refused request contains what is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from desktop_app.chat.ports import ErrorKind
from desktop_app.conversation import quirks
from desktop_app.conversation.openai_chat import Json
from desktop_app.models.provider_summaries import OWN

MAX_READ = 10_000
"""Characters of an error that are read: the reason comes first, and some servers quote the request after it."""
CURABLE: frozenset[ErrorKind] = frozenset({"malformed", "unsupported", "provider", "server", "garbage", "not_found"})
"""Kinds of error that may name their cure."""
OPTIONAL = (
    "stream_options",
    "temperature",
    "top_p",
    "reasoning_effort",
    "tool_choice",
    "max_tokens",
    "max_completion_tokens",
)
"""Fields of a request without which it can be sent."""

_REFUSED = (
    r"(unsupported|un(known|recognized|expected|allowed)|unrecognised|not\W{0,2}(be )?"
    r"(supported|recognized|permitted|allowed|available|accepted|compatible|valid|enabled|specified|set|used)|"
    r"(does|do) not (support|accept|allow)|doesn't support|can ?not (both )?be|may not be|must not be|"
    r"extra_forbidden|forbidden|additional propert|deprecated|only (the default|\S{1,8} is allowed)|"
    r"no longer|incompatible|remove)"
)
_NEAR = r"[^\n]{0,100}?"


PROPOSED = re.compile(r"\b(use|try|specify) [`'\"]?\w+[`'\"]?", re.IGNORECASE)
"""A field that the error proposes, which is not the one that it refuses."""


class Cure(NamedTuple):
    """A wording, the quirks that it may mean, in order, and what the refused request must contain."""

    pattern: re.Pattern[str]
    quirks: tuple[str, ...]
    applies: Callable[[Json], bool]


def _about(field: str, words: str = _REFUSED) -> re.Pattern[str]:
    """Return a pattern for a field and the words around it, in either order."""
    name = rf"(?<!\w)[`'\"]?{field}\b(?![.\[]\w)"
    return re.compile(rf"{name}{_NEAR}{words}|{words}{_NEAR}{name}", re.IGNORECASE)


def _pattern(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


def _messages(request: Json) -> list[Any]:
    return request.get("messages") or []


def _has_calls(request: Json) -> bool:
    return any(message.get("tool_calls") for message in _messages(request))


def _has_parallel_calls(request: Json) -> bool:
    return any(len(message.get("tool_calls") or ()) > 1 for message in _messages(request))


def _has_system(request: Json) -> bool:
    return any(message["role"] == "system" for message in _messages(request))


def _has_pictures_behind(request: Json) -> bool:
    pairs = zip(_messages(request), _messages(request)[1:], strict=False)
    return any((one["role"], other["role"]) == ("tool", "user") for one, other in pairs)


def _returns_reasoning(request: Json) -> bool:
    return any("reasoning_content" in message for message in _messages(request))


def _has_replies(request: Json) -> bool:
    return any(message["role"] == "assistant" for message in _messages(request))


def _returns_summary(request: Json) -> bool:
    return any(OWN in message for message in _messages(request))


CURES: tuple[Cure, ...] = (
    Cure(_pattern(r"compact(ion|-2026)|encrypted[_ ]content"), (quirks.TEXT_SUMMARIES,), _returns_summary),
    Cure(
        _pattern(
            r"(reasoning_content|reasoning|thinking)\W[^\n]{0,100}?"
            r"(must be (passed|sent|provided|included|returned)|passed back|(is |are )?(missing|required))",
            r"missing\W[^\n]{0,40}?(reasoning_content|thinking)\b",
        ),
        (quirks.ALL_REASONING, quirks.EVERY_REASONING),
        _has_replies,
    ),
    Cure(_about("reasoning_content"), (quirks.NO_REASONING,), _returns_reasoning),
    Cure(_pattern(r"missing an? `?thought_?signature"), (quirks.SIGNATURES,), _has_calls),
    Cure(
        _pattern(
            r"only supports? (a )?single tool|one tool[- _]?call (at a time|per)|more than one tool[- _]?call",
            r"(multiple|parallel) (tool|function)[- _]?calls?[^\n]{0,40}(not|un)",
            r"not support (parallel|multiple) (tool|function)",
        ),
        (quirks.ONE_CALL, quirks.CALLS_AS_TEXT),
        _has_parallel_calls,
    ),
    Cure(
        _pattern(
            rf"(system|developer) (role|prompt|message|instruction)s?{_NEAR}(not|un)\W?"
            r"(supported|allowed|enabled|permitted|available)",
            r"(does|do) not support (the |a )?(system|developer)|only user and assistant roles",
            rf"(unsupported|invalid|unknown|unexpected) role\W{_NEAR}system",
            r"role\W{1,3}(system|developer)\W{1,3}[^\n]{0,20}not",
        ),
        (quirks.NO_SYSTEM,),
        _has_system,
    ),
    Cure(
        _pattern(r"(tool[ _]?)?call[ _]id[^\n]{0,80}(a-z, A-Z, 0-9|length of 9\b|9 characters)"),
        (quirks.SHORT_IDS,),
        _has_calls,
    ),
    Cure(_pattern(r"unexpected role\W+user\W+after role\W+tool"), (quirks.NO_USER_AFTER_TOOL,), _has_pictures_behind),
    Cure(
        _pattern(
            r"must alternate|alternat(e|ing) (between|roles|user)|conversation roles",
            r"(consecutive|successive) (messages|roles|user|assistant)",
        ),
        (quirks.ALTERNATING, quirks.NO_SYSTEM),
        lambda request: bool(_messages(request)),
    ),
    Cure(
        _pattern(
            rf"only user and assistant roles|(unsupported|invalid|unknown|unexpected) (message )?role\W{_NEAR}\btool",
            r"role\W{1,3}tool\W{1,3}[^\n]{0,20}(not|un)|unknown variant\W+tool\b",
            r"role[^\n]{0,60}(input should be|expected|must be)(?![^\n]{0,60}\btool)[^\n]{0,60}\bassistant",
        ),
        (quirks.CALLS_AS_TEXT,),
        _has_calls,
    ),
    Cure(
        _pattern(
            r"(does|do) not support (tools?(?!_choice)\b|function|tool (use|call))",
            r"(tools?|(tool|function)[- ](use|calls?|calling)) (is|are) not (supported|enabled|available|allowed)",
            r"no endpoints found that support tool|enable-auto-tool-choice|requires --jinja",
        ),
        (quirks.NO_TOOLS,),
        lambda request: "tools" in request,
    ),
    Cure(_about("tools"), (quirks.NO_TOOLS,), lambda request: "tools" in request),
)


def cure_of(kind: ErrorKind, error: str, request: Json, known: Sequence[str]) -> str:
    """Return the quirk that an error implies; "" if none, or if the model has them already.

    error: what the server answered, as text. request: as it was written to the server. known: the model's quirks.
    """
    if kind not in CURABLE:
        return ""
    error = error[:MAX_READ]
    fields = _quirks_of_fields(error, request)
    shapes = (quirk for cure in CURES if cure.applies(request) and cure.pattern.search(error) for quirk in cure.quirks)
    return next((quirk for quirk in (*fields, *shapes) if quirk not in known), "")


def _quirks_of_fields(error: str, request: Json) -> list[str]:
    """Return the quirks for refused optional fields of the request, the first one in the error first."""
    error = re.sub(r"\bMax(Completion)?Tokens\b", lambda m: f"max_{'completion_' if m[1] else ''}tokens", error)
    blamed = PROPOSED.sub("", error)
    found = {field: match.start() for field in OPTIONAL if field in request and (match := _about(field).search(blamed))}
    if len(found) > 1 and re.search(r"\bboth\b", error):
        return [quirks.WITHOUT + max(found)]  # one of them may be sent
    names = {quirks.MAX_COMPLETION_TOKENS: quirks.MAX_TOKENS}
    if quirks.MAX_COMPLETION_TOKENS in error:
        names[quirks.MAX_TOKENS] = quirks.MAX_COMPLETION_TOKENS
    ordered = sorted(found, key=lambda field: (found[field], blamed.find(field)))
    return [names.get(field, quirks.WITHOUT + field) for field in ordered]
