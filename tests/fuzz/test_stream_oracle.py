"""The check that no text is lost: it holds where none is, and sees a loss whatever ends the stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from stream_house import Failed, StreamHouse, short_limits, sound_stream
from stream_maker import Recipe, Stream, stream_of
from stream_parts import PATIENCE, Action, Hold, Pause, Reset, Write

from desktop_app.chat.ports import TextPiece
from desktop_app.chat.turn.stream_guard import StreamGuard
from desktop_app.conversation.events import RetryScheduled
from desktop_app.models.litellm_library import LiteLLM

pytestmark = [
    pytest.mark.wire,
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning"),
]
KIND = "anthropic"


@pytest_asyncio.fixture
async def house(tmp_path: Path, library: LiteLLM) -> AsyncIterator[StreamHouse]:
    with short_limits():
        made = await StreamHouse.open(tmp_path, library)
        await made.be_patient(50)  # litellm imports more at its first use
        await made.try_out([sound_stream(KIND)])
        await made.be_patient(1)
        yield made
        await made.close()


def huge() -> Stream:
    """Seed 6863: a text, then a line of 70,000 characters, all of it written."""
    return stream_of(Recipe(6863, KIND, (("huge_line", 261585),), "mixed", "short"))


async def test_an_answer_to_a_client_that_left_is_not_lost(house: StreamHouse) -> None:
    """The server is run again only once the client has given up waiting."""
    late = huge()
    late = Stream(KIND, (Pause(2 * PATIENCE), *late.actions), late.texts)
    await house.try_out([late])
    assert late.text()
    session = await house.chats.create(model=KIND)
    events = await house.turn(session, "Hello", [late])
    assert any(isinstance(event, RetryScheduled) for event in events)
    assert house.arrivals.text(events) == ""
    assert session.recorded.branch[-1].text == sound_stream(KIND).text()


ENDS: dict[str, tuple[Action, ...]] = {"silence": (Hold(),), "a reset": (Reset(),), "its end": ()}


def broken(end: str) -> Stream:
    """A text that arrives, and then another end than it says."""
    whole = sound_stream(KIND)
    (write,) = whole.actions
    assert isinstance(write, Write)
    data = write.data
    place = data.index(b'"is w"') + len(b'"is w"}}\n\n')
    body = place - data.index(b"\r\n\r\n") - 4
    texts = ((body, "All is w"),)
    return Stream(KIND, (Write(data[:place]), Pause(PATIENCE / 4), *ENDS[end]), texts, is_whole=end == "its end")


@pytest.mark.parametrize("end", ENDS)
async def test_text_before_a_break_is_kept(house: StreamHouse, end: str) -> None:
    await house.try_out([broken(end)])


@pytest.mark.parametrize("end", ENDS)
async def test_text_that_was_read_and_dropped_is_noticed(
    house: StreamHouse, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrived = StreamGuard.arrived

    def drop_first(guard: StreamGuard, piece: Any) -> Any:
        is_first = isinstance(piece, TextPiece) and piece.text == "All "
        return () if is_first else arrived(guard, piece)

    monkeypatch.setattr(StreamGuard, "arrived", drop_first)
    with pytest.raises(Failed, match="arrived"):
        await house.try_out([broken(end)])
