"""Classify a provider's error by its status, headers, text and codes. Pure.

Exception classes of libraries are ignored: they differ from provider to provider. The rules, in order of precedence:

1. unambiguous statuses: 402 is money, 401 the key, whatever the message quotes;
2. money and rates, by codes and by text: they come with many statuses, and with phrases of other kinds;
3. the provider's own codes, specific ones before general ones;
4. its text, narrow kinds before wide ones, collected phrases before general patterns;
5. the status.

The dangerous confusions are an overflow with a limit per minute (Groq's and OpenAI's "Request too large ... on tokens
per minute" is one only if the request alone exceeds it), with money (OpenRouter's "Prompt tokens limit exceeded"), and
with a reply limit that is too large.

The phrases come from documentation and issue threads; tests/models/errors/vectors has the complete bodies, each with
its source. A phrase is listed if it was seen for that kind and cannot mean another one; ambiguous words ("tokens",
"limit", "quota") are never enough by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from desktop_app.chat.ports import ErrorKind

from .body import ErrorBody, parse_body, reply_tokens_in, retry_after_of, tokens_in


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


OVERFLOW = _any(
    r"context[_ ]length[_ ]exceeded",
    r"ContextWindowExceeded",
    r"maximum context length",
    r"maximum (prompt|model) length (is|of) \d",
    r"(prompt|input|request|conversation|messages?)( \([^)]{0,40}\)| tokens)?( is| are| was)? too (long|large)",
    r"exceeds? (the |its |this model's )?(available |maximum )?(context|input|prompt) (size|window|length|limit)",
    r"exceeds? (the )?model context (size|window|length|limit)",
    r"(context|window) is full\b|surpass\w* (the |its )?(\w+ )?context window",
    r"tokens in request more than max tokens|must less than the maximum input length",
    r"token count is [\d,*]+ but the model only supports|should not exceed max_num_tokens",
    r"max(imum)? input characters is|too many total text bytes",
    r"'(messages\[[\d,*]+\]\.content|input|instructions|prompt)\S*: string too long",
    r"context (size|window|length|limit)[^.]{0,40}exceed",
    r"exceeds? (the )?max(imum)? (context |input |prompt )?length",
    r"exceed[^.]{0,60}context (size|window|length|limit)",
    r"reached context length of",
    r"keep the first [\d,*]+ tokens",
    r"n_keep \([\d,*]+\) >= n_ctx",
    r"max length exceeded, max length",
    r"reduce (the length of (the |your )?(messages|prompt|input)|your prompt)",
    r"`?inputs`? (tokens \+|must have less than)",
    r"range of input length should be",
    r"max_tokens must be at least 1, got -",
    r"expected maxLength: [\d,*]+, actual: [\d,*]+",
    r"request (entity|payload|body)? ?too large",
    r"payload too large",
    r"request exceeds the maximum (allowed )?(size|number of bytes)",
    r"(does|do) not fit (in|into) the (context|window)",
    r"token limit exceeded",
    r"上下文(长度|窗口)?(过长|超出|超过)",
    r"(输入|请求|提示词?|prompt)\s?(内容)?(过长|超长)",
    r"超[出过].{0,12}(上下文|最大长度|最大token|输入长度)",
)

A_LENGTH = (
    r"(input|prompts?|context|sequence|conversation|messages?|history|requests?|body|tokens?)"
    r"( (length|size|tokens?|count|window))?"
)
TOO_MUCH = (
    r"(exceed(s|ed|ing)?|is (longer|greater|larger|bigger) than|longer than|greater than|larger than|"
    r"must be (less|smaller|shorter|fewer) than|must be <=?|must have (length )?(less|fewer) than|cannot exceed|"
    r"can(not| not) be (longer|greater|larger) than|above the (limit|maximum)|over the (limit|maximum)|too many|"
    r"maximum supported)"
)
NOT_OF_THE_PROMPT = _any(
    r"bytes?\b|\b[MK]i?B\b|pixels?|images? (is|are|exceed)|attachments?|files?\b",
    r"max_(completion_|output_|new_)?tokens`?'?\"? (is|must|should|cannot|exceeds?)|output tokens|completion tokens",
    r"每分钟|频率|并发|速率|次数",
    r"\btimes?\b|seconds|per (min|minute|second|hour|day)|concurren|temperature|top_p|\btools\b|stop sequences",
)
ANY_OVERFLOW = _any(
    rf"\b{A_LENGTH}\b[^.\n]{{0,90}}\b{TOO_MUCH}",
    rf"\b(max_\w*tokens|\w*_tokens|prompt_tokens|seq_len\w*)\b[^.\n]{{0,40}}{TOO_MUCH} [^.\n]{{0,20}}(max|limit|seq)",
    r"too many (input |prompt )?tokens",
    r"(输入|上下文|对话|tokens?)[^。\n]{0,16}(超[出过]|超限|超长|过长)",
)
"""A length above its maximum, in general patterns. Tried last, and only if NOT_OF_THE_PROMPT does not match, since
images, replies and rates also have maxima."""

LONG_CONTEXT = _any(
    r"extra usage\b[^.\n]{0,40}\b(long|1M|1 million)[ -](token )?context",
    r"\b(long|1M)[ -]context\b[^.\n]{0,60}\b(extra usage|not (yet )?(available|enabled|included)|requires?)\b",
)
"""Anthropic's refusals of requests beyond LONG_CONTEXT_LIMIT from accounts without it, as rate limits."""
LONG_CONTEXT_LIMIT = 200_000

