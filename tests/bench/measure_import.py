"""What importing takes, the whole way: a child reads the file, this process stores what it finds, with both indexes.

    python tests/bench/measure_import.py FILE DATA_FOLDER

prints JSON: seconds on the clock and of CPU, and the peak memory, of this process and of the child.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from desktop_app.archive.archive import Archive
from desktop_app.chat.importing import import_conversations, look_through
from desktop_app.tools.foreign_files import ForeignFileReader

VOCABULARY = 20_000


def write_export(file: Path, conversations: int, each: int, words: tuple[int, int]) -> None:
    """Write an export of ChatGPT's with so many messages in each conversation; a file `.zip` is a zip with it."""
    pieces = _pieces(conversations, each, words)
    if file.suffix != ".zip":
        with file.open("w") as plain:
            plain.writelines(pieces)
        return
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("conversations.json", "w", force_zip64=True) as stream,
    ):
        for piece in pieces:
            stream.write(piece.encode())


def _pieces(conversations: int, each: int, words: tuple[int, int]) -> Iterator[str]:
    chance = random.Random(1)
    said = [f"word{chance.randrange(VOCABULARY)}" for _ in range(100_000)]
    for number in range(conversations):
        nodes: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None}}
        for index in range(each):
            start = chance.randrange(len(said) - words[1])
            text = " ".join(said[start : start + chance.randint(*words)])
            message = {
                "author": {"role": ("user", "assistant")[index % 2]},
                "create_time": 1.6e9 + number * each + index,
                "content": {"content_type": "text", "parts": [text]},
                "metadata": {"model_slug": "gpt-4o"},
            }
            nodes[f"m{index}"] = {"message": message, "parent": f"m{index - 1}" if index else "root"}
        one = {"title": f"Conversation {number}", "conversation_id": f"c{number}", "mapping": nodes}
        yield ("," if number else "[") + json.dumps(one)
    yield "]"


def peak_megabytes() -> float:
    """Return the peak of this program: `ru_maxrss` begins with that of the process that started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


async def measure(file: str, folder: Path, is_stored: bool) -> dict[str, float]:
    """Look through the file, and import all that was found."""
    archive = await Archive.open(folder / "archive.sqlite3")
    reader, clock, cpu, messages = ForeignFileReader(), time.perf_counter(), time.process_time(), 0
    offer = await look_through(reader, archive, (file,), lambda *_: None)
    assert not offer.unread, offer.unread
    if is_stored:
        chosen = frozenset(each.id for each in offer.found)
        messages = (await import_conversations(reader, archive, (file,), chosen, lambda *_: None)).messages
    taken, engine = time.perf_counter() - clock, time.process_time() - cpu
    await archive.close()
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "conversations": len(offer.found),
        "messages": messages,
        "clock": taken,
        "engine_cpu": engine,
        "child_cpu": child.ru_utime + child.ru_stime,
        "engine_mb": peak_megabytes(),
        "child_mb": child.ru_maxrss / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(sys.argv[1], Path(sys.argv[2]), "--look" not in sys.argv))))
