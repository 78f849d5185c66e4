"""How Claude is asked to think, and which of its thoughts go back to it. Pure but for litellm's tables.

Newer models decide themselves how much they think, and are told an effort. Earlier ones get a budget out of the tokens
of the reply; they refuse a running turn whose calls do not begin with thoughts, and thoughts in it unless they think.
(https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from desktop_app.conversation.openai_chat import Json

BLOCKS = "thinking_blocks"
"""litellm's name of the signed thoughts of a message."""
MIN_BUDGET = 1_024
"""Tokens; the API refuses less."""
NOT_WITH_THINKING = ("temperature", "top_p", "reasoning_effort")
"""Fields that are refused while Claude thinks, and the one that stands for a budget here."""


def with_thinking(litellm: Any, name: str, request: Json) -> Json:
    """Return the request as Claude takes it. litellm: the library itself.

    Its `reasoning_effort`, if there is one, becomes a budget for a model that needs one. It is left out where it would
    be refused: the reply is too short, or the turn began without thoughts, since it was set in the middle of it.
    """
    effort = request.get("reasoning_effort", "")
    thinking = litellm.AnthropicConfig.map_reasoning_effort(effort or "low", name, "anthropic")
    if thinking["type"] == "adaptive":
        unwanted = NOT_WITH_THINKING[:2] if effort else ()
        return {field: value for field, value in request.items() if field not in unwanted}
    budget = min(thinking["budget_tokens"], request["max_tokens"] // 2)  # at least as much is left for the answer
    running = list(_running_replies(request["messages"]))
    if effort and budget >= MIN_BUDGET and (not running or running[0].get(BLOCKS)):
        kept = {field: value for field, value in request.items() if field not in NOT_WITH_THINKING}
        return kept | {"thinking": {"type": "enabled", "budget_tokens": budget}}
    return _without_thinking(request, running)


def _running_replies(messages: list[Json]) -> Iterator[Json]:
    """Return the replies of the turn under way."""
    last = max((index for index, message in enumerate(messages) if message["role"] == "user"), default=-1)
    return (message for message in messages[last + 1 :] if message["role"] == "assistant")


def _without_thinking(request: Json, running: list[Json]) -> Json:
    """Return the request without an effort, and without the thoughts of the turn under way."""
    messages = [
        {field: value for field, value in message.items() if field != BLOCKS}
        if any(message is one for one in running)
        else message
        for message in request["messages"]
    ]
    return {field: value for field, value in request.items() if field != "reasoning_effort"} | {"messages": messages}
