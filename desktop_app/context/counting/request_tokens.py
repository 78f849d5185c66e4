"""Tokens that belong to no message of a request by itself: they depend on what else is in it."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.context.view.dialect import join_duplicate_calls, reasoning_to_return, sent_tools
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Message
from desktop_app.conversation.tools import ToolSpec

from .tokens import TokenCounts


def is_counted_message_by_message(counts: TokenCounts) -> bool:
    """Return whether nothing in that dialect depends on the whole request."""
    dialect = counts.dialect
    return not (dialect.returned_reasoning or dialect.joins_duplicate_calls or dialect.declares_called_tools)


def request_level_tokens(
    messages: Sequence[Message], tools: tuple[ToolSpec, ...], counts: TokenCounts
) -> dict[Segment, int]:
    """Return what a request of these assembled messages has beside the tokens of each, by segment: reasoning that goes
    back, declarations of tools that were called, and, less than nothing, duplicates of calls that are not sent."""
    dialect, tokens = counts.dialect, dict[Segment, int]()
    if dialect.returned_reasoning:
        returned = reasoning_to_return(messages, dialect.returned_reasoning)
        tokens[Segment.REASONING] = sum(counts.reasoning(text) for text in returned if text)
    if dialect.declares_called_tools and not tools:
        tokens[Segment.SCHEMAS] = counts.tools(sent_tools(messages, tools, dialect))
    if dialect.joins_duplicate_calls:
        several = [m for m in messages if len(m.tool_calls) > 1 or m.tool_result is not None]
        if any(message.tool_calls for message in several):
            _add_duplicates(tokens, several, counts)
    return {segment: count for segment, count in tokens.items() if count}


def _add_duplicates(tokens: dict[Segment, int], messages: Sequence[Message], counts: TokenCounts) -> None:
    for sign, counted in ((-1, messages), (1, join_duplicate_calls(messages))):
        for message in counted:
            for segment, count in counts.of(message).parts:
                tokens[segment] = tokens.get(segment, 0) + sign * count
