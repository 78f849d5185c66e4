"""Reading from the web over HTTP: at a checked address, or through the user's proxy; so much and so long at most."""

from __future__ import annotations

import asyncio
import importlib
import ssl
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import msgspec

from .tool import ToolFailed
from .web_address import Address, Resolve, check_for_proxy, checked_addresses, host_and_port, proxy_of

if TYPE_CHECKING:
    import httpx

BYTES_MOST = 5_000_000
SECONDS = 30.0
REDIRECTS_MOST = 5
AGENT = "Mozilla/5.0 (compatible; Palimpsest)"


class Page(msgspec.Struct, frozen=True):
    """What a server answered. url: where it was at last. kind: its media type, small. charset: "" if it says none."""

    url: str
    status: int
    kind: str
    charset: str
    content: bytes
    is_cut: bool = False


class WebReader:
    """Gets pages. is_allowed: which addresses may be talked to; None for any. The certificates are read at the first
    use."""

    def __init__(self, resolve: Resolve, is_allowed: Callable[[Address], bool] | None) -> None:
        self._resolve = resolve
        self._is_allowed = is_allowed
        self._tls: ssl.SSLContext | None = None

    async def get(self, url: str, accept: str) -> Page:
        """The page, after redirects within its host. Raises ToolFailed."""
        try:
            async with asyncio.timeout(SECONDS):
                return await self._get(url, accept)
        except TimeoutError:
            raise ToolFailed(f"{url} did not answer within {SECONDS:.0f} seconds.") from None

    async def _get(self, url: str, accept: str) -> Page:
        self._tls = self._tls or await asyncio.to_thread(ssl_context)
        import httpx  # ready by now: the thread took the time that it takes

        for _ in range(REDIRECTS_MOST + 1):
            try:
                page = await self._hop(url, accept)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                how = " through the proxy" if proxy_of(url) else ""
                raise ToolFailed(f"{url} could not be read{how}: {error or type(error).__name__}.") from None
            if isinstance(page, Page):
                return page
            target = urljoin(url, page)
            if site_of(target) != site_of(url):
                raise ToolFailed(f"{url} leads to another host: {target}. Fetch that, if it is what you want.")
            if urlsplit(url).scheme == "https" and urlsplit(target).scheme != "https":
                raise ToolFailed(f"{url} leads to an address that is not encrypted: {target}.")
            url = target
        raise ToolFailed(f"{url}: more than {REDIRECTS_MOST} redirects.")

    async def _hop(self, url: str, accept: str) -> Page | str:
        """One request: a page, or where it leads. The connection goes to an address that was checked, whatever the
        name means by then."""
        import httpx

        host, port = host_and_port(url)
        proxy = proxy_of(url)
        if proxy:
            await check_for_proxy(host, port, self._resolve, self._is_allowed)
            targets = [host]
        else:
            targets = list(map(str, await checked_addresses(host, port, self._resolve, self._is_allowed)))
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
        raise AssertionError("there is at least one target, and the last one answers or raises")

    def _transport(self, proxy: str) -> httpx.AsyncHTTPTransport:
        import httpx

        tls = self._tls or True
        if not proxy:
            return httpx.AsyncHTTPTransport(verify=tls, trust_env=False)
        try:
            _ = urlsplit(proxy).port  # nobody else finds one that is too large
            through = httpx.Proxy(proxy, ssl_context=self._tls if proxy.startswith("https:") else None)
            return httpx.AsyncHTTPTransport(verify=tls, trust_env=False, proxy=through)
        except (ValueError, ImportError, httpx.InvalidURL):  # without its text, which may hold a password
            kind = proxy.partition(":")[0]
            raise ToolFailed(f"The proxy that is set in the environment ({kind}) cannot be used here.") from None


def _request(client: httpx.AsyncClient, url: str, host: str, target: str, accept: str) -> httpx.Request:
    """target: the address that is connected to, or the host, which a proxy looks up."""
    import httpx

    whole = httpx.URL(url).copy_with(fragment=None)
    headers = {"Host": whole.netloc.decode(), "User-Agent": AGENT, "Accept": accept}
    headers["Accept-Encoding"] = "gzip, deflate"
    # The name is still what the certificate is checked against. Where it is the target, that goes without saying, and
    # what is said here would be held against the certificate of the proxy, too.
    extensions = {"sni_hostname": host} if target != host else {}
    return client.build_request("GET", whole.copy_with(host=target), headers=headers, extensions=extensions)


def ssl_context() -> ssl.SSLContext:
    """With the certificates that httpx brings, or that SSL_CERT_FILE names, as where a proxy looks into everything. To
    read them takes a moment, as does what the first request would else import while everybody waits."""
    import httpx

    for part in ("httpcore", "anyio._backends._asyncio"):
        importlib.import_module(part)
    return httpx.create_ssl_context()


def site_of(url: str) -> str:
    """The host, where www is taken for the same."""
    return host_and_port(url)[0].removeprefix("www.")


async def _page(url: str, response: httpx.Response) -> Page:
    inflate = _Inflate(response.headers.get("content-encoding", "").lower().strip())
    content = bytearray()
    async for chunk in response.aiter_raw(65_536):
        content += inflate.take(chunk, BYTES_MOST + 1 - len(content))
        if len(content) > BYTES_MOST:
            break
    kind, _, parameters = response.headers.get("content-type", "").partition(";")
    charset = next((p.partition("=")[2] for p in parameters.split(";") if p.strip().lower().startswith("charset=")), "")
    is_cut = len(content) > BYTES_MOST
    return Page(
        url, response.status_code, kind.strip().lower(), charset.strip(" \"'"), bytes(content[:BYTES_MOST]), is_cut
    )


class _Inflate:
    """Unpacks piece by piece, never more than is wanted: a small answer may unpack to gigabytes."""

    def __init__(self, encoding: str) -> None:
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ToolFailed(f"The server packs its answer in a way that was not asked for ({encoding[:40]}).")
        self._packed = None if encoding in ("", "identity") else zlib.decompressobj(47)
        self._is_deflate = encoding == "deflate"

    def take(self, chunk: bytes, most: int) -> bytes:
        """At most so many bytes of what the chunk holds. Raises ToolFailed."""
        if self._packed is None:
            return chunk[:most]
        try:
            return self._packed.decompress(chunk, most)
        except zlib.error:
            if not self._is_deflate:
                raise ToolFailed("The answer is packed in a way that is damaged.") from None
        self._is_deflate = False  # some servers leave out the head that belongs there
        self._packed = zlib.decompressobj(-15)
        return self.take(chunk, most)
