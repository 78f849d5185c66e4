"""Sessions of Claude Code, in the shape of versions 1.0 to 2.1."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from damage import check_damaged, entries_in, only_conversation, only_unread, read_file

from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import view_of
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation, UnreadFile
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.imports.format import NOT_JSON
from texts import UNKNOWN_FORMAT, UNREADABLE

SESSION = "11111111-2222-4333-8444-555555555555"
PNG = "iVBORw0KGgo="
Line = dict[str, Any]


def line(kind: str, uuid: str, parent: str | None, second: int, **more: Any) -> Line:
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/me/sea",
        "sessionId": SESSION,
        "version": "2.1.0",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid,
        "timestamp": f"2026-01-02T03:{second // 60:02}:{second % 60:02}.500Z",
        **more,
    }


def user(uuid: str, parent: str | None, second: int, content: Any, **more: Any) -> Line:
    return line("user", uuid, parent, second, message={"role": "user", "content": content}, **more)


def assistant(uuid: str, parent: str, second: int, message_id: str, *blocks: Line, **more: Any) -> Line:
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 3000,
        "output_tokens": second,
        "service_tier": "standard",
    }
    message = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": list(blocks),
        "stop_reason": None,
        "usage": usage,
    }
    return line("assistant", uuid, parent, second, message=message, requestId="req", **more)


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def call(call_id: str, name: str, **arguments: Any) -> Line:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def answer(call_id: str, content: Any, **more: Any) -> Line:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


THINKING = {"type": "thinking", "thinking": "Two files.", "signature": "c2ln"}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
QUEUED = {"type": "queued_command", "prompt": "Faster", "commandMode": "prompt"}
TALK: list[Line] = [
    {"type": "file-history-snapshot", "messageId": "q", "snapshot": {}, "isSnapshotUpdate": False},
    user("meta", None, 0, "Caveat: the messages below", isMeta=True),
    user("q", "meta", 1, [text("What is in here?"), IMAGE]),
    assistant("a1", "q", 2, "m1", THINKING),
    assistant("a2", "a1", 3, "m1", text("I look.")),
    assistant("a3", "a2", 4, "m1", call("c1", "Read", path="a")),
    assistant("a4", "a3", 5, "m1", call("c2", "Read", path="b")),
    user("r1", "a3", 6, [answer("c1", "salt")], toolUseResult={"file": {"numLines": 1}}),
    user("r2", "a4", 7, [answer("c2", [text("sand"), IMAGE], is_error=True)]),
    line("system", "s", "r2", 8, subtype="turn_duration", durationMs=5),
    assistant("b", "s", 9, "m2", text("Salt and sand.")),
    user("q2", "b", 10, "Thanks"),
    user("q3", "b", 20, "Go on"),
    line("attachment", "queued", "q3", 21, attachment=QUEUED),
    assistant("c", "queued", 22, "m3", text("Well."), isAbortedMidStream=True),
    {"type": "ai-title", "sessionId": SESSION, "aiTitle": "Salt"},
]  # fmt: skip
COMPACTED: list[Line] = [
    user("u1", None, 1, "Start"),
    assistant("a1", "u1", 2, "m1", text("Ready")),
    line(
        "system",
        "cut",
        None,
        30,
        subtype="compact_boundary",
        logicalParentUuid="a1",
        content="Conversation compacted",
        compactMetadata={"trigger": "manual", "preTokens": 150_000, "postTokens": 9_000},
    ),
    user("sum", "cut", 31, [text("They began.")], isCompactSummary=True, isVisibleInTranscriptOnly=True),
    user("u2", "sum", 40, "After"),
]


def read(tmp_path: Path, lines: list[Line]) -> list[ForeignConversation | UnreadFile]:
    (tmp_path / "some name").write_text("\n".join(json.dumps(each) for each in lines))
    return read_file(tmp_path / "some name")


def one(tmp_path: Path, lines: list[Line]) -> ForeignConversation:
    return only_conversation(read(tmp_path, lines))


def links(found: ForeignConversation) -> list[tuple[str, str]]:
    return [(entry.id, entry.parent) for entry in found.entries]


def said(found: ForeignConversation) -> dict[str, Message]:
    return {entry.id: entry.message for entry in entries_in(found)}


def test_the_lines_of_a_reply_are_one_message_and_its_results_stand_behind_it(tmp_path: Path) -> None:
    found = one(tmp_path, TALK)
    assert links(found) == [
        ("q", ""), ("a1", "q"), ("r1", "a1"), ("r2", "r1"), ("b", "r2"), ("q2", "b"), ("q3", "b"), ("queued", "q3"),
        ("c", "queued"),
    ]  # fmt: skip
    messages = said(found)
    assert messages["a1"].parts == (
        Reasoning("Two files."),
        Text("I look."),
        ToolCall("c1", "Read", '{"path": "a"}'),
        ToolCall("c2", "Read", '{"path": "b"}'),
    )
    assert messages["r1"].parts == (ToolResult("c1", "Read", "salt"),)
    assert messages["r2"].parts[0] == ToolResult("c2", "Read", "sand", is_error=True)
    roles = [Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL, Role.ASSISTANT, Role.USER, Role.USER, Role.USER]
    assert [m.role for m in messages.values()] == [*roles, Role.ASSISTANT]


def test_every_block_is_found_again(tmp_path: Path) -> None:
    blocks: Counter[str] = Counter()
    for each in TALK:
        content = each.get("message", {}).get("content", [])
        blocks.update(["text"] if isinstance(content, str) else [block["type"] for block in content])
    parts = Counter(type(part).__name__ for m in said(one(tmp_path, TALK)).values() for part in m.parts)
    assert parts["Text"] == blocks["text"], "the caveat is hidden, and what was typed meanwhile is no block"
    assert parts["ToolCall"] == blocks["tool_use"] == 2
    assert parts["ToolResult"] == blocks["tool_result"] == 2
    assert parts["Attachment"] == blocks["image"] + 1, "one is in a result"


def test_times_model_usage_title_folder_and_the_open_branch(tmp_path: Path) -> None:
    found = one(tmp_path, TALK)
    messages = said(found)
    assert (found.id, found.title, found.folder, found.model) == (SESSION, "Salt", "/home/me/sea", "claude-sonnet-4-5")
    assert (found.current, found.updated_at - found.created_at) == ("c", 22.0)
    assert messages["q"].at == 1_767_322_801.5
    assert messages["a1"].usage == Usage(3210, 5, cached_tokens=3000, cache_written_tokens=200)
    assert messages["c"].is_interrupted
    assert Attachment("image", "image/png", f"data:image/png;base64,{PNG}") in messages["q"].parts


def test_what_has_no_place_is_kept(tmp_path: Path) -> None:
    left = json.loads(one(tmp_path, TALK).rest)["lines"]
    assert left["meta"]["message"]["content"] == "Caveat: the messages below"
    assert left["line 1"]["isSnapshotUpdate"] is False
    assert left["s"]["durationMs"] == 5
    assert left["r1"]["toolUseResult"] == {"file": {"numLines": 1}}
    assert left["a1"]["message"]["content"]["0"]["signature"] == "c2ln"
    assert "cwd" not in left["s"], "it says what the line before says"


def test_a_compaction_stands_between_what_it_replaced_and_what_follows(tmp_path: Path) -> None:
    found = one(tmp_path, COMPACTED)
    assert links(found) == [("u1", ""), ("a1", "u1"), ("cut", "a1"), ("u2", "cut")]
    compaction = found.entries[2]
    assert isinstance(compaction, ForeignCompaction)
    assert (compaction.summary, compaction.is_automatic) == ("They began.", False)
    assert (compaction.tokens_before, compaction.tokens_after) == (150_000, 9_000)


def test_messages_that_a_compaction_kept_follow_it(tmp_path: Path) -> None:
    kept = assistant("k", "sum", 20, "m2", text("Kept"))
    cut = COMPACTED[2] | {"logicalParentUuid": "k"}
    found = one(tmp_path, [*COMPACTED[:2], cut, COMPACTED[3], kept, user("u2", "k", 40, "After")])
    assert links(found) == [("u1", ""), ("a1", "u1"), ("cut", "a1"), ("k", "cut"), ("u2", "k")]


def talk_of(*names: str) -> list[Line]:
    """Questions and answers in turn, each line a message that says its own name."""
    lines: list[Line] = []
    for second, (name, before) in enumerate(zip(names, [None, *names], strict=False), start=1):
        is_question = name.startswith("q")
        made = (
            user(name, before, second, name) if is_question else assistant(name, before or "", second, name, text(name))
        )
        lines.append(made)
    return lines


def boundary(uuid: str, logical: str, second: int, **metadata: Any) -> Line:
    about = {"trigger": "manual", "preTokens": 9, **metadata}
    more = {"subtype": "compact_boundary", "logicalParentUuid": logical, "compactMetadata": about}
    return line("system", uuid, None, second, **more)


def preserved(anchor: str, *names: str, is_named_each: bool = True) -> dict[str, Any]:
    each = {"preservedMessages": {"anchorUuid": anchor, "uuids": list(names), "allUuids": list(names)}}
    segment = {"headUuid": names[0], "anchorUuid": anchor, "tailUuid": names[-1]}
    return {"preservedSegment": segment} | (each if is_named_each else {})


def summary(uuid: str, parent: str, second: int) -> Line:
    return user(uuid, parent, second, f"summary {uuid}", isCompactSummary=True)


def sent_after(path: Path, *lines: Line) -> list[str]:
    """What the model would be sent after an import, without the wording around a summary."""
    items = view_of(Transcript(Chain(new_entries(one(path, list(lines)), "f")))).items
    return [
        item.message.text.rpartition("\n")[2] for item in items if item.kind in (ItemKind.MESSAGE, ItemKind.SUMMARY)
    ]


BEFORE = talk_of("q1", "a1", "q2", "a2")


@pytest.mark.parametrize("is_named_each", [True, False])
@pytest.mark.parametrize("follows", ["a2", "sum"])
def test_what_a_compaction_kept_is_sent_after_its_summary(tmp_path: Path, follows: str, is_named_each: bool) -> None:
    """Claude Code 2.1.332: /compact, automatic compaction and "summarize up to here"; with -p, what follows names the
    last kept line as its parent, otherwise the summary."""
    cut = boundary("cut", "a2", 20, **preserved("sum", "q2", "a2", is_named_each=is_named_each))
    lines = [*BEFORE, cut, summary("sum", "cut", 21), user("q3", follows, 22, "q3")]
    assert sent_after(tmp_path, *lines) == ["summary sum", "q2", "a2", "q3"]


def test_what_a_compaction_kept_before_its_summary_is_sent_before_it(tmp_path: Path) -> None:
    """Claude Code 2.1.332: "summarize from here" names the boundary as the anchor, and what is before it as kept."""
    cut = boundary("cut", "a1", 20, **preserved("cut", "q1", "a1"))
    lines = [*BEFORE, cut, summary("sum", "cut", 21), user("q3", "sum", 22, "q3")]
    assert sent_after(tmp_path, *lines) == ["q1", "a1", "summary sum", "q3"]
    again = boundary("cut2", "sum", 30, **preserved("sum2", "q3"))
    lines += [again, summary("sum2", "cut2", 31), user("q4", "q3", 32, "q4")]
    assert sent_after(tmp_path, *lines) == ["summary sum2", "q3", "q4"]


def test_a_forked_session_has_what_a_compaction_kept_where_it_is_sent(tmp_path: Path) -> None:
    cut = boundary("cut", "a2", 20, **preserved("sum", "q2"))
    lines = [cut, summary("sum", "cut", 21), user("q2", "sum", 3, "q2"), user("q3", "q2", 22, "q3")]
    assert sent_after(tmp_path, *lines) == ["summary sum", "q2", "q3"]
    cut = boundary("cut", "a1", 20, **preserved("cut", "q1"))
    lines = [cut, user("q1", "cut", 3, "q1"), summary("sum", "q1", 21), user("q3", "sum", 22, "q3")]
    assert sent_after(tmp_path, *lines) == ["q1", "summary sum", "q3"]


def test_a_reply_that_was_stopped_in_its_second_line_is_interrupted(tmp_path: Path) -> None:
    lines = [
        user("q", None, 1, "Go"),
        assistant("a", "q", 2, "m", THINKING),
        assistant("b", "a", 3, "m", text("Two"), isAbortedMidStream=True),
    ]
    assert said(one(tmp_path, lines))["a"].is_interrupted


def test_requests_that_repeat_the_messages_are_not_kept(tmp_path: Path) -> None:
    kinds = ("api-request", "api-request-shape", "api-request-blob")
    copies = [{"type": kind, "sessionId": SESSION, "message": "repeated"} for kind in kinds]
    copies.append(line("attachment", "p", "c", 30, attachment={"type": "prompt_snapshot", "text": "repeated"}))
    found = one(tmp_path, [*TALK, *copies])
    assert "repeated" not in found.rest
    assert links(found) == links(one(tmp_path, TALK))


def test_a_session_that_begins_with_a_long_piped_prompt_is_recognized(tmp_path: Path) -> None:
    queued = {"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-01-02T03:00:00Z"}
    piped = queued | {"sessionId": SESSION, "content": "log line\n" * 9_000}
    lines = [piped, user("q", None, 1, piped["content"]), assistant("a", "q", 2, "m", text("Long."))]
    assert [message.role for message in said(one(tmp_path, lines)).values()] == [Role.USER, Role.ASSISTANT]


def test_commands_say_what_was_typed_and_their_output_is_not_the_users(tmp_path: Path) -> None:
    command = "<command-name>/compact</command-name>\n  <command-message>compact</command-message>\n"
    typed = [
        command + "  <command-args>mind the tides</command-args>",
        "<local-command-stdout>\x1b[2mCompacted\x1b[22m</local-command-stdout>",
        "<bash-input> ls</bash-input>",
        "<bash-stdout>salt.txt</bash-stdout><bash-stderr></bash-stderr>",
        "<command-name> is a tag of theirs",
        "Is it salty?",
    ]
    lines = [user(f"u{n}", f"u{n - 1}" if n else None, n + 1, each) for n, each in enumerate(typed)]
    found = one(tmp_path, lines)
    assert [(message.text, message.speaker) for message in said(found).values()] == [
        ("/compact mind the tides", ""),
        ("Compacted", "Claude Code"),
        ("! ls", ""),
        ("salt.txt", "Claude Code"),
        ("<command-name> is a tag of theirs", ""),
        ("Is it salty?", ""),
    ]
    assert one(tmp_path, [*lines[:4], *lines[5:]]).title == "Is it salty?"


def test_an_image_that_the_user_named_is_a_picture(tmp_path: Path) -> None:
    file = {"type": "image", "file": {"base64": PNG, "type": "image/png", "originalSize": 8}}
    attached = {"type": "file", "filename": "/home/me/sea/salt.png", "displayPath": "salt.png", "content": file}
    found = one(tmp_path, [user("q", None, 1, "See @salt.png"), line("attachment", "f", "q", 2, attachment=attached)])
    assert said(found)["f"].parts == (Attachment("salt.png", "image/png", f"data:image/png;base64,{PNG}"),)


def test_a_compaction_without_a_summary_is_passed_over(tmp_path: Path) -> None:
    found = one(tmp_path, [*COMPACTED[:3], user("u2", "cut", 40, "After")])
    assert links(found) == [("u1", ""), ("a1", "u1"), ("u2", "a1")]


def test_a_summary_with_nothing_before_it_is_what_was_said_first(tmp_path: Path) -> None:
    found = one(tmp_path, [user("sum", None, 1, "They began.", isCompactSummary=True), user("u", "sum", 2, "On")])
    assert [m.text for m in said(found).values()] == ["They began.", "On"]


def test_subagents_are_conversations_of_their_own_and_put_away(tmp_path: Path) -> None:
    aside = [
        user("x", None, 5, "Search", isSidechain=True),
        assistant("y", "x", 6, "m9", text("Found"), isSidechain=True, agentId="ag1"),
    ]
    main, subagent = read(tmp_path, [*TALK, *aside])
    assert isinstance(main, ForeignConversation)
    assert isinstance(subagent, ForeignConversation)
    assert links(main) == links(one(tmp_path, TALK))
    assert links(subagent) == [("x", ""), ("y", "x")]
    assert (subagent.id, subagent.is_put_away, subagent.title) == (f"{SESSION}/ag1", True, "Search")


def test_a_title_of_the_users_is_before_others_and_another_sessions_summary_is_none(tmp_path: Path) -> None:
    mine = {"type": "custom-title", "sessionId": SESSION, "customTitle": "Mine"}
    other = {"type": "summary", "summary": "Of another", "leafUuid": "elsewhere"}
    own = {"type": "summary", "summary": "Of this", "leafUuid": "c"}
    assert one(tmp_path, [*TALK, mine]).title == "Mine"
    assert one(tmp_path, [other, *TALK[:-1]]).title == "What is in here?"
    assert one(tmp_path, [own, *TALK[:-1]]).title == "Of this"


def test_a_call_that_the_user_refused_is_told_apart(tmp_path: Path) -> None:
    refused = user("r", "a", 3, [answer("c1", "No.", is_error=True)], toolDenialKind="user-rejected")
    found = one(tmp_path, [user("q", None, 1, "Go"), assistant("a", "q", 2, "m", call("c1", "Bash")), refused])
    assert said(found)["r"].tool_result == ToolResult("c1", "Bash", "No.", is_error=True, ending="denied")


def test_lines_without_parents_follow_one_another(tmp_path: Path) -> None:
    about = {"type": "user", "sessionId": "s", "isSidechain": False}
    old = [{**about, "uuid": name, "message": {"content": name}} for name in "xyz"]
    assert links(one(tmp_path, old)) == [("x", ""), ("y", "x"), ("z", "y")]


def test_a_session_of_a_program_that_took_over_the_shape_is_another_programs(tmp_path: Path) -> None:
    theirs = {"type": "user", "sessionId": "s", "uuid": "u", "parentUuid": None, "message": {"parts": [{"text": "x"}]}}
    unread = only_unread(read(tmp_path, [theirs]))
    assert unread.reason.startswith(UNKNOWN_FORMAT + "JSON with the fields message,")


def test_a_cut_last_line_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    content = "\n".join(json.dumps(each) for each in TALK[:-1])
    (tmp_path / "cut.jsonl").write_text(content[:-30])
    found = only_conversation(read_file(tmp_path / "cut.jsonl"))
    assert found.unread == (UNREADABLE.format(what=f"line {len(TALK) - 1}", why=NOT_JSON),)
    assert found.current == "queued"


def test_lines_that_stand_there_twice_are_read_once(tmp_path: Path) -> None:
    assert links(one(tmp_path, [*TALK, *TALK])) == links(one(tmp_path, TALK))


def test_a_circle_of_parents_is_opened(tmp_path: Path) -> None:
    found = one(tmp_path, [user("x", "z", 1, "x"), user("y", "x", 2, "y"), user("z", "y", 3, "z")])
    assert len(found.entries) == 3


@pytest.mark.long
def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    content = "\n".join(json.dumps(each) for each in [*TALK, *COMPACTED[2:]]).encode()
    assert check_damaged(tmp_path / "damaged.jsonl", content, 200) > 0
