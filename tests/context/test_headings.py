"""A page without a model has the headings of its conversation's language, and is read back whatever that is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_summaries import TALKS

from builders import exchange, user
from desktop_app.context.extractive.extract import extract
from desktop_app.context.extractive.summary_builder import (
    LANGUAGES,
    NAMES,
    SECTIONS,
    SummaryBuilder,
    SummaryLine,
    english_name,
    language_of,
    language_of_headings,
    lines_of,
    written_name,
)
from desktop_app.context.ledger.ledger import ledger_of
from desktop_app.context.summary.restore_facts import restore_facts, restore_names
from desktop_app.conversation.memory import Ledger

EXPECTED = {"en": "en", "zh": "zh", "es": "es", "de": "de", "ja": "ja", "fr": "fr", "ru": "en"}
"""Russian has English headings: the rules for sentences do not know it."""


def headings_in(page: str) -> list[str]:
    return [line[3:] for line in page.splitlines() if line.startswith("## ")]


@pytest.mark.parametrize(("spoken", "written"), EXPECTED.items())
def test_headings_and_labels_are_in_the_language_of_the_conversation(spoken: str, written: str) -> None:
    head = exchange(TALKS[spoken], "m")
    page = extract(head, "", ledger_of(head, Ledger()), 600, len)
    own = {written_name(section, written) for section in SECTIONS}
    assert headings_in(page)
    assert set(headings_in(page)) <= own
    assert (f"- {written_name('User', written)}: " in page) or "User" not in page
    again = extract(head[:1], page, ledger_of(head, Ledger()), 700, len)
    assert set(headings_in(again)) <= own, "merged with an earlier page"


def test_every_section_has_a_name_in_each_language_and_no_name_is_of_two() -> None:
    assert set(SECTIONS) <= set(NAMES)
    for number in range(len(LANGUAGES)):
        assert len({names[number] for names in NAMES.values()}) == len(NAMES)
    assert all(english_name(name) == english for english, names in NAMES.items() for name in (*names, english))


@given(st.lists(st.text(max_size=40), max_size=6))
def test_any_text_has_a_language(texts: list[str]) -> None:
    assert language_of(texts) in ("en", *LANGUAGES)
    assert language_of_headings(texts) in ("en", *LANGUAGES)


@given(
    st.sampled_from(LANGUAGES),
    st.lists(
        st.tuples(st.sampled_from(SECTIONS), st.text("abc 表ü", min_size=1, max_size=20).map(str.strip)), max_size=9
    ),
)
def test_a_page_in_any_language_is_read_back(language: str, added: list[tuple[str, str]]) -> None:
    pages = [SummaryBuilder(10_000, len, spoken) for spoken in ("en", language)]
    for page in pages:
        for number, (section, text) in enumerate(added):
            page.add(section, SummaryLine(text, (number, 0), "User" if section == "What was said" else ""))
    english, other = (lines_of(page.text()) for page in pages)
    assert [(s, line.text, line.speaker) for s, line in other] == [(s, line.text, line.speaker) for s, line in english]


def test_what_is_put_back_goes_under_the_heading_of_the_pages_language() -> None:
    page = "## Hauptziel\n- Die Küche wird renoviert.\n\n## Stand\n- Die Wand ist weg."
    rule = user("Nimm niemals Granit für die Arbeitsplatte.", id="1")
    ledger = ledger_of([rule], Ledger())
    assert ledger.rules
    whole = restore_facts(page, [rule], ledger)
    assert headings_in(whole) == ["Hauptziel", "Regeln und Vorgaben", "Stand"]
    again = restore_facts(whole + "\n", [rule], ledger)
    assert headings_in(again) == headings_in(whole)
    named = user("Das Ticket ist KUE-4711.", id="2")
    assert "## Außerdem genannt\n- Namen: KUE-4711" in restore_names(whole, ledger_of([named], Ledger()), 500, len)
