"""Room that could not be made is in the record: why, how full it was, once for each attempt, after a restart too."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import message, user
from desktop_app.chat.compaction import making_room
from desktop_app.chat.compaction.making_room import is_known_failure
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.room_decision import WindowTooSmall
from desktop_app.context.record_figures import insights_of
from desktop_app.conversation.events import RoomEnded, ViewChanged
from desktop_app.conversation.message import Role
from desktop_app.conversation.transcript import Compaction, FailedCompaction, Pin, Trigger
from provider import Reply

ROLES = (Role.USER, Role.ASSISTANT)
ASKED = user("?", id="m")


def failures(session) -> list[FailedCompaction]:
    return [entry for entry in session.transcript.entries if isinstance(entry, FailedCompaction)]


async def test_a_message_that_never_fits_is_told_with_what_must_stay(house, caplog) -> None:
    caplog.set_level("INFO", "desktop_app")
    home = await house([], window=8_192, max_output=0)
    session = await home.chats.create("Long")
    await home.turn(session, "heliotrope " * 9_000)
    (failed,) = failures(session)
    assert (failed.trigger, failed.cause, failed.usable) == (
        Trigger.BEFORE_REQUEST,
        "too_small",
        session.counter.budget.usable,
    )
    assert failed.usable < failed.needed <= failed.tokens
    (line,) = [line for line in caplog.messages if "Compaction failed" in line]
    assert f"{failed.tokens:,} of {failed.usable:,} tokens" in line
    assert "heliotrope" not in line
    (told,) = [row for event in home.of(ViewChanged) for row in event.operations]
    assert (told.kind, told.strategies, told.tokens_after) == ("failed", {"too_small": 1}, failed.needed)
    assert told.after_message_id == "", "it has no mark in the chat: the card stands there"
    entries = await home.archive.entries(session.id)
    assert failed in entries, "it survives a restart"


async def test_each_message_is_an_attempt_of_its_own_and_a_retry_is_none(house) -> None:
    home = await house([], window=8_192, max_output=0)
    session = await home.chats.create("Long")
    await home.turn(session, "word " * 9_000)
    for _ in range(2):
        with pytest.raises(WindowTooSmall):
            await home.make_room(session, Trigger.BEFORE_REQUEST)
    assert len(failures(session)) == 1
    await home.turn(session, "word " * 9_000)
    assert len(failures(session)) == 2


@pytest.mark.long
async def test_paused_compactions_are_told_once(house) -> None:
    home = await house([Reply("Here.", usage=None)], window=8_192, repeat_last=True)
    said = [message(ROLES[n % 2], "word " * 45) for n in range(124)]
    session = await home.chats.create("Long", said)
    for number in range(2):
        archived = (session.view.items[number].message.id,)
        futile = Compaction(trigger=Trigger.AFTER_TURN, strategy="extractive", archived=archived, summary="Not much.")
        await session.record_operation(replace(futile, id=f"f{number}", tokens_before=6_000, tokens_after=5_900))
    for item in list(session.view.items)[6:]:  # so that another one would free little, too
        await session.record_operation(Pin(id=f"pin {item.message.id}", message_id=item.message.id))
    assert session.counter.gauge().share > 0.75
    for _ in range(2):
        await home.turn(session, "And now?")
    assert [failed.cause for failed in failures(session)] == ["stalled"]
    insights = insights_of(session.transcript, None, str)
    assert [one.kind for one in insights.operations] == ["compaction", "compaction", "failed"]
    assert len(insights.steps_of_operations()) == 3


@pytest.mark.parametrize(
    ("entries", "cause", "is_told"),
    [
        ([], "too_small", False),
        ([FailedCompaction(trigger=Trigger.USER, cause="too_small")], "too_small", True),
        ([FailedCompaction(trigger=Trigger.USER, cause="too_small")], "stalled", False),
        ([FailedCompaction(trigger=Trigger.USER, cause="too_small"), ASKED], "too_small", False),
        ([FailedCompaction(trigger=Trigger.USER, cause="stalled"), ASKED], "stalled", True),
        (
            [
                FailedCompaction(trigger=Trigger.USER, cause="stalled"),
                Compaction(trigger=Trigger.USER, strategy="llm", archived=("m",), summary=""),
            ],
            "stalled",
            False,
        ),
    ],
)
def test_what_was_told_is_not_told_again(entries: list, cause, is_told: bool) -> None:
    assert is_known_failure(entries, cause) is is_told


@pytest.mark.parametrize(
    ("trigger", "words", "is_told"),
    [(Trigger.AFTER_TURN, 52, False), (Trigger.AFTER_TURN, 62, True), (Trigger.BEFORE_REQUEST, 62, True)],
)
async def test_what_came_to_nothing_is_told_where_the_next_request_misses_it(
    house, monkeypatch, trigger: Trigger, words: int, is_told: bool
) -> None:
    async def nothing(*_: object) -> None: ...

    monkeypatch.setattr(making_room, "write_compaction", nothing)
    home = await house([], window=8_192)
    said = [message(ROLES[n % 2], "word " * words) for n in range(100)]
    session = await home.chats.create("Long", said)
    assert session.counter.gauge().share >= 0.75
    assert (session.counter.gauge().share >= 0.9) is is_told
    await home.make_room(session, trigger)
    assert [event.has_failed for event in home.of(RoomEnded)] == [is_told]
    assert [failed.cause for failed in failures(session)] == ["frees_nothing"], "it is in the record"


async def test_room_that_was_made_meanwhile_is_not_told_as_a_failure(house, monkeypatch) -> None:
    home = await house([], window=8_192)
    said = [message(ROLES[n % 2], "word " * 58) for n in range(100)]
    session = await home.chats.create("Long", said)

    async def late(_: object, plan: CompactionPlan, *__: object) -> Compaction:
        made = Compaction(trigger=Trigger.USER, strategy="extractive", archived=plan.archived, summary="Words.")
        await session.record_operation(replace(made, id="first", tokens_before=6_000, tokens_after=500))
        return made

    monkeypatch.setattr(making_room, "write_compaction", late)
    await home.make_room(session, Trigger.AFTER_TURN)
    assert [event.has_failed for event in home.of(RoomEnded)] == [False]
