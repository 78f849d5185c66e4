"""Titles made from a conversation's first message."""

from __future__ import annotations

import re

MAX_TITLE = 60
UNTITLED = "New conversation"
RESEARCH = "/research "
"""The command that a message to be researched begins with; titles leave it out."""


def title_of(text: str) -> str:
    """Return a title from the first line of a message, cut at a word."""
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), UNTITLED)
    line = re.sub(r"[`*]", "", line).lstrip("#>- ")
    if len(line) <= MAX_TITLE:
        return line or UNTITLED
    return line[:MAX_TITLE].rsplit(" ", 1)[0].rstrip(",;:.") + "…"
