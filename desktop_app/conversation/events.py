"""Events of a turn, in the past tense, as frozen values. A window folds them and requests no data during a turn."""

from __future__ import annotations

from typing import Literal

import msgspec

from .gauge import Gauge
from .installation import DataWork
from .listing import ModelInfo
from .message import ToolCall, Totals
from .message_rows import MessageChange, MessageRow, OperationRow
from .message_rows import MessageState as MessageState
from .tools import ChangePreview, RequiredPermission
from .transcript import Trigger
from .unsent import QueuedMessage

FilledBy = Literal["", "tools", "pins", "memory", "instructions", "message", "results"]
"""Largest content of a window that cannot be archived: tool schemas, pinned messages, memory, the system prompt, the
user's newest message, unanswered results."""


class Failure(msgspec.Struct, frozen=True):
    """An expected error, as reported to the user."""

    kind: str
    """A stable word for programs: "provider", "window_too_small", "disk", "damaged", "bad_input", "not_found",
    "locked", "older", "newer", "engine", "bug"; for a provider also "overflow", "rate_limit", "quota", "auth",
    "malformed", "content_filter", "unsupported", "server", "timeout", "connection", "cut", "garbage"; for a server's
    settings "address" and "window_unknown". If a request does not fit, also "message_too_large" for the newest message
    alone, or "message_too_large_to_cut" if the model could not read it as a file; "nothing_can_leave": no optimizing
    would help; "nearly_full": it fits, but hardly any tokens are left. "spending": it would pass a limit of
    money. "circles": the model repeats the same call again
    and again. For a notice: "silent_cut".
    """
    title: str
    detail: str = ""
    kept: str = ""
    advice: str = ""
    retry_at: float = 0.0
    """Seconds since 1970 before which the provider would refuse another attempt; 0 if it gave no time."""
    setting: str = ""
    """The setting that fixes it: "servers/NAME/FIELD" with the field "address", "key", "models" or "window", the last
    also as "servers/NAME/window/MODEL"; "" for none in particular."""
    filled_by: FilledBy = ""
    """The largest content that cannot be archived, if the request therefore does not fit."""

    @property
    def setting_field(self) -> str:
        """The field of `setting`; "" if there is none."""
        return next(iter(self.setting.split("/")[2:]), "")


class WorldError(Exception):
    """An error of the world, with the failure that the user is shown."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.title)
        self.failure = failure


class ArchiveError(WorldError):
    """The archive could not read or write: disk full, read-only, damaged, not ours."""


class Event(msgspec.Struct, frozen=True):
    """Something that happened in a conversation, which is named by its id."""

    conversation: str


class TurnStarted(Event, frozen=True, tag="turn_started"):
    """A turn has begun; its user message follows as `MessageRecorded` once it is stored."""


class MessageRecorded(Event, frozen=True, tag="message_recorded"):
    """A message is stored. A reply that streamed as `reply_id` is complete here, with the same id."""

    row: MessageRow


class DescriptionStarted(Event, frozen=True, tag="description_started"):
    """The images of the newest message were sent to another model, since the chat's own cannot see them.

    Its description is recorded before the reply starts.
    """

    images: int
    """Number of images."""
    model: str
    """The label of the model that describes them."""


class ReplyStarted(Event, frozen=True, tag="reply_started"):
    """A request went out; deltas of `reply_id` follow."""

    reply_id: str
    model: str
    continues: str = ""
    """The id of the reply that this one continues; "" for none."""


class TextDelta(Event, frozen=True, tag="text_delta"):
    """New text of the reply."""

    reply_id: str
    text: str


class ReasoningDelta(Event, frozen=True, tag="reasoning_delta"):
    """New reasoning of the reply."""

    reply_id: str
    text: str


class ReasoningRecognized(Event, frozen=True, tag="reasoning_recognized"):
    """All text of the reply so far turned out to be reasoning."""

    reply_id: str


class RetryScheduled(Event, frozen=True, tag="retrying"):
    """A request to the provider failed, and is repeated after some seconds."""

    reason: str
    seconds: float
    attempt: int
    """Counted from 1."""


class ToolStarted(Event, frozen=True, tag="tool_started"):
    """A tool was started."""

    reply_id: str
    """The id of the message that called it."""
    call: ToolCall
    call_index: int = 0
    """The index of the call in the message, since ids repeat."""


class ToolOutputReceived(Event, frozen=True, tag="tool_output"):
    """New output of a running tool."""

    call_id: str
    text: str
    reply_id: str = ""
    call_index: int = 0


class ToolFinished(Event, frozen=True, tag="tool_finished"):
    """The result of a call is stored. A call that was not allowed finishes without having started."""

    call_id: str
    message_id: str
    name: str
    is_error: bool
    seconds: float
    bytes: int = 0
    """UTF-8 bytes of the full output, before it was truncated."""
    reply_id: str = ""
    call_index: int = 0


class QuestionAsked(Event, frozen=True, tag="asked"):
    """The turn waits for the user's answer."""

    question: str
    """The id of the question, for the answer."""
    kind: str
    """"permission", or "rounds" after many rounds without a user message."""
    call: ToolCall | None = None
    needs: tuple[RequiredPermission, ...] = ()
    rounds: int = 0
    """Number of rounds so far."""
    preview: ChangePreview | None = None
    """Preview of a call that changes a file; None for other calls."""


