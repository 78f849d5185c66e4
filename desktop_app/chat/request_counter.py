"""Count a session's requests for one model: the budget and the gauge, calibrated by the usage that is reported."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from weakref import WeakValueDictionary

import msgspec
from msgspec.structs import replace

from desktop_app.context.compact.room_decision import is_due
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
from desktop_app.context.counting.prefix_cache import CachedPrefix, cached_prefix
from desktop_app.context.counting.reports import calibration_of, is_report
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.fitting import fit_policy
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.context.policy import NO_LIMIT, Budget, ContextPolicy, budget_for
from desktop_app.context.view.dialect import sent_tools, to_dialect
from desktop_app.context.view.unsent_pictures import key_of
from desktop_app.context.view.view import View, assemble, view_of
from desktop_app.conversation.gauge import Gauge, Provenance
from desktop_app.conversation.listing import Dialect
from desktop_app.conversation.message import Attachment, Message, Role, Usage
from desktop_app.conversation.quirks import Learned
from desktop_app.conversation.setup import ConversationSetup, ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import AnyEntry, Transcript, Trigger

from .ports import ChatModel, ModelCatalogue, ModelError

MIN_LIMIT = 512
"""Tokens. A smaller number in a provider's error is taken not to be the window."""

MAX_TIMES = 8
"""A reported count that differs from ours by more than this factor is taken to be about something else."""


_NEWEST: WeakValueDictionary[str, Reading] = WeakValueDictionary()
"""The conversation, by its cached facts, that has sent the newest request to each model."""


class Request(msgspec.Struct, frozen=True):
    """A snapshot of a request: its messages and tools as the model gets them, and their figures at that time.

    Entries may be recorded during the request, and must not change what its usage is compared with.
    """

    messages: list[Message]
    tools: tuple[ToolSpec, ...]
    as_of: str
    """The id of the newest entry that the request was assembled from."""
    options: ReplyOptions
    """Parameters; the provider gets those that it supports."""
    gauge: Gauge
    """The figures as the window showed them."""
    counted: int
    """Tokens of the request, as counted here."""
    items: int
    """The number of items of the view in the request."""
    reported_before: int
    """Reported tokens of the request that this one extends: see `calibration.reported_before`."""
    pictures: int = 0
    """Tokens, as the gauge counts them, of images that were never measured."""

    @property
    def has_metadata(self) -> bool:
        """Whether the request returns provider metadata to the model."""
        return any(call.provider_metadata for message in self.messages for call in message.tool_calls)


def refused_report(error: ModelError, sent: Request) -> Report | None:
    """Return the prompt's size as the error of a refused request reports it; None if it reports nothing plausible."""
    if not error.is_overflow or error.limit < MIN_LIMIT or error.observed <= error.limit:
        return None  # a refused request is longer than the limit, or one of the numbers is about something else
    prompt = error.observed - error.reply
    can_be = sent.counted <= MAX_TIMES * prompt and prompt <= MAX_TIMES * sent.counted
    return Report(sent.counted, sent.items, Usage(prompt, 0)) if can_be else None


NOTHING = Learned()


