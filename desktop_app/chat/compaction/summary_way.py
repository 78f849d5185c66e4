"""The two ways to have a model read what it summarizes, with their prices.

Behind the conversation's own request, nearly all of which is read from the provider's cache; or as text, in parts, for
a model that has not read the conversation or whose cache is cold. See docs/decisions/0065.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection

import msgspec
from msgspec.structs import replace

from desktop_app.chat.ports import ChatModel, ModelCatalogue, Price
from desktop_app.chat.request_counter import RequestCounter
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.summary.asking_rests import summaries_rest
from desktop_app.context.summary.model_summary import (
    MIN_PAGE,
    THOUGHTS,
    Draft,
    Estimate,
    OwnRequest,
    draft_of,
    estimate_of,
    estimate_of_ride,
    ride_reply,
)
from desktop_app.context.summary.prompt import Prompts
from desktop_app.context.view.dialect import to_dialect
from desktop_app.context.view.items import messages_of
from desktop_app.context.view.view import View, assemble
from desktop_app.conversation.listing import Dialect, ModelInfo, OtherWay, ProviderForm, Writer
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import StandingSummary
from desktop_app.conversation.words import translatable
from desktop_app.settings import Summaries

from .snapshot import ContextSnapshot

COLD = translatable("the provider has not cached the conversation")
NO_ROOM_BEHIND = translatable("the window has no room for the question and the summary behind the conversation")
NO_ROOM = translatable("there is no room for a summary")
TOO_LITTLE = translatable("too little comes before the latest messages")
DEARER = translatable("reading the whole conversation would cost more")


class Progress(msgspec.Struct, frozen=True):
    """Tokens written so far, of at most `max_tokens`."""

    tokens: int
    max_tokens: int


class NoSummary(Exception):
    """The model's summary cannot be used. The text completes "because …".

    is_overflow: whether the provider refused the request as too long. has_called: whether the model called tools.
    """

    def __init__(self, why: str, is_overflow: bool = False, has_called: bool = False) -> None:
        super().__init__(why)
        self.is_overflow, self.has_called = is_overflow, has_called


CHEAPER = 0.5
"""Another model is proposed if it costs at most this share."""


class Ride(msgspec.Struct, frozen=True):
    """The conversation's own request as its provider gets it, behind which a question can be asked."""

    view: View
    dialect: Dialect
    options: ReplyOptions
    own: OwnRequest

    @property
    def is_warm(self) -> bool:
        """Whether the provider has the request's beginning in its cache."""
        return self.own.cached > 0

    def assembled(self) -> tuple[list[Message], tuple[ToolSpec, ...]]:
        """Return the messages and tools, as `RequestCounter.assemble` does for the next request of the conversation."""
        return to_dialect(assemble(self.view), self.view.tools, self.dialect)

    def head(self, archived: Collection[str]) -> tuple[list[Message], tuple[ToolSpec, ...]]:
        """Return the messages up to the last archived one, and the tools: the beginning of the request."""
        items = list(self.view.items)
        ids = frozenset(archived)
        last = max((index for index, item in enumerate(items) if item.message.id in ids), default=-1)
        return to_dialect(messages_of(items[: last + 1]), self.view.tools, self.dialect)


def ride_of(counter: RequestCounter) -> Ride | None:
    """Return the conversation's own request now; None if its window is not known."""
    window, gauge = counter.budget.whole_window, counter.gauge()
    if not window:
        return None
    prefix, options = counter.cached_prefix(), counter.setup.options
    cached = prefix.tokens if prefix is not None else 0
    factor = gauge.total / counted if (counted := counter.count()) and gauge.total else 1.0
    own = OwnRequest(gauge.total, cached, window, factor, bool(options.reasoning_effort))
    return Ride(counter.view, counter.counts.dialect, options, own)


