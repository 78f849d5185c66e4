"""Requests about conversations, their settings, and projects."""

from __future__ import annotations

from desktop_app.conversation.conversation_outline import OutlineLine
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
    """All conversations, newest first, and all projects, sorted by name."""

    conversations: tuple[ConversationInfo, ...]
    projects: tuple[Project, ...] = ()


class ConversationOpened(EngineResponse, frozen=True):
    """The current state of a conversation."""

    conversation: ConversationInfo
    model: ModelInfo
    # The newest page of messages, and the number of all messages.
    rows: tuple[MessageRow, ...]
    total: int
    operations: tuple[OperationRow, ...]
    # None while its record is being read: `FiguresCounted` follows with the gauge and the totals.
    gauge: Gauge | None
    is_running: bool = False
    # Unanswered questions.
    questions: tuple[QuestionAsked, ...] = ()
    pins: tuple[MessageRow, ...] = ()
    # The conversation's cost so far.
    totals: Totals = Totals()
    # The messages that follow the newest one in other branches.
    other_versions: tuple[str, ...] = ()
    # The message that is being written.
    draft: MessageDraft = MessageDraft()
    # Unsent edits of sent messages, by the messages' ids, the latest last.
    edits: dict[str, str] = {}  # noqa: RUF012 (msgspec copies it)
    queue: tuple[QueuedMessage, ...] = ()
    # Whether the queue waits for the user, even after a turn that finished.
    is_paused: bool = False
    # Whether the folder does not exist on this computer, such as after an import from another one.
    is_folder_missing: bool = False


class MessagesRead(EngineResponse, frozen=True):
    """A page of messages, in order, and the number of all messages."""

    rows: tuple[MessageRow, ...]
    total: int


class MessagesFound(EngineResponse, frozen=True):
    """Search results, best first."""

    results: tuple[SearchResult, ...]
    # Whether all messages are indexed for filters; an older archive's messages are indexed in the background.
    is_complete: bool = True


class SearchValuesListed(EngineResponse, frozen=True):
    """The values that search filters may have."""

    values: SearchValues


class TextFound(EngineResponse, frozen=True):
    """The messages of a conversation that contain a text, in order; only the newest if there are very many."""

    ids: tuple[str, ...]
    indexes: tuple[int, ...]
    # How often each of them contains it.
    places: tuple[int, ...]
    is_all: bool = True


class OutlineRead(EngineResponse, frozen=True):
    """The outline of the branch that is shown, in its order."""

    lines: tuple[OutlineLine, ...]


class VersionsRead(EngineResponse, frozen=True):
    """The versions of the message at which the current branch last diverges from another, and their number."""

    versions: tuple[VersionRow, ...]
    total: int = 0


class ConversationExported(EngineResponse, frozen=True):
    """A conversation was written to a file, of `bytes` bytes."""

    path: str
    bytes: int


class ListConversations(EngineRequest[ConversationsListed], frozen=True): ...


class ListDeleted(EngineRequest[ConversationsListed], frozen=True):
    """List the deleted conversations that can be restored."""


class CreateConversation(EngineRequest[ConversationOpened], frozen=True):
    title: str = ""
    persona: str = ""
    """The name of its first persona; "" for none."""
    project: str = ""
    """The id of the project in which it is created; "" for none."""


class OpenConversation(ConversationRequest[ConversationOpened], frozen=True): ...


class ChooseModel(ConversationRequest[ConversationOpened], frozen=True):
    model: str


class ModelPreviewed(EngineResponse, frozen=True):
    preview: SwitchPreview


class PreviewModel(ConversationRequest[ModelPreviewed], frozen=True):
    """Preview the effect of choosing a model for the conversation."""

    model: str


class ChooseFolder(ConversationRequest[ConversationOpened], frozen=True):
    """Choose the working folder; NO_FOLDER for none, "" for the project's."""

    folder: str


class StartFresh(ConversationRequest[ConversationOpened], frozen=True):
    """Create the conversation of a plan for a fresh start, once, with the summary as last edited."""

    plan: str
    summary: str


class ShowVersion(ConversationRequest[ConversationOpened], frozen=True):
    """Switch to the most recently used branch that contains that message."""

    message_id: str


class Fork(ConversationRequest[ConversationOpened], frozen=True):
    """Copy the messages up to that one into a new conversation."""

    message_id: str = ""
    """"" for the newest."""


class ReadVersions(ConversationRequest[VersionsRead], frozen=True):
    """Read the versions of the newest message of the current branch that has several; empty if none has."""


