"""Another program's file is said to be one: known by what is in it, whatever its name and its layout are."""

from __future__ import annotations

import json

import pytest

from desktop_app.conversation.foreign import kind_of_file
from desktop_app.conversation.openai_chat import BadChat, read_chat, read_jsonl

NODE = {"id": "a", "parent": None, "children": [], "message": {"author": {"role": "user"}}}
CHATGPT = {"title": "One", "mapping": {"a": NODE}, "current_node": "a"}
CLAUDE = {"uuid": "u", "name": "One", "chat_messages": [{"sender": "human", "text": "Hello"}]}
MESSAGE = {"role": "user", "content": "Hello"}
FILES: dict[str, tuple[bytes, str]] = {
    "chatgpt, as it comes": (json.dumps([CHATGPT, CHATGPT], indent=2).encode(), "ChatGPT, with 2 conversations"),
    "chatgpt, one line": (json.dumps([CHATGPT]).encode(), "ChatGPT, with 1 conversation"),
    "chatgpt, one conversation": (json.dumps(CHATGPT).encode(), "ChatGPT"),
    "chatgpt, a line each": (b"\n".join([json.dumps(CHATGPT).encode()] * 2), "ChatGPT"),
    "chatgpt, with a byte order mark": (b"\xef\xbb\xbf" + json.dumps([CHATGPT]).encode(), "ChatGPT"),
    "claude": (json.dumps([CLAUDE], indent=1).encode(), "Claude, with 1 conversation"),
    "claude, named": (json.dumps({"conversations": [CLAUDE]}).encode(), "Claude"),
    "claude code": (json.dumps({"type": "user", "sessionId": "s", "message": MESSAGE}).encode(), "Claude Code"),
    "gemini": (json.dumps([{"header": "Gemini Apps", "title": "Prompted Hi"}]).encode(), "Gemini"),
    "a request": (json.dumps({"model": "m", "messages": [MESSAGE]}).encode(), "lists of messages"),
    "a list": (json.dumps([MESSAGE, MESSAGE]).encode(), "one JSON list"),
    "a zip": (b"PK\x03\x04" + bytes(30), "ZIP"),
    "a page": (b"\n<!DOCTYPE html><html>", "web page"),
    "a database": (b"SQLite format 3\x00", "SQLite"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_program_is_named_with_what_can_be_read(name: str) -> None:
    content, words = FILES[name]
    for read in (lambda: read_chat(content, str), lambda: (read_jsonl(content), read_chat(content, str))):
        with pytest.raises(BadChat) as caught:
            read()
        assert words in caught.value.reason
        assert "JSON Lines" in caught.value.reason
        assert caught.value.line == 0, "it is about the whole file"


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"[", b'{"role": "user"}', b'{"role": "user", "content": "x"}\n{"role": 3}', b"[" * 100_000, b"7"],
)
def test_what_nobody_knows_is_left_to_the_reader(content: bytes) -> None:
    assert kind_of_file(content) == ""


def test_a_fault_in_a_file_of_messages_still_names_its_line() -> None:
    with pytest.raises(BadChat) as caught:
        read_chat(b'{"role": "user", "content": "x"}\n{"role": "chief"}', str)
    assert caught.value.line == 2
    assert "chief" in caught.value.reason
