"""Mask secrets in a text before it is sent to a model that only summarizes."""

from __future__ import annotations

import re

MASK = "[secret]"

_WHOLE = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic, Stripe
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"  # AWS
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}"  # Slack
    r"|\bAIza[0-9A-Za-z_-]{30,}"  # Google
    r"|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",  # JSON web tokens
    re.DOTALL,
)
_AFTER = re.compile(r"(?i)\b(bearer[ \t]+|basic[ \t]+)([A-Za-z0-9+/_.~-]{16,}=*)")
_IN_ADDRESS = re.compile(r"(://[^\s/:@]{1,80}:)([^\s/@]{3,200})(?=@)")
_NAMED = re.compile(
    r"(?i)((?:pass(?:word|wd|phrase)|(?<![a-z])pwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token"
    r"|private[_-]?key)[\"']?[ \t]{0,3}(?:=|:)[ \t]{0,3}[\"']?)"
    r"(?!(?:str|string|none|null|true|false|bool|int|any|optional|undefined|required|bytes|text|secret)\b|[$<{\[(])"
    r"([^\s\"',;&)<]{6,})"
)
"""A name and its value. A type, a word such as "none", or a placeholder for a variable is not a secret; neither is a
call or an attribute, which `_value` does not change."""
_CODE = re.compile(r"[A-Za-z_][\w.]*[(\[]|(?:os|process|self|settings|config|env|request|args)\.\S*")


_SIGNS = (
    *("PRIVATE KEY", "sk-", "sk_", "rk-", "rk_", "pk-", "pk_", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    *("github_pat_", "glpat-", "xox", "AIza", "hf_", "npm_", "eyJ"),
)
_WORDS = ("pass", "pwd", "secret", "key", "token")
"""Matches of the first and the last pattern contain one of these: the patterns are slow, and few texts match."""


def mask_secrets(text: str) -> str:
    """Return the text with keys, tokens, passwords and private keys replaced by `MASK`."""
    if any(sign in text for sign in _SIGNS):
        text = _WHOLE.sub(MASK, text)
    lowered = text.lower()
    if "bearer" in lowered or "basic" in lowered:
        text = _AFTER.sub(rf"\1{MASK}", text)
    if "://" in text:
        text = _IN_ADDRESS.sub(rf"\1{MASK}", text)
    return _NAMED.sub(_value, text) if any(word in lowered for word in _WORDS) else text


def _value(match: re.Match[str]) -> str:
    return match[0] if _CODE.match(match[2]) else match[1] + MASK
