"""Servers as they are reached: whose shape they have, where they are, and with which key."""

from __future__ import annotations

import msgspec

from desktop_app.addresses import host_of, is_local
from desktop_app.settings import ServerKind

OWN_ADDRESS: dict[ServerKind, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
    "moonshot": "https://api.moonshot.ai/v1",
    "ollama": "http://127.0.0.1:11434",
    "lm_studio": "http://127.0.0.1:1234/v1",
    "llama_cpp": "http://127.0.0.1:8080/v1",
    "vllm": "http://127.0.0.1:8000/v1",
}
"""Where a provider is when the settings name no address: its own, or a local server's usual port."""

PREFIX: dict[ServerKind, str] = {
    "openai_compatible": "openai",
    "anthropic": "anthropic",
    "openai": "openai",
    "openrouter": "openrouter",
    "gemini": "gemini",
    "moonshot": "moonshot",
    "ollama": "ollama_chat",
    "lm_studio": "lm_studio",
    "llama_cpp": "openai",
    "vllm": "hosted_vllm",
}
"""What litellm calls them. Ollama is spoken to in its own protocol, since OpenAI's has no place for `num_ctx`."""

THROUGH_OPENAI_CLIENT: frozenset[ServerKind] = frozenset(
    {"openai_compatible", "openai", "moonshot", "lm_studio", "llama_cpp"}
)
"""Those for which litellm wants a client of the package openai; for the others it wants its own over httpx."""

OPENAI_SHAPED: frozenset[ServerKind] = frozenset({"vllm", "openrouter"})
"""Those of the others whose chunks are OpenAI's."""

_WITHOUT_VERSION: frozenset[ServerKind] = frozenset({"anthropic", "ollama"})
"""To whose address litellm adds the whole path, "v1" included."""


class Endpoint(msgspec.Struct, frozen=True):
    """A server as it is reached. name: for people. key: never shown. base_url: "" for the provider's own address."""

    name: str
    base_url: str
    key: str = ""
    kind: ServerKind = "openai_compatible"

    @property
    def address(self) -> str:
        """Its address, also where the settings name none; without a slash at its end."""
        return (self.base_url or OWN_ADDRESS.get(self.kind, "")).rstrip("/")

    @property
    def api_base(self) -> str:
        """The address as litellm wants it for this kind of server."""
        address = self.address
        if self.kind in _WITHOUT_VERSION:
            return address.removesuffix("/v1/messages").removesuffix("/api/chat").removesuffix("/v1")
        return address.removesuffix("/chat/completions")

    @property
    def is_address(self) -> bool:
        """Whether it has one at all."""
        return bool(host_of(self.address))

    @property
    def is_local(self) -> bool:
        """Whether it is this machine."""
        return is_local(self.address)

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {self.base_url!r}, kind={self.kind!r})"
