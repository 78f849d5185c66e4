"""The page of insights with the real engine: "Everything", and its CSV, held against the record as it is stored."""

from __future__ import annotations

import asyncio
import csv
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from person import Person, long_talk, store_talk
from ui_scenes import is_idle

from desktop_app.archive.archive import Archive
from desktop_app.conversation.message import Message, Usage
from desktop_app.conversation.setup import Project
from desktop_app.conversation.transcript import AnyEntry, AuxiliaryUsage, Compaction, Flush, Prune
from desktop_app.paths import database_file
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from provider import Reply
from stores import Store

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
REPLIES = [Reply("At sea.", usage=(900, 5, 300)), Reply("Still at sea.", usage=(700, 7, 0))]


async def stored_entries(data: Path) -> list[AnyEntry]:
    """Return all entries of all conversations, read anew from the archive."""
    archive = await Archive.open(database_file(data))
    entries = [entry for info in await archive.conversations() for entry in await archive.entries(info.id)]
    await archive.close()
    return entries


async def export(person: Person, file: Path) -> list[dict[str, str]]:
    """Press "Export CSV", choose that file, and return the rows that are in it then."""
    page = person.window.insights.page
    assert page is not None
    await person.click(page.export)
    await person.choose_file(file)
    await person.sees(lambda: str(file) in page.status.text(), "that it is written")  # its name is there before
    with file.open(newline="", encoding="utf-8-sig") as opened:
        return list(csv.DictReader(opened))


async def optimize(person: Person) -> None:
    """Optimize the open conversation as the plan says."""
    await person.click(person.window.ui.gauge.optimize)
    dialog = await person.sheet(PlanDialog, 60, "the plan")
    await person.sees(dialog.apply.isEnabled, "a plan that frees something")
    await person.click(dialog.apply)
    await person.wait_until_closed(PlanDialog)
    await person.sees(lambda: is_idle(person.window), "rest")


def total(rows: list[dict[str, str]], kinds: str, column: str) -> int:
    """Return the sum of a column over the rows of some kinds."""
    return sum(int(float(row[column] or 0)) for row in rows if row["kind"] in kinds.split())


def test_everything_and_its_csv_sum_to_what_the_record_holds(play_by_engine, data_folder) -> None:
    asyncio.run(store_talk(data_folder, long_talk(40), name="c1", title="One"))
    asyncio.run(store_talk(data_folder, long_talk(30), name="c2", title="Two"))
    shown: dict[str, str] = {}
    rows: list[dict[str, str]] = []

    async def scene(person: Person) -> None:
        window = person.window
        for name, answer in (("c1", "At sea."), ("c2", "Still at sea.")):
            window.chat.open(name)
            await person.sees(lambda name=name: window.chat.conversation == name and window.ui.gauge.gauge, name)
            await person.ask("Where are we?", answer)
            await optimize(person)
        await person.click(window.ui.sidebar.insights)
        await person.sees(lambda: window.insights.page and window.insights.page.content.isVisible(), "the figures")
        page = window.insights.page
        assert page is not None
        await person.click(page.scope.button("all"))
        await person.sees(lambda: "2 conversations" in page.range.text(), "both conversations")
        shown.update((card.accessibleName().split(":")[0], card.value.text()) for card in page.cards)
        shown.update((row.name, " ".join(row.cells)) for row in page.providers.table.rows)
        rows.extend(await export(person, data_folder / "all.csv"))

    play_by_engine(scene, REPLIES, window=8_192)
    entries = asyncio.run(stored_entries(data_folder))
    operations = [entry for entry in entries if isinstance(entry, Prune | Compaction)]
    freed = sum(one.tokens_before - one.tokens_after for one in operations)
    assert len(operations) >= 2
    assert freed > 0
    assert shown["Tokens freed"] == f"{freed:,}"
    assert total(rows, "prune compaction", "tokens_freed") == total(rows, "day", "tokens_freed") == freed
    asked = [entry for entry in entries if isinstance(entry, Message | Compaction | Flush | AuxiliaryUsage)]
    usage = [entry.usage for entry in asked if isinstance(entry.usage, Usage)]
    for column, taken in {
        "tokens_in": [one.prompt_tokens for one in usage],
        "tokens_cached": [one.cached_tokens for one in usage],
        "tokens_out": [one.reply_tokens for one in usage],
    }.items():
        assert total(rows, "model", column) == total(rows, "day", column) == sum(taken), column
    assert total(rows, "model", "tokens_cached") == 300
    assert shown["scripted"].split()[:2] == [f"{len(usage)}", f"{sum(one.prompt_tokens for one in usage):,}"]
    said = Counter[str]()
    for entry in entries:
        if isinstance(entry, Message):
            said[entry.role.value] += len(entry.text)
    told = {row["name"]: int(row["tokens_in"]) for row in rows if row["kind"] == "said"}
    assert {row["detail"] for row in rows if row["kind"] == "said"} == {"characters"}
    assert told == {role: count for role, count in said.items() if count}
    own = {"size", "reached", "spills"}
    assert own < {row["kind"] for row in rows} <= {"prune", "compaction", "day", "model", "said", *own}
    reached = [int(row["conversations"]) for row in rows if row["kind"] == "reached"]
    assert reached == sorted(reached, reverse=True), "whatever was 95 % full was 75 % full"


def test_a_project_is_a_scope_of_its_own(play_by_engine, data_folder) -> None:
    for name, project in (("c1", "p1"), ("c2", "p1"), ("c3", "")):
        asyncio.run(store_talk(data_folder, long_talk(3), name=name, title=name))
        with closing(Store(database_file(data_folder))) as store:
            if name == "c1":
                store.store_project(Project("p1", "Sea"))
            store.change(name, project=project)

    async def scene(person: Person) -> None:
        window = person.window
        window.chat.open("c1")
        await person.sees(lambda: window.chat.conversation == "c1" and window.ui.gauge.gauge, "c1")
        await person.ask("Where are we?", "At sea.")
        await person.click(window.ui.sidebar.insights)
        await person.sees(lambda: window.insights.page and window.insights.page.content.isVisible(), "the figures")
        page = window.insights.page
        assert page is not None
        await person.click(page.scope.button("project"))
        await person.sees(lambda: "2 conversations" in page.range.text(), "those of the project")
        await person.click(page.scope.button("all"))
        await person.sees(lambda: "3 conversations" in page.range.text(), "all")
        page.closed.emit()
        window.chat.open("c3")
        await person.sees(lambda: window.chat.conversation == "c3", "c3")
        await person.click(window.ui.sidebar.insights)
        await person.sees(lambda: page.isVisible() and page.scope.button("project").isHidden(), "no project to choose")

    play_by_engine(scene, [Reply("At sea.")], window=8_192)
