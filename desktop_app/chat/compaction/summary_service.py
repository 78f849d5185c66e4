"""Decide who writes a summary: the utility role's model, unless the settings, the policy or the model rule it out
(K3, K4)."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from desktop_app.chat.complete import RoleModel, resolve_role
from desktop_app.chat.locks import NamedLocks
from desktop_app.chat.ports import ModelCatalogue, ModelError, Price
from desktop_app.chat.session import Session
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.masking import mask_secrets
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.prune.digest import NAME, digest_input, digested_exchanges, with_digest
from desktop_app.context.prune.exchange import exchanges_of
from desktop_app.context.summary.model_summary import Estimate, estimate_of
from desktop_app.context.summary.prompt import Prompts
from desktop_app.context.summary.spend_guard import Spending
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Text
from desktop_app.conversation.transcript import AnyEntry, AuxiliaryUsage, Compaction, Prune, Trigger
from desktop_app.conversation.words import translatable
from desktop_app.settings import Settings, Summaries

from .snapshot import ContextSnapshot
from .summarize import NoSummary, SummaryRequest, draft_summary

BY_MODEL = ("auto", "llm")
"""Strategies of a policy that ask a model, where there is one to ask."""
TOO_SMALL = translatable("{label} is too small to summarize conversations reliably.")

log = logging.getLogger(__name__)


CHEAPER = 0.5
"""A model is proposed that takes at most that share of the cost."""


class CheaperModel(msgspec.Struct, frozen=True):
    """A model that is set up, and would write the summary for less."""

    id: str
    label: str
    dollars: float


class Offer(msgspec.Struct, frozen=True):
    """What a summary by a model would take, or why there is none."""

    label: str
    """The model's."""
    refusal: str = ""
    """Why it is not offered, "" if it is."""
    estimate: Estimate = Estimate()
    """Without a repair."""
    dollars: float | None = None
    """None if the price is not known."""
    cheaper: CheaperModel | None = None
    """None if the settings name a model for summaries, or none that is set up costs less than half."""


