"""Messages in an order that a template accepts: nothing is lost, and a second time changes nothing."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.view.dialect import to_dialect
from desktop_app.context.view.reshaping import reshape
from desktop_app.conversation import quirks
from desktop_app.conversation.listing import Dialect
from desktop_app.conversation.message import Attachment, Message, Role, Text, ToolCall, ToolResult
from desktop_app.models.provider_dialects import with_quirks

PICTURE = Attachment("shot.png", "image/png", "data:image/png;base64,AAAA")


def _round(index: int, calls: int, is_speaking: bool, has_picture: bool) -> list[Message]:
    names = [f"{index}x{n}" for n in range(calls)]
    asked = [ToolCall(name, "list", json.dumps({"path": f"p{name}"})) for name in names]
    results = [
        Message(
            role=Role.TOOL,
            parts=(ToolResult(name, "list", f"result {name}"), *((PICTURE,) if has_picture else ())),
        )
        for name in reversed(names)
    ]
    before = (Text(f"I look {index}."),) if is_speaking or not calls else ()
    return [Message(role=Role.ASSISTANT, parts=(*before, *asked)), *results]


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    messages = [Message(role=Role.SYSTEM, parts=(Text("Be brief."),))]
    for turn in range(draw(st.integers(1, 3))):
        messages.append(Message(role=Role.USER, parts=(Text(f"Question {turn}."),)))
        for index in range(draw(st.integers(0, 2))):
            messages += _round(10 * turn + index, draw(st.integers(1, 3)), draw(st.booleans()), draw(st.booleans()))
        messages += _round(10 * turn + 9, 0, is_speaking=True, has_picture=False)
    return messages


ALL = (
    quirks.NO_SYSTEM,
    quirks.ALTERNATING,
    quirks.ONE_CALL,
    quirks.TEXT_WITH_RESULT,
    quirks.CALLS_AS_TEXT,
    quirks.NO_USER_AFTER_TOOL,
)
DIALECTS = st.builds(
    Dialect, quirks=st.lists(st.sampled_from(ALL), unique=True).map(tuple), supports_tools=st.booleans()
)


def _words(messages: list[Message]) -> str:
    return json.dumps(
        [
            getattr(p, "text", "") + getattr(p, "arguments", "") + getattr(p, "content", "")
            for m in messages
            for p in m.parts
        ]
    )


@given(conversations(), DIALECTS)
def test_nothing_is_lost_and_a_second_time_changes_nothing(messages: list[Message], dialect: Dialect) -> None:
    sent, _ = to_dialect(messages, (), dialect)
    assert reshape(sent, dialect) == sent
    words = _words(sent)
    for message in messages:
        for part in message.parts:
            expected = part.text if isinstance(part, Text | ToolResult) else ""
            assert expected in words
            if isinstance(part, ToolCall):
                assert json.loads(part.arguments)["path"] in words
    pictures = [p for m in messages for p in m.parts if isinstance(p, Attachment)]
    assert [p for m in sent for p in m.parts if isinstance(p, Attachment)] == pictures


@given(conversations(), DIALECTS)
def test_the_template_gets_what_it_accepts(messages: list[Message], dialect: Dialect) -> None:
    sent, _ = to_dialect(messages, (), dialect)
    roles, known = [message.role for message in sent], dialect.quirks
    pairs = list(pairwise(sent))
    if quirks.NO_SYSTEM in known:
        assert roles[0] is Role.USER
    if dialect.writes_calls_as_text:
        assert Role.TOOL not in roles
        assert not any(message.tool_calls for message in sent)
        assert all(one.role is not other.role for one, other in pairs)
        return
    if quirks.ONE_CALL in known:
        assert all(len(message.tool_calls) < 2 for message in sent)
        for one, other in pairs:
            if one.tool_calls:
                assert other.tool_result is not None
                assert other.tool_result.call_id == one.tool_calls[0].call_id
    if quirks.TEXT_WITH_RESULT in known:
        assert not any(message.tool_calls and message.text for message in sent)
    if quirks.NO_USER_AFTER_TOOL in known:
        assert all((one.role, other.role) != (Role.TOOL, Role.USER) for one, other in pairs)
    assert not any(message.has_image for message in sent if message.role is Role.TOOL)


@given(st.lists(st.sampled_from(("without stream_options", quirks.MAX_TOKENS, quirks.MAX_COMPLETION_TOKENS))))
def test_a_body_keeps_all_that_is_not_refused(learned: list[str]) -> None:
    known: tuple[str, ...] = ()
    for quirk in learned:
        known = quirks.with_quirk(known, quirk)
    body = with_quirks({"model": "m", "max_tokens": 5, "stream_options": {}, "temperature": 0.3}, known)
    assert body["model"] == "m"
    assert body["temperature"] == 0.3
    assert ("stream_options" in body) == ("without stream_options" not in known)
    assert [name for name in body if name.startswith("max_")] == [
        quirks.MAX_COMPLETION_TOKENS if quirks.MAX_COMPLETION_TOKENS in known else quirks.MAX_TOKENS
    ]
    assert body.get(quirks.MAX_TOKENS, body.get(quirks.MAX_COMPLETION_TOKENS)) == 5
