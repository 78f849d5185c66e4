"""Search with filters: by who said it, when, with what, in which conversation; also in archives of older versions."""

from __future__ import annotations

import asyncio
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from archive_messages import said

from builders import model
from desktop_app.archive.archive import Archive
from desktop_app.archive.search_filters import AT_ONCE, FEW
from desktop_app.conversation.listing import ConversationInfo, SearchFilters, SearchValues
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult
from stores import Store

DATA = Path(__file__).with_name("data")
SPRING, SUMMER = datetime(2026, 4, 10, tzinfo=UTC).timestamp(), datetime(2026, 7, 2, tzinfo=UTC).timestamp()
JUNE = datetime(2026, 6, 1, tzinfo=UTC).timestamp()
CODE = "the ledger:\n\n```python\nx = 1\n```"
CALLING = model("ledger", ToolCall("1", "bash", "{}"), id="call", at=SUMMER, model="work/gpt-5")
RESULT = Message(id="result", at=SUMMER, role=Role.TOOL, parts=(ToolResult("1", "bash", "ledger read"),))
CODED = model(CODE, id="code", at=SPRING, model="local/qwen%3")


@pytest.fixture
def spoken(store: Store) -> Store:
    store.append("c", said("asked", "where is the ledger", at=SPRING), CODED, CALLING, RESULT)
    store.append("c", said("timeless", "a ledger of no time", at=0.0))
    return store


BY_FILTER = [
    (SearchFilters(role=Role.USER), {"asked", "timeless"}),
    (SearchFilters(role=Role.TOOL), {"result"}),
    (SearchFilters(role=Role.SYSTEM), set()),
    (SearchFilters(since=JUNE), {"call", "result"}),
    (SearchFilters(until=JUNE), {"asked", "code"}),
    (SearchFilters(since=SPRING, until=SPRING + 1), {"asked", "code"}),
    (SearchFilters(since=SUMMER + 1), set()),
    (SearchFilters(model="GPT"), {"call"}),
    (SearchFilters(model="qwen%"), {"code"}),
    (SearchFilters(model="work_gpt"), set()),
    (SearchFilters(tool="Bash"), {"call", "result"}),
    (SearchFilters(tool="bas"), set()),
    (SearchFilters(has_code=True), {"code"}),
    (SearchFilters(role=Role.ASSISTANT, since=JUNE), {"call"}),
    (SearchFilters(role=Role.ASSISTANT, has_code=True, model="gpt"), set()),
]


@pytest.mark.parametrize(("filters", "found"), BY_FILTER, ids=range(len(BY_FILTER)))
@pytest.mark.parametrize("query", ["ledger", "edge", "", "where did we put the ledger?", "ledger zebra"])
def test_filters_hold_for_every_kind_of_query(
    spoken: Store, filters: SearchFilters, found: set[str], query: str
) -> None:
    assert {result.message for result in spoken.search(query, None, 50, filters)} == found


def test_without_words_the_newest_come_first_and_without_anything_nothing(spoken: Store) -> None:
    earlier = ConversationInfo("imported", "Imported later", 1.0, 1.0)
    spoken.create(earlier, [said("early", "words", at=SPRING - 40 * 86_400)])
    users = SearchFilters(role=Role.USER)
    assert [result.message for result in spoken.search("", None, 9, users)] == ["asked", "early", "timeless"]
    assert [result.message for result in spoken.search("  ", None, 1, users)] == ["asked"]
    assert [result.snippet for result in spoken.search("", "imported", 9, users)] == ["words"]
    assert spoken.search("") == ()


def test_a_filter_that_few_messages_pass_and_one_that_many_do_find_the_same(store: Store) -> None:
    """Few are looked at one by one, many are met while the index is walked."""
    many = [said(f"u{n}", f"common word {n}", at=SPRING) for n in range(FEW + 50)]
    few = [said(f"t{n}", f"common word {n}", at=SPRING, role=Role.TOOL) for n in range(5)]
    store.append("c", *few, *many)
    for role, count in ((Role.TOOL, 5), (Role.USER, FEW + 50)):
        found = store.search("common", None, 2 * FEW, SearchFilters(role=role))
        assert (len(found), {result.role for result in found}) == (count, {role})
    assert [result.message for result in store.search('"word 3"', None, 9, SearchFilters(role=Role.TOOL))] == ["t3"]


