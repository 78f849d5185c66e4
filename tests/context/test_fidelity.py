from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import head, model, user
from conversations_made_up import histories
from desktop_app.context.ledger.ledger import MAX_LOST, FactIndex, facts_to_keep, fidelity, holding_rules, ledger_of
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.conversation.memory import Ledger
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
    assert report.verbatim_facts == ("5433",)
    assert set(report.summary_facts) == {"vendor/legacy", "Never touch vendor/legacy.", "ledger_entries"}
    assert report.recallable_facts == ("https://e.org/x",)


def test_what_only_the_archive_has_is_named_and_every_rule_is_counted() -> None:
    many = head(*(user(f"Never touch vendor/part{n}, please.") for n in range(90)))
    ledger = ledger_of(many, Ledger())
    assert len(ledger.rules) < 90, "a ledger has no room for all"
    rules = holding_rules(many, ledger, Reading())
    summary = "- Never touch vendor/part3, please.\n- Never touch vendor/part89, please. vendor/part4"
    report = fidelity(many, summary, [], {m.id for m in many}, rules=rules)
    assert (report.rules, report.rules_kept, len(report.recallable_rules)) == (90, 2, 88)
    assert report.recallable == len(report.recallable_rules) + len(report.recallable_facts)
    assert "vendor/part5" in report.recallable_facts
    assert "vendor/part4" not in report.recallable_facts


def test_a_report_names_only_some_of_the_lost() -> None:
    many = head(user(" ".join(f"name_{n}" for n in range(90))))
    report = fidelity(many, "", [], set())
    assert report.lost == 90
    assert len(report.lost_facts) == MAX_LOST


THERE = ("2012", "a/b/c.py", "b/c", "3.14", "foo.txt", "see x-foo.txt2")
NOT_THERE = ("12", "c/b", "bar", "b.py", "x-foo.txt", "see x-foo.txt")


def test_a_part_of_a_longer_name_or_number_is_not_that_fact() -> None:
    said = FactIndex("in 2012, at a/b/c.py and foo_bar, 3.14: run a/b.pyc and py, then see x-foo.txt2 and foo.txt-old")
    assert all(fact in said for fact in THERE)
    assert not any(fact in said for fact in NOT_THERE)
    assert said.lacks([*THERE, *NOT_THERE]) == list(NOT_THERE)


@given(histories(), st.text(max_size=80))
def test_the_counts_add_up_whatever_was_said(messages: list[Message], summary: str) -> None:
    said = [replace(message, id=f"m{n}") for n, message in enumerate(messages)]
    half = len(said) // 2
    report = fidelity(said[:half], summary, said[half:], {m.id for m in said[: half // 2]})
    assert report.total == len(facts_to_keep(said[:half], Reading()))
    everything = fidelity(said[:half], summary, said, set())
    assert everything.verbatim + everything.in_summary >= report.verbatim
    assert everything.recallable == 0
