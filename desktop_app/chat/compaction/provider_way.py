"""Have the model's provider write the summary itself, in its own form (docs/decisions/0068)."""

from __future__ import annotations

import asyncio

import msgspec

from desktop_app.chat.ports import ChatModel, ModelError, Price, ReceivedSummary
from desktop_app.chat.side_requests import Completion, complete
from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.masking import mask_secrets
from desktop_app.context.summary.model_summary import Draft, build_compaction, says_enough_of_part
from desktop_app.context.summary.prompt import instructions_for
from desktop_app.context.summary.summary_reply import WrittenSummary
from desktop_app.conversation.message import ProviderSummary
from desktop_app.conversation.setup import SummaryOptions
from desktop_app.conversation.transcript import Compaction
from desktop_app.conversation.words import translatable

from .snapshot import ContextSnapshot
from .summary_way import NoSummary, Ride, Way, provider_way

NONE_RECEIVED = translatable("{model} returned no summary that it would accept again")
TOO_LONG = translatable("the summary was longer than it may be")
SAYS_LITTLE = translatable("the summary of {model} said too little about the conversation")
FREES_NOTHING = translatable("its summary was not shorter than what it would have replaced")


def instructions_of(draft: Draft) -> str:
    """Return what the provider's summary must have: the same as a summary by the model."""
    return instructions_for(bool(draft.earlier), draft.wanted)


def own_way(draft: Draft, model: ChatModel, ride: Ride, price: Price | None) -> Way:
    """Return the provider's way with its tokens and price. Can take seconds."""
    takes_instructions = model.info.provider_form == "readable"
    tokens = model.tokenizer.count(instructions_of(draft)) if takes_instructions else 0
    return provider_way(draft, ride, price, tokens)


async def ask_provider(
    draft: Draft, model: ChatModel, ride: Ride, price: Price | None, most: int, seconds: float
) -> Completion:
    """Return the reply with the provider's summary of the messages before the tail. Raises NoSummary."""
    messages, tools = await asyncio.to_thread(ride.head, draft.plan.archived)
    options = SummaryOptions(**msgspec.structs.asdict(ride.options), instructions=instructions_of(draft))
    try:
        return await complete(
            model, messages, max_tokens=most, seconds=seconds, price=price, tools=tools, options=options
        )
    except ModelError as error:
        failed = translatable("{model} failed ({reason})")
        raise NoSummary(failed.format(model=model.info.label, reason=error.failure.title)) from error


def compaction_by_provider(snapshot: ContextSnapshot, draft: Draft, model: ChatModel, reply: Completion) -> Compaction:
    """Return the compaction with the provider's summary, checked as every summary is. Raises NoSummary.

    What it lacks is restored behind it. One that cannot be read has our own record, by rules, behind it.
    """
    received, label = reply.end.summary, model.info.label
    if received is None:
        raise NoSummary(NONE_RECEIVED.format(model=label))
    record = (snapshot.transcript, snapshot.view)
    own, counts, name = _provider_summary(snapshot, received, reply), snapshot.counts, model.info.record_name
    plan: CompactionPlan = draft.plan
    if received.is_encrypted:
        compaction = compaction_of(plan, *record, counts, None, "encrypted", name, snapshot.reading, by_provider=own)
    else:
        written = WrittenSummary(own.readable, "", (), True)
        if counts.text(own.readable) > plan.summary_budget:
            raise NoSummary(TOO_LONG)
        if not says_enough_of_part(written, draft.pieces, draft.earlier, draft.wanted.prompts):
            raise NoSummary(SAYS_LITTLE.format(model=label))
        limits = (snapshot.policy, snapshot.budget, counts)
        compaction = build_compaction(own.readable, (), draft, *record, *limits, name, "provider", own)
    if compaction is None:
        raise NoSummary(FREES_NOTHING)
    return compaction


def _provider_summary(snapshot: ContextSnapshot, received: ReceivedSummary, reply: Completion) -> ProviderSummary:
    """Return the summary with its tokens: counted if it can be read, otherwise as its provider reported them."""
    usage, tokens = reply.end.usage, snapshot.counts.text(received.text) if received.text else 0
    if received.is_encrypted and usage is not None:
        tokens += usage.reply_tokens
    readable = "" if received.is_encrypted else mask_secrets(received.text)
    return ProviderSummary(writer=reply.model, content=received.content, tokens=tokens, readable=readable)
