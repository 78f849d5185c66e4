"""A local server's own tokenizer, where it offers one (C2): asked once for samples, then counted here.

Counting must not wait for a server, and the same text must always count the same. So the server's counts of some
samples choose what counts here: the family's own vocabulary if it agrees on every sample, else the estimate that fits
best, times what is left. What a provider then reports for whole requests mends the rest (context/calibration.py).
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from desktop_app.context.counting.tokens import Tokenizer
from desktop_app.models.endpoint import Endpoint
from desktop_app.settings import ServerKind

from .encoding import Count, FamilyTokenizer, Way, count_with
from .estimate import estimate_with
from .families import family_of, overhead_of
from .published import cl100k, o200k
from .samples import SAMPLES
from .tokenizers import tokenizer_for
from .weights import WEIGHTS

MOST_KEPT = 1_000
"""Counts of texts that are remembered, the newest."""
GOOD = 0.02
"""Relative error up to which the family that the name says is taken without a look at the others."""


class _Way(msgspec.Struct, frozen=True):
    """How a server is asked for a text's tokens. field: of the text. more: beside it."""

    path: str
    field: str
    more: dict[str, Any] = {}


LLAMA_CPP = _Way("/tokenize", "content", {"add_special": False})
VLLM = _Way("/tokenize", "prompt", {"add_special_tokens": False})
KOBOLD = _Way("/api/extra/tokencount", "prompt", {"special": False})

WAYS: dict[ServerKind, tuple[_Way, ...]] = {
    "llama_cpp": (LLAMA_CPP,),
    "vllm": (VLLM,),
    "openai_compatible": (LLAMA_CPP, VLLM, KOBOLD),
}
"""LM Studio and Ollama offer none over HTTP."""


class ServerCounts:
    """Tokens of texts as servers count them, remembered by the text's hash."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, int] = OrderedDict()

    async def of(self, client: Any, endpoint: Endpoint, model: str, texts: Sequence[str]) -> tuple[int, ...] | None:
        """What that server counts for each text; None where it offers no tokenizer. Never raises."""
        for way in WAYS.get(endpoint.kind, ()) if endpoint.is_local else ():
            known: list[int] = []
            for text in texts:  # one by one: llama.cpp may have two threads only, and each takes a millisecond
                count = await self._count(client, endpoint, model, way, text)
                if count is None:
                    break
                known.append(count)
            else:
                return tuple(known)
        return None

    async def _count(self, client: Any, endpoint: Endpoint, model: str, way: _Way, text: str) -> int | None:
        whole = "\0".join((endpoint.address, model, way.path, way.field, text))
        key = hashlib.blake2b(whole.encode(errors="replace"), digest_size=16).digest()
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        count = await _asked(client, endpoint, model, way, text)
        if count is not None:
            self._kept[key] = count
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return count


async def _asked(client: Any, endpoint: Endpoint, model: str, way: _Way, text: str) -> int | None:
    import httpx

    url = endpoint.address.removesuffix("/v1") + way.path
    try:
        response = await client.post(url, json={way.field: text, "model": model} | way.more)
        answer = response.json() if response.status_code == 200 else None
    except (httpx.HTTPError, ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    tokens = answer.get("tokens")
    count = len(tokens) if isinstance(tokens, list) else answer.get("count", answer.get("value"))
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else None


def tokenizer_fitted(model: str, counts: Sequence[int]) -> Tokenizer:
    """A tokenizer that counts as that server did for SAMPLES. The fit is made at the first count, 0.1 s."""
    family = family_of(model)
    way = Way(f"{family or 'o200k'} (fitted to the server's)", False, partial(_fit, model, tuple(counts)))
    return FamilyTokenizer(overhead_of(family), [way])


def _fit(model: str, counts: tuple[int, ...]) -> Count:
    own = tokenizer_for(model).count
    error, factor = _error_of(own, counts)
    if error == 0.0 and factor == 1.0:
        return own
    best, smallest, by = own, error, factor
    if error > GOOD:
        for count in _candidates():
            error, factor = _error_of(count, counts)
            if error < smallest:
                best, smallest, by = count, error, factor
    return partial(_scaled, best, by)


def _candidates() -> list[Count]:
    return [count_with(o200k()), count_with(cl100k()), *(estimate_with(o200k(), family) for family in WEIGHTS)]


def _error_of(count: Count, counts: tuple[int, ...]) -> tuple[float, float]:
    """The relative error of a sample, root mean square, that is left when all counts are multiplied by the factor."""
    ours = [max(count(sample), 1) for sample in SAMPLES]
    factor = sum(counts) / sum(ours)
    squares = [(our * factor / their - 1) ** 2 for our, their in zip(ours, counts, strict=True)]
    return math.sqrt(sum(squares) / len(squares)), factor


def _scaled(count: Count, factor: float, text: str) -> int:
    return math.ceil(count(text) * factor - 0.5)