class Rename(ConversationRequest[ConversationsListed], frozen=True):
    title: str


class Delete(EngineRequest[ConversationsListed], frozen=True):
    """Remove conversations from the list; nothing is erased."""

    conversations: tuple[str, ...]


class Restore(EngineRequest[ConversationsListed], frozen=True):
    """Put deleted conversations back into the list."""

    conversations: tuple[str, ...]


class Arrange(EngineRequest[ConversationsListed], frozen=True):
    """Change the place of conversations in the list. A field that is None is not changed."""

    conversations: tuple[str, ...]
    is_pinned: bool | None = None
    is_put_away: bool | None = None


class ReadMessages(ConversationRequest[MessagesRead], frozen=True):
    """Read the newest messages of the current branch whose index is less than `before`."""

    before: int
    limit: int = PAGE
    # The id of a message that the page must contain instead; nothing is read if it is on another branch.
    around: str = ""


class SearchMessages(EngineRequest[MessagesFound], frozen=True):
    """Search all messages. Without words, return the newest messages that pass the filters."""

    query: str
    conversation: str | None = None
    limit: int = SEARCH_LIMIT
    filters: SearchFilters = NO_FILTERS


class ListSearchValues(EngineRequest[SearchValuesListed], frozen=True): ...


class FindText(ConversationRequest[TextFound], frozen=True):
    """Find an exact text in the messages of the branch that is shown."""

    text: str


class ReadOutline(ConversationRequest[OutlineRead], frozen=True): ...


class ExportConversation(ConversationRequest[ConversationExported], frozen=True):
    """Write a conversation to a file. An existing file is left as it is, with a failure of the kind "exists"."""

    path: str
    format: str = "markdown"
    """Or "html", or "json" for JSON Lines, which can be imported again."""
    scope: str = "record"
    """The messages to write: all of the "record", or the "view", which is what the model sees now."""
    is_replacing: bool = False
    """Replace a file that exists already."""
    first: str = ""
    """The id of the first message to write; "" for the conversation's first."""
    last: str = ""
    """The id of the last message to write; "" for the newest."""


OpeningRequest = CreateConversation | OpenConversation | ChooseModel | ChooseFolder | StartFresh | ShowVersion | Fork
"""Requests whose response is the conversation that the window shows next."""
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
    | ReadOutline
    | PreviewModel
    | ExportConversation
)


class ProjectsListed(EngineResponse, frozen=True):
    """All projects that are not deleted, sorted by name."""

    projects: tuple[Project, ...]
    # The id of the project that was saved, deleted or restored; "" if projects were only listed.
    changed: str = ""


class InstructionsCounted(EngineResponse, frozen=True):
    """Tokens that instructions would take in each request, with their label."""

    tokens: int


class ListProjects(EngineRequest[ProjectsListed], frozen=True): ...


class SaveProject(EngineRequest[ProjectsListed], frozen=True):
    """Change the project with that id, or create one with a new id if the id is ""."""

    project: Project


class DeleteProject(EngineRequest[ProjectsListed], frozen=True):
    """Delete a project. Its conversations stay, without a project until it is restored."""

    project_id: str


class RestoreProject(EngineRequest[ProjectsListed], frozen=True):
    """Restore a project, with the conversations that were not moved in the meantime."""

    project_id: str


class MoveConversations(EngineRequest[ConversationsListed], frozen=True):
    """Move conversations into a project; "" for none."""

    conversations: tuple[str, ...]
    project: str


class CountInstructions(EngineRequest[InstructionsCounted], frozen=True):
    """Count the tokens of instructions. model: whose tokenizer to use; "" for the model of the settings."""

    text: str
    model: str = ""


class SetupRead(EngineResponse, frozen=True):
    """The settings of a conversation, and the values to choose from."""

    setup: ConversationSetup
    # As in the next request; "" for none.
    system_prompt: str
    # The parameters that its model accepts; others are not sent.
    supported: tuple[OptionName, ...]
    # Names of the tools that the settings offer.
    tools: tuple[str, ...] = ()
    # The origin of its newest import; None if it was not imported.
    imported: Imported | None = None


class ReadSetup(ConversationRequest[SetupRead], frozen=True): ...


class ChangeSetup(ConversationRequest[ConversationOpened], frozen=True):
    """Change the settings of a conversation from the next request on. model, folder, policy: None if unchanged."""

    setup: ConversationSetup
    model: str | None = None
    folder: str | None = None
    policy: str | None = None
