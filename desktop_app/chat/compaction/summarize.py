"""Make a compaction of a plan: by a model, without one, or of the last messages only, whichever works first (K3-K5).

A model's summary is used only if the model finished it, it can be read, it is short enough, and it frees room.
Otherwise the next strategy is used, and the compaction's note says why. Nothing is recorded here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from desktop_app.chat.complete import LONG_REPLY, Unfinished, complete
from desktop_app.chat.ports import ChatModel, ModelError, Piece, Price, TextPiece
from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.summary.coverage import keeps_enough
from desktop_app.context.summary.model_summary import (
    MIN_PAGE,
    Draft,
    build_compaction,
    compact_to_last_messages,
    draft_of,
    faults_of,
    page_of,
    plan_last_messages,
    says_enough_of_part,
)
from desktop_app.context.summary.prompt import MessagePiece, Prompts, repair_for, request_again, request_for
from desktop_app.context.summary.reply import UnusableReply, WrittenSummary, read_reply
from desktop_app.conversation.message import Message, Usage, add_usage
from desktop_app.conversation.transcript import Compaction
from desktop_app.conversation.words import translatable

from .snapshot import ContextSnapshot

PROGRESS_EVERY = 0.2
"""Seconds between two reports of how much of the summary is written."""


class SummaryRequest(msgspec.Struct, frozen=True):
    """How a compaction is to be made. "llm" needs a model and prompts."""

    strategy: str = "extractive"
    """"llm", "extractive" or "last_messages"."""
    model: ChatModel | None = None
    prompts: Prompts | None = None
    instructions: str = ""
    """The user's, for the summary."""
    note: str = ""
    """Why no model is asked, where the user should know."""
    price: Price | None = None
    is_wanted: Callable[[], bool] = lambda: True
    """Asked before each request, and at each piece of a reply: what is switched off spends no token more."""

    @property
    def writer(self) -> tuple[ChatModel, Prompts]:
        """The model and its prompts. Raises ValueError if they are missing."""
        if self.model is None or self.prompts is None:
            raise ValueError("a summary by a model needs the model and its prompts")
        return self.model, self.prompts

    def __str__(self) -> str:
        """Return the strategy, and the model if one writes, for the log."""
        return f"{self.strategy} by {self.model.info.record_name}" if self.model else self.strategy


class Progress(msgspec.Struct, frozen=True):
    """Tokens that are written so far, of at most `max_tokens`."""

    tokens: int
    max_tokens: int


Report = Callable[[Progress], None]


class NoSummary(Exception):
    """The model's summary cannot be used. The text completes "because …".

    is_overflow: whether the provider refused the request as too long.
    """

    def __init__(self, why: str, is_overflow: bool = False) -> None:
        super().__init__(why)
        self.is_overflow = is_overflow


async def write_compaction(
    snapshot: ContextSnapshot, plan: CompactionPlan, request: SummaryRequest, report: Report = lambda progress: None
) -> Compaction | None:
    """Return the compaction, not stamped; None if none would free anything. Raises nothing of the model's."""
    started, note, usage = time.monotonic(), "", None
    if request.strategy == "llm":
        writer = SummaryWriter(snapshot, plan, request, report)
        try:
            return replace(await writer.write(), seconds=time.monotonic() - started)
        except NoSummary as reason:
            note, usage = str(reason), writer.usage
    compaction = await asyncio.to_thread(compact_without_model, snapshot, plan, request.strategy, note)
    if compaction is None:
        return None
    note = " ".join(filter(None, (request.note, compaction.note)))
    return replace(compaction, usage=usage, seconds=time.monotonic() - started, note=note)


SAYS_LITTLE = translatable("the summary of {model} said too little of the conversation")
NO_ROOM = translatable("there is no room for a summary")
TOO_LITTLE = translatable("too little comes before the latest messages")
ONLY_LATEST = translatable(
    "Only the latest messages were kept because a summary without a model would have freed nothing."
)


def compact_without_model(
    snapshot: ContextSnapshot, plan: CompactionPlan, strategy: str = "extractive", note: str = ""
) -> Compaction | None:
    """Return an extractive compaction, or one of the last messages only, where that is wanted or frees more.

    note: why no model wrote it. Takes up to seconds for a long conversation.
    """
    transcript, view, counts = snapshot.transcript, snapshot.view, snapshot.counts
    why = translatable("Assembled by rules because {reason}.").format(reason=note) if note else ""
    if strategy != "last_messages":
        compaction = compaction_of(plan, transcript, view, counts, reading=snapshot.reading)
        if compaction is not None:
            return replace(compaction, note=why)
        why = ONLY_LATEST
        if note:
            why = translatable(
                "Only the latest messages were kept because {reason}, and a summary without a model would have freed "
                "nothing."
            ).format(reason=note)
    last = plan_last_messages(view, snapshot.policy, snapshot.budget, counts, plan.total, plan.trigger)
    compaction = compact_to_last_messages(last or plan, transcript, view, counts, snapshot.reading)
    return replace(compaction, note=why) if compaction else None


