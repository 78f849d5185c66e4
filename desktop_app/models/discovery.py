"""Find servers on this machine, and ask servers for their models' context windows and capabilities.

Servers to propose run on this machine, or have a key in the environment. All are asked concurrently and briefly.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from desktop_app.addresses import without_secrets
from desktop_app.chat.ports import Price
from desktop_app.connections import ConnectionUnusable
from desktop_app.conversation.openai_chat import Json
from desktop_app.settings import Server, ServerKind

from .cloud_credentials import CLOUDS, authorization
from .cloud_requests import cloud_models_in, list_urls
from .endpoint import LOADING, Answer, Endpoint, ask, http_client, kinds_with_key, limit_size
from .published import PROPOSED, ModelCapabilities
from .template_quirks import quirks_of_caps, quirks_of_prompt, template_sample

ASSUMED_WINDOW = 128_000
"""Tokens, for an unknown cloud model (features.md C6)."""

LIMITED_BY_WINDOW: tuple[ServerKind, ...] = ("ollama", "lm_studio", "llama_cpp", "vllm")
"""Servers on which only the window limits the length of a reply."""

DEFAULT_MAX_OUTPUT = 4_096
"""Tokens of the reply that a check requests if the model's limit is unknown."""

OWNERS = ("vllm", "llamacpp", "sglang")
"""Values of `owned_by` in the lists of programs that run models; programs that forward requests name other owners."""

MAX_OLLAMA_WINDOW = 32_768
"""Ollama allocates memory for the requested window (`num_ctx`): 131,072 tokens of a model with 8 billion parameters
would be 16 GB. Exceeded only if the model is loaded with a larger window, or the Modelfile or the user sets one."""


class Probe(msgspec.Struct, frozen=True):
    """A request that asks a server about a model."""

    path: str
    """Relative to the base address if it begins with "/models", otherwise to the server's root."""
    read: Callable[[Any, str], ModelCapabilities]
    """Reads the answer's JSON, given the model's name."""
    body: Json | None = None
    """The JSON to post; None for a GET request."""


def probes_for(model: str, kind: ServerKind, is_local: bool) -> tuple[Probe, ...]:
    """Return the probes, best first: the window with which the model is loaded counts more than the possible one."""
    models_list = Probe("/models", _models_list)
    llama_cpp = Probe(f"/props?model={quote(model, safe='')}&autoload=false", _llama_cpp)  # a router has many models
    lm_studio = Probe("/api/v0/models", _lm_studio)
    litellm_proxy = Probe("/model/info", _litellm_proxy)
    ollama = (Probe("/api/ps", _ollama_running), Probe("/api/show", _ollama_show, {"model": model}))
    match kind:
        case "openai" | "azure" | "bedrock" | "vertex":
            return ()  # their lists have only names
        case "anthropic":
            return (Probe("/v1/models", _models_list),)
        case "gemini":
            return (Probe(f"/models/{model}", _gemini),)
        case "openrouter" | "moonshot" | "vllm":
            return (models_list,)
        case "lm_studio":
            return (lm_studio, models_list)
        case "llama_cpp":
            return (llama_cpp, models_list)
        case "ollama":
            return ollama
        case _:
            local = (llama_cpp, lm_studio, *ollama) if is_local else ()
            return (*local, litellm_proxy, models_list)


def _llama_cpp(answer: Any, model: str) -> ModelCapabilities:
    sees = _get(answer, "modalities", "vision")
    template = _get(answer, "chat_template_caps", "supports_tools")
    return ModelCapabilities(
        window=_number(_get(answer, "default_generation_settings", "n_ctx")),
        runs_here=isinstance(_get(answer, "default_generation_settings"), dict),
        supports_vision=sees if isinstance(sees, bool) else None,
        supports_tools=template if isinstance(template, bool) else None,
        quirks=quirks_of_caps(_get(answer, "chat_template_caps")),
    )


def _lm_studio(answer: Any, model: str) -> ModelCapabilities:
    return _of_lm_studio(_entry(_get(answer, "data"), model))


