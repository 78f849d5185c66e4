"""The texts of a permission question. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.conversation.events import QuestionAsked
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import (
    MAX_NEEDS,
    OUTSIDE,
    WITH_NETWORK,
    ChangeNote,
    NeedKind,
    PermissionAnswer,
    RequiredPermission,
    can_be_kept,
)
from desktop_app.conversation.words import translatable
from desktop_app.ui.transcript.call_diff import arguments_of
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.number_formats import escape_invisible, invisible_names, shorten

WANTS: dict[NeedKind, str] = {
    "read": translatable("{tool} wants to read this"),
    "write": translatable("{tool} wants to write this file"),
    "run": translatable("{tool} wants to run this command"),
    "network": translatable("{tool} wants to open this address"),
    "mcp": translatable("The model wants to use this tool of an MCP server"),
    "recall": translatable("{tool} wants to look in your other conversations"),
}
WIDER: dict[str, str] = {
    WITH_NETWORK: translatable("{tool} wants to run this command with network access"),
    OUTSIDE: translatable("{tool} wants to run this command outside of the sandbox"),
}
"""By the tool name that rules use for commands that may do more than the sandbox allows."""
ABOUT_WIDER: dict[str, str] = {
    WITH_NETWORK: translatable("It stays in the sandbox, but can send what it reads to any address."),
    OUTSIDE: translatable(
        "There it can do everything that you can: change your files, read your keys, use the network."
    ),
}
ABOUT_EARLIER: dict[str, str] = {
    "changed": translatable(
        "This tool has changed since you allowed it: its server now describes it, or its arguments, differently."
    ),
    "unbound": translatable(
        "You allowed this tool before its description was recorded. Your answer applies to the tool as it is now."
    ),
}
"""Why a rule that allows a tool of that name does not apply."""
ONLY_READS = translatable("Its server says that this tool only reads, which cannot be checked.")
IS_DESTRUCTIVE = translatable("Its server says that this tool may delete or overwrite something.")
TOO_LONG = translatable("It is too long for a rule: allow it this once, or deny it.")
ABOUT_CHANGE: dict[ChangeNote, str] = {
    "new": translatable("This is a new file."),
    "same": translatable("The file would not change."),
    "line_ends": translatable("It changes how the lines of the file end."),
    "private": translatable("It is not compared with the file: reading that needs permission."),
    "missing": translatable("There is no such file, so nothing would change."),
    "folder": translatable("There is a folder of that name, so nothing would change."),
    "not_found": translatable("The text to be replaced is not in the file as it is now, so nothing would change."),
    "ambiguous": translatable("The text to be replaced is in the file several times, so nothing would change."),
    "unreadable": translatable("It cannot be compared with the file, which is too large, or no text that can be read."),
}
"""Notes on a preview that its lines do not show."""
MAX_SHOWN = 5_000
"""Characters that the card shows of what a call would touch; a separate window shows all."""
MAX_NAME = 200  # characters of a tool's name or a conversation's title
SAID_OF_IT = translatable("Its server describes it as: {words}")
DONE_BY: dict[NeedKind, str] = {
    "read": translatable("Read: {target}"),
    "write": translatable("Change: {target}"),
    "run": translatable("Run: {target}"),
    "network": translatable("Open: {target}"),
    "mcp": translatable("Use: {target}"),
    "recall": translatable("Look in: {target}"),
}


def title_of(question: QuestionAsked) -> str:
    """Return the question in a line: "bash wants to run this command"."""
    if question.kind == "rounds":
        return tr("%n rounds without a message from you. Continue?", "", question.rounds)
    tools = dict.fromkeys(need.tool for need in question.needs)
    name = question.call.name if question.call else ", ".join(tools) or tr("A tool")
    name = escape_invisible(shorten(name, MAX_NAME))
    if commands := [need for need in question.needs if need.kind == "run"]:
        return tr(WIDER.get(commands[0].tool, WANTS["run"])).format(tool=name)
    if len(question.needs) == 1:
        return tr(WANTS[question.needs[0].kind]).format(tool=name)
    several = tr("{tool} wants to do %n things", "", len(question.needs))
    return (several if question.needs else tr("{tool} wants to run")).format(tool=name)


def command_of(needs: Sequence[RequiredPermission], call: ToolCall | None) -> str:
    """Return the command line if it consists of several commands with their own permissions; "" otherwise."""
    if call is None or len(needs) < 2 or all(need.kind != "run" for need in needs):
        return ""
    command = (arguments_of(call) or {}).get("command")
    return command if isinstance(command, str) else ""


def pending_question_text(question: QuestionAsked, title: str) -> str:
    """Return a notice about a question in a conversation that is not open. title: "" if it is not listed."""
    named = tr("“{title}” is waiting for your answer: {question}")
    text = named if title else tr("Another conversation is waiting for your answer: {question}")
    return text.format(title=escape_invisible(shorten(title, MAX_NAME)), question=title_of(question))


def note_of(question: QuestionAsked) -> str:
    """Return what the answer means, if that is not obvious; "" if it is."""
    if question.kind == "rounds":
        return tr("The model keeps calling tools. Nothing runs until you answer.")
    command = command_of(question.needs, question.call)[:MAX_SHOWN]
    invisible, warning = invisible_names(command, *(need.target[:MAX_SHOWN] for need in question.needs[:MAX_NEEDS])), ""
    if invisible:
        text = tr("It contains invisible characters, shown here by their code points: {characters}.")
        warning = text.format(characters=invisible)
    if wider := wider_of(question):
        warning = f"{warning} {tr(ABOUT_WIDER[wider])}".strip()
    if is_recall(question):
        return tr("What is found there is sent to the model of this conversation.")
    earlier = [tr(ABOUT_EARLIER[need.earlier]) for need in question.needs if need.earlier]
    hints = [tr(ONLY_READS)] * any(need.only_reads for need in question.needs)
    hints += [tr(IS_DESTRUCTIVE)] * any(need.is_destructive for need in question.needs)
    change = tr(ABOUT_CHANGE[question.preview.note]) if question.preview and question.preview.note else ""
    warning = " ".join(filter(None, (warning, *earlier, *hints, change)))
    if not can_be_kept(question.needs):
        return f"{warning} {tr(TOO_LONG)}".strip()
    if len(question.needs) < 2:
        return warning
    patterns = dict.fromkeys(escape_invisible(proposed_pattern(need)) for need in question.needs)
    is_one_command = bool(command_of(question.needs, question.call))
    applies = tr("Your answer applies to all of it.") if is_one_command else tr("Your answer applies to all of them.")
    scope = tr("Allowed for longer, it covers: {patterns}").format(patterns=", ".join(patterns))
    return f"{warning} {applies} {scope}".strip()


def is_risky(need: RequiredPermission) -> bool:
    """Return whether a tool of an MCP server has changed since it was allowed, or may delete something."""
    return need.earlier == "changed" or need.is_destructive


def is_recall(question: QuestionAsked) -> bool:
    """Return whether it asks for access to other conversations: a choice of scopes, for which no rule is written."""
    return any(need.kind == "recall" for need in question.needs)


def wider_of(question: QuestionAsked) -> str:
    """Return the tool name that rules use for a command that may do more than the sandbox allows; "" for others."""
    return next((need.tool for need in question.needs if need.tool in WIDER), "")


def target_of(need: RequiredPermission) -> str:
    """Return the target of a permission in words for the user."""
    if need.kind != "recall":
        # A newline in a path could make it look like two permissions: escape it.
        target = need.target if need.kind == "run" else need.target.replace("\n", "‹U+000A›")
        return f"{target}\n{tr(SAID_OF_IT).format(words=' '.join(need.about.split()))}" if need.about else target
    if need.target == "project":
        return tr("The %n conversations of this project", "", need.conversations)
    return tr("All your conversations (%n)", "", need.conversations)


def proposed_pattern(need: RequiredPermission) -> str:
    """Return the pattern that is allowed if the user enters no other one."""
    from desktop_app.permissions.rules import rule_of  # slow to import, and not needed before a question

    return rule_of(need, PermissionAnswer(is_allowed=True)).pattern


def suggested_pattern(needs: Sequence[RequiredPermission]) -> str:
    """Return the pattern for the field; "" if there are several permissions, each with its own pattern, or if no rule
    can be stored."""
    return proposed_pattern(needs[0]) if len(needs) == 1 and can_be_kept(needs) else ""


def pattern_warning(pattern: str, needs: Sequence[RequiredPermission]) -> str:
    """Return what the user should know before allowing a pattern; "" if nothing."""
    if len(needs) != 1 or needs[0].kind == "recall" or not can_be_kept(needs):  # the field is hidden for these
        return ""
    if not pattern:
        return tr("Enter what to allow; * stands for anything.")
    if not covers(pattern, needs):
        return tr("This rule does not cover the current request.")
    if not pattern.strip("*? "):
        return tr("{tool} may then do anything of this kind without asking.").format(tool=needs[0].tool)
    return ""


def pattern_effect(pattern: str, needs: Sequence[RequiredPermission]) -> tuple[str, bool]:
    """Return what patterns with wildcards would allow, and whether that is more than reading; "" without wildcards.

    pattern: the content of the field, for a single permission; several have their proposed patterns.
    """
    from desktop_app.permissions.rules import QUOTED, effect_of, merge_effects

    if not can_be_kept(needs):
        return "", False
    patterns = [pattern] if len(needs) == 1 else [proposed_pattern(need) for need in needs]
    if any(need.kind == "recall" for need in needs) or pattern_warning(pattern, needs):
        return "", False
    found = (effect_of(need.kind, allowed) for need, allowed in zip(needs, patterns, strict=True))
    effects = merge_effects(effect for effect in found if effect is not None)
    lines: list[str] = []
    for effect in effects:
        names = ", ".join(tr(QUOTED).format(name=escape_invisible(name)) for name in effect.names)
        lines.append(tr(effect.text).format(names=names))
    return " ".join(lines), any(effect.is_risky for effect in effects)


def covers(pattern: str, needs: Sequence[RequiredPermission]) -> bool:
    """Return whether rules with a pattern, or the proposed ones for "", would make the engine allow the needs."""
    from desktop_app.permissions.rules import decide, rule_of

    if not can_be_kept(needs) or (len(needs) == 1 and not pattern):
        return False
    answer = PermissionAnswer(is_allowed=True, pattern=pattern)
    return decide(needs, [rule_of(need, answer) for need in needs]) == "allow"
