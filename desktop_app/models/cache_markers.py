"""Anthropic's prompt caching: up to four markers, so that every request reads what the previous one wrote.

A prompt is read in the order tools, system, messages; a marker caches everything before it. One goes behind the tools
and one behind the system prompt, which outlive every compaction; one at the end of this request; and one where the
previous request ended, since Anthropic looks back only 20 blocks from a marker, and a round of many parallel calls is
longer than that. One-off requests such as summaries, which have no tools and no reply yet, are not marked: writing to
the cache costs a quarter more. (https://docs.claude.com/en/docs/build-with-claude/prompt-caching)
"""

from __future__ import annotations

from desktop_app.conversation.openai_chat import Json

MARKER: Json = {"type": "ephemeral"}


def with_cache_markers(chat: list[Json], tools: list[Json]) -> tuple[list[Json], list[Json]]:
    """Return copies of the messages and tools, in OpenAI's format, with markers on some of them."""
    if not tools and not any(message["role"] == "assistant" for message in chat):
        return chat, tools
    indexes = {_end_of_previous(chat), len(chat) - 1}
    if chat and chat[0]["role"] == "system":
        indexes.add(0)
    marked = [_with_marker(message) if index in indexes else message for index, message in enumerate(chat)]
    return marked, [*tools[:-1], tools[-1] | {"cache_control": MARKER}] if tools else []


def _end_of_previous(chat: list[Json]) -> int:
    """Return the index before the newest reply, where the previous request ended; -1 if there was none."""
    newest = next((index for index in range(len(chat) - 1, -1, -1) if chat[index]["role"] == "assistant"), 0)
    return newest - 1


def _with_marker(message: Json) -> Json:
    content = message["content"]
    if isinstance(content, list) and content:
        return message | {"content": [*content[:-1], content[-1] | {"cache_control": MARKER}]}
    if message["role"] == "tool":
        return message | {"cache_control": MARKER}  # on the result as a whole, not on the text in it
    return message | {"content": [{"type": "text", "text": content, "cache_control": MARKER}]}
