"""A model writes the summary: through the real litellm over loopback, against a scripted provider."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from msgspec.structs import replace
from test_take_turn import long_chat

from builders import model, result
from desktop_app.chat.compaction.snapshot import ContextSnapshot, snapshot_of
from desktop_app.chat.compaction.summarize import NoSummary, Progress, draft_summary, write_compaction
from desktop_app.chat.ports import Price
from desktop_app.chat.session import Session, stamp
from desktop_app.context.compact.compaction import TURN_HEADING, CompactionPlan, plan_compaction
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.policy import Budget
from desktop_app.context.view.view import assemble
from desktop_app.conversation.events import RoomEnded, RoomProgressed, RoomStarted, TurnFinished, ViewChanged
from desktop_app.conversation.message import Message, Text, ToolCall, Usage, user_message
from desktop_app.conversation.transcript import Compaction, Pin, Trigger
from fake_model import FakeModel
from provider import Cut, Hang, Overflow, Reply, Status
from slowness import slowness
from summary_prompts import PROMPTS
from texts import ASKED_TOO_OFTEN

RULE = "Never restart the server on Fridays."
PAGE = f"## Primary intent\nQuestions about topics, and answers with details.\n\n## Rules and constraints\n- {RULE}"


def written_in(compaction: Compaction) -> str:
    """Return what the model wrote, without the names that code put back."""
    return compaction.summary.split("\n\n## Also named")[0]


def answer(summary: str = PAGE, keep: tuple[str, ...] = (), turn: str = "", **more) -> Reply:
    return Reply(json.dumps({"summary": summary, "turn": turn, "keep": list(keep)}), size=16, **more)


def chat(turns: int = 44) -> list[Message]:
    """So many that one request is enough for their summary."""
    return [user_message(f"{RULE} Let us begin."), *long_chat(turns)[1:]]


async def long_session(home, messages: list[Message] | None = None) -> Session:
    return await home.chats.create("Long", chat() if messages is None else messages)


def plan_for(basis: ContextSnapshot) -> CompactionPlan:
    total = request_tokens(basis.view, basis.counts)
    plan = plan_compaction(basis.view, basis.policy, basis.budget, basis.counts, total, Trigger.USER)
    assert plan is not None
    return plan


async def summarised(home, session: Session, **changes) -> tuple[Compaction, list[Progress]]:
    """The compaction of that session, and how its progress was told. changes: of the policy."""
    basis = snapshot_of(session.counter)
    basis = replace(basis, policy=replace(basis.policy, **changes))
    order = await home.services.summaries.request_for(session.counter)
    assert order.strategy == "llm"
    progress: list[Progress] = []
    compaction = await write_compaction(basis, plan_for(basis), order, progress.append)
    assert compaction is not None
    return compaction, progress


async def test_a_model_writes_the_summary_and_its_cost_is_recorded(house) -> None:
    home = await house([answer(usage=(5_000, 60, 0))], prompts=PROMPTS)
    session = await long_session(home)
    compaction, progress = await summarised(home, session)
    assert compaction.strategy == "llm"
    assert written_in(compaction) == PAGE
    assert compaction.model == "scripted/scripted"
    assert compaction.usage == Usage(5_000, 60)
    assert compaction.note == ""
    assert compaction.tokens_after < compaction.tokens_before
    assert compaction.seconds > 0
    assert compaction.fidelity.total > 0
    assert all(0 <= step.tokens <= step.max_tokens for step in progress)
    (request,) = home.provider.requests
    assert [message["role"] for message in request.messages] == ["system", "user"]
    assert "tools" not in request.body
    told = request.messages[1]["content"]
    assert "about topic1" in told
    assert f"- {RULE}" in told, "rules are given to be copied"


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (Reply("I'm sorry, but I can't help with that."), "the model refused to write it"),
        (Cut('{"summary": "It began'), "failed"),
        (Reply(PAGE, finish="length"), "longer than it may be"),
        (Reply('{"summary": "It began'), "cut off"),
        (Status(500), "failed"),
        (Overflow(), "failed"),
        (answer("blah " * 6_000), "longer than it may be"),
    ],
    ids=["refused", "cut", "length", "no end", "500", "overflow", "too long"],
)
async def test_what_is_no_summary_gives_way_to_the_extractive_one_and_says_why(house, step, why: str) -> None:
    home = await house([step], prompts=PROMPTS, repeat_last=True)
    session = await long_session(home)
    compaction, _ = await summarised(home, session)
    assert compaction.strategy == "extractive"
    assert compaction.note.startswith("Assembled by rules because ")
    assert why in compaction.note
    assert RULE in compaction.summary
    assert compaction.model == ""


@pytest.mark.long
@pytest.mark.parametrize(
    ("step", "limits"),
    [(Hang(), {"call_seconds": 0.2}), (Reply(PAGE * 50, pause=0.02), {"compaction_seconds": 0.3})],
    ids=["silent", "slow for ever"],
)
async def test_a_model_is_not_waited_for_longer_than_the_policy_says(house, step, limits: dict[str, float]) -> None:
    home = await house([step], prompts=PROMPTS)
    compaction, _ = await summarised(home, await long_session(home), **limits)
    assert compaction.strategy == "extractive"
    assert "took too long" in compaction.note
    assert await asyncio.to_thread(home.provider.client_left.wait, 2), "the connection is closed"


@pytest.mark.parametrize(
    ("repair", "usage"),
    [
        (answer(usage=(50, 20, 5)), Usage(150, 30, 5, requests=2)),
        (answer("## Primary intent\nTopics: questions, and answers with details.", usage=None), Usage(100, 10)),
        (Status(500), Usage(100, 10)),
    ],
    ids=["repaired", "stubborn", "failed"],
)
async def test_a_lost_rule_is_asked_for_once_and_then_put_back_by_code(house, repair, usage: Usage) -> None:
    home = await house(
        [answer("## Primary intent\nQuestions about topics, answers in detail.", usage=(100, 10, 0)), repair],
        prompts=PROMPTS,
    )
    compaction, _ = await summarised(home, await long_session(home))
    assert (compaction.strategy, compaction.usage) == ("llm", usage)
    assert RULE in compaction.summary
    assert RULE in home.provider.requests[1].messages[1]["content"]
    assert len(home.provider.requests) == 2, "one repair, not more"


WEATHER = "The weather is nice today, thanks."
SAYS_LITTLE = "the summary of Scripted said too little about the conversation"


async def test_what_says_nothing_is_asked_for_once_more_with_the_record_again(house) -> None:
    home = await house([answer(WEATHER, usage=(100, 10, 0)), answer(usage=(120, 20, 0))], prompts=PROMPTS)
    compaction, _ = await summarised(home, await long_session(home))
    assert (compaction.strategy, compaction.note) == ("llm", "")
    assert compaction.usage == Usage(220, 30, requests=2)
    assert written_in(compaction) == PAGE
    first, again = home.provider.requests
    assert again.messages[:2] == first.messages[:2], "the record, which the provider has in its cache"
    assert [message["role"] for message in again.messages] == ["system", "user", "assistant", "user"]
    assert WEATHER in again.messages[2]["content"]
    assert "no summary of the record" in again.messages[3]["content"]


@pytest.mark.parametrize("said", [answer(WEATHER), Reply(WEATHER), answer("blah. " * 90), Reply(PAGE.split("\n")[0])])
async def test_what_says_nothing_twice_gives_way_to_rules_whatever_code_would_put_below_it(house, said) -> None:
    home = await house([said], prompts=PROMPTS, repeat_last=True)
    session = await long_session(home, [user_message(f"{RULE} The ticket is OPS-{n}.") for n in range(9)] + chat())
    compaction, _ = await summarised(home, session)
    assert compaction.strategy == "extractive"
    assert SAYS_LITTLE in compaction.note
    assert WEATHER not in compaction.summary
    assert RULE in compaction.summary
    assert len(home.provider.requests) == 2
    compaction, _ = await summarised(home, session, repair_calls=0)
    assert (compaction.strategy, len(home.provider.requests)) == ("extractive", 3)


async def test_there_is_one_repair_for_all_that_is_wrong(house) -> None:
    home = await house([answer(WEATHER), answer(PAGE.split("\n\n## Rules")[0])], prompts=PROMPTS)
    compaction, _ = await summarised(home, await long_session(home))
    assert compaction.strategy == "llm"
    assert RULE in compaction.summary, "put back by code"
    assert len(home.provider.requests) == 2


async def test_a_correction_that_is_another_text_is_not_taken(house) -> None:
    without_rule = PAGE.split("\n\n## Rules")[0]
    home = await house([answer(without_rule), answer(f"Here is the line that was missing:\n- {RULE}")], prompts=PROMPTS)
    compaction, _ = await summarised(home, await long_session(home))
    assert compaction.strategy == "llm"
    assert compaction.summary.startswith(without_rule)


async def test_open_questions_that_were_lost_come_back(house) -> None:
    home = await house([answer()], prompts=PROMPTS, repeat_last=True)
    asking = [replace(m, parts=(Text(f"{m.text} Which port does queue {n} use?"),)) for n, m in enumerate(chat())]
    compaction, _ = await summarised(home, await long_session(home, asking))
    assert compaction.strategy == "llm"
    questions = [fact.text for fact in compaction.ledger.questions]
    assert questions
    assert all(question in compaction.summary for question in questions)


async def test_messages_that_the_model_asks_for_stay_word_for_word(house) -> None:
    home = await house([answer(keep=("m2", "m3", "m999"))], prompts=PROMPTS)
    session = await long_session(home)
    basis = snapshot_of(session.counter)
    archived = plan_for(basis).archived
    compaction, _ = await summarised(home, session)
    assert archived[1] not in compaction.archived
    assert archived[2] not in compaction.archived
    assert set(compaction.archived) == set(archived) - {archived[1], archived[2]}


async def test_no_more_is_kept_than_there_is_room_for(house) -> None:
    home = await house([answer(keep=("m1", "m2"))], prompts=PROMPTS)
    messages = [user_message("A short specification."), model("word " * 4_300)]
    session = await long_session(home, [*messages, *long_chat(10)])
    compaction, _ = await summarised(home, session)
    assert compaction.strategy == "llm"
    assert session.page(2, 1)[0].message.id in compaction.archived
    assert session.page(1, 1)[0].message.id not in compaction.archived


async def test_a_long_head_is_read_in_parts_at_the_same_time_and_their_order_is_kept(house) -> None:
    """The first part is answered last."""
    replies = [answer(f"{PAGE}\n- Part {n}.", delay=max(0.3 - 0.1 * n, 0)) for n in range(1, 17)]
    home = await house(replies, window=8_192, prompts=PROMPTS)
    session = await long_session(home, chat(200))
    compaction, _ = await summarised(home, session)
    asked = [request.messages[1]["content"] for request in home.provider.requests]
    assert len(asked) > 2
    assert not any("earlier summary>" in text for text in asked), "there is none, and no part waits for another"
    points = [line for line in written_in(compaction).splitlines() if line.startswith("- ")]
    assert points == [f"- {RULE}", *(f"- Part {n}." for n in range(1, len(asked) + 1))], "each line once, in order"
    limit = session.counter.budget.window
    assert all(session.counter.counts.text(text) + 1_000 < limit for text in asked), "no call overflows"
    told = "".join(asked)
    archived = [session.message(i) for i in compaction.archived]
    assert all(message.text.split(":")[0] in told for message in archived), "nothing is left out"


async def test_no_more_parts_are_read_at_once_than_the_policy_says(house) -> None:
    home = await house([answer(delay=0.05)], window=8_192, prompts=PROMPTS, repeat_last=True)
    session, waiting, most = await long_session(home, chat(300)), 0, 0
    stream = FakeModel.stream

    async def counted(self, *arguments, **named):
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        try:
            async for piece in stream(self, *arguments, **named):
                yield piece
        finally:
            waiting -= 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FakeModel, "stream", counted)
        await summarised(home, session, parallel_calls=2)
        assert most == 2
        await summarised(home, session, parallel_calls=1)
    assert len(home.provider.requests) > 4


async def test_a_part_that_fails_ends_the_others_and_gives_way_to_rules(house) -> None:
    home = await house([Status(500), *[answer(delay=30)] * 16], window=8_192, prompts=PROMPTS)
    session = await long_session(home, chat(200))
    began = time.monotonic()
    compaction, _ = await summarised(home, session)
    assert time.monotonic() - began < 15 * slowness(), "the others are not waited for"
    assert compaction.strategy == "extractive"
    assert "failed" in compaction.note


async def test_the_first_part_carries_the_earlier_summary_over(house) -> None:
    home = await house([answer(f"{PAGE}\n- Topics are asked about."), *[answer()] * 16], prompts=PROMPTS)
    session = await long_session(home)
    first, _ = await summarised(home, session)
    await session.record(stamp(replace(first, id="", at=0.0)))
    for message in chat(140):
        await session.record(stamp(replace(message, id="", at=0.0)))
    before = len(home.provider.requests)
    compaction, _ = await summarised(home, session)
    assert compaction.strategy == "llm"
    asked = [request.messages[1]["content"] for request in home.provider.requests[before:]]
    assert len(asked) > 1
    assert ["Topics are asked about" in text.split("conversation>")[0] for text in asked] == [
        True,
        *[False] * (len(asked) - 1),
    ]


def asks_from_start(request) -> bool:
    """Whether the request is about the first part."""
    return " m1 user" in request.messages[1]["content"]


async def test_a_provider_with_a_smaller_window_than_it_says_is_asked_again_with_less(house) -> None:
    home = await house([Overflow(), *[answer()] * 5], prompts=PROMPTS)
    compaction, _ = await summarised(home, await long_session(home, chat(70)))
    assert compaction.strategy == "llm"
    sizes = [len(request.messages[1]["content"]) for request in home.provider.requests]
    again = [size for request, size in zip(home.provider.requests, sizes, strict=True) if asks_from_start(request)]
    assert again[1] < 0.75 * again[0]


@pytest.mark.long
async def test_a_head_of_too_many_parts_is_not_begun(house) -> None:
    home = await house([], window=8_192, prompts=PROMPTS)
    compaction, _ = await summarised(home, await long_session(home, chat(900)))
    assert ASKED_TOO_OFTEN in compaction.note
    assert home.provider.requests == []


@pytest.mark.parametrize(
    ("usable", "why"),
    [(8_000, "too little comes before the latest messages"), (520, "there is no room for a summary")],
)
async def test_a_summary_that_would_be_too_short_says_whether_that_is_for_want_of_room(house, usable, why) -> None:
    home = await house([], prompts=PROMPTS)
    session = await long_session(home)
    basis = replace(snapshot_of(session.counter), budget=Budget(2 * usable, usable))
    plan = replace(plan_for(basis), summary_budget=30, projected=500)
    request = await home.services.summaries.request_for(session.counter, "llm")
    with pytest.raises(NoSummary, match=why):
        draft_summary(basis, plan, request)


@pytest.mark.long
async def test_the_earlier_summary_is_merged(house) -> None:
    home = await house([answer(), answer(PAGE + "\n- Second.")], prompts=PROMPTS)
    session = await long_session(home)
    first, _ = await summarised(home, session)
    await session.record(replace(first, id="first"))
    for message in long_chat(30):
        await session.record(replace(message, id=f"later-{message.text[:12]}"))
    second, _ = await summarised(home, session)
    asked = home.provider.requests[1].messages
    assert "Merge it" in asked[0]["content"]
    assert PAGE in asked[1]["content"]
    assert written_in(second) == PAGE + "\n- Second."


async def test_the_beginning_of_a_split_turn_is_summarised_apart(house) -> None:
    home = await house([answer(turn="It read the files.")], window=40_000, prompts=PROMPTS)
    work = [user_message("Read all files.")]
    for n in range(30):
        call = ToolCall(f"call_{n}", "read", f'{{"path": "src/file{n}.py"}}')
        work += [
            model(f"Reading {n}.", call),
            result(f"line {n}\n" * 800, f"call_{n}", "read"),
        ]
    session = await long_session(home, [*chat(10), *work])
    compaction, _ = await summarised(home, session)
    assert "current turn so far>" in home.provider.requests[0].messages[1]["content"]
    assert compaction.summary.startswith(PAGE)
    assert f"{TURN_HEADING}\n\nIt read the files." in compaction.summary


def compactions_of(home) -> list[ViewChanged]:
    """Return the events that tell of an operation; others tell of what a request took."""
    return [event for event in home.of(ViewChanged) if event.operations]


async def test_a_turn_compacts_by_the_model_and_then_answers(house, caplog) -> None:
    caplog.set_level("INFO", "desktop_app")
    home = await house([answer(), answer(), Reply("Here.")], prompts=PROMPTS)  # the head is read in two parts
    session = await long_session(home, chat(70))
    events = await home.turn(session, "Where are we?")
    kinds = [type(event) for event in events]
    assert kinds.index(RoomStarted) < kinds.index(RoomProgressed) < kinds.index(ViewChanged)
    assert session.totals().auxiliary == Usage(22, 14, requests=2), "each request once"
    (row,) = compactions_of(home)[0].operations
    assert (row.strategies, row.usage, row.note) == ({"llm": row.messages}, Usage(22, 14, requests=2), "")
    assert PAGE in assemble(session.view)[0].text
    assert session.view.items[-1].message.text == "Here."
    (began,) = [line for line in caplog.messages if "Compaction begins" in line]
    assert "before_request, due from 90%, llm by scripted/scripted" in began


async def test_in_the_background_a_new_message_neither_waits_nor_is_lost(talk) -> None:
    home, session = await talk(
        [Reply("First."), answer(is_held=True), Reply("Second.")], window=20_000, prompts=PROMPTS, messages=chat(136)
    )
    assert 0.75 <= session.counter.gauge().share < 0.79
    await home.turn(session, "One.")
    await home.until(lambda: bool(home.of(RoomStarted)))
    while len(home.provider.requests) < 2:
        await asyncio.sleep(0.01)
    await home.turn(session, "Two.")
    assert not compactions_of(home), "the turn was over before the summary was"
    home.provider.released.set()
    await home.until(lambda: bool(home.of(RoomEnded)))
    (changed,) = compactions_of(home)
    assert changed.cause is Trigger.AFTER_TURN
    sent = [message.text for message in assemble(session.view)]
    assert sent[-4:] == ["One.", "First.", "Two.", "Second."]
    assert PAGE in "".join(sent)


@pytest.mark.wire
async def test_a_turn_that_has_no_room_waits_for_what_is_being_written_and_asks_no_second_time(talk) -> None:
    home, session = await talk(
        [Reply("First."), answer(delay=0.8), Reply("Second.")], window=20_000, prompts=PROMPTS, messages=chat(136)
    )
    await home.turn(session, "One.")
    while len(home.provider.requests) < 2:
        await asyncio.sleep(0.01)
    await home.turn(session, "Two. " + "word " * 2_700)
    assert len(home.provider.requests) == 3
    assert len(compactions_of(home)) == 1
    kinds = [type(event) for event in home.events]
    assert kinds.index(ViewChanged) < len(kinds) - 1 - kinds[::-1].index(TurnFinished)


@pytest.mark.long
async def test_what_left_the_view_meanwhile_makes_the_summary_void(house) -> None:
    home = await house([answer(delay=0.3)], prompts=PROMPTS, repeat_last=True)
    session = await long_session(home, chat(70))
    making = asyncio.ensure_future(home.make_room(session, Trigger.BEFORE_REQUEST))
    await home.until(lambda: bool(home.of(RoomStarted)))
    pinned = session.page(3, 1)[0].message.id
    await session.record(Pin(id="pin", message_id=pinned))
    await making
    assert pinned in {item.message.id for item in session.view.items}
    assert session.counter.gauge().share < 0.9


async def test_the_last_messages_only(house) -> None:
    home = await house([], prompts=PROMPTS)
    session = await long_session(home)
    basis = snapshot_of(session.counter)
    order = await home.services.summaries.request_for(session.counter, "last_messages")
    compaction = await write_compaction(basis, plan_for(basis), order)
    assert compaction is not None
    assert compaction.strategy == "last_messages"
    assert RULE in compaction.summary
    left = [i for i in session.view.items if i.message.id not in compaction.archived]
    assert 4 <= len(left) <= 6
    assert home.provider.requests == []


@pytest.mark.slow
async def test_a_hundred_messages_in_under_five_seconds_with_a_model_of_fifty_tokens_a_second(house) -> None:
    """K12: a page of 180 tokens, as a model at that speed can write within the time."""
    page = PAGE + "\n" + "\n".join(f"- Topic {n} was settled as planned." for n in range(18))
    reply = Reply(json.dumps({"summary": page}), pause=0.02, size=4)
    home = await house([reply], window=10_000, prompts=PROMPTS)  # in 8,192 tokens it takes two requests
    session = await long_session(home, chat(50))
    assert session.total == 100
    await session.model.prepare()  # as the engine does once its window shows: litellm takes seconds to import
    started = time.monotonic()
    compaction, progress = await summarised(home, session)
    assert time.monotonic() - started < 5 * slowness()
    assert compaction.strategy == "llm"
    assert len(progress) >= 10


@pytest.mark.parametrize("is_in_turn", [True, False], ids=["in a turn", "in the background"])
async def test_whoever_stops_a_summary_waits_for_nothing_and_finds_no_trace_of_it(house, is_in_turn: bool) -> None:
    """K11. What was stopped is begun again by the next turn, and by nothing before it."""
    slow = Reply('{"summary": "' + "word " * 2_000, pause=0.02, size=5)
    home = await house([slow if is_in_turn else Reply("First."), slow], prompts=PROMPTS, window=20_000)
    session = await long_session(home, chat(170 if is_in_turn else 136))
    await home.chats.turns.send(session, "Where are we?")
    await home.until(lambda: bool(home.of(RoomProgressed)))
    assert home.chats.turns.is_running(session.id) is is_in_turn
    asked, began = len(home.provider.requests), time.monotonic()
    await home.chats.turns.stop_room(session.id)
    assert time.monotonic() - began < 0.25 * slowness()
    assert [event.reason for event in home.of(TurnFinished)] == ["stopped" if is_in_turn else "finished"]
    assert home.of(RoomEnded)
    assert await asyncio.to_thread(home.provider.client_left.wait, 5), "the connection is closed"
    await asyncio.sleep(0.1)
    assert len(home.provider.requests) == asked
    entries = await home.archive.entries(session.id)
    assert not [entry for entry in entries if isinstance(entry, Compaction)]
    assert entries[-1].text == ("Where are we?" if is_in_turn else "First."), "the message is not lost"


async def test_a_turn_counts_the_summary_that_it_waited_for(house) -> None:
    summary = answer(usage=(1_000, 100, 0))
    home = await house([summary, summary, Reply("Here.", usage=(5_000, 10, 0))], 20_000, prompts=PROMPTS)
    home.models.cost = Price(prompt=0.001, reply=0.01)
    session = await home.chats.create("Long", chat(220))
    await home.turn(session, "And now?")
    (finished,) = home.of(TurnFinished)
    assert finished.reason == "finished"
    assert finished.dollars == pytest.approx(2 * (1.0 + 1.0) + 5.0 + 0.1), "the summary, its repair, and the reply"
