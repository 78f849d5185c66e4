"""The packages of Anthropic and OpenAI, as they are: how they ask for a summary, and what they take for one."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from builders import system, user
from desktop_app.conversation.setup import SummaryOptions
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.provider_summaries import BETA, COMPACT_FIELDS
from kinds_of_server import CODEX, OF_KIND, Kind, in_dialect
from provider import ScriptedProvider
from provider_compaction import Compacting
from real_programs import pypi
from tool_rounds import READ

CLAUDE = replace(OF_KIND["anthropic"], model="claude-sonnet-4-6")
ASK_CLAUDE = """
import json, sys, anthropic
client = anthropic.Anthropic(api_key="k", base_url=sys.argv[1], max_retries=0)
said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}]
asked = dict(model="claude-sonnet-4-6", max_tokens=100, betas=["compact-2026-09-04"])
wanted = {"type": "summarize", "instructions": "Be brief."}
first = client.beta.messages.create(messages=said, compaction=wanted, **asked)
block, = first.content
after = {"role": "assistant", "content": [block.to_dict()]}
list(client.beta.messages.create(messages=[after, {"role": "user", "content": "Go on"}], stream=True, **asked))
usage = first.usage.iterations[0]
print(json.dumps([first.stop_reason, block.content, block.signature, usage.type, usage.output_tokens]))
"""
ASK_OPENAI = """
import json, sys, openai
client = openai.OpenAI(api_key="k", base_url=sys.argv[1] + "/v1", max_retries=0)
said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}]
first = client.responses.compact(model="gpt-5.3-codex", input=said, instructions="Be brief.")
*users, item = first.output
print(json.dumps([first.object, item.type, item.encrypted_content, first.usage.output_tokens]))
"""
CHECK = """
import json, sys
from pydantic import TypeAdapter
from anthropic.types.beta.message_create_params import MessageCreateParamsNonStreaming as Claude
from openai.types.responses.response_compact_params import ResponseCompactParams as OpenAI
for name, body in json.load(sys.stdin).items():
    kind = Claude if name == "anthropic" else OpenAI
    TypeAdapter(kind).validate_python(body)
    kinds = [kind, *getattr(kind, "__orig_bases__", ())]
    known = {field for each in kinds for field in getattr(each, "__annotations__", {})}
    print(name, sorted(set(body) - known))
"""


@pytest.fixture(scope="module")
def python() -> Path:
    return pypi("anthropic==2.14.0", "openai==3.57.0") / "python"


def run(python: Path, script: str, *arguments: str, given: str = "") -> str:
    done = subprocess.run([python, "-c", script, *arguments], input=given, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


async def asked_by_us(kind: Kind, litellm: LiteLLM, provider: ScriptedProvider) -> Any:
    """The request with which we ask that provider for a summary."""
    model = kind.model_at(provider, litellm, key="")
    sent = in_dialect(model.info, (system("Be brief."), user("Hello")), 100, (READ,))
    _ = [piece async for piece in model.stream(*sent, SummaryOptions(instructions="Be brief."))]
    return provider.requests[-1]


async def test_anthropic_s_package_asks_as_we_do_and_reads_the_block_of_our_script(python: Path) -> None:
    litellm = LiteLLM()
    with ScriptedProvider(Compacting("It was said."), flavour="anthropic", models=(CLAUDE.model,)) as provider:
        reason, content, signature, kind, tokens = json.loads(run(python, ASK_CLAUDE, provider.root_url))
        theirs, after = provider.requests
        ours = await asked_by_us(CLAUDE, litellm, provider)
    await litellm.close()
    assert (reason, content, kind, tokens) == ("compaction", "It was said.", "compaction", 300)
    assert theirs.headers["anthropic-beta"] == ours.headers["anthropic-beta"] == BETA
    assert theirs.body["compaction"] == ours.body["compaction"]
    assert after.messages[0]["content"][0]["signature"] == signature
    assert run(python, CHECK, given=json.dumps({"anthropic": ours.body})) == "anthropic []\n"


async def test_openai_s_package_asks_as_we_do_and_reads_the_items_of_our_script(python: Path) -> None:
    litellm = LiteLLM()
    with ScriptedProvider(Compacting("It was said."), flavour="responses", models=(CODEX.model,)) as provider:
        kind, item, content, tokens = json.loads(run(python, ASK_OPENAI, provider.root_url))
        theirs = provider.requests[-1]
        ours = await asked_by_us(CODEX, litellm, provider)
    await litellm.close()
    assert (kind, item, tokens) == ("response.compaction", "compaction", 300)
    assert content
    assert theirs.path == ours.path
    assert set(ours.body) <= set(theirs.body) | COMPACT_FIELDS
    assert run(python, CHECK, given=json.dumps({"openai": ours.body})) == "openai []\n"
