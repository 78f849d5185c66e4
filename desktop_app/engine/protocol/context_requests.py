"""Requests about the context of a conversation: plans, operations on the view, policies and insights."""

from __future__ import annotations

import msgspec

from desktop_app.context.policy import PolicyTrial
from desktop_app.conversation.gauge import ComparedPart, Gauge, SentRequest
from desktop_app.conversation.insights import Insights, Replayed
from desktop_app.conversation.listing import CacheReset, ProviderForm, Writer
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Usage
from desktop_app.conversation.setup import OwnPolicy

from .base import PAGE, ConversationRequest, Done, EngineRequest, EngineResponse
from .conversation_requests import MessagesRead


class CacheResetRead(EngineResponse, frozen=True):
    # None if nothing large would be lost, or the user does not want to be warned.
    reset: CacheReset | None


class ReadCacheReset(ConversationRequest[CacheResetRead], frozen=True):
    """Return what a change of the tools or the instructions would cost."""


class PlanItem(msgspec.Struct, frozen=True):
    """A message that the plan would shorten or archive; `text` is its beginning."""

    message_id: str
    speaker: str
    text: str
    tokens_before: int
    tokens_after: int


class Plan(EngineResponse, frozen=True):
    """The changes that **Optimize conversation** would make."""

    id: str
    # Both measured on assembled requests. Until the summary is written, `after` includes the space reserved for it.
    before: Gauge
    after: Gauge
    # The first of pruned_total and archived_total messages, respectively.
    pruned: tuple[PlanItem, ...]
    archived: tuple[PlanItem, ...]
    # These two add up to before.total - after.total.
    tokens_freed_by_prune: int
    tokens_freed_by_compaction: int
    # Messages that are not changed.
    kept: int
    pins: int
    # Rules that the request contains verbatim.
    rules: int
    summary: str
    summary_tokens: int
    fidelity: Fidelity
    # The value of the tail slider, its range, and the tokens that the tail actually takes; all counted locally, see
    # `Gauge.tokens_of`.
    tail_tokens: int
    min_tail: int
    max_tail: int
    tail_kept: int
    pruned_total: int
    archived_total: int
    # False if nothing would be gained; `note` says why.
    is_useful: bool = True
    note: str = ""
    # "llm", "extractive" or "last_messages".
    strategy: str = "extractive"
    # False until the model has written the summary.
    is_written: bool = True
    writer: Writer = Writer()
    # The summary was extracted by rules, since the model's text could not be used.
    is_by_rules: bool = False
    # The form in which the model's provider has written the summary itself; "" if it has not.
    provider_form: ProviderForm = ""
    # Usage of the requests that wrote the summary.
    usage: Usage | None = None
    # StartFresh would create another conversation that begins with the summary; this one is not changed.
    is_fresh: bool = False


class PlanOptimize(ConversationRequest[Plan], frozen=True):
    """Make a plan. tail_tokens, strategy: None and "" for the policy's."""

    tail_tokens: int | None = None
    strategy: str = ""
    is_fresh: bool = False
    """Plan a fresh start instead."""


class WriteSummary(ConversationRequest[Plan], frozen=True):
    """Let a model write the summary of a plan; RoomProgressed events report its progress."""

    plan: str
    instructions: str = ""


class CheckSummary(ConversationRequest[Plan], frozen=True):
    """Measure and check an edited summary."""

    plan: str
    summary: str


class ApplyPlan(ConversationRequest[Done], frozen=True):
    """Apply a plan, once; ViewChanged reports the changes."""

    plan: str
    summary: str


class UndoOperation(ConversationRequest[Done], frozen=True):
    operation: str


class RedoOperation(ConversationRequest[Done], frozen=True):
    operation: str


class ReadOperation(ConversationRequest[MessagesRead], frozen=True):
    """Read the messages that an operation archived or pruned, and that contain `query`."""

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
    """A request, split into its parts."""

    request: SentRequest


class RequestsCompared(EngineResponse, frozen=True):
    """The parts of the current request, and the parts that only the earlier one had."""

    parts: tuple[ComparedPart, ...]


class RequestText(EngineResponse, frozen=True):
    text: str


class ReadRequest(ConversationRequest[RequestRead], frozen=True):
    """Read the current request, or the one that was sent for a reply."""

    reply_id: str = ""
    # The number of parts to return, the largest first; 0 for all parts in order.
    largest: int = 0


class CompareRequests(ConversationRequest[RequestsCompared], frozen=True):
    """Compare the request that was sent for a reply with the current one."""

    reply_id: str


class ReadRequestText(ConversationRequest[RequestText], frozen=True):
    """Read the full text of one part, or the whole request as JSON if `index` is negative."""

    reply_id: str = ""
    index: int = -1


class ReadRequestCurl(ConversationRequest[RequestText], frozen=True):
    """Read a `curl` command line for the current request, or for the one that was sent for a reply.

    It does not contain the key, but reads it from an environment variable.
    """

    reply_id: str = ""


class PolicyTried(EngineResponse, frozen=True):
    trial: PolicyTrial


class PolicyReplayed(EngineResponse, frozen=True):
    """The results of replaying a conversation under two policies."""

    before: Replayed
    after: Replayed
    # US dollars, without the cost of summaries by a model; None if the price is not known.
    dollars_before: float | None
    dollars_after: float | None
    seconds: float
    """Duration of both replays together."""


class ChoosePolicy(ConversationRequest[Done], frozen=True):
    """Use the policy of that name in this conversation; "" for the policy of the settings."""

    name: str


class TryPolicy(ConversationRequest[PolicyTried], frozen=True):
    """Compute what the policy would do now, without changing anything."""

    policy: OwnPolicy


class ReplayPolicy(ConversationRequest[PolicyReplayed], frozen=True):
    """Replay the conversation under two policies."""

    before: OwnPolicy
    after: OwnPolicy


class InsightsRead(EngineResponse, frozen=True):
    """Statistics from the record, and the gauge and the savings, which are not recorded."""

    insights: Insights
    # The current gauge; None for several conversations together.
    gauge: Gauge | None = None
    # US dollars that prompt caches have saved, at today's prices; None if no price is known.
    saved: float | None = None


class ReadInsights(EngineRequest[InsightsRead], frozen=True):
    """Read the statistics of one conversation, of a project's conversations, or of all conversations not deleted."""

    conversation: str = ""
    project: str = ""
    """The id of the project; if this and `conversation` are "", all conversations."""


class ExportInsights(EngineRequest[Done], frozen=True):
    """Write the statistics to a CSV file."""

    path: str
    conversation: str = ""
    project: str = ""
    """As in `ReadInsights`."""
