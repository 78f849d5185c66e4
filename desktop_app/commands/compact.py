"""`palimpsest compact FILE`: compute what would be sent of a conversation, for a window or a number of tokens.

Room is made as in one of four situations: at the user's request, before a request, at a tool result, or after a turn.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import msgspec
from msgspec.structs import replace

from desktop_app.chat.compaction.snapshot import ContextSnapshot
from desktop_app.chat.compaction.without_model import compact_without_model
from desktop_app.chat.ports import ModelError
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.context.compact.room_decision import WindowTooSmall, next_step
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.fitting import fit_policy
from desktop_app.context.policy import Budget, ContextPolicy, budget_for, policy_for_target
from desktop_app.context.prune.unanswered import texts_to_keep, without_spills
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import View, assemble, view_of
from desktop_app.conversation.events import Failure
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Message
from desktop_app.conversation.openai_chat import Json, chat_of
from desktop_app.conversation.transcript import Chain, Operation, Prune, Transcript, Trigger
from desktop_app.conversation.words import pluralize

from .arguments import (
    BAD_INPUT,
    DEFAULT_MODEL,
    BadInput,
    add_chat_file,
    add_data_and_json,
    counts_of,
    max_output_of,
    print_failure,
    print_json,
    read_chat,
    show,
    tokens_argument,
)
from .policy_command import policy_called, settings_of
from .summaries import CarryOut, open_writer
from .summaries import add_arguments as add_summary_arguments

TOO_SMALL = 3
"""Exit code: the messages that must be kept do not fit."""
PHASES = {
    "request": Trigger.BEFORE_REQUEST,
    "tool": Trigger.TOOL_RESULT,
    "after_turn": Trigger.AFTER_TURN,
    "user": Trigger.USER,
}
PHASE_WORDS = {
    "request": "as before a request",
    "tool": "as at a tool result",
    "after_turn": "as in the background after a turn",
    "user": "on your word, as Optimize does",
}


class Result(msgspec.Struct, frozen=True):
    """The result of making room: the operations, and the view that would be sent."""

    operations: tuple[Operation, ...]
    view: View
    tokens_before: int
    tokens_after: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_chat_file(parser)
    parser.add_argument("--target-tokens", type=tokens_argument, help="reduce to at most this many tokens instead")
    parser.add_argument(
        "--policy", metavar="NAME", default="balanced", help="a preset, or a policy of your own (default: balanced)"
    )
    parser.add_argument(
        "--phase",
        choices=sorted(PHASES),
        default="user",
        help="when room is made: before a request, at a tool result, in the background after a turn, or when you ask "
        "for it as Optimize does (default: user)",
    )
    add_summary_arguments(parser)
    add_data_and_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Return exit code 0 if the conversation fits, 2 for bad input, 3 if the messages that must be kept do not fit."""
    started = time.monotonic()
    objects, messages = read_chat(arguments.file)
    policy, budget = _limits(arguments)
    counts = counts_of(arguments.model or DEFAULT_MODEL)
    try:
        with open_writer(arguments) as carry_out:
            result = compact_messages(messages, policy, budget, counts, carry_out, PHASES[arguments.phase])
    except ModelError as error:  # of the summary's model
        print_failure(error.failure)
        return BAD_INPUT
    except WindowTooSmall as error:
        print_failure(Failure("window_too_small", "This does not fit into the window", str(error)))
        if arguments.json:
            print_json({"error": str(error), "needed": error.needed, "usable": error.usable, "advice": error.advice})
        return TOO_SMALL
    report = {
        "model": arguments.model,
        "phase": arguments.phase,
        **report_of(result, objects, messages, budget, counts),
        "seconds": round(time.monotonic() - started, 4),
    }
    if arguments.json:
        print_json(report)
    else:
        show(_for_people(report))
    return 0


def _limits(arguments: argparse.Namespace) -> tuple[ContextPolicy, Budget]:
    policy = policy_called(arguments.policy, settings_of(arguments))
    if arguments.target_tokens is not None:
        return policy_for_target(policy), Budget(arguments.target_tokens, 0)
    if arguments.window is None:
        raise BadInput("Neither a window nor a target was given", advice="Give --window N, or --target-tokens T.")
    budget = budget_for(policy, arguments.window, max_output_of(arguments.model))
    return fit_policy(policy, budget), budget


