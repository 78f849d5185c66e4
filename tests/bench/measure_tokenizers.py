"""Fits a family's weights to its real tokenizer, and measures the estimate: it made resources/token_weights.json.

    python tests/bench/measure_tokenizers.py FOLDER FAMILY [TOKENIZER.JSON]

FOLDER/tune/KIND/* are texts to fit to, FOLDER/test/KIND/* the texts whose errors are printed. The real tokenizer is the
installed one, or a tokenizer.json of Hugging Face's kind. Each kind weighs the same, however much there is of it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer

from desktop_app.models.tokens.encoding import Count
from desktop_app.models.tokens.estimate import CLASSES, class_of
from desktop_app.models.tokens.tokenizers import is_installed, o200k, tokenizer_of

PIECE = 400
"""Characters of one observation."""

PULL = 2e-5
"""How much a class's weight is held to the family's average; it decides only for classes that are hardly seen."""

LEAST = 0.1
SWEEPS = 2_000
Matrix = list[list[float]]


def texts(folder: Path) -> Iterator[tuple[str, list[str]]]:
    for kind in sorted(folder.iterdir()):
        yield kind.name, [path.read_text(encoding="utf-8", errors="replace") for path in sorted(kind.iterdir())]


def real_tokenizer(family: str, file: str | None) -> Count:
    if file is None:
        if not is_installed(family):
            sys.exit(f"The tokenizer of {family} is not installed: name a tokenizer.json.")
        return tokenizer_of(family).count
    content = json.loads(Path(file).read_text(encoding="utf-8"))
    content["added_tokens"], content["post_processor"] = [], None
    tokenizer = Tokenizer.from_str(json.dumps(content))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def classes_in(text: str) -> Counter[str]:
    encoding = o200k()
    return Counter(class_of(encoding.decode_single_token_bytes(token)) for token in encoding.encode_ordinary(text))


def fitted(folder: Path, real: Count) -> dict[str, float]:
    """Weights by ridge regression; none below LEAST."""
    size = len(CLASSES)
    squares: Matrix = [[0.0] * size for _ in CLASSES]
    products = [0.0] * size
    seen = counted = 0.0
    for _, wholes in texts(folder):
        pieces = [text[at : at + PIECE] for text in wholes for at in range(0, len(text), PIECE)]
        rows = [(classes_in(piece), real(piece)) for piece in pieces]
        share = len(rows) / sum(tokens for _, tokens in rows) ** 2
        for found, tokens in rows:
            seen, counted = seen + found.total(), counted + tokens
            here = [(CLASSES.index(name), number) for name, number in found.items() if name in CLASSES]
            for row, number in here:
                products[row] += share * number * tokens
                for column, other in here:
                    squares[row][column] += share * number * other
    pull = PULL * sum(squares[n][n] for n in range(size)) / size
    for n in range(size):
        squares[n][n] += pull
        products[n] += pull * counted / seen
    return dict(zip(CLASSES, at_least(squares, products), strict=True))


def at_least(squares: Matrix, products: list[float]) -> list[float]:
    """The solution with no weight below LEAST, one weight after the other until none changes."""
    weights = [1.0] * len(products)
    for _ in range(SWEEPS):
        for n, row in enumerate(squares):
            others = sum(row[m] * weight for m, weight in enumerate(weights) if m != n)
            weights[n] = max(LEAST, (products[n] - others) / row[n])
    return weights


def main(folder: Path, family: str, file: str | None = None) -> None:
    real = real_tokenizer(family, file)
    weights = fitted(folder / "tune", real)
    print(" ".join(str(round(weights[name] * 1000)) for name in CLASSES))
    for kind, wholes in texts(folder / "test"):
        pairs = [
            (real(text), sum(weights.get(name, 1.3) * n for name, n in classes_in(text).items())) for text in wholes
        ]
        total = sum(tokens for tokens, _ in pairs)
        error = sum(estimated for _, estimated in pairs) / total - 1
        by_text = sum(abs(estimated / tokens - 1) for tokens, estimated in pairs) / len(pairs)
        print(f"{kind:10} {error:+.1%} in all, {by_text:.1%} a text, {total:,} tokens")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:4])
