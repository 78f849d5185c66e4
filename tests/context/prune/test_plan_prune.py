from __future__ import annotations

import random
from collections import Counter

import pytest
from msgspec.structs import replace

from builders import call, letters, model, record, result, tokens, user
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import Overhead, TokenCounts
from desktop_app.context.policy import BALANCED, Budget, ContextPolicy
from desktop_app.context.presets import SELINE
from desktop_app.context.prune.exchange import calls_of_results, exchanges_of, is_protected
from desktop_app.context.prune.strategies import STRATEGIES, plan_prune
from desktop_app.context.view.view import View, assemble, view_of
from desktop_app.conversation.message import Message, Role, Text, ToolCall
from desktop_app.conversation.transcript import Prune, Transcript, Trigger, Undo

LONG = "Collected 12 items\n" + "ok\n" * 3_000 + "Error: refund_test failed\n"
ALL = tuple(STRATEGIES)


def session(rounds: int, text: str = LONG, name: str = "bash") -> list[Message]:
    messages = [user("please")]
    for number in range(rounds):
        messages += [model("", call(name, f'{{"command": "run {number}"}}')), result(f"{number} {text}", name=name)]
    return [*messages, user("and?"), model("done"), user("next")]


def policy(**changed: object) -> ContextPolicy:
    eager = replace(BALANCED, protect_newest=1_000, min_prune=0, prune_least_share_of_window=0.0)
    return replace(eager, **changed)


def planned(view: View, chosen: ContextPolicy, window: int = 20_000) -> Prune | None:
    return plan_prune(view, chosen, Budget(window, 0), letters(), tokens(view), Trigger.USER)


def test_old_results_are_shortened_oldest_first_until_the_target_is_reached() -> None:
    messages = session(12)
    view = view_of(record(*messages))
    chosen = policy(prune_order=("soft_trim", "hard_clear"))
    prune = planned(view, chosen)
    assert prune is not None
    touched = [pruned.message_id for pruned in prune.results]
    assert touched == [f"m{2 * n + 2}" for n in range(len(touched))], "a run from the beginning, in order"
    assert prune.tokens_before == tokens(view)
    after = view_of(record(*messages, replace(prune, id="op")))
    assert prune.tokens_after == tokens(after) < 12_000
    mild = planned(view, chosen, window=45_000)
    assert mild is not None
    assert len(mild.results) < len(touched), "it stops as soon as the target is reached"
    assert mild.tokens_after <= 22_500


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"min_prune": 10**6, "prune_least_share_of_window": 1e6}, "it would free too little"),
        ({"protected_tools": ("bash",)}, "the tool is protected"),
        ({"protect_newest": 10**6, "protect_share_of_window": 1.0}, "all of it is new"),
        ({"protect_user_turns": 4}, "all of it belongs to the last turns of the user"),
        ({"prune_target": 9.0}, "the target is reached already"),
        ({"prune_order": ()}, "no strategy is named"),
    ],
)
def test_nothing_is_pruned(changed: dict[str, object], why: str) -> None:
    view = view_of(record(*session(12)))
    assert planned(view, replace(policy(), **changed), window=40_000) is None, why


def test_an_unknown_strategy_is_named_in_the_error() -> None:
    view = view_of(record(*session(1)))
    with pytest.raises(ValueError, match=r"'shred'.*repeats, superseded, old_errors"):
        planned(view, policy(prune_order=("repeats", "shred")))


def test_exchanges_know_their_call_and_their_age() -> None:
    view = view_of(record(*session(3)))
    found = exchanges_of(view, policy(protect_newest=0, protect_user_turns=1), Budget(50_000, 0), letters())
    assert [(e.message.id, e.fields, e.age, e.turns, e.is_result_free) for e in found] == [
        ("m2", {"command": "run 0"}, 3, 2, True),
        ("m4", {"command": "run 1"}, 2, 2, True),
        ("m6", {"command": "run 2"}, 1, 2, True),
    ]


