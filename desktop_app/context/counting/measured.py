"""Which request a provider's report is of, and whether the server truncated that request silently (S5).

Some servers drop the beginning of a request that is longer than their window and answer the rest, without the system
prompt and the user's rules. No error says so; their own count of the tokens does.
"""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.context.view.view import View
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.transcript import GROWING, AnyEntry, Recalled, Undo

from .tokens import TokenCounts

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
