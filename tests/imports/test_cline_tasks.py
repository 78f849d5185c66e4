"""Cline's tasks, in the shapes that its extension wrote before it had sessions (source code of 3.2.0 and 3.85.0)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from damage import check_damaged, messages_in, only_conversation, only_unread, read_file

from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import view_of
from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage
from desktop_app.conversation.transcript import Chain, Transcript

PIXEL = "iVBORw0KGgo="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
SEEN = Attachment("image", "image/png", f"data:image/png;base64,{PIXEL}")
AT = 1_772_359_260_000
DETAILS = """<environment_details>
# Current Time
3/1/2026, 10:01:00 AM

# Current Working Directory (/pond) Files
notes.txt
</environment_details>"""
Json = dict[str, Any]


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def user(*content: Json) -> Json:
    return {"role": "user", "content": [*content, text(DETAILS)]}


def reply(*content: Json, **more: Any) -> Json:
    return {"role": "assistant", "content": list(content), **more}


WRITE = """<thinking>
A file.
</thinking>

I write it.

<write_to_file>
<path>a.html</path>
<content>
<path>not a parameter</path>
</content>
</write_to_file>"""
TASK = [
    user(text("<task>\nWhat lives in the pond?\n</task>")),
    reply(text("I look.\n\n<read_file>\n<path>pond.txt</path>\n</read_file>")),
    user(text("[read_file for 'pond.txt'] Result:\nnewts [3] Result:")),
    reply(text(WRITE)),
    user(text("[write_to_file for 'a.html'] Result:"), text("The user denied this operation."), IMAGE),
    reply(text("<attempt_completion>\n<result>\nNewts do.\n</result>\n</attempt_completion>")),
    user(text("[attempt_completion] Result:\n<feedback>\nAnd toads?\n</feedback>")),
    reply(text("<ask_followup_question>\n<question>Which pond?</question>\n</ask_followup_question>")),
    user(text("[ask_followup_question for 'Which pond?'] Result:\n<answer>\nThis one.\n</answer>")),
    reply(text("Toads, too, use `<read_file>` of\n\n[Response interrupted by user]")),
]


def shown(position: int, minute: int, say: str, **more: Any) -> Json:
    return {"ts": AT + minute * 60_000, "type": "say", "say": say, "conversationHistoryIndex": position, **more}


TOKENS = {"request": "…", "tokensIn": 100, "tokensOut": 20, "cacheWrites": 30, "cacheReads": 400, "cost": 0.25}
SHOWN = [
    shown(-1, 0, "task", text="What lives in the pond?"),
    shown(-1, 1, "api_req_started", text=json.dumps(TOKENS)),
    shown(0, 2, "text", text="I look."),
    shown(0, 3, "tool", text="{}"),
    shown(1, 4, "api_req_started", text="{}"),
]


def write(folder: Path, messages: list[Json], *lines: Json, edits: Any = None) -> Path:
    task = folder / "tasks" / "1772359260000"
    task.mkdir(parents=True, exist_ok=True)
    (task / "api_conversation_history.json").write_text(json.dumps(messages))
    if lines:
        (task / "ui_messages.json").write_text(json.dumps(lines))
    if edits is not None:
        (task / "context_history.json").write_text(json.dumps(edits))
    used = [{"ts": AT, "model_id": "newt-1", "model_provider_id": "pond", "mode": "act"}]
    about = {"files_in_context": [], "model_usage": used, "environment_history": []}
    (task / "task_metadata.json").write_text(json.dumps(about))
    return task


def task(folder: Path, messages: list[Json], *lines: Json, edits: Any = None) -> ForeignConversation:
    write(folder, messages, *lines, edits=edits)
    return only_conversation(read_file(folder))


def test_a_task_is_read_whole(tmp_path: Path) -> None:
    found = task(tmp_path, TASK, *SHOWN)
    asked, looked, newts, wrote, denied, done, more, which, this, last = messages_in(found)
    assert (asked.parts, asked.speaker) == ((Text("What lives in the pond?"),), "")
    (called,) = looked.tool_calls
    assert looked.parts == (Text("I look."), ToolCall(called.call_id, "read_file", '{"path": "pond.txt"}'))
    assert newts.parts == (ToolResult(called.call_id, "read_file", "newts [3] Result:"),)
    (written,) = wrote.tool_calls
    assert wrote.parts[:2] == (Reasoning("A file."), Text("I write it."))
    assert json.loads(written.arguments) == {"path": "a.html", "content": "<path>not a parameter</path>"}
    refusal = ToolResult(written.call_id, "write_to_file", "The user denied this operation.", is_error=True)
    assert (denied.role, denied.parts) == (Role.TOOL, (refusal, SEEN))
    assert [each.text for each in (done, more, which, this)] == ["Newts do.", "And toads?", "Which pond?", "This one."]
    assert [each.role for each in (done, more, which, this)] == [Role.ASSISTANT, Role.USER] * 2
    assert (last.text, last.is_interrupted) == ("Toads, too, use `<read_file>` of", True)
    assert (found.title, found.folder, found.program) == ("What lives in the pond?", "/pond", "Cline")
    assert "Current Time" in found.rest


def test_times_tokens_and_models_are_in_the_other_files(tmp_path: Path) -> None:
    asked, looked, newts, *_ = messages_in(task(tmp_path, TASK, *SHOWN))
    assert [each.at for each in (asked, looked, newts)] == [AT / 1000 + 60 * each for each in (1, 2, 4)]
    assert (looked.model, looked.usage) == ("newt-1", Usage(530, 20, 400, 30, 0.25))


def test_later_versions_store_times_tokens_and_models_with_the_messages_and_call_tools_natively(tmp_path: Path) -> None:
    tokens = {"tokens": {"prompt": 100, "completion": 20, "cached": 60}, "cost": 0.5}
    about = {"modelInfo": {"modelId": "newt-2", "providerId": "pond", "mode": "act"}, "metrics": tokens}
    call = {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "pond.txt"}, "call_id": "x"}
    end = {"type": "tool_use", "id": "c2", "name": "attempt_completion", "input": {"result": "Newts."}}
    answer = {"type": "tool_result", "tool_use_id": "c1", "content": "[read_file for 'pond.txt'] Result:\nnewts"}
    feedback = {
        "type": "tool_result",
        "tool_use_id": "c2",
        "content": [text("[attempt_completion] Result:\n<feedback>\nMore.\n</feedback>")],
    }
    messages = [TASK[0], reply(text("I look."), call, ts=AT, **about), user(answer), reply(end), user(feedback)]
    _, looked, newts, done, more = messages_in(task(tmp_path, messages))
    assert (looked.at, looked.model, looked.usage) == (AT / 1000, "newt-2", Usage(100, 20, 60, 0, 0.5))
    assert looked.tool_calls == (ToolCall("c1", "read_file", '{"path": "pond.txt"}'),)
    assert newts.parts == (ToolResult("c1", "read_file", "newts"),)
    assert (done.parts, more.parts) == ((Text("Newts."),), (Text("More."),))


def test_what_cline_added_is_no_words_of_the_user_and_mentioned_files_are_attachments(tmp_path: Path) -> None:
    asked = "<task>\nRead 'a.txt' (see below for file content)\n</task>\n\n"
    asked += '<file_content path="docs/a.txt">\ntoads\n</file_content>'
    automatic = user(text("[ERROR] You did not use a tool in your previous response!"))
    resumed = text("New instructions for task continuation:\n<user_message>\nGo on.\n</user_message>")
    messages = [user(text(asked)), reply(text("Well.")), automatic, reply(text("Yes.")), user(resumed)]
    first, _, error, _, last = messages_in(task(tmp_path, messages))
    assert first.parts == (
        Text("Read 'a.txt' (see below for file content)"),
        Attachment("a.txt", "text/plain", "toads"),
    )
    assert (error.speaker, last.speaker, last.text) == ("Cline", "", "Go on.")


def test_removed_messages_are_not_sent(tmp_path: Path) -> None:
    notice = "[NOTE] Some of the conversation was removed."
    edits = [[1, [0, [[0, [[AT, "text", [notice], []]]]]]]]
    more = shown(5, 9, "api_req_started", text="{}", conversationHistoryDeletedRange=[2, 5])
    found = task(tmp_path, TASK, *SHOWN, more, edits=edits)
    (compaction,) = [each for each in found.entries if isinstance(each, ForeignCompaction)]
    assert (compaction.summary, compaction.parent) == (notice, "message 5")
    assert (compaction.kept, compaction.follows) == (("message 0", "message 1"), "message 1")
    items = view_of(Transcript(Chain(new_entries(found, "")))).items
    sent = [item.message.text for item in items if item.kind in (ItemKind.MESSAGE, ItemKind.SUMMARY)]
    assert not {"Newts do.", "I write it."} & set(sent)
    assert sent[-4:-1] == ["And toads?", "Which pond?", "This one."]


def test_a_task_has_one_id_wherever_its_file_is(tmp_path: Path) -> None:
    folder = write(tmp_path, TASK, *SHOWN)
    whole, named = only_conversation(read_file(tmp_path)), only_conversation(read_file(folder))
    alone = tmp_path / "an export.json"
    alone.write_bytes((folder / "api_conversation_history.json").read_bytes())
    assert {whole.id, named.id, only_conversation(read_file(alone)).id} == {whole.id}
    only_unread(read_file(folder / "ui_messages.json"))


def test_a_task_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    file = write(tmp_path, TASK) / "api_conversation_history.json"
    file.write_bytes(file.read_bytes()[:-40])
    found = only_conversation(read_file(tmp_path))
    assert messages_in(found)[-1].text == "This one."
    assert found.unread


def test_damaged_tasks_are_read_or_refused(tmp_path: Path) -> None:
    edits = [[1, [0, [[0, [[AT, "text", ["Removed."], []]]]]]]]
    more = shown(5, 9, "api_req_started", text="{}", conversationHistoryDeletedRange=[2, 5])
    folder = write(tmp_path, TASK, *SHOWN, more, edits=edits)
    for name in ("api_conversation_history.json", "ui_messages.json", "context_history.json", "task_metadata.json"):
        file = folder / name
        whole = file.read_bytes()
        check_damaged(file, whole)
        file.write_bytes(whole)
