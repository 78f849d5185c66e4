"""A reply that the provider cuts, in the middle of whatever it was writing: what had arrived is kept as it was."""

from __future__ import annotations

from typing import Any

import pytest
from test_whole_reply import WINDOW, begun, shown, stored, told

from desktop_app.chat.ports import ModelError
from desktop_app.chat.session import Session
from desktop_app.conversation.message import Message, Reasoning
from provider import Call, Cut, Reply

ODD = "naïve 世界 👩‍👩‍👧‍👦 я🇫🇷́ fin"
"""Characters of two to four bytes, and some that are several characters joined."""
CALL = Call("write", '{"path": "a", "text": "世界 and more of it"}')

CUTS = {
    "inside a fence": Cut("Look:\n\n```python\nfor n in range(3):\n    print(n"),
    "behind one backtick of a fence": Cut("Look:\n\n`"),
    "inside a word": Cut("It is extraordin"),
    "inside a character": Cut(ODD, inside="utf8"),
    "inside a character, in a fence": Cut(f"```\n{ODD}", inside="utf8"),
    "at a well-formed end without a reason": Cut(ODD, is_abrupt=False),
    "inside the arguments of a call": Cut("I write it.\n", calls=(CALL,)),
    "inside a character of the arguments": Cut("I write it.\n", calls=(CALL,), inside="utf8"),
    "inside a second call": Cut("Both.\n", calls=(Call("read", '{"path": "b"}', "c1"), CALL)),
    "inside a call, without a reason": Cut("I write it.\n", calls=(CALL,), is_abrupt=False),
    "inside of reasoning": Cut("", reasoning="世界, I should look at the fi"),
    "inside of text behind reasoning": Cut("It is extraordin", reasoning="Well, 世界."),
    "inside a call behind reasoning": Cut("", reasoning="I write it, 世界.", calls=(CALL,)),
}


@pytest.mark.parametrize("where", CUTS)
async def test_a_cut_reply_is_kept_as_it_came(house, where: str) -> None:
    cut = CUTS[where]
    home = await house([cut], window=WINDOW)
    session = await begun(home, tokens=0)
    whole = home.reply(session)
    with pytest.raises(ModelError):
        await told(home, whole)
    await whole.keep()
    (reply,) = stored(session)
    assert (reply.text, thoughts_of(reply)) == (cut.after, cut.reasoning)
    assert reply.is_interrupted
    assert not reply.tool_calls
    assert not session.view.open_calls, "so that nothing is there to be run"
    assert (await kept_of(home, session))[-1] == reply


@pytest.mark.wire
@pytest.mark.parametrize("where", ["inside the arguments of a call", "inside a second call"])
async def test_a_call_that_was_cut_before_anything_was_shown_leaves_nothing(house, where: str) -> None:
    """The request can simply be made again."""
    cut = CUTS[where]
    home = await house([Cut(calls=cut.calls), Reply("Now.", calls=(CALL,))], window=WINDOW)
    session = await begun(home, tokens=0)
    whole = home.reply(session)
    await told(home, whole)
    (reply,) = stored(session)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("write", CALL.arguments)]


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_half_a_call_at_another_end_is_not_run(house, finish: str) -> None:
    half = Call("write", CALL.arguments[:20])
    home = await house([Reply("I write it.\n", calls=(half,), finish=finish, usage=None)], window=60_000)
    session = await begun(home, tokens=0)
    whole = home.reply(session)
    await told(home, whole)
    (reply,) = stored(session)
    assert not reply.tool_calls
    assert reply.text == "I write it.\n"


@pytest.mark.wire
@pytest.mark.parametrize("odd", ["halves", "crlf"])
async def test_characters_that_come_in_two_halves_are_whole_where_it_is_stopped_and_where_it_goes_on(
    house, odd: str
) -> None:
    """Events are cut at any byte, also inside a character, and the text at any character."""
    story = "".join(f"{n}: {ODD}\n```\n{n} · 世{n}界\n```\n" for n in range(150))
    home = await house([], window=WINDOW)
    session = await begun(home)
    home.provider.script = _Oddly(story[:4_200], odd)
    whole = home.reply(session)
    events = await told(home, whole)
    assert whole.restarts >= 1
    text = "".join(message.text for message in stored(session))
    assert text == shown(events) == story[:4_200]
    assert "\ufffd" not in text
    asked = home.provider.requests[1].messages[-2]["content"]
    assert asked == stored(session)[0].text


def thoughts_of(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, Reasoning))


async def kept_of(home, session: Session) -> list[Message]:
    """The messages as the archive has them."""
    entries = await home.archive.entries(session.id)
    return [entry for entry in entries if isinstance(entry, Message)]


class _Oddly:
    """Tells a story from where the reply in the request ends."""

    def __init__(self, story: str, odd: Any) -> None:
        self.story, self.odd = story, odd

    def take(self, request, shape) -> Reply:
        said = next((m["content"] for m in reversed(request.messages) if m["role"] == "assistant"), "") or ""
        begin = len(said) if said and self.story.startswith(said) else 0
        return Reply(self.story[begin:], size=7, usage=None, odd=self.odd)
