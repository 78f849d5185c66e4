"""The totals of a record (C10). What was undone or abandoned was paid for all the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from desktop_app.conversation.insights import UsageOf
from desktop_app.conversation.message import NO_USAGE, Message, Role, Totals, Usage
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    Compaction,
    Flush,
    Operation,
    Undo,
    active_entries,
    done_as,
    makes_room,
)

CHAT = "chat"
NOT_REPORTED = Usage(0, 0)
"""A request of which its provider said nothing counts as a request."""


class RunningTotals(msgspec.Struct, frozen=True):
    """The totals of a record so far."""

    totals: Totals = Totals()
    done: tuple[Operation | Undo, ...] = ()
    """Operations, and what undoes them."""

    def after(self, entries: Sequence[AnyEntry]) -> RunningTotals:
        """Return the totals of the record that has these entries, too: only they are looked at."""
        replies, auxiliary = usage_totals_of(entries, (self.totals.replies, self.totals.auxiliary))
        done = (*self.done, *(entry for entry in entries if isinstance(entry, Operation | Undo)))
        holding = list(filter(makes_room, active_entries(done)))
        operations, freed = {done_as(e) for e in holding}, sum(e.tokens_before - e.tokens_after for e in holding)
        return RunningTotals(Totals(replies, auxiliary, len(operations), freed), done)


def usage_totals_of(
    entries: Iterable[AnyEntry], before: tuple[Usage, Usage] = (NO_USAGE, NO_USAGE)
) -> tuple[Usage, Usage]:
    """Return what these entries took: the replies that a model of ours wrote, and auxiliary requests.

    before: what others took, which is added.
    """
    replies, auxiliary = before
    for asked in filter(None, map(usage_in, entries)):
        if asked.purpose == CHAT:
            replies = replies.plus(asked.usage)
        else:
            auxiliary = auxiliary.plus(asked.usage)
    return replies, auxiliary


def usage_in(entry: AnyEntry) -> UsageOf | None:
    """Return what the request took whose usage the entry has; None if it has none."""
    match entry:
        case Message() if entry.role is Role.ASSISTANT and entry.model:
            purpose = CHAT
        case Compaction() if entry.usage is not None:
            purpose = "summary"
        case Flush() if entry.usage is not None:
            purpose = "memory"
        case AuxiliaryUsage():
            purpose = entry.purpose
        case _:
            return None
    return UsageOf(entry.model, purpose, entry.usage or NOT_REPORTED)