class LearnedLimits:
    """The limits of a model that were learned from the server's errors, and what one conversation suspects.

    window: the one that a refusal has named, in any conversation; 0 if none has.
    """

    def __init__(self, window: int = 0) -> None:
        self.window = window
        """Tokens of the window; 0 if nothing was learned."""
        self.refused: Report | None = None
        """The newest refused request whose length the provider reported."""
        self.accepted_reply = 0
        """The largest reply limit, in tokens, that the server accepted; 0 if it never refused one."""
        self.is_named = bool(window)
        """Whether a refusal named the window. What does not fit is then sent all the same: the number may have been
        about something else, or no longer be true, and the server refuses what is too long."""
        self._is_stated_trusted = False

    @property
    def has_trusted(self) -> bool:
        """Whether the user has confirmed the stated window."""
        return self._is_stated_trusted

    @property
    def window_for_all(self) -> int | None:
        """The window that other conversations should assume, 0 for the stated one; None for a mere suspicion."""
        return self.window if self.is_named or not self.window else None

    def adopt(self, window: int) -> None:
        """Use the window that another conversation has learned; 0 if it was forgotten."""
        self.window, self.is_named, self.refused = window, bool(window), None

    def learn(self, error: ModelError, refused: Report | None = None) -> None:
        """Adopt the window that the error of a refused request names, and remember the report of the request."""
        if error.is_overflow and error.limit >= MIN_LIMIT:
            self.window, self.is_named = error.limit, True
            self.refused = refused or self.refused

    def note_accepted(self, tokens: int) -> None:
        """Forget the learned window if the server has accepted a longer request than it holds."""
        if 0 < self.window < tokens:
            self.window, self.refused, self.is_named = 0, None, False

    def suspect(self, tokens: int) -> bool:
        """Assume a window of that many tokens. Return False, and do nothing, if the user trusts the stated one."""
        if self._is_stated_trusted or tokens < MIN_LIMIT:
            return False
        self.window, self.is_named = tokens, False
        return True

    def trust_stated(self) -> None:
        """Forget the learned window on the user's request, and ignore suspicions from now on."""
        self.window, self.refused, self.is_named, self._is_stated_trusted = 0, None, False, True


