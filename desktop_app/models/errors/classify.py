"""Classifying a provider's error by its status, headers, words and codes. Pure.

A library's exception classes are ignored: they differ from provider to provider. The rules, in their order:

1. statuses that mean one thing only: 402 is money, 401 the key, whatever the message quotes;
2. money and rates, by codes and by words: they come with many statuses, and in the words of other kinds;
3. the provider's own codes, the specific ones before the general ones;
4. its words, the narrow kinds before the wide ones, collected phrases before what they have in common;
5. the status.

The dangerous confusions are an overflow with a limit per minute (Groq's 413, OpenAI's "Request too large ... on tokens
per min"), with money (OpenRouter's "Prompt tokens limit exceeded"), and with a reply limit that is too large.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from desktop_app.chat.ports import ErrorKind

from . import phrases
from .body import ErrorBody, parse_body
from .numbers import reply_tokens_in, retry_after_of, tokens_in

_CODES: dict[ErrorKind, str] = {
    "overflow": """
        context_length_exceeded context_window_exceeded exceed_context_size_error
        model_max_prompt_tokens_exceeded request_too_large string_above_max_length
    """,
    "quota": """
        insufficient_quota billing_error budget_exceeded billing_hard_limit_reached billing_not_active
        exceeded_current_quota_error insufficient_credits insufficient_balance payment_required
        quota_exceeded usage_limit_reached arrearage
    """,
    "content_filter": """
        content_filter content_policy_violation responsibleaipolicyviolation prohibited_content safety
        blocklist data_inspection_failed datainspectionfailed invalid_prompt moderation
    """,
    "malformed": "invalid_request_message_order invalid_function_call",
    "unsupported": "unsupported_parameter unsupported_value",
    "rate_limit": """
        rate_limit_exceeded rate_limit_error rate_limit_reached_error throttlingexception too_many_requests
        too_many_tokens_error token_quota_exceeded request_quota_exceeded resource_exhausted
    """,
    "not_found": """
        model_not_found model_not_supported model_decommissioned invalid_model not_found not_found_error
        notfounderror deploymentnotfound resource_not_found_error resourcenotfoundexception
    """,
    "timeout": "timeout_error deadline_exceeded modeltimeoutexception request_timeout",
    "server": """
        overloaded_error engine_overloaded_error queue_exceeded server_error internal_server_error internal
        unavailable unavailable_error service_unavailable serviceunavailableexception
        internalserverexception modelnotreadyexception tool_use_failed
    """,
    "auth": """
        invalid_api_key incorrect_api_key api_key_invalid authentication_error invalid_authentication_error
        unauthenticated unauthorized permission_error permission_denied accessdeniedexception
        unrecognizedclientexception expiredtokenexception unsupported_country_region_territory
    """,
}

CODES: dict[ErrorKind, frozenset[str]] = {kind: frozenset(codes.split()) for kind, codes in _CODES.items()}
"""In the order of precedence where a body has several codes."""

WORDS: tuple[tuple[ErrorKind, re.Pattern[str]], ...] = (
    ("content_filter", phrases.CONTENT_FILTER),
    ("malformed", phrases.MALFORMED),
    ("unsupported", phrases.UNSUPPORTED),
    ("overflow", phrases.OVERFLOW),
    ("auth", phrases.AUTH),
    ("not_found", phrases.NOT_FOUND),
    ("timeout", phrases.TIMEOUT),
    ("cut", phrases.CUT),
    ("server", phrases.SERVER),
    ("malformed", phrases.TEMPLATE),
)
"""Narrow kinds first: "does not support image input" must not be read as a model that is not supported."""

NEVER_OVERFLOW = (403, 429)

QUOTED_REFUSAL = re.compile(r"(status|error)( code)?:? 4\d\d\b|\b400 Bad Request", re.IGNORECASE)
"""A gateway's message about what the provider behind it has refused."""

MAX_BODY = 50_000
"""Characters of a body that are read: the error comes first, and some servers quote the request."""

CERTAIN: dict[int, ErrorKind] = {401: "auth", 402: "quota"}

