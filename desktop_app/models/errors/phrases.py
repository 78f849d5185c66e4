"""Phrases of providers' error messages by kind, collected from documentation and issue threads.

tests/models/errors/vectors holds the whole bodies, each with its source. A phrase is here if it was seen for that kind
and cannot mean another one; ambiguous words ("tokens", "limit", "quota") are never enough by themselves.
"""

from __future__ import annotations

import re


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


OVERFLOW = _any(
    r"context[_ ]length[_ ]exceeded",
    r"ContextWindowExceeded",
    r"maximum context length",
    r"maximum (prompt|model) length (is|of) \d",
    r"(prompt|input|request|conversation|messages?)( \([^)]{0,40}\))?( is| are| was)? too (long|large)",
    r"exceeds? (the |its |this model's )?(available |maximum )?(context|input|prompt) (size|window|length|limit)",
    r"context (size|window|length|limit)[^.]{0,40}exceed",
    r"exceeds? (the )?max(imum)? (context |input |prompt )?length",
    r"exceed[^.]{0,60}context (size|window|length|limit)",
    r"reached context length of",
    r"keep the first \d+ tokens",
    r"n_keep \(\d+\) >= n_ctx",
    r"max length exceeded, max length",
    r"reduce (the length of (the |your )?(messages|prompt|input)|your prompt)",
    r"`?inputs`? (tokens \+|must have less than)",
    r"range of input length should be",
    r"max_tokens must be at least 1, got -",
    r"expected maxLength: \d+, actual: \d+",
    r"request (entity|payload|body)? ?too large",
    r"payload too large",
    r"request exceeds the maximum (allowed )?(size|number of bytes)",
    r"(does|do) not fit (in|into) the (context|window)",
    r"token limit exceeded",
    r"上下文(长度|窗口)?(过长|超出|超过)",
    r"(输入|请求|提示词?)(内容)?(过长|超长)",
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
    r"\btimes?\b|seconds|per (min|minute|second|hour|day)|concurren|temperature|top_p|\btools\b|stop sequences",
)
ANY_OVERFLOW = _any(
    rf"\b{A_LENGTH}\b[^.\n]{{0,90}}\b{TOO_MUCH}",
    rf"\b(max_\w*tokens|\w*_tokens|prompt_tokens|seq_len\w*)\b[^.\n]{{0,40}}{TOO_MUCH} [^.\n]{{0,20}}(max|limit|seq)",
    r"too many (input |prompt )?tokens",
)
"""A length above its maximum, in words that were not collected. Tried last, and only where NOT_OF_THE_PROMPT does not
match, since images, replies and rates have maxima, too."""

TEMPLATE = _any(r"jinja (exception|template)|(chat|prompt)[_ ]template|rendering prompt")
"""A local server's chat template refuses this history."""

QUOTA = _any(
    r"(credit balance|balance|credits?) (is|are) too low",
    r"insufficient[_ ](quota|balance|credits?|funds)",
    r"(requires|purchase|add|buy) more credits",
    r"used all (available|of your) credits",
    r"run out of credits",
    r"(monthly|daily|weekly|session|hourly) (spending limit|quota|usage limit|included credits)",
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
"""A refused part of the history, in words that were not collected. Tried after all other phrases."""

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

SERVER = _any(
    r"overloaded|over capacity|high traffic|currently (unavailable|busy)",
    r"internal (server )?error|server (had an )?error|bad gateway|service unavailable|temporarily unavailable",
    r"loading model|model is (still )?loading",
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