TEMPLATE = _any(r"jinja (exception|template)|(chat|prompt)[_ ]template|rendering prompt")
"""A local server's chat template refuses the history."""

QUOTA = _any(
    r"(credit balance|balance|credits?) (is|are) too low",
    r"insufficient[_ ](quota|balance|credits?|funds)",
    r"(requires|purchase|add|buy) more credits",
    r"used all (available|of your) credits",
    r"run out of credits",
    r"(monthly|daily|weekly|session|hourly) (spending limit|quota|usage limit|token limit|included credits)",
    r"(reached|hit|exceeded) (your |the |its )?[^.]{0,30}usage limit|usage limit (has been |was )?(reached|exceeded)",
    r"exceeded (your|current) current quota|exceeded current quota",
    r"check your plan and billing",
    r"billing (hard )?limit|(exceeded|over)[ :]?(the |your |its )?budget|budget has been exceeded|ExceededBudget",
    r"reached your specified API usage limits",
    r"prompt tokens limit exceeded: \d+ > \d+",
    r"account is in good standing",
    r"requires? (a|an) (\w+ )?(subscription|plan)\b|\bkey limit (exceeded|reached)",
    r"(payment|billing) (is )?required|issue with your billing",
    r"余额不足|欠费|请充值|额度(已)?(用尽|不足)",
)

ALONE_TOO_LARGE = _any(r"request too large\b.{0,200}\blimit:? [\d,]+, requested:? [\d,]+")
"""Unlike a rate limit that others' requests have used up, which names what is used."""
MUST_BE_SHORTER = _any(r"request too large for .{0,300}(tokens must be reduced|reduce your message size)")
"""The same without its numbers."""

RATE_LIMIT = _any(
    r"rate[- _]?limit|\brequest rate\b",
    r"too many requests",
    r"(tokens?|requests?) per (min|minute|second|hour|day)\b",
    r"\b(TPM|RPM|TPD|RPD)\b",
    r"max request(s)?: \d+, please try again after",
    r"too many tokens, please wait",
    r"resource( has been)? exhausted",
    r"capacity exceeded for this model",
    r"throttl",
    r"请求(过于)?频繁|速率限制|限流",
)

CONTENT_FILTER = _any(
    r"content (management|filtering|filter|usage) policy",
    r"content filter",
    r"violat\w+ (our|the) (usage|content) polic",
    r"flagged (for moderation|as potentially violating)",
    r"considered high risk",
    r"inappropriate content",
    r"prohibited[_ ]content",
    r"blocked (by|due to) (safety|content)",
    r"敏感(内容|信息)|内容(安全|违规)",
)

