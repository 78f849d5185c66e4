"""Policies: which one a conversation has, and what another one would do in it."""

from __future__ import annotations

from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.own_policy import OwnPolicy
from desktop_app.conversation.replayed import Replayed

from .base import ConversationRequest, Done, EngineResponse


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
