"""Which models there are, and who says how large their windows are: asked over loopback."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.chat.ports import ModelError
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.models.catalogue import Catalogue, LastKnown, LastKnownFile
from desktop_app.models.published import ModelCapabilities
from desktop_app.settings import Server, ServerKind, Settings
from provider import ScriptedProvider


def catalogue(*servers: Server, key: str = "") -> Catalogue:
    return Catalogue(Settings(servers=servers), lambda _: key)


async def discovered(pages: dict[str, dict[str, Any]], **server: Any) -> ModelInfo:
    with ScriptedProvider(pages=pages) as provider:
        models = catalogue(Server("home", provider.base_url, ("scripted",), **server))
        await models.discover()
        (_, info) = models.infos()
        return info


def test_the_built_in_model_comes_first_and_is_always_there() -> None:
    models = catalogue(Server("home", "http://127.0.0.1:1/v1", ("a", "b/c"), window=32_000, max_output=2_000))
    builtin, first, second = models.infos()
    assert (builtin.id, builtin.window, builtin.is_builtin) == ("builtin", 8192, True)
    assert (first.id, first.window, first.max_output) == ("home/a", 32_000, 2_000)
    assert first.window_provenance is Provenance.MEASURED
    assert models.model("home/b/c").info == second
    assert models.model("builtin").info == builtin


@pytest.mark.parametrize("model_id", ["nothing", "home/x", "other/a", ""])
def test_an_unknown_model_is_an_error_that_lists_the_known_ones(model_id: str) -> None:
    with pytest.raises(ModelError) as caught:
        catalogue(Server("home", "http://127.0.0.1:1/v1", ("a",), window=8192)).model(model_id)
    assert caught.value.failure.kind == "not_found"
    assert "builtin, home/a" in caught.value.failure.detail


N = "llama.context_length"
RUNNING = {"models": [{"name": "scripted", "context_length": 8_000}]}
LM_STUDIO = {"id": "scripted", "max_context_length": 65_536}


@pytest.mark.parametrize(
    ("pages", "window", "tools", "vision"),
    [
        ({"/props": {"default_generation_settings": {"n_ctx": 16_384}}}, 16_384, True, False),
        ({"/props": {"default_generation_settings": {"n_ctx": 9}, "modalities": {"vision": True}}}, 9, True, True),
        ({"/v1/models": {"data": [{"id": "scripted", "max_model_len": 32_768}]}}, 32_768, True, False),
        ({"/api/v0/models": {"data": [LM_STUDIO | {"type": "vlm", "capabilities": ["tool_use"]}]}}, 65_536, True, True),
        ({"/api/v0/models": {"data": [LM_STUDIO | {"capabilities": []}]}}, 65_536, False, False),
        ({"/api/v0/models": {"data": [LM_STUDIO | {"loaded_context_length": 4_096}]}}, 4_096, True, False),
        ({"/api/show": {"model_info": {N: 16_384}, "capabilities": ["vision"]}}, 16_384, False, True),
        ({"/api/show": {"model_info": {N: 131_072}, "parameters": ""}}, 32_768, True, False),  # more would fill memory
        ({"/api/show": {"model_info": {N: 9}, "parameters": "stop x\nnum_ctx    2048"}}, 2_048, True, False),
        ({"/api/ps": RUNNING, "/api/show": {"model_info": {N: 9}}}, 8_000, True, False),
    ],
)
async def test_a_local_server_tells_the_window_and_what_its_model_can(
    pages: dict[str, dict[str, Any]], window: int, tools: bool, vision: bool
) -> None:
    info = await discovered(pages)
    assert (info.window, info.window_provenance, info.note) == (window, Provenance.MEASURED, "")
    assert (info.supports_tools, info.supports_vision) == (tools, vision)


LISTED = {"id": "scripted", "max_model_len": 32_768}


@pytest.mark.parametrize(
    ("pages", "is_local"),
    [
        ({"/v1/models": {"data": [LISTED]}}, False),
        ({"/v1/models": {"data": [LISTED | {"owned_by": "openai"}]}}, False),
        ({"/v1/models": {"data": [LISTED | {"owned_by": "vllm"}]}}, True),
        ({"/props": {"default_generation_settings": {"n_ctx": 16_384}}}, True),
        ({"/props": {"status": "proxy"}}, False),
        ({"/api/v0/models": {"data": [LM_STUDIO]}}, True),
        ({"/api/show": {"model_info": {N: 16_384}}}, True),
        ({"/api/show": {"model_info": {N: 16_384}, "remote_host": "https://ollama.com:443"}}, False),
        ({"/api/ps": RUNNING}, True),
        ({}, False),
    ],
)
async def test_a_server_here_may_lead_to_a_paid_model_unless_it_answers_as_one_that_runs_models(
    pages: dict[str, dict[str, Any]], is_local: bool
) -> None:
    with ScriptedProvider(pages=pages) as provider:
        models = catalogue(Server("home", provider.base_url, ("scripted",)))
        assert not models.is_local("home/scripted"), "nobody was asked yet"
        await models.discover()
        assert models.is_local("home/scripted") is is_local
        assert models.price("home/scripted") is None


def test_a_program_that_runs_models_is_taken_at_its_kind_but_for_models_in_the_cloud() -> None:
    here = Server("ollama", "", ("llama3", "gpt-oss:120b-cloud", "glm:cloud"), kind="ollama")
    far = Server("far", "http://10.0.0.2:8000/v1", ("a",), kind="vllm")
    models = catalogue(here, far)
    local = [info.id for info in models.infos() if models.is_local(info.id)]
    assert local == ["builtin", "ollama/llama3"]


async def test_what_was_known_of_a_server_holds_until_it_answers_otherwise() -> None:
    last = LastKnownFile()
    pages = {"/props": {"default_generation_settings": {"n_ctx": 4_000}}}
    with ScriptedProvider(pages=pages) as provider:
        server = Server("home", provider.base_url, ("scripted",))
        await Catalogue(Settings(servers=(server,)), lambda _: "", last_known=last).discover()
        again = Catalogue(Settings(servers=(server,)), lambda _: "", last_known=last)
        assert again.is_local("home/scripted")
        pages.clear()
        await again.discover()
        assert not again.is_local("home/scripted"), "another program listens there now"


async def test_a_model_without_a_window_leads_to_where_it_is_entered() -> None:
    with ScriptedProvider(pages={"/v1/models": {"data": [{"id": "a/b"}]}}) as provider:
        models = catalogue(Server("home", provider.base_url, ("a/b",)))
        await models.discover()
        assert models.infos()[1].setting == "servers/home/window/a/b"
    await models.discover()
    silent = catalogue(Server("gone", "http://127.0.0.1:9/v1", ("a",)))
    await silent.discover()
    assert silent.infos()[1].setting == "servers/gone/address"


async def test_silence_takes_nothing_back() -> None:
    with ScriptedProvider(pages={"/props": {"default_generation_settings": {"n_ctx": 4_000}}}) as provider:
        models = catalogue(Server("home", provider.base_url, ("scripted",)))
        await models.discover()
    await models.discover()
    info = models.infos()[1]
    assert (info.window, info.window_reported_at) == (4_000, 0.0)
    assert "does not answer" in info.note


async def test_the_user_s_window_leaves_the_longest_reply_as_it_is_known() -> None:
    entry = {"id": "scripted", "context_length": 200_000, "top_provider": {"max_completion_tokens": 32_000}}
    pages = {"/v1/models": {"data": [entry]}}
    assert (await discovered(pages, window=100_000)).max_output == 32_000
    assert (await discovered(pages, window=100_000, max_output=9_000)).max_output == 9_000
    assert (await discovered(pages, window=16_000)).max_output == 16_000, "no reply is longer than the window"


async def test_a_local_model_that_nobody_knows_asks_for_the_number() -> None:
    with ScriptedProvider() as provider:
        models = catalogue(Server("home", provider.base_url, ("scripted",)))
        await models.discover()
        assert "home does not say" in models.infos()[1].note
        with pytest.raises(ModelError, match="The window of scripted is not known") as caught:
            models.model("home/scripted")
    assert "settings" in caught.value.failure.advice


async def test_answers_that_make_no_sense_are_no_answers() -> None:
    for page in ({"data": "x"}, {"data": [1, None]}, {"default_generation_settings": []}, {"model_info": 3}):
        info = await discovered({path: page for path in ("/props", "/api/v0/models", "/api/show", "/v1/models")})
        assert info.window == 0


@pytest.mark.parametrize("base_url", ["", "nonsense", "http://", "http://[", "http://127.0.0.1:99999"])
async def test_an_address_that_is_none_does_not_stop_the_others(base_url: str) -> None:
    with ScriptedProvider(pages={"/props": {"default_generation_settings": {"n_ctx": 4_000}}}) as provider:
        models = catalogue(Server("bad", base_url, ("a",)), Server("good", provider.base_url, ("b",)))
        await models.discover()
        assert models.infos()[2].window == 4_000


@pytest.mark.wire
async def test_a_cloud_model_is_in_litellm_s_catalogue_or_assumed() -> None:
    names = ("gpt-4o-mini", "made-up")
    server = Server("cloud", "https://api.example.invalid/v1", names, kind="openai")  # which is not asked
    silent = Server("silent", "https://api.example.invalid/v1", names)
    models = catalogue(server, silent)
    known, unknown, also_known, never_told = models.infos()[1:]
    assert (also_known.window, never_told.window) == (128_000, 0), "a server that was not reached may tell it yet"
    assert (known.window, known.max_output, known.window_provenance) == (128_000, 16_384, Provenance.ESTIMATED)
    assert (unknown.window, unknown.window_provenance) == (128_000, Provenance.ASSUMED)


@pytest.mark.wire
async def test_what_a_cloud_model_costs_is_known_and_what_runs_here_costs_nothing() -> None:
    servers = (
        Server("cloud", "https://api.example.com/v1", ("gpt-4o", "nobody-knows-it"), window=128_000),
        Server("here", "http://127.0.0.1:1234/v1", ("gpt-4o",), window=8_192),
    )
    catalogue = Catalogue(Settings(servers=servers), lambda _: "")
    price = catalogue.price("cloud/gpt-4o")
    assert price is not None
    assert 0 < price.prompt < price.reply < 0.01, "dollars for one token"
    assert [catalogue.price(model) for model in ("cloud/nobody-knows-it", "here/gpt-4o", "builtin", "x/y")] == [
        None
    ] * 4
    await catalogue.close()


def test_other_settings_apply_at_once() -> None:
    models = catalogue()
    models.change(Settings(servers=(Server("new", "http://127.0.0.1:1/v1", ("a",), window=8_000),)))
    assert models.model("new/a").info.window == 8_000


def test_what_was_published_of_a_model_is_an_estimate_in_the_next_run_too() -> None:
    server, last = Server("cloud", "https://api.example.invalid/v1", ("a",)), LastKnownFile()
    known = LastKnown(ModelCapabilities(64_000), Provenance.ESTIMATED, 1.0)
    last.update((server.name, server.base_url, "a"), known)
    info = Catalogue(Settings(servers=(server,)), lambda _: "", last_known=last).infos()[1]
    assert (info.window, info.window_provenance, info.window_reported_at) == (64_000, Provenance.ESTIMATED, 0.0)


@pytest.mark.parametrize(
    ("kind", "longest"), [("openai_compatible", 0), ("llama_cpp", 32_000), ("vllm", 32_000), ("anthropic", 0)]
)
def test_a_longest_reply_that_nobody_says_is_not_made_up(kind: ServerKind, longest: int) -> None:
    (model,) = catalogue(Server("home", "http://127.0.0.1:1/v1", ("own",), window=32_000, kind=kind)).infos()[1:]
    assert model.max_output == longest


async def test_a_server_is_asked_again_only_on_request() -> None:
    def page(window: int) -> dict[str, Any]:
        return {"data": [{"id": "scripted", "max_model_len": window}]}

    with ScriptedProvider(pages={"/v1/models": page(32_768)}) as provider:
        models = catalogue(Server("home", provider.base_url, ("scripted",)))
        assert (await models.resolve_model("home/scripted")).info.window == 32_768
        provider.pages["/v1/models"] = page(8_192)
        assert (await models.resolve_model("home/scripted")).info.window == 32_768
        assert (await models.resolve_model("home/scripted", asks_again=True)).info.window == 8_192
