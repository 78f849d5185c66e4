"""What the window knows of each kind of server: its name, its address, and whether it wants a key. Pure."""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

from desktop_app.addresses import is_local
from desktop_app.conversation.model_servers import KeyPlace
from desktop_app.conversation.words import translatable
from desktop_app.settings import Server, ServerKind
from desktop_app.ui.translation import tr


class KindInfo(msgspec.Struct, frozen=True):
    """One kind of server."""

    label: str
    name: str  # proposed for a new server
    address: str = ""  # used when none is written; "" if one must be
    variable: str = ""  # the environment variable that its key is read from
    is_local: bool = False  # it runs on the user's machine, usually without a key


# The addresses and variables are those of models/endpoint.py; a test compares them.
KINDS: dict[ServerKind, KindInfo] = {
    "openai_compatible": KindInfo(translatable("Any OpenAI-compatible server"), ""),
    "anthropic": KindInfo(
        "Anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"
    ),
    "openai": KindInfo("OpenAI", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "openrouter": KindInfo(
        "OpenRouter", "openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"
    ),
    "gemini": KindInfo(
        "Google Gemini", "gemini", "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"
    ),
    "moonshot": KindInfo(
        "Moonshot (Kimi)", "moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"
    ),
    "ollama": KindInfo("Ollama", "ollama", "http://127.0.0.1:11434", is_local=True),
    "lm_studio": KindInfo("LM Studio", "lmstudio", "http://127.0.0.1:1234/v1", is_local=True),
    "llama_cpp": KindInfo("llama.cpp", "llamacpp", "http://127.0.0.1:8080/v1", is_local=True),
    "vllm": KindInfo("vLLM", "vllm", "http://127.0.0.1:8000/v1", is_local=True),
}  # fmt: skip


def address_hint(kind: ServerKind) -> str:
    """Return the placeholder of the address."""
    address = KINDS[kind].address
    return tr("leave empty for {address}").format(address=address) if address else "http://localhost:1234/v1"


KEY_HINTS: dict[KeyPlace, str] = {
    "stored": translatable("A key is saved; type to replace it"),
    "session": translatable("A key is known until you quit; type to replace it"),
    "environment": translatable("The key in the environment is used; type to use another"),
}


def key_hint(kind: ServerKind, place: KeyPlace) -> str:
    """Return the placeholder of the key. place: where it is."""
    info = KINDS[kind]
    if place:
        return tr(KEY_HINTS[place])
    if info.variable:
        return tr("leave empty to use {variable}").format(variable=info.variable)
    return tr("usually not needed") if info.is_local else tr("only if the server needs one")


def address_of(server: Server) -> str:
    """Return where the server is: its own address, or that of its kind; "" if neither is known."""
    return server.base_url or KINDS[server.kind].address


def host_and_port(server: Server) -> str:
    """Return what two settings of one server have in common, whatever their paths and kinds; "" if unknown."""
    address = address_of(server)
    authority = urlsplit(address).netloc.lower()
    return authority.replace("localhost", "127.0.0.1") if is_local(address) else authority
