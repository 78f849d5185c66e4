"""Families of models that share a tokenizer, and the estimate of a family's tokens from o200k's tokens.

Families differ by kind of text: Llama 2 splits every digit, and Chinese into bytes; Claude needs more tokens for
capitals. So o200k's tokens are classified by their characters, and each family has a weight for each class, fitted to
its real tokenizer (tests/bench/measure_tokenizers.py). docs/tokenizers.md has the measured errors.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable

import msgspec

from desktop_app.models import builtin
from desktop_app.paths import RESOURCES

from .encoding import Count, PartedEncoding, chunks

ONE = 1_000
"""The unit of weights: they are integers, in thousandths of a token, so that sums do not depend on the splitting."""


class _Fitted(msgspec.Struct, frozen=True):
    unfitted: int
    """The weight of classes that were not in the fitted texts: rare scripts and signs, which other families split more.
    """
    classes: tuple[str, ...]
    families: dict[str, tuple[int, ...]]
    """Weights in the order of the classes."""


_FITTED = msgspec.json.decode((RESOURCES / "token_weights.json").read_bytes(), type=_Fitted)
CLASSES = _FITTED.classes
WEIGHTS = _FITTED.families


def estimate_with(encoding: PartedEncoding, family: str) -> Count:
    """Return a function that sums the family's weights of o200k's tokens.

    The text's checksum decides whether a fraction is rounded up or down: the same text always has the same count, and
    many short pieces of a stream add up to the count of the full text, where plain rounding would be off by a quarter.
    """
    weight_of = _Weights(encoding.decode_single_token_bytes, family).__getitem__
    encode = encoding.encode_ordinary

    def count(text: str) -> int:
        thousandths = sum(sum(map(weight_of, encode(piece))) for piece in chunks(text))
        tokens, rest = divmod(thousandths, ONE)
        return tokens + (zlib.crc32(text.encode(errors="replace")) % ONE < rest) if rest else tokens

    return count


class _Weights(dict[int, int]):
    """The weight of each of o200k's 200,000 tokens, computed when the token is first seen."""

    def __init__(self, bytes_of: Callable[[int], bytes], family: str) -> None:
        super().__init__()
        self._bytes_of = bytes_of
        self._weight_of = dict(zip(CLASSES, WEIGHTS[family], strict=True))

    def __missing__(self, token: int) -> int:
        weight = self[token] = self._weight_of.get(class_of(self._bytes_of(token)), _FITTED.unfitted)
        return weight


_SCRIPTS = (
    (re.compile(r"[一-\u9fff]"), "han", (1, 2, 3, 4)),
    (re.compile(r"[\u3040-ヿ]"), "kana", (1, 2, 3, 4)),
    (re.compile(r"[가-\ud7a3]"), "hangul", (1, 2, 3)),
    (re.compile(r"[\u0400-\u052f]"), "cyrillic", (1, 3, 6)),
    (re.compile(r"[\u0600-\u06ff]"), "arabic", (1, 3)),
    (re.compile(r"[\u00c0-\u024f]"), "latin", (1, 3, 6)),
)
"""Scripts, recognized by the first character that is not ASCII, each with the lengths at which its classes begin."""

_WITHOUT_SPACES = ("han", "kana", "script", "sign")
"""Beginnings of classes that hardly ever follow a space."""


def class_of(token: bytes) -> str:
    """Return the class of a token, such as "_lower4": a space and four or five lower-case letters.

    The number is the class's minimum length; "_" means a leading space.
    """
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return "bytes"
    if text.isspace() or not text:
        return _class_of_space(text)
    word = text.removeprefix(" ")
    before = "_" if len(word) < len(text) else ""
    if word.isascii():
        return before + _class_of_ascii(word)
    kind = _class_of_script(word)
    return kind if kind.startswith(_WITHOUT_SPACES) else before + kind


def _class_of_space(text: str) -> str:
    if "\n" in text or "\r" in text:
        return "lines" + _bucket(len(text), (1, 2))
    return "space" + _bucket(len(text), (1, 2, 5, 17))


