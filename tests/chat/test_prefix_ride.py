"""A summary is asked for behind the conversation's own request, which its provider reads from its cache."""

from __future__ import annotations

import base64
import json
import zlib

import pytest
from msgspec.structs import replace
from test_take_turn import long_chat

from builders import call, model, result
from desktop_app.chat.compaction.optimize import Optimization, apply_optimization, plan_optimize, write_summary
from desktop_app.chat.compaction.snapshot import snapshot_of
from desktop_app.chat.ports import Price
from desktop_app.chat.session import Session, stamp
from desktop_app.conversation.message import Attachment, Message, Usage, user_message
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import RequestContext, Trigger
from desktop_app.models.tokens.tokenizers import tokenizer_for
from kinds_of_server import OF_KIND
from provider import Call, Overflow, Reply, Request, ScriptedProvider, Windowed
from provider_flavours import FLAVOURS
from summary_prompts import PROMPTS

RULE = "Never restart the server on Fridays."
PAGE = f"## Primary intent\nQuestions about topics, and answers with details.\n\n## Rules and constraints\n- {RULE}"
SUMMARY = Reply(json.dumps({"summary": PAGE, "turn": "", "keep": []}), size=400)
LOOK = ToolSpec("look", "Looks at a file.", '{"type":"object","properties":{"path":{"type":"string"}}}')
COUNT = tokenizer_for("gpt-4o").count
PRICE = Price(3e-6, 15e-6, 3e-7, 3.75e-6)


def is_question(request: Request) -> bool:
    """Whether the summary is asked for behind the conversation."""
    return "instruction by the program" in request.text


def chat(turns: int) -> list[Message]:
    return [user_message(f"{RULE} Let us begin."), *long_chat(turns)[1:]]


def answering(request: Request):
    said = "\n".join(text for _, text in request.turns)
    return SUMMARY if is_question(request) or '"summary"' in said.rsplit("\n", 12)[0] else Reply("Here.")


async def warm(talk, *script, turns: int = 40, **more) -> tuple:
    """A conversation whose newest reply has just come from its model."""
    said = chat(turns)
    usage = sum(COUNT(message.text) + 4 for message in said) + 20, 10, 0
    home, session = await talk([Reply("Here.", usage=usage), *script], prompts=PROMPTS, messages=said, **more)
    await home.turn(session, "Where are we?")
    return home, session


async def written(home, session: Session, tail: int | None = 400) -> Optimization:
    plan = plan_optimize(snapshot_of(session.counter), tail, strategy="llm")
    order = await home.services.summaries.request_for(session.counter, "llm")
    return await write_summary(plan, order)


async def test_the_question_follows_the_conversation_as_it_was_sent(talk) -> None:
    home, session = await warm(talk, SUMMARY, window=32_000)
    done = await written(home, session)
    assert done.compaction is not None
    assert (done.compaction.strategy, done.note) == ("llm", "")
    turn, asked = home.provider.requests
    assert asked.messages[: len(turn.messages)] == turn.messages
    assert [m["role"] for m in asked.messages[len(turn.messages) :]] == ["assistant", "user"]
    assert {k: v for k, v in asked.body.items() if k not in ("messages", "max_tokens")} == {
        k: v for k, v in turn.body.items() if k not in ("messages", "max_tokens")
    }
    last = session.message(done.compaction.archived[-1])
    assert last is not None
    assert last.text.splitlines()[-1][-100:] in asked.text, "it says where the summary ends"
    assert f"- {RULE}" in asked.text
    assert RULE in done.compaction.summary


