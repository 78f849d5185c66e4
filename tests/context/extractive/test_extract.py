from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import call, head, model, result, user
from conversations_made_up import Letters, histories
from desktop_app.context.extractive.extract import extract
from desktop_app.context.extractive.passages import find_outdated
from desktop_app.context.extractive.summary_builder import QUESTIONS, READ, RESULTS, SHOWN, WORK_LABELS, lines_of
from desktop_app.context.ledger.ledger import ledger_of
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Message

WORK = (
    user("Please port user-message-selector.ts to the theme, see docs/theme.md. Never edit vendor/ by hand."),
    model("Let me read the docs first.", call("read", '{"path": "docs/theme.md"}')),
    result("# Themes\nEvery theme must define all tokens."),
    model("Now the edit.", call("edit", '{"path": "src/selector.ts"}')),
    result("ok"),
    model("", call("bash", '{"command": "npm run check"}')),
    result("src/a.ts(28,2): error TS2739: Type '{}' is missing\nexit code 2"),
    model("Perfect! The selector uses the theme now. The check fails because the tests still pass `chalk` colours."),
    user("we decided to drop chalk, so fix the tests in test/themes.ts. The deadline is 2024-05-17"),
    model("Certainly! Removed chalk from the tests. Should the old colours be kept as an option?"),
)


def page(*messages: Message, budget: int = 2_000, earlier: str = "", known: Ledger | None = None) -> str:
    said = head(*messages)
    return extract(said, earlier, ledger_of(said, known or Ledger()), budget, Letters().count)


def section(text: str, heading: str) -> list[str]:
    found = text.split(f"## {heading}\n")
    return found[1].split("\n\n")[0].splitlines() if len(found) > 1 else []


def test_a_page_tells_what_a_reader_who_continues_must_know() -> None:
    text = page(*WORK)
    assert section(text, "Primary intent") == [
        "- Please port user-message-selector.ts to the theme, see docs/theme.md.",
        "- Latest: we decided to drop chalk, so fix the tests in test/themes.ts.",
    ]
    assert section(text, "Rules and constraints") == ["- Never edit vendor/ by hand."]
    assert "- Edited: src/selector.ts" in section(text, "Files and code")
    assert section(text, "Errors met")[0] == "- src/a.ts(28,2): error TS2739: Type '{}' is missing"
    assert "- Ran: npm run check (exit 2)" in section(text, "Current state")
    assert section(text, QUESTIONS) == ["- Assistant: Should the old colours be kept as an option?"]
    assert "2024-05-17" in text
    for noise in ("Perfect!", "Certainly!", "Let me read", "Every theme must define"):
        assert noise not in text.partition("## Also named")[0].partition("## What the tools")[0]


def test_nothing_is_paraphrased() -> None:
    said = " ".join(" ".join(message.text.split()) for message in WORK)
    for _, line in lines_of(page(*WORK).split("## What the tools said")[0]):
        for piece in line.text.replace(" … ", "\n").splitlines():
            told = piece.removeprefix("Ran: ").split(" (exit")[0].split(" → ")[0]
            for label in WORK_LABELS.values():
                told = told.removeprefix(f"{label}: ")
            told = told.removeprefix("Edited: ").removeprefix(f"{READ}: ")
            assert told in said or all(name in str(WORK) for name in told.split(", "))


@pytest.mark.parametrize("budget", [0, 1, 10, 40, 100, 300, 600])
def test_a_small_page_keeps_to_its_budget_and_begins_with_what_matters_most(budget: int) -> None:
    text = page(*WORK, budget=budget)
    assert Letters().count(text) <= budget
    if budget >= 100:
        assert "## Primary intent" in text
    if budget >= 300:
        assert "Never edit vendor/ by hand." in text
        assert "src/selector.ts" in text


def test_a_page_is_filled_when_there_is_enough_to_tell() -> None:
    said = [
        m for n in range(60) for m in (user(f"Look at shard {n} in zone-{n}a."), model(f"Shard {n} lost node {n}b."))
    ]
    for budget in (200, 400, 800):
        assert Letters().count(page(*said, budget=budget)) > 0.9 * budget


def test_every_name_is_listed_when_no_sentence_has_room_for_it() -> None:
    pasted = "\n".join(f"value_{n} = compute({n})" for n in range(40))
    text = page(user(f"why is this slow?\n```\n{pasted}\n```"), model("It is the loop."), budget=400)
    assert sum(f"value_{n}" in text for n in range(40)) == 40


