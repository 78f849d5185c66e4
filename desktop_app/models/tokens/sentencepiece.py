"""SentencePiece vocabularies, such as that of Mistral's first models. Needs the package sentencepiece."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

from .encoding import Count, TokenizerMissing


class _Processor(Protocol):
    def encode(self, text: str) -> list[int]: ...


def count_with_sentencepiece(model: bytes) -> Count:
    """Counts with that model. Raises TokenizerMissing.

    A text is read as if it followed a space: a single space that it begins with is its first word's own. So the
    pieces of a stream add up to the whole, while SentencePiece by itself would put one more space before each.
    """
    encode = _load(model).encode

    def count(text: str) -> int:
        if text.startswith(" ") and len(text) > 1:
            text = text[1:]
        try:
            return len(encode(text))
        except (RuntimeError, TypeError, UnicodeError):  # a lone surrogate: no UTF-8 has it
            return len(encode(text.encode(errors="replace").decode()))

    return count


def _load(model: bytes) -> _Processor:
    try:
        import sentencepiece
    except ImportError as error:
        raise TokenizerMissing("the package sentencepiece is not installed") from error
    load = cast("Callable[..., _Processor]", sentencepiece.SentencePieceProcessor)
    try:
        return load(model_proto=model)
    except RuntimeError as error:
        raise TokenizerMissing(f"sentencepiece cannot read the file: {error}") from error
