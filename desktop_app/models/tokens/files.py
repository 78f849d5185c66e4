"""Vocabulary files of installed packages, found without importing the package and checked by their hash."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

import msgspec

from .encoding import TokenizerMissing


class InstalledFile(msgspec.Struct, frozen=True):
    """A file of a package, by its path inside it."""

    package: str
    path: str
    sha256: str
    """Of the file that was compared with the real tokenizer: only that one is known to be exact."""

    def find(self) -> Path | None:
        found = importlib.util.find_spec(self.package)
        if found is None or found.origin is None:
            return None
        path = Path(found.origin).parent / self.path
        return path if path.exists() else None

    def read(self) -> bytes:
        """Return the content. Raises TokenizerMissing, OSError."""
        path = self.find()
        if path is None:
            raise TokenizerMissing(f"the package {self.package}, which brings the file, is not installed")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise TokenizerMissing(f"{path} is not the file that is known to be right")
        return content


class FileChoice(msgspec.Struct, frozen=True):
    """The same file in several packages, any of which will do."""

    places: tuple[InstalledFile, ...]

    def find(self) -> Path | None:
        return next((path for place in self.places if (path := place.find())), None)

    def read(self) -> bytes:
        """Return the content of the first installed one. Raises TokenizerMissing, OSError."""
        return next((place for place in self.places if place.find()), self.places[0]).read()
