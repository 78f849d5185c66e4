"""Keys in environment variables: our own by the server's name, the providers' by the kind of server."""

from __future__ import annotations

import re

from desktop_app.addresses import host_of
from desktop_app.process_secrets import variable
from desktop_app.settings import Server, ServerKind

from .endpoint import DEFAULT_ADDRESS

VARIABLES: dict[ServerKind, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "moonshot": ("MOONSHOT_API_KEY",),
}
"""The providers' own variables, in the order in which their libraries look."""


def named_key(name: str) -> str:
    """Return PALIMPSEST_KEY_<NAME>, where a server of models or of tools ("mcp/NAME") has that name."""
    return variable("PALIMPSEST_KEY_" + re.sub(r"[^A-Z0-9]", "_", name.upper())).strip()


def environment_key(server: Server) -> str:
    """Return the key by the server's name, else the provider's, which goes to the provider's own address only."""
    return named_key(server.name) or _key_of_kind(_kind_of(server))


def _key_of_kind(kind: ServerKind | None) -> str:
    names = VARIABLES.get(kind, ()) if kind else ()
    return next(filter(None, (variable(name).strip() for name in names)), "")


def _kind_of(server: Server) -> ServerKind | None:
    """Return the provider whose own server it is; None for another's, whatever kind the settings say."""
    if not server.base_url:
        return server.kind if server.kind in VARIABLES else None
    if not server.base_url.startswith("https://"):
        return None
    host = host_of(server.base_url)
    return next((kind for kind in VARIABLES if host == host_of(DEFAULT_ADDRESS[kind])), None)


def kinds_with_key() -> tuple[ServerKind, ...]:
    """Return the providers whose own variable is set."""
    return tuple(kind for kind in VARIABLES if _key_of_kind(kind))
