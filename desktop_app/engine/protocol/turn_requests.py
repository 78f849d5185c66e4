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
    """Begin a turn. The response is sent at once; events report the turn."""


class Send(BeginTurn, frozen=True):
    """Send a message, or queue it while a turn is running. The response is sent once the message is stored.

    is_now: stop the running turn instead of queueing, and keep its partial reply. is_draft: the message comes from the
    composer, so the stored draft, which may be an older one, is cleared in the transaction that stores the message.
    is_steering: let it enter the running turn with the turn's next request.
    """

    text: str
    attachments: tuple[Attachment, ...] = ()
    is_now: bool = False
    is_draft: bool = False
    is_steering: bool = False


class EditMessage(BeginTurn, frozen=True):
    """Send an edited version of a user message, on a new branch, with these attachments."""

    message_id: str
    text: str
    attachments: tuple[Attachment, ...] = ()


class StartResearch(BeginTurn, frozen=True):
    """Research a question on the web; otherwise like Send."""

    question: str
    is_now: bool = False
    is_draft: bool = False


class Regenerate(BeginTurn, frozen=True):
    """Answer a user message again, on a new branch: the newest one, or the one that a reply answers."""

    # The id of that reply; "" for the newest.
    reply_id: str = ""


class GoOn(BeginTurn, frozen=True):
    """Request the missing reply; the results of tools are kept."""

    # Make room first, on the user's request.
    makes_room: bool = False
    # Send the request even if the window is nearly full.
    is_forced: bool = False
    # Seconds since 1970: wait until then before the request, if that is in the future.
    not_before: float = 0.0


class ContinueReply(BeginTurn, frozen=True):
    """Let the model continue the newest reply, which was cut off or interrupted."""


class ShortenMessage(BeginTurn, frozen=True):
    """Send a shortened version of the newest message, which does not fit, on a new branch.

    as_file: store the full text as a file that the model can read; otherwise, only the beginning and the end are sent.
    """

    as_file: bool


class Stop(ConversationRequest[Done], frozen=True):
    """Stop the turn. The response is sent when it has ended."""


class StopTool(ConversationRequest[Done], frozen=True):
    """Stop a tool call, identified as in ToolStarted; ToolFinished follows, and the turn continues.

    Does nothing if the call is not running.
    """

    reply_id: str
    call_index: int


class StopRoom(ConversationRequest[Done], frozen=True):
    """Stop making room, and a turn that waits for it. The response is sent when both have ended."""


class AnswerQuestion(ConversationRequest[Done], frozen=True):
    """Answer a tool's question; an answer that comes too late has no effect."""

    question: str
    answer: PermissionAnswer


class UseOwnWindow(ConversationRequest[Done], frozen=True):
    """Forget the learned size of the model's window, and trust the stated one; GaugeChanged follows."""


class CountDraft(ConversationRequest[DraftCounted], frozen=True):
    text: str


class SendQueued(ConversationRequest[Done], frozen=True):
    """Stop the running turn, keep its partial reply, and send a queued message. The other queued messages follow."""

    message_id: str


class SteerQueued(ConversationRequest[Done], frozen=True):
    """Let a queued message enter the running turn with the turn's next request."""

    message_id: str


class RemoveQueued(ConversationRequest[Done], frozen=True):
    message_id: str


class DraftRead(EngineResponse, frozen=True):
    """The new content of the composer."""

    draft: MessageDraft


class TakeBackQueued(ConversationRequest[DraftRead], frozen=True):
    """Move a message from the queue back into the composer, in front of the current draft."""

    message_id: str
    draft: MessageDraft


class KeepDraft(ConversationRequest[Done], frozen=True):
    """Store the draft, so that it survives a restart. attachments: None if unchanged since they were last stored."""

    text: str
    attachments: tuple[Attachment, ...] | None = None


class KeepEdits(ConversationRequest[Done], frozen=True):
    """Store the new texts of sent messages that are being edited, so that they survive a restart.

    edits: texts by message id, the latest last; they replace all stored edits.
    """

    edits: dict[str, str]


class ToolOffer(msgspec.Struct, frozen=True):
    """A tool that can be offered to the model."""

    spec: ToolSpec
    # Tokens of its schema in each request.
    tokens: int
    # False if it is switched off in the settings.
    is_on: bool = True


