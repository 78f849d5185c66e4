"""Requests about conversations, their settings, and projects."""

from __future__ import annotations

from desktop_app.conversation.events import MessageRow, OperationRow, QuestionAsked
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import (
    NO_FILTERS,
    SEARCH_LIMIT,
    ConversationInfo,
    ModelInfo,
    SearchFilters,
    SearchResult,
    SearchValues,
    SwitchPreview,
)
from desktop_app.conversation.message import MessageDraft, Totals
from desktop_app.conversation.message_rows import VersionRow
from desktop_app.conversation.setup import ConversationSetup, OptionName, Project
from desktop_app.conversation.transcript import Imported
from desktop_app.conversation.unsent import QueuedMessage

from .base import PAGE, ConversationRequest, EngineRequest, EngineResponse


class ConversationsListed(EngineResponse, frozen=True):
    """All conversations, newest first, and all projects by their names."""

    conversations: tuple[ConversationInfo, ...]
    projects: tuple[Project, ...] = ()


class ConversationOpened(EngineResponse, frozen=True):
    """A conversation as it is now."""

    conversation: ConversationInfo
    model: ModelInfo
    # The newest page of messages, and how many there are in all.
    rows: tuple[MessageRow, ...]
    total: int
    operations: tuple[OperationRow, ...]
    # None while its record is being read: `FiguresCounted` follows, with the totals.
    gauge: Gauge | None
    is_running: bool = False
    # Questions that wait for an answer.
    questions: tuple[QuestionAsked, ...] = ()
    pins: tuple[MessageRow, ...] = ()
    # What the conversation has cost so far.
    totals: Totals = Totals()
    # The messages that follow the newest one in other branches.
    other_versions: tuple[str, ...] = ()
    # What was written and is not sent.
    draft: MessageDraft = MessageDraft()
    # The edits of sent messages that were not sent, by the messages' ids, the latest last.
    edits: dict[str, str] = {}  # noqa: RUF012 (msgspec copies it)
    queue: tuple[QueuedMessage, ...] = ()
    # Whether the queue waits for the user's word, even after a turn that finished.
    is_paused: bool = False
    # Whether its folder is not on this computer, as of a session that was imported from another one.
    is_folder_missing: bool = False


class MessagesRead(EngineResponse, frozen=True):
    """A page of messages in their order, and how many there are in all."""

    rows: tuple[MessageRow, ...]
    total: int


class MessagesFound(EngineResponse, frozen=True):
    """Search results, best first."""

    results: tuple[SearchResult, ...]
    # Whether all messages are known to the filters, which those of an older archive become in the background.
    is_complete: bool = True


class SearchValuesListed(EngineResponse, frozen=True):
    """What search filters may name."""

    values: SearchValues


class TextFound(EngineResponse, frozen=True):
    """The messages of a conversation with a text, in their order: the newest, if there are very many."""

    ids: tuple[str, ...]
    indexes: tuple[int, ...]
    # How often each of them has it.
    places: tuple[int, ...]
    is_all: bool = True


class VersionsRead(EngineResponse, frozen=True):
    """The versions of the message at which the current branch last parts from another, and how many there are."""

    versions: tuple[VersionRow, ...]
    total: int = 0


class ConversationExported(EngineResponse, frozen=True):
    """A conversation was written to a file of that size."""

    path: str
    bytes: int


class ListConversations(EngineRequest[ConversationsListed], frozen=True): ...


class ListDeleted(EngineRequest[ConversationsListed], frozen=True):
    """List the deleted conversations that can be restored."""


class CreateConversation(EngineRequest[ConversationOpened], frozen=True):
    title: str = ""
    persona: str = ""
    """The name of the persona that it begins with; "" for none."""
    project: str = ""
    """The id of the project in which it begins; "" for none."""


class OpenConversation(ConversationRequest[ConversationOpened], frozen=True): ...


class ChooseModel(ConversationRequest[ConversationOpened], frozen=True):
    model: str


class ModelPreviewed(EngineResponse, frozen=True):
    preview: SwitchPreview


class PreviewModel(ConversationRequest[ModelPreviewed], frozen=True):
    """Tell what choosing that model would mean for the conversation."""

    model: str


class ChooseFolder(ConversationRequest[ConversationOpened], frozen=True):
    """Choose the working folder; NO_FOLDER for none, "" for that of the project."""

    folder: str


class StartFresh(ConversationRequest[ConversationOpened], frozen=True):
    """Create the conversation of a plan for a fresh start, once; with the summary as it was edited last."""

    plan: str
    summary: str


class ShowVersion(ConversationRequest[ConversationOpened], frozen=True):
    """Switch to the branch with that message that was used last."""

    message_id: str


class Fork(ConversationRequest[ConversationOpened], frozen=True):
    """Create a conversation that begins as this one does, up to that message."""

    message_id: str = ""
    """"" for the newest one."""