def test_a_chat_among_people_has_no_rules_and_no_state() -> None:
    text = page(
        user("[1:56 pm on 8 May, 2023] You must be so proud! I never went to Lisbon before May.", speaker="Ann"),
        model("I always wanted to see the sea in Porto, and last week we went.", speaker="Bea"),
        user("So good!", speaker="Ann"),
    )
    assert set(part.splitlines()[0] for part in text.split("\n\n")) <= {"## What was said", "## Also named"}
    assert "- [8 May, 2023] Ann: You must be so proud! I never went to Lisbon before May." in text


def test_an_earlier_page_is_merged_and_never_summarised_again() -> None:
    first = page(*WORK)
    known = ledger_of(head(*WORK), Ledger())
    second = page(
        user("now update the changelog, and never mention chalk there"),
        model("Added an entry about the theme."),
        earlier=first,
        known=known,
    )
    assert section(second, "Primary intent") == [
        "- Please port user-message-selector.ts to the theme, see docs/theme.md.",
    ], "the newest wish is a rule, and stands with the rules"
    assert section(second, "Rules and constraints") == [
        "- Never edit vendor/ by hand.",
        "- now update the changelog, and never mention chalk there",
    ]
    assert "src/selector.ts" in second
    assert "The check fails because the tests still pass `chalk` colours." in second
    assert "Should the old colours be kept" not in section(second, QUESTIONS)
    noted = page(user("go on with shard 3"), earlier="## My notes\n- The password is in the safe.\nCall Priya.")
    assert "The password is in the safe." in noted
    assert "Call Priya." in noted


def test_rules_leave_room_for_the_rest() -> None:
    said = [
        user("Port the parser to Go, please."),
        *(user(f"Never touch table_{n} by hand.") for n in range(60)),
        user("I want to have the release out before Easter."),
        user("The depot in Lodz is closed until the ninth, and Marta has the key."),
        model("", call("edit", '{"path": "depot/parser.go", "old": "a", "new": "b"}')),
        result("ok"),
    ]
    text = page(*said, budget=400)
    assert 60 < Letters().count("\n".join(section(text, "Rules and constraints"))) < 0.6 * 400
    for rest in ("before Easter", "Marta has the key", "depot/parser.go"):
        assert rest in text


def test_a_line_that_was_about_to_be_answered_is_not_forgotten_when_it_no_longer_is() -> None:
    """The newest request and an open question come from the newest messages: later they are what was said before."""
    first = page(user("Hello."), model("Yes?"), user("Could you keep the jokes out of the letters to Ingrid?"))
    second = page(user("I want to sell the boat by May."), model("I see."), earlier=first)
    third = page(user("It rained."), model("I see."), earlier=second)
    assert "keep the jokes out" in second
    assert "keep the jokes out" in third
    assert section(third, "Goals and preferences") == ["- I want to sell the boat by May."]


def test_goals_and_preferences_outlast_five_pages() -> None:
    lasting = (
        "I want to sell the boat by May.",
        "I find tables easier to read.",
        "The next step is to paint the rudder.",
    )
    text, ledger = "", Ledger()
    for number in range(5):
        chatter = [user(f"The market on day {number}{n} had {n} stalls with apples and pears.") for n in range(30)]
        said = head(*[user(sentence) for sentence in lasting if not number], *chatter)
        ledger = ledger_of(said, ledger)
        text = extract(said, text, ledger, 300, Letters().count)
    assert all(sentence in text for sentence in lasting)


def test_of_two_versions_of_a_sentence_the_newer_one_is_listed_first() -> None:
    versions = [f"The cap for the whole project is ${cap} in total." for cap in (300, 700, 500)]
    assert find_outdated(versions) == set(versions[:2])
    assert not find_outdated(["Never restart web-12 without asking.", "Never restart web-13 without asking."])


def test_errors_of_one_shape_do_not_crowd_out_the_others() -> None:
    lines = [f"a.ts({n},1): error TS2554: Expected 1 arguments" for n in range(60)]
    failed = result("\n".join(["b.ts(1,1): error TS2304: Cannot find name 'x'", *lines]))
    text = page(user("run the check please"), model("", call("bash", '{"command": "tsc"}')), failed, budget=200)
    assert "Cannot find name 'x'" in text
    assert text.count("TS2554") >= 1