class SummaryService:
    """Decides how compactions are summarized; one at a time is made for each conversation.

    settings: returns the current ones; a change holds for the next request. prompts: reads the prompts, None if no
    model is to be asked. clock: seconds since 1970. digest_prompt: reads the prompt for a digest.
    """

    def __init__(
        self,
        models: ModelCatalogue,
        settings: Callable[[], Settings],
        prompts: Callable[[], Prompts] | None = None,
        clock: Callable[[], float] = time.time,
        digest_prompt: Callable[[], str] | None = None,
    ) -> None:
        self._models = models
        self._settings = settings
        self._prompts = prompts
        self._clock = clock
        self._digest_prompt = digest_prompt
        self._spending = Spending()
        self._locks = NamedLocks()

    def lock(self, conversation: str) -> asyncio.Lock:
        """Return the lock that is held while a compaction of that conversation is made and recorded."""
        return self._locks.of(conversation)

    async def request_for(
        self, session: Session, strategy: str = "auto", instructions: str = "", trigger: Trigger = Trigger.USER
    ) -> SummaryRequest:
        """Return how a compaction of that session is to be made. strategy "auto": as the settings and its policy say.

        Unless the user asked for the compaction, models are not asked more often than the policy allows.
        """
        role, is_by_hand = self._role(session), strategy != "auto"
        model = role.model
        strategy = strategy if is_by_hand else strategy_for(session.policy, model.info, self._settings().summaries)
        if strategy != "llm" or self._prompts is None:
            return SummaryRequest("extractive" if strategy == "llm" else strategy)
        if trigger is not Trigger.USER and (pause := self._pause(session.policy)):
            return SummaryRequest("extractive", note=pause)
        request = SummaryRequest(
            strategy, model, await asyncio.to_thread(self._prompts), instructions, price=role.price
        )
        return request if is_by_hand else replace(request, is_wanted=lambda: self._settings().summaries == "auto")

    async def digest(
        self, session: Session, snapshot: ContextSnapshot, prune: Prune
    ) -> tuple[Prune, AuxiliaryUsage | None]:
        """Return the prune, with its digest by a model where the policy and the settings want one (P5), and the usage.

        The digest by rule stays if the model fails, or if its own would free nothing.
        """
        role, policy = self._role(session), snapshot.policy
        is_wanted = policy.digest_by == "model" and any(pruned.strategy == NAME for pruned in prune.results)
        is_allowed = self._settings().summaries == "auto" and not role.model.info.is_builtin
        if self._digest_prompt is None or not is_wanted or not is_allowed:
            return prune, None
        prompt = (await asyncio.to_thread(self._digest_prompt)).replace("{most}", f"{policy.digest_model_most:,}")
        results = Text(await asyncio.to_thread(results_to_digest, prune, snapshot))
        try:
            most, seconds = policy.digest_model_reply, policy.digest_seconds
            reply = await role.ask(prompt, results, max_tokens=most, seconds=seconds)
        except ModelError as error:
            log.info("old results are digested by rule, because %s", error.failure.title)
            return prune, None
        better = with_digest(prune, mask_secrets(reply.text.strip()), policy, snapshot.counts)
        return (better if better.tokens_after < better.tokens_before else prune), reply.used_for("digest")

    async def offer(self, session: Session, unwritten: tuple[ContextSnapshot, CompactionPlan] | None) -> Offer:
        """Return what a summary by a model would take, or why there is none. Sends nothing.

        unwritten: what the summary would be made from; None if there is none to write.
        """
        role = self._role(session)
        model, label = role.model, role.label
        if model.info.is_builtin:
            return Offer(label, TOO_SMALL.format(label=label))
        if self._prompts is None:
            return Offer(label, translatable("No model is set up for summaries."))
        if unwritten is None:
            return Offer(label)
        request = await self.request_for(session, "llm")
        try:
            draft = await asyncio.to_thread(draft_summary, *unwritten, request)
        except NoSummary as reason:
            refusal = translatable("{model} cannot summarize this because {reason}.")
            return Offer(label, refusal.format(model=label, reason=reason))
        estimate = await asyncio.to_thread(estimate_of, draft, model.tokenizer.count)
        cost = cost_of(estimate, role.price)
        if cost is None or self._settings().utility_model:
            return Offer(label, "", estimate, cost)
        return Offer(label, "", estimate, cost, cheaper_model(self._models, estimate, cost))

    def note_replaced_model(self, session: Session, entry: AnyEntry) -> AnyEntry:
        """Return the entry; a compaction with a note if its model stands in for one that cannot be used."""
        if not isinstance(entry, Compaction):
            return entry
        role = self._role(session)
        is_by_model = entry.strategy == "llm" and entry.model == role.model.info.record_name
        is_by_code = entry.strategy == "extractive" and entry.trigger is not Trigger.USER and not entry.note
        if not role.why_replaced or not (is_by_model or (is_by_code and self._would_be_by_model(session))):
            return entry
        note = translatable("{why}: this summary was assembled by rules instead.")
        if is_by_model:
            note = translatable("{why}: {model} wrote this summary instead.")
        note = note.format(why=role.why_replaced, model=role.model.info.label)
        return replace(entry, note=f"{entry.note} {note}".lstrip())

    def _role(self, session: Session) -> RoleModel:
        return resolve_role(self._models, self._settings().utility_model, session.model)

    def _pause(self, policy: ContextPolicy) -> str:
        """Return why no model may be asked now, for the user; if one may be ("" is returned), count it."""
        now = self._clock()
        until = self._spending.paused_until(now, policy)
        if until is None:
            self._spending = self._spending.after(now, policy)
            return ""
        minute = time.strftime("%H:%M", time.localtime(math.ceil(until / 60) * 60))
        paused = translatable(
            "Summaries by a model are paused until {time}: {number} were started within {minutes} minutes."
        )
        return paused.format(time=minute, number=policy.spend_most, minutes=f"{policy.spend_seconds / 60:g}")

    def _would_be_by_model(self, session: Session) -> bool:
        return self._settings().summaries == "auto" and session.policy.strategy in BY_MODEL


def results_to_digest(prune: Prune, snapshot: ContextSnapshot) -> str:
    """Return the results that the prune digests, without secrets, for a model."""
    exchanges = exchanges_of(snapshot.view, snapshot.policy, snapshot.budget, snapshot.counts)
    return mask_secrets(digest_input(digested_exchanges(exchanges, prune), snapshot.policy))


def cost_of(estimate: Estimate, price: Price | None) -> float | None:
    """Return US dollars, at most; None if the price is not known."""
    return None if price is None else estimate.prompt_tokens * price.prompt + estimate.reply_tokens * price.reply


def cheaper_model(models: ModelCatalogue, estimate: Estimate, dollars: float) -> CheaperModel | None:
    """Return the model that would write that summary for the least, if that is less than half of those dollars.

    Those that are free or whose price is not known are not proposed: nobody knows what they can do, or cost.
    """
    one_call = (estimate.prompt_tokens + estimate.reply_tokens) / max(estimate.calls, 1)
    able = [info for info in models.infos() if not info.is_builtin and not info.note and info.window > one_call]
    priced = [(cost, info) for info in able if (cost := cost_of(estimate, models.price(info.id)))]
    cost, info = min(priced, key=lambda pair: pair[0], default=(0.0, None))
    return CheaperModel(info.id, info.label, cost) if info is not None and cost <= CHEAPER * dollars else None


def strategy_for(policy: ContextPolicy, info: ModelInfo, summaries: Summaries = "auto") -> str:
    """Return the policy's strategy. "auto" is "llm", unless the settings want no model, the built-in model is all there
    is (it is too small, K4), or nobody knows how much the model can read."""
    if policy.strategy not in BY_MODEL:
        return policy.strategy
    is_able = not info.is_builtin and info.window
    return "llm" if is_able and summaries != "extractive" else "extractive"
