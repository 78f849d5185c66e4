"""The prompts of requests that Palimpsest makes on its own: from the resources, or from the user's files."""

from __future__ import annotations

import logging
from pathlib import Path

from desktop_app.context.memory.flush import FlushPrompts
from desktop_app.context.summary.prompt import Prompts
from desktop_app.paths import prompt_files

MAX_PROMPT = 40_000
"""Characters: a file that is longer was put there by mistake."""

log = logging.getLogger(__name__)


def read_prompts(data: Path) -> Prompts:
    """Return the prompts of summaries; a file `prompts/NAME.md` in the data folder replaces the one that ships.

    A file of the user's that cannot be read, is empty or far too long is ignored, with a warning in the log.
    """
    return Prompts(**{name: _read(*prompt_files(data, name)) for name in Prompts.__struct_fields__})


def read_flush_prompts(data: Path) -> FlushPrompts:
    """Return the prompts of a memory flush, in the same way."""
    return FlushPrompts(**{name: _read(*prompt_files(data, name)) for name in FlushPrompts.__struct_fields__})


def read_words(data: Path, name: str) -> str:
    """Return the prompt of that name, in the same way."""
    return _read(*prompt_files(data, name))


def _read(own: Path, shipped: Path) -> str:
    try:
        if own.exists():
            words = own.read_text(encoding="utf-8").strip()
            if 0 < len(words) <= MAX_PROMPT:
                return words
            log.warning("%s is empty or too long, and is not used", own)
    except (OSError, UnicodeDecodeError) as error:
        log.warning("%s cannot be read (%s), and is not used", own, error)
    return shipped.read_text(encoding="utf-8").strip()
