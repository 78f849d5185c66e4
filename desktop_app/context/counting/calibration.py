"""Calibrate token counts by what providers report (C5), and detect silent truncation (S5).

Three things may differ. The provider's tokens have another size: the factor. It frames a message with more or fewer
tokens than are counted for it. And it adds something to each request, such as its own template, or counts the schemas
of tools differently. A factor alone holds only while requests have the same composition: a compaction leaves few
messages where there were many, and made it wrong by up to 6 %.

Some servers drop the beginning of a request that is longer than their window and answer the rest, without the system
prompt and the user's rules. No error says so; their own token count does.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import msgspec
from msgspec.structs import replace

from desktop_app.context.view.view import View
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.transcript import GROWING, AnyEntry, Recalled, Undo

from .tokens import TokenCounts

REPORT_WEIGHT = 0.20
"""Of the newest report in what is learned of a model's counts (C5)."""
MAX_STEP = 0.15
"""By which one report can move the factor."""
MIN_FACTOR = 0.5
MAX_FACTOR = 2.0
"""Bounds of the factor: no tokenizer that is used is further from ours."""

PRIORS = (("o200k", "claude", 1.25),)
"""Tokenizer, family, factor. Claude reported 1.22 and 1.28 times o200k's count in two published coding sessions.

A tokenizer with another name, such as "o200k (estimate for claude)", was fitted to its family: nothing is added to it.
"""
MIN_REQUEST = 1_000
"""Tokens: of a shorter request, a server's own template is too large a part to learn all of the factor from."""
MAX_TEMPLATE = 300
"""Tokens that a server's own template may add to a request, such as a default system prompt."""
SPREADS = (0.25, 4.0, MAX_TEMPLATE / 2)
"""By how much the three are expected to differ from what they start from: the factor by as much as Claude's tokens from
o200k's; the tokens around a message by what is counted there (C3); those that are added by half of what is the most."""
NOISE = 0.01
"""Of a report: what nobody knows of it, since a factor is not the same for prose and for code."""
MIN_NOISE = 5
"""Tokens: that of a short report."""
FADING = 0.97
"""What a report weighs when the next one has come. It takes those from before a compaction and from behind it to tell
the three apart."""
OTHERWISE = 0.10
"""Of a report: an estimate that is further off is of a provider that counts otherwise than it did. The most that the
make of a request puts one out is six in a hundred."""


class Report(msgspec.Struct, frozen=True):
    """One request: its tokens as they are counted here, its messages, and what the provider reported."""

    counted: int
    messages: int
    usage: Usage


class Calibration(msgspec.Struct, frozen=True):
    """What is known of how a provider counts."""

    factor: float = 1.0
    """The provider's tokens for one counted here."""
    samples: int = 0
    """How many reports it was learned from."""
    frame: float = 0.0
    """The provider's tokens around each message, besides those that are counted."""
    added: float = 0.0
    """The provider's tokens in each request, besides."""
    start: float = 1.0
    """The factor before anything was reported."""
    sums: tuple[float, ...] = (0.0,) * 9
    """Fading sums over the reports: products of counted, messages and 1 with each other and with what was reported,
    each over the report's noise squared."""

    def of_part(self, counted: float, messages: int) -> int:
        """Return the provider's tokens for a part of a request."""
        return round(self.factor * counted + self.frame * messages)

    def of_request(self, counted: int, messages: int) -> int:
        """Return the provider's tokens for a whole request, within the bounds of C5 whatever was learned."""
        least = min(MIN_FACTOR * counted, max(counted - MAX_TEMPLATE, 0))
        most = max(MAX_FACTOR * counted, counted + MAX_TEMPLATE)
        return round(min(max(self.factor * counted + self.frame * messages + self.added, least), most))


AS_COUNTED = Calibration()


def prior(tokenizer: str, model: str) -> Calibration:
    """Return the calibration before any report: the known factor where the tokenizer is another family's."""
    known = (factor for own, family, factor in PRIORS if tokenizer == own and family in model.lower())
    factor = next(known, 1.0)
    return Calibration(factor, start=factor)


