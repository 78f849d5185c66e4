"""Measures what reading a streamed reply costs in each format, against another build: `python measure_replies.py TREE`

TREE: a work tree, or an unpacked archive, of the other build. Each build reads the same events of 2,000 deltas in its
own process, from bytes to pieces, and the two take turns. Prints the fewest microseconds of CPU for each delta, and
the ratio. Ends with 1 if a ratio is above 1.05.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[2]
DELTAS, ROUNDS, REPEATED, MAX_RATIO = 2_000, 10, 8, 1.05


def events(wire: str) -> bytes:
    """Return the events of a reply with so many deltas."""
    words = [f"word{n} " for n in range(DELTAS)]
    found: list[dict[str, Any]] = []
    for number, word in enumerate(words):
        if wire == "responses":
            place = {"item_id": "msg_0a1b2c", "output_index": 0, "content_index": 0, "logprobs": []}
            found.append(
                {"type": "response.output_text.delta", "sequence_number": number, "delta": word, "obfuscation": "x"}
                | place
            )
        elif wire == "responses, thoughts":
            place = {"item_id": "rs_0a1b2c", "output_index": 0, "summary_index": 0}
            kind = "response.reasoning_summary_text.delta"
            found.append({"type": kind, "sequence_number": number, "delta": word} | place)
        elif wire == "anthropic":
            delta = {"type": "text_delta", "text": word}
            found.append({"type": "content_block_delta", "index": 0, "delta": delta})
        else:
            choice = {"index": 0, "delta": {"content": word}, "finish_reason": None}
            found.append({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})
    return "".join(f"event: {e.get('type', 'e')}\ndata: {json.dumps(e)}\n\n" for e in found).encode()


WIRES = ("chat", "anthropic", "responses", "responses, thoughts")


async def _read(wire: str, content: bytes) -> int:
    from desktop_app.models.bounded_response import events_of
    from desktop_app.models.reply_formats import chunk_reader
    from desktop_app.models.reply_reader import ReplyReader

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(content), 16_384):
            yield content[start : start + 16_384]

    read: Any = chunk_reader(wire.partition(",")[0])  # type: ignore[arg-type]
    reply, count = ReplyReader("m"), 0
    async for event in events_of(pieces()):
        for _ in reply.pieces(read(event)):
            count += 1
    return count


def measure() -> dict[str, float]:
    """Return the fewest microseconds of CPU for a delta of each format."""
    found: dict[str, float] = {}
    for wire in WIRES:
        content = events(wire)
        for _ in range(REPEATED):
            began = time.process_time()
            count = asyncio.run(_read(wire, content))
            spent = time.process_time() - began
            assert count >= DELTAS - 1, (wire, count)  # the newest one may be held back
            found[wire] = min(found.get(wire, 1e9), 1e6 * spent / DELTAS)
    return found


def _of(tree: Path) -> dict[str, float]:
    code = f"import sys; sys.path[:0] = [{str(tree)!r}, {str(Path(__file__).parent)!r}]\n"
    code += "import json, measure_replies; print(json.dumps(measure_replies.measure()))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def main() -> int:
    """Print the figures of both builds. Return the exit code."""
    other = Path(sys.argv[1]).absolute()
    fewest: dict[str, list[float]] = {wire: [1e9, 1e9] for wire in WIRES}
    for number in range(2 * ROUNDS):
        which = number % 2
        for wire, spent in _of((other, HERE)[which]).items():
            fewest[wire][which] = min(fewest[wire][which], spent)
    for wire, (before, now) in fewest.items():
        print(f"{wire:20} {before:6.2f} µs {now:6.2f} µs  {now / before:.3f}")
    return int(any(now > MAX_RATIO * before for before, now in fewest.values()))


if __name__ == "__main__":
    sys.exit(main())
