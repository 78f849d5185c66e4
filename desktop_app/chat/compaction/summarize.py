"""Write the summary of a plan: by a model, else by rules, else keep only the last messages (K3 to K5).

The model of the utility role writes it, unless the settings, the policy or the model rule that out. Its summary is
used only if it is complete, can be parsed, is short enough, and frees tokens. Otherwise the next strategy is used, and
the compaction's note says why. The compaction is not recorded here.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from msgspec.structs import replace

from desktop_app.chat.ports import NO_OPTIONS, ChatModel, ModelCatalogue, ModelError, Piece, TextPiece
from desktop_app.chat.request_counter import RequestCounter
from desktop_app.chat.session import Session
from desktop_app.chat.side_requests import LONG_REPLY, Completion, RoleModel, Unfinished, complete, resolve_role
from desktop_app.chat.tasks import NamedLocks, gather_bounded
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.masking import mask_secrets
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.prune.exchange import exchanges_of
from desktop_app.context.prune.strategies import MAX_MODEL_DIGEST, NAME, digest_input, digested_exchanges, with_digest
from desktop_app.context.summary.asking_rests import is_in_doubt
from desktop_app.context.summary.model_summary import (
    Draft,
    Spending,
    build_compaction,
    faults_of,
    join_written,
    page_of,
    says_enough_of_part,
)
from desktop_app.context.summary.prompt import (
    MessagePiece,
    Prompts,
    SummaryTask,
    question_again,
    repair_for,
    request_again,
    request_for,
    with_calls_answered,
    with_question,
)
from desktop_app.context.summary.summary_ahead import compaction_from, standing_in
from desktop_app.context.summary.summary_reply import UnusableReply, WrittenSummary, keeps_enough, read_reply
from desktop_app.conversation.listing import Writer
from desktop_app.conversation.message import Message, Text, Usage, add_usage
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import AnyEntry, AuxiliaryUsage, Compaction, Prune, Trigger
from desktop_app.conversation.words import translatable
from desktop_app.settings import Settings

from .provider_way import FREES_NOTHING, SAYS_LITTLE, TOO_LONG, ask_provider, compaction_by_provider, own_way
from .snapshot import ContextSnapshot
from .summary_way import (
    BY_MODEL,
    NoSummary,
    Progress,
    Ride,
    SummaryRequest,
    Way,
    draft_summary,
    provider_writer,
    ride_of,
    strategy_for,
    ways_or_none,
    ways_to_write,
    why_rested,
    with_cheaper,
    writer_of,
)
from .without_model import compact_without_model

WITHOUT_CALLS = "Write the summary that was asked for now, as text, without a call."

DIGEST_REPLY = 600
"""Maximum tokens of a digest by a model."""
DIGEST_SECONDS = 30

PROGRESS_EVERY = 0.2
"""Seconds between two reports of progress."""


Report = Callable[[Progress], None]
RecordUsage = Callable[[AuxiliaryUsage], Awaitable[None]]


async def write_compaction(
    snapshot: ContextSnapshot,
    plan: CompactionPlan,
    request: SummaryRequest,
    report: Report = lambda progress: None,
    record_usage: RecordUsage | None = None,
) -> Compaction | None:
    """Return the compaction, not stamped; None if it would free nothing. Never raises an error of the model's.

    record_usage: records the usage of each reply when it ends, even if the compaction is discarded later; None if there
    is no record.
    """
    if request.strategy != "llm" or not request.provider_form:
        return await _write_ours(snapshot, plan, request, report, record_usage)
    started, writer = time.monotonic(), SummaryWriter(snapshot, plan, request, report, record_usage)
    try:
        return replace(await writer.write_by_provider(), seconds=time.monotonic() - started)
    except NoSummary as reason:
        refused = NOT_BY_PROVIDER.format(reason=reason)
    ours = await _write_ours(snapshot, plan, request, report, record_usage)
    if ours is None:
        return None
    note, usage = f"{refused} {ours.note}".rstrip(), add_usage(writer.usage, ours.usage)
    is_recorded = ours.is_usage_recorded or (usage is not None and record_usage is not None)
    seconds = time.monotonic() - started
    return replace(ours, note=note, usage=usage, is_usage_recorded=is_recorded, seconds=seconds)


async def _write_ours(
    snapshot: ContextSnapshot,
    plan: CompactionPlan,
    request: SummaryRequest,
    report: Report,
    record_usage: RecordUsage | None,
) -> Compaction | None:
    """Return the compaction with a summary that was written ahead, by a model, or by rules, as for the other one."""
    started, note, usage = time.monotonic(), "", None
    is_paused = bool(request.note)  # a summary that is there already costs nothing more
    if (request.strategy == "llm" or is_paused) and not request.is_by_hand:
        view, record = snapshot.view, (snapshot.transcript, snapshot.view, snapshot.counts, snapshot.reading)
        ahead = await asyncio.to_thread(compaction_from, standing_in(view), plan, *record)
        if ahead is not None:
            return replace(ahead, seconds=time.monotonic() - started)
    if request.strategy == "llm":
        writer = SummaryWriter(snapshot, plan, request, report, record_usage)
        try:
            return replace(await writer.write(), seconds=time.monotonic() - started)
        except NoSummary as reason:
            note, usage = str(reason), writer.usage
    compaction = await asyncio.to_thread(compact_without_model, snapshot, plan, request.strategy, note)
    if compaction is None:
        return None
    note = " ".join(filter(None, (request.note, compaction.note)))
    is_recorded = usage is not None and record_usage is not None
    seconds = time.monotonic() - started
    return replace(compaction, usage=usage, is_usage_recorded=is_recorded, seconds=seconds, note=note)


NOT_BY_PROVIDER = translatable("The provider’s own summary could not be used because {reason}.")


class SummaryWriter:
    """Has a model write one summary. usage: the usage reported so far; None if the provider reported none."""

    def __init__(
        self,
        snapshot: ContextSnapshot,
        plan: CompactionPlan,
        request: SummaryRequest,
        report: Report,
        record_usage: RecordUsage | None = None,
    ) -> None:
        self._snapshot, self._plan, self._request = snapshot, plan, request
        self._model, _ = request.writer
        self._report, self._record_usage = report, record_usage
        self._ends_at = time.monotonic() + snapshot.policy.compaction_seconds
        self._tokens, self._max_tokens, self._reported_at = 0, 1, 0.0
        in_doubt = not request.is_by_hand and is_in_doubt(snapshot.view.entries, self._model.info.record_name)
        self._repairs = 0 if in_doubt else snapshot.policy.repair_calls
        self.usage: Usage | None = None

    async def write(self) -> Compaction:
        """Return the compaction. Raises NoSummary."""
        try:
            draft, written = await self._write_draft()
        except NoSummary as refusal:
            if not refusal.is_overflow:
                raise
            draft, written = await self._write_draft(is_too_long=True)
        page = page_of(written)
        faults = await asyncio.to_thread(faults_of, page, draft, self._snapshot.counts)
        if faults and self._repairs:
            page = await self._repair(draft, page, faults)
        return await asyncio.to_thread(self._finish, draft, page, list(written.keep))

    async def write_by_provider(self) -> Compaction:
        """Return the compaction with the provider's own summary. Raises NoSummary."""
        request = self._request
        draft = await asyncio.to_thread(draft_summary, self._snapshot, self._plan, request)
        if request.ride is None:
            raise ValueError("a provider's summary needs the conversation's own request")
        self._refuse_if_unwanted()
        way = await asyncio.to_thread(own_way, draft, self._model, request.ride, request.price)
        await self._refuse_if_too_dear(way)
        seconds = max(min(self._snapshot.policy.call_seconds, self._ends_at - time.monotonic()), 0.0)
        asked = (draft, self._model, request.ride, request.price, way.max_reply, seconds)
        await self._note(reply := await ask_provider(*asked))
        return self._with_usage(
            await asyncio.to_thread(compaction_by_provider, self._snapshot, draft, self._model, reply)
        )

    async def write_page(self) -> str:
        """Return what the model wrote, for a summary that is written ahead. Raises NoSummary."""
        draft, written = await self._write_draft()
        page = page_of(written)
        if self._snapshot.counts.text(page) > draft.plan.summary_budget:
            raise NoSummary(TOO_LONG)
        return page

    async def _write_draft(self, is_too_long: bool = False) -> tuple[Draft, WrittenSummary]:
        """Have the model summarize the head: behind the conversation's own request, or in parts.

        is_too_long: whether the provider has refused the parts of an earlier draft as too long.
        """
        policy, request = self._snapshot.policy, self._request
        draft = await asyncio.to_thread(draft_summary, self._snapshot, self._plan, request, is_too_long)
        request = replace(request, ride=None) if is_too_long else request
        ways = await asyncio.to_thread(ways_to_write, draft, request, policy.summary_calls)
        await self._refuse_if_too_dear(ways.chosen)
        self._max_tokens = draft.wanted.budget
        if request.ride is not None and ways.ride is not None and not ways.refusal:
            written = await self._read_behind(draft, request.ride, ways.ride.max_reply)
            if written is not None:
                return draft, written
            ways_to_write(draft, replace(request, ride=None), policy.summary_calls)
        works = [self._read_part(draft, part, task) for part, task in zip(draft.parts, draft.tasks(), strict=True)]
        return draft, join_written(await gather_bounded(works, policy.parallel_calls))

    async def _read_part(self, draft: Draft, part: Sequence[MessagePiece], task: SummaryTask) -> WrittenSummary:
        """Have the model summarize a part, the first one with the earlier summary. Raises NoSummary."""
        earlier = draft.earlier if part is draft.parts[0] else ""
        request = request_for(part, earlier, task)

        def again(reply: str) -> tuple[Message, ...]:
            return request_again(request, reply, part, task)

        ask = partial(self._ask, most=draft.max_reply)
        return await self._read(draft, request, ask, again, part, earlier)

    async def _read_behind(self, draft: Draft, ride: Ride, most: int) -> WrittenSummary | None:
        """Have the model summarize the head behind the conversation's own request, which its provider has cached.

        None if the provider refuses that request as too long, or the model calls tools instead: the messages are then
        sent as text. Raises NoSummary.
        """
        messages, tools = await asyncio.to_thread(ride.assembled)
        request = with_question(messages, draft.question)

        def again(reply: str) -> tuple[Message, ...]:
            return question_again(request, reply, draft.question, draft.wanted)

        ask = partial(self._ask_behind, most=most, tools=tools, options=ride.options)
        try:
            read = await self._read(draft, request, ask, again, draft.pieces, draft.earlier)
        except NoSummary as refusal:
            if not refusal.is_overflow and not refusal.has_called:
                raise
            log.info("the messages are summarized from text, because %s", refusal)
            return None
        return replace(read, summary=mask_secrets(read.summary), turn=mask_secrets(read.turn), keep=())

    async def _read(
        self,
        draft: Draft,
        request: tuple[Message, ...],
        ask: Callable[[tuple[Message, ...]], Awaitable[str]],
        again: Callable[[str], tuple[Message, ...]],
        pieces: Sequence[MessagePiece],
        earlier: str,
    ) -> WrittenSummary:
        """Return the summary of the pieces; ask again if it says too little about them. Raises NoSummary.

        again: returns the repeated request for a reply that says too little.
        """
        reply = await ask(request)
        read = read_reply(reply, draft.names)
        while not isinstance(read, UnusableReply):
            if await asyncio.to_thread(says_enough_of_part, read, pieces, earlier, draft.wanted.prompts):
                return read
            if self._repairs <= 0:
                raise NoSummary(SAYS_LITTLE.format(model=self._model.info.label))
            self._repairs -= 1
            reply = await ask(again(reply))
            read = read_reply(reply, draft.names)
        raise NoSummary(read.reason.value)

    async def _ask_behind(
        self, messages: tuple[Message, ...], most: int, tools: tuple[ToolSpec, ...], options: ReplyOptions
    ) -> str:
        """Return the reply to a question behind the conversation. Calls are answered once instead of being run."""
        reply = await self._complete(messages, most, tools, options)
        if reply.end.tool_calls and not isinstance(read_reply(reply.text, {}), WrittenSummary):
            answered = with_calls_answered(messages, reply.text, reply.end.tool_calls, WITHOUT_CALLS)
            reply = await self._complete(answered, most, tools, options)
        has_called = reply.end.tool_calls and not isinstance(read_reply(reply.text, {}), WrittenSummary)
        return reply.text if reply.end.tool_calls and not has_called else self._complete_text(reply)

    async def _ask(self, messages: tuple[Message, ...], most: int) -> str:
        """Return the model's complete reply. Raises NoSummary if the model did not finish it."""
        return self._complete_text(await self._complete(messages, most))

    def _complete_text(self, reply: Completion) -> str:
        if reply.end.reason == "stop":
            return reply.text
        called = translatable("the reply of {model} called a tool instead")
        is_long = reply.end.reason == "length"
        why = (LONG_REPLY if is_long else called).format(model=self._model.info.label)
        raise NoSummary(why, has_called=not is_long and bool(reply.end.tool_calls))

    async def _complete(
        self,
        messages: tuple[Message, ...],
        most: int,
        tools: tuple[ToolSpec, ...] = (),
        options: ReplyOptions = NO_OPTIONS,
    ) -> Completion:
        """Return the reply, whose usage is recorded. Raises NoSummary."""
        self._refuse_if_unwanted()
        policy = self._snapshot.policy
        # A server nearby may read the parts one after the other.
        queue = policy.parallel_calls if self._model.info.patience == 0 else 1
        seconds = max(min(policy.call_seconds * queue, self._ends_at - time.monotonic()), 0.0)
        try:
            reply = await complete(
                self._model,
                messages,
                max_tokens=most,
                seconds=seconds,
                price=self._request.price,
                tools=tools,
                options=options,
                on_piece=self._count,
            )
        except Unfinished as error:
            raise NoSummary(error.failure.title) from error
        except ModelError as error:
            failed = translatable("{model} failed ({reason})")
            failed = failed.format(model=self._model.info.label, reason=error.failure.title)
            raise NoSummary(failed, error.is_overflow) from error
        await self._note(reply)
        return reply

    async def _note(self, reply: Completion) -> None:
        """Record the usage of a reply."""
        self.usage = add_usage(self.usage, reply.end.usage)
        if self._record_usage is not None:
            await self._record_usage(reply.used_for("summary"))

    async def _refuse_if_too_dear(self, way: Way | None) -> None:
        """Raise NoSummary if the summary would pass a limit of money."""
        check = self._request.why_too_dear
        if way is not None and check is not None and (why := await check(way.dollars)):
            raise NoSummary(why)

    def _refuse_if_unwanted(self) -> None:
        if not self._request.is_wanted():
            raise NoSummary(translatable("summaries by a model were switched off"))

    def _count(self, piece: Piece) -> None:
        self._refuse_if_unwanted()
        if isinstance(piece, TextPiece):
            self._tokens += self._model.tokenizer.count(piece.text)
        if time.monotonic() - self._reported_at >= PROGRESS_EVERY:
            self._reported_at = time.monotonic()
            self._report(Progress(min(self._tokens, self._max_tokens), self._max_tokens))

    async def _repair(self, draft: Draft, page: str, faults: list[str]) -> str:
        """Ask for a page without the faults. Return that page if it is better, otherwise the page unchanged."""
        self._max_tokens = self._tokens + draft.wanted.budget
        try:
            reply = await self._ask(repair_for(page, faults, draft.wanted), draft.max_reply)
            read = read_reply(reply, draft.names)
        except NoSummary:
            return page
        if isinstance(read, UnusableReply):
            return page
        repaired = page_of(read)
        left = await asyncio.to_thread(faults_of, repaired, draft, self._snapshot.counts)
        return repaired if len(left) < len(faults) and keeps_enough(repaired, page) else page

    def _finish(self, draft: Draft, page: str, keep: list[str]) -> Compaction:
        snapshot, name = self._snapshot, self._model.info.record_name
        if snapshot.counts.text(page) > draft.plan.summary_budget:
            raise NoSummary(TOO_LONG)
        record = (snapshot.transcript, snapshot.view, snapshot.policy, snapshot.budget, snapshot.counts)
        compaction = build_compaction(page, keep, draft, *record, name)
        if compaction is None:
            raise NoSummary(FREES_NOTHING)
        return self._with_usage(compaction)

    def _with_usage(self, compaction: Compaction) -> Compaction:
        is_recorded = self.usage is not None and self._record_usage is not None
        return replace(compaction, usage=self.usage, is_usage_recorded=is_recorded)