def is_plausible(usage: Usage, counted: int) -> bool:
    """Return whether a report can be of the request that was counted: a server that cut it reports far less.

    Twice and half are the bounds of the calibration (C5); short requests may differ by their template.
    """
    reported = usage.prompt_tokens + usage.reply_tokens
    return abs(reported - counted) <= MAX_TEMPLATE or counted / 2 <= reported <= counted * 2


def learn(calibration: Calibration, report: Report) -> Calibration:
    """Return the calibration after that report.

    Frame and added tokens fit the reports so far; the factor is a moving average of the rest, whose prior counts as one
    sample, so that the first reports weigh more. The shorter a request, the less it teaches of the factor: it is
    mostly what is around the texts. Reports that cannot be of the request teach nothing.
    """
    counted, reported = report.counted, report.usage.prompt_tokens
    is_short = counted < MIN_REQUEST
    if not counted or not reported or not is_plausible(Usage(reported, 0), counted):
        return calibration
    expected = calibration.of_request(counted, report.messages)
    is_as_before = is_short or abs(expected - reported) <= OTHERWISE * reported
    sums = _with_report(calibration.sums if is_as_before else AS_COUNTED.sums, report)
    frame, added = _around(sums, calibration.start)
    rest = reported - frame * report.messages - added
    weight = max(REPORT_WEIGHT, 1 / (calibration.samples + 2)) * min(counted / MIN_REQUEST, 1.0)
    wanted = (rest / counted - calibration.factor) * weight
    step = min(max(wanted, -MAX_STEP), MAX_STEP)
    factor = min(max(calibration.factor + step, MIN_FACTOR), MAX_FACTOR)
    samples = calibration.samples + (not is_short)
    return Calibration(factor, samples, frame, added, calibration.start, sums)


def learn_exactly(calibration: Calibration, report: Report) -> Calibration:
    """Return the calibration by which that request takes what was reported of it: by an error that refused it, which
    no later report corrects. What cannot be of the request teaches nothing, and neither does a short one."""
    counted, reported = report.counted, report.usage.prompt_tokens
    if counted < MIN_REQUEST or not is_plausible(Usage(reported, 0), counted):
        return calibration
    factor = (reported - calibration.frame * report.messages - calibration.added) / counted
    factor = min(max(factor, MIN_FACTOR), MAX_FACTOR)
    return replace(calibration, factor=factor, samples=calibration.samples + 1)


def _with_report(sums: Sequence[float], report: Report) -> tuple[float, ...]:
    known = (report.counted, report.messages, 1)
    reported = report.usage.prompt_tokens
    products = [one * other for one, other in combinations_with_replacement(known, 2)]
    products += [one * reported for one in known]
    weight = max(NOISE * reported, MIN_NOISE) ** -2
    return tuple(FADING * before + weight * new for before, new in zip(sums, products, strict=True))


def _around(sums: Sequence[float], start: float) -> tuple[float, float]:
    """Return the tokens around each message and in each request that explain the reports best, small ones preferred.

    Linear regression with a normal prior: three equations, solved by elimination.
    """
    cc, cm, c, mm, m, n, cr, mr, r = sums
    of_factor, of_frame, of_added = (spread**-2 for spread in SPREADS)
    cc, mm, n, cr = cc + of_factor, mm + of_frame, n + of_added, cr + of_factor * start
    mm, m, mr = mm - cm * cm / cc, m - cm * c / cc, mr - cm * cr / cc
    n, r = n - c * c / cc, r - c * cr / cc
    added = (r - m * mr / mm) / (n - m * m / mm)
    return (mr - m * added) / mm, added


