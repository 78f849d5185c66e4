"""What a project gives its conversations: held against what arrived at the provider."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from desktop_app.chat.branching import fork, show_version
from desktop_app.chat.compaction.fresh_start import start_fresh
from desktop_app.chat.compaction.optimize import plan_optimization, planned_gauges
from desktop_app.chat.conversation_setups import delete_project, move_conversations, restore_project, save_project
from desktop_app.chat.memory_flusher import MemoryFlusher, write_memory
from desktop_app.chat.ports import WorldError
from desktop_app.chat.sent_requests import compare_requests, read_request, text_of_request
from desktop_app.context.view.items import INSTRUCTIONS_HEADING, ItemKind
from desktop_app.conversation.gauge import PartChange, PartKind, Segment
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import NO_FOLDER, Project
from desktop_app.conversation.transcript import RequestContext
from examples import examples
from provider import Reply

WORK = Project("work", "Work", instructions="Answer in French.")


def system_text(request) -> str:
    return "\n\n".join(m["content"] for m in request.messages if m["role"] == "system")


async def test_the_instructions_stand_behind_the_system_prompt_and_are_counted_before_they_are_sent(talk) -> None:
    home, session = await talk([Reply("Oui.")])
    before = session.counter.gauge()
    await save_project(home.chats, WORK)
    await move_conversations(home.chats, [session.id], "work")
    counted = session.counter.gauge()
    assert counted.segments[Segment.SYSTEM] > before.segments[Segment.SYSTEM]
    assert counted.total == sum(counted.segments.values())
    assert home.events[-1].gauge == counted, "the window is told"
    parts = (await read_request(session)).parts
    assert [part.kind for part in parts[:2]] == [PartKind.MESSAGE, PartKind.INSTRUCTIONS]
    assert parts[1].text == f"{INSTRUCTIONS_HEADING}\n\nAnswer in French."
    await home.turn(session, "Do you hear me?")
    assert system_text(home.provider.requests[0]) == f"Be brief.\n\n{INSTRUCTIONS_HEADING}\n\nAnswer in French."


async def test_the_record_tells_which_instructions_each_reply_was_asked_with(talk) -> None:
    home, session = await talk([Reply("Oui."), Reply("Ja."), Reply("Yes.")])
    await save_project(home.chats, WORK)
    await move_conversations(home.chats, [session.id], "work")
    await home.turn(session, "One?")
    await save_project(home.chats, replace(WORK, instructions="Answer in German."))
    await home.turn(session, "Two?")
    await delete_project(home.chats, "work")
    await home.turn(session, "Three?")
    replies = [e.id for e in session.transcript.entries if isinstance(e, Message) and e.role == "assistant"]
    for reply_id, request in zip(replies, home.provider.requests, strict=True):
        assert json.loads(await text_of_request(session, reply_id, -1))["messages"] == request.messages
    assert ["French" in system_text(r) for r in home.provider.requests] == [True, False, False]
    assert ["German" in system_text(r) for r in home.provider.requests] == [False, True, False]
    changes = {one.part.kind: one.change for one in await compare_requests(session, replies[1])}
    assert changes[PartKind.INSTRUCTIONS] is PartChange.REMOVED
    contexts = [e.project for e in session.transcript.entries if isinstance(e, RequestContext)]
    assert contexts == ["work", "work", ""]


async def test_one_that_was_closed_follows_when_it_is_opened_and_stands_where_it_stood(talk) -> None:
    home, session = await talk([Reply("Yes.")], repeat_last=True)
    await save_project(home.chats, WORK)
    await move_conversations(home.chats, [session.id], "work")
    await home.turn(session, "One?")
    before = await home.archive.conversation(session.id)
    await home.archive.store_project(replace(WORK, instructions="Answer in Latin."))
    session = await home.reopen(session)
    assert (await read_request(session)).parts[1].text.endswith("Answer in Latin.")
    assert (await home.archive.conversation(session.id)).updated_at == before.updated_at
    count = len(session.transcript.entries)
    session = await home.reopen(session)
    assert len(session.transcript.entries) == count, "once"


async def test_what_a_conversation_has_of_its_own_goes_before_what_its_project_gives(talk, tmp_path: Path) -> None:
    home, session = await talk([])
    folder, other = tmp_path / "work", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    project = await save_project(home.chats, Project("", " Big   work ", str(folder), policy="relaxed"))
    assert (project.name, len(project.id)) == ("Big work", 32)
    await move_conversations(home.chats, [session.id], project.id)
    assert (session.folder, session.counter.policy.name) == (str(folder), "relaxed")
    assert (session.info.folder, session.info.policy) == ("", "")
    await home.chats.choose_folder(session.id, str(other))
    await home.chats.choose_policy(session.id, "aggressive")
    assert (session.folder, session.counter.policy.name) == (str(other), "aggressive")
    session = await home.reopen(session)
    assert (session.folder, session.counter.policy.name) == (str(other), "aggressive")
    await home.chats.choose_folder(session.id, NO_FOLDER)
    session = await home.reopen(session)
    assert (session.folder, session.info.folder) == ("", NO_FOLDER)
    assert (await fork(home.chats, session, "")).folder == "", "a copy of it works in none, too"
    await home.chats.choose_folder(session.id, "")
    await home.chats.choose_policy(session.id, "")
    assert (session.folder, session.counter.policy.name) == (str(folder), "relaxed")
    home.chats.change_settings(home.chats.settings)
    assert session.counter.policy.name == "relaxed"


async def test_a_new_conversation_and_a_copy_of_it_are_in_the_project(talk, tmp_path: Path) -> None:
    home, _ = await talk([Reply("Yes.")], repeat_last=True)
    home.models.others["scripted/large"] = replace(home.models.info, id="scripted/large")
    home.chats.settings = replace(home.chats.settings, folder="/elsewhere")
    await save_project(home.chats, replace(WORK, folder=str(tmp_path), model="scripted/large"))
    session = await home.chats.create(project="work")
    assert (session.info.model, session.folder, session.info.folder) == ("scripted/large", str(tmp_path), "")
    await home.turn(session, "One?")
    copy = await fork(home.chats, session, "")
    assert (copy.info.project, copy.folder) == ("work", str(tmp_path))
    plain = await home.chats.create(project="gone")
    assert (plain.info.project, plain.info.folder) == ("", "/elsewhere")


async def test_what_cannot_be_is_refused_and_nothing_is_changed(talk, tmp_path: Path) -> None:
    home, session = await talk([])
    await save_project(home.chats, WORK)
    gone = tmp_path / "gone"
    gone.mkdir()
    await save_project(home.chats, Project("p", "Play", str(gone)))
    for wrong in (
        replace(WORK, name=" "),
        replace(WORK, name=" PLAY"),
        replace(WORK, folder=str(tmp_path / "nowhere")),
        replace(WORK, policy="nothing"),
    ):
        with pytest.raises(WorldError):
            await save_project(home.chats, wrong)
    for doing in (delete_project(home.chats, "nobody"), move_conversations(home.chats, [session.id], "nobody")):
        with pytest.raises(WorldError):
            await doing
    await delete_project(home.chats, "p")
    with pytest.raises(WorldError):
        await move_conversations(home.chats, [session.id], "p")
    stored = {project.id: project for project in await home.archive.projects()}
    assert stored == {"work": replace(WORK, created_at=stored["work"].created_at)}
    gone.rmdir()
    await restore_project(home.chats, "p")
    changed = await save_project(home.chats, Project("p", "Play", str(gone), "Have fun."))
    assert changed.instructions == "Have fun.", "its folder may be away for the moment"


async def test_a_deleted_project_lets_go_of_its_conversations_until_it_is_restored(talk) -> None:
    home, session = await talk([])
    other = await home.chats.create()
    await save_project(home.chats, WORK)
    await save_project(home.chats, Project("p", "Play"))
    await move_conversations(home.chats, [session.id, other.id], "work")
    await delete_project(home.chats, "work")
    assert (session.info.project, session.project.instructions) == ("", "")
    await move_conversations(home.chats, [other.id], "p")
    await restore_project(home.chats, "work")
    assert (session.info.project, session.project.instructions) == ("work", "Answer in French.")
    assert other.info.project == "p"


async def test_a_turn_that_runs_keeps_what_it_began_with(talk) -> None:
    home, session = await talk([Reply("Yes.", pause=0.2), Reply("Oui.")])
    turn = asyncio.ensure_future(home.turn(session, "One?"))
    await home.until(lambda: home.chats.turns.is_running(session.id))
    await save_project(home.chats, WORK)
    await move_conversations(home.chats, [session.id], "work")
    await turn
    await home.turn(session, "Two?")
    assert ["French" in system_text(request) for request in home.provider.requests] == [False, True]


async def test_an_earlier_branch_has_the_instructions_that_hold_now_as_soon_as_it_is_shown(talk) -> None:
    home, session = await talk([Reply("one"), Reply("two")])
    await home.turn(session, "first")
    first = session.view.last_user_id
    await home.chats.turns.edit(session, first, "first, again", ())
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    await save_project(home.chats, WORK)
    await move_conversations(home.chats, [session.id], "work")
    await show_version(home.chats, session, first)
    assert [item.message.text for item in session.view.items if item.kind is ItemKind.INSTRUCTIONS]
    assert session.view.last_user_id == first


async def test_a_fresh_start_takes_the_instructions_along_and_counts_them(talk) -> None:
    home, session = await talk([Reply("one")])
    await save_project(home.chats, replace(WORK, instructions="Answer in French. " * 200))
    await move_conversations(home.chats, [session.id], "work")
    await home.turn(session, "first")
    plan = await plan_optimization(session.counter, None, is_fresh=True)
    planned = planned_gauges(plan, session.counter)[1]
    fresh = await start_fresh(home.chats, session, plan)
    assert fresh.info.project == "work"
    assert planned.segments[Segment.SYSTEM] == fresh.counter.gauge().segments[Segment.SYSTEM] > 500


PLACES = ("", "one", "two", "silent")


@given(st.lists(st.sampled_from(PLACES), max_size=6), st.data())
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.long
async def test_moving_there_and_back_changes_nothing_and_no_memory_gets_into_another_project(talk, moves, data) -> None:
    """The request is a function of the record, the project and the settings: not of the way that led there."""
    home, session = await talk([Reply("Yes.")])
    await home.turn(session, "Hello?")  # from here on a provider has the beginning of the request in its cache
    keeper = MemoryFlusher(home.archive, home.models, home.settings)
    home.furnish(memory=keeper)
    session = await home.reopen(session)
    for place in PLACES[1:]:
        instructions = "" if place == "silent" else f"These are those of {place}."
        await save_project(home.chats, Project(place, place.title(), instructions=instructions))
        memory = Memory("", f"The secret of {place} is known.", 0.0, 0.0, scope="project", project=place)
        await write_memory(home.archive, memory)
    sent: dict[str, list[str]] = {}
    for place in (*moves, *PLACES):
        await move_conversations(home.chats, [session.id], place)
        if data.draw(st.booleans()):
            session = await home.reopen(session)
        texts = [message.text for message in session.counter.assemble()[0]]
        assert sent.setdefault(place, texts) == texts
        for other in PLACES[1:]:
            assert (f"secret of {other}" in "".join(texts)) is (other == place)
            assert (f"those of {other}" in "".join(texts)) is (other == place != "silent")
        assert session.counter.gauge().total == (await read_request(session)).gauge.total
