"""Edit and resend, going back to another version, and copies of a branch."""

from __future__ import annotations

import asyncio

import pytest

from builders import model, result, user
from desktop_app.chat.branching import fork, read_versions, show_version
from desktop_app.chat.operations import pin, undo
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import stamp
from desktop_app.conversation.events import MessageState, TurnFinished
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import Message, ToolCall
from desktop_app.conversation.transcript import AuxiliaryUsage, Compaction, Pin, Trigger
from provider import Hang, Reply, Status


def sent(home, number: int = -1) -> list[str]:
    return [message["content"] for message in home.provider.requests[number].messages]


async def edit(home, session, message_id: str, text: str) -> None:
    ended = len(home.of(TurnFinished))
    await home.chats.turns.edit(session, message_id, text, ())
    await home.until(lambda: len(home.of(TurnFinished)) > ended)


def shown(session) -> list[str]:
    """The messages of the current branch, as the chat shows them."""
    return [row.message.text for row in session.page(99, 99)]


def id_of(session, text: str) -> str:
    """In any branch."""
    return next(message.id for message in messages_of(session) if message.text == text)


async def test_an_edited_message_begins_a_branch_and_each_goes_on_by_itself(talk) -> None:
    home, session = await talk([Reply(f"Answer {n}.") for n in range(1, 6)])
    await home.turn(session, "One?")
    await home.turn(session, "Two?")
    gauge = session.counter.gauge()
    await edit(home, session, id_of(session, "One?"), "Other?")
    assert sent(home) == ["Be brief.", "Other?"]
    assert shown(session) == ["Be brief.", "Other?", "Answer 3."]
    one, other = id_of(session, "One?"), id_of(session, "Other?")
    assert [row.versions for row in session.rows([one, other])] == [(one, other)] * 2
    assert [row.index for row in session.rows([one, other])] == [1, -1]
    assert {row.state for row in session.rows([one])} == {MessageState.ABANDONED}
    await show_version(home.chats, session, one)
    assert shown(session) == ["Be brief.", "One?", "Answer 1.", "Two?", "Answer 2."]
    assert session.counter.gauge() == gauge, "measured as it was"
    await home.turn(session, "Three?")
    await show_version(home.chats, session, other)
    await home.turn(session, "Four?")
    assert sent(home) == ["Be brief.", "Other?", "Answer 3.", "Four?"]
    again = await reopened(home, session)
    assert shown(again) == ["Be brief.", "Other?", "Answer 3.", "Four?", "Answer 5."]
    await show_version(home.chats, again, id_of(again, "Two?"))
    assert shown(again)[-2:] == ["Three?", "Answer 4."], "the version that was used last"


async def reopened(home, session):
    """The session as another process reads it."""
    home.furnish()
    return await home.chats.open(session.id)


async def test_an_older_reply_is_regenerated_in_a_branch_without_what_came_after_it(talk) -> None:
    home, session = await talk([Reply(f"Answer {n}.") for n in range(1, 4)])
    await home.turn(session, "One?")
    await home.turn(session, "Two?")
    first = id_of(session, "Answer 1.")
    await home.chats.turns.regenerate(session, first)
    await home.until(lambda: len(home.of(TurnFinished)) == 3)
    assert sent(home) == ["Be brief.", "One?"]
    assert shown(session) == ["Be brief.", "One?", "Answer 3."]
    assert [row.versions for row in session.page(99, 1)] == [(first, id_of(session, "Answer 3."))]
    with pytest.raises(WorldError):
        await home.chats.turns.regenerate(session, first)


async def test_where_nothing_was_asked_nothing_is_answered_and_the_system_prompt_stays(talk) -> None:
    home, session = await talk([Reply("To whom?")])
    for begin in (home.chats.turns.regenerate, home.chats.turns.go_on):
        with pytest.raises(WorldError, match="no message to answer"):
            await begin(session)
    assert shown(session) == ["Be brief."]
    assert not home.provider.requests


async def test_a_page_around_a_message_is_of_the_current_branch(talk) -> None:
    home, session = await talk([Reply(f"Answer {n}.") for n in range(1, 4)])
    await home.turn(session, "One?")
    await home.turn(session, "Two?")
    await edit(home, session, id_of(session, "Two?"), "Other?")
    assert session.page(0, 60, id_of(session, "Two?")) == ()
    around = session.page(0, 2, id_of(session, "Answer 1."))
    assert [row.message.text for row in around] == ["Answer 1.", "Other?"]


