"""Who writes the summaries: the utility role's model, unless the policy or the model says otherwise (K3, K4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.summary_prompt import Prompts
from desktop_app.conversation.listing import ModelInfo

from .ports import ChatModel, ModelError, Models
from .session import Session
from .summarize import Order


class Scribe:
    """Gives the order for a compaction, and sees to it that there is one at a time for a conversation.

    utility_model: the id of the model that is set for such work, "" for the chat's own. prompts: reads the words of
    the requests, None if no model is to be asked.
    """

    def __init__(
        self, models: Models, utility_model: Callable[[], str], prompts: Callable[[], Prompts] | None = None
    ) -> None:
        self._models = models
        self._utility_model = utility_model
        self._prompts = prompts
        self._locks: dict[str, asyncio.Lock] = {}

    def lock(self, conversation: str) -> asyncio.Lock:
        """Held while a summary of that conversation is written of which the entry will be recorded."""
        return self._locks.setdefault(conversation, asyncio.Lock())

    def model_for(self, session: Session) -> ChatModel:
        """The model that would write: the chat's own if none is set, or if the one that is set is not there."""
        chosen = self._utility_model()
        try:
            return self._models.model(chosen) if chosen else session.model
        except ModelError:
            return session.model

    async def order(self, session: Session, strategy: str = "auto", instructions: str = "") -> Order:
        """The order for a compaction of that session. strategy "auto": what its policy says."""
        model = self.model_for(session)
        strategy = strategy_for(session.policy, model.info) if strategy == "auto" else strategy
        if strategy != "llm" or self._prompts is None:
            return Order("extractive" if strategy == "llm" else strategy)
        return Order(strategy, model, await asyncio.to_thread(self._prompts), instructions)


def strategy_for(policy: ContextPolicy, info: ModelInfo) -> str:
    """The policy's strategy. "auto" is a model's summary, but the built-in model is too small to write one (K4)."""
    if policy.strategy != "auto":
        return policy.strategy
    return "extractive" if info.is_builtin else "llm"
