"""What crosses the border between the window and the engine: frozen values as JSON lines.

The window writes `Ask` lines to the engine's standard input; the engine writes `Answer` and `Happened` lines to
its standard output. Every `Ask` gets exactly one `Answer` of the same number; events come whenever they happen.
An event leaves the engine only after what it tells is stored. Change a shape, and raise VERSION.
"""

from __future__ import annotations

import msgspec

from desktop_app.conversation.events import Failure, MessageRow, OperationRow, QuestionAsked, TurnEvent
from desktop_app.conversation.facts import Fidelity
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import ConversationInfo, ModelInfo, SearchResult
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Attachment, Usage
from desktop_app.conversation.surrogates import replace_surrogates_in_builtins
from desktop_app.conversation.tools import PermissionAnswer, ToolSpec
from desktop_app.conversation.totals import Totals
from desktop_app.settings import Server, ServerKind, Settings

VERSION = 6
PAGE = 60  # messages in one page: small enough to be decoded and laid out well under 50 ms


class EngineRequest(msgspec.Struct, frozen=True, tag=True):
    """Something the window asks for. The comment behind each names its answer."""


class Hello(EngineRequest, frozen=True):  # Welcome
    version: int


class ListConversations(EngineRequest, frozen=True):  # Conversations
    pass


class CreateConversation(EngineRequest, frozen=True):  # Opened
    title: str = ""


class OpenConversation(EngineRequest, frozen=True):  # Opened, with the newest page of messages
    conversation: str


class ReadMessages(EngineRequest, frozen=True):  # Messages; those with index < before, newest page
    conversation: str
    before: int
    limit: int = PAGE


class ReadOperation(EngineRequest, frozen=True):  # Messages: what an operation archived or pruned, filtered by `query`
    conversation: str
    operation: str
    query: str = ""
    offset: int = 0
    limit: int = PAGE


class Send(EngineRequest, frozen=True):  # Done at once; the turn follows as events
    conversation: str
    text: str
    attachments: tuple[Attachment, ...] = ()


class Stop(EngineRequest, frozen=True):  # Done when the turn has ended
    conversation: str


class StopTool(EngineRequest, frozen=True):  # Done at once; ToolFinished follows, and the turn goes on
    conversation: str
    reply_id: str  # with `place` as ToolStarted has them; a call that does not run stays as it is
    place: int


class AnswerQuestion(EngineRequest, frozen=True):  # Done; an answer that comes too late changes nothing
    conversation: str
    question: str
    answer: PermissionAnswer


class Research(EngineRequest, frozen=True):  # Done at once; the turn follows as events
    conversation: str
    question: str


class StartFresh(EngineRequest, frozen=True):  # Opened: a new conversation that begins with the summary of this one
    conversation: str


class SendAnyway(
    EngineRequest, frozen=True
):  # Done at once; the missing answer follows, though little is left of the window
    conversation: str


class UseOwnWindow(
    EngineRequest, frozen=True
):  # Done; GaugeChanged tells that what was learned of the window is forgotten
    conversation: str


class OptimizeAndRetry(
    EngineRequest, frozen=True
):  # Done at once; room is made by the user's word, then the turn goes on
    conversation: str


class ChooseFolder(EngineRequest, frozen=True):  # Opened; "" for none
    conversation: str
    folder: str


class ListTools(EngineRequest, frozen=True):  # Tools: all that could be on offer in this conversation
    conversation: str


class ReadSpill(
    EngineRequest, frozen=True
):  # SpillRead: lines of a whole output, those with `query` in them if it is given
    spill: str
    query: str = ""
    offset: int = 0
    limit: int = 2_000


class ListMemories(EngineRequest, frozen=True):  # Memories, with the tokens of those that are sent in that conversation
    conversation: str = ""


class WriteMemory(EngineRequest, frozen=True):  # Memories; an id that is not known yet is a new one
    memory: Memory
    conversation: str = ""


class ExportConversation(EngineRequest, frozen=True):  # Exported; format "markdown" or "json"
    conversation: str
    path: str
    format: str = "markdown"