MALFORMED = _any(
    r"(tool|function) call found for (function call|tool) output|no tool output found for function call",
    r"unexpected role",
    r"not the same number of function calls and responses",
    r"number of function response parts",
    r"function (call|response) turn comes immediately",
    r"missing a thought_?signature|thought_?signature is (missing|not valid)",
    r"messages\.\d+\.content\.\d+\.(?!\S*cache_control)\S+: extra inputs are not permitted",
    r"thinking[^.]{0,40}must be passed back",
    r"at least one message is required|contents (is|are) not specified|contents? field is required",
    r"messages?\[\d+\]\.(name|tool_calls?|tool_call_id)\S*['\"]?:? (string|array|does|is|must)",
    r"messages'?\W.{0,40}(expected a string, got null|empty array)",
    r"parse (tool|function) call arguments|tokeni[sz]ation failed|invalid ['`](content|messages?)['`] (type|format)",
)

A_PART = r"(messages?|roles?|assistant|contents?\.parts|tool_(calls?|use|results?)|reasoning_content|`thinking`)"
REFUSED = r"(must|should|can ?not|may not|is (illegal|invalid|missing|not allowed)|expected|not permitted)"
ANY_MALFORMED = _any(
    rf"{A_PART}\W[^.\n]{{0,90}}\b{REFUSED}\b",
    rf"\b{REFUSED}\b[^.\n]{{0,60}}\W{A_PART}\b",
    r"(?m:^)(body\.)?(messages|input|contents)[.\[]\S*:",
)
"""A refused part of the history, in general patterns. Tried after all other phrases."""

UNSUPPORTED = _any(
    r"(does|do) not support (tools?|function|images?|vision|thinking|reasoning|system|parallel|['\"\d.])",
    r"no endpoints found that support",
    r"(function calling|tool(s| use| calling)?|developer instruction|system (role|prompt|message|instruction)s?) "
    r"(is|are) not (enabled|supported|available|allowed|permitted)",
    r"system role (is )?not supported|only user and assistant roles are supported",
    r"image(s| input|_url)?[^.]{0,30} (is|are) not supported|not a multimodal model|unknown variant .?image_url",
    r"(unsupported|unknown|unrecognized) (param(eter)?|value|argument|field)|extra inputs are not permitted",
    r"not supported (by|in|on|with) (the|this) [\w ]*(model|api|endpoint)|only supported (by|for|in|on|with)",
    r"requires --(jinja|enable-auto-tool-choice)",
    r"max_(completion_|output_)?tokens is too large|max_tokens must be less than|max_tokens: \d+ > \d+",
    r"max_(completion_|output_)?tokens\b[^.]{0,60}(cannot (exceed|be set)|not valid|invalid|above max|out of range)",
    r"maximum tokens you requested exceeds? the model limit",
    r"range of max_tokens should be",
    r"image exceeds [^.]{0,20} maximum|image dimensions exceed|too many images|image is not valid|invalid image",
    r"at most \d+ images?|must provide a chat template",
    r"\btools([.\[]|'?:? array too long)|\b(tool|function) name\b|json schema|cache_control",
)

NOT_FOUND = _any(
    r"model[^.\n]{0,80} (does not exist|not found|is not found|not exist)",
    r"(not a valid|invalid|unknown|no such) model|model identifier is invalid|not found the model",
    r"no models? (is )?loaded",
    r"model\b.{0,80} (is not|isn.t) supported(?! with)",
    r"not allowed to use (publisher )?model",
    r"has been (decommissioned|deprecated|retired)|model.{0,80}(end of life|no longer)",
    r"模型.{0,6}不存在|modelCode: does not exist",
    r"(does not|don't|do not) have access to (the )?model",
    r"no endpoints found for",
    r"model_not_found",
    r"deployment[^.]{0,60}does not exist",
)

