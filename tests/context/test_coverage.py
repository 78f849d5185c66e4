"""What a model wrote is judged by its own words: in seven languages summaries pass, and what is none does not."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from judged_summaries import ANSWERS, ELSEWHERE, NONSENSE, SUMMARIES, TALKS

from builders import exchange
from desktop_app.context.summary.model_summary import says_enough_of_part
from desktop_app.context.summary.prompt import parts_of, texts_of_part
from desktop_app.context.summary.summary_reply import (
    WrittenSummary,
    is_repeating,
    keeps_enough,
    main_terms,
    read_reply,
    says_enough,
    terms_of,
)
from desktop_app.conversation.message import Message, Role, ToolResult, user_message
from summary_prompts import PROMPTS, words

LANGUAGES = sorted(TALKS)


def passes(language: str, reply: str, earlier: str = "") -> bool:
    (part,) = parts_of(exchange(TALKS[language], "m"), 99, 100_000, words)
    written = read_reply(reply, {})
    return isinstance(written, WrittenSummary) and says_enough_of_part(written, part, earlier, PROMPTS)


def as_asked(page: str) -> str:
    return json.dumps({"summary": page, "turn": "", "keep": []})


@pytest.mark.parametrize(("language", "page"), SUMMARIES, ids=[f"{k}-{len(p)}" for k, p in SUMMARIES])
def test_a_summary_passes_whether_long_or_short(language: str, page: str) -> None:
    assert passes(language, as_asked(page))


@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense_passes_in_no_language(kind: str) -> None:
    assert [k for k in LANGUAGES if passes(k, NONSENSE[kind]) or passes(k, as_asked(NONSENSE[kind]))] == []


def test_our_own_instructions_are_no_summary() -> None:
    echoes = [PROMPTS.summary, PROMPTS.form, f"{PROMPTS.summary}\n\n{PROMPTS.merge}\n\n{PROMPTS.turn}"]
    assert [(k, echo[:20]) for k in LANGUAGES for echo in echoes if passes(k, echo) or passes(k, as_asked(echo))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_neither_the_answer_to_the_last_question_nor_one_sentence_said_again_and_again_passes(language: str) -> None:
    assert not passes(language, ANSWERS[language])
    sentence = min(TALKS[language], key=len)[:24]
    assert not passes(language, as_asked(f"{sentence}. " * 40))


@pytest.mark.parametrize("language", ELSEWHERE)
def test_a_summary_in_another_language_does_not_pass(language: str) -> None:
    assert not passes(language, as_asked(ELSEWHERE[language]))


def test_the_summary_of_another_conversation_does_not_pass() -> None:
    assert [
        (k, page[:20]) for k, page in SUMMARIES for other in LANGUAGES if k != other and passes(other, as_asked(page))
    ] == []


def test_prose_that_may_answer_something_must_say_more_than_what_has_the_form_that_was_asked_for() -> None:
    long, short = (page for language, page in SUMMARIES if language == "fr")
    assert passes("fr", as_asked(short))
    assert passes("fr", f"- {short}")
    assert not passes("fr", short)
    assert passes("fr", long.replace("## ", "").replace("- ", ""))


def test_the_earlier_summary_counts_as_what_was_said() -> None:
    earlier = "## Rules and constraints\n- Ask Oduya before each deployment.\n- Harbour gates open at seven.\n" * 8
    assert not passes("de", as_asked("Ask Oduya before each deployment; harbour gates open at seven."))
    assert passes("de", as_asked("Ask Oduya before each deployment; harbour gates open at seven. Küche, Wand"), earlier)


def test_what_tools_said_is_left_out_unless_there_is_nothing_else() -> None:
    result = Message(id="t", role=Role.TOOL, parts=(ToolResult("1", "read", "walrus"),))
    (part,) = parts_of([user_message("Read it."), result], 9, 1_000, words)
    assert texts_of_part(part, "") == ["Read it."]
    (only,) = parts_of([result], 9, 1_000, words)
    assert texts_of_part(only, "Before.\n\n") == ["Before.", "walrus"]


@given(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=8))
def test_all_that_was_said_is_always_enough(texts: list[str]) -> None:
    assume(not is_repeating("\n".join(texts)))
    assert says_enough("\n".join(texts), texts)


@given(st.lists(st.text(max_size=60), max_size=8), st.text(max_size=200))
def test_what_shares_no_term_never_passes_and_nothing_raises(texts: list[str], page: str) -> None:
    main = main_terms(map(terms_of, texts))
    if main and not terms_of(page).intersection(*[set().union(*map(terms_of, texts))]):
        assert not says_enough(page, texts)
    says_enough(page, texts, ignored=page)


@given(st.text(max_size=300), st.text(max_size=300))
def test_a_corrected_summary_is_still_that_one(page: str, added: str) -> None:
    assert keeps_enough(f"{page}\n{added}", page)


def test_a_correction_that_is_another_text_is_none() -> None:
    page = next(page for language, page in SUMMARIES if language == "en")
    assert keeps_enough(page[: len(page) // 2], page), "shortened"
    assert not keeps_enough("The following lines were missing and have been added, as you asked.", page)


def test_a_page_of_a_megabyte_takes_no_time() -> None:
    assert says_enough("word" * 300_000 + " refund ledger", ["refund ledger cents"])
