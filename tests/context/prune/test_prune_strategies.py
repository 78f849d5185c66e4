from __future__ import annotations

import json

import pytest
import what_must_hold as must
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import ROOMY, call, letters, model, record, result, sent, tokens, user
from conversations_made_up import histories
from desktop_app.context.policy import BALANCED, Budget, ContextPolicy
from desktop_app.context.prune.exchange import LONG, PREFIX, Exchange, exchanges_of, shortened_arguments
from desktop_app.context.prune.strategies import STRATEGIES, cleared_line, trim_middle
from desktop_app.context.prune.unanswered import drop_results
from desktop_app.context.truncate import truncate_result
from desktop_app.context.view.view import View, view_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry, Pin, Prune, PrunedResult, Transcript, Trigger, Undo
from request_rules import legal_for_all
from texts import CALL_FAILED, LEFT_OUT, LEFT_OUT_HERE, READ_AGAIN, RESULT_CLEARED

OPEN = replace(BALANCED, protect_newest=0, protect_user_turns=0)
"""Nothing is protected but by a strategy's own rules."""
BODY = "def refund(order):\n" + "    total = rate(order)\n" * 40
Asked = tuple[str, str, str] | tuple[str, str, str, bool]


def messages_of(*asked: Asked | str) -> list[Message]:
    """A user's message for each text, a call and its result for each tool, arguments, result and whether it failed."""
    messages = [user("Begin.")]
    for one in asked:
        if isinstance(one, str):
            messages += [model("Done."), user(one)]
        else:
            name, arguments, text, *failed = one
            messages += [model("", call(name, arguments)), result(text, name=name, is_error=bool(failed and failed[0]))]
    return messages


def exchanges(*entries: AnyEntry, policy: ContextPolicy = OPEN) -> list[Exchange]:
    return exchanges_of(view_of(record(*entries)), policy, Budget(10**6, 0), letters())


def changed(strategy: str, *asked: Asked | str, policy: ContextPolicy = OPEN) -> dict[int, str]:
    """The new text or arguments of each exchange that the strategy would change."""
    changes = STRATEGIES[strategy](exchanges(*messages_of(*asked)), policy, 10**6)
    return {s.index: s.text if s.text is not None else s.arguments or "" for change in changes for s in change}


def read(path: str, text: str = BODY, **part: object) -> Asked:
    return "read", json.dumps({"path": path, **part}), text


def write(path: str, **more: object) -> Asked:
    return "write_file", json.dumps({"path": path, "content": BODY, **more}), "written"


# P1, repeats


def test_of_equal_calls_the_newest_keeps_its_result() -> None:
    old = changed(
        "repeats",
        ("search", '{"query": "refund", "most": 3}', "three hits"),
        ("search", '{"query": "invoice"}', "one hit"),
        ("grep", '{"query": "refund", "most": 3}', "another tool"),
        ("search", '{ "most":3,\n"query":"refund"}', "two hits"),
        ("search", '{"most": 3, "query": "refund"}', "no hit"),
    )
    assert sorted(old) == [0, 3]
    assert all(text.startswith("[Old result: the same call was made again later") for text in old.values())


def test_arguments_inside_arguments_are_compared_too_and_those_that_are_no_json() -> None:
    nested = changed("repeats", ("t", '{"a": {"x": 1, "y": 2}}', "1"), ("t", '{"a": {"y": 2, "x": 1}}', "2"))
    assert sorted(nested) == [0]
    assert sorted(changed("repeats", ("t", '{"a": [1, 2]}', "1"), ("t", '{"a": [2, 1]}', "2"))) == []
    assert sorted(changed("repeats", ("t", "{'a': 1", "1"), ("t", "{'a': 1", "2"))) == [0]


def test_a_repeat_that_failed_does_not_stand_for_a_result() -> None:
    fetch = ("fetch", '{"url": "https://a.example"}')
    assert changed("repeats", (*fetch, "the page"), (*fetch, "timed out", True)) == {}
    failed_before = changed("repeats", (*fetch, "Error: timed out after 3 s", True), (*fetch, "the page"))
    assert failed_before[0].endswith("]\nError: timed out after 3 s"), "the error of a failed result stays"


# P2, superseded


