"""Vocabularies inside installed packages: each is found without importing its package, and known by its hash."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

import msgspec

from .encoding import TokenizerMissing


class InstalledFile(msgspec.Struct, frozen=True):
    """A file of a package, by its path inside it.

    sha256: of the file that was compared with the real tokenizer: what is claimed to be exact must be that one.
    """

    package: str
    path: str
    sha256: str

    def find(self) -> Path | None:
        """Where it is, or None when it is not installed."""
        found = importlib.util.find_spec(self.package)
        if found is None or found.origin is None:
            return None
        path = Path(found.origin).parent / self.path
        return path if path.exists() else None

    def read(self) -> bytes:
        """The file's content. Raises TokenizerMissing, OSError."""
        path = self.find()
        if path is None:
            raise TokenizerMissing(f"the package {self.package}, which brings the file, is not installed")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise TokenizerMissing(f"{path} is not the file that is known to be right")
        return content


class FileChoice(msgspec.Struct, frozen=True):
    """The same file in several packages: any of them will do."""

    places: tuple[InstalledFile, ...]

    def find(self) -> Path | None:
        """Where the first one is that is installed."""
        return next((path for place in self.places if (path := place.find())), None)

    def read(self) -> bytes:
        """The content of the first one that is installed. Raises TokenizerMissing, OSError."""
        return next((place for place in self.places if place.find()), self.places[0]).read()