CODE = "\n".join(f"    total_{n} = compute(rows[{n}], rate={n})" for n in range(150))
SAID = (
    user(f"Look at this, please:\n```python\n{CODE}\n```"),
    model(f"I would write it so:\n```python\n{CODE[::-1]}\n```"),
    model("", call("read", '{"path": "a.py"}')),
    result(CODE.replace("total", "sum")),
)


@pytest.mark.parametrize("budget", [900, 1_500, 3_000])
def test_room_left_over_is_filled_with_what_was_shown(budget: int) -> None:
    text = page(*SAID, budget=budget)
    assert 0.9 * budget < Letters().count(text) <= budget
    assert f"## {SHOWN}\n" in text
    assert f"## {RESULTS}\n- read" in text


def test_neither_speech_is_shown_nor_anything_without_room() -> None:
    assert SHOWN not in page(user("Please look at the parser. It drops the last row without a line end. " * 3))
    assert SHOWN not in page(*SAID, budget=60)


@given(histories(), st.integers(0, 400))
def test_whatever_was_said_the_page_keeps_to_its_budget(messages: list[Message], budget: int) -> None:
    said = [replace(message, id=f"m{n}") for n, message in enumerate(messages)]
    ledger = ledger_of(said, Ledger())
    text = extract(said, "", ledger, budget, Letters().count)
    assert Letters().count(text) <= budget
    again = extract(said, text, ledger, budget, Letters().count)
    assert Letters().count(again) <= budget
    assert extract(said, "", ledger, budget, Letters().count) == text, "the same head gives the same page"


LABELLED = ("FACT: The yard is in Oban.", "NEXT: Order the sails.", "FACT: The mast has 14 metres.")


def test_a_label_is_written_once_and_each_statement_keeps_it() -> None:
    said = head(*[user(sentence) for sentence in LABELLED])
    text = extract(said, "", ledger_of(said, Ledger()), 300, Letters().count)
    assert text.count("FACT:") == 1
    assert {line.text for _, line in lines_of(text)} >= set(LABELLED)


@given(st.permutations(LABELLED), st.integers(1, 3))
def test_labelled_statements_are_the_same_after_more_pages(order: list[str], times: int) -> None:
    text, said = "", head(*[user(sentence) for sentence in order])
    for _ in range(times):
        ledger = ledger_of(said, Ledger())
        text, said = extract(said, text, ledger, 300, Letters().count), []
    assert {line.text for _, line in lines_of(text)} >= set(LABELLED)


def test_of_labelled_statements_about_one_thing_the_newer_value_is_preferred() -> None:
    versions = [
        "STATE: The branch is fix/aa-12.",
        "NOTE: The host is db-1.",
        "STATE: Current branch: fix/bcd-7, local.",
    ]
    assert find_outdated(versions) == {versions[0]}
    assert not find_outdated(["STATE: The branch is fix/aa-12.", "STATE: The commit for it is 4f2a9c1."])


OF_A_BOATYARD = (
    "SAFETY: Nobody enters the tank of hull K-41 alone.",
    "SAFETY: The code of the paint store, 7719, is for the foreman only.",
    "LIMIT: The refit may cost 48,200 euros at most.",
    "LIMIT: The crane is ours until 2031-04-17.",
    "FACT: The engine comes from Volda Marine.",
    "FACT: The survey is filed under /yard/surveys/k41.",
    "GOAL: Next we sand the keel.",
    "GOAL: Stage 3 of 7 is the wiring.",
    "WISH: Ms Tanaka likes reports in two columns.",
    "WISH: Write to her on Tuesdays.",
    "HINWEIS: Die Werft in Kiel liefert das Ruder.",
    "ZIEL: Bis Montag ist der Mast gestellt.",
)


@given(st.permutations(OF_A_BOATYARD))
def test_labelled_statements_of_every_kind_fit_into_a_short_page(order: list[str]) -> None:
    text, ledger = "", Ledger()
    for number in range(3):
        talk = [user(f"The gulls on pier {number}{n} were loud today, and {n} boats came in.") for n in range(8)]
        said = head(*[message for sentence in order[number::3] for message in (user(sentence), model("Fine."))])
        ledger = ledger_of(said, ledger)
        text = extract([*said, *talk], text, ledger, 165, lambda page: len(page) // 4)
    kept = {line.text for _, line in lines_of(text)} | {rule.text for rule in ledger.rules if rule.text in text}
    missing = [sentence for sentence in OF_A_BOATYARD if sentence not in kept]
    assert len(missing) <= 1, missing
