"""The package index that pip is set up to use, and where a file of a package lies in it.

pip itself need not be there: an environment of uv's has none.
"""

from __future__ import annotations

import configparser
import json
import os
import ssl
import sys
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import httpx
import msgspec
import platformdirs

PYPI = "https://pypi.org/simple"
ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
TIMEOUT = 30.0
"""Seconds of silence."""


class PackageIndex(msgspec.Struct, frozen=True):
    """Where packages are fetched from, and how."""

    urls: tuple[str, ...] = (PYPI,)
    proxy: str = ""
    """"" for the environment's, if there is one."""
    certificates: str = ""
    """A file of certificates to trust; "" for the usual ones."""

    @property
    def names(self) -> str:
        """Return the addresses for people, without the names and passwords that may stand in them."""
        return ", ".join(f"{part.scheme}://{part.hostname}{part.path}" for part in map(urlsplit, self.urls))

    def connect(self) -> httpx.Client:
        """Return a client that reaches it. Raises OSError if the certificates cannot be read."""
        trusted = ssl.create_default_context(cafile=self.certificates) if self.certificates else True
        return httpx.Client(proxy=self.proxy or None, verify=trusted, follow_redirects=True, timeout=TIMEOUT)


def index_of_pip(environment: Mapping[str, str] = os.environ) -> PackageIndex:
    """Return the index of pip's variables and files, uv's where pip has none, else PyPI.

    Addresses that are no web addresses, such as folders, are left out.
    """
    settings = _settings(environment)
    main = settings.get("index-url") or environment.get("UV_DEFAULT_INDEX") or environment.get("UV_INDEX_URL") or PYPI
    urls = (main, *settings.get("extra-index-url", "").split())
    used = tuple(dict.fromkeys(url for url in urls if urlsplit(url).scheme in ("http", "https")))
    return PackageIndex(used or (PYPI,), settings.get("proxy", ""), settings.get("cert", ""))


def find_file(client: httpx.Client, index: PackageIndex, package: str, name: str) -> str | None:
    """Return the address of a package's file, None if the index has none. Raises httpx.HTTPError."""
    for url in index.urls:
        page = client.get(f"{url.rstrip('/')}/{package}/", headers={"Accept": ACCEPT})
        if page.status_code == httpx.codes.NOT_FOUND:
            continue
        page.raise_for_status()
        for address in _addresses(page):
            if urlsplit(address).path.rpartition("/")[2] == name:
                return address
    return None


def _settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return pip's settings; a variable goes before a file, and a later file before an earlier one."""
    found: dict[str, str] = {}
    for file in _files(environment):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read(file, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue  # pip itself says what is wrong with it
        for section in ("global", "install"):
            found |= dict(parser[section]) if section in parser else {}
    names = ("index-url", "extra-index-url", "proxy", "cert")
    variables = {name: environment.get(f"PIP_{name.replace('-', '_').upper()}", "") for name in names}
    return found | {name: value for name, value in variables.items() if value}


def _files(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield pip's files in the order in which pip reads them."""
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    chosen = environment.get("PIP_CONFIG_FILE", "")
    if chosen == os.devnull:
        return
    yield from (
        Path(folder) / "pip" / name for folder in platformdirs.site_config_dir("", multipath=True).split(os.pathsep)
    )
    yield Path("/etc") / name
    yield Path.home() / (".pip" if sys.platform != "win32" else "pip") / name
    yield Path(platformdirs.user_config_dir("pip", appauthor=False, roaming=True)) / name
    yield Path(sys.prefix) / name
    if chosen:
        yield Path(chosen)


def _addresses(page: httpx.Response) -> Iterator[str]:
    if page.headers.get("content-type", "").startswith("application/vnd.pypi.simple"):
        links = [str(file.get("url", "")) for file in json.loads(page.content).get("files", ())]
    else:
        reader = _Links()
        reader.feed(page.text)
        links = reader.found
    yield from (urldefrag(urljoin(str(page.url), link)).url for link in links)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]
