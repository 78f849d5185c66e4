"""What a provider did wrong, as a failure that can be shown: what happened, what was kept, what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from desktop_app.chat.ports import ModelError
from desktop_app.conversation.events import Failure

KEPT = "Your message is stored, and so is what had arrived of the reply."
LONGEST_DETAIL = 400
"""Characters quoted of what a server said: some answer with a whole page."""


class Where(msgspec.Struct, frozen=True):
    """Whom a request went to. key: never shown; it is here to be cut out of what a server says."""

    server: str
    base_url: str
    model: str
    key: str = ""

    def __repr__(self) -> str:
        return f"Where({self.server!r}, {self.base_url!r}, {self.model!r})"


_OVERFLOW = re.compile(
    "|".join(
        (
            r"context[_ ]length[_ ]exceeded",
            r"exceed_context_size",
            r"maximum context length",
            r"exceeds the (available )?context",
            r"context (size|window|length|limit)[^.]{0,40} exceed",
            r"exceed[^.]{0,60}context (size|window|length|limit)",
            r"(prompt|input|request|message|context)s? (is|are|was) too (long|large)",
            r"too many (input )?tokens in",
            r"longer than the (maximum )?(model|context) length",
            r"greater than the context length",
            r"input (token count|length)[^.]{0,40} exceeds?",
            r"exceeds? the (maximum|model)[^.]{0,30} (tokens|length|input)",
            r"exceeded model token limit",
            r"maximum prompt length",
            r"reduce the length of the (messages|prompt|input)",
            r"token limit exceeded",
            r"`inputs` tokens \+ `max_new_tokens`",
            r"(does|do) not fit (in|into) the (context|window)",
        )
    ),
    re.IGNORECASE,
)
_ABOUT_MONEY_OR_RATE = re.compile(r"rate.?limit|quota|billing|credit|insufficient|per (minute|day|hour)", re.IGNORECASE)
_LOOKS_LIKE_KEY = re.compile(r"\b(sk|pk|gsk|xai|AIza|key|Bearer)[-_ ][A-Za-z0-9*_\-]{6,}")
_LITELLM_PREFIX = re.compile(r"^(litellm\.\w+: )+(\w+(Exception|Error) - )?(Error code: \d+ - )?")


def is_overflow(status: int, text: str) -> bool:
    """Whether a provider means that the request was too long. Never so for rate limits, quota and billing."""
    if status in (401, 402, 403, 404, 429) or _ABOUT_MONEY_OR_RATE.search(text):
        return False
    return bool(_OVERFLOW.search(text)) or (status == 413 and not text.strip())


def error_of_status(where: Where, status: int, said: str, offered: tuple[str, ...] = ()) -> ModelError:
    """The error of a reply with an HTTP status, or of an error inside a stream (status 0).

    offered: the models that the server lists, if it was asked.
    """
    said = shown(said, where)
    if is_overflow(status, said):
        return _error(
            f"The conversation is too long for {where.model}",
            said,
            advice="Optimize the conversation, or choose a model with a larger window.",
            is_overflow=True,
        )
    title, advice = _of_status(where, status, offered)
    return _error(title, said, advice)


def _of_status(where: Where, status: int, offered: tuple[str, ...]) -> tuple[str, str]:
    match status:
        case 401 | 403:
            return f"{where.server} refused the key", f"Check the key of {where.server} in the settings."
        case 402:
            return f"{where.server} wants to be paid", "Check your account with the provider."
        case 404:
            return f"{where.server} does not know the model {where.model}", _advice_on_models(where, offered)
        case 429:
            return f"{where.server} takes no more requests for now", "Wait a little and try again."
        case _ if status >= 500:
            return f"{where.server} has a problem of its own", "Try again in a moment."
        case _:
            return f"{where.server} did not accept the request", "Try again, or choose another model."


def _advice_on_models(where: Where, offered: tuple[str, ...]) -> str:
    if not offered:
        return f"Check the model's name and the address {where.base_url} in the settings (it usually ends with /v1)."
    names = ", ".join(offered[:8]) + (f" and {len(offered) - 8} more" if len(offered) > 8 else "")
    return f"It offers: {names}. Change the model in the settings."


def unreachable(where: Where) -> ModelError:
    """Nobody listens there, or the name is unknown."""
    return _error(
        f"{where.server} cannot be reached",
        f"There was no connection to “{where.base_url}”.",
        "Start the server, or check its address in the settings and your network.",
    )


def silent(where: Where, seconds: float) -> ModelError:
    """Connected, then nothing for too long."""
    return _error(
        f"{where.server} has stopped answering",
        f"Nothing came from {where.base_url} for {seconds:.0f} seconds.",
        "Try again. A local server may be busy with another request.",
    )


def cut_off(where: Where) -> ModelError:
    """The stream ended before the provider said that the reply was finished."""
    return _error(
        f"The reply of {where.model} broke off",
        f"{where.base_url} closed the connection before the reply was finished.",
        "Try again.",
    )


def not_understood(where: Where, said: str = "") -> ModelError:
    """Something answers there, but not as OpenAI's API does."""
    return _error(
        f"{where.server} does not speak OpenAI's protocol",
        shown(said, where) or f"{where.base_url} answered with something else than a chat completion.",
        "Check the address in the settings: it usually ends with /v1.",
    )


def error_of(error: BaseException, where: Where, patience: float, offered: tuple[str, ...] = ()) -> ModelError:
    """The error of an exception of litellm, openai or httpx. patience: seconds of silence that were allowed."""
    import httpx
    import openai

    causes = list(_causes(error))
    if any(isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout) for cause in causes):
        return unreachable(where)
    if any(isinstance(cause, httpx.TimeoutException) for cause in causes):
        return silent(where, patience)
    if any(isinstance(cause, httpx.NetworkError | httpx.RemoteProtocolError) for cause in causes):
        return cut_off(where)
    if any(isinstance(cause, httpx.InvalidURL | httpx.UnsupportedProtocol) for cause in causes):
        return unreachable(where)
    if any(isinstance(cause, json.JSONDecodeError | UnicodeDecodeError) for cause in causes):
        return not_understood(where)
    for cause in reversed(causes):  # the innermost comes from the wire; the outer ones are translations of it
        if isinstance(cause, openai.APIStatusError):
            return error_of_status(where, cause.status_code, _said(cause), offered)
    return error_of_status(where, status_of(error), _said(error), offered)


def status_of(error: BaseException) -> int:
    """The HTTP status that an exception carries; 0 when it carries none."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, and what led to it, the innermost last."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def _said(error: BaseException) -> str:
    """The server's own words in an exception."""
    body = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return body["message"]
    response = getattr(error, "response", None)
    if status_of(error) == 413 and response is not None and not response.text:
        return ""
    return _LITELLM_PREFIX.sub("", str(getattr(error, "message", "") or error))


def shown(said: str, where: Where) -> str:
    """A server's words, fit to be shown: without keys, on few lines, not too long."""
    if where.key:
        said = said.replace(where.key, "(key)")
    said = re.sub(r"\s+", " ", _LOOKS_LIKE_KEY.sub("(key)", said)).strip()
    return said if len(said) <= LONGEST_DETAIL else said[:LONGEST_DETAIL] + "…"


def _error(title: str, detail: str, advice: str, is_overflow: bool = False) -> ModelError:
    return ModelError(Failure("provider", title, detail, KEPT, advice), is_overflow)
