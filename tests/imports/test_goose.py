"""goose's sessions: the database of version 1.34.0, and the older files, which its source code describes."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from damage import WRONG, check_damaged, check_tree, messages_in, only_conversation, read_file

from desktop_app.context.view.view import view_of
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.transcript import Chain, Transcript

PIXEL = "iVBORw0KGgo="
PICTURE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
SEEN = Attachment("image", "image/png", f"data:image/png;base64,{PIXEL}")
AT = 1_772_359_260
CALL = {"name": "shell", "arguments": {"command": "ls pond"}}
TOLD = "Your context was compacted. The previous message contains a summary of the conversation so far."
Line = dict[str, Any]


def text(words: str, **more: Any) -> Line:
    return {"type": "text", "text": words, **more}


def line(name: str | None, role: str, *content: Line, user: bool = True, agent: bool = True) -> Line:
    metadata = {"userVisible": user, "agentVisible": agent}
    return {"id": name, "role": role, "created": AT, "content": list(content), "metadata": metadata}


def result(**value: Any) -> Line:
    return {"type": "toolResponse", "id": "c1", "toolResult": {"status": "success", "value": value}}


SESSION = [
    line("u1", "user", text("What lives in the pond?"), PICTURE),
    line("r1", "assistant", {"type": "thinking", "thinking": "Look.", "signature": ""}, text("I look.")),
    line("r2", "assistant", {"type": "toolRequest", "id": "c1", "toolCall": {"status": "success", "value": CALL}}),
    line("t1", "user", result(content=[text("newts"), PICTURE], isError=True, structuredContent={"exit_code": 1})),
    line("r3", "assistant", text("Newts do.")),
]
COLUMNS = {"sessions": "id, name, description, session_type, working_dir, created_at, updated_at, model_config_json"}
COLUMNS["messages"] = "id INTEGER PRIMARY KEY, message_id, session_id, role, content_json, created_timestamp"
COLUMNS["messages"] += ", timestamp, tokens, metadata_json"


def write(tmp_path: Path, *lines: Line, name: str = "20260301_1", **about: Any) -> Path:
    """Write a database with one session, with the columns of version 1.34.0 that are read."""
    file = tmp_path / "sessions.db"
    file.unlink(missing_ok=True)
    row = {"id": name, "name": "Pond life", "session_type": "user", "working_dir": "/pond", **about}
    row |= {"created_at": "2026-03-01 10:00:00", "model_config_json": '{"model_name": "newt-1"}'}
    with closing(sqlite3.connect(file)) as database:
        for table, columns in COLUMNS.items():
            database.execute(f"CREATE TABLE {table} ({columns})")
        places = ", ".join("?" * len(row))
        database.execute(f"INSERT INTO sessions ({', '.join(row)}) VALUES ({places})", list(row.values()))
        for each in lines:
            values = (each["id"], name, each["role"], json.dumps(each["content"]), AT, json.dumps(each["metadata"]))
            names = "message_id, session_id, role, content_json, created_timestamp, metadata_json"
            database.execute(f"INSERT INTO messages ({names}) VALUES (?, ?, ?, ?, ?, ?)", values)
        database.commit()
    return file


def session(tmp_path: Path, *lines: Line, **about: Any) -> ForeignConversation:
    return only_conversation(read_file(write(tmp_path, *lines, **about)))


def compactions(found: ForeignConversation) -> list[ForeignCompaction]:
    return [each for each in found.entries if isinstance(each, ForeignCompaction)]


def test_a_session_is_read_whole(tmp_path: Path) -> None:
    found = session(tmp_path, *SESSION)
    asked, looked, called, listed, answered = messages_in(found)
    assert asked.parts == (Text("What lives in the pond?"), SEEN)
    assert looked.parts == (Reasoning("Look."), Text("I look."))
    assert called.parts == (ToolCall("c1", "shell", '{"command": "ls pond"}'),)
    assert (listed.role, listed.parts) == (Role.TOOL, (ToolResult("c1", "shell", "newts", is_error=True), SEEN))
    assert (answered.text, answered.model, answered.at) == ("Newts do.", "newt-1", AT)
    assert (found.id, found.title, found.folder, found.model) == ("20260301_1", "Pond life", "/pond", "newt-1")
    assert (found.program, found.created_at, found.is_put_away) == ("goose", 1_772_359_200.0, False)
    assert session(tmp_path, *SESSION, session_type="sub_agent").is_put_away


def hidden(*lines: Line) -> list[Line]:
    """Return lines as a compaction leaves them: for the user alone."""
    return [each | {"metadata": each["metadata"] | {"agentVisible": False}} for each in lines]


def compacted(is_last: bool = True, *, said: str = TOLD) -> list[Line]:
    summary = line("k", "user", text("Newts live there."), user=False, agent=is_last)
    return [summary, line("k/told", "assistant", text(said), user=False, agent=is_last)]


LEDGER = "id INTEGER PRIMARY KEY, session_id, created_timestamp, model, input_tokens, output_tokens, total_tokens"
LEDGER += ", cache_read_tokens, cache_write_tokens, cost, cost_source, is_compaction"


def add_ledger(file: Path, *rows: tuple[int, int, int | None, float | None, int], name: str = "20260301_1") -> None:
    """Add what version 1.52.0 stores of each request: input, output, cache, costs, and whether it is for a summary."""
    with closing(sqlite3.connect(file)) as database:
        database.execute(f"CREATE TABLE usage_ledger ({LEDGER})")
        for row in rows:
            names = "session_id, input_tokens, output_tokens, cache_read_tokens, cost, is_compaction"
            database.execute(f"INSERT INTO usage_ledger ({names}) VALUES (?, ?, ?, ?, ?, ?)", (name, *row))
        database.commit()


def test_later_versions_store_the_tokens_of_each_request(tmp_path: Path) -> None:
    """A reply of several messages is one request; those for summaries are no replies."""
    file = write(tmp_path, *SESSION)
    add_ledger(file, (100, 20, 60, 0.5, 0), (900, 90, None, None, 1), (200, 30, None, None, 0))
    replies = [each for each in messages_in(only_conversation(read_file(file))) if each.role is Role.ASSISTANT]
    assert [each.usage for each in replies] == [Usage(100, 20, 60, 0, 0.5), None, Usage(200, 30)]


def test_the_thoughts_of_a_reply_with_two_calls_are_there_once(tmp_path: Path) -> None:
    """Version 1.52.0 stores each call with its result, and a copy of the thoughts with each."""
    thought = {"type": "thinking", "thinking": "Look.", "signature": ""}
    call = {"type": "toolRequest", "toolCall": {"status": "success", "value": CALL}}
    answer = result(content=[text("newts")])
    lines = [
        line("r1", "assistant", thought, text("I look."), call | {"id": "c1"}),
        line("t1", "user", answer),
        line("r1", "assistant", thought, call | {"id": "c2"}),
        line("t2", "user", answer | {"id": "c2"}),
        line("r2", "assistant", text("Newts.")),
        line("u2", "user", text("Again?")),
        line("r3", "assistant", thought, text("Newts.")),
    ]
    messages = messages_in(session(tmp_path, SESSION[0], *lines))
    assert [sum(isinstance(part, Reasoning) for part in each.parts) for each in messages] == [0, 1, 0, 0, 0, 0, 0, 1]
    assert [call.call_id for each in messages for call in each.tool_calls] == ["c1", "c2"]


def test_without_a_line_for_each_reply_the_tokens_of_a_message_count(tmp_path: Path) -> None:
    measured = {"inputTokens": 200, "outputTokens": 30, "totalTokens": 230, "cacheReadTokens": 12, "elapsedMs": 2}
    last = SESSION[-1] | {"metadata": SESSION[-1]["metadata"] | {"usage": measured}}
    file = write(tmp_path, *SESSION[:-1], last)
    add_ledger(file, (100, 20, None, None, 0))
    replies = [each for each in messages_in(only_conversation(read_file(file))) if each.role is Role.ASSISTANT]
    assert [each.usage for each in replies] == [None, None, Usage(200, 30, 12)]


def test_what_goose_tells_the_model_of_each_turn_is_no_words_of_the_user(tmp_path: Path) -> None:
    """Version 1.52.0 stores the time and the folder as a message that the user does not see."""
    context = line("x", "user", text("<turn-context>\n<current-time>now</current-time>\n</turn-context>"), user=False)
    context["metadata"]["turnContext"] = True
    found = session(
        tmp_path, SESSION[0], context, *SESSION[1:], *hidden(line("u2", "user", text("And?"))), *compacted()
    )
    assert [each.speaker for each in messages_in(found)[:3]] == ["", "goose", ""]
    assert [each.kept for each in compactions(found)] == [()]


def test_the_prompt_that_a_compaction_delayed_is_there_once_and_is_still_sent(tmp_path: Path) -> None:
    waited = line("u2", "user", text("And how deep?"), user=False, agent=False)
    again, reply = line("u3", "user", text("And how deep?")), line("r4", "assistant", text("Two metres."))
    before = session(tmp_path, *SESSION, waited | {"metadata": {}})
    found = session(tmp_path, *hidden(*SESSION), waited, *compacted(), again, reply)
    assert [each.text for each in messages_in(found)].count("And how deep?") == 1
    (entry,) = compactions(found)
    assert (entry.summary, entry.parent, entry.kept, entry.is_automatic) == ("Newts live there.", "u2", ("u2",), True)
    record = new_entries(before, "")
    record += new_entries(found, "", record)
    view = [item.message.text for item in view_of(Transcript(Chain(record))).items if item.message]
    assert view[0].endswith("Newts live there.")
    assert view[2:] == ["And how deep?", "Two metres."]
    assert new_entries(found, "", record) == []


def test_a_command_to_goose_is_no_message(tmp_path: Path) -> None:
    command = line("u2", "user", text("/compact"), agent=False)
    notice = {"type": "systemNotification", "notificationType": "inlineMessage", "msg": "Compaction complete"}
    done = line("n", "assistant", notice, agent=False)
    asked = compacted(said="Your context was compacted at the user's request.")
    found = session(tmp_path, *hidden(*SESSION), *asked, command, done, line("u3", "user", text("/etc is full")))
    assert [each.text for each in messages_in(found)][-2:] == ["Newts do.", "/etc is full"]
    assert [each.is_automatic for each in compactions(found)] == [False]
    assert "Compaction complete" in found.rest


def test_replies_with_the_same_id_are_all_there(tmp_path: Path) -> None:
    """goose takes a reply's id from the server; some servers give each reply the same one."""
    lines = [each | {"id": "chat-1"} if each["role"] == "assistant" else each for each in SESSION]
    found = session(tmp_path, *hidden(*lines), *compacted(False), line("chat-1", "assistant", text("Toads do, too.")))
    assert len(messages_in(found)) == 6
    assert len(compactions(found)) == 1