class GoOn(
    EngineRequest, frozen=True
):  # Done at once; the missing answer follows as events, what tools have done stays
    conversation: str


class Regenerate(EngineRequest, frozen=True):  # Done at once; the turn follows as events
    conversation: str


class Rename(EngineRequest, frozen=True):  # Conversations
    conversation: str
    title: str


class Delete(EngineRequest, frozen=True):  # Conversations; nothing is erased
    conversation: str


class Restore(EngineRequest, frozen=True):  # Conversations
    conversation: str


class ChooseModel(EngineRequest, frozen=True):  # Opened
    conversation: str
    model: str


class CountDraft(EngineRequest, frozen=True):  # DraftCounted
    conversation: str
    text: str


class PlanOptimize(EngineRequest, frozen=True):  # Plan; tail_tokens None and strategy "": the policy's
    conversation: str
    tail_tokens: int | None = None
    strategy: str = ""


class WriteSummary(
    EngineRequest, frozen=True
):  # Plan, once a model has written its summary; RoomProgress events before
    conversation: str
    plan: str
    instructions: str = ""


class CancelSummary(
    EngineRequest, frozen=True
):  # Done; WriteSummary is answered with a failure of the kind "cancelled"
    conversation: str


class StopRoom(
    EngineRequest, frozen=True
):  # Done when no room is being made any more; a turn that waits for it is stopped
    conversation: str


class CheckSummary(EngineRequest, frozen=True):  # Plan, with the edited summary measured and checked
    conversation: str
    plan: str
    summary: str


class ApplyPlan(EngineRequest, frozen=True):  # Done; a ViewChanged event tells what changed
    conversation: str
    plan: str
    summary: str


class UndoOperation(EngineRequest, frozen=True):  # Done
    conversation: str
    operation: str


class RedoOperation(EngineRequest, frozen=True):  # Done
    conversation: str
    operation: str


class BringBackMessages(EngineRequest, frozen=True):  # Done
    conversation: str
    messages: tuple[str, ...]


class PinMessage(EngineRequest, frozen=True):  # Done
    conversation: str
    message: str


class UnpinMessage(EngineRequest, frozen=True):  # Done
    conversation: str
    message: str


class Search(EngineRequest, frozen=True):  # Found
    query: str
    conversation: str | None = None
    limit: int = 50


class ImportFile(EngineRequest, frozen=True):  # Imported
    path: str


class ReadSettings(EngineRequest, frozen=True):  # SettingsRead
    pass


class WriteSettings(EngineRequest, frozen=True):  # SettingsRead; keys by server name; an empty key removes it
    settings: Settings
    keys: dict[str, str] = {}


class Discover(EngineRequest, frozen=True):  # Discovered: servers that could be set up; at most 1.5 s
    pass


class ProposeModels(EngineRequest, frozen=True):  # Proposed: names of models for a server of that kind
    kind: ServerKind


class ListModels(EngineRequest, frozen=True):  # Models
    pass


class Shutdown(EngineRequest, frozen=True):  # Done, then the engine ends
    pass


AnyWish = (
    Hello
    | ListConversations
    | CreateConversation
    | OpenConversation
    | ReadMessages
    | ReadOperation
    | Send
    | Stop
    | StopTool
    | AnswerQuestion
    | Research
    | StartFresh
    | OptimizeAndRetry
    | SendAnyway
    | UseOwnWindow
    | ChooseFolder
    | ListTools
    | ReadSpill
    | ListMemories
    | WriteMemory
    | ExportConversation
    | GoOn
    | Regenerate
    | Rename
    | Delete
    | Restore
    | ChooseModel
    | CountDraft
    | PlanOptimize
    | WriteSummary
    | CancelSummary
    | StopRoom
    | CheckSummary
    | ApplyPlan
    | UndoOperation
    | RedoOperation
    | BringBackMessages
    | PinMessage
    | UnpinMessage
    | Search
    | ImportFile
    | ReadSettings
    | WriteSettings
    | Discover
    | ProposeModels
    | ListModels
    | Shutdown
)


