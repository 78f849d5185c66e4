from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import call, model, result, user
from desktop_app.context.ledger.changed_files import part_read
from desktop_app.context.ledger.ledger import ledger_of
from desktop_app.conversation.memory import Ledger, WorkState
from desktop_app.conversation.message import Message
from desktop_app.conversation.tools import DENIED


def ledger(*messages: Message, known: Ledger | None = None) -> Ledger:
    return ledger_of([replace(m, id=f"m{n}") for n, m in enumerate(messages)], known or Ledger())


def work(*messages: Message) -> list[tuple[WorkState, str]]:
    return [(item.state, item.text) for item in ledger(*messages).work]


def ran(name: str, arguments: dict[str, Any], output: str = "ok", **flags: bool) -> tuple[Message, Message]:
    return model("", call(name, json.dumps(arguments))), result(output, name=name, **flags)


EDIT = ran("edit", {"path": "a.py", "old": "1", "new": "2"})
FAILING = ran("bash", {"command": "pytest -q"}, "FAILED tests/test_a.py::test_x - assert 1 == 2\nexit code 1")


def test_a_request_is_finished_when_its_turn_ends_with_a_reply() -> None:
    asked = user("Please sort the rows in a.py.")
    assert work(asked, *EDIT) == [("in progress", "Please sort the rows in a.py.")]
    assert work(asked, *EDIT, model("The rows are sorted.")) == [("finished", "Please sort the rows in a.py.")]
    assert work(asked, *EDIT, model("Sorted, ascending or descending?"))[0][0] == "in progress"
    assert work(asked, *EDIT, model("I look further."), *EDIT)[0][0] == "in progress", "the model went on by itself"


def test_a_mere_chat_has_no_work() -> None:
    assert (
        work(user("What is the capital of Peru?"), model("Lima."), user("And of Chile, please?"), model("Santiago."))
        == []
    )


PLANS: list[dict[str, Any]] = [
    {"todos": [{"content": "Read", "status": "completed"}, {"content": "Write", "status": "in_progress"},
               {"content": "Test", "status": "pending"}]},
    {"plan": [{"step": "Read", "status": "completed"}, {"step": "Write", "status": "in_progress"},
              {"step": "Test", "status": "pending"}], "explanation": "so far"},
    {"todoList": [{"id": 1, "title": "Read", "status": "completed"},
                  {"id": 2, "title": "Write", "status": "in-progress"},
                  {"id": 3, "title": "Test", "status": "not-started"}]},
    {"command": "plan", "task_list": [{"title": "Read", "status": "done"}, {"title": "Write", "status": "in_progress"},
                                      {"title": "Test", "status": "todo"}]},
    {"task_progress": "- [x] Read\n- [-] Write\n- [ ] Test"},
]  # fmt: skip


@pytest.mark.parametrize("plan", PLANS)
def test_the_plans_of_agents_are_read_whatever_they_call_their_fields(plan: dict[str, Any]) -> None:
    assert work(*ran("update", plan)) == [("finished", "Read"), ("in progress", "Write"), ("pending", "Test")]
    assert work(*ran("update", plan, "invalid", is_error=True)) == []


def test_a_newer_plan_replaces_the_open_items() -> None:
    later = {"todos": [{"content": "Write", "status": "completed"}, {"content": "Ship", "status": "pending"}]}
    assert work(*ran("todo", PLANS[0]), *ran("todo", later)) == [
        ("finished", "Read"), ("finished", "Write"), ("pending", "Ship"),
    ]  # fmt: skip


def test_tasks_may_be_made_and_changed_one_by_one() -> None:
    made = ran("TaskCreate", {"subject": "Port it", "description": "all"}, "Task #4 created successfully: Port it")
    changed = ran("TaskUpdate", {"taskId": "4", "status": "completed"}, "Updated task #4 status")
    assert work(*made) == [("pending", "Port it")]
    assert work(*made, *changed) == [("finished", "Port it")]
    earlier = ledger(*made)
    assert [item.state for item in ledger(*changed, known=earlier).work] == ["finished"]


