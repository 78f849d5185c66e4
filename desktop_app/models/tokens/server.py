"""Use a local server's tokenizer, if it offers one (C2): it is asked once about samples, to which ours is fitted.

Counting must not wait for a server, and the same text must always have the same count. So the server's counts of some
samples select the tokenizer: the family's own vocabulary if it agrees on every sample, otherwise the estimate that fits
best, times a factor. The remaining error is corrected by the usage that the provider reports (context/counting).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import msgspec

from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.conversation.openai_chat import Json, function_of
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models.endpoint import Endpoint, ask
from desktop_app.settings import ServerKind

from .encoding import Count, CountingMethod, FamilyTokenizer, count_with
from .estimate import WEIGHTS, estimate_with, family_of
from .templates import overhead_of
from .tokenizers import CL100K, load_published, o200k, tokenizer_for

MAX_ERROR = 0.02
"""Relative error up to which the family in the model's name is used without trying others."""
SAMPLES = (
    "The harbour was quiet when they came back. Nobody had lit the lamps along the quay, and the rain that had "
    "followed them since noon was only now beginning to let up; somewhere a dog barked twice, thought better of "
    "it, and fell silent. “You could have written,” she said, not unkindly. He couldn't find an answer that he'd "
    "have believed.",
    "def merge(left: list[int], right: list[int]) -> list[int]:\n    result: list[int] = []\n    i = j = 0\n"
    "    while i < len(left) and j < len(right):\n        if left[i] <= right[j]:\n            result.append(left[i])\n"
    "            i += 1\n        else:\n            result.append(right[j])\n            j += 1\n"
    "    return result + left[i:] + right[j:]\n",
    '{"id": "ord_9f31", "items": [{"sku": "A-1047", "quantity": 3, "price": 19.95}, {"sku": "B-220", "quantity": 1, '
    '"price": 240.0}], "customer": {"name": "Ada Nyström", "email": "ada@example.org"}, "paid": true, "note": null}',
    "2025-03-14T09:26:53.589Z ERROR [worker-7] request 0x7f3c2a failed after 1532 ms: ECONNRESET 10.0.3.17:5432 "
    "(attempt 3/5)\n2025-03-14T09:26:54.102Z WARN  [pool] 12 of 64 connections idle, 4096 kB in use\n",
    "| Region | Q1 | Q2 | Change |\n|---|---:|---:|---:|\n| North | 1,204 | 1,377 | +14.4 % |\n| South | 880 | 861 | "
    "-2.2 % |\n\n- **Total** rose by `7.4 %`\n- See [the report](https://example.org/reports/2025/q2.html#totals)\n",
    "Die Genossenschaft beschloss, das Dach im Frühjahr decken zu lassen, obwohl der Kostenvoranschlag höher ausfiel "
    "als erwartet. Les élèves ont préféré attendre jusqu'à la fin de l'été; ¿y quién podría reprochárselo?",
    "Завтра обещают снег, поэтому поезд отправится на час раньше. Возьмите тёплые вещи и не забудьте документы.",
    "明天上午九点在三楼会议室开会，请大家提前准备好上个季度的销售数据。会議は約一時間の予定です。",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 "
    "QmFzZTY0IGlzIG5vdCBhIGNpcGhlciwgYnV0IGl0IGxvb2tzIGxpa2Ugb25lLg==",
)
"""Texts of many kinds, which are short, since a server is asked about all of them before it is first used."""


class _TokenizeRequest(msgspec.Struct, frozen=True):
    """The form of a server's request to tokenize a text."""

    path: str
    field: str
    """The field with the text."""
    add_special: str
    """The field that controls whether special tokens are added."""


LLAMA_CPP = _TokenizeRequest("/tokenize", "content", "add_special")
VLLM = _TokenizeRequest("/tokenize", "prompt", "add_special_tokens")
KOBOLD = _TokenizeRequest("/api/extra/tokencount", "prompt", "special")

TOKENIZE_REQUESTS: dict[ServerKind, tuple[_TokenizeRequest, ...]] = {
    "llama_cpp": (LLAMA_CPP,),
    "vllm": (VLLM,),
    "openai_compatible": (LLAMA_CPP, VLLM, KOBOLD),
}
"""Requests by kind of server, in the order in which they are tried. LM Studio and Ollama have none over HTTP."""


ASKED: list[Json] = [{"role": "system", "content": "You help."}, {"role": "user", "content": "Hello."}]
"""The messages of the request that is rendered with and without a set of tools."""
MAX_TOOL_SETS = 64
"""Sets of tools whose counts are cached."""


