"""A request in OpenAI's chat format says what litellm would write: compared with litellm itself, in this process."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations_made_up import histories
from desktop_app.conversation import quirks
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import replace_surrogates
from desktop_app.models.dialect_fields import dialect_fields
from desktop_app.models.endpoint import Endpoint
from desktop_app.models.plain_requests import OPTIONS, is_plain, plain_options, plain_request
from desktop_app.models.provider_dialects import request_of
from desktop_app.settings import ServerKind
from kinds_of_server import in_dialect
from requests_made_up import tool
from tool_rounds import READ

KINDS = sorted(OPTIONS)
NAMES = (
    *("large", "qwen3-8b", "llama-3.3-70b", "mistral-small-3.2", "openai/gpt-oss-20b", "deepseek-reasoner", "x/y:z"),
    *("kimi-k2-thinking", "minimax-m2", "claude-sonnet-4-5", "gemini-3-pro", "anthropic/claude-opus-4-8", "glm-4.6"),
    *("ollama/phi", "azure/large", "bedrock/large", "text-embedding", "command-r", "grok-4", "hermes-4", "responses"),
)
SCHEMAS = (
    {"type": "object", "properties": {}},
    {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a+$"}}, "required": ["a"]},
    {"oneOf": [{"type": "object", "properties": {"a": {"type": ["string", "null"]}}}]},
    {"type": "object", "properties": {"n": {"enum": [1, 2**70, 1e300, None]}}, "additionalProperties": False},
)
made_up = st.builds(
    ToolSpec,
    st.sampled_from(["look", "see", "a_b-c"]),
    st.text(max_size=20),
    st.sampled_from([json.dumps(schema) for schema in SCHEMAS]),
)
tools = st.lists(st.one_of(st.just(READ), made_up), max_size=3, unique_by=lambda spec: spec.name)
options = st.builds(
    ReplyOptions,
    temperature=st.sampled_from([None, 0.0, 0.7, 2.0]),
    top_p=st.sampled_from([None, 0.1, 1.0]),
    reasoning_effort=st.sampled_from(["", "low", "high"]),
)
learned = st.lists(
    st.sampled_from([quirks.MAX_COMPLETION_TOKENS, quirks.MAX_TOKENS, quirks.WITHOUT + "stream_options"]), max_size=1
)
keys = st.sampled_from(["", "sk-1"])


def same(written: Any, plain: Any) -> None:
    assert json.loads(plain.content) == json.loads(written.content)
    assert (plain.method, str(plain.url)) == (written.method, str(written.url))
    differing = {"content-length"}  # of letters that one of them escapes
    assert {k: v for k, v in plain.headers.items() if k not in differing} == {
        k: v for k, v in written.headers.items() if k not in differing
    }


@given(
    kind=st.sampled_from(KINDS),
    name=st.sampled_from(NAMES),
    messages=histories(),
    specs=tools,
    options=options,
    quirks_of_model=learned,
    key=keys,
    sees=st.booleans(),
)
async def test_it_is_what_litellm_writes(
    client: Any,
    kind: ServerKind,
    name: str,
    messages: list[Message],
    specs: list[ToolSpec],
    options: ReplyOptions,
    quirks_of_model: list[str],
    key: str,
    sees: bool,
) -> None:
    info = ModelInfo(
        f"s/{name}", name, 8_192, 1_024, Provenance.MEASURED, supports_vision=sees, **dialect_fields(kind, name)
    )
    endpoint = Endpoint("s", "http://127.0.0.1:9/v1/", key, kind, headers={"X-Own": "a"})
    messages = [replace_surrogates(message) for message in messages]  # with which litellm fails
    fields = request_of(kind, name, info, *in_dialect(info, messages, 100, specs)) | {"extra_body": {"own": 1}}
    written = await client.write_request(endpoint, name, fields, tuple(quirks_of_model), options)
    same(written, plain_request(endpoint, name, fields, options, tuple(quirks_of_model)))


@pytest.mark.parametrize("number", range(40))
async def test_so_are_tools_of_all_kinds(client: Any, number: int) -> None:
    endpoint = Endpoint("s", "http://127.0.0.1:9/v1", "k", "openai_compatible")
    fields = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 9, "stream": True}
    fields |= {"tools": [tool(random.Random(number), number)]}
    written = await client.write_request(endpoint, "large", fields)
    same(written, plain_request(endpoint, "large", fields, ReplyOptions(), ()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_the_parameters_are_those_that_litellm_knows(client: Any, kind: ServerKind, name: str) -> None:
    assert plain_options(kind, name) == client.options_of(kind, name)


def test_each_name_that_litellm_treats_in_a_way_of_its_own_is_left_to_it(client: Any) -> None:
    """Chat models of OpenAI by litellm's own catalogue, and the names of series for which it has classes."""
    own = {
        name.removeprefix("openai/")
        for name, about in client.litellm.model_cost.items()
        if about.get("litellm_provider") == "openai" and about.get("mode") in ("chat", "responses", "completion")
    }
    for kind in KINDS:
        assert {name for name in own if is_plain(kind, name)} == set()
        assert not [n for n in ("o1-mini", "x/o3", "GPT-5.9", "gpt-4o-audio-preview", "ft:mine") if is_plain(kind, n)]
    assert not is_plain("anthropic", "large")