def test_a_call_that_was_not_allowed_is_listed_until_it_is() -> None:
    refused = ran("bash", {"command": "git push"}, DENIED, is_error=True)
    assert work(*refused) == [("not allowed", 'bash {"command": "git push"}')]
    assert work(*refused, *ran("bash", {"command": "git push"}, "done")) == []
    assert work(*ran("read", {"path": "log.txt"}, f"{DENIED} " * 40)) == [], "a file that quotes it"


def test_a_claim_was_wrong_if_a_command_or_the_user_says_so() -> None:
    claim = model("I changed the sort. All tests pass now.")
    asked = user("Please sort the rows in a.py.")
    wrong = ("wrong", "All tests pass now.")
    by_command = ledger(asked, *EDIT, claim, user("Run the tests once more, please."), *FAILING).work
    assert wrong in [(item.state, item.text) for item in by_command]
    assert next(item.note for item in by_command if item.state == "wrong").startswith(("FAILED", "exit code"))
    by_user = work(asked, *EDIT, claim, user("They still fail on my machine."))
    assert wrong in by_user
    assert ("in progress", "Please sort the rows in a.py.") in by_user
    assert wrong not in work(asked, *EDIT, claim, user("Now rename x to y everywhere."), *EDIT, *FAILING)
    assert wrong not in work(asked, *EDIT, claim, user("Thanks! Please fix the error in b.py, too."))


def test_a_plan_that_is_written_is_no_change_of_the_open_file() -> None:
    opened = ran("read", {"path": "a.py"})
    assert work(*opened, *ran("todowrite", PLANS[0])) == [
        ("finished", "Read"), ("in progress", "Write"), ("pending", "Test"),
    ]  # fmt: skip
    kept = ledger(*opened, *ran("todowrite", PLANS[0]), *ran("TaskUpdate", {"taskId": "4", "status": "completed"}))
    assert kept.files_edited == ()
    assert [file.text for file in kept.files_read] == ["a.py"]
    assert kept.commands == ()


