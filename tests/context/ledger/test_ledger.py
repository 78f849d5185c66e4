from __future__ import annotations

import pytest

from builders import call, head, model, result, user
from desktop_app.context.ledger.ledger import MAX_FACTS, calls_with_results, ledger_of, one_line, open_questions
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Message


def ledger(*messages: Message, earlier: Ledger | None = None) -> Ledger:
    return ledger_of(head(*messages), earlier or Ledger())


def texts(kind: str, *messages: Message) -> list[str]:
    return [fact.text for fact in getattr(ledger(*messages), kind)]


def test_rules_links_and_names_are_the_users() -> None:
    said = user("Never touch vendor/. See https://example.org/x for `LedgerEntry`.")
    kept = ledger(said, model("Always use tabs in other.py."))
    assert [fact.text for fact in kept.rules] == ["Never touch vendor/."]
    assert [fact.text for fact in kept.urls] == ["https://example.org/x"]
    assert [fact.text for fact in kept.identifiers] == ["LedgerEntry", "vendor/"]
    assert kept.rules[0].message_id == "m0"


def test_points_of_a_list_of_rules_are_rules_whole() -> None:
    said = user(
        "We move to a ledger. House rules, for the whole work:\n\n"
        "- Never touch `vendor/`. It's a fork.\n- One decision, one file.\n\nStart by looking around."
    )
    assert texts("rules", said) == ["Never touch `vendor/`. It's a fork.", "One decision, one file."]


def test_an_edit_without_a_path_is_one_of_the_open_file() -> None:
    opened = model("", call("open", '{"path": "src/a.py"}'))
    assert texts("files_edited", opened, result("..."), model("", call("edit", '{"search": "x"}')), result("ok")) == [
        "src/a.py"
    ]


def test_commands_have_their_exit_code_and_deeds_their_outcome() -> None:
    assert texts("commands", model("", call("bash", '{"command": "make\\n test"}')), result("x\nexit code 2")) == [
        "make test (exit 2)"
    ]
    deed = call("send_certificate", '{"user_id":"noah_1","amount":50}')
    assert texts("commands", model("", deed), result("Certificate c_3 added.")) == [
        'send_certificate {"user_id":"noah_1","amount":50} → Certificate c_3 added.'
    ]
    assert texts("commands", model("", call("get_user", '{"id": 1}')), result("Noah")) == [], (
        "who only looks does nothing"
    )


def test_errors_are_kept_in_their_own_words() -> None:
    failed = result("running\nValueError: bad currency\ndone", is_error=True)
    assert texts("errors", model("", call("bash")), failed) == ["ValueError: bad currency"]
    assert texts("errors", model("", call("bash")), result("it  did\nnot work", is_error=True)) == ["it did not work"]
    assert texts("errors", model("", call("bash")), result("it did not work")) == []


def test_results_belong_to_the_newest_call_of_that_id() -> None:
    said = head(
        model("", call("bash", '{"command": "one"}')),
        result("1"),
        model("", call("bash", '{"command": "two"}')),
        result("2"),
        result("3"),
    )
    assert [(c.arguments, r.text) for c, r in calls_with_results(said)] == [
        ('{"command": "one"}', "1"),
        ('{"command": "two"}', "2"),
    ]


@pytest.mark.parametrize("arguments", ["", "no json", "[1]", '{"path": 3}', "\ud800", "{" * 9_999])
def test_a_model_may_write_any_arguments(arguments: str) -> None:
    assert texts("files_read", model("", call("read", arguments)), result("x")) == []


def test_open_questions_are_the_last_ones_asked() -> None:
    said = head(
        user("What about tabs?"),
        model("Tabs it is."),
        user("ok"),
        model("Shall I run it? It takes long."),
        result("x"),
        user("and bigint?"),
    )
    assert open_questions(said, Reading()) == [("Shall I run it?", "m3"), ("and bigint?", "m5")]


def test_what_is_known_is_merged_and_not_repeated() -> None:
    first = ledger(user("Never use floats. Look at a.py."), model("ok?"))
    second = ledger(user("Never use floats. Always test. Look at b.py."), model("Done."), earlier=first)
    assert [(fact.text, fact.message_id) for fact in second.rules] == [
        ("Never use floats.", "m0"),
        ("Always test.", "m0"),
    ]
    assert [fact.text for fact in second.identifiers] == ["a.py", "b.py"]
    assert second.questions == (), "what was open then has been answered since"


def test_a_ledger_has_a_bound_and_says_what_it_left_out() -> None:
    said = [
        message
        for n in range(500)
        for message in (
            user(f"Please look at file_{n}.py and https://e.org/{n}. Always keep rule {n}."),
            model("", call("edit", f'{{"path": "e{n}.py"}}', f"a{n}"), call("read", f'{{"path": "r{n}.py"}}', f"b{n}")),
            result(f"TypeError: no. {n}", f"a{n}"),
            model("", call("bash", f'{{"command": "make {n}"}}', f"c{n}")),
            result("ok", f"c{n}"),
            user(f"What about {n}?"),
        )
    ]
    kept = ledger(*said)
    assert kept.dropped > 0
    again = ledger_of(head(*said), kept)
    for kind, bound in MAX_FACTS.items():
        assert 0 < len(getattr(kept, kind)) <= bound, kind
        assert len(getattr(again, kind)) <= bound, kind


def test_old_and_strong_rules_outlive_the_others() -> None:
    early = [user("Never delete rows."), user("You should use tabs.")]
    kept = [fact.text for fact in ledger(*early, *(user(f"You should avoid thing {n}.") for n in range(200))).rules]
    assert kept[:2] == ["Never delete rows.", "You should use tabs."]
    strong = [
        fact.text for fact in ledger(*(user(f"You should avoid {n}.") for n in range(99)), user("Never push.")).rules
    ]
    assert strong[-1] == "Never push."


def test_facts_of_own_words_come_before_pasted_ones_and_line_numbers_last() -> None:
    listing = "\n".join(f"{n}:    total_{n} = {n * 1000}" for n in range(100, 140))
    read = Reading().of(user(f"Look at billing.py please, it is wrong.\n{listing}\n"))
    assert "billing.py" in read.own
    assert "total_101" in read.pasted
    assert "101" in read.pasted


def test_the_time_of_a_stamp_is_the_least_of_facts() -> None:
    read = Reading().of(user("[1:56 pm on 8 May, 2023] Meet me at 10:30."))
    assert (read.own, read.pasted) == (("10:30",), ("1:56", "2023"))
    assert read.sentences == ("Meet me at 10:30.",)


def test_a_text_on_one_line() -> None:
    assert one_line("a\n  b\tc") == "a b c"
    assert one_line("x" * 999, most=10) == "x" * 9 + "…"


def test_what_was_read_before_is_not_read_again_and_gives_the_same_ledger() -> None:
    said = head(
        user("Never use floats in a.py, see https://example.org/a."),
        model("Never say never.", call("edit", '{"path": "a.py"}')),
        result("TypeError: no floats\nexit code 1"),
    )
    reading = Reading()
    assert reading.of(said[0]) is reading.of(said[0])
    assert reading.of(said[1]).rules == reading.of(said[1]).facts == ()
    first = ledger_of(said, Ledger(), reading)
    assert [fact.text for fact in first.errors] == ["TypeError: no floats", "exit code 1"]
    assert ledger_of(said, Ledger(), reading) == first == ledger_of(said, Ledger())
