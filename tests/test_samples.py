"""The sample conversations can be imported, and hold what their README says that they are for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.openai_chat import chat_of, messages_of, read_jsonl

NAMES = ["migration.jsonl", "interview.jsonl"]


def messages_in(file: Path) -> list[Message]:
    return messages_of(read_jsonl(file.read_bytes()), str)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_reads_and_writes_as_the_same_chat(samples: Path, name: str) -> None:
    objects = read_jsonl((samples / name).read_bytes())
    again = chat_of(messages_of(objects, str))
    assert [(m["role"], m["content"]) for m in again] == [(m["role"], m["content"]) for m in objects]


@pytest.mark.parametrize("name", NAMES)
def test_each_call_is_followed_by_its_results(samples: Path, name: str) -> None:
    waiting: list[str] = []
    for message in messages_in(samples / name):
        result = message.tool_result
        if result is None:
            assert not waiting, f"message {message.id} comes before the results of {waiting}"
            waiting = [call.call_id for call in message.tool_calls]
            for call in message.tool_calls:
                json.loads(call.arguments)
        else:
            assert waiting.pop(0) == result.call_id
    assert not waiting


def test_the_migration_has_something_for_every_layer(samples: Path) -> None:
    messages = messages_in(samples / "migration.jsonl")
    assert len(messages) >= 120
    assert messages[0].role is Role.SYSTEM
    assert "Never touch `vendor/`" in messages[1].text
    results = [message.text for message in messages if message.tool_result]
    assert len(results) > len(set(results)), "no exact repeat to prune"
    assert any(len(text) > 4_000 for text in results), "no result long enough for the soft trim"
    assert any("Traceback" in text for text in results), "no error"


def test_the_interview_has_no_tools(samples: Path) -> None:
    messages = messages_in(samples / "interview.jsonl")
    assert {message.role for message in messages} == {Role.USER, Role.ASSISTANT}
