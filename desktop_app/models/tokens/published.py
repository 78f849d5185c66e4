"""Vocabulary files of installed packages, and o200k and cl100k, as OpenAI published them.

litellm ships the latter under tiktoken's cache names. It is not imported, which would take seconds and change the
environment variable that tiktoken reads, so the files are read here.
"""

from __future__ import annotations

import hashlib
import importlib.util
from functools import cache
from pathlib import Path

import msgspec
import tiktoken

from .bytelevel import encoding_of, read_tiktoken_file
from .encoding import TokenizerMissing


class InstalledFile(msgspec.Struct, frozen=True):
    """A file of an installed package, found without importing the package and checked by its hash."""

    places: tuple[str, ...]
    """Packages that bring it, each with the path inside it; any of them will do."""
    sha256: str
    """Of the file that was compared with the real tokenizer: only that one is known to be exact."""

    def find(self) -> Path | None:
        return next((path for place in self.places if (path := _path_of(place))), None)

    def read(self) -> bytes:
        """Return the content. Raises TokenizerMissing, OSError."""
        path = self.find()
        if path is None:
            raise TokenizerMissing(f"the package that brings {self.places[0]} is not installed")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise TokenizerMissing(f"{path} is not the file that is known to be right")
        return content


def _path_of(place: str) -> Path | None:
    package, _, inside = place.partition("/")
    found = importlib.util.find_spec(package)
    path = Path(found.origin).parent / inside if found and found.origin else None
    return path if path and path.exists() else None


class _Published(msgspec.Struct, frozen=True):
    """An encoding as in tiktoken_ext/openai_public.py."""

    url: str
    sha256: str
    pattern: str

    @property
    def file(self) -> InstalledFile:
        name = hashlib.sha1(self.url.encode()).hexdigest()
        return InstalledFile((f"litellm/litellm_core_utils/tokenizers/{name}",), self.sha256)


_WORD_END = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"

O200K = _Published(
    "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "|".join(
        (
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_WORD_END}",
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_WORD_END}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
)
CL100K = _Published(
    "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s",
)


@cache
def load_published(published: _Published) -> tiktoken.Encoding:
    """Load an encoding once: 0.5 s and 55 MB for o200k, half of that for cl100k. Raises TokenizerMissing, OSError."""
    return encoding_of(read_tiktoken_file(published.file.read()), published.pattern)


def o200k() -> tiktoken.Encoding:
    """Return o200k."""
    return load_published(O200K)
