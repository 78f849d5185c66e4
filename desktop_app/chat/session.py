"""One open conversation in memory: its record, the view folded from it, and the events that tell the window of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from desktop_app.context.counting.breakdown import Tally, closing_tokens, gauge_of, measured_gauge, tally
from desktop_app.context.counting.calibration import (
    Calibration,
    Report,
    learn,
    learn_exactly,
    prior,
    reported_before,
    unmeasured_pictures,
)
from desktop_app.context.counting.reports import calibration_of, is_report
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.fitting import fit_policy
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import Budget, ContextPolicy, budget_for
from desktop_app.context.view.dialect import sent_tools, to_dialect
from desktop_app.context.view.items import Item
from desktop_app.context.view.view import View, assemble, view_after, view_of, with_entries
from desktop_app.conversation.events import (
    Failure,
    GaugeChanged,
    MessageRecorded,
    MessageRow,
    OperationRow,
    ViewChanged,
)
from desktop_app.conversation.gauge import Gauge, Provenance
from desktop_app.conversation.listing import ConversationInfo, ModelInfo
from desktop_app.conversation.message import Message, Role, Totals
from desktop_app.conversation.setup import NO_PROJECT, ConversationSetup, Project, working_folder
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import AnyEntry, Chain, Transcript, Trigger, replace_surrogates
from desktop_app.conversation.unsent import UnsentMessages

from .learned_window import LearnedWindow
from .operation_log import log_entries
from .ports import DELETED, ChatModel, EntryStore, ModelCatalogue, ModelError, WorldError
from .record_rows import changed_ids, message_changes, message_rows, newly_archived
from .recorded_messages import RecordedMessages
from .tasks import shielded
from .turn.request import Request


class Session:
    """The state of one open conversation. Whatever `record` returned from is stored and folded.

    It belongs to the engine's loop; threads get its frozen values (`transcript`, `view`), never the session.
    """

    def __init__(
        self,
        info: ConversationInfo,
        entries: tuple[AnyEntry, ...],
        model: ChatModel,
        policy: ContextPolicy,
        archive: EntryStore,
        setup: ConversationSetup = ConversationSetup(),  # noqa: B008 - frozen
        project: Project = NO_PROJECT,
    ) -> None:
        self.info, self.archive, self.project = info, archive, project
        self._chosen, self.setup = policy, setup
        self.transcript = Transcript(Chain(entries))
        self.view: View = view_of(self.transcript)
        self.recorded = RecordedMessages(entries)
        self.branches = self.recorded.branches
        self.reading = Reading()
        # Held while an operation is measured and recorded, so that a second request for it finds the first one done.
        self.changes = asyncio.Lock()
        self.is_leaving = False  # no turn begins any more: it is being deleted
        # Why nothing is recorded here any more: an import, or another session, may write the record.
        self.closed_by: Failure | None = None
        self._forget_model(model)
        self.use(model)

    def use(self, model: ChatModel) -> None:
        """Use that model from now on: its tokenizer counts, its window is the budget.

        Of one of which the same is known as before, what its replies have taught stays.
        """
        if model.info != self.model.info:
            self._forget_model(model)
        self.model = model
        self.counts = TokenCounts(model.tokenizer, model.info.dialect)
        self._tally: Tally | None = None
        self._calibration: Calibration | None = None
        self._fitted: tuple[ContextPolicy, Budget, ContextPolicy] | None = None
        self.items_read: Chain[Item] | None = None  # what the model was last given to read ahead
        self._sent: Request | None = None

    def _forget_model(self, model: ChatModel) -> None:
        self.model = model
        self.learned_window = LearnedWindow()
        self.accepted_reply = 0  # tokens: the longest reply that its server did not refuse to be asked for, if known

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def folder(self) -> str:
        """The folder in which its tools work; "" for none."""
        return working_folder(self.info.folder, self.project.folder).value

    @property
    def policy_name(self) -> str:
        """The name of its policy; "" for the one in the settings."""
        return self.info.policy or self.project.policy

    @property
    def model_info(self) -> ModelInfo:
        return self.model.info

    @property
    def budget(self) -> Budget:
        """What a request may take under the policy."""
        return self.budget_under(self._chosen)

    def budget_under(self, policy: ContextPolicy) -> Budget:
        """Return what a request might take under that policy."""
        info, limit = self.model.info, self.learned_window.tokens
        is_assumed = info.window_provenance is Provenance.ASSUMED
        most = self.setup.longest_reply(info.max_output)
        window = limit if limit and (is_assumed or not info.window) else min(info.window, limit or info.window)
        return budget_for(policy, window, most, is_assumed and not limit)

    @property
    def is_as_recorded(self) -> bool:
        """Whether another session, made from the record, would be the same: nothing else was learned of the model."""
        return self.learned_window.is_unchanged and self.counts.dialect == self.model.info.dialect

    @property
    def policy(self) -> ContextPolicy:
        """The policy that was chosen, fitted to the model's window."""
        chosen, budget = self._chosen, self.budget
        if self._fitted is None or self._fitted[0] is not chosen or self._fitted[1] != budget:
            self._fitted = (chosen, budget, fit_policy(chosen, budget))
        return self._fitted[2]

    @policy.setter
    def policy(self, chosen: ContextPolicy) -> None:
        self._chosen = chosen

    @property
    def calibration(self) -> Calibration:
        """The ratio of the provider's tokens to those counted here, from what it reported in this record."""
        if self._calibration is None:
            name = self.model.info.record_name
            start, refused = prior(self.counts.tokenizer.name, name), self.learned_window.refused
            start = learn_exactly(start, refused) if refused is not None else start
            self._calibration = calibration_of(self.transcript, self.view, self.counts, name, start)
        return self._calibration

    @property
    def own_budget(self) -> Budget:
        """The budget in tokens as counted here: as much smaller or larger as the gauge's total is larger or smaller."""
        return self.budget.as_counted(self.gauge().total, self.count_request())

    def counted_here(self, tokens: int) -> int:
        """Convert the model's own tokens, such as its budget, to tokens as they are counted here."""
        return round(tokens / self.calibration.factor)

    def provider_tokens(self, tokens: int) -> int:
        """Convert tokens counted here to the provider's."""
        return round(tokens * self.calibration.factor)

    @property
    def total(self) -> int:
        """The messages of the current branch."""
        return len(self.recorded.branch)

    @property
    def counted(self) -> int:
        """The messages of the current branch that the sidebar counts."""
        return self.recorded.counted

    def gauge(self) -> Gauge:
        """Return the figures of the request as it would be sent now."""
        self._tally = tally(self.view, self.counts, self._tally)
        model, calibration = self.model.info, self.calibration
        gauge = gauge_of(self.view, self._tally, self.counts, self.policy, self.budget, model, calibration)
        refused = self.learned_window.refused
        if refused is not None and (refused.counted, refused.messages) == (self.count_request(), len(self.view.items)):
            measured = measured_gauge(gauge, refused.usage.prompt_tokens, self.policy)
            gauge = replace(measured, tokenizer=self.counts.tokenizer.name)
        is_learned = 0 < self.learned_window.tokens < model.window
        return replace(gauge, stated_window=model.window) if is_learned else gauge

    def assemble(self) -> tuple[list[Message], tuple[ToolSpec, ...]]:
        """Return the messages and the tools of the request as the model gets them now."""
        return to_dialect(assemble(self.view), self.view.tools, self.counts.dialect)

    async def ask_for_tools(self, models: ModelCatalogue) -> bool:
        """Ask the model's own server what its template makes of the tools on offer. Return whether the count changed.

        A server is asked once about each set of tools; a turn does not wait for it.
        """
        tools, counts = sent_tools((), self.view.tools, self.counts.dialect), self.counts
        tokens = await models.count_tools(self.model_info.id, tools) if tools else None
        if tokens is None or counts is not self.counts or tokens == counts.tools(tools):
            return False
        counts.learn_tools(tools, tokens)
        self._tally = self._calibration = None
        return True

    def leave_out_metadata(self) -> None:
        """Stop sending the model's provider metadata back to it, since it has refused a request with it."""
        self.counts = TokenCounts(self.model.tokenizer, replace(self.counts.dialect, returns_metadata=False))
        self._tally = self._calibration = None

    def assemble_request(self) -> Request:
        """Return the request as it is sent now, and keep it for comparison with the usage that is reported for it."""
        view, (messages, tools) = self.view, self.assemble()
        as_of = view.path[-1].id if view.path else ""
        gauge, counted = self.gauge(), self.count_request()
        pictures = gauge.tokens_of(unmeasured_pictures(view, self.counts))
        figures = gauge, counted, len(view.items), reported_before(view), pictures
        self._sent = Request(messages, tools, as_of, self.setup.options, *figures)
        return self._sent

    def count_request(self) -> int:
        """Return the tokens of the request as they are counted here."""
        self._tally = tally(self.view, self.counts, self._tally)
        return self._tally.total + closing_tokens(self.view, self.counts)

    def seconds_since_request(self) -> float | None:
        """Return the seconds since the model in use was last asked for a reply; None if it never was.

        Requests to other models, such as a research's, do not count: they leave its provider's cache as it is.
        """
        name = self.model_info.record_name
        newest_first = reversed(self.recorded.by_id.values())
        newest = next((m for m in newest_first if m.role is Role.ASSISTANT and m.model == name), None)
        return None if newest is None else max(time.time() - newest.at, 0.0)

    def learn_from_refusal(self, error: ModelError, refused: Report | None) -> None:
        """Learn from the error of a refused request about the window and the request."""
        self.learned_window.learn(error, refused)
        self._calibration = self._calibration if refused is None else None

    def gauge_changed(self) -> GaugeChanged:
        return GaugeChanged(self.id, self.gauge())

    async def record(self, *entries: AnyEntry, unsent: UnsentMessages | None = None) -> None:
        """Store the entries in one transaction, then fold them. A cancellation does not come between the two.

        unsent: the draft and the queue, if these entries change them.
        """
        await shielded(self._record(entries, unsent=unsent))

    async def _record(
        self,
        entries: tuple[AnyEntry, ...],
        archived: Sequence[str] = (),
        restored: Sequence[str] = (),
        unsent: UnsentMessages | None = None,
    ) -> None:
        self.refuse_if(self.closed_by is not None)
        entries = tuple(map(replace_surrogates, entries))  # what cannot be stored cannot be sent either
        await self.archive.append(self.id, *entries, archived=archived, restored=restored, unsent=unsent)
        self._learn_from(entries)
        self.transcript = self.transcript.extend(entries)
        self.view = view_after(self.view, self.transcript)
        log_entries(self.id, entries, self.transcript)
        self.recorded.add(entries)

    def close(self, reason: Failure = DELETED) -> None:
        """Let nothing begin here any more, and nothing be recorded: callers get that reason."""
        self.is_leaving, self.closed_by = True, reason

    def refuse_if(self, is_gone: bool) -> None:
        """Raise WorldError with the reason why nothing is done here any more."""
        if is_gone:
            raise WorldError(self.closed_by or DELETED)

    def _learn_from(self, entries: tuple[AnyEntry, ...]) -> None:
        """Update the calibration from the usage of the request that was sent; for any other reply, reset it."""
        replies = [e for e in entries if isinstance(e, Message) and is_report(e, self.model.info.record_name)]
        if self._calibration is None or not replies:
            return
        reply, sent = replies[0], self._sent
        before, self._calibration = self._calibration, None
        if sent is not None and reply.usage is not None and reply.as_of == sent.as_of and len(replies) == 1:
            self._calibration = learn(before, Report(sent.counted, sent.items, reply.usage))

    async def record_message(
        self, message: Message, *after: AnyEntry, unsent: UnsentMessages | None = None
    ) -> MessageRecorded:
        """Store a message and entries after it, as `record` does. Return its event."""
        await self.record(message, *after, unsent=unsent)
        return MessageRecorded(self.id, self.rows([message.id])[0])

    async def record_operation(self, *entries: AnyEntry, cause: Trigger | None = None) -> ViewChanged:
        """Store operations, pins or undos. Return the event that tells how the view has changed."""
        return await shielded(self._record_operation(entries, cause))

    async def _record_operation(self, entries: tuple[AnyEntry, ...], cause: Trigger | None) -> ViewChanged:
        before, known = self.view, {row.id: row for row in self.operations()}
        expected = view_of(with_entries(self.transcript, *entries))
        await self._record(entries, *newly_archived(before, expected))
        changed = changed_ids(before, self.view)
        for kept in (self.counts, self.reading):
            kept.keep_only(self.view.messages)
        operations = tuple(row for row in self.operations() if known.get(row.id) != row)
        changes = message_changes((message.id for _, message in self.recorded.numbered(changed)), self.view)
        return ViewChanged(self.id, operations, changes, cause, self.pins(), self.totals(), self.other_versions())

    def operations(self) -> tuple[OperationRow, ...]:
        return self.recorded.operations(self.transcript.entries)

    def totals(self) -> Totals:
        return self.recorded.totals.totals

    def pins(self) -> tuple[MessageRow, ...]:
        """Return the pinned messages of the view in their order."""
        pins = self.view.pins
        return self.rows({item.message.id for item in self.view.items if item.message.id in pins} if pins else ())

    def other_versions(self) -> tuple[str, ...]:
        """Return the ids of the messages that follow the newest one in other branches."""
        return self.branches.followers(self.branches.newest)

    def message(self, message_id: str) -> Message | None:
        return self.recorded.by_id.get(message_id)

    def rows(self, ids: Iterable[str]) -> tuple[MessageRow, ...]:
        """Return the messages with those ids in their order; unknown ids are ignored."""
        return self._rows(self.recorded.numbered(ids))

    def page(self, before: int, limit: int, around: str = "") -> tuple[MessageRow, ...]:
        """Return a page of the current branch: see `RecordedMessages`."""
        return self._rows(self.recorded.page(before, limit, around))

    def _rows(self, messages: Sequence[tuple[int, Message]]) -> tuple[MessageRow, ...]:
        return message_rows(messages, self.view, self.counts.total, self.branches.versions)
