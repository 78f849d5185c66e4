"""Calibrate token counts by providers' reports (C5), and detect silent truncation (S5).

A provider's count may differ in three ways. Its tokens have another size: the factor. It frames messages with more or
fewer tokens than we count for them. And it adds tokens to each request, such as its own template, or counts the schemas
of tools differently. A factor alone is valid only while requests have the same composition: a compaction leaves few of
many messages, which made it wrong by up to 6 %.

Some servers drop the beginning of a request that is longer than their window and answer the rest, without the system
prompt and the user's rules. They report no error, but their own token count shows it.
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
"""Weight of the newest report in a model's factor (C5)."""
MAX_STEP = 0.15
"""Maximum change of the factor by one report."""
MIN_FACTOR = 0.5
MAX_FACTOR = 2.0
"""Bounds of the factor: no tokenizer in use differs more from ours."""

PRIORS = (("o200k", "claude", 1.25),)
"""Tokenizer, family, factor. Claude reported 1.22 and 1.28 times o200k's count in two published coding sessions.

A tokenizer with another name, such as "o200k (estimate for claude)", was fitted to its family: nothing is added to it.
"""
MIN_REQUEST = 1_000
"""Tokens; in a shorter request, a server's own template is too large a part to learn the full factor."""
MAX_TEMPLATE = 300
"""Tokens that a server's own template may add to a request, such as a default system prompt."""
SPREADS = (0.25, 4.0, MAX_TEMPLATE / 2)
"""Expected deviations of the three from their start values: of the factor, as Claude's tokens from o200k's; of the
tokens around a message, our own count of them (C3); of the added tokens, half of their maximum."""
NOISE = 0.01
"""Uncertain share of a report, since the factor is not the same for prose and for code."""
MIN_NOISE = 5
"""Uncertain tokens of a short report."""
FADING = 0.97
"""Weight of a report relative to the next one. Reports from before and after a compaction are needed to separate the
three."""
OTHERWISE = 0.10
"""Share of a report; if an estimate is further off, the provider has changed its way of counting. The composition of a
request makes an estimate wrong by at most six in a hundred."""


class Report(msgspec.Struct, frozen=True):
    """A request: its tokens by our own count, its messages, and the usage reported by the provider."""

    counted: int
    messages: int
    usage: Usage


class Calibration(msgspec.Struct, frozen=True):
    """The learned relation of a provider's counts to ours."""

    factor: float = 1.0
    """The provider's tokens for one of our own count."""
    samples: int = 0
    """Number of reports from which it was learned."""
    frame: float = 0.0
    """The provider's tokens around each message, in addition to ours."""
    added: float = 0.0
    """The provider's tokens in each request, in addition to ours."""
    start: float = 1.0
    """The factor before any report."""
    sums: tuple[float, ...] = (0.0,) * 9
    """Fading sums over the reports: products of counted, messages and 1 with each other and with the reported tokens,
    each divided by the square of the report's noise."""

    def of_part(self, counted: float, messages: int) -> int:
        """Return the provider's tokens for a part of a request."""
        return round(self.factor * counted + self.frame * messages)

    def of_request(self, counted: int, messages: int) -> int:
        """Return the provider's tokens for an entire request, always within the bounds of C5."""
        least = min(MIN_FACTOR * counted, max(counted - MAX_TEMPLATE, 0))
        most = max(MAX_FACTOR * counted, counted + MAX_TEMPLATE)
        return round(min(max(self.factor * counted + self.frame * messages + self.added, least), most))


AS_COUNTED = Calibration()


def prior(tokenizer: str, model: str) -> Calibration:
    """Return the calibration before any report: the known factor if the tokenizer is another family's."""
    known = (factor for own, family, factor in PRIORS if tokenizer == own and family in model.lower())
    factor = next(known, 1.0)
    return Calibration(factor, start=factor)


def is_plausible(usage: Usage, counted: int) -> bool:
    """Return whether a report can belong to the counted request: a server that cut it reports far fewer tokens.

    Twice and half are the bounds of the calibration (C5); short requests may differ by a template.
    """
    reported = usage.prompt_tokens + usage.reply_tokens
    return abs(reported - counted) <= MAX_TEMPLATE or counted / 2 <= reported <= counted * 2


