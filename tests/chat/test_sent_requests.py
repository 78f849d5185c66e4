"""The request as the user looks at it: held against what arrived at the provider."""

from __future__ import annotations

import json

import pytest

from desktop_app.chat import sent_requests
from desktop_app.chat.branching import show_version
from desktop_app.chat.operations import pin
from desktop_app.chat.ports import WorldError
from desktop_app.chat.sent_requests import compare_requests, read_request, text_of_request
from desktop_app.context.view.normalize import UNDERSTOOD
from desktop_app.conversation.events import TurnFinished
from desktop_app.conversation.gauge import PartChange, PartKind, Provenance
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Compaction, Trigger
from provider import Reply


def reply_ids(session) -> list[str]:
    return [e.id for e in session.transcript.entries if isinstance(e, Message) and e.role == "assistant"]


def compaction(session, *texts: str) -> Compaction:
    ids = {row.message.text: row.message.id for row in session.page(99, 99)}
    archived = tuple(ids[text] for text in texts)
    return Compaction(trigger=Trigger.USER, strategy="edited", archived=archived, summary="So far.", id="c1", at=1.0)


async def test_each_request_is_seen_as_it_was_sent(talk) -> None:
    home, session = await talk([Reply(f"Answer {n}.") for n in range(1, 6)])
    for text in ("One?", "Two?"):
        await home.turn(session, text)
    await session.record_operation(compaction(session, "One?", "Answer 1."))
    await home.turn(session, "Three?")
    ended = len(home.of(TurnFinished))
    await home.chats.turns.edit(session, session.view.last_user_id, "Other?", ())
    await home.until(lambda: len(home.of(TurnFinished)) > ended)
    await show_version(home.chats, session, reply_ids(session)[2])
    assert len(reply_ids(session)) == 4
    for reply_id, request in zip(reply_ids(session), home.provider.requests, strict=True):
        sent = json.loads(await text_of_request(session, reply_id, -1))
        assert sent["messages"] == request.messages
        seen = await read_request(session, reply_id)
        assert seen.gauge.provenance is Provenance.MEASURED
        assert sum(part.tokens for part in seen.parts) == seen.gauge.total == 11, "as the provider reported"


async def test_the_parts_are_the_request_and_sum_to_the_gauge(talk) -> None:
    home, session = await talk([Reply(f"Answer {n}.", usage=None) for n in range(1, 4)])
    for text in ("One?", "Two?"):
        await home.turn(session, text)
    await session.record_operation(compaction(session, "One?", "Answer 1."))
    await pin(session, session.view.last_user_id)
    request = await read_request(session)
    assert sum(part.tokens for part in request.parts) == request.gauge.total == session.counter.gauge().total
    kinds = [part.kind for part in request.parts]
    assert kinds[:2] == [PartKind.MESSAGE, PartKind.SUMMARY]
    assert kinds[-1] is PartKind.FRAME
    summary = request.parts[1]
    assert (summary.operation_id, summary.stands_for, summary.message_id) == ("c1", 2, "")
    assert [part.text for part in request.parts if part.is_pinned] == ["Two?"]
    sent = json.loads(await text_of_request(session, "", -1))["messages"]
    shown = "\n".join(part.text for part in request.parts)
    assert all(message["content"] in shown for message in sent)


async def test_of_very_many_parts_the_middle_is_not_listed(talk, monkeypatch) -> None:
    home, session = await talk([Reply(f"Answer {n}.") for n in range(1, 6)])
    for text in ("One?", "Two?", "Three?"):
        await home.turn(session, text)
    whole = await read_request(session)
    monkeypatch.setattr(sent_requests, "MAX_LISTED", 5)
    monkeypatch.setattr(sent_requests, "FIRST_LISTED", 2)
    listed = await read_request(session)
    gap, count = listed.unlisted
    assert (gap, count) == (2, len(whole.parts) - 5)
    assert listed.parts == (*whole.parts[:2], *whole.parts[2 + count :])
    assert listed.gauge == whole.gauge
    assert await text_of_request(session, "", 2 + count) == listed.parts[2].text


async def test_a_long_part_is_read_whole_on_demand(talk) -> None:
    home, session = await talk([Reply("Fine.")])
    await home.turn(session, "word " * 5_000)
    request = await read_request(session)
    index = next(n for n, part in enumerate(request.parts) if part.role == "user")
    part = request.parts[index]
    assert part.characters == 25_000
    assert len(part.text) < 2_000
    assert (await text_of_request(session, "", index)).strip() == ("word " * 5_000).strip()
    for wrong in (("", len(request.parts)), ("nothing", 0)):
        with pytest.raises(WorldError):
            await text_of_request(session, *wrong)


async def test_what_has_changed_since_a_reply_was_asked_for(talk) -> None:
    home, session = await talk([Reply(f"Answer {n}.") for n in range(1, 4)])
    for text in ("One?", "Two?"):
        await home.turn(session, text)
    await session.record_operation(compaction(session, "One?", "Answer 1."))
    compared = await compare_requests(session, reply_ids(session)[1])
    changes = {(one.part.text.splitlines() or [""])[-1]: one.change for one in compared if one.part.text}
    assert changes == {
        "Be brief.": PartChange.SAME,
        "So far.": PartChange.ADDED,
        UNDERSTOOD: PartChange.ADDED,
        "One?": PartChange.REMOVED,
        "Answer 1.": PartChange.REMOVED,
        "Two?": PartChange.SAME,
        "Answer 2.": PartChange.ADDED,
    }


async def test_only_the_largest_parts(talk) -> None:
    home, session = await talk([Reply("Fine.")])
    await home.turn(session, "word " * 500)
    parts = (await read_request(session)).parts
    largest = (await read_request(session, largest=2)).parts
    assert [part.tokens for part in largest] == sorted((part.tokens for part in parts), reverse=True)[:2]
    assert set(largest) <= set(parts)
