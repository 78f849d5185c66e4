"""Requests about the context of a conversation: plans, operations on the view, policies and insights."""

from __future__ import annotations

import msgspec

from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.gauge import ComparedPart, Gauge, SentRequest
from desktop_app.conversation.insights import Insights, Replayed
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Usage
from desktop_app.conversation.setup import OwnPolicy

from .base import PAGE, ConversationRequest, Done, EngineRequest, EngineResponse
from .conversation_requests import MessagesRead


class PlanItem(msgspec.Struct, frozen=True):
    """One message that the plan would shorten or archive; `text` is its beginning."""

    message_id: str
    speaker: str
    text: str
    tokens_before: int
    tokens_after: int


class Writer(msgspec.Struct, frozen=True):
    """The model that would write the summary, and the most that it would take."""

    label: str = ""
    # Why it cannot be asked, in words; "" if it can.
    refusal: str = ""
    calls: int = 0
    # Of all calls together.
    prompt_tokens: int = 0
    reply_tokens: int = 0
    # US dollars; None if the price is not known.
    dollars: float | None = None
    # A model that is set up and would write it for less than half, "" without one; its label, and US dollars.
    cheaper: str = ""
    cheaper_label: str = ""
    cheaper_dollars: float = 0.0


class Plan(EngineResponse, frozen=True):
    """What **Optimize conversation** would do."""

    id: str
    # Both were measured on assembled requests. While the summary is not written, `after` has the room kept for it.
    before: Gauge
    after: Gauge
    # The first of pruned_total and of archived_total messages.
    pruned: tuple[PlanItem, ...]
    archived: tuple[PlanItem, ...]
    # These two add up to before.total - after.total.
    tokens_freed_by_prune: int
    tokens_freed_by_compaction: int
    # Messages that stay as they are.
    kept: int
    pins: int
    # Rules that the request has word for word.
    rules: int
    summary: str
    summary_tokens: int
    fidelity: Fidelity
    # What the tail slider shows, the ends of its range, and the tokens that the tail really takes: as they are
    # counted here, see `Gauge.tokens_of`.
    tail_tokens: int
    tail_least: int
    tail_most: int
    tail_kept: int
    pruned_total: int
    archived_total: int
    # False when nothing would be gained; `note` says why.
    is_useful: bool = True
    note: str = ""
    # "llm", "extractive" or "last_messages".
    strategy: str = "extractive"
    # False while a model has not written the summary.
    is_written: bool = True
    writer: Writer = Writer()
    # Rules wrote the summary, since what the model wrote was of no use.
    is_by_rules: bool = False
    # What writing the summary took.
    usage: Usage | None = None
    # Another conversation would begin with the summary, by StartFresh; this one stays as it is.
    is_fresh: bool = False


class PlanOptimize(ConversationRequest[Plan], frozen=True):
    """Make a plan; without tail_tokens or strategy, with those of the policy."""

    tail_tokens: int | None = None
    strategy: str = ""
    is_fresh: bool = False
    """Plan a fresh start instead."""


class WriteSummary(ConversationRequest[Plan], frozen=True):
    """Let a model write the summary of a plan; RoomProgressed events tell how far it is."""

    plan: str
    instructions: str = ""


class CheckSummary(ConversationRequest[Plan], frozen=True):
    """Measure and check an edited summary."""

    plan: str
    summary: str


class ApplyPlan(ConversationRequest[Done], frozen=True):
    """Apply a plan, once; ViewChanged tells what changed."""

    plan: str
    summary: str


class UndoOperation(ConversationRequest[Done], frozen=True):
    operation: str


class RedoOperation(ConversationRequest[Done], frozen=True):
    operation: str


class ReadOperation(ConversationRequest[MessagesRead], frozen=True):
    """Read the messages that an operation archived or pruned, those with `query` in them if it is given."""

    operation: str
    query: str = ""
    offset: int = 0
    limit: int = PAGE