STATUSES: dict[int, ErrorKind] = {
    403: "auth",
    404: "not_found",
    408: "timeout",
    410: "not_found",
    429: "rate_limit",
    504: "timeout",
    522: "timeout",
    524: "timeout",
}


class Classification(msgspec.Struct, frozen=True):
    """What an error means. limit, observed: the tokens that the provider accepts and counted; 0 if it did not say.

    reply: how many of the observed ones were asked for as the reply.
    """

    kind: ErrorKind
    retry_after: float | None = None
    """Seconds."""
    limit: int = 0
    observed: int = 0
    reply: int = 0
    message: str = ""
    """The provider's own words."""


def classify(status: int, headers: Mapping[str, str], body_text: str) -> Classification:
    """Return what an answer means. status: 0 for an error inside a stream."""
    body = parse_body(body_text[:MAX_BODY])
    named = {name.lower(): value for name, value in headers.items()}
    if "x-amzn-errortype" in named:
        body = msgspec.structs.replace(body, codes=body.codes | {named["x-amzn-errortype"].split(":")[0].lower()})
    status = status if status >= 400 else body.status or status
    kind = _kind(status, body)
    limit, observed = tokens_in(body.text, body.numbers) if kind == "overflow" else (0, 0)
    waits = kind in ("rate_limit", "quota", "server", "timeout")
    retry_after = retry_after_of(headers, body.text, body.numbers) if waits else None
    reply = reply_tokens_in(body.text) if observed else 0
    return Classification(kind, retry_after, limit, observed, reply, body.message)


def _kind(status: int, body: ErrorBody) -> ErrorKind:
    if status in CERTAIN:
        return CERTAIN[status]
    found = _about_money_or_rate(status, body) or _by_code(status, body) or _by_words(status, body)
    if found is not None:
        return found
    if body.is_page and status < 400:
        return "garbage"
    return _by_status(status, body)


def _about_money_or_rate(status: int, body: ErrorBody) -> ErrorKind | None:
    """Return quota or rate limit; None when it is neither.

    Google says "You exceeded your current quota, please check your plan and billing details" for both: the name of
    the quota tells them apart.
    """
    is_money = bool(CODES["quota"] & body.codes or phrases.QUOTA.search(body.text))
    is_rate = bool(CODES["rate_limit"] & body.codes or phrases.RATE_LIMIT.search(body.text))
    if any("perday" in code for code in body.codes):
        return "quota"
    if any("perminute" in code for code in body.codes):
        return "rate_limit"
    if CODES["overflow"] & body.codes and status not in NEVER_OVERFLOW:
        return None
    if is_money:
        return "quota"
    return "rate_limit" if is_rate else None


def _by_code(status: int, body: ErrorBody) -> ErrorKind | None:
    for kind, codes in CODES.items():
        if not codes & body.codes or (kind == "overflow" and status in NEVER_OVERFLOW):
            continue
        # llama.cpp calls anything "server_error", and any wrong path is "not_found": the words say more.
        return _by_words(status, body) or kind if kind in ("server", "not_found", "unsupported") else kind
    return None


def _by_words(status: int, body: ErrorBody) -> ErrorKind | None:
    text = body.text
    for kind, pattern in WORDS:
        if pattern.search(text) and not (kind == "overflow" and status in NEVER_OVERFLOW):
            return kind
    if (
        status not in NEVER_OVERFLOW
        and phrases.ANY_OVERFLOW.search(text)
        and not phrases.NOT_OF_THE_PROMPT.search(text)
    ):
        return "overflow"
    is_refusal = status < 500 or QUOTED_REFUSAL.search(text)
    return "malformed" if is_refusal and phrases.ANY_MALFORMED.search(text) else None


def _by_status(status: int, body: ErrorBody) -> ErrorKind:
    if status == 413 and (not body.text or body.is_page):
        return "overflow"  # Cerebras sends nothing else, nginx a page
    if status in STATUSES:
        return STATUSES[status]
    return "server" if status >= 500 else "provider"
