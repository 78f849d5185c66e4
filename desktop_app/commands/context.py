"""`palimpsest context FILE`: show show how a conversation fills a window, segment by segment."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import cast

from desktop_app.context.counting.breakdown import gauge_of, tally
from desktop_app.context.policy import BALANCED, budget_for
from desktop_app.context.view.items import describe_repairs
from desktop_app.context.view.view import count_repairs, view_of
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import Chain, RequestContext, Transcript

from .arguments import (
    DEFAULT_MODEL,
    BadInput,
    add_chat_file,
    add_json,
    counts_of,
    max_output_of,
    print_json,
    read_chat,
    show,
)

BAR = 48
"""Characters of the printed bar."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_chat_file(parser, needs_window=True)
    parser.add_argument(
        "--tools", metavar="FILE", help="a JSON list of the tools offered, in the form of OpenAI, Anthropic or MCP"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print how the conversation fills the window."""
    _, messages = read_chat(arguments.file)
    model = arguments.model or DEFAULT_MODEL
    counts = counts_of(model)
    tools = read_tools(arguments.tools) if arguments.tools else ()
    context = (RequestContext(id="tools", tools=tools),) if tools else ()
    view = view_of(Transcript(Chain([*context, *messages])))
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


def read_tools(file: str) -> tuple[ToolSpec, ...]:
    """Return the tools of a file, which is a JSON list or an object with such a list as "tools". Raises BadInput."""
    try:
        value: object = json.loads(Path(file).read_bytes())
    except OSError as error:
        raise BadInput(f"{file} cannot be read", error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file} is not JSON", str(error)) from error
    listed: object = cast("Json", value).get("tools") if isinstance(value, dict) else value
    if not isinstance(listed, list):
        raise BadInput(f"{file} holds no tools", advice="It must be a list of tools, or have one as “tools”.")
    return tuple(_tool(each, number, file) for number, each in enumerate(cast("list[object]", listed), start=1))


def _tool(value: object, number: int, file: str) -> ToolSpec:
    fields = cast("Json", value) if isinstance(value, dict) else {}
    function = cast("Json", fields["function"]) if isinstance(fields.get("function"), dict) else fields
    name = function.get("name")
    if not isinstance(name, str) or not name:
        raise BadInput(f"{file} is no list of tools", f"Tool {number} has no name.")
    schemas = (function.get(key) for key in ("parameters", "input_schema", "inputSchema"))
    schema = next((schema for schema in schemas if isinstance(schema, dict)), {"type": "object", "properties": {}})
    return ToolSpec(name, str(function.get("description") or ""), json.dumps(schema, ensure_ascii=False))


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