class ReadVersions(ConversationRequest[VersionsRead], frozen=True):
    """Read the versions of the newest message of the current branch that has some; none if none has."""


class Rename(ConversationRequest[ConversationsListed], frozen=True):
    title: str


class Delete(EngineRequest[ConversationsListed], frozen=True):
    """Take conversations from the list; nothing is erased."""

    conversations: tuple[str, ...]


class Restore(EngineRequest[ConversationsListed], frozen=True):
    """Put deleted conversations back on the list."""

    conversations: tuple[str, ...]


class Arrange(EngineRequest[ConversationsListed], frozen=True):
    """Change where conversations stand in the list. None: as it is."""

    conversations: tuple[str, ...]
    is_pinned: bool | None = None
    is_put_away: bool | None = None


class ReadMessages(ConversationRequest[MessagesRead], frozen=True):
    """Read the newest messages of the current branch whose index is less than `before`."""

    before: int
    limit: int = PAGE
    # A message to be among them instead; nothing is read if it is of another branch.
    around: str = ""


class SearchMessages(EngineRequest[MessagesFound], frozen=True):
    """Search in everything that was said. Without words, the newest messages that the filters leave are found."""

    query: str
    conversation: str | None = None
    limit: int = SEARCH_LIMIT
    filters: SearchFilters = NO_FILTERS


class ListSearchValues(EngineRequest[SearchValuesListed], frozen=True): ...


class FindText(ConversationRequest[TextFound], frozen=True):
    """Find a text, as it stands, in the messages of the branch that is shown."""

    text: str


class ExportConversation(ConversationRequest[ConversationExported], frozen=True):
    """Write a conversation to a file. A file that is there already stays, with a failure of the kind "exists"."""

    path: str
    format: str = "markdown"
    """Or "html", or "json": JSON Lines, which can be imported again."""
    scope: str = "record"
    """All that was said, or "view": what the model sees now."""
    is_replacing: bool = False
    """Replace a file that is there already."""
    first: str = ""
    """The id of the message from which on it is written; "" for the first one."""
    last: str = ""
    """The id of the message up to which it is written; "" for the newest one."""


OpeningRequest = CreateConversation | OpenConversation | ChooseModel | ChooseFolder | StartFresh | ShowVersion | Fork
"""What is answered with a conversation that the window shows next."""
ConversationsRequest = (
    OpeningRequest
    | ListConversations
    | ListDeleted
    | Rename
    | Delete
    | Restore
    | Arrange
    | ReadMessages
    | ReadVersions
    | SearchMessages
    | ListSearchValues
    | FindText
    | PreviewModel
    | ExportConversation
)


class ProjectsListed(EngineResponse, frozen=True):
    """All projects that are not deleted, by their names."""

    projects: tuple[Project, ...]
    # The id of the one that was saved, deleted or restored; "" after a mere question.
    changed: str = ""


class InstructionsCounted(EngineResponse, frozen=True):
    """What instructions would take of each request, with their label."""

    tokens: int


class ListProjects(EngineRequest[ProjectsListed], frozen=True): ...


class SaveProject(EngineRequest[ProjectsListed], frozen=True):
    """Create a project, or change the one of that id; its conversations follow. "" makes one with a new id."""

    project: Project


class DeleteProject(EngineRequest[ProjectsListed], frozen=True):
    """Delete a project; its conversations stay, and are in none until it is restored."""

    project_id: str


class RestoreProject(EngineRequest[ProjectsListed], frozen=True):
    """Restore a project, and take back those of its conversations that were not moved meanwhile."""

    project_id: str


class MoveConversations(EngineRequest[ConversationsListed], frozen=True):
    """Move conversations into a project; "" for none."""

    conversations: tuple[str, ...]
    project: str


class CountInstructions(EngineRequest[InstructionsCounted], frozen=True):
    """Count instructions as that model does; "" for that of the settings."""

    text: str
    model: str = ""


ProjectRequest = ListProjects | SaveProject | DeleteProject | RestoreProject | MoveConversations | CountInstructions


class SetupRead(EngineResponse, frozen=True):
    """What a conversation has of its own, and what there is to choose from."""

    setup: ConversationSetup
    # As the next request will have it; "" for none.
    system_prompt: str
    # The parameters that its model takes; the others are not sent.
    supported: tuple[OptionName, ...]
    # Names of the tools that the settings offer.
    tools: tuple[str, ...] = ()
    # Where the newest import of it came from; None if it began here.
    imported: Imported | None = None


class ReadSetup(ConversationRequest[SetupRead], frozen=True): ...


class ChangeSetup(ConversationRequest[ConversationOpened], frozen=True):
    """Hold the conversation so from the next request on. model, folder and policy None: as they are."""

    setup: ConversationSetup
    model: str | None = None
    folder: str | None = None
    policy: str | None = None


SetupRequest = ReadSetup | ChangeSetup
