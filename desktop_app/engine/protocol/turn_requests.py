"""Requests about turns, drafts, queued messages, attachments, graphics, tools and memories."""

from __future__ import annotations

import msgspec

from desktop_app.conversation.events import Failure
from desktop_app.conversation.markdown_html import Drawing, Graphic
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Attachment, MessageDraft
from desktop_app.conversation.tools import PermissionAnswer, ToolSpec

from .base import ConversationRequest, Done, EngineRequest, EngineResponse


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


class SendQueued(ConversationRequest[Done], frozen=True):
    """Send a queued message now; the turn is stopped, and its reply kept as it is. The others follow."""

    message_id: str


class RemoveQueued(ConversationRequest[Done], frozen=True):
    message_id: str


class DraftRead(EngineResponse, frozen=True):
    """What stands in the composer now."""

    draft: MessageDraft


class TakeBackQueued(ConversationRequest[DraftRead], frozen=True):
    """Take a message out of the queue to change it; it stands before the draft that there is."""

    message_id: str
    draft: MessageDraft


class KeepDraft(ConversationRequest[Done], frozen=True):
    """Store the draft, so that it is there after a restart. attachments None: those that were stored last."""

    text: str
    attachments: tuple[Attachment, ...] | None = None


class KeepEdits(ConversationRequest[Done], frozen=True):
    """Store the new texts of sent messages that are being edited, so that they are there after a restart.

    edits: by the messages' ids, the latest last; in place of those that were stored.
    """

    edits: dict[str, str]


UnsentRequest = SendQueued | RemoveQueued | TakeBackQueued | KeepDraft | KeepEdits


class ToolOffer(msgspec.Struct, frozen=True):
    """A tool that could be on offer."""

    spec: ToolSpec
    # What its schema takes of each request.
    tokens: int
    # Not switched off in the settings.
    is_on: bool = True


class ToolsListed(EngineResponse, frozen=True):
    """All tools of a conversation, and servers of tools that do not respond."""

    tools: tuple[ToolOffer, ...]
    # What those that are on take of each request together, with what introduces them.
    tokens: int = 0
    folder: str = ""
    failures: tuple[Failure, ...] = ()


class SpillRead(EngineResponse, frozen=True):
    """Lines of a whole output: their numbers, counted from 1, and texts."""

    lines: tuple[tuple[int, str], ...]
    # How many lines there are, or were found.
    total: int
    bytes: int


class MemoriesListed(EngineResponse, frozen=True):
    """What is remembered, oldest first."""

    memories: tuple[Memory, ...]
    # Tokens of the memories in the next request of `conversation`, and the most that they may take.
    tokens: int
    most: int
    # "" for a conversation that does not exist yet.
    conversation: str = ""
    # The working folder of the conversation, and the id of its project; "" for none.
    folder: str = ""
    project: str = ""
    # Whether there are changes that are not in the next request yet: see `record_request_context`.
    is_pending: bool = False


class RecalledFound(EngineResponse, frozen=True):
    """The ids of a message that was recalled, and of its conversation."""

    conversation: str
    message: str


class ListTools(ConversationRequest[ToolsListed], frozen=True): ...


class ReadSpill(EngineRequest[SpillRead], frozen=True):
    """Read lines of a whole output, those with `query` in them if it is given."""

    spill: str
    query: str = ""
    offset: int = 0
    limit: int = 2_000


class ListMemories(EngineRequest[MemoriesListed], frozen=True):
    conversation: str = ""


class WriteMemory(EngineRequest[MemoriesListed], frozen=True):
    """Store a memory; an id that is not known yet makes a new one."""

    memory: Memory
    conversation: str = ""


class FindRecalled(EngineRequest[RecalledFound], frozen=True):
    """Find a message that a result of `recall` names."""

    # How the id of its conversation begins.
    conversation: str
    index: int


ToolRequest = ListTools | ReadSpill | ListMemories | WriteMemory | FindRecalled


class FileAttached(EngineResponse, frozen=True):
    """A file as it is sent."""

    attachment: Attachment


class AttachmentsCounted(EngineResponse, frozen=True):
    """Tokens of each attachment as the model of the conversation gets it."""

    tokens: tuple[int, ...]
    # Who looks at images: "" for the model itself, else the name of the one that describes them; None for nobody.
    image_reader: str | None = ""


class FilesCompleted(EngineResponse, frozen=True):
    """Files of the working folder whose paths fit, best first."""

    # "" where none was chosen.
    folder: str
    # Relative to the folder.
    paths: tuple[str, ...]


class AttachFile(EngineRequest[FileAttached], frozen=True):
    """Read a file as an attachment. name: what it is called; "" for the name of the file."""

    path: str
    name: str = ""


class AttachImage(EngineRequest[FileAttached], frozen=True):
    """Scale an image down to what providers take; `content` is of one of the kinds that are sent."""

    name: str
    content: bytes


class CountAttachments(ConversationRequest[AttachmentsCounted], frozen=True):
    attachments: tuple[Attachment, ...]


class ReadAttachment(ConversationRequest[SpillRead], frozen=True):
    """Read lines of a text that was attached to a message, those with `query` in them if it is given."""

    message_id: str
    # Among the parts of the message.
    part: int
    query: str = ""
    offset: int = 0
    limit: int = 2_000


class CompletePath(ConversationRequest[FilesCompleted], frozen=True):
    """Find files by a part of their paths."""

    query: str
    limit: int = 8


class RunCommand(ConversationRequest[FileAttached], frozen=True):
    """Run a command that the user has typed, in the working folder, and attach its output.

    key: names it for StopCommand; then it fails with the kind "cancelled".
    """

    command: str
    key: str = ""


class StopCommand(EngineRequest[Done], frozen=True):
    """End a command that still runs, with its children."""

    key: str


class GraphicsDrawn(EngineResponse, frozen=True):
    """A drawing of each graphic, in their order."""

    drawings: tuple[Drawing, ...]


class DrawGraphics(EngineRequest[GraphicsDrawn], frozen=True):
    """Draw formulas and diagrams of a message."""

    graphics: tuple[Graphic, ...]


AttachmentRequest = (
    AttachFile
    | AttachImage
    | CountAttachments
    | ReadAttachment
    | CompletePath
    | RunCommand
    | StopCommand
    | DrawGraphics
)
