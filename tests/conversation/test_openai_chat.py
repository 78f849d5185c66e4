from __future__ import annotations

import json
from pathlib import Path

import pytest

from builders import model, user
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.openai_chat import BadChat, chat_of, messages_of, read_chat, read_jsonl


def read_one(**fields: object) -> Message:
    (message,) = messages_of([fields], str)
    return message


def test_roles_of_other_days_are_known() -> None:
    roles = ["system", "developer", "user", "assistant", "tool", "function"]
    messages = messages_of([{"role": role, "content": "x"} for role in roles], str)
    assert [m.role.value for m in messages] == ["system", "system", "user", "assistant", "tool", "tool"]
    assert [m.id for m in messages] == ["0", "1", "2", "3", "4", "5"]


def test_content_may_be_text_parts_or_nothing() -> None:
    assert read_one(role="user", content=None).parts == ()
    assert read_one(role="user", content="").parts == ()
    assert read_one(role="user", content=["a", {"type": "text", "text": "b"}]).parts == (Text("a"), Text("b"))
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    (part,) = read_one(role="user", content=[image]).parts
    assert isinstance(part, Attachment)
    assert (part.is_image, part.content) == (True, "data:image/png;base64,AA")
    (part,) = read_one(role="user", content=[{"type": "input_audio", "data": "ä"}]).parts
    assert part == Attachment("input_audio", "application/json", '{"type": "input_audio", "data": "ä"}')


def test_calls_keep_their_arguments_as_they_were_written() -> None:
    call = {"id": "c1", "function": {"name": "read", "arguments": '{"b":1,  "a":2}'}}
    assert read_one(role="assistant", content=None, tool_calls=[call]).tool_calls == (
        ToolCall("c1", "read", '{"b":1,  "a":2}'),
    )
    call = {"function": {"name": "read", "arguments": {"a": 1}}}
    assert read_one(role="assistant", tool_calls=[call]).tool_calls == (ToolCall("", "read", '{"a": 1}'),)


def test_a_result_is_named_after_its_own_name_or_its_call() -> None:
    chat = [
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "read", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "text"},
        {"role": "tool", "tool_call_id": "c1", "content": ["a", "b"], "name": "other"},
        {"role": "tool", "content": "whose?"},
    ]
    results = [message.tool_result for message in messages_of(chat, str)[1:]]
    assert results == [
        ToolResult("c1", "read", "text"),
        ToolResult("c1", "other", "a\nb"),
        ToolResult("", "tool", "whose?"),
    ]


def test_reasoning_is_read_and_not_sent_back() -> None:
    message = read_one(role="assistant", content="yes", reasoning_content="let me think")
    assert message.parts == (Reasoning("let me think"), Text("yes"))
    assert chat_of([message]) == [{"role": "assistant", "content": "yes"}]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"role": "chief", "content": "x"}, "the role “chief” is not one of system, developer, user"),
        ({"content": "x"}, "missing required field `role`"),
        ({"role": "user", "content": 3}, "$.content"),
        ({"role": "user", "content": [3]}, "$.content[0]"),
        ({"role": "assistant", "tool_calls": "x"}, "$.tool_calls"),
        ({"role": "assistant", "tool_calls": [{"id": "c"}]}, "missing required field `function`"),
        ({"role": "assistant", "tool_calls": ["c"]}, "$.tool_calls[0]"),
    ],
)
def test_what_is_no_message_is_refused_with_its_number(fields: dict[str, object], reason: str) -> None:
    with pytest.raises(BadChat, match=r"^line 2: ") as caught:
        messages_of([{"role": "user", "content": "good"}, fields], str)
    assert reason in caught.value.reason
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"", 0, "holds no messages"),
        (b"\n  \n", 0, "holds no messages"),
        (b'{"role": "user"}\n[1]', 2, "must be a JSON object"),
        (b'\n{"role": "user"', 2, "not JSON"),
        (b'"\xff\xfe"', 1, "not UTF-8"),
        (b"\x00\x01\x02\xff\xfe", 1, ""),
        (b"[" * 200_000, 1, "not JSON"),
        (b'{"content": ' + b"9" * 5_000 + b"}", 1, "not JSON"),
    ],
)
def test_what_is_no_json_lines_is_refused_with_its_line(content: bytes, line: int, reason: str) -> None:
    with pytest.raises(BadChat) as caught:
        read_jsonl(content)
    assert caught.value.line == line
    assert reason in caught.value.reason


def test_a_sample_conversation_survives_both_ways(samples: Path) -> None:
    for file in sorted(samples.glob("*.jsonl")):
        objects = read_jsonl(file.read_bytes())
        messages = messages_of(objects, str)
        again = messages_of(chat_of(messages), str)
        assert again == messages, file.name
        assert json.dumps(chat_of(messages))


def test_an_attached_file_is_sent_as_text_and_an_image_as_a_part() -> None:
    file = Attachment("notes.txt", "text/plain", "two\nlines")
    picture = Attachment("a.png", "image/png", "data:image/png;base64,AA")
    said = Text("look")
    assert chat_of([user(said, file)]) == [
        {"role": "user", "content": "look\n\n[notes.txt]\n```\ntwo\nlines\n```\nend of file"}
    ]
    (sent,) = chat_of([user(said, picture, file, speaker="anna")])
    assert sent["name"] == "anna"
    assert [part["type"] for part in sent["content"]] == ["text", "image_url", "text"]
    assert sent["content"][1]["image_url"] == {"url": "data:image/png;base64,AA"}


def test_calls_and_results_are_sent_with_their_ids() -> None:
    call = model(ToolCall("c1", "read", "{}"))
    result = Message(role=Role.TOOL, parts=(ToolResult("c1", "read", "text"),))
    assert chat_of([call, result]) == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c1", "name": "read", "content": "text"},
    ]


def test_the_shape_before_tool_calls_is_read_too() -> None:
    chat = [
        {"role": "assistant", "content": None, "function_call": {"name": "read", "arguments": '{"path": "a"}'}},
        {"role": "function", "name": "read", "content": "text"},
    ]
    asked, answered = messages_of(chat, str)
    assert [(call.name, call.arguments) for call in asked.tool_calls] == [("read", '{"path": "a"}')]
    assert answered.tool_result is not None
    assert answered.tool_result.call_id == asked.tool_calls[0].call_id == ""


def test_blank_lines_hold_no_messages_but_count_as_lines() -> None:
    good = b'\xef\xbb\xbf\n{"role": "user", "content": "one"}\r\n\r\n{"role": "user", "content": "two"}\n'
    assert [message.text for message in read_chat(good, str)] == ["one", "two"]
    with pytest.raises(BadChat) as caught:
        read_chat(good + b'\n\n{"role": "chief"}', str)
    assert caught.value.line == 7
