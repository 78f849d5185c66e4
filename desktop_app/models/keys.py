"""Keys of servers: in the system's keyring, the environment, or a file that the user names.

PALIMPSEST_KEYS_FILE=/path/to/keys.json holds {"server": "key", ...} as plain text, for machines without a keyring;
others must not be able to read it. Without any of these, an entered key lasts for this run only, and `storage` says so.
"""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from desktop_app.paths import KEYS_FILE_VARIABLE, keys_file
from desktop_app.settings import Server

from .key_environment import environment_key, named_key

SERVICE = "palimpsest"
MEMORY = "in memory, for this session only"
OTHERS = stat.S_IRWXG | stat.S_IRWXO


class KeyFileRefused(Exception):
    """The file cannot be used; its text says why, without any of its content."""


def read_key_file(path: Path) -> dict[str, str]:
    """Return the keys by server name; none if there is no file yet. Raises KeyFileRefused."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if os.name == "posix" and (status.st_mode & OTHERS or status.st_uid != os.getuid()):
                raise KeyFileRefused(f"others can read {path}; chmod 600 makes it yours alone")
            content = json.loads(file.read())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise KeyFileRefused(f"{path} cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError):
        raise KeyFileRefused(f"{path} is not JSON") from None  # the cause would quote it
    if not isinstance(content, dict) or not all(isinstance(key, str) for key in content.values()):
        raise KeyFileRefused(f"{path} is not of the shape {{server: key}}")
    return {str(name): key for name, key in content.items()}


def write_key_file(path: Path, keys: dict[str, str]) -> None:
    """Replace the file atomically, readable by its owner only. Raises KeyFileRefused."""
    new = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(keys, file, indent=2, sort_keys=True)
        new.replace(path)
    except OSError as error:
        raise KeyFileRefused(f"{path} cannot be written ({error.strerror})") from error


class Keys:
    """Keys by server name. `load` comes first; reading is then free, on any thread."""

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
        """Where keys are stored, in words, or why they last for this session only."""
        return self._storage

    def get(self, server: str) -> str:
        """Return the key of that server; "" if it has none. A server of tools has the name "mcp/NAME"."""
        return self._given.get(server) or self._of_environment.get(server, "")

    def servers_with_key(self) -> tuple[str, ...]:
        return tuple(sorted(self._given.keys() | self._of_environment.keys()))

    async def load(self, servers: Sequence[Server], others: Sequence[str] = ()) -> None:
        """Read the keys of these servers on a thread: the keyring takes 0.2 s to import, and may ask the desktop.

        others: more names that may have a key, such as "mcp/NAME".
        """
        names = [*(server.name for server in servers), *others]
        self._given |= await asyncio.to_thread(self._read, names)
        # Each time: a provider's key must not follow a server that has moved to another address.
        found = {server.name: environment_key(server) for server in servers} | {
            name: named_key(name) for name in others
        }
        self._of_environment = {name: key for name, key in found.items() if key}

    async def set(self, server: str, key: str) -> None:
        """Store the key; an empty one removes it, except from the environment."""
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
        self._file = keys_file()
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
            self._storage = f"{MEMORY}: this system offers no keyring ({KEYS_FILE_VARIABLE} can name a file)"
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
        # The keyring is locked or broken. Its error's text is not shown: it might hold anything.
        self._storage = f"{MEMORY}: the system's keyring did not open ({type(error).__name__})"


def _is_safe(backend: Any) -> bool:
    """Whether a keyring backend stores keys, and not as plain text."""
    if backend.priority <= 0 or backend.__class__.__module__.endswith((".fail", ".null")):
        return False
    return "plain" not in backend.__class__.__name__.lower()
