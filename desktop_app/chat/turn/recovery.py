"""Retry policy for provider errors (S5), and advice for requests that do not fit, by what fills the window."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from desktop_app.chat.compaction.making_room import decide_step
from desktop_app.chat.compaction.snapshot import ContextSnapshot, snapshot_of
from desktop_app.chat.ports import ErrorKind, ModelError
from desktop_app.chat.session import Session
from desktop_app.chat.session_model import LoadingWaits
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.room_decision import FUTILE_SHARE, WindowTooSmall
from desktop_app.context.counting.breakdown import sent_request
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import READ, Oversized, find_oversized
from desktop_app.context.view.view import with_entries
from desktop_app.conversation.events import Failure, FilledBy
from desktop_app.conversation.gauge import Gauge, PartKind, SentPart
from desktop_app.conversation.transcript import Prune, Trigger
from desktop_app.conversation.words import format_number, translatable

from .tool_calls import EarlierCall

WAITS: dict[ErrorKind, tuple[float, ...]] = {
    "rate_limit": (2.0, 4.0, 8.0, 16.0),
    "server": (1.0, 2.0, 4.0, 8.0),
    "connection": (0.5, 1.0),
    "timeout": (1.0,),
    "cut": (0.5,),
}
"""Seconds before each retry. Other kinds of error would only recur: a wrong key, an exhausted quota, a filter."""
NOT_OF_PICTURES: tuple[ErrorKind, ...] = ("rate_limit", "quota", "auth", "content_filter", "not_found", "timeout")
"""Kinds of error that are not about the pictures of a request, even if they mention images."""
METADATA_REFUSALS: tuple[ErrorKind, ...] = ("malformed", "provider")
"""Kinds of error with which providers refuse metadata; their wording differs too much to be matched."""


class Tried(msgspec.Struct):
    """How often each remedy was tried for the errors of one reply. loading: the waits for a model that is loaded."""

    waits: int = 0
    loading: LoadingWaits = LoadingWaits()
    rooms: int = 0
    drops: int = 0
    cures: int = 0
    left_out: int = 0
    """Pictures that were left out."""


class Wait(msgspec.Struct, frozen=True):
    """Retry after some seconds."""

    seconds: float


class MakeRoom(msgspec.Struct, frozen=True):
    """Prune and compact, then retry."""


class DropResults(msgspec.Struct, frozen=True):
    """Drop a share of the tool results, from 0 to 1, then retry."""

    share: float


class GiveUp(msgspec.Struct, frozen=True):
    """Report the error to the user."""


Reaction = Wait | MakeRoom | DropResults | GiveUp


def reaction_to(
    error: ModelError,
    tried: Tried,
    policy: ContextPolicy,
    is_automatic: bool,
    has_arrived: bool,
    patience: int | None = None,
) -> Reaction:
    """Return the next remedy to try. patience: see `ModelInfo`.

    is_automatic: whether messages may be shortened without asking the user. has_arrived: whether a part of the reply is
    shown already; it is kept and the user decides, since a retry would repeat it.
    """
    if has_arrived:
        return GiveUp()
    if error.is_overflow:
        return _to_overflow(tried, policy) if is_automatic else GiveUp()
    if error.kind == "loading":
        wait = tried.loading.next(error, patience)
        return GiveUp() if wait is None else Wait(wait)
    waits = WAITS.get(error.kind, ())
    if tried.waits >= len(waits):
        return GiveUp()
    seconds = waits[tried.waits] if error.retry_after is None else max(error.retry_after, 0.0)
    return Wait(seconds) if seconds <= policy.max_retry_wait else GiveUp()


SHARED_WINDOW = re.compile(r"context size has been exceeded", re.IGNORECASE)
"""How llama.cpp ends requests that are under way, once all of them together fill its window. One that is too long by
itself is refused in other words."""
WAIT_TO_SHARE, MAX_WAITS_TO_SHARE = 2.0, 2
"""Seconds until the others may have ended, and how often to wait for them."""
FITS_ALONE = 0.9
"""Share of the window below which a request and its reply fit if no others run."""


def shares_window(error: ModelError, gauge: Gauge) -> bool:
    """Return whether a request failed for others that fill the same window, so that it may succeed later."""
    is_said = error.is_overflow and not error.limit and SHARED_WINDOW.search(error.failure.detail)
    return bool(is_said) and gauge.total < FITS_ALONE * gauge.whole_window


def _to_overflow(tried: Tried, policy: ContextPolicy) -> Reaction:
    if tried.rooms < policy.overflow_retries:
        return MakeRoom()
    return DropResults(policy.overflow_shed[tried.drops]) if tried.drops < len(policy.overflow_shed) else GiveUp()


LARGER = translatable("Your message is larger than the model’s context window")
TAKES = translatable("It takes {tokens} tokens, and there is room for {room}.")
KEPT = translatable("Your message and the whole conversation are saved.")
AS_FILE = translatable(
    "Attach it as a file, of which the model reads what it needs; cut it; or choose a model with a larger window."
)
CUT = translatable("Cut it, or choose a model with a larger window.")
DOES_NOT_FIT = translatable("This does not fit into the model’s context window")
NOTHING_CAN_LEAVE = translatable("Choose a model with a larger window: optimizing would free nothing here.")
ONLY_SMALL = translatable(
    "The request takes only {tokens} tokens: the server seems to have a smaller window than it says, to share it "
    "between requests, or to add something of its own. Give the model a larger window there, or choose another one."
)
OWN_TOOLS = translatable("The built-in tools take {tokens} of {window} tokens: switch some off.")
FILLED: dict[FilledBy, str] = {
    "tools": translatable("The tools of {name} take {tokens} of {window} tokens: switch some off."),
    "pins": translatable("Pinned messages take {tokens} of {window} tokens: unpin some."),
    "memory": translatable("Memory takes {tokens} of {window} tokens: remove some of it."),
    "instructions": translatable("The system prompt takes {tokens} of {window} tokens: shorten it."),
    "message": translatable("Your message takes {tokens} of {window} tokens: shorten it."),
    "results": translatable("The results of {name} take {tokens} of {window} tokens: ask for less at once."),
}
"""Advice for each; the window offers a model with a larger window separately, as that always helps."""
SEND_ANYWAY = translatable("Or send it anyway: the reply may be cut short then.")
TOO_LARGE = ("overflow", "window_too_small", "nearly_full")
"""Kinds of failure for a request that does not fit."""
MIN_FILLED = 0.25
"""Share of the usable window below which nothing counts as filling it."""
SMALL_WINDOW = 8_192
"""Tokens that are assumed for a server that does not state its window."""


class Filling(NamedTuple):
    """The largest content of the window that cannot be archived. name: of the tools' server or the results' tool."""

    by: FilledBy
    name: str
    tokens: int


async def explain_failure(session: Session, failure: Failure) -> Failure:
    """Return the failure with advice if its request does not fit, otherwise unchanged.

    The kind becomes "message_too_large" or "message_too_large_to_cut" if the newest message alone is too large, and
    "nothing_can_leave" if optimizing would not make the request fit; `filled_by` then names what fills the window.
    """
    if failure.kind not in TOO_LARGE:
        return failure
    snapshot, gauge = snapshot_of(session.counter), session.counter.gauge()
    if not gauge.is_window_known:
        gauge = replace(gauge, window=SMALL_WINDOW, reserve=0)
    filling = await asyncio.to_thread(filling_of, snapshot, gauge)
    is_message = filling is None or filling.by == "message"
    if is_message and failure.kind != "nearly_full" and session.counter.budget.window:
        oversized = await asyncio.to_thread(oversized_in, snapshot)
        if oversized is not None:
            return _message_too_large(failure, oversized, snapshot.factor, can_read_files(session))
    if await asyncio.to_thread(would_optimizing_help, snapshot):
        return failure
    return _nothing_can_leave(failure, filling, gauge)


def _nothing_can_leave(failure: Failure, filling: Filling | None, gauge: Gauge) -> Failure:
    """Return the failure with advice about what fills the window instead of the advice to optimize."""
    if filling is None and failure.kind == "nearly_full":
        return failure
    advice, by = _advice(filling, gauge), filling.by if filling is not None else ""
    if failure.kind == "nearly_full":
        return replace(failure, advice=f"{advice} {SEND_ANYWAY}", filled_by=by)
    return replace(failure, kind="nothing_can_leave", title=DOES_NOT_FIT, advice=advice, filled_by=by)


def _advice(filling: Filling | None, gauge: Gauge) -> str:
    window = format_number(gauge.whole_window)
    if filling is not None:
        text = OWN_TOOLS if filling.by == "tools" and not filling.name else FILLED[filling.by]
        return text.format(name=filling.name, tokens=format_number(filling.tokens), window=window)
    if gauge.total < MIN_FILLED * gauge.limit:
        return ONLY_SMALL.format(tokens=format_number(gauge.total))
    return NOTHING_CAN_LEAVE


def filling_of(snapshot: ContextSnapshot, gauge: Gauge) -> Filling | None:
    """Return the largest content of the request that cannot be archived; None if it takes little."""
    parts = sent_request(snapshot.view, gauge, snapshot.counts, preview=0).parts
    taken = Counter[tuple[FilledBy, str]]()
    for part in parts:
        by = _filled_by(part, snapshot.view.last_user_id)
        if by:
            taken[by, part.name if by == "tools" else ""] += part.tokens
    for part in _unanswered(parts):
        taken["results", part.name] += part.tokens
    sums = Counter[FilledBy]()
    for (by, _), tokens in taken.items():
        sums[by] += tokens
    if not sums or sums.most_common(1)[0][1] < MIN_FILLED * gauge.limit:
        return None
    by = sums.most_common(1)[0][0]
    tokens, name = max((tokens, name) for (each, name), tokens in taken.items() if each == by)
    return Filling(by, name, tokens)


def _filled_by(part: SentPart, newest: str) -> FilledBy:
    """Return the kind of unarchivable content that the part belongs to; "" if it can be archived.

    newest: the id of the user message to be answered.
    """
    if part.is_pinned:
        return "pins"
    if part.kind is PartKind.TOOLS:
        return "tools"
    if part.kind is PartKind.MEMORY:
        return "memory"
    if part.kind is not PartKind.SUMMARY and part.role == "system":
        return "instructions"
    return "message" if newest and part.message_id == newest else ""


def _unanswered(parts: Sequence[SentPart]) -> list[SentPart]:
    """Return the unanswered results, which are at the end of the request, without pinned ones."""
    found = list[SentPart]()
    for part in reversed(parts):
        if part.role != "tool" and part.kind not in (PartKind.FRAME, PartKind.SYNTHETIC):
            break
        found += [part] if part.role == "tool" and not part.is_pinned else []
    return found


def tools_refused(error: ModelError) -> Failure:
    """Return the notice that the model's server refuses tools, and gets none until the program is started again."""
    model = error.cured.info.label if error.cured is not None else ""
    return Failure(
        "no_tools",
        translatable("{model} cannot use tools").format(model=model),
        error.failure.detail,
        translatable("Your message was sent again without tools."),
        translatable("Turn tool calls on in its server, and start Palimpsest again; or choose another model."),
    )


