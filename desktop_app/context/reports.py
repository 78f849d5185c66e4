"""What a record teaches of how a provider counts: a fold of its newest reports, so that nothing has to be stored.

calibration_of(transcript, ...) -> Calibration
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from desktop_app.conversation.chain import Chain
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import GROWING, Transcript

from .breakdown import base_tokens, is_measured, item_tokens
from .calibration import Calibration, Report, learned
from .counting import Counts
from .policy import ContextPolicy
from .view import View, view_of

REPORTS_MOST = 96
"""Of a record, so many of the newest are folded: what came before weighs less than 0.97 ** 96, a twentieth."""
FOLDS_MOST = 4
"""Between two operations the view only grows; so many of these stretches are folded again at the most."""


def calibration_of(
    transcript: Transcript, view: View, counts: Counts, model: str, policy: ContextPolicy, start: Calibration
) -> Calibration:
    """What the newest replies of that model teach, from `start` on. view: of that transcript, so that it is not folded
    again. model: as the record names it."""
    newest = list(islice(_reports(transcript, view, counts, model), REPORTS_MOST))
    for report in reversed(newest):
        start = learned(start, report, policy)
    return start


def _reports(transcript: Transcript, view: View, counts: Counts, model: str) -> Iterator[Report]:
    """The reports on that model's requests, newest first. Each is of the view as it was when it was sent."""
    entries, end = list(transcript.entries), len(transcript.entries)
    folds = 0
    while end > 0 and folds < FOLDS_MOST:
        start = next((i + 1 for i in range(end - 1, -1, -1) if not isinstance(entries[i], GROWING)), 0)
        told = {e.id for e in entries[start:end] if isinstance(e, Message) and is_report(e, model)}
        if told:
            is_newest = end == len(entries)
            shown = view if is_newest else view_of(Transcript(Chain(entries[:end])))
            yield from _reports_in(shown, told, counts)
            folds += 1
        end = start - 1


def is_report(message: Message, model: str) -> bool:
    """Whether that is a whole reply of that model, whose request it counted. The end of one that was stopped is none:
    it was asked for in words that the record does not have (`go_on_line`), so that they could not be counted again."""
    return is_measured(message) and message.model == model and not message.continues


def _reports_in(view: View, told: set[str], counts: Counts) -> Iterator[Report]:
    """The reports of those messages in that view, newest first: each is of what stands before it."""
    before, found = base_tokens(view, counts), list[Report]()
    for place, item in enumerate(view.items):
        if item.message.usage is not None and item.message.id in told:
            found.append(Report(before, place, item.message.usage))
        before += item_tokens(item, counts).total
    return reversed(found)