class ToolsListed(EngineResponse, frozen=True):
    """All tools of a conversation, and the failures of tool servers that do not respond."""

    tools: tuple[ToolOffer, ...]
    # Tokens of the enabled tools in each request, with the text that introduces them.
    tokens: int = 0
    folder: str = ""
    failures: tuple[Failure, ...] = ()


class SpillRead(EngineResponse, frozen=True):
    """Lines of a full output: their numbers, counted from 1, and their texts."""

    lines: tuple[tuple[int, str], ...]
    # The number of all lines, or of the lines that contain the query.
    total: int
    bytes: int


class MemoriesListed(EngineResponse, frozen=True):
    """The memories, oldest first."""

    memories: tuple[Memory, ...]
    # Tokens of the memories in the next request of `conversation`, and their limit.
    tokens: int
    most: int
    # The conversation's id; "" if it does not exist yet.
    conversation: str = ""
    # The working folder of the conversation, and the id of its project; "" for none.
    folder: str = ""
    project: str = ""
    # Whether there are changes that the next request does not include yet: see `record_request_context`.
    is_pending: bool = False


class RecalledFound(EngineResponse, frozen=True):
    """The ids of a recalled message and of its conversation."""

    conversation: str
    message: str


class ListTools(ConversationRequest[ToolsListed], frozen=True): ...


class ReadSpill(EngineRequest[SpillRead], frozen=True):
    """Read lines of a full output; only those that contain `query` if it is not empty."""

    spill: str
    query: str = ""
    offset: int = 0
    limit: int = 2_000


class ListMemories(EngineRequest[MemoriesListed], frozen=True):
    conversation: str = ""


class WriteMemory(EngineRequest[MemoriesListed], frozen=True):
    """Store a memory; an unknown id creates a new one."""

    memory: Memory
    conversation: str = ""


class FindRecalled(EngineRequest[RecalledFound], frozen=True):
    """Find a message that a result of the `recall` tool refers to."""

    # The beginning of its conversation's id.
    conversation: str
    index: int


class FileAttached(EngineResponse, frozen=True):
    """The file as an attachment. pages: its pages that are only pictures."""

    attachment: Attachment
    pages: tuple[Attachment, ...] = ()


class AttachmentsCounted(EngineResponse, frozen=True):
    """Tokens of each attachment, as the conversation's model gets it."""

    tokens: tuple[int, ...]
    # The name of the model that describes images, "" if the chat model sees them itself, None if no model can.
    image_reader: str | None = ""


class FilesCompleted(EngineResponse, frozen=True):
    """Files of the working folder whose paths match, best first."""

    # "" if no folder was chosen.
    folder: str
    # Relative to the folder.
    paths: tuple[str, ...]


class AttachFile(EngineRequest[FileAttached], frozen=True):
    """Read a file as an attachment. name: the attachment's name; "" for the file's name."""

    path: str
    name: str = ""


class AttachImage(EngineRequest[FileAttached], frozen=True):
    """Scale an image down to what providers accept; `content` has one of the media types that are sent."""

    name: str
    content: bytes


class CountAttachments(ConversationRequest[AttachmentsCounted], frozen=True):
    attachments: tuple[Attachment, ...]


class ReadAttachment(ConversationRequest[SpillRead], frozen=True):
    """Read lines of a text that was attached to a message; only those that contain `query` if it is not empty."""

    message_id: str
    # Index among the parts of the message.
    part: int
    query: str = ""
    offset: int = 0
    limit: int = 2_000


class CompletePath(ConversationRequest[FilesCompleted], frozen=True):
    """Find files by part of their path."""

    query: str
    limit: int = 8


class RunCommand(ConversationRequest[FileAttached], frozen=True):
    """Run a command that the user has typed in the working folder, and attach its output.

    key: identifies it for StopCommand, after which this request fails with the kind "cancelled".
    """

    command: str
    key: str = ""


class StopCommand(EngineRequest[Done], frozen=True):
    """End a running command with its child processes."""

    key: str


class GraphicsDrawn(EngineResponse, frozen=True):
    """A drawing of each graphic, in the same order."""

    drawings: tuple[Drawing, ...]


class DrawGraphics(EngineRequest[GraphicsDrawn], frozen=True):
    """Draw the formulas and diagrams of a message."""

    graphics: tuple[Graphic, ...]
