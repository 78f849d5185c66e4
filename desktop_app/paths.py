"""Where data, cache and resources live."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

KEYS_FILE_VARIABLE = "PALIMPSEST_KEYS_FILE"
RESOURCES = Path(__file__).resolve().parent.parent / "resources"


def data_folder(chosen: str | None = None) -> Path:
    """The data folder: `chosen`, else PALIMPSEST_DATA_DIR, else the system's place for user data."""
    named = chosen or os.environ.get("PALIMPSEST_DATA_DIR")
    return Path(named).expanduser() if named else Path(platformdirs.user_data_dir("palimpsest", appauthor=False))


def keys_file() -> Path | None:
    """The file of keys that the user asked for; None if there is none."""
    path = os.environ.get(KEYS_FILE_VARIABLE, "")
    return Path(path).expanduser() if path else None


def database_file(data: Path) -> Path:
    """The archive of that data folder."""
    return data / "archive.sqlite3"


def last_told_file(data: Path) -> Path:
    """What servers said last of their models."""
    return data / "models.json"


def settings_file(data: Path) -> Path:
    """The settings of that data folder."""
    return data / "settings.json"


def log_file(data: Path) -> Path:
    """Where bugs and warnings are written."""
    return data / "palimpsest.log"


def prompt_files(data: Path, name: str) -> tuple[Path, Path]:
    """The user's own words for a request to a model, which need not be there, and those that ship with Palimpsest."""
    return data / "prompts" / f"{name}.md", RESOURCES / "prompts" / f"{name}.md"
