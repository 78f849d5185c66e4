"""Asks a scripted provider as a client without a library would, and reads what it answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from provider import AnyStep, Call, Hang, ScriptedProvider

Json = dict[str, Any]

CALLS = (Call("read", '{"path": "a.txt"}', "call_1"), Call("list", "{}", "call_2"))
PATHS = {
    "openai": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/scripted:streamGenerateContent?alt=sse",
    "ollama": "/api/chat",
    "responses": "/v1/responses",
}
ANTHROPIC = {"anthropic-version": "2023-06-01"}


PLAIN: dict[str, Any] = {"verify": False, "trust_env": False, "timeout": 10}
"""For httpx: no certificates, which take 80 ms to read at each request, and no proxy."""


def path_of(flavour: str) -> str:
    return PATHS.get(flavour, PATHS["openai"])


def body_of(flavour: str, *said: str) -> Json:
    if flavour == "gemini":
        return {"contents": [{"role": "user", "parts": [{"text": text}]} for text in said]}
    messages = [{"role": "user", "content": text} for text in said]
    if flavour == "responses":
        return {"model": "scripted", "max_output_tokens": 100, "input": messages, "stream": True}
    wishes = {"stream": True, "stream_options": {"include_usage": True}}
    return {"model": "scripted", "max_tokens": 100, "messages": messages} | wishes


def asked(provider: ScriptedProvider, flavour: str, *said: str, **more: Any) -> httpx.Response:
    body = body_of(flavour, *(said or ("Hello",))) | more
    return httpx.post(provider.root_url + path_of(flavour), json=body, headers=ANTHROPIC, **PLAIN)


def answered(step: AnyStep, flavour: str = "openai") -> httpx.Response:
    with ScriptedProvider([step], flavour=flavour) as provider:
        return asked(provider, flavour)


def events_of(response: httpx.Response) -> Iterator[Json]:
    """The JSON of each event, whether they are server-sent events or lines."""
    for line in response.text.splitlines():
        text = line.removeprefix("data: ")
        if text.startswith("{"):
            yield json.loads(text)


def received_of(step: AnyStep, flavour: str, end: type[Exception]) -> bytes:
    """What arrives before the stream ends in that error."""
    received: list[bytes] = []

    def read(provider: ScriptedProvider) -> None:
        url, body = provider.root_url + path_of(flavour), body_of(flavour, "Hello")
        with httpx.stream(
            "POST", url, json=body, headers=ANTHROPIC, verify=False, trust_env=False, timeout=0.3
        ) as response:
            for data in response.iter_raw():
                received.append(data)

    with ScriptedProvider([step], flavour=flavour) as provider:
        with pytest.raises(end):
            read(provider)
        if isinstance(step, Hang):
            assert provider.client_left.wait(5)
    return b"".join(received)


def text_in(flavour: str, events: list[Json]) -> str:
    match flavour:
        case "anthropic":
            deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
            return "".join(delta.get("text", "") for delta in deltas)
        case "gemini":
            parts = [part for event in events for part in event["candidates"][0]["content"]["parts"]]
            return "".join(part.get("text", "") for part in parts if not part.get("thought"))
        case "responses":
            deltas = [event for event in events if event["type"] == "response.output_text.delta"]
            return "".join(event["delta"] for event in deltas)
        case "ollama":
            return "".join(event["message"]["content"] for event in events)
        case _:
            deltas = [event["choices"][0]["delta"] for event in events if event["choices"]]
            return "".join(delta.get("content") or "" for delta in deltas)
