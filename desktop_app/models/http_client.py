"""The HTTP client by which a server is reached."""

from __future__ import annotations

from typing import Any

from .endpoint import Endpoint


class NoWay(Exception):
    """There is no way to any server but this machine's own: the environment names a proxy that cannot be used."""

    def __init__(self) -> None:
        super().__init__(
            "The proxy that the environment names (ALL_PROXY and the like) is of a kind that cannot be used."
        )


def http_client(endpoint: Endpoint, **options: Any) -> Any:
    """An httpx.AsyncClient: over the proxies of the environment, but not on the way to this machine.

    Raises NoWay, such as for socks5:// where the package socksio is not installed.
    """
    import httpx

    try:
        return httpx.AsyncClient(trust_env=not endpoint.is_local, **options)
    except (ImportError, ValueError) as error:
        raise NoWay from error
