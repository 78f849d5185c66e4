"""A file that is too large says how much of it is sent, and where the rest is."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_run_tools import equipped
from test_too_large import LINES, shorten

from desktop_app.context.truncate import BYTES_SENT, ENDS_SENT, LINES_SENT, NOTHING_SENT
from desktop_app.conversation.events import TurnFinished
from desktop_app.conversation.message import Attachment
from provider import Reply

PAGES = Attachment("a.pdf", "application/pdf", LINES, "30 pages")


@pytest.mark.parametrize("as_file", [True, False])
async def test_a_file_says_how_much_of_it_is_sent(house, tmp_path: Path, as_file: bool) -> None:
    home = await house([Reply("Read.")], window=12_000, max_output=0)
    session = await equipped(home, tmp_path)
    await home.chats.turns.send(session, "Look.", (PAGES, Attachment("b.txt", "text/plain", "short", "1 line")))
    await home.until(lambda: bool(home.of(TurnFinished)))
    await shorten(home, session, as_file)
    message = session.message(session.view.last_user_id)
    assert message is not None
    pages, short = (part for part in message.parts if isinstance(part, Attachment))
    said = [line for line in pages.content.split("\n") if line.endswith("a line of the pasted log")]
    if as_file:
        assert 12 < len(said) < 4_000
        assert pages.about == f"30 pages · {LINES_SENT.format(shown=len(said), whole='4,000')}"
    else:
        head, _, tail = (part.strip("\n") for part in pages.content.partition("[…"))
        tail = tail.partition("…]\n\n")[2]
        number = int(pages.about.partition(" · ")[2].partition(" of ")[0].replace(",", ""))
        assert abs(number - len(head) - len(tail)) <= 3
        assert pages.about.endswith(ENDS_SENT.format(shown="", whole=f"{len(LINES):,}"))
    assert short.about == "1 line", "of which all is sent"


async def test_a_file_of_one_line_says_how_many_bytes_are_sent(house, tmp_path: Path) -> None:
    home = await house([Reply("Read.")], window=12_000, max_output=0)
    session = await equipped(home, tmp_path)
    await home.chats.turns.send(session, "Look.", (Attachment("a.json", "text/plain", "word " * 20_000),))
    await home.until(lambda: bool(home.of(TurnFinished)))
    await shorten(home, session, as_file=True)
    message = session.message(session.view.last_user_id)
    assert message is not None
    (one,) = (part for part in message.parts if isinstance(part, Attachment))
    assert one.about.endswith(BYTES_SENT.format(shown="", whole="100,000"))


async def test_a_file_of_which_nothing_is_sent_says_so(house, tmp_path: Path) -> None:
    home = await house([Reply("Read.")], window=12_000, max_output=0)
    session = await equipped(home, tmp_path)
    huge = Attachment("a.log", "text/plain", LINES * 3, "12,000 lines")
    await home.chats.turns.send(session, "Look.", (huge,))
    await home.until(lambda: bool(home.of(TurnFinished)))
    await shorten(home, session, as_file=True)
    message = session.message(session.view.last_user_id)
    assert message is not None
    (one,) = (part for part in message.parts if isinstance(part, Attachment))
    assert "a line of the pasted log" not in one.content
    assert one.about == f"12,000 lines · {NOTHING_SENT}"
