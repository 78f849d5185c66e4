"""The scripted provider's window: what it counts, refuses, cuts, and takes from its cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from desktop_app.models.errors.classify import classify
from provider import AnyStep, Reply, Request, ScriptedProvider, Windowed
from provider_asked import ANTHROPIC, PLAIN, Json, asked, events_of, text_in
from provider_flavours import FLAVOURS

pytestmark = pytest.mark.wire


def words(text: str) -> int:
    return len(text.split())


def windowed(window: int = 100, answer: Any = None, **more: Any) -> Windowed:
    return Windowed(window, answer or [Reply("fine")], count=words, **more)


@pytest.mark.parametrize("flavour", ["openai", "anthropic", "gemini", "llama.cpp", "vllm"])
def test_a_window_refuses_what_does_not_fit_and_counts_what_does(flavour: str) -> None:
    script = windowed(answer=[Reply("three words here")])
    with ScriptedProvider(script, flavour=flavour) as provider:
        body = {"generationConfig": {"maxOutputTokens": 20}} if flavour == "gemini" else {"max_tokens": 20}
        assert asked(provider, flavour, "word " * 30, **body).status_code == 200
        assert asked(provider, flavour, "word " * 97, **body).status_code == 400
    first, second = script.requests
    assert (first.prompt_tokens, first.reply_tokens, first.is_refused) == (34, 3, False)
    assert (second.prompt_tokens, second.is_refused) == (101, True)
    assert first.size > 150


def test_vllm_counts_the_reply_too_and_so_does_whoever_is_strict() -> None:
    for flavour, script in (("vllm", windowed()), ("openai", windowed(is_strict=True))):
        with ScriptedProvider(script, flavour=flavour) as provider:
            assert asked(provider, flavour, "word " * 50, max_tokens=40).status_code == 200
            refused = asked(provider, flavour, "word " * 50, max_tokens=50)
        assert refused.status_code == 400
        assert "50" in refused.json()["error"]["message"]
    with ScriptedProvider(windowed()) as provider:
        assert asked(provider, "openai", "word " * 50, max_tokens=50).status_code == 200


def test_ollama_loses_the_beginning_without_a_word() -> None:
    with ScriptedProvider(windowed(), flavour="ollama") as provider:
        response = asked(provider, "ollama", "word " * 500)
        *_, last = events_of(response)
    assert (response.status_code, last["prompt_eval_count"]) == (200, 100)


def test_a_reply_ends_where_the_window_or_the_wish_does() -> None:
    script = windowed(answer=[Reply("word " * 90)])
    with ScriptedProvider(script) as provider:
        *_, finish, usage = events_of(asked(provider, "openai", "word " * 46, max_tokens=80))
        assert finish["choices"][0]["finish_reason"] == "length"
        assert usage["usage"]["completion_tokens"] == 50
        asked(provider, "openai", "word " * 6, max_tokens=20)
    assert [measured.reply_tokens for measured in script.requests] == [50, 20]


def test_an_answer_may_look_at_the_request() -> None:
    def answer(request: Request) -> AnyStep:
        return Reply(f"{request.role}: {request.text}")

    with ScriptedProvider(windowed(answer=answer)) as provider:
        assert text_in("openai", list(events_of(asked(provider, "openai", "Hello")))) == "user: Hello"
        body = {
            "model": "scripted",
            "stream": True,
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "read", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "found"}]},
            ],
        }
        response = httpx.post(provider.root_url + "/v1/messages", json=body, headers=ANTHROPIC, **PLAIN)
        assert text_in("anthropic", list(events_of(response))) == "tool: found"
        assert [role for role, _ in provider.requests[-1].turns] == ["user", "assistant", "tool"]


def test_the_prefix_that_was_kept_is_known() -> None:
    script = windowed(1_000, cache_minimum=0)
    with ScriptedProvider(script, flavour="llama.cpp") as provider:
        for said in (["one two"], ["one two", "three"], ["one two", "four"], ["zero", "four"]):
            asked(provider, "llama.cpp", *said)
    assert [measured.extends for measured in script.requests] == [True, True, False, False]
    assert [measured.cached_tokens for measured in script.requests] == [0, 6, 6, 0]
    sizes = [measured.prefix for measured in script.requests]
    assert sizes[0] == 0
    assert sizes[1] < sizes[2]
    assert 0 < sizes[3] < sizes[1]


def marked(text: str, **more: str) -> Json:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"} | more}


def cached_in(
    script: Windowed, *messages: list[Json], before: Callable[[int], None] = lambda number: None
) -> list[tuple[int, int]]:
    """Tokens read and written, for requests with these contents of one user message."""
    with ScriptedProvider(script, flavour="anthropic") as provider:
        for number, content in enumerate(messages):
            before(number)
            body = {"model": "scripted", "max_tokens": 9, "stream": True}
            body |= {"messages": [{"role": "user", "content": content}]}
            assert (
                httpx.post(provider.root_url + "/v1/messages", json=body, headers=ANTHROPIC, **PLAIN).status_code == 200
            )
    return [(measured.cached_tokens, measured.written_tokens) for measured in script.requests]


LONG = "word " * 1_100


def test_anthropic_caches_at_markers_only() -> None:
    plain = {"type": "text", "text": LONG}
    script = windowed(9_000)
    assert cached_in(script, [plain], [marked(LONG)], [marked(LONG)], [plain, marked("more")]) == [
        (0, 0),
        (0, 1_104),
        (1_104, 0),
        (1_104, 1),
    ]


def test_anthropic_looks_back_twenty_blocks() -> None:
    more = [{"type": "text", "text": f"block {number}"} for number in range(25)]
    near = windowed(9_000)
    assert cached_in(near, [marked(LONG)], [{"type": "text", "text": LONG}, *more[:18], marked("end")])[1][0] == 1_104
    far = windowed(9_000)
    assert cached_in(far, [marked(LONG)], [{"type": "text", "text": LONG}, *more, marked("end")])[1][0] == 0


@pytest.mark.parametrize(("life", "more"), [(300, {}), (3_600, {"ttl": "1h"})])
def test_a_cached_prefix_lives_five_minutes_after_its_last_use_or_an_hour(life: int, more: dict[str, str]) -> None:
    moments = [0, life - 1, 2 * life - 2, 3 * life]
    now = [0]

    def before(number: int) -> None:
        now[0] = moments[number]

    script = windowed(9_000, clock=lambda: now[0])
    contents = [[marked(LONG, **more)]] * 4
    assert cached_in(script, *contents, before=before) == [(0, 1_104), (1_104, 0), (1_104, 0), (0, 1_104)]


def called(*ids: str) -> Json:
    calls = [{"id": call, "type": "function", "function": {"name": "read", "arguments": "{}"}} for call in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def resulted(call: str) -> Json:
    return {"role": "tool", "tool_call_id": call, "content": "found"}


HELLO = {"role": "user", "content": "Hello"}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([HELLO, called("a", "b"), resulted("a"), HELLO], "did not have response messages: b"),
        ([HELLO, called("a")], "did not have response messages: a"),
        ([HELLO, resulted("a")], "must be a response to a preceeding message"),
        ([HELLO, called("a"), resulted("a"), resulted("a")], "must be a response to a preceeding message"),
        ([HELLO, {"role": "assistant", "content": None}, HELLO], "got null"),
        ([], "empty array"),
        ([HELLO, called("a", "b"), resulted("b"), resulted("a"), HELLO], ""),
        ([HELLO, called("a"), resulted("a"), called("a"), resulted("a")], ""),
    ],
)
def test_openai_s_order_of_messages(messages: list[Json], words: str) -> None:
    assert_refused(FLAVOURS["openai"].malformed({"messages": messages}), words)


def uses(*ids: str) -> Json:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": "read", "input": {}} for i in ids]}


def results(*ids: str) -> Json:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": "x"} for i in ids]}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([HELLO, uses("a", "b"), results("a")], "messages.1: `tool_use` ids were found without `tool_result`"),
        ([HELLO, uses("a")], "immediately after: a."),
        ([HELLO, results("a")], "unexpected `tool_use_id`"),
        ([uses("a"), results("a")], "first message must use"),
        ([HELLO, uses("a:b"), results("a:b")], "String should match pattern"),
        ([HELLO, uses("a", "a"), results("a", "a")], "must be unique"),
        ([{"role": "user", "content": "  "}], "non-whitespace"),
        (
            [{"role": "user", "content": [marked("x")] * 5}],
            "A maximum of 4 blocks with cache_control may be provided. F",
        ),
        ([], "at least one message"),
        ([HELLO, uses("a", "b"), results("b", "a")], ""),
    ],
)
def test_anthropic_s_order_of_messages(messages: list[Json], words: str) -> None:
    assert_refused(FLAVOURS["anthropic"].malformed({"messages": messages}), words)


def turn(role: str, *parts: Json) -> Json:
    return {"role": role, "parts": list(parts)}


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        ([turn("user", {"text": "x"}), turn("model", {"functionCall": {}})], "number of function response parts"),
        ([turn("user", {"functionResponse": {}})], "number of function response parts"),
        ([turn("model", {"functionCall": {}}), turn("user", {"functionResponse": {}})], "comes immediately after"),
        ([], "contents is not specified"),
        (
            [
                turn("user", {"text": "x"}),
                turn("model", {"functionCall": {}}, {"functionCall": {}}),
                turn("user", {"functionResponse": {}}, {"functionResponse": {}}),
            ],
            "",
        ),
    ],
)
def test_gemini_s_order_of_contents(contents: list[Json], words: str) -> None:
    assert_refused(FLAVOURS["gemini"].malformed({"contents": contents}), words)


def assert_refused(said: str, words: str) -> None:
    assert words in said if words else said == ""
    if said:
        kind = classify(400, {}, said).kind
        assert kind == ("unsupported" if "cache_control" in said else "malformed")


def test_a_window_refuses_what_is_malformed() -> None:
    script = windowed()
    with ScriptedProvider(script) as provider:
        response = asked(provider, "openai", messages=[HELLO, called("a")])
    assert response.status_code == 400
    assert response.json()["error"]["message"] == script.malformed[0]
    assert not script.requests
