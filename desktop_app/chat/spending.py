"""The limits of what a conversation and a day may cost, checked before each request of a turn or a research.

Automatic summaries that would pass a limit are written without a model, or not ahead.

What was spent is the usage in the record: replies, summaries, titles, memory. Requests to models whose price is not
known cost nothing here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import NamedTuple

from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.words import translatable
from desktop_app.settings import Settings

from .ports import ModelCatalogue, Price, WorldError
from .session import Session

Spent = Callable[[int, float], Awaitable[tuple[int, float]]]
"""Returns the newest row of the archive, and the US dollars in the usage of the rows after a row and since a time."""

CONVERSATION = translatable("The next request would pass your limit of {limit} for this conversation")
DAY = translatable("The next request would pass your limit of {limit} a day")
SO_FAR = translatable("So far {spent} were spent; the next request costs about {needed}.")
NOTHING_SENT = translatable("Your message and the whole conversation are saved; nothing was sent.")
WAYS = translatable(
    "Send it anyway, which allows another {limit} from now on; choose a cheaper model; optimize the conversation; or "
    "change the limit in the settings."
)


WHY_NO_SUMMARY = translatable("a summary by a model would pass your limit of {limit} for this conversation")
WHY_NO_SUMMARY_TODAY = translatable("a summary by a model would pass your limit of {limit} a day")


class Passed(NamedTuple):
    """A limit that a request would pass, in US dollars."""

    limit: float
    spent: float
    is_of_day: bool


class MoneyLimits:
    """The limits of money of the settings, and what the user has allowed beyond them since the program was started."""

    def __init__(
        self,
        read: Spent,
        models: ModelCatalogue,
        settings: Callable[[], Settings],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._read, self._models, self._settings, self._clock = read, models, settings, clock
        self._day, self._row, self._dollars = 0.0, 0, 0.0
        self._allowed_today = 0.0
        self._reading = asyncio.Lock()
        self._allowed: dict[str, float] = {}  # US dollars by conversation

    async def check(self, session: Session, is_forced: bool = False, conversation: Session | None = None) -> None:
        """Refuse a request that would pass a limit. Raises WorldError.

        is_forced: whether the user has allowed the request, and with it the amount of the limit once more.
        conversation: the one that a research belongs to, if the session is a research's, which is not recorded yet.
        """
        price = self._models.price(session.model.info.id)
        if price is None:
            return
        needed = next_request_dollars(session, price)
        unrecorded = 0.0 if conversation is None else dollars_of(session)
        for passed in await self._passed(conversation or session, needed, unrecorded):
            if not is_forced:
                raise _refusal(passed, needed)
            self._allow(session.id, passed)

    async def why_no_summary(self, session: Session, needed: float | None) -> str:
        """Return why no model may write an automatic summary, to complete "because …"; "" if it may.

        needed: the summary's cost in US dollars; None if the price is not known.
        """
        for passed in () if needed is None else await self._passed(session, needed):
            return (WHY_NO_SUMMARY_TODAY if passed.is_of_day else WHY_NO_SUMMARY).format(limit=_amount(passed.limit))
        return ""

    async def _passed(self, session: Session, needed: float, unrecorded: float = 0.0) -> list[Passed]:
        """Return the limits that a request would pass. unrecorded: US dollars that were spent, but not recorded yet."""
        own, day = self._settings().max_dollars, self._settings().max_dollars_a_day
        passed, spent = list[Passed](), dollars_of(session) + unrecorded
        if 0 < own < spent + needed - self._allowed.get(session.id, 0.0):
            passed.append(Passed(own, spent, is_of_day=False))
        if day > 0 and day < (today := await self.today() + unrecorded) + needed - self._allowed_today:
            passed.append(Passed(day, today, is_of_day=True))
        return passed

    def _allow(self, conversation: str, passed: Passed) -> None:
        """Allow the amount of the limit once more, counted from what was spent."""
        if passed.is_of_day:
            self._allowed_today = passed.spent
        else:
            self._allowed[conversation] = passed.spent

    async def today(self) -> float:
        """Return the US dollars since midnight, local time. Only rows that are new since the last call are read."""
        now = datetime.fromtimestamp(self._clock())
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
        async with self._reading:  # turns of two conversations would count the same rows twice
            if midnight != self._day:
                self._day, self._row, self._dollars = midnight, 0, 0.0
                self._allowed_today = 0.0
            self._row, new = await self._read(self._row, midnight)
            self._dollars += new
            return self._dollars


def dollars_of(session: Session) -> float:
    """Return what the conversation has cost so far, in US dollars, with its summaries and other side requests."""
    totals = session.totals()
    return (totals.replies.dollars or 0.0) + (totals.auxiliary.dollars or 0.0)


def next_request_dollars(session: Session, price: Price) -> float:
    """Return the estimated cost of the session's next request, in US dollars.

    It is the gauge's total, of which as large a share is read from the cache as of the model's last request, and a
    reply as long as the last one.
    """
    name, total = session.model.info.record_name, session.counter.gauge().total
    replies = (e for e in reversed(session.view.path) if isinstance(e, Message) and e.role is Role.ASSISTANT)
    last = next((reply.usage for reply in replies if reply.model == name and reply.usage is not None), Usage(0, 0))
    cached = round(total * last.cached_tokens / max(last.prompt_tokens, 1))
    return price.of(Usage(total, last.reply_tokens, cached))


def _amount(dollars: float) -> str:
    return f"${dollars:,.2f}"


def _refusal(passed: Passed, needed: float) -> WorldError:
    limit = _amount(passed.limit)
    return WorldError(
        Failure(
            kind="spending",
            title=(DAY if passed.is_of_day else CONVERSATION).format(limit=limit),
            detail=SO_FAR.format(spent=_amount(passed.spent), needed=_amount(needed)),
            kept=NOTHING_SENT,
            advice=WAYS.format(limit=limit),
            setting="costs",
        )
    )