def test_a_result_has_what_the_model_received(tmp_path: Path) -> None:
    """Before version 1.7, results were lists, and some elements for the user alone."""
    shown = [text("for both"), text("for the user", annotations={"audience": ["user"]})]
    resource = {"type": "resource", "resource": {"uri": "file:///pond", "text": "a file"}}
    older = {"type": "toolResponse", "id": "c1", "toolResult": {"status": "success", "value": [*shown, resource]}}
    failed = {"type": "toolResponse", "id": "c1", "toolResult": {"status": "error", "error": "no such pond"}}
    found = session(tmp_path, *SESSION[:3], line("t1", "user", older), line("t2", "user", failed))
    results = [message.tool_result for message in messages_in(found) if message.tool_result]
    assert [(each.text, each.is_error) for each in results] == [
        ("for both\n\na file", False),
        ("no such pond", True),
    ]
    assert "for the user" in found.rest


def test_an_older_file_is_a_session_unless_the_database_has_it(tmp_path: Path) -> None:
    about = {"working_dir": "/pond", "description": "Pond life", "message_count": 5, "total_tokens": 90}
    lines = [{name: value for name, value in each.items() if name != "metadata"} | {"id": None} for each in SESSION]
    file = tmp_path / "20250325_200615.jsonl"
    file.write_text("\n".join(map(json.dumps, [about, *lines])))
    found = only_conversation(read_file(file))
    assert [each.text for each in messages_in(found)][::4] == ["What lives in the pond?", "Newts do."]
    assert (found.id, found.title, found.folder) == ("20250325_200615", "Pond life", "/pond")
    file.write_text("\n".join(map(json.dumps, lines)))
    assert len(messages_in(only_conversation(read_file(file)))) == 5
    write(tmp_path, *SESSION, name="20250325_200615")
    assert [each.text for each in messages_in(only_conversation(read_file(tmp_path)))][-1] == "Newts do."
    write(tmp_path, *SESSION, name="another")
    assert len(read_file(tmp_path)) == 2


def test_damaged_sessions_are_read_or_refused(tmp_path: Path) -> None:
    older = [{"working_dir": "/pond", "description": "", "message_count": 5}, *SESSION, *compacted()]
    check_damaged(tmp_path / "s.jsonl", "\n".join(map(json.dumps, older)).encode())
    chance = random.Random(0)
    for file in [write(tmp_path, *SESSION, *compacted())] * 40:
        column, wrong = chance.choice(["message_id", "content_json", "metadata_json", "role"]), chance.choice(WRONG)
        with closing(sqlite3.connect(file)) as database:
            values = (json.dumps(wrong) if chance.random() < 0.7 else None, chance.randint(1, 7))
            database.execute(f"UPDATE messages SET {column} = ? WHERE id = ?", values)
            database.commit()
        for each in read_file(file):
            assert isinstance(each, ForeignConversation)
            check_tree(each)