def _class_of_ascii(word: str) -> str:
    if word.isdigit():
        return "digit" + _bucket(len(word), (1, 2, 3))
    if word.isalpha():
        return _case_of(word) + _bucket(len(word), (1, 2, 3, 4, 6, 9))
    if any(character.isalnum() for character in word):
        return "mixed"
    return ("signs\\n" if "\n" in word else "signs") + _bucket(len(word), (1, 2, 3))


def _case_of(word: str) -> str:
    if word.islower():
        return "lower"
    return "UPPER" if word.isupper() and len(word) > 1 else "Title"


def _class_of_script(word: str) -> str:
    first = next(character for character in word if not character.isascii())
    for pattern, name, lengths in _SCRIPTS:
        if pattern.match(first):
            return name + _bucket(len(word), lengths)
    return "script" if first.isalpha() else "sign" + _bucket(len(word), (1, 2))


def _bucket(length: int, starts: tuple[int, ...]) -> str:
    return str(max(start for start in starts if start <= length or start == starts[0]))


# The first match counts. A distilled model has the tokenizer of its base model.
_PATTERNS = (
    ("smollm2", r"smollm-?2"),
    ("llama-3", r"deepseek.*distill.*llama"),
    ("qwen", r"deepseek.*distill.*qwen"),
    ("claude-2", r"claude-?(v?[12](?!\d)|instant)"),
    # Opus 4.7 brought a new tokenizer; every later model has it.
    ("claude-4.7", r"claude\D*(4[-.]([7-9]|[1-9]\d)(?!\d)|([5-9]|[1-9]\d)(?!\d))"),
    ("claude", r"claude"),
    ("gemma-2", r"gemma-?[12](?!\d)|(code|recurrent)gemma|gemma-?7b|gemini-(1|pro$|pro-vision)"),
    ("gemma-3", r"gemma"),
    ("gemini", r"gemini"),
    ("qwen-3.5", r"qwen-?(3\.[5-9]|[4-9])"),
    ("qwen", r"qwen|qwq|qvq"),
    ("deepseek-2", r"deepseek-?(v2|coder|llm|moe|math|prover-v1)"),
    ("deepseek", r"deepseek"),
    ("kimi", r"kimi|moonshot"),
    ("glm", r"(?<![a-z])(chat)?glm"),
    ("minimax", r"minimax"),
    # From mistral-common's table of models; newer models have Tekken.
    ("mistral-v1", r"mixtral|mistral-?(7b|tiny|v?0\.)|mathstral|codestral-?(22b|mamba|2405)"),
    ("mistral-v1", r"(mistral|pixtral)-(large-24|small-(2312|2402)|medium-2312|embed)|zephyr-7b|mistral$"),
    ("mistral", r"mistral|ministral|codestral|devstral|magistral|pixtral|voxtral|leanstral"),
    ("llama-2", r"llama-?[12](?![\d])|code-?llama|vicuna|tiny-?llama|llama-?(7|13|30|33|65)b"),
    ("llama-4", r"llama-?4"),
    ("llama-3", r"(?<!o)llama"),
    ("cl100k", r"gpt-?4(?!o|\.\d|\d)|gpt-?3\.?5"),
    ("o200k", r"gpt|codex|(?<![a-z0-9])o[1-9](?![a-z0-9])"),
)
_FAMILIES = tuple((family, re.compile(pattern)) for family, pattern in _PATTERNS)


def families() -> set[str]:
    """Return all families except the unknown one."""
    return {family for family, _ in _PATTERNS}


def family_of(model_name: str) -> str:
    """Return the family in a model's name, such as "claude" in "openrouter/anthropic/Claude-Sonnet"; "" if unknown.

    The part after the last slash, up to a colon, decides; if it has no match, the whole name, whose folders may name
    the family.
    """
    name = model_name.lower().replace("_", "-")
    if name == builtin.MODEL_ID:
        return "smollm2"
    own = name.rpartition("/")[2].partition(":")[0]
    return _matching(own) or _matching(name)


def _matching(name: str) -> str:
    return next((family for family, pattern in _FAMILIES if pattern.search(name)), "")
