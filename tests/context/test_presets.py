"""The presets that are like other programs: the numbers of their documents, each with its quote.

What follows a # is quoted from the document, or says how the number follows from it.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from preset_conversations import has, tokens_at

from desktop_app.context.compact.compaction import LAST_RESORT_MESSAGES
from desktop_app.context.fitting import fit_policy
from desktop_app.context.memory.flush import flush_at
from desktop_app.context.policy import BALANCED, NO_LIMIT, ContextPolicy, budget_for
from desktop_app.context.presets import GOAGENT, LIKE_PROGRAMS, LMSTUDIO, OPENCODE, SELINE, SPEC008
from desktop_app.context.prune.strategies import MAX_DIGEST_INPUT, MAX_MODEL_DIGEST
from desktop_app.context.summary.model_summary import MAX_INPUT_RESULT
from desktop_app.conversation.transcript import Trigger

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
