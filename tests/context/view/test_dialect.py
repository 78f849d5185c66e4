"""What a request becomes for one model."""

from __future__ import annotations

import pytest

from builders import call, gauge, letters, model, result, user, view
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.view.dialect import ELSEWHERE_LINE, IMAGE_LINE, reasoning_of, to_dialect
from desktop_app.context.view.view import assemble
from desktop_app.conversation.listing import Dialect
from desktop_app.conversation.message import Attachment, Message, Reasoning, Text, ToolCall
from desktop_app.conversation.tools import ToolSpec

READ = ToolSpec("read", "Reads a file")
IMAGE = Attachment(
    "a.png",
    "image/png",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
)


def sent(dialect: Dialect, *messages: Message) -> list[Message]:
    return to_dialect(messages, (), dialect)[0]


@pytest.mark.parametrize(
    ("metadata", "stays"), [('{"writer": "s/m"}', True), ('{"writer": "s/other"}', False), ("{", False), ("[]", False)]
)
def test_metadata_goes_back_to_its_own_model_alone(metadata: str, stays: bool) -> None:
    reply = model("", ToolCall("c", "read", "{}", metadata))
    (own,) = sent(Dialect("s/m"), reply)
    assert (own.tool_calls[0].provider_metadata == metadata) is stays
    (refused,) = sent(Dialect("s/m", returns_metadata=False), reply)
    assert refused.tool_calls[0].provider_metadata == ""


def test_reasoning_stays_only_where_it_goes_back() -> None:
    said = [user("Read"), model("", Reasoning("Hm."), call("read")), result("a"), model("Done.", Reasoning("So."))]
    assert [m.parts[0] for m in sent(Dialect(returned_reasoning="running"), *said)[1:4:2]] == [
        Reasoning("Hm."),
        Text("Done."),
    ]
    assert not any(isinstance(p, Reasoning) for m in sent(Dialect(), *said) for p in m.parts)


def test_an_image_is_named_to_a_model_without_vision() -> None:
    look = user("Look", IMAGE)
    assert sent(Dialect(), look) == [look]
    assert sent(Dialect(supports_vision=False), look)[0].parts[1] == Attachment("a.png", "text/plain", IMAGE_LINE)


@pytest.mark.parametrize("address", ["https://e.org/a.png", "http://127.0.0.1/a.png", "file:///etc/passwd", ""])
@pytest.mark.parametrize("supports_vision", [True, False])
def test_an_image_at_an_address_is_named_so_that_nobody_fetches_it(address: str, supports_vision: bool) -> None:
    look = user("Look", Attachment("a.png", "image/png", address))
    (said,) = sent(Dialect(supports_vision=supports_vision), look)
    assert said.parts[1] == Attachment("a.png", "text/plain", ELSEWHERE_LINE)


def test_tools_are_offered_declared_or_left_out() -> None:
    said = [user("Read"), model("", call("read")), result("a")]
    assert to_dialect(said, (READ,), Dialect(declares_called_tools=True))[1] == (READ,)
    assert [tool.name for tool in to_dialect(said, (), Dialect(declares_called_tools=True))[1]] == ["read"]
    assert to_dialect(said, (READ,), Dialect(supports_tools=False))[1] == ()


def test_equal_calls_become_one_with_all_results() -> None:
    calls = (call("read", '{"a": 1, "b": 2}', "x"), call("read", '{"b": 2, "a": 1}', "y"), call("read", "{}", "z"))
    said = [user("Read"), model("", *calls), result("1", "x"), result("2", "y"), result("3", "z")]
    _, reply, first, other = sent(Dialect(joins_duplicate_calls=True), *said)
    assert [one.call_id for one in reply.tool_calls] == ["x", "z"]
    assert [first.text, other.text] == ["1\n\n2", "3"]
    *_, first, other = sent(Dialect(joins_duplicate_calls=True), *said[:2], said[3], said[4], said[2])
    assert [(m.tool_result.call_id, m.text) for m in (first, other) if m.tool_result] == [("x", "2\n\n1"), ("z", "3")]
    assert sent(Dialect(), *said) == said


DIALECTS = (
    Dialect(returned_reasoning="running"),
    Dialect(returned_reasoning="always"),
    Dialect(joins_duplicate_calls=True),
    Dialect(declares_called_tools=True),
)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_counted_is_what_is_sent(dialect: Dialect) -> None:
    thought = model("", Reasoning("Hm, let me see."), call("read", "{}", "x"), call("read", "{}", "y"))
    turn = [user("Read it"), thought, result("1", "y"), result("2", "x")]
    shown, counts = view(*turn, model("It is read."), *turn), letters(dialect)
    messages, tools = to_dialect(assemble(shown), (), dialect)
    whole = sum(counts.total(m) + counts.reasoning(reasoning_of(m)) for m in messages) + counts.tools(tools)
    whole += counts.tokenizer.overhead.priming
    told = gauge(shown, counts)
    assert request_tokens(shown, counts) == told.total == sum(told.segments.values()) == whole
