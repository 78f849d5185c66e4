"""How many of a provider's tokens one token counted here is, learned from what it reports (C5).

prior(tokenizer, model)         -> Calibration     what is known of the family before anything was reported
learned(calibration, ...)       -> Calibration     after one more report
calibration_of(transcript, ...) -> Calibration     what a record teaches: a fold of its newest reports, so that nothing
                                                   has to be stored for it
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import msgspec

from desktop_app.conversation.chain import Chain
from desktop_app.conversation.message import Message, Usage
from desktop_app.conversation.transcript import GROWING, Transcript

from .breakdown import base_tokens, is_measured, is_plausible, item_tokens
from .counting import Counts
from .policy import ContextPolicy
from .view import View, view_of

PRIORS = (("o200k", "claude", 1.25),)
"""Tokenizer, family, factor. Claude reported 1.22 and 1.28 times o200k's count in two published coding sessions.

A tokenizer with another name, such as "o200k (estimate for claude)", was fitted to its family: nothing is added to it.
"""
REQUEST_LEAST = 1_000
"""Tokens: of a shorter request, a server's own template is too large a part to learn from."""
REPORTS_MOST = 24
"""Of a record, so many of the newest are folded: what came before weighs less than 0.8 ** 24, half a percent."""
FOLDS_MOST = 4
"""Between two operations the view only grows; so many of these stretches are folded again at the most."""


class Calibration(msgspec.Struct, frozen=True):
    """factor: the provider's tokens for one counted here. samples: how many reports it was learned from."""

    factor: float = 1.0
    samples: int = 0


class Report(msgspec.Struct, frozen=True):
    """One request: the tokens counted here, and those that the provider reported."""

    counted: int
    usage: Usage


def prior(tokenizer: str, model: str) -> Calibration:
    """What to start from: a tokenizer that is another family's has the known factor, all others are taken at their
    word. Both are names."""
    known = (factor for own, family, factor in PRIORS if tokenizer == own and family in model.lower())
    return Calibration(next(known, 1.0))


def learned(calibration: Calibration, report: Report, policy: ContextPolicy) -> Calibration:
    """After that report: a moving average whose prior counts as one sample, so that the first reports weigh more.

    Short requests, and reports that cannot be of the request, teach nothing.
    """
    counted, reported = report.counted, report.usage.prompt_tokens
    if counted < REQUEST_LEAST or not is_plausible(Usage(reported, 0), counted):
        return calibration
    weight = max(policy.calibration_weight, 1 / (calibration.samples + 2))
    wanted = (reported / counted - calibration.factor) * weight
    step = min(max(wanted, -policy.calibration_step), policy.calibration_step)
    factor = min(max(calibration.factor + step, policy.calibration_least), policy.calibration_most)
    return Calibration(factor, calibration.samples + 1)


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
    for item in view.items:
        if item.message.usage is not None and item.message.id in told:
            found.append(Report(before, item.message.usage))
        before += item_tokens(item, counts).total
    return reversed(found)
