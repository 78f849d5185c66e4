"""Sessions of the Codex CLI, in the shape of its versions 0.50 to 0.171, and in that of before September 2025."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from damage import check_damaged, entries_in, messages_in, only_conversation, only_unread, read_file

from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import view_of
from desktop_app.conversation.branches import Branches
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.transcript import Chain, Transcript
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


ORDINALS = "0000aaaa-1111-4222-8333-44445555666"
"""A session's id without its last digit."""


def written(path: Path, name: str, first: int, *items: tuple[str, dict[str, Any]], **about: Any) -> None:
    """Write lines with ordinals, as Codex 0.171 does; the file's name ends in the session and the file's own id."""
    lines = [json.loads(line) | {"ordinal": first + n} for n, line in enumerate(session(*items, **about).splitlines())]
    path.mkdir(parents=True, exist_ok=True)
    (path / f"rollout-2026-11-27T21-37-4{first % 10}-{name}.jsonl").write_text(
        "".join(json.dumps(e) + "\n" for e in lines)
    )


def conversations(path: Path) -> dict[str, ForeignConversation]:
    return {found.id: found for found in read_file(path) if isinstance(found, ForeignConversation)}


def rewound(home: Path) -> Path:
    """A session that goes on in a second file from before its second question, and its fork in a third one."""
    day, one_id, fork = home / "sessions/2026/11/27", f"{ORDINALS}1", f"{ORDINALS}2"
    talk = [said("user", "Carp?"), said("assistant", "Yes."), said("user", "Feed it"), said("assistant", "Fed.")]
    written(day, one_id, 0, *talk, id=one_id)
    base = {"thread_id": one_id, "end_ordinal_exclusive": 3, "end_byte_offset": 999}
    more = [said("user", "Draw it"), said("assistant", "Drawn.")]
    written(day, f"{one_id}_{ORDINALS}9", 3, *more, id=one_id, history_base=base)
    forked = {"thread_id": one_id, "end_ordinal_exclusive": 5}
    written(day, fork, 5, said("user", "Sell it"), id=fork, forked_from_id=one_id, history_base=forked)
    return day


def test_a_session_that_was_rewound_is_one_with_both_branches_and_a_fork_has_its_past(tmp_path: Path) -> None:
    day = rewound(tmp_path)
    for root in (tmp_path, day):
        whole = conversations(root)
        paths = {name: Branches(new_entries(found, "f")) for name, found in whole.items()}
        now = {name: [e.text for e in paths[name].path() if isinstance(e, Message)] for name in paths}
        assert now == {
            f"{ORDINALS}1": ["Carp?", "Yes.", "Draw it", "Drawn."],
            f"{ORDINALS}2": ["Carp?", "Yes.", "Draw it", "Sell it"],
        }
        assert whole[f"{ORDINALS}1"].messages == 6


def test_a_file_that_is_given_alone_finds_its_past_or_says_that_it_is_missing(tmp_path: Path) -> None:
    day = rewound(tmp_path)
    fork = day / f"rollout-2026-11-27T21-37-45-{ORDINALS}2.jsonl"
    assert [m.text for m in messages_in(only_conversation(read_file(fork)))] == ["Carp?", "Yes.", "Draw it", "Sell it"]
    elsewhere = tmp_path / "elsewhere" / fork.name
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(fork.read_bytes())
    found = only_conversation(read_file(elsewhere))
    assert [m.text for m in messages_in(found)] == ["Sell it"]
    assert f"{ORDINALS}1" in found.unread[0]


def test_a_rewound_session_that_is_imported_before_and_after_is_the_same(tmp_path: Path) -> None:
    day = rewound(tmp_path)
    later = day / f"rollout-2026-11-27T21-37-43-{ORDINALS}1_{ORDINALS}9.jsonl"
    content = later.read_bytes()
    later.unlink()
    record = new_entries(conversations(day)[f"{ORDINALS}1"], "first")
    later.write_bytes(content)
    whole = conversations(day)[f"{ORDINALS}1"]
    record += new_entries(whole, "second", record)
    assert [e.text for e in Branches(record).path() if isinstance(e, Message)] == ["Carp?", "Yes.", "Draw it", "Drawn."]
    assert {e.id for e in record if isinstance(e, Message)} == {
        e.id for e in new_entries(whole, "whole") if isinstance(e, Message)
    }


def test_names_are_in_the_index_and_archived_sessions_are_put_away(tmp_path: Path) -> None:
    session_id = f"{ORDINALS}1"
    written(tmp_path / "archived_sessions", session_id, 0, said("user", "Carp?"), id=session_id)
    index = [{"id": session_id, "thread_name": "Old"}, {"id": session_id, "thread_name": "Pond life"}]
    (tmp_path / "session_index.jsonl").write_text("".join(json.dumps(each) + "\n" for each in index))
    for path in (tmp_path / "archived_sessions", tmp_path):
        (found,) = conversations(path).values()
        assert (found.title, found.is_put_away) == ("Pond life", True)


def test_a_subagents_session_is_put_away(tmp_path: Path) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "s0", "depth": 1}}}
    assert one(tmp_path, session(said("user", "Count"), source=source, thread_source="subagent")).is_put_away
    assert not one(tmp_path, session(said("user", "Count"), source="exec", thread_source="user")).is_put_away


