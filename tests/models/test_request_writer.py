"""The process that runs litellm: it is started when it is needed, forgets nothing that it knew, and ends by itself."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from desktop_app.conversation.setup import ReplyOptions
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.request_writer import NotWritten, OptionsCall, RequestWriter, WriteCall
from slowness import slowness

CLAUDE = WriteCall(Endpoint("s", "", "key", "anthropic"), "claude-sonnet-4-5", ReplyOptions(), ())
REQUEST = {"messages": [{"role": "user", "content": "Hi \ud800 世界"}], "max_tokens": 9, "stream": True}
OPTIONS = OptionsCall("anthropic", "claude-sonnet-4-5")
ASK_PLAINLY = """
import asyncio, sys
import desktop_app.engine.serve
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.litellm_library import LiteLLM

async def main():
    library, endpoint = LiteLLM(), Endpoint("s", "http://127.0.0.1:9/v1")
    await library.prepare(endpoint, "large")
    await library.written(endpoint, "large", {"messages": [], "max_tokens": 1, "stream": True})
    assert not library.writer.is_running

asyncio.run(main())
print(*sorted({"litellm", "openai", "pydantic", "aiohttp", "mcp", "PySide6"} & sys.modules.keys()))
"""


@pytest.fixture(scope="module")
def writer() -> Iterator[RequestWriter]:
    """One for most of these tests: each start takes seconds."""
    writer = RequestWriter(idle_seconds=600)
    yield writer
    writer.close()


def process_of(writer: RequestWriter) -> psutil.Process:
    assert writer.is_running
    return psutil.Process(writer.pid)


def test_the_engine_imports_no_litellm_and_plain_requests_need_none() -> None:
    ran = subprocess.run([sys.executable, "-c", ASK_PLAINLY], capture_output=True, text=True, timeout=120, check=True)
    assert ran.stdout.split() == []


@pytest.mark.wire
async def test_it_writes_what_litellm_writes_here(writer: RequestWriter, client: Any) -> None:
    request = {**REQUEST, "messages": [{"role": "user", "content": "Hi 世界 " * 40_000}], "tools": []}
    answer, body = await writer.ask(CLAUDE, request)
    here = await client.write_request(CLAUDE.endpoint, CLAUDE.model, request)
    assert (answer["method"], answer["url"], body) == (here.method, str(here.url), here.content)
    assert dict(answer["headers"]) == dict(here.headers)


@pytest.mark.wire
async def test_one_that_was_killed_is_started_again(writer: RequestWriter) -> None:
    first, _ = await writer.ask(OPTIONS)
    process_of(writer).kill()
    again, _ = await writer.ask(OPTIONS)
    assert first == again == {"options": ["temperature", "top_p", "reasoning_effort"]}


@pytest.mark.wire
async def test_an_idle_one_ends_and_is_started_again() -> None:
    writer = RequestWriter(idle_seconds=0.2)
    first, _ = await writer.ask(OPTIONS)
    async with asyncio.timeout(20 * slowness()):
        while writer.is_running:
            await asyncio.sleep(0.05)
    assert (await writer.ask(OPTIONS))[0] == first
    writer.close()


@pytest.mark.wire
async def test_calls_at_once_get_each_their_own_answer(writer: RequestWriter) -> None:
    models = [f"claude-{number}" for number in range(8)]
    calls = (writer.ask(WriteCall(CLAUDE.endpoint, model, ReplyOptions(), ()), REQUEST) for model in models)
    answers = await asyncio.gather(*calls, return_exceptions=True)
    for model, answer in zip(models, answers, strict=True):
        assert isinstance(answer, NotWritten) or f'"model": "{model}"'.encode() in answer[1]


@pytest.mark.wire
async def test_calls_that_wait_leave_the_shared_threads_free(monkeypatch: pytest.MonkeyPatch) -> None:
    writer, is_imported = RequestWriter(), threading.Event()

    def exchange(line: bytes) -> tuple[dict[str, object], bytes]:
        is_imported.wait(30)
        return {"options": ["top_p"]}, b""

    monkeypatch.setattr(writer, "_exchange", exchange)
    calls = asyncio.gather(*(writer.ask(OPTIONS) for _ in range(64)))
    await asyncio.sleep(0)
    try:
        await asyncio.wait_for(asyncio.to_thread(int), 10)
    finally:
        is_imported.set()
    assert [answer for answer, _ in await calls] == [{"options": ["top_p"]}] * 64
    writer.close()


async def test_a_call_that_nobody_waits_for_spoils_no_other(writer: RequestWriter) -> None:
    left = asyncio.ensure_future(writer.ask(CLAUDE, REQUEST))
    await asyncio.sleep(0.05)
    left.cancel()
    assert (await writer.ask(OPTIONS))[0] == {"options": ["temperature", "top_p", "reasoning_effort"]}


@pytest.mark.wire
async def test_what_the_world_lacks_is_an_error_of_its_name(writer: RequestWriter, monkeypatch: Any) -> None:
    for name in ("GOOGLE_CLOUD_PROJECT", "VERTEXAI_PROJECT", "GCLOUD_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    endpoint = Endpoint("s", "", "", "vertex")
    with pytest.raises(NotWritten) as caught:
        await writer.ask(WriteCall(endpoint, "gemini-3-pro", ReplyOptions(), ()), REQUEST)
    assert "CredentialsMissing" in caught.value.names
    with pytest.raises(RuntimeError, match="KeyError"):
        await writer.ask(OptionsCall("no such kind", "m"))


@pytest.mark.wire
async def test_closing_ends_it_and_those_who_wait_for_it() -> None:
    writer = RequestWriter()
    waiting = asyncio.ensure_future(writer.ask(OPTIONS))
    while not writer.is_running:
        await asyncio.sleep(0.01)
    process = process_of(writer)
    await asyncio.to_thread(writer.close)
    with pytest.raises(NotWritten):
        await waiting
    with pytest.raises(NotWritten):
        await writer.ask(OPTIONS)
    assert not process.is_running()


@pytest.mark.wire
async def test_it_is_started_for_who_begins_to_type_and_only_where_it_is_needed() -> None:
    library = LiteLLM()
    await library.prepare(Endpoint("s", "http://127.0.0.1:9/v1", kind="llama_cpp"), "large")
    assert not library.writer.is_running
    await library.prepare(Endpoint("s", "", kind="ollama"), "large")
    assert library.writer.is_running
    other = library.with_patience(1.0)
    await other.close()
    assert library.writer.is_running, "it is the library's"
    await library.close()
    assert not library.writer.is_running
