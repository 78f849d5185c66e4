"""Chatbox's export, in the shapes of both storages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from damage import check_damaged, check_tree, entries_in, read_file

from desktop_app.conversation.foreign import ForeignCompaction, ForeignConversation, UnreadFile
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage

Json = dict[str, Any]


def say(message_id: str, role: str, *parts: Json | str, **more: Any) -> Json:
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    base = {"id": message_id, "role": role, "contentParts": content, "timestamp": 1_746_093_600_000}
    return {**base, "wordCount": 3, "tokenCountMap": {"default": 4}, "status": [], **more}


def fork(position: int, *lists: list[Json]) -> Json:
    branches = [{"id": f"fork_list_{number}", "messages": messages} for number, messages in enumerate(lists)]
    return {"position": position, "lists": branches, "createdAt": 1_746_093_700_000}


def session(*messages: Json, **more: Any) -> Json:
    settings = {"provider": "openai", "modelId": "gpt-4o", "temperature": 0.7}
    return {"id": "s1", "type": "chat", "name": "Fish", "messages": list(messages), "settings": settings, **more}


def export(*sessions: Json) -> Json:
    """An export of the storage in which each session has its own key."""
    listed = [{"id": each["id"], "name": each["name"], "type": "chat", "starred": False} for each in sessions]
    return {
        "__exported_items": ["conversations"],
        "__exported_at": "2026-01-05T10:00:00.000Z",
        "chat-sessions-list": listed,
        **{f"session:{each['id']}": each for each in sessions},
    }


def read(tmp_path: Path, value: Json) -> list[ForeignConversation]:
    (tmp_path / "chatbox-exported-data-2026-1-5.json").write_text(json.dumps(value))
    conversations: list[ForeignConversation] = []
    for found in read_file(tmp_path / "chatbox-exported-data-2026-1-5.json"):
        assert isinstance(found, ForeignConversation)
        check_tree(found)
        conversations.append(found)
    return conversations


def one(tmp_path: Path, *messages: Json, **more: Any) -> ForeignConversation:
    (found,) = read(tmp_path, export(session(*messages, **more)))
    return found


def parents_of(found: ForeignConversation) -> dict[str, str]:
    return {entry.id: entry.parent for entry in found.entries}


SEARCH = {
    "type": "tool-call",
    "state": "result",
    "toolCallId": "call_1",
    "toolName": "web_search",
    "args": {"query": "tang"},
    "result": {"searchResults": [{"title": "Tang", "link": "https://fish.example"}]},
}
BRANCHED = session(
    say("s", "system", "You dive."),
    say("q", "user", "Which fish is blue?"),
    say(
        "a2",
        "assistant",
        {"type": "reasoning", "text": "Tang?", "startTime": 1, "duration": 900},
        SEARCH,
        "The tang.",
        model="GPT-4o",
        usage={"inputTokens": 30, "outputTokens": 7, "totalTokens": 37, "cachedInputTokens": 10},
        links=[{"id": "l", "url": "https://reef.example", "title": "Reef"}],
    ),
    say("t", "user", "Thanks", timestamp=1_746_093_900_000),
    say("w", "assistant", "You are", model="GPT-4o", generating=True),
    messageForksHash={
        "q": fork(
            1,
            [say("a1", "assistant", "The damselfish."), say("b1", "user", "Sure?")],
            [],
            [say("a3", "assistant", "A wrasse.")],
        ),
        "b1": fork(0, [], [say("c2", "assistant", "Yes.")]),
    },
    starred=True,
    copilotId="cop",
)


def test_branches_are_versions_in_their_order_and_the_open_one_is_current(tmp_path: Path) -> None:
    (found,) = read(tmp_path, export(BRANCHED))
    assert parents_of(found) == {
        "s": "", "q": "s", "a1": "q", "b1": "a1", "c2": "b1",
        "a2": "q", "a2/1": "a2", "a2/2": "a2/1", "t": "a2/2", "w": "t", "a3": "q",
    }  # fmt: skip
    assert [entry.id for entry in found.entries if entry.parent == "q"] == ["a1", "a2", "a3"]
    assert found.current == "w"
    assert (found.title, found.model, found.is_pinned, found.section) == ("Fish", "gpt-4o", True, "")
    assert '"copilotId":"cop"' in found.rest
    assert '"temperature":0.7' in found.rest


def test_all_that_was_said_is_there(tmp_path: Path) -> None:
    (found,) = read(tmp_path, export(BRANCHED))
    lists = [each["messages"] for each_fork in BRANCHED["messageForksHash"].values() for each in each_fork["lists"]]
    said = [each for way in [BRANCHED["messages"], *lists] for each in way]
    by_hand = {part["text"] for each in said for part in each["contentParts"] if part["type"] == "text"}
    parts = [part for entry in entries_in(found) for part in entry.message.parts]
    assert {part.text for part in parts if isinstance(part, Text)} == by_hand
    assert len([part for part in parts if isinstance(part, Text)]) == len(said) == 9


def test_a_reply_with_tools_reasoning_and_its_measures(tmp_path: Path) -> None:
    (found,) = read(tmp_path, export(BRANCHED))
    by_id = {entry.id: entry.message for entry in entries_in(found)}
    assert by_id["a2"].parts == (Reasoning("Tang?"), ToolCall("call_1", "web_search", '{"query": "tang"}'))
    (result,) = by_id["a2/1"].parts
    assert isinstance(result, ToolResult)
    assert (by_id["a2/1"].role, json.loads(result.text)) == (Role.TOOL, SEARCH["result"])
    assert by_id["a2/2"].parts == (Text("The tang."), Attachment("Reef", "text/uri-list", "https://reef.example"))
    assert by_id["a2/2"].usage == Usage(30, 7, cached_tokens=10)
    assert (by_id["w"].model, by_id["w"].is_interrupted, by_id["a2/2"].is_interrupted) == ("GPT-4o", True, False)
    assert by_id["t"].at == 1_746_093_900.0


def test_a_failed_tool_is_an_error_and_one_that_never_ran_has_no_result(tmp_path: Path) -> None:
    failed = {**SEARCH, "state": "error", "result": "offline"}
    pending = {**SEARCH, "state": "call", "toolCallId": "call_2", "result": None}
    found = one(tmp_path, say("q", "user", "?"), say("a", "assistant", failed, pending))
    parts = [part for entry in entries_in(found)[1:] for part in entry.message.parts]
    call = ToolCall("call_1", "web_search", '{"query": "tang"}')
    assert parts == [
        call,
        ToolResult("call_1", "web_search", "offline", is_error=True),
        ToolCall("call_2", "web_search", call.arguments),
    ]


def test_threads_are_conversations_and_keep_their_ids_when_they_change_places(tmp_path: Path) -> None:
    old, new = (
        [say("s1", "system", "Dive."), say("q1", "user", "Old?")],
        [say("s2", "system", "Dive."), say("q2", "user", "New?")],
    )
    before = read(tmp_path, export(session(*old, threadName="Old fish")))
    thread = {"id": "uuid", "name": "Old fish", "messages": old, "createdAt": 1_746_093_800_000}
    after = read(tmp_path, export(session(*new, threadName="", threads=[thread])))
    assert [(each.id, each.title) for each in before] == [("s1/q1", "Old fish")]
    assert [(each.id, each.title) for each in after] == [("s1/q1", "Old fish"), ("s1/q2", "Fish")]
    assert json.loads(after[0].rest)["session"] == "Fish"
    assert after[0].created_at == 1_746_093_800.0


def test_a_summary_of_a_compaction_point_is_a_compaction(tmp_path: Path) -> None:
    point = {"summaryMessageId": "sum", "boundaryMessageId": "a", "createdAt": 1_746_093_700_000}
    found = one(
        tmp_path,
        say("q", "user", "?"),
        say("a", "assistant", "Tang."),
        say("sum", "assistant", "They spoke of tangs.", isSummary=True),
        say("t", "user", "Thanks"),
        compactionPoints=[point],
    )
    assert parents_of(found) == {"q": "", "a": "q", "sum": "a", "t": "sum"}
    (compaction,) = [entry for entry in found.entries if isinstance(entry, ForeignCompaction)]
    assert (compaction.summary, compaction.at) == ("They spoke of tangs.", 1_746_093_600.0)


def test_messages_of_the_storage_with_one_list(tmp_path: Path) -> None:
    searched = {"query": ["tang", "reef"], "links": [{"title": "Tang", "url": "https://fish.example"}]}
    more = {"model": "gpt-4", "webBrowsing": searched, "tokensUsed": 9}
    old = session(
        {
            "id": "q",
            "role": "user",
            "content": "What is it?",
            "pictures": [{"url": "data:image/png;base64,iVBORw0KGgo="}],
        },
        {"id": "a", "role": "assistant", "content": "A tang.", **more},
        {"id": "n", "role": "assistant", "content": "..."},
    )
    (found,) = read(tmp_path, {"configVersion": 7, "chat-sessions": [old], "settings": {"language": "en"}})
    question, call, result, answer = (entry.message for entry in entries_in(found))
    assert question.parts == (
        Text("What is it?"),
        Attachment("image", "image/png", "data:image/png;base64,iVBORw0KGgo="),
    )
    assert call.parts == (ToolCall("", "web_search", '{"query": "tang, reef"}'),)
    assert "https://fish.example" in result.text
    assert (answer.text, answer.model) == ("A tang.", "gpt-4")
    assert '"tokensUsed":9' in found.rest


def test_images_are_named_as_missing_and_what_has_no_place_is_kept(tmp_path: Path) -> None:
    picture = {"type": "image", "storageKey": "picture:input:1", "ocrResult": "REEF"}
    notice = {"type": "info", "text": "Switched off."}
    found = one(tmp_path, say("q", "user", picture, "?"), say("a", "assistant", notice, "Tang.", firstTokenLatency=120))
    image, _ = entries_in(found)[0].message.parts
    assert isinstance(image, Attachment)
    assert (image.name, image.content, image.about) == ("image", "", "not in the export")
    rest = json.loads(found.rest)["messages"]
    assert rest["0"]["contentParts"]["0"]["ocrResult"] == "REEF"
    assert rest["1"]["contentParts"]["0"]["text"] == "Switched off."
    assert rest["1"]["firstTokenLatency"] == 120


def test_a_session_that_is_only_listed_is_named_and_one_that_was_never_used_is_none(tmp_path: Path) -> None:
    value = export(BRANCHED, session(say("s", "system", "Hi."), id="s2"))
    value["chat-sessions-list"].append({"id": "s3", "name": "Lost", "type": "chat"})
    (tmp_path / "export.json").write_text(json.dumps(value))
    lost, found = read_file(tmp_path / "export.json")
    assert isinstance(lost, UnreadFile)
    assert lost.title == "Lost"
    assert isinstance(found, ForeignConversation)


def test_a_fork_that_holds_itself_ends(tmp_path: Path) -> None:
    circle = fork(0, [], [say("q", "user", "?"), say("a", "assistant", "Tang.")])
    found = one(tmp_path, say("q", "user", "?"), messageForksHash={"q": circle})
    assert len(found.entries) == 3


def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    content = json.dumps(
        export(BRANCHED, {**BRANCHED, "id": "s2", "threads": [{"id": "t", "messages": [say("x", "user", "?")]}]})
    )
    assert check_damaged(tmp_path / "damaged.json", content.encode()) > 10
