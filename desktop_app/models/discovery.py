"""Asks servers how large their models' windows are. Each is asked briefly, and all of them at once."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec

from .address import host_of
from .limits import Limits, Question, questions_about
from .litellm_library import Endpoint

ASK_SECONDS = 1.5


class Found(msgspec.Struct, frozen=True):
    """What a server told of one model. is_up: whether anything answered there at all."""

    limits: Limits | None
    is_up: bool


async def ask(endpoint: Endpoint, models: tuple[str, ...]) -> dict[str, Found]:
    """What the server tells of these models. Never raises for what a server does or does not answer."""
    import httpx

    if not host_of(endpoint.base_url):
        return {model: Found(None, False) for model in models}
    timeout = httpx.Timeout(ASK_SECONDS)
    headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    verify = endpoint.base_url.startswith("https")  # a context for TLS takes 80 ms to make
    async with httpx.AsyncClient(
        timeout=timeout, headers=headers, trust_env=not endpoint.is_local, verify=verify
    ) as client:
        found = await asyncio.gather(*(_ask_about(client, endpoint, model) for model in models))
    return dict(zip(models, found, strict=True))


async def _ask_about(client: Any, endpoint: Endpoint, model: str) -> Found:
    questions = [q for q in questions_about(model) if endpoint.is_local or q.path == "/v1/models"]
    answers = await asyncio.gather(*(_answer(client, endpoint, question) for question in questions))
    is_up = any(status for status, _ in answers)
    for question, (_, content) in zip(questions, answers, strict=True):
        window = question.read(content, model)
        if window:
            return Found(Limits(window), is_up)
    return Found(None, is_up)


async def _answer(client: Any, endpoint: Endpoint, question: Question) -> tuple[int, Any]:
    """Status and JSON; status 0 when nobody answered, None when it was no JSON."""
    import httpx

    url = _url(endpoint.base_url, question.path)
    try:
        response = await (client.get(url) if question.body is None else client.post(url, json=question.body))
        return response.status_code, response.json() if response.status_code == 200 else None
    except httpx.HTTPError:
        return 0, None
    except (json.JSONDecodeError, UnicodeDecodeError):
        return 200, None


def _url(base_url: str, path: str) -> str:
    """The path from the server's root; the models' list stands where the base URL says, with or without /v1."""
    base = base_url.rstrip("/")
    return base + "/models" if path == "/v1/models" else base.removesuffix("/v1") + path
