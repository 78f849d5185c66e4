"""Azure OpenAI, Bedrock and Vertex by their shapes: the real litellm writes, a server of ours on loopback answers.

Signatures are compared with those of botocore 1.44.8 for the same requests.
"""

from __future__ import annotations

import json
import struct
import sys
import threading
import time
import types
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from msgspec.structs import replace

from builders import system
from desktop_app.chat.ports import ModelError, Piece, ReasoningPiece, ReplyEnd, TextPiece
from desktop_app.conversation.message import user_message
from desktop_app.conversation.openai_chat import function_of
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models import cloud_credentials
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.cloud_credentials import AwsKeys, aws_keys, signed_headers
from desktop_app.models.endpoint import Endpoint, environment_key
from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.litellm_model import LiteLLMModel, curl_of
from desktop_app.models.provider_dialects import PLACES, decode_metadata
from desktop_app.models.server_checks import list_offers
from desktop_app.settings import Cloud, Server, ServerKind, Settings

HELLO = (system("Be brief."), user_message("Hello"))
ADD = ToolSpec("add", "Adds.", '{"type":"object","properties":{"a":{"type":"number"}}}')
ANYWHERE = Cloud()
KEY = "SECRET-0123456789abcdef"
VARIABLES = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AZURE_OPENAI_AD_TOKEN",
    "AZURE_OPENAI_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
)


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No credentials of this machine, and no tokens of another test."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "CLOUDSDK_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in ("azure.identity", "botocore.session", "google.auth"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    cloud_credentials._tokens.clear()


class Asked:
    """A request that came in."""

    def __init__(self, path: str, headers: dict[str, str], body: Any) -> None:
        self.path, self.headers, self.body = path, headers, body


Answers = Callable[[Asked], tuple[int, str, bytes]]


@pytest.fixture
def cloud() -> Iterator[Callable[[Answers], tuple[str, list[Asked]]]]:
    """`cloud(answers)`: the address of a server that answers so, and the requests that it gets."""
    servers: list[ThreadingHTTPServer] = []

    def start(answers: Answers) -> tuple[str, list[Asked]]:
        asked: list[Asked] = []

        class Connection(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"] or 0))
                is_json = content.startswith(b"{")
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked.append(Asked(self.path, headers, json.loads(content) if is_json else content.decode()))
                status, kind, body = answers(asked[-1])
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                with suppress(OSError):
                    self.end_headers()
                    self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is logged."""

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Connection))
        threading.Thread(target=servers[-1].serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_address[1]}", asked

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def model_at(
    kind: ServerKind, address: str, name: str, litellm: LiteLLM, key: str = "", cloud: Cloud = ANYWHERE
) -> LiteLLMModel:
    server = Server("cloud", address, (name,), window=100_000, max_output=1_000, kind=kind, cloud=cloud)
    model = Catalogue(Settings(servers=(server,)), lambda _: key, litellm).model(f"cloud/{name}")
    assert isinstance(model, LiteLLMModel)
    return model


async def pieces_of(model: LiteLLMModel, *tools: ToolSpec) -> list[Piece]:
    return [piece async for piece in model.stream(HELLO, 100, tools)]


async def error_of(model: LiteLLMModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await pieces_of(model)
    assert KEY not in repr(caught.value.failure)
    return caught.value


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def sse(*events: Any) -> tuple[int, str, bytes]:
    return 200, "text/event-stream", "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()


CHAT = (
    {"choices": [{"index": 0, "delta": {"content": "Hello "}}]},
    {"choices": [{"index": 0, "delta": {"content": "there."}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3}},
)


async def test_azure_gets_the_deployment_in_its_path_and_the_key_in_its_header(litellm: LiteLLM, cloud: Any) -> None:
    address, asked = cloud(lambda _: sse(*CHAT))
    model = model_at("azure", address, "my-gpt", litellm, KEY, Cloud(api_version="2025-01-01"))
    pieces = await pieces_of(model, ADD)
    assert text_of(pieces) == "Hello there."
    assert asked[0].path == "/openai/deployments/my-gpt/chat/completions?api-version=2025-01-01"
    assert asked[0].headers["api-key"] == KEY
    assert "authorization" not in asked[0].headers
    assert asked[0].body["messages"][1] == {"role": "user", "content": "Hello"}
    command = await curl_of(model, HELLO, 100)
    assert "api-key: ${PALIMPSEST_KEY_CLOUD}" in command


async def test_azure_s_newer_api_has_no_deployments(litellm: LiteLLM, cloud: Any) -> None:
    address, asked = cloud(lambda _: sse(*CHAT))
    assert (
        text_of(await pieces_of(model_at("azure", f"{address}/openai/v1/", "gpt-5.1", litellm, KEY))) == "Hello there."
    )
    assert (asked[0].path, asked[0].body["model"]) == ("/openai/v1/chat/completions", "gpt-5.1")
    assert asked[0].headers["api-key"] == KEY


async def test_without_a_key_azure_gets_a_token_of_entra(
    litellm: LiteLLM, cloud: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scopes: list[str] = []

    class Credential:
        def get_token(self, scope: str) -> Any:
            scopes.append(scope)
            return types.SimpleNamespace(token="entra-token", expires_on=time.time() + 3_600)

    identity = types.ModuleType("azure.identity")
    monkeypatch.setattr(identity, "DefaultAzureCredential", Credential, raising=False)
    monkeypatch.setitem(sys.modules, "azure", types.ModuleType("azure"))
    monkeypatch.setitem(sys.modules, "azure.identity", identity)
    address, asked = cloud(lambda _: sse(*CHAT))
    for _ in range(2):
        await pieces_of(model_at("azure", address, "my-gpt", litellm))
    assert [each.headers["authorization"] for each in asked] == ["Bearer entra-token"] * 2
    assert scopes == ["https://cognitiveservices.azure.com/.default"], "a token lasts for an hour"


@pytest.mark.parametrize(
    ("kind", "name", "place", "words"),
    [
        ("azure", "my-gpt", Cloud(), "azure-identity"),
        ("bedrock", "amazon.nova-pro-v1:0", Cloud(profile="work"), "“work”"),
        ("bedrock", "amazon.nova-pro-v1:0", Cloud(), "AWS_ACCESS_KEY_ID"),
        ("vertex", "gemini-3-pro-preview", Cloud(), "GOOGLE_CLOUD_PROJECT"),
        ("vertex", "gemini-3-pro-preview", Cloud(project="p"), "gcloud auth application-default login"),
        ("vertex", "claude-sonnet-4-5", Cloud(project="p", profile="/nowhere.json"), "/nowhere.json"),
    ],
)
async def test_missing_credentials_are_named(
    kind: ServerKind, name: str, place: Cloud, words: str, litellm: LiteLLM, cloud: Any
) -> None:
    address, asked = cloud(lambda _: sse(*CHAT))
    error = await error_of(model_at(kind, address, name, litellm, cloud=place))
    assert (error.kind, error.failure.setting) == ("auth", "servers/cloud/key")
    assert words in error.failure.detail
    assert not asked


def frame(kind: str, content: Any, message: str = "event") -> bytes:
    """A message of AWS's event stream."""
    name = "exception" if message == "exception" else "event"
    texts = ((f":{name}-type", kind), (":content-type", "application/json"), (":message-type", message))
    headers = b""
    for title, text in texts:
        headers += bytes([len(title)]) + title.encode() + b"\x07" + struct.pack(">H", len(text)) + text.encode()
    payload = json.dumps(content).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    whole = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return whole + struct.pack(">I", zlib.crc32(whole))


def delta(index: int, **content: Any) -> bytes:
    return frame("contentBlockDelta", {"contentBlockIndex": index, "delta": content})


CONVERSE = (
    frame("messageStart", {"role": "assistant"}),
    delta(0, reasoningContent={"text": "I think. "}),
    delta(0, reasoningContent={"signature": "c2ln"}),
    frame("contentBlockStop", {"contentBlockIndex": 0}),
    delta(1, text="Wörter "),
    delta(1, text="fließen."),
    frame("contentBlockStart", {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "t1", "name": "add"}}}),
    delta(2, toolUse={"input": '{"a": '}),
    delta(2, toolUse={"input": "5}"}),
    frame("contentBlockStop", {"contentBlockIndex": 2}),
    frame("messageStop", {"stopReason": "tool_use"}),
    frame("metadata", {"usage": {"inputTokens": 10, "outputTokens": 7, "cacheReadInputTokens": 90}}),
)
AWS = "application/vnd.amazon.eventstream"
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


