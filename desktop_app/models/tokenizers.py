"""A tokenizer for each model family. Everything is read from files that are installed; nothing is ever downloaded.

o200k and cl100k come with litellm, under the names by which tiktoken caches them; the package is located without
being imported, since its import takes seconds, and the files are read here, since importing it changes the
environment variable that tiktoken would look at.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import logging
import re
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Protocol

import msgspec
import tiktoken

from desktop_app.context.counting import Overhead, Tokenizer

from . import builtin
from .builtin_tokenizer import load_encoding
from .gguf import BadGguf

log = logging.getLogger(__name__)

MISTRAL = Overhead(message=5, assistant=5)
CHATML = Overhead(message=5, assistant=6, priming=4)
"""<|im_start|>, the role, a newline, <|im_end|>, a newline. The role is two tokens for an assistant, one for all
others; the priming is such a message's beginning."""

CHUNK = 4_000
"""Characters encoded at once. tiktoken's regular expression runs out of stack on a million spaces."""


class Encoding(Protocol):
    """What turns text into tokens."""

    def encode_ordinary(self, text: str) -> list[int]:
        """Tokens, where special tokens in the text are plain text."""
        ...


class TokenizerMissing(Exception):
    """A tokenizer's file is not installed, or is damaged."""


class EncodingTokenizer:
    """A `Tokenizer` over an encoding that is loaded at the first count, once, whichever thread asks.

    When the encoding cannot be loaded, that is logged once, and characters are counted instead.
    """

    _loading = threading.Lock()  # one for all, since families share encodings

    def __init__(self, name: str, overhead: Overhead, load: Callable[[], Encoding]) -> None:
        self._name = name
        self._overhead = overhead
        self._load = load
        self._encoding: Encoding | None = None

    @property
    def name(self) -> str:
        """Such as "o200k", or "o200k (estimate for claude)"."""
        return self._name

    @property
    def overhead(self) -> Overhead:
        """What the chat format adds to the text."""
        return self._overhead

    def count(self, text: str) -> int:
        """Tokens of the text. Never raises, and takes time proportional to its length, whatever it holds."""
        encoding = self._encoding or self._loaded()
        if len(text) <= CHUNK:
            return len(encoding.encode_ordinary(text))
        return sum(len(encoding.encode_ordinary(piece)) for piece in chunks(text))

    def _loaded(self) -> Encoding:
        with self._loading:
            if self._encoding is None:
                try:
                    self._encoding = self._load()
                except (TokenizerMissing, BadGguf, OSError) as error:
                    log.warning(
                        "The tokenizer %s cannot be used: %s. Characters are counted instead.", self.name, error
                    )
                    self._name = f"characters (estimate for {self._name})"
                    self._encoding = CharacterEncoding()
            return self._encoding


class CharacterEncoding:
    """One token for every three bytes of UTF-8: more than any tokenizer needs for prose, about right for JSON."""

    def encode_ordinary(self, text: str) -> list[int]:
        """As many zeros as tokens are assumed."""
        return [0] * -(-len(text.encode(errors="replace")) // 3)


# Every encoding here starts a new piece before a single space that follows a word, and after a single line's end.
_BOUNDARY = re.compile(r"(?<=\S)(?= \S)|(?<=\S\n)(?=[^\s/])")


def chunks(text: str) -> Iterator[str]:
    """The text in pieces of at most CHUNK characters, cut where the tokens are the same as in one piece.

    Only a run of hundreds of characters without a space or a line's end is cut anywhere, at a token more or less.
    """
    start = 0
    while start < len(text):
        end = min(start + CHUNK, len(text))
        if end < len(text):
            for boundary in _BOUNDARY.finditer(text, start + CHUNK // 2, end + 1):
                end = boundary.start()
        yield text[start:end]
        start = end


class _Published(msgspec.Struct, frozen=True):
    """An encoding as OpenAI published it (tiktoken_ext/openai_public.py): its file, its hash and its pattern."""

    url: str
    sha256: str
    pattern: str

    @property
    def file_name(self) -> str:
        return hashlib.sha1(self.url.encode()).hexdigest()  # tiktoken's name for it in a cache


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


def _load_published(published: _Published) -> tiktoken.Encoding:
    """Takes 0.5 s and 55 MB for o200k, half of it for cl100k. Raises TokenizerMissing, OSError."""
    package = importlib.util.find_spec("litellm")
    if package is None or package.origin is None:
        raise TokenizerMissing("the package litellm, which brings the file, is not installed")
    path = Path(package.origin).parent / "litellm_core_utils" / "tokenizers" / published.file_name
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != published.sha256:
        raise TokenizerMissing(f"{path} is not the published file")
    pairs = (line.split() for line in content.splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    encoding = tiktoken.Encoding(
        published.file_name, pat_str=published.pattern, mergeable_ranks=ranks, special_tokens={}
    )
    # The Rust half has its own copy; Python's is only read by methods that we do not call, and takes 27 MB.
    encoding._mergeable_ranks = {}
    return encoding


@cache
def _o200k() -> tiktoken.Encoding:
    return _load_published(O200K)


@cache
def _cl100k() -> tiktoken.Encoding:
    return _load_published(CL100K)


@cache
def _smollm2() -> Encoding:
    path = builtin.model_path()
    if path is None:
        raise TokenizerMissing("the built-in model is not installed")
    return load_encoding(path)


_CL100K_NAMES = re.compile(r"gpt-?4(?!o|\.\d|\d)|gpt-?3\.?5")
_O200K_NAMES = re.compile(r"gpt|codex|(?<![a-z0-9])o[1-9](?![a-z0-9])")
_OTHER_FAMILIES = (
    (re.compile(r"claude"), "claude"),
    (re.compile(r"gemini|gemma"), "gemini"),
    (re.compile(r"qwen|qwq"), "qwen"),
    (re.compile(r"mistral|mixtral|ministral|codestral|devstral|magistral"), "mistral"),
    (re.compile(r"llama-?2"), "llama-2"),
    (re.compile(r"llama"), "llama-3"),
)


def tokenizer_for(model_name: str) -> Tokenizer:
    """The tokenizer of that model, by its family. The same object for the same family: it is loaded once.

    A family whose own tokenizer is not here is counted with o200k, and the name says so.
    """
    return _tokenizer(family_of(model_name))


def family_of(model_name: str) -> str:
    """The family in a model's name, such as "claude" in "openrouter/anthropic/Claude-Sonnet"; "" when unknown."""
    name = model_name.lower()
    if name == builtin.MODEL_ID or "smollm2" in name:
        return "smollm2"
    other = next((family for pattern, family in _OTHER_FAMILIES if pattern.search(name)), "")
    if other:
        return other
    if _CL100K_NAMES.search(name):
        return "cl100k"
    return "o200k" if _O200K_NAMES.search(name) else ""


@cache
def _tokenizer(family: str) -> EncodingTokenizer:
    match family:
        case "smollm2":
            return EncodingTokenizer("smollm2", CHATML, _smollm2)
        case "cl100k":
            return EncodingTokenizer("cl100k", Overhead(), _cl100k)
        case "o200k":
            return EncodingTokenizer("o200k", Overhead(), _o200k)
        case _:
            overhead = MISTRAL if family == "mistral" else Overhead()
            return EncodingTokenizer(f"o200k (estimate for {family or 'an unknown family'})", overhead, _o200k)
