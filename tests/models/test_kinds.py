"""Each kind of server through the real litellm, over loopback: what must hold for all of them."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from itertools import pairwise

import pytest
from msgspec.structs import replace

from builders import system
from desktop_app.chat.ports import ModelError, Piece, ReasoningPiece, ReplyEnd, TextPiece, ToolCallPiece
from desktop_app.conversation.message import Message, Role, Text, Usage, user_message
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models import litellm_model
from desktop_app.models.litellm_library import LiteLLM
from kinds_of_server import EACH, KEY, Kind
from provider import AnyStep, Call, Cut, ErrorEvent, Hang, Overflow, Reply, ScriptedProvider, Status
from tool_rounds import READ, answered, called

HELLO = (system("Be brief."), user_message("Hello"))
CALLED = (*HELLO, called("call_1"), answered("call_1"))

pytestmark = pytest.mark.parametrize("kind", **EACH)


async def pieces_of(
    kind: Kind,
    litellm: LiteLLM,
    step: AnyStep,
    messages: tuple[Message, ...] = HELLO,
    tools: tuple[ToolSpec, ...] = (),
) -> list[Piece]:
    with kind.provider(step) as provider:
        model = kind.model_at(provider, litellm)
        return [piece async for piece in model.stream(messages, 100, tools)]


async def error_of(kind: Kind, litellm: LiteLLM, step: AnyStep) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await pieces_of(kind, litellm, step)
    assert KEY not in repr(caught.value.failure)
    return caught.value


def text_of(pieces: list[Piece], sort: type[TextPiece | ReasoningPiece] = TextPiece) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, sort))


async def test_text_reasoning_and_usage_arrive(kind: Kind, litellm: LiteLLM) -> None:
    reply = Reply("Hello there, 世界! 👋🏽\n\n- a\n- b", size=3, reasoning="Let me think.", usage=(2100, 9, 1500))
    pieces = await pieces_of(kind, litellm, reply)
    assert text_of(pieces) == reply.text
    assert text_of(pieces, ReasoningPiece) == reply.reasoning
    end = pieces[-1]
    assert isinstance(end, ReplyEnd)
    assert end.reason == "stop"
    assert end.usage is not None
    expected = Usage(2100, 9, 1500 if kind.has_cache else 0)
    assert end.usage == replace(expected, dollars=end.usage.dollars, reasoning_tokens=end.usage.reasoning_tokens)
    assert (end.usage.dollars is not None) == (kind.kind == "openrouter")


async def test_characters_that_end_lines_elsewhere_do_not_break_a_reply(kind: Kind, litellm: LiteLLM) -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x1cf\r\ng"
    assert text_of(await pieces_of(kind, litellm, Reply(text, size=len(text)))) == text


async def test_two_calls_arrive_whole_and_as_they_grow(kind: Kind, litellm: LiteLLM) -> None:
    calls = (Call("read", '{"path":"a"}', "call_1"), Call("read", '{"path":"b","lines":[1,2]}', "call_2"))
    pieces = await pieces_of(kind, litellm, Reply("I look.", size=3, calls=calls), HELLO, (READ,))
    end = pieces[-1]
    assert isinstance(end, ReplyEnd)
    assert end.reason == "tool_calls"
    assert [(call.name, call.arguments.replace(" ", "")) for call in end.tool_calls] == [
        ("read", '{"path":"a"}'),
        ("read", '{"path":"b","lines":[1,2]}'),
    ]
    assert len({call.call_id for call in end.tool_calls}) == 2
    for place, call in enumerate(end.tool_calls):
        grown = [piece for piece in pieces if isinstance(piece, ToolCallPiece) and piece.index == place]
        assert "".join(piece.text for piece in grown) == call.arguments
        assert {piece.name for piece in grown} == {"read"}
    assert text_of(pieces) == "I look."


async def test_a_call_without_arguments_has_an_empty_object(kind: Kind, litellm: LiteLLM) -> None:
    pieces = await pieces_of(kind, litellm, Reply(calls=(Call("now", "{}"),)), HELLO, (ToolSpec("now", "The time"),))
    end = pieces[-1]
    assert isinstance(end, ReplyEnd)
    assert [(call.name, call.arguments) for call in end.tool_calls] == [("now", "{}")]


async def test_tools_calls_and_results_are_sent_in_its_shape(kind: Kind, litellm: LiteLLM) -> None:
    with kind.provider(Reply("Done.")) as provider:
        model = kind.model_at(provider, litellm)
        _ = [piece async for piece in model.stream(CALLED, 100, (READ,))]
        (request,) = provider.requests
    said = repr(request.body)
    for what in ("Reads a file", "What a holds.", "Be brief.", "'path'"):
        assert said.count(what) >= 1, what
    assert [role for role, _ in request.turns][-1] in ("tool", "user")
    assert request.role == "tool"
    assert "100" in said, "the longest reply"


async def test_requests_say_who_asks_and_nothing_of_the_machine(kind: Kind, litellm: LiteLLM) -> None:
    with kind.provider(Reply("Hello")) as provider:
        _ = [piece async for piece in kind.model_at(provider, litellm).stream(HELLO, 10)]
        (request,) = provider.requests
    assert request.headers["user-agent"] == "Palimpsest"
    told = repr({name: value for name, value in request.headers.items() if name != "host"}).lower()
    assert not [word for word in ("litellm", "python", "linux", "darwin", "windows", "x64") if word in told]


async def test_a_reply_that_is_full_or_filtered_says_so(kind: Kind, litellm: LiteLLM) -> None:
    full = (await pieces_of(kind, litellm, Reply("Hello", finish="length")))[-1]
    assert isinstance(full, ReplyEnd)
    assert full.reason == "length"
    if kind.kind != "ollama":  # it has no such reason
        filtered = (await pieces_of(kind, litellm, Reply("Hello", finish="content_filter")))[-1]
        assert isinstance(filtered, ReplyEnd)
        assert filtered.reason == "content_filter"


NATIVE_REASONS = {
    "anthropic": {"model_context_window_exceeded": "window", "refusal": "content_filter"},
    "gemini": {
        "MALFORMED_FUNCTION_CALL": "malformed_call",
        "UNEXPECTED_TOOL_CALL": "malformed_call",
        "RECITATION": "content_filter",
        "PROHIBITED_CONTENT": "content_filter",
    },
}


async def test_reasons_that_litellm_has_no_word_for_are_kept(kind: Kind, litellm: LiteLLM) -> None:
    of_openai = {"sensitive": "content_filter", "model_context_window_exceeded": "window"}
    expected = NATIVE_REASONS.get(kind.kind, {} if kind.kind == "ollama" or kind.flavour == "responses" else of_openai)
    for said, reason in expected.items():
        end = (await pieces_of(kind, litellm, Reply("Hello", finish=said)))[-1]
        assert isinstance(end, ReplyEnd)
        assert end.reason == reason


async def test_a_reply_that_its_server_did_not_finish_has_broken_off(kind: Kind, litellm: LiteLLM) -> None:
    if kind.kind in ("anthropic", "gemini", "ollama") or kind.flavour == "responses":
        return
    for said in ("abort", "network_error", "insufficient_system_resource"):
        error = await error_of(kind, litellm, Reply("Half a", finish=said))
        assert error.kind == "server"


SAID = "Hello, I was about"
CALL = Call("read", '{"path": "a long path to be cut"}')


@pytest.mark.parametrize(
    "step",
    [Cut(SAID), Cut(SAID, inside="utf8"), Cut(SAID, is_abrupt=False), Cut(SAID, is_abrupt=False, calls=(CALL,))],
    ids=["text", "character", "event", "call"],
)
async def test_a_stream_that_breaks_off_is_an_error_and_what_had_arrived_is_there(
    kind: Kind, litellm: LiteLLM, step: Cut
) -> None:
    arrived: list[Piece] = []

    async def read() -> None:
        async for piece in kind.model_at(provider, litellm).stream(HELLO, 100, (READ,)):
            arrived.append(piece)

    with kind.provider(step) as provider, pytest.raises(ModelError, match="broke off"):
        await read()
    assert text_of(arrived) == SAID


async def test_a_finished_reply_does_not_wait_for_a_connection_that_stays_open(
    kind: Kind, litellm: LiteLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    litellm.patience = litellm.nearby_patience = 30
    monkeypatch.setattr(litellm_model, "TRAILER_SECONDS", 0.1)
    reply = Reply("Hello", calls=(Call("read", '{"path":"a"}'),), lingers=True)
    async with asyncio.timeout(5):
        end = (await pieces_of(kind, litellm, reply, HELLO, (READ,)))[-1]
    assert isinstance(end, ReplyEnd)
    assert (end.reason, len(end.tool_calls), end.usage is None) == ("tool_calls", 1, False)


async def test_a_wrong_key_is_refused_and_is_not_shown(kind: Kind, litellm: LiteLLM) -> None:
    with kind.provider(Reply("Hello")) as provider:
        model = kind.model_at(provider, litellm, key="sk-WRONG-0123456789abcdef")
        with pytest.raises(ModelError) as caught:
            _ = [piece async for piece in model.stream(HELLO, 10)]
    assert "sk-WRONG" not in repr(caught.value.failure) + str(caught.value)
    assert caught.value.__suppress_context__


async def test_an_unknown_model_is_answered_with_those_that_the_server_has(kind: Kind, litellm: LiteLLM) -> None:
    provider = ScriptedProvider(flavour=kind.flavour, models=("alpha", "beta"), key=KEY)
    with provider, pytest.raises(ModelError) as caught:
        _ = [piece async for piece in kind.model_at(provider, litellm).stream(HELLO, 10)]
    assert "alpha, beta" in caught.value.failure.advice


async def test_a_request_that_is_too_long_is_recognised(kind: Kind, litellm: LiteLLM) -> None:
    assert (await error_of(kind, litellm, Overflow())).is_overflow


async def test_an_error_within_a_stream_is_told_as_what_it_is(kind: Kind, litellm: LiteLLM) -> None:
    limit = ErrorEvent("Hel", "Rate limit exceeded, please slow down", "rate_limit_error", 429)
    for step, expected in ((ErrorEvent("Hel"), "server"), (limit, "rate_limit")):
        assert (await error_of(kind, litellm, step)).kind == expected


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "Hel"])
async def test_silence_ends_after_the_patience(kind: Kind, litellm: LiteLLM, text: str) -> None:
    error = await error_of(kind, litellm, Hang(text))
    assert error.kind == "timeout"


async def test_closing_the_reply_closes_the_connection(kind: Kind, litellm: LiteLLM) -> None:
    litellm.patience = litellm.nearby_patience = 30
    with kind.provider(Hang("Hello")) as provider:
        async with aclosing(kind.model_at(provider, litellm).stream(HELLO, 10)) as pieces:
            assert await anext(pieces) == TextPiece("Hello")
            assert not provider.client_left.is_set()
        assert await asyncio.to_thread(provider.client_left.wait, 2)


@pytest.mark.parametrize("text", ["", "Hello"])
async def test_cancelling_the_task_closes_the_connection(kind: Kind, litellm: LiteLLM, text: str) -> None:
    litellm.patience = litellm.nearby_patience = 30
    with kind.provider(Hang(text)) as provider:

        async def read() -> None:
            async for _ in kind.model_at(provider, litellm).stream(HELLO, 10):
                pass

        task = asyncio.ensure_future(read())
        while not provider.requests:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(provider.client_left.wait, 2)


async def test_each_piece_may_be_awaited_by_a_task_of_its_own(kind: Kind, litellm: LiteLLM) -> None:
    """As the engine does, so that it can keep a reply that has stalled: each task has another context."""
    with kind.provider(Reply("Hello there", size=5)) as provider:
        pieces = kind.model_at(provider, litellm).stream(HELLO, 10)
        text = ""
        while not isinstance(piece := await asyncio.ensure_future(anext(pieces)), ReplyEnd):
            text += piece.text
        await asyncio.ensure_future(pieces.aclose())
    assert text == "Hello there"


@pytest.mark.slow
async def test_nothing_is_tried_twice(kind: Kind, litellm: LiteLLM) -> None:
    for step in (Status(500), Status(429, retry_after=0), Status(503), Hang()):
        with kind.provider(step, Reply("Hello")) as provider:
            with pytest.raises(ModelError):
                _ = [piece async for piece in kind.model_at(provider, litellm).stream(HELLO, 10)]
            assert len(provider.requests) == 1


async def test_nothing_is_printed(kind: Kind, litellm: LiteLLM, capfd: pytest.CaptureFixture[str]) -> None:
    await pieces_of(kind, litellm, Reply("Hello"))
    await error_of(kind, litellm, Status(400))
    await error_of(kind, litellm, Cut("Hel"))
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


async def test_a_prompt_s_beginning_stays_the_same_from_request_to_request(kind: Kind, litellm: LiteLLM) -> None:
    script = [Reply("Done.")] * 3
    with kind.provider(*script) as provider:
        model = kind.model_at(provider, litellm)
        after = (*CALLED, Message(role=Role.ASSISTANT, parts=(Text("Done."),)), user_message("And b?"))
        for messages in (HELLO, CALLED, after):
            _ = [piece async for piece in model.stream(messages, 100, (READ,))]
        said = [request.turns for request in provider.requests]
    for earlier, later in pairwise(said):
        assert later[: len(earlier)] == earlier
