"""The configured models, with their windows.

Facts that earlier runs learned about each model are in a file of the data folder, so that a restart forgets no window.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from desktop_app.addresses import runs_models, without_secrets
from desktop_app.chat.ports import ChatModel, ModelError, Price, WindowUnknown
from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.events import Failure
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo, ProviderForm, WindowSource
from desktop_app.conversation.quirks import NOT_KEPT, Learned, with_quirk
from desktop_app.conversation.setup import OptionName
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.words import translatable
from desktop_app.paths import replace_private_file
from desktop_app.settings import ModelLimits, Server, ServerKind, Settings

from . import builtin
from .builtin_model import BuiltinModel
from .cache_lives import HOUR, cache_life, may_keep_an_hour
from .dialect_fields import dialect_fields
from .discovery import (
    ASSUMED_WINDOW,
    KEY_REFUSED,
    LIMITED_BY_WINDOW,
    PATIENT_SECONDS,
    PROBE_SECONDS,
    ProbeResult,
    client_for,
    is_probed,
    load_model,
    probe_models,
)
from .endpoint import Endpoint, endpoint_of
from .errors.model_failures import key_failure, window_failure
from .litellm_library import LiteLLM
from .litellm_model import LiteLLMModel
from .llama_server import LlamaServer
from .provider_dialects import quirks_of_name
from .published import ModelCapabilities, proposals, published_models, published_of, sees_by_name
from .reply_formats import summary_form
from .tokens.server import SAMPLES, TOKENIZE_REQUESTS, ServerCounts, fitted_tokenizer
from .tokens.tokenizers import tokenizer_for, tokenizer_of

ModelKey = tuple[str, str, str]
"""The server's name, its address without secrets, and the server's name of the model."""

log = logging.getLogger(__name__)


class LastKnown(msgspec.Struct, frozen=True, rename={"capabilities": "told", "provenance": "basis"}):
    """The last known capabilities of a model."""

    capabilities: ModelCapabilities
    provenance: Provenance
    """Measured if its server reported them, estimated if they are published."""
    at: float
    """Time of the report, in seconds since 1970."""
    quirks: tuple[str, ...] = ()
    """Quirks that were learned from errors: see `conversation/quirks.py`."""
    learned_window: int = 0
    """Tokens of the window that an error named; 0 if none did."""

    @property
    def learned(self) -> Learned:
        """What errors have taught."""
        return Learned(self.learned_window, self.quirks)


class _Entry(msgspec.Struct, frozen=True):
    server: str
    address: str
    model: str
    last: LastKnown


class LastKnownFile:
    """The newest `LastKnown` of each model. path: None to store nothing beyond this run."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._writing = threading.Lock()
        self._last: dict[ModelKey, LastKnown] = {}

    def get(self, key: ModelKey) -> LastKnown | None:
        return self._last.get(_without_secrets(key))

    def update(self, key: ModelKey, last: LastKnown) -> bool:
        """Set the last known capabilities in memory. Return whether they differ from the previous ones."""
        key = _without_secrets(key)
        before = self._last.get(key)
        learned = before.learned if before else Learned()
        self._last[key] = replace(last, quirks=learned.quirks, learned_window=learned.window)
        return before is None or (before.capabilities, before.provenance) != (last.capabilities, last.provenance)

    def learn(self, key: ModelKey, quirk: str, window: int | None) -> None:
        """Add a learned quirk of the model, if it is one, and set the learned window unless it is None, in memory."""
        key = _without_secrets(key)
        last = self._last.get(key) or LastKnown(ModelCapabilities(), Provenance.ESTIMATED, time.time())
        quirks = with_quirk(last.quirks, quirk) if quirk else last.quirks
        tokens = last.learned_window if window is None else window
        self._last[key] = replace(last, quirks=quirks, learned_window=tokens)

    def forget(self, key: ModelKey) -> bool:
        """Forget what was learned about the model, in memory. Return whether there was anything."""
        last = self.get(key)
        if last is None or last.learned == Learned():
            return False
        self._last[_without_secrets(key)] = replace(last, quirks=(), learned_window=0)
        return True

    def read(self) -> None:
        """Read the file. An unreadable one is ignored: the servers can be asked again."""
        if self._path is None or not self._path.exists():
            return
        try:
            entries = msgspec.json.decode(self._path.read_bytes(), type=list[_Entry])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            log.warning("%s could not be read: %s", self._path, error)
            return
        self._last = {(entry.server, entry.address, entry.model): entry.last for entry in entries}

    def write(self) -> None:
        """Replace the file atomically. A failure is logged: the servers can be asked again.

        Several servers are asked at once, and each answer may be stored from a thread of its own.
        """
        if self._path is None:
            return
        with self._writing:
            entries = [_Entry(*key, _without_passing(last)) for key, last in tuple(self._last.items())]
            try:
                replace_private_file(self._path, msgspec.json.format(msgspec.json.encode(entries), indent=2))
            except OSError as error:
                log.warning("%s could not be written: %s", self._path, error)


