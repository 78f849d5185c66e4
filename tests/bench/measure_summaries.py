"""What one summary costs and how long it takes, against a scripted server that counts and caches as Anthropic does.

    .venv/bin/python tests/bench/measure_summaries.py [TREE ...]

Each tree (default: this one) is measured in a process of its own, in turns: a conversation of TOKENS tokens has just
been answered, then a model writes its summary. *warm*: right after the reply. *cold*: six minutes later. The server
reads 5,000 tokens a second that are not in its cache, and writes 80. Prices are those of Claude Sonnet.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve()
MODEL = "claude-sonnet-4-5"
PROMPT, WRITTEN, READ, REPLY = 3.0, 3.75, 0.3, 15.0  # dollars for a million tokens
READ_PER_SECOND, WRITTEN_PER_SECOND, FASTER = 5_000, 80, 20
"""Tokens a second; and by how much the server hurries, which the result makes up for."""
PAGE = (
    "## Primary intent\nQuestions about {topics}, and answers with details.\n\n## Decisions\n- Topics were looked at."
)


def messages(tokens: int) -> list[tuple[str, str]]:
    words = "the parser reads a value and returns it to the caller while the index is written to the store"
    return [
        ("user" if n % 2 == 0 else "assistant", f"Topics {n}: questions about details {n * 7}. {words} {n}. " * 6)
        for n in range(tokens // 160 // 2 * 2)
    ]


def answer_to(request: Any, measured: Any) -> Any:
    from provider import Reply

    said = json.dumps(request.body)
    is_summary = '\\"summary\\"' in said[-4_000:]
    text = json.dumps({"summary": PAGE.format(topics="topics"), "turn": "", "keep": []}) if is_summary else "Here."
    return Reply(text, size=400)


async def measure(tokens: int, is_cold: bool, folder: Path) -> dict[str, float]:
    """One summary, as the tree that this process runs in writes it."""
    from msgspec.structs import replace

    from desktop_app.chat.compaction.optimize import plan_optimize, write_summary
    from desktop_app.chat.compaction.snapshot import snapshot_of
    from desktop_app.chat.session import stamp
    from desktop_app.conversation.message import Message, Role, Text
    from desktop_app.conversation.tools import ToolSpec
    from desktop_app.engine.compose import compose_services
    from desktop_app.models.tokens.tokenizers import tokenizer_for
    from desktop_app.permissions.rules import rules_of_option
    from desktop_app.settings import Server
    from provider import Reply, ScriptedProvider, Windowed

    now = [0.0]
    reply_tokens = 600

    class Paced(Windowed):
        def take(self, request: Any, shape: Any) -> Any:
            step = super().take(request, shape)
            one = self.requests[-1]
            seconds = (one.prompt_tokens - one.cached_tokens) / READ_PER_SECOND
            is_summary = isinstance(step, Reply) and len(step.text) > 20
            seconds += (reply_tokens if is_summary else 1) / WRITTEN_PER_SECOND
            return replace(step, delay=seconds / FASTER) if isinstance(step, Reply) else step

    count = tokenizer_for("gpt-4o").count
    script = Paced(200_000, lambda request: answer_to(request, None), count=count, clock=lambda: now[0])
    with ScriptedProvider(script, flavour="anthropic", models=(MODEL,)) as provider:
        server = Server("run", provider.root_url, (MODEL,), 200_000, kind="anthropic")

        def changed(settings: Any) -> Any:
            return replace(
                settings, chat_model=f"run/{MODEL}", servers=(server,), policy="balanced", is_automatic=False
            )

        ended = asyncio.Event()

        def emit(event: Any) -> None:
            if type(event).__name__ == "TurnFinished":
                ended.set()

        services = await compose_services(
            folder, emit, lambda: None, lambda bug: None, changed, rules_of_option("all"), is_attended=False
        )
        try:
            await services.get_ready()
            made = [
                Message(role=Role(role), parts=(Text(text),), id=f"m{n}", at=time.time())
                for n, (role, text) in enumerate(messages(tokens))
            ]
            session = await services.conversations.create("Long", made)
            del stamp, ToolSpec
            await services.conversations.turns.send(session, "Where are we?")
            await ended.wait()
            await asyncio.sleep(0.2)
            before = len(script.requests)
            if is_cold:
                now[0] += 360
                clock = time.time
                time.time = lambda: clock() + 360
            plan = plan_optimize(snapshot_of(session.counter), None, strategy="llm")
            order = await services.conversations.services.summaries.request_for(session.counter, "llm")
            began = time.monotonic()
            done = await write_summary(plan, order)
            seconds = (time.monotonic() - began) * FASTER
        finally:
            await services.close()
    assert done.compaction is not None
    assert done.compaction.strategy == "llm", done.note
    sent = script.requests[before:]
    prompt, cached = sum(one.prompt_tokens for one in sent), sum(one.cached_tokens for one in sent)
    written = sum(one.written_tokens for one in sent)
    dollars = (prompt - cached - written) * PROMPT + cached * READ + written * WRITTEN
    dollars = (dollars + len(sent) * reply_tokens * REPLY) / 1e6
    return {
        "requests": len(sent),
        "prompt": prompt,
        "cached": cached / prompt,
        "dollars": dollars,
        "seconds": seconds,
    }


def run_in(tree: Path, tokens: int, is_cold: bool) -> dict[str, float]:
    inside = (
        "import sys, asyncio, json, tempfile, pathlib, importlib.util\n"
        f"sys.path[:0] = [{str(tree)!r}, {str(tree / 'tests' / 'support')!r}]\n"
        f"spec = importlib.util.spec_from_file_location('measured', {str(HERE)!r})\n"
        "module = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(module)\n"
        "folder = pathlib.Path(tempfile.mkdtemp())\n"
        f"print('RESULT', json.dumps(asyncio.run(module.measure({tokens}, {is_cold}, folder))))\n"
    )
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": "/usr/bin:/bin", "PALIMPSEST_KEY_RUN": "a key", "LANG": "C.UTF-8"}
        ran = subprocess.run(
            [str(tree / ".venv/bin/python"), "-c", inside], cwd=tree, env=environment, capture_output=True, text=True
        )
    lines = [line for line in ran.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        raise SystemExit(f"{tree}: {ran.stderr[-2000:]}")
    return json.loads(lines[-1].removeprefix("RESULT "))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trees", nargs="*", type=Path, default=[HERE.parents[2]])
    parser.add_argument("--tokens", type=int, nargs="+", default=[40_000, 110_000])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for tokens in options.tokens:
        for is_cold in (False, True):
            results: dict[Path, list[dict[str, float]]] = {tree.resolve(): [] for tree in options.trees}
            for _ in range(options.rounds):
                for tree, own in results.items():
                    own.append(run_in(tree, tokens, is_cold))
            for tree, own in results.items():
                figures = {name: median(one[name] for one in own) for name in own[0]}
                print(
                    f"{tokens:,} tokens, {'cold' if is_cold else 'warm'}, {tree.name}: "
                    f"{figures['requests']:.0f} requests, {figures['prompt']:,.0f} tokens read, "
                    f"{figures['cached']:.1%} from the cache, ${figures['dollars']:.3f}, {figures['seconds']:.1f} s",
                    flush=True,
                )


if __name__ == "__main__":
    sys.exit(main())
