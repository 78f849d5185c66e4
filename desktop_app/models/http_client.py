"""The HTTP client by which a server is reached."""

from __future__ import annotations

from typing import Any

from .endpoint import Endpoint


class ProxyUnusable(Exception):
    """There is no way to any server but this machine's own: the environment names a proxy that cannot be used."""

    def __init__(self) -> None:
        super().__init__(
            "The proxy that the environment names (ALL_PROXY and the like) is of a kind that cannot be used."
        )


def http_client(endpoint: Endpoint, limit: int = 0, **options: Any) -> Any:
    """An httpx.AsyncClient: over the proxies of the environment, but not on the way to this machine.

    limit: bytes of one answer; 0: MAX_PAGE_BYTES. Raises ProxyUnusable, such as for socks5:// without the package
    socksio.
    """
    import httpx

    try:
        return bounded(httpx.AsyncClient(trust_env=not endpoint.is_local, **options), limit)
    except (ImportError, ValueError) as error:
        raise ProxyUnusable from error


def bounded(client: Any, limit: int = 0) -> Any:
    """Return the client, which reads no more than so many bytes of an answer from now on. limit: as above."""
    from .bounded_response import ENCODINGS, MAX_PAGE_BYTES, bound_to

    hooks: dict[str, list[Any]] = client.event_hooks
    client.event_hooks = {**hooks, "response": [*hooks.get("response", ()), bound_to(limit or MAX_PAGE_BYTES)]}
    client.headers["Accept-Encoding"] = ENCODINGS
    return client