TOO_SMALL = translatable("{label} is too small to summarize conversations reliably.")

log = logging.getLogger(__name__)


class SummaryService:
    """Decides how compactions are summarized; each conversation has a lock, so that they run one at a time.

    settings: returns the current settings; a change applies from the next request. prompts: reads the prompts; None if
    no model should be asked. clock: seconds since 1970. digest_prompt: reads the prompt for a digest; None for no
    digests by a model.
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
        """Return the lock to hold while a compaction of the conversation is written and recorded."""
        return self._locks.of(conversation)

    async def request_for(
        self, counter: RequestCounter, strategy: str = "auto", instructions: str = "", trigger: Trigger = Trigger.USER
    ) -> SummaryRequest:
        """Return the request for a compaction. strategy: "auto" for what the settings and the policy specify.

        Unless the user asked for the compaction, the policy limits how often a model is asked.
        """
        role, is_by_hand = self._role(counter.model), strategy != "auto"
        model = role.model
        strategy = strategy if is_by_hand else strategy_for(counter.policy, model.info, self._settings().summaries)
        if strategy != "llm" or self._prompts is None:
            return SummaryRequest("extractive" if strategy == "llm" else strategy)
        if trigger is not Trigger.USER and (pause := why_rested(counter, model.info) or self._pause(counter.policy)):
            return SummaryRequest("extractive", note=pause)
        ride = ride_of(counter) if model.info.record_name == counter.model.info.record_name else None
        request = SummaryRequest(
            strategy, model, await asyncio.to_thread(self._prompts), instructions, "", role.price, ride, is_by_hand
        )
        if ride is not None and counter.policy.strategy == "provider":
            request = replace(request, provider_form=model.info.provider_form)
        return request if is_by_hand else replace(request, is_wanted=lambda: self._settings().summaries == "auto")

    def rides(self, counter: RequestCounter) -> bool:
        """Return whether a summary would be written by a model that has just read the conversation."""
        role = self._role(counter.model)
        is_own = role.model.info.record_name == counter.model.info.record_name
        if counter.policy.strategy == "provider" and role.model.info.provider_form:
            return False  # which writes about what is archived, not ahead
        by_model = strategy_for(counter.policy, role.model.info, self._settings().summaries) == "llm"
        return is_own and by_model and self._prompts is not None and counter.cached_prefix() is not None

    async def can_fold(self) -> bool:
        """Return whether the prompts can ask for what is to be added to a summary."""
        return self._prompts is not None and bool((await asyncio.to_thread(self._prompts)).fold)

    async def digest(
        self, session: Session, snapshot: ContextSnapshot, prune: Prune
    ) -> tuple[Prune, AuxiliaryUsage | None]:
        """Return the prune, with a digest by a model if the policy and the settings ask for one (P5), and its usage.

        The digest by rule is kept if the model fails, or if the model's digest would free nothing.
        """
        role, policy = self._role(session.model), snapshot.policy
        is_wanted = policy.digest_by == "model" and any(pruned.strategy == NAME for pruned in prune.results)
        is_allowed = self._settings().summaries == "auto" and not role.model.info.is_builtin
        if self._digest_prompt is None or not is_wanted or not is_allowed:
            return prune, None
        prompt = (await asyncio.to_thread(self._digest_prompt)).replace("{most}", f"{MAX_MODEL_DIGEST:,}")
        results = Text(await asyncio.to_thread(results_to_digest, prune, snapshot))
        try:
            most, seconds = DIGEST_REPLY, DIGEST_SECONDS
            reply = await role.ask(prompt, results, max_tokens=most, seconds=seconds)
        except ModelError as error:
            log.info("old results are digested by rule, because %s", error.failure.title)
            return prune, None
        better = with_digest(prune, mask_secrets(reply.text.strip()), snapshot.counts)
        return (better if better.tokens_after < better.tokens_before else prune), reply.used_for("digest")

    async def writer(
        self, session: Session, unwritten: tuple[ContextSnapshot, CompactionPlan] | None, is_fresh: bool = False
    ) -> Writer:
        """Return the model that would write a summary with its estimated cost, or why none would. Sends nothing.

        unwritten: the snapshot and plan of the summary; None if there is none to write. is_fresh: whether it begins
        another conversation, for which no provider writes one in its own form.
        """
        role = self._role(session.model)
        model, label = role.model, role.label
        if model.info.is_builtin:
            return Writer(label, TOO_SMALL.format(label=label))
        if self._prompts is None:
            return Writer(label, translatable("No model is set up for summaries."))
        if unwritten is None:
            return Writer(label)
        request = await self.request_for(session.counter, "llm")
        try:
            draft = await asyncio.to_thread(draft_summary, *unwritten, request)
            max_calls = session.counter.policy.summary_calls
            if request.provider_form and request.ride is not None and not is_fresh:
                way = await asyncio.to_thread(own_way, draft, model, request.ride, request.price)
                ways = await ways_or_none(draft, request, max_calls)
                return provider_writer(label, way, ways, request.provider_form)
            ways = await asyncio.to_thread(ways_to_write, draft, request, max_calls)
        except NoSummary as reason:
            refusal = translatable("{model} cannot summarize this because {reason}.")
            return Writer(label, refusal.format(model=label, reason=reason))
        writer = writer_of(label, ways)
        return writer if self._settings().utility_model else with_cheaper(writer, self._models)

    def note_replaced_model(self, session: Session, entry: AnyEntry) -> AnyEntry:
        """Return the entry; a compaction gets a note if the chosen model could not be used and was replaced."""
        if not isinstance(entry, Compaction):
            return entry
        role = self._role(session.model)
        is_by_model = entry.strategy == "llm" and entry.model == role.model.info.record_name
        is_by_code = entry.strategy == "extractive" and entry.trigger is not Trigger.USER and not entry.note
        if not role.why_replaced or not (is_by_model or (is_by_code and self._would_be_by_model(session))):
            return entry
        note = translatable("{why}: this summary was assembled by rules instead.")
        if is_by_model:
            note = translatable("{why}: {model} wrote this summary instead.")
        note = note.format(why=role.why_replaced, model=role.model.info.label)
        return replace(entry, note=f"{entry.note} {note}".lstrip())

    def _role(self, model: ChatModel) -> RoleModel:
        return resolve_role(self._models, self._settings().utility_model, model)

    def _pause(self, policy: ContextPolicy) -> str:
        """Return why no model may be asked now, for the user; otherwise count the request, and return ""."""
        now = self._clock()
        until = self._spending.paused_until(now, policy)
        if until is None:
            self._spending = self._spending.after(now, policy)
            return ""
        minute = time.strftime("%H:%M", time.localtime(math.ceil(until / 60) * 60))
        paused = translatable(
            "Summaries by a model are paused until {time}: {number} were started within {minutes} minutes."
        )
        return paused.format(time=minute, number=policy.max_spend, minutes=f"{policy.spend_seconds / 60:g}")

    def _would_be_by_model(self, session: Session) -> bool:
        return self._settings().summaries == "auto" and session.counter.policy.strategy in BY_MODEL


def results_to_digest(prune: Prune, snapshot: ContextSnapshot) -> str:
    """Return the text of the results that the prune digests, for a model, with secrets masked."""
    exchanges = exchanges_of(snapshot.view, snapshot.policy, snapshot.budget, snapshot.counts)
    return mask_secrets(digest_input(digested_exchanges(exchanges, prune)))
