"""A file of keys, for machines without a keyring: plain text, so only where the user asks for it by name.

PALIMPSEST_KEYS_FILE=/path/to/keys.json, which holds {"server": "key", ...}. Others must not be able to read it.
"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from desktop_app.paths import KEYS_FILE_VARIABLE
from desktop_app.paths import keys_file as key_file

VARIABLE = KEYS_FILE_VARIABLE
__all__ = ["VARIABLE", "KeyFileRefused", "key_file", "read_key_file", "write_key_file"]

OTHERS = stat.S_IRWXG | stat.S_IRWXO


class KeyFileRefused(Exception):
    """The file cannot be used; its text says why, without any of what is in it."""


def read_key_file(path: Path) -> dict[str, str]:
    """Keys by server name; none if there is no file yet. Raises KeyFileRefused."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if os.name == "posix" and (status.st_mode & OTHERS or status.st_uid != os.getuid()):
                raise KeyFileRefused(f"others can read {path}; chmod 600 makes it yours alone")
            content = json.loads(file.read())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise KeyFileRefused(f"{path} cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError):
        raise KeyFileRefused(f"{path} is not JSON") from None  # the cause would quote it
    if not isinstance(content, dict) or not all(isinstance(key, str) for key in content.values()):
        raise KeyFileRefused(f"{path} is not of the shape {{server: key}}")
    return {str(name): key for name, key in content.items()}


def write_key_file(path: Path, keys: dict[str, str]) -> None:
    """Replaces the file in one step by one that only its owner can read. Raises KeyFileRefused."""
    new = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(keys, file, indent=2, sort_keys=True)
        new.replace(path)
    except OSError as error:
        raise KeyFileRefused(f"{path} cannot be written ({error.strerror})") from error
