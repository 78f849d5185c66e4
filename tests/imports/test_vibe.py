"""Mistral Vibe's sessions, in the shape that version 3.0.2 writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from damage import check_tree, messages_in, only_conversation, read_file, variants

from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.message import Reasoning, Role, Text, ToolCall, ToolResult

AT = 1_772_359_260_000
FIRST, SECOND, THIRD = (f"{number}f573695-c14f-5009-9000-00c6b333f3b7" for number in (1, 2, 3))
SHA, SHB = "a" * 64, "b" * 64


def entry(name: str, sort: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "type": sort, "sessionId": "s1", "createdAt": AT, "updatedAt": AT + 1_000, **more}


def message(name: str, role: str, words: str) -> dict[str, Any]:
    return entry(name, "message", role=role, content=[{"type": "text", "text": words}])


def effect(name: str, **state: Any) -> dict[str, Any]:
    detail = {"kind": "tool", "toolName": "file_system.bash", "input": {"command": "ls"}}
    return entry(f"effect-{name}", "effect", detail=detail, state={"outputText": "", **state})


def done(**structured: Any) -> dict[str, Any]:
    return {"status": "completed", "output": {"type": "success", "content": [], "structured_content": structured}}


ENTRIES = [
    message("user-turn-1", "user", "What lives in the pond?"),
    entry(f"reasoning-{FIRST}-0", "reasoning", text="Look.", summary=[]),
    message(f"assistant-{FIRST}", "assistant", "I look."),
    effect("c1", **done(stdout="newts", returncode=0)),
    effect("c2", **done(stdout="", returncode=3)),
    effect("c3", status="failed", error={"code": "tool_denied", "message": "No."}, output={"type": "failure"}),
    message(f"assistant-{SECOND}", "assistant", "Newts do."),
    message("user-turn-2", "user", "And there?"),
]
LAST = message(f"assistant-{THIRD}", "assistant", "Toads.")


def write(tmp_path: Path, entries: list[dict[str, Any]], later: list[dict[str, Any]], context: list[str]) -> Path:
    folder = tmp_path / "s1"
    (folder / "generations/7").mkdir(parents=True, exist_ok=True)
    for name in ("chunks", "journal"):
        (folder / name).mkdir(exist_ok=True)
    current = {"generation": "7", "session_id": "s1", "store_format": "mistral.vibe.unified-session-store/v1"}
    (folder / "CURRENT").write_text(json.dumps(current))
    about = {"session_id": "s1", "environment": {"working_directory": "/pond"}, "config": {"model_name": "newt-1"}}
    (folder / "meta.json").write_text(json.dumps(about | {"title": "Pond life", "parent_session_id": None}))
    manifest: dict[str, Any] = {"projection_state": {"chunks": [SHA]}, "checkpoint": {"chunks": [SHB]}}
    manifest["recovery_journal_segment"] = {"first_sequence": 5}
    (folder / "generations/7/manifest.json").write_text(json.dumps(manifest))
    (folder / f"chunks/{SHA}.json").write_text(json.dumps(entries))
    messages = [{"message": {"role": "user", "content": [{"type": "text", "text": text}]}} for text in context]
    (folder / f"chunks/{SHB}.json").write_text(json.dumps(messages))
    changes = [(4, "append_entry", message("old", "user", "Not again"))]
    changes += [(5 + number, "append_entry", each) for number, each in enumerate(later)]
    lines = [{"sequence": n, "payload": {"delta": [{"op": op, "entry": each}]}} for n, op, each in changes]
    (folder / "journal/5.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return tmp_path


def session(tmp_path: Path, *more: dict[str, Any], context: tuple[str, ...] = ()) -> ForeignConversation:
    return only_conversation(read_file(write(tmp_path, ENTRIES, [*more], [*context])))


def test_a_session_is_read_whole_with_its_journal(tmp_path: Path) -> None:
    found = session(tmp_path, LAST)
    asked, looked, newts, failed, denied, answered, again, last = messages_in(found)
    assert asked.parts == (Text("What lives in the pond?"),)
    calls = [ToolCall(f"effect-c{number}", "bash", '{"command": "ls"}') for number in (1, 2, 3)]
    assert looked.parts == (Reasoning("Look."), Text("I look."), *calls)
    assert (looked.model, looked.at, newts.at) == ("newt-1", AT / 1000, AT / 1000 + 1)
    text = '{"stdout": "newts", "returncode": 0}'
    assert (newts.role, newts.parts) == (Role.TOOL, (ToolResult("effect-c1", "bash", text),))
    assert [part.is_error for part in failed.parts if isinstance(part, ToolResult)] == [True]
    assert denied.parts == (ToolResult("effect-c3", "bash", "No.", is_error=True, ending="denied"),)
    assert [each.text for each in (answered, again, last)] == ["Newts do.", "And there?", "Toads."]
    assert (found.id, found.title, found.folder, found.model) == ("s1", "Pond life", "/pond", "newt-1")


def test_a_compaction_keeps_what_the_context_has_of_the_user(tmp_path: Path) -> None:
    compaction = entry(
        "checkpoint-1", "checkpoint", kind="compaction", details={"summaryLength": 6, "trigger": "manual"}
    )
    context = ("Before", "And there?", "Then: <compaction_summary>\nNewts.\n</compaction_summary>")
    found = session(tmp_path, compaction, LAST, context=context)
    (compacted,) = [each for each in found.entries if isinstance(each, ForeignCompaction)]
    assert (compacted.summary, compacted.kept, compacted.follows) == ("Newts.", ("user-turn-2",), "user-turn-2")
    assert (compacted.parent, compacted.is_automatic, found.entries[-1].parent) == (
        "user-turn-2",
        False,
        "checkpoint-1",
    )


def test_a_broken_chunk_is_reported_and_damaged_sessions_are_read_or_refused(tmp_path: Path) -> None:
    write(tmp_path, ENTRIES, [LAST], [])
    for file in sorted((tmp_path / "s1").rglob("*.*")):
        content = file.read_bytes()
        for damaged in variants(content, 20):
            file.write_bytes(damaged)
            for each in read_file(tmp_path):
                if isinstance(each, ForeignConversation):
                    check_tree(each)
        file.write_bytes(content)
    (tmp_path / f"s1/chunks/{SHA}.json").write_text('[{"id": "x"')
    found = only_conversation(read_file(tmp_path))
    assert [each.text for each in messages_in(found)] == ["Toads."]
    assert found.unread
