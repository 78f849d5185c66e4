"""Addresses of servers, as users type them."""

from __future__ import annotations

from urllib.parse import urlsplit


def host_of(base_url: str) -> str:
    """The host of an http or https address; "" when it is no such address."""
    try:
        parts = urlsplit(base_url)
        is_address = parts.scheme in ("http", "https") and parts.port != 0  # reading the port checks it
    except ValueError:
        return ""
    return parts.hostname or "" if is_address else ""


def is_local(base_url: str) -> bool:
    """Whether the address is this machine's, where no proxy leads to and whose limits nobody publishes."""
    host = host_of(base_url)
    return host in ("localhost", "::1", "0.0.0.0") or host.startswith("127.")
