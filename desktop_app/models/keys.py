"""Keys of servers: in the system's keyring, or the environment; never in a file of ours.

Without a keyring a key that is entered lasts for this run only, and `storage` says so.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from typing import Any

from desktop_app.settings import Server

from .address import host_of

SERVICE = "palimpsest"
MEMORY = "in memory, for this session only"


class Keys:
    """Keys by server name. `load` first; reading is then free, and can be done anywhere."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._keyring: Any = None
        self._storage = MEMORY

    @property
    def storage(self) -> str:
        """Where keys are kept, in words, or why they last for this session only."""
        return self._storage

    def of(self, server: str) -> str:
        """The key of that server; "" when it has none."""
        return self._keys.get(server, "")

    def servers_with_key(self) -> tuple[str, ...]:
        """The names of those that have one, wherever it comes from."""
        return tuple(sorted(name for name, key in self._keys.items() if key))

    async def load(self, servers: Sequence[Server]) -> None:
        """Reads the keys of these servers, on a thread: the keyring takes 0.2 s to import, and may ask the desktop."""
        found = await asyncio.to_thread(self._read, tuple(servers))
        self._keys = {**found, **{name: key for name, key in self._keys.items() if key and name not in found}}

    async def set(self, server: str, key: str) -> None:
        """Keeps the key; an empty one removes it, but for one in the environment, which is not ours."""
        await asyncio.to_thread(self._write, server, key.strip())
        self._keys[server] = key.strip()

    def _read(self, servers: tuple[Server, ...]) -> dict[str, str]:
        self._open()
        found = {server.name: self._stored(server.name) or from_environment(server) for server in servers}
        return {name: key for name, key in found.items() if key}

    def _open(self) -> None:
        if self._keyring is not None:
            return
        import keyring
        import keyring.errors

        self._keyring = keyring
        backend = keyring.get_keyring()
        if not _is_safe(backend):
            self._storage = f"{MEMORY}: this system offers no keyring"
        else:
            self._storage = f"in the system's keyring ({backend.name})"

    @property
    def _is_kept(self) -> bool:
        return not self._storage.startswith(MEMORY)

    def _stored(self, server: str) -> str:
        if not self._is_kept:
            return ""
        try:
            return self._keyring.get_password(SERVICE, server) or ""
        except self._keyring.errors.KeyringError as error:
            self._give_up(error)
            return ""

    def _write(self, server: str, key: str) -> None:
        self._open()
        if not self._is_kept:
            return
        try:
            if key:
                self._keyring.set_password(SERVICE, server, key)
            elif self._keyring.get_password(SERVICE, server):
                self._keyring.delete_password(SERVICE, server)
        except self._keyring.errors.KeyringError as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """The keyring is locked or broken: said by its kind alone, since its text is not ours to vouch for."""
        self._storage = f"{MEMORY}: the system's keyring did not open ({type(error).__name__})"


def _is_safe(backend: Any) -> bool:
    """Whether a backend keeps what it is given, and not as plain text."""
    if backend.priority <= 0 or backend.__class__.__module__.endswith((".fail", ".null")):
        return False
    return "plain" not in backend.__class__.__name__.lower()


def from_environment(server: Server) -> str:
    """The key in PALIMPSEST_KEY_<SERVER>, or for OpenAI itself in OPENAI_API_KEY."""
    variable = "PALIMPSEST_KEY_" + re.sub(r"[^A-Z0-9]", "_", server.name.upper())
    own = os.environ.get(variable, "")
    if not own and host_of(server.base_url) == "api.openai.com":
        return os.environ.get("OPENAI_API_KEY", "")
    return own