class ServerCounts:
    """Servers' counts of texts and tools, each requested once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, _TokenizeRequest, str], int] = {}
        self._of_tools: dict[tuple[str, str, tuple[ToolSpec, ...]], int | None] = {}

    async def count_tools(self, client: Any, endpoint: Endpoint, model: str, tools: tuple[ToolSpec, ...]) -> int | None:
        """Return the tokens of these tools in the server's template: by how much they enlarge a request.

        None if the server does not render requests. Never raises.
        """
        key = (endpoint.address, model, tools)
        if key not in self._of_tools:
            bare = await _count_rendered(client, endpoint, model, ())
            with_tools = await _count_rendered(client, endpoint, model, tools) if bare is not None else None
            if len(self._of_tools) >= MAX_TOOL_SETS:
                self._of_tools.clear()
            self._of_tools[key] = None if bare is None or with_tools is None or with_tools < bare else with_tools - bare
        return self._of_tools[key]

    async def count(self, client: Any, endpoint: Endpoint, model: str, texts: Sequence[str]) -> tuple[int, ...] | None:
        """Return the server's count of each text; None if it offers no tokenizer. Never raises."""
        for request in TOKENIZE_REQUESTS.get(endpoint.kind, ()) if endpoint.is_local else ():
            keys = [(endpoint.address, model, request, text) for text in texts]
            for key in keys:  # one by one: llama.cpp may have only two threads, and each request takes a millisecond
                if key not in self._known:
                    count = await _ask(client, *key)
                    if count is None:
                        break
                    self._known[key] = count
            else:
                return tuple(self._known[key] for key in keys)
        return None


async def _count_rendered(client: Any, endpoint: Endpoint, model: str, tools: tuple[ToolSpec, ...]) -> int | None:
    """Return the tokens of a small request with these tools, rendered by the server's own template."""
    base, requests = endpoint.address.removesuffix("/v1"), TOKENIZE_REQUESTS.get(endpoint.kind, ())
    request: Json = {"model": model, "messages": ASKED} | ({"tools": [*map(function_of, tools)]} if tools else {})
    if LLAMA_CPP in requests:
        _, rendered = await ask(client, f"{base}/apply-template", request)
        prompt: object = cast("Json", rendered).get("prompt") if isinstance(rendered, dict) else None
        if isinstance(prompt, str):
            as_prompt = {LLAMA_CPP.field: prompt, LLAMA_CPP.add_special: True, "parse_special": True}
            return _count_in((await ask(client, f"{base}{LLAMA_CPP.path}", as_prompt))[1])
    if VLLM in requests:
        return _count_in((await ask(client, f"{base}{VLLM.path}", request | {"add_generation_prompt": True}))[1])
    return None


async def _ask(client: Any, address: str, model: str, request: _TokenizeRequest, text: str) -> int | None:
    url = address.removesuffix("/v1") + request.path
    return _count_in((await ask(client, url, {request.field: text, "model": model, request.add_special: False}))[1])


def _count_in(answer: Any) -> int | None:
    if not isinstance(answer, dict):
        return None
    fields = cast("Json", answer)
    tokens: object = fields.get("tokens")
    count: object = fields.get("count", fields.get("value"))
    if isinstance(tokens, list):
        count = len(cast("list[object]", tokens))
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else None


def fitted_tokenizer(model: str, counts: Sequence[int]) -> Tokenizer:
    """Return a tokenizer that reproduces the server's counts of SAMPLES. It is fitted at the first count, in 0.1 s."""
    family = family_of(model)
    method = CountingMethod(f"{family or 'o200k'} (fitted to the server's)", False, partial(_fit, model, tuple(counts)))
    return FamilyTokenizer(overhead_of(model), [method])


def _fit(model: str, counts: tuple[int, ...]) -> Count:
    own = tokenizer_for(model).count
    error, factor = _error_of(own, counts)
    if error == 0.0 and factor == 1.0:
        return own
    best, smallest_error, best_factor = own, error, factor
    if error > MAX_ERROR:
        for count in _candidates():
            error, factor = _error_of(count, counts)
            if error < smallest_error:
                best, smallest_error, best_factor = count, error, factor
    return partial(_scaled, best, best_factor)


def _candidates() -> list[Count]:
    return [
        count_with(o200k()),
        count_with(load_published(CL100K)),
        *(estimate_with(o200k(), family) for family in WEIGHTS),
    ]


def _error_of(count: Count, counts: tuple[int, ...]) -> tuple[float, float]:
    """Return the root mean square of the samples' relative errors after scaling, and the scaling factor."""
    ours = [max(count(sample), 1) for sample in SAMPLES]
    factor = sum(counts) / sum(ours)
    squares = [(our * factor / their - 1) ** 2 for our, their in zip(ours, counts, strict=True)]
    return math.sqrt(sum(squares) / len(squares)), factor


def _scaled(count: Count, factor: float, text: str) -> int:
    return math.ceil(count(text) * factor - 0.5)
