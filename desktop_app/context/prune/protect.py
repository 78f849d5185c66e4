"""What pruning must not touch (P7): the newest tokens, the last user turns, pins, protected tools."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.view.items import Item, ItemKind, Repair, is_of_user
from desktop_app.context.view.view import View
from desktop_app.conversation.message import Role, ToolCall

JOINT = "__"
"""Between the name of an MCP server and that of its tool."""
_MESSAGE, _TOOL, _ORPHAN = ItemKind.MESSAGE, Role.TOOL, Repair.ORPHAN_RESULT  # looked up once: see cut_points.py


def first_protected(items: Sequence[Item], policy: ContextPolicy, budget: Budget, counts: TokenCounts) -> int:
    """The index from which on everything is protected: by tokens or by user turns, whichever reaches further back."""
    allowed = min(policy.protect_newest, round(budget.window * policy.protect_share_of_window))
    by_tokens = by_turns = len(items)
    tokens = turns = 0
    for index in range(len(items) - 1, -1, -1):
        item = items[index]
        tokens += counts.total(item.message)
        if tokens <= allowed:
            by_tokens = index
        if turns < policy.protect_user_turns and is_of_user(item):
            turns += 1
            by_turns = index
        if tokens > allowed and turns >= policy.protect_user_turns:
            break
    return min(by_tokens, by_turns)


def is_protected(tool: str, policy: ContextPolicy) -> bool:
    """Return whether the policy names that tool, alone or as one of a server: "plan" covers "tracker__plan"."""
    names = (tool, tool.partition(JOINT)[2])
    return any(fnmatchcase(name, pattern) for pattern in policy.protected_tools for name in names if name)


def is_prunable(item: Item, policy: ContextPolicy) -> bool:
    """Whether that item is a tool result that may be shortened at all. One without a call is told in other words than
    the record's, which a prune could not name."""
    result = item.message.tool_result
    return (
        item.kind is _MESSAGE
        and item.message.role is _TOOL
        and result is not None
        and not item.is_pinned
        and item.repair is not _ORPHAN
        and not is_protected(result.name, policy)
    )


def is_input_prunable(item: Item, call: ToolCall, policy: ContextPolicy) -> bool:
    """Whether the arguments of that call, which the item's message makes, may be shortened at all."""
    return item.kind is _MESSAGE and not item.is_pinned and not is_protected(call.name, policy)


def freed_at_most(view: View, policy: ContextPolicy, budget: Budget, counts: TokenCounts) -> int:
    """Tokens of all that may be shortened at all: no prune frees more. Much quicker than planning one."""
    items = view.items[:]
    end = first_protected(items, policy, budget, counts)
    return sum(counts.total(i.message) for i in items[:end] if i.message.role is _TOOL or i.message.tool_calls)