class SummaryRequest(msgspec.Struct, frozen=True):
    """A request for the summary of one compaction."""

    strategy: str = "extractive"
    """"llm" (needs `model` and `prompts`), "extractive" or "last_messages"."""
    model: ChatModel | None = None
    prompts: Prompts | None = None
    instructions: str = ""
    """The user's instructions for the summary; "" for none."""
    note: str = ""
    """Why no model is asked, for the user; "" if there is nothing to explain."""
    price: Price | None = None
    ride: Ride | None = None
    """The conversation's own request, if its model writes the summary."""
    is_by_hand: bool = False
    """Whether the user asked for a summary by a model, so that none that was written ahead is used."""
    standing: StandingSummary | None = None
    """The summary that was written ahead, to which only what came after it is added; None to write a whole one."""
    is_wanted: Callable[[], bool] = lambda: True
    """Called before each request and for each piece of a reply, to stop as soon as summaries are switched off."""
    why_too_dear: Callable[[float | None], Awaitable[str]] | None = None
    """Returns why the summary's cost in US dollars (None if unknown) must not be spent, to complete "because …"; "" if
    it may. None if the user has asked for the summary."""
    provider_form: ProviderForm = ""
    """The form in which the model's provider is to write the summary itself; "" if the model is asked for it."""

    @property
    def writer(self) -> tuple[ChatModel, Prompts]:
        """The model and its prompts. Raises ValueError if they are missing."""
        if self.model is None or self.prompts is None:
            raise ValueError("a summary by a model needs the model and its prompts")
        return self.model, self.prompts

    def __str__(self) -> str:
        """Return the strategy, and the model if one writes, for the log."""
        return f"{self.strategy} by {self.model.info.record_name}" if self.model else self.strategy


class Way(msgspec.Struct, frozen=True):
    """One way to have the messages read, with the upper bounds of its tokens and its cost."""

    estimate: Estimate
    dollars: float | None = None
    """US dollars; None if the price is not known."""
    max_reply: int = 0
    """The reply's limit in tokens, if it is behind the conversation's own request; 0 for parts."""


class Ways(msgspec.Struct, frozen=True):
    """Both ways. A way that is not possible is None."""

    ride: Way | None
    parts: Way | None
    refusal: str = ""
    """Why the messages are not read behind the conversation's own request; "" if they are. Completes "because …"."""

    @property
    def chosen(self) -> Way | None:
        return self.parts if self.refusal else self.ride

    def other(self) -> OtherWay | None:
        """Return the way that is not chosen, for the plan; None if there is only one."""
        way = self.ride if self.refusal else self.parts
        if way is None:
            return None
        return OtherWay(way.estimate.calls, way.estimate.prompt_tokens, way.dollars)


def ways_of(draft: Draft, ride: Ride | None, price: Price | None, max_calls: int, count: Callable[[str], int]) -> Ways:
    """Return both ways with their prices. ride: None if another model writes. max_calls: of the parts."""
    parts = None
    if 0 < len(draft.parts) <= max_calls:
        estimate = estimate_of(draft, count)
        parts = Way(estimate, cost_of(estimate, price))
    if ride is None or not draft.question:
        return Ways(None, parts, COLD)
    estimate, max_reply = estimate_of_ride(draft, ride.own, count), ride_reply(draft, ride.own, count)
    behind = Way(estimate, cost_of(estimate, price), max_reply)
    if not max_reply:
        return Ways(None, parts, NO_ROOM_BEHIND)
    if not ride.is_warm:
        return Ways(behind, parts, COLD)
    return Ways(behind, parts, DEARER if _is_dearer(behind, parts) else "")


def _is_dearer(way: Way, other: Way | None) -> bool:
    """Return whether both prices are known and the first is higher."""
    if other is None or way.dollars is None or other.dollars is None:
        return False
    return way.dollars > other.dollars


def cost_of(estimate: Estimate, price: Price | None) -> float | None:
    """Return the maximum cost in US dollars; None if the price is not known."""
    return None if price is None else price.of(estimate.usage)


def draft_summary(
    snapshot: ContextSnapshot, plan: CompactionPlan, request: SummaryRequest, is_too_long: bool = False
) -> Draft:
    """Return the requests that the model will get. Can take seconds. Raises NoSummary if the model cannot write it.

    is_too_long: whether the provider has refused an earlier draft as too long.
    """
    model, prompts = request.writer
    info = model.info
    if not info.window:
        raise NoSummary(translatable("its window is not known yet"))
    if plan.summary_budget < MIN_PAGE:
        raise NoSummary(NO_ROOM if plan.projected + MIN_PAGE > snapshot.budget.limit else TOO_LITTLE)
    return draft_of(
        plan,
        snapshot.transcript,
        snapshot.view,
        prompts,
        request.instructions,
        info.window,
        info.max_output,
        snapshot.counts,
        model.tokenizer.count,
        is_too_long,
        request.standing,
    )


