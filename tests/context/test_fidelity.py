from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from made_by_hand import head, model, user
from msgspec.structs import replace

from conversations_made_up import histories
from desktop_app.context.fidelity import LOST_NAMED, Said, facts_to_keep, fidelity
from desktop_app.context.reading import Reading
from desktop_app.conversation.message import Message

HEAD = head(
    user("Never touch vendor/legacy. The port is 5433, see https://e.org/x."),
    model("I keep out of it, and use `db-7`."),
    user("Shall we move `ledger_entries` too?"),
)


def test_it_is_exact_about_what_it_looks_for() -> None:
    assert set(facts_to_keep(HEAD, Reading())) == {
        "vendor/legacy",
        "5433",
        "https://e.org/x",
        "Never touch vendor/legacy.",
        "ledger_entries",
        "Shall we move `ledger_entries` too?",
    }


def test_each_fact_is_found_in_one_place() -> None:
    summary = "- Never touch vendor/legacy.\n- ledger_entries"
    tail = [user("the port was 5433")]
    report = fidelity(HEAD, summary, tail, {"m0"})
    assert (report.verbatim, report.in_summary, report.recallable, report.lost) == (1, 3, 1, 1)
    assert report.lost_facts == ("Shall we move `ledger_entries` too?",)
    assert report.total == 6


def test_a_report_names_only_some_of_the_lost() -> None:
    many = head(user(" ".join(f"name_{n}" for n in range(90))))
    report = fidelity(many, "", [], set())
    assert report.lost == 90
    assert len(report.lost_facts) == LOST_NAMED


def test_a_number_within_a_longer_one_is_not_that_number() -> None:
    said = Said("in 2012, at a/b/c.py and foo_bar, 3.14")
    assert "2012" in said
    assert "12" not in said
    assert "a/b/c.py" in said
    assert "b/c" in said
    assert "c/b" not in said
    assert "foo" not in said
    assert "3.14" in said


@given(histories(), st.text(max_size=80))
def test_the_counts_add_up_whatever_was_said(messages: list[Message], summary: str) -> None:
    said = [replace(message, id=f"m{n}") for n, message in enumerate(messages)]
    half = len(said) // 2
    report = fidelity(said[:half], summary, said[half:], {m.id for m in said[: half // 2]})
    assert report.total == len(facts_to_keep(said[:half], Reading()))
    everything = fidelity(said[:half], summary, said, set())
    assert everything.verbatim + everything.in_summary >= report.verbatim
    assert everything.recallable == 0