@pytest.mark.parametrize("change", ["cold", "compacted", "prompt", "no room", "another model", "first"])
async def test_where_the_prefix_is_not_cached_or_has_no_room_the_messages_are_sent_as_text(talk, change: str) -> None:
    home, session = await warm(talk, SUMMARY, SUMMARY, SUMMARY, window=32_000)
    sent = len(home.provider.requests)
    if change == "cold":
        session.counter.chosen_policy = replace(session.counter.chosen_policy, cache_seconds=0)
    if change == "compacted":
        await apply_optimization(
            session, home.services, plan_optimize(snapshot_of(session.counter), 2_500), home.publish
        )
    if change == "prompt":
        await session.record(stamp(RequestContext(system_prompt="Be long.")))
    if change == "no room":
        session.counter.learned.window = session.counter.gauge().total + 900
    if change == "another model":
        home.models.others["scripted/two"] = replace(home.models.info, id="scripted/two")
        home.chats.change_settings(replace(home.chats.settings, utility_model="scripted/two"))
    if change == "first":
        session = await home.chats.create("New", chat(40))
    done = await written(home, session)
    assert done.compaction is not None
    assert done.compaction.strategy == "llm"
    assert not any(map(is_question, home.provider.requests[sent:]))


async def test_the_plan_says_which_way_and_the_price_of_each(talk) -> None:
    home, session = await warm(talk, SUMMARY, window=32_000)
    home.models.cost = PRICE
    plan = plan_optimize(snapshot_of(session.counter), 400, strategy="llm")
    writer = await home.services.summaries.writer(session, plan.unwritten)
    assert (writer.calls, writer.why_text, writer.refusal) == (1, "", "")
    reply = session.view.items[-1].message
    assert reply.usage is not None
    cached = reply.usage.prompt_tokens
    assert writer.cached_tokens == cached, "as the provider counted the newest request"
    await written(home, session)
    asked = home.provider.requests[-1]
    question = COUNT(asked.text)
    assert 0 <= writer.prompt_tokens - session.counter.gauge().total - question < 0.05 * question + 20
    by_hand = (cached * 0.3 + (writer.prompt_tokens - cached) * 3.75 + writer.reply_tokens * 15) / 1e6
    assert writer.dollars == pytest.approx(by_hand)
    assert writer.other_way is not None
    text = writer.other_way
    assert text.dollars == pytest.approx((text.prompt_tokens * 3 + text.calls * writer.reply_tokens * 15) / 1e6)
    session.counter.chosen_policy = replace(session.counter.chosen_policy, cache_seconds=0)
    cold = await home.services.summaries.writer(session, plan.unwritten)
    assert (cold.cached_tokens, cold.prompt_tokens, cold.dollars) == (0, text.prompt_tokens, text.dollars)
    assert cold.other_way is not None
    assert cold.other_way.prompt_tokens == writer.prompt_tokens
    assert "not cached" in cold.why_text


CALLS = Reply("", calls=(Call("look", '{"path": "a"}', "c9"),), finish="tool_calls", usage=(100, 5, 90))


@pytest.mark.parametrize(
    ("replies", "asked"),
    [
        ((CALLS, SUMMARY), [True, True]),
        ((CALLS, CALLS, SUMMARY), [True, True, False]),
        ((replace(SUMMARY, calls=CALLS.calls, finish="tool_calls"),), [True]),
        ((Overflow(), SUMMARY), [True, False]),
    ],
    ids=["once", "twice", "with the summary", "too long"],
)
async def test_a_reply_that_calls_tools_is_answered_and_a_refusal_gives_way_to_text(talk, replies, asked) -> None:
    home, session = await warm(talk, *replies, window=32_000)
    await session.record(stamp(replace(session.view.request_context, tools=(LOOK,), id="", at=0.0)))
    await session.record(stamp(replace(model("Yes."), model=session.model.info.record_name, usage=Usage(3_000, 5))))
    done = await written(home, session)
    assert done.compaction is not None
    assert (done.compaction.strategy, done.note) == ("llm", "")
    sent = home.provider.requests[1:]
    assert ["instruction by the program" in json.dumps(request.body) for request in sent] == asked
    assert all("tool_choice" not in request.body for request in sent), "which would be another prefix"
    if len(asked) > 1 and asked[1]:
        before, after = sent[:2]
        assert after.messages[: len(before.messages)] == before.messages
        assert [m["role"] for m in after.messages[len(before.messages) :]] == ["assistant", "tool", "user"]


