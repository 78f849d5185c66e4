"""Decide how long a model that wrote nothing usable is not asked for summaries or notes. Pure.

The first unusable reply may be chance. After the second one in a row, code does the work two times before the model is
asked again, then six, 14 and 30 times: nothing is paid again and again for what is not used. The count is read from
the record, so that it survives a restart, and begins again with another model and with the first reply that is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto

from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry, AuxiliaryUsage, Compaction, Flush, Trigger, active_entries

MAX_REST = 30
"""Times that code does the work without asking the model, at most."""


class Outcome(Enum):
    """What became of one piece of work."""

    USED = auto()
    """The model's reply was used."""
    UNUSABLE = auto()
    """The model replied, but code had to do the work."""
    NOT_ASKED = auto()


def rest_after(outcomes: Iterable[Outcome]) -> int:
    """Return how many more times the model is not asked. outcomes: oldest first."""
    failed = rest = 0
    for outcome in outcomes:
        if outcome is Outcome.USED:
            failed = rest = 0
        elif outcome is Outcome.UNUSABLE:
            failed += 1
            rest = min(2**failed - 2, MAX_REST)
        else:
            rest = max(rest - 1, 0)
    return rest


def summaries_rest(entries: Sequence[AnyEntry], model: str) -> int:
    """Return how many more pieces of work are done without asking the model for a summary.

    model: its name in the record. Notes count as well as summaries: who writes neither is asked for neither.
    """
    work = list(_work_of(entries, model))
    return max(rest_after(outcome for kind, outcome in work if kind is Compaction), rest_after(o for _, o in work))


def notes_rest(entries: Sequence[AnyEntry], model: str) -> int:
    """Return the same for notes."""
    work = list(_work_of(entries, model))
    return max(rest_after(outcome for kind, outcome in work if kind is Flush), rest_after(o for _, o in work))


def is_in_doubt(entries: Sequence[AnyEntry], model: str) -> bool:
    """Return whether nothing that the model wrote was used the last time, so that it is not asked to mend it."""
    asked = [outcome for _, outcome in _work_of(entries, model) if outcome is not Outcome.NOT_ASKED]
    return asked[-1:] == [Outcome.UNUSABLE]


def _work_of(entries: Sequence[AnyEntry], model: str) -> Iterator[tuple[type, Outcome]]:
    """Yield what became of each automatic summary and of the notes, oldest first, as far as the model was concerned.

    Notes are written by the model of the replies before them.
    """
    is_asked, is_replying = False, True
    for entry in active_entries(entries):
        if isinstance(entry, Message):
            is_replying = entry.model == model if entry.model else is_replying
        elif isinstance(entry, AuxiliaryUsage):
            is_asked = is_asked or (entry.purpose == "summary" and entry.model == model)
        elif isinstance(entry, Flush):
            was_asked = is_replying and not entry.model and entry.usage is not None
            used = entry.model == model
            yield Flush, Outcome.USED if used else Outcome.UNUSABLE if was_asked else Outcome.NOT_ASKED
        elif isinstance(entry, Compaction) and entry.trigger is not Trigger.USER:
            used = entry.model == model  # only what it wrote names it
            yield Compaction, Outcome.USED if used else Outcome.UNUSABLE if is_asked else Outcome.NOT_ASKED
            is_asked = False
