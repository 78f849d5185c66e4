"""`palimpsest context FILE`: how a conversation fills a window, segment by segment."""

from __future__ import annotations

import argparse

from desktop_app.context.counting.breakdown import gauge_of, tally
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.view.items import describe_repairs
from desktop_app.context.view.view import count_repairs, view_of
from desktop_app.conversation.chain import Chain
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.transcript import Transcript
from desktop_app.models.tokens.tokenizers import tokenizer_for

from .arguments import add_chat_file, add_json, max_output_of, print_json
from .compact import DEFAULT_MODEL, read_chat
from .terminal import show

BAR = 48
"""Characters of the printed bar."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_chat_file(parser, needs_window=True)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print how the conversation fills the window."""
    _, messages = read_chat(arguments.file)
    model = arguments.model or DEFAULT_MODEL
    counts = TokenCounts(tokenizer_for(model))
    view = view_of(Transcript(Chain(messages)))
    repairs = count_repairs(view)
    info = ModelInfo(model, model, arguments.window, 0)
    budget = budget_for(BALANCED, arguments.window, max_output_of(arguments.model))
    gauge = gauge_of(view, tally(view, counts), counts, BALANCED, budget, info)
    if arguments.json:
        print_json({**_report(gauge), "repairs": {repair.value: count for repair, count in repairs.items()}})
    else:
        show(_for_people(gauge))
        if repairs:
            show(f"Repaired for the model: {describe_repairs(repairs)}.")
    return 0


def _report(gauge: Gauge) -> dict[str, object]:
    return {
        "segments": {segment.value: tokens for segment, tokens in gauge.segments.items()},
        "total": gauge.total,
        "window": gauge.window,
        "reserve": gauge.reserve,
        "usable": gauge.usable,
        "status": gauge.status,
        "basis": gauge.provenance,
        "tokenizer": gauge.tokenizer,
    }


def _for_people(gauge: Gauge) -> str:
    filled = min(round(BAR * gauge.total / gauge.window), BAR) if gauge.window else BAR
    reserved = min(round(BAR * gauge.reserve / gauge.window), BAR - filled) if gauge.window else 0
    bar = "█" * filled + "·" * (BAR - filled - reserved) + "░" * reserved
    rows = [(name.value.replace("_", " "), tokens) for name, tokens in gauge.segments.items() if tokens]
    rows += [("reserve for the reply", gauge.reserve), ("free", gauge.free)]
    used = f"{gauge.share * 100:.0f} % of the usable window"
    lines = [bar, f"{gauge.total:,} / {gauge.window:,} tokens · {used} · {gauge.status.value}"]
    lines += [f"  {name:<22} {tokens:>12,}  {tokens / max(gauge.window, 1) * 100:>5.1f} %" for name, tokens in rows]
    lines.append(f"{gauge.provenance.value.capitalize()} with {gauge.tokenizer}.")
    return "\n".join(lines)
