"""The limits of what a conversation and a day may cost, checked before each request of a turn.

What was spent is the usage in the record: replies, summaries, titles, memory. Requests to models whose price is not
known cost nothing here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime

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

    async def check(self, session: Session, is_forced: bool = False) -> None:
        """Refuse a request that would pass a limit. Raises WorldError.

        is_forced: whether the user has allowed the request, and with it the amount of the limit once more.
        """
        settings, price = self._settings(), self._models.price(session.model.info.id)
        if price is None or not (settings.max_dollars or settings.max_dollars_a_day):
            return
        needed, spent = next_request_dollars(session, price), dollars_of(session)
        if 0 < settings.max_dollars < spent + needed - self._allowed.get(session.id, 0.0):
            if not is_forced:
                raise _refusal(CONVERSATION, settings.max_dollars, spent, needed)
            self._allowed[session.id] = spent
        if 0 < settings.max_dollars_a_day < (today := await self.today()) + needed - self._allowed_today:
            if not is_forced:
                raise _refusal(DAY, settings.max_dollars_a_day, today, needed)
            self._allowed_today = today

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


def _refusal(title: str, limit: float, spent: float, needed: float) -> WorldError:
    amount = f"${limit:,.2f}"
    return WorldError(
        Failure(
            kind="spending",
            title=title.format(limit=amount),
            detail=SO_FAR.format(spent=f"${spent:,.2f}", needed=f"${needed:,.2f}"),
            kept=NOTHING_SENT,
            advice=WAYS.format(limit=amount),
            setting="costs",
        )
    )