async def test_a_reply_that_says_little_is_asked_for_again_behind_the_same_request(talk) -> None:
    home, session = await warm(talk, Reply("The weather is nice today, thanks."), SUMMARY, window=32_000)
    done = await written(home, session)
    assert done.compaction is not None
    assert done.compaction.strategy == "llm"
    _, first, again = home.provider.requests
    assert again.messages[: len(first.messages)] == first.messages


async def test_secrets_that_the_conversation_has_do_not_come_into_the_summary(talk) -> None:
    page = f"{PAGE}\n- The key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD."
    home, session = await warm(talk, Reply(json.dumps({"summary": page})), window=32_000)
    done = await written(home, session)
    assert done.compaction is not None
    assert "sk-proj-abc" not in done.compaction.summary


async def test_making_room_by_itself_asks_behind_the_conversation(talk) -> None:
    home, session = await warm(talk, SUMMARY, turns=200, window=32_000)
    await home.make_room(session, Trigger.USER)
    assert is_question(home.provider.requests[-1])
    assert session.view.summary is not None
    assert session.view.summary.strategy == "llm"


# --- On the wire, as Anthropic counts


def png(side: int = 40) -> Attachment:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    size = side.to_bytes(4, "big")
    rows = zlib.compress(b"".join(b"\0" + b"\x80" * 3 * side for _ in range(side)))
    content = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size + size + b"\x08\x02\0\0\0") + chunk(b"IDAT", rows)
    url = "data:image/png;base64," + base64.b64encode(content + chunk(b"IEND", b"")).decode()
    return Attachment("shot.png", "image/png", url)


@pytest.mark.wire
@pytest.mark.parametrize("kind", ["anthropic", "openai", "gemini", "llama_cpp", "vllm"])
@pytest.mark.parametrize("ending", ["reply", "message", "results"])
async def test_nine_tenths_of_the_question_are_read_from_the_cache(house, kind: str, ending: str) -> None:
    server = OF_KIND[kind]
    home = await house([], prompts=PROMPTS)
    script = Windowed(200_000, answering, count=COUNT)
    with ScriptedProvider(script, flavour=server.flavour, models=(server.model,)) as provider:
        own = server.model_at(provider, home.models.litellm, key="", supports_vision=True, window=200_000)
        home.models.model = lambda model_id: own
        home.models.info = own.info
        messages = chat(150)
        messages[2] = replace(messages[2], parts=(*messages[2].parts, png()))
        messages += [model("I look.", call("look", '{"path": "a"}', "c1")), result("x = 1\n" * 200, "c1", "look")]
        session = await home.chats.create("Long", [*messages, model("I have looked.")])
        session.setup = session.counter.setup = replace(session.setup, options=ReplyOptions(reasoning_effort="low"))
        await session.record(stamp(replace(session.view.request_context, tools=(LOOK,), id="", at=0.0)))
        await home.turn(session, "Where are we?")
        if ending != "reply":
            await session.record(stamp(user_message("And now?")))
        if ending == "results":
            await session.record(stamp(model("", call("look", "{}", "c2"))), stamp(result("y = 2", "c2", "look")))
        done = await written(home, session, 1_000)
    assert done.compaction is not None
    assert (done.compaction.strategy, done.note) == ("llm", "")
    turn, asked, *_ = provider.requests  # another one may ask for what the summary lost
    before, after, *_ = script.requests
    shape = FLAVOURS[server.flavour]
    keys = [[block.key for block in shape.blocks(request.body)] for request in (turn, asked)]
    different = [n for n, (one, other) in enumerate(zip(*keys, strict=False)) if one != other]
    assert not different, [(keys[0][n][:60], keys[0][n][-120:], keys[1][n][-120:]) for n in different[:2]]
    assert after.cached_tokens >= 0.9 * after.prompt_tokens, (after, before)
    assert "iVBOR" in json.dumps(asked.body), "with its picture"
