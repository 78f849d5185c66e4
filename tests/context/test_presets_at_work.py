"""What the presets that are like other programs do; a quote of the document stands where it is short."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from preset_conversations import asked, ends, limits, pruned, talk, tokens_at, work

from builders import letters, model, record, system, tokens, user
from desktop_app.context.compact.compaction import CompactionPlan, plan_compaction
from desktop_app.context.presets import GOAGENT, LMSTUDIO, OPENCODE, SELINE, SPEC008
from desktop_app.context.truncate import truncate_result
from desktop_app.context.view.view import view_of
from desktop_app.conversation.transcript import Prune, Trigger

# --- 0: OpenFork, "opencode-aligned" ----------------------------------------------------------------------------------


def test_opencode_prunes_before_it_compacts() -> None:
    assert OPENCODE.layers == ("prune", "compact")
    assert OPENCODE.prune_at < OPENCODE.compact_at
    view = view_of(record(*work(90, 2_000), user("and?")))
    assert tokens(view) > 180_000
    assert isinstance(asked(OPENCODE, view, 200_000, Trigger.BEFORE_REQUEST), Prune)


def test_opencode_prunes_what_is_old_to_2_000_characters_until_20_000_tokens_are_free() -> None:
    messages = [*work(86, 2_000), user("and?")]
    prune = pruned(OPENCODE, view_of(record(*messages)), 200_000)
    assert prune is not None
    touched = [int(i[1:]) for i in prune.message_ids]
    assert touched == sorted(touched), "oldest first"
    assert sum(letters().total(message) for message in messages[touched[-1] + 1 :]) >= 40_000
    head, tail = ends(prune.results[0].text)
    assert messages[2].text.startswith(head)
    assert 1_800 <= len(head) <= 2_000, "to the end of a line"
    assert tail == ""
    assert 20_000 <= prune.tokens_before - prune.tokens_after < 22_000


def test_opencode_does_not_make_a_prune_that_frees_under_20_000() -> None:
    few = [*work(9, 2_000), *talk(80, 950), user("and?")]  # nine results of 2,000 less 500 tokens: 13,500
    view = view_of(record(*few))
    assert 170_000 < tokens(view) < 180_000
    assert pruned(OPENCODE, view, 200_000) is None
    assert asked(OPENCODE, view, 200_000, Trigger.BEFORE_REQUEST) is None, "and compaction is not due yet"


def test_opencode_looks_in_every_round_of_a_turn_but_not_after_it() -> None:
    view = view_of(record(*work(88, 2_000)))
    assert 170_000 < tokens(view) < 180_000
    assert isinstance(asked(OPENCODE, view, 200_000, Trigger.TOOL_RESULT), Prune)
    assert asked(OPENCODE, view, 200_000, Trigger.AFTER_TURN) is None


def test_opencode_compacts_no_single_message() -> None:
    view = view_of(record(user("a " * 60_000), *talk(33, 910), user("and?")))
    made, budget = limits(OPENCODE, 120_000)
    assert plan_compaction(view, made, budget, letters(), tokens(view), Trigger.BEFORE_REQUEST) is not None
    fat = view_of(record(user("a " * 20_000), user("b " * 180_000)))
    assert plan_compaction(fat, made, budget, letters(), tokens(fat), Trigger.BEFORE_REQUEST) is None


def test_opencode_compacts_the_older_half() -> None:
    view = view_of(record(*talk(100, 910), user("and?")))
    assert tokens(view) > 180_000
    plan = asked(OPENCODE, view, 200_000, Trigger.BEFORE_REQUEST)
    assert isinstance(plan, CompactionPlan)
    assert 90_000 < plan.projected <= 100_000, "what stays fills half of the window"
    assert plan.summary_budget == 2_000


def test_opencode_truncates_to_the_first_lines_and_goagent_to_both_ends() -> None:
    said = "\n".join(f"line {n}" for n in range(5_000))
    assert "line 4999" not in truncate_result(said, "bash", OPENCODE).text
    assert "line 1900\n" in truncate_result(said, "bash", OPENCODE).text
    for tool in ("bash", "read"):
        both = truncate_result(said, tool, GOAGENT).text
        assert both.startswith("line 0\n")
        assert "line 4999" in both
        assert "line 2500\n" not in both


def test_goagent_shows_only_a_notice_above_its_threshold_and_opencode_never() -> None:
    huge = "many words in it\n" * 20_000  # 340,000 characters
    assert truncate_result(huge, "bash", GOAGENT).shown_lines == 0
    assert truncate_result(huge, "bash", OPENCODE).shown_lines > 1_500


# --- 1: LM Studio -----------------------------------------------------------------------------------------------------


def test_lmstudio_reduces_by_40_to_60_percent() -> None:  # "Target: 40-60% token reduction"
    for turns, trigger in ((79, Trigger.BEFORE_REQUEST), (92, Trigger.STREAMING)):
        view = view_of(record(system("s"), *talk(turns, 480), user("and?")))
        assert tokens(view) > tokens_at(LMSTUDIO, "compact_at", 100_000)
        plan = asked(LMSTUDIO, view, 100_000, trigger)
        assert isinstance(plan, CompactionPlan)
        assert 0.40 <= 1 - plan.projected / plan.total <= 0.60


def test_lmstudio_truncates_nothing() -> None:
    huge = "x" * 10_000 + "\n" + "many words in it\n" * 100_000
    assert truncate_result(huge, "read", LMSTUDIO).text == huge


def test_lmstudio_keeps_the_newest_tool_result_and_never_shortens_one() -> None:  # "keepToolResult"
    assert asked(LMSTUDIO, view_of(record(*work(48, 2_000))), 100_000, Trigger.TOOL_RESULT) is None, "this one fits"
    view = view_of(record(*work(50, 2_000)))
    plan = asked(LMSTUDIO, view, 100_000, Trigger.TOOL_RESULT)
    assert isinstance(plan, CompactionPlan), "there is nothing to prune"
    assert view.items[-1].message.id not in plan.archived


# --- 2: SPEC-008 ------------------------------------------------------------------------------------------------------


def test_spec008_trims_results_older_than_three_assistants_to_both_ends() -> None:
    messages = [*work(8, 20_000), model("done"), user("and?")]
    prune = pruned(replace(SPEC008, prune_order=("soft_trim",)), view_of(record(*messages)), 60_000)
    assert prune is not None
    assert prune.message_ids == ("m2", "m4", "m6", "m8", "m10"), "three assistants came after m12"
    whole, (head, tail) = messages[2].text, ends(prune.results[0].text)
    assert whole.startswith(head)
    assert whole.strip().endswith(tail)
    assert 1_350 <= len(head) <= 1_500, "to the end of a line"
    assert 1_350 <= len(tail) <= 1_500
    however_empty = asked(SPEC008, view_of(record(*messages)), 2_000_000, Trigger.BEFORE_REQUEST)
    assert isinstance(however_empty, Prune), "before every request"


def test_spec008_trims_in_each_round() -> None:  # "before each LLM call"
    assert isinstance(asked(SPEC008, view_of(record(*work(8, 20_000))), 2_000_000, Trigger.TOOL_RESULT), Prune)


def test_spec008_compacts_when_only_the_reserve_is_left() -> None:
    for turns, is_due in ((98, False), (100, True)):
        view = view_of(record(*talk(turns, 900), user("and?")))
        assert (tokens(view) >= 180_000) is is_due
        assert isinstance(asked(SPEC008, view, 200_000, Trigger.BEFORE_REQUEST), CompactionPlan) is is_due


def test_spec008_compacts_before_it_prunes() -> None:
    view = view_of(record(*talk(40, 900), *work(60, 2_000), user("and?")))
    assert tokens(view) > 180_000
    assert pruned(SPEC008, view, 200_000) is not None, "there would be something to prune"
    assert isinstance(asked(SPEC008, view, 200_000, Trigger.BEFORE_REQUEST), CompactionPlan)


def test_spec008_keeps_its_last_ten_messages() -> None:
    view = view_of(record(*talk(101, 900)))
    plan = asked(SPEC008, view, 200_000, Trigger.BEFORE_REQUEST)
    assert isinstance(plan, CompactionPlan)
    assert len(view.items) - len(plan.archived) == 10


# --- 3: the Go agent --------------------------------------------------------------------------------------------------


def test_goagent_compacts_after_a_turn_when_only_the_reserve_is_left() -> None:
    window = 100_000  # contextWindow - ReserveTokens = 83,616
    for turns, is_due in ((92, False), (93, True)):
        view = view_of(record(*talk(turns, 446), user("and?")))
        assert (tokens(view) >= window - 16_384) is is_due
        plan = asked(GOAGENT, view, window, Trigger.AFTER_TURN)
        assert isinstance(plan, CompactionPlan) is is_due


def test_goagent_digests_results_at_a_tool_result_however_empty_the_window_is() -> None:
    for rounds, is_made in ((10, False), (11, True), (14, True)):
        view = view_of(record(*work(rounds, 400)))
        step = asked(GOAGENT, view, 200_000, Trigger.TOOL_RESULT)
        assert isinstance(step, Prune) is is_made, "ToolCallCutoff: 10"


def test_goagent_keeps_20_000_tokens_or_half_of_the_limit() -> None:
    for window, most in ((100_000, 20_000), (40_000, 11_808)):
        view = view_of(record(*talk(120, 400), user("and?")))
        plan = plan_compaction(
            view, *limits(GOAGENT, window), letters(), tokens(view), Trigger.AFTER_TURN
        )  # asked for outright, since the ladder is another test's
        assert plan is not None
        assert most - 900 < plan.tail <= most, "whole messages"


# --- 4: Seline --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "trigger", "is_made"),
    [
        (82, Trigger.AFTER_TURN, False),  # "Normal conversation (< 75% tokens): No compaction triggered"
        (84, Trigger.AFTER_TURN, True),  # "Long conversation (75-90% tokens): Background compaction triggered"
        (99, Trigger.BEFORE_REQUEST, False),
        (101, Trigger.BEFORE_REQUEST, True),  # "Very long conversation (90-95%): Forced compaction before response"
    ],
)
def test_seline_has_its_bands(turns: int, trigger: Trigger, is_made: bool) -> None:
    view = view_of(record(*talk(turns, 896), user("and?")))
    assert (asked(SELINE, view, 200_000, trigger) is not None) is is_made


def test_seline_keeps_its_last_six_messages() -> None:
    for messages, kept in (([*talk(101, 896)], 6), ([*talk(99, 896), *work(2, 2_000)], 6)):
        view = view_of(record(*messages))
        plan = asked(SELINE, view, 200_000, Trigger.BEFORE_REQUEST)
        assert isinstance(plan, CompactionPlan)
        assert len(view.items) - len(plan.archived) == kept
