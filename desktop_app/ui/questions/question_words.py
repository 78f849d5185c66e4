"""A question in plain words. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.conversation.events import Asked
from desktop_app.conversation.tools import Need, NeedKind, Rule
from desktop_app.ui.widgets.words import counted

WANTS: dict[NeedKind, str] = {
    "read": "read this",
    "write": "change this file",
    "run": "run this command",
    "network": "reach this address",
    "mcp": "use this tool of a server",
}
DONE_BY: dict[NeedKind, str] = {
    "read": "Read",
    "write": "Change",
    "run": "Run",
    "network": "Reach",
    "mcp": "Use",
}


def title_of(question: Asked) -> str:
    """What is asked, in a line: "bash wants to run this command"."""
    if question.kind == "rounds":
        return f"{counted(question.rounds, 'round')} without you. Go on?"
    tools = dict.fromkeys(need.tool for need in question.needs)
    name = question.call.name if question.call else ", ".join(tools) or "A tool"
    if len(question.needs) == 1:
        return f"{name} wants to {WANTS[question.needs[0].kind]}"
    return f"{name} wants to do {counted(len(question.needs), 'thing')}" if question.needs else f"{name} wants to run"


def note_of(question: Asked) -> str:
    """What the answer means, where it is not plain."""
    if question.kind == "rounds":
        return "The model has been calling tools one after the other. Nothing runs until you answer."
    if not question.needs:
        return ""
    if len(question.needs) > 1:
        return "Your answer holds for all of them."
    return ""


def suggestion_of(needs: Sequence[Need]) -> str:
    """The pattern that is proposed; "" when there are several needs: each has its own then."""
    return needs[0].suggestion or needs[0].target if len(needs) == 1 else ""


def pattern_warning(pattern: str, needs: Sequence[Need]) -> str:
    """What should be known of a pattern before it is allowed; "" when nothing."""
    if len(needs) != 1:
        return ""
    need = needs[0]
    if not pattern.strip():
        return "Write what is to be allowed, with * for anything."
    if not Rule(need.tool, pattern).covers(need):
        return "This pattern does not cover what is asked for now."
    if not pattern.strip("*? "):
        return f"This allows {need.tool} to do anything of this kind, without asking."
    return ""


def covers(pattern: str, needs: Sequence[Need]) -> bool:
    """Whether a rule of that pattern would allow what is asked for now."""
    return len(needs) != 1 or Rule(needs[0].tool, pattern).covers(needs[0])
