"""`palimpsest doctor`: check that everything is installed and undamaged, without changing anything."""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import msgspec

from desktop_app.archive.damage import Health, examine, list_names
from desktop_app.archive.store import Store
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.words import pluralize
from desktop_app.own_processes import IS_BUNDLE
from desktop_app.paths import database_file, log_file, settings_file
from desktop_app.settings import Settings, SettingsDamaged, read_settings, unknown_fields
from desktop_app.system_libraries import LIBRARIES, SCREEN_LIBRARIES, missing_packages
from desktop_app.unused_files import own_site_packages, read_list, unused_bytes

from .arguments import WORLD_ERROR, add_data_and_json, data_of, print_json, show, show_error, table

MIN_FREE = 200 * 1024 * 1024
"""Bytes: an archive of 100,000 messages, and the same again for its backup before a migration."""

PACKAGES = ("PySide6", "qasync", "litellm", "tiktoken", "peewee", "msgspec", "platformdirs", "keyring", "httpx")

FEW_UNUSED = 10_000_000
"""Bytes of unused files that are not worth a line."""
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


MAX_DETAIL = 300
"""Characters of the reason why an MCP server does not answer."""


class Check(NamedTuple):
    """The result of one check."""

    name: str
    ok: bool
    detail: str
    is_required: bool = True
    """Whether Palimpsest needs it to work."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_data_and_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print every check. Return exit code 1 if a required one fails."""
    found = list(checks(data_of(args)))
    ok = all(check.ok for check in found if check.is_required)
    if args.json:
        rows = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in found]
        print_json({"ok": ok, "checks": rows})
    else:
        show(table([("✓" if check.ok else "✗", check.name, check.detail) for check in found]))
        show(f"\n{conclusion_of(found)}")
    return 0 if ok else WORLD_ERROR


def conclusion_of(found: Sequence[Check]) -> str:
    """Return the sentence below the results."""
    failed = [check for check in found if not check.ok]
    if any(check.is_required for check in failed):
        return "Something that Palimpsest needs is missing or broken: see ✗ above."
    names = ", ".join(check.name for check in failed)
    return f"Palimpsest works, but not all of it: see ✗ above ({names})." if failed else "All is well."


def checks(data: Path) -> Iterator[Check]:
    """Yield the results of all checks, in the order in which they are printed."""
    yield _folder(data)
    yield _disk_space(data)
    yield from _archive(database_file(data))
    yield _settings(settings_file(data))
    yield _log(log_file(data))
    yield _sqlite()
    yield _packages()
    yield from _unused_files()
    yield from _builtin_model()
    yield _tokenizers()
    yield _sandbox()
    yield from _tool_servers(data)
    if sys.platform == "linux":
        yield _libraries()
        yield _fonts()


def _unused_files() -> Iterator[Check]:
    """Yield how much of an environment that pipx or `uv tool` made is never used, until it was removed."""
    site = own_site_packages()
    unused = unused_bytes(site, read_list()) if site is not None else 0
    if unused > FEW_UNUSED:
        yield Check("unused files", True, f"{unused / 1e6:,.0f} MB; `palimpsest trim` removes them")


def _folder(data: Path) -> Check:
    folder = _nearest_existing(data)
    if not folder.is_dir():
        return Check("data folder", False, f"{data} cannot be created: {folder} is not a folder")
    if folder != data:
        ok = os.access(folder, os.W_OK | os.X_OK)
        return Check("data folder", ok, f"{data} " + ("will be created" if ok else f"cannot be created in {folder}"))
    try:
        with tempfile.TemporaryFile(dir=data):
            return Check("data folder", True, str(data))
    except OSError as error:
        return Check("data folder", False, f"{data} cannot be written: {error.strerror}")


def _nearest_existing(path: Path) -> Path:
    """Return the path, or the nearest folder above it that exists.

    `os.path.exists` here and below, since `Path.exists` raises in a folder that cannot be read.
    """
    return next(folder for folder in (path.absolute(), *path.absolute().parents) if os.path.exists(folder))


def _disk_space(data: Path) -> Check:
    free = shutil.disk_usage(_nearest_existing(data)).free
    return Check("disk space", free >= MIN_FREE, f"{free / 1024**3:,.1f} GiB free")


def _archive(path: Path) -> Iterator[Check]:
    if not os.path.exists(path):
        yield Check("archive", True, "none yet; it is created at the first start")
        return
    if copies := sorted(copy.name for copy in path.parent.glob(f"{path.stem}.damaged-*{path.suffix}")):
        yield Check("damage", False, f"the archive was damaged once; it was kept as it was: {list_names(copies)}")
    try:
        store = Store(path, read_only=True)
        try:
            health = store.read(examine)
        finally:
            store.close()
    except ArchiveError as error:
        detail = " ".join(part for part in (f"{error.failure.title}.", error.failure.detail) if part)
        yield Check("archive", error.failure.kind == "older", detail)  # entries can be examined only after migration
        return
    yield from _health(health)