@pytest.mark.parametrize(
    ("later", "is_stale"),
    [
        ((read("src/a.py", "x = 1"),), True),
        ((read("./src//a.py", "x = 1"),), True),
        ((("bash", '{"command": "cat src/a.py"}', "x"),), True),
        ((read("src/a.py", "x = 1", offset=1),), True),
        ((write("src/a.py"),), True),
        ((read("src/b.py"),), False),
        ((read("src/a.py", "x = 1", offset=20),), False),
        ((("read", '{"path": "src/a.py"}', "no such file", True),), False),
        ((("read", '{"path": "src/a.py"}', "Error: ENOENT: no such file"),), False),
        ((("write_file", '{"path": "src/a.py", "content": "x"}', "Permission denied: src/a.py"),), False),
        ((("bash", '{"command": "sed -i s/x/y/ src/a.py"}', ""),), True),
        ((), False),
    ],
)
def test_a_read_is_stale_once_its_file_was_read_whole_or_changed(later: tuple[Asked, ...], is_stale: bool) -> None:
    stale = changed("superseded", read("src/a.py"), *later)
    assert (0 in stale) is is_stale
    assert len(stale) == is_stale
    if is_stale:
        assert stale[0].startswith(PREFIX + ": this file was ")


def test_a_part_that_was_read_is_stale_too_but_a_part_makes_nothing_stale() -> None:
    parts = [read("a.py", BODY, offset=10), read("a.py", BODY, offset=20)]
    assert changed("superseded", *parts) == {}
    assert sorted(changed("superseded", *parts, read("a.py"))) == [0, 1]


def test_a_read_whose_result_was_truncated_does_not_show_the_whole_file() -> None:
    cut = truncate_result("line\n" * 9_000, "read", BALANCED).text
    assert changed("superseded", read("a.py"), read("a.py", cut)) == {}


def test_what_was_written_is_dropped_once_the_file_was_read() -> None:
    old = changed("superseded", write("a.py", mode="w"), write("b.py"), read("a.py"), read("b.py", BODY, limit=3))
    assert sorted(old) == [0]
    size = len(BODY)
    assert json.loads(old[0]) == {
        "path": "a.py",
        "content": LEFT_OUT.format(size=size, why=READ_AGAIN),
        "mode": "w",
    }


def test_arguments_that_are_lists_become_a_note_and_short_ones_stay() -> None:
    edits = [{"old": "x" * 90, "new": "y" * 90}] * 3
    arguments = json.dumps({"path": "a.py", "edits": edits, "dry": False, "why": "w" * LONG})
    old = json.loads(changed("superseded", ("multi_edit", arguments, "ok"), read("a.py"))[0])
    assert list(old) == ["path", "edits", "dry", "why"]
    size = len(json.dumps(edits, separators=(",", ":")))
    assert old["edits"] == LEFT_OUT.format(size=size, why=READ_AGAIN)
    assert (old["dry"], old["why"]) == (False, "w" * LONG)
    assert changed("superseded", ("edit", '{"path": "a.py", "old": "x"}', "ok"), read("a.py")) == {}


def test_a_write_of_several_files_waits_until_all_were_read() -> None:
    patch = json.dumps({"patch": "*** Update File: a.py\n+x\n*** Add File: b.py\n" + "+y\n" * 99})
    assert changed("superseded", ("apply_patch", patch, "ok"), read("a.py")) == {}
    assert sorted(changed("superseded", ("apply_patch", patch, "ok"), read("a.py"), read("b.py"))) == [0]


def test_a_read_of_several_files_is_stale_once_each_was_read_or_changed() -> None:
    both = ("read_files", '{"paths": ["a.py", "b.py"]}', BODY)
    assert changed("superseded", both, read("a.py")) == {}
    assert sorted(changed("superseded", both, read("a.py"), write("b.py"))) == [0]


def test_a_command_that_writes_makes_a_read_stale_but_is_itself_kept() -> None:
    heredoc = json.dumps({"command": f"cat > a.py <<EOF\n{BODY}EOF\nmake"})
    stale = changed("superseded", read("a.py"), ("bash", heredoc, "ok"), read("a.py"))
    assert sorted(stale) == [0], "the command also ran make"
    assert sorted(changed("superseded", read("a.py"), ("bash", heredoc, "ok"))) == [0]


# P3, old errors


def test_after_four_turns_a_failed_call_loses_its_input() -> None:
    failed = ("edit", json.dumps({"path": "a.py", "new": BODY}), "old text not found", True)
    turns = ["one", "two", "three", "four"]
    assert changed("old_errors", failed, *turns[:3]) == {}
    dropped = json.loads(changed("old_errors", failed, *turns)[0])
    assert dropped == {"path": "a.py", "new": LEFT_OUT.format(size=len(BODY), why=CALL_FAILED)}
    assert changed("old_errors", (*failed[:2], "edited"), *turns) == {}, "it did not fail"
    untold = ("edit", failed[1], "Error: old text not found in a.py")
    assert sorted(changed("old_errors", untold, *turns)) == [0], "imported results carry no sign of their failure"


