"""The index of passages: equal to one that is built at once, whatever was appended, filled in later or erased."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from archive_messages import said
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.archive.erasing import ERASE
from desktop_app.archive.passage_index import add_passages
from desktop_app.context.recall.passage_cuts import BITS, LENGTH, MAX_PLACE, count_messages, message_of, passages_of
from desktop_app.conversation.listing import ConversationInfo
from stores import Store

DATA = Path(__file__).parent / "data"
texts = st.one_of(
    st.text(max_size=900),
    st.text(alphabet="ab. \n。", max_size=2_000),
    st.integers(0, 900).map(lambda times: "A word, or two. " * times),
    st.integers(0, 3_000).map(lambda times: "x" * times),
)


@given(texts)
def test_the_passages_of_a_text_are_the_text(text: str) -> None:
    spans = list(passages_of(text))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(0 < end - start <= LENGTH * 5 // 4 for start, end in spans)
    assert all(end - start >= LENGTH // 2 for start, end in spans[:-1])


@pytest.mark.parametrize("text", ["x" * 3_000_000, "a b. " * 700_000])
def test_a_very_long_text_has_no_more_passages_than_have_numbers(text: str) -> None:
    spans = list(passages_of(text))
    assert len(spans) <= MAX_PLACE
    assert spans[-1][1] == len(text) == sum(end - start for start, end in spans)


def test_a_passage_ends_with_a_sentence_or_else_with_a_word() -> None:
    text = f"{'word ' * 30}end. {'more ' * 60}"
    spans = list(passages_of(text))
    assert text[: spans[0][1]].endswith("end. ")
    assert text[: spans[1][1]].endswith("more ")


def test_messages_are_counted_by_their_passages() -> None:
    passages = [0, 1, 3 << BITS, (3 << BITS) + 7, 9 << BITS]
    assert count_messages(passages) == 3
    assert [message_of(passage) for passage in passages] == [0, 0, 3, 3, 9]


def index_of(store: Store) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Return the passages, and each word with the passages that contain it."""
    execute = store.database.execute_sql
    execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.found USING fts5vocab (main, passage_words, instance)")
    passages = execute("SELECT number, start, length, meaning FROM passages ORDER BY number").fetchall()
    return passages, execute("SELECT term, doc, offset FROM temp.found ORDER BY 1, 2, 3").fetchall()


def rebuild(store: Store) -> None:
    """Build the index at once."""
    execute = store.database.execute_sql
    execute("DELETE FROM passages")
    add_passages(store.database, execute("SELECT entry, text FROM message_texts ORDER BY entry").fetchall())
    execute("INSERT INTO passage_words (passage_words) VALUES ('rebuild')")


steps = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(0, 2), texts),
        st.tuples(st.just("erase"), st.integers(0, 2), st.just("")),
        st.tuples(st.just("fill"), st.just(0), st.just("")),
    ),
    max_size=12,
)


@given(steps)
def test_the_index_is_that_of_what_is_there(actions: list[tuple[str, int, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "archive.sqlite3")
        known: set[int] = set()
        for number, (action, which, text) in enumerate(actions):
            name = f"c{which}"
            if action == "say":
                if which not in known:
                    store.create(ConversationInfo(name, name, 1.0, 1.0))
                known.add(which)
                store.append(name, said(f"m{number}", text))
            elif action == "erase" and which in known:
                store.change(name, is_deleted=True)
                store.erase([name])
                known.discard(which)
            elif action == "fill" and known:
                store.database.execute_sql(
                    "INSERT INTO facets_missing SELECT COALESCE(MAX(number), 0) + 1 FROM entries"
                )
                while store.fill_facets():
                    pass
        before = index_of(store)
        rebuild(store)
        assert before == index_of(store)
        store.close()


def test_erasing_reaches_the_passages_first() -> None:
    """Their rows are found by the entries, which are erased after them."""
    assert "passage_words" in ERASE[0]
    assert "passages" in ERASE[1]


def test_an_older_archive_is_recalled_before_and_after_its_passages_are_there(path: Path) -> None:
    shutil.copy(DATA / "version-7.sqlite3", path)
    store = Store(path)
    before = store.postings("old", ["ledger"])
    store.append("old", said("new", "the newest ledger"))
    both = store.postings("old", ["ledger"])
    assert before["ledger"]
    assert both["ledger"][:-1] == before["ledger"]
    while store.fill_facets():
        pass
    after = store.postings("old", ["ledger"])
    assert list(dict.fromkeys(map(message_of, after["ledger"]))) == list(map(message_of, both["ledger"]))
    store.close()
