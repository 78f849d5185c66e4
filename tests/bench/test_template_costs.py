"""Requests counted here, beside what real chat templates and tokenizers make of them, asked again.

They live in the environment of the peers (packaging/bench --peers makes it, PALIMPSEST_PEERS names another one's
Python; chat templates are in `templates` beside its `bin`, or where PALIMPSEST_TEMPLATES says). The table of errors
is written to build/templates.md; docs/tokenizers.md holds one. PALIMPSEST_KEEP_TOTALS=1 keeps the totals for the fast
test, tests/models/tokens/test_templates.py.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from desktop_app.context.counting.breakdown import request_tokens, tally
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import view_of
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.openai_chat import Json, messages_of
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import RequestContext, Transcript
from desktop_app.models.tokens.tokenizers import tokenizer_for
from requests_made_up import PICTURES, requests

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(os.environ.get("PALIMPSEST_PEERS", ROOT / ".bench-venv" / "bin" / "python"))
TEMPLATES = Path(os.environ.get("PALIMPSEST_TEMPLATES", PYTHON.parent.parent / "templates"))
PROCESSORS = Path(__file__).parent / "peers" / "pictures.py"
PICTURE_TOTALS = ROOT / "tests" / "context" / "counting" / "picture_totals.json"
RENDERERS = Path(__file__).parent / "peers" / "renderers.py"
TOTALS = ROOT / "tests" / "models" / "tokens" / "template_totals.json"
MODELS = {
    "qwen-2.5": "qwen2.5-7b-instruct",
    "qwen-3": "qwen3-8b",
    "qwen-3-coder": "qwen3-coder-30b-a3b",
    "qwen-3.5": "qwen3.5-4b",
    "llama-3": "llama-3.3-70b-instruct",
    "deepseek-3.1": "deepseek-v3.1",
    "deepseek-3.2": "deepseek-v3.2",
    "deepseek-4": "deepseek-v4",
    "mistral-v3": "mistral-nemo-instruct-2407",
    "mistral-v7": "mistral-small-2501",
    "mistral-v11": "mistral-small-2506",
    "mistral-v13": "ministral-3-14b",
    "gpt-oss": "gpt-oss-120b",
}
PARTS = {"calls": Segment.CALLS, "results": Segment.RESULTS}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (PYTHON.exists() and TEMPLATES.exists()),
        reason=f"the peers are not installed ({PYTHON}); see packaging/bench",
    ),
    pytest.mark.timeout(900),
]


def real_totals() -> dict[str, list[Json | None]]:
    asked = json.dumps([request for _, request in requests()])
    command = [str(PYTHON), str(RENDERERS), str(TEMPLATES), *MODELS]
    answer = subprocess.run(command, input=asked, capture_output=True, text=True, check=True, timeout=800)
    return json.loads(answer.stdout)


def counted(request: Json, counts: TokenCounts) -> dict[str, int]:
    functions = [tool["function"] for tool in request["tools"]]
    tools = tuple(ToolSpec(f["name"], f["description"], json.dumps(f["parameters"])) for f in functions)
    messages = messages_of(request["messages"], lambda index: f"m{index}")
    view = view_of(Transcript().extend((RequestContext(id="c", tools=tools), *messages)))
    segments = tally(view, counts).segments
    parts = {name: segments.get(segment, 0) for name, segment in PARTS.items()}
    return {"total": request_tokens(view, counts), **parts}


def test_the_first_request_is_within_three_percent_and_its_parts_within_five() -> None:
    totals, lines = real_totals(), list[str]()
    kinds = [*dict.fromkeys(kind for kind, _ in requests()), *(f"parts: {name}" for name in PARTS)]
    worst: dict[tuple[str, str], float] = {}
    for template, model in MODELS.items():
        counts = TokenCounts(tokenizer_for(model))
        for (kind, request), real in zip(requests(), totals[template], strict=True):
            for name, tokens in (counted(request, counts) if real is not None else {}).items():
                column = kind if name == "total" else f"parts: {name}"
                if size := int((real or {}).get(name, 0)):
                    worst[template, column] = max(worst.get((template, column), 0.0), tokens / size - 1, key=abs)
        cells = [f"{100 * worst[template, kind]:+.1f}" if (template, kind) in worst else "–" for kind in kinds]
        lines.append(f"| {template} | {' | '.join(cells)} |")
    head = f"| template | {' | '.join(kinds)} |\n|---|{'---|' * len(kinds)}\n"
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build" / "templates.md").write_text(head + "\n".join(lines) + "\n")
    if os.environ.get("PALIMPSEST_KEEP_TOTALS"):
        rows = (f" {json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}" for name, row in totals.items())
        TOTALS.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    assert max(abs(error) for (_, kind), error in worst.items() if not kind.startswith("parts")) < 0.03
    assert max(map(abs, worst.values())) < 0.05
    assert totals == json.loads(TOTALS.read_text()), "what was measured once is so still"


def test_pictures_are_what_real_packages_make_of_them() -> None:
    command = [str(PYTHON), str(PROCESSORS)]
    answer = subprocess.run(
        command, input=json.dumps(PICTURES), capture_output=True, text=True, check=True, timeout=300
    )
    measured = json.loads(answer.stdout)
    if os.environ.get("PALIMPSEST_KEEP_TOTALS"):
        rows = (f" {json.dumps(rule)}: {json.dumps(row)}" for rule, row in measured.items())
        PICTURE_TOTALS.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    known = json.loads(PICTURE_TOTALS.read_text())
    assert measured
    assert measured == {rule: known[rule] for rule in measured}, "what was measured once is so still"
