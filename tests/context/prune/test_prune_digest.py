from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import call, letters, model, record, result, tokens, user
from desktop_app.context.policy import BALANCED, Budget, ContextPolicy
from desktop_app.context.prune.exchange import exchanges_of
from desktop_app.context.prune.strategies import digest_input, digested_exchanges, plan_prune, with_digest
from desktop_app.context.view.view import View, view_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Prune, Trigger
from texts import RESULTS_DIGESTED

ONLY = replace(
    BALANCED,
    prune_order=("digest",),
    prune_target=0.0,
    protect_newest=0,
    protect_user_turns=1,
    min_prune=0,
    prune_least_share_of_window=0.0,
)
STUB = "[Old result: told of in the digest further on]"


def session(count: int, failing: int = -1, size: int = 2_000) -> list[Message]:
    messages = [user("Begin.")]
    for n in range(count):
        asked = call("read", f'{{"path": "src/{n}.py"}}')
        text = f"Error: no module {n}\n" if n == failing else f"module {n}\n"
        messages += [model("", asked), result(text + "x = 1\n" * (size // 6), name="read", is_error=n == failing)]
    return [*messages, user("Next.")]


def proposed(view: View, policy: ContextPolicy = ONLY, window: int = 10**6) -> Prune | None:
    return plan_prune(view, policy, Budget(window, 0), letters(), tokens(view), Trigger.USER)


def planned(view: View, policy: ContextPolicy = ONLY, window: int = 10**6) -> Prune:
    prune = proposed(view, policy, window)
    assert prune is not None
    return prune


def test_the_oldest_of_more_than_ten_become_one_digest_in_the_newest_of_them() -> None:
    prune = planned(view_of(record(*session(14))))
    assert [(r.message_id, r.text) for r in prune.results[:3]] == [("m2", STUB), ("m4", STUB), ("m6", STUB)]
    last = prune.results[3]
    assert (len(prune.results), last.message_id) == (4, "m8")
    assert last.text.splitlines() == [
        RESULTS_DIGESTED.format(results="4 results"),
        *(f"- read src/{n}.py, 2,007 characters: module {n}" for n in range(2)),
        *(f"- read src/{n}.py, 2,007 characters: module {n}" for n in range(2, 4)),
    ]


@pytest.mark.parametrize(("count", "changed"), [(10, {}), (14, {"digest_by": "off"})])
def test_there_is_no_digest_of_few_results_or_if_it_is_off(count: int, changed: dict) -> None:
    assert proposed(view_of(record(*session(count))), replace(ONLY, **changed)) is None


def test_the_eleventh_result_makes_a_digest_of_the_first() -> None:
    (first,) = planned(view_of(record(*session(11)))).results
    assert first.message_id == "m2"
    assert first.text.splitlines() == [
        RESULTS_DIGESTED.format(results="1 result"),
        "- read src/0.py, 2,007 characters: module 0",
    ]


def test_it_stops_at_as_many_results_as_are_needed() -> None:
    view = view_of(record(*session(60)))
    all_of_them = planned(view)
    enough = planned(view, replace(ONLY, prune_target=0.5), window=round(tokens(view) * 1.2))
    assert len(all_of_them.results) == 50
    assert 20 < len(enough.results) < 35
    assert enough.tokens_after <= 0.5 * 1.2 * tokens(view)


def test_of_very_many_the_failed_and_the_newest_are_told_of_within_its_length() -> None:
    prune = planned(view_of(record(*session(200, failing=3))))
    text = prune.results[-1].text
    lines = text.splitlines()
    assert len(text) <= ONLY.max_digest
    assert lines[1] == "- read src/3.py, 2,017 characters: Error: no module 3"
    assert lines[-2].startswith("- read src/189.py")
    told = len(lines) - 2
    assert lines[-1] == f"… and {190 - told} more"
    assert prune.results[3].text == f"{STUB}\nError: no module 3", "a failed result keeps its error in its place"


def test_a_later_digest_leaves_the_earlier_one_alone() -> None:
    messages = session(14)
    first = planned(view_of(record(*messages)))
    more = [*messages, replace(first, id="op"), *session(8)]
    second = planned(view_of(record(*more)))
    assert not set(first.message_ids) & set(second.message_ids)


def test_a_digest_that_would_free_nothing_is_not_made() -> None:
    assert proposed(view_of(record(*session(14, size=6)))) is None


def test_the_model_gets_a_line_and_both_ends_of_each_result() -> None:
    messages = session(20)
    view = view_of(record(*messages))
    prune = planned(view)
    results = digested_exchanges(exchanges_of(view, ONLY, Budget(10**6, 0), letters()), prune)
    assert [e.message.id for e in results] == [r.message_id for r in prune.results]
    asked = digest_input(results)
    assert 11_000 < len(asked) <= 12_000
    assert asked.startswith("- read src/0.py, 2,007 characters: module 0\nmodule 0\nx = 1\n")
    assert all(f"- read src/{n}.py" in asked for n in range(10))
    many = digested_exchanges(exchanges_of(view_of(record(*session(400))), ONLY, Budget(10**6, 0), letters()), prune)
    assert len(digest_input(many * 40)) <= 12_000
    assert digest_input([]) == ""


def test_a_models_digest_takes_the_place_of_the_rules_with_an_exact_saving() -> None:
    messages = session(30)
    prune = planned(view_of(record(*messages)))
    written = with_digest(prune, "  The modules were read; all is well. " * 100, letters())
    text = written.results[-1].text
    heading, _, told = text.partition("\n")
    assert heading == RESULTS_DIGESTED.format(results="20 results")
    assert told.startswith("The modules were read")
    assert 1_100 < len(told) <= 1_200
    assert written.tokens_after == tokens(view_of(record(*messages, replace(written, id="op"))))
    assert with_digest(prune, "  \n", letters()) == prune, "a model that says nothing changes nothing"
    assert with_digest(replace(prune, results=()), "text", letters()).results == ()
