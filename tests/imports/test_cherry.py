"""Cherry Studio's backup, in the shape of backup versions 2 to 5."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from damage import check_damaged, entries_in, only_conversation, only_unread, read_file

from desktop_app.conversation.foreign import ForeignConversation, UnreadFile
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from texts import NOT_IN_BACKUP

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
Json = dict[str, Any]


class Backup:
    """A backup that is being made, as the program makes it."""

    def __init__(self, version: int = 5) -> None:
        self.version = version
        self.topics: list[Json] = []
        self.blocks: list[Json] = []
        self.names: list[Json] = []
        self.assistant: Json = {"name": "Diver", "prompt": "", "model": {"id": "gpt-4o", "provider": "openai"}}

    def topic(self, name: str, *messages: Json, **more: Any) -> None:
        topic_id = f"topic-{len(self.topics)}"
        self.topics.append({"id": topic_id, "messages": list(messages)})
        created = {"createdAt": "2025-05-01T10:00:00.000Z", "updatedAt": "2025-05-01T11:00:00.000Z"}
        self.names.append({"id": topic_id, "assistantId": "as", "name": name, "messages": [], **created, **more})

    def message(self, message_id: str, role: str, *blocks: Json, **more: Any) -> Json:
        """A message with its blocks, which stand in a table of their own."""
        names = [f"{message_id}-{number}" for number in range(len(blocks))]
        base = {"messageId": message_id, "status": "success", "createdAt": "2025-05-01T10:00:01.000Z"}
        self.blocks += [{"id": name, **base, **block} for name, block in zip(names, blocks, strict=True)]
        return {**said(message_id, role), "blocks": names, **more}

    @property
    def data(self) -> Json:
        slices = {
            "assistants": json.dumps({"assistants": [{"id": "as", "topics": self.names, **self.assistant}]}),
            "llm": json.dumps({"providers": []}),
            "_persist": '{"version":100,"rehydrated":true}',
        }
        return {
            "time": 1_746_100_000_000,
            "version": self.version,
            "localStorage": {"persist:cherry-studio": json.dumps(slices), "memory_currentUserId": "default-user"},
            "indexedDB": {"files": [], "topics": self.topics, "settings": [], "message_blocks": self.blocks},
        }

    def read(self, tmp_path: Path, **files: bytes) -> list[ForeignConversation | UnreadFile]:
        with zipfile.ZipFile(tmp_path / "cherry-studio.zip", "w") as archive:
            archive.writestr("data.json", json.dumps(self.data))
            for name, content in files.items():
                archive.writestr(f"Data/Files/{name}.png", content)
        return read_file(tmp_path / "cherry-studio.zip")

    def one(self, tmp_path: Path, **files: bytes) -> ForeignConversation:
        return only_conversation(self.read(tmp_path, **files))


def said(message_id: str, role: str, **more: Any) -> Json:
    base = {"id": message_id, "role": role, "assistantId": "as", "topicId": "topic-0", "status": "success"}
    return {**base, "createdAt": "2025-05-01T10:00:01.000Z", **more}


def text(content: str) -> Json:
    return {"type": "main_text", "content": content}


def tool(name: str, arguments: Json, answer: Any, status: str = "done") -> Json:
    about = {"id": f"{name}-f", "serverName": "files", "name": name, "type": "mcp", "inputSchema": {}}
    raw = {"id": "call_1", "toolCallId": "call_1", "tool": about, "arguments": arguments, "status": status}
    return {"type": "tool", "toolId": "call_1", "content": answer, "metadata": {"rawMcpToolResponse": raw}}


def model(name: str) -> Json:
    return {"id": name, "provider": "openai", "name": name.upper(), "group": "gpt"}


def full() -> Backup:
    """A topic in which two models answer twice, with a tool and reasoning."""
    backup = Backup()
    search = tool("search", {"for": "tang"}, {"content": [{"type": "text", "text": "12 hits"}], "isError": False})
    usage = {"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37}
    backup.topic(
        "Blue fish",
        backup.message("q", "user", text("Which fish is blue?"), mentions=[model("a"), model("b")]),
        backup.message("a1", "assistant", text("The damselfish."), askId="q", model=model("a"), useful=False),
        backup.message(
            "a2",
            "assistant",
            {"type": "thinking", "content": "Tang, surely.", "thinking_millsec": 900},
            search,
            text("The tang."),
            {"type": "citation", "response": {"source": "exa", "results": [{"url": "https://fish.example"}]}},
            askId="q",
            model=model("b"),
            useful=True,
            usage=usage,
            metrics={"completion_tokens": 7, "time_completion_millsec": 2500},
        ),
        backup.message("t", "user", text("Thanks"), createdAt="2025-05-01T10:05:00.000Z"),
        backup.message("w", "assistant", text("You are"), askId="t", model=model("b"), status="paused"),
        pinned=True,
    )
    return backup


def test_replies_to_one_question_are_versions_and_the_chosen_one_goes_on(tmp_path: Path) -> None:
    found = full().one(tmp_path)
    parents = {entry.id: entry.parent for entry in entries_in(found)}
    assert parents == {"q": "", "a1": "q", "a2": "q", "a2/1": "a2", "a2/2": "a2/1", "t": "a2/2", "w": "t"}
    assert found.current == "w"
    assert [found.title, found.section, found.is_pinned, found.model] == ["Blue fish", "Diver", True, "gpt-4o"]
    assert (found.created_at, found.updated_at) == (1_746_093_600.0, 1_746_097_200.0)
    assert found.id == "topic-0"


def test_without_a_choice_the_first_reply_goes_on(tmp_path: Path) -> None:
    backup = Backup()
    replies = [backup.message(name, "assistant", text(name), askId="q") for name in ("a1", "a2", "a3")]
    question = backup.message("q", "user", text("?"))
    backup.topic("Fish", question, *replies, backup.message("t", "user", text("Thanks")))
    found = backup.one(tmp_path)
    parents = {entry.id: entry.parent for entry in entries_in(found)}
    assert parents == {"q": "", "a1": "q", "a2": "q", "a3": "q", "t": "a1"}


def test_a_reply_with_tools_is_a_call_a_result_and_what_was_said_then(tmp_path: Path) -> None:
    by_id = {entry.id: entry.message for entry in entries_in(full().one(tmp_path))}
    assert by_id["a2"].parts == (Reasoning("Tang, surely."), ToolCall("call_1", "search", '{"for": "tang"}'))
    assert by_id["a2/1"].role is Role.TOOL
    assert by_id["a2/1"].parts == (ToolResult("call_1", "search", "12 hits"),)
    assert by_id["a2/2"].parts == (Text("The tang."),)
    assert [by_id["a2"].usage, by_id["a2/2"].usage, by_id["a2/2"].seconds] == [None, Usage(30, 7), 2.5]
    assert [by_id["a1"].model, by_id["a2"].model, by_id["a2/2"].model] == ["a", "b", "b"]
    assert [by_id["w"].is_interrupted, by_id["a2/2"].is_interrupted] == [True, False]
    assert by_id["t"].at == 1_746_093_900.0


def test_all_that_was_said_is_there(tmp_path: Path) -> None:
    backup = full()
    parts = [part for entry in entries_in(backup.one(tmp_path)) for part in entry.message.parts]
    by_type = {kind: [b["content"] for b in backup.blocks if b["type"] == kind] for kind in ("main_text", "thinking")}
    assert [part.text for part in parts if isinstance(part, Text)] == by_type["main_text"]
    assert [part.text for part in parts if isinstance(part, Reasoning)] == by_type["thinking"]
    tools = [block for block in backup.blocks if block["type"] == "tool"]
    assert sum(isinstance(part, ToolCall) for part in parts) == len(tools) == 1
    assert sum(isinstance(part, ToolResult) for part in parts) == len(tools)


def test_what_has_no_place_is_kept(tmp_path: Path) -> None:
    rest = json.loads(full().one(tmp_path).rest)["messages"]
    assert rest["a2"]["blocks"] == [
        {"type": "thinking", "thinking_millsec": 900},
        {"type": "citation", "response": {"source": "exa", "results": [{"url": "https://fish.example"}]}},
    ]
    assert [each["id"] for each in rest["q"]["mentions"]] == ["a", "b"]


def test_a_failed_reply_and_a_cleared_context_are_kept_and_leave_no_hole(tmp_path: Path) -> None:
    backup = Backup()
    failed = {"type": "error", "status": "error", "error": {"message": "no such model", "name": "NotFound"}}
    backup.topic(
        "Fish",
        backup.message("q", "user", text("?")),
        backup.message("e", "assistant", failed, askId="q", status="error"),
        backup.message("a", "assistant", text("Tang."), askId="q"),
        backup.message("c", "user", type="clear"),
        backup.message("t", "user", text("Thanks")),
    )
    found = backup.one(tmp_path)
    assert {entry.id: entry.parent for entry in entries_in(found)} == {"q": "", "a": "q", "t": "a"}
    rest = json.loads(found.rest)["messages"]
    assert rest["e"]["blocks"][0]["error"]["message"] == "no such model"
    assert rest["c"]["type"] == "clear"


def test_the_prompt_of_the_assistant_is_the_first_message(tmp_path: Path) -> None:
    backup = Backup()
    backup.assistant["prompt"] = "You dive."
    backup.topic("Fish", backup.message("q", "user", text("?")), prompt="Be brief.")
    system, question = entries_in(backup.one(tmp_path))
    assert (system.message.role, system.message.text) == (Role.SYSTEM, "You dive.\nBe brief.")
    assert question.parent == system.id


def test_images_come_out_of_the_zip_and_a_missing_one_is_named(tmp_path: Path) -> None:
    backup = Backup()
    there, lost = (
        {"id": name, "name": f"{name}.png", "origin_name": f"{name} reef.png", "ext": ".png", "type": "image"}
        for name in ("f1", "f2")
    )
    made = {"generateImageResponse": {"type": "base64", "images": ["data:image/png;base64,iVBORw0KGgo="]}}
    backup.topic(
        "Fish",
        backup.message("q", "user", {"type": "image", "file": there}, {"type": "file", "file": lost}, text("What?")),
        backup.message("a", "assistant", {"type": "image", "metadata": made}),
    )
    question, answer = entries_in(backup.one(tmp_path, f1=PNG))
    image, missing, said_then = question.message.parts
    assert isinstance(image, Attachment)
    assert isinstance(missing, Attachment)
    assert image.name == "f1 reef.png"
    assert image.content.startswith("data:image/png;base64,iVBORw0KGgo")
    assert (missing.name, missing.content, missing.about) == ("f2 reef.png", "", "not in the export")
    assert said_then == Text("What?")
    assert answer.message.parts == (Attachment("image", "image/png", "data:image/png;base64,iVBORw0KGgo="),)


def test_messages_of_versions_without_blocks(tmp_path: Path) -> None:
    backup = Backup(version=3)
    read = tool("read", {"path": "reef.txt"}, None)["metadata"]["rawMcpToolResponse"]
    answer = {"content": [{"type": "text", "text": "no such file"}], "isError": True}
    file = {"id": "f1", "name": "f1.png", "origin_name": "reef.png", "ext": ".png", "type": "image"}
    backup.topic(
        "Old fish",
        said("q", "user", content="What is it?", files=[file]),
        said(
            "a",
            "assistant",
            content="A tang.",
            reasoning_content="Blue.",
            translatedContent="Ein Doktorfisch.",
            askId="q",
            modelId="deepseek-r1",
            usage={"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8},
            metadata={"mcpTools": [read | {"response": answer}]},
        ),
    )
    found = backup.one(tmp_path, f1=PNG)
    question, call, result, answer_to_it = (entry.message for entry in entries_in(found))
    assert [question.text, question.has_image] == ["What is it?", True]
    assert call.parts == (Reasoning("Blue."), ToolCall("call_1", "read", '{"path": "reef.txt"}'))
    assert result.parts == (ToolResult("call_1", "read", "no such file", is_error=True),)
    assert [answer_to_it.text, answer_to_it.model] == ["A tang.", "deepseek-r1"]
    assert answer_to_it.usage == Usage(5, 3)
    assert json.loads(found.rest)["messages"]["a"]["translatedContent"] == "Ein Doktorfisch."


def test_parts_that_are_not_in_the_backup_are_counted(tmp_path: Path) -> None:
    backup = full()
    backup.blocks = [block for block in backup.blocks if block["messageId"] != "w"]
    found = backup.one(tmp_path)
    assert found.unread == (NOT_IN_BACKUP.format(count=1),)
    assert found.current == "t"


def test_a_topic_that_was_never_used_is_none(tmp_path: Path) -> None:
    backup = full()
    backup.topic("Default Topic")
    assert len(backup.read(tmp_path)) == 1


def test_a_topic_without_its_assistant_is_read(tmp_path: Path) -> None:
    backup = full()
    backup.names.clear()
    found = backup.one(tmp_path)
    assert (found.section, found.title) == ("", "Which fish is blue?")
    assert len(found.entries) == 7


def test_a_copy_of_the_database_is_refused_with_what_to_give_instead(tmp_path: Path) -> None:
    about = {"version": 6, "timestamp": 1, "appName": "Cherry Studio", "appVersion": "1.8.0", "resources": {}}
    (tmp_path / "metadata.json").write_text(json.dumps(about))
    found = only_unread(read_file(tmp_path / "metadata.json"))
    assert "database files" in found.reason


@pytest.mark.long
def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    for backup in (full(), full()):
        backup.topics[0]["messages"].append(said("old", "assistant", content="Hm.", metadata={"mcpTools": [{}]}))
        assert check_damaged(tmp_path / "damaged.json", json.dumps(backup.data).encode()) > 10