class QuestionAnswered(Event, frozen=True, tag="answered"):
    """The question is answered, or no longer waits for an answer."""

    question: str
    is_allowed: bool


class RoomStarted(Event, frozen=True, tag="room_started"):
    """Room is being made."""

    trigger: Trigger
    is_for_memory: bool = False
    """Whether it is only a memory flush so far, after which possibly nothing leaves the window."""


class RoomProgressed(Event, frozen=True, tag="room_progress"):
    """A summary is being written by a model."""

    tokens: int
    max_tokens: int
    """Maximum expected tokens."""
    plan: str = ""
    """The id of the *Optimize conversation* plan that it is written for; "" for room in the conversation itself."""


class RoomEnded(Event, frozen=True, tag="room_ended"):
    """Making room has ended, with or without success."""

    has_failed: bool = False
    """Whether room was due, and none could be made."""


class RoomRefused(Event, frozen=True, tag="room_refused"):
    """Room is due, but no longer made automatically; `reason` says why."""

    reason: str


class ViewChanged(Event, frozen=True, tag="view_changed"):
    """An operation was recorded, undone or redone, or a message pinned or brought back.

    operations: the rows that are new or changed. changes: the messages with a changed state. pins: all pinned messages.
    totals: the costs of the conversation so far.
    """

    operations: tuple[OperationRow, ...]
    changes: tuple[MessageChange, ...]
    cause: Trigger | None = None
    pins: tuple[MessageRow, ...] = ()
    totals: Totals = Totals()
    other_versions: tuple[str, ...] = ()
    """The ids of the messages that follow the newest one in other branches."""
    brought_back: str = ""
    """The id of the `BringBack` that was recorded or undone, which can be undone; "" for none."""


class QueueChanged(Event, frozen=True, tag="queue_changed"):
    """The queue of messages to send has changed, or the reason why they wait."""

    queue: tuple[QueuedMessage, ...] = ()
    """The next one first."""
    is_paused: bool = False
    """Whether they wait for the user, even after a turn that finished."""


class ModelChanged(Event, frozen=True, tag="model_changed"):
    """More is known about the model than before, such as its window."""

    model: ModelInfo


class GaugeChanged(Event, frozen=True, tag="gauge_changed"):
    """The assembled request has changed."""

    gauge: Gauge


class FiguresCounted(Event, frozen=True, tag="figures_counted"):
    """The record of a conversation that was shown before has been read."""

    gauge: Gauge
    totals: Totals
    """The costs of the conversation so far."""


class ToolServersChanged(Event, frozen=True, tag="tool_servers_changed"):
    """A tool server has started to answer, or has failed. It belongs to no conversation."""

    failing: tuple[str, ...] = ()
    """The names of the servers that do not answer."""


class ImportProgressed(Event, frozen=True, tag="import_progress"):
    """Progress in reading files of other programs. It belongs to no conversation."""

    bytes_read: int
    bytes: int
    imported: int = 0
    """Number of conversations that are stored permanently."""


class DataProgressed(Event, frozen=True, tag="data_progress"):
    """Progress of a long operation, in its own units. It belongs to no conversation."""

    done: int
    total: int
    """0 if unknown."""
    work: DataWork = "data"


class TurnFailed(Event, frozen=True, tag="turn_failed"):
    """The turn ended early; everything that was acknowledged is stored."""

    failure: Failure


class Noticed(Event, frozen=True, tag="noticed"):
    """A problem that does not end the turn."""

    notice: Failure


class TurnFinished(Event, frozen=True, tag="turn_finished"):
    """The turn is over. Figures are sums over all its requests."""

    reason: str = "finished"
    """"finished", "stopped" or "failed"."""
    tokens_estimated: int = 0
    """Tokens of the prompts by our own count."""
    tokens_reported: int = 0
    """Tokens of the prompts as reported by the provider; 0 if it reported none."""
    dollars: float | None = None
    """Costs of all requests during the turn, including summaries and the like; None if prices are unknown."""
    rounds: int = 0
    """Number of requests."""
    restarts: int = 0
    """Number of replies that were stopped to make room and then continued."""
    totals: Totals | None = None


TurnEvent = (
    TurnStarted
    | MessageRecorded
    | DescriptionStarted
    | ReplyStarted
    | TextDelta
    | ReasoningDelta
    | ReasoningRecognized
    | RetryScheduled
    | ToolStarted
    | ToolOutputReceived
    | ToolFinished
    | QuestionAsked
    | QuestionAnswered
    | RoomStarted
    | RoomProgressed
    | RoomEnded
    | RoomRefused
    | ViewChanged
    | QueueChanged
    | ModelChanged
    | GaugeChanged
    | FiguresCounted
    | ToolServersChanged
    | ImportProgressed
    | DataProgressed
    | TurnFailed
    | Noticed
    | TurnFinished
)