async def test_bedrock_s_reply_is_read_with_its_thoughts_calls_and_usage(litellm: LiteLLM, cloud: Any) -> None:
    address, asked = cloud(lambda _: (200, AWS, b"".join(CONVERSE)))
    pieces = await pieces_of(model_at("bedrock", address, CLAUDE, litellm, KEY), ADD)
    assert text_of(pieces) == "Wörter fließen."
    assert [piece.text for piece in pieces if isinstance(piece, ReasoningPiece)] == ["I think. "]
    end = pieces[-1]
    assert isinstance(end, ReplyEnd)
    assert end.reason == "tool_calls"
    assert [(call.call_id, call.name, call.arguments) for call in end.tool_calls] == [("t1", "add", '{"a": 5}')]
    assert "c2ln" in end.tool_calls[0].provider_metadata, "its thoughts go back with its call"
    assert end.usage is not None
    assert (end.usage.prompt_tokens, end.usage.reply_tokens, end.usage.cached_tokens) == (100, 7, 90)
    assert asked[0].path == "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream"
    assert asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert asked[0].body["messages"] == [{"role": "user", "content": [{"text": "Hello"}]}]
    assert asked[0].body["toolConfig"]["tools"][0]["toolSpec"]["name"] == "add"


BETWEEN = (
    frame("messageStart", {"role": "assistant"}),
    delta(0, reasoningContent={"text": "First."}),
    delta(0, reasoningContent={"signature": "b25l"}),
    delta(1, text="I look."),
    delta(2, reasoningContent={"text": "Then."}),
    delta(2, reasoningContent={"signature": "dHdv"}),
    delta(3, text=" And add."),
    frame("contentBlockStart", {"contentBlockIndex": 4, "start": {"toolUse": {"toolUseId": "t1", "name": "add"}}}),
    delta(4, toolUse={"input": "{}"}),
    frame("messageStop", {"stopReason": "tool_use"}),
)