AUTH = _any(
    r"(incorrect|invalid|missing|no|wrong) (\w+ )?(api[- ]?key|x-api-key|auth\w* credentials|subscription key)",
    r"find a secret",
    r"api[- ]?key (is )?(not valid|invalid|expired|missing|not found)|api[- ]?key provided",
    r"authentication (fails|failed)|invalid authentication|\bunauthorized\b",
    r"without established identity|unregistered callers",
    r"location is not supported|(country|region)[^.]{0,30} not supported",
    r"organization has been disabled|account (has been |is )?(deactivated|disabled)",
)

_PROGRAM = r"\b(model|server|engine|runner|process|backend|upstream)\b[^.\n]{0,120}"
LOADING = _any(
    r"\bloading (the |this |your )?model",
    rf"{_PROGRAM}\b(is|are|still|currently)( still| currently)* (loading|starting|warming up)\b",
    rf"{_PROGRAM}\b(is|are) (still |currently )*(being loaded|initiali[sz]ing)",
    rf"{_PROGRAM}\b(is|are) not (yet )?ready|not ready yet",
)
"""A server that loads a model, and will answer then: llama-server, Ollama, vLLM, TGI, SGLang, also through gateways."""

LOADING_FAILED = _any(
    r"\b(error|failed|failure|unable|could not|cannot|can't|timed out|timeout)( [\w-]+){0,5} (load|start)(ed|ing)?\b"
)

SERVER = _any(
    r"overloaded|over capacity|high traffic|currently (unavailable|busy)",
    r"internal (server )?error|server (had an )?error|bad gateway|service unavailable|temporarily unavailable",
    r"(model|runner|process) (has )?(crashed|terminated)|has terminated|out of memory|more system memory",
    r"error was encountered while running the model|EngineCore|EngineDead",
    r"(provider|upstream) disconnected|no available model provider",
    r"server busy|failed to call a function|tool call validation failed|degraded function",
)

TIMEOUT = _any(r"timed? ?out\b", r"deadline (expired|exceeded)", r"error code: 524", r"gateway time-?out")

CUT = _any(
    r"peer closed connection|incomplete chunked read|premature(ly)? (close|end)|socket hang up|connection (was )?reset",
    r"stream (ended|was closed|closed) (before|unexpectedly|prematurely)|unexpected end of (stream|JSON)",
    r"closed the (\w+ )?stream before",
)


