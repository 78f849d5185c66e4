"""What is known of each model from earlier runs, in a file of the data folder, so that a restart forgets no window."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from desktop_app.addresses import without_secrets
from desktop_app.conversation.gauge import Provenance
from desktop_app.paths import replace_private_file

from .capability_probes import ModelCapabilities

ModelKey = tuple[str, str, str]
"""The server's name, its address without secrets, and the model as the server calls it."""

log = logging.getLogger(__name__)


class LastKnown(msgspec.Struct, frozen=True, rename={"capabilities": "told", "provenance": "basis"}):
    """What was last known of a model."""

    capabilities: ModelCapabilities
    provenance: Provenance
    """Measured by its server, or estimated from what is published."""
    at: float
    """Seconds since 1970, UTC."""


class _Entry(msgspec.Struct, frozen=True):
    server: str
    address: str
    model: str
    last: LastKnown


class LastKnownFile:
    """The newest `LastKnown` of each model. path: None to keep nothing beyond this run."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._last: dict[ModelKey, LastKnown] = {}

    def get(self, key: ModelKey) -> LastKnown | None:
        return self._last.get(_without_secrets(key))

    def update(self, key: ModelKey, last: LastKnown) -> bool:
        """Set it until `write`. Return whether it differs from before."""
        key = _without_secrets(key)
        before = self._last.get(key)
        self._last[key] = last
        return before is None or (before.capabilities, before.provenance) != (last.capabilities, last.provenance)

    def read(self) -> None:
        """Read the file. An unreadable one is ignored: the servers can be asked again."""
        if self._path is None or not self._path.exists():
            return
        try:
            entries = msgspec.json.decode(self._path.read_bytes(), type=list[_Entry])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            log.warning("%s could not be read: %s", self._path, error)
            return
        self._last = {(entry.server, entry.address, entry.model): entry.last for entry in entries}

    def write(self) -> None:
        """Replace the file atomically. A failure is logged: the servers can be asked again."""
        if self._path is None:
            return
        entries = [_Entry(*key, last) for key, last in tuple(self._last.items())]
        try:
            replace_private_file(self._path, msgspec.json.format(msgspec.json.encode(entries), indent=2))
        except OSError as error:
            log.warning("%s could not be written: %s", self._path, error)


def _without_secrets(key: ModelKey) -> ModelKey:
    server, address, model = key
    return server, without_secrets(address), model
