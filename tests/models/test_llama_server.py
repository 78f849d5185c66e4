"""The real child process: its start, its end, its crash, and the death of its parent."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import httpx
import psutil
import pytest

from desktop_app.chat.ports import ModelError, Piece, ReplyEnd, TextPiece
from desktop_app.conversation.message import Message, Role, Text, Usage, user_message
from desktop_app.models import builtin
from desktop_app.models.builtin_model import BuiltinModel
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.llama_server import LlamaServer
from texts import WHERE_TO_INSTALL

pytestmark = pytest.mark.model

HELLO = (Message(role=Role.SYSTEM, parts=(Text("Be brief."),)), user_message("Say hello."))


def model_file() -> Path:
    path = builtin.model_path()
    if path is None or builtin.check_model() is not None:
        pytest.skip("the built-in model is not installed")
    return path


@pytest.fixture
async def server() -> AsyncIterator[LlamaServer]:
    llama = LlamaServer(model_file(), builtin.WINDOW)
    yield llama
    await llama.stop()


@pytest.fixture
async def model(server: LlamaServer) -> AsyncIterator[BuiltinModel]:
    litellm = LiteLLM()
    yield BuiltinModel(builtin.model_info(), litellm, server)
    await litellm.close()


def usage_in(pieces: list[Piece]) -> Usage:
    end = pieces[-1]
    assert isinstance(end, ReplyEnd)
    assert end.usage is not None
    return end.usage


async def test_it_starts_once_answers_only_with_its_token_and_ends(server: LlamaServer) -> None:
    assert not server.is_running
    base_url, again = await asyncio.gather(server.start(), server.start())
    assert base_url == again
    assert base_url.startswith("http://127.0.0.1:")
    pid = server.pid
    async with httpx.AsyncClient(trust_env=False) as client:
        request = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
        refused = await client.post(f"{base_url}/chat/completions", json=request)
        assert refused.status_code == 401
        headers = {"Authorization": f"Bearer {server.token}"}
        answer = await client.post(f"{base_url}/chat/completions", json=request, headers=headers, timeout=30)
        assert answer.json()["usage"]["completion_tokens"] == 1
    assert server.token not in " ".join(psutil.Process(pid).cmdline())
    await server.stop()
    assert not psutil.pid_exists(pid)


ENDPOINTS = (
    *(
        "/",
        "/index.html",
        "/models",
        "/v1/models",
        "/props",
        "/slots",
        "/metrics",
        "/lora-adapters",
        "/tools",
        "/api/tags",
    ),
    *("/tokenize", "/detokenize", "/completion", "/completions", "/v1/completions", "/v1/chat/completions", "/infill"),
    *("/chat/completions", "/apply-template", "/embedding", "/embeddings", "/v1/embeddings", "/rerank", "/v1/messages"),
    *(
        "/v1/responses",
        "/slots/0?action=save",
        "/models/load",
        "/models/unload",
        "/api/show",
        "/api/chat",
        "/cors-proxy",
    ),
)


async def test_whoever_has_no_token_learns_that_it_runs_and_no_more(server: LlamaServer) -> None:
    """Another user of the machine, or a page in a browser, which may say that it is of any host."""
    root = (await server.start()).removesuffix("/v1")
    listening = [one.laddr for one in psutil.Process(server.pid).net_connections() if one.status == "LISTEN"]
    assert [address.ip for address in listening] == ["127.0.0.1"]
    asked = {"Origin": "http://evil.example", "Host": "evil.example", "Authorization": "Bearer wrong"}
    async with httpx.AsyncClient(trust_env=False, base_url=root, headers=asked) as client:
        assert (await client.get("/health")).json() == {"status": "ok"}
        for path in ENDPOINTS:
            for method in ("GET", "POST", "PUT", "DELETE", "HEAD"):
                answer = await client.request(method, path, content=b"{}" if method == "POST" else None)
                assert answer.status_code in (401, 404), (method, path)
                assert not answer.text or answer.json()["error"]["type"] in ("authentication_error", "not_found_error")
    assert server.is_running


async def test_a_file_that_is_no_model_is_an_error_of_the_world(tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + b"\0" * 100)
    llama = LlamaServer(bad, 8192)
    with pytest.raises(ModelError, match="could not be started") as caught:
        await llama.start()
    assert caught.value.failure.detail
    assert not llama.is_running
    await llama.stop()


async def test_a_cancelled_start_leaves_no_child(server: LlamaServer) -> None:
    children = set(psutil.Process().children())
    starting = asyncio.ensure_future(server.start())
    await first_child(children)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert set(psutil.Process().children()) == children


async def first_child(others: set[psutil.Process]) -> psutil.Process:
    while not (new := set(psutil.Process().children()) - others):
        await asyncio.sleep(0.005)
    return new.pop()


@pytest.mark.parametrize("kills", [1, 2])
async def test_a_child_that_is_killed_while_it_loads_is_started_once_more(server: LlamaServer, kills: int) -> None:
    others = children = set(psutil.Process().children())
    starting = asyncio.ensure_future(server.start())
    for _ in range(kills):
        child = await first_child(children)
        children = children | {child}
        child.kill()
    if kills == 1:
        assert (await starting).startswith("http://127.0.0.1:")
        assert server.pid not in {0, *(child.pid for child in children - others)}
    else:
        with pytest.raises(ModelError, match="could not be started") as caught:
            await starting
        assert "killed by signal 9" in caught.value.failure.detail
        assert server.pid == 0


async def test_the_child_ends_with_its_parent() -> None:
    code = (
        "import asyncio, os, sys\n"
        "from pathlib import Path\n"
        "from desktop_app.models.llama_server import LlamaServer\n"
        "async def main():\n"
        "    server = LlamaServer(Path(sys.argv[1]), 8192)\n"
        "    await server.start()\n"
        "    print(server.pid, flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", code, str(model_file())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(await asyncio.to_thread(parent.stdout.readline)))
        parent.send_signal(signal.SIGKILL)
        await asyncio.to_thread(psutil.wait_procs, [child], timeout=5)
        assert not child.is_running()


async def test_the_model_answers_is_started_again_after_a_crash_and_reports_an_overflow(
    model: BuiltinModel, server: LlamaServer
) -> None:
    await model.prepare()
    first = server.pid
    os.kill(first, signal.SIGKILL)
    pieces = [piece async for piece in model.stream(HELLO, 20)]
    assert server.pid not in (0, first)
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextPiece)).strip()
    assert usage_in(pieces).prompt_tokens > 10
    with pytest.raises(ModelError) as caught:
        _ = [piece async for piece in model.stream((user_message("word " * 9_000),), 10)]
    assert caught.value.is_overflow


async def test_a_crash_in_the_middle_of_a_reply_is_told_and_the_next_one_works(
    model: BuiltinModel, server: LlamaServer
) -> None:
    question = (user_message("Count from 1 to 100."),)
    async with aclosing(model.stream(question, 60)) as pieces:
        await anext(pieces)
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(ModelError, match="broke off"):
            _ = [piece async for piece in pieces]
    assert len([piece async for piece in model.stream(question, 60)]) > 2


async def test_reading_ahead_fills_the_cache_of_the_server(model: BuiltinModel) -> None:
    system = Message(role=Role.SYSTEM, parts=(Text("You know all about rivers, lakes and mountains. " * 5),))
    await model.read_ahead((system,))
    assert usage_in([piece async for piece in model.stream((system, user_message("Hi")), 2)]).cached_tokens > 40


async def test_a_model_that_is_not_installed_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin, "model_path", lambda: None)
    model = BuiltinModel(builtin.model_info(), LiteLLM(), None)
    with pytest.raises(ModelError, match="not installed") as caught:
        await anext(model.stream(HELLO, 10))
    assert WHERE_TO_INSTALL in caught.value.failure.detail


def test_the_file_is_the_published_one() -> None:
    model_file()
    assert builtin.check_hash() is None


async def test_a_server_that_is_still_loading_is_given_up_when_everything_closes(tmp_path: Path) -> None:
    endless = tmp_path / "model.gguf"
    os.mkfifo(endless)  # who opens it waits for ever
    server = LlamaServer(endless, builtin.WINDOW)
    others = set(psutil.Process().children())
    starting = asyncio.ensure_future(server.start())
    await first_child(others)
    await asyncio.sleep(0.3)
    server.close()
    async with asyncio.timeout(5):
        with pytest.raises(ModelError):
            await starting
        await server.stop()
    assert not server.is_running
