"""LibreChat's export: a list with parents or a tree of children, as in exports of 2024 and in version 0.8."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from damage import check_damaged, entries_in, messages_in, only_conversation, only_unread, read_file

from desktop_app.conversation.foreign import ForeignConversation
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult

NO_PARENT = "00000000-0000-0000-0000-000000000000"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def said(name: str, parent: str, text: str, second: int, **more: Any) -> dict[str, Any]:
    is_user = more.pop("is_user", False)
    return {
        "_id": f"66{name}",
        "messageId": name,
        "__v": 0,
        "conversationId": "lc1",
        "createdAt": f"2024-05-28T18:08:{second:02}.500Z",
        "error": False,
        "isCreatedByUser": is_user,
        "isEdited": False,
        "model": None if is_user else "gpt-4o",
        "parentMessageId": parent,
        "sender": "User" if is_user else "GPT-4",
        "text": text,
        "unfinished": False,
        "updatedAt": "2024-05-28T18:09:27.193Z",
        **more,
    }


MESSAGES = [
    said("q", NO_PARENT, "Name a blue fish.", 1, is_user=True, tokenCount=9),
    said("a", "q", "The tang.", 2, finish_reason="stop"),
    said("b", "q", "The damsel", 9, unfinished=True),
    said("t", "a", "Thanks", 4, is_user=True),
    said("other", NO_PARENT, "Name a red fish.", 12, is_user=True),
    said("r", "other", "The snapper", 13, model=None, finish_reason="incomplete"),
]


def exported(messages: list[dict[str, Any]], *, is_tree: bool = False) -> dict[str, Any]:
    return {
        "conversationId": "lc1",
        "endpoint": "openAI",
        "title": "Fish",
        "exportAt": "13:18:04 GMT-0400 (Eastern Daylight Time)",
        "branches": True,
        "recursive": is_tree,
        "options": {"model": "gpt-4o", "promptPrefix": "You know fish.", "temperature": 0.8, "endpoint": "openAI"},
        "messages": tree_of(messages) if is_tree else messages,
    }


def tree_of(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    nodes = {each["messageId"]: {**each, "children": []} for each in messages}
    for node in nodes.values():
        if node["parentMessageId"] in nodes:
            nodes[node["parentMessageId"]]["children"].append(node)
    return [node for node in nodes.values() if node["parentMessageId"] not in nodes]


def read(tmp_path: Path, export: dict[str, Any]) -> ForeignConversation:
    (tmp_path / "fish.json").write_text(json.dumps(export))
    return only_conversation(read_file(tmp_path / "fish.json"))


def replied(tmp_path: Path, **reply: Any) -> list[Message]:
    """What becomes of one reply."""
    asked = said("q", NO_PARENT, "What is 6 times 7?", 1, is_user=True)
    return messages_in(read(tmp_path, exported([asked, said("a", "q", reply.pop("text", ""), 2, **reply)])))[2:]


def test_a_list_keeps_its_branches_times_models_and_what_has_no_place(tmp_path: Path) -> None:
    found = read(tmp_path, exported(MESSAGES))
    entries = {entry.id: entry for entry in entries_in(found)}
    (system,) = (entry for entry in entries.values() if entry.message.role is Role.SYSTEM)
    assert system.message.text == "You know fish."
    for each in MESSAGES:
        entry = entries[each["messageId"]]
        parent = each["parentMessageId"]
        assert entry.parent == (system.id if parent == NO_PARENT else parent)
        assert entry.message.text == each["text"]
        assert entry.message.role is (Role.USER if each["isCreatedByUser"] else Role.ASSISTANT)
        assert entry.message.at == 1_716_919_680.5 + int(each["createdAt"][17:19])
    assert len(entries) == len(MESSAGES) + 1
    assert [entries[name].message.model for name in "qabr"] == ["", "gpt-4o", "gpt-4o", "GPT-4"]
    assert [entries[name].message.is_interrupted for name in "abr"] == [False, True, True]
    assert (found.program, found.id, found.title, found.model) == ("LibreChat", "lc1", "Fish", "gpt-4o")
    assert (found.created_at, found.messages) == (1_716_919_681.5, 6)
    rest = json.loads(found.rest)
    assert rest["options"] == {"temperature": 0.8}
    assert rest["messages"]["q"]["tokenCount"] == 9


def test_a_tree_is_the_same_as_its_list(tmp_path: Path) -> None:
    as_list, as_tree = read(tmp_path, exported(MESSAGES)), read(tmp_path, exported(MESSAGES, is_tree=True))
    assert as_tree.entries == as_list.entries
    assert json.loads(as_tree.rest) == json.loads(as_list.rest)


def test_an_older_tree_stands_under_another_name(tmp_path: Path) -> None:
    export = exported(MESSAGES, is_tree=True)
    export["messagesTree"] = export.pop("messages")
    assert read(tmp_path, export).entries == read(tmp_path, exported(MESSAGES)).entries


@pytest.mark.long
def test_a_long_tree_is_deep(tmp_path: Path) -> None:
    chain = [said(str(n), str(n - 1) if n else NO_PARENT, f"{n}", n % 60, is_user=n % 2 == 0) for n in range(3000)]
    text = ""
    for each in reversed(chain):
        text = json.dumps(each)[:-1] + f', "children": [{text}]}}'
    head = json.dumps(exported([]))
    (tmp_path / "deep.json").write_text(head.replace('"messages": []', f'"messages": [{text}]'))
    found = only_conversation(read_file(tmp_path / "deep.json"))
    assert found.messages == 3000


def test_parts_are_thoughts_calls_with_results_and_texts(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "multiply", "args": '{"a":6}', "output": "42", "type": "tool_call", "progress": 1}
    content = [
        {"type": "think", "think": "Let me multiply."},
        {"type": "text", "text": "One moment.", "tool_call_ids": ["c1"]},
        {"type": "tool_call", "tool_call": call},
        {"type": "text", "text": {"value": "It is 42.", "annotations": []}},
        {"type": "agent_update", "agent_update": {"agentId": "agent_x"}},
    ]
    before, result, after = replied(tmp_path, content=content, text="One moment. It is 42.")
    assert before.parts == (
        Reasoning("Let me multiply."),
        Text("One moment."),
        ToolCall("c1", "multiply", '{"a":6}'),
    )
    assert result.parts == (ToolResult("c1", "multiply", "42"),)
    assert after.parts == (Text("It is 42."),)
    assert [each.role for each in (before, result, after)] == [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert [each.model for each in (before, result, after)] == ["gpt-4o", "", "gpt-4o"]


def test_calls_of_an_assistant_of_openai_are_calls(tmp_path: Path) -> None:
    function = {"name": "multiply", "arguments": '{"a":6}', "output": None}
    code = {"input": "6 * 7", "outputs": [{"type": "logs", "logs": "42"}]}
    content = [
        {"type": "tool_call", "tool_call": {"id": "c1", "function": function, "type": "function"}},
        {"type": "tool_call", "tool_call": {"id": "c2", "code_interpreter": code, "type": "code_interpreter"}},
    ]
    calls, result = replied(tmp_path, content=content)
    assert calls.tool_calls == (
        ToolCall("c1", "multiply", '{"a":6}'),
        ToolCall("c2", "code_interpreter", '{"input": "6 * 7"}'),
    )
    assert result.tool_result == ToolResult("c2", "code_interpreter", '[{"type": "logs", "logs": "42"}]')


def test_what_follows_a_reply_with_calls_follows_its_last_message(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "multiply", "args": {"a": 6}, "output": "42", "type": "tool_call"}
    content = [{"type": "tool_call", "tool_call": call}, {"type": "text", "text": "It is 42."}]
    asked = said("q", NO_PARENT, "What is 6 times 7?", 1, is_user=True)
    thanks = said("t", "a", "Thanks", 3, is_user=True)
    found = read(tmp_path, exported([asked, said("a", "q", "", 2, content=content), thanks]))
    assert [entry.parent for entry in found.entries[1:]] == [found.entries[0].id, "q", "a", "a/1", "a/2"]
    assert messages_in(found)[2].tool_calls == (ToolCall("c1", "multiply", '{"a": 6}'),)


def test_thoughts_in_the_text_of_an_older_version_are_reasoning(tmp_path: Path) -> None:
    (reply,) = replied(tmp_path, text=":::thinking\nSix sevens.\n:::\n\nIt is 42.")
    assert reply.parts == (Reasoning("Six sevens."), Text("It is 42."))


def test_images_beside_the_export_and_in_it_come_along(tmp_path: Path) -> None:
    lying = {"file_id": "f1", "filename": "cat.png", "filepath": "/images/u1/f1__cat.png", "type": "image/png"}
    gone = {"file_id": "f2", "filename": "dog.png", "filepath": "/images/u1/f2__dog.png", "type": "image/png"}
    paper = {"file_id": "f3", "filename": "a.txt", "filepath": "/uploads/a.txt", "type": "text/plain", "text": "Hi"}
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "f1__cat.png").write_bytes(PNG)
    asked = said("q", NO_PARENT, "What are these?", 1, is_user=True, files=[lying, gone, paper])
    content = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]
    (tmp_path / "in" / "x.json").write_text(json.dumps(exported([asked, said("a", "q", "", 2, content=content)])))
    (found,) = (each for each in read_file(tmp_path / "in") if isinstance(each, ForeignConversation))
    _, question, reply = messages_in(found)
    _, cat, dog, text = question.parts
    assert isinstance(cat, Attachment)
    assert cat.content.startswith("data:image/png;base64,iVBORw0KGgo")
    assert dog == Attachment("dog.png", "application/octet-stream", "", about="not in the export")
    assert text == Attachment("a.txt", "text/plain", "Hi")
    assert reply.parts == (Attachment("image", "image/png", "data:image/png;base64,iVBORw0KGgo="),)


def test_one_without_messages_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text(json.dumps(exported([])))
    found = only_unread(read_file(tmp_path / "empty.json"))
    assert (found.title, found.reason) == ("Fish", "it has no messages")


def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "multiply", "args": "{}", "output": "42", "type": "tool_call"}
    content = [{"type": "think", "think": "Hm."}, {"type": "tool_call", "tool_call": call}]
    messages = [*MESSAGES, said("x", "t", "", 20, content=content, files=[{"filename": "a", "filepath": "/b"}])]
    for is_tree in (False, True):
        content = json.dumps(exported(messages, is_tree=is_tree)).encode()
        assert check_damaged(tmp_path / "damaged.json", content) > 10


def test_repeated_ids_and_circles_of_parents_lose_no_message(tmp_path: Path) -> None:
    circle = [said("a", "c", "1", 1), said("b", "a", "2", 2), said("c", "b", "3", 3), said("a", "a", "4", 4)]
    assert sorted(message.text for message in messages_in(read(tmp_path, exported(circle)))[1:]) == list("1234")
