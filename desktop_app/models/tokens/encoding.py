"""Count a family's tokens by the best installed method, with a logged fallback to the next one.

Vocabularies of Hugging Face's tokenizer.json and llama.cpp's GGUF files are byte-level BPE, which tiktoken encodes: a
megabyte without a space takes a tenth of a second, and seconds in the package tokenizers.
"""

from __future__ import annotations

import logging
import re
import threading
import unicodedata
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, Protocol

import msgspec
import tiktoken

from desktop_app.context.counting.tokens import Overhead

log = logging.getLogger(__name__)

CHUNK = 4_000
"""Characters that are encoded at once: tiktoken's regular expression overflows its stack on a million spaces."""

BYTES_PER_TOKEN = 3
"""Bytes of UTF-8. It gives more tokens than any tokenizer needs for prose, and about the right number for JSON."""

Count = Callable[[str], int]
"""Returns the tokens of a text, in linear time. Never raises."""


class Encoding(Protocol):
    """Turns text into tokens, reading special tokens as plain text."""

    def encode_ordinary(self, text: str) -> list[int]: ...


class TokenizerMissing(Exception):
    """A tokenizer's file is not installed or is damaged."""


class CountingMethod(msgspec.Struct, frozen=True):
    """A method of counting."""

    name: str
    is_exact: bool
    load: Callable[[], Count]
    """Takes up to a second. Raises TokenizerMissing, ValueError, OSError."""


class FamilyTokenizer:
    """A `Tokenizer` that loads the first method that works, at the first count and on the calling thread.

    A method that fails is logged once, and the next one is used; if all fail, characters are counted.
    """

    _loading = threading.RLock()  # shared: families share encodings, and a method may load another family's tokenizer

    def __init__(self, overhead: Overhead, methods: Sequence[CountingMethod]) -> None:
        self.overhead = overhead
        self._methods = list(methods)
        self._count: Count | None = None

    @property
    def name(self) -> str:
        return self._methods[0].name

    @property
    def is_exact(self) -> bool:
        return self._methods[0].is_exact

    def count(self, text: str) -> int:
        """Return the tokens of the text, in linear time. Never raises."""
        try:
            return (self._count or self._loaded())(text)
        except (TokenizerMissing, OSError) as error:  # a part that is loaded only now
            self._next_method(error)
            return self.count(text)

    def _loaded(self) -> Count:
        with self._loading:
            while self._count is None:
                try:
                    self._count = self._methods[0].load()
                except (TokenizerMissing, ValueError, OSError) as error:
                    self._next_method(error)
            return self._count

    def _next_method(self, error: Exception) -> None:
        method, *others = self._methods
        last = CountingMethod(f"characters (estimate for {method.name})", False, lambda: count_characters)
        self._methods, self._count = others or [last], None
        log.warning("The tokenizer %s cannot be used: %s. Used instead: %s.", method.name, error, self.name)


class TemplateTokenizer:
    """A family's tokenizer for models with another chat template, which counts texts in the same way."""

    def __init__(self, tokenizer: FamilyTokenizer, overhead: Overhead) -> None:
        self.overhead = overhead
        self.count = tokenizer.count
        self._tokenizer = tokenizer

    @property
    def name(self) -> str:
        return self._tokenizer.name

    @property
    def is_exact(self) -> bool:
        return self._tokenizer.is_exact


