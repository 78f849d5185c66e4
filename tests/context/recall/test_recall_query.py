from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.recall.query import MAX_WORDS, parse_query
from desktop_app.context.recall.times import Day, days_in


def terms_of(query: str, *speakers: str) -> dict[str, float]:
    return {term.text: term.weight for term in parse_query(query, speakers).terms}


def asked_of(query: str, *speakers: str) -> list[str]:
    return [term.text for term in parse_query(query, speakers).terms if term.is_asked]


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


def test_what_stands_together_is_looked_for_together_too() -> None:
    terms = terms_of("why does src/app/main.py say: property does not exist, on GitHub Actions?")
    assert {"src/app/main.py", "property does not exist", "GitHub Actions"} <= terms.keys()
    assert terms["src/app/main.py"] < terms["property"]


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
    texts = [term.text.lower() for term in wanted.terms]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("1:56 pm on 8 May, 2023", [Day(2023, 5, 8)]),
        ("on July 4th, 2021", [Day(2021, 7, 4)]),
        ("2023-04-27", [Day(2023, 4, 27)]),
        ("in August 2022?", [Day(2022, 8, 0)]),
        ("since March", [Day(0, 3, 0)]),
        ("Sept. 3", [Day(0, 9, 3)]),
        ("in 2019", [Day(2019, 0, 0)]),
        ("2023年5月8日", [Day(2023, 5, 8)]),
        ("5月8号", [Day(0, 5, 8)]),
        ("may I ask March what to do with 300 dollars", []),
        ("version 12.2023.4", [Day(2023, 4, 0)]),
        ("", []),
    ],
)
def test_dates_as_people_write_them(text: str, days: list[Day]) -> None:
    assert list(days_in(text)) == days


def test_a_date_holds_the_days_that_it_means() -> None:
    assert Day(2023, 5, 0).holds(Day(2023, 5, 8))
    assert Day(0, 5, 8).holds(Day(2023, 5, 8))
    assert not Day(2023, 6, 0).holds(Day(2023, 5, 8))
    assert not Day().holds(Day(2023, 5, 8))


@pytest.mark.parametrize(
    ("query", "is_overview"),
    [
        ("In what order did I mention the parts of the app?", True),
        ("Summarize how the project has gone", True),
        ("How many different tools did I use across my sessions?", True),
        ("In welcher Reihenfolge habe ich das erwähnt?", True),
        ("When does my first sprint end?", False),
        ("Who ordered the violin?", False),
    ],
)
def test_some_questions_are_about_the_whole_conversation(query: str, is_overview: bool) -> None:
    assert parse_query(query).is_overview == is_overview
