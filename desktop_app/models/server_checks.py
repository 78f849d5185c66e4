"""Listing a server's models, and testing it before or after its settings are stored: through the path of a real turn.

A test asks for two tiny replies. Each step is bounded, and cancelling it closes its connection.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager

from msgspec.structs import replace

from desktop_app.addresses import runs_models
from desktop_app.chat.ports import ChatModel, ModelError, Piece, Price, ReplyEnd, with_price
from desktop_app.conversation.listing import WindowSource
from desktop_app.conversation.message import user_message
from desktop_app.conversation.model_servers import CheckKind, CheckResult, CheckStep, ModelOffer, ModelPrice
from desktop_app.conversation.tools import ToolSpec
from desktop_app.settings import Server, Settings

from .capability_probes import DEFAULT_MAX_OUTPUT, ModelCapabilities
from .catalogue import Catalogue
from .discovery import KEY_REFUSED, ModelList, read_list
from .endpoint import Endpoint
from .litellm_library import LiteLLM
from .published import published_of

LIST_SECONDS = 8.0
REPLY_SECONDS = 60.0
"""A local server may have to load the model first."""
MAX_REPLY = 300
"""Tokens of a reply; a model that reasons begins with its thoughts."""
STREAMED = "Count from one to ten in words, separated by blanks. Write nothing else."
CALLED = "What is 2 + 3? Call the tool “add” to find out."
ADD = ToolSpec(
    "add",
    "Returns the sum of two numbers.",
    '{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}',
)
UNKNOWN_WINDOW = 8_192
"""Tokens with which a model is tested whose window nobody knows: the test needs less than a tenth."""


async def list_offers(
    server: Server, key: str, litellm: LiteLLM
) -> tuple[tuple[ModelOffer, ...], tuple[CheckResult, ...]]:
    """Return the models that the server lists, and what was found on the way. Never raises."""
    began, endpoint = time.monotonic(), _endpoint_of(server, key)
    listed = await read_list(endpoint, LIST_SECONDS)
    if not endpoint.is_local:
        await litellm.load()  # it has the prices
    offers = tuple(_offer_of(name, known, endpoint, litellm) for name, known in listed.models.items())
    return offers, _results_of(listed, time.monotonic() - began)


async def run_check(server: Server, key: str, model: str, step: CheckStep, litellm: LiteLLM) -> tuple[CheckResult, ...]:
    """Return what that step found. Never raises."""
    if step == "list":
        return (await list_offers(server, key, litellm))[1]
    async with _catalogue_for(server, key, model, litellm) as catalogue:
        window = _window_result(catalogue)
        if step == "window":
            return (window,)
        if not window.count:  # a request needs some number
            limits = replace(server.limits_of(model), window=UNKNOWN_WINDOW)
            catalogue.change(Settings(servers=(replace(server, models=(model,), limits={model: limits}),)))
        chat, price = catalogue.model(catalogue.infos()[1].id), catalogue.price(catalogue.infos()[1].id)
        return await (_test_reply(chat, price) if step == "reply" else _test_tools(chat, price))


@asynccontextmanager
async def _catalogue_for(server: Server, key: str, model: str, litellm: LiteLLM) -> AsyncIterator[Catalogue]:
    """Yield a catalogue of that model alone, with connections of its own, once its server was asked about it."""
    await litellm.load()
    alone = replace(server, name=server.name or "server", models=(model,))
    catalogue = Catalogue(Settings(servers=(alone,)), lambda _: key, litellm.with_patience(REPLY_SECONDS))
    try:
        await catalogue.discover()
        yield catalogue
    finally:
        await catalogue.close()


def _endpoint_of(server: Server, key: str) -> Endpoint:
    return Endpoint(server.name, server.base_url, key, server.kind)


def _offer_of(name: str, known: ModelCapabilities, endpoint: Endpoint, litellm: LiteLLM) -> ModelOffer:
    published = None if endpoint.is_local else published_of(litellm.published(), endpoint, name)
    all_known = known.or_else(published) if published else known
    limits, price = (all_known.window, all_known.max_output), per_million(all_known.price)
    source: WindowSource = "server" if known.window else "catalogue" if all_known.window else ""
    runs_here = runs_models(endpoint.kind, endpoint.address, name, is_known=known.runs_here)
    return ModelOffer(name, *limits, all_known.supports_tools, all_known.supports_vision, price, source, runs_here)


def per_million(price: Price | None) -> ModelPrice | None:
    """Return what a million tokens cost."""
    return ModelPrice(price.prompt * 1e6, price.reply * 1e6) if price else None


def _results_of(listed: ModelList, seconds: float) -> tuple[CheckResult, ...]:
    if not listed.status:
        return (CheckResult("reached", "bad", seconds=seconds, detail=listed.url),)
    reached = CheckResult("reached", "good", seconds=seconds)
    if listed.status in KEY_REFUSED:
        return reached, CheckResult("key", "bad")
    state = "good" if listed.models else "unsure"
    return reached, CheckResult("listed", state, len(listed.models), detail="" if listed.models else listed.url)


def _window_result(catalogue: Catalogue) -> CheckResult:
    info = catalogue.infos()[1]
    state = "good" if info.window_source in ("settings", "server", "catalogue") else "unsure"
    return CheckResult("window", state, info.window, detail="" if info.window else info.note, source=info.window_source)


async def _test_reply(model: ChatModel, price: Price | None) -> tuple[CheckResult, ...]:
    began = time.monotonic()
    pieces = await _pieces_of(model, STREAMED, (), "replied")
    if isinstance(pieces, CheckResult):
        return (CheckResult("key", "bad", detail=pieces.detail),) if pieces.kind == "key" else (pieces,)
    grown = sum(not isinstance(piece, ReplyEnd) for piece in pieces)
    dollars, seconds = _dollars(pieces, price), time.monotonic() - began
    replied = CheckResult("replied", "good" if grown else "bad", seconds=seconds, dollars=dollars)
    return CheckResult("key", "good"), replied, CheckResult("streamed", "good" if grown > 1 else "unsure", grown)


async def _test_tools(model: ChatModel, price: Price | None) -> tuple[CheckResult, ...]:
    began = time.monotonic()
    pieces = await _pieces_of(model, CALLED, (ADD,), "tools")
    if isinstance(pieces, CheckResult):
        return (pieces,)
    end = pieces[-1]
    is_called = isinstance(end, ReplyEnd) and any(_is_valid(call.name, call.arguments) for call in end.tool_calls)
    seconds, dollars = time.monotonic() - began, _dollars(pieces, price)
    return (CheckResult("tools", "good" if is_called else "unsure", seconds=seconds, dollars=dollars),)


def _is_valid(name: str, arguments: str) -> bool:
    try:
        return name == ADD.name and set(json.loads(arguments)) == {"a", "b"}
    except (ValueError, TypeError, RecursionError):
        return False


async def _pieces_of(
    model: ChatModel, question: str, tools: Sequence[ToolSpec], kind: CheckKind
) -> list[Piece] | CheckResult:
    """Return the reply, or why there is none."""
    limit = min(model.info.max_output or DEFAULT_MAX_OUTPUT, MAX_REPLY)
    pieces: list[Piece] = []
    try:
        async with (
            asyncio.timeout(REPLY_SECONDS),
            aclosing(model.stream((user_message(question),), limit, tools)) as stream,
        ):
            async for piece in stream:
                pieces.append(piece)
    except TimeoutError:
        return CheckResult(kind, "bad", seconds=REPLY_SECONDS, detail="")
    except ModelError as error:
        failure = error.failure
        detail = " ".join(filter(None, (f"{failure.title}.", failure.detail)))
        return CheckResult("key" if error.kind == "auth" else kind, "bad", detail=detail)
    return pieces


def _dollars(pieces: Sequence[Piece], price: Price | None) -> float | None:
    end = pieces[-1] if pieces else None
    usage = with_price(end.usage, price) if isinstance(end, ReplyEnd) else None
    return usage.dollars if usage else None
