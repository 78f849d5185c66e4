"""Conversations whose messages are linked as no program links them, in the shape of each program that links any."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

Links = list[tuple[str, str]]
"""Messages in the order in which they stand in the file, each with the one that it follows."""


def chain(count: int) -> Links:
    return [(f"m{n}", f"m{n - 1}" if n else "") for n in range(count)]


def circle(count: int) -> Links:
    return [(f"m{n}", f"m{(n - 1) % count}") for n in range(count)]


def fan(count: int) -> Links:
    return [("m0", ""), *((f"m{n}", "m0") for n in range(1, count))]


def comb(count: int) -> Links:
    """A chain in which each message has another version, which nobody answered."""
    return [link for n in range(count) for link in ((f"m{n}", f"m{n - 1}" if n else ""), (f"v{n}", f"m{n - 1}"))]


LINKS: dict[str, Callable[[int], Links]] = {
    "a chain": chain,
    "a chain that stands backwards": lambda count: chain(count)[::-1],
    "a circle": circle,
    "a circle behind a beginning": lambda count: [("a", ""), *circle(count), ("b", "m1")],
    "a message behind itself": lambda count: [("a", "a"), *chain(count), ("z", "z")],
    "a message behind what is not there": lambda count: [*chain(count), ("z", "nowhere")],
    "versions of one message": fan,
    "a version of each message": comb,
    "one id for all": lambda count: [("m", "m")] * count,
    "ids that we make": lambda count: [*chain(count), ("m0/1", "m0"), ("m0#1", "m0"), ("m0'", "m0"), ("system", "")],
    "ids with signs": lambda count: [*chain(count), ("imported\0m0", "m0"), ("\0", "m1"), ("rewind", "m1\0")],
}


def _text(number: int) -> str:
    return f"What is {number}?"


def _roles(first: str, second: str, number: int) -> str:
    return second if number % 2 else first


def chatgpt(links: Links) -> str:
    nodes = [{"parent": parent or None, "message": _of_chatgpt(number)} for number, (_, parent) in enumerate(links)]
    mapping = ",".join(f"{json.dumps(name)}:{json.dumps(node)}" for (name, _), node in zip(links, nodes, strict=True))
    return (
        f'[{{"title":"Tree","conversation_id":"c","current_node":{json.dumps(links[-1][0])},"mapping":{{{mapping}}}}}]'
    )


def _of_chatgpt(number: int) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [_text(number)]}
    return {"author": {"role": _roles("user", "assistant", number)}, "content": content, "create_time": 1e9 + number}


def claude(links: Links) -> str:
    said = [
        {
            "uuid": name,
            "parent_message_uuid": parent or "root",
            "sender": _roles("human", "assistant", number),
            "text": _text(number),
        }
        for number, (name, parent) in enumerate(links)
    ]
    return json.dumps([{"chat_messages": said, "uuid": "c", "name": "Tree"}])


def openwebui(links: Links) -> str:
    messages = ",".join(
        f"{json.dumps(name)}:"
        + json.dumps(
            {"id": name, "parentId": parent or None, "role": _roles("user", "assistant", n), "content": _text(n)}
        )
        for n, (name, parent) in enumerate(links)
    )
    history = f'{{"messages":{{{messages}}},"currentId":{json.dumps(links[-1][0])}}}'
    return f'[{{"chat":{{"history":{history},"models":[]}},"id":"c","title":"Tree"}}]'


def librechat(links: Links) -> str:
    said = [
        {"messageId": name, "parentMessageId": parent or None, "isCreatedByUser": not n % 2, "text": _text(n)}
        for n, (name, parent) in enumerate(links)
    ]
    return json.dumps({"conversationId": "c", "exportAt": "x", "title": "Tree", "messages": said})


def claude_code(links: Links) -> str:
    return "\n".join(_lines_of_claude_code(links))


def _lines_of_claude_code(links: Links) -> Iterator[str]:
    for number, (name, parent) in enumerate(links):
        role = _roles("user", "assistant", number)
        message = {"role": role, "content": _text(number), "id": f"r{number}"}
        yield json.dumps(
            {
                "type": role,
                "sessionId": "c",
                "isSidechain": False,
                "uuid": name,
                "parentUuid": parent or None,
                "message": message,
            }
        )


SHAPES: dict[str, tuple[str, Callable[[Links], str]]] = {
    "chatgpt": ("conversations.json", chatgpt),
    "claude": ("conversations.json", claude),
    "openwebui": ("chats.json", openwebui),
    "librechat": ("chat.json", librechat),
    "claude_code": ("c.jsonl", claude_code),
}
"""The name of a file, and how it is written."""
