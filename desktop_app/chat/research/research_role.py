"""Who researches: the model of the research role, and the words of its system prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

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
        chosen, model, note = self._settings().research_model, session.model, ""
        try:
            model = await self._models.resolve_model(chosen) if chosen else model
        except ModelError as error:
            note = f"{error.failure.title}: {model.info.label} answered instead."
        return Researcher(model, await asyncio.to_thread(self._words), note)