def _health(health: Health) -> Iterator[Check]:
    found = f"{pluralize(health.conversations, 'conversation')}, {pluralize(health.entries, 'entry', 'entries')}"
    yield Check("archive", not health.damage, list_names(health.damage) or found)
    if not health.is_whole:
        read = (
            f"{health.entries:,} were read, until the damage; what of the rest can be saved is seen when it is opened"
        )
        yield Check("entries", False, read)
        yield Check("search index", False, "not examined: the archive is damaged")
        return
    yield Check("entries", not health.unreadable, _broken(health.unreadable, "cannot be read") or "all can be read")
    yield Check(
        "search index",
        not health.unsearchable,
        _broken(health.unsearchable, "cannot be found by search") or "in step with the entries",
    )


def _broken(places: tuple[str, ...], fault: str) -> str:
    return f"{len(places):,} {fault}: {list_names(places)}" if places else ""


def _settings(path: Path) -> Check:
    if not os.path.exists(path):
        return Check("settings", True, "none yet; the defaults apply")
    try:
        msgspec.json.decode(path.read_bytes(), type=Settings)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Check("settings", False, f"{path} is not valid: {error}")
    except OSError as error:
        return Check("settings", False, f"{path} cannot be read: {error.strerror}")
    if unknown := unknown_fields(path.read_bytes()):
        detail = f"{path} has fields of MCP servers that mean nothing: {', '.join(unknown)}"
        return Check("settings", False, detail, is_required=False)
    return Check("settings", True, str(path))


def _log(path: Path) -> Check:
    if not os.path.exists(path):
        return Check("log", True, f"none yet; {path}")
    ok = os.access(path, os.W_OK)
    return Check("log", ok, f"{path}" if ok else f"{path} cannot be written", is_required=False)


def _sqlite() -> Check:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize='porter unicode61')")
        connection.execute("CREATE VIRTUAL TABLE trigrams USING fts5 (text, tokenize='trigram')")
    except sqlite3.OperationalError as error:
        return Check("SQLite", False, f"{sqlite3.sqlite_version} without full-text search as needed: {error}")
    finally:
        connection.close()
    return Check("SQLite", True, f"{sqlite3.sqlite_version} with full-text search")


def _packages() -> Check:
    missing = [package for package in PACKAGES if find_spec(package) is None]
    return Check("packages", not missing, f"missing: {', '.join(missing)}" if missing else "all installed")


def _builtin_model() -> Iterator[Check]:
    has_runner = find_spec("xllamacpp") is not None
    missing = "xllamacpp is not installed; the built-in model cannot run"
    yield Check("llama.cpp", has_runner, "xllamacpp" if has_runner else missing, is_required=False)
    from desktop_app.models.builtin import check_hash, model_path

    fault = check_hash()
    is_installed = has_runner and model_path() is not None  # an optional extra, but an installed one must be undamaged
    yield Check("built-in model", fault is None, fault or "its file has the right SHA-256", is_required=is_installed)


def _tokenizers() -> Check:
    from desktop_app.models.tokens.tokenizers import EXTRA, broken_families, missing_families

    broken = broken_families()
    if broken:
        return Check("tokenizers", False, f"estimated, since their files are damaged: {', '.join(broken)}", False)
    missing = missing_families()
    estimated = f"estimated: {', '.join(missing)}"
    if not IS_BUNDLE:
        estimated += f"; pip install '{EXTRA}' makes them exact"
    return Check("tokenizers", True, estimated if missing else "exact for every family that can be", False)


def _sandbox() -> Check:
    from desktop_app.tools.sandbox.sandbox import probe

    found = probe()
    detail = "bubblewrap works" if not found.fault else f"{found.fault} Commands of models run without one"
    if not found.fault and not found.options:
        detail += ", but cannot forbid further namespaces: it is older than 0.8"
    return Check("sandbox", not found.fault, detail, is_required=False)


def _tool_servers(data: Path) -> Iterator[Check]:
    """Start each MCP server that is on, as a conversation would, and end it again."""
    from desktop_app.commands.server_states import states_of

    try:
        settings = read_settings(settings_file(data)) if os.path.exists(settings_file(data)) else Settings()
    except (SettingsDamaged, OSError):  # another check reports it
        return
    servers = [server for server in settings.mcp_servers if server.is_on]
    if servers:
        show_error(f"Starting {pluralize(len(servers), 'MCP server')}…")
    for state in states_of(settings, data):
        if state.status == "running":
            detail = pluralize(state.tools, "tool")
        else:
            detail = " ".join(failure.detail for failure in state.failures) or "does not answer"
        detail = " ".join(detail.split())[:MAX_DETAIL]
        yield Check(f"MCP server {state.name}", state.status == "running", detail, is_required=False)


def _libraries() -> Check:
    missing = missing_packages(LIBRARIES | (SCREEN_LIBRARIES if os.environ.get("DISPLAY") else {}))
    install = f"missing; install with: apt-get install {' '.join(missing)}"
    return Check("system libraries", not missing, install if missing else "all that Qt needs")


def _fonts() -> Check:
    folders = [Path(folder).expanduser() for folder in FONT_FOLDERS]
    has_font = any(file.suffix.lower() in (".ttf", ".otf", ".ttc") for folder in folders for file in folder.rglob("*"))
    return Check("fonts", has_font, "found" if has_font else "none; install with: apt-get install fonts-dejavu-core")
