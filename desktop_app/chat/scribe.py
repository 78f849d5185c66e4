"""Who writes the summaries: the utility role's model, unless the policy or the model says otherwise (K3, K4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from desktop_app.context.model_summary import Estimate, estimate_of
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.summary_prompt import Prompts
from desktop_app.conversation.listing import ModelInfo

from .optimize import Optimization
from .ports import ChatModel, ModelError, Models, Price
from .session import Session
from .summarize import NoSummary, Order, drafted

TOO_SMALL = "{label} is too small to summarise a conversation well: it would take minutes, and make things up."


class Offer(msgspec.Struct, frozen=True):
    """What a summary by a model would take. label: the model's. refusal: why it is not offered, "" if it is.

    estimate: before it is done; without a repair. dollars: None if nobody knows the price.
    """

    label: str
    refusal: str = ""
    estimate: Estimate = Estimate()
    dollars: float | None = None


class Scribe:
    """Gives the order for a compaction, and sees to it that there is one at a time for a conversation.

    utility_model: the id of the model that is set for such work, "" for the chat's own. prompts: reads the words of
    the requests, None if no model is to be asked.
    """

    def __init__(
        self, models: Models, utility_model: Callable[[], str], prompts: Callable[[], Prompts] | None = None
    ) -> None:
        self._models = models
        self._utility_model = utility_model
        self._prompts = prompts
        self._locks: dict[str, asyncio.Lock] = {}

    def lock(self, conversation: str) -> asyncio.Lock:
        """Held while a summary of that conversation is written of which the entry will be recorded."""
        return self._locks.setdefault(conversation, asyncio.Lock())

    def model_for(self, session: Session) -> ChatModel:
        """The model that would write: the chat's own if none is set, or if the one that is set is not there."""
        chosen = self._utility_model()
        try:
            return self._models.model(chosen) if chosen else session.model
        except ModelError:
            return session.model

    async def order(self, session: Session, strategy: str = "auto", instructions: str = "") -> Order:
        """The order for a compaction of that session. strategy "auto": what its policy says."""
        model = self.model_for(session)
        strategy = strategy_for(session.policy, model.info) if strategy == "auto" else strategy
        if strategy != "llm" or self._prompts is None:
            return Order("extractive" if strategy == "llm" else strategy)
        return Order(strategy, model, await asyncio.to_thread(self._prompts), instructions)

    async def offer(self, session: Session, optimization: Optimization) -> Offer:
        """What a summary by a model would take for that plan, or why there is none. Nothing is sent for it."""
        model = self.model_for(session)
        if model.info.is_builtin:
            return Offer(model.info.label, TOO_SMALL.format(label=model.info.label))
        if self._prompts is None:
            return Offer(model.info.label, "No model is set up for summaries.")
        plan = optimization.compaction_plan
        if plan is None or optimization.is_written:
            return Offer(model.info.label)
        order = await self.order(session, "llm")
        try:
            draft = await asyncio.to_thread(drafted, optimization.before_summary, plan, order)
        except NoSummary as reason:
            return Offer(model.info.label, f"{model.info.label} cannot summarise this, because {reason}.")
        estimate = await asyncio.to_thread(estimate_of, draft, model.tokenizer.count)
        return Offer(model.info.label, "", estimate, cost_of(estimate, self._models.price(model.info.id)))


def cost_of(estimate: Estimate, price: Price | None) -> float | None:
    """US dollars, at most; None if nobody knows the price."""
    return None if price is None else estimate.prompt_tokens * price.prompt + estimate.reply_tokens * price.reply


def strategy_for(policy: ContextPolicy, info: ModelInfo) -> str:
    """The policy's strategy. "auto" is a model's summary, but the built-in model is too small to write one (K4)."""
    if policy.strategy not in ("auto", "llm"):
        return policy.strategy
    return "extractive" if info.is_builtin else "llm"
