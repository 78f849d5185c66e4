from __future__ import annotations

import pytest
from made_by_hand import call, letters, model, record, result, sent, tokens, user
from msgspec.structs import replace

from desktop_app.context.policy import BALANCED, Budget, ContextPolicy
from desktop_app.context.prune import hard_clear, plan_prune, soft_trim
from desktop_app.context.prune.plan import calls_of_results, candidates_of
from desktop_app.context.view import View, view_of
from desktop_app.conversation.message import Message, Role, ToolResult
from desktop_app.conversation.transcript import Pin, Prune, Trigger

LONG = "Collected 12 items\n" + "ok\n" * 3_000 + "Error: refund_test failed\n"


def session(rounds: int, text: str = LONG, name: str = "bash") -> list[Message]:
    messages = [user("please")]
    for number in range(rounds):
        messages += [model("", call(name, f'{{"command": "run {number}"}}')), result(f"{number} {text}", name=name)]
    return [*messages, user("and?"), model("done"), user("next")]


def policy(**changed: object) -> ContextPolicy:
    eager = replace(BALANCED, protect_newest=1_000, prune_least=0, prune_least_share_of_window=0.0)
    return replace(eager, **changed)


def planned(view: View, chosen: ContextPolicy, window: int = 20_000) -> Prune | None:
    return plan_prune(view, chosen, Budget(window, 0), letters(), tokens(view), Trigger.USER)


def test_old_results_are_shortened_oldest_first_until_the_target_is_reached() -> None:
    messages = session(12)
    view = view_of(record(*messages))
    prune = planned(view, policy())
    assert prune is not None
    touched = [pruned.message_id for pruned in prune.results]
    assert touched == [f"m{2 * n + 2}" for n in range(len(touched))], "a run from the beginning, in order"
    assert prune.tokens_before == tokens(view)
    after = view_of(record(*messages, replace(prune, id="op")))
    assert prune.tokens_after == tokens(after) < 12_000
    mild = planned(view, policy(), window=45_000)
    assert mild is not None
    assert len(mild.results) < len(touched), "it stops as soon as the target is reached"


def test_calls_and_words_are_never_touched() -> None:
    messages = session(12)
    prune = planned(view_of(record(*messages)), policy())
    assert prune is not None
    after = view_of(record(*messages, replace(prune, id="op")))
    before = view_of(record(*messages))
    assert [t for r, t in sent(after) if r != "tool"] == [t for r, t in sent(before) if r != "tool"]
    assert [item.message.tool_calls for item in after.items] == [item.message.tool_calls for item in before.items]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"prune_least": 10**6, "prune_least_share_of_window": 1e6}, "it would free too little"),
        ({"protected_tools": ("bash",)}, "the tool is protected"),
        ({"protect_newest": 10**6, "protect_share_of_window": 1.0}, "all of it is new"),
        ({"protect_user_turns": 4}, "all of it belongs to the last turns of the user"),
    ],
)
def test_nothing_is_pruned(changed: dict[str, object], why: str) -> None:
    view = view_of(record(*session(12)))
    assert planned(view, replace(policy(), **changed), window=40_000) is None, why


def test_a_pinned_result_stays_whole() -> None:
    messages = [*session(12), Pin(message_id="m2", id="pin")]
    prune = planned(view_of(record(*messages)), policy())
    assert prune is not None
    assert "m2" not in {pruned.message_id for pruned in prune.results}


def test_candidates_know_their_call_and_their_age() -> None:
    view = view_of(record(*session(3)))
    found = candidates_of(view, policy(protect_newest=0, protect_user_turns=1), Budget(50_000, 0), letters())
    assert [(c.message.id, c.call and c.call.arguments, c.age) for c in found] == [
        ("m2", '{"command": "run 0"}', 3),
        ("m4", '{"command": "run 1"}', 2),
        ("m6", '{"command": "run 2"}', 1),
    ]


def test_results_are_paired_within_their_block_since_ids_repeat() -> None:
    two = model("", call("read", '{"n": 1}', "x"), call("bash", '{"n": 2}', "x"))
    items = list(view_of(record(user("a"), two, result("1", "x"), result("2", "x"))).items)
    assert {index: found.arguments for index, found in calls_of_results(items).items()} == {
        2: '{"n": 1}',
        3: '{"n": 2}',
    }


def trimmed(text: str, age: int) -> str | None:
    return soft_trim.shortened(ToolResult("c", "bash", text), None, 99, age, BALANCED)


def cleared(text: str, age: int, name: str = "bash", arguments: str = '{"command": "make"}') -> str | None:
    return hard_clear.shortened(ToolResult("c", name, text), call(name, arguments), 1_234, age, BALANCED)


def test_a_trimmed_result_keeps_both_ends_and_says_what_is_missing() -> None:
    text = "a" * 3_000 + "b" * 3_000
    short = trimmed(text, age=4)
    assert short is not None
    assert short.startswith("a" * 1_500 + "\n\n[… 3,000 characters left out")
    assert short.endswith("b" * 1_500)
    assert trimmed(short, age=4) is None, "a trimmed text is short enough"


@pytest.mark.parametrize(("length", "age"), [(6_000, 3), (4_000, 9), (0, 9)])
def test_a_young_or_a_short_result_is_not_trimmed(length: int, age: int) -> None:
    assert trimmed("x" * length, age) is None


def test_a_cleared_result_leaves_what_it_was_and_its_first_error() -> None:
    short = cleared("ok\nmake: *** [Makefile:3: test] Error 1\nFAILED tests/test_a.py\n", age=9)
    assert short == (
        '[Old result cleared: bash {"command": "make"} · 1,234 tokens · archived in full; run it again if you need it]'
        "\nmake: *** [Makefile:3: test] Error 1"
    )
    assert cleared(short, age=99) is None, "cleared once is cleared"
    assert cleared("ok", age=8) is None, "too young"
    bare = cleared("fine", age=9, arguments="{}")
    assert bare is not None
    assert bare.startswith("[Old result cleared: bash · ")
    assert "\n" not in bare


def test_a_mended_result_that_is_no_tools_is_never_pruned() -> None:
    shown = view_of(record(user("a"), model("", call("bash")), user("b"), model("c"), user("d")))
    assert shown.items[2].message.role is Role.TOOL
    assert candidates_of(shown, policy(protect_newest=0, protect_user_turns=0), Budget(9_999, 0), letters()) == []
