"""List a server's models, and test it in the same way as a real turn uses it, even before its settings are stored.

A test requests two tiny replies. Each step has a time limit, and cancelling it closes its connection.
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

from .catalogue import Catalogue
from .discovery import DEFAULT_MAX_OUTPUT, KEY_REFUSED, ModelList, read_list
from .endpoint import Endpoint, endpoint_of
from .errors.model_failures import connection_problem, odd_key_failure
from .litellm_library import LiteLLM
from .published import ModelCapabilities, published_models, published_of

LIST_SECONDS = 8.0
REPLY_SECONDS = 60.0
"""Limit for a reply: a local server may have to load the model first."""
MAX_REPLY = 300
"""Tokens of a reply; enough for the thoughts with which a reasoning model begins."""
STREAMED = "Count from one to ten in words, separated by blanks. Write nothing else."
CALLED = "What is 2 + 3? Call the tool “add” to find out."
ADD = ToolSpec(
    "add",
    "Returns the sum of two numbers.",
    '{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}',
)
UNKNOWN_WINDOW = 8_192
"""Tokens that are assumed in the test of a model with an unknown window: the test needs less than a tenth."""


async def list_offers(server: Server, key: str) -> tuple[tuple[ModelOffer, ...], tuple[CheckResult, ...]]:
    """Return the models that the server lists, and the results of asking it. Never raises."""
    start, endpoint = time.monotonic(), endpoint_of(server, key)
    if detail := odd_key_detail(endpoint):
        return (), (CheckResult("key", "bad", detail=detail),)
    if detail := connection_problem(endpoint):
        return (), (CheckResult("replied", "bad", detail=detail),)
    listed = await read_list(endpoint, LIST_SECONDS)
    offers = tuple(_offer_of(name, known, endpoint) for name, known in listed.models.items())
    return offers, _results_of(listed, time.monotonic() - start)


async def run_check(server: Server, key: str, model: str, step: CheckStep, litellm: LiteLLM) -> tuple[CheckResult, ...]:
    """Return the results of that step. Never raises."""
    if step == "list":
        return (await list_offers(server, key))[1]
    async with _catalogue_for(server, key, model, litellm) as catalogue:
        window = _window_result(catalogue)
        if step == "window":
            return (window,)
        if not window.count:  # a request needs a number
            limits = replace(server.limits_of(model), window=UNKNOWN_WINDOW)
            catalogue.change(Settings(servers=(replace(server, models=(model,), limits={model: limits}),)))
        chat, price = catalogue.model(catalogue.infos()[1].id), catalogue.price(catalogue.infos()[1].id)
        return await (_test_reply(chat, price) if step == "reply" else _test_tools(chat, price))


@asynccontextmanager
async def _catalogue_for(server: Server, key: str, model: str, litellm: LiteLLM) -> AsyncIterator[Catalogue]:
    """Yield a catalogue of only that model, with its own connections, after asking the server about it."""
    tested = replace(server, name=server.name or "server", models=(model,))
    keys = {tested.name: key}
    settings, patient = Settings(servers=(tested,)), litellm.with_patience(REPLY_SECONDS)
    catalogue = Catalogue(settings, lambda name: keys.get(name, ""), patient)
    try:
        await catalogue.discover()
        yield catalogue
    finally:
        await catalogue.close()


def odd_key_detail(endpoint: Endpoint) -> str:
    """Return what is wrong with a key that cannot be sent; "" if nothing is."""
    return odd_key_failure(endpoint).detail if endpoint.odd_key else ""


def _offer_of(name: str, known: ModelCapabilities, endpoint: Endpoint) -> ModelOffer:
    published = None if endpoint.is_local else published_of(published_models(), endpoint, name)
    combined = known.or_else(published) if published else known
    limits, price = (combined.window, combined.max_output), per_million(combined.price)
    source: WindowSource = "server" if known.window else "catalogue" if combined.window else ""
    runs_here = runs_models(endpoint.kind, endpoint.address, name, is_known=known.runs_here)
    return ModelOffer(name, *limits, combined.supports_tools, combined.supports_vision, price, source, runs_here)


def per_million(price: Price | None) -> ModelPrice | None:
    """Return the price of a million tokens; None if the price is not known."""
    return ModelPrice(price.prompt * 1e6, price.reply * 1e6) if price else None


def _results_of(listed: ModelList, seconds: float) -> tuple[CheckResult, ...]:
    if listed.problem:
        return (CheckResult("replied", "bad", detail=listed.problem),)
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
    start = time.monotonic()
    pieces = await _pieces_of(model, STREAMED, (), "replied")
    if isinstance(pieces, CheckResult):
        return (CheckResult("key", "bad", detail=pieces.detail),) if pieces.kind == "key" else (pieces,)
    count = sum(not isinstance(piece, ReplyEnd) for piece in pieces)
    dollars, seconds = _dollars(pieces, price), time.monotonic() - start
    replied = CheckResult("replied", "good" if count else "bad", seconds=seconds, dollars=dollars)
    return CheckResult("key", "good"), replied, CheckResult("streamed", "good" if count > 1 else "unsure", count)


async def _test_tools(model: ChatModel, price: Price | None) -> tuple[CheckResult, ...]:
    start = time.monotonic()
    pieces = await _pieces_of(model, CALLED, (ADD,), "tools")
    if isinstance(pieces, CheckResult):
        return (pieces,)
    end = pieces[-1]
    is_called = isinstance(end, ReplyEnd) and any(_is_valid(call.name, call.arguments) for call in end.tool_calls)
    seconds, dollars = time.monotonic() - start, _dollars(pieces, price)
    return (CheckResult("tools", "good" if is_called else "unsure", seconds=seconds, dollars=dollars),)


def _is_valid(name: str, arguments: str) -> bool:
    try:
        return name == ADD.name and set(json.loads(arguments)) == {"a", "b"}
    except (ValueError, TypeError, RecursionError):
        return False


async def _pieces_of(
    model: ChatModel, question: str, tools: Sequence[ToolSpec], kind: CheckKind
) -> list[Piece] | CheckResult:
    """Return the pieces of the reply, or the result that says why there is none."""
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
