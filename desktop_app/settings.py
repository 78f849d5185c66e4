"""Settings: frozen values with defaults, kept as JSON in the data folder. Keys are never among them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

Summaries = Literal["auto", "extractive"]
"""Who writes summaries without the user's word. "auto": the utility model, and code where that is the built-in one;
"extractive": code alone, so that no tokens are spent."""


class Server(msgspec.Struct, frozen=True):
    """An OpenAI-compatible server. Its key lies in the system keyring, or in the environment.

    name: unique, without "/". window: tokens; 0 when the server or the catalogue is to tell.
    """

    name: str
    base_url: str
    models: tuple[str, ...]
    window: int = 0
    max_output: int = 0


class Settings(msgspec.Struct, frozen=True):
    """What the user chose.

    chat_model: the model of new conversations. utility_model: the one that writes summaries; "": the same as the
    chat's. theme: "system", "light" or "dark". policy: a preset's name.
    is_automatic: whether room is made without the user's word. summaries: who then writes them.
    """

    chat_model: str = "builtin"
    servers: tuple[Server, ...] = ()
    theme: str = "system"
    font_scale: float = 1.0
    policy: str = "balanced"
    is_automatic: bool = True
    system_prompt: str = "You are a helpful assistant. Answer clearly and briefly."
    utility_model: str = ""
    summaries: Summaries = "auto"


class SettingsDamaged(Exception):
    """The settings file could not be read; it was set aside and the defaults apply."""


def read_settings(path: Path) -> Settings:
    """The settings of that file, or the defaults if there is none.

    Raises SettingsDamaged when the file is not valid; a copy is kept beside it first. Raises OSError.
    """
    if not path.exists():
        return Settings()
    content = path.read_bytes()
    try:
        return msgspec.json.decode(content, type=Settings)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        aside = path.with_suffix(".damaged.json")
        aside.write_bytes(content)
        raise SettingsDamaged(
            f"The settings file {path} is not valid ({error}). "
            f"The defaults are used; your file was kept as {aside.name}."
        ) from error


def write_settings(path: Path, settings: Settings) -> None:
    """Replaces the file in one step, so that a crash leaves the old one or the new one. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_bytes(msgspec.json.format(msgspec.json.encode(settings), indent=2))
    new.replace(path)
