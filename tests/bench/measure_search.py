"""How long a search takes in a large archive: CPU and clock of each query, the first time and after.

python tests/bench/measure_search.py FILE [--cold]

FILE: of million_archive.py, opened once so that all facets are there
--cold: the operating system forgets the file before each query (Linux, where that is allowed)
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path

from desktop_app.archive.full_text_search import search_messages
from desktop_app.archive.store import Store
from desktop_app.context import sentence_kinds
from desktop_app.conversation.listing import SearchFilters
from desktop_app.conversation.message import Role
from desktop_app.paths import SENTENCE_KINDS

ROUNDS = 5
SINCE, UNTIL = 1_709_251_200.0, 1_717_200_000.0  # the spring of 2024
QUERIES = {
    "a common word": ("the", SearchFilters()),
    "a word of 1 %": ("flight", SearchFilters()),
    "a rare word": ("kelvorba", SearchFilters()),
    "two words": ("index migration", SearchFilters()),
    "two common words": ("the and", SearchFilters()),
    "a phrase": ('"the index"', SearchFilters()),
    "a path": ("src/a.py", SearchFilters()),
    "an unfinished word": ("the migrat", SearchFilters()),
    "inside of a word": ("edgerEntr", SearchFilters()),
    "inside of common words": ("ightl", SearchFilters()),
    "nothing at all": ("xqzvbnm", SearchFilters()),
    "a question": ("what did we decide about the index?", SearchFilters()),
    "a question, last spring": ("what did we decide about the index?", SearchFilters(since=SINCE, until=UNTIL)),
    "common word, one season": ("the", SearchFilters(since=SINCE, until=UNTIL)),
    "common word, before 2023": ("the", SearchFilters(until=1_672_531_200.0)),
    "common word, a role": ("the", SearchFilters(role=Role.USER)),
    "common word, a model": ("the", SearchFilters(model="gpt-5")),
    "common word, a tool": ("the", SearchFilters(tool="bash")),
    "common word, with code": ("the", SearchFilters(has_code=True)),
    "word, role, tool, season": (
        "flight", SearchFilters(role=Role.ASSISTANT, tool="bash", since=SINCE, until=UNTIL)
    ),
    "a role only": ("", SearchFilters(role=Role.USER)),
    "a season only": ("", SearchFilters(since=SINCE, until=UNTIL)),
    "code of a model only": ("", SearchFilters(has_code=True, model="gpt-5")),
    "no such tool": ("the", SearchFilters(tool="none")),
}  # fmt: skip


def measure(file: Path, is_cold: bool) -> None:
    print(f"{'':26} {'found':>6} {'CPU ms':>7} {'first':>7} {'clock ms':>9} {'first':>7}")
    for name, (query, filters) in QUERIES.items():
        cpu: list[float] = []
        clock: list[float] = []
        count = 0
        store = Store(file, read_only=True)
        for _ in range(ROUNDS):
            if is_cold:
                store.close()
                forget(file)
                store = Store(file, read_only=True)
            began, used = time.perf_counter(), time.process_time()
            count = len(store.read(search_messages, query, None, 50, filters))
            cpu.append((time.process_time() - used) * 1_000)
            clock.append((time.perf_counter() - began) * 1_000)
        store.close()
        print(
            f"{name:26} {count:6} {statistics.median(cpu):7.1f} {cpu[0]:7.1f}"
            f" {statistics.median(clock):9.1f} {clock[0]:7.1f}",
            flush=True,
        )


def forget(file: Path) -> None:
    """Have the operating system drop the file from its memory."""
    with file.open("rb") as opened:
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


if __name__ == "__main__":
    sentence_kinds.load(SENTENCE_KINDS.read_bytes())
    archive = Path(sys.argv[1])
    measure(archive, "--cold" in sys.argv)
