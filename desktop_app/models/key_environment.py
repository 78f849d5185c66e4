"""Keys in the environment: ours by the server's name, the providers' own by the kind of server."""

from __future__ import annotations

import re

from desktop_app.addresses import host_of
from desktop_app.process_secrets import variable
from desktop_app.settings import Server, ServerKind

from .endpoint import OWN_ADDRESS

VARIABLES: dict[ServerKind, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "moonshot": ("MOONSHOT_API_KEY",),
}
"""The providers' own names, in the order in which their own libraries look."""


def key_named(name: str) -> str:
    """The key in PALIMPSEST_KEY_<NAME>, where a server of models or of tools ("mcp/NAME") has that name."""
    return variable("PALIMPSEST_KEY_" + re.sub(r"[^A-Z0-9]", "_", name.upper())).strip()


def from_environment(server: Server) -> str:
    """The key of that server: by its name, else the provider's, which goes to the provider's own address alone."""
    return key_named(server.name) or _key_of_kind(_kind_of(server))


def _key_of_kind(kind: ServerKind | None) -> str:
    names = VARIABLES.get(kind, ()) if kind else ()
    return next(filter(None, (variable(name).strip() for name in names)), "")


def _kind_of(server: Server) -> ServerKind | None:
    """Which provider's own server it is; None where it is another's, whatever kind the settings say."""
    if not server.base_url:
        return server.kind if server.kind in VARIABLES else None
    if not server.base_url.startswith("https://"):
        return None
    host = host_of(server.base_url)
    return next((kind for kind in VARIABLES if host == host_of(OWN_ADDRESS[kind])), None)


def kinds_with_key() -> tuple[ServerKind, ...]:
    """The providers whose own variable is set."""
    return tuple(kind for kind in VARIABLES if _key_of_kind(kind))
