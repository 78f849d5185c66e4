"""Events of a turn, in the past tense, each a frozen value. A window folds them and asks for no data during a turn."""

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
"""What fills a window that cannot be archived: schemas of tools, pinned messages, memory, the system prompt, the newest
message of the user's, results that no reply has followed."""


class Failure(msgspec.Struct, frozen=True):
    """An error of the world, as the user is told of it."""

    kind: str
    """A stable word for programs: "provider", "window_too_small", "disk", "damaged", "bad_input", "not_found",
    "locked", "older", "newer", "engine", "bug"; of a provider also "overflow", "rate_limit", "quota", "auth",
    "malformed", "content_filter", "unsupported", "server", "timeout", "connection", "cut", "garbage"; of a server's
    settings "address" and "window_unknown". Of a request that does not fit also "message_too_large" and, where the
    model could not read it as a file, "message_too_large_to_cut": the newest message alone; "nothing_can_leave": no
    optimizing would help. "nearly_full": it would fit, but hardly any room is left. "circles": the model makes the same
    call again and again. Of a notice: "silent_cut".
    """
    title: str
    detail: str = ""
    kept: str = ""
    advice: str = ""
    retry_at: float = 0.0
    """Seconds since 1970, before which the provider would refuse another attempt; 0 if it said nothing."""
    setting: str = ""
    """Where in the settings it is mended: "servers/NAME/FIELD" with the field "address", "key", "models" or "window",
    the last also as "servers/NAME/window/MODEL"; "" for nowhere in particular."""
    filled_by: FilledBy = ""
    """What fills the window, if that is why the request does not fit."""

    @property
    def setting_field(self) -> str:
        """The field of `setting`; "" without one."""
        return next(iter(self.setting.split("/")[2:]), "")


class Event(msgspec.Struct, frozen=True):
    """Something that happened in a conversation, whose id it has."""

    conversation: str


class TurnStarted(Event, frozen=True, tag="turn_started"):
    """A turn has begun; its user message follows as `MessageRecorded` once it is stored."""


class MessageRecorded(Event, frozen=True, tag="message_recorded"):
    """A message is stored. A reply that streamed as `reply_id` arrives here whole, with that id."""

    row: MessageRow


class DescriptionStarted(Event, frozen=True, tag="description_started"):
    """The images of the newest message were given to another model, since the chat's own cannot see them.

    What it says of them is recorded before the reply starts.
    """

    images: int
    """How many."""
    model: str
    """The label of the model that looks at them."""


class ReplyStarted(Event, frozen=True, tag="reply_started"):
    """A request went out; deltas of `reply_id` follow."""

    reply_id: str
    model: str
    continues: str = ""
    """The id of the reply that this one goes on with."""


class TextDelta(Event, frozen=True, tag="text_delta"):
    """Text that the reply has grown by."""

    reply_id: str
    text: str


class ReasoningDelta(Event, frozen=True, tag="reasoning_delta"):
    """Reasoning that the reply has grown by."""

    reply_id: str
    text: str


class RetryScheduled(Event, frozen=True, tag="retrying"):
    """The provider did not do what was asked, and is asked again after some seconds."""

    reason: str
    seconds: float
    attempt: int
    """Counted from 1."""


class ToolStarted(Event, frozen=True, tag="tool_started"):
    """A tool runs."""

    reply_id: str
    """The message that called it."""
    call: ToolCall
    call_index: int = 0
    """Which of its calls: ids repeat."""


class ToolOutputReceived(Event, frozen=True, tag="tool_output"):
    """What a running tool has put out since the last one of these."""

    call_id: str
    text: str
    reply_id: str = ""
    call_index: int = 0


class ToolFinished(Event, frozen=True, tag="tool_finished"):
    """A call has its result, which is stored. A call that was not allowed finishes without having started."""

    call_id: str
    message_id: str
    name: str
    is_error: bool
    seconds: float
    bytes: int = 0
    """UTF-8 of the whole output, before it was truncated."""
    reply_id: str = ""
    call_index: int = 0


class QuestionAsked(Event, frozen=True, tag="asked"):
    """The turn waits for the user's answer."""

    question: str
    """Names it in the answer."""
    kind: str
    """"permission", or "rounds" after many rounds without the user."""
    call: ToolCall | None = None
    needs: tuple[RequiredPermission, ...] = ()
    rounds: int = 0
    """How many there were."""
    preview: ChangePreview | None = None
    """Of a call that changes a file."""


