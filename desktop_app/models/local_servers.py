"""Finding servers to propose: those that run on this machine, and providers whose key is in the environment."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from desktop_app.settings import Server, ServerKind

from .capability_probes import model_names_in
from .http_client import ask, limit_size
from .keys import kinds_with_key
from .published import PROPOSED

SECONDS = 1.5
"""For all ports together. An idle server answers within 50 ms; one that loads a model may not."""

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
"""Pages, the field by which a server is known, its name and kind. llama.cpp and KoboldCpp also speak as Ollama does."""


def providers_in_environment() -> tuple[Server, ...]:
    """Return a server to propose for each provider whose own variable holds a key."""
    return tuple(Server(PROVIDERS[kind], "", PROPOSED[kind], kind=kind) for kind in kinds_with_key())


async def discover_local(ports: dict[int, str] = USUAL_PORTS, seconds: float = SECONDS) -> tuple[Server, ...]:
    """Return the servers on this machine's ports with the models that they list, in the order of the ports.

    Only loopback is asked, all ports at once. Never raises; a server that does not answer in time is left out. A server
    that requires a key has no models.
    """
    import httpx

    headers = {"Connection": "close"}  # a small server has a thread or two
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
    """Whether anything listens: five requests to a closed port would cost more."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True
