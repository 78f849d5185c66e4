"""ChatGPT's export, in the shape of exports of 2023 to 2026."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from damage import check_damaged, check_tree, read_file

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage, UnreadFile
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult

SHARED = Path(__file__).parents[3] / "shared" / "conversations" / "chatgpt_branched_export.json"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def node(node_id: str, parent: str | None, role: str, content: Any, **more: Any) -> tuple[str, dict[str, Any]]:
    content = content if isinstance(content, dict) else {"content_type": "text", "parts": [content]}
    message = {
        "id": node_id,
        "author": {"role": role, "name": more.pop("name", None), "metadata": {}},
        "create_time": more.pop("at", None),
        "content": content,
        "status": more.pop("status", "finished_successfully"),
        "weight": 1.0,
        "metadata": more.pop("metadata", {}),
        "recipient": more.pop("recipient", "all"),
        **more,
    }
    return node_id, {"id": node_id, "parent": parent, "children": [], "message": message}


def conversation(*nodes: tuple[str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    root = ("root", {"id": "root", "parent": None, "children": [], "message": None})
    return {
        "title": "Fish",
        "create_time": 1_700_000_000.5,
        "update_time": 1_700_000_900.0,
        "conversation_id": "c1",
        "id": "c1",
        "current_node": nodes[-1][0],
        "default_model_slug": "gpt-4o",
        "mapping": dict([root, *nodes]),
        **more,
    }


BRANCHED = conversation(
    node("s", "root", "system", ""),
    node("q", "s", "user", "Which fish is blue?", at=1_700_000_001.0),
    node("a", "q", "assistant", "The tang.", at=1_700_000_002.0, metadata={"model_slug": "gpt-4o", "citations": [1]}),
    node("a2", "q", "assistant", "The damselfish.", at=1_700_000_005.0, status="in_progress"),
    node("t", "a", "user", "Thanks", at=1_700_000_003.0),
    current_node="t",
    gizmo_id="g-7",
)


def read(tmp_path: Path, *conversations: dict[str, Any]) -> list[ForeignConversation | UnreadFile]:
    (tmp_path / "some name.json").write_text(json.dumps(conversations))
    return read_file(tmp_path / "some name.json")


def one(tmp_path: Path, *nodes: tuple[str, dict[str, Any]]) -> list[ForeignMessage]:
    (found,) = read(tmp_path, conversation(*nodes))
    assert isinstance(found, ForeignConversation)
    return [entry for entry in found.entries if isinstance(entry, ForeignMessage)]


def test_a_tree_keeps_its_branches_times_models_and_what_has_no_place(tmp_path: Path) -> None:
    (found,) = read(tmp_path, BRANCHED)
    assert isinstance(found, ForeignConversation)
    links = {e.id: (e.parent, e.message.text, e.message.at) for e in found.entries if isinstance(e, ForeignMessage)}
    assert links == {
        "q": ("", "Which fish is blue?", 1_700_000_001.0),
        "a": ("q", "The tang.", 1_700_000_002.0),
        "t": ("a", "Thanks", 1_700_000_003.0),
        "a2": ("q", "The damselfish.", 1_700_000_005.0),
    }
    models = {e.id: (e.message.model, e.message.is_interrupted) for e in found.entries if isinstance(e, ForeignMessage)}
    assert models["a"] == ("gpt-4o", False)
    assert models["a2"] == ("", True)
    assert (found.title, found.id, found.current, found.model) == ("Fish", "c1", "t", "gpt-4o")
    assert (found.created_at, found.updated_at) == (1_700_000_000.5, 1_700_000_900.0)
    assert '"gizmo_id":"g-7"' in found.rest
    assert '"citations":[1]' in found.rest


def test_calls_of_tools_and_their_results_are_pairs(tmp_path: Path) -> None:
    code = {"content_type": "code", "language": "python", "text": "print(6 * 7)"}
    output = {"content_type": "execution_output", "text": "42"}
    messages = one(
        tmp_path,
        node("q", "root", "user", "Six times seven?"),
        node("c", "q", "assistant", code, recipient="python"),
        node("r", "c", "tool", output, name="python"),
        node("a", "r", "assistant", "It is 42."),
    )
    assert messages[1].message.parts == (ToolCall("", "python", '{"input": "print(6 * 7)"}'),)
    assert messages[2].message.parts == (ToolResult("", "python", "42"),)
    assert [entry.parent for entry in messages] == ["", "q", "c", "r"]


def test_thoughts_are_reasoning(tmp_path: Path) -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Counting", "content": "Six, twelve, …"}]}
    messages = one(tmp_path, node("q", "root", "user", "How many?"), node("r", "q", "assistant", thoughts))
    assert messages[1].message.parts == (Reasoning("Counting\n\nSix, twelve, …"),)


def test_an_image_in_the_zip_comes_along_and_a_missing_one_is_named(tmp_path: Path) -> None:
    pictures = [{"content_type": "image_asset_pointer", "asset_pointer": f"file-service://file-{n}"} for n in "AB"]
    content = {"content_type": "multimodal_text", "parts": [*pictures, "What is this?"]}
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([conversation(node("q", "root", "user", content))]))
        archive.writestr("file-A-cat.png", PNG)
    (found,) = read_file(tmp_path / "export.zip")
    assert isinstance(found, ForeignConversation)
    (entry,) = found.entries
    assert isinstance(entry, ForeignMessage)
    image, missing, text = entry.message.parts
    assert isinstance(image, Attachment)
    assert image.name == "file-A-cat.png"
    assert image.content.startswith("data:image/png;base64,iVBORw0KGgo")
    assert isinstance(missing, Attachment)
    assert (missing.name, missing.content, missing.about) == ("file-B", "", "not in the export")
    assert text == Text("What is this?")


def test_one_bad_conversation_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    bad, good = read(tmp_path, {"title": "Lost", "mapping": {}, "parent": 0}, BRANCHED)
    assert isinstance(bad, UnreadFile)
    assert bad.title == "Lost"
    assert isinstance(good, ForeignConversation)


def test_a_file_that_is_cut_gives_what_stands_before_the_cut(tmp_path: Path) -> None:
    content = json.dumps([BRANCHED, BRANCHED | {"conversation_id": "c2"}])
    (tmp_path / "cut.json").write_text(content[: int(len(content) * 0.8)])
    whole, cut = read_file(tmp_path / "cut.json")
    assert isinstance(whole, ForeignConversation)
    assert isinstance(cut, UnreadFile)
    assert "not whole" in cut.reason


@pytest.mark.skipif(not SHARED.exists(), reason="the conversations to try things on are not here")
def test_a_real_file_is_read_to_its_last_message() -> None:
    (found,) = read_file(SHARED)
    assert isinstance(found, ForeignConversation)
    (counted,) = json.loads(SHARED.read_text())
    said = [n["message"] for n in counted["mapping"].values() if n["message"] and any(n["message"]["content"]["parts"])]
    assert found.messages == len([m for m in said if m["author"]["role"] != Role.SYSTEM])
    assert {e.message.text for e in found.entries if isinstance(e, ForeignMessage)} == {
        "\n\n".join(m["content"]["parts"]) for m in said
    }
    check_tree(found)


def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    content = json.dumps([BRANCHED, BRANCHED | {"conversation_id": "c2"}]).encode()
    assert check_damaged(tmp_path / "damaged.json", content) > 10
