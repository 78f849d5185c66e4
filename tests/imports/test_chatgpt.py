"""ChatGPT's export, in the shape of exports of 2023 to 2026."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from damage import check_damaged, check_tree, entries_in, only_conversation, read_file

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage, UnreadFile
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult
from real_conversations import EXCERPTS

REAL = EXCERPTS / "chatgpt_branched_export.json"
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
    found = only_conversation(read(tmp_path, conversation(*nodes)))
    return entries_in(found)


def test_a_tree_keeps_its_branches_times_models_and_what_has_no_place(tmp_path: Path) -> None:
    found = only_conversation(read(tmp_path, BRANCHED))
    links = {e.id: (e.parent, e.message.text, e.message.at) for e in entries_in(found)}
    assert links == {
        "q": ("", "Which fish is blue?", 1_700_000_001.0),
        "a": ("q", "The tang.", 1_700_000_002.0),
        "t": ("a", "Thanks", 1_700_000_003.0),
        "a2": ("q", "The damselfish.", 1_700_000_005.0),
    }
    models = {e.id: (e.message.model, e.message.is_interrupted) for e in entries_in(found)}
    assert models["a"] == ("gpt-4o", False)
    assert models["a2"] == ("", True)
    assert (found.title, found.id, found.current, found.model) == ("Fish", "c1", "t", "gpt-4o")
    assert (found.created_at, found.updated_at) == (1_700_000_000.5, 1_700_000_900.0)
    assert '"gizmo_id":"g-7"' in found.rest
    assert '"citations":{"0":1}' in found.rest


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
    found = only_conversation(read_file(tmp_path / "export.zip"))
    (entry,) = found.entries
    assert isinstance(entry, ForeignMessage)
    image, missing, text = entry.message.parts
    assert isinstance(image, Attachment)
    assert image.name == "file-A-cat.png"
    assert image.content.startswith("data:image/png;base64,iVBORw0KGgo")
    assert isinstance(missing, Attachment)
    assert (missing.name, missing.content, missing.about) == ("file-B", "", "not in the export")
    assert text == Text("What is this?")


CITE = "\ue200cite\ue202turn0search0\ue202turn0search4\ue201"
PAGES = [
    {"title": "Blue fish", "url": "https://fish.example/blue", "attribution": "Fish [daily]", "snippet": "Tangs."},
    {"title": "Reefs", "url": "https://reef.example/(a)", "attribution": None},
]


def cited(tmp_path: Path, text: str, **metadata: Any) -> tuple[Message, dict[str, Any]]:
    """The reply of that text, and what has no place of its message."""
    reply = node("a", "q", "assistant", text, metadata=metadata)
    found = only_conversation(read(tmp_path, conversation(node("q", "root", "user", "Which fish is blue?"), reply)))
    entry = found.entries[-1]
    assert isinstance(entry, ForeignMessage)
    return entry.message, json.loads(found.rest)["mapping"]["a"]["message"]


def test_citations_are_links_and_their_snippets_are_kept(tmp_path: Path) -> None:
    reference = {"matched_text": CITE, "type": "grouped_webpages", "items": PAGES, "alt": "([x](y))", "refs": []}
    footnote = {"matched_text": " ", "type": "sources_footnote", "sources": PAGES}
    message, rest = cited(tmp_path, f"The tang {CITE}.", content_references=[reference, footnote])
    links = "([Fish (daily)](https://fish.example/blue), [Reefs](https://reef.example/(a%29))"
    assert message.text == f"The tang {links}."
    assert rest["metadata"]["content_references"]["0"]["items"]["0"] == {"title": "Blue fish", "snippet": "Tangs."}
    assert "content" not in rest or "parts" not in rest["content"]


def test_marks_that_nobody_explains_are_left_out_and_kept_in_the_rest(tmp_path: Path) -> None:
    entity = '\ue200entity\ue202["fish","tang","blue"]\ue201'
    text = f"The {entity} is\ue203 blue\ue204. {CITE}"
    message, rest = cited(tmp_path, text)
    assert message.text.strip() == "The tang is blue."
    assert rest["content"]["parts"] == [text]


def test_a_reference_without_pages_is_its_name_or_its_address(tmp_path: Path) -> None:
    named = {"matched_text": "\ue200entity\ue202x\ue201", "type": "entity", "alt": "tang"}
    title = {
        "matched_text": "\ue200link_title\ue202Reefs\ue202k\ue201",
        "url": "https://reef.example",
        "title": "Reefs",
    }
    text = f"The {named['matched_text']}, see {title['matched_text']}"
    message, _ = cited(tmp_path, text, content_references=[named, title])
    assert message.text == "The tang, see [Reefs](https://reef.example)"


def test_older_citations_are_links_where_they_stand(tmp_path: Path) -> None:
    text = "The tang【0†source】 or the damselfish【3†source】."
    citations = [
        {"start_ix": text.index("【"), "end_ix": text.index("】") + 1, "metadata": {"type": "webpage", **PAGES[0]}},
        {"start_ix": text.rindex("【"), "end_ix": text.rindex("】") + 1, "metadata": None},
        {"start_ix": 0, "end_ix": 3, "metadata": {"type": "webpage", **PAGES[1]}},
    ]
    message, _ = cited(tmp_path, text, citations=citations)
    assert message.text == "The tang ([Blue fish](https://fish.example/blue)) or the damselfish【3†source】."


def test_what_was_spoken_is_text_with_its_sound(tmp_path: Path) -> None:
    spoken = {"content_type": "audio_transcription", "text": "Which fish is blue?", "direction": "in"}
    sound = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_7", "format": "wav"}
    video = {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": sound}
    content = {"content_type": "multimodal_text", "parts": [spoken, video]}
    (entry,) = one(tmp_path, node("q", "root", "user", content))
    text, audio = entry.message.parts
    assert text == Text("Which fish is blue?")
    assert audio == Attachment("file_7", "application/octet-stream", "", about="not in the export")


def test_a_canvas_is_a_call_with_its_document(tmp_path: Path) -> None:
    document = json.dumps({"name": "fish", "type": "document", "content": "# Tangs"})
    create = {"content_type": "code", "language": "json", "text": document}
    done = {"content_type": "text", "parts": ["Successfully created text document."]}
    messages = one(
        tmp_path,
        node("q", "root", "user", "Write about tangs."),
        node("c", "q", "assistant", create, recipient="canmore.create_textdoc"),
        node("r", "c", "tool", done, name="canmore.create_textdoc"),
    )
    assert messages[1].message.parts == (ToolCall("", "canmore.create_textdoc", document),)
    assert messages[2].message.parts == (
        ToolResult("", "canmore.create_textdoc", "Successfully created text document."),
    )


def test_custom_instructions_are_no_message_of_the_user(tmp_path: Path) -> None:
    content = {"content_type": "user_editable_context", "user_profile": "A diver.", "user_instructions": "Be brief."}
    found = only_conversation(
        read(tmp_path, conversation(node("c", "root", "user", content), node("q", "c", "user", "Hi")))
    )
    context, question = (entry.message for entry in found.entries if isinstance(entry, ForeignMessage))
    assert (context.role, context.text) == (Role.SYSTEM, "A diver.\n\nBe brief.")
    assert (found.messages, question.role, found.title) == (1, Role.USER, "Fish")


def test_files_that_were_given_come_along(tmp_path: Path) -> None:
    given = [{"id": "file-N", "name": "notes.md", "mime_type": "text/markdown"}, {"id": "file-G", "name": "gone.pdf"}]
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        messages = conversation(node("q", "root", "user", "Read these.", metadata={"attachments": given}))
        archive.writestr("conversations-000.json", json.dumps([messages]))
        archive.writestr("conversations-001.json", json.dumps([messages | {"conversation_id": "c2"}]))
        archive.writestr("user.json", '{"id": "u1"}')
        archive.writestr("file-N-notes.md", "# Fish")
    one_part, other_part = read_file(tmp_path / "export.zip")
    assert isinstance(one_part, ForeignConversation)
    assert isinstance(other_part, ForeignConversation)
    assert {one_part.id, other_part.id} == {"c1", "c2"}
    (entry,) = one_part.entries
    assert isinstance(entry, ForeignMessage)
    _, notes, gone = entry.message.parts
    assert notes == Attachment("notes.md", "text/markdown", "# Fish")
    assert gone == Attachment("gone.pdf", "application/octet-stream", "", about="not in the export")


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


def test_a_real_file_is_read_to_its_last_message() -> None:
    found = only_conversation(read_file(REAL))
    (counted,) = json.loads(REAL.read_text())
    said = [n["message"] for n in counted["mapping"].values() if n["message"] and any(n["message"]["content"]["parts"])]
    assert found.messages == len([m for m in said if m["author"]["role"] != Role.SYSTEM])
    assert {e.message.text for e in entries_in(found)} == {"\n\n".join(m["content"]["parts"]) for m in said}
    check_tree(found)


def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    reference = {"matched_text": CITE, "items": PAGES, "safe_urls": ["x"]}
    about = {
        "content_references": [reference],
        "citations": [{"start_ix": 0, "end_ix": 2}],
        "attachments": [{"id": "f"}],
    }
    other = conversation(node("a", "root", "assistant", f"Tang {CITE}", metadata=about), conversation_id="c2")
    content = json.dumps([BRANCHED, other]).encode()
    assert check_damaged(tmp_path / "damaged.json", content) > 10
