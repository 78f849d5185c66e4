"""The words for a plan as a whole: one for this conversation, or one for another that begins with the summary."""

from __future__ import annotations

import msgspec

from desktop_app.conversation.words import translatable


class PlanWords(msgspec.Struct, frozen=True):
    """What the dialog says of the plan as a whole."""

    title: str
    promise: str
    apply: str
    applying: str
    nothing: str
    """What takes the place of a summary where no message leaves."""


OPTIMIZE = PlanWords(
    translatable("Optimize conversation"),
    translatable("Nothing is deleted: all messages stay in the history, searchable, and one undo brings them back."),
    translatable("Optimize"),
    translatable("Optimizing…"),
    translatable("No message leaves with this plan, so there is nothing to summarize."),
)
FRESH = PlanWords(
    translatable("Start fresh"),
    translatable(
        "A new conversation begins with this summary. This one stays as it is, and each has a link to the other."
    ),
    translatable("Start fresh"),
    translatable("Starting…"),
    translatable("All messages come along unchanged, so there is nothing to summarize."),
)