def test_deleted_conversations_and_others_stay_out(spoken: Store) -> None:
    spoken.create(ConversationInfo("d", "Other", 1.0, 1.0), [said("d1", "another ledger", at=SPRING)])
    users = SearchFilters(role=Role.USER, since=1.0)
    assert {result.message for result in spoken.search("ledger", None, 9, users)} == {"asked", "d1"}
    assert {result.message for result in spoken.search("ledger", "d", 9, users)} == {"d1"}
    spoken.change("d", is_deleted=True)
    assert {result.message for result in spoken.search("ledger", None, 9, users)} == {"asked"}
    assert {result.message for result in spoken.search("", None, 9, users)} == {"asked"}


def test_a_project_holds_what_its_conversations_hold_now(spoken: Store) -> None:
    spoken.create(ConversationInfo("d", "Other", 1.0, 1.0, project="p1"), [said("d1", "another ledger", at=SPRING)])
    for query in ("ledger", "", "edge", "where is the ledger now?"):
        found = {result.message for result in spoken.search(query, None, 9, SearchFilters(project="p1"))}
        assert found == {"d1"}, query
        assert spoken.search(query, None, 9, SearchFilters(project="p2")) == ()
    spoken.change("c", project="p1")
    assert len(spoken.search("ledger", None, 9, SearchFilters(project="p1", role=Role.USER))) == 3
    spoken.change("d", project="")
    assert "d1" not in {result.message for result in spoken.search("ledger", None, 9, SearchFilters(project="p1"))}


def test_what_filters_may_name_is_known(spoken: Store) -> None:
    assert spoken.search_values() == SearchValues(("local/qwen%3", "work/gpt-5"), ("bash",))


def test_an_older_archive_becomes_known_to_filters_step_by_step(path: Path) -> None:
    shutil.copy(DATA / "version-7.sqlite3", path)
    store = Store(path)
    assistant = SearchFilters(role=Role.ASSISTANT)
    before = store.search("ledger", None, 50, assistant)
    assert store.entries_without_facets() > 0
    assert before == ()
    store.append("old", said("new", "the newest ledger", role=Role.ASSISTANT))
    assert [result.message for result in store.search("ledger", None, 50, assistant)] == ["new"]
    assert store.fill_facets() is False
    assert store.entries_without_facets() == 0
    found = {result.message for result in store.search("", None, 50, assistant)}
    messages = [entry for entry in store.entries("old") if isinstance(entry, Message)]
    assert found == {message.id for message in messages if message.role is Role.ASSISTANT}
    assert len(found) > 1
    store.close()


def test_filling_goes_on_where_it_was_stopped_and_passes_over_damage(path: Path) -> None:
    store = Store(path)
    store.create(ConversationInfo("c", "C", 1.0, 1.0), [said(f"m{n}", "word") for n in range(2 * AT_ONCE + 10)])
    store.database.execute_sql("DROP TRIGGER entries_never_change")
    store.database.execute_sql("UPDATE entries SET body = '{' WHERE id = 'm3'")
    store.database.execute_sql("DELETE FROM facets")
    store.database.execute_sql("INSERT INTO facets_missing SELECT MAX(number) + 1 FROM entries")
    users = SearchFilters(role=Role.USER)
    left = [store.fill_facets()]
    assert len(store.search("", "c", 5_000, users)) == AT_ONCE
    store.close()
    store = Store(path)
    left += [store.fill_facets(), store.fill_facets(), store.fill_facets()]
    assert left == [True, True, False, False]
    assert len(store.search("", "c", 5_000, users)) == 2 * AT_ONCE + 9
    assert store.search("word", "c", 5_000)[-1].message in {f"m{n}" for n in range(2 * AT_ONCE + 10)}
    store.close()


async def test_a_search_waits_for_nothing_that_is_stored_and_nothing_waits_for_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = await Archive.open(path)
    await archive.create(ConversationInfo("c", "C", 1.0, 1.0), [said(f"m{n}", "word " * 50) for n in range(3_000)])
    assert await archive.search("nothing here") == ()
    monkeypatch.setattr(
        "desktop_app.archive.archive.search_messages", lambda database, *_: list(database.execute_sql(ENDLESS))
    )
    endless = asyncio.ensure_future(archive.search("endless"))
    await asyncio.sleep(0.05)
    await archive.append("c", said("new", "a new needle"))  # the search still runs
    assert not endless.done()
    endless.cancel()
    await asyncio.wait({endless})
    monkeypatch.undo()
    assert [result.message for result in await archive.search("needle")] == ["new"]
    await archive.close()


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"
