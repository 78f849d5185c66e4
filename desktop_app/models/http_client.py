"""HTTP clients with bounded responses and the environment's proxies, and short requests to servers."""

from __future__ import annotations

from functools import partial
from typing import Any

from .endpoint import Endpoint

Answer = tuple[int, Any]
"""Status and JSON; status 0 if there was no answer, JSON None if it was an error or not JSON."""


class ProxyUnusable(Exception):
    """The environment names a proxy that cannot be used."""

    def __init__(self) -> None:
        super().__init__(
            "The proxy that the environment names (ALL_PROXY and the like) is of a kind that cannot be used."
        )


def http_client(endpoint: Endpoint, limit: int = 0, **options: Any) -> Any:
    """Return an httpx.AsyncClient that uses the environment's proxies, except to reach this machine.

    limit: maximum bytes of one answer; 0 for MAX_PAGE_BYTES. Raises ProxyUnusable, such as for socks5:// without the
    package socksio.
    """
    import httpx

    try:
        return limit_size(httpx.AsyncClient(trust_env=not endpoint.is_local, **options), limit)
    except (ImportError, ValueError) as error:
        raise ProxyUnusable from error


def limit_size(client: Any, limit: int = 0) -> Any:
    """Limit the bytes that the client reads of an answer, and return the client. limit: as above."""
    from .bounded_response import ENCODING, MAX_PAGE_BYTES, limit_bytes

    hooks: dict[str, list[Any]] = client.event_hooks
    hook = partial(limit_bytes, limit or MAX_PAGE_BYTES)
    client.event_hooks = {**hooks, "response": [*hooks.get("response", ()), hook]}
    client.headers["Accept-Encoding"] = ENCODING
    return client


async def ask(client: Any, url: str, body: Any = None) -> Answer:
    """Return the answer to a GET request, or to a POST of `body` as JSON. Never raises."""
    import httpx

    try:
        response = await (client.get(url) if body is None else client.post(url, json=body))
        return response.status_code, response.json() if response.status_code == 200 else None
    except httpx.HTTPError:
        return 0, None
    except (ValueError, RecursionError):  # not JSON, not text, or nested too deeply
        return 200, None
