"""The title that a conversation gets from its first message."""

from __future__ import annotations

import re

TITLE_MOST = 60
UNTITLED = "New conversation"
RESEARCH = "/research "
"""What a message begins with that is to be researched; no title has it."""


def title_of(text: str) -> str:
    """A title from the first line of a message, cut at a word."""
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), UNTITLED)
    line = re.sub(r"[`*]", "", line).lstrip("#>- ")
    if len(line) <= TITLE_MOST:
        return line or UNTITLED
    return line[:TITLE_MOST].rsplit(" ", 1)[0].rstrip(",;:.") + "…"
