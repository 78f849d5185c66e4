"""llama.cpp with chat templates in the shapes of well-known ones: everything that was said and returned reaches the
model. Seen with llama.cpp b11549 and the templates of Llama 3.1, Mistral Nemo, Hermes 3 and Gemma 2."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from desktop_app.chat.ports import ReplyEnd
from desktop_app.context.view.dialect import to_dialect
from desktop_app.conversation import quirks
from desktop_app.conversation.message import Message, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models import builtin
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel
from desktop_app.settings import Server, Settings

pytestmark = [pytest.mark.model, pytest.mark.long]

SERVE = """
import json, sys, threading, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.chat_template = sys.argv[1], sys.argv[2]
params.model_alias, params.hostnames, params.port = {"m"}, ["127.0.0.1"], 0
params.n_ctx, params.n_parallel, params.n_gpu_layers, params.verbosity = 4096, 1, 0, 1
params.fit_params = params.warmup = params.ui = False
params.use_jinja = True
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(json.dumps(server.listening_address), flush=True)
threading.Thread(target=sys.stdin.read).run()
"""
TURN = "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"
START = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
TOOLS = "{% if tools %}{{ tools | tojson }}{% endif %}"
CALLS = "{% for c in m.tool_calls %}<|im_start|>assistant\n{{ c.function | tojson }}<|im_end|>\n{% endfor %}"
ONLY_ONE = (
    "{% if m.tool_calls | length != 1 %}"
    "{{ raise_exception('This model only supports single tool-calls at once!') }}{% endif %}"
)
IN_TURNS = (
    "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}"
)
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"


def template(calls: str, before: str = TOOLS, each: str = "") -> str:
    body = f"{each}{{% if m.tool_calls %}}{calls}{{% else %}}{TURN}{{% endif %}}"
    return f"{before}{{% for m in messages %}}{body}{{% endfor %}}{START}"


TEMPLATES = {
    "like Llama 3": (template(ONLY_ONE + CALLS), {quirks.ONE_CALL, quirks.TEXT_WITH_RESULT}),
    "like Hermes": (template(CALLS), {quirks.TEXT_WITH_RESULT}),
    "like Gemma 2": (template(TURN, NO_SYSTEM, IN_TURNS), {quirks.NO_SYSTEM, quirks.CALLS_AS_TEXT}),
}
SPOKEN = ("SYSTEM", "ASKED", "BESIDE", "first.txt", "second.txt", "RESULT-1", "RESULT-2", "ANSWERED", "NEXT")
LIST = ToolSpec("list", "Lists", '{"type":"object","properties":{"path":{"type":"string"}}}')


def conversation() -> list[Message]:
    def call(number: int, path: str) -> ToolCall:
        return ToolCall(f"call0000{number}", "list", json.dumps({"path": path}))

    def result(number: int) -> Message:
        return Message(role=Role.TOOL, parts=(ToolResult(f"call0000{number}", "list", f"RESULT-{number}"),))

    def text(role: Role, words: str) -> Message:
        return Message(role=role, parts=(Text(words),))

    reply = Message(role=Role.ASSISTANT, parts=(Text("BESIDE"), call(1, "first.txt"), call(2, "second.txt")))
    before = [text(Role.SYSTEM, "SYSTEM"), text(Role.USER, "ASKED"), reply, result(1), result(2)]
    return [*before, text(Role.ASSISTANT, "ANSWERED"), text(Role.USER, "NEXT")]


@contextmanager
def served(model: Path, chat_template: str) -> Iterator[str]:
    command = [sys.executable, "-c", SERVE, str(model), chat_template]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        try:
            assert child.stdout is not None
            yield json.loads(child.stdout.readline())
        finally:
            child.kill()


@pytest.mark.parametrize("name", TEMPLATES)
async def test_nothing_is_dropped_by_a_real_template(name: str, loaded: LiteLLM) -> None:
    path = builtin.model_path()
    if path is None or builtin.check_model() is not None:
        pytest.skip("the built-in model is not installed")
    chat_template, expected = TEMPLATES[name]
    with served(path, chat_template) as address:
        server = Server("s", f"{address}/v1", ("m",), kind="llama_cpp")
        catalogue = Catalogue(Settings(servers=(server,)), lambda _: "", loaded)
        await catalogue.discover()
        model = catalogue.model("s/m")
        assert isinstance(model, LiteLLMModel)
        assert set(model.info.quirks) - {quirks.ONE_CALL} == expected - {quirks.ONE_CALL}
        assert (quirks.ONE_CALL in model.info.quirks) >= (quirks.ONE_CALL in expected)
        sent, tools = to_dialect(conversation(), (LIST,), model.info.dialect)
        fields = model.request(sent, 8, tools)
        written = await loaded.written(model.endpoint, "m", fields, model.info.quirks)
        async with httpx.AsyncClient(trust_env=False) as asking:
            filled = await asking.post(f"{address}/apply-template", content=written.content)
        assert filled.status_code == 200, filled.text
        assert [word for word in SPOKEN if word not in filled.json()["prompt"]] == []
        loaded.patience = loaded.nearby_patience = 60.0  # other tests are impatient
        pieces = [piece async for piece in model.stream(sent, 8, tools, ReplyOptions(temperature=0.0))]
        assert isinstance(pieces[-1], ReplyEnd)
        await loaded.close()