ACCEPTS_PICTURES = translatable(
    "The server of {model} accepts at most {most} pictures in a request, as it said earlier."
)


def pictures_left_out(reason: str, count: int, is_found: bool = False) -> Failure:
    """Return the notice that a number of pictures were left out. reason: what the server said about them.

    is_found: whether they are the ones that the server cannot read, and not the oldest ones.
    """
    title = translatable("The oldest pictures were left out ({count})")
    found = translatable("Pictures that the server cannot read were left out ({count})")
    return Failure(
        "pictures_left_out",
        (found if is_found else title).format(count=count),
        reason,
        translatable("They stay in the conversation; the model is sent a line in their place."),
        translatable("Attach a picture again, or a smaller one, if the model has to see it."),
    )


def pictures_damaged(names: Sequence[str]) -> Failure:
    """Return the notice that pictures of the running turn cannot be decoded, and are not sent."""
    return Failure(
        "pictures_damaged",
        translatable("Damaged pictures were not sent ({count})").format(count=len(names)),
        translatable("{names}: the file is incomplete, and a server refuses the whole message for it.").format(
            names=", ".join(names)
        ),
        translatable("They stay in the conversation; the model is sent a line in their place."),
        translatable("Open the picture in another program, save it again, and attach that file."),
    )


def circle_failure(tool: str, call: EarlierCall) -> Failure:
    """Return the failure for a call that the model keeps repeating."""
    return Failure(
        "circles",
        translatable("The model makes the same call again and again"),
        translatable("It called {tool} {times} times with the same arguments; the result stays the same.").format(
            tool=tool, times=call.runs + call.answers
        ),
        translatable("Each result is saved. The call was not run again."),
        translatable("Tell the model what to do instead, or choose another one."),
    )