def test_arguments_that_cannot_be_read_are_left_out_whole() -> None:
    assert json.loads(shortened_arguments(None, "[" * 300, "why") or "") == {
        "left_out": LEFT_OUT.format(size=300, why="why")
    }
    assert shortened_arguments(None, "[" * LONG, "why") is None


# P4, soft trim; P6, hard clear


def test_a_trimmed_result_keeps_both_ends_and_says_what_is_missing() -> None:
    short = trim_middle("a" * 3_000 + "b" * 3_000, BALANCED)
    assert short is not None
    assert short.startswith("a" * 1_500 + "\n\n" + LEFT_OUT_HERE.format(size=3_000))
    assert short.endswith("b" * 1_500)
    assert trim_middle(short, BALANCED) is None, "a trimmed text is short enough"


def test_it_is_cut_between_lines_where_there_are_any() -> None:
    lines = "".join(f"line {n}\n" for n in range(900))
    short = trim_middle(lines, BALANCED) or ""
    head, _, tail = short.split("\n\n")
    assert lines.startswith(head + "\n")
    assert lines.endswith("\n" + tail)


@pytest.mark.parametrize("above", [2_000, 2_100])
def test_a_text_barely_over_the_limit_stays_since_the_marker_would_make_it_longer(above: int) -> None:
    only_head = replace(BALANCED, soft_trim_above=2_000, soft_trim_head=2_000, soft_trim_tail=0)
    assert trim_middle("x" * above, only_head) is None
    longer = trim_middle("x" * 2_300, only_head)
    assert longer is not None
    assert len(longer) < 2_300
    assert longer.endswith("archived …]")


def test_only_old_results_are_trimmed_and_cleared() -> None:
    asked = [("bash", f'{{"n": {n}}}', "x" * 5_000) for n in range(12)]
    assert sorted(changed("soft_trim", *asked)) == list(range(8)), "three replies are later than the ninth"
    assert sorted(changed("hard_clear", *asked)) == list(range(3)), "eight are later than the fourth"


def cleared(text: str, is_error: bool = False, arguments: str = '{"command": "make"}') -> str:
    (exchange,) = exchanges(*messages_of(("bash", arguments, text, is_error)))
    return cleared_line(exchange)


def test_a_cleared_result_leaves_what_it_was_and_its_first_error() -> None:
    assert cleared("ok\nmake: *** [Makefile:3: test] Error 1\nFAILED tests/test_a.py\n") == (
        RESULT_CLEARED.format(call='bash {"command": "make"}', size=63)
        + "if you need it]\nmake: *** [Makefile:3: test] Error 1"
    )
    bare = cleared("fine", arguments="{}")
    assert bare.startswith("[Old result cleared: bash · 4 characters · ")
    assert "\n" not in bare
    assert cleared("it went wrong\nbadly", is_error=True).endswith("\nit went wrong"), "a failed one says how it failed"


def test_a_result_that_was_trimmed_is_cleared_by_what_the_record_has_of_it() -> None:
    text = "ok\n" * 1_000 + "ValueError: no rate for 3\n" + "ok\n" * 1_000
    prune = Prune(trigger=Trigger.USER, results=(PrunedResult("m2", "soft_trim", "ok … ok"),), id="op")
    (exchange,) = exchanges(*messages_of(("bash", "{}", text)), prune)
    assert exchange.result.text == "ok … ok"
    line = cleared_line(exchange)
    assert f"{len(text):,} characters" in line
    assert line.endswith("\nValueError: no rate for 3")


def test_a_placeholder_is_not_shortened_again_but_a_result_that_looks_like_one_is() -> None:
    looks = f"{PREFIX} cleared: so it says]" + "x" * 5_000
    (exchange,) = exchanges(*messages_of(("read", "{}", looks)), model("Done."))
    assert exchange.is_result_free
    prune = Prune(trigger=Trigger.USER, results=(PrunedResult("m2", "hard_clear", f"{PREFIX} cleared]"),), id="op")
    (exchange,) = exchanges(*messages_of(("read", "{}", looks)), model("Done."), prune)
    assert not exchange.is_result_free


# the limits of layer 1


def test_what_came_in_oversized_is_truncated_however_young() -> None:
    cut = changed("truncate", ("grep", "{}", "hit\n" * 9_000), ("grep", '{"a": 1}', "hit\n" * 100))
    assert sorted(cut) == [0]
    assert cut[0].endswith("The whole is archived.]"), "there is no spill of it"


