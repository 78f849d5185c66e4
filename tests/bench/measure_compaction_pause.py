"""The pause of compactions before a request, with a summary that was written ahead and without one.

    .venv/bin/python tests/bench/measure_compaction_pause.py [COUNT]

Each compaction is made as a turn makes it: decided, written, measured and recorded in an archive on disk. The model
that writes summaries needs SECONDS for one, and is asked only where there is none. Clock time and CPU time.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "chat")]
SECONDS = 2.0


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


async def measure(count: int, is_ahead: bool, folder: Path) -> tuple[list[float], list[float], int]:
    """Clock and CPU seconds of each compaction, and how many asked a model."""
    import json

    from msgspec.structs import replace
    from test_prefix_ride import PAGE, chat

    from conftest import House, OneServer
    from desktop_app.archive.archive import Archive
    from desktop_app.chat.session import stamp
    from desktop_app.context import sentence_kinds
    from desktop_app.conversation.transcript import StandingSummary, Trigger
    from desktop_app.paths import SENTENCE_KINDS
    from provider import Reply, ScriptedProvider
    from summary_prompts import PROMPTS

    sentence_kinds.load(SENTENCE_KINDS.read_bytes())
    reply = Reply(json.dumps({"summary": PAGE}), size=400, delay=SECONDS)
    provider = ScriptedProvider([reply], repeat_last=True)
    archive = await Archive.open(folder / "archive.sqlite3")
    home = House(archive, OneServer(provider, 30_000, 1_000, None), provider, PROMPTS)
    clock, cpu = list[float](), list[float]()
    try:
        for number in range(count):
            session = await home.chats.create(f"Talk {number}", chat(260))
            if is_ahead:
                ids = tuple(item.message.id for item in session.view.items)
                await session.record(stamp(StandingSummary(message_ids=ids, summary=PAGE, model="scripted/scripted")))
            policy = session.counter.chosen_policy
            session.counter.chosen_policy = replace(policy, max_spend=0)  # no limit on how many ask a model
            session.counter.gauge()
            began, used = time.perf_counter(), time.process_time()
            assert await home.make_room(session, Trigger.BEFORE_REQUEST)
            clock.append(time.perf_counter() - began)
            cpu.append(time.process_time() - used)
            assert session.view.summary is not None
            assert session.view.summary.strategy == "llm" or not is_ahead, session.view.summary.note
        return clock, cpu, len(provider.requests)
    finally:
        await home.chats.close()
        await archive.close()


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    for is_ahead, number in ((True, count), (False, min(count, 20))):
        with tempfile.TemporaryDirectory() as folder:
            clock, cpu, asked = asyncio.run(measure(number, is_ahead, Path(folder)))
        marks = median(clock), percentile(clock, 0.95), max(clock), median(cpu), percentile(cpu, 0.95), max(cpu)
        middle, most, worst, own, busy, busiest = (f"{seconds * 1e3:.0f} ms" for seconds in marks)
        name = "written ahead" if is_ahead else "not ahead"
        print(
            f"{name}: {number:,} compactions, {asked} requests; pause {middle}, 95 % {most}, worst {worst}; "
            f"CPU {own}, 95 % {busy}, worst {busiest}",
            flush=True,
        )


if __name__ == "__main__":
    main()