def test_results_are_paired_by_their_place_since_ids_repeat() -> None:
    two = model("", call("read", '{"n": 1}', "x"), call("bash", '{"n": 2}', "x"))
    again = [user("a"), two, result("1", "x"), result("2", "x"), model("", call("bash", "{}", "x")), result("3", "x")]
    items = list(view_of(record(*again)).items)
    paired = calls_of_results(items)
    assert {at: (a.index, a.number, a.call.arguments) for at, a in paired.items()} == {
        2: (1, 0, '{"n": 1}'),
        3: (1, 1, '{"n": 2}'),
        5: (4, 0, "{}"),
    }


def test_a_mended_result_that_is_no_tools_is_never_pruned() -> None:
    shown = view_of(record(user("a"), model("", call("bash")), user("b"), model("c"), user("d")))
    assert shown.items[2].message.role is Role.TOOL
    (found,) = exchanges_of(shown, policy(protect_newest=0, protect_user_turns=0), Budget(9_999, 0), letters())
    assert not found.is_result_free
    assert found.is_input_free


class Words:
    """Counts words, so that a marker in the place of many blanks makes a text dearer."""

    name = "words"
    overhead = Overhead()

    def count(self, text: str) -> int:
        return len(text.split())


def test_what_has_fewer_characters_but_more_tokens_stays_as_it_was() -> None:
    blanks = "word " * 200 + " " * 5_000 + "word " * 200
    rounds = [model("", call("bash")), result(blanks), model("", call("bash")), result("word " * 2_000)]
    view = view_of(record(user("please"), *rounds, *[model(f"{n}") for n in range(9)], user("and?")))
    counts = TokenCounts(Words())
    total = request_tokens(view, counts)
    chosen = policy(prune_order=("soft_trim",), protect_newest=0, protect_user_turns=1)
    prune = plan_prune(view, chosen, Budget(total, 0), counts, total, Trigger.USER)
    assert prune is not None
    assert prune.message_ids == ("m4",)
    after = view_of(record(*view.entries, replace(prune, id="op")))
    assert prune.tokens_after == request_tokens(after, counts)


def busy_session(seed: int, rounds: int = 60) -> list[Message]:
    """Reads, writes, failures and repeats of few files, several calls a reply, ids that repeat, blank texts."""
    dice = random.Random(seed)
    messages = [user("Begin.")]
    for number in range(rounds):
        calls, results = [], []
        for place in range(dice.choice((1, 1, 2, 3))):
            name = dice.choice(("read_file", "write_file", "bash", "str_replace_editor"))
            path = f"src/{dice.choice('abcd')}.py"
            body = f"{path} {number} said Tübingen 東京 👩‍👩‍👧 " * dice.choice((2, 40, 400))
            fields = {
                "read_file": f'{{"path": "{path}"}}',
                "write_file": f'{{"path": "{path}", "content": "{body}"}}',
                "bash": f'{{"command": "pytest {path}"}}',
                "str_replace_editor": dice.choice((f'{{"command": "view", "path": "{path}"}}', f"not json {body}")),
            }[name]
            is_error = dice.random() < 0.2
            said = "Error: no such file\n" if is_error else "done\n"
            calls.append(ToolCall(f"c{place}", name, fields))
            results.append(result(said + body * dice.choice((1, 4)), f"c{place}", name, is_error))
        blank = (Text(" "),) if dice.random() < 0.3 else ()
        messages.append(model(*blank, *calls))
        messages += results if dice.random() < 0.95 else results[1:]
        if dice.random() < 0.3:
            messages.append(user(f"Go on with {number}."))
    return [*messages, user("And now?"), model("Done."), user("Next.")]


ORDERS = [*((name,) for name in ALL), ALL, ALL[::-1]]