def learn(calibration: Calibration, report: Report) -> Calibration:
    """Return the calibration after the report.

    Frame and added tokens fit the reports so far; the factor is a moving average of the rest, whose prior counts as one
    sample, so that the first reports weigh more. Shorter requests have less weight for the factor, since they consist
    mostly of frames. Reports that cannot belong to the request are ignored.
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
    """Return the calibration by which the request has exactly the reported tokens.

    They come from an error that refused the request, so that no later report corrects it. Reports that cannot belong
    to the request, and short requests, are ignored.
    """
    counted, reported = report.counted, report.usage.prompt_tokens
    if counted < MIN_REQUEST or not is_plausible(Usage(reported, 0), counted):
        return calibration
    factor = (reported - calibration.frame * report.messages - calibration.added) / counted
    factor = min(max(factor, MIN_FACTOR), MAX_FACTOR)
    return replace(calibration, factor=factor, samples=calibration.samples + 1)


def _with_report(sums: Sequence[float], report: Report) -> tuple[float, ...]:
    known = (report.counted, report.messages, 1)
    reported = report.usage.prompt_tokens
    products = [factor * second for factor, second in combinations_with_replacement(known, 2)]
    products += [factor * reported for factor in known]
    weight = max(NOISE * reported, MIN_NOISE) ** -2
    return tuple(FADING * before + weight * new for before, new in zip(sums, products, strict=True))


def _around(sums: Sequence[float], start: float) -> tuple[float, float]:
    """Return the tokens around each message and in each request that fit the reports best, preferring small ones.

    Linear regression with a normal prior: three equations, solved by elimination.
    """
    cc, cm, c, mm, m, n, cr, mr, r = sums
    of_factor, of_frame, of_added = (spread**-2 for spread in SPREADS)
    cc, mm, n, cr = cc + of_factor, mm + of_frame, n + of_added, cr + of_factor * start
    mm, m, mr = mm - cm * cm / cc, m - cm * c / cc, mr - cm * cr / cc
    n, r = n - c * c / cc, r - c * cr / cc
    added = (r - m * mr / mm) / (n - m * m / mm)
    return (mr - m * added) / mm, added


READING_OFF = {Provenance.MEASURED: 0.2}
"""Share of a request by which a report must be off, so that its cached tokens are read in another way."""
READING_OFF_ELSE = 0.5
READING_NEAR = 0.1
"""Share of a request within which the report must then be."""


def nearest_reading(usage: Usage, sent: int, basis: Provenance) -> Usage:
    """Return the usage with its cached tokens inside of the prompt's or besides them, as it fits what was sent.

    Providers count them in either way, and servers that imitate one may count like another. As reported it stays unless
    it is far from the request, and the other reading is near. sent: tokens of the request by the gauge. basis: their
    provenance.
    """
    cache = usage.cached_tokens + usage.cache_written_tokens
    is_off = abs(usage.prompt_tokens - sent) > READING_OFF.get(basis, READING_OFF_ELSE) * sent
    if not cache or not is_off:
        return usage
    others = (usage.prompt_tokens - cache, usage.prompt_tokens + cache)
    nearest = min((tokens for tokens in others if tokens >= cache), key=lambda tokens: abs(tokens - sent), default=0)
    return replace(usage, prompt_tokens=nearest) if abs(nearest - sent) <= READING_NEAR * sent else usage


LEFT_OF_MEASURED = 0.8
"""Minimum share of measured tokens in a later report: such figures are at most 3 % off (docs/measurements.md)."""
LEFT_OF_ESTIMATED = 0.5
"""Minimum share of tokens that were not measured, such as a new page of digits: the bound of the calibration (C5),
since a tokenizer may be unknown."""
MIN_GROWTH = 500
"""Tokens by which a request must have grown before the report's growth is checked."""
GROWTH_REPORTED = 0.25
"""Minimum share of the counted growth in the report: with less, the server has reached its limit. Half may be due to an
unknown tokenizer."""
MIN_REPORT = 1_000
"""Tokens. A smaller report is partial: some servers leave out tokens from their cache, so that only the newest message
is counted. A window has at least 2,048 tokens, and servers that cut keep at least half of it."""


def is_measured(message: Message) -> bool:
    """Return whether the message is a complete reply whose request the provider counted."""
    return message.role is Role.ASSISTANT and message.usage is not None and not message.is_interrupted


def last_measured(view: View) -> int | None:
    """Return the index of the newest measured reply.

    None if an active operation was recorded after its request was assembled, or one from before it was undone.
    """
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
    """Return the index of the message in the view, which may send it in another form than the recorded one."""
    for index in range(len(view.items) - 1, -1, -1):
        message = view.items[index].message
        if message is entry or (entry.id and message.id == entry.id):
            return index
    return None


def assembled_from(entries: Sequence[AnyEntry], index: int) -> int | None:
    """Return the index of the newest entry in the request of the reply at `index`.

    None if an entry that changes the view was recorded in between. An older record does not name that entry: then it is
    the message before the reply, if there are only `GROWING` entries in between.
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
    """Return the reported tokens of the request from which the view grew.

    0 if there is none, or if images were added since, which each server counts differently.
    """
    anchor = last_measured(view)
    if anchor is None or (usage := view.items[anchor].message.usage) is None:
        return 0
    return 0 if any(item.message.has_image for item in view.items[anchor + 1 :]) else usage.prompt_tokens


def unmeasured_pictures(view: View, counts: TokenCounts, is_measured: bool) -> int:
    """Return our own count of the pictures that are in no reported request; of all if nothing was learned from one.

    Each server counts pictures differently, so that they do not show how much it has read.
    """
    anchor = last_measured(view) if is_measured else None
    return sum(counts.pictures(item.message) for item in view.items[0 if anchor is None else anchor + 1 :])


def is_silently_cut(sent: int, basis: Provenance, usage: Usage, before: int = 0) -> bool:
    """Return whether the server has read only a part of the request.

    sent: tokens of the request by the gauge, without `unmeasured_pictures`. basis: their provenance. before: see
    `reported_before`. Near its window, a server cuts only a little of each request: then the only sign is a report that
    does not grow.
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