class BringBackMessages(ConversationRequest[Done], frozen=True):
    messages: tuple[str, ...]


class PinMessage(ConversationRequest[Done], frozen=True):
    message: str


class UnpinMessage(ConversationRequest[Done], frozen=True):
    message: str


class RequestRead(EngineResponse, frozen=True):
    """A request part by part."""

    request: SentRequest


class RequestsCompared(EngineResponse, frozen=True):
    """The parts of the request as it is now, and those that only the earlier one had."""

    parts: tuple[ComparedPart, ...]


class RequestText(EngineResponse, frozen=True):
    text: str


class ReadRequest(ConversationRequest[RequestRead], frozen=True):
    """Read the request as it would be sent now, or as it was when that reply was asked for."""

    reply_id: str = ""
    # Only so many parts, the largest ones first; 0 for all of them in their order.
    largest: int = 0


class CompareRequests(ConversationRequest[RequestsCompared], frozen=True):
    """Compare the request that was answered by that reply with that of now."""

    reply_id: str


class ReadRequestText(ConversationRequest[RequestText], frozen=True):
    """Read the whole text of one part; of the whole request, as JSON, if `index` is negative."""

    reply_id: str = ""
    index: int = -1


class ReadRequestCurl(ConversationRequest[RequestText], frozen=True):
    """Read a `curl` command line that sends the request as it would be sent now, or as it was for that reply.

    The key stands in a variable of the environment.
    """

    reply_id: str = ""


ContextRequest = (
    ReadRequest
    | CompareRequests
    | ReadRequestText
    | ReadRequestCurl
    | PlanOptimize
    | WriteSummary
    | CheckSummary
    | ApplyPlan
    | UndoOperation
    | RedoOperation
    | ReadOperation
    | BringBackMessages
    | PinMessage
    | UnpinMessage
)


class PolicyTried(EngineResponse, frozen=True):
    """What a policy would do in a conversation now."""

    # The request as it is, under the policy that is in force and under the tried one.
    before: Gauge
    after: Gauge
    # The tried numbers as they act in the window.
    acting: ContextPolicy
    # What it would do at once; in tokens, the request as it would be then.
    archived: int = 0
    pruned: int = 0
    tokens_after: int = 0
    # Why nothing would help, in words.
    note: str = ""


class PolicyReplayed(EngineResponse, frozen=True):
    """What came of the past of a conversation, played again under two policies."""

    before: Replayed
    after: Replayed
    # US dollars, without what summaries by a model cost; None if the price is not known.
    dollars_before: float | None
    dollars_after: float | None
    seconds: float
    """How long the two took."""


class ChoosePolicy(ConversationRequest[Done], frozen=True):
    """Decide by the policy of that name in this conversation; "" for that of the settings."""

    name: str


class TryPolicy(ConversationRequest[PolicyTried], frozen=True):
    """Tell what the policy would do now; nothing is changed."""

    policy: OwnPolicy


class ReplayPolicy(ConversationRequest[PolicyReplayed], frozen=True):
    """Play the conversation again under two policies."""

    before: OwnPolicy
    after: OwnPolicy


PolicyRequest = ChoosePolicy | TryPolicy | ReplayPolicy


class InsightsRead(EngineResponse, frozen=True):
    """The figures, and those that the record does not have."""

    insights: Insights
    # How full the window is now; None for several conversations together.
    gauge: Gauge | None = None
    # US dollars that prompt caches have saved, at the prices of today; None if no price is known.
    saved: float | None = None


class ReadInsights(EngineRequest[InsightsRead], frozen=True):
    """Read the figures of one conversation, or of those of a project, or of all that are not deleted."""

    conversation: str = ""
    project: str = ""
    """The id of the project; "" for all, if there is no conversation either."""


class ExportInsights(EngineRequest[Done], frozen=True):
    """Write the figures to a CSV file."""

    path: str
    conversation: str = ""
    project: str = ""
    """As of `ReadInsights`."""


InsightsRequest = ReadInsights | ExportInsights