REFUSALS = [
    "Permission to use Bash with command git push has been denied.",
    "The user has specified a rule which prevents you from using this specific tool call.",
    "Claude requested permissions to use Bash, but you haven't granted it yet.",
    "The user rejected permission to use this specific tool call.",
    "Tool execution denied by policy.",
    "exec command rejected by user",
    "This action was not permitted by the user's settings",
]
NO_REFUSALS = [
    "git@example.org: Permission denied (publickey).",
    "bash: /etc/shadow: Permission denied",
    "1 user was rejected: the name is taken",
    "x" * 600 + REFUSALS[0],
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_request_whose_call_was_not_allowed_is_pending(text: str) -> None:
    asked, push, reply = user("Please push the branch."), {"command": "git push"}, model("That is not allowed here.")
    refused = ran("bash", push, text, is_error=True)
    assert work(asked, *refused, reply) == [
        ("not allowed", 'bash {"command": "git push"}'), ("pending", "Please push the branch."),
    ]  # fmt: skip
    assert ledger(asked, *refused).commands == (), "it was not run"
    assert work(asked, *refused, *ran("bash", push, "done"), reply) == [("finished", "Please push the branch.")]


@pytest.mark.parametrize("text", NO_REFUSALS)
def test_a_failure_is_no_refusal(text: str) -> None:
    assert [state for state, _ in work(*ran("bash", {"command": "git push"}, text, is_error=True))] == []


def test_a_reply_that_asks_back_finishes_nothing() -> None:
    asked = user("Please book the flight to New York.")
    for question in (
        "There are two. Please let me know which one you prefer.",
        "Shall I take the first? It is cheaper.",
        "I need more. Please provide the names of the passengers. Then I go on.",
    ):
        assert work(asked, *ran("search", {"to": "JFK"}), model(question))[0][0] == "in progress", question
    for offer in ("It is booked. Is there anything else I can do?", "It is booked. Let me know if you need more."):
        assert work(asked, *ran("search", {"to": "JFK"}), model(offer))[0][0] == "finished", offer


def test_a_plan_in_a_reply_opens_the_work_that_was_asked_for() -> None:
    asked = user("Please sort the rows in a.py.")
    plan = model("- [ ] Read a.py\n- [ ] Sort")
    assert ("in progress", asked.text) in work(asked, plan, user("Good, go ahead with it."), *EDIT)


def test_a_call_that_hands_the_work_over_finishes_it() -> None:
    asked = user("Please sort the rows in a.py.")
    assert work(asked, *EDIT, *ran("submit", {}, "diff --git a.py")) == [("finished", asked.text)]
    assert work(asked, *EDIT, *ran("submit", {}, "no changes", is_error=True)) == [("in progress", asked.text)]


def test_requests_without_a_reply_between_them_are_all_kept() -> None:
    asked = user("Please sort the rows in a.py."), user("And drop the empty ones.")
    assert [text for _, text in work(*asked, *EDIT, model("Done."))] == [message.text for message in asked]


def test_an_error_confirms_the_claim_that_something_is_refused() -> None:
    claim = model("Empty names are refused now, and it works.")
    said = work(user("Please refuse empty names."), *EDIT, claim, user("Show me that it does, please."), *FAILING)
    assert all(state != "wrong" for state, _ in said)


def test_a_greeting_is_no_request() -> None:
    assert work(user("Great, thank you! Please sort the rows in a.py."), *EDIT)[0][1] == "Please sort the rows in a.py."


def test_what_was_changed_that_is_no_file_is_a_deed() -> None:
    answer = json.dumps({"reservation": "X1", "flights": ["HAT028"] * 60})
    kept = ledger(*ran("update_reservation", {"id": "X1"}, answer), *ran("get_reservation", {"id": "X2"}, answer))
    assert [fact.text for fact in kept.commands] == ['update_reservation {"id": "X1"}']


def test_a_turn_that_goes_on_without_its_request_ends_the_one_before() -> None:
    messages = [user("Please sort the rows in a.py."), *EDIT, model("Sorted."), *EDIT]
    kept = ledger_of([replace(m, id=f"m{n}") for n, m in enumerate(messages)], Ledger(), turn_at=4)
    assert [item.state for item in kept.work] == ["finished"]


def test_only_the_last_outcome_of_a_command_is_known() -> None:
    passing = ran("bash", {"command": "pytest -q"}, "2 passed\nexit code 0")
    assert [fact.text for fact in ledger(*FAILING, *passing).commands] == ["pytest -q (exit 0)"]


def test_what_was_read_of_a_file_is_known_until_it_changes() -> None:
    part = ran("read", {"path": "b.py", "offset": 40, "limit": 81})
    reads = ledger(*part, *ran("read", {"path": "a.py", "view_range": [1, 20]}), *EDIT, *ran("read", {"path": "a.py"}))
    assert [(file.text, file.lines) for file in reads.files_read] == [("b.py", ("40-120",)), ("a.py", ())]
    more = ledger(*ran("read", {"path": "b.py", "start_line": 1, "end_line": 39}), known=reads)
    assert more.files_read[-1].lines == ("40-120", "1-39")
    assert part_read({"view_range": [10, -1]}) == "10-"


EVENTS = st.sampled_from(
    [(user("Please sort the rows."),), EDIT, FAILING, (model("All done, the tests pass."),), (user("It still fails."),),
     ran("todo", PLANS[0]), ran("bash", {"command": "ls"}, DENIED, is_error=True), (model("Which one?"),)]
)  # fmt: skip


@given(st.lists(EVENTS, max_size=20), st.integers(0, 20))
def test_a_ledger_that_is_merged_says_the_same_as_one_of_everything(events: list[tuple[Message, ...]], at: int) -> None:
    def said(some: list[tuple[Message, ...]]) -> list[Message]:
        return [message for event in some for message in event]

    whole = ledger(*said(events)).work
    assert len({item.text for item in whole}) == len(whole)
    merged = ledger(*said(events[at:]), known=ledger(*said(events[:at]))).work
    assert len({item.text for item in merged}) == len(merged)
    planned = [(item.text, item.state) for item in whole if item.is_planned]
    assert [(item.text, item.state) for item in merged if item.is_planned] == planned
