"""The models that are set up: the built-in one, and those of the user's servers, with their windows."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from msgspec.structs import replace

from desktop_app.chat.ports import ChatModel, ModelError, Price, WindowUnknown
from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.events import Failure
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.settings import Server, ServerKind, Settings

from . import builtin
from .builtin_model import BuiltinModel
from .discovery import ASK_SECONDS, PATIENT_SECONDS, REFUSED, Found, ask, client_for, is_asked
from .endpoint import Endpoint
from .last_known import LastKnown, LastKnownFile, ModelKey
from .litellm_library import LiteLLM
from .litellm_model import LiteLLMModel
from .llama_server import LlamaServer
from .provider_dialects import returned_reasoning_of
from .published import proposals, published_of
from .token_limits import ASSUMED_WINDOW, ModelCapabilities, ModelLimits
from .tokens.samples import SAMPLES
from .tokens.server import WAYS, ServerCounts, tokenizer_fitted
from .tokens.tokenizers import tokenizer_for
from .window_failures import key_failure, window_failure

UNAUTHORIZED = 401


class Catalogue:
    """The `ModelCatalogue` port.

    key_of: returns the key of a server by its name; "" when it has none. last_known: what is known from earlier runs.
    """

    def __init__(
        self,
        settings: Settings,
        key_of: Callable[[str], str],
        litellm: LiteLLM | None = None,
        last_known: LastKnownFile | None = None,
    ) -> None:
        self._settings = settings
        self._key_of = key_of
        self.litellm = litellm or LiteLLM()
        path = builtin.model_path() if builtin.check_model() is None else None
        self.llama_server = None if path is None else LlamaServer(path, builtin.WINDOW)
        self._builtin = BuiltinModel(builtin.model_info(), self.litellm, self.llama_server)
        self._found: dict[ModelKey, Found] = {}
        self._last_known = last_known or LastKnownFile()
        self._tokenizers: dict[ModelKey, Tokenizer] = {}
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
        """That model. Raises ModelError when it is unknown, and WindowUnknown."""
        if model_id == builtin.MODEL_ID:
            return self._builtin
        server, name = self._server_of(model_id)
        info = self._info(server, name)
        tokenizer = self._tokenizers.get(_key(server, name)) or tokenizer_for(name)
        if not info.window:
            failure = window_failure(self._endpoint(server), name, self._found_of(server, name))
            raise WindowUnknown(failure, info, tokenizer)
        return LiteLLMModel(info, tokenizer, self.litellm, self._endpoint(server), name)

    async def resolve_model(self, model_id: str) -> ChatModel:
        """That model, once its server was asked for its window. Raises ModelError."""
        if model_id == builtin.MODEL_ID:
            return self._builtin
        server, name = self._server_of(model_id)
        if not server.window:
            await self._find_window(server, name)
        return self.model(model_id)

    async def _find_window(self, server: Server, name: str) -> None:
        """Asks whoever may know, unless that was done. Raises ModelError where the server wants a key."""
        endpoint, found = self._endpoint(server), self._found_of(server, name)
        is_known = bool(self._limits(server, name).window)
        if is_asked(endpoint) and (found is None or not found.is_up or not is_known):
            await self._discover(server, ASK_SECONDS if is_known else PATIENT_SECONDS)
            found = self._found_of(server, name)
        if found is not None and found.status == UNAUTHORIZED and not endpoint.key:
            raise ModelError(key_failure(endpoint, found), kind="auth")
        if not endpoint.is_local and not self.litellm.is_loaded:
            await self.litellm.load()  # it has the published windows; the request needs it anyway
            await self.store_known()

    @property
    def has_silent_servers(self) -> bool:
        """Whether a server did not answer when it was asked, or has not told a window."""
        return any(not found.is_up or not found.told.window for found in self._found.values())

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
        """Asks the servers for what the settings leave open, and keeps what was found. At most 1.5 s."""
        await asyncio.gather(*(self._discover(server) for server in self._settings.servers))

    async def _discover(self, server: Server, seconds: float = ASK_SECONDS) -> None:
        endpoint = self._endpoint(server)
        asking = ask(endpoint, server.models, seconds)
        found, fitted = await asyncio.gather(asking, self._fitted(endpoint, server.models))
        for name, new in found.items():
            before = self._found_of(server, name)
            told = new.told if new.is_up or before is None else before.told  # silence takes nothing back
            self._found[_key(server, name)] = replace(new, told=told)
        self._tokenizers.update({_key(server, name): tokenizer for name, tokenizer in fitted.items()})
        await self.store_known()

    async def store_known(self) -> None:
        """Keep what is known of each model now for the next run, on a thread."""
        changed = False
        for server in self._settings.servers:
            for name in server.models:
                told, found, key = self._told(server, name), self._found_of(server, name), _key(server, name)
                is_measured = found is not None and found.is_up and bool(found.told.window)
                last = self._last_known.of(key)
                if told != ModelCapabilities() and (
                    is_measured or last is None or last.provenance is Provenance.ESTIMATED
                ):
                    basis = Provenance.MEASURED if is_measured else Provenance.ESTIMATED
                    changed |= self._last_known.note(key, LastKnown(told, basis, time.time()))
        if changed:
            await asyncio.to_thread(self._last_known.write)

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
        found, endpoint, note = self._found_of(server, name), self._endpoint(server), ""
        if found is not None and not found.is_up:
            note = f"{server.name} does not answer at {endpoint.address}."
        elif found is not None and not limits.window:
            note = window_failure(endpoint, name, found).detail
        return ModelInfo(
            f"{server.name}/{name}",
            name,
            limits.window,
            limits.reply_limit(),
            limits.provenance,
            note=note,
            supports_tools=told.supports_tools is not False,
            supports_vision=bool(told.supports_vision),
            window_reported_at=limits.reported_at,
            returned_reasoning=returned_reasoning_of(name),
        )

    def _limits(self, server: Server, name: str) -> ModelLimits:
        """The user's word, else the server's, else its last one, else what is published, else an assumption.

        window 0: nobody knows, or nobody has been asked yet.
        """
        told = self._told(server, name)
        max_output = server.max_output or told.max_output
        if server.window:
            return ModelLimits(server.window, max_output)
        found, last = self._found_of(server, name), self._last_known.of(_key(server, name))
        if found is not None and found.told.window:
            return ModelLimits(found.told.window, max_output)
        if last is not None and last.capabilities.window and last.provenance is Provenance.MEASURED:
            return ModelLimits(last.capabilities.window, max_output, reported_at=last.at)
        if told.window:
            return ModelLimits(told.window, max_output, Provenance.ESTIMATED)
        return ModelLimits(ASSUMED_WINDOW if self._is_assumed(server, found) else 0, max_output, Provenance.ASSUMED)

    def _is_assumed(self, server: Server, found: Found | None) -> bool:
        """Whether everybody was asked for the window of a cloud model, and nobody knew."""
        endpoint = self._endpoint(server)
        has_answered = found.status not in REFUSED and found.is_up if found is not None else not is_asked(endpoint)
        return not endpoint.is_local and self.litellm.is_loaded and has_answered

    def _told(self, server: Server, name: str) -> ModelCapabilities:
        """What is known of the model: what its server says comes first, and what it said last comes last. Nothing is
        published of what runs here."""
        found, last = self._found_of(server, name), self._last_known.of(_key(server, name))
        told = found.told if found is not None else ModelCapabilities()
        endpoint = self._endpoint(server)
        published = None if endpoint.is_local else published_of(self.litellm.published(), endpoint, name)
        told = told.or_else(published) if published else told
        return told.or_else(last.capabilities) if last is not None else told

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


def _key(server: Server, name: str) -> ModelKey:
    return server.name, server.base_url, name
