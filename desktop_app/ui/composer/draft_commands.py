"""What the beginning of a draft means: a search of the web, a command, or a message."""

from __future__ import annotations

import re

from desktop_app.conversation.message import Attachment, MessageDraft
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import Send, StartResearch
from desktop_app.ui.translation import tr

RESEARCH = "/research"
_RESEARCH = re.compile(rf"\s*{RESEARCH}(?:\s+(.*))?\Z", re.DOTALL)
COMMAND = re.compile(r"!(\S[^\n]*)\s*\Z")
RUN_HINT = translatable("Enter runs this command and attaches its output")
HINT = translatable("{command} QUESTION searches the web and answers with sources")
MISSING = translatable("Type a question after {command}")
NO_FILES = translatable("{command} takes no attachments")


def request_of(
    conversation: str,
    text: str,
    attachments: tuple[Attachment, ...] = (),
    is_now: bool = False,
    is_draft: bool = False,
) -> Send | StartResearch:
    """Return the request that sends a text. A path, or a word that only begins like a command, is a message.

    is_now: it also stops the reply. is_draft: it also empties the stored draft.
    """
    found = _RESEARCH.match(text)
    if found and (found[1] or "").strip():
        return StartResearch(conversation, found[1].strip(), is_now, is_draft)
    return Send(conversation, text, attachments, is_now, is_draft)


def hint_of(text: str) -> str:
    """Return a hint for a draft that begins like a command; "" for all others."""
    if COMMAND.match(text):
        return tr(RUN_HINT)
    first = text.lstrip()
    if not first.startswith("/") or "\n" in first:
        return ""
    word = first.split(" ", 1)[0]
    is_question = len(first) > len(RESEARCH) and first.startswith(f"{RESEARCH} ")
    return tr(HINT).format(command=RESEARCH) if RESEARCH.startswith(word) and not is_question else ""


def refusal_of(draft: MessageDraft) -> str:
    """Return why a draft cannot be sent; "" if it can."""
    found = _RESEARCH.match(draft.text)
    if found is None or ((found[1] or "").strip() and not draft.attachments):
        return ""
    return tr(NO_FILES if draft.attachments else MISSING).format(command=RESEARCH)
