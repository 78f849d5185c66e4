"""Which network addresses a fetch may connect to: public ones, never this machine or its local network.

Through a proxy (HTTPS_PROXY and the like), the proxy resolves names and connects. A name is then refused if it resolves
to anything that is not public here, or, where it cannot be resolved here, if it is not a full public name.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from desktop_app.addresses import is_local_host

from .tool import ToolFailed

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[tuple[Address, ...]]]

METADATA = frozenset(map(ip_address, ("168.63.129.16", "169.254.169.254", "100.100.100.200", "fd00:ec2::254")))
"""The metadata services of clouds, which give a machine its keys; the first looks public (Azure)."""
_NAT64 = ip_network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)
"""What an address of version 6 has before one of version 4 that its host is reached at (RFC 5214)."""
_UNROUTED = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20", "5f00::/16")))
"""Not all known to Python 3.11: for protocols (a cloud's metadata service is among them), 6to4, examples, routers."""
PORTS = {"http": 80, "https": 443}
LOOKUP_SECONDS = 5.0
"""Before a name is left to the proxy."""
_HOST = re.compile(r"[a-z0-9_.-]+|[0-9a-f:.]*:[0-9a-f:.]*")
_INSIDE = ("local", "localhost", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa")
"""Top-level parts of names that are valid within a network only, or are not names of hosts."""


class NoSuchHost(ToolFailed):
    """The name cannot be resolved here."""


def is_public(address: Address) -> bool:
    """Return whether it is public: not loopback, private, link-local, shared, reserved or multicast."""
    if isinstance(address, IPv6Address):
        inner = _embedded_ipv4(address)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    if any(address in network for network in _UNROUTED):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved and address not in METADATA


def _embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped or address.sixtofour:
        return address.ipv4_mapped or address.sixtofour
    if address.teredo:
        return address.teredo[1]
    if isinstance(_NAT64, IPv6Network) and address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if int(address) >> 32 & 0xFFFFFFFF in _ISATAP:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return IPv4Address(int(address)) if 1 < int(address) < 1 << 32 else None


async def resolve_host(host: str, port: int) -> tuple[Address, ...]:
    """Return all addresses of that name. Raises NoSuchHost."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NoSuchHost(f"There is no host {host} ({getattr(error, 'strerror', None) or error}).") from None
    return tuple(dict.fromkeys(ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))


def host_and_port(url: str) -> tuple[str, int]:
    """Return the host and port of a URL. Raises ToolFailed if it is not a web address."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ToolFailed(f"{url!r} is no web address: {error}.") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise ToolFailed(f"{url!r} is no web address: it has to begin with http:// or https://.")
    if parts.username is not None or parts.password is not None:
        raise ToolFailed("A web address with a user or a password in it is not fetched.")
    try:
        host = parts.hostname.rstrip(".").lower()
        host = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        host = ""
    if not _HOST.fullmatch(host):  # a proxy may read other signs in its own way, such as %2f
        raise ToolFailed(f"{parts.hostname!r} is no name of a host.")
    return host, port or PORTS[parts.scheme]


async def allowed_addresses(
    host: str, port: int, resolve: Resolve, is_allowed: Callable[[Address], bool] | None
) -> tuple[Address, ...]:
    """Return the addresses of a host (is_allowed is None: any are allowed).

    Raises ToolFailed if one of them is not allowed: a name with a public and a private address is a trick.
    """
    addresses = await resolve(host, port)
    refused = [str(address) for address in addresses if is_allowed and not is_allowed(address)]
    if refused or not addresses:
        raise _not_public(f"{host} ({', '.join(refused[:3])})" if host not in refused else host)
    return addresses


async def check_for_proxy(host: str, port: int, resolve: Resolve, is_allowed: Callable[[Address], bool] | None) -> None:
    """Raise ToolFailed for a host that a proxy should not be asked for, as far as can be determined here."""
    if is_allowed is None:
        return
    try:
        async with asyncio.timeout(LOOKUP_SECONDS):
            await allowed_addresses(host, port, resolve, is_allowed)
    except (NoSuchHost, TimeoutError):
        last = host.rpartition(".")[2]
        if last == host or last in _INSIDE or not last[:1].isalpha():
            raise _not_public(host) from None


def proxy_of(url: str) -> str:
    """Return the proxy that the environment or the system's settings name for that URL; "" for none. Raises ToolFailed.

    This machine and addresses of the local network are never reached through a proxy.
    """
    host, port = host_and_port(url)
    proxies = getproxies()
    found = proxies.get(urlsplit(url).scheme) or proxies.get("all") or ""
    if not found or _is_local(host) or proxy_bypass(f"{host}:{port}"):
        return ""
    return found if "://" in found else f"http://{found}"


def _is_local(host: str) -> bool:
    try:
        return not is_public(ip_address(host))
    except ValueError:
        return is_local_host(host)


def _not_public(host: str) -> ToolFailed:
    return ToolFailed(f"{host} is not on the public network: it is not fetched (bash can reach it).")