async def test_a_regenerated_reply_is_anchored_to_its_own_request(talk) -> None:
    home, session = await talk([Reply("First.", usage=(24, 9, 0)), Reply("Second.", usage=(24, 9, 0))])
    await home.turn(session, "Which?")
    await home.chats.turns.regenerate(session)
    await home.until(lambda: len(home.of(TurnFinished)) == 2)
    assert session.counter.gauge().provenance is Provenance.MEASURED
    assert session.counter.gauge().total >= 33


async def test_an_operation_is_of_its_branch(talk) -> None:
    home, session = await talk([Reply(f"Answer {n}.") for n in range(1, 5)])
    await home.turn(session, "One?")
    await home.turn(session, "Two?")
    archived = tuple(id_of(session, text) for text in ("One?", "Answer 1."))
    operation = Compaction(
        trigger=Trigger.USER, strategy="edited", archived=archived, summary="So far.", id="c1", at=1.0
    )
    await session.record_operation(operation)
    await edit(home, session, archived[0], "Other?")
    assert sent(home) == ["Be brief.", "Other?"]
    (row,) = session.operations()
    assert (row.is_elsewhere, row.is_undone) == (True, False)
    assert await undo(session, "c1") == [], "it changes nothing here"
    await show_version(home.chats, session, archived[0])
    assert any("So far." in text for text in assembled(session))
    (row,) = session.operations()
    assert not row.is_elsewhere
    await pin(session, archived[0])
    assert "One?\n\nTwo?" in assembled(session)


def assembled(session) -> list[str]:
    return [message.text for message in session.counter.assemble()[0]]


async def test_where_a_new_answer_fails_the_old_one_can_be_had(talk) -> None:
    home, session = await talk([Reply("First."), Status(401, "no such key")])
    await home.turn(session, "Which?")
    await home.chats.turns.regenerate(session)
    await home.until(lambda: len(home.of(TurnFinished)) == 2)
    (version,) = session.other_versions()
    await show_version(home.chats, session, version)
    assert shown(session) == ["Be brief.", "Which?", "First."]


async def test_branches_wait_for_the_end_of_a_turn(talk) -> None:
    home, session = await talk([Reply("First."), Hang("Sec")])
    await home.turn(session, "Which?")
    await home.chats.turns.send(session, "And?")
    for begun in (
        home.chats.turns.edit(session, id_of(session, "Which?"), "Other?", ()),
        show_version(home.chats, session, id_of(session, "First.")),
    ):
        with pytest.raises(WorldError) as refused:
            await begun
        assert refused.value.failure.kind == "busy"
    await home.chats.turns.stop(session.id)


async def test_a_message_that_is_sent_while_a_branch_is_chosen_is_answered_in_it(talk) -> None:
    home, session = await talk([Reply("First."), Reply("Second."), Reply("Third.")])
    await home.turn(session, "Which?")
    await edit(home, session, id_of(session, "Which?"), "Other?")
    async with session.changes:  # of whatever is being done to the view
        choosing = asyncio.ensure_future(show_version(home.chats, session, id_of(session, "Which?")))
        await asyncio.sleep(0)
        sending = asyncio.ensure_future(home.chats.turns.send(session, "And?"))
        await asyncio.sleep(0.1)
    await asyncio.gather(choosing, sending)
    await home.until(lambda: len(home.of(TurnFinished)) == 3)
    assert shown(session) == ["Be brief.", "Which?", "First.", "And?", "Third."]


@pytest.mark.parametrize("what", ["edit", "regenerate"])
async def test_what_another_version_left_behind_meanwhile_is_not_begun_anew(talk, what: str) -> None:
    home, session = await talk([Reply("First."), Reply("Second."), Reply("Third.")])
    await home.turn(session, "Which?")
    await edit(home, session, id_of(session, "Which?"), "Other?")
    newest, reply = id_of(session, "Other?"), id_of(session, "Second.")
    async with session.changes:
        choosing = asyncio.ensure_future(show_version(home.chats, session, id_of(session, "Which?")))
        await asyncio.sleep(0)
        anew = (
            home.chats.turns.edit(session, newest, "New?", ())
            if what == "edit"
            else (home.chats.turns.regenerate(session, reply))
        )
        beginning = asyncio.ensure_future(anew)
        await asyncio.sleep(0.1)
    await choosing
    with pytest.raises(WorldError, match="This message is not"):
        await beginning
    assert shown(session) == ["Be brief.", "Which?", "First."]
    assert not home.chats.turns.queue.state(session.id).queue