@pytest.mark.parametrize("kind", ["bedrock", "vertex"])
async def test_thoughts_go_back_to_claude_between_its_texts(kind: ServerKind, litellm: LiteLLM, cloud: Any) -> None:
    """Claude refuses thoughts that were moved, and litellm writes all of them first."""
    address, _ = cloud(lambda _: (200, AWS, b"".join(BETWEEN)))
    bedrock = model_at("bedrock", address, CLAUDE, litellm, KEY)
    end = (await pieces_of(bedrock, ADD))[-1]
    assert isinstance(end, ReplyEnd)
    metadata = decode_metadata(end.tool_calls[0].provider_metadata, bedrock.info.record_name)
    assert metadata is not None
    request: Any = {
        "messages": [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": "I look. And add.", **metadata.message}
            | {PLACES: metadata.places, "tool_calls": [CALLED]},
            {"role": "tool", "tool_call_id": "t1", "content": "5"},
        ],
        "max_tokens": 4_096,
        "stream": True,
        "tools": [function_of(ADD)],
    }
    name = CLAUDE if kind == "bedrock" else "claude-sonnet-4-5"
    endpoint = Endpoint("c", address, "" if kind == "vertex" else KEY, kind, cloud=Cloud(project="p"))
    written = await litellm.written(endpoint, name, request, options=ReplyOptions(reasoning_effort="low"))
    content = json.loads(written.content)["messages"][1]["content"]
    order = [next(iter(block)) if kind == "bedrock" else block["type"] for block in content]
    thought = "reasoningContent" if kind == "bedrock" else "thinking"
    assert order == [thought, "text", thought, "text", "toolUse" if kind == "bedrock" else "tool_use"]
    assert [block["text"] for block in content if "text" in block] == ["I look.", " And add."]


CALLED = {"id": "t1", "type": "function", "function": {"name": "add", "arguments": "{}"}}


