"""Shorten the reply that the model is asked to continue to its end, if it does not fit.

The model needs the end to continue. The record and the transcript in the window keep the complete reply.
"""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.text_cuts import tail_of
from desktop_app.context.view.view import View, recorded_reply
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import PrunedResult

CUT_REPLY = "cut_reply"
"""Recorded strategy of shortening the reply that the model is asked to continue."""
NOTICE = "[The beginning of this reply is archived; its end follows.]\n…"
MAX_TRIES = 12
"""Maximum counts of the end until it fits."""
MIN_FILLED = 0.9
"""Share of the free tokens; an end that takes more of them is long enough."""
ALLOWANCE = 12
"""Tokens that counting the parts of a reply apart may differ from counting it as one."""


def shorten_cut_reply(view: View, counts: TokenCounts, need: int, floor: int) -> tuple[PrunedResult, ...]:
    """Return the changes that free `need` tokens in the reply to be continued, as far as the floor allows.

    Empty if there is none, if a part of it is pinned, which is sent verbatim, or if it is no longer than the floor.
    """
    parts = recorded_reply(view)
    if need <= 0 or view.unfinished is None or view.pins.intersection(part.id for part in parts):
        return ()
    tokens = counts.text(view.unfinished.text_so_far)  # less than recorded if it was shortened before
    limit = max(tokens - need - ALLOWANCE, floor)
    if tokens <= limit:
        return ()
    end = _end_that_fits("".join(part.text for part in parts), limit, counts)
    return _distributed(parts, end)


def _end_that_fits(text: str, limit: int, counts: TokenCounts) -> str:
    """Return the end of the text that takes at most `limit` tokens with the notice, and not much less."""
    best, shortest, longest = "", 0, len(text)
    for _ in range(MAX_TRIES):
        tried = (shortest + longest) // 2
        end = tail_of(text, tried)
        tokens = counts.text(NOTICE + end)
        if tokens <= limit:
            best, shortest = end, tried
        else:
            longest = tried
        if MIN_FILLED * limit <= tokens <= limit or longest - shortest <= 1:
            break
    return best


def _distributed(parts: Sequence[Message], end: str) -> tuple[PrunedResult, ...]:
    """Return the text of each part of the reply of which only `end` is sent; the first one begins with the notice."""
    found: list[PrunedResult] = []
    left = len(end)
    for part in reversed(parts):
        kept = min(left, len(part.text))
        text = part.text[len(part.text) - kept :]
        left -= kept
        found.append(PrunedResult(part.id, CUT_REPLY, text if part is not parts[0] else NOTICE + text))
    return tuple(reversed(found))
