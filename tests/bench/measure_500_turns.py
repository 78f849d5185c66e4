"""What a long session of an agent costs at Anthropic's prices for prompt caching, and how long it takes.

    .venv/bin/python tests/bench/measure_500_turns.py [TREE ...] [--turns 500] [--seeds 7 8] [--window 16000]
        [--policies balanced opencode] [--summarizer]

Each tree (default: this one) is run in a process of its own, the trees in turns, with the session of
`tests/support/long_run.py`. Its model writes no usable summaries and notes; with --summarizer it does. A line per run:
the dollars, and their parts for the conversation's requests and for those beside it (summaries, memory); requests,
refusals, requests that lacked a rule; operations; the seconds of all turns, and of CPU.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
PARTS = ("plain", "written", "read", "reply")


def dollars_by_part(measured: list[Any], price: Any) -> dict[str, float]:
    """Return the dollars for tokens at the full price, written to the cache, read from it, and replied."""
    plain = sum(m.prompt_tokens - m.cached_tokens - m.written_tokens for m in measured)
    written = sum(m.written_tokens for m in measured)
    read, reply = sum(m.cached_tokens for m in measured), sum(m.reply_tokens for m in measured)
    each = plain * price.prompt, written * price.written, read * price.read, reply * price.reply
    return {part: round(dollars / 1e6, 3) for part, dollars in zip(PARTS, each, strict=True)}


async def measure(policy: str, turns: int, seed: int, window: int, agent: str = "Agent") -> dict[str, Any]:
    """Return the figures of one session, with the build that this process imports."""
    import long_run as runs
    from desktop_app.conversation.events import TurnFailed

    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        run = await runs.long_run(
            Path(folder, "data"),
            Path(folder, "work"),
            turns=turns,
            shape="anthropic",
            window=window,
            policy=policy,
            factor=1.25,
            seed=seed,
            agent=getattr(runs, agent),
        )
    pairs = list(zip(run.requests, run.measured, strict=True))
    chat = [m for r, m in pairs if r.body.get("tools") and not runs.is_aside(r)]
    beside = [m for r, m in pairs if not r.body.get("tools") or runs.is_aside(r)]
    bodies = [json.dumps(request.body, ensure_ascii=False) for request in run.chat]
    kinds = [row.kind for row in run.session.operations()]
    return {
        "policy": policy,
        "seed": seed,
        "window": window,
        "agent": agent,
        "dollars": round(run.dollars(), 3),
        "conversation": dollars_by_part(chat, runs.Price()),
        "beside": dollars_by_part(beside, runs.Price()),
        "requests": [len(chat), len(beside)],
        "refused": sum(m.is_refused for m in run.measured),
        "failed turns": len(run.of(TurnFailed)),
        "without a rule": sum(not all(rule in body for rule in runs.RULES) for body in bodies),
        "extends": round(run.extending, 4),
        "operations": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        "seconds": round(run.seconds, 1),
        "cpu": round(time.process_time() - began, 1),
    }


def in_tree(tree: Path, policy: str, turns: int, seed: int, window: int, agent: str) -> str:
    """Run one session with the build of that tree, and return its line."""
    paths = (str(tree), str(HERE.parents[1] / "support"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PALIMPSEST_KEY_RUN": "a key"}
    command = [str(tree / ".venv/bin/python"), str(HERE), "--one", policy, "--turns", str(turns)]
    command += ["--seeds", str(seed), "--window", str(window)]
    command += ["--summarizer"] if agent == "Summarizer" else []
    done = subprocess.run(command, env=environment, cwd=tree, capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr[-2_000:]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("trees", nargs="*", type=Path, default=[HERE.parents[2]])
    asked.add_argument("--turns", type=int, default=500)
    asked.add_argument("--seeds", type=int, nargs="+", default=[7, 8])
    asked.add_argument("--window", type=int, nargs="+", default=[16_000])
    asked.add_argument("--policies", nargs="+", default=["balanced"])
    asked.add_argument("--one", default="", help="the policy of the only session, in this process")
    asked.add_argument("--summarizer", action="store_true", help="a model whose summaries can be used")
    order = asked.parse_args()
    agent = "Summarizer" if order.summarizer else "Agent"
    if order.one:
        print(json.dumps(asyncio.run(measure(order.one, order.turns, order.seeds[0], order.window[0], agent))))
        return
    for window in order.window:
        for seed in order.seeds:
            for policy in order.policies:
                for tree in order.trees:
                    line = in_tree(tree.resolve(), policy, order.turns, seed, window, agent)
                    print(tree.name, line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