ConversationWish = (
    ReadMessages
    | ReadOperation
    | CountDraft
    | PlanOptimize
    | WriteSummary
    | CheckSummary
    | ApplyPlan
    | UndoOperation
    | RedoOperation
    | BringBackMessages
    | PinMessage
    | UnpinMessage
    | UseOwnWindow
    | ListTools
    | ExportConversation
)
"""Wishes about one open conversation."""


class EngineResponse(msgspec.Struct, frozen=True, tag=True):
    """Something the engine answers with."""


class Done(EngineResponse, frozen=True):
    """It was done, and is stored."""


class Welcome(EngineResponse, frozen=True):
    """The engine is ready. warnings: what the user should know of the start, such as damaged settings."""

    version: int
    warnings: tuple[Failure, ...] = ()


class Conversations(EngineResponse, frozen=True):
    """All conversations, newest first."""

    conversations: tuple[ConversationInfo, ...]


class Opened(EngineResponse, frozen=True):
    """A conversation as it stands. rows: the newest page; total: messages in all. questions: those that wait.

    pins: all messages that are pinned. totals: what the conversation has cost so far.
    """

    conversation: ConversationInfo
    model: ModelInfo
    rows: tuple[MessageRow, ...]
    total: int
    operations: tuple[OperationRow, ...]
    gauge: Gauge
    is_running: bool = False
    questions: tuple[QuestionAsked, ...] = ()
    pins: tuple[MessageRow, ...] = ()
    totals: Totals = Totals()


class Messages(EngineResponse, frozen=True):
    """A page of messages in their order. total: how many there are in all."""

    rows: tuple[MessageRow, ...]
    total: int


class DraftCounted(EngineResponse, frozen=True):
    """Tokens that the draft would add to the request."""

    tokens: int


class PlanItem(msgspec.Struct, frozen=True):
    """One message that the plan would shorten or archive; `text` is its beginning."""

    message_id: str
    speaker: str
    text: str
    tokens_before: int
    tokens_after: int


class Writer(msgspec.Struct, frozen=True):
    """The model that would write the summary. refusal: why it does not, in words; "" if it can be asked.

    What it will take at most, before anything is sent: calls, tokens of all of them, US dollars (None: not known).
    """

    label: str = ""
    refusal: str = ""
    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    dollars: float | None = None


class Plan(EngineResponse, frozen=True):
    """What **Optimize conversation** would do. Both gauges were measured on assembled requests.

    strategy: "llm", "extractive" or "last_messages". is_written: False while a model has not written the summary;
    then `after` has the room that is kept for it, and summary_tokens is that room. usage: of one that was written.

    is_useful: False when nothing would be gained; `note` says why. tokens_freed_by_prune and
    tokens_freed_by_compaction add up to before.total - after.total. tail_tokens: what the tail slider shows;
    it can be set between tail_least and tail_most. tail_kept: tokens that the tail really takes.
    kept: messages that stay as they are. rules: those that the request has word for word.
    pruned, archived: the first of pruned_total and archived_total messages.
    """

    id: str
    before: Gauge
    after: Gauge
    pruned: tuple[PlanItem, ...]
    archived: tuple[PlanItem, ...]
    tokens_freed_by_prune: int
    tokens_freed_by_compaction: int
    kept: int
    pins: int
    rules: int
    summary: str
    summary_tokens: int
    fidelity: Fidelity
    tail_tokens: int
    tail_least: int
    tail_most: int
    tail_kept: int
    pruned_total: int
    archived_total: int
    is_useful: bool = True
    note: str = ""
    strategy: str = "extractive"
    is_written: bool = True
    writer: Writer = Writer()
    usage: Usage | None = None


class Found(EngineResponse, frozen=True):
    """Search results, best first."""

    results: tuple[SearchResult, ...]


class Imported(EngineResponse, frozen=True):
    """Conversations that an import created. repaired: what is wrong with them and set right in the view, in words."""

    conversations: tuple[ConversationInfo, ...]
    repaired: str = ""


