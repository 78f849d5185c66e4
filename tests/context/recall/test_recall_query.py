from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.recall.outline import Head, outline_of
from desktop_app.context.recall.query import MAX_WORDS, indexes_named, indexes_within, parse_query
from desktop_app.context.recall.times import TimeSpan


def asked_of(query: str, *speakers: str) -> list[str]:
    return list(parse_query(query, speakers).words)


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("When did we talk about the violin?", ["talk", "violin"]),
        ("thanks!", []),
        ("go on, please", []),
        ("What is Anna's favourite colour?", ["Anna", "favourite", "colour"]),
        ("open src/app/main.py", ["open", "src", "app", "main", "py"]),
        ("我喜欢什么爱好？", ["喜欢", "爱好"]),
        ("数据库", ["数据", "据库"]),
        ("你好，谢谢", []),
        ("PySide6的界面", ["PySide6", "界面"]),
        ("", []),
    ],
)
def test_the_words_of_a_query_without_those_that_only_ask(query: str, asked: list[str]) -> None:
    assert asked_of(query) == asked


def test_speakers_who_are_named_are_no_words_but_people() -> None:
    wanted = parse_query("What did Mel's friend Caroline say to Joan?", ["Melanie", "Caroline", "Jo"])
    assert wanted.names == {"Melanie", "Caroline"}
    assert "friend" in asked_of("What did Mel's friend say?", "Melanie")
    assert "Mel" not in asked_of("What did Mel's friend say?", "Melanie")
    assert parse_query("what did 小明 say", ["小明"]).names == {"小明"}
    assert asked_of("Who is Melanie?", "Melanie") == ["Melanie"], "nothing else is asked for"


def test_a_pasted_page_is_asked_with_its_longest_words() -> None:
    asked = asked_of(" ".join(f"word{number} x{number}" for number in range(500)))
    assert len(asked) == MAX_WORDS
    assert all(word.startswith("word") for word in asked)


@pytest.mark.parametrize(
    ("query", "is_pointed"),
    [
        ("When was the violin bought?", True),
        ("do you remember the violin", True),
        ("the one in Rome", True),
        ("and main.py", True),
        ("我上次说了什么", True),
        ("let's try something else", False),
        ("Lovely!", False),
        ("any other ideas?", False),
    ],
)
def test_some_queries_name_what_they_mean(query: str, is_pointed: bool) -> None:
    assert parse_query(query).is_pointed == is_pointed


@given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=3))
def test_any_text_is_a_query(query: str, speakers: list[str]) -> None:
    wanted = parse_query(query, speakers)
    assert wanted == parse_query(query, speakers)
    texts = [word.lower() for word in wanted.words]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(
    ("stamp", "day"),
    [
        ("8 May, 2023", "2023-05-08"),
        ("July 4th, 2021", "2021-07-04"),
        ("2023-04-27", "2023-04-27"),
        ("Friday, 3 Sept. 2021", "2021-09-03"),
        ("2023年5月8日", "2023-05-08"),
        ("August 2022", "2022-08-01"),
    ],
)
def test_the_days_of_sessions_as_people_write_them(stamp: str, day: str) -> None:
    outline = outline_of([Head("user", False, 5, stamp, 0.0), Head("user", False, 5, "1 June 1999", 1.0)], str)
    on, after = date.fromisoformat(day), date.fromisoformat(day) + timedelta(1)
    assert indexes_within(outline, TimeSpan(on, on, 0, 0)) == {0}
    assert indexes_within(outline, TimeSpan(after, None, 0, 0)) == frozenset()
    assert indexes_within(outline, TimeSpan(None, on, 0, 0)) == {0, 1}


@pytest.mark.parametrize(
    ("query", "indexes"),
    [
        ("What happened in June 2023?", {2}),
        ("What happened on 8 May?", {1}),
        ("and since March", {1, 2}),
        ("2023年5月8号", {1}),
        ("in 2023", set[int]()),  # most of the conversation
        ("may I ask March what to do with 300 dollars", set[int]()),
    ],
)
def test_the_messages_of_the_days_that_a_query_names(query: str, indexes: set[int]) -> None:
    stamps = ["1 January, 2023", "8 May, 2023", "2 June, 2023", "1 January, 2022"]
    heads = [Head("user", False, 5, stamp, 0.0) for stamp in (*stamps[3:], *stamps[:3])]
    found = indexes_named(outline_of(heads, str), query)
    assert {stamps[index - 1] for index in found} == {stamps[index] for index in indexes}
