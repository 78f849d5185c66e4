"""Commands at the beginning of a draft. Pure."""

from __future__ import annotations

import re

from desktop_app.engine.protocol import Send, StartResearch

RESEARCH = "/research"
_RESEARCH = re.compile(rf"\s*{RESEARCH}(?:\s+(.*))?\Z", re.DOTALL)
HINT = f"{RESEARCH} QUESTION searches the web and answers with sources"
MISSING = f"Type a question after {RESEARCH}"


def request_of(conversation: str, text: str) -> Send | StartResearch:
    """Return the request that sends a draft. A path, or a word that only begins like a command, is a message."""
    found = _RESEARCH.match(text)
    if found and (found[1] or "").strip():
        return StartResearch(conversation, found[1].strip())
    return Send(conversation, text)


def hint_of(text: str) -> str:
    """Return a hint for a draft that begins like a command; "" for all others."""
    first = text.lstrip()
    if not first.startswith("/") or "\n" in first:
        return ""
    word = first.split(" ", 1)[0]
    is_question = len(first) > len(RESEARCH) and first.startswith(f"{RESEARCH} ")
    return HINT if RESEARCH.startswith(word) and not is_question else ""


def refusal_of(text: str) -> str:
    """Return why a draft cannot be sent; "" if it can."""
    found = _RESEARCH.match(text)
    return MISSING if found and not (found[1] or "").strip() else ""
