"""Keys of servers: in the system's keyring, or the environment, or in a file where the user asks for one by name.

Without all of these a key that is entered lasts for this run only, and `storage` says so: never plain text by surprise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from desktop_app.settings import Server

from .key_environment import from_environment, key_named
from .key_file import VARIABLE, KeyFileRefused, key_file, read_key_file, write_key_file

__all__ = ["Keys", "from_environment"]

SERVICE = "palimpsest"
MEMORY = "in memory, for this session only"


class Keys:
    """Keys by server name. `load` first; reading is then free, and can be done anywhere."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}  # stored, or entered in this session
        self._of_environment: dict[str, str] = {}
        self._keyring: Any = None
        self._file: Path | None = None
        self._storage = MEMORY

    def __repr__(self) -> str:
        return f"Keys of {', '.join(self.servers_with_key()) or 'nobody'}"

    @property
    def storage(self) -> str:
        """Where keys are kept, in words, or why they last for this session only."""
        return self._storage

    def of(self, server: str) -> str:
        """The key of that server; "" when it has none. A server of tools has the name "mcp/NAME"."""
        return self._given.get(server) or self._of_environment.get(server, "")

    def servers_with_key(self) -> tuple[str, ...]:
        """The names of those that have one, wherever it comes from."""
        return tuple(sorted(self._given.keys() | self._of_environment.keys()))

    async def load(self, servers: Sequence[Server], others: Sequence[str] = ()) -> None:
        """Reads the keys of these servers, on a thread: the keyring takes 0.2 s to import, and may ask the desktop.

        others: names of more that may have a key, such as "mcp/NAME".
        """
        names = [*(server.name for server in servers), *others]
        self._given |= await asyncio.to_thread(self._read, names)
        # Anew each time: a provider's key does not go with a server that has moved to another address.
        found = {server.name: from_environment(server) for server in servers} | {
            name: key_named(name) for name in others
        }
        self._of_environment = {name: key for name, key in found.items() if key}

    async def set(self, server: str, key: str) -> None:
        """Keeps the key; an empty one removes it, but for one in the environment, which is not ours."""
        await asyncio.to_thread(self._write, server, key.strip())
        if key.strip():
            self._given[server] = key.strip()
        else:
            self._given.pop(server, None)

    def _read(self, names: Sequence[str]) -> dict[str, str]:
        self._open()
        stored = self._all_stored(names)
        return {name: stored[name] for name in names if stored.get(name)}

    def _open(self) -> None:
        self._file = key_file()
        if self._file is not None:
            self._storage = f"in the file {self._file}, as plain text that only you can read"
        elif self._keyring is None:
            self._open_keyring()

    def _open_keyring(self) -> None:
        import keyring
        import keyring.errors

        self._keyring = keyring
        backend = keyring.get_keyring()
        if not _is_safe(backend):
            self._storage = f"{MEMORY}: this system offers no keyring (the variable {VARIABLE} can name a file)"
        else:
            self._storage = f"in the system's keyring ({backend.name})"

    @property
    def _is_kept(self) -> bool:
        return not self._storage.startswith(MEMORY)

    def _all_stored(self, names: Sequence[str]) -> dict[str, str]:
        if self._file is None:
            return {name: self._stored(name) for name in names}
        try:
            return read_key_file(self._file)
        except KeyFileRefused as error:
            self._storage = f"{MEMORY}: {error}"
            return {}

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
        if self._file is not None:
            self._write_to_file(self._file, server, key)
        elif self._is_kept:
            self._write_to_keyring(server, key)

    def _write_to_file(self, file: Path, server: str, key: str) -> None:
        try:
            kept = read_key_file(file)
            kept.pop(server, None)
            write_key_file(file, kept | ({server: key} if key else {}))
        except KeyFileRefused as error:
            self._storage = f"{MEMORY}: {error}"

    def _write_to_keyring(self, server: str, key: str) -> None:
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