class SettingsRead(EngineResponse, frozen=True):
    """The settings, and the names of servers that have a key (never a key itself).

    key_storage: where keys are kept, in words, or why they last for this session only.
    """

    settings: Settings
    servers_with_key: tuple[str, ...]
    key_storage: str


class Models(EngineResponse, frozen=True):
    """Models that can be chosen."""

    models: tuple[ModelInfo, ...]


class ToolOffer(msgspec.Struct, frozen=True):
    """A tool that could be on offer. tokens: what its schema takes of each request. is_on: not switched off."""

    spec: ToolSpec
    tokens: int
    is_on: bool = True


class Tools(EngineResponse, frozen=True):
    """All tools of a conversation. failures: servers of tools that do not answer."""

    tools: tuple[ToolOffer, ...]
    folder: str = ""
    failures: tuple[Failure, ...] = ()


class SpillRead(EngineResponse, frozen=True):
    """Lines of a whole output: number, counted from 1, and text. total: how many there are, or that were found."""

    lines: tuple[tuple[int, str], ...]
    total: int
    bytes: int


class Memories(EngineResponse, frozen=True):
    """What is remembered, oldest first; and the tokens that those take, of `most`, which are sent in `conversation`.

    conversation: "" for a conversation that does not exist yet. folder: its working folder, "" for none.
    """

    memories: tuple[Memory, ...]
    tokens: int
    most: int
    conversation: str = ""
    folder: str = ""


class Discovered(EngineResponse, frozen=True):
    """Servers that answer on this machine, and providers whose keys the environment has; without those set up."""

    servers: tuple[Server, ...]


class Proposed(EngineResponse, frozen=True):
    """Names of models, the best known first."""

    models: tuple[str, ...]


class Exported(EngineResponse, frozen=True):
    """A conversation was written to a file. bytes: its size."""

    path: str
    bytes: int


AnyThing = (
    Done
    | Welcome
    | Conversations
    | Opened
    | Messages
    | DraftCounted
    | Plan
    | Found
    | Imported
    | SettingsRead
    | Models
    | Tools
    | SpillRead
    | Memories
    | Discovered
    | Proposed
    | Exported
)


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """A line from the window."""

    number: int
    wish: AnyWish


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """A line from the engine: the thing that was asked for, or why not."""

    number: int
    thing: AnyThing | None = None
    failure: Failure | None = None


class Happened(msgspec.Struct, frozen=True, tag="happened"):
    """A line from the engine: an event of a turn."""

    event: TurnEvent


class ConversationsChanged(msgspec.Struct, frozen=True, tag="conversations_changed"):
    """A line from the engine: the sidebar's list has changed (a title, a time, a count, a gauge)."""

    conversations: tuple[ConversationInfo, ...]


EngineLine = Answer | Happened | ConversationsChanged


class _Numbered(msgspec.Struct, frozen=True):
    number: int


_encoder = msgspec.json.Encoder()
_ask_decoder = msgspec.json.Decoder(Ask)
_number_decoder = msgspec.json.Decoder(_Numbered)
_line_decoder: msgspec.json.Decoder[EngineLine] = msgspec.json.Decoder(EngineLine)


class ProtocolError(Exception):
    """A line that is not of this protocol's version."""


def encode_line(value: Ask | EngineLine) -> bytes:
    """The value as one line of JSON, its newline included. Half a character, as servers send it, becomes U+FFFD."""
    try:
        return _encoder.encode(value) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(replace_surrogates_in_builtins(value)) + b"\n"


def decode_ask(line: bytes) -> Ask:
    """Raises ProtocolError."""
    try:
        return _ask_decoder.decode(line)
    except msgspec.DecodeError as error:
        raise ProtocolError(str(error)) from error


def number_of(line: bytes) -> int | None:
    """Return the number of an ask that is not of this protocol, so that it can be refused; None if it has none."""
    try:
        return _number_decoder.decode(line).number
    except msgspec.DecodeError:
        return None


def decode_engine_line(line: bytes) -> EngineLine:
    """Raises ProtocolError."""
    try:
        return _line_decoder.decode(line)
    except msgspec.DecodeError as error:
        raise ProtocolError(str(error)) from error