def _of_lm_studio(entry: Json) -> ModelCapabilities:
    abilities = entry.get("capabilities")
    return ModelCapabilities(
        window=_number(entry.get("loaded_context_length")) or _number(entry.get("max_context_length")),
        supports_vision=entry["type"] == "vlm" if "type" in entry else None,
        supports_tools="tool_use" in abilities if isinstance(abilities, list) else None,
        runs_here=not entry.keys().isdisjoint(("arch", "loaded_context_length", "max_context_length")),
    )


def _ollama_running(answer: Any, model: str) -> ModelCapabilities:
    entry = _entry(_get(answer, "models"), model)
    return ModelCapabilities(_number(entry.get("context_length")), runs_here="context_length" in entry)


def _ollama_show(answer: Any, model: str) -> ModelCapabilities:
    abilities = _get(answer, "capabilities")
    knows = isinstance(abilities, list)
    return ModelCapabilities(
        window=_ollama_window(answer),
        supports_vision="vision" in abilities if knows else None,
        supports_tools="tools" in abilities if knows else None,
        runs_here=isinstance(_get(answer, "model_info"), dict) and not _get(answer, "remote_host"),
    )


def _ollama_window(answer: Any) -> int:
    chosen = re.search(r"^num_ctx\s+(\d+)", str(_get(answer, "parameters") or ""), re.MULTILINE)
    if chosen:
        return int(chosen[1])
    info = _get(answer, "model_info")
    keys = [key for key in info if str(key).endswith(".context_length")] if isinstance(info, dict) else []
    return min(_number(info[keys[0]]), MAX_OLLAMA_WINDOW) if keys else 0


def _gemini(answer: Any, model: str) -> ModelCapabilities:
    return _of_gemini(answer)


def _of_gemini(entry: Any) -> ModelCapabilities:
    return ModelCapabilities(_number(_get(entry, "inputTokenLimit")), _number(_get(entry, "outputTokenLimit")))


def _litellm_proxy(answer: Any, model: str) -> ModelCapabilities:
    """Read what litellm's proxy knows of a model, which may have several deployments: what all of them can do."""
    data = _get(answer, "data")
    entries = [entry for entry in data if _get(entry, "model_name") == model] if isinstance(data, list) else []
    found = [_get(entry, "model_info") for entry in entries]

    def least(*names: str) -> int:
        numbers = [next(filter(None, (_number(_get(info, name)) for name in names)), 0) for info in found]
        return min(filter(None, numbers), default=0)

    sees, calls = ([_get(info, f"supports_{what}") for info in found] for what in ("vision", "function_calling"))
    return ModelCapabilities(
        window=least("max_input_tokens", "max_tokens"),
        max_output=least("max_output_tokens"),
        supports_tools=True if calls and all(value is True for value in calls) else None,
        supports_vision=True if sees and all(value is True for value in sees) else None,
    )


def _models_list(answer: Any, model: str) -> ModelCapabilities:
    return _of_entry(_entry(_get(answer, "data"), model))


def _of_entry(entry: Json) -> ModelCapabilities:
    # vLLM has max_model_len, OpenRouter, Kimi and Groq context_length or context_window, Anthropic max_input_tokens.
    names = ("max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens")
    accepted, inputs = entry.get("supported_parameters"), _get(entry, "architecture", "input_modalities")
    sees = "image" in inputs if isinstance(inputs, list) else entry.get("supports_image_in")
    return ModelCapabilities(
        window=next(filter(None, (_number(entry.get(name)) for name in names)), 0) or _router_window(entry),
        max_output=_number(_get(entry, "top_provider", "max_completion_tokens")) or _number(entry.get("max_tokens")),
        supports_tools="tools" in accepted if isinstance(accepted, list) else None,
        supports_vision=sees if isinstance(sees, bool) else None,
        price=_price(entry.get("pricing")),
        runs_here=entry.get("owned_by") in OWNERS,
    )


