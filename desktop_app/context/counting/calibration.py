"""How many tokens a provider takes for what is counted here, learned from what it reports (C5).

Three things may differ. Its tokens are of another size: the factor. It frames a message with more tokens, or fewer,
than are counted around one. And it adds something to each request, such as a template of its own, or counts the schemas
of tools otherwise. A factor alone holds as long as requests are made of the same: a compaction leaves few messages
where there were many, and made it wrong by up to six in a hundred.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import msgspec
from msgspec.structs import replace

from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.message import Usage

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

    def of_request(self, counted: int, messages: int, policy: ContextPolicy) -> int:
        """Return the provider's tokens for a whole request, within the bounds of C5 whatever was learned."""
        least = min(policy.calibration_least * counted, max(counted - MAX_TEMPLATE, 0))
        most = max(policy.calibration_most * counted, counted + MAX_TEMPLATE)
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


def learn(calibration: Calibration, report: Report, policy: ContextPolicy) -> Calibration:
    """Return the calibration after that report.

    Frame and added tokens fit the reports so far; the factor is a moving average of the rest, whose prior counts as one
    sample, so that the first reports weigh more. The shorter a request, the less it teaches of the factor: it is
    mostly what is around the texts. Reports that cannot be of the request teach nothing.
    """
    counted, reported = report.counted, report.usage.prompt_tokens
    is_short = counted < MIN_REQUEST
    if not counted or not reported or not is_plausible(Usage(reported, 0), counted):
        return calibration
    expected = calibration.of_request(counted, report.messages, policy)
    is_as_before = is_short or abs(expected - reported) <= OTHERWISE * reported
    sums = _with_report(calibration.sums if is_as_before else AS_COUNTED.sums, report)
    frame, added = _around(sums, calibration.start)
    rest = reported - frame * report.messages - added
    weight = max(policy.calibration_weight, 1 / (calibration.samples + 2)) * min(counted / MIN_REQUEST, 1.0)
    wanted = (rest / counted - calibration.factor) * weight
    step = min(max(wanted, -policy.calibration_step), policy.calibration_step)
    factor = min(max(calibration.factor + step, policy.calibration_least), policy.calibration_most)
    samples = calibration.samples + (not is_short)
    return Calibration(factor, samples, frame, added, calibration.start, sums)


def learn_exactly(calibration: Calibration, report: Report, policy: ContextPolicy) -> Calibration:
    """Return the calibration by which that request takes what was reported of it: by an error that refused it, which
    no later report corrects. What cannot be of the request teaches nothing, and neither does a short one."""
    counted, reported = report.counted, report.usage.prompt_tokens
    if counted < MIN_REQUEST or not is_plausible(Usage(reported, 0), counted):
        return calibration
    factor = (reported - calibration.frame * report.messages - calibration.added) / counted
    factor = min(max(factor, policy.calibration_least), policy.calibration_most)
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
