"""What is known of each model from earlier runs, so that a restart forgets no window. Kept in the data folder."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import msgspec

from desktop_app.conversation.gauge import Provenance

from .token_limits import ModelCapabilities

ModelKey = tuple[str, str, str]
"""The server's name, its address, and the model as the server calls it: at another address it is another model."""

log = logging.getLogger(__name__)


class LastKnown(msgspec.Struct, frozen=True, rename={"capabilities": "told", "provenance": "basis"}):
    """What was last told of a model. provenance: measured by its server, or estimated from what is published.

    at: when, in seconds since 1970.
    """

    capabilities: ModelCapabilities
    provenance: Provenance
    at: float


class _Entry(msgspec.Struct, frozen=True):
    server: str
    address: str
    model: str
    last: LastKnown


class LastKnownFile:
    """The newest `LastKnown` of each model. path: None where nothing is kept beyond this run."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._last: dict[ModelKey, LastKnown] = {}

    def of(self, key: ModelKey) -> LastKnown | None:
        """Return what was last told of that model; None if nothing ever was."""
        return self._last.get(key)

    def note(self, key: ModelKey, last: LastKnown) -> bool:
        """Remember it until `write`. Return whether it says anything else than before."""
        before = self._last.get(key)
        self._last[key] = last
        return before is None or (before.capabilities, before.provenance) != (last.capabilities, last.provenance)

    def read(self) -> None:
        """Read the file. One that cannot be read is none: all that it says can be asked for again."""
        if self._path is None or not self._path.exists():
            return
        try:
            entries = msgspec.json.decode(self._path.read_bytes(), type=list[_Entry])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            log.warning("%s could not be read: %s", self._path, error)
            return
        self._last = {(entry.server, entry.address, entry.model): entry.last for entry in entries}

    def write(self) -> None:
        """Replace the file in one step. Where that fails, the servers have to be asked at the next start."""
        if self._path is None:
            return
        entries = [_Entry(*key, last) for key, last in tuple(self._last.items())]
        new = self._path.with_suffix(".new")
        try:
            new.unlink(missing_ok=True)
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(entries), indent=2))
            new.replace(self._path)
        except OSError as error:
            log.warning("%s could not be written: %s", self._path, error)
