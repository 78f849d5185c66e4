"""Endpoints: a server's kind, address and key."""

from __future__ import annotations

import msgspec

from desktop_app.addresses import host_of, is_local, secrets_of, without_secrets
from desktop_app.settings import ServerKind

DEFAULT_ADDRESS: dict[ServerKind, str] = {
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
"""Of a provider, or a local server's usual port, where the settings name no address."""

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
"""litellm's names. Ollama is reached by its own protocol, since OpenAI's has no `num_ctx`."""

THROUGH_OPENAI_CLIENT: frozenset[ServerKind] = frozenset(
    {"openai_compatible", "openai", "moonshot", "lm_studio", "llama_cpp"}
)
"""Kinds for which litellm takes a client of the package openai; for the others it takes its own over httpx."""

OPENAI_SHAPED: frozenset[ServerKind] = frozenset({"vllm", "openrouter"})
"""Others whose chunks are in OpenAI's format."""

_WITHOUT_VERSION: frozenset[ServerKind] = frozenset({"anthropic", "ollama"})
"""Kinds to whose address litellm adds the whole path, including "v1"."""


class Endpoint(msgspec.Struct, frozen=True):
    """A server as it is reached."""

    name: str
    """For people."""
    base_url: str
    """"" for the default address."""
    key: str = ""
    """Never shown."""
    kind: ServerKind = "openai_compatible"

    @property
    def address(self) -> str:
        """The address without a trailing slash, also where the settings name none."""
        return (self.base_url or DEFAULT_ADDRESS.get(self.kind, "")).rstrip("/")

    @property
    def shown_address(self) -> str:
        """The address for people: without a password or a key."""
        return without_secrets(self.address)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no text may show: its key, and those in its address."""
        return tuple(filter(None, (self.key, *secrets_of(self.base_url))))

    @property
    def api_base(self) -> str:
        """The address as litellm takes it for this kind of server."""
        address = self.address
        if self.kind in _WITHOUT_VERSION:
            return address.removesuffix("/v1/messages").removesuffix("/api/chat").removesuffix("/v1")
        return address.removesuffix("/chat/completions")

    @property
    def is_address(self) -> bool:
        return bool(host_of(self.address))

    @property
    def is_local(self) -> bool:
        return is_local(self.address)

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {without_secrets(self.base_url)!r}, kind={self.kind!r})"