# Tool results dropped by shares after an overflow.


SHARES = BALANCED.overflow_shed


def rounds(*sizes: int, name: str = "bash") -> list[Message]:
    """A question, and a round with a result of each of those sizes, in tokens."""
    said = [user("Look into it.")]
    for number, size in enumerate(sizes):
        said += [model("", call(name, call_id=f"c{number}")), result("x123" * size, f"c{number}", name)]
    return said


def after(transcript: Transcript, share: float) -> tuple[Prune, View]:
    step = drop_results(view_of(transcript), BALANCED, ROOMY, letters(), share)
    assert step is not None
    return step, view_of(transcript.append(replace(step, id="shed")))


def test_large_ones_go_before_small_ones_and_old_ones_before_new_ones() -> None:
    of_a_size = record(*rounds(500, 500, 500, 500), model("Done."))
    assert after(of_a_size, 0.10)[0].message_ids == ("m2",)
    assert after(of_a_size, 0.50)[0].message_ids == ("m2", "m4")
    of_both = record(*rounds(400, 10, 900), model("Done."))
    assert after(of_both, 0.10)[0].message_ids == ("m6",), "twice as large counts for more than two replies older"
    of_many_sizes = record(*rounds(100, 120, 3_000, 140), model("Done."))
    assert after(of_many_sizes, 0.50)[0].message_ids == ("m6",)


def test_the_share_is_of_the_tokens_of_all_results() -> None:
    transcript = record(*rounds(*[400] * 20), model("Done."))
    freed = []
    for share in SHARES:
        step, _ = after(transcript, share)
        freed.append((step.tokens_before - step.tokens_after) / (400 * 20))
    assert freed == pytest.approx([0.10, 0.20, 0.50, 1.00], rel=0.12), "but for the line that stays of each"


def test_what_no_reply_has_followed_is_shortened_behind_the_others_and_never_dropped() -> None:
    of_both = record(*rounds(500, 9_000))
    assert after(of_both, 0.05)[0].message_ids == ("m2",), "the older one is share enough"
    for share in SHARES[1:]:
        step, shown = after(of_both, share)
        assert [(r.message_id, r.strategy) for r in step.results] == [("m2", "shed"), ("m4", "unanswered")]
        assert "x123" in must.chat_in(shown)[-1]["content"], "both ends of it are sent"
    alone = record(*rounds(9_000))
    freed = [step.tokens_before - step.tokens_after for step, _ in (after(alone, share) for share in SHARES)]
    assert [round(tokens / 9_000, 1) for tokens in freed] == [0.1, 0.2, 0.5, 1.0]
    assert drop_results(view_of(record(*rounds(300))), BALANCED, ROOMY, letters(), 1.0) is None, "the floor holds"


def test_pins_and_protected_tools_stay_at_any_share() -> None:
    pinned = record(*rounds(900, 800), model("Done."), Pin(message_id="m2", id="p"))
    assert after(pinned, 1.0)[0].message_ids == ("m4",)
    protected = record(*rounds(900, name="save_memory"), model("Done."))
    assert drop_results(view_of(protected), BALANCED, ROOMY, letters(), 1.0) is None


def test_what_was_shed_is_not_shed_again_and_comes_back_with_undo() -> None:
    transcript = record(*rounds(500, 500), model("Done."))
    before = sent(view_of(transcript))
    step, shown = after(transcript, 1.0)
    assert {pruned.strategy for pruned in step.results} == {"shed"}
    assert step.trigger is Trigger.OVERFLOW
    assert drop_results(shown, BALANCED, ROOMY, letters(), 1.0) is None
    grown = transcript.append(replace(step, id="shed")).append(Undo(entry_id="shed", id="u"))
    assert sent(view_of(grown)) == before


@given(histories(), st.sampled_from(SHARES))
def test_whatever_was_said_the_request_stays_legal_and_the_figures_are_measured(
    messages: list[Message], share: float
) -> None:
    transcript = record(*messages)
    before = view_of(transcript)
    step = drop_results(before, BALANCED, ROOMY, letters(), share)
    if step is None:
        return
    shown = view_of(transcript.append(replace(step, id="shed")))
    assert (step.tokens_before, step.tokens_after) == (tokens(before), tokens(shown))
    assert step.tokens_after < step.tokens_before
    assert must.repaired(must.chat_in(shown)) == must.repaired(must.chat_in(before))
    chat = must.chat_in(shown)
    if any(message["role"] != "system" for message in chat):
        must.have_none(legal_for_all(chat))