def count_characters(text: str) -> int:
    """Return one token for each BYTES_PER_TOKEN bytes of UTF-8."""
    return -(-len(text.encode(errors="replace")) // BYTES_PER_TOKEN)


def count_with(encoding: Encoding) -> Count:
    """Return a function that counts the tokens of that encoding, a chunk at a time."""
    return lambda text: sum(len(encoding.encode_ordinary(piece)) for piece in chunks(text))


# Every encoding splits before a single space after a word, and after a single newline.
_BOUNDARY = re.compile(r"(?<=\S)(?= \S)|(?<=\S\n)(?=[^\s/])")


def chunks(text: str) -> Iterator[str]:
    """Yield the text in pieces of at most CHUNK characters, split where that does not change the tokens.

    Only a run of hundreds of characters without a space or newline is split anywhere, which changes about one token.
    """
    start = 0
    while start < len(text):
        end = min(start + CHUNK, len(text))
        if end < len(text):
            for boundary in _BOUNDARY.finditer(text, start + CHUNK // 2, end + 1):
                end = boundary.start()
        yield text[start:end]
        start = end


GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""The split of a tokenizer.json whose only pre-tokenizer is "ByteLevel", such as Claude 2's."""

# DeepSeek's tokenizer.json splits three times: into runs of up to three digits, into runs of Chinese and kana, and the
# rest by a pattern. This is all in one pattern: no match crosses those runs, white space before a run is one match, and
# characters that no alternative matches stay together.
_HAN = r"一-龥\x{3040}-ヿ"
_LETTER = rf"[\p{{L}}\p{{M}}&&[^{_HAN}]]"
_SIGN = rf"[\p{{P}}\p{{S}}&&[^{_HAN}]]"
_OTHER = rf"[^\s\p{{L}}\p{{M}}\p{{N}}\p{{P}}\p{{S}}{_HAN}]"
DEEPSEEK = "|".join(
    (
        r"\p{N}{1,3}",
        rf"[{_HAN}]+",
        r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+""",
        rf"[^\r\n\p{{L}}\p{{P}}\p{{S}}\p{{N}}{_HAN}]?{_LETTER}+",
        rf" ?{_SIGN}+[\r\n]*",
        r"\s*[\r\n]+",
        rf"\s+(?=[\p{{N}}{_HAN}])",
        r"\s+(?!\S)",
        r"\s+",
        rf"{_OTHER}+(?={_OTHER}{_LETTER})|{_OTHER}+",
    )
)


# No character is composed with a following ASCII character. Normalization sorts marks in quadratic time, hence the
# limit: a longer run of other characters is split anywhere.
_RUNS = re.compile(r"[\x00-\x7f]*[^\x00-\x7f]{0,200}")


class NormalizedEncoding:
    """An encoding that first normalizes text to a Unicode normal form."""

    def __init__(self, form: Literal["NFC", "NFKC"], encoding: Encoding) -> None:
        self._form: Literal["NFC", "NFKC"] = form
        self._encoding = encoding

    def encode_ordinary(self, text: str) -> list[int]:
        return self._encoding.encode_ordinary(text if text.isascii() else self._normal(text))

    def _normal(self, text: str) -> str:
        if unicodedata.is_normalized(self._form, text):
            return text
        return "".join(unicodedata.normalize(self._form, run) for run in _RUNS.findall(text))


# ASCII, Latin letters, punctuation, arrows, box drawing and most emoji.
_PART = "\0-\u024f\u2000-\u27bf\ufe0f\U0001f300-\U0001faff"
OUTSIDE_PART = re.compile(f"[^{_PART}]")
PART_SEPARATOR = b"\xff"
"""Between the tokens of a part; UTF-8 does not have this byte."""


class PartedEncoding:
    """An encoding of which only a part is loaded until a text has another character (tests/bench/make_o200k_part.py).

    Loading the part takes a third of the time. `release` frees the memory until the next text.
    """

    def __init__(self, load_part: Callable[[], tiktoken.Encoding], load_all: Callable[[], tiktoken.Encoding]) -> None:
        self._load_part = load_part
        self._load_all = load_all
        self._loaded: tuple[tiktoken.Encoding, bool] | None = None
        """What is loaded, and whether it is all."""
        self._loading = threading.Lock()

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the tokens. Raises TokenizerMissing, OSError."""
        encoding, has_all = self._loaded or (None, False)
        if encoding is None or not (has_all or _is_inside_part(text)):
            encoding = self._load(not _is_inside_part(text))
        return encoding.encode_ordinary(text)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of a token that occurred in a text. Raises TokenizerMissing, OSError."""
        try:
            return self._load(needs_all=False).decode_single_token_bytes(token)
        except KeyError:  # all was released after it had encoded the text
            return self._load(needs_all=True).decode_single_token_bytes(token)

    def release(self) -> None:
        """Free the memory. The next text loads the encoding again."""
        self._loaded = None

    def _load(self, needs_all: bool) -> tiktoken.Encoding:
        with self._loading:
            loaded = self._loaded
            if loaded is None or (needs_all and not loaded[1]):
                loaded = self._loaded = (self._load_all() if needs_all else self._load_part(), needs_all)
            return loaded[0]


def _is_inside_part(text: str) -> bool:
    return text.isascii() or not OUTSIDE_PART.search(text)


def read_part(content: bytes) -> dict[bytes, int]:
    """Read the part of a vocabulary, whose tokens are at the index of their rank."""
    return {token: rank for rank, token in enumerate(content.split(PART_SEPARATOR)) if token}


def load_tokenizer_json(content: bytes, pattern: str) -> tiktoken.Encoding:
    """Load a tokenizer.json; its added tokens are treated as plain text. Takes 0.5 s for 128,000 tokens."""
    model = msgspec.json.decode(content)["model"]
    merges = (merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"])
    return encoding_of(ranks_of(model["vocab"], merges), pattern)


def encoding_of(ranks: dict[bytes, int], pattern: str) -> tiktoken.Encoding:
    """Return tiktoken's encoding for tokens with merge ranks."""
    encoding = tiktoken.Encoding("of a file", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    # Frees up to 27 MB: the Rust part has its own copy, and no method that is called here reads this one.
    encoding._mergeable_ranks = {}
    return encoding


def read_tiktoken_file(content: bytes) -> dict[bytes, int]:
    """Read a file that has a token in base64 and its rank on each line."""
    words = content.split()
    return dict(zip(map(a2b_base64, words[::2]), map(int, words[1::2]), strict=True))


def ranks_of(tokens: Iterable[str], merges: Iterable[str]) -> dict[bytes, int]:
    """Return the ranks of the single bytes among the tokens, followed by the result of each merge."""
    byte_of = byte_of_character()
    present = {byte_of[token] for token in tokens if token in byte_of}
    ranks = {bytes([byte]): rank for rank, byte in enumerate(sorted(present))}
    for merge in merges:
        ranks.setdefault(bytes(byte_of[character] for character in merge.replace(" ", "")), len(ranks))
    return ranks


def byte_of_character() -> dict[str, int]:
    """Return GPT-2's table: printable bytes are mapped to themselves, the others to characters from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}
