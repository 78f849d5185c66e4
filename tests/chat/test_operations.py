"""The user's word on the view: planned, applied as planned, undone exactly."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from test_take_turn import long_chat

from builders import model, result, system, user
from desktop_app.chat import operations
from desktop_app.chat.compaction.optimize import NO_RESULTS, apply_optimization, check_summary, plan_optimization
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session, stamp
from desktop_app.context.counting.breakdown import RunningTotals
from desktop_app.context.view.view import assemble
from desktop_app.conversation.events import MessageState, RoomEnded, TurnEvent, ViewChanged
from desktop_app.conversation.message import Message, Role, ToolCall, user_message
from desktop_app.conversation.transcript import AnyEntry, Compaction, Prune, Rewind, Trigger
from provider import Reply


def with_tools(turns: int) -> list[Message]:
    """A chat in which every answer ran a tool with a long result."""
    messages: list[Message] = []
    for n in range(turns):
        call = ToolCall("call_1", "read", f'{{"path": "src/file{n}.py"}}')
        messages += [
            user_message(f"Look at src/file{n}.py, and never touch vendor/."),
            model("Reading.", call),
            result(f"line {n}\n" * 1_500, "call_1", "read"),
            model(f"File {n} is fine."),
        ]
    return messages


async def optimize(home, session: Session) -> list:
    plan = await plan_optimization(session.counter, None)
    return await apply_optimization(session, home.services, plan, home.publish)


async def test_what_was_planned_is_what_happens_and_undo_gives_it_back(talk) -> None:
    home, session = await talk([], messages=long_chat(60))
    before = assemble(session.view)
    plan = await plan_optimization(session.counter, None)
    assert assemble(session.view) == before, "a plan records nothing"
    events = await apply_optimization(session, home.services, plan, home.publish)
    (changed,) = [e for e in events if isinstance(e, ViewChanged)]
    operation = changed.operations[0]
    assert operation.tokens_after == plan.compaction.tokens_after == session.counter.gauge().total
    assert {row.state for row in changed.changes} == {MessageState.ARCHIVED}
    assert len(changed.changes) == operation.messages

    await operations.undo(session, operation.id)
    assert assemble(session.view) == before
    assert await operations.undo(session, operation.id) == []
    await operations.redo(session, operation.id)
    assert session.counter.gauge().total == operation.tokens_after
    assert await operations.redo(session, operation.id) == []
    reopened = await home.reopen(session)
    assert assemble(reopened.view) == assemble(session.view)


async def test_an_engine_that_ends_behind_an_operation_leaves_its_messages_marked(talk, monkeypatch) -> None:
    home, session = await talk([], messages=long_chat(60))
    append, marked = session.archive.append, list[frozenset[int]]()

    async def watched(*entries, **marks) -> None:
        await append(*entries, **marks)
        marked.append(await session.archive.archived_indexes(session.id))  # all that a next engine would find

    monkeypatch.setattr(session.archive, "append", watched)
    plan = await plan_optimization(session.counter, None)
    await apply_optimization(session, home.services, plan, home.publish)
    operation = session.operations()[0]
    assert len(marked[-1]) == operation.messages
    await operations.undo(session, operation.id)
    assert marked[-1] == frozenset()


async def test_a_prune_and_a_compaction_are_one_operation_for_the_user(talk) -> None:
    home, session = await talk([], window=60_000, messages=with_tools(15))
    before, figure = assemble(session.view), session.counter.gauge().total
    plan = await plan_optimization(session.counter, None)
    assert len(plan.steps) == 2
    (changed,) = [
        e for e in await apply_optimization(session, home.services, plan, home.publish) if isinstance(e, ViewChanged)
    ]
    (row,) = session.operations()
    assert changed.operations == (row,)
    assert (row.tokens_before, row.tokens_after) == (figure, session.counter.gauge().total)
    assert row.messages == len(plan.compaction.archived)
    assert row.strategies.keys() > {"extractive"}
    touched = operations.messages_touched_by(session, row.id, "")
    assert [row.message.id for row in touched] == list(plan.compaction.archived)
    results = [row.message.text for row in touched if row.message.tool_result]
    assert all(text.count("\n") > 1_000 for text in results), "the record keeps them whole"
    optimized = assemble(session.view)

    (changed,) = [e for e in await operations.undo(session, row.id) if isinstance(e, ViewChanged)]
    assert [operation.is_undone for operation in changed.operations] == [True]
    assert changed.totals == RunningTotals().after(session.transcript.entries).totals
    assert assemble(session.view) == before, "one undo takes back all of it"
    assert session.totals().operations == 0
    assert await operations.undo(session, row.id) == []
    await operations.redo(session, row.id)
    assert assemble(session.view) == optimized
    assert session.totals().operations == 1
    reopened = await home.reopen(session)
    (again,) = reopened.operations()
    assert (again.id, again.tokens_before, again.is_undone) == (row.id, figure, False)
    await operations.undo(reopened, again.id)
    assert assemble(reopened.view) == before


async def test_an_edited_summary_is_used_and_measured(talk) -> None:
    home, session = await talk([], messages=long_chat(60))
    plan = await check_summary(await plan_optimization(session.counter, None), "We spoke of topics.")
    with pytest.raises(WorldError, match="longer"):
        await check_summary(plan, "far too long " * 10_000)
    await apply_optimization(session, home.services, plan, home.publish)
    assert "We spoke of topics." in assemble(session.view)[0].text
    assert session.operations()[0].strategies.keys() == {"edited"}
    with pytest.raises(WorldError, match="changed"):  # its messages are gone
        await apply_optimization(session, home.services, plan, home.publish)


async def test_a_plan_whose_messages_an_edit_is_leaving_behind_is_refused(talk, monkeypatch) -> None:
    home, session = await talk([Reply("Anew.")], messages=long_chat(60))
    plan, append = await plan_optimization(session.counter, None), home.archive.append
    storing, stored = asyncio.Event(), asyncio.Event()

    async def slowly(conversation: str, *entries: AnyEntry, **marks: Any) -> None:
        if isinstance(entries[0], Rewind):
            storing.set()
            await stored.wait()
        await append(conversation, *entries, **marks)

    monkeypatch.setattr(home.archive, "append", slowly)
    first = next(item.message.id for item in session.view.items if item.message.role is Role.USER)
    editing = asyncio.ensure_future(home.chats.turns.edit(session, first, "Something else", ()))
    await storing.wait()
    applying = asyncio.ensure_future(apply_optimization(session, home.services, plan, home.publish))
    await asyncio.sleep(0.05)
    stored.set()
    await editing
    with pytest.raises(WorldError, match="changed"):
        await applying
    assert not [entry for entry in session.transcript.entries if isinstance(entry, Compaction)]
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    assert [item.message.text for item in session.view.items][-2:] == ["Something else", "Anew."]


async def test_what_was_saved_to_memory_is_told_even_if_the_plan_is_stale_by_then(talk) -> None:
    home, session = await talk([], messages=long_chat(60))

    class Memory:
        async def flush(self, session: Session, trigger: Trigger) -> list[TurnEvent]:
            await optimize(home, session)  # as in another task, while a model is asked what must last
            return [RoomEnded(session.id)]

    plan = await plan_optimization(session.counter, None)
    with pytest.raises(WorldError, match="changed"):
        await apply_optimization(session, replace(home.services, memory=Memory()), plan, home.publish)
    assert home.of(RoomEnded)


async def test_calls_of_one_reply_come_back_with_their_results_however_they_were_recorded(house) -> None:
    home = await house([], window=20_000)
    calls = [model(ToolCall(n, "read"), id=f"call-{n}") for n in "ab"]
    results = [result("x", n, "read", id=f"result-{n}") for n in "ab"]
    session = await home.chats.create("Tools", [*calls, *results, *with_tools(15)])
    await optimize(home, session)
    assert "call-a" in session.view.statuses
    await operations.bring_back(session, ("result-a",))
    assert {item.message.id for item in session.view.items} >= {m.id for m in (*calls, *results)}


async def test_messages_that_were_brought_back_are_archived_again_by_an_undo(talk) -> None:
    home, session = await talk([], messages=long_chat(60))
    await optimize(home, session)
    before, archived = assemble(session.view), next(iter(session.view.statuses))
    (back, _) = await operations.bring_back(session, (archived,))
    assert archived not in session.view.statuses
    (undone, _) = await operations.undo(session, back.brought_back)
    assert undone.brought_back == back.brought_back
    assert [change.state for change in undone.changes] == [MessageState.ARCHIVED]
    assert assemble(session.view) == before
    assert await operations.undo(session, back.brought_back) == []
    session = await home.reopen(session)
    assert assemble(session.view) == before


async def test_messages_are_brought_back_again_by_a_redo(talk) -> None:
    home, session = await talk([], messages=long_chat(60))
    await optimize(home, session)
    archived = next(iter(session.view.statuses))
    (back, _) = await operations.bring_back(session, (archived,))
    before = assemble(session.view)
    assert await operations.redo(session, back.brought_back) == [], "nothing was undone"
    await operations.undo(session, back.brought_back)
    (redone, _) = await operations.redo(session, back.brought_back)
    assert redone.brought_back == back.brought_back
    assert [change.state for change in redone.changes] == [MessageState.IN_VIEW]
    assert assemble(session.view) == before
    assert await operations.redo(session, back.brought_back) == []


async def test_a_pin_of_an_archived_message_is_told_once(talk) -> None:
    home, session = await talk([], messages=long_chat(60))
    await optimize(home, session)
    archived = next(iter(session.view.statuses))
    (changed, _) = await operations.pin(session, archived)
    assert [(change.message_id, change.is_pinned) for change in changed.changes] == [(archived, True)]
    assert changed.brought_back == "", "its pin would hold it in the view"


async def test_what_another_branch_has_is_neither_pinned_nor_brought_back(talk) -> None:
    _, session = await talk([], messages=long_chat(4))
    left = session.page(4, 1)[0].message.id
    await session.record_operation(stamp(Rewind(first_message_id=left)))
    entries = session.transcript.entries
    assert await operations.bring_back(session, (left,)) == []
    with pytest.raises(WorldError):
        await operations.pin(session, left)
    assert session.transcript.entries is entries


async def test_a_system_message_is_in_every_view_without_a_pin(talk) -> None:
    _, session = await talk([], messages=[system("Be kind."), *long_chat(4)])
    prompt = next(item.message for item in session.view.items if item.message.role is Role.SYSTEM)
    assert await operations.pin(session, prompt.id) == []
    assert session.pins() == ()


async def test_a_pin_stays_through_every_compaction(talk) -> None:
    home, session = await talk([], messages=long_chat(60))
    first = session.page(1, 1)[0].message
    (changed,) = [e for e in await operations.pin(session, first.id) if isinstance(e, ViewChanged)]
    assert changed.pins == session.pins()
    await optimize(home, session)
    assert any(first.text in message.text for message in assemble(session.view))
    assert [row.message.id for row in session.pins()] == [first.id]
    assert session.counter.gauge().segments["pinned"] == session.counter.counts.total(first)


@pytest.mark.long
async def test_a_pin_gives_a_pruned_result_back_whole_until_it_ends(talk) -> None:
    home, session = await talk([], window=60_000, messages=with_tools(15))
    await apply_optimization(session, home.services, await plan_optimization(session.counter, 20_000), home.publish)
    pruned = [row for row in session.page(session.total, session.total) if row.state is MessageState.PRUNED]
    before = assemble(session.view)
    (changed, _) = await operations.pin(session, pruned[0].message.id)
    assert [(change.state, change.is_pinned) for change in changed.changes] == [(MessageState.IN_VIEW, True)]
    assert pruned[0].message.text in [message.text for message in assemble(session.view)]
    session = await home.reopen(session)
    assert pruned[0].message.text in [message.text for message in assemble(session.view)]
    await operations.unpin(session, pruned[0].message.id)
    assert assemble(session.view) == before
    (changed, _) = await operations.undo(session, session.operations()[0].id)
    assert {row.message.id for row in pruned} <= {change.message_id for change in changed.changes}


async def test_a_message_that_arrives_during_a_compaction_is_kept(talk) -> None:
    home, session = await talk([], messages=long_chat(60))
    planning = asyncio.ensure_future(plan_optimization(session.counter, None))
    await asyncio.sleep(0)
    await session.record_message(user("One thing more.", id="new"))
    await apply_optimization(session, home.services, await planning, home.publish)
    assert assemble(session.view)[-1].text == "One thing more."


async def test_search_finds_what_was_archived_and_says_so_until_it_is_given_up(talk) -> None:
    home, session = await talk([], messages=long_chat(60))
    await optimize(home, session)
    found = (await home.archive.search("topic3", session.id, 5))[0]
    assert found.archived
    assert "topic3" in found.snippet
    first = next(r.message for r in session.page(session.total, session.total) if r.state is MessageState.ARCHIVED)
    await session.record_operation(stamp(Rewind(first_message_id=first.id)))
    assert not any(found.archived for found in await home.archive.search("topic3", session.id, 5))


async def test_results_are_shortened_without_a_summary_where_that_is_wanted(talk) -> None:
    home, session = await talk([], window=60_000, messages=with_tools(15))
    before = assemble(session.view)
    plan = await plan_optimization(session.counter, None, "none")
    assert [type(step) for step in plan.steps] == [Prune]
    assert plan.is_useful
    await apply_optimization(session, home.services, plan, home.publish)
    (row,) = session.operations()
    assert (row.kind, row.tokens_after) == ("prune", session.counter.gauge().total)
    assert len(assemble(session.view)) == len(before), "no message has left"
    assert row.tokens_after < row.tokens_before
    await operations.undo(session, row.id)
    assert assemble(session.view) == before


async def test_where_no_result_is_old_the_plan_without_a_summary_says_so(talk) -> None:
    _, session = await talk([], window=60_000, messages=long_chat(20))
    plan = await plan_optimization(session.counter, None, "none")
    assert (plan.is_useful, plan.note) == (False, NO_RESULTS)