def _router_window(entry: Json) -> int:
    """Return the window in the list of llama-server's router: of the loaded model, or as it will be loaded."""
    arguments = _get(entry, "status", "args")
    texts = [str(value) for value in arguments] if isinstance(arguments, list) else []
    after = (value for name, value in itertools.pairwise(texts) if name in ("--ctx-size", "-c"))
    return _number(_get(entry, "meta", "n_ctx")) or next((int(value) for value in after if value.isdecimal()), 0)


def _price(pricing: Any) -> Price | None:
    """Read OpenRouter's prices, which are dollars per token, as text."""
    prompt, reply = _dollars(_get(pricing, "prompt")), _dollars(_get(pricing, "completion"))
    if not prompt and not reply:
        return None
    cached, written = (_dollars(_get(pricing, f"input_cache_{done}")) for done in ("read", "write"))
    return Price(prompt, reply, cached or None, written or None)


def _dollars(text: Any) -> float:
    try:
        return max(float(text), 0.0)
    except (TypeError, ValueError):
        return 0.0


def model_names_in(answer: Any) -> tuple[str, ...]:
    """Return the names of the models that a server lists, in any format and its order, without embedding models."""
    return tuple(models_in(answer))


def models_in(answer: Any) -> dict[str, ModelCapabilities]:
    """Return the models that a server lists, as above, with the capabilities in the list."""
    entries = next(filter(None, (_get(answer, key) for key in ("data", "models"))), None)
    known: Iterable[Any] = entries if isinstance(entries, list) else ()
    found: dict[str, ModelCapabilities] = {}
    for entry in known:
        name = (entry.get("id") or entry.get("name") or entry.get("model")) if isinstance(entry, dict) else None
        if isinstance(name, str) and name and _chats(entry):
            of_list = _of_lm_studio(entry) if "loaded_context_length" in entry or "arch" in entry else _of_entry(entry)
            found.setdefault(name.removeprefix("models/"), of_list.or_else(_of_gemini(entry)))
    return found


def _chats(entry: Json) -> bool:
    return "embedding" not in str(entry.get("type")) and not str(entry.get("id", "")).startswith("text-embed")


def _entry(entries: Any, model: str) -> Json:
    """Return the entry of that model in a list; {} if there is none."""
    known: Iterable[Any] = entries if isinstance(entries, list) else ()
    return next((entry for entry in known if isinstance(entry, dict) and model in _names_in(entry)), {})


def _names_in(entry: Json) -> tuple[Any, ...]:
    aliases = entry.get("aliases")
    return entry.get("id"), entry.get("name"), entry.get("model"), *(aliases if isinstance(aliases, list) else ())


def _get(answer: Any, *path: str) -> Any:
    for key in path:
        answer = answer.get(key) if isinstance(answer, dict) else None
    return answer


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


PROBE_SECONDS = 1.5
"""Limit for one probe, or for all requests about a tokenizer. An idle local server answers within 50 ms."""
PATIENT_SECONDS = 8.0
"""Limit for one probe that a message waits for, since nothing is known from earlier."""
KEY_REFUSED = (401, 403)


class ProbeResult(msgspec.Struct, frozen=True):
    """A server's report about one model."""

    capabilities: ModelCapabilities
    is_up: bool
    """Whether anything answered at all."""
    url: str = ""
    """URL of the most informative probe if the window stayed unknown, otherwise ""; `status` and `is_json` describe its
    answer."""
    status: int = 0
    is_json: bool = False
    listed: tuple[str, ...] = ()
    """The models that the server lists, if it was asked."""
    is_loading: bool = False
    """Whether the server says that it is loading the model, so that it should be asked again."""
    is_unloaded: bool = False
    """Whether the server will load the model once it is used."""
    better_address: str = ""
    """The address at which it answers as it should; "" if there is no better one."""


