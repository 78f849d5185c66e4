"""P4: an old, long result keeps its beginning and its end."""

from __future__ import annotations

from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.message import ToolCall, ToolResult

NAME = "soft_trim"


def shortened(result: ToolResult, call: ToolCall | None, tokens: int, age: int, policy: ContextPolicy) -> str | None:
    """The result as it will be sent, or None if it is too young or too short. `age` counts later assistant messages."""
    text = result.text
    kept = policy.soft_trim_head + policy.soft_trim_tail
    if age <= policy.soft_trim_age or len(text) <= max(policy.soft_trim_above, kept):
        return None
    left_out = len(text) - kept
    marker = f"\n\n[… {left_out:,} characters left out to save room; the full result is archived …]\n\n"
    return text[: policy.soft_trim_head] + marker + text[len(text) - policy.soft_trim_tail :]
