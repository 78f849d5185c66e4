"""A plan becomes a compaction: by a model, without one, or with the last messages only, whichever works first (K3-K5).

A model's summary counts only if the model finished it, it can be read, it is short enough, and it frees room. Else
the next strategy takes its place, and the compaction says why. Cancelling leaves no trace: nothing is recorded here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec
from msgspec.structs import replace

from desktop_app.chat.ports import (
    ChatModel,
    ModelError,
    Price,
    ReasoningPiece,
    ReplyEnd,
    TextPiece,
    ToolCallPiece,
    with_price,
)
from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.summary.model_summary import (
    PAGE_LEAST,
    PARTS_MOST,
    SAFE_SHARE,
    SAFER_SHARE,
    Draft,
    draft_of,
    faults_of,
    finished,
    last_messages,
    last_messages_plan,
    page_of,
)
from desktop_app.context.summary.prompt import Prompts, repair_for, request_for
from desktop_app.context.summary.reply import Unusable, Written, read_reply
from desktop_app.conversation.message import Message, Usage
from desktop_app.conversation.totals import add_usage
from desktop_app.conversation.transcript import Compaction

from .snapshot import ContextSnapshot

PROGRESS_EVERY = 0.2
"""Seconds between two tellings of how far the summary is."""
ENDLESS = 2
"""Times what a reply may take: whoever writes more than that, by our count, does not mind the limit."""


class SummaryRequest(msgspec.Struct, frozen=True):
    """How a compaction is wanted. strategy: "llm", "extractive" or "last_messages". instructions: the user's own.

    model, prompts: who writes, and the words of the requests; needed for "llm". note: why it is not a model that is
    asked, where that is to be told. price: the model's, if it is known.
    """

    strategy: str = "extractive"
    model: ChatModel | None = None
    prompts: Prompts | None = None
    instructions: str = ""
    note: str = ""
    price: Price | None = None

    @property
    def writer(self) -> tuple[ChatModel, Prompts]:
        """The model and the words. Raises ValueError if the order has none."""
        if self.model is None or self.prompts is None:
            raise ValueError("a summary by a model needs the model, and words to ask it with")
        return self.model, self.prompts


class Progress(msgspec.Struct, frozen=True):
    """Tokens that were written so far, of so many at most."""

    tokens: int
    most: int


class NoSummary(Exception):
    """The model's summary cannot be used; the text says why, and goes on "because …".

    is_overflow: the provider said that the request was too long.
    """

    def __init__(self, why: str, is_overflow: bool = False) -> None:
        super().__init__(why)
        self.is_overflow = is_overflow


async def compacted(
    basis: ContextSnapshot, plan: CompactionPlan, order: SummaryRequest
) -> AsyncGenerator[Progress | Compaction, None]:
    """Progress, then the compaction, not stamped; no compaction if none would free anything. Raises nothing of the
    model's."""
    started, note, usage = time.monotonic(), "", None
    if order.strategy == "llm":
        writing = Writing(basis, plan, order)
        try:
            async with aclosing(writing.steps()) as steps:
                async for step in steps:
                    if isinstance(step, Compaction):
                        yield replace(step, seconds=time.monotonic() - started)
                        return
                    yield step
        except NoSummary as reason:
            note, usage = str(reason), writing.usage
    compaction = await asyncio.to_thread(without_model, basis, plan, order.strategy, note)
    if compaction is not None:
        told = " ".join(filter(None, (order.note, compaction.note)))
        yield replace(compaction, usage=usage, seconds=time.monotonic() - started, note=told)


def without_model(
    basis: ContextSnapshot, plan: CompactionPlan, strategy: str = "extractive", note: str = ""
) -> Compaction | None:
    """The compaction that code makes: extractive, or the last messages only where that is wanted or frees more.

    note: why no model wrote it. This takes its time on a long conversation.
    """
    transcript, view, counts = basis.transcript, basis.view, basis.counts
    told = f"Assembled by rules because {note}." if note else ""
    if strategy != "last_messages":
        compaction = compaction_of(plan, transcript, view, counts, reading=basis.reading)
        if compaction is not None:
            return replace(compaction, note=told)
        told = "Only the latest messages were kept because " + (f"{note}, and " if note else "")
        told += "a summary without a model would have freed nothing."
    last = last_messages_plan(view, basis.policy, basis.budget, counts, plan.total, plan.trigger)
    compaction = last_messages(last or plan, transcript, view, counts, basis.reading)
    return replace(compaction, note=told) if compaction else None


def drafted(
    basis: ContextSnapshot, plan: CompactionPlan, order: SummaryRequest, safe_share: float = SAFE_SHARE
) -> Draft:
    """What the order's model will be asked for that plan; this takes its time. Raises NoSummary if it cannot do it."""
    model, prompts = order.writer
    info = model.info
    if not info.window:
        raise NoSummary("its window is not known yet")
    if plan.summary_budget < PAGE_LEAST:
        raise NoSummary("there is no room for a summary")
    draft = draft_of(
        plan,
        basis.transcript,
        basis.view,
        basis.policy,
        prompts,
        order.instructions,
        info.window,
        info.max_output,
        basis.counts,
        model.tokenizer.count,
        safe_share,
    )
    if not draft.parts:
        raise NoSummary(f"the window of {info.label} is too small for it")
    if len(draft.parts) > PARTS_MOST:
        raise NoSummary(f"{info.label} would have to be asked {len(draft.parts)} times")
    return draft