async def test_a_reply_of_bedrock_that_is_cut_anywhere_is_no_whole_one(litellm: LiteLLM, cloud: Any) -> None:
    whole = b"".join(CONVERSE)
    end_at = len(whole) - len(CONVERSE[-1])
    cut_at = [0]
    address, _ = cloud(lambda _: (200, AWS, whole[: cut_at[0]]))
    model = model_at("bedrock", address, CLAUDE, litellm, KEY)
    for cut_at[0] in range(1, end_at, 37):
        assert (await error_of(model)).kind in ("cut", "garbage")
    cut_at[0] = end_at + 5
    assert isinstance((await pieces_of(model))[-1], ReplyEnd), "only its usage is missing"


@pytest.mark.parametrize(
    ("name", "message", "kind"),
    [
        ("throttlingException", "Too many requests, please wait before trying again.", "rate_limit"),
        ("modelStreamErrorException", "The model is overloaded.", "server"),
        ("validationException", "Input is too long for requested model: 210000 tokens > 200000 maximum", "overflow"),
    ],
)
async def test_an_exception_in_bedrock_s_stream_is_what_it_says(
    name: str, message: str, kind: str, litellm: LiteLLM, cloud: Any
) -> None:
    broken = (*CONVERSE[:5], frame(name, {"message": message}, "exception"))
    address, _ = cloud(lambda _: (200, AWS, b"".join(broken)))
    error = await error_of(model_at("bedrock", address, CLAUDE, litellm, KEY))
    assert error.kind == kind
    assert error.failure.detail == message


@pytest.mark.parametrize(
    "content", [b"<html>" + b"x" * 99, b"\xff" * 64, frame("x", {})[:-6] + b"123456", b"data: {}\n\n"]
)
async def test_what_is_no_event_stream_is_garbage(content: bytes, litellm: LiteLLM, cloud: Any) -> None:
    address, _ = cloud(lambda _: (200, AWS, content))
    assert (await error_of(model_at("bedrock", address, CLAUDE, litellm, KEY))).kind in ("garbage", "provider")


def signature(url: str, method: str, content: bytes, session: str = "") -> str:
    keys = AwsKeys("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", session)
    now = datetime(2026, 11, 27, 12, tzinfo=UTC)
    headers = signed_headers(keys, "eu-central-1", method, f"https://{url}", content, now)
    return headers["authorization"].rpartition("=")[2]


def test_requests_are_signed_as_botocore_signs_them() -> None:
    host = "bedrock-runtime.eu-central-1.amazonaws.com"
    model = f"{host}/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream"
    profile = f"{host}/model/arn%3Aaws%3Abedrock%3Aeu%3A1%3Ainference-profile%2Fx/converse-stream"
    models = "bedrock.eu-central-1.amazonaws.com/foundation-models?byOutputModality=TEXT&a=b%20c"
    signed = signature(model, "POST", b'{"messages":[]}', "tok/en+==")
    assert signed == "8b27172dd4e648b80a405889831a7038c332807a0ab797b767055efeb213f0d4"
    signed = signature(models, "GET", b"")
    assert signed == "06ba5fb6797c5e79d6221ac35e5ff001d17a3819ecf3a2ce24e96fcc2313cf1a"
    signed = signature(profile, "POST", b"{}")
    assert signed == "3b4eab02bdc113901843924c94dedcb02b90ef6130e9b5e35378413f3ab877b3"


async def test_bedrock_is_signed_with_the_environment_s_keys(
    litellm: LiteLLM, cloud: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKID")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEY)
    monkeypatch.setenv("AWS_SESSION_TOKEN", f"{KEY}-session")
    address, asked = cloud(lambda _: (200, AWS, b"".join(CONVERSE)))
    await pieces_of(model_at("bedrock", address, CLAUDE, litellm, cloud=Cloud(region="eu-central-1")))
    sent = asked[0].headers
    assert sent["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKID/")
    assert "/eu-central-1/bedrock/aws4_request" in sent["authorization"]
    assert sent["x-amz-security-token"] == f"{KEY}-session"
    refused = json.dumps({"message": f"The canonical request should have been ... x-amz-security-token:{KEY}-session"})
    address, _ = cloud(lambda _: (403, "application/json", refused.encode()))
    await error_of(model_at("bedrock", address, CLAUDE, litellm))


def test_a_profile_is_read_from_both_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "AWS_SHARED_CREDENTIALS_FILE").write_text("[work]\naws_access_key_id = A\naws_secret_access_key = B\n")
    (tmp_path / "AWS_CONFIG_FILE").write_text("[profile work]\naws_session_token=C\n[profile sso]\nsso_session = x\n")
    assert aws_keys("work") == AwsKeys("A", "B", "C")
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert aws_keys("") == AwsKeys("A", "B", "C")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "other")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "D")
    assert aws_keys("").access == "other"
    assert aws_keys("work").access == "A", "a profile that the settings name goes before the environment"
    with pytest.raises(cloud_credentials.CredentialsMissing, match="boto3"):
        aws_keys("sso")


