"""Request thinking from Claude, and decide which of its thoughts are returned. Pure except for litellm's tables.

Newer models decide themselves how much they think, given an effort. Earlier ones get a budget, which is part of the
reply's tokens; while they think, they refuse a running turn whose calls do not begin with thoughts, and otherwise one
with thoughts.
(https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from desktop_app.conversation.openai_chat import Json

BLOCKS = "thinking_blocks"
"""litellm's field for the signed thoughts of a message."""
MIN_BUDGET = 1_024
"""Tokens; the API refuses less."""
NOT_WITH_THINKING = ("temperature", "top_p", "reasoning_effort")
"""Fields that are refused while Claude thinks, and the one that a budget replaces."""


def with_thinking(litellm: Any, name: str, request: Json) -> Json:
    """Return the request in the form that Claude accepts. litellm: the library itself.

    For a model that needs a budget, `reasoning_effort`, if set, is converted to one. It is left out if it would be
    refused, because the reply is too short, or the turn began without thoughts (the effort was set later).
    """
    effort = request.get("reasoning_effort", "")
    thinking = litellm.AnthropicConfig.map_reasoning_effort(effort or "low", name, "anthropic")
    if thinking["type"] == "adaptive":
        unwanted = NOT_WITH_THINKING[:2] if effort else ()
        return {field: value for field, value in request.items() if field not in unwanted}
    budget = min(thinking["budget_tokens"], request["max_tokens"] // 2)  # at least half is left for the answer
    running = list(_running_replies(request["messages"]))
    if effort and budget >= MIN_BUDGET and (not running or running[0].get(BLOCKS)):
        kept = {field: value for field, value in request.items() if field not in NOT_WITH_THINKING}
        return kept | {"thinking": {"type": "enabled", "budget_tokens": budget}}
    return _without_thinking(request, running)


def _running_replies(messages: list[Json]) -> Iterator[Json]:
    """Return the replies of the running turn."""
    last = max((index for index, message in enumerate(messages) if message["role"] == "user"), default=-1)
    return (message for message in messages[last + 1 :] if message["role"] == "assistant")


def _without_thinking(request: Json, running: list[Json]) -> Json:
    """Return the request without an effort, and without the thoughts of the running turn."""
    messages = [
        {field: value for field, value in message.items() if field != BLOCKS}
        if any(message is reply for reply in running)
        else message
        for message in request["messages"]
    ]
    return {field: value for field, value in request.items() if field != "reasoning_effort"} | {"messages": messages}
