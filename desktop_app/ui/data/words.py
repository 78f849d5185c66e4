"""What is stored, in words and rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePath

from desktop_app.conversation.installation import ITEM_NAMES, Backup, PartKind, RemovableItem, StoredData, copies_left
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.check_list import CheckRow
from desktop_app.ui.widgets.formats import format_bytes, format_moment, format_number, format_title
from desktop_app.ui.widgets.row_list import ListRow
from desktop_app.ui.widgets.text_label import Run

PART_NAMES: dict[PartKind, str] = {
    "archive": translatable("Conversations, memories and the search"),
    "spills": translatable("Long outputs of tools"),
    "backups": translatable("Backups"),
    "kept": translatable("Copies that were put aside"),
    "logs": translatable("Logs"),
    "other": translatable("Settings, prompts and drafts"),
}
KEPT_WORDS = {"restore": translatable("from before a restore"), "update": translatable("from before an update")}
ALONE = ("room", "spills")  # kinds that are one item


def moment(at: float) -> str:
    """Return such as "Tue 3 Mar 2026, 10:31"."""
    return format_moment(at, tr("ddd d MMM yyyy, HH:mm", "a time, as QLocale reads it"))


def backup_row(backup: Backup) -> ListRow:
    """Return a backup as a row."""
    content = tr("%n conversations", "", backup.conversations)
    if backup.kept_before:
        content += " · " + tr(KEPT_WORDS[backup.kept_before])
    body = Run(tr("damaged"), "critical") if backup.is_damaged else Run(content)
    return ListRow(backup.file, moment(backup.at), format_bytes(backup.size), (body,))


def restore_question(backup: Backup) -> str:
    """Return what is asked before a backup is restored."""
    goes = tr(
        "Restore what was stored on {time}, %n conversations? What was said since then leaves the list. "
        "The present state is kept as a copy, which is then in the list above and can be restored as well.",
        "",
        backup.conversations,
    )
    return goes.format(time=moment(backup.at))


def part_lines(stored: StoredData) -> list[tuple[str, str]]:
    """Return the parts of the data, each with its size."""
    lines: list[tuple[str, str]] = []
    for part in stored.parts:
        lines.append((tr(PART_NAMES[part.kind]), format_bytes(part.size)))
        if part.kind == "archive" and stored.attachments:
            lines.append((tr("– of these, messages with attachments"), format_bytes(stored.attachments)))
    return lines


def space_rows(items: Sequence[RemovableItem], chosen: Collection[str]) -> list[CheckRow]:
    """Return what can be removed as rows: each kind, which stands for all of its items, above them."""
    rows: list[CheckRow] = []
    for kind in ITEM_NAMES:
        if not (own := [item for item in items if item.kind == kind]):
            continue
        size, is_checked = format_bytes(sum(item.size for item in own)), all(item.key in chosen for item in own)
        count = () if kind in ALONE else (Run(format_number(len(own))),)
        rows.append(CheckRow(kind, tr(ITEM_NAMES[kind]), size, count, is_checked=is_checked))
        rows += [_item_row(item, item.key in chosen) for item in own if kind not in ALONE]
    return rows


def _item_row(item: RemovableItem, is_checked: bool) -> CheckRow:
    name = format_title(item.name) if item.kind == "conversation" else PurePath(item.name).name
    if item.kind == "backup":
        name = moment(item.at)
    said = [tr("%n messages", "", item.messages)] if item.kind == "conversation" else []
    if item.at and item.kind != "backup":
        said.append(format_moment(item.at, tr("d MMM yyyy", "a date, as QLocale reads it")))
    body = " · ".join((name, *said))
    return CheckRow(item.key, "", format_bytes(item.size), (Run(body),), is_checked=is_checked)


def toggle_choice(items: Sequence[RemovableItem], chosen: Collection[str], key: str) -> frozenset[str]:
    """Return what is chosen once a row was ticked or its tick taken away. key: of an item, or a kind."""
    keys = {item.key for item in items if key in (item.key, item.kind)}
    return frozenset(chosen) - keys if keys <= set(chosen) else frozenset(chosen) | keys


def size_of(items: Sequence[RemovableItem], chosen: Collection[str]) -> int:
    """Return the bytes that the chosen items take."""
    return sum(item.size for item in items if item.key in chosen)


def removal_question(items: Sequence[RemovableItem], chosen: Collection[str]) -> str:
    """Return what is asked before they are removed: how many conversations go, and which are still in copies."""
    taken = [item for item in items if item.key in chosen]
    erased = [item for item in taken if item.kind == "conversation"]
    others, sentences = len(taken) - len(erased), list[str]()
    if erased:
        messages = sum(item.messages for item in erased)
        named = tr("%n messages", "", messages)
        gone = tr("%n deleted conversations with {messages} are erased for good.", "", len(erased))
        sentences.append(gone.format(messages=named))
        sentences += _still_in_copies(items, chosen)
    if others:
        beside = tr("%n other items are removed.", "", others)
        sentences.append(beside if erased else tr("%n items are removed.", "", others))
    sentences.append(tr("This cannot be undone."))
    return " ".join(sentences)


def _still_in_copies(items: Sequence[RemovableItem], chosen: Collection[str]) -> list[str]:
    held = copies_left(items, chosen)
    if not held:
        return [tr("No backup and no copy holds them.")]
    times = {item.key: item.at for item in items}
    newest = max((times[copy] for copies in held.values() for copy in copies), default=0.0)
    told = tr("%n of them are still in backups or copies, the newest of {time}.", "", len(held))
    return [told.format(time=moment(newest))]
