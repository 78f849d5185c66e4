"""LM Studio's conversations, in the shape of files of 0.4."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from damage import check_damaged, check_tree, entries_in, messages_in, read_file

from desktop_app.conversation.foreign import ForeignConversation, ForeignMessage
from desktop_app.conversation.message import Attachment, Reasoning, Role, Text, ToolCall, ToolResult, Usage

START = 1_770_000_000_000
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
CONFIG = {"fields": [{"key": "llm.prediction.temperature", "value": 0.1}]}


def user(text: str, *more: dict[str, Any]) -> dict[str, Any]:
    content = [{"type": "text", "text": text}, *more]
    preprocessed = {"role": "user", "content": content}
    return {"type": "singleStep", "role": "user", "content": content, "preprocessed": preprocessed}


def info(reason: str = "eosFound") -> dict[str, Any]:
    stats = {
        "stopReason": reason,
        "tokensPerSecond": 7.5,
        "totalTimeSec": 4.5,
        "promptTokensCount": 16,
        "predictedTokensCount": 20,
        "totalTokensCount": 36,
    }
    models = {"indexedModelIdentifier": "maker/Small-GGUF/small.gguf", "identifier": "small"}
    return {**models, "loadModelConfig": CONFIG, "predictionConfig": CONFIG, "stats": stats}


def block(second: int, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "contentBlock",
        "stepIdentifier": f"{START + second * 1000}-0.6562872",
        "content": list(content),
        "defaultShouldIncludeInContext": True,
        "shouldIncludeInContext": True,
        **more,
    }


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said, "fromDraftModel": False, "tokensCount": 3, "isStructural": False}


def reply(*steps: dict[str, Any]) -> dict[str, Any]:
    debug = {"type": "debugInfoBlock", "stepIdentifier": f"{START}-0.3", "debugInfo": "named 'hardcoded'"}
    return {
        "type": "multiStep",
        "role": "assistant",
        "senderInfo": {"senderName": "small"},
        "steps": [*steps, debug],
    }


def slot(*versions: dict[str, Any], chosen: int = 0) -> dict[str, Any]:
    return {"versions": list(versions), "currentlySelected": chosen}


CALL = {"type": "toolCallRequest", "callId": 7, "toolCallRequestId": "r1", "name": "read", "parameters": {"path": "a"}}
RESULT = {
    "type": "toolCallResult",
    "callId": 7,
    "toolCallRequestId": "r1",
    "content": '[{"type":"text","text":"Newts"}]',
}
THINKING = {"type": "thinking", "ended": True, "title": "Thought for 1.2 seconds"}
MESSAGES = [
    slot(user("What lives here?"), user("What lives in the pond?"), chosen=1),
    slot(
        reply(block(1, text("No idea."), genInfo=info())),
        reply(block(2, text("Wa"), text("it.")), block(3, CALL)),
        chosen=0,
    ),
    slot(user("Look again")),
    slot(
        reply(
            block(10, text("In the file?"), style=THINKING),
            block(11, text("I look."), CALL, genInfo=info("toolCalls")),
            {"type": "toolStatus", "stepIdentifier": f"{START}-0.5", "callId": 7, "statusState": {"status": "done"}},
            block(12, RESULT, roleOverride="tool"),
            block(13, text("Newts "), text("do."), genInfo=info("userStopped")),
        )
    ),
]


def whole(messages: list[dict[str, Any]] = MESSAGES, **more: Any) -> dict[str, Any]:
    return {
        "name": "Pond",
        "pinned": True,
        "createdAt": START,
        "preset": "",
        "tokenCount": 36,
        "userLastMessagedAt": START + 9000,
        "assistantLastMessagedAt": START + 14000,
        "systemPrompt": "Be brief.",
        "messages": messages,
        "usePerChatPredictionConfig": True,
        "perChatPredictionConfig": {"fields": []},
        "clientInput": "",
        "lastUsedModel": {"identifier": "small", "indexedModelIdentifier": "maker/Small-GGUF/small.gguf"},
        "notes": [],
        **more,
    }


def written(path: Path, value: object) -> ForeignConversation:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))
    (found,) = (each for each in read_file(path) if isinstance(each, ForeignConversation))
    check_tree(found)
    return found


def by_text(found: ForeignConversation) -> dict[str, ForeignMessage]:
    return {e.message.text: e for e in entries_in(found)}


def test_versions_are_branches_and_what_follows_follows_the_selected_one(tmp_path: Path) -> None:
    found = written(tmp_path / "1.conversation.json", whole())
    entries = by_text(found)
    names = {entry.id: text for text, entry in entries.items()}
    assert {text: names.get(entry.parent, "") for text, entry in entries.items()} == {
        "Be brief.": "",
        "What lives here?": "Be brief.",
        "What lives in the pond?": "Be brief.",
        "No idea.": "What lives in the pond?",
        "Wait.": "What lives in the pond?",
        "Look again": "No idea.",
        "I look.": "Look again",
        "Newts": "I look.",
        "Newts do.": "Newts",
    }
    assert found.current == entries["Newts do."].id
    assert found.messages == 8


def test_steps_are_thoughts_calls_results_and_text(tmp_path: Path) -> None:
    found = written(tmp_path / "1.conversation.json", whole())
    *_, looked, result, answer = messages_in(found)
    call = ToolCall("7", "read", '{"path": "a"}')
    assert looked.parts == (Reasoning("In the file?"), Text("I look."), call)
    assert (result.role, result.parts) == (Role.TOOL, (ToolResult("7", "read", "Newts"),))
    assert answer.parts == (Text("Newts do."),)
    assert (looked.is_interrupted, answer.is_interrupted) == (False, True)
    assert (answer.model, answer.usage, answer.seconds) == ("small", Usage(16, 20), 4.5)
    assert (looked.at, result.at, answer.at) == (START / 1000 + 10, START / 1000 + 12, START / 1000 + 13)


def test_what_is_known_of_a_conversation(tmp_path: Path) -> None:
    found = written(tmp_path / "conversations" / "Animals" / "Small ones" / "1.conversation.json", whole())
    (found,) = (each for each in read_file(tmp_path) if isinstance(each, ForeignConversation))
    assert (found.id, found.title, found.model, found.section) == (str(START), "Pond", "small", "Animals/Small ones")
    assert (found.created_at, found.updated_at, found.is_pinned) == (START / 1000, START / 1000 + 14, True)
    assert by_text(found)["Look again"].message.at == START / 1000 + 9
    kept = json.loads(found.rest)
    assert kept["configs"] == [CONFIG]
    assert kept["messages"]["3"]["versions"]["0"]["steps"]["0"]["style"]["title"] == THINKING["title"]
    assert kept["messages"]["3"]["versions"]["0"]["steps"]["2"]["type"] == "toolStatus"


def test_a_prompt_for_this_chat_alone_is_the_system_prompt(tmp_path: Path) -> None:
    own = {"fields": [{"key": "llm.prediction.systemPrompt", "value": "Be wordy."}]}
    found = written(tmp_path / "1.conversation.json", whole(systemPrompt="", perChatPredictionConfig=own))
    assert messages_in(found)[0].parts == (Text("Be wordy."),)


def test_a_picture_beside_it_comes_along_and_a_missing_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "user-files").mkdir()
    (tmp_path / "user-files" / "1784921393420 - 431.png").write_bytes(PNG)
    files = [{"type": "file", "fileIdentifier": f"1784921393420 - {n}.png", "fileType": "image"} for n in (431, 7)]
    written(tmp_path / "conversations" / "1.conversation.json", whole([slot(user("What is it?", *files))]))
    (found,) = (each for each in read_file(tmp_path) if isinstance(each, ForeignConversation))
    _, image, missing = messages_in(found)[1].parts
    assert isinstance(image, Attachment)
    assert image.content.startswith("data:image/png;base64,iVBORw0KGgo")
    assert isinstance(missing, Attachment)
    assert (missing.name, missing.content) == ("1784921393420 - 7.png", "")


def test_a_conversation_that_went_on_is_the_same_with_more(tmp_path: Path) -> None:
    before = written(tmp_path / "1.conversation.json", whole(MESSAGES[:2]))
    after = written(tmp_path / "2.conversation.json", whole())
    assert before.id == after.id
    assert {entry.id for entry in before.entries} < {entry.id for entry in after.entries}


def test_equal_versions_are_two(tmp_path: Path) -> None:
    found = written(
        tmp_path / "1.conversation.json", whole([slot(user("Hi")), slot(*[reply(block(1, text("Yes")))] * 3, chosen=2)])
    )
    assert [message.text for message in messages_in(found)] == ["Be brief.", "Hi", "Yes", "Yes", "Yes"]


def test_an_empty_conversation_is_one_without_messages(tmp_path: Path) -> None:
    assert written(tmp_path / "1.conversation.json", whole([], systemPrompt="")).messages == 0


def test_what_is_damaged_is_refused_clearly_or_read(tmp_path: Path) -> None:
    assert check_damaged(tmp_path / "damaged.json", json.dumps(whole()).encode()) > 10
