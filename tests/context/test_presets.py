"""The presets that are like other programs: the numbers of their documents, each with its quote, and what they do.

What follows a # is quoted from the document, or says how the number follows from it.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_by_hand import call, letters, model, record, result, system, tokens, user
from msgspec.structs import replace

from conversations_made_up import long_conversation
from desktop_app.context.breakdown import request_tokens
from desktop_app.context.compact import CompactionPlan, compaction_of, plan_compaction
from desktop_app.context.make_room import make_room
from desktop_app.context.policy import NO_LIMIT, Budget, ContextPolicy, budget_for, fitted, is_due_without_window
from desktop_app.context.presets import GOAGENT, LIKE_PROGRAMS, LMSTUDIO, OPENCODE, PRESETS, SELINE, SPEC008
from desktop_app.context.prune import plan_prune
from desktop_app.context.truncate import truncated
from desktop_app.context.view import View, previewed, view_of
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Prune, Trigger


def has(policy: ContextPolicy, **numbers: object) -> None:
    assert {field: getattr(policy, field) for field in numbers} == numbers


def limits(policy: ContextPolicy, window: int) -> tuple[ContextPolicy, Budget]:
    budget = budget_for(policy, window)
    return fitted(policy, budget), budget


def tokens_at(policy: ContextPolicy, step: str, window: int) -> int:
    """From how many tokens on that step is due."""
    made, budget = limits(policy, window)
    return round(getattr(made, step) * budget.usable)


def asked(policy: ContextPolicy, view: View, window: int, trigger: Trigger) -> Prune | CompactionPlan | None:
    return make_room(view, *limits(policy, window), letters(), trigger)


def pruned(policy: ContextPolicy, view: View, window: int) -> Prune | None:
    return plan_prune(view, *limits(policy, window), letters(), tokens(view), Trigger.BEFORE_REQUEST)


def talk(turns: int, size: int) -> list[Message]:
    """Turns of a question and an answer, each of `size` tokens by letters and its frame."""
    text = "word " * size
    return [m for n in range(turns) for m in (user(f"{n} {text}"[: 4 * size]), model(f"{n} {text}"[: 4 * size]))]


def work(rounds: int, size: int) -> list[Message]:
    """One turn with many tool results of `size` tokens."""
    text = "line of output\n" * size
    rounds_of = [(model("", call("bash", f'{{"n": {n}}}')), result(f"{n} {text}"[: 4 * size])) for n in range(rounds)]
    return [user("please"), *(m for pair in rounds_of for m in pair)]


# --- 0: OpenFork, "opencode-aligned" ----------------------------------------------------------------------------------


def test_opencode_has_its_documents_numbers() -> None:
    has(
        OPENCODE,
        limit_without_window=128_000,  # DefaultContextWindow = 128_000
        reserve_tokens=16_384,  # DefaultMaxOutputTokens = 16_384
        truncate_lines=2_000,  # MaxOutputLines = 2_000
        truncate_bytes=51_200,  # MaxOutputBytes = 50 * 1024
        truncate_line=2_000,  # MaxLineLength = 2_000
        truncate_other_tools=50_000,  # ["default"] = 50_000
        truncate_keep="head",  # "if (lineCount >= MaxOutputLines) break", from the first line on
        prune_at=0.85,  # if (currentTokens > contextLimit * 0.85)
        shares_of="window",  # currentTokens > contextLimit * TokenConstants.CompactionThreshold
        protect_newest=40_000,  # PruneProtectTokens = 40_000
        prune_least=20_000,  # "Min 20K token reduction (PRUNE_MINIMUM)"
        prune_enough=20_000,  # "Stop pruning once minimum reduction achieved"
        soft_trim_head=2_000,  # PruneOutputRetainChars = 2_000; Keep first N chars of pruned output
        soft_trim_tail=0,
        soft_trim_above=2_000,  # toolPart.Output?.Length > TokenConstants.PruneOutputRetainChars
        compact_at=0.90,  # CompactionThreshold = 0.90
        target=0.50,  # CompactionTargetPercent = 50
        head_least=2,  # if (messagesToCompact.Count < 2) "Not enough messages to compact"
        summary_most=2_000,  # "Keep the summary under 2000 tokens"
        strategy="llm",  # "LLM summarizes older messages"
    )
    assert dict(OPENCODE.truncate_tools) == {  # ToolOutputLimits
        "read": 100_000,
        "bash": 50_000,
        "grep": 30_000,
        "glob": 20_000,
        "web_fetch": 50_000,
        "web_search": 20_000,
        "list": 10_000,
    }
    assert tokens_at(OPENCODE, "prune_at", 200_000) == 170_000
    assert tokens_at(OPENCODE, "compact_at", 200_000) == 180_000
    assert tokens_at(OPENCODE, "target", 200_000) == 100_000


def test_opencode_prunes_before_it_compacts_and_both_before_a_request() -> None:
    assert OPENCODE.layers == ("prune", "compact")
    assert OPENCODE.prune_at < OPENCODE.compact_at
    assert OPENCODE.phases == ("before_request",)
    view = view_of(record(*work(90, 2_000), user("and?")))
    assert tokens(view) > 180_000
    assert isinstance(asked(OPENCODE, view, 200_000, Trigger.BEFORE_REQUEST), Prune)


def ends(shown: str) -> tuple[str, str]:
    """What a trimmed text kept: before and after the word on what is missing."""
    head, _, rest = shown.partition("[… ")
    return head.strip(), rest.partition("…]")[2].strip()


def test_opencode_never_prunes_within_the_newest_40_000_tokens() -> None:
    messages = [*work(86, 2_000), user("and?")]
    prune = pruned(OPENCODE, view_of(record(*messages)), 200_000)
    assert prune is not None
    touched = [int(i[1:]) for i in prune.message_ids]
    assert touched == sorted(touched), "oldest first"
    assert sum(letters().total(message) for message in messages[touched[-1] + 1 :]) >= 40_000


def test_opencode_keeps_the_first_2_000_characters_of_a_pruned_result() -> None:
    messages = [*work(86, 2_000), user("and?")]
    prune = pruned(OPENCODE, view_of(record(*messages)), 200_000)
    assert prune is not None
    head, tail = ends(prune.results[0].text)
    assert messages[2].text.startswith(head)
    assert 1_800 <= len(head) <= 2_000, "to the end of a line"
    assert tail == ""


def test_opencode_does_not_make_a_prune_that_frees_under_20_000() -> None:
    few = [*work(9, 2_000), *talk(80, 950), user("and?")]  # nine results of 2,000 less 500 tokens: 13,500
    view = view_of(record(*few))
    assert 170_000 < tokens(view) < 180_000
    assert pruned(OPENCODE, view, 200_000) is None
    assert asked(OPENCODE, view, 200_000, Trigger.BEFORE_REQUEST) is None, "and compaction is not due yet"


def test_opencode_stops_pruning_once_20_000_are_freed() -> None:
    prune = pruned(OPENCODE, view_of(record(*work(86, 2_000), user("and?"))), 200_000)
    assert prune is not None
    assert 20_000 <= prune.tokens_before - prune.tokens_after < 22_000


def test_opencode_makes_no_room_after_a_turn_or_at_a_tool_result_that_fits() -> None:
    view = view_of(record(*work(88, 2_000), user("and?")))
    assert asked(OPENCODE, view, 200_000, Trigger.AFTER_TURN) is None
    assert asked(OPENCODE, view, 200_000, Trigger.TOOL_RESULT) is None
    assert asked(OPENCODE, view, 190_000, Trigger.TOOL_RESULT) is not None, "this one would not fit"


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
    assert "line 4999" not in truncated(said, "bash", OPENCODE).text
    assert "line 1900\n" in truncated(said, "bash", OPENCODE).text
    for tool in ("bash", "read"):
        both = truncated(said, tool, GOAGENT).text
        assert both.startswith("line 0\n")
        assert "line 4999" in both
        assert "line 2500\n" not in both


def test_goagent_shows_only_a_notice_above_its_threshold_and_opencode_never() -> None:
    huge = "many words in it\n" * 20_000  # 340,000 characters
    assert truncated(huge, "bash", GOAGENT).shown_lines == 0
    assert truncated(huge, "bash", OPENCODE).shown_lines > 1_500


# --- 1: LM Studio -----------------------------------------------------------------------------------------------------


def test_lmstudio_has_its_documents_numbers() -> None:
    has(
        LMSTUDIO,
        compact_at=0.80,  # inputThreshold: 0.8 (80%)
        stream_stop_at=0.90,  # warningThreshold: 0.9 (90%); "Check 90% threshold during streaming"
        stream_abort_at=1.00,  # "If percentage >= 100: ... Context limit exceeded, aborting"
        stream_restarts=3,  # "Max 3 restart attempts"
        tool_result_tries=3,  # "Max 3 restart attempts per request"
        buffer_share_of_rest=0.20,  # "Add output buffer: 20% of remaining context
        buffer_least=1_000,  # or min 1000 tokens"
        last_resort_messages=5,  # "Fallback: Keep system message + last 5 messages"
        limit_without_window=0,  # "throw error if !modelInfo?.contextLimit"
        prune_order=(),  # only the pruning agent, which is a model
        strategy="llm",
        truncate_lines=NO_LIMIT,  # "Tool responses that would overflow trigger compaction instead of truncation"
        truncate_bytes=NO_LIMIT,
        truncate_other_tools=NO_LIMIT,
    )
    # "Three-phase defense: Pre-request, Tool response, Real-time (all required)"
    assert LMSTUDIO.phases == ("before_request", "tool_result", "streaming")


@pytest.mark.parametrize("window", [8_192, 16_000, 32_768, 131_072, 1_000_000])
def test_lmstudio_adds_its_buffer_before_it_compares_with_80_percent(window: int) -> None:
    due = tokens_at(LMSTUDIO, "compact_at", window)

    def estimated(messages: int) -> float:  # estimateInputTokens of the document
        return messages + max(0.2 * (window - messages), 1_000)

    assert estimated(due - 1) < 0.8 * window < estimated(due + 1)


def test_lmstudio_reduces_by_40_to_60_percent() -> None:  # "Target: 40-60% token reduction"
    for turns, trigger in ((79, Trigger.BEFORE_REQUEST), (92, Trigger.STREAMING)):
        view = view_of(record(system("s"), *talk(turns, 480), user("and?")))
        assert tokens(view) > tokens_at(LMSTUDIO, "compact_at", 100_000)
        plan = asked(LMSTUDIO, view, 100_000, trigger)
        assert isinstance(plan, CompactionPlan)
        assert 0.40 <= 1 - plan.projected / plan.total <= 0.60


def test_lmstudio_truncates_nothing() -> None:
    huge = "x" * 10_000 + "\n" + "many words in it\n" * 100_000
    assert truncated(huge, "read", LMSTUDIO).text == huge


def test_lmstudio_keeps_the_newest_tool_result_and_never_shortens_one() -> None:  # "keepToolResult"
    view = view_of(record(*work(40, 2_000)))
    plan = asked(LMSTUDIO, view, 100_000, Trigger.TOOL_RESULT)
    assert isinstance(plan, CompactionPlan), "there is nothing to prune"
    assert view.items[-1].message.id not in plan.archived


# --- 2: SPEC-008 ------------------------------------------------------------------------------------------------------


def test_spec008_has_its_documents_numbers() -> None:
    has(
        SPEC008,
        reserve_tokens=20_000,  # reserve_tokens: int = 20_000
        flush_distance=4_000,  # flush_threshold: int = 4_000
        compact_at=1.0,  # estimated_tokens > (self.context_window - self.reserve_tokens)
        soft_trim_age=3,  # prune_keep_last_assistants: int = 3
        soft_trim_above=4_000,  # prune_soft_trim_chars: int = 4_000
        soft_trim_head=1_500,  # head_chars: int = 1500
        soft_trim_tail=1_500,  # tail_chars: int = 1500
        tail_messages=10,  # recent_messages = messages[-keep_recent * 2:], keep_recent_turns: int = 5
        summary_most=1_000,  # "Output: ~500-1000 tokens"
        strategy="llm",  # "using a secondary LLM call"
        prune_at=0.0,  # "Applied in-memory before each LLM call"
        prune_least=0,
        protect_newest=0,
    )
    assert SPEC008.prune_order == ("soft_trim", "hard_clear")
    assert SPEC008.layers == ("compact", "prune")  # "Step 3: Compact if over threshold ... Step 4: Prune tool results"
    assert tokens_at(SPEC008, "compact_at", 200_000) == 180_000  # context_window: int = 200_000


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


def test_spec008_never_modifies_what_users_and_models_say() -> None:
    view = view_of(record(*talk(100, 900), user("and?")))
    assert tokens(view) > 180_000
    assert pruned(SPEC008, view, 200_000) is None


def test_spec008_compacts_when_only_the_reserve_is_left() -> None:
    for turns, is_due in ((98, False), (100, True)):
        view = view_of(record(*talk(turns, 900), user("and?")))
        assert (tokens(view) >= 180_000) is is_due
        assert isinstance(asked(SPEC008, view, 200_000, Trigger.BEFORE_REQUEST), CompactionPlan) is is_due


def test_spec008_trims_before_every_request_however_empty_the_window_is() -> None:
    view = view_of(record(*work(8, 2_000), model("done"), user("and?")))
    assert tokens(view) < 0.1 * 200_000
    prune = asked(SPEC008, view, 200_000, Trigger.BEFORE_REQUEST)
    assert isinstance(prune, Prune)
    assert prune.message_ids == ("m2", "m4", "m6", "m8", "m10")


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


def test_goagent_has_its_documents_numbers() -> None:
    has(
        GOAGENT,
        messages_most=50,  # MaxMessages: 50
        limit_without_window=8_000,  # MaxTokens: 8000
        tail_messages=5,  # KeepRecent: 5
        tail_most=20_000,  # KeepRecentTokens: 20000
        tail_share=0.5,  # "clamped to at most half of the effective token limit"
        reserve_tokens=16_384,  # ReserveTokens: 16384
        digest_above=10,  # ToolCallCutoff: 10
        digest_by="model",  # ToolSummaryStrategy: "llm"
        digest_model_input=12_000,  # "input clipped to 12000 chars"
        digest_model_most=1_200,  # "output clipped to 1200 runes"
        digest_most=800,  # "Heuristic fallback output is clipped to 800 runes"
        is_automatic=True,  # AutoCompact: true
        truncate_lines=2_000,  # MaxLines: 2000
        truncate_bytes=51_200,  # MaxBytes: 50 * 1024
        truncate_other_tools=204_800,  # MaxChars: 200 * 1024
        spill_above=204_800,  # LargeOutputThreshold: 200 * 1024
        truncate_keep="head_tail",  # TruncateMode: "head_tail"
        summary_input_result=1_800,  # "reduced to a max of 1800 runes for summary input"
        overflow_retries=1,  # maxCompactionRecoveries = 1
        prune_order=("digest",),
        strategy="llm",
    )
    assert GOAGENT.truncate_tools == ()
    # "Auto compaction after turns"; "After tool execution in each turn, maybeSummarizeToolResults()"
    assert GOAGENT.phases == ("tool_result", "after_turn")


def test_goagent_compacts_after_a_turn_when_only_the_reserve_is_left() -> None:
    window = 100_000  # contextWindow - ReserveTokens = 83,616
    for turns, is_due in ((92, False), (93, True)):
        view = view_of(record(*talk(turns, 446), user("and?")))
        assert (tokens(view) >= window - 16_384) is is_due
        plan = asked(GOAGENT, view, window, Trigger.AFTER_TURN)
        assert isinstance(plan, CompactionPlan) is is_due


def test_goagent_digests_results_at_a_tool_result_however_empty_the_window_is() -> None:
    for rounds, is_made in ((10, False), (14, True)):
        view = view_of(record(*work(rounds, 400)))
        step = asked(GOAGENT, view, 200_000, Trigger.TOOL_RESULT)
        assert isinstance(step, Prune) is is_made, "ToolCallCutoff: 10"


def test_goagent_makes_no_room_before_a_request_that_fits() -> None:
    view = view_of(record(*work(14, 400), user("and?")))
    assert asked(GOAGENT, view, 200_000, Trigger.BEFORE_REQUEST) is None


def test_goagent_keeps_20_000_tokens_or_half_of_the_limit() -> None:
    for window, most in ((100_000, 20_000), (40_000, 11_808)):
        view = view_of(record(*talk(120, 400), user("and?")))
        plan = plan_compaction(
            view, *limits(GOAGENT, window), letters(), tokens(view), Trigger.AFTER_TURN
        )  # asked for outright, since the ladder is another test's
        assert plan is not None
        assert most - 900 < plan.tail <= most, "whole messages"


def test_goagent_counts_messages_where_no_limit_is_known() -> None:
    # "contextWindow - ReserveTokens; else MaxTokens; else no token threshold"; "Otherwise: fall back to MaxMessages"
    assert not is_due_without_window(GOAGENT, 7_999, 500)
    assert is_due_without_window(GOAGENT, 8_000, 2)
    no_limit = replace(GOAGENT, limit_without_window=0)
    assert not is_due_without_window(no_limit, 10**6, 49)
    assert is_due_without_window(no_limit, 10, 50)


# --- 4: Seline --------------------------------------------------------------------------------------------------------


def test_seline_has_its_documents_numbers() -> None:
    has(
        SELINE,
        limit_without_window=128_000,  # "fallback for unknown models (128K default)"
        background_at=0.75,  # warningThreshold: 0.75; "75-90%: Trigger background compaction"
        compact_at=0.90,  # criticalThreshold: 0.90; "90-95%: Force compaction, wait for completion"
        blocked_at=0.95,  # hardLimit: 0.95; "> 95%: Return error with recovery options"
        shares_of="window",  # usage.totalTokens / config.maxTokens
        old_error_turns=4,  # maxAge: number = 4
        tail_most=0,
        tail_messages=6,  # keepRecentMessages: number; // Default: 6
        head_least=2,  # messages.length < opts.keepRecentMessages + 2
        summary_most=2_000,  # maxSummaryTokens: 2000
        protected_tools=("updatePlan", "executeCommand"),  # preserveToolResults
        strategy="llm",  # "AI Summarization (older messages)"
    )
    # "1: Deduplicate tool results. 2: Supersede writes with subsequent reads. 3: Purge old error results"
    assert SELINE.prune_order == ("repeats", "superseded", "old_errors")
    assert SELINE.layers == ("prune", "compact")  # "Step 1: Run auto-pruning first"
    steps = [tokens_at(SELINE, step, 200_000) for step in ("background_at", "compact_at", "blocked_at")]
    assert steps == [150_000, 180_000, 190_000]


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


# --- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", LIKE_PROGRAMS, ids=lambda policy: policy.name)
def test_what_no_document_has_is_off(policy: ContextPolicy) -> None:
    has(policy, cache_seconds=0, keep_user_tokens=0, repair_calls=0, is_filling=False)
    assert (policy.flush_distance > 0) is (policy is SPEC008)


LONG = record(*long_conversation(150, seed=7))
"""11,000 tokens, of which 67 must stay."""


@pytest.mark.slow
@settings(deadline=None, max_examples=100)
@given(st.sampled_from(sorted(PRESETS)), st.integers(1_000, 14_000), st.sampled_from(list(Trigger)))
def test_room_is_made_under_every_preset_until_it_fits(name: str, window: int, trigger: Trigger) -> None:
    counts, transcript, view = letters(), LONG, view_of(LONG)
    made, budget = limits(PRESETS[name], window)
    for number in range(12):
        step = make_room(view, made, budget, counts, trigger)
        operation = compaction_of(step, transcript, view, counts) if isinstance(step, CompactionPlan) else step
        if operation is None:
            break
        assert operation.tokens_after < operation.tokens_before
        transcript = previewed(transcript, replace(operation, id=f"op{number}"))
        view = view_of(transcript, view)
        assert operation.tokens_after == request_tokens(view, counts), "measured on the request"
    else:
        pytest.fail("it never said None")
    assert tokens(view) <= budget.usable
    assert view.last_user_id == view_of(LONG).last_user_id
