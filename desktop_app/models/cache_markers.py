"""Where Anthropic is told to keep what it has read of a prompt: four markers at most, so that every request reads what
the one before it wrote.

A prompt is read in the order tools, system, messages; a marker keeps all that stands before it. One goes behind the
tools and one behind the system prompt, since those outlive every compaction. One goes to the end, where this request
writes; and one to where the request before this one ended, since Anthropic looks for what it kept only 20 blocks back
from a marker, and a round of many parallel calls is longer than that.

What is asked but once, such as a summary, is not marked, since to write it costs a quarter more: it has no tools and
no reply yet.
(https://docs.claude.com/en/docs/build-with-claude/prompt-caching)
"""

from __future__ import annotations

from desktop_app.conversation.openai_chat import Json

MARKER: Json = {"type": "ephemeral"}


def mark(chat: list[Json], tools: list[Json]) -> tuple[list[Json], list[Json]]:
    """The messages and the tools, in OpenAI's shape, with markers on some of them; the given ones stay as they are."""
    if not tools and not any(message["role"] == "assistant" for message in chat):
        return chat, tools
    places = {_end_of_previous(chat), len(chat) - 1}
    if chat and chat[0]["role"] == "system":
        places.add(0)
    marked = [_marked(message) if place in places else message for place, message in enumerate(chat)]
    return marked, [*tools[:-1], tools[-1] | {"cache_control": MARKER}] if tools else []


def _end_of_previous(chat: list[Json]) -> int:
    """Where the request before this one ended: before the newest reply. -1 where there was none."""
    newest = next((place for place in range(len(chat) - 1, -1, -1) if chat[place]["role"] == "assistant"), 0)
    return newest - 1


def _marked(message: Json) -> Json:
    content = message["content"]
    if isinstance(content, list) and content:
        return message | {"content": [*content[:-1], content[-1] | {"cache_control": MARKER}]}
    if message["role"] == "tool":
        return message | {"cache_control": MARKER}  # on the result as a whole, not on the text in it
    return message | {"content": [{"type": "text", "text": content, "cache_control": MARKER}]}
