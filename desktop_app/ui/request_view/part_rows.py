"""The texts of a row in the request view, and the actions on its part. Uses no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.gauge import ComparedPart, PartChange, PartKind, Segment, SentPart, SentRequest
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.words import translatable
from desktop_app.ui.theme import Tint
from desktop_app.ui.transcript.row_text import arguments_summary
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.number_formats import escape_invisible, format_number

LINES, LINE = 2, 300  # lines of a part's text that are shown, and characters in each
ROLES = {
    "system": translatable("System"),
    "user": translatable("User"),
    "assistant": translatable("Assistant"),
    "tool": translatable("Tool"),
}
KINDS = {
    PartKind.SUMMARY: translatable("summary"),
    PartKind.INSTRUCTIONS: translatable("project"),
    PartKind.MEMORY: translatable("memory"),
    PartKind.RECALLED: translatable("recalled"),
    PartKind.SYNTHETIC: translatable("added"),
}
CHANGES = {
    PartChange.ADDED: translatable("{count} added ({difference})"),
    PartChange.REMOVED: translatable("{count} removed ({difference})"),
    PartChange.CHANGED: translatable("{count} changed ({difference})"),
}
CHANGE_TINTS: dict[PartChange, Tint] = {
    PartChange.ADDED: "ok",
    PartChange.CHANGED: "warning",
    PartChange.REMOVED: "critical",
}


class PartAction(StrEnum):
    """An action on a part."""

    OPEN = translatable("Open")
    SHOW_IN_CHAT = translatable("Show in chat")
    SHOW_OPERATION = translatable("Show in history")
    SHOW_PROJECT = translatable("Project settings…")
    SHOW_MEMORY = translatable("Show memory")
    SHOW_TOOLS = translatable("Choose tools…")
    PIN = translatable("Pin")
    UNPIN = translatable("Unpin")
    LEAVE_OUT = translatable("Leave out")


class PartRow(msgspec.Struct, frozen=True, gc=False):
    """A part as a row of the list.

    index: its number in the request that its text is read from. change: how it differs from an earlier request; None if
    nothing is compared. tokens_before: its tokens in that one.
    """

    part: SentPart
    index: int
    change: PartChange | None = None
    tokens_before: int = 0
    cached_tokens: int = 0
    """For the last part that the provider read from its cache, the tokens up to its end; 0 for others."""

    @property
    def words(self) -> str:
        """The whole row, for screen readers."""
        tags = [text for text, _ in tags_of(self)]
        return "\n".join((" · ".join((title_of(self.part), *tags, tokens_of(self))), *lines_of(self.part)))


def rows_of(request: SentRequest) -> list[PartRow]:
    """Return a row for each part of a request."""
    gap, left_out = request.unlisted
    rows = [PartRow(part, n if n < gap else n + left_out) for n, part in enumerate(request.parts)]
    if request.cached:
        tokens = sum(part.tokens for part in request.parts[: request.cached])
        rows[request.cached - 1] = replace(rows[request.cached - 1], cached_tokens=tokens)
    return rows


def compared_rows(parts: Iterable[ComparedPart]) -> list[PartRow]:
    """Return the rows of a comparison. The index of a removed part is its index in the earlier request."""
    rows: list[PartRow] = []
    now = before = 0
    for compared in parts:
        is_removed = compared.change is PartChange.REMOVED
        rows.append(PartRow(compared.part, before if is_removed else now, compared.change, compared.tokens_before))
        now += not is_removed
        before += compared.change is not PartChange.ADDED
    return rows


def summarize_changes(rows: Sequence[PartRow]) -> str:
    """Return a line such as "3 added (+4,180) · 42 removed (−61,204) · 12 the same"."""
    words: list[str] = []
    for change, text in CHANGES.items():
        found = [row for row in rows if row.change is change]
        if found:
            total = format_difference(sum(map(difference, found)))
            words.append(tr(text).format(count=format_number(len(found)), difference=total))
    same = sum(row.change is PartChange.SAME for row in rows)
    return " · ".join([*words, tr("{count} the same").format(count=format_number(same))])


def difference(row: PartRow) -> int:
    """Return the number of tokens by which a part has grown; negative if it has shrunk."""
    return (0 if row.change is PartChange.REMOVED else row.part.tokens) - row.tokens_before


def format_difference(tokens: int) -> str:
    """Return a signed number such as "+1,204", "−8,000" or "±0"."""
    return f"{'+' if tokens > 0 else '−' if tokens < 0 else '±'}{format_number(abs(tokens))}"


def title_of(part: SentPart) -> str:
    """Return the role and kind of a part and, for a tool result, its call."""
    if part.kind is PartKind.TOOLS:
        return tr("Tools of {server}").format(server=part.name) if part.name else tr("Tools")
    if part.kind is PartKind.FRAME:
        return tr("Between the messages")
    own = part.name
    if part.arguments:
        own = f"{own} {arguments_summary(ToolCall('', own, part.arguments))}".rstrip()
    role, kind = tr(ROLES.get(part.role, part.role)), tr(KINDS.get(part.kind, ""))
    return escape_invisible(" · ".join(filter(None, (role, kind, own))))


def tags_of(row: PartRow) -> list[tuple[str, Tint]]:
    """Return the labels next to the title, each with its colour."""
    part = row.part
    tags: list[tuple[str, Tint]] = []
    if row.change is not None and row.change in CHANGE_TINTS:
        tags.append((tr(row.change.value), CHANGE_TINTS[row.change]))
    if part.is_pinned:
        tags.append((tr("◆ pinned"), "tight"))
    if part.kind is PartKind.SUMMARY and part.stands_for:
        tags.append((tr("stands for %n messages", "", part.stands_for), "accent"))
    if part.provider_form:
        is_readable = part.provider_form == "readable"
        tags.append((tr("in its provider’s form") if is_readable else tr("encrypted: cannot be read"), "ink_soft"))
    if part.kind is PartKind.TOOLS:
        tags.append((tr("%n tools", "", part.stands_for), "ink_soft"))
    if part.tokens_before:
        tags.append((tr("was {tokens}").format(tokens=format_number(part.tokens_before)), "warning"))
    if part.repair:
        tags.append((tr("repaired: {repair}").format(repair=tr(part.repair)), "warning"))
    return tags


def tokens_of(row: PartRow) -> str:
    """Return the token count; for a part that has changed, the previous and the present one."""
    if row.change is PartChange.CHANGED and row.tokens_before != row.part.tokens:
        before = format_number(row.tokens_before)
        return tr("{before} → %n tokens", "", row.part.tokens).format(before=before)
    return tr("%n tokens", "", row.part.tokens)


def lines_of(part: SentPart) -> list[str]:
    """Return the first lines of the text, without blank ones."""
    if part.kind is PartKind.FRAME:
        return [tr("The markers where each message begins, and where the reply does")]
    found = [escape_invisible(" ".join(line.split()))[:LINE] for line in part.text.splitlines() if line.strip()]
    return found[:LINES] or [tr("(no text)")]


def is_cut(part: SentPart) -> bool:
    """Return whether the text is longer than a row shows."""
    return part.characters > len(part.text) or part.text.count("\n") >= LINES or len(part.text) > 90


def actions_of(part: SentPart) -> list[PartAction]:
    """Return the actions on a part, beginning with the one that leads to its origin."""
    has_row = part.message_id and part.role != "system"
    origin = {
        PartKind.SUMMARY: PartAction.SHOW_OPERATION if part.operation_id else None,
        PartKind.INSTRUCTIONS: PartAction.SHOW_PROJECT,
        PartKind.MEMORY: PartAction.SHOW_MEMORY,
        PartKind.TOOLS: PartAction.SHOW_TOOLS,
    }.get(part.kind, PartAction.SHOW_IN_CHAT if has_row else None)
    actions = [origin] if origin else []
    if part.kind is PartKind.MESSAGE and has_row:
        actions.append(PartAction.UNPIN if part.is_pinned else PartAction.PIN)
    if part.kind is PartKind.TOOLS and part.name:
        actions.append(PartAction.LEAVE_OUT)
    return [*actions, PartAction.OPEN] if is_cut(part) else actions


def rows_in(rows: Sequence[PartRow], segment: Segment | None, is_changed: bool = False) -> list[PartRow]:
    """Return the rows of a segment; None for all. is_changed: only rows that differ from the earlier request."""
    return [
        row
        for row in rows
        if (segment in (None, row.part.segment) or segment in row.part.other_segments)
        and not (is_changed and row.change is PartChange.SAME)
    ]