async def probe_models(
    endpoint: Endpoint, models: tuple[str, ...], seconds: float = PROBE_SECONDS
) -> dict[str, ProbeResult]:
    """Return the server's report about each model. seconds: limit for each probe. Never raises."""
    probes = {model: probes_for(model, endpoint.kind, endpoint.is_local) for model in models}
    async with _connect(endpoint, seconds) as server:
        if server is None:
            return {model: ProbeResult(ModelCapabilities(), False) for model in models}
        asked = [model for model in models if probes[model]]
        results = await asyncio.gather(*(_probe(server, model, probes[model]) for model in asked))
    return dict(zip(asked, results, strict=True))


async def find_better_address(endpoint: Endpoint) -> str:
    """Return the address with a missing "/v1" added if models are listed there, otherwise "". Never raises."""
    if endpoint.kind in ("anthropic", "gemini", "ollama", *CLOUDS):
        return ""
    async with _connect(endpoint) as server:
        return await server.better_address() if server else ""


async def list_models(endpoint: Endpoint) -> tuple[str, ...]:
    """Return the models that the server lists; none if it does not answer. Never raises."""
    if endpoint.kind in CLOUDS:
        return tuple((await read_list(endpoint, PROBE_SECONDS)).models)
    path = {"anthropic": "/v1/models", "ollama": "/api/tags"}.get(endpoint.kind, "/models")
    async with _connect(endpoint) as server:
        return model_names_in((await server.ask(path))[1]) if server else ()


class ModelList(msgspec.Struct, frozen=True):
    """A server's list of models. status: 0 if nothing answered."""

    models: dict[str, ModelCapabilities]
    status: int
    url: str
    problem: str = ""
    """Why the server could not be asked; "" if it was."""


async def read_list(endpoint: Endpoint, seconds: float) -> ModelList:
    """Return the server's list with each model's capabilities. seconds: limit for each request. Never raises."""
    if endpoint.kind in CLOUDS:
        return await _read_cloud_list(endpoint, seconds)
    path = {"anthropic": "/v1/models?limit=1000", "ollama": "/api/tags", "gemini": "/models?pageSize=1000"}
    paths = (path.get(endpoint.kind, "/models"), *(("/api/v0/models",) if endpoint.kind == "lm_studio" else ()))
    url = _url(endpoint, paths[0])
    async with _connect(endpoint, seconds) as server:
        answers = await asyncio.gather(*map(server.ask, paths)) if server else [(0, None)]
    listed = {}
    for _, content in answers:
        for name, known in models_in(content).items():
            listed[name] = known.or_else(listed.get(name, ModelCapabilities()))
    return ModelList(listed, answers[0][0], without_secrets(url))


async def _read_cloud_list(endpoint: Endpoint, seconds: float) -> ModelList:
    """Return the models of Azure, Bedrock or Vertex. Raises nothing: without credentials, the list says so."""
    urls = list_urls(endpoint)

    async def asked(client: Any, url: str) -> Answer:
        client_headers = await authorization(endpoint, "GET", url)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                return await ask(client, url, headers=client_headers)
        return 0, None

    try:
        async with http_client(endpoint, timeout=seconds) as client:
            answers = await asyncio.gather(*(asked(client, url) for url in urls))
    except ConnectionUnusable as error:
        return ModelList({}, 0, without_secrets(urls[0]), str(error))
    models: dict[str, ModelCapabilities] = {}
    for _, content in answers:
        models = cloud_models_in(content) | models
    return ModelList(models, answers[0][0], without_secrets(urls[0]))


def is_probed(endpoint: Endpoint) -> bool:
    """Return whether such a server is asked about its models at all: some list only names."""
    return bool(probes_for("", endpoint.kind, endpoint.is_local))


