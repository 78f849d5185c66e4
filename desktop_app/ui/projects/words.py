"""What is said of projects in several places."""

from __future__ import annotations

from desktop_app.conversation.setup import RecallScope
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr

RECALL_NAMES: dict[RecallScope, str] = {
    "conversation": translatable("This conversation"),
    "project": translatable("This project"),
    "everything": translatable("Everything"),
}
RECALL_MEANINGS: dict[RecallScope, str] = {
    "conversation": translatable(
        "The model can look up what was said earlier in the same conversation. Before it looks anywhere else, it asks "
        "you."
    ),
    "project": translatable(
        "It may also look in the other conversations of the project. What it finds is sent to the conversation’s model."
    ),
    "everything": translatable(
        "It may look in all conversations, those of other projects too, without asking. What it finds is sent to the "
        "conversation’s model."
    ),
}


def recall_meaning(scope: str) -> str:
    """Return what it means that recall may look there; "" for what is no scope."""
    return next((tr(meaning) for known, meaning in RECALL_MEANINGS.items() if known == scope), "")
