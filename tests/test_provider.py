"""The scripted provider itself: each shape as its vendor writes it, and the faults that servers have."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import httpx
import msgspec
import pytest

from provider import (
    AnyStep,
    Call,
    Cut,
    ErrorEvent,
    Hang,
    Overflow,
    Reply,
    ScriptedProvider,
    Status,
    stream_of,
)
from provider_asked import ANTHROPIC, CALLS, PLAIN, answered, asked, body_of, events_of, path_of, received_of, text_in
from provider_flavours import FLAVOURS
from provider_script import ODDITIES

pytestmark = pytest.mark.wire


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_reply_comes_in_pieces_in_every_dialect(flavour: str) -> None:
    response = answered(Reply("Hello there, 世界! 👋🏽", reasoning="Hm.", size=3), flavour)
    events = list(events_of(response))
    assert response.status_code == 200
    assert len(events) > 5
    assert text_in(flavour, events) == "Hello there, 世界! 👋🏽"


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_every_dialect_refuses_in_its_own_words_with_its_own_numbers(flavour: str) -> None:
    response = answered(Overflow(window=8_192, tokens=9_000, reply=500), flavour)
    assert response.status_code == 400
    assert response.json()
    if flavour not in ("groq", "ollama", "responses"):
        assert "8192" in response.text


def test_anthropic_s_events_come_in_their_order() -> None:
    reply = Reply(
        "Hello", reasoning="Let me see.", calls=CALLS, size=8, usage=(50, 9, 20), written=10, signature="c2ln"
    )
    response = answered(reply, "anthropic")
    events = list(events_of(response))
    names = [line.removeprefix("event: ") for line in response.text.splitlines() if line.startswith("event: ")]
    assert names == [event["type"] for event in events]
    assert (names[0], names[2], names[-2], names[-1]) == ("message_start", "ping", "message_delta", "message_stop")
    starts = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    assert [block["type"] for block in starts] == ["thinking", "text", "tool_use", "tool_use"]
    assert names.count("content_block_start") == names.count("content_block_stop")
    usage = events[0]["message"]["usage"]
    assert [usage[f"{name}input_tokens"] for name in ("", "cache_creation_", "cache_read_")] == [20, 10, 20]
    assert events[-2]["delta"]["stop_reason"] == "tool_use"
    assert events[-2]["usage"]["output_tokens"] == 9
    deltas = [(event["index"], event["delta"]) for event in events if event["type"] == "content_block_delta"]
    assert (0, {"type": "signature_delta", "signature": "c2ln"}) in deltas
    assert "".join(delta["partial_json"] for index, delta in deltas if index == 2) == '{"path": "a.txt"}'
    # An input without fields is one empty fragment, and nothing more.
    assert [delta["partial_json"] for index, delta in deltas if index == 3] == [""]


def test_anthropic_wants_its_key_and_its_version() -> None:
    with ScriptedProvider([Reply("x")], flavour="anthropic", key="right") as provider:
        url, body = provider.root_url + "/v1/messages", body_of("anthropic", "Hello")
        refused = httpx.post(url, json=body, headers=ANTHROPIC | {"x-api-key": "wrong"}, **PLAIN)
        assert (refused.status_code, refused.json()["error"]["type"]) == (401, "authentication_error")
        refused = httpx.post(url, json=body, headers={"x-api-key": "right"}, **PLAIN)
        assert (refused.status_code, refused.json()["error"]["message"][:17]) == (400, "anthropic-version")
        assert httpx.post(url, json=body, headers=ANTHROPIC | {"x-api-key": "right"}, **PLAIN).status_code == 200


def test_responses_have_numbered_events_and_end_with_the_whole_of_it() -> None:
    reply = Reply("Hello", reasoning="Let me see.", calls=CALLS, size=8, usage=(50, 9, 20))
    events = list(events_of(answered(reply, "responses")))
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert (events[0]["type"], events[-1]["type"]) == ("response.created", "response.completed")
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert [item["type"] for item in done] == ["reasoning", "message", "function_call", "function_call"]
    assert events[-1]["response"]["output"] == done
    assert done[2]["arguments"] == '{"path": "a.txt"}'
    assert events[-1]["response"]["usage"]["input_tokens_details"]["cached_tokens"] == 20
    *_, last = events_of(answered(Reply("x", finish="length"), "responses"))
    assert last["response"]["incomplete_details"] == {"reason": "max_output_tokens"}


def test_gemini_s_and_ollama_s_calls_come_whole() -> None:
    parts = [
        part
        for event in events_of(answered(Reply("Hm.", calls=CALLS), "gemini"))
        for part in event["candidates"][0]["content"]["parts"]
    ]
    called = [part for part in parts if "functionCall" in part]
    assert [part["functionCall"]["args"] for part in called] == [{"path": "a.txt"}, {}]
    assert ["thoughtSignature" in part for part in called] == [True, False]
    *lines, last = events_of(answered(Reply("Hm.", calls=CALLS, usage=(9, 4, 0)), "ollama"))
    functions = [c["function"] for line in lines for c in line["message"].get("tool_calls", ())]
    assert [function["arguments"] for function in functions] == [{"path": "a.txt"}, {}]
    assert (last["done"], last["prompt_eval_count"], last["eval_count"]) == (True, 9, 4)


@pytest.mark.parametrize(
    ("flavour", "path", "words"),
    [
        ("ollama", "/api/tags", '"scripted"'),
        ("ollama", "/api/version", '"version"'),
        ("ollama", "/api/ps", '"context_length":5000'),
        ("lmstudio", "/api/v0/models", '"loaded_context_length":5000'),
        ("llama.cpp", "/props", '"n_ctx":5000'),
        ("vllm", "/v1/models", '"max_model_len":5000'),
        ("openrouter", "/v1/models", '"context_length":5000'),
        ("groq", "/v1/models", '"context_window":5000'),
        ("gemini", "/v1beta/models", '"inputTokenLimit":5000'),
        ("anthropic", "/v1/models", '"has_more":false'),
    ],
)
def test_pages_tell_the_models_and_the_window(flavour: str, path: str, words: str) -> None:
    with ScriptedProvider(flavour=flavour, window=5_000) as provider:
        assert words in httpx.get(provider.root_url + path, **PLAIN).text
        assert httpx.get(provider.root_url + "/nothing/here", **PLAIN).status_code == 404


@pytest.mark.parametrize("flavour", ["openai", "anthropic", "gemini", "ollama", "responses"])
def test_a_reply_in_one_piece(flavour: str) -> None:
    with ScriptedProvider([Reply("Hello", calls=CALLS, reasoning="Hm.")], flavour=flavour) as provider:
        url = (provider.root_url + path_of(flavour)).replace("streamGenerateContent", "generateContent")
        body = body_of(flavour, "Hello") | ({} if flavour == "gemini" else {"stream": False})
        answer = httpx.post(url, json=body, headers=ANTHROPIC, **PLAIN).json()
    assert '"Hello"' in json.dumps(answer)
    assert "a.txt" in json.dumps(answer)


# --- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flavour", ["openai", "anthropic", "gemini", "ollama", "responses"])
@pytest.mark.parametrize(("inside", "calls"), [("json", CALLS[:1]), ("utf8", ())])
def test_a_cut_ends_where_it_is_told_to(flavour: str, inside: str, calls: tuple[Call, ...]) -> None:
    step = Cut("Hello, I was", inside=inside, calls=calls)
    received = received_of(step, flavour, httpx.RemoteProtocolError)
    assert b"Hell" in received
    if inside == "utf8":
        with pytest.raises(UnicodeDecodeError):
            received.decode()
    if calls and flavour in ("openai", "anthropic"):
        fragments = re.findall(rb'"(?:arguments|partial_json)":"(.*?)"[},]', received)
        assert b"".join(fragments).replace(b"\\", b"") == b'{"path":'


@pytest.mark.parametrize("flavour", ["openai", "anthropic", "gemini", "ollama", "responses"])
def test_a_well_formed_end_without_a_reason(flavour: str) -> None:
    events = list(events_of(answered(Cut("Hello", is_abrupt=False), flavour)))
    assert text_in(flavour, events) == "Hello"
    assert 'stop_reason":"' not in json.dumps(events).replace(" ", "")
    assert not any(event.get("done") for event in events)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_an_error_in_the_middle_of_a_stream(flavour: str) -> None:
    response = answered(ErrorEvent("Hel", "Overloaded", "overloaded_error", 529), flavour)
    assert response.status_code == 200
    assert "Overloaded" in response.text
    assert response.text.index("He") < response.text.index("Overloaded")


def test_silence_after_some_text_lasts_until_the_client_leaves() -> None:
    assert b'"content":"Hel"' in received_of(Hang("Hel"), "openai", httpx.ReadTimeout)
    assert received_of(Hang(), "openai", httpx.ReadTimeout) == b""


@pytest.mark.parametrize("odd", ODDITIES)
def test_what_odd_servers_do(odd: str) -> None:
    response = answered(Reply("Hallo, 世界", calls=CALLS, odd=(odd,), size=3))
    chunks = list(events_of(response))
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]
    fragments = [fragment for delta in deltas for fragment in delta.get("tool_calls", ())]
    ids = [fragment["id"] for fragment in fragments if "id" in fragment]
    holds = {
        "no ids": not ids and len(fragments) > 2,
        "same ids": ids == ["call_1", "call_1"],
        "no index": not any("index" in fragment for fragment in fragments),
        "object arguments": [f["function"]["arguments"] for f in fragments] == [{"path": "a.txt"}, {}],
        "one delta": any(len(delta.get("tool_calls", ())) == 2 for delta in deltas),
        "usage twice": len([chunk for chunk in chunks if "usage" in chunk]) == 2,
        "usage everywhere": len([chunk for chunk in chunks if "usage" in chunk]) > 3,
        "after finish": chunks[-2]["choices"] and chunks[-2]["choices"][0]["finish_reason"] is None,
        "no done": "[DONE]" not in response.text,
        "filter first": "prompt_filter_results" in chunks[0],
        "says stop": any(chunk["choices"] and chunk["choices"][0]["finish_reason"] == "stop" for chunk in chunks),
        "halves": True,
        "crlf": "\r\n\r\n" in response.text,
    }
    assert holds[odd]
    assert text_in("openai", chunks) == "Hallo, 世界"


def test_a_stream_keeps_its_pace_and_tells_when_each_piece_was_written() -> None:
    with ScriptedProvider([stream_of(300, 1_500)]) as provider:
        events = list(events_of(asked(provider, "openai")))
        stamps = [float(word) for word in text_in("openai", events).split() if word != "word"]
        assert len(stamps) == 300
        assert stamps == sorted(stamps)
        assert set(round(stamp, 6) for stamp in stamps) <= {round(moment, 6) for moment in provider.written}
        assert stamps[-1] - stamps[0] >= 0.9 * 298 / 1_500
        assert 0 < time.monotonic() - stamps[-1] < 30


def test_a_script_in_a_file_serves_any_flavour(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    steps: list[AnyStep] = [Overflow(), Reply("Hi", odd=("halves",)), Status(503, headers={"a": "b"})]
    file.write_bytes(msgspec.json.encode(steps))
    command = [sys.executable, str(Path(__file__).parent / "provider.py"), str(file), "anthropic"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        url = process.stdout.readline().strip() + "/messages"
        answers = [httpx.post(url, json=body_of("anthropic", "x"), headers=ANTHROPIC, **PLAIN) for _ in range(3)]
        process.stdin.close()
    assert [answer.status_code for answer in answers] == [400, 200, 503]
    assert "prompt is too long" in answers[0].text
