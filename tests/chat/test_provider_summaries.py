"""A summary that the model's provider writes itself: asked for, checked, sent back to that model only, and undone."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace
from test_prefix_ride import COUNT, LOOK, PAGE, PRICE, PROMPTS, RULE, SUMMARY, chat
from test_take_turn import long_chat

from desktop_app.chat.compaction.optimize import apply_optimization, plan_optimize, write_summary
from desktop_app.chat.compaction.snapshot import snapshot_of
from desktop_app.chat.operations import undo
from desktop_app.chat.sent_requests import read_request
from desktop_app.chat.session import stamp
from desktop_app.context.view.items import ItemKind
from desktop_app.conversation import quirks
from desktop_app.conversation.gauge import PartKind, Segment
from desktop_app.conversation.message import Role, Text
from desktop_app.conversation.transcript import AuxiliaryUsage, RequestContext
from desktop_app.models.provider_summaries import BETA
from kinds_of_server import CODEX, OF_KIND
from provider import Reply, ScriptedProvider, Status
from provider_compaction import Compacting, signature_of
from provider_flavours import FLAVOURS
from texts import NOT_BY_PROVIDER

pytestmark = pytest.mark.wire

CLAUDE = replace(OF_KIND["anthropic"], model="claude-sonnet-4-6")
FORM = {CLAUDE: "readable", CODEX: "encrypted"}
SHORT = "## Primary intent\nQuestions about topics, and answers with details."
"""A summary that lacks the rule."""


def answering(request):
    is_summary = "will stand in the place" in json.dumps(request.body)
    read = sum(COUNT(text) + 4 for _, text in request.turns) + 20
    return replace(SUMMARY, usage=(read, 200, 0)) if is_summary else Reply("Here.", usage=(read, 10, 0))


@pytest.fixture
def claude(house):
    """`await claude(script, CLAUDE)`: a conversation with a model whose provider writes summaries itself."""
    providers = []

    async def make(script: Compacting, kind=CLAUDE, strategy: str = "provider"):
        home = await house([], prompts=PROMPTS)
        providers.append(ScriptedProvider(script, flavour=kind.flavour, models=(kind.model,)))
        provider = home.own = providers[-1].start()
        own = kind.model_at(provider, home.models.litellm, key="", window=200_000)

        async def learn(model_id: str, quirk: str = "", window: int | None = None):
            info = home.models.info = replace(home.models.info, quirks=(*home.models.info.quirks, quirk))
            return replace(own, info=info, learn=learn)

        home.models.info = replace(own.info, summary_form=FORM[kind])
        home.models.model = lambda model_id: replace(own, info=home.models.info, learn=learn)
        home.models.learn = learn
        home.models.cost = PRICE
        session = await home.chats.create("Long", chat(60))
        session.counter.chosen_policy = replace(session.counter.chosen_policy, strategy=strategy)
        await session.record(stamp(RequestContext(system_prompt="Be brief.", tools=(LOOK,))))
        await home.turn(session, "Where are we?")
        return home, session

    yield make
    for provider in providers:
        provider.stop()


async def planned(home, session):
    plan = plan_optimize(snapshot_of(session.counter), 400, strategy="llm")
    return plan, await home.services.summaries.writer(session, plan.unwritten)


async def compacted(home, session):
    plan, _ = await planned(home, session)
    order = await home.services.summaries.request_for(session.counter, "llm")
    done = await write_summary(plan, order, record_usage=recording(home, session))
    await apply_optimization(session, home.services, done, home.publish)
    return done.compaction


def recording(home, session):
    async def record(usage: AuxiliaryUsage) -> None:
        home.publish(await session.record_operation(replace(usage, id=f"u{len(session.transcript.entries)}", at=1.0)))

    return record


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_anthropic_s_block_is_sent_in_the_messages_place_as_it_came(claude, is_streamed: bool) -> None:
    home, session = await claude(Compacting(PAGE, answering, is_streamed=is_streamed))
    turn = home.own.requests[-1].body
    done = await compacted(home, session)
    assert (done.strategy, done.note) == ("provider", "")
    assert done.summary.startswith(PAGE)
    assert (done.usage.prompt_tokens, done.usage.cached_tokens, done.usage.reply_tokens) == (4_000, 3_500, 300)
    asked = home.own.requests[-1]
    assert BETA in asked.headers["anthropic-beta"]
    assert asked.body["compaction"]["type"] == "summarize"
    assert f"- {RULE}" in asked.body["compaction"]["instructions"]
    assert (asked.body.get("system"), asked.body["tools"]) == (turn.get("system"), turn["tools"])
    shape = FLAVOURS["anthropic"]
    before, after = ([block.key for block in shape.blocks(body)] for body in (turn, asked.body))
    assert after == before[: len(after)], "the beginning of the conversation's own request"
    await home.turn(session, "Go on")
    sent = home.own.requests[-1]
    block, *_ = sent.messages[0]["content"]
    assert (sent.messages[0]["role"], block["signature"]) == ("assistant", signature_of(PAGE))
    assert block["content"] == PAGE
    assert PAGE not in json.dumps(sent.messages[1:]), "it is there once"
    assert "compaction" not in sent.body
    assert session.view.items[-1].message.text == "Here."


async def test_openai_s_items_are_sent_with_our_record_behind_them(claude) -> None:
    home, session = await claude(Compacting("secret", answering), CODEX)
    done = await compacted(home, session)
    assert (done.strategy, done.note) == ("encrypted", "")
    assert RULE in done.summary
    asked = home.own.requests[-1]
    assert asked.path.endswith("/responses/compact")
    assert set(asked.body) <= {"model", "input", "instructions"}
    await home.turn(session, "Go on")
    sent = home.own.requests[-1].messages
    (at,) = [n for n, item in enumerate(sent) if item.get("type") == "compaction"]
    assert sent[at]["encrypted_content"] == signature_of("secret")
    assert [item["role"] for item in sent[:at]] == ["user"] * at, "the user's messages, as they came"
    assert done.summary in sent[at + 1]["content"]
    assert session.view.items[-1].message.text == "Here."


@pytest.mark.parametrize("kind", [CLAUDE, CODEX], ids=["anthropic", "openai"])
async def test_another_model_gets_our_text_and_an_undo_brings_the_messages_back(claude, kind) -> None:
    home, session = await claude(Compacting(SHORT, answering), kind)
    before = [item.message.text for item in session.view.items]
    done = await compacted(home, session)
    other = session.counter.for_model(home.models.litellm and replace(session.model, info=home.models.info))
    other = other.for_model(replace(session.model, info=replace(home.models.info, id="test/another")))
    messages, _ = other.assemble()
    (sent,) = [message for message in messages if message.id == session.view.summary.id]
    assert done.summary in sent.text
    assert type(sent.parts[0]) is Text
    assert other.count() != session.counter.count()
    await undo(session, session.view.summary.id)
    assert [item.message.text for item in session.view.items] == before


async def test_what_the_provider_s_summary_lacks_is_restored_behind_it_and_checked(claude) -> None:
    home, session = await claude(Compacting(SHORT, answering))
    done = await compacted(home, session)
    assert done.by_provider.readable == SHORT
    assert RULE not in SHORT
    assert RULE in done.by_provider.addition
    assert done.fidelity.rules_kept == done.fidelity.rules > 0
    assert done.fidelity.lost == 0
    await home.turn(session, "Go on")
    first, behind, *_ = home.own.requests[-1].messages
    assert first["content"][0]["content"] == SHORT, "what is signed stays as it is"
    assert RULE in json.dumps(behind)


@pytest.mark.parametrize("kind", [CLAUDE, CODEX], ids=["anthropic", "openai"])
async def test_the_gauge_and_the_request_view_count_what_is_sent(claude, kind) -> None:
    home, session = await claude(Compacting(SHORT, answering), kind)
    done = await compacted(home, session)
    own, counts = done.by_provider, session.counter.counts
    count = counts.tokenizer.count
    users = sum(COUNT(m.text) for m in long_chat(60)) if kind is CODEX else 0
    assert own.tokens == count(SHORT) if kind is CLAUDE else 300 < own.tokens < 300 + users + COUNT(RULE) + 400
    item = next(item for item in session.view.items if item.kind is ItemKind.SUMMARY)
    text = counts.of(item.message).total
    around = counts.tokenizer.overhead
    behind = next(m.text for m in session.counter.assemble()[0] if m.id == item.message.id)
    assert text == around.around(Role.USER) + around.around(Role.ASSISTANT) + own.tokens + count(behind)
    shown = await read_request(session, "")
    (part,) = [part for part in shown.parts if part.kind is PartKind.SUMMARY]
    assert part.provider_form == FORM[kind]
    assert (SHORT in part.text) == (kind is CLAUDE)
    assert sum(p.tokens for p in shown.parts) == session.counter.gauge().total
    assert session.counter.gauge().segments[Segment.SUMMARY] > 0


async def test_the_plan_names_the_provider_s_way_its_price_and_what_is_done_otherwise(claude) -> None:
    home, session = await claude(Compacting(PAGE, answering))
    plan, writer = await planned(home, session)
    assert (writer.provider_form, writer.calls, writer.refusal) == ("readable", 1, "")
    cached, rest = writer.cached_tokens, writer.prompt_tokens - writer.cached_tokens
    by_hand = (cached * 0.3 + rest * 3.75 + writer.reply_tokens * 15) / 1e6
    assert writer.dollars == pytest.approx(by_hand)
    assert writer.other_way is not None
    await compacted(home, session)
    asked = home.own.requests[-1]
    sent = sum(COUNT(text) + 4 for _, text in asked.turns) + COUNT(asked.body["compaction"]["instructions"])
    assert abs(writer.prompt_tokens - sent * session.counter.calibration.factor) < 0.25 * writer.prompt_tokens
    assert plan.unwritten is not None


REFUSED = {
    "refused": Status(400, "compaction: Extra inputs are not permitted", kind="invalid_request_error"),
    "overloaded": Status(529, "Overloaded"),
    "missing": Status(404, "not found"),
}


@pytest.mark.parametrize("step", REFUSED.values(), ids=REFUSED)
async def test_a_refusal_falls_back_to_our_own_summary_and_says_why(claude, step) -> None:
    home, session = await claude(Compacting(PAGE, answering, refusal=step))
    done = await compacted(home, session)
    assert (done.strategy, done.by_provider) == ("llm", None)
    assert done.note.startswith(NOT_BY_PROVIDER)
    assert RULE in done.summary
    await home.turn(session, "Go on")
    assert session.view.items[-1].message.text == "Here."


@pytest.mark.parametrize("text", [None, "   ", "The weather is nice today, thanks.", "word " * 5_000])
async def test_a_summary_that_says_nothing_or_too_much_is_not_used(claude, text: str | None) -> None:
    home, session = await claude(Compacting(text, answering))
    done = await compacted(home, session)
    assert (done.strategy, done.by_provider) == ("llm", None)
    assert done.note
    assert done.usage.requests > 1 or text is None or not text.strip(), "what was paid is counted"


@pytest.mark.parametrize("kind", [CLAUDE, CODEX], ids=["anthropic", "openai"])
async def test_a_provider_that_refuses_its_own_summary_later_gets_the_text(claude, kind) -> None:
    script = Compacting(SHORT, answering)
    home, session = await claude(script, kind)
    done = await compacted(home, session)
    script.knows_signatures = False
    await home.turn(session, "Go on")
    assert session.view.items[-1].message.text == "Here."
    assert quirks.TEXT_SUMMARIES in home.models.info.quirks
    assert done.summary in json.dumps(home.own.requests[-1].body, ensure_ascii=False).replace("\\n", "\n")
    await home.turn(session, "And on")
    assert session.view.items[-1].message.text == "Here."


async def test_other_policies_never_ask_a_provider_for_it(claude) -> None:
    home, session = await claude(Compacting(PAGE, answering), strategy="auto")
    done = await compacted(home, session)
    assert done.strategy == "llm"
    assert all("compaction" not in request.body for request in home.own.requests)


async def test_a_second_summary_covers_the_first_one_s_block(claude) -> None:
    script = Compacting(PAGE, answering)
    home, session = await claude(script)
    await compacted(home, session)
    for number in range(6):
        await home.turn(session, f"Topic {number}: " + "details of it " * 60)
    script.signed, script.text = (signature_of(PAGE),), PAGE + "\n\n## Decisions\nTopics were discussed."
    done = await compacted(home, session)
    asked = home.own.requests[-1]
    assert "compaction" in asked.body
    assert asked.messages[0]["content"][0]["signature"] == signature_of(PAGE)
    assert done.strategy == "provider"
    await home.turn(session, "Go on")
    (block,) = [p for m in home.own.requests[-1].messages for p in m["content"] if p["type"] == "compaction"]
    assert block["signature"] == signature_of(script.text)
