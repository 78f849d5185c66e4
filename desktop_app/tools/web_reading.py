"""Reads from the web over HTTP: from a checked address, or through the user's proxy, within limits of size and time."""

from __future__ import annotations

import asyncio
import importlib
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import msgspec

from .tool import ToolFailed
from .web_address import Address, Resolve, allowed_addresses, check_for_proxy, host_and_port, proxy_of

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 5_000_000
SECONDS = 30.0
MAX_REDIRECTS = 5
AGENT = "Mozilla/5.0 (compatible; Palimpsest)"


class WebPage(msgspec.Struct, frozen=True):
    """The answer of a server."""

    url: str
    """After redirects."""
    status: int
    kind: str
    """The media type in lower case."""
    charset: str
    """"" if the server declares none."""
    content: bytes
    is_cut: bool = False


class WebReader:
    """Fetches pages. is_allowed: which addresses may be connected to; None for any."""

    def __init__(self, resolve: Resolve, is_allowed: Callable[[Address], bool] | None) -> None:
        self._resolve = resolve
        self._is_allowed = is_allowed
        self._tls: ssl.SSLContext | None = None

    async def get(self, url: str, accept: str) -> WebPage:
        """Return the page, after redirects within its host. Raises ToolFailed."""
        try:
            async with asyncio.timeout(SECONDS):
                return await self._get(url, accept)
        except TimeoutError:
            raise ToolFailed(f"{url} did not answer within {SECONDS:.0f} seconds.") from None

    async def _get(self, url: str, accept: str) -> WebPage:
        self._tls = self._tls or await asyncio.to_thread(ssl_context)
        import httpx  # imported by now, on the thread

        for _ in range(MAX_REDIRECTS + 1):
            try:
                page = await self._hop(url, accept)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                how = " through the proxy" if proxy_of(url) else ""
                raise ToolFailed(f"{url} could not be read{how}: {error or type(error).__name__}.") from None
            if isinstance(page, WebPage):
                return page
            target = urljoin(url, page)
            if site_of(target) != site_of(url):
                raise ToolFailed(f"{url} leads to another host: {target}. Fetch that, if it is what you want.")
            if urlsplit(url).scheme == "https" and urlsplit(target).scheme != "https":
                raise ToolFailed(f"{url} leads to an address that is not encrypted: {target}.")
            url = target
        raise ToolFailed(f"{url}: more than {MAX_REDIRECTS} redirects.")

    async def _hop(self, url: str, accept: str) -> WebPage | str:
        """Send one request, and return the page or the redirect's target. The connection goes to an address that was
        checked, whatever the name resolves to by then."""
        import httpx

        host, port = host_and_port(url)
        proxy = proxy_of(url)
        if proxy:
            await check_for_proxy(host, port, self._resolve, self._is_allowed)
            targets = [host]
        else:
            targets = list(map(str, await allowed_addresses(host, port, self._resolve, self._is_allowed)))
        async with httpx.AsyncClient(transport=self._transport(proxy), timeout=SECONDS, trust_env=False) as client:
            for target in targets:
                try:
                    response = await client.send(_request(client, url, host, target, accept), stream=True)
                except httpx.ConnectError:
                    if target == targets[-1]:
                        raise
                    continue
                try:
                    if response.is_redirect and "location" in response.headers:
                        return response.headers["location"]
                    return await _page(url, response)
                finally:
                    await response.aclose()
        raise AssertionError("the last target answers or raises")

    def _transport(self, proxy: str) -> httpx.AsyncHTTPTransport:
        import httpx

        tls = self._tls or True
        if not proxy:
            return httpx.AsyncHTTPTransport(verify=tls, trust_env=False)
        try:
            _ = urlsplit(proxy).port  # raises if it is too large, which httpx does not notice
            through = httpx.Proxy(proxy, ssl_context=self._tls if proxy.startswith("https:") else None)
            return httpx.AsyncHTTPTransport(verify=tls, trust_env=False, proxy=through)
        except (ValueError, ImportError, httpx.InvalidURL):  # without its text, which may hold a password
            kind = proxy.partition(":")[0]
            raise ToolFailed(f"The proxy that is set in the environment ({kind}) cannot be used here.") from None


def _request(client: httpx.AsyncClient, url: str, host: str, target: str, accept: str) -> httpx.Request:
    """Build the request. target: the address to connect to, or the host, which a proxy resolves."""
    import httpx

    whole = httpx.URL(url).copy_with(fragment=None, host=host)  # httpx reads ß in a name otherwise than host_and_port
    headers = {"Host": whole.netloc.decode(), "User-Agent": AGENT, "Accept": accept}
    headers["Accept-Encoding"] = "gzip, deflate"
    # The certificate is checked against the name. Not set where the name is the target anyway: httpx would check the
    # certificate of the proxy against it, too.
    extensions = {"sni_hostname": host} if target != host else {}
    return client.build_request("GET", whole.copy_with(host=target), headers=headers, extensions=extensions)


def ssl_context() -> ssl.SSLContext:
    """Return a context with the certificates of httpx, or those that SSL_CERT_FILE names.

    Takes a moment, on a thread: reading them, and importing what the first request would otherwise import on the loop.
    """
    import httpx

    for part in ("httpcore", "anyio._backends._asyncio"):
        importlib.import_module(part)
    return httpx.create_ssl_context()


def site_of(url: str) -> str:
    """Return the host without www."""
    return host_and_port(url)[0].removeprefix("www.")


async def _page(url: str, response: httpx.Response) -> WebPage:
    encoding = response.headers.get("content-encoding", "").lower().strip()
    if encoding not in ("", "identity", "gzip", "deflate"):  # also several, one around the other
        raise ToolFailed(f"The server used a compression that was not asked for ({encoding[:40]}).")
    content = bytearray()
    async for chunk in response.aiter_bytes():  # a small answer may unpack to gigabytes
        content += chunk
        if len(content) > MAX_BYTES:
            break
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_cut = len(content) > MAX_BYTES
    charset = response.charset_encoding or ""
    return WebPage(url, response.status_code, kind, charset, bytes(content[:MAX_BYTES]), is_cut)
