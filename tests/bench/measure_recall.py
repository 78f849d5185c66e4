"""Recall over all conversations of a large archive: CPU of a query, of the event loop in it, and of the first reading.

python tests/bench/measure_recall.py FILE [QUERY ...]     an archive, such as that of million_archive.py, only read
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import sys
import time
from pathlib import Path

from desktop_app.archive.archive import Archive
from desktop_app.chat.recall_service import recall_across
from desktop_app.models.tokens.tokenizers import tokenizer_for

QUERIES = (
    "When did Caroline go to the LGBTQ support group?",
    "What did we decide about the index last spring?",
    "fix the failing test in packages/agent/src/agent-loop.ts",
    "What is the reservation number of the flight to Houston?",
    "marshmallow TimeDelta serialization rounding bug",
    "error message file test run code model",
    "推荐一些适合初学者的书",
    "a word that nobody said: zebracrossing9",
)
BUDGET, ROUNDS = 4_000, 3
MILLISECONDS = 1_000


async def measure(file: Path, queries: tuple[str, ...]) -> None:
    count = tokenizer_for("gpt-5").count
    count("The tokenizer is loaded once.")
    archive = await Archive.open(file, read_only=True)
    whole, slices = time.process_time(), [0.0]
    while await archive.read_rows():
        slices.append(time.process_time() - whole - sum(slices))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    print(f"first reading: {sum(slices):.2f} s, longest slice {max(slices):.2f} s; the process has {megabytes:.0f} MB")
    times: list[float] = []
    for query in queries * ROUNDS:
        cpu, loop = time.process_time(), time.thread_time()
        found = await recall_across(archive, query, BUDGET, count)
        times.append((time.process_time() - cpu) * MILLISECONDS)
        own = (time.thread_time() - loop) * MILLISECONDS
        print(f"{times[-1]:4.0f} ms, {own:3.0f} on the loop, {len(found.messages):3} messages: {query}")
    print(f"median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")
    await archive.close()


if __name__ == "__main__":
    asyncio.run(measure(Path(sys.argv[1]), tuple(sys.argv[2:]) or QUERIES))
