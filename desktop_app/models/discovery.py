"""Asks servers about their models: how large the windows are, and what they can. Each briefly, all of them at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from .capability_probes import Question, names_in, questions_about
from .endpoint import Endpoint
from .http_client import ProxyUnusable, http_client
from .token_limits import ModelCapabilities

ASK_SECONDS = 1.5
"""For one question, or for all about a tokenizer. A local server that is idle answers within 50 ms."""
PATIENT_SECONDS = 8.0
"""For one question whose answer a message waits for, since nothing is known from earlier."""


REFUSED = (401, 403)
"""Statuses of a server that wants a key, or another one."""


class Found(msgspec.Struct, frozen=True):
    """What a server told of one model. is_up: whether anything answered there at all.

    url, status, is_json: the question that says most where nothing was told of a window, and its answer.
    listed: the models that the server has, as far as it was asked. better_address: where it answers as it should.
    """

    told: ModelCapabilities
    is_up: bool
    url: str = ""
    status: int = 0
    is_json: bool = False
    listed: tuple[str, ...] = ()
    better_address: str = ""


async def ask(endpoint: Endpoint, models: tuple[str, ...], seconds: float = ASK_SECONDS) -> dict[str, Found]:
    """What the server tells of these models, each question within so many seconds. Never raises for what a server does
    or does not answer."""
    if not endpoint.is_address:
        return {model: Found(ModelCapabilities(), False) for model in models}
    asked = {model: questions_about(model, endpoint.kind, endpoint.is_local) for model in models}
    asked = {model: questions for model, questions in asked.items() if questions}
    try:
        client = client_for(endpoint, seconds)
    except ProxyUnusable:
        return {model: Found(ModelCapabilities(), False) for model in models}
    async with client:
        answers = _Answers(client, endpoint, seconds)
        found = await asyncio.gather(*(_ask_about(answers, model, questions) for model, questions in asked.items()))
    return dict(zip(asked, found, strict=True))


async def find_better_address(endpoint: Endpoint) -> str:
    """Return the address with the "/v1" that it lacks, if models are listed there; else "". Never raises."""
    if not endpoint.is_address or endpoint.kind in ("anthropic", "gemini", "ollama"):
        return ""
    try:
        client = client_for(endpoint)
    except ProxyUnusable:
        return ""
    async with client:
        return await _Answers(client, endpoint).better_address()


def is_asked(endpoint: Endpoint) -> bool:
    """Return whether such a server is asked about its models at all: some list nothing but names."""
    return bool(questions_about("", endpoint.kind, endpoint.is_local))


async def list_models(endpoint: Endpoint) -> tuple[str, ...]:
    """The models that the server lists; none when it does not answer that question. Never raises."""
    if not endpoint.is_address:
        return ()
    question = Question("/v1/models", _nothing) if endpoint.kind == "anthropic" else None
    question = question or Question("/api/tags" if endpoint.kind == "ollama" else "/models", _nothing, is_below=True)
    try:
        client = client_for(endpoint)
    except ProxyUnusable:
        return ()
    async with client:
        return names_in((await _Answers(client, endpoint).to(question))[1])


def _nothing(answer: Any, model: str) -> ModelCapabilities:
    return ModelCapabilities()


async def _ask_about(answers: _Answers, model: str, questions: tuple[Question, ...]) -> Found:
    heard = await asyncio.gather(*(answers.to(question) for question in questions))
    told = ModelCapabilities()
    for question, (_, content) in zip(questions, heard, strict=True):
        told = told.or_else(question.read(content, model))
    found = Found(told, any(status for status, _ in heard))
    return found if told.window or not found.is_up else await _explained(answers, found, questions, heard)


async def _explained(
    answers: _Answers, found: Found, questions: tuple[Question, ...], heard: list[tuple[int, Any]]
) -> Found:
    """What was found, with the answer that says why no window was told, and whether it would be elsewhere."""
    refused = [number for number, (status, _) in enumerate(heard) if status in REFUSED]
    number = refused[0] if refused else len(heard) - 1  # the list of models is asked for last
    status, content = heard[number]
    listed = names_in(content)
    found = replace(
        found, url=answers.url(questions[number]), status=status, is_json=content is not None, listed=listed
    )
    if status in REFUSED or listed or not questions[number].is_below:
        return found
    return replace(found, better_address=await answers.better_address())


class _Answers:
    """What one server answers; the same question about many models is asked once."""

    def __init__(self, client: Any, endpoint: Endpoint, seconds: float = ASK_SECONDS) -> None:
        self._client = client
        self._endpoint = endpoint
        self._seconds = seconds
        self._asked: dict[str, asyncio.Future[tuple[int, Any]]] = {}

    async def to(self, question: Question) -> tuple[int, Any]:
        """Status and JSON; status 0 when nobody answered, None when it was no JSON."""
        if question.body is not None:
            return await self._answer(question)
        asked = self._asked.get(question.path)
        if asked is None:
            asked = self._asked[question.path] = asyncio.ensure_future(self._answer(question))
        return await asked

    def url(self, question: Question) -> str:
        """The address that the question goes to."""
        return _url(self._endpoint, question)

    async def better_address(self) -> str:
        """Return the server's address with the "/v1" that it lacks, if models are listed there; else ""."""
        address = _url(self._endpoint, Question("", _nothing, is_below=True))
        if address.endswith("/v1"):
            return ""
        better = replace(self._endpoint, base_url=f"{address}/v1")
        _, listed = await _Answers(self._client, better, self._seconds).to(Question("/models", _nothing, is_below=True))
        return better.base_url if names_in(listed) else ""

    async def _answer(self, question: Question) -> tuple[int, Any]:
        import httpx

        url = _url(self._endpoint, question)
        body = question.body
        try:
            async with asyncio.timeout(self._seconds):  # httpx has one for each chunk of an answer only
                response = await (self._client.get(url) if body is None else self._client.post(url, json=body))
            return response.status_code, response.json() if response.status_code == 200 else None
        except (httpx.HTTPError, TimeoutError):
            return 0, None
        except (ValueError, RecursionError):  # no JSON, or one that nobody can read
            return 200, None


def client_for(endpoint: Endpoint, seconds: float = ASK_SECONDS) -> Any:
    """A client for a few short questions: no connection stays open, since a small server has a thread or two, and each
    waits for what else may come over its connection. Raises ProxyUnusable."""
    headers = {**headers_of(endpoint), "Connection": "close"}
    verify = endpoint.address.startswith("https")  # a context for TLS takes 80 ms to make
    return http_client(endpoint, timeout=seconds, headers=headers, verify=verify)


def headers_of(endpoint: Endpoint) -> Mapping[str, str]:
    """How that kind of server wants its key."""
    if not endpoint.key:
        return {}
    match endpoint.kind:
        case "anthropic":
            return {"x-api-key": endpoint.key, "anthropic-version": "2023-06-01"}
        case "gemini":
            return {"x-goog-api-key": endpoint.key}
        case _:
            return {"Authorization": f"Bearer {endpoint.key}"}


def _url(endpoint: Endpoint, question: Question) -> str:
    """A path below the address, with or without /v1, or one from the server's root."""
    address = endpoint.address.removesuffix("/chat/completions")
    if question.is_below and not question.path.startswith("/api/"):
        return address + question.path
    return address.removesuffix("/v1") + question.path