def ways_to_write(draft: Draft, request: SummaryRequest, max_calls: int) -> Ways:
    """Return the ways to have the model read the messages. Can take seconds. Raises NoSummary if there is none.

    max_calls: how often the model may be asked.
    """
    model, _ = request.writer
    ways = ways_of(draft, request.ride, request.price, max_calls, model.tokenizer.count)
    if ways.chosen is not None:
        return ways
    if not draft.parts:
        raise NoSummary(translatable("the window of {model} is too small for it").format(model=model.info.label))
    often = translatable("{model} would have to be asked {number} times")
    raise NoSummary(often.format(model=model.info.label, number=len(draft.parts)))


async def ways_or_none(draft: Draft, request: SummaryRequest, max_calls: int) -> Ways | None:
    """Return the ways in which the model is asked if its provider does not write the summary; None if there is none."""
    try:
        return await asyncio.to_thread(ways_to_write, draft, request, max_calls)
    except NoSummary:
        return None


def provider_way(draft: Draft, ride: Ride, price: Price | None, instructions: int) -> Way:
    """Return the provider's own way: it reads the messages before the tail, and writes a summary instead of a reply.

    instructions: their tokens.
    """
    own, plan = ride.own, draft.plan
    head = max(own.total - round(plan.tail * own.factor), 0)
    prompt, cached = head + round(instructions * own.factor), min(own.cached, head)
    estimate = Estimate(1, prompt, plan.summary_budget, cached, prompt - cached)
    thoughts = THOUGHTS if own.is_reasoning else 0
    return Way(estimate, cost_of(estimate, price), draft.max_reply + thoughts)


def provider_writer(label: str, way: Way, ways: Ways | None, form: ProviderForm) -> Writer:
    """Return the writer if the provider writes the summary itself. ways: what is done otherwise; None if nothing is."""
    estimate, chosen = way.estimate, ways.chosen if ways is not None else None
    other = chosen.estimate if chosen is not None else None
    return Writer(
        label,
        provider_form=form,
        calls=estimate.calls,
        prompt_tokens=estimate.prompt_tokens,
        reply_tokens=estimate.reply_tokens,
        dollars=way.dollars,
        cached_tokens=estimate.cached_tokens,
        other_way=OtherWay(other.calls, other.prompt_tokens, chosen.dollars) if other and chosen else None,
    )


def writer_of(label: str, ways: Ways) -> Writer:
    """Return the writer with the figures of the chosen way, and of the other one."""
    way = ways.chosen
    if way is None:
        return Writer(label)
    estimate = way.estimate
    return Writer(
        label,
        calls=estimate.calls,
        prompt_tokens=estimate.prompt_tokens,
        reply_tokens=estimate.reply_tokens,
        dollars=way.dollars,
        cached_tokens=estimate.cached_tokens,
        other_way=ways.other(),
        why_text=ways.refusal,
    )


def with_cheaper(writer: Writer, models: ModelCatalogue) -> Writer:
    """Return the writer with the cheapest model as an alternative, if that costs at most half as much.

    Models that are free or have no known price are not proposed: their ability or their cost is unknown.
    """
    if writer.dollars is None:
        return writer
    one_call = (writer.prompt_tokens + writer.reply_tokens) / max(writer.calls, 1)
    able = [info for info in models.infos() if not info.is_builtin and not info.note and info.window > one_call]
    as_text = Estimate(writer.calls, writer.prompt_tokens, writer.reply_tokens)  # nothing is in its cache
    priced = [(cost, info) for info in able if (cost := cost_of(as_text, models.price(info.id)))]
    cost, info = min(priced, key=lambda pair: pair[0], default=(0.0, None))
    if info is None or cost > CHEAPER * writer.dollars:
        return writer
    return replace(writer, cheaper=info.id, cheaper_label=info.label, cheaper_dollars=cost)


BY_MODEL = ("auto", "llm", "provider")
"""Strategies of a policy that ask a model if one is available."""


def strategy_for(policy: ContextPolicy, info: ModelInfo, summaries: Summaries = "auto") -> str:
    """Return the policy's strategy, with "auto" resolved.

    Strategies in `BY_MODEL` become "llm", unless the settings rule models out, only the built-in model is available
    (which is too small, K4), or the model's window is not known; then "extractive".
    """
    if policy.strategy not in BY_MODEL:
        return policy.strategy
    is_able = not info.is_builtin and info.window
    return "llm" if is_able and summaries != "extractive" else "extractive"


def why_rested(counter: RequestCounter, info: ModelInfo) -> str:
    """Return why a model whose last summaries were of no use is not asked, for the user; "" if it is asked."""
    if not summaries_rest(counter.view.entries, info.record_name):
        return ""
    unused = translatable("{model} is asked less often for summaries because its last ones could not be used.")
    return unused.format(model=info.label)
