"""P6: a very old result becomes one line that names what it was, and its first error."""

from __future__ import annotations

import re

from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.message import ToolCall, ToolResult

NAME = "hard_clear"
PREFIX = "[Old result cleared: "
ARGUMENTS_MOST = 120
ERROR_MOST = 200
ERROR_LINE = re.compile(
    r"^.*(?:\b\w*(?:Error|Exception)\b|\b(?:error|fatal|failed|failure|denied|not found|traceback)\b).*$",
    re.MULTILINE | re.IGNORECASE,
)


def shortened(result: ToolResult, call: ToolCall | None, tokens: int, age: int, policy: ContextPolicy) -> str | None:
    """The placeholder, or None if the result is too young or cleared already. `tokens` is the size that it names."""
    if age <= policy.hard_clear_age or result.text.startswith(PREFIX):
        return None
    arguments = _clipped(call.arguments, ARGUMENTS_MOST) if call and call.arguments not in ("", "{}") else ""
    what = f"{result.name} {arguments}".rstrip()
    placeholder = f"{PREFIX}{what} · {tokens:,} tokens · archived in full; run it again if you need it]"
    error = ERROR_LINE.search(result.text)
    return f"{placeholder}\n{_clipped(error.group().strip(), ERROR_MOST)}" if error else placeholder


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
