"""Prompts of the requests that Palimpsest makes by itself: from the resources, or from the user's files."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TypeVar

import msgspec

from desktop_app.paths import prompt_files

MAX_PROMPT = 40_000
"""Characters: a longer file was put there by mistake."""

P = TypeVar("P", bound=msgspec.Struct)

log = logging.getLogger(__name__)


def read_prompts(kind: type[P], data: Path) -> P:
    """Return prompts that are used together; each field is read from the prompt of the same name."""
    return kind(**{name: read_prompt(data, name) for name in kind.__struct_fields__})


def read_prompt(data: Path, name: str) -> str:
    """Return the prompt of that name: `prompts/NAME.md` in the data folder if it exists, otherwise the shipped one.

    A user's file that is unreadable, empty or far too long is ignored, with a warning in the log.
    """
    own, shipped = prompt_files(data, name)
    try:
        if own.exists():
            prompt = own.read_text(encoding="utf-8").strip()
            if 0 < len(prompt) <= MAX_PROMPT:
                return prompt
            log.warning("%s is empty or too long, and is not used", own)
    except (OSError, UnicodeDecodeError) as error:
        log.warning("%s cannot be read (%s), and is not used", own, error)
    return shipped.read_text(encoding="utf-8").strip()
