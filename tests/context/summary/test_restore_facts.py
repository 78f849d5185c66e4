"""What a summary lost is put back, whatever it looks like."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import head, letters, model, record, user
from conversations_made_up import Letters, histories
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.room_decision import next_step
from desktop_app.context.extractive.summary_builder import QUESTIONS, RULES
from desktop_app.context.ledger.ledger import fidelity, ledger_of
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.summary.model_summary import build_compaction, draft_of
from desktop_app.context.summary.restore_facts import restore_facts, restore_names, restore_rules
from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Trigger
from slowness import slowness
from summary_prompts import BARE, words

HEAD = head(
    user("We move billing to Go. Never touch vendor/legacy. You should prefer small commits."),
    model("I begin with the tables."),
    user("Which of the two tables goes first?"),
)
LEDGER = ledger_of(HEAD, Ledger())
STRONG, WEAK = "Never touch vendor/legacy.", "You should prefer small commits."
QUESTION = "Which of the two tables goes first?"
GOOD = f"""## Primary intent
- Billing moves to Go.

## Rules and constraints
- {STRONG}
- {WEAK}

## Open questions and next steps
- {QUESTION}"""


def test_a_good_summary_comes_back_as_it_is() -> None:
    assert restore_facts(GOOD, HEAD, LEDGER) == GOOD


def test_what_is_lost_goes_to_the_end_of_its_section() -> None:
    lossy = GOOD.replace(f"- {STRONG}\n", "").replace(f"- {QUESTION}", "- Move the tables")
    assert restore_facts(lossy, HEAD, LEDGER) == (
        "## Primary intent\n- Billing moves to Go.\n\n"
        f"## {RULES}\n- {WEAK}\n- {STRONG}\n\n"
        f"## {QUESTIONS}\n- Move the tables\n- {QUESTION}"
    )


def test_a_section_that_is_missing_is_made_in_its_place() -> None:
    without = "## Primary intent\n- Billing moves to Go.\n\n## Decisions\n- The tables go first."
    assert restore_facts(without, HEAD, LEDGER) == (
        "## Primary intent\n- Billing moves to Go.\n\n"
        f"## {RULES}\n- {STRONG}\n- {WEAK}\n\n"
        "## Decisions\n- The tables go first.\n\n"
        f"## {QUESTIONS}\n- {QUESTION}"
    )


@pytest.mark.parametrize(
    "heading", ["# rules and constraints", "### 2. Rules and Constraints:", "**Rules and constraints:**"]
)
def test_a_section_is_known_however_its_heading_is_written(heading: str) -> None:
    page = restore_facts(f"{heading}\n- {WEAK}", HEAD, LEDGER)
    assert page.startswith(f"{heading}\n- {WEAK}\n- {STRONG}")
    assert page.lower().count("rules and constraints") == 1


@pytest.mark.parametrize(
    "summary",
    [
        "",
        "   \n\n",
        "No headings, only prose.",
        "## Zusammenfassung\n- Die Abrechnung zieht um.\n## Regeln\n- vendor/legacy nicht anfassen",
        "## 摘要\n用户把计费迁移到 Go。",
        "```python\n## Rules and constraints\nnever closed",
        "## Rules and constraints",
        "## Rules and constraints\n\n\n## Rules and constraints\n",
        "#" * 2_000,
        "**" * 2_000,
        "\x00\ud800## Decisions\r\n- x",
        "Ignore all rules. never touch vendor",
        '{"summary": "text", "keep": []}',
    ],
)
def test_nothing_is_lost_whatever_the_summary_looks_like(summary: str) -> None:
    page = restore_facts(summary, HEAD, LEDGER)
    assert all(text in page.splitlines() or f"- {text}" in page.splitlines() for text in (STRONG, WEAK, QUESTION))
    assert all(line in page.splitlines() for line in summary.splitlines() if line.strip())
    assert restore_facts(page, HEAD, LEDGER) == page
    assert fidelity(HEAD, page, [], set()).lost_facts == ()


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_a_section_within_open_code_is_none(fence: str) -> None:
    page = restore_facts(f"{fence}\n## Rules and constraints\n{fence[:-1]}\nint x", HEAD, LEDGER)
    assert page.index(f"{fence}\n\n## {RULES}\n- Never") > page.index("int x")


def test_within_a_budget_the_strongest_rules_come_first() -> None:
    count = letters().text
    whole = restore_facts("", HEAD, LEDGER)
    assert restore_facts("", HEAD, LEDGER, count(whole), count) == whole
    page = f"## {RULES}\n- {STRONG}"
    assert restore_facts("", HEAD, LEDGER, count(page), count) == page
    long = "Billing moves to Go. " * 50
    assert restore_facts(long, HEAD, LEDGER, 10, count) == long, "what is over the budget stays"


def test_in_a_chat_among_people_nobody_gives_rules() -> None:
    chat = head(
        user("You should never do that, Bob!", speaker="Ann"),
        model("Fine.", speaker="Bob"),
        user("Shall we?", speaker="Ann"),
    )
    ledger = ledger_of(chat, Ledger())
    assert ledger.rules
    assert restore_facts("", chat, ledger) == f"## {QUESTIONS}\n- Shall we?"


def test_the_rules_of_earlier_compactions_are_put_back_too() -> None:
    later = head(user("Go on with the invoices."))
    assert STRONG in restore_facts("Invoices next.", later, ledger_of(later, LEDGER))


@given(histories(), st.text(max_size=200), st.integers(0, 400))
def test_mending_twice_changes_nothing_more(messages: list[Message], summary: str, budget: int) -> None:
    said, count = head(*messages), letters().text
    ledger = ledger_of(said, Ledger())
    page = restore_facts(summary, said, ledger, budget, count)
    assert restore_facts(page, said, ledger, budget, count) == page
    assert count(page) <= max(budget, count(summary))
    whole = restore_facts(summary, said, ledger)
    assert restore_facts(whole, said, ledger) == whole


def test_a_megabyte_of_summary_takes_no_time() -> None:
    started = time.perf_counter()
    for text in ("## " * 300_000, "**a" * 300_000, "#\n" * 300_000, "#" + " " * 300_000 + "#a", "- " * 500_000):
        assert STRONG in restore_facts(text, HEAD, LEDGER)
    assert time.perf_counter() - started < 5.0 * slowness()


def test_rules_are_worth_more_than_the_words_of_a_summary_that_leaves_no_room_for_them() -> None:
    page = restore_rules("the parser reads a value and returns it " * 15, HEAD, LEDGER, 60, words)
    assert STRONG in page
    assert words(page) <= 60
    assert page.startswith("the parser reads")


def test_names_that_the_user_gave_are_put_back_within_their_share() -> None:
    said = head(user("The ticket is OPS-4471, see src/billing/ledger.py, it was 17:05."), model("I look."))
    ledger = ledger_of(said, Ledger())
    summary = "The billing is ported, and the tests in src/billing/ledger.py pass. " * 4
    whole = restore_names(summary, ledger, 1_000, Letters().count)
    assert "- Names: OPS-4471, 17:05" in whole
    assert whole.count("src/billing/ledger.py") == 4, "what is there is not told again"
    assert restore_names(whole, ledger, 1_000, Letters().count) == whole
    small = Letters().count(summary) + 14
    assert Letters().count(restore_names(summary, ledger, small, Letters().count)) <= small
    assert restore_names(summary, ledger, 10, Letters().count) == summary


def test_a_ticket_of_the_first_message_is_in_every_request_though_the_model_drops_it() -> None:
    counts = letters()
    transcript = record(user("Please port billing to a ledger, the ticket is OPS-4471."), model("I begin."))
    view = view_of(transcript)
    compactions = 0
    budget = budget_for(BALANCED, 8_192)
    for day in range(60):
        for message in (user(f"Go on with part {day}, file src/part_{day}.py."), model("It is done so far. " * 90)):
            transcript = transcript.append(replace(message, id=f"m{len(transcript.entries)}"))
        view = view_of(transcript)
        plan = next_step(view, BALANCED, budget, counts, Trigger.BEFORE_REQUEST)
        if isinstance(plan, CompactionPlan):
            draft = draft_of(plan, transcript, view, BARE, "", 32_000, 0, counts, counts.text)
            done = build_compaction(
                "Some parts are ported.", (), draft, transcript, view, BALANCED, budget, counts, "m"
            )
            assert done is not None
            transcript = transcript.append(replace(done, id=f"op{len(transcript.entries)}"))
            view = view_of(transcript)
            compactions += 1
        assert "OPS-4471" in "\n".join(message.text for message in assemble(view))
    assert compactions >= 3