class QuestionAnswered(Event, frozen=True, tag="answered"):
    """The question is answered, or does not wait any more."""

    question: str
    is_allowed: bool


class RoomStarted(Event, frozen=True, tag="room_started"):
    """Room is being made."""

    trigger: Trigger
    is_for_memory: bool = False
    """So far only what must last is looked for; nothing may leave the window after it."""


class RoomProgressed(Event, frozen=True, tag="room_progress"):
    """A summary is being written by a model."""

    tokens: int
    max_tokens: int
    """As many as are expected at most."""
    plan: str = ""
    """Of *Optimize conversation*, if it is written for one; "" when room is made in the conversation itself."""


class RoomEnded(Event, frozen=True, tag="room_ended"):
    """Room is no longer being made, whether or not there is more of it now."""

    has_failed: bool = False
    """Room was due, and none could be made."""


class RoomRefused(Event, frozen=True, tag="room_refused"):
    """Room is due, but is not made any more without the user's word; `reason` says why."""

    reason: str


class ViewChanged(Event, frozen=True, tag="view_changed"):
    """An operation was recorded, undone or redone, or a message pinned or brought back.

    operations: the rows that are new or changed. changes: the messages that stand differently now.
    pins: all messages that are pinned now. totals: what the conversation has cost so far.
    """

    operations: tuple[OperationRow, ...]
    changes: tuple[MessageChange, ...]
    cause: Trigger | None = None
    pins: tuple[MessageRow, ...] = ()
    totals: Totals = Totals()
    other_versions: tuple[str, ...] = ()
    """The messages that follow the newest one in other branches."""
    brought_back: str = ""
    """The entry by which the user brought messages back, if one was recorded or undone; it can be undone."""


class QueueChanged(Event, frozen=True, tag="queue_changed"):
    """Other messages wait to be sent than before, or they wait for something else."""

    queue: tuple[QueuedMessage, ...] = ()
    """The next one first."""
    is_paused: bool = False
    """Whether they wait for the user's word, even after a turn that finished."""


class ModelChanged(Event, frozen=True, tag="model_changed"):
    """More is known of the model than before, such as its window."""

    model: ModelInfo


class GaugeChanged(Event, frozen=True, tag="gauge_changed"):
    """The assembled request has changed."""

    gauge: Gauge


class FiguresCounted(Event, frozen=True, tag="figures_counted"):
    """A conversation that was shown before its record was read is read now."""

    gauge: Gauge
    totals: Totals
    """What it has cost so far."""


class ImportProgressed(Event, frozen=True, tag="import_progress"):
    """Files of other programs were read so far. It is of no conversation."""

    bytes_read: int
    bytes: int
    imported: int = 0
    """Conversations that are stored, and will stay."""


class DataProgressed(Event, frozen=True, tag="data_progress"):
    """So much of that work is done, in its own units; `whole` is 0 while it is not known. It is of no conversation."""

    done: int
    whole: int
    work: DataWork = "data"


class TurnFailed(Event, frozen=True, tag="turn_failed"):
    """The turn ended early; everything that was acknowledged is stored."""

    failure: Failure


class Noticed(Event, frozen=True, tag="noticed"):
    """Something is not as it should be, and the turn goes on."""

    notice: Failure


class TurnFinished(Event, frozen=True, tag="turn_finished"):
    """The turn is over. Figures are of all its requests together."""

    reason: str = "finished"
    """"finished", "stopped" or "failed"."""
    tokens_estimated: int = 0
    """Of the prompts, counted here."""
    tokens_reported: int = 0
    """Of the prompts, by the provider; 0: it did not say."""
    dollars: float | None = None
    """Of all requests meanwhile, summaries and the like too, if the prices are known."""
    rounds: int = 0
    """Requests."""
    restarts: int = 0
    """Replies that were stopped to make room and went on."""
    totals: Totals | None = None


TurnEvent = (
    TurnStarted
    | MessageRecorded
    | DescriptionStarted
    | ReplyStarted
    | TextDelta
    | ReasoningDelta
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
    | ImportProgressed
    | DataProgressed
    | TurnFailed
    | Noticed
    | TurnFinished
)