_CODES: dict[ErrorKind, str] = {
    "overflow": """
        context_length_exceeded context_window_exceeded exceed_context_size_error
        model_max_prompt_tokens_exceeded request_too_large context_exceeded tokens_too_long characters_too_long
        prompt_too_long input_too_long 1261 336007 336103 10907
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
"""In order of precedence, in case a body has several codes."""

WORDS: tuple[tuple[ErrorKind, re.Pattern[str]], ...] = (
    ("content_filter", CONTENT_FILTER),
    ("malformed", MALFORMED),
    ("unsupported", UNSUPPORTED),
    ("overflow", OVERFLOW),
    ("auth", AUTH),
    ("not_found", NOT_FOUND),
    ("timeout", TIMEOUT),
    ("cut", CUT),
    ("server", SERVER),
    ("malformed", TEMPLATE),
)
"""Narrow kinds first: "does not support image input" must not be read as a model that is not supported."""

NEVER_OVERFLOW = (403, 429)

QUOTED_REFUSAL = re.compile(r"(status|error)( code)?:? 4\d\d\b|\b400 Bad Request", re.IGNORECASE)
"""A gateway's message about a request that its provider has refused."""

WRAPPING = re.compile(
    r"litellm\.\w+:|\b\w+(Exception|Error) -|(Received Model Group|Available Model Group\w*)=\S+|[\W_]"
)
"""What litellm's proxy adds to a message, also to an empty one, and what is no word."""

MAX_BODY = 50_000
"""Characters of a body that are read: the error comes first, and some servers quote the request after it."""

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
    """The meaning of an error.

    limit, observed: the tokens that the provider accepts and counted; 0 if it did not say. reply: how many of the
    observed tokens were requested for the reply.
    """

    kind: ErrorKind
    retry_after: float | None = None
    """Seconds."""
    limit: int = 0
    observed: int = 0
    reply: int = 0
    message: str = ""
    """The provider's own message."""


def classify(status: int, headers: Mapping[str, str], body_text: str) -> Classification:
    """Return the classification of an answer. status: 0 for an error inside a stream."""
    body = parse_body(body_text[:MAX_BODY])
    named = {name.lower(): value for name, value in headers.items()}
    if "x-amzn-errortype" in named:
        body = msgspec.structs.replace(body, codes=body.codes | {named["x-amzn-errortype"].split(":")[0].lower()})
    status = status if status >= 400 else body.status or status
    kind = _kind(status, body)
    limit, observed = tokens_in(body.text, body.numbers) if kind == "overflow" else (0, 0)
    if LONG_CONTEXT.search(body.text):
        limit = limit or LONG_CONTEXT_LIMIT
    waits = kind in ("rate_limit", "quota", "server", "loading", "timeout")
    retry_after = retry_after_of(headers, body.text, body.numbers) if waits else None
    reply = reply_tokens_in(body.text) if observed else 0
    return Classification(kind, retry_after, limit, observed, reply, body.message)


def _kind(status: int, body: ErrorBody) -> ErrorKind:
    if status in CERTAIN:
        return CERTAIN[status]
    if is_loading(status, body):
        return "loading"
    if _is_too_long_at_any_time(body):
        return "overflow"
    found = _about_money_or_rate(status, body) or _by_code(status, body) or _by_words(status, body)
    if found is not None:
        return found
    if body.is_page and status < 400:
        return "garbage"
    return _by_status(status, body)


def is_loading(status: int, body: ErrorBody) -> bool:
    """Return whether the server is loading the model, after which it answers."""
    may_be = status >= 500 or status in (0, 408, 409, 425)
    return may_be and bool(LOADING.search(body.text)) and not LOADING_FAILED.search(body.text)


def _is_too_long_at_any_time(body: ErrorBody) -> bool:
    """Return whether a refusal in the words of a rate limit is about this request alone, so that waiting never helps.

    Groq and OpenAI refuse a request that by itself exceeds the tokens per minute.
    """
    if LONG_CONTEXT.search(body.text):
        return True
    if not re.search(r"requested:? \d", body.text, re.IGNORECASE):
        return bool(MUST_BE_SHORTER.search(body.text))
    limit, observed = tokens_in(body.text, {}) if ALONE_TOO_LARGE.search(body.text) else (0, 0)
    return 0 < limit < observed


def _about_money_or_rate(status: int, body: ErrorBody) -> ErrorKind | None:
    """Return quota or rate limit; None if it is neither.

    Google has the message "You exceeded your current quota, please check your plan and billing details" for both; they
    differ in the name of the quota.
    """
    is_money = bool(CODES["quota"] & body.codes or QUOTA.search(body.text))
    is_rate = bool(CODES["rate_limit"] & body.codes or RATE_LIMIT.search(body.text))
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
        # llama.cpp has the code "server_error" for anything, and any wrong path is "not_found": the text says more.
        return _by_words(status, body) or kind if kind in ("server", "not_found", "unsupported") else kind
    return None


def _by_words(status: int, body: ErrorBody) -> ErrorKind | None:
    text = body.text
    for kind, pattern in WORDS:
        if pattern.search(text) and not (kind == "overflow" and status in NEVER_OVERFLOW):
            return kind
    if status not in NEVER_OVERFLOW and ANY_OVERFLOW.search(text) and not NOT_OF_THE_PROMPT.search(text):
        return "overflow"
    is_refusal = status < 500 or QUOTED_REFUSAL.search(text)
    return "malformed" if is_refusal and ANY_MALFORMED.search(text) else None


def _by_status(status: int, body: ErrorBody) -> ErrorKind:
    if status == 413 and (body.is_page or not WRAPPING.sub("", body.text)):
        return "overflow"  # Cerebras sends only the status, nginx a page
    if status in STATUSES:
        return STATUSES[status]
    return "server" if status >= 500 else "provider"
