"""Turns: what begins one, what stops one, and the draft of the next."""

from __future__ import annotations

from desktop_app.conversation.message import Attachment
from desktop_app.conversation.tools import PermissionAnswer

from .base import ConversationRequest, Done, EngineResponse


class DraftCounted(EngineResponse, frozen=True):
    """Tokens that the draft would add to the request."""

    tokens: int


class BeginTurn(ConversationRequest[Done], frozen=True):
    """Begin a turn. The response comes at once; the turn follows as events."""


class Send(BeginTurn, frozen=True):
    """Send a message, or queue it while a turn runs. The response comes once it is stored.

    is_now: the turn is stopped instead, and its reply kept as it is. is_draft: it is what the composer holds, so that
    the stored draft, which may be an older one, is emptied in the transaction that stores the message.
    """

    text: str
    attachments: tuple[Attachment, ...] = ()
    is_now: bool = False
    is_draft: bool = False


class EditMessage(BeginTurn, frozen=True):
    """Send a message of the user's once more with that text, in a branch of its own; attachments as given."""

    message_id: str
    text: str
    attachments: tuple[Attachment, ...] = ()


class StartResearch(BeginTurn, frozen=True):
    """Search the web for an answer; otherwise as Send."""

    question: str
    is_now: bool = False
    is_draft: bool = False


class Regenerate(BeginTurn, frozen=True):
    """Answer a message of the user's again, in a branch of its own: the newest, or the one that a reply answers."""

    # The id of that reply; "" for the newest.
    reply_id: str = ""


class GoOn(BeginTurn, frozen=True):
    """Ask for the reply that is missing; what tools have done stays."""

    # Room is made first, at the user's word.
    makes_room: bool = False
    # It is asked for even if little is left of the window.
    is_forced: bool = False
    # Seconds since 1970: it is asked for then, if that is to come.
    not_before: float = 0.0


class ContinueReply(BeginTurn, frozen=True):
    """Let the model go on with the newest reply, which was cut or interrupted, where it stopped."""


class ShortenMessage(BeginTurn, frozen=True):
    """Send the newest message, which does not fit, in a branch of its own so that it does.

    as_file: the whole is kept as a file that the model can read; else only both ends are sent.
    """

    as_file: bool


class Stop(ConversationRequest[Done], frozen=True):
    """Stop the turn. The response comes when it has ended."""


class StopTool(ConversationRequest[Done], frozen=True):
    """Stop a tool call, as ToolStarted names it; ToolFinished follows, and the turn goes on.

    A call that does not run is left as it is.
    """

    reply_id: str
    call_index: int


class StopRoom(ConversationRequest[Done], frozen=True):
    """Stop making room; a turn that waits for it is stopped. The response comes when that has ended."""


class AnswerQuestion(ConversationRequest[Done], frozen=True):
    """Answer a question of a tool; an answer that comes too late changes nothing."""

    question: str
    answer: PermissionAnswer


class UseOwnWindow(ConversationRequest[Done], frozen=True):
    """Forget what was learned of the model's window; GaugeChanged follows."""


class CountDraft(ConversationRequest[DraftCounted], frozen=True):
    text: str


TurnRequest = (
    Send
    | EditMessage
    | StartResearch
    | Regenerate
    | GoOn
    | ContinueReply
    | ShortenMessage
    | Stop
    | StopTool
    | StopRoom
    | AnswerQuestion
    | UseOwnWindow
    | CountDraft
)
