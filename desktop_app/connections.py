"""Choose what HTTP connections need from the environment and the settings: proxies, certificates, keys and headers.

httpx reads the environment by itself, but refuses all of it for one value that it does not understand, such as
NO_PROXY=[::1], a SOCKS proxy next to others, or a file of certificates that does not exist.
"""

from __future__ import annotations

import importlib.util
import os
import re
import ssl
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from desktop_app.addresses import is_local_host
from desktop_app.conversation.words import translatable
from desktop_app.settings import HEADER_NAME, OWN_HEADERS


class ConnectionUnusable(Exception):
    """Something that a connection needs cannot be used; the text says what, without any secret."""


class ProxyUnusable(ConnectionUnusable):
    """The environment names only proxies that cannot be used."""

    def __init__(self, name: str = "", kind: str = "") -> None:
        text = translatable("The proxy that {name} names ({kind}) is of a kind that cannot be used.")
        super().__init__(text.format(name=name or "ALL_PROXY", kind=kind or "?"))


class CertificatesUnusable(ConnectionUnusable):
    """The environment names certificates that cannot be read."""

    def __init__(self, variable: str, path: str) -> None:
        text = translatable(
            "{variable} names the certificates {path}, which cannot be read: no encrypted connection can be checked."
        )
        super().__init__(text.format(variable=variable, path=path))


def proxy_of(url: str, proxies: Mapping[str, str] | None = None) -> str:
    """Return the proxy for a URL; "" for none. Raises ProxyUnusable if the environment names only unusable ones.

    proxies: the environment's or the system's by scheme, with "no" for the hosts that are reached without one. This
    machine is never reached through a proxy.
    """
    found = getproxies() if proxies is None else proxies
    parts = urlsplit(url)
    scheme, host, port = parts.scheme.lower(), (parts.hostname or "").lower(), _port_of(url)
    if is_local_host(host) or _is_exempt(host, port, found.get("no", "")):
        return ""
    if sys.platform != "linux" and proxies is None and proxy_bypass(f"{host}:{port}"):
        return ""
    unusable: list[tuple[str, str]] = []
    for name in (scheme, "all"):
        proxy = (found.get(name) or "").strip()
        if not proxy:
            continue
        proxy = proxy if "://" in proxy else f"http://{proxy}"
        if usable := _usable(proxy):
            return usable
        unusable.append((f"{name.upper()}_PROXY", urlsplit_scheme(proxy)))
    if unusable:
        raise ProxyUnusable(*unusable[0])
    return ""


def urlsplit_scheme(url: str) -> str:
    """Return what precedes "://", which is not secret."""
    return url.partition("://")[0].lower()


def _port_of(url: str) -> int:
    try:
        port = urlsplit(url).port
    except ValueError:
        port = None
    return port or (443 if url.lower().startswith("https:") else 80)


def _usable(proxy: str) -> str:
    """Return the proxy's address as httpx takes it; "" if it cannot be used."""
    try:
        parts = urlsplit(proxy)
        if not parts.hostname or parts.port == 0:
            return ""
    except ValueError:
        return ""
    scheme = parts.scheme.lower()
    if scheme in ("http", "https"):
        return proxy
    if scheme in ("socks", "socks5", "socks5h") and importlib.util.find_spec("socksio"):
        return proxy.replace(parts.scheme, "socks5" if scheme == "socks" else scheme, 1)
    return ""


def _is_exempt(host: str, port: int, without: str) -> bool:
    """Return whether NO_PROXY names the host: itself, a domain above it, a network, or all with "*"."""
    return any(_is_named(host, port, entry) for entry in re.split(r"[\s,]+", without.lower()) if entry)


def _is_named(host: str, port: int, entry: str) -> bool:
    if entry == "*":
        return True
    entry = entry.partition("://")[2] or entry
    name, wanted = _host_and_port(entry)
    if wanted and wanted != str(port):
        return False
    name = name.removeprefix("*").removeprefix(".")
    try:
        return ip_address(host.strip("[]")) in ip_network(name, strict=False)
    except (ValueError, TypeError):
        return bool(name) and (host == name or host.endswith(f".{name}"))


def _host_and_port(entry: str) -> tuple[str, str]:
    """Split an entry such as example.org:80, ::1, [::1] or [::1]:80."""
    if entry.startswith("["):
        name, _, after = entry[1:].partition("]")
        return name, after.removeprefix(":")
    name, colon, port = entry.rpartition(":")
    return (name, port) if colon and ":" not in name else (entry, "")


def tls_context() -> ssl.SSLContext:
    """Return a context with the certificates that SSL_CERT_FILE or SSL_CERT_DIR names, otherwise with certifi's.

    The first call takes 0.1 s. Raises CertificatesUnusable.
    """
    return _context(os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", ""))


@lru_cache(maxsize=4)
def _context(file: str, folders: str) -> ssl.SSLContext:
    import certifi

    if file:
        try:
            return ssl.create_default_context(cafile=file)
        except (OSError, ValueError) as error:  # SSLError is an OSError
            raise CertificatesUnusable("SSL_CERT_FILE", file) from error
    if not folders:
        return ssl.create_default_context(cafile=certifi.where())
    if not any(Path(folder).is_dir() for folder in folders.split(os.pathsep)):
        raise CertificatesUnusable("SSL_CERT_DIR", folders)
    return ssl.create_default_context(capath=folders)


@contextmanager
def without_unusable_certificates() -> Iterator[None]:
    """Remove SSL_CERT_FILE from the environment within the context, if the file cannot be read."""
    removed = ""
    try:
        tls_context()
    except CertificatesUnusable:
        removed = os.environ.pop("SSL_CERT_FILE", "")
    try:
        yield
    finally:
        if removed:
            os.environ["SSL_CERT_FILE"] = removed


INVISIBLE = ("Cf", "Cc", "Zs", "Zl", "Zp")
"""Categories of characters that a copied key may contain unnoticed."""


def clean_key(key: str) -> str:
    """Return a key without the characters that cannot be seen, which no key has: they come along when it is copied."""
    if key.lstrip().startswith("{"):
        return key.strip()  # a file of credentials
    return "".join(character for character in key if unicodedata.category(character) not in INVISIBLE)


def odd_characters(key: str) -> str:
    """Return the visible characters of a key that no header can contain."""
    visible = "" if key.startswith("{") else clean_key(key)
    return "".join(dict.fromkeys(character for character in visible if not character.isascii()))


def sendable_headers(headers: Mapping[str, str]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the headers that can be sent, as bytes, without headers of the connection and control characters."""
    for name, value in headers.items():
        text = "".join(character for character in value.strip() if unicodedata.category(character) != "Cc")
        if text and HEADER_NAME.fullmatch(name) and name.lower() not in OWN_HEADERS:
            yield name.lower().encode(), text.encode()