LEFT_OF_MEASURED = 0.8
"""Of what was reported before: such figures are at most 3 % off (docs/measurements.md)."""
LEFT_OF_ESTIMATED = 0.5
"""Of what nobody has measured, such as a page of digits that came since: the bound of the calibration (C5), since a
tokenizer may be unknown."""
MIN_GROWTH = 500
"""Tokens by which a request must have grown before it is asked whether the report grew with it."""
GROWTH_REPORTED = 0.25
"""Of what was counted: who reports less has reached an end. Half would be an unknown tokenizer's."""
MIN_REPORT = 1_000
"""Tokens. A smaller report is of a part: some servers leave out what they had in their cache, so that only the newest
message is counted. A window is 2,048 tokens at least, and who cuts keeps half of it or more."""


def is_measured(message: Message) -> bool:
    """Return whether that is a whole reply whose request the provider counted."""
    return message.role is Role.ASSISTANT and message.usage is not None and not message.is_interrupted


def last_measured(view: View) -> int | None:
    """Return the index of the newest measured reply; None if an operation came after its request was assembled, and
    holds, or one that held then was undone."""
    undone: set[str] = set()  # operations further back
    for index in range(len(view.path) - 1, -1, -1):
        entry = view.path[index]
        if entry.id in undone:
            undone.remove(entry.id)
        elif isinstance(entry, Undo):
            undone.add(entry.entry_id)
        elif not isinstance(entry, GROWING):
            return None
        elif isinstance(entry, Message) and is_measured(entry):
            is_of_view = not undone and assembled_from(view.path, index) is not None
            return _index_of(entry, view) if is_of_view else None
    return None


def _index_of(entry: Message, view: View) -> int | None:
    """Return where that message is in the view, which may send it in another form than the record's."""
    for index in range(len(view.items) - 1, -1, -1):
        message = view.items[index].message
        if message is entry or (entry.id and message.id == entry.id):
            return index
    return None


def assembled_from(entries: Sequence[AnyEntry], index: int) -> int | None:
    """Return the index of the newest entry that the request of the reply at `index` was assembled from.

    None if anything was recorded in between that the view shows. An older record does not say what a request was
    assembled from: then it is the message before the reply, if nothing but growth lies between.
    """
    reply = entries[index]
    as_of = reply.as_of if isinstance(reply, Message) else ""
    for before in range(index - 1, -1, -1):
        entry = entries[before]
        if as_of and entry.id == as_of:
            return before
        if isinstance(entry, Message):
            return None if as_of else before
        if not isinstance(entry, GROWING) or isinstance(entry, Recalled):
            return None
    return None


def reported_before(view: View) -> int:
    """Return the tokens reported of the request that this view grew from.

    0: there is none, or images came since, which each server counts in its own way.
    """
    anchor = last_measured(view)
    if anchor is None or (usage := view.items[anchor].message.usage) is None:
        return 0
    return 0 if any(item.message.has_image for item in view.items[anchor + 1 :]) else usage.prompt_tokens


def unmeasured_pictures(view: View, counts: TokenCounts) -> int:
    """Return the tokens, as counted here, of the pictures that no report of a request is of: each server counts them in
    its own way, so that they say nothing of what it has read."""
    anchor = last_measured(view)
    return sum(counts.pictures(item.message) for item in view.items[0 if anchor is None else anchor + 1 :])


def is_silently_cut(sent: int, basis: Provenance, usage: Usage, before: int = 0) -> bool:
    """Return whether the server has read only a part.

    sent: tokens of the request as the gauge had them, of that provenance, without `unmeasured_pictures`. before: see
    `reported_before`. Near its window a server cuts a little of each request: then a report that stays where it was is
    the only sign.
    """
    reported = usage.prompt_tokens
    if reported < MIN_REPORT:
        return False
    if basis is not Provenance.MEASURED:
        return reported < LEFT_OF_ESTIMATED * sent
    growth = sent - before if before else 0
    has_stopped = growth >= MIN_GROWTH and reported - before < GROWTH_REPORTED * growth
    grown = max(growth, 0)
    return has_stopped or reported < LEFT_OF_MEASURED * (sent - grown) + LEFT_OF_ESTIMATED * grown
