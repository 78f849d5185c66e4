"""Pieces of a reply are passed on as they come, in order, and a pause is noticed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from desktop_app.chat.ports import TextPiece
from desktop_app.chat.turn import incoming_reply
from desktop_app.chat.turn.incoming_reply import MAX_AHEAD, with_pauses


class Source:
    """Pieces of a model. closed: whether the stream was closed, or has ended."""

    def __init__(self, *texts: str, error: Exception | None = None, pause: float | None = None) -> None:
        self.texts, self.error, self.pause = texts, error, pause
        self.given, self.closed = 0, False

    async def pieces(self) -> AsyncGenerator[TextPiece, None]:
        try:
            for text in self.texts:
                if self.pause is not None:
                    await asyncio.sleep(self.pause)
                self.given += 1
                yield TextPiece(text)
            if self.error is not None:
                raise self.error
        finally:
            self.closed = True


def texts_of(pieces: list[TextPiece | None]) -> list[str | None]:
    return [piece.text if piece else None for piece in pieces]


async def test_all_pieces_come_in_their_order() -> None:
    source = Source(*map(str, range(10 * MAX_AHEAD)))
    assert texts_of([piece async for piece in with_pauses(source.pieces())]) == list(source.texts)
    assert source.closed


async def test_pieces_before_an_error_come_before_it() -> None:
    reading = with_pauses(Source("a", "b", error=ValueError("cut")).pieces())
    assert texts_of([await anext(reading), await anext(reading)]) == ["a", "b"]
    with pytest.raises(ValueError, match="cut"):
        await anext(reading)


async def test_a_pause_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming_reply, "KEEP_EVERY", 0.02)
    found = texts_of([piece async for piece in with_pauses(Source("a", "b", pause=0.07).pieces())])
    assert [text for text in found if text] == ["a", "b"]
    assert None in found[: found.index("a")]
    assert None in found[found.index("a") : found.index("b")]


async def test_a_reader_that_leaves_closes_the_stream() -> None:
    source = Source(*"abc", pause=0.0)
    reading = with_pauses(source.pieces())
    assert (await anext(reading)) == TextPiece("a")
    await reading.aclose()
    assert source.closed


async def test_an_error_behind_what_was_taken_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    reading = with_pauses(Source("a", error=ValueError("late")).pieces())
    await anext(reading)
    await asyncio.sleep(0)
    await reading.aclose()
    await asyncio.sleep(0)
    assert not caplog.records


async def test_only_a_few_pieces_are_read_ahead() -> None:
    source = Source(*("x" for _ in range(10 * MAX_AHEAD)))
    reading = with_pauses(source.pieces())
    await anext(reading)
    await asyncio.sleep(0.01)
    assert source.given <= MAX_AHEAD
    await reading.aclose()
