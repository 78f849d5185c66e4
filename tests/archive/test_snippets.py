from __future__ import annotations

import re

import pytest
from archive_messages import said
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.archive import full_text_search
from desktop_app.archive.snippets import END, LENGTH, LONG, MAX_MARKS, START, mark_hits, snippet_of
from stores import Store

words = st.sampled_from(["needle", "hay", "Ledgers", "café", "世界", "\n", "-", "a" * 300])


def test_fts5_is_never_asked_for_the_hits_of_a_long_message(store: Store) -> None:
    # Its time grows with the square of the hits; the functions that do so are seen in the statement alone.
    functions = re.findall(r"\b(snippet|highlight)\(", full_text_search.MARKED)
    assert functions == ["highlight"]
    assert f"WHEN length(text) > {LONG} THEN text ELSE highlight(" in full_text_search.MARKED
    store.append(
        "c", said("m", "needle in the hay " * 60_000)
    )  # a megabyte; it took minutes, and pytest's limit ends that
    for query in ("needle", "needle hay", "needle zebra", '"needle in"', "needl", "in-the-hay"):
        (result,) = store.search(query)
        assert len(result.snippet) < 2 * LENGTH
        assert "«" in result.snippet


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("Nothing. " * 2_000 + "The ledgers were closed.", "ledger", "«ledgers»"),
        ("Nothing. " * 2_000 + "Das Café war zu.", "cafe", "«Café»"),
        ("Nothing. " * 2_000 + "把数据库迁移", "数据库", "«数据库»"),
        (
            "The needle. " + "Nothing. " * 2_000 + "The needle and the thread.",
            "needle thread",
            "«needle» and the «thread»",
        ),
    ],
)
def test_the_best_place_of_a_long_message_is_shown(store: Store, text: str, query: str, shown: str) -> None:
    store.append("c", said("m", text))
    (result,) = store.search(query)
    assert shown in result.snippet
    assert result.snippet.startswith("…")


def test_the_hit_stands_where_one_line_still_shows_it(store: Store) -> None:
    for before in (0, 40, 70, 130, 190, 1_000):
        store.append("c", said(f"m{before}", "word " * (before // 5) + "needle" + " more" * 100))
    assert [result.snippet.index("«needle»") <= 70 for result in store.search("needle")] == [True] * 6


@given(st.lists(words, max_size=200), st.lists(words, min_size=1, max_size=3))
def test_marks_take_nothing_away_and_stand_in_pairs(text: list[str], asked: list[str]) -> None:
    whole = " ".join(text)
    found = mark_hits(whole, " AND ".join(f'"{word}"' for word in asked))
    assert found.replace(START, "").replace(END, "") == whole
    shown = snippet_of(found)
    assert re.fullmatch(f"[^{START}{END}]*({START}[^{START}{END}]+{END}[^{START}{END}]*)*", shown)
    assert shown.replace(START, "").replace(END, "").strip("…") in whole
    assert (START in shown) == (START in found)


def test_of_many_hits_the_first_ones_are_looked_at() -> None:
    assert mark_hits("needle " * 5_000, '"needle"').count(START) == MAX_MARKS
