"""Where each kind of server is, as users write it and as litellm wants it."""

from __future__ import annotations

from typing import get_args

import httpx
import httpx2
import pytest

from desktop_app.models.cloud_credentials import CLOUDS
from desktop_app.models.endpoint import DEFAULT_ADDRESS, PREFIX, Endpoint, http_client
from desktop_app.settings import ServerKind
from desktop_app.tools.mcp.http import Traffic
from desktop_app.tools.mcp.http import http_client as mcp_client
from kinds_of_server import OF_KIND

KEY = "sk-SECRET"


@pytest.mark.parametrize(
    ("kind", "base_url", "api_base"),
    [
        ("anthropic", "", "https://api.anthropic.com"),
        ("anthropic", "https://proxy.example/v1/", "https://proxy.example"),
        ("anthropic", "https://proxy.example/v1/messages", "https://proxy.example"),
        ("openai", "", "https://api.openai.com/v1"),
        ("openrouter", "", "https://openrouter.ai/api/v1"),
        ("gemini", "", "https://generativelanguage.googleapis.com/v1beta"),
        ("moonshot", "https://api.moonshot.cn/v1", "https://api.moonshot.cn/v1"),
        ("ollama", "", "http://127.0.0.1:11434"),
        ("ollama", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434"),
        ("ollama", "http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434"),
        ("lm_studio", "", "http://127.0.0.1:1234/v1"),
        ("openai_compatible", "http://home:8080/v1/chat/completions", "http://home:8080/v1"),
        ("openai_compatible", "", ""),
    ],
)
def test_an_address_is_what_litellm_wants(kind: ServerKind, base_url: str, api_base: str) -> None:
    endpoint = Endpoint("s", base_url, KEY, kind)
    assert endpoint.api_base == api_base
    assert endpoint.is_address == bool(api_base)


def test_only_servers_of_no_particular_kind_and_resources_of_azure_need_an_address() -> None:
    kinds = set(get_args(ServerKind))
    assert set(PREFIX) == set(OF_KIND) | CLOUDS == kinds  # the clouds are in test_clouds.py
    assert kinds - set(DEFAULT_ADDRESS) == {"openai_compatible", "azure"}
    local = {kind for kind in get_args(ServerKind) if Endpoint("s", "", "", kind).is_local}
    assert local == {"ollama", "lm_studio", "llama_cpp", "vllm"}


def test_the_key_is_not_shown() -> None:
    assert KEY not in repr(Endpoint("s", "http://x", KEY, "openai"))


@pytest.mark.parametrize("address", ["https://api.example.org/v1", "http://api.example.org/v1"])
@pytest.mark.parametrize("proxy", ["http://me:secret@127.0.0.1:9", "https://127.0.0.1:9", "127.0.0.1:9", ""])
async def test_a_server_is_reached_through_either_kind_of_proxy(
    address: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALL_PROXY", proxy)
    monkeypatch.setenv("NO_PROXY", "[::1]")
    async with http_client(Endpoint("s", address), timeout=5.0) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(address)
    async with await mcp_client(address, {}, Traffic()) as client:
        with pytest.raises(httpx2.ConnectError):
            await client.get(address)
