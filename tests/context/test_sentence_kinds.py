"""The classifier of sentences: held-out ones are told, and the training gives the weights that ship."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from desktop_app.context import sentence_kinds
from desktop_app.context.sentence_kinds import Kinds, features_of, kinds_of
from desktop_app.paths import SENTENCE_KINDS

FOLDER = Path(__file__).resolve().parents[2] / "packaging" / "sentence_kinds"


@pytest.fixture(scope="module")
def training() -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_sentence_kinds", FOLDER / "train.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_sentences_about_other_things_are_told_in_six_languages(training: ModuleType) -> None:
    right: dict[str, list[bool]] = {}
    for kind, language, text in training.examples_in(FOLDER / "held_out.txt"):
        kinds = kinds_of(text)
        right.setdefault(language, []).append(max(kinds) == kinds[kind])
    shares = {language: sum(told) / len(told) for language, told in right.items()}
    assert set(shares) == {"en", "de", "fr", "es", "zh", "ja"}
    assert sum(map(sum, right.values())) / sum(map(len, right.values())) >= 0.75
    assert min(shares.values()) >= 0.6, shares


def test_no_held_out_sentence_is_learned(training: ModuleType) -> None:
    learned = {text for _, _, text in training.examples_in(FOLDER / "training.txt")}
    assert learned.isdisjoint(text for _, _, text in training.examples_in(FOLDER / "held_out.txt"))
    strewn = (Path(__file__).parent / "data" / "strewn.tsv").read_text(encoding="utf-8").splitlines()
    assert learned.isdisjoint(line.split("\t")[2] for line in strewn)


@pytest.mark.slow
def test_the_training_gives_the_weights_that_ship(training: ModuleType) -> None:
    examples = list(training.examples_in(FOLDER / "training.txt"))
    assert training.packed(training.train(examples)) == SENTENCE_KINDS.read_bytes()


@pytest.mark.parametrize("text", ["", " ", "?", "x" * 100_000, "\ud800", "数" * 5_000, "a b " * 5_000, "\0\0"])
def test_any_text_has_kinds(text: str) -> None:
    kinds = kinds_of(text)
    assert sum(kinds) == pytest.approx(1.0)
    assert all(0.0 <= likely <= 1.0 for likely in kinds)


def test_the_fields_of_the_sums_do_not_run_into_each_other() -> None:
    text = "never always must not please only keep " * 20
    weights = {feature: values for feature, *values in sentence_kinds.RECORD.iter_unpack(SENTENCE_KINDS.read_bytes())}
    known = [weights[h] for f in features_of(text[:1_000]) if (h := sentence_kinds.crc32(f.encode())) in weights]
    sums = [sum(column) for column in zip(*known, strict=True)]
    assert Kinds(*sums)._fields[sums.index(max(sums))] == "rule"
    kinds = kinds_of(text)
    assert sorted(range(6), key=lambda n: kinds[n]) == sorted(range(6), key=lambda n: sums[n])


def test_without_weights_it_says_so() -> None:
    sentence_kinds.load(b"")
    try:
        with pytest.raises(RuntimeError):
            kinds_of("Never.")
    finally:
        sentence_kinds.load(SENTENCE_KINDS.read_bytes())
