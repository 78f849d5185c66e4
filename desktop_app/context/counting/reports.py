"""Learn a provider's calibration from a record by folding its newest reports, so that nothing has to be stored."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from desktop_app.context.view.view import View, view_of
from desktop_app.conversation.message import Message, Usage
from desktop_app.conversation.transcript import GROWING, AnyEntry, Chain, Transcript

from .breakdown import base_tokens, item_tokens, view_level_tokens
from .calibration import Calibration, Report, assembled_from, is_measured, learn
from .tokens import TokenCounts

MAX_REPORTS = 96
"""Newest reports of a record that are folded: earlier ones weigh less than 0.97 ** 96, a twentieth."""
MAX_FOLDS = 4
"""Maximum number of folds of earlier views: between two operations the view only grows, and needs no other fold."""


def calibration_of(
    transcript: Transcript, view: View, counts: TokenCounts, model: str, start: Calibration
) -> Calibration:
    """Return the calibration learned from the newest replies of the model, beginning with `start`.

    view: of the transcript, so that it is not folded again. model: its name in the record.
    """
    newest = list(islice(_reports(transcript, view, counts, model), MAX_REPORTS))
    for report in reversed(newest):
        start = learn(start, report)
    return start


def _reports(transcript: Transcript, view: View, counts: TokenCounts, model: str) -> Iterator[Report]:
    """Yield the reports on the model's requests, newest first.

    Each refers to the view from which its request was assembled, even if an operation was recorded before the reply.
    """
    entries = list(transcript.entries)
    operations = [index for index, entry in enumerate(entries) if not isinstance(entry, GROWING)]
    stretches = groupby(_sent_newest_first(entries, model), lambda sent: bisect_right(operations, sent[0]))
    for number, sent in islice(stretches, MAX_FOLDS):
        end = operations[number] if number < len(operations) else len(entries)
        sent_view = view if end == len(entries) else view_of(Transcript(Chain(entries[:end])))
        yield from _reports_in(sent_view, entries, sent, counts)


def _sent_newest_first(entries: Sequence[AnyEntry], model: str) -> Iterator[tuple[int, Usage]]:
    """Yield the index of the newest entry in each request, and its reported usage."""
    indices = {entry.id: index for index, entry in enumerate(entries) if entry.id}
    for index in range(len(entries) - 1, -1, -1):
        entry = entries[index]
        if not isinstance(entry, Message) or not is_report(entry, model) or entry.usage is None:
            continue
        as_of = indices.get(entry.as_of) if entry.as_of else assembled_from(entries, index)
        if as_of is not None and as_of < index:
            yield as_of, entry.usage


def is_report(message: Message, model: str) -> bool:
    """Return whether the message is a complete reply of the model with a counted request.

    A continuation does not count, since the record does not contain its prompt.
    """
    return is_measured(message) and message.model == model and not message.continues


def _reports_in(
    view: View, entries: Sequence[AnyEntry], sent: Iterable[tuple[int, Usage]], counts: TokenCounts
) -> Iterator[Report]:
    """Yield the reports on requests from which the view grew. sent: as yielded by `_sent_newest_first`."""
    before = [base_tokens(view, counts)]
    positions = dict[str, int]()
    for index, item in enumerate(view.items):
        positions[item.message.id] = index
        before.append(before[-1] + item_tokens(item, counts).total)
    for as_of, usage in sent:
        preceding = (entries[index] for index in range(as_of, -1, -1))  # a slice would copy the record
        newest = next((positions[e.id] for e in preceding if isinstance(e, Message) and e.id in positions), None)
        if newest is not None:
            besides = sum(view_level_tokens(view, counts, newest + 1).values())
            yield Report(before[newest + 1] + besides, newest + 1, usage)