async def _probe(server: _Server, model: str, probes: tuple[Probe, ...]) -> ProbeResult:
    answers = await asyncio.gather(*(server.ask(probe.path, probe.body) for probe in probes))
    found = ModelCapabilities()
    for probe, (_, content) in zip(probes, answers, strict=True):
        found = found.or_else(probe.read(content, model))
        if isinstance(_get(content, "chat_template_caps"), dict):
            _, filled = await server.ask("/apply-template?autoload=false", template_sample(model))
            found = found.or_else(ModelCapabilities(quirks=quirks_of_prompt(filled)))
    contents = [content for _, content in answers]
    states = [_state_in(content, model) for content in contents]
    result = ProbeResult(
        found,
        any(status for status, _ in answers),
        is_loading=LOADING in states,
        is_unloaded="unloaded" in states,
    )
    return result if found.window or not result.is_up else await _explain(server, result, probes, answers)


def _state_in(answer: Any, model: str) -> str:
    """Return the state of the model as llama-server's router lists it, such as "unloaded" or "loading"; else ""."""
    if answer == LOADING:
        return LOADING
    status = _get(_entry(_get(answer, "data"), model), "status")
    return "failed" if _get(status, "failed") is True else str(_get(status, "value") or "")


async def load_model(endpoint: Endpoint, model: str) -> None:
    """Ask llama-server's router to load the model. Never raises."""
    async with _connect(endpoint, PATIENT_SECONDS) as server:
        if server is not None:
            await server.ask("/models/load", {"model": model})


async def _explain(
    server: _Server, result: ProbeResult, probes: tuple[Probe, ...], answers: list[Answer]
) -> ProbeResult:
    """Add the answer that says why the window is unknown, and a better address if there is one."""
    refused = [index for index, (status, _) in enumerate(answers) if status in KEY_REFUSED]
    index = refused[0] if refused else len(answers) - 1  # the list of models is the last probe
    status, content = answers[index]
    listed = model_names_in(content)
    path = probes[index].path
    url = without_secrets(_url(server.endpoint, path))
    result = replace(result, url=url, status=status, is_json=content is not None, listed=listed)
    if listed or not path.startswith("/models"):
        return result
    return replace(result, better_address=await server.better_address())


class _Server(msgspec.Struct):
    """A server that is being probed. A probe that several models need is sent only once."""

    client: Any
    endpoint: Endpoint
    seconds: float
    sent: dict[str, asyncio.Future[Answer]] = {}

    async def ask(self, path: str, body: Json | None = None) -> Answer:
        if body is not None:
            return await self._send(path, body)
        if path not in self.sent:
            self.sent[path] = asyncio.ensure_future(self._send(path))
        return await self.sent[path]

    async def better_address(self) -> str:
        address = _url(self.endpoint, "/models").removesuffix("/models")
        if address.endswith("/v1"):
            return ""
        better = replace(self.endpoint, base_url=f"{address}/v1")
        _, listed = await _Server(self.client, better, self.seconds).ask("/models")
        return better.base_url if model_names_in(listed) else ""

    async def _send(self, path: str, body: Json | None = None) -> Answer:
        try:
            async with asyncio.timeout(self.seconds):  # httpx limits only the time of each chunk
                return await ask(self.client, _url(self.endpoint, path), body)
        except TimeoutError:
            return 0, None


@asynccontextmanager
async def _connect(endpoint: Endpoint, seconds: float = PROBE_SECONDS) -> AsyncIterator[_Server | None]:
    """Yield the server; None if it has no valid address, or the environment keeps it from being reached."""
    try:
        client = client_for(endpoint, seconds) if endpoint.is_address else None
    except ConnectionUnusable:
        client = None
    if client is None:
        yield None
        return
    async with client:
        yield _Server(client, endpoint, seconds)


def client_for(endpoint: Endpoint, seconds: float = PROBE_SECONDS) -> Any:
    """Return an httpx client for a few short requests. Raises ConnectionUnusable.

    Connections are closed after each request: open ones would block the one or two threads of a small server.
    """
    headers = {**headers_of(endpoint), "Connection": "close"}
    return http_client(endpoint, timeout=seconds, headers=headers)


def headers_of(endpoint: Endpoint) -> Mapping[str, str]:
    """Return the headers in which that kind of server expects its key."""
    if not endpoint.key or endpoint.odd_key:
        return {}
    match endpoint.kind:
        case "anthropic":
            return {"x-api-key": endpoint.key, "anthropic-version": "2023-06-01"}
        case "gemini":
            return {"x-goog-api-key": endpoint.key}
        case _:
            return {"Authorization": f"Bearer {endpoint.key}"}