def can_read_files(session: Session) -> bool:
    """Return whether the model could read a message that is attached as a file instead."""
    return session.model.info.supports_tools and any(tool.name == READ for tool in session.view.tools)


def oversized_in(snapshot: ContextSnapshot) -> Oversized | None:
    """Return the newest message if it is too large by itself, otherwise None."""
    return find_oversized(snapshot.view, snapshot.policy, snapshot.budget, snapshot.counts)


def would_optimizing_help(snapshot: ContextSnapshot) -> bool:
    """Return whether the request would fit once the user optimizes, and be noticeably shorter."""
    before = after = snapshot.total or 0
    try:
        step = decide_step(snapshot, Trigger.USER)
        if isinstance(step, Prune):
            snapshot = snapshot.with_record(with_entries(snapshot.transcript, replace(step, id="draft")))
            after, step = snapshot.total or 0, decide_step(snapshot, Trigger.USER)
        if isinstance(step, CompactionPlan):
            after = snapshot.in_model_tokens(step.projected)
    except WindowTooSmall:
        return False
    limit = snapshot.model_budget.limit if snapshot.model_budget else snapshot.budget.limit
    return after <= limit and before - after >= FUTILE_SHARE * before


def _message_too_large(failure: Failure, oversized: Oversized, factor: float, can_read: bool) -> Failure:
    tokens, room = round(oversized.tokens * factor), round(oversized.room * factor)
    return replace(
        failure,
        kind="message_too_large" if can_read else "message_too_large_to_cut",
        title=LARGER,
        detail=TAKES.format(tokens=f"{tokens:,}", room=f"{room:,}"),
        kept=KEPT,
        advice=AS_FILE if can_read else CUT,
    )
