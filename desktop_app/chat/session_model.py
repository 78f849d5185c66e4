"""Resolve the model of a conversation when a turn begins, or use a stand-in that says why it is missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress

import msgspec

from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.events import ModelChanged, RetryScheduled
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec

from .ports import NO_OPTIONS, ChatModel, Emit, ModelCatalogue, ModelError, Piece, WindowUnknown
from .session import Session


class MissingModel:
    """A stand-in for a model that is unavailable: its server is gone, or has not reported the window yet.

    Its conversations can still be read, searched and optimized. Every request raises the reason.
    """

    def __init__(self, model_id: str, reason: ModelError, tokenizer: Tokenizer) -> None:
        self._reason = reason
        if isinstance(reason, WindowUnknown):
            self._info, self._tokenizer = reason.info, reason.tokenizer
        else:
            label = model_id.rsplit("/", 1)[-1] or model_id
            self._info, self._tokenizer = ModelInfo(model_id, label, 0, 0, note=reason.failure.title), tokenizer

    @property
    def info(self) -> ModelInfo:
        return self._info

    @property
    def tokenizer(self) -> Tokenizer:
        return self._tokenizer

    async def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        options: ReplyOptions = NO_OPTIONS,
    ) -> AsyncGenerator[Piece, None]:
        """Raise the reason."""
        raise self._reason
        yield  # makes this a generator, as the port requires

    async def prepare(self) -> None:
        """Do nothing."""

    async def read_ahead(self, messages: Sequence[Message]) -> None:
        """Do nothing."""


def model_or_stand_in(models: ModelCatalogue, model_id: str) -> ChatModel:
    """Return the model, or a stand-in that says why it is missing, so that any conversation can be opened."""
    try:
        return models.model(model_id)
    except ModelError as error:
        return MissingModel(model_id, error, models.model(models.infos()[0].id).tokenizer)


LOADING_STEPS = (1.0, 2.0, 4.0, 8.0)
"""Seconds until a server that loads a model is asked again; the last one is repeated."""
LONGEST_STEP = 30.0
"""Seconds after which it is asked again, whatever it says."""
LOADING_SECONDS = 600
"""Seconds for which a server in the cloud is asked again."""


class LoadingWaits(msgspec.Struct, frozen=True):
    """The waits for a server that loads a model. seconds: their sum."""

    count: int = 0
    seconds: float = 0.0

    def next(self, error: ModelError, patience: int | None) -> float | None:
        """Return the seconds until the server is asked again; None to give up. patience: see `ModelInfo`."""
        limit = LOADING_SECONDS if patience is None else patience
        if limit and self.seconds >= limit:
            return None
        step = LOADING_STEPS[min(self.count, len(LOADING_STEPS) - 1)]
        return step if error.retry_after is None else min(max(error.retry_after, LOADING_STEPS[0]), LONGEST_STEP)

    def waited(self, seconds: float) -> LoadingWaits:
        """Return the waits with one more."""
        return LoadingWaits(self.count + 1, self.seconds + seconds)


async def choose_model(models: ModelCatalogue, model_id: str) -> ChatModel:
    """Return the model, or a stand-in while its server loads it, for which a turn will wait. Raises ModelError."""
    try:
        return await models.resolve_model(model_id)
    except WindowUnknown as error:
        if error.kind != "loading":
            raise
        return model_or_stand_in(models, model_id)


async def find_model(session: Session, models: ModelCatalogue, emit: Emit) -> None:
    """Use the session's model, after asking its server for the window unless that was reported in this run.

    While the server loads the model, it is asked again. Raises ModelError, which names the server, if the window was
    never reported.
    """
    waits = LoadingWaits()
    while True:
        try:
            model = await models.resolve_model(session.info.model)
        except WindowUnknown as error:
            wait = waits.next(error, error.info.patience) if error.kind == "loading" else None
            if wait is None:
                raise
            waits = waits.waited(wait)
            emit(RetryScheduled(session.id, error.failure.title, wait, waits.count))
            await asyncio.sleep(wait)
        else:
            break
    await use_model(session, model, emit)


async def ask_for_window(session: Session, models: ModelCatalogue, emit: Emit) -> None:
    """Ask the server of the session's model for its window again, which it may have changed. Never raises."""
    with suppress(ModelError):
        await use_model(session, await models.resolve_model(session.model.info.id, asks_again=True), emit)


async def use_model(session: Session, model: ChatModel, emit: Emit) -> bool:
    """Use the model unless it equals the one in use. Return whether it was changed."""
    used = session.model
    if model.info == used.info and isinstance(model, MissingModel) == isinstance(used, MissingModel):
        return False
    session.use(model)
    await asyncio.to_thread(session.counter.gauge)
    emit(ModelChanged(session.id, session.model.info))
    emit(session.gauge_changed())
    return True