def draft_summary(
    snapshot: ContextSnapshot, plan: CompactionPlan, request: SummaryRequest, is_too_long: bool = False
) -> Draft:
    """Return what the model will be asked. Takes up to seconds; raises NoSummary if the model cannot do it.

    is_too_long: whether its provider has refused a draft of this before as too long.
    """
    model, prompts = request.writer
    info = model.info
    if not info.window:
        raise NoSummary(translatable("its window is not known yet"))
    if plan.summary_budget < MIN_PAGE:
        raise NoSummary(NO_ROOM if plan.projected + MIN_PAGE > snapshot.budget.usable else TOO_LITTLE)
    draft = draft_of(
        plan,
        snapshot.transcript,
        snapshot.view,
        snapshot.policy,
        prompts,
        request.instructions,
        info.window,
        info.max_output,
        snapshot.counts,
        model.tokenizer.count,
        is_too_long,
    )
    if not draft.parts:
        raise NoSummary(translatable("the window of {model} is too small for it").format(model=info.label))
    if len(draft.parts) > snapshot.policy.summary_calls:
        often = translatable("{model} would have to be asked {number} times")
        raise NoSummary(often.format(model=info.label, number=len(draft.parts)))
    return draft


class SummaryWriter:
    """Has a model write one summary. usage: what the provider reported so far, None if it reported nothing."""

    def __init__(
        self, snapshot: ContextSnapshot, plan: CompactionPlan, request: SummaryRequest, report: Report
    ) -> None:
        self._snapshot, self._plan, self._request = snapshot, plan, request
        self._model, _ = request.writer
        self._report = report
        self._ends_at = time.monotonic() + snapshot.policy.compaction_seconds
        self._tokens, self._max_tokens, self._reported_at = 0, 1, 0.0
        self._repairs = snapshot.policy.repair_calls
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

    async def _write_draft(self, is_too_long: bool = False) -> tuple[Draft, WrittenSummary]:
        """Have the model read the head part by part."""
        draft = await asyncio.to_thread(draft_summary, self._snapshot, self._plan, self._request, is_too_long)
        self._max_tokens = draft.wanted.budget * len(draft.parts)
        page, turns, keep = draft.earlier, list[str](), list[str]()
        for index, part in enumerate(draft.parts):
            read = await self._read_part(draft, part, page)
            self._tokens = (index + 1) * draft.wanted.budget
            page, keep = read.summary, [*keep, *read.keep]
            turns += [read.turn] if read.turn else []
        return draft, WrittenSummary(page, "\n\n".join(turns), tuple(dict.fromkeys(keep)))

    async def _read_part(self, draft: Draft, part: Sequence[MessagePiece], earlier: str) -> WrittenSummary:
        """Have the model read a part; ask once more if what it writes says too little of that.

        Raises NoSummary. earlier: the summary so far.
        """
        request: tuple[Message, ...] = request_for(part, earlier, draft.wanted)
        reply = await self._ask(draft, request)
        read = read_reply(reply, draft.names)
        while not isinstance(read, UnusableReply):
            if await asyncio.to_thread(says_enough_of_part, read, part, earlier, draft.wanted.prompts):
                return read
            if self._repairs <= 0:
                raise NoSummary(SAYS_LITTLE.format(model=self._model.info.label))
            self._repairs -= 1
            reply = await self._ask(draft, request_again(request, reply, part, draft.wanted))
            read = read_reply(reply, draft.names)
        raise NoSummary(read.reason.value)

    async def _ask(self, draft: Draft, messages: tuple[Message, ...]) -> str:
        """Return the model's whole reply. Raises NoSummary if the model did not finish it."""
        self._refuse_if_unwanted()
        label = self._model.info.label
        seconds = max(min(self._snapshot.policy.call_seconds, self._ends_at - time.monotonic()), 0.0)
        try:
            reply = await complete(
                self._model,
                messages,
                max_tokens=draft.reply_most,
                seconds=seconds,
                price=self._request.price,
                on_piece=self._count,
            )
        except Unfinished as error:
            raise NoSummary(error.failure.title) from error
        except ModelError as error:
            failed = translatable("{model} failed ({reason})").format(model=label, reason=error.failure.title)
            raise NoSummary(failed, error.is_overflow) from error
        self.usage = add_usage(self.usage, reply.end.usage)
        if reply.end.reason != "stop":
            called = translatable("the reply of {model} called a tool instead")
            raise NoSummary((LONG_REPLY if reply.end.reason == "length" else called).format(model=label))
        return reply.text

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
        """Return the page of one more call, which names the faults, if it has fewer of them; else the page as it is."""
        self._max_tokens = self._tokens + draft.wanted.budget
        try:
            read = read_reply(await self._ask(draft, repair_for(page, faults, draft.wanted)), draft.names)
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
            raise NoSummary(translatable("the summary was longer than it may be"))
        record = (snapshot.transcript, snapshot.view, snapshot.policy, snapshot.budget, snapshot.counts)
        compaction = build_compaction(page, keep, draft, *record, name)
        if compaction is None:
            raise NoSummary(translatable("its summary was not shorter than what it would have replaced"))
        return replace(compaction, usage=self.usage)
