"""Claude's data export, in the shape of exports of 2024 to 2026."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from damage import check_damaged, entries_in, only_conversation, only_unread, read_file

from desktop_app.conversation.foreign import ForeignConversation, UnreadFile
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.imports.claude import ITS_ID_TWICE, UNKNOWN_SENDER
from texts import UNREADABLE

ROOT = "00000000-0000-4000-8000-000000000000"
DOCUMENT = {"id": "poem", "type": "text/markdown", "title": "Poem", "command": "create", "content": "The sea"}


def text(words: str) -> dict[str, Any]:
    return {"start_timestamp": None, "stop_timestamp": None, "flags": None, "type": "text", "text": words}


def use(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments, "icon_name": "search"}


def result(call_id: str, name: str, said: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "name": name, "content": said, "is_error": False, **more}


def message(uuid: str, sender: str, minute: int, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    words = "".join(block.get("text", "") for block in blocks)
    at = f"2026-03-29T07:{minute:02}:35.552627Z"
    about = {"uuid": uuid, "text": words, "content": list(blocks), "sender": sender, "created_at": at, "updated_at": at}
    return about | {"attachments": [], "files": []} | more


def conversation(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "uuid": "c1",
        "name": "The sea",
        "summary": "",
        "created_at": "2026-03-29T07:00:00.084721Z",
        "updated_at": "2026-03-29T12:59:41.658730Z",
        "account": {"uuid": "me"},
        "chat_messages": list(messages),
        **more,
    }


KNOWLEDGE = {"type": "knowledge", "title": "Tides", "url": "https://example.com", "text": "Twice a day.", "uuid": "k"}
ASKED = message(
    "q",
    "human",
    1,
    text("Write of the sea."),
    attachments=[{"file_name": "", "file_size": 4, "file_type": "txt", "extracted_content": "salt"}],
    files=[{"file_uuid": "f1", "file_name": "wave.png"}],
    parent_message_uuid=ROOT,
)
ANSWERED = message(
    "a",
    "assistant",
    2,
    {"type": "thinking", "thinking": "First the tides.", "summaries": [{"summary": "Tides"}], "cut_off": False},
    text("I look it up."),
    use("t1", "web_search", {"query": "tides"}),
    result("t1", "web_search", [KNOWLEDGE, {"type": "image", "file_uuid": "f2"}]),
    use("t2", "artifacts", DOCUMENT),
    result("t2", "artifacts", "OK", is_error=True),
    text("There it is."),
    parent_message_uuid="q",
)
WHOLE = conversation(
    ASKED,
    ANSWERED,
    message("q2", "human", 3, text("Shorter."), parent_message_uuid="a"),
    message("q3", "human", 4, text("Longer."), parent_message_uuid="a"),
    message("a2", "assistant", 5, text("Sea."), parent_message_uuid="q2", model="claude-opus-4"),
)
PROJECT: dict[str, Any] = {
    "uuid": "p1",
    "name": "Oceans",
    "description": "",
    "is_private": True,
    "is_starter_project": False,
    "prompt_template": "Be wet.",
    "created_at": "2026-01-01T00:00:00Z",
    "creator": {"uuid": "me", "full_name": "M"},
    "docs": [{"uuid": "d1", "filename": "salt.md", "content": "Of salt."}],
}


def read(tmp_path: Path, *conversations: dict[str, Any]) -> list[ForeignConversation | UnreadFile]:
    (tmp_path / "some name.json").write_text(json.dumps(conversations))
    return read_file(tmp_path / "some name.json")


def one(tmp_path: Path, whole: dict[str, Any]) -> ForeignConversation:
    return only_conversation(read(tmp_path, whole))


def said(found: ForeignConversation) -> list[tuple[str, str, Message]]:
    return [(e.id, e.parent, e.message) for e in entries_in(found)]


def test_a_message_with_calls_and_results_is_several_here_and_nothing_is_lost(tmp_path: Path) -> None:
    found = one(tmp_path, WHOLE)
    parts = Counter(type(part).__name__ for _, _, m in said(found) for part in m.parts)
    blocks = Counter(block["type"] for m in WHOLE["chat_messages"] for block in m["content"])
    assert parts == {
        "Text": blocks["text"],
        "Reasoning": blocks["thinking"],
        "ToolCall": blocks["tool_use"],
        "ToolResult": blocks["tool_result"],
        "Attachment": 3,
    }
    answer = [m for name, _, m in said(found) if name == "a" or name.startswith("a/")]
    assert [m.role for m in answer] == [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert answer[0].parts[:2] == (Reasoning("First the tides."), Text("I look it up."))
    assert answer[0].tool_calls == (ToolCall("t1", "web_search", '{"query": "tides"}'),)
    assert answer[1].tool_result == ToolResult("t1", "web_search", "Tides\nhttps://example.com\nTwice a day.")
    assert json.loads(answer[2].tool_calls[0].arguments) == DOCUMENT
    assert answer[3].tool_result == ToolResult("t2", "artifacts", "OK", is_error=True)


def test_edited_messages_are_branches_with_their_times_and_models(tmp_path: Path) -> None:
    found = one(tmp_path, WHOLE)
    parents = {name: parent for name, parent, _ in said(found)}
    assert parents == {
        "q": "", "a": "q", "a/1": "a", "a/2": "a/1", "a/3": "a/2", "a/4": "a/3", "q2": "a/4", "q3": "a/4", "a2": "q2"
    }  # fmt: skip
    by_name = {name: m for name, _, m in said(found)}
    assert by_name["q"].at == 1_774_767_695.552627
    assert by_name["q3"].at - by_name["q"].at == 180
    assert by_name["a2"].model == "claude-opus-4"
    assert (found.id, found.title, found.current) == ("c1", "The sea", "")
    assert found.created_at == 1_774_767_600.084721
    assert '"account":{"uuid":"me"}' in found.rest
    assert '"icon_name":"search"' in found.rest


def test_the_open_branch_the_model_and_the_project_are_kept_where_they_are_named(tmp_path: Path) -> None:
    about = {"current_leaf_message_uuid": "a", "model": "claude-opus-4", "is_starred": True}
    found = one(tmp_path, WHOLE | about | {"project": {"uuid": "p1", "name": "Oceans"}})
    assert (found.current, found.model, found.section, found.is_pinned) == ("a/4", "claude-opus-4", "Oceans", True)


def test_files_come_with_their_text_or_their_name(tmp_path: Path) -> None:
    found = one(tmp_path, WHOLE)
    attached = [part for part in said(found)[0][2].parts if isinstance(part, Attachment)]
    assert attached == [
        Attachment("pasted text", "text/plain", "salt"),
        Attachment("wave.png", "application/octet-stream", "", about="not in the export"),
    ]


def test_an_older_export_without_parents_or_blocks_is_one_line(tmp_path: Path) -> None:
    old = [
        message(name, who, n) | {"text": name, "content": []}
        for n, (name, who) in enumerate([("x", "human"), ("y", "assistant"), ("z", "human")])
    ]
    found = one(tmp_path, conversation(*old))
    assert [(name, parent, m.text) for name, parent, m in said(found)] == [
        ("x", "", "x"),
        ("y", "x", "y"),
        ("z", "y", "z"),
    ]


def test_a_project_in_the_zip_is_the_section_and_one_that_nobody_names_is_reported(tmp_path: Path) -> None:
    other = PROJECT | {"uuid": "p2", "name": "Deserts"}
    named = [WHOLE | {"project_uuid": "p1"}, WHOLE | {"uuid": "c2"}]
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("users.json", json.dumps([{"uuid": "me", "full_name": "M"}]))
        archive.writestr("projects/p1.json", json.dumps(PROJECT))
        archive.writestr("projects/p2.json", json.dumps(other))
        archive.writestr("conversations.json", json.dumps(named))
    first, second, unread = read_file(tmp_path / "export.zip")
    assert isinstance(first, ForeignConversation)
    assert first.section == "Oceans"
    assert json.loads(first.rest)["project_file"] == PROJECT
    assert isinstance(second, ForeignConversation)
    assert second.section == ""
    assert isinstance(unread, UnreadFile)
    assert unread.title == "Deserts"


def test_damaged_messages_are_named_and_the_others_are_read(tmp_path: Path) -> None:
    found = one(tmp_path, conversation(ASKED, ASKED, message("m", "nobody", 2, text("?"))))
    assert [name for name, _, _ in said(found)] == ["q"]
    assert found.unread == (
        UNREADABLE.format(what="message 2", why=ITS_ID_TWICE),
        UNREADABLE.format(what="message 3", why=UNKNOWN_SENDER),
    )


def test_a_circle_of_parents_is_opened(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        conversation(
            message("x", "human", 1, text("x"), parent_message_uuid="y"),
            message("y", "assistant", 2, text("y"), parent_message_uuid="x"),
        ),
    )
    assert len(said(found)) == 2


def test_an_empty_conversation_is_named(tmp_path: Path) -> None:
    unread = only_unread(read(tmp_path, conversation(name="Nothing")))
    assert unread.title == "Nothing"


def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    content = json.dumps([WHOLE, WHOLE | {"uuid": "c2"}]).encode()
    assert check_damaged(tmp_path / "damaged.json", content) > 10
