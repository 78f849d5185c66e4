"""The words of requests that Palimpsest makes on its own: from the resources, or from the user's own files."""

from __future__ import annotations

import logging
from pathlib import Path

from desktop_app.context.memory.flush import FlushPrompts
from desktop_app.context.summary.prompt import Prompts
from desktop_app.paths import prompt_files

PROMPT_MOST = 40_000
"""Characters: a file that is longer was put there by mistake."""

log = logging.getLogger(__name__)


def read_prompts(data: Path) -> Prompts:
    """The words of today: a file `prompts/NAME.md` in the data folder takes the place of the one that ships.

    A file of the user's that cannot be read, is empty or far too long is passed over, and the log says so.
    """
    return Prompts(**{name: _words(*prompt_files(data, name)) for name in Prompts.__struct_fields__})


def read_flush_prompts(data: Path) -> FlushPrompts:
    """The words in which a model is asked what must last, in the same way."""
    return FlushPrompts(**{name: _words(*prompt_files(data, name)) for name in FlushPrompts.__struct_fields__})


def read_words(data: Path, name: str) -> str:
    """The words of one request by its name, in the same way."""
    return _words(*prompt_files(data, name))


def _words(own: Path, shipped: Path) -> str:
    try:
        if own.exists():
            words = own.read_text(encoding="utf-8").strip()
            if 0 < len(words) <= PROMPT_MOST:
                return words
            log.warning("%s is empty or too long, and is not used", own)
    except (OSError, UnicodeDecodeError) as error:
        log.warning("%s cannot be read (%s), and is not used", own, error)
    return shipped.read_text(encoding="utf-8").strip()
