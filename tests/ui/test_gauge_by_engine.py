"""The gauge with the real engine: it counts what is typed, what streams, and takes what the provider has measured."""

from __future__ import annotations

import pytest
from person import Person
from ui_scenes import is_idle

from desktop_app.conversation.gauge import Provenance, Segment, Status
from provider import Reply

pytestmark = pytest.mark.wire
LONG = ("word " * 300).strip()


def shown_tokens(person: Person) -> int:
    """Return what the gauge says is used, with the draft."""
    return int(person.window.ui.gauge.numbers.text().split(" of ")[0].replace(",", ""))


def dot_colour(person: Person) -> str:
    """Return the painted colour of the status."""
    picture = person.window.ui.gauge.dot.grab().toImage()
    return picture.pixelColor(picture.rect().center()).name()


@pytest.mark.row("W1", "the draft, the reply that streams, what was measured")
@pytest.mark.row("S10", "reported usage is the anchor")
def test_it_counts_the_draft_the_reply_that_streams_and_then_what_was_measured(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        gauge = person.window.ui.gauge
        empty = await person.shown_gauge()
        assert empty.total == sum(empty.segments.values()) == shown_tokens(person)
        await person.write("How many words will you write?")
        await person.sees(lambda: shown_tokens(person) >= empty.total + 7, "the draft's tokens")
        assert gauge.gauge == empty, "the draft is added to the gauge, and is not part of it"
        table = {line.name: line.tokens for line in person.window.ui.panel.breakdown.table.lines}
        assert table["In the request"] == shown_tokens(person) == empty.total + table["Your draft"]
        await person.enter()
        await person.sees(person.provider.requests.__len__, "the request")
        sent = await person.shown_gauge()
        assert sent.segments[Segment.USER] > 0
        person.provider.released.set()
        seen = list[int]()
        await person.sees(lambda: seen.append(shown_tokens(person)) or len(set(seen)) > 5, "a gauge that grows")
        assert not is_idle(person.window)
        assert seen == sorted(seen)
        await person.sees_end(LONG)
        await person.sees(lambda: gauge.gauge and gauge.gauge.provenance is Provenance.MEASURED, "a measured figure")
        done = await person.shown_gauge()
        assert done.total == 47 + 320 + 4, "what was reported of the request and of the reply, as a message"
        assert sum(done.segments.values()) == done.total

    play_by_engine(scene, [Reply(LONG, size=5, per_second=120, is_held=True, usage=(47, 320, 0))])


@pytest.mark.row("W1", "colour by status; a click opens a table that adds up")
def test_its_colour_and_words_follow_the_status_and_a_click_opens_a_table_that_adds_up(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        gauge, panel = person.window.ui.gauge, person.window.ui.panel
        await person.ask("Write much.", "Much.")
        assert (await person.shown_gauge()).status is Status.SAFE
        calm = dot_colour(person)
        await person.write("about this and that, " * 620)
        await person.sees(lambda: dot_colour(person) != calm, "another colour for the draft alone")
        await person.enter()
        await person.sees_end("More.")
        full = await person.shown_gauge()
        assert full.status is not Status.SAFE
        await person.click(gauge.bar)
        table = panel.breakdown.table
        await person.sees(table.isVisible, "the breakdown")
        told = {line.square: line.tokens for line in table.lines if isinstance(line.square, Segment)}
        assert told == {segment: tokens for segment, tokens in full.segments.items() if tokens}
        assert sum(told.values()) == full.total

    play_by_engine(scene, [Reply("Much.", usage=None), Reply("More.", usage=None)], window=5_000)