def test_what_a_compaction_kept_is_sent_before_its_summary(tmp_path: Path) -> None:
    """Codex keeps what the user wrote, and sends the summary after it."""
    summary = "Another language model summarized: carp."
    asked = [said("user", text, id=f"msg_{n}") for n, text in enumerate(["Carp?", "Feed it"])]
    history = [payload for _, payload in [*asked, said("user", summary, id="msg_9")]]
    made = said("assistant", "carp.", id="msg_8")
    lines = [asked[0], said("assistant", "Yes."), asked[1], said("assistant", "Fed."), made]
    cut = ("compacted", {"message": summary, "replacement_history": history})
    content = session(*lines, cut, event("task_complete"), said("user", "Draw it")).splitlines()
    place = next(n for n, line in enumerate(content) if "msg_8" in line)
    content[place] = json.dumps(json.loads(content[place]) | {"metadata": {"compaction_output": True}})
    found = one(tmp_path, "\n".join(content))
    (compaction,) = [entry for entry in found.entries if isinstance(entry, ForeignCompaction)]
    assert not compaction.is_automatic
    items = view_of(Transcript(Chain(new_entries(found, "f")))).items
    sent = [each.message.text for each in items if each.kind in (ItemKind.MESSAGE, ItemKind.SUMMARY)]
    assert sent[:2] == ["Carp?", "Feed it"]
    assert summary in sent[2]
    assert sent[3:] == ["Draw it"]


def test_the_same_without_ids_is_found_by_what_was_said(tmp_path: Path) -> None:
    asked = [said("user", text) for text in ("Carp?", "Feed it", "Carp?")]
    history = [payload for _, payload in [*asked[1:], said("user", "Sum.")]]
    found = one(tmp_path, session(*asked, ("compacted", {"message": "Sum.", "replacement_history": history})))
    (compaction,) = [entry for entry in found.entries if isinstance(entry, ForeignCompaction)]
    assert compaction.kept == tuple(entry.id for entry in entries_in(found)[1:3])
    assert compaction.follows == compaction.kept[-1]


def test_commands_that_failed_or_were_aborted_are_errors(tmp_path: Path) -> None:
    outputs = {
        "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nno": (True, ""),
        "Chunk ID: 1\nProcess exited with code 0\nOutput:\nExit code: 7": (False, ""),
        "Exit code: 2\nWall time: 1 seconds\nOutput:\n": (True, ""),
        '{"output":"no","metadata":{"exit_code":1,"duration_seconds":0.1}}': (True, ""),
        '{"output":"yes","metadata":{"exit_code":0}}': (False, ""),
        "Wall time: 7.2 seconds\naborted by user": (True, "stopped"),
    }
    lines = [item("function_call_output", call_id=f"c{n}", output=text) for n, text in enumerate(outputs)]
    results = [message.tool_result for message in messages_in(one(tmp_path, session(*lines)))]
    assert [(each.is_error, each.ending) for each in results if each] == list(outputs.values())


def test_tokens_that_are_said_after_the_results_are_those_of_the_call(tmp_path: Path) -> None:
    call_of = item("function_call", name="shell", arguments="{}", call_id="c1")
    answer = item("function_call_output", call_id="c1", output="carp.txt")
    found = one(tmp_path, session(said("user", "Go"), call_of, answer, tokens(120, 100, 20), said("assistant", "Done")))
    assert [m.usage and m.usage.prompt_tokens for m in messages_in(found)] == [None, 100, None, None]
    record = ("token_usage_record", {"response_id": "r", "usage": {"input_tokens": 7, "output_tokens": 1}})
    lines = [said("user", "Go"), call_of, record, answer, tokens(120, 100, 20), said("assistant", "Done"), record]
    found = one(tmp_path, session(*lines, tokens(200, 80, 1)))
    assert [m.usage and m.usage.prompt_tokens for m in messages_in(found)] == [None, 7, None, 7]


def test_a_turn_that_the_user_stopped_and_what_codex_says_of_it(tmp_path: Path) -> None:
    note = said("user", "<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>")
    ran = "<command>\nls\n</command>\n<result>\nExit code: 0\ncarp.txt\n</result>"
    command = f"<user_shell_command>\n{ran}\n</user_shell_command>"
    lines = [said("user", "Go"), said("assistant", "I"), note, event("turn_aborted"), said("user", command)]
    messages = messages_in(one(tmp_path, session(*lines)))
    assert [message.is_interrupted for message in messages] == [False, True, False, False]
    assert [message.speaker for message in messages] == ["", "", "Codex CLI", ""]
    assert messages[-1].text == "! ls\n\nExit code: 0\ncarp.txt"


def test_an_image_has_its_name_and_no_tags(tmp_path: Path) -> None:
    tag = {"type": "input_text", "text": '<image name=[Image #1] path="pond/carp.png">'}
    end, text = ({"type": "input_text", "text": each} for each in ("</image>", "Which?"))
    content = [tag, {"type": "input_image", "image_url": PICTURE}, end, text]
    (message,) = messages_in(one(tmp_path, session(item("message", role="user", content=content))))
    assert message.parts == (Attachment("carp.png", "image/png", PICTURE), Text("Which?"))
