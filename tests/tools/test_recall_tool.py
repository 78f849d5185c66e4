"""`recall` over a real archive: in its conversation, and in others as far as that is allowed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace
from tool_calls import outcome_of

from builders import model, user
from desktop_app.archive.archive import Archive
from desktop_app.context.recall.query import RecallReach
from desktop_app.context.recall.recollection import sources_in
from desktop_app.conversation.events import ArchiveError, Failure
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text, ToolCall
from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome
from desktop_app.tools.recall_tool import RECORD, RecallTool
from desktop_app.tools.registry import BuiltinTools
from desktop_app.tools.tool import CHANGED, spec_of

SAID = {
    3: "We go to Lisbon on 12 May, and stay at the Hotel Aurora.",
    8: "My sister Clara is allergic to nuts.",
    15: "The invoice of the printer has the number 4711.",
}


def count(text: str) -> int:
    return len(text.split())


NARROW, PROJECT, WIDE = RecallReach(), RecallReach("project", "p"), RecallReach("everything")


@pytest_asyncio.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    archive = await Archive.open(tmp_path / "archive.sqlite3")
    yield archive
    await archive.close()


@pytest_asyncio.fixture
async def chat(archive: Archive) -> Archive:
    roles = (Role.USER, Role.ASSISTANT)
    texts = [SAID.get(n, f"Filler {n}.") for n in range(20)]
    messages = [Message(id=f"m{n}", at=1.7e9 + n, role=roles[n % 2], parts=(Text(t),)) for n, t in enumerate(texts)]
    await archive.create(ConversationInfo("c", "A chat", 1.0, 1.0), messages)
    return archive


def recall_tool(archive: Archive, max_tokens: int = 4_000, reach: RecallReach = NARROW) -> BuiltinTools:
    async def room(conversation: str) -> tuple[int, Callable[[str], int]]:
        return max_tokens, count

    async def reach_in(conversation: str) -> RecallReach:
        return reach

    return BuiltinTools((RecallTool(archive, room, reach_in),))


async def recall(
    archive: Archive,
    max_tokens: int = 4_000,
    conversation: str = "c",
    reach: RecallReach = WIDE,
    **arguments: object,
) -> ToolOutcome:
    tools = recall_tool(archive, max_tokens, reach)
    return await outcome_of(tools, ToolCall("1", "recall", json.dumps(arguments)), ToolContext(conversation))


async def needs(archive: Archive, reach: RecallReach, **arguments: object) -> tuple[RequiredPermission, ...]:
    call = ToolCall("1", "recall", json.dumps(arguments))
    return await recall_tool(archive, reach=reach).needs(call, ToolContext("c"))


async def test_what_was_said_is_found_by_its_content_with_its_number(chat: Archive) -> None:
    found = await recall(chat, query="Which hotel in Lisbon?")
    assert not found.is_error
    assert "#3 assistant: We go to Lisbon on 12 May" in found.text
    assert "4711" not in found.text
    await chat.append("c", archived=[f"m{n}" for n in range(18)])
    assert "Clara" in (await recall(chat, query="allergic to nuts")).text, "archived messages, too"
    assert "Nothing" in (await recall(chat, query="zeppelin")).text
    assert "Lisbon on" not in (await recall(chat, conversation="nowhere", query="Lisbon")).text


async def test_around_a_message_its_neighbours_are_read(chat: Archive) -> None:
    found = await recall(chat, message=8)
    lines = [line for line in found.text.splitlines() if line.startswith("#")]
    assert [line.split()[0] for line in lines] == [f"#{n}" for n in range(4, 13)]
    assert (await recall(chat, message=0)).text.splitlines()[1].startswith("#0 user")


async def test_it_never_takes_more_than_its_room(chat: Archive) -> None:
    long = user("word " * 5_000, id="long", at=1.7e9 + 30)
    await chat.append("c", long)
    for max_tokens in (30, 100, 500):
        for name, value in (("message", 20), ("message", 8), ("query", "Lisbon hotel word")):
            assert count((await recall(chat, max_tokens, "c", WIDE, **{name: value})).text) <= max_tokens
    assert "24,999" in (await recall(chat, 200, message=20)).text


@pytest.mark.parametrize(
    ("arguments", "words"), [({}, "query"), ({"query": " "}, "query"), ({"message": 99}, "#0 to #19")]
)
async def test_what_cannot_be_looked_up_is_an_error(chat: Archive, arguments: dict, words: str) -> None:
    outcome = await recall(chat, **arguments)
    assert outcome.is_error
    assert words in outcome.text


TRIP = "0123456789abcdef0123456789abcdef"


@pytest_asyncio.fixture
async def several(chat: Archive) -> Archive:
    """Beside "c", which is in the project "p": a trip in that project, work in none, and a deleted conversation."""
    await chat.change("c", project="p")
    for name, title, project, text in (
        (TRIP, "The trip", "p", "The ferry to Gotland leaves at nine, from the northern pier."),
        ("work", "Work", "", "The ferry job of the build server is named gotland-nightly."),
        ("gone", "Gone", "p", "Nobody may read of the ferry to Gotland here."),
    ):
        messages = [user(f"Filler {n}.", id=f"{name}-{n}", at=1.7e9) for n in range(6)]
        messages[3] = replace(messages[3], parts=(Text(text),))
        await chat.create(ConversationInfo(name, title, 1.0, 1.0, project=project), messages)
    await chat.change("gone", is_deleted=True)
    return chat


@pytest.mark.parametrize(
    ("where", "found"), [("conversation", ()), ("project", (TRIP[:12],)), ("everything", (TRIP[:12], "work"))]
)
async def test_only_the_conversations_that_are_asked_for_are_looked_in(
    several: Archive, where: str, found: tuple[str, ...]
) -> None:
    outcome = await recall(several, reach=replace(WIDE, project="p"), query="the ferry to Gotland", where=where)
    assert not outcome.is_error
    assert {source.conversation for source in sources_in(outcome.text)} == set(found)
    assert "Nobody" not in outcome.text, "it was deleted"
    assert outcome.text.startswith(RECORD if found else "Nothing")
    if found:
        assert "Conversation 0123456789ab, “The trip”:\n[2023-11-14]\n#" in outcome.text
        assert "\n#3 user: The ferry to Gotland" in outcome.text


async def test_of_this_conversation_what_is_in_the_view_is_not_found_again(several: Archive) -> None:
    call = ToolCall("9", "recall", '{"query": "ferry to Gotland", "where": "everything"}')
    await several.append("c", model(call, id="asks", at=1.8e9))
    found = await recall(several, query="ferry to Gotland, Hotel Aurora", where="everything")
    assert "Conversation c," not in found.text
    await several.append("c", archived=["m3"])
    found = await recall(several, query="ferry to Gotland, Hotel Aurora", where="everything")
    assert "Hotel Aurora." in found.text
    assert "#20" not in found.text


async def test_a_conversation_of_a_project_that_it_is_not_in_is_no_place_to_look(several: Archive) -> None:
    assert await needs(several, NARROW, query="ferry", where="project") == ()
    outcome = await recall(several, query="ferry", where="project")
    assert outcome.is_error
    assert "no project" in outcome.text


async def test_around_a_message_of_another_conversation_its_neighbours_are_read(several: Archive) -> None:
    for name in ("work#3", "work # 3"):
        lines = (await recall(several, message=name)).text.splitlines()
        assert lines[:3] == [RECORD, "Conversation work, “Work”:", "[2023-11-14]"]
        assert [line.split()[0] for line in lines[3:]] == [f"#{n}" for n in range(6)]
    assert "northern pier" in (await recall(several, message="0123456789ab#3")).text
    for message in ("#8", "8", 8, "c#8"):
        assert "Clara" in (await recall(several, reach=NARROW, message=message)).text


@pytest.mark.parametrize(
    ("message", "words"),
    [("gone#3", "no conversation gone"), ("work#9", "#0 to #5"), ("the third", "names no message"), (-1, "names no")],
)
async def test_a_message_that_is_not_there_is_an_error(several: Archive, message: object, words: str) -> None:
    outcome = await recall(several, message=message)
    assert outcome.is_error
    assert words in outcome.text


EVERYTHING, IN_PROJECT = (
    RequiredPermission("recall", "recall", "everything", "*", 3),
    RequiredPermission("recall", "recall", "project", "project", 2),
)


@pytest.mark.parametrize(
    ("reach", "arguments", "need"),
    [
        (NARROW, {"query": "ferry"}, None),
        (NARROW, {"message": "#3"}, None),
        (NARROW, {"message": "c#3"}, None),
        (NARROW, {"query": "ferry", "where": "everything"}, EVERYTHING),
        (RecallReach("conversation", "p"), {"query": "ferry", "where": "project"}, IN_PROJECT),
        (RecallReach("conversation", "p"), {"message": "0123456789ab#3"}, IN_PROJECT),
        (RecallReach("conversation", "p"), {"message": "work#3"}, EVERYTHING),
        (PROJECT, {"query": "ferry", "where": "project"}, None),
        (PROJECT, {"message": "0123456789ab#3"}, None),
        (PROJECT, {"query": "ferry", "where": "everything"}, EVERYTHING),
        (PROJECT, {"message": "work#3"}, EVERYTHING),
        (WIDE, {"query": "ferry", "where": "everything"}, None),
        (WIDE, {"message": "work#3"}, None),
    ],
)
async def test_to_look_further_than_is_allowed_it_needs_permission(
    several: Archive, reach: RecallReach, arguments: dict, need: RequiredPermission | None
) -> None:
    assert await needs(several, reach, **arguments) == ((need,) if need else ())


async def test_what_was_not_asked_for_is_not_read_whatever_went_wrong(several: Archive) -> None:
    tools = recall_tool(several)
    for arguments in ({"query": "ferry", "where": "everything"}, {"message": "work#3"}):
        call = ToolCall("1", "recall", json.dumps(arguments))
        for allowed in ((), (IN_PROJECT,)):
            outcome = await outcome_of(tools, call, ToolContext("c", allowed=allowed))
            assert (outcome.is_error, outcome.text) == (True, CHANGED)
        outcome = await outcome_of(tools, call, ToolContext("c", allowed=(replace(EVERYTHING, conversations=99),)))
        assert "gotland-nightly" in outcome.text


async def test_of_other_conversations_it_never_takes_more_than_its_room(several: Archive) -> None:
    for max_tokens in (40, 100, 500):
        around = await recall(several, max_tokens, message="work#3")
        found = await recall(several, max_tokens, query="ferry Gotland", where="everything")
        assert max(count(around.text), count(found.text)) <= max_tokens


async def test_an_archive_that_cannot_be_read_is_an_error(several: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> object:
        raise ArchiveError(Failure("disk", "The disk is gone"))

    monkeypatch.setattr(several, "find_candidates", fail)
    outcome = await recall(several, query="ferry", where="everything")
    assert outcome.is_error
    assert "disk is gone" in outcome.text


def test_its_schema_says_a_type_for_each_argument_and_no_choice_of_types(several: Archive) -> None:
    (tool,) = recall_tool(several)._tools.values()
    fields = json.loads(spec_of(tool).parameters)["properties"]
    assert {name: of["type"] for name, of in fields.items()} == dict.fromkeys(("query", "message", "where"), "string")
    assert fields["where"]["enum"] == ["conversation", "everything", "project"]
    assert "anyOf" not in fields["message"]
