"""What is found on this machine: servers that really listen, and keys in the environment."""

from __future__ import annotations

import os
import socket
from contextlib import ExitStack
from typing import Any

import pytest

from desktop_app.models.catalogue import Catalogue
from desktop_app.models.discovery import USUAL_PORTS, discover_local, providers_in_environment
from desktop_app.settings import Server, Settings
from provider import Json, ScriptedProvider

pytestmark = pytest.mark.wire

PATIENCE = 20.0
"""Seconds: what is there is to be found on a busy machine, too."""


def port_of(provider: ScriptedProvider) -> int:
    return int(provider.root_url.rpartition(":")[2])


async def found(*providers: ScriptedProvider) -> tuple[Server, ...]:
    with ExitStack() as stack:
        ports = {port_of(stack.enter_context(provider)): f"Usual {n}" for n, provider in enumerate(providers)}
        return await discover_local(ports, PATIENCE)


@pytest.mark.parametrize(
    ("flavour", "kind", "name"),
    [
        ("lmstudio", "lm_studio", "LM Studio"),
        ("ollama", "ollama", "Ollama"),
        ("llama.cpp", "llama_cpp", "llama.cpp"),
        ("vllm", "vllm", "vLLM"),
        ("openai", "openai_compatible", "Usual 0"),
    ],
)
async def test_a_server_is_known_by_what_it_answers_not_by_its_port(flavour: str, kind: str, name: str) -> None:
    provider = ScriptedProvider(flavour=flavour, models=("qwen3", "gemma3"), window=4_096)
    with provider:
        (server,) = await discover_local({port_of(provider): "Usual 0"}, PATIENCE)
        assert (server.kind, server.name, server.models) == (kind, name, ("qwen3", "gemma3"))
        catalogue = Catalogue(Settings(servers=(server,)), lambda _: "")
        await catalogue.discover()
        window = 0 if kind == "openai_compatible" else 4_096
        assert catalogue.infos()[1].window == window, "it can be used as it was proposed"


async def test_those_that_speak_as_ollama_too_are_not_taken_for_it() -> None:
    tags: Json = {"models": [{"name": "x", "model": "x"}]}
    kobold = ScriptedProvider(
        pages={"/api/extra/version": {"result": "KoboldCpp", "version": "1.9"}, "/api/tags": tags}
    )
    llama = ScriptedProvider(pages={"/props": {"default_generation_settings": {"n_ctx": 9}}, "/api/tags": tags})
    listed = [{"id": "a", "type": "llm"}, {"id": "b", "type": "embeddings"}]
    lm_studio = ScriptedProvider(pages={"/api/v0/models": {"data": listed}, "/api/tags": tags})
    servers = await found(kobold, llama, lm_studio)
    assert [(server.kind, server.name, server.models) for server in servers] == [
        ("openai_compatible", "KoboldCpp", ("scripted",)),
        ("llama_cpp", "llama.cpp", ("scripted",)),
        ("lm_studio", "LM Studio", ("a",)),
    ]


async def test_what_does_not_answer_in_time_is_left_out() -> None:
    with socket.socket() as silent, ScriptedProvider(flavour="vllm") as lively:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        servers = await discover_local({silent.getsockname()[1]: "Silent", port_of(lively): "vLLM"}, 3.0)
    assert [server.kind for server in servers] == ["vllm"]


async def test_a_closed_port_and_a_server_of_something_else_are_nothing() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = unused.getsockname()[1]
    with ScriptedProvider(pages={"/v1/models": {"x": 1}}) as website:
        assert await discover_local({closed: "x", port_of(website): "y"}, PATIENCE) == ()
    others: tuple[tuple[Any, list[str]], ...] = (
        ({"x": 1}, []),
        ([], []),
        ({"data": None, "models": "?"}, ["lm_studio"]),
    )
    for page, kinds in others:
        pages = dict.fromkeys(("/props", "/api/v0/models", "/v1/models", "/api/extra/version"), page)
        with ScriptedProvider(pages=pages) as website:
            servers = await discover_local({port_of(website): "y"}, PATIENCE)
        assert [server.kind for server in servers] == kinds
        assert not any(server.models for server in servers)


async def test_a_server_that_wants_a_key_is_proposed_without_models() -> None:
    (server,) = await found(ScriptedProvider(key="secret"))
    assert server.models == ()


async def test_the_usual_ports_can_be_asked_on_any_machine() -> None:
    assert len(USUAL_PORTS) >= 6
    await discover_local()
    assert await discover_local({}) == ()


def test_keys_in_the_environment_propose_their_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in list(os.environ):
        if variable.endswith("_API_KEY"):
            monkeypatch.delenv(variable)
    assert providers_in_environment() == ()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1")
    monkeypatch.setenv("GOOGLE_API_KEY", "sk-2")
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    proposed = providers_in_environment()
    assert [(server.name, server.kind, server.base_url) for server in proposed] == [
        ("Anthropic", "anthropic", ""),
        ("Gemini", "gemini", ""),
    ]
    assert "claude-sonnet-4-6" in proposed[0].models
    assert "sk-1" not in repr(proposed)