def compact_messages(
    messages: list[Message],
    policy: ContextPolicy,
    budget: Budget,
    counts: TokenCounts,
    carry_out: CarryOut = compact_without_model,
    trigger: Trigger = Trigger.USER,
) -> Result:
    """Make room as in the phase of that trigger, until nothing more is due. Raises WindowTooSmall."""
    transcript = Transcript(Chain(messages))
    view = view_of(transcript)
    before = request_tokens(view, counts)
    operations: list[Operation] = []
    while step := next_step(view, policy, budget, counts, trigger):
        snapshot = ContextSnapshot(transcript, view, policy, budget, counts)
        operation = (
            carry_out(snapshot, step) if isinstance(step, CompactionPlan) else _without_spill(step, messages, counts)
        )
        if operation is None:
            break
        operation = replace(operation, id=f"operation-{len(operations) + 1}")
        transcript = transcript.append(operation)
        view = view_of(transcript)
        operations.append(replace(operation, tokens_after=request_tokens(view, counts)))
    after = request_tokens(view, counts)
    if after > budget.usable:
        raise WindowTooSmall(after, budget.usable, "It would help to allow more tokens.")
    return Result(tuple(operations), view, before, after)


def _without_spill(prune: Prune, messages: list[Message], counts: TokenCounts) -> Prune:
    """Return the prune without spills, since nothing stores them here: the full texts are in the file."""
    return without_spills(prune, texts_to_keep(prune, messages), counts.text)


def report_of(
    result: Result, objects: list[Json], messages: list[Message], budget: Budget, counts: TokenCounts
) -> Json:
    """Return the command's JSON object, which refers to messages by their index in the file."""
    index_of = {id(message): index for index, message in enumerate(messages)}
    sent = assemble(result.view)
    shaped = chat_of(sent)
    chat = [
        _as_in_file(objects[index_of[id(m)]], chat) if id(m) in index_of else chat
        for m, chat in zip(sent, shaped, strict=True)
    ]
    sent_indexes = {int(item.message.id) for item in result.view.items if item.kind is ItemKind.MESSAGE}
    pruned = {int(item.message.id) for item in result.view.items if item.pruned_by}
    summary = result.view.summary
    fidelity = summary.fidelity if summary else Fidelity()
    return {
        "tokenizer": counts.tokenizer.name,
        "window": budget.window,
        "usable": budget.usable,
        "tokens_before": result.tokens_before,
        "tokens_after": result.tokens_after,
        "operations": [_operation(operation) for operation in result.operations],
        "messages": chat,
        "verbatim": sorted(sent_indexes - pruned),
        "pruned": sorted(pruned),
        "archived": sorted(int(message_id) for message_id in result.view.statuses),
        "summary": summary.summary if summary else "",
        "fidelity": {name: getattr(fidelity, name) for name in ("verbatim", "in_summary", "recallable", "lost")},
    }


def _as_in_file(original: Json, sent: Json) -> Json:
    """Return the message that is sent, in the form that it has in the file where both mean the same."""
    content = original.get("content")
    if content and isinstance(content, list) and all(_is_sendable(part, sent["role"]) for part in content):
        sent = {**sent, "content": content}
    return {key: value for key, value in sent.items() if key in original or key != "name"}


def _is_sendable(part: Any, role: str) -> bool:
    """Return whether every provider accepts that part of `content` from that role."""
    match part:
        case {"type": "text", "text": str(text)}:
            return bool(text.strip())
        case {"type": "image_url", "image_url": {"url": str()}}:
            return role == "user"
        case _:
            return False


def _operation(operation: Operation) -> dict[str, Any]:
    if isinstance(operation, Prune):
        strategies = sorted({pruned.strategy for pruned in (*operation.results, *operation.inputs)})
        kind, strategy, messages, note = "prune", "+".join(strategies), operation.message_ids, ""
    else:
        kind, strategy, messages, note = "compaction", operation.strategy, operation.archived, operation.note
    freed = operation.tokens_before - operation.tokens_after
    row = {"kind": kind, "strategy": strategy, "messages": len(messages), "tokens_freed": freed}
    return {**row, "note": note} if note else row


def _for_people(report: Json) -> str:
    lines = [
        f"{report['tokens_before']:,} → {report['tokens_after']:,} tokens · usable window {report['usable']:,}",
        f"  {PHASE_WORDS[report['phase']]}",
    ]
    for operation in report["operations"]:
        noun, done = ("result", "shortened") if operation["kind"] == "prune" else ("message", "archived")
        effect = (
            f"{noun if operation['messages'] == 1 else noun + 's'} {done}, {operation['tokens_freed']:,} tokens freed"
        )
        lines.append(f"  {operation['kind']:<11} {operation['messages']:>6,} {effect}")
        lines += [f"  {operation['note']}"] if operation.get("note") else []
    if not report["operations"]:
        lines.append("  nothing to do: it fits comfortably")
    kept = report["fidelity"]
    if report["summary"]:
        lines.append(
            f"Checked: {pluralize(kept['verbatim'], 'fact')} verbatim · {kept['in_summary']} in the summary · "
            f"{kept['recallable']} recallable · {kept['lost']} lost"
        )
        lines += ["", report["summary"]]
    return "\n".join(lines)
