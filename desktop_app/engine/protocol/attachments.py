"""What is attached to a message: files that are read for it, their tokens, and the text of those that were sent.

And the graphics that it writes as text.
"""

from __future__ import annotations

from desktop_app.conversation.graphics import Drawing, Graphic
from desktop_app.conversation.message import Attachment

from .base import ConversationRequest, Done, EngineRequest, EngineResponse
from .tools import SpillRead


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
