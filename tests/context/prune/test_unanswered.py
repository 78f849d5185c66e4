"""Results that no reply has followed: they are in each request, whatever makes room, and as long as there is room."""

from __future__ import annotations

import json
from itertools import count as counting

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import call, continuing, letters, model, record, result, sent, system, tokens, user, view
from conversations_made_up import PIXEL, Letters
from desktop_app.context.compact.compaction import MIN_SUMMARY, CompactionPlan, compaction_of
from desktop_app.context.compact.room_decision import WindowTooSmall, next_step
from desktop_app.context.fitting import MAX_UNANSWERED_SHARE, fit_policy
from desktop_app.context.policy import BALANCED, Budget, ContextPolicy, budget_for
from desktop_app.context.presets import PRESETS
from desktop_app.context.prune.strategies import plan_prune
from desktop_app.context.prune.unanswered import (
    SHORTENED,
    common_ceiling,
    drop_results,
    floor_of,
    join_prunes,
    texts_to_keep,
    without_spills,
)
from desktop_app.context.truncate import is_truncated, shorten_result, truncate_result
from desktop_app.context.view.view import View, assemble, unanswered_ids, view_of
from desktop_app.conversation.message import Attachment, Message, Role, Text, ToolCall
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import (
    AnyEntry,
    Continuation,
    Pin,
    Prune,
    RequestContext,
    Switch,
    Transcript,
    Trigger,
    Undo,
)
from examples import examples

