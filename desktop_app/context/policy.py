"""Every number that decides, in one frozen value, and the budget that it gives for one model."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace


class ContextPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """When room is made, and how. Shares are of the usable window (window - reserve) unless a name says otherwise.

    The row of `features.md` that gives each default stands behind it.
    """

    name: str = "balanced"

    # The reserve for the reply (C7).
    reserve_share_of_window: float = 0.20
    reserve_most: int = 16_384
    reserve_least: int = 1_000

    # The ladder (C8, S1): at which share which step is due.
    background_at: float = 0.75
    prune_at: float = 0.80
    compact_at: float = 0.90
    blocked_at: float = 0.95

    # Layer 1, one tool result as it enters (T1 to T4). Limits of single tools are in characters.
    truncate_lines: int = 2_000
    truncate_bytes: int = 50 * 1024
    truncate_line: int = 2_000
    truncate_tools: tuple[tuple[str, int], ...] = (
        ("read", 100_000),
        ("bash", 50_000),
        ("grep", 30_000),
        ("glob", 20_000),
        ("web_fetch", 50_000),
        ("web_search", 20_000),
        ("list", 10_000),
    )
    truncate_other_tools: int = 50_000
    spill_above: int = 200_000

    # Layer 2, old tool results (P1 to P9). Ages count assistant messages that came later.
    prune_order: tuple[str, ...] = ("repeats", "superseded", "old_errors", "soft_trim", "digest", "hard_clear")
    """The strategies, from the mildest to the hardest; one that is not named is not used."""
    old_error_turns: int = 4
    soft_trim_age: int = 3
    soft_trim_above: int = 4_000
    soft_trim_head: int = 1_500
    soft_trim_tail: int = 1_500
    digest_above: int = 10
    digest_most: int = 800
    hard_clear_age: int = 8
    protect_newest: int = 40_000
    protect_share_of_window: float = 0.25
    protect_user_turns: int = 2
    protected_tools: tuple[str, ...] = ("save_memory", "memory", "plan", "update_plan")
    prune_least: int = 20_000
    prune_least_share_of_window: float = 0.10
    cache_seconds: int = 300
    """How long a provider keeps a prefix: while it may be warm, nothing is pruned below `prune_at` (P9). 0: never."""

    # Layer 3 (K1, K2, K8).
    target: float = 0.50
    tail_most: int = 20_000
    tail_share: float = 0.50
    tail_assistant_turns: int = 5
    summary_most: int = 2_000
    summary_share_of_head: float = 0.20
    is_filling: bool = False
    """Whether the tail takes what the page leaves of the target; else that room stays free for what comes."""
    keep_user_tokens: int = 0
    """The user's own messages that stay word for word, newest first (K9); at most a quarter of the target."""
    futile_below: float = 0.10
    futile_in_a_row: int = 2
    last_resort_messages: int = 5

    @property
    def thresholds(self) -> tuple[float, float, float, float]:
        """Where warning, tight, critical and exceeded begin."""
        return (self.background_at, self.prune_at, self.compact_at, self.blocked_at)


BALANCED = ContextPolicy()
RELAXED = replace(BALANCED, name="relaxed", background_at=0.85, prune_at=0.88, compact_at=0.93, target=0.65)
AGGRESSIVE = replace(
    BALANCED, name="aggressive", background_at=0.60, prune_at=0.65, compact_at=0.80, blocked_at=0.92, target=0.35
)

PRESETS = {policy.name: policy for policy in (RELAXED, BALANCED, AGGRESSIVE)}


class Budget(msgspec.Struct, frozen=True):
    """The numbers of one model under one policy, in tokens. usable = window - reserve."""

    window: int
    reserve: int

    @property
    def usable(self) -> int:
        """What a request may take."""
        return self.window - self.reserve

    def share(self, total: int) -> float:
        """The part of the usable window that `total` tokens take."""
        return total / self.usable if self.usable > 0 else float("inf")


def policy_for_target(policy: ContextPolicy) -> ContextPolicy:
    """The policy for "at most so many tokens", where the budget's window is that number and nothing is reserved.

    The whole of it is the target, and all of it is used, since the room would be lost else: the page may be as long as
    anybody reads, and the tail takes what the page leaves.
    """
    return replace(
        policy,
        target=1.0,
        blocked_at=1.0,
        summary_most=40_000,
        is_filling=True,
        background_at=1.0,
        prune_at=1.0,
        compact_at=1.0,
    )


def budget_for(policy: ContextPolicy, window: int, max_output: int = 0) -> Budget:
    """The budget of a model with that window. `max_output` is the longest reply it can write; 0: not known.

    The reserve never takes more than half of the window, so that a tiny one can still be used.
    """
    reserve = min(round(window * policy.reserve_share_of_window), policy.reserve_most)
    if max_output:
        reserve = min(reserve, max_output)
    return Budget(window, min(max(reserve, policy.reserve_least), window // 2))