@pytest.mark.parametrize(("seed", "order"), [*enumerate(ORDERS), *enumerate(ORDERS[::-1], 20)])
def test_savings_are_those_of_the_assembled_request_and_nothing_of_the_record_changes(
    seed: int, order: tuple[str, ...]
) -> None:
    messages = busy_session(seed)
    transcript = record(*messages)
    chosen = policy(prune_order=order, prune_target=0.0, truncate_other_tools=2_000, truncate_tools=())
    prune = planned(view_of(transcript), chosen)
    assert prune is not None
    assert_exact_and_idempotent(transcript, prune, chosen)
    used = Counter(p.strategy for p in (*prune.results, *prune.inputs))
    assert set(used) <= set(order)
    assert used[order[0]], "the first strategy finds something in it"


def assert_exact_and_idempotent(transcript: Transcript, prune: Prune, chosen: ContextPolicy) -> None:
    view = view_of(transcript)
    pruned = transcript.append(replace(prune, id="op"))
    after = view_of(pruned)
    assert prune.tokens_before == tokens(view)
    assert prune.tokens_after == tokens(after) < prune.tokens_before
    assert list(pruned.entries)[:-1] == list(transcript.entries)
    assert shape_of(after) == shape_of(view), "each call and each result stays in its place, and each word as it was"
    again = plan_prune(
        after, replace(chosen, prune_target=0.0), Budget(20_000, 0), letters(), tokens(after), Trigger.USER
    )
    if again is not None:
        assert not places(again) & places(prune), "what a strategy shortened, it never shortens again"
        assert chosen.prune_target, "with nothing left to free, pruning again changes nothing"
    undone = view_of(pruned.append(Undo(id="undo", entry_id="op")))
    assert assemble(undone) == assemble(view)


def places(prune: Prune) -> set[tuple[str, int, str]]:
    """Each message, place and strategy that a prune names; -1: the result."""
    inputs = {(i.message_id, i.index, i.strategy) for i in prune.inputs}
    return inputs | {(r.message_id, -1, r.strategy) for r in prune.results}


def shape_of(view: View) -> list[tuple[str, list[str], str]]:
    """Roles, the calls' ids and names, and the results' ids, or the words of others."""
    return [
        (m.role, [f"{c.call_id} {c.name}" for c in m.tool_calls], m.tool_result.call_id if m.tool_result else m.text)
        for m in assemble(view)
    ]


PLANS = (
    *("tracker__todo_write", "TodoWrite", "TodoRead", "todowrite", "todoread", "update_plan", "mcp__x__plan", "x.plan"),
    *("update_todo_list", "manage-todo-list", "write_todos", "ExitPlanMode", "plan_enter", "plan_exit", "TODOWrite"),
    *("mcp__a__b__updatePlan", "functions.update_plan", "get_plan", "server__add_todo", "PLAN", "create_plan"),
)
NO_PLANS = (
    "explain",
    "planet_search",
    "plans__read",
    "airplane_search",
    "autodoc",
    "read",
    "grep",
    "mcp__plant__water",
)


@pytest.mark.parametrize(
    ("tool", "patterns", "is_kept"),
    [
        ("plan", ("plan",), True),
        ("tracker__plan", ("plan",), True),
        ("plan__remove", ("plan",), False),
        ("memory__create_entities", BALANCED.protected_tools, True),
        ("notes__save_memory", BALANCED.protected_tools, True),
        ("a__b__plan", ("*plan",), True),
        ("bash", ("*plan", "memory__*"), False),
        ("desk__executeCommand", SELINE.protected_tools, True),
        ("execute_command", SELINE.protected_tools, True),
        ("updatePlan", SELINE.protected_tools, True),
        *((tool, BALANCED.protected_tools, True) for tool in PLANS),
        *((tool, BALANCED.protected_tools, False) for tool in NO_PLANS),
    ],
)
def test_a_protected_tool_is_found_under_a_servers_name_too(
    tool: str, patterns: tuple[str, ...], is_kept: bool
) -> None:
    assert is_protected(tool, replace(BALANCED, protected_tools=patterns)) is is_kept
