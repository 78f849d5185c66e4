"""Train the classifier of sentences, and write resources/sentence_kinds.bin: python packaging/sentence_kinds/train.py

It learns from training.txt and says how well it does on held_out.txt, which is about other things in other words and
is never learned from. The same files give the same bytes: the order is drawn from a seed. Nothing but Python is needed.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

from desktop_app.context.sentence_kinds import RECORD, SCALE, Kinds, features_of, kinds_of, load
from desktop_app.paths import SENTENCE_KINDS

HERE = Path(__file__).resolve().parent
PASSES, RATE, DECAY = 12, 0.5, 1e-4
SEEDS = range(5)
"""Each draws another order; the weights are the mean, which depends less on chance than one of them."""
MAX_FEATURES = 10_240
"""Those with the largest weights; a record has ten bytes, so that the resource stays at some 100 kB."""

Example = tuple[int, str, str]
"""The index of the kind, the language, and the sentence."""
Weights = dict[int, list[float]]


def examples_in(path: Path) -> Iterator[Example]:
    """Yield the sentences of a file, in which a line such as "# rule en" stands above those of a kind and language."""
    kind, language = 0, ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            name, language = line[2:].split()
            kind = Kinds._fields.index(name)
        elif line:
            yield kind, language, line


def train(examples: Sequence[Example]) -> Weights:
    """Return the weights of each feature by its hash."""
    trained = [_trained(examples, random.Random(seed)) for seed in SEEDS]
    return {
        feature: [sum(column) / len(trained) for column in zip(*(weights[feature] for weights in trained), strict=True)]
        for feature in trained[0]
    }


def _trained(examples: Sequence[Example], dice: random.Random) -> Weights:
    """Multinomial logistic regression, by AdaGrad, in an order that is drawn."""
    read = [(kind, sorted({crc32(feature.encode()) for feature in features_of(text)})) for kind, _, text in examples]
    weights: Weights = {feature: [0.0] * len(Kinds._fields) for _, features in read for feature in features}
    squares = {feature: [1e-8] * len(Kinds._fields) for feature in weights}
    for _ in range(PASSES):
        dice.shuffle(read)
        for kind, features in read:
            _learn(kind, features, weights, squares)
    return weights


def _learn(kind: int, features: Sequence[int], weights: Weights, squares: Weights) -> None:
    share = 1.0 / math.sqrt(len(features))
    powers = [math.exp(share * sum(column)) for column in zip(*(weights[f] for f in features), strict=True)]
    errors = [share * (power / sum(powers) - (number == kind)) for number, power in enumerate(powers)]
    for feature in features:
        own, square = weights[feature], squares[feature]
        for number, error in enumerate(errors):
            gradient = error + DECAY * own[number]
            square[number] += gradient * gradient
            own[number] -= RATE * gradient / math.sqrt(square[number])


def packed(weights: Weights) -> bytes:
    """Return the features with the largest weights, in steps of 1 / SCALE."""
    largest = sorted(weights, key=lambda feature: (-sum(map(abs, weights[feature])), feature))[:MAX_FEATURES]
    return b"".join(
        RECORD.pack(feature, *(max(min(round(w * SCALE), 127), -127) for w in weights[feature]))
        for feature in sorted(largest)
    )


def report(path: Path) -> None:
    """Print how many sentences of that file are told right, by language, and what they are taken for."""
    right, told = Counter[str](), Counter[str]()
    confused = Counter[tuple[int, int]]()
    for kind, language, text in examples_in(path):
        kinds = kinds_of(text)
        guessed = kinds.index(max(kinds))
        told[language] += 1
        right[language] += guessed == kind
        confused[kind, guessed] += 1
    print(f"{path.name}: {right.total() / told.total():.1%} of {told.total()}")
    print("  " + ", ".join(f"{language} {right[language] / told[language]:.0%}" for language in told))
    for kind, name in enumerate(Kinds._fields):
        print(f"  {name:12}" + "".join(f"{confused[kind, guessed]:6}" for guessed in range(len(Kinds._fields))))


def main() -> None:
    """Train, write the weights, and report."""
    weights = packed(train(list(examples_in(HERE / "training.txt"))))
    SENTENCE_KINDS.write_bytes(weights)
    load(weights)
    print(f"{SENTENCE_KINDS.name}: {len(weights):,} bytes")
    report(HERE / "training.txt")
    report(HERE / "held_out.txt")


if __name__ == "__main__":
    main()