GEMINI = (
    {"candidates": [{"content": {"parts": [{"text": "Hello "}], "role": "model"}}]},
    {
        "candidates": [{"content": {"parts": [{"text": "there."}], "role": "model"}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12},
    },
)
ANTHROPIC = (
    {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello there."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
    {"type": "message_stop"},
)


def google(asked: Asked) -> tuple[int, str, bytes]:
    if asked.path == "/token":
        return 200, "application/json", b'{"access_token": "google-token", "expires_in": 3599}'
    if "Predict" in asked.path:
        return sse(*ANTHROPIC)
    return sse(*CHAT) if "openapi" in asked.path else sse(*GEMINI)


PLACE = "/v1/projects/my-project/locations/europe-west4"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("gemini-3-pro-preview", "/publishers/google/models/gemini-3-pro-preview:streamGenerateContent?alt=sse"),
        ("claude-sonnet-4-5@20250929", "/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict"),
        ("meta/llama-4-maverick", "/endpoints/openapi/chat/completions"),
    ],
)
async def test_vertex_gets_each_maker_s_request_at_its_own_place(
    name: str, path: str, litellm: LiteLLM, cloud: Any, tmp_path: Path
) -> None:
    address, asked = cloud(google)
    file = {"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": KEY}
    (tmp_path / "adc.json").write_text(json.dumps(file | {"token_uri": f"{address}/token"}))
    place = Cloud(project="my-project", region="europe-west4", profile=str(tmp_path / "adc.json"))
    for _ in range(2):
        pieces = await pieces_of(model_at("vertex", address, name, litellm, cloud=place), ADD)
        assert text_of(pieces) == "Hello there."
    token, first, second = asked
    assert "grant_type=refresh_token" in token.body
    assert f"refresh_token={KEY}" in token.body
    assert first.path == second.path == PLACE + path
    assert first.headers["authorization"] == "Bearer google-token"
    assert first.headers.keys().isdisjoint(("x-api-key", "x-goog-api-key", "api-key"))
    if name.startswith("claude"):
        assert first.body["anthropic_version"] == "vertex-2023-10-16"
        assert "model" not in first.body
        assert first.body["stream"] is True


async def test_a_service_account_signs_for_its_token(litellm: LiteLLM, cloud: Any, tmp_path: Path) -> None:
    private = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    kinds = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    pem = private.private_bytes(serialization.Encoding.PEM, *kinds).decode()
    address, asked = cloud(google)
    file = {"type": "service_account", "client_email": "me@p", "private_key": pem, "project_id": "my-project"}
    content = json.dumps(file | {"token_uri": f"{address}/token"})
    place = Cloud(region="europe-west4")
    assert text_of(await pieces_of(model_at("vertex", address, "gemini-3-pro-preview", litellm, content, place)))
    form = dict(part.split("=") for part in asked[0].body.split("&"))
    claims = jwt.decode(form["assertion"], private.public_key(), algorithms=["RS256"], audience=f"{address}/token")
    assert (claims["iss"], claims["scope"]) == ("me@p", "https://www.googleapis.com/auth/cloud-platform")
    assert asked[1].path.startswith(PLACE), "the project is the account's"
    broken = json.dumps(file | {"private_key": "nonsense", "client_email": "you@p"})
    error = await error_of(model_at("vertex", address, "gemini-3-pro-preview", litellm, broken, place))
    assert "service account" in error.failure.detail


