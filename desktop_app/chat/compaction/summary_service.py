"""Who writes the summaries: the utility role's model, unless the settings, the policy or the model say otherwise
(K3, K4)."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from desktop_app.chat.ports import ChatModel, ModelCatalogue, ModelError, Price
from desktop_app.chat.session import Session
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.summary.model_summary import Estimate, estimate_of
from desktop_app.context.summary.prompt import Prompts
from desktop_app.context.summary.spend_guard import Spending
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.transcript import AnyEntry, AuxiliaryUsage, Compaction, Prune, Trigger
from desktop_app.settings import Settings, Summaries

from .cancellable_model import CancellableModel
from .digests import digest_by_model, wants_model
from .optimize import Optimization
from .snapshot import ContextSnapshot
from .summarize import NoSummary, SummaryRequest, drafted

BY_MODEL = ("auto", "llm")
"""Strategies of a policy that ask a model, where there is one to ask."""
TOO_SMALL = "{label} is too small to summarize conversations reliably."


class Offer(msgspec.Struct, frozen=True):
    """What a summary by a model would take. label: the model's. refusal: why it is not offered, "" if it is.

    estimate: before it is done; without a repair. dollars: None if nobody knows the price.
    """

    label: str
    refusal: str = ""
    estimate: Estimate = Estimate()
    dollars: float | None = None


class Author(msgspec.Struct, frozen=True):
    """Who would write. chosen, missing: the id of the model that the settings name, and why it is not there; "" for
    both if nothing stands in for it."""

    model: ChatModel
    chosen: str = ""
    missing: str = ""

    @property
    def label(self) -> str:
        """The model's, and whose place it takes."""
        label = self.model.info.label
        return f"{label} (in place of {self.chosen})" if self.chosen else label


class SummaryService:
    """Gives the order for a compaction, and sees to it that there is one at a time for a conversation.

    settings: as they are now; a change holds for the next request that would be sent. prompts: reads the words of the
    requests, None if no model is to be asked. clock: seconds since 1970. words: of the request
    for a digest.
    """

    def __init__(
        self,
        models: ModelCatalogue,
        settings: Callable[[], Settings],
        prompts: Callable[[], Prompts] | None = None,
        clock: Callable[[], float] = time.time,
        words: Callable[[], str] | None = None,
    ) -> None:
        self._models = models
        self._settings = settings
        self._prompts = prompts
        self._clock = clock
        self._words = words
        self._spending = Spending()
        self._locks: dict[str, asyncio.Lock] = {}

    def lock(self, conversation: str) -> asyncio.Lock:
        """Held while a summary of that conversation is written of which the entry will be recorded."""
        return self._locks.setdefault(conversation, asyncio.Lock())

    async def order(
        self, session: Session, strategy: str = "auto", instructions: str = "", trigger: Trigger = Trigger.USER
    ) -> SummaryRequest:
        """The order for a compaction of that session. strategy "auto": what the settings and its policy say.

        trigger: why it is made; without the user's word a model is not asked more often than the policy allows.
        """
        model, is_by_hand = self._author(session).model, strategy != "auto"
        strategy = strategy if is_by_hand else strategy_for(session.policy, model.info, self._settings().summaries)
        if strategy != "llm" or self._prompts is None:
            return SummaryRequest("extractive" if strategy == "llm" else strategy)
        if trigger is not Trigger.USER and (pause := self._pause(session.policy)):
            return SummaryRequest("extractive", note=pause)
        asked = model if is_by_hand else CancellableModel(model, lambda: self._settings().summaries == "auto")
        prompts, price = await asyncio.to_thread(self._prompts), self._models.price(model.info.id)
        return SummaryRequest(strategy, asked, prompts, instructions, price=price)

    async def digested(
        self, session: Session, basis: ContextSnapshot, prune: Prune
    ) -> tuple[Prune, AuxiliaryUsage | None]:
        """The prune with its digest by the model, where the policy wants that and the settings allow it; and what the
        model was asked, if it was."""
        model = self._author(session).model
        is_wanted = self._words is not None and self._settings().summaries == "auto" and not model.info.is_builtin
        if self._words is None or not is_wanted or not wants_model(prune, basis):
            return prune, None
        words, price = await asyncio.to_thread(self._words), self._models.price(model.info.id)
        return await digest_by_model(prune, basis, model, words, price)

    async def offer(self, session: Session, optimization: Optimization) -> Offer:
        """What a summary by a model would take for that plan, or why there is none. Nothing is sent for it."""
        author = self._author(session)
        model, label = author.model, author.label
        if model.info.is_builtin:
            return Offer(label, TOO_SMALL.format(label=label))
        if self._prompts is None:
            return Offer(label, "No model is set up for summaries.")
        plan = optimization.compaction_plan
        if plan is None or optimization.is_written:
            return Offer(label)
        order = await self.order(session, "llm")
        try:
            draft = await asyncio.to_thread(drafted, optimization.before_summary, plan, order)
        except NoSummary as reason:
            return Offer(label, f"{label} cannot summarize this because {reason}.")
        estimate = await asyncio.to_thread(estimate_of, draft, model.tokenizer.count)
        return Offer(label, "", estimate, cost_of(estimate, self._models.price(model.info.id)))

    def noted(self, session: Session, entry: AnyEntry) -> AnyEntry:
        """The entry; a compaction says so if its summary is not by the model that the settings name, which is gone."""
        if not isinstance(entry, Compaction):
            return entry
        author = self._author(session)
        is_by_model = entry.strategy == "llm" and entry.model == author.model.info.record_name
        is_by_code = entry.strategy == "extractive" and entry.trigger is not Trigger.USER and not entry.note
        if not author.missing or not (is_by_model or (is_by_code and self._would_be_by_model(session))):
            return entry
        by = author.model.info.label if is_by_model else "code"
        told = f"{author.missing}: {by} wrote this summary instead."
        return replace(entry, note=f"{entry.note} {told}".lstrip())

    def _author(self, session: Session) -> Author:
        """The model that would write: the chat's own if none is set, or if the one that is set is not there."""
        chosen = self._settings().utility_model
        try:
            return Author(self._models.model(chosen) if chosen else session.model)
        except ModelError as error:
            return Author(session.model, chosen, error.failure.title)

    def _pause(self, policy: ContextPolicy) -> str:
        """Why no model is asked just now, in words for the user; "" if one may be, and then that is counted."""
        now = self._clock()
        until = self._spending.paused_until(now, policy)
        if until is None:
            self._spending = self._spending.after(now, policy)
            return ""
        minute = time.strftime("%H:%M", time.localtime(math.ceil(until / 60) * 60))
        within = f"{policy.spend_seconds / 60:g} minutes"
        return f"Summaries by a model are paused until {minute}: {policy.spend_most} were started within {within}."

    def _would_be_by_model(self, session: Session) -> bool:
        return self._settings().summaries == "auto" and session.policy.strategy in BY_MODEL


def cost_of(estimate: Estimate, price: Price | None) -> float | None:
    """US dollars, at most; None if nobody knows the price."""
    return None if price is None else estimate.prompt_tokens * price.prompt + estimate.reply_tokens * price.reply


def strategy_for(policy: ContextPolicy, info: ModelInfo, summaries: Summaries = "auto") -> str:
    """The policy's strategy. "auto" is a model's summary, but the built-in model is too small to write one (K4), and
    the settings may want none by a model at all."""
    if policy.strategy not in BY_MODEL:
        return policy.strategy
    is_able = not info.is_builtin and info.window  # how much it could read of the conversation is known
    return "llm" if is_able and summaries != "extractive" else "extractive"
