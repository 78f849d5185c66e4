"""Addresses of servers, as users type them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv6Address, ip_address
from urllib.parse import unquote, urlsplit

HIDDEN = "…"
RUNNING_MODELS = frozenset({"ollama", "lm_studio", "llama_cpp", "vllm"})
"""Kinds of servers that run models themselves."""
_USER = re.compile(r"(?<=://)[^/?#\s]*(?=@)")
_NAMED = re.compile(r"([?&][^=&#\s]*(?:key|token|secret|pass|auth|sig)[^=&#\s]*=)([^&#\s]+)", re.IGNORECASE)


def host_of(base_url: str) -> str:
    """Return the host of an http or https address; "" for any other."""
    try:
        parts = urlsplit(base_url)
        is_address = parts.scheme in ("http", "https") and parts.port != 0  # reading the port checks it
        after = parts.netloc.rpartition("]")[2] if "]" in parts.netloc else ""
        is_address = is_address and after[:1] in ("", ":")  # urlsplit takes [::1].example.com for ::1
    except ValueError:
        return ""
    return parts.hostname or "" if is_address else ""


def without_secrets(base_url: str, stand_in: str = HIDDEN) -> str:
    """Return the address with `stand_in` for its password and for keys in its query.

    A user name without a password is also replaced, since it may be a token.
    """

    def hidden(match: re.Match[str]) -> str:
        name, colon, _ = match[0].partition(":")
        return f"{name}:{stand_in}" if colon else stand_in

    return _NAMED.sub(lambda match: match[1] + stand_in, _USER.sub(hidden, base_url))


def secrets_of(base_url: str) -> Iterator[str]:
    """Yield the secrets that `without_secrets` replaces, as they are in the address and decoded."""
    users = (match[0] for match in _USER.finditer(base_url))
    passwords = (user.partition(":")[2] or user.partition(":")[0] for user in users)
    for secret in (*passwords, *(match[2] for match in _NAMED.finditer(base_url))):
        yield from filter(None, dict.fromkeys((secret, unquote(secret))))


def is_local(base_url: str) -> bool:
    """Return whether the address is this machine's, which is reached without a proxy, and has no published limits."""
    return is_local_host(host_of(base_url))


_NEARBY_ENDS = (".local", ".lan", ".home", ".internal", ".home.arpa")


def is_nearby(base_url: str) -> bool:
    """Return whether the address is this machine's or in the local network: a private address, or a name that no
    public domain has."""
    host = host_of(base_url).lower().removesuffix(".")
    if is_local_host(host):
        return True
    try:
        return ip_address(host).is_private
    except ValueError:
        return bool(host) and ("." not in host or host.endswith(_NEARBY_ENDS))


def runs_models(kind: str, base_url: str, model: str, *, is_known: bool = False) -> bool:
    """Return whether a model of that server is known to run on this machine, so that it costs nothing.

    A local server may merely forward requests to a provider. is_known: whether it has answered like a program that
    runs models. Ollama's cloud models are recognized by their names.
    """
    is_here = is_local(base_url) and (is_known or kind in RUNNING_MODELS)
    return is_here and not model.lower().endswith(("-cloud", ":cloud"))


def is_local_host(host: str) -> bool:
    """Return whether the host is this machine: `localhost` and names below it (RFC 6761), or a loopback address.

    A name that merely begins like one, such as localhost.example.com or 127.example.com, is another machine.
    """
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback or address.is_unspecified