async def test_vertex_takes_a_key_too(litellm: LiteLLM, cloud: Any) -> None:
    address, asked = cloud(google)
    await pieces_of(model_at("vertex", address, "gemini-3-pro-preview", litellm, KEY, Cloud(project="my-project")))
    assert asked[0].path.startswith("/v1/projects/my-project/locations/global/publishers/google/")
    assert asked[0].headers["x-goog-api-key"] == KEY


LISTS: dict[str, Any] = {
    "/openai/deployments": {"data": [{"id": "my-gpt", "model": "gpt-5.1", "status": "succeeded"}]},
    "/inference-profiles": {"inferenceProfileSummaries": [{"inferenceProfileId": CLAUDE, "status": "ACTIVE"}]},
    "/foundation-models": {
        "modelSummaries": [
            {"modelId": "amazon.nova-pro-v1:0", "inferenceTypesSupported": ["ON_DEMAND"], "inputModalities": ["IMAGE"]},
            {"modelId": "anthropic.claude-sonnet-4-5", "inferenceTypesSupported": ["INFERENCE_PROFILE"]},
            {"modelId": "amazon.titan-embed-text-v2:0", "inferenceTypesSupported": ["ON_DEMAND"]},
        ]
    },
    "/v1beta1/publishers/google/models": {"publisherModels": [{"name": "publishers/google/models/gemini-3-pro"}]},
    "/v1beta1/publishers/anthropic/models": {"publisherModels": [{"name": "publishers/anthropic/models/claude-4"}]},
}


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("azure", {"my-gpt"}),
        ("bedrock", {CLAUDE, "amazon.nova-pro-v1:0"}),
        ("vertex", {"gemini-3-pro", "claude-4"}),
    ],
)
async def test_the_models_of_a_platform_are_listed(
    kind: ServerKind, names: set[str], litellm: LiteLLM, cloud: Any
) -> None:
    def answers(asked: Asked) -> tuple[int, str, bytes]:
        return 200, "application/json", json.dumps(LISTS[asked.path.partition("?")[0]]).encode()

    address, asked = cloud(answers)
    server = Server("cloud", address, (), kind=kind, cloud=Cloud(project="p"))
    offers, results = await list_offers(server, KEY)
    assert {offer.name for offer in offers} == names
    assert [result.state for result in results] == ["good", "good"]
    assert all(KEY in " ".join(each.headers.values()) for each in asked)
    offers, results = await list_offers(server, "")
    assert not offers
    assert [(result.kind, result.state) for result in results] == [("replied", "bad")]
    assert results[0].detail


@pytest.mark.parametrize(
    ("kind", "name", "window"),
    [
        ("azure", "gpt-4o", 128_000),
        ("bedrock", CLAUDE, 200_000),
        ("vertex", "gemini-2.5-pro", 1_048_576),
        ("vertex", "claude-sonnet-4-5@20250929", 200_000),
    ],
)
async def test_their_windows_are_the_published_ones(kind: ServerKind, name: str, window: int, litellm: LiteLLM) -> None:
    server = Server("cloud", "https://cloud.invalid", (name,), kind=kind)
    models = Catalogue(Settings(servers=(server,)), lambda _: KEY, litellm)
    assert (await models.resolve_model(f"cloud/{name}")).info.window == window


def test_their_addresses_follow_the_region(monkeypatch: pytest.MonkeyPatch) -> None:
    bedrock, vertex = Endpoint("b", "", kind="bedrock"), Endpoint("v", "", kind="vertex")
    assert bedrock.address == "https://bedrock-runtime.us-east-1.amazonaws.com"
    assert vertex.address == "https://aiplatform.googleapis.com"
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    monkeypatch.setenv("GOOGLE_CLOUD_LOCATION", "europe-west1")
    assert bedrock.address == "https://bedrock-runtime.eu-west-1.amazonaws.com"
    assert vertex.address == "https://europe-west1-aiplatform.googleapis.com"
    assert replace(bedrock, cloud=Cloud(region="ap-south-1")).address.startswith("https://bedrock-runtime.ap-south-1.")


def test_azure_s_variable_is_sent_to_azure_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    assert environment_key(Server("a", "https://n.openai.azure.com", (), kind="azure")) == KEY
    for address in ("http://n.openai.azure.com", "https://n.openai.azure.com.example.org", "https://example.org"):
        assert environment_key(Server("a", address, (), kind="azure")) == ""
