"""The texts of a question. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.conversation.events import QuestionAsked
from desktop_app.conversation.tools import NeedKind, PermissionAnswer, RequiredPermission
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.invisible import escape_invisible, invisible_names

WANTS: dict[NeedKind, str] = {
    "read": translatable("{tool} wants to read this"),
    "write": translatable("{tool} wants to write this file"),
    "run": translatable("{tool} wants to run this command"),
    "network": translatable("{tool} wants to open this address"),
    "mcp": translatable("{tool} wants to use this tool of an MCP server"),
}
DONE_BY: dict[NeedKind, str] = {
    "read": translatable("Read: {target}"),
    "write": translatable("Change: {target}"),
    "run": translatable("Run: {target}"),
    "network": translatable("Open: {target}"),
    "mcp": translatable("Use: {target}"),
}


def title_of(question: QuestionAsked) -> str:
    """Return the question in a line: "bash wants to run this command"."""
    if question.kind == "rounds":
        return tr("%n rounds without a message from you. Continue?", "", question.rounds)
    tools = dict.fromkeys(need.tool for need in question.needs)
    name = escape_invisible(question.call.name if question.call else ", ".join(tools) or tr("A tool"))
    if len(question.needs) == 1:
        return tr(WANTS[question.needs[0].kind]).format(tool=name)
    several = tr("{tool} wants to do %n things", "", len(question.needs))
    return (several if question.needs else tr("{tool} wants to run")).format(tool=name)


def pending_question_text(question: QuestionAsked, title: str) -> str:
    """Return the notice of a question in a conversation that is not shown. title: "" if it is not listed."""
    named = tr("“{title}” is waiting for your answer: {question}")
    text = named if title else tr("Another conversation is waiting for your answer: {question}")
    return text.format(title=escape_invisible(title), question=title_of(question))


def note_of(question: QuestionAsked) -> str:
    """Return what the answer means, where that is not obvious."""
    if question.kind == "rounds":
        return tr("The model keeps calling tools. Nothing runs until you answer.")
    invisible, warning = invisible_names(*(need.target for need in question.needs)), ""
    if invisible:
        text = tr("It contains invisible characters, shown here by their numbers: {characters}.")
        warning = text.format(characters=invisible)
    if len(question.needs) < 2:
        return warning
    patterns = dict.fromkeys(escape_invisible(proposed_pattern(need)) for need in question.needs)
    scope = tr("Your answer applies to all of them. Allowed for longer, it covers: {patterns}")
    return f"{warning} {scope.format(patterns=', '.join(patterns))}".strip()


def proposed_pattern(need: RequiredPermission) -> str:
    """Return the pattern that is allowed if the user writes no other one."""
    from desktop_app.permissions.rules import rule_of  # slow to import, and not needed before a question

    return rule_of(need, PermissionAnswer(is_allowed=True)).pattern


def suggested_pattern(needs: Sequence[RequiredPermission]) -> str:
    """Return the pattern for the field; "" if there are several needs, of which each has its own pattern."""
    return proposed_pattern(needs[0]) if len(needs) == 1 else ""


def pattern_warning(pattern: str, needs: Sequence[RequiredPermission]) -> str:
    """Return what the user should know before allowing a pattern; "" if nothing."""
    if len(needs) != 1:
        return ""
    if not pattern:
        return tr("Enter what to allow; * stands for anything.")
    if not covers(pattern, needs):
        return tr("This rule does not cover the current request.")
    if not pattern.strip("*? "):
        return tr("{tool} may then do anything of this kind without asking.").format(tool=needs[0].tool)
    return ""


def covers(pattern: str, needs: Sequence[RequiredPermission]) -> bool:
    """Return whether rules of a pattern, or those proposed for "", would allow the needs, as the engine decides."""
    from desktop_app.permissions.rules import decide, rule_of

    if len(needs) == 1 and not pattern:
        return False
    answer = PermissionAnswer(is_allowed=True, pattern=pattern)
    return decide(needs, [rule_of(need, answer) for need in needs]) == "allow"