@pytest.mark.parametrize("what", ["First.", "nothing"])
async def test_only_the_users_own_messages_can_be_edited(talk, what: str) -> None:
    home, session = await talk([Reply("First.")])
    await home.turn(session, "Which?")
    message_id = what if what == "nothing" else id_of(session, what)
    with pytest.raises(WorldError):
        await home.chats.turns.edit(session, message_id, "Other?", ())
    with pytest.raises(WorldError):
        await show_version(home.chats, session, "nothing")


async def test_a_copy_begins_as_the_branch_does_and_costs_nothing(house) -> None:
    home = await house([Reply(f"Answer {n}.", usage=(100, 5, 0)) for n in range(1, 5)])
    session = await home.chats.create(title="Plans")
    await home.turn(session, "One?")
    await home.turn(session, "Two?")
    operation = Compaction(
        trigger=Trigger.USER,
        strategy="edited",
        archived=(id_of(session, "One?"), id_of(session, "Answer 1.")),
        summary="So far.",
    )
    await session.record_operation(stamp(operation))
    copied = await fork(home.chats, session, id_of(session, "Two?"))
    assert copied.info.title == f"{session.info.title} (copy)"
    assert shown(copied) == ["Be brief.", "One?", "Answer 1.", "Two?"]
    assert assembled(copied)[:2] == assembled(session)[:2], "the summary is there"
    assert not {m.id for m in messages_of(copied)} & {m.id for m in messages_of(session)}
    for each in (session, copied):
        assert await home.chats.archive.archived_indexes(each.id) == {1, 2}, "recall finds them in both"
    assert copied.operations()[0].usage is None
    assert {row.linked for row in copied.operations()} == {"", session.id}
    await home.turn(copied, "Three?")
    assert shown(session)[-1] == "Answer 2."


async def test_a_text_that_equals_an_id_is_copied_as_it_is(house) -> None:
    home = await house([])
    asked = user("first", id="first", at=1.0)
    titled = AuxiliaryUsage(id="title", at=1.5, purpose="title", model="first")
    answered = model("first", ToolCall("first", "read"), id="second", at=2.0, as_of="title", model="first")
    results = result("second", "first", "read", id="third", at=3.0)
    session = await home.chats.create_with(
        "Ids", [asked, titled, answered, results, Pin(id="fourth", at=4.0, message_id="first")], "scripted/scripted", ""
    )
    copied = await fork(home.chats, session, "")
    before, after = messages_of(session)[-3:], messages_of(copied)[-3:]
    assert [m.parts for m in after] == [m.parts for m in before]
    assert [m.model for m in after] == [m.model for m in before]
    assert after[1].as_of == after[0].id, "the usage that was recorded between them is left to the original"
    assert copied.view.pins == {after[0].id}
    assert not {m.id for m in after} & {m.id for m in before}


def messages_of(session) -> list[Message]:
    return [entry for entry in session.transcript.entries if isinstance(entry, Message)]


async def test_the_versions_are_told_with_the_tokens_that_each_branch_takes(talk) -> None:
    home, session = await talk(
        [Reply("Answer 1."), Reply("Answer 2."), Reply("A far longer answer, word after word."), Reply("4.")]
    )
    await home.turn(session, "One?")
    assert await read_versions(session) == ((), 0)
    await home.turn(session, "Two?")
    before = id_of(session, "Two?")
    await edit(home, session, before, "Other?")
    await home.turn(session, "And then?")
    versions, total = await read_versions(session)
    assert [(v.number, v.text, v.is_current) for v in versions] == [(1, "Two?", False), (2, "Other?", True)]
    assert versions[1].tokens == session.counter.gauge().total
    assert total == 2
    await show_version(home.chats, session, before)
    assert versions[0].tokens == session.counter.gauge().total, "what the gauge shows there"


async def test_of_many_versions_those_around_the_current_one_are_told(talk) -> None:
    home, session = await talk([Reply(f"Answer {n}.") for n in range(1, 11)])
    await home.turn(session, "One?")
    for count in range(2, 11):
        await home.chats.turns.regenerate(session)
        await home.until(lambda n=count: len(home.of(TurnFinished)) == n)
    versions, total = await read_versions(session)
    assert ([v.number for v in versions], total) == ([5, 6, 7, 8, 9, 10], 10)
    await show_version(home.chats, session, id_of(session, "Answer 2."))
    assert [v.number for v in (await read_versions(session))[0]] == [1, 2, 3, 4, 5, 6]
