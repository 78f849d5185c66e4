"""The presets that are like other programs: the numbers of their documents, each with its quote.

What follows a # is quoted from the document, or says how the number follows from it.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from preset_conversations import asked, ends, has, limits, pruned, talk, tokens_at, work

from builders import letters, model, record, system, tokens, user
from desktop_app.context.compact.compaction import LAST_RESORT_MESSAGES, CompactionPlan, plan_compaction
from desktop_app.context.fitting import fit_policy
from desktop_app.context.memory.flush import flush_at
from desktop_app.context.policy import BALANCED, NO_LIMIT, ContextPolicy, budget_for
from desktop_app.context.presets import GOAGENT, LIKE_PROGRAMS, LMSTUDIO, OPENCODE, SELINE, SPEC008
from desktop_app.context.prune.strategies import MAX_DIGEST_INPUT, MAX_MODEL_DIGEST
from desktop_app.context.summary.model_summary import MAX_INPUT_RESULT
from desktop_app.context.truncate import truncate_result
from desktop_app.context.view.view import view_of
from desktop_app.conversation.transcript import Prune, Trigger

REPLIES = (0, 300, 4_096, 8_192, 64_000)
"""The longest reply that a server tells; 0: it tells none."""

# --- 0: OpenFork, "opencode-aligned" ----------------------------------------------------------------------------------


def test_opencode_has_its_documents_numbers() -> None:
    has(
        OPENCODE,
        limit_without_window=128_000,  # DefaultContextWindow = 128_000
        max_reserve=16_384,  # DefaultMaxOutputTokens = 16_384
        reserve_share_of_window=0.10,  # what its threshold of 90 % leaves
        truncate_share=0.0,  # no limit but the 50 KB
        truncate_lines=2_000,  # MaxOutputLines = 2_000
        truncate_bytes=51_200,  # MaxOutputBytes = 50 * 1024
        truncate_line=2_000,  # MaxLineLength = 2_000
        truncate_other_tools=50_000,  # ["default"] = 50_000
        truncate_keep="head",  # "if (lineCount >= MaxOutputLines) break", from the first line on
        prune_at=0.85,  # if (currentTokens > contextLimit * 0.85)
        shares_of="window",  # currentTokens > contextLimit * TokenConstants.CompactionThreshold
        protect_newest=40_000,  # PruneProtectTokens = 40_000
        min_prune=20_000,  # "Min 20K token reduction (PRUNE_MINIMUM)"
        prune_enough=20_000,  # "Stop pruning once minimum reduction achieved"
        soft_trim_head=2_000,  # PruneOutputRetainChars = 2_000; Keep first N chars of pruned output
        soft_trim_tail=0,
        soft_trim_above=2_000,  # toolPart.Output?.Length > TokenConstants.PruneOutputRetainChars
        compact_at=0.90,  # CompactionThreshold = 0.90
        target=0.50,  # CompactionTargetPercent = 50
        min_head=2,  # if (messagesToCompact.Count < 2) "Not enough messages to compact"
        max_summary=2_000,  # "Keep the summary under 2000 tokens"
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
    assert OPENCODE.phases == ("before_request", "tool_result")  # "while (iteration < _maxIterations)": in each round
    assert tokens_at(OPENCODE, "prune_at", 200_000) == 170_000
    assert tokens_at(OPENCODE, "compact_at", 200_000) == 180_000
    assert tokens_at(OPENCODE, "target", 200_000) == 100_000


def test_numbers_of_documents_that_no_policy_changes() -> None:
    assert LAST_RESORT_MESSAGES == 5  # 1: "Fallback: Keep system message + last 5 messages"
    assert MAX_DIGEST_INPUT == 12_000  # 3: "input clipped to 12000 chars"
    assert MAX_MODEL_DIGEST == 1_200  # 3: "output clipped to 1200 runes"
    assert MAX_INPUT_RESULT == 1_800  # 3: "reduced to a max of 1800 runes for summary input"


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
        min_buffer=1_000,  # or min 1000 tokens"
        limit_without_window=0,  # "throw error if !modelInfo?.contextLimit"
        prune_order=(),  # only the pruning agent, which is a model
        strategy="llm",
        truncate_lines=NO_LIMIT,  # "Tool responses that would overflow trigger compaction instead of truncation"
        truncate_bytes=NO_LIMIT,
        truncate_share=0.0,
        truncate_other_tools=NO_LIMIT,
    )
    # "Pre-request (80%)", "Real-time"; at a tool response: "If projected > context limit: return { needsRestart: true"
    assert LMSTUDIO.phases == ("before_request", "streaming")


@pytest.mark.parametrize("window", [8_192, 16_000, 32_768, 131_072, 1_000_000])
def test_lmstudio_adds_its_buffer_before_it_compares_with_80_percent(window: int) -> None:
    due = tokens_at(LMSTUDIO, "compact_at", window)

    def estimated(messages: int) -> float:  # estimateInputTokens of the document
        return messages + max(0.2 * (window - messages), 1_000)

    assert estimated(due - 1) < 0.8 * window < estimated(due + 1)


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
        max_summary=1_000,  # "Output: ~500-1000 tokens"
        strategy="llm",  # "using a secondary LLM call"
        prune_at=0.0,  # "Applied in-memory before each LLM call"
        min_prune=0,
        protect_newest=0,
    )
    assert SPEC008.prune_order == ("soft_trim", "hard_clear")
    assert SPEC008.layers == ("compact", "prune")  # "Step 3: Compact if over threshold ... Step 4: Prune tool results"
    assert SPEC008.phases == ("before_request", "tool_result")  # "in-memory before each LLM call"
    assert tokens_at(SPEC008, "compact_at", 200_000) == 180_000  # context_window: int = 200_000


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize(("window", "usable"), [(200_000, 180_000), (128_000, 108_000), (32_768, 12_768)])
def test_spec008_reserves_20_000_however_long_a_reply_the_server_tells(window: int, usable: int, reply: int) -> None:
    budget = budget_for(SPEC008, window, reply)
    assert budget.usable == usable  # context_window - reserve_tokens
    policy = fit_policy(SPEC008, budget)
    assert flush_at(policy, budget, Trigger.BEFORE_REQUEST) == usable - 4_000  # - flush_threshold
    assert policy.thresholds == (1, 1, 1, 1), "nothing happens below, so that no mark is there, and nothing warns"


@pytest.mark.parametrize("reply", REPLIES)
def test_spec008_flushes_late_where_its_distance_would_be_all_there_is(reply: int) -> None:
    budget = budget_for(SPEC008, 8_192, reply)
    assert budget.usable == 4_096, "the document has nothing left there"
    assert flush_at(SPEC008, budget, Trigger.BEFORE_REQUEST) > 2_700


# --- 3: the Go agent --------------------------------------------------------------------------------------------------


def test_goagent_has_its_documents_numbers() -> None:
    has(
        GOAGENT,
        max_messages=50,  # MaxMessages: 50
        limit_without_window=8_000,  # MaxTokens: 8000
        tail_messages=5,  # KeepRecent: 5
        max_tail=20_000,  # KeepRecentTokens: 20000
        tail_share=0.5,  # "clamped to at most half of the effective token limit"
        reserve_tokens=16_384,  # ReserveTokens: 16384
        digest_above=10,  # ToolCallCutoff: 10
        digest_by="model",  # ToolSummaryStrategy: "llm"
        max_digest=800,  # "Heuristic fallback output is clipped to 800 runes"
        is_automatic=True,  # AutoCompact: true
        truncate_lines=2_000,  # MaxLines: 2000
        truncate_bytes=51_200,  # MaxBytes: 50 * 1024
        truncate_other_tools=204_800,  # MaxChars: 200 * 1024
        spill_above=204_800,  # LargeOutputThreshold: 200 * 1024
        truncate_keep="head_tail",  # TruncateMode: "head_tail"
        overflow_retries=1,  # maxCompactionRecoveries = 1
        prune_order=("digest",),
        strategy="llm",
    )
    assert GOAGENT.truncate_tools == ()
    # "Auto compaction after turns"; "After tool execution in each turn, maybeSummarizeToolResults()"
    assert GOAGENT.phases == ("tool_result", "after_turn")


def test_goagent_limits_tokens_where_the_window_is_not_known_or_else_counts_messages() -> None:
    # "contextWindow - ReserveTokens; else MaxTokens; else no token threshold"; "Otherwise: fall back to MaxMessages"
    assert budget_for(GOAGENT, 128_000, is_assumed=True).usable == 8_000
    no_limit = budget_for(replace(GOAGENT, limit_without_window=0), 128_000, is_assumed=True)
    assert (no_limit.window, no_limit.max_messages) == (128_000, 50)


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize(("window", "limit"), [(200_000, 183_616), (100_000, 83_616), (32_768, 16_384)])
def test_goagent_reserves_16_384_however_long_a_reply_the_server_tells(window: int, limit: int, reply: int) -> None:
    budget = budget_for(GOAGENT, window, reply)
    assert budget.usable == limit  # contextWindow - ReserveTokens
    assert fit_policy(GOAGENT, budget).thresholds == (1, 1, 1, 1)
    assert budget_for(GOAGENT, 128_000, reply, is_assumed=True).usable == 8_000  # "else MaxTokens"


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
        max_tail=0,
        tail_messages=6,  # keepRecentMessages: number; // Default: 6
        min_head=2,  # messages.length < opts.keepRecentMessages + 2
        max_summary=2_000,  # maxSummaryTokens: 2000
        protected_tools=("updatePlan", "executeCommand"),  # preserveToolResults
        strategy="llm",  # "AI Summarization (older messages)"
    )
    # "1: Deduplicate tool results. 2: Supersede writes with subsequent reads. 3: Purge old error results"
    assert SELINE.prune_order == ("repeats", "superseded", "old_errors")
    assert SELINE.layers == ("prune", "compact")  # "Step 1: Run auto-pruning first"
    steps = [tokens_at(SELINE, step, 200_000) for step in ("background_at", "compact_at", "blocked_at")]
    assert steps == [150_000, 180_000, 190_000]


# --- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", LIKE_PROGRAMS, ids=lambda policy: policy.name)
def test_what_no_document_has_is_off(policy: ContextPolicy) -> None:
    has(policy, cache_seconds=0, keep_user_tokens=0, repair_calls=0, min_target=0)
    assert (policy.flush_distance > 0) is (policy is SPEC008)


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize("policy", [OPENCODE, LMSTUDIO, SELINE], ids=lambda policy: policy.name)
def test_what_a_server_tells_of_its_replies_moves_no_step_of_a_share_of_the_window(
    policy: ContextPolicy, reply: int
) -> None:
    for window in (32_768, 200_000, 1_000_000):
        told, untold = budget_for(policy, window, reply), budget_for(policy, window)
        for step in ("background_at", "compact_at", "target"):
            steps = [round(getattr(fit_policy(policy, b), step) * b.usable) for b in (told, untold)]
            assert abs(steps[0] - steps[1]) <= 1, step


def test_what_never_happens_has_no_mark() -> None:
    assert replace(BALANCED, phases=("before_request",)).thresholds == (0.80, 0.80, 0.90, 0.95)
    assert replace(BALANCED, phases=("before_request",), prune_order=()).thresholds == (0.90, 0.90, 0.90, 0.95)
    assert replace(BALANCED, layers=("compact",)).thresholds == (0.75, 0.75, 0.90, 0.95)
    assert OPENCODE.thresholds == (0.85, 0.85, 0.90, 1.0)
    assert LMSTUDIO.thresholds == (0.80, 0.80, 0.80, 1.0)
    assert SELINE.thresholds == (0.75, 0.90, 0.90, 0.95)


# What the presets that are like other programs do; a quote of the document stands where it is short.


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
