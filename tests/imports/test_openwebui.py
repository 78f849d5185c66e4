"""Open WebUI's export, in the shapes of older and newer versions."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest
from damage import check_damaged, entries_in, messages_in, only_conversation, read_file

from desktop_app.conversation.foreign import ForeignConversation, UnreadFile
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult, Usage

PICTURE = "data:image/png;base64,iVBORw0KGgo="


def said(name: str, parent: str | None, role: str, content: Any, **more: Any) -> tuple[str, dict[str, Any]]:
    message = {
        "id": name,
        "parentId": parent,
        "childrenIds": [],
        "role": role,
        "content": content,
        "timestamp": 1_700_000_000 + len(name),
    }
    return name, {**message, **({"model": "llama3.1:8b", "done": True} if role == "assistant" else {}), **more}


def chat(*messages: tuple[str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    history = {"messages": dict(messages), "currentId": more.pop("current", messages[-1][0] if messages else None)}
    return {
        "id": "c1",
        "user_id": "u1",
        "title": "Fish",
        "chat": {
            "title": "Fish",
            "models": ["llama3.1:8b"],
            "params": more.pop("params", {}),
            "history": history,
            "messages": [message for _, message in messages],
            "tags": ["water"],
        },
        "updated_at": 1_700_000_900,
        "created_at": 1_700_000_000,
        "archived": False,
        "pinned": False,
        "folder_id": None,
        **more,
    }


USAGE = {"prompt_tokens": 20, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 8}}
BRANCHED = chat(
    said("q", None, "user", "Which fish is blue?"),
    said("a1", "q", "assistant", "The tang.", usage=USAGE, annotation={"rating": 1}),
    said("a02", "q", "assistant", "The damsel", model="qwen3", done=False, info={"prompt_eval_count": 9}),
    said("t003", "a1", "user", "Thanks"),
    current="a02",
    params={"system": "You know fish.", "temperature": 0.2},
    pinned=True,
    archived=True,
    folder_id="f7",
)


def read(tmp_path: Path, export: object) -> ForeignConversation:
    (tmp_path / "chats.json").write_text(json.dumps(export))
    return only_conversation(read_file(tmp_path / "chats.json"))


def replied(tmp_path: Path, content: Any, **more: Any) -> list[Message]:
    """What becomes of one reply."""
    return messages_in(
        read(tmp_path, [chat(said("q", None, "user", "?"), said("a", "q", "assistant", content, **more))])
    )[1:]


@pytest.mark.parametrize("export", [[BRANCHED], BRANCHED], ids=["list", "alone"])
def test_a_chat_keeps_its_branches_times_models_and_what_has_no_place(tmp_path: Path, export: object) -> None:
    found = read(tmp_path, export)
    entries = {entry.id: entry for entry in entries_in(found)}
    stored = BRANCHED["chat"]["history"]["messages"]
    (system,) = set(entries) - set(stored)
    assert entries[system].message.text == "You know fish."
    assert entries[system].message.role is Role.SYSTEM
    for name, message in stored.items():
        assert entries[name].parent == (message["parentId"] or system)
        assert entries[name].message.text == message["content"]
        assert entries[name].message.role == message["role"]
        assert entries[name].message.at == message["timestamp"]
        assert entries[name].message.model == message.get("model", "")
    assert entries["a1"].message.usage == Usage(20, 5, 8)
    assert [entries[name].message.is_interrupted for name in ("a1", "a02")] == [False, True]
    assert (found.program, found.id, found.title, found.current) == ("Open WebUI", "c1", "Fish", "a02")
    assert (found.created_at, found.updated_at, found.messages) == (1_700_000_000, 1_700_000_900, 4)
    assert (found.is_pinned, found.is_put_away, found.model) == (True, True, "llama3.1:8b")
    rest = json.loads(found.rest)
    assert rest["folder_id"] == "f7"
    assert rest["chat"]["params"] == {"temperature": 0.2}
    assert rest["chat"]["tags"] == ["water"]
    assert rest["chat"]["history"]["messages"]["a1"] == {"annotation": {"rating": 1}}


def test_a_chat_without_what_the_server_knows_of_it_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, BRANCHED["chat"] | {"timestamp": 1_700_000_000_000})
    assert (found.title, found.messages, found.created_at) == ("Fish", 4, 1_700_000_000)


def test_an_old_chat_with_a_list_alone_is_read(tmp_path: Path) -> None:
    old = chat()
    old["chat"]["messages"] = [said("q", None, "user", "Hi")[1], said("a", "q", "assistant", "Hello")[1]]
    found = read(tmp_path, [old])
    assert [entry.parent for entry in found.entries] == ["", "q"]


def test_thoughts_in_the_text_are_reasoning(tmp_path: Path) -> None:
    content = (
        '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n'
        "&gt; Is 6 &lt; 7?\n&gt; \n&gt; Yes.\n</details>\nIt is."
    )
    (reply,) = replied(tmp_path, content)
    assert reply.parts == (Reasoning("Is 6 < 7?\n\nYes."), Text("It is."))


def test_calls_in_the_text_are_calls_with_their_results(tmp_path: Path) -> None:
    arguments = html.escape(json.dumps('{"city": "Oslo"}'))
    result = html.escape(json.dumps('rain "heavy"'))
    opening = f'<details type="tool_calls" done="true" id="c1" name="weather" arguments="{arguments}"'
    older = f'{opening} result="{result}" files="" embeds="">\n<summary>Tool Executed</summary>\n</details>\nWet.'
    newer = f"{opening}>\n<summary>Tool Executed</summary>\n{result}\n</details>\nWet."
    waiting = opening.replace("true", "false") + ">\n<summary>Executing...</summary>\n</details>\nWet."
    call = ToolCall("c1", "weather", '{"city": "Oslo"}')
    for content in (older, newer):
        parts = [message.parts for message in replied(tmp_path, content)]
        assert parts == [(call,), (ToolResult("c1", "weather", 'rain "heavy"'),), (Text("Wet."),)]
    assert [message.parts for message in replied(tmp_path, waiting)] == [(call, Text("Wet."))]


def test_several_calls_in_one_element_of_an_old_version_are_calls(tmp_path: Path) -> None:
    calls = [{"id": f"c{n}", "function": {"name": "roll", "arguments": f'{{"n":{n}}}'}} for n in (1, 2)]
    results = [{"tool_call_id": f"c{n}", "content": f"{n * 3}"} for n in (1, 2)]
    content = (
        f'<details type="tool_calls" done="true" content="{html.escape(json.dumps(calls))}" '
        f'results="{html.escape(json.dumps(results))}">\n<summary>Tool Executed</summary>\n> roll: 3\n</details>\nDone.'
    )
    asked, one, two, after = replied(tmp_path, content)
    assert asked.parts == (ToolCall("c1", "roll", '{"n":1}'), ToolCall("c2", "roll", '{"n":2}'))
    assert (one.parts, two.parts) == ((ToolResult("c1", "roll", "3"),), (ToolResult("c2", "roll", "6"),))
    assert after.parts == (Text("Done."),)


def test_code_that_was_run_is_a_call(tmp_path: Path) -> None:
    output = html.escape(json.dumps({"stdout": "42"}))
    content = (
        f'<details type="code_interpreter" done="true" output="{output}">\n<summary>Analyzed</summary>\n'
        "```python\nprint(6 * 7)\n```\n</details>\nIt is 42."
    )
    call, result, after = replied(tmp_path, content)
    assert call.parts == (ToolCall("", "code_interpreter", '{"code": "print(6 * 7)"}'),)
    assert result.parts == (ToolResult("", "code_interpreter", '{"stdout": "42"}'),)
    assert after.parts == (Text("It is 42."),)


def test_details_of_another_kind_are_text(tmp_path: Path) -> None:
    content = '<details><summary>More</summary>x</details>\n<details type="tool_calls" done="true">y</details>'
    (reply,) = replied(tmp_path, content)
    assert "".join(part.text for part in reply.parts if isinstance(part, Text)) == content.replace("\n", "")


OUTPUT = [
    {"type": "reasoning", "id": "r", "status": "completed", "content": [{"type": "output_text", "text": "Hm."}]},
    {"type": "function_call", "id": "f", "call_id": "c1", "name": "weather", "arguments": '{"city":"Oslo"}'},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "rain"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is\nwet."}]},
]
DISPLAYED = (
    '<details type="reasoning" done="true"><summary>Thought</summary>&gt; Hm.</details>'
    '<details type="tool_calls"><summary>Tool Executed</summary>"rain"</details>It is wet.'
)


def test_the_output_of_a_newer_version_is_read(tmp_path: Path) -> None:
    call, result, after = replied(tmp_path, DISPLAYED, output=OUTPUT)
    assert call.parts == (Reasoning("Hm."), ToolCall("c1", "weather", '{"city":"Oslo"}'))
    assert result.parts == (ToolResult("c1", "weather", "rain"),)
    assert after.parts == (Text("It is\nwet."),)


def test_a_text_that_the_user_changed_is_what_was_said(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        [chat(said("q", None, "user", "?"), said("a", "q", "assistant", "It is dry.", output=OUTPUT))],
    )
    assert messages_in(found)[1].parts == (Text("It is dry."),)
    assert json.loads(found.rest)["chat"]["history"]["messages"]["a"]["output"] == OUTPUT, "the model's words are kept"


def test_images_and_files_come_along(tmp_path: Path) -> None:
    files = [
        {"type": "image", "url": PICTURE},
        {
            "type": "file",
            "name": "a.md",
            "file": {"data": {"content": "# A"}, "meta": {"content_type": "text/markdown"}},
        },
        {"type": "image", "name": "b.png", "url": "/api/v1/files/7/content"},
    ]
    found = read(tmp_path, [chat(said("q", None, "user", "What is this?", files=files))])
    (message,) = messages_in(found)
    assert message.parts == (
        Text("What is this?"),
        Attachment("image", "image/png", PICTURE),
        Attachment("a.md", "text/markdown", "# A"),
        Attachment("b.png", "image/png", "", about="not in the export"),
    )


def test_an_error_is_what_was_said(tmp_path: Path) -> None:
    (reply,) = replied(tmp_path, "", error={"content": "Model not found"})
    assert reply.parts == (Text("Model not found"),)
    assert reply.is_interrupted


def test_a_chat_without_messages_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "chats.json").write_text(json.dumps([BRANCHED, chat(title="Nothing")]))
    good, empty = read_file(tmp_path / "chats.json")
    assert isinstance(good, ForeignConversation)
    assert empty == UnreadFile("chats.json", "it has no messages", "Nothing")


def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    other = chat(
        said("q", None, "user", "?"), said("a", "q", "assistant", DISPLAYED, output=OUTPUT, files=[{"url": "x"}])
    )
    assert check_damaged(tmp_path / "damaged.json", json.dumps([BRANCHED, other]).encode()) > 10


def test_an_element_that_never_ends_takes_no_time_and_is_text(tmp_path: Path) -> None:
    (reply,) = replied(tmp_path, '<details type="reasoning" a="b"\n' * 20_000)
    assert len(reply.parts) == 1