def _without_passing(last: LastKnown) -> LastKnown:
    return replace(last, quirks=tuple(quirk for quirk in last.quirks if quirk not in NOT_KEPT))


def _without_secrets(key: ModelKey) -> ModelKey:
    server, address, model = key
    return server, without_secrets(address), model


UNAUTHORIZED = 401
HOUR_FACTOR = 2.0
"""What Anthropic charges for a token that it keeps for an hour, by the price of a token of the prompt."""
PROVENANCE: dict[WindowSource, Provenance] = {
    "settings": Provenance.MEASURED,
    "server": Provenance.MEASURED,
    "earlier": Provenance.MEASURED,
    "catalogue": Provenance.ESTIMATED,
    "assumed": Provenance.ASSUMED,
}


class Catalogue:
    """The `ModelCatalogue` port.

    key_of: returns the key of a server by its name; "" if it has none. last_known: facts from earlier runs.
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
        self.llama_server: LlamaServer | None = None
        self._builtin = self._find_builtin()
        self._results: dict[ModelKey, ProbeResult] = {}
        self._last_known = last_known or LastKnownFile()
        self._has_forgotten = False  # whether the file still has what was forgotten
        self._tokenizers: dict[ModelKey, Tokenizer] = {}
        self._counts = ServerCounts()

    def change(self, settings: Settings) -> None:
        """Apply new settings. A running stream is not affected. `discover` should follow.

        What was learned about a model is forgotten if its server, or the model itself, is set up otherwise.
        """
        before = {server.name: server for server in self._settings.servers}
        self._settings = settings
        for server in settings.servers:
            earlier = before.get(server.name)
            for name in server.models if earlier is not None and earlier != server else ():
                if earlier is not None and _as_set_up(earlier, name) != _as_set_up(server, name):
                    self._has_forgotten |= self._last_known.forget(_key(server, name))

    @property
    def builtin(self) -> BuiltinModel:
        """The built-in model. While it is missing, it is looked for each time, since it may have been installed."""
        if self.llama_server is None:
            self._builtin = self._find_builtin()
            if self.llama_server is not None:
                tokenizer_of.cache_clear()  # its tokenizer was installed with it
        return self._builtin

    def _find_builtin(self) -> BuiltinModel:
        path = builtin.model_path() if builtin.check_model() is None else None
        self.llama_server = None if path is None else LlamaServer(path, builtin.WINDOW)
        return BuiltinModel(builtin.model_info(), self.litellm, self.llama_server)

    def infos(self) -> tuple[ModelInfo, ...]:
        """Return all models that can be chosen, the built-in one first."""
        servers = self._settings.servers
        return (self.builtin.info, *(self._info(server, name) for server in servers for name in server.models))

    def model(self, model_id: str) -> ChatModel:
        """Return that model. Raises ModelError if it does not exist, and WindowUnknown."""
        if model_id == builtin.MODEL_ID:
            return self.builtin
        server, name = self._find(model_id)
        info = self._info(server, name)
        tokenizer = self._tokenizers.get(_key(server, name)) or tokenizer_for(name)
        if not info.window:
            failure = window_failure(self._endpoint(server), name, self._results.get(_key(server, name)))
            raise WindowUnknown(failure, info, tokenizer, "loading" if failure.kind == "loading" else "provider")
        return LiteLLMModel(info, tokenizer, self.litellm, self._endpoint(server), name, learn=self.learn)

    async def learn(self, model_id: str, quirk: str = "", window: int | None = None) -> ChatModel:
        """Remember what a refusal has taught about the model: see the port. Raises ModelError."""
        server, name = self._find(model_id)
        log.info("%s is sent other requests from now on: %s", model_id, quirk or f"a window of {window} tokens")
        self._last_known.learn(_key(server, name), quirk, window)
        await asyncio.to_thread(self._last_known.write)
        return self.model(model_id)

    async def forget_learned(self, server_name: str, name: str) -> None:
        """Forget what refusals have taught about a model. Does nothing if it is not set up."""
        server = next((each for each in self._settings.servers if each.name == server_name), None)
        if server is not None and self._last_known.forget(_key(server, name)):
            await asyncio.to_thread(self._last_known.write)

    async def resolve_model(self, model_id: str, asks_again: bool = False) -> ChatModel:
        """Return that model, after asking its server for the window, even if it is known with `asks_again`.

        Raises ModelError.
        """
        if model_id != builtin.MODEL_ID:
            server, name = self._find(model_id)
            if not server.limits_of(name).window:
                await self._find_window(server, name, asks_again)
        return self.model(model_id)

    async def _find_window(self, server: Server, name: str, asks_again: bool) -> None:
        """Ask every source for the window, unless that was done. Raises ModelError if the server needs a key."""
        endpoint, key = self._endpoint(server), _key(server, name)
        result, is_known = self._results.get(key), bool(self._window(server, name)[0])
        if is_probed(endpoint) and (asks_again or result is None or not result.is_up or not is_known):
            await self._discover(server, PROBE_SECONDS if is_known else PATIENT_SECONDS)
            result = self._results.get(key)
        if result is not None and result.is_unloaded and not result.capabilities.window:
            await load_model(endpoint, name)
            self._results[key] = replace(result, is_loading=True)
        if result is not None and result.status == UNAUTHORIZED and not endpoint.key:
            raise ModelError(key_failure(endpoint, result), kind="auth")

    @property
    def has_silent_servers(self) -> bool:
        """Whether a server did not answer when it was asked, or did not report a window."""
        return any(not result.is_up or not result.capabilities.window for result in self._results.values())

    def price(self, model_id: str) -> Price | None:
        """Return the reported or published price; None for a model on this machine, or if it is unknown."""
        server, name = self._server_of(model_id)
        if server is None or self.is_local(model_id):
            return None
        price = self._capabilities(server, name).price
        is_longer = may_keep_an_hour(server.kind, name) and self._cache_life(server, name) == HOUR
        return replace(price, cache_written=HOUR_FACTOR * price.prompt) if price and is_longer else price

    def is_local(self, model_id: str) -> bool:
        """Return whether the model is known to run on this machine: a local server may forward to a paid one."""
        server, name = self._server_of(model_id)
        if server is None:
            return model_id == builtin.MODEL_ID
        endpoint, result = self._endpoint(server), self._results.get(_key(server, name))
        known = result if result is not None and result.is_up else self._last_known.get(_key(server, name))
        is_known = known is not None and known.capabilities.runs_here
        return runs_models(server.kind, endpoint.address, name, is_known=is_known)

    def _server_of(self, model_id: str) -> tuple[Server | None, str]:
        server_name, _, name = model_id.partition("/")
        return next((s for s in self._settings.servers if s.name == server_name), None), name

    async def supported_options(self, model_id: str) -> tuple[OptionName, ...]:
        """Return the parameters that the model accepts. Raises ModelError if it does not exist."""
        if model_id == builtin.MODEL_ID:
            return ("temperature", "top_p")
        server, name = self._find(model_id)
        return await self.litellm.supported_options(server.kind, name)

    def proposals(self, kind: ServerKind) -> tuple[str, ...]:
        """Return model names to propose for such a server, best first."""
        return proposals(published_models(), kind)

    async def discover(self) -> None:
        """Ask the servers for facts that the settings do not specify, for 1.5 s at most."""
        await asyncio.gather(*(self._discover(server) for server in self._settings.servers))

    async def _discover(self, server: Server, seconds: float = PROBE_SECONDS) -> None:
        endpoint = self._endpoint(server)
        results, tokenizers = await asyncio.gather(
            probe_models(endpoint, server.models, seconds), self._fit_tokenizers(endpoint, server.models)
        )
        for name, new in results.items():
            before = self._results.get(_key(server, name))
            known = new.capabilities if new.is_up or before is None else before.capabilities
            self._results[_key(server, name)] = replace(new, capabilities=known)
        self._tokenizers.update({_key(server, name): tokenizer for name, tokenizer in tokenizers.items()})
        await self.store_known()

    async def store_known(self) -> None:
        """Store the known facts about each model for the next run, on a thread."""
        changed, self._has_forgotten = self._has_forgotten, False
        for server in self._settings.servers:
            for name in server.models:
                key, known = _key(server, name), self._capabilities(server, name)
                result, last = self._results.get(key), self._last_known.get(key)
                is_measured = result is not None and result.is_up and bool(result.capabilities.window)
                was_measured = last is not None and last.provenance is not Provenance.ESTIMATED
                if known != ModelCapabilities() and (is_measured or not was_measured):
                    provenance = Provenance.MEASURED if is_measured else Provenance.ESTIMATED
                    changed |= self._last_known.update(key, LastKnown(known, provenance, time.time()))
        if changed:
            await asyncio.to_thread(self._last_known.write)

    async def _fit_tokenizers(self, endpoint: Endpoint, models: tuple[str, ...]) -> dict[str, Tokenizer]:
        """Return a tokenizer for each model whose server offers one."""
        if not endpoint.is_local or endpoint.kind not in TOKENIZE_REQUESTS:
            return {}
        counts: list[tuple[int, ...] | None] = []
        with contextlib.suppress(TimeoutError):  # counts that arrived in time are remembered
            async with asyncio.timeout(PROBE_SECONDS), client_for(endpoint) as client:
                requests = (self._counts.count(client, endpoint, model, SAMPLES) for model in models)
                counts = await asyncio.gather(*requests)
        return {m: fitted_tokenizer(m, count) for m, count in zip(models, counts, strict=False) if count}

    async def count_tools(self, model_id: str, tools: tuple[ToolSpec, ...]) -> int | None:
        """Return the tokens of these tools in the server's own template; None if the server cannot be asked."""
        if model_id == builtin.MODEL_ID or not tools:
            return None
        try:
            server, name = self._find(model_id)
        except ModelError:  # the model was removed from the settings
            return None
        endpoint = self._endpoint(server)
        if not endpoint.is_local or endpoint.kind not in TOKENIZE_REQUESTS:
            return None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENT_SECONDS), client_for(endpoint) as client:
                return await self._counts.count_tools(client, endpoint, name, tools)
        return None

    def stop_loading(self) -> None:
        """Stop a start of the built-in model's server, since the program ends."""
        if self.llama_server is not None:
            self.llama_server.close()

    async def close(self) -> None:
        """End the built-in model's server, and close all connections."""
        await self.litellm.close()
        if self.llama_server is not None:
            await self.llama_server.stop()

    def _info(self, server: Server, name: str) -> ModelInfo:
        known, (window, source, reported_at) = self._capabilities(server, name), self._window(server, name)
        max_output = server.limits_of(name).max_output or known.max_output
        max_output = min(max_output, window)  # some servers report the whole window
        result, endpoint = self._results.get(_key(server, name)), self._endpoint(server)
        last = self._last_known.get(_key(server, name))
        note = setting = ""
        if result is not None and not result.is_up:
            note = translatable("{server} does not answer at {address}.").format(
                server=server.name, address=endpoint.shown_address
            )
            setting = f"servers/{server.name}/address"
        elif result is not None and not window:
            failure = window_failure(endpoint, name, result)
            note = f"{failure.title}." if failure.kind == "auth" else failure.detail
            setting = failure.setting
        return ModelInfo(
            f"{server.name}/{name}",
            name,
            window,
            max_output or (window if server.kind in LIMITED_BY_WINDOW else 0),
            PROVENANCE[source],
            note=note,
            setting=setting,
            supports_tools=known.supports_tools is not False,
            supports_vision=self._sees(server, name, known),
            window_source=source if window else "",
            window_reported_at=reported_at,
            patience=endpoint.first_token_limit,
            quirks=self._quirks(server, name, known),
            max_window=server.limits_of(name).max_window,
            learned=last.learned if last is not None else Learned(),
            cache_seconds=self._cache_life(server, name),
            may_cache_an_hour=may_keep_an_hour(server.kind, name),
            summary_form=self._summary_form(server, name),
            **dialect_fields(server.kind, name),
        )

    def _cache_life(self, server: Server, name: str) -> int | None:
        an_hour = server.limits_of(name).caches_an_hour
        return cache_life(server.kind, name, self.is_local(f"{server.name}/{name}"), an_hour)

    def _summary_form(self, server: Server, name: str) -> ProviderForm:
        """Return the form of the summaries that its provider writes; what is published is read only for some kinds."""
        is_possible = server.kind in ("anthropic", "openai")
        return summary_form(server.kind, name, published_models()) if is_possible else ""

    def _sees(self, server: Server, name: str, known: ModelCapabilities) -> bool:
        """Return whether pictures are sent to the model, by the settings, what is known, or its name."""
        chosen = server.limits_of(name).supports_vision
        if chosen is None:
            chosen = known.supports_vision
        if chosen is None:
            published = published_of(published_models(), self._endpoint(server), name)
            chosen = bool(published and published.supports_vision) or sees_by_name(name)
        return chosen

    def _quirks(self, server: Server, name: str, known: ModelCapabilities) -> tuple[str, ...]:
        """Return the quirks of the model: what was learned counts more than what its server reports, and its name."""
        last = self._last_known.get(_key(server, name))
        quirks = tuple(dict.fromkeys((*quirks_of_name(server.kind, name), *known.quirks)))
        for learned in last.quirks if last is not None else ():
            quirks = with_quirk(quirks, learned)
        return quirks

    def _window(self, server: Server, name: str) -> tuple[int, WindowSource, float]:
        """Return the window, its source, and the time of the server's report if that was in an earlier run, else 0.

        The source is the first of: settings, server, its last report, published values, assumption. The window is 0 if
        it is unknown, or no source was asked yet.
        """
        if window := server.limits_of(name).window:
            return window, "settings", 0.0
        result, last = self._results.get(_key(server, name)), self._last_known.get(_key(server, name))
        if result is not None and result.capabilities.window:
            return result.capabilities.window, "server", 0.0
        if last is not None and last.capabilities.window and last.provenance is Provenance.MEASURED:
            return last.capabilities.window, "earlier", last.at
        published = self._capabilities(server, name).window
        if published:
            return published, "catalogue", 0.0
        return (ASSUMED_WINDOW if self._may_assume_window(server, result) else 0), "assumed", 0.0

    def _may_assume_window(self, server: Server, result: ProbeResult | None) -> bool:
        """Return whether every source was asked for the window of a cloud model, and none knew it."""
        endpoint = self._endpoint(server)
        has_answered = not is_probed(endpoint) if result is None else result.is_up and result.status not in KEY_REFUSED
        return not endpoint.is_local and has_answered

    def _capabilities(self, server: Server, name: str) -> ModelCapabilities:
        """Combine, in this order, the server's report, published values of cloud models, and its last report."""
        result, last = self._results.get(_key(server, name)), self._last_known.get(_key(server, name))
        known = result.capabilities if result is not None else ModelCapabilities()
        endpoint = self._endpoint(server)
        published = None if endpoint.is_local else published_of(published_models(), endpoint, name)
        known = known.or_else(published) if published else known
        return known.or_else(last.capabilities) if last is not None else known

    def _find(self, model_id: str) -> tuple[Server, str]:
        server, name = self._server_of(model_id)
        if server is not None and name in server.models:
            return server, name
        raise ModelError(
            Failure(
                "not_found",
                translatable("There is no model “{model_id}”").format(model_id=model_id),
                translatable("The models that are set up: {models}.").format(
                    models=", ".join(info.id for info in self.infos())
                ),
                advice=translatable("Choose one of them, or add its server in the settings."),
            )
        )

    def _endpoint(self, server: Server) -> Endpoint:
        return endpoint_of(server, self._key_of(server.name), self._key_of)


def _as_set_up(server: Server, name: str) -> tuple[Server, ModelLimits]:
    """Return a server's settings without its other models."""
    return replace(server, models=(), limits={}), server.limits_of(name)


def _key(server: Server, name: str) -> ModelKey:
    return server.name, server.base_url, name
