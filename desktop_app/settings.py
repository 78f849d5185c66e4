"""Settings: frozen values with defaults, kept as JSON in the data folder. Keys are never among them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from desktop_app.conversation.tools import Rule

Theme = Literal["system", "light", "dark"]
FontScale = Annotated[float, msgspec.Meta(ge=0.5, le=3)]
"""Times the usual size. The window's slider stays within this; beyond it no text could be read, or no window drawn."""
NotNegative = Annotated[int, msgspec.Meta(ge=0)]

Summaries = Literal["auto", "extractive"]
"""Who writes summaries without the user's word. "auto": the utility model, and code where that is the built-in one;
"extractive": code alone, so that no tokens are spent."""


ServerKind = Literal[
    "openai_compatible",
    "anthropic",
    "openai",
    "openrouter",
    "gemini",
    "moonshot",
    "ollama",
    "lm_studio",
    "llama_cpp",
    "vllm",
]
"""Whose shape and manners a server has."""


class Server(msgspec.Struct, frozen=True):
    """A provider or a local server. Its key lies in the system keyring, or in the environment.

    name: unique, without "/". base_url: "" for the provider's own address. window: tokens; 0 when the server or the
    catalogue is to tell.
    """

    name: str
    base_url: str
    models: tuple[str, ...]
    window: NotNegative = 0
    max_output: NotNegative = 0
    kind: ServerKind = "openai_compatible"


class McpServer(msgspec.Struct, frozen=True):
    """A server of tools. command: the program and its arguments, spoken to over its standard input and output; or url:
    its address, spoken to over HTTP. Its key, if it wants one, lies in the keyring as "mcp/NAME".

    environment: what the program gets beside a minimal environment. folder: where it runs; "" for its conversation's.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    environment: dict[str, str] = {}
    folder: str = ""
    is_on: bool = True


class Settings(msgspec.Struct, frozen=True):
    """What the user chose.

    chat_model: the model of new conversations. utility_model: the one that writes summaries; vision_model: describes
    images for a model without eyes; research_model: answers /research; each "": the same as the chat's.
    theme: "system", "light" or "dark". policy: a preset's name.
    is_automatic: whether room is made without the user's word. summaries: who then writes them.

    rules: what is allowed or forbidden from now on. tools_off: names of tools that are not offered.
    rounds_most: requests of one turn after which the user is asked whether to go on.
    search_url: a SearXNG server for web_search; "" for DuckDuckGo. folder: the working folder of new conversations.
    is_memory_on: whether what is remembered of the user is sent. is_recalling: whether the archive is searched for what
    a message refers to before it is sent.
    """

    chat_model: str = "builtin"
    servers: tuple[Server, ...] = ()
    theme: Theme = "system"
    font_scale: FontScale = 1.0
    policy: str = "balanced"
    is_automatic: bool = True
    system_prompt: str = "You are a helpful assistant. Answer clearly and briefly."
    utility_model: str = ""
    summaries: Summaries = "auto"
    vision_model: str = ""
    research_model: str = ""
    rules: tuple[Rule, ...] = ()
    tools_off: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    rounds_most: NotNegative = 25
    search_url: str = ""
    folder: str = ""
    is_memory_on: bool = True
    is_recalling: bool = True


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
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        aside = path.with_suffix(".damaged.json")
        _write(aside, content)
        raise SettingsDamaged(
            f"The settings file {path} is not valid ({error}). "
            f"The defaults are used; your file was kept as {aside.name}."
        ) from error


def write_settings(path: Path, settings: Settings) -> None:
    """Replaces the file in one step, so that a crash leaves the old one or the new one. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    _write(new, msgspec.json.format(msgspec.json.encode(settings), indent=2))
    new.replace(path)


def _write(path: Path, content: bytes) -> None:
    """Writes a file that only its owner may read, whatever the umask is."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        path.chmod(0o600)
        file.write(content)