class RequestCounter:
    """Counts requests with a model's tokenizer, and calibrates the counts by the usage that its provider reports.

    It counts the current view of a record, which `follow` updates. Each model has its own counter.
    """

    def __init__(
        self,
        model: ChatModel,
        policy: ContextPolicy,
        setup: ConversationSetup,
        transcript: Transcript,
        view: View,
        reading: Reading,
    ) -> None:
        self.model, self.chosen_policy, self.setup = model, policy, setup
        self.transcript, self.view, self.reading = transcript, view, reading
        self.counts = TokenCounts(model.tokenizer, model.info.dialect)
        self.learned = LearnedLimits(model.info.learned.window)
        self._tally: Tally | None = None
        self._calibration: Calibration | None = None
        self._fitted: tuple[ContextPolicy, Budget, ContextPolicy] | None = None
        self._sent: Request | None = None

    def for_model(self, model: ChatModel, transcript: Transcript | None = None) -> RequestCounter:
        """Return a counter for that model, for the same record or another transcript.

        The learned limits are shared if the infos of both models differ only in what was learned.
        """
        transcript = transcript or self.transcript
        view = self.view if transcript is self.transcript else view_of(transcript)
        counter = RequestCounter(model, self.chosen_policy, self.setup, transcript, view, self.reading)
        before, now = self.model.info, model.info
        if replace(now, quirks=(), learned=NOTHING) == replace(before, quirks=(), learned=NOTHING):
            counter.learned = self.learned
            if now.learned.window not in (before.learned.window, self.learned.window):
                self.learned.adopt(now.learned.window)
            if self.counts.dialect.left_out:
                counter._use_dialect(replace(counter.counts.dialect, left_out=self.counts.dialect.left_out))
        return counter

    def follow(self, entries: Sequence[AnyEntry], transcript: Transcript, view: View) -> None:
        """Count the record with the new entries from now on, and learn from the usage that they report.

        A reply to a request other than the last one resets the calibration, which is then learned from the record.
        """
        self.transcript, self.view = transcript, view
        replies = [e for e in entries if isinstance(e, Message) and is_report(e, self.model.info.record_name)]
        self.learned.note_accepted(max((e.usage.prompt_tokens for e in replies if e.usage), default=0))
        if self._calibration is None or not replies:
            return
        reply, sent = replies[0], self._sent
        before, self._calibration = self._calibration, None
        if sent is not None and reply.usage is not None and reply.as_of == sent.as_of and len(replies) == 1:
            self._calibration = learn(before, Report(sent.counted, sent.items, reply.usage))

    @property
    def budget(self) -> Budget:
        """The budget of a request under the chosen policy."""
        return self.budget_under(self.chosen_policy)

    def budget_under(self, policy: ContextPolicy) -> Budget:
        """Return the budget of a request under that policy."""
        info, limit = self.model.info, self.learned.window
        is_assumed = info.window_provenance is Provenance.ASSUMED
        window = limit if limit and (is_assumed or not info.window) else min(info.window, limit or info.window)
        longest = self.setup.longest_reply(info.max_output)
        return budget_for(policy, window, longest, is_assumed and not limit, info.max_window)

    def window_of_reply(self, total: int) -> int:
        """Return the window of the reply to a request of that size; 0 if it is unknown.

        It is the stated one if the request does not fit into the one that a refusal has named, but is sent.
        """
        is_doubted = self.learned.is_named and total > self.budget.limit
        return (is_doubted and self.model.info.window) or self.budget.whole_window

    @property
    def policy(self) -> ContextPolicy:
        """The chosen policy, adapted to the model's window and to its provider's cache."""
        chosen, budget = self.chosen_policy, self.budget
        if self._fitted is None or self._fitted[0] is not chosen or self._fitted[1] != budget:
            life = self.model.info.cache_seconds
            fitted = fit_policy(chosen, budget)
            seconds = fitted.cache_seconds if life is None else min(life, fitted.cache_seconds)
            self._fitted = (chosen, budget, replace(fitted, cache_seconds=seconds))
        return self._fitted[2]

    @property
    def is_as_recorded(self) -> bool:
        """Whether a new counter would be the same: nothing was learned about the model that is not in the record."""
        is_known = self.learned.window == self.model.info.learned.window and not self.learned.has_trusted
        return is_known and self.counts.dialect == self.model.info.dialect

    @property
    def calibration(self) -> Calibration:
        """The calibration from counted tokens to the provider's, learned from the usage reported in this record."""
        if self._calibration is None:
            name, refused = self.model.info.record_name, self.learned.refused
            start = prior(self.counts.tokenizer.name, name)
            start = learn_exactly(start, refused) if refused is not None else start
            self._calibration = calibration_of(self.transcript, self.view, self.counts, name, start)
        return self._calibration

    @property
    def own_budget(self) -> Budget:
        """The budget in tokens as counted here: scaled by the ratio of the count to the gauge's total."""
        return self.budget.as_counted(self.gauge().total, self.count())

    def counted_here(self, tokens: int) -> int:
        """Convert the model's tokens, such as a budget, to tokens as counted here."""
        return round(tokens / self.calibration.factor)

    def provider_tokens(self, tokens: int) -> int:
        """Convert tokens as counted here to the provider's tokens."""
        return round(tokens * self.calibration.factor)

    def count(self) -> int:
        """Return the tokens of the request, as counted here."""
        self._tally = tally(self.view, self.counts, self._tally)
        return self._tally.total + closing_tokens(self.view, self.counts)

    def gauge(self) -> Gauge:
        """Return the figures of the request that would be sent now."""
        self._tally = tally(self.view, self.counts, self._tally)
        gauge = self.gauge_of(self.view, is_planned=False, sums=self._tally)
        refused, window = self.learned.refused, self.model.info.window
        if refused is not None and (refused.counted, refused.messages) == (self.count(), len(self.view.items)):
            measured = measured_gauge(gauge, refused.usage.prompt_tokens)
            gauge = replace(measured, tokenizer=self.counts.tokenizer.name)
        gauge = replace(gauge, stated_window=window) if 0 < self.learned.window < window else gauge
        return self._with_cache(gauge)

    def _with_cache(self, gauge: Gauge) -> Gauge:
        """Return the gauge with the part of the request that the provider has cached."""
        if (prefix := self.cached_prefix()) is None:
            return gauge
        until = 0.0 if prefix.seconds_left is None else round(time.time() + prefix.seconds_left)
        return replace(gauge, cached=min(prefix.tokens, gauge.total), cached_until=until)

    def gauge_of(self, view: View, is_planned: bool = True, sums: Tally | None = None) -> Gauge:
        """Return the figures of the request for another view.

        is_planned: whether the view is a plan, so that no reported usage applies to it. sums: its tally, if known.
        """
        model = replace(self.model.info, id="nobody/nothing") if is_planned else self.model.info
        sums, calibration = sums or tally(view, self.counts), self.calibration
        return gauge_of(view, sums, self.counts, self.policy, self.budget, model, calibration)

    def is_room_due(self, trigger: Trigger) -> bool:
        """Return whether the request has reached the share of the window at which room is made."""
        return is_due(self.view, self.gauge().total, self.policy, self.budget, trigger)

    def assemble(self) -> tuple[list[Message], tuple[ToolSpec, ...]]:
        """Return the messages and the tools of the request that would be sent now."""
        return to_dialect(assemble(self.view), self.view.tools, self.counts.dialect)

    def request(self) -> Request:
        """Return the request to be sent now, and keep it for comparison with the usage that is reported for it."""
        view, (messages, tools) = self.view, self.assemble()
        as_of = view.path[-1].id if view.path else ""
        gauge, counted = self.gauge(), self.count()
        is_measured = gauge.provenance is Provenance.MEASURED
        pictures = gauge.tokens_of(unmeasured_pictures(view, self.counts, is_measured))
        figures = gauge, counted, len(view.items), reported_before(view), pictures
        _NEWEST[self.model.info.id] = self.reading
        self._sent = Request(messages, tools, as_of, self.setup.options, *figures)
        return self._sent

    def seconds_since_request(self) -> float | None:
        """Return the seconds since the model was last asked for a reply; None if it never was.

        Replies of other models, such as a research's, do not count: they do not refresh the cache of its provider.
        """
        name, newest_first = self.model.info.record_name, reversed(self.transcript.entries)
        replies = (e for e in newest_first if isinstance(e, Message) and e.role is Role.ASSISTANT and e.model == name)
        newest = next(replies, None)
        return None if newest is None else max(time.time() - newest.at, 0.0)

    def cached_prefix(self) -> CachedPrefix | None:
        """Return the beginning of the next request that the provider has cached; None if its cache is cold."""
        life = self.policy.cache_seconds
        if life >= NO_LIMIT and _NEWEST.get(self.model.info.id, self.reading) is not self.reading:
            return None  # another conversation has taken its place on the server
        end = None if life >= NO_LIMIT else life
        return cached_prefix(self.view.path, self.model.info.record_name, end, time.time())

    async def ask_for_tools(self, models: ModelCatalogue) -> bool:
        """Let the model's own server count the tools with its template. Return whether the count has changed.

        The server is asked once about each set of tools; turns do not wait for it.
        """
        tools, counts = sent_tools((), self.view.tools, self.counts.dialect), self.counts
        tokens = await models.count_tools(self.model.info.id, tools) if tools else None
        if tokens is None or counts is not self.counts or tokens == counts.tools(tools):
            return False
        counts.learn_tools(tools, tokens)
        self._tally = self._calibration = None
        return True

    def leave_out_metadata(self) -> None:
        """Stop returning provider metadata to the model, which has refused a request because of it."""
        self._use_dialect(replace(self.counts.dialect, returns_metadata=False))

    def leave_out_pictures(self, pictures: Iterable[Attachment], instead_of: Iterable[Attachment] = ()) -> None:
        """Send a line in the place of these pictures, because of which the server has refused a request.

        instead_of: pictures that were left out, and are sent again.
        """
        left_out = self.counts.dialect.left_out.difference(map(key_of, instead_of)).union(map(key_of, pictures))
        self._use_dialect(replace(self.counts.dialect, left_out=left_out))

    def _use_dialect(self, dialect: Dialect) -> None:
        self.counts = TokenCounts(self.model.tokenizer, dialect)
        self._tally = self._calibration = None

    def learn_from_refusal(self, error: ModelError, refused: Report | None) -> None:
        """Learn the window and the request's size from the error of a refused request."""
        self.learned.learn(error, refused)
        self._calibration = self._calibration if refused is None else None
