"""The models that are set up: the built-in one, and those of the user's servers, with their windows."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from desktop_app.chat.ports import ChatModel, ModelError, Price
from desktop_app.context.counting import Tokenizer
from desktop_app.conversation.events import Failure
from desktop_app.conversation.gauge import Basis
from desktop_app.conversation.listing import ModelInfo
from desktop_app.settings import Server, ServerKind, Settings

from . import builtin
from .builtin_model import BuiltinModel
from .discovery import ASK_SECONDS, Found, ask, client_for
from .endpoint import Endpoint
from .limits import ASSUMED_WINDOW, Limits, Told
from .litellm_library import LiteLLM
from .litellm_model import LiteLLMModel
from .llama_server import LlamaServer
from .published import proposals, published_of
from .tokens.samples import SAMPLES
from .tokens.server import WAYS, ServerCounts, tokenizer_fitted
from .tokens.tokenizers import tokenizer_for


class Catalogue:
    """Fits the `Models` port. key_of: the key of a server by its name; "" when it has none."""

    def __init__(self, settings: Settings, key_of: Callable[[str], str], litellm: LiteLLM | None = None) -> None:
        self._settings = settings
        self._key_of = key_of
        self.litellm = litellm or LiteLLM()
        path = builtin.model_path() if builtin.check_model() is None else None
        self.llama_server = None if path is None else LlamaServer(path, builtin.WINDOW)
        self._builtin = BuiltinModel(builtin.model_info(), self.litellm, self.llama_server)
        self._found: dict[tuple[str, str, str], Found] = {}  # by server, address and model
        self._tokenizers: dict[tuple[str, str, str], Tokenizer] = {}
        self._counts = ServerCounts()

    @property
    def builtin(self) -> BuiltinModel:
        """The built-in model; its `prepare` starts its server."""
        return self._builtin

    def change(self, settings: Settings) -> None:
        """Other settings apply from now on. A stream that runs is not touched. `discover` should follow."""
        self._settings = settings

    def infos(self) -> tuple[ModelInfo, ...]:
        """All that can be chosen, the built-in one first."""
        servers = self._settings.servers
        return (self._builtin.info, *(self._info(server, name) for server in servers for name in server.models))

    def model(self, model_id: str) -> ChatModel:
        """That model. Raises ModelError when it is unknown, or when nobody can tell its window."""
        if model_id == builtin.MODEL_ID:
            return self._builtin
        server, name = self._server_of(model_id)
        info = self._info(server, name)
        if not info.window:
            raise _window_unknown(server, name)
        tokenizer = self._tokenizers.get(_key(server, name)) or tokenizer_for(name)
        return LiteLLMModel(info, tokenizer, self.litellm, self._endpoint(server), name)

    def price(self, model_id: str) -> Price | None:
        """As its server says, or as it is published; None for a server on this machine, and where nobody knows."""
        server_name, _, name = model_id.partition("/")
        server = next((s for s in self._settings.servers if s.name == server_name), None)
        if server is None or self._endpoint(server).is_local:
            return None
        return self._told(server, name).price

    def proposals(self, kind: ServerKind) -> tuple[str, ...]:
        """Names of models to propose for a server of that kind, the best first; more once litellm is loaded."""
        return proposals(self.litellm.published(), kind)

    async def discover(self) -> None:
        """Asks the servers for what the settings leave open; what was found is kept for this run. At most 1.5 s."""
        await asyncio.gather(*(self._discover(server) for server in self._settings.servers))

    async def _discover(self, server: Server) -> None:
        endpoint = self._endpoint(server)
        found, fitted = await asyncio.gather(ask(endpoint, server.models), self._fitted(endpoint, server.models))
        self._found.update({_key(server, name): what for name, what in found.items()})
        self._tokenizers.update({_key(server, name): tokenizer for name, tokenizer in fitted.items()})

    async def _fitted(self, endpoint: Endpoint, models: tuple[str, ...]) -> dict[str, Tokenizer]:
        """A tokenizer for each model whose server lets its own be asked."""
        if not endpoint.is_local or endpoint.kind not in WAYS:
            return {}
        counts: list[tuple[int, ...] | None] = []
        with contextlib.suppress(TimeoutError):  # what it has counted is not asked again the next time
            async with asyncio.timeout(ASK_SECONDS), client_for(endpoint) as client:
                asked = (self._counts.of(client, endpoint, model, SAMPLES) for model in models)
                counts = await asyncio.gather(*asked)
        return {m: tokenizer_fitted(m, count) for m, count in zip(models, counts, strict=False) if count}

    def stop_loading(self) -> None:
        """Stop waiting for the built-in model's server, if it is being started: everything is about to be closed."""
        if self.llama_server is not None:
            self.llama_server.close()

    async def close(self) -> None:
        """Ends the built-in model's server, and closes all connections."""
        await self.litellm.close()
        if self.llama_server is not None:
            await self.llama_server.stop()

    def _info(self, server: Server, name: str) -> ModelInfo:
        limits, told = self._limits(server, name), self._told(server, name)
        note = "" if limits.window else _window_unknown(server, name).failure.detail
        found = self._found_of(server, name)
        if found is not None and not found.is_up:
            note = f"{server.name} does not answer at {self._endpoint(server).address}."
        return ModelInfo(
            f"{server.name}/{name}",
            name,
            limits.window,
            limits.reply_limit(),
            limits.basis,
            note=note,
            has_tools=told.has_tools is not False,
            has_eyes=bool(told.has_eyes),
        )

    def _limits(self, server: Server, name: str) -> Limits:
        """The user's word, else the server's, else what is published, else an assumption; window 0: nobody knows."""
        told = self._told(server, name)
        max_output = server.max_output or told.max_output
        if server.window:
            return Limits(server.window, max_output)
        found = self._found_of(server, name)
        if found is not None and found.told.window:
            return Limits(found.told.window, max_output)
        if told.window:
            return Limits(told.window, max_output, Basis.ESTIMATED)
        return Limits(0 if self._endpoint(server).is_local else ASSUMED_WINDOW, max_output, Basis.ASSUMED)

    def _told(self, server: Server, name: str) -> Told:
        """What is known of the model: what its server says comes first. Nothing is published of what runs here."""
        found = self._found_of(server, name)
        told = found.told if found is not None else Told()
        endpoint = self._endpoint(server)
        published = None if endpoint.is_local else published_of(self.litellm.published(), endpoint, name)
        return told.or_else(published) if published else told

    def _found_of(self, server: Server, name: str) -> Found | None:
        return self._found.get(_key(server, name))

    def _server_of(self, model_id: str) -> tuple[Server, str]:
        server_name, _, name = model_id.partition("/")
        for server in self._settings.servers:
            if server.name == server_name and name in server.models:
                return server, name
        known = ", ".join(info.id for info in self.infos())
        raise ModelError(
            Failure(
                "not_found",
                f"There is no model “{model_id}”",
                f"The models that are set up: {known}.",
                advice="Choose one of them, or add its server in the settings.",
            )
        )

    def _endpoint(self, server: Server) -> Endpoint:
        return Endpoint(server.name, server.base_url, self._key_of(server.name), server.kind)


def _key(server: Server, name: str) -> tuple[str, str, str]:
    return server.name, server.base_url, name


def _window_unknown(server: Server, name: str) -> ModelError:
    return ModelError(
        Failure(
            "provider",
            f"The window of {name} is not known",
            f"{server.name} does not say how many tokens {name} accepts.",
            kept="Your message is stored.",
            advice=f"Enter the number of tokens for {server.name} in the settings, such as 8192 or 32K.",
        )
    )
