"""Who researches: the model of the research role, and the words of its system prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import msgspec

from desktop_app.chat.complete import resolve_role
from desktop_app.chat.ports import ChatModel, ModelCatalogue, ModelError
from desktop_app.chat.session import Session
from desktop_app.settings import Settings


class Researcher(msgspec.Struct, frozen=True):
    """Who researches one question."""

    model: ChatModel
    system_prompt: str
    # Whose place it takes, in words for the user; "" for nobody's.
    note: str = ""


class ResearchRole:
    """Finds who researches. settings: as they are now. words: reads the system prompt."""

    def __init__(self, models: ModelCatalogue, settings: Callable[[], Settings], words: Callable[[], str]) -> None:
        self._models = models
        self._settings = settings
        self._words = words

    async def researcher(self, session: Session) -> Researcher:
        """Return the model that the settings name; the chat's own if none is named, or if that one is missing."""
        if chosen := self._settings().research_model:
            with suppress(ModelError):  # the role says what is wrong
                await self._models.resolve_model(chosen)
        role = resolve_role(self._models, chosen, session.model)
        note = f"{role.why_replaced}: {role.model.info.label} answered instead." if role.replaces else ""
        return Researcher(role.model, await asyncio.to_thread(self._words), note)