def _url(endpoint: Endpoint, path: str) -> str:
    address = endpoint.address.removesuffix("/chat/completions")
    is_below = path.startswith("/models") and path != "/models/load"
    return address + path if is_below else address.removesuffix("/v1") + path


SECONDS = 1.5
"""Limit for all ports together. An idle server answers within 50 ms; one that is loading a model may not."""

USUAL_PORTS = {
    1234: "LM Studio",
    11434: "Ollama",
    8080: "llama.cpp",
    8000: "vLLM",
    1337: "Jan",
    5001: "KoboldCpp",
    5000: "text-generation-webui",
    4891: "GPT4All",
    30000: "SGLang",
}
"""The default ports of local servers."""

PROVIDERS: dict[ServerKind, str] = {
    "anthropic": "Anthropic",
    "openai": "OpenAI",
    "openrouter": "OpenRouter",
    "gemini": "Gemini",
    "moonshot": "Moonshot",
}

_FINGERPRINTS: tuple[tuple[str, str, str, ServerKind], ...] = (
    ("/api/extra/version", "version", "KoboldCpp", "openai_compatible"),
    ("/props", "default_generation_settings", "llama.cpp", "llama_cpp"),
    ("/api/v0/models", "data", "LM Studio", "lm_studio"),
    ("/api/tags", "models", "Ollama", "ollama"),
    ("/v1/models", "data", "", "openai_compatible"),
)
"""Pages, the field that identifies a server, its name and kind. llama.cpp and KoboldCpp also imitate Ollama."""


def providers_in_environment() -> tuple[Server, ...]:
    """Return a server to propose for each provider whose environment variable contains a key."""
    return tuple(Server(PROVIDERS[kind], "", PROPOSED.get(kind, ()), kind=kind) for kind in kinds_with_key())


async def discover_local(ports: dict[int, str] = USUAL_PORTS, seconds: float = SECONDS) -> tuple[Server, ...]:
    """Return the servers on this machine with the models that they list, in the order of the ports.

    Only loopback is asked, all ports concurrently. Never raises; a server that does not answer in time is left out.
    A server that requires a key has no models.
    """
    import httpx

    headers = {"Connection": "close"}  # a small server has one or two threads
    async with limit_size(httpx.AsyncClient(timeout=seconds, trust_env=False, verify=False, headers=headers)) as client:
        found = await asyncio.gather(*(_server_at(client, port, name, seconds) for port, name in ports.items()))
    return tuple(server for server in found if server is not None)


async def _server_at(client: Any, port: int, usual: str, seconds: float) -> Server | None:
    root = f"http://127.0.0.1:{port}"
    try:
        async with asyncio.timeout(seconds):
            if not await _is_open(port):
                return None
            answers = await asyncio.gather(*(ask(client, root + path) for path, *_ in _FINGERPRINTS))
    except TimeoutError:
        return None
    status, models = answers[-1]
    for (_, field, name, kind), (_, page) in zip(_FINGERPRINTS, answers, strict=True):
        if isinstance(page, dict) and field in page:
            if kind == "ollama":
                return Server(name, root, model_names_in(page), kind=kind)
            if not name and _is_vllm(page):
                name, kind = "vLLM", "vllm"
            listed = page if kind == "lm_studio" else models
            return Server(name or usual, f"{root}/v1", model_names_in(listed), kind=kind)
    return Server(usual, f"{root}/v1", ()) if status == 401 else None


def _is_vllm(listed: Any) -> bool:
    entries = listed["data"] if isinstance(listed["data"], list) else []
    return any(isinstance(entry, dict) and entry.get("owned_by") == "vllm" for entry in entries)


async def _is_open(port: int) -> bool:
    """Return whether anything listens on the port: five requests to a closed one would take longer."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True
