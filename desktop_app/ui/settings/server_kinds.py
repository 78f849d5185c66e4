"""What the window knows of each kind of server: its name, where it is, and whether it wants a key. Pure."""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

from desktop_app.addresses import is_local
from desktop_app.settings import Server, ServerKind


class KindInfo(msgspec.Struct, frozen=True):
    """label: as people call it. name: proposed for the server. address: where it is when none is written; "" if one
    must be. variable: where its key is looked for beside the keyring. is_local: it runs on one's own machine, as a rule
    without a key. models: an example."""

    label: str
    name: str
    address: str = ""
    variable: str = ""
    is_local: bool = False
    models: str = "such as qwen2.5-7b-instruct, llama-3.1-8b"


# The addresses and variables are those of models/endpoint.py and models/key_environment.py; a test compares them.
KINDS: dict[ServerKind, KindInfo] = {
    "openai_compatible": KindInfo("Any OpenAI-compatible server", ""),
    "anthropic": KindInfo(
        "Anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", models="such as claude-sonnet-4-5"
    ),
    "openai": KindInfo("OpenAI", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY", models="such as gpt-5.1"),
    "openrouter": KindInfo(
        "OpenRouter", "openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY",
        models="such as moonshotai/kimi-k2",
    ),
    "gemini": KindInfo(
        "Google Gemini", "gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY",
        models="such as gemini-3-pro-preview",
    ),
    "moonshot": KindInfo(
        "Moonshot (Kimi)", "moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", models="such as kimi-k2.5"
    ),
    "ollama": KindInfo("Ollama", "ollama", "http://127.0.0.1:11434", is_local=True, models="such as llama3.1:8b"),
    "lm_studio": KindInfo("LM Studio", "lmstudio", "http://127.0.0.1:1234/v1", is_local=True),
    "llama_cpp": KindInfo("llama.cpp", "llamacpp", "http://127.0.0.1:8080/v1", is_local=True),
    "vllm": KindInfo("vLLM", "vllm", "http://127.0.0.1:8000/v1", is_local=True),
}  # fmt: skip

NEEDS_ADDRESS = "http://localhost:1234/v1"


def address_hint(kind: ServerKind) -> str:
    """What stands in the empty field of the address."""
    info = KINDS[kind]
    return f"leave empty for {info.address}" if info.address else NEEDS_ADDRESS


def place_of(server: Server) -> str:
    """The host and the port that it is at: by it two settings of the same server are recognized, whatever their paths
    and kinds are; "" if nothing is written yet."""
    address = server.base_url or KINDS[server.kind].address
    place = urlsplit(address).netloc.lower()
    return place.replace("localhost", "127.0.0.1") if is_local(address) else place


def key_hint(kind: ServerKind, has_key: bool) -> str:
    """What stands in the empty field of the key."""
    info = KINDS[kind]
    if has_key:
        return "A key is saved; type to replace it"
    if info.variable:
        return f"leave empty to use {info.variable}"
    return "usually not needed" if info.is_local else "only if the server needs one"