class Writing:
    """One summary while a model writes it. usage: what the provider reported so far, None if it reported nothing."""

    def __init__(self, basis: ContextSnapshot, plan: CompactionPlan, order: SummaryRequest) -> None:
        self._basis, self._plan, self._order = basis, plan, order
        self._model, _ = order.writer
        self._ends_at = asyncio.get_running_loop().time() + basis.policy.compaction_seconds
        self._reply, self._written = "", Written("")
        self._tokens, self._most, self._told_at = 0, 1, 0.0
        self.usage: Usage | None = None

    async def steps(self) -> AsyncGenerator[Progress | Compaction, None]:
        """Progress, and the compaction at the end. Raises NoSummary."""
        draft = await asyncio.to_thread(self._drafted, SAFE_SHARE)
        try:
            async with aclosing(self._told(draft)) as told:
                async for progress in told:
                    yield progress
        except NoSummary as refusal:
            if not refusal.is_overflow:
                raise
            draft = await asyncio.to_thread(self._drafted, SAFER_SHARE)
            async with aclosing(self._told(draft)) as told:
                async for progress in told:
                    yield progress
        page, keep = page_of(self._written), list(self._written.keep)
        faults = await asyncio.to_thread(faults_of, page, draft, self._basis.counts)
        if faults and self._basis.policy.repair_calls:
            async with aclosing(self._repaired(draft, page, faults)) as told:
                async for progress in told:
                    yield progress
            page = await asyncio.to_thread(self._better, draft, page, faults)
        yield await asyncio.to_thread(self._finished, draft, page, keep)

    async def _told(self, draft: Draft) -> AsyncGenerator[Progress, None]:
        """Has the model read the head part by part; what it wrote is in `_written` then. Raises NoSummary."""
        page, turns, keep = draft.earlier, list[str](), list[str]()
        for place, part in enumerate(draft.parts):
            async with aclosing(self._asked(draft, request_for(part, page, draft.wanted))) as steps:
                async for progress in steps:
                    yield progress
            read = read_reply(self._reply, draft.names)
            if isinstance(read, Unusable):
                raise NoSummary(read.reason.value)
            self._tokens = (place + 1) * draft.wanted.budget
            page, keep = read.summary, [*keep, *read.keep]
            turns += [read.turn] if read.turn else []
        self._written = Written(page, "\n\n".join(turns), tuple(dict.fromkeys(keep)))

    def _drafted(self, safe_share: float) -> Draft:
        draft = drafted(self._basis, self._plan, self._order, safe_share)
        self._most = draft.wanted.budget * len(draft.parts)
        return draft

    async def _asked(self, draft: Draft, request: tuple[Message, ...]) -> AsyncGenerator[Progress, None]:
        """One call; its whole reply is in `_reply` then. Raises NoSummary if the model did not finish it."""
        arrived, self._reply = list[str](), ""
        loop = asyncio.get_running_loop()
        deadline = min(loop.time() + self._basis.policy.call_seconds, self._ends_at)
        end: ReplyEnd | None = None
        enough = self._tokens + ENDLESS * draft.reply_most
        async with aclosing(self._model.stream(request, draft.reply_most)) as pieces:
            while end is None:
                try:
                    async with asyncio.timeout_at(deadline):  # nothing is yielded within
                        piece = await anext(pieces)
                except TimeoutError:
                    raise NoSummary(f"{self._model.info.label} took too long") from None
                except ModelError as error:
                    raise NoSummary(
                        f"{self._model.info.label} failed ({error.failure.title})", error.is_overflow
                    ) from error
                except StopAsyncIteration:
                    raise NoSummary(f"the reply of {self._model.info.label} was cut off") from None
                match piece:
                    case TextPiece(text):
                        arrived.append(text)
                        self._tokens += self._model.tokenizer.count(text)
                        if self._tokens > enough:
                            raise NoSummary(f"the reply of {self._model.info.label} was longer than it may be")
                    case ReasoningPiece() | ToolCallPiece():
                        pass  # it is on its way
                    case ReplyEnd():
                        end = piece
                if loop.time() - self._told_at >= PROGRESS_EVERY:
                    self._told_at = loop.time()
                    yield Progress(min(self._tokens, self._most), self._most)
        self.usage = add_usage(self.usage, with_price(end.usage, self._order.price))
        if end.reason != "stop":
            why = "was longer than it may be" if end.reason == "length" else "called a tool instead"
            raise NoSummary(f"the reply of {self._model.info.label} {why}")
        self._reply = "".join(arrived)

    async def _repaired(self, draft: Draft, page: str, faults: list[str]) -> AsyncGenerator[Progress, None]:
        """One more call, which gives the faults back. A repair that fails leaves the page as it was."""
        self._most = self._tokens + draft.wanted.budget
        try:
            async with aclosing(self._asked(draft, repair_for(page, faults, draft.wanted))) as steps:
                async for progress in steps:
                    yield progress
        except NoSummary:
            self._reply = ""

    def _better(self, draft: Draft, page: str, faults: list[str]) -> str:
        """The repaired page if fewer things are wrong with it, else the page as it was."""
        read = read_reply(self._reply, draft.names)
        if isinstance(read, Unusable):
            return page
        repaired = page_of(read)
        return repaired if len(faults_of(repaired, draft, self._basis.counts)) < len(faults) else page

    def _finished(self, draft: Draft, page: str, keep: list[str]) -> Compaction:
        basis, model = self._basis, self._model.info
        if basis.counts.text(page) > draft.plan.summary_budget:
            raise NoSummary("the summary was longer than it may be")
        compaction = finished(
            page,
            keep,
            draft,
            basis.transcript,
            basis.view,
            basis.policy,
            basis.budget,
            basis.counts,
            model.record_name,
        )
        if compaction is None:
            raise NoSummary("its summary was not shorter than what it would have replaced")
        return replace(compaction, usage=self.usage)
