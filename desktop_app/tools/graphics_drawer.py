"""Draws formulas and diagrams in a child process, because a model's text may make drawing take for ever."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from desktop_app.conversation.markdown_html import Drawing, Graphic

from .child_process import run_script

SECONDS = 10.0
"""Timeout of one process; a formula takes 10 to 30 ms, a diagram 5 to 50."""
MAX_SOURCE = 20_000
"""Characters of one graphic."""
TOO_LONG = Drawing(error=f"is longer than {MAX_SOURCE:,} characters")
TOO_SLOW = Drawing(error="takes too much time or memory to be drawn")


async def draw_graphics(graphics: Sequence[Graphic]) -> tuple[Drawing, ...]:
    """Return a drawing of each graphic, or the reason why it cannot be drawn."""
    short = [graphic for graphic in graphics if len(graphic.source) <= MAX_SOURCE]
    drawn = dict(zip(short, await _draw(short), strict=True)) if short else {}
    return tuple(drawn.get(graphic, TOO_LONG) for graphic in graphics)


async def _draw(graphics: Sequence[Graphic]) -> Sequence[Drawing]:
    """Draw the graphics together; if that fails, split them in halves to find the one that takes too long."""
    with tempfile.NamedTemporaryFile(prefix="palimpsest-") as file:
        await asyncio.to_thread(Path(file.name).write_bytes, msgspec.json.encode(graphics))
        printed = await run_script("graphic_child", file.name, seconds=SECONDS)
    if printed is not None:
        return msgspec.json.decode(printed, type=list[Drawing])
    if len(graphics) == 1:
        return [TOO_SLOW]
    middle = len(graphics) // 2
    return [*await _draw(graphics[:middle]), *await _draw(graphics[middle:])]
