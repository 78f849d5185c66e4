"""Sessions of the Codex CLI, in the shape of its versions 0.50 to 0.146, and in that of before September 2025."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from damage import check_damaged, entries_in, messages_in, only_conversation, only_unread, read_file

from desktop_app.conversation.branches import Branches
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.imports.format import NOT_JSON
from texts import UNREADABLE

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
PICTURE = "data:image/png;base64," + base64.b64encode(PNG).decode()
START = 1_764_583_200.0
"""2025-12-01 10:00 UTC; each line is a second later."""


def session(*items: tuple[str, dict[str, Any]], **about: Any) -> str:
    meta = {"id": "s1", "timestamp": "2025-12-01T10:00:00.000Z", "cwd": "/home/ann/pond", "cli_version": "0.106.0"}
    lines = [("session_meta", meta | {"instructions": "Be brief."} | about), *items]
    return "".join(
        json.dumps({"timestamp": f"2025-12-01T10:00:{second:02}.000Z", "type": kind, "payload": payload}) + "\n"
        for second, (kind, payload) in enumerate(lines)
    )


def item(kind: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "response_item", {"type": kind, **fields}


def said(role: str, text: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    content = [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]
    return item("message", role=role, content=content, **fields)


def event(kind: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "event_msg", {"type": kind, **fields}


def tokens(total: int, prompt: int, reply: int) -> tuple[str, dict[str, Any]]:
    last = {"input_tokens": prompt, "cached_input_tokens": 5, "output_tokens": reply, "reasoning_output_tokens": 2}
    return event("token_count", info={"total_token_usage": {"total_tokens": total}, "last_token_usage": last})


TURN = ("turn_context", {"turn_id": "t1", "cwd": "/home/ann/pond", "model": "gpt-5.2", "effort": "high"})
PLACE = said("user", "<environment_context>\n  <cwd>/home/ann/pond</cwd>\n</environment_context>")
WHOLE = session(
    said("developer", "<permissions instructions>Ask.</permissions instructions>"),
    PLACE,
    TURN,
    said("user", "Which fish are there?"),
    event("user_message", message="Which fish are there?", images=[]),
    item("reasoning", summary=[{"type": "summary_text", "text": "**Looking**"}], encrypted_content="gAAAA1"),
    event("agent_reasoning", text="**Looking**"),
    item("function_call", name="shell", arguments='{"command":["ls"]}', call_id="c1"),
    item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c2", status="completed"),
    tokens(120, 100, 20),
    tokens(120, 100, 20),
    item("function_call_output", call_id="c1", output="carp.txt"),
    item("custom_tool_call_output", call_id="c2", output=[{"type": "input_text", "text": "Done"}]),
    item("local_shell_call", call_id="c3", status="completed", action={"type": "exec", "command": ["pwd"]}),
    item("function_call_output", call_id="c3", output={"content": "no", "success": False}),
    item("web_search_call", status="completed", action={"type": "search", "query": "carp"}),
    ("turn_context", TURN[1] | {"turn_id": "t2", "model": "gpt-5.3"}),
    said("assistant", "A carp.", phase="final_answer"),
    tokens(300, 150, 30),
    event("agent_message", message="A carp."),
    event("task_complete", last_agent_message="A carp.", duration_ms=3166),
)


def one(tmp_path: Path, content: str) -> ForeignConversation:
    (tmp_path / "rollout-1.jsonl").write_text(content)
    return only_conversation(read_file(tmp_path / "rollout-1.jsonl"))


def test_all_items_are_messages_once_with_their_times(tmp_path: Path) -> None:
    found = one(tmp_path, WHOLE)
    lines = [json.loads(line) for line in WHOLE.splitlines()]
    items = [(n, line["payload"]["type"]) for n, line in enumerate(lines) if line["type"] == "response_item"]
    assert [(message.at - START, _kind(message)) for message in messages_in(found)] == items
    assert (found.id, found.folder, found.title) == ("s1", "/home/ann/pond", "Which fish are there?")
    assert (found.created_at, found.updated_at, found.model) == (START, START + len(lines) - 1, "gpt-5.3")


def _kind(message: Message) -> str:
    """The type of the item that became this message."""
    part = message.parts[0]
    if isinstance(part, ToolCall | ToolResult):
        kind = {"apply_patch": "custom_tool_call", "shell": "function_call"}.get(part.name, f"{part.name}_call")
        is_result = isinstance(part, ToolResult)
        return ("function_call" if is_result and part.name == "local_shell" else kind) + "_output" * is_result
    return "reasoning" if isinstance(part, Reasoning) else "message"


def test_calls_results_reasoning_models_and_tokens_are_found_again(tmp_path: Path) -> None:
    found = messages_in(one(tmp_path, WHOLE))
    assert [message.parts[0] for message in found[2:]] == [
        Text("Which fish are there?"),
        Reasoning("**Looking**"),
        ToolCall("c1", "shell", '{"command":["ls"]}'),
        ToolCall("c2", "apply_patch", '{"input": "*** Begin Patch"}'),
        ToolResult("c1", "shell", "carp.txt"),
        ToolResult("c2", "apply_patch", "Done"),
        ToolCall("c3", "local_shell", '{"type": "exec", "command": ["pwd"]}'),
        ToolResult("c3", "local_shell", "no", is_error=True),
        ToolCall("", "web_search", '{"type": "search", "query": "carp"}'),
        Text("A carp."),
    ]
    assert [message.role for message in found[:3]] == [Role.SYSTEM, Role.USER, Role.USER]
    assert [message.model for message in found[-2:]] == ["gpt-5.2", "gpt-5.3"]
    measured = {n: message.usage for n, message in enumerate(found) if message.usage}
    assert measured == {
        5: Usage(100, 20, cached_tokens=5, reasoning_tokens=2),
        11: Usage(150, 30, cached_tokens=5, reasoning_tokens=2),
    }


def test_what_has_no_place_is_kept_and_what_is_said_twice_is_not(tmp_path: Path) -> None:
    rest = json.loads(one(tmp_path, WHOLE).rest)
    assert rest["1"] == {"type": "session_meta", "cli_version": "0.106.0", "instructions": "Be brief."}
    assert rest["4"] == {"type": "turn_context", "effort": "high"}
    assert rest["7"] == {"type": "reasoning", "encrypted_content": "gAAAA1"}
    assert rest["22"] == {"type": "task_complete", "duration_ms": 3166}
    assert not {"6", "8", "11", "12", "18", "20", "21"} & rest.keys()


def test_images_come_along(tmp_path: Path) -> None:
    content = [{"type": "input_image", "image_url": PICTURE}, {"type": "input_text", "text": "What is it?"}]
    drawn = base64.b64encode(PNG).decode()
    found = messages_in(
        one(
            tmp_path,
            session(
                item("message", role="user", content=content),
                item("function_call_output", call_id="c1", output=[{"type": "input_image", "image_url": PICTURE}]),
                item("image_generation_call", id="ig", status="completed", result=drawn),
                event("image_generation_end", call_id="ig", result=drawn),
            ),
        )
    )
    assert found[0].parts == (Attachment("image", "image/png", PICTURE), Text("What is it?"))
    assert found[1].parts == (ToolResult("c1", "tool", ""), Attachment("image", "image/png", PICTURE))
    assert found[2].parts == (Attachment("image", "image/png", PICTURE),)


def test_a_summary_stands_for_what_was_before_it(tmp_path: Path) -> None:
    again = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Which fish?"}]}
    secret = {"type": "compaction", "encrypted_content": "gAAAA2"}
    found = one(
        tmp_path,
        session(
            TURN,
            said("user", "Which fish?"),
            said("assistant", "A carp."),
            ("compacted", {"message": "They asked about fish.", "replacement_history": [again]}),
            said("user", "And birds?"),
            ("compacted", {"message": "", "replacement_history": [again, secret]}),
            said("assistant", "A heron."),
        ),
    )
    question, answer, summary, birds, heron = found.entries
    assert isinstance(summary, ForeignCompaction)
    assert (summary.parent, summary.summary, summary.at) == (answer.id, "They asked about fish.", START + 4)
    assert (birds.parent, heron.parent) == (summary.id, birds.id)
    assert "gAAAA2" in found.rest
    assert "Which fish?" not in found.rest
    branches = Branches(new_entries(found, "f"))
    assert [entry.text for entry in branches.path() if isinstance(entry, Message)] == [
        "Which fish?",
        "A carp.",
        "And birds?",
        "A heron.",
    ]
    assert question.parent == ""


def test_what_was_taken_back_is_another_version(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        session(
            PLACE,
            said("user", "One"),
            said("assistant", "1"),
            said("user", "Two"),
            said("assistant", "2"),
            event("thread_rolled_back", num_turns=1),
            said("user", "Three"),
            event("thread_rolled_back", num_turns=9),
            said("user", "Two"),
            said("assistant", "Two again"),
        ),
    )
    texts = {e.id: e.message.text for e in entries_in(found)} | {"": ""}
    links = [(texts[e.parent], texts[e.id]) for e in found.entries][1:]
    place = PLACE[1]["content"][0]["text"]
    assert links == [
        (place, "One"),
        ("One", "1"),
        ("1", "Two"),
        ("Two", "2"),
        ("1", "Three"),
        (place, "Two"),
        ("Two", "Two again"),
    ]
    path = [entry.text for entry in Branches(new_entries(found, "f")).path() if isinstance(entry, Message)]
    assert path == [place, "Two", "Two again"]


def test_a_session_that_has_grown_is_the_same_with_more(tmp_path: Path) -> None:
    before, after = one(tmp_path, WHOLE), one(tmp_path, WHOLE + session(said("user", "Thanks")))
    assert [entry.id for entry in after.entries][: len(before.entries)] == [entry.id for entry in before.entries]
    assert (after.id, len(after.entries)) == (before.id, len(before.entries) + 1)


def test_a_copied_session_keeps_its_own_id(tmp_path: Path) -> None:
    copied = ("session_meta", {"id": "s0", "cwd": "/elsewhere", "timestamp": "2025-11-01T10:00:00Z"})
    found = one(tmp_path, session(copied, said("user", "Go on"), forked_from_id="s0"))
    assert (found.id, found.folder, found.created_at) == ("s1", "/home/ann/pond", START)


def test_the_title_is_what_the_user_wrote_or_named_it(tmp_path: Path) -> None:
    rules = said("user", "# AGENTS.md instructions for /home/ann/pond\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>")
    asked = said("user", "# Context from my IDE setup:\n\n- a.py\n\n## My request for Codex:\nFeed the carp\n")
    assert one(tmp_path, session(rules, PLACE, asked)).title == "Feed the carp"
    assert one(tmp_path, session(asked, event("thread_name_updated", thread_name="Pond"))).title == "Pond"


OLD: list[dict[str, Any]] = [
    {"id": "old1", "timestamp": "2025-08-18T01:16:13.522Z", "instructions": None, "git": {"branch": "main"}},
    {"record_type": "state"},
    {"type": "message", "id": None, **{name: PLACE[1][name] for name in ("role", "content")}},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Count the ducks"}]},
    {"type": "function_call", "id": "fc", "name": "shell", "arguments": "{}", "call_id": "c1"},
    {"record_type": "state"},
    {"type": "function_call_output", "call_id": "c1", "output": '{"output":"3","metadata":{"exit_code":0}}'},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Three."}]},
]


def test_the_older_lines_are_read(tmp_path: Path) -> None:
    found = one(tmp_path, "\n".join(map(json.dumps, OLD)))
    assert len(messages_in(found)) == sum("type" in line for line in OLD)
    assert (found.id, found.title, found.folder) == ("old1", "Count the ducks", "/home/ann/pond")
    assert found.created_at == 1_755_479_773.522
    assert messages_in(found)[3].parts == (ToolResult("c1", "shell", '{"output":"3","metadata":{"exit_code":0}}'),)
    assert json.loads(found.rest)["1"] == {"type": "", "git": {"branch": "main"}}


def test_a_damaged_line_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    found = one(tmp_path, session(said("user", "One"), said("user", "Two"))[:-20])
    assert [message.text for message in messages_in(found)] == ["One"]
    assert found.unread == (UNREADABLE.format(what="line 3", why=NOT_JSON),)


def test_arguments_and_numbers_out_of_bounds_end_nothing(tmp_path: Path) -> None:
    deep = "[" * 200_000
    call = item("function_call", name="shell", arguments=deep, call_id="c1")
    content = session(call, tokens(9, 1, 1), event("thread_rolled_back", num_turns=1))
    content = content.replace('"num_turns": 1', '"num_turns": Infinity').replace(
        '"input_tokens": 1', '"input_tokens": NaN'
    )
    found = messages_in(one(tmp_path, content))
    assert found[0].tool_calls == (ToolCall("c1", "shell", json.dumps({"input": deep})),)
    assert found[0].usage == Usage(0, 1, cached_tokens=5, reasoning_tokens=2)


def test_a_session_in_which_nothing_was_said_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(session(TURN))
    found = only_unread(read_file(tmp_path / "a.jsonl"))
    assert found.reason == "it has no messages"


def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    assert check_damaged(tmp_path / "damaged.jsonl", WHOLE.encode()) > 0
    assert check_damaged(tmp_path / "damaged.jsonl", "\n".join(map(json.dumps, OLD)).encode()) > 0


def test_tokens_that_are_told_before_the_reply_are_those_of_the_reply(tmp_path: Path) -> None:
    call = item("function_call", name="shell", arguments="{}", call_id="c1")
    result = item("function_call_output", call_id="c1", output="x")
    asked = said("user", "Hey")
    found = messages_in(
        one(tmp_path, session(asked, tokens(9, 1, 2), call, result, tokens(20, 3, 4), said("assistant", "Ho")))
    )
    assert [message.usage and message.usage.prompt_tokens for message in found] == [None, 1, None, 3]
