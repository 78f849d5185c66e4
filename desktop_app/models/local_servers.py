"""Finding servers to propose: those that run on this machine, and providers whose key is in the environment."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import msgspec

from desktop_app.settings import Server, ServerKind

from .capability_probes import model_names_in
from .http_client import limit_size
from .key_environment import kinds_with_key
from .known_models import PROPOSED

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

_NAMES: dict[ServerKind, str] = {"lm_studio": "LM Studio", "ollama": "Ollama", "llama_cpp": "llama.cpp", "vllm": "vLLM"}


Answer = tuple[int, Any]
"""Status and JSON of a page; status 0 if nothing answered."""


class _PortAnswers(msgspec.Struct, frozen=True):
    kobold: Answer
    llama_cpp: Answer
    lm_studio: Answer
    ollama: Answer
    models: Answer


PAGES = ("/api/extra/version", "/props", "/api/v0/models", "/api/tags", "/v1/models")


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
        asking = [asyncio.ensure_future(_server_at(client, port, name)) for port, name in ports.items()]
        done, late = await asyncio.wait(asking, timeout=seconds) if asking else (set(), set())
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)
    found = [task.result() for task in asking if task in done]
    return tuple(server for server in found if server is not None)


async def _server_at(client: Any, port: int, usual: str) -> Server | None:
    root = f"http://127.0.0.1:{port}"
    if not await _is_open(port):
        return None
    answers = _PortAnswers(*await asyncio.gather(*(_page(client, root + path) for path in PAGES)))
    kind = _kind(answers)
    if kind is None:
        return None
    name = _NAMES.get(kind) or ("KoboldCpp" if answers.kobold[0] == 200 else usual)
    if kind == "ollama":
        return Server(name, root, model_names_in(answers.ollama[1]), kind=kind)
    listed = answers.lm_studio[1] if kind == "lm_studio" else answers.models[1]
    return Server(name, f"{root}/v1", model_names_in(listed), kind=kind)


def _kind(answers: _PortAnswers) -> ServerKind | None:
    # llama.cpp and KoboldCpp also speak Ollama's protocol, so Ollama itself comes last.
    if _has(answers.kobold, "result") or _has(answers.kobold, "version"):
        return "openai_compatible"
    if _has(answers.llama_cpp, "default_generation_settings"):
        return "llama_cpp"
    if _has(answers.lm_studio, "data"):
        return "lm_studio"
    status, listed = answers.models
    if _has(answers.ollama, "models"):
        return "ollama"
    if status == 401:
        return "openai_compatible"
    if not _has(answers.models, "data"):
        return None
    entries = listed["data"] if isinstance(listed["data"], list) else []
    owners = {entry.get("owned_by") for entry in entries if isinstance(entry, dict)}
    return "vllm" if "vllm" in owners else "openai_compatible"


def _has(answer: Answer, field: str) -> bool:
    return answer[0] == 200 and isinstance(answer[1], dict) and field in answer[1]


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


async def _page(client: Any, url: str) -> Answer:
    import httpx

    try:
        response = await client.get(url)
    except httpx.HTTPError:
        return 0, None
    try:
        return response.status_code, response.json()
    except (ValueError, RecursionError):  # no JSON, no text, or nested too deep
        return response.status_code, None