MAX_STEPS = 8
WINDOWS = (2_048, 4_096, 8_192, 10_240, 16_384, 32_768, 65_536, 131_072, 200_000)
LINES = st.sampled_from(
    [
        "    rate = table[key]  # once\n",
        "ERROR: no such file\n",
        "x" * 700 + "\n",
        "0123456789abcdef",
        "账本条目\n",
        "\n",
    ]
)
TEXTS = st.builds(lambda line, size: "." + (line * (size // len(line) + 1))[:size], LINES, st.integers(1, 40_000))
ASIDE = st.sampled_from(["", "By the way, only the text files.", "word " * 900])


def exchange(ids: list[str], texts: list[str], said: str = "", name: str = "read") -> list[Message]:
    """A reply with a call for each of those ids, and the results."""
    calls = (call(name, json.dumps({"path": f"src/{one}.py"}), one) for one in ids)
    return [model(said, *calls), *(result(text, one, name) for one, text in zip(ids, texts, strict=True))]


@st.composite
def waiting(draw: st.DrawFn) -> list[AnyEntry]:
    """A conversation, at the end of which are results that no reply has followed."""
    ids = (f"c{number}" for number in counting())
    said: list[AnyEntry] = [system("You are careful.")]
    for _ in range(draw(st.integers(0, 12))):
        said += [user(f"Do this. {draw(ASIDE)}")]
        if draw(st.booleans()):
            said += exchange([next(ids)], [draw(TEXTS)])
        said += [model("Done, and what comes next? " * draw(st.integers(1, 30)))]
    images = draw(st.integers(0, 1))
    said += [replace(user("Look."), parts=(Text("Look."), *[Attachment("a.png", "image/png", PIXEL)] * images))]
    texts = draw(st.lists(TEXTS, min_size=1, max_size=9))
    newest = [next(ids) for _ in texts]
    reply, *results = exchange(newest, texts, name=draw(st.sampled_from(["read", "bash", "plan", "memory__find"])))
    if draw(st.booleans()) and len(results) > 1:  # two messages of one reply
        first, *others = reply.tool_calls
        said += [model("", first), model("", *others)]
    else:
        said += [reply]
    said += results[: draw(st.integers(1, len(results)))]  # the rest still runs
    if draw(st.integers(0, 2)) == 0:
        said += [user(draw(ASIDE) or "Only that.")]
    if draw(st.integers(0, 9)) == 0:
        said.append(Pin(message_id="m1"))
    return said


def results_behind_the_last_reply(entries: list[AnyEntry]) -> list[Message]:
    """By the order of the record alone: the same results, found without the code that is tested."""
    messages = [entry for entry in entries if isinstance(entry, Message)]
    last = max(index for index, message in enumerate(messages) if message.role is Role.ASSISTANT)
    return [message for message in messages[last:] if message.role is Role.TOOL]


def made_room(
    transcript: Transcript, policy: ContextPolicy, budget: Budget, trigger: Trigger
) -> tuple[Transcript, list[str]]:
    """The record after all steps, and their ids."""
    done = list[str]()
    for _ in range(MAX_STEPS):
        shown = view_of(transcript)
        step = next_step(shown, policy, budget, letters(), trigger)
        if isinstance(step, CompactionPlan):
            step = compaction_of(step, transcript, shown, letters())
        if step is None:
            return transcript, done
        assert step.tokens_after < step.tokens_before == tokens(shown)
        done.append(f"step{len(done)}")
        transcript = transcript.append(replace(step, id=done[-1]))
        assert step.tokens_after == tokens(view_of(transcript)), "the saving was measured"
    raise AssertionError("making room does not end")


def missing(shown: View, wanted: list[Message], policy: ContextPolicy, budget: Budget) -> list[str]:
    """What of these results the request does not have, in a line each."""
    texts = {item.message.id: item.message.text for item in shown.items}
    least = min(policy.min_unanswered, round(budget.usable * MAX_UNANSWERED_SHARE))
    faults = [f"{m.id} is not in the request" for m in wanted if m.id not in texts]
    for message in wanted:
        now, whole = texts.get(message.id, ""), message.text
        if Letters().count(now) < min(Letters().count(whole), least):
            faults.append(f"of {message.id} only {len(now)} characters are left of {len(whole)}")
        if now != whole and not is_truncated(now):
            faults.append(f"{message.id} does not say that it was shortened")
    return faults


READS = exchange([f"c{n}" for n in range(7)], ["value = rate(1)\n" * 700] * 7)
SEVEN: list[AnyEntry] = [system("s"), user("Which one defines the limit?"), *READS]


@settings(max_examples=examples(150), deadline=None)
@example(SEVEN, "balanced", 32_768, Trigger.TOOL_RESULT)
@example(SEVEN, "goagent", 8_192, Trigger.STREAMING)
@example([system("s"), user("Read."), *exchange(["a"], ["0123456789abcdef" * 30_000])], "lmstudio", 8_192, "overflow")
@given(
    waiting(),
    st.sampled_from(sorted(PRESETS)),
    st.sampled_from(WINDOWS),
    st.sampled_from([one.value for one in Trigger]),
)
def test_whatever_makes_room_they_stay_and_the_request_fits(
    said: list[AnyEntry], preset: str, window: int, trigger: str
) -> None:
    budget = budget_for(PRESETS[preset], window)
    policy = fit_policy(PRESETS[preset], budget)
    transcript = record(*said)
    wanted = results_behind_the_last_reply(list(transcript.entries))
    assert unanswered_ids(view_of(transcript)) == {message.id for message in wanted}
    before = sent(view_of(transcript))
    try:
        made, done = made_room(transcript, policy, budget, Trigger(trigger))
    except WindowTooSmall as error:
        check_refusal(error, at_the_floor(transcript, wanted, policy, budget), policy, budget)
        return
    shown = view_of(made)
    assert not missing(shown, wanted, policy, budget)
    if Trigger(trigger) not in (Trigger.AFTER_TURN, Trigger.IDLE) or not budget.usable:
        assert tokens(shown) <= budget.usable
    to_keep = sum(letters().total(message) for message in wanted)
    assert tokens(shown) >= min(budget.usable // 2, to_keep), "nothing was shortened that there is room for"
    for undone in reversed(done):
        made = made.append(Undo(id=f"undo {undone}", entry_id=undone))
    assert sent(view_of(made)) == before


def check_refusal(error: WindowTooSmall, least: int, policy: ContextPolicy, budget: Budget) -> None:
    assert error.needed > error.usable == budget.usable
    assert least > budget.usable * min(policy.compact_at, 0.9)


def at_the_floor(transcript: Transcript, wanted: list[Message], policy: ContextPolicy, budget: Budget) -> int:
    """The tokens of what must stay, each of these results no longer than its floor and a bit for the line breaks."""
    most, ids = round(floor_of(policy, budget) / 0.85) + 60, {message.id for message in wanted}
    staying = [m for m in assemble(view_of(transcript)) if m.role is not Role.TOOL]
    asked = [m for m in staying if m.role is Role.SYSTEM or m.tool_calls][-3:] + [
        m for m in staying if m.role is Role.USER
    ]
    pinned = sum(letters().total(message) for message in asked)
    return 60 + pinned + sum(min(letters().total(m), most) for m in wanted if m.id in ids)


@given(waiting(), st.sampled_from(BALANCED.overflow_shed), st.sampled_from(WINDOWS))
def test_they_are_never_shed(said: list[AnyEntry], share: float, window: int) -> None:
    budget = budget_for(BALANCED, window)
    transcript = record(*said)
    wanted = results_behind_the_last_reply(list(transcript.entries))
    step = drop_results(view_of(transcript), BALANCED, budget, letters(), share)
    if step is None:
        return
    after = transcript.append(replace(step, id="shed"))
    assert not missing(view_of(after), wanted, BALANCED, budget)
    assert (step.tokens_before, step.tokens_after) == (tokens(view_of(transcript)), tokens(view_of(after)))
    assert sent(view_of(after.append(Undo(id="undo", entry_id="shed")))) == sent(view_of(transcript))


def test_what_is_older_goes_first() -> None:
    old = [m for n in range(9) for m in exchange([f"o{n}"], ["an old line\n" * 200])]
    transcript = record(system("s"), user("Go on."), *old, *READS)
    budget = budget_for(BALANCED, 32_768)
    made, _ = made_room(transcript, fit_policy(BALANCED, budget), budget, Trigger.TOOL_RESULT)
    shown = view_of(made)
    texts = [item.message.text for item in shown.items if item.message.role is Role.TOOL]
    assert texts == ["value = rate(1)\n" * 700] * 7, "each of them whole, since they fit alone"
    assert {f"m{n}" for n in range(2, 20)} == set(shown.statuses)


def test_the_largest_are_shortened_to_a_common_ceiling_and_the_others_left_whole() -> None:
    sizes = [50, 900, 3_000, 12_000, 40_000, 90_000]
    texts = [("value = rate(1)\n" * 6_000)[:size] for size in sizes]
    transcript = record(system("s"), user("Read."), *exchange([f"c{n}" for n in range(6)], texts))
    budget = budget_for(BALANCED, 16_384)
    made, done = made_room(transcript, fit_policy(BALANCED, budget), budget, Trigger.TOOL_RESULT)
    lengths = [len(item.message.text) for item in view_of(made).items if item.message.role is Role.TOOL]
    assert lengths[:4] == sizes[:4]
    assert lengths[4] == pytest.approx(lengths[5], rel=0.15)
    assert len(done) == 1
    assert 0.8 <= tokens(view_of(made)) / budget.usable < 0.9


def test_room_for_a_summary_of_what_is_older_is_left_beside_them() -> None:
    chat = [m for n in range(40) for m in (user(f"Never touch vendor/{n}. " * 20), model(f"So it is, {n}. " * 20))]
    transcript = record(system("s"), *chat, user("Read them."), *READS)
    budget = budget_for(BALANCED, 16_384)
    made, done = made_room(transcript, fit_policy(BALANCED, budget), budget, Trigger.TOOL_RESULT)
    shown = view_of(made)
    assert shown.summary is not None
    assert Letters().count(shown.summary.summary) > 2 * MIN_SUMMARY
    assert tokens(shown) < budget.usable * BALANCED.compact_at
    assert len(done) == 2


def test_which_ones_are_unanswered() -> None:
    a, b = call("read", call_id="a"), call("read", call_id="b")
    of_a, of_b = result("A", "a"), result("B", "b")
    cases: dict[str, tuple[list[AnyEntry], set[str]]] = {
        "of a reply with several calls": ([user("q"), model("", a, b), of_a, of_b], {"m2", "m3"}),
        "one while the other runs": ([user("q"), model("", a, b), of_a], {"m2"}),
        "of two messages that are one reply": ([user("q"), model("", a), model("", b), of_a, of_b], {"m3", "m4"}),
        "behind a user's message": ([user("q"), model("", a), of_a, user("x"), user("y")], {"m2"}),
        "none that a reply has followed": ([user("q"), model("", a), of_a, model("It is A.")], set()),
        "not those of the reply before": ([user("q"), model("", a), of_a, model("", b), of_b], {"m4"}),
        "none without a result": ([user("q"), model("", a)], set()),
        "no result of nobody's call": ([user("q"), model("x"), result("?", "z")], set()),
    }
    for what, (said, wanted) in cases.items():
        assert unanswered_ids(view(*said)) == wanted, what


def test_a_reply_that_was_stopped_to_make_room_has_not_answered_them() -> None:
    begun = [user("q"), model("", call("read")), result("R" * 900), model("It says")]
    stopped = view(*begun, Continuation(reply_id="m3"))
    assert unanswered_ids(view(*begun)) == set()
    assert unanswered_ids(stopped) == {"m2"}
    more = [*begun, Continuation(reply_id="m3"), replace(model(" that"), continues="m3"), Continuation(reply_id="m5")]
    assert unanswered_ids(view(*more)) == {"m2"}
    assert unanswered_ids(continuing(view(*begun))) == {"m2"}
    cut = [*begun[:-1], replace(model("It says"), is_interrupted=True)]
    assert unanswered_ids(view(*cut)) == {"m2"}, "the user may ask it to go on"
    assert unanswered_ids(view(*cut, user("Never mind."))) == set()


def test_another_branch_has_answered_nothing() -> None:
    said = [user("q"), model("", call("read")), result("R"), model("It is R.")]
    assert unanswered_ids(view(*said, Switch(branch=""))) == set()


def test_a_repeated_call_loses_its_older_result_alone() -> None:
    text = "value = rate(1)\n" * 900
    asked = '{"path": "a.py"}'
    said = [user("q"), model("", call("read", asked)), result(text), model("Read."), user("Again.")]
    twice = [model("", call("read", asked, "x"), call("read", asked, "y")), result(text, "x"), result(text, "y")]
    transcript = record(*said, *twice)
    policy = replace(BALANCED, protect_newest=0, protect_user_turns=0, min_prune=0, prune_target=0.1)
    shown = view_of(transcript)
    budget = Budget(round(tokens(shown) / 0.85), 0)
    step = plan_prune(shown, policy, budget, letters(), tokens(shown), Trigger.TOOL_RESULT)
    assert step is not None
    assert step.message_ids == ("m2",)


def test_a_pinned_one_stays_word_for_word_and_the_others_make_room_for_it() -> None:
    transcript = record(*SEVEN, Pin(message_id="m4"))
    budget = budget_for(BALANCED, 16_384)
    made, _ = made_room(transcript, fit_policy(BALANCED, budget), budget, Trigger.TOOL_RESULT)
    texts = {item.message.id: item.message.text for item in view_of(made).items}
    assert texts["m4"] == "value = rate(1)\n" * 700
    assert all(is_truncated(texts[f"m{n}"]) for n in (3, 5, 6, 7, 8, 9))


def test_where_nothing_helps_the_error_names_the_tools_that_can_be_left_out() -> None:
    tools = tuple(ToolSpec(f"do_{n}", "Does something. " * 12, "{}", "playwright") for n in range(58))
    asked = [RequestContext(tools=tools), user("q"), *exchange(["a"], ["R" * 4_000])]
    with pytest.raises(WindowTooSmall) as caught:
        next_step(view(*asked), BALANCED, Budget(3_000, 0), letters(), Trigger.TOOL_RESULT)
    assert "switch off the tools of playwright, which take 3," in caught.value.advice
    roomy = Budget(4_000, 0)
    made, _ = made_room(record(*asked), fit_policy(BALANCED, roomy), roomy, Trigger.TOOL_RESULT)
    assert not missing(view_of(made), results_behind_the_last_reply(list(made.entries)), BALANCED, roomy)


def test_the_whole_of_each_is_kept_before_a_notice_names_it() -> None:
    transcript = record(*SEVEN)
    budget = budget_for(BALANCED, 8_192)
    step = next_step(view_of(transcript), fit_policy(BALANCED, budget), budget, letters(), Trigger.TOOL_RESULT)
    assert isinstance(step, Prune)
    kept = texts_to_keep(step, (m for m in transcript.entries if isinstance(m, Message)))
    assert set(kept) == set(step.message_ids)
    assert {r.strategy for r in step.results} == {SHORTENED}
    spilled = [truncate_result(text, "read", BALANCED) for text in kept.values()]
    assert all("kept as" in r.text for r in step.results)
    assert spilled
    bare = without_spills(step, kept, Letters().count)
    assert all("The whole is archived.]" in r.text and "kept as" not in r.text for r in bare.results)
    assert all(is_truncated(r.text) for r in bare.results)


def test_what_was_truncated_as_it_entered_goes_on_with_its_own_spill() -> None:
    whole = "".join(f"line {n} of the log\n" for n in range(9_000))
    entered = truncate_result(whole, "bash", BALANCED)
    shorter = shorten_result(entered.text, 3_000)
    assert shorter.spill == entered.spill
    assert len(shorter.text) <= 3_000
    assert (shorter.lines, shorter.bytes) == (entered.lines, entered.bytes)
    assert shorter.first_cut_line < entered.first_cut_line
    again = shorten_result(shorter.text, 2_000)
    assert (again.spill, again.lines) == (entered.spill, entered.lines)
    assert again.text.count("[Truncated: ") == 1


@given(TEXTS, st.integers(0, 5_000))
def test_a_shortened_result_has_both_ends_and_says_where_it_goes_on(text: str, most: int) -> None:
    made = shorten_result(text, most)
    if made.spill is None:
        assert made.text == text
        return
    alone = shorten_result(text, 0).text
    assert len(made.text) <= max(most, len(alone))
    if made.shown_bytes:
        head = made.text.partition("\n[… ")[0]
        assert text.startswith(head)
        lines = text.split("\n")
        read = "\n".join(
            [lines[made.first_cut_line - 1][max(made.first_cut_character - 1, 0) :], *lines[made.first_cut_line :]]
        )
        assert text.endswith(read)
        assert len(head) + len(read) in (len(text), len(text) - 1), "reading on misses nothing and repeats nothing"


@given(st.lists(st.integers(1, 500), min_size=1, max_size=20), st.integers(0, 5_000))
def test_the_common_ceiling_is_the_highest_that_fits(sizes: list[int], room: int) -> None:
    ceiling = common_ceiling(sizes, room)
    assert sum(min(size, ceiling) for size in sizes) <= room or ceiling == 0
    assert ceiling == max(sizes) or sum(min(size, ceiling + 1) for size in sizes) > room


def test_two_prunes_joined_are_as_both_one_after_the_other() -> None:
    old = exchange(["o"], ["an old line\n" * 900])
    transcript = record(system("s"), user("Go on."), *old, model("Done."), user("Read."), *READS)
    shown = view_of(transcript)
    first = drop_results(shown, BALANCED, Budget(20_000, 0), letters(), 0.05)
    assert first is not None
    second = drop_results(
        view_of(transcript.append(replace(first, id="a"))), BALANCED, Budget(20_000, 0), letters(), 0.5
    )
    assert second is not None
    both = view_of(transcript.append(replace(first, id="a")).append(replace(second, id="b")))
    joined = join_prunes(first, second)
    assert sent(view_of(transcript.append(replace(joined, id="ab")))) == sent(both)
    assert (joined.tokens_before, joined.tokens_after) == (tokens(shown), tokens(both))


def test_a_call_keeps_its_arguments_until_its_result_was_answered() -> None:
    long = ToolCall("w", "write", json.dumps({"path": "a.py", "content": "x = 1\n" * 2_000}))
    said = [user("q"), model("", long), result("written", "w", "write"), user("And?")]
    transcript = record(*said)
    policy = replace(BALANCED, protect_newest=0, protect_user_turns=0, min_prune=0, prune_target=0.1)
    budget = Budget(round(tokens(view_of(transcript)) / 0.92), 0)
    made, _ = made_room(transcript, policy, budget, Trigger.BEFORE_REQUEST)
    assert assemble(view_of(made))[1].tool_calls[0].arguments == long.arguments
