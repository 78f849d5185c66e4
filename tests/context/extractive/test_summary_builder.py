from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conversations_made_up import Letters
from desktop_app.context.extractive.summary_builder import (
    DECISIONS,
    DETAILS,
    ERRORS,
    FILES,
    INTENT,
    LATEST,
    NAMED,
    NUMBERS,
    RULES,
    SECTIONS,
    SummaryBuilder,
    SummaryLine,
    lines_of,
)


def page(budget: int = 1_000) -> SummaryBuilder:
    return SummaryBuilder(budget, Letters().count)


def test_sections_come_in_reading_order_whatever_was_added_first() -> None:
    made = page()
    made.add(ERRORS, SummaryLine("it broke"))
    made.add(RULES, SummaryLine("never"))
    made.add(INTENT, SummaryLine("make it", (2, 0)))
    made.add(INTENT, SummaryLine("first", (1, 0)))
    assert made.text() == f"## {INTENT}\n- first\n- make it\n\n## {RULES}\n- never\n\n## {ERRORS}\n- it broke"


def test_a_point_that_ends_in_a_comma_gets_no_semicolon() -> None:
    made = page()
    made.add(DETAILS, SummaryLine("23 are rounded,", (1, 0), "Assistant"))
    made.add(DETAILS, SummaryLine("12 are unexplained", (1, 1), "Assistant"))
    assert made.text().endswith("- Assistant: 23 are rounded, 12 are unexplained")


def test_sentences_of_one_message_are_joined_and_a_gap_shows() -> None:
    made = page()
    made.add_together([(DETAILS, SummaryLine("One.", (3, 0), "User")), (DETAILS, SummaryLine("two", (3, 1), "User"))])
    made.add(DETAILS, SummaryLine("four", (3, 3), "User"))
    made.add(DETAILS, SummaryLine("three more", (3, 2), "User"))
    made.add(DETAILS, SummaryLine("nine", (3, 8), "User"))
    assert made.text().splitlines()[1:] == ["- User: One. two; three more; four … nine"]


def test_a_new_day_is_told_once_and_its_year_too() -> None:
    made = page()
    for place, day in enumerate(["8 May, 2023", "8 May, 2023", "9 June, 2023", "1 January, 2024", "2024-02-03"]):
        made.add(DETAILS, SummaryLine(f"line {place}.", (place, 0), "Ann", day))
    assert made.text().splitlines()[1:] == [
        "- [8 May, 2023] Ann: line 0.",
        "- Ann: line 1.",
        "- [9 June] Ann: line 2.",
        "- [1 January, 2024] Ann: line 3.",
        "- [2024-02-03] Ann: line 4.",
    ]


def test_names_stand_behind_their_label() -> None:
    made = page()
    for number, name in enumerate(["a.py", "b.py"]):
        made.add(FILES, SummaryLine(name, (0, number), "Edited"))
    made.add(FILES, SummaryLine("c.py", (1, 0), "Read"))
    made.add(NAMED, SummaryLine("12", (1, 0), NUMBERS))
    made.add(NAMED, SummaryLine("13", (1, 1), NUMBERS))
    assert made.text() == "## Files and code\n- Edited: a.py, b.py\n- Read: c.py\n\n## Also named\n- Numbers: 12 13"


def test_what_stands_there_is_not_added_again() -> None:
    made = page()
    assert made.add(RULES, SummaryLine("never"))
    assert not made.add(DETAILS, SummaryLine("never", (1, 0), "User"))
    assert not made.add(DETAILS, SummaryLine(""))
    made.cover(["always"])
    assert not made.add(RULES, SummaryLine("always"))
    assert "never" in made
    assert "sometimes" not in made


def test_lines_that_belong_together_are_added_all_or_not_at_all() -> None:
    made = page(budget=40)
    before = made.free
    assert not made.add_together(
        [(DETAILS, SummaryLine("short.", (0, 0), "User")), (DETAILS, SummaryLine("x" * 400, (0, 1), "User"))]
    )
    assert made.free == before
    assert made.text() == ""
    assert made.add(RULES, SummaryLine("y" * 110))
    assert made.is_full
    assert not made.add(RULES, SummaryLine("z" * 40))


@given(
    st.integers(0, 120),
    st.lists(
        st.tuples(
            st.sampled_from(SECTIONS),
            st.text("ab .\n🙂表", min_size=1, max_size=60),
            st.integers(0, 9),
            st.sampled_from(["", "User", NUMBERS]),
        ),
        max_size=25,
    ),
)
def test_a_page_never_takes_more_than_its_budget(budget: int, added: list[tuple[str, str, int, str]]) -> None:
    made = page(budget)
    for section, text, place, speaker in added:
        made.add(section, SummaryLine(text, (place, 0), speaker))
    made.settle()
    for section, text, place, speaker in added[::-1]:
        made.add(section, SummaryLine(text + "!", (place, 1), speaker))
    assert Letters().count(made.text()) <= budget or made.text() == ""


def test_a_page_is_read_back_as_it_was_written() -> None:
    made = page()
    made.add(INTENT, SummaryLine("Fix this: all of it.", (0, 0)))
    made.add(INTENT, SummaryLine("and that", (9, 0), LATEST))
    made.add(RULES, SummaryLine("User: is not a speaker here"))
    made.add(DECISIONS, SummaryLine("We took bigint.", (1, 0), "User"))
    made.add(DETAILS, SummaryLine("It is late.", (2, 0), "Ann", "8 May, 2023"))
    made.add(DETAILS, SummaryLine("So it is.", (3, 0), "Bob", "8 May, 2023"))
    text = made.text()
    again = page()
    for section, line in lines_of(text):
        again.add(section, line)
    assert again.text() == text
    read = lines_of(text)
    assert [line.speaker for _, line in read] == ["", LATEST, "", "User", "Ann", "Bob"]
    assert read[5][1].day == "8 May, 2023"
    assert all(line.order[0] < 0 for _, line in read)


def test_a_page_that_somebody_else_wrote_is_read_too() -> None:
    assert lines_of("") == []
    assert [(section, line.text) for section, line in lines_of("# My notes\nplain\n\n## Errors met\n- broke")] == [
        (DETAILS, "plain"),
        (ERRORS, "broke"),
    ]
