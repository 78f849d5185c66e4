"""OpenAI's chat shape: lines, lists and requests; conversations without ids are known by their contents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from damage import check_damaged, messages_in, only_conversation, only_unread, read_file

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage, UnreadFile
from desktop_app.conversation.message import Role, ToolCall

CALL = {"id": "1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}}
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Read a.", "timestamp": "2025-03-01T10:00:00Z", "mood": "calm"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "1", "content": "class Ledger"},
    {"role": "assistant", "content": "It holds a ledger."},
]


def written(path: Path, content: str) -> list[ForeignConversation | UnreadFile]:
    path.write_text(content)
    return read_file(path)


def lines(messages: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, messages))


@pytest.mark.parametrize(
    "content",
    [lines(CHAT), json.dumps(CHAT, indent=1), json.dumps({"messages": CHAT}), json.dumps([{"messages": CHAT}])],
    ids=["lines", "list", "request", "list of requests"],
)
def test_each_shape_gives_the_same_messages(tmp_path: Path, content: str) -> None:
    found = only_conversation(written(tmp_path / "a.json", content))
    messages = messages_in(found)
    assert [message.role for message in messages] == [
        Role.SYSTEM,
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
        Role.ASSISTANT,
    ]
    assert messages[2].parts == (ToolCall("1", "read", '{"path":"a"}'),)
    assert messages[1].at == 1_740_823_200.0
    assert (found.title, found.messages) == ("Read a.", 4)
    assert '"mood":"calm"' in found.rest


def test_a_file_that_has_grown_is_the_same_conversation_with_more(tmp_path: Path) -> None:
    (before,) = written(tmp_path / "a.jsonl", lines(CHAT))
    (after,) = written(tmp_path / "b.jsonl", lines([*CHAT, {"role": "user", "content": "Thanks"}]))
    (other,) = written(tmp_path / "c.jsonl", lines([CHAT[1]]))
    assert isinstance(before, ForeignConversation)
    assert isinstance(after, ForeignConversation)
    assert isinstance(other, ForeignConversation)
    assert before.id == after.id != other.id
    assert [entry.id for entry in after.entries][:-1] == [entry.id for entry in before.entries]


def test_equal_messages_are_two(tmp_path: Path) -> None:
    again = {"role": "user", "content": "Go on"}
    found = only_conversation(written(tmp_path / "a.jsonl", lines([again, CHAT[4], again, CHAT[4]])))
    assert len({entry.id for entry in found.entries}) == 4


def test_a_request_a_line_is_a_conversation_a_line(tmp_path: Path) -> None:
    found = written(tmp_path / "a.jsonl", "\n".join(json.dumps({"messages": CHAT[n:]}) for n in range(3)))
    assert [each.messages for each in found if isinstance(each, ForeignConversation)] == [4, 4, 3]


def test_the_line_with_the_fault_is_named(tmp_path: Path) -> None:
    found = only_unread(written(tmp_path / "a.jsonl", lines(CHAT) + '\n\n{"role": "chief"}'))
    assert found.reason.startswith("line 7 cannot be read: the role “chief”")


@pytest.mark.parametrize("content", [lines(CHAT), json.dumps({"messages": CHAT})], ids=["lines", "request"])
def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path, content: str) -> None:
    assert check_damaged(tmp_path / "damaged.jsonl", content.encode()) > 10


def test_a_nought_that_has_no_place_is_kept(tmp_path: Path) -> None:
    found = only_conversation(written(tmp_path / "a.jsonl", lines([CHAT[1], CHAT[4] | {"weight": 0, "flags": []}])))
    assert '"weight":0' in found.rest
    assert "flags" not in found.rest


@pytest.mark.parametrize("said", [{"refusal": "No."}, {"content": [{"type": "refusal", "refusal": "No."}]}])
def test_a_refusal_is_what_was_said(tmp_path: Path, said: dict[str, Any]) -> None:
    reply = {"role": "assistant", "content": None, **said}
    found = only_conversation(written(tmp_path / "a.jsonl", lines([CHAT[1], reply])))
    entry = found.entries[-1]
    assert isinstance(entry, ForeignMessage)
    assert entry.message.text == "No."
    assert "refusal" not in found.rest
