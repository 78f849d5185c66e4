"""Settings: frozen values with defaults, kept as JSON in the data folder. Keys are never among them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.setup import OwnPolicy, Persona
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.transcript import replace_surrogates_in_builtins
from desktop_app.file_locks import file_lock
from desktop_app.paths import make_folder, replace_private_file

Theme = Literal["system", "light", "dark"]
Contrast = Literal["system", "normal", "high"]
Language = Literal["", "en", "de"]
"""Of the window; "" for the system's."""

FontScale = Annotated[float, msgspec.Meta(ge=0.5, le=3)]
"""Times the usual size. The window's slider stays within this; beyond it no text could be read, or no window drawn."""
NotNegative = Annotated[int, msgspec.Meta(ge=0)]

Summaries = Literal["auto", "extractive"]
"""Who writes summaries without the user's word. "auto": the utility model, and code where that is the built-in one;
"extractive": code alone, so that no tokens are spent."""


CommandNetwork = Literal["ask", "allowed", "off"]
"""Whether commands in the sandbox have network: when the user allows it, always, or never."""
ServerSandbox = Literal["network", "closed", "off"]
"""A server of tools runs in the sandbox with network, without, or outside of it."""

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
"""Whose API a server speaks."""


class ModelLimits(msgspec.Struct, frozen=True):
    """Tokens of one model; 0 when its server's settings, the server or the catalogue is to say."""

    window: NotNegative = 0
    max_output: NotNegative = 0


class Server(msgspec.Struct, frozen=True):
    """A provider or a local server. Its key is in the system keyring, or in the environment."""

    # Unique, without "/".
    name: str
    # "" for the provider's own address.
    base_url: str
    models: tuple[str, ...]
    # Tokens of all its models; 0 when the server or the catalogue is to say.
    window: NotNegative = 0
    max_output: NotNegative = 0
    kind: ServerKind = "openai_compatible"
    # By the names of models that have limits of their own.
    limits: dict[str, ModelLimits] = {}

    def limits_of(self, model: str) -> ModelLimits:
        """Return the limits that are set for the model, by its own name or for all of the server."""
        own = self.limits.get(model, ModelLimits())
        return ModelLimits(own.window or self.window, own.max_output or self.max_output)


class McpServer(msgspec.Struct, frozen=True):
    """A server of tools: a program, or an address. Its key, if it wants one, is in the keyring as "mcp/NAME"."""

    name: str
    # The program and its arguments; it is spoken to over its standard input and output.
    command: tuple[str, ...] = ()
    # Its address; it is spoken to over HTTP.
    url: str = ""
    # What the program gets beside a minimal environment.
    environment: dict[str, str] = {}
    # Where the program runs; "" for the working folder of the conversation.
    folder: str = ""
    is_on: bool = True
    sandbox: ServerSandbox = "network"
    # Folders that the program may write, beside its own.
    writable: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True, rename={"max_rounds": "rounds_most"}):
    """What the user chose. Each of the models "": the same as the chat's."""

    # The model of new conversations.
    chat_model: str = "builtin"
    servers: tuple[Server, ...] = ()
    theme: Theme = "system"
    contrast: Contrast = "system"
    language: Language = ""
    font_scale: FontScale = 1.0
    # The name of a preset, or of one of the user's own policies.
    policy: str = "balanced"
    policies: tuple[OwnPolicy, ...] = ()
    # Whether room is made without the user's word.
    is_automatic: bool = True
    system_prompt: str = "You are a helpful assistant. Answer clearly and briefly."
    # Writes summaries.
    utility_model: str = ""
    summaries: Summaries = "auto"
    # Describes images for a chat model that cannot see them.
    vision_model: str = ""
    # Answers /research.
    research_model: str = ""
    # Named sets of a system prompt, parameters and more, for new conversations.
    personas: tuple[Persona, ...] = ()
    # What is allowed or forbidden from now on.
    rules: tuple[Rule, ...] = ()
    # Names of tools that are not offered.
    tools_off: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    # Whether commands and programs of servers run in the sandbox, where there is one.
    is_sandboxed: bool = True
    command_network: CommandNetwork = "ask"
    # Folders that commands in the sandbox may write, beside the working folder.
    writable_folders: tuple[str, ...] = ()
    # Requests of one turn, after which the user is asked whether to go on.
    max_rounds: NotNegative = 25
    # A SearXNG server for web_search; "" for DuckDuckGo.
    search_url: str = ""
    # The working folder of new conversations.
    folder: str = ""
    # Whether what is remembered of the user is sent.
    is_memory_on: bool = True
    # Whether the archive is searched for what a message refers to, before it is sent.
    is_recalling: bool = True
    # Whether the desktop tells of a long reply that has ended and of a question, while the window is not in front.
    is_notifying: bool = True


class SettingsDamaged(Exception):
    """The settings file is not valid; a copy of it is kept.

    usable: all settings that could be read, and the defaults for the others.
    """

    def __init__(self, reason: str, copy: Path, usable: Settings) -> None:
        super().__init__(reason)
        self.copy = copy
        self.usable = usable


def read_settings(path: Path) -> Settings:
    """Return the settings of that file, or the defaults if there is none.

    Raises SettingsDamaged, with what can be read, when the file is not valid; a copy is kept beside it first. Raises
    OSError.
    """
    if not path.exists():
        return Settings()
    content = path.read_bytes()
    try:
        return msgspec.json.decode(content, type=Settings)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        aside = path.with_suffix(".damaged.json")
        replace_private_file(aside, content)
        raise SettingsDamaged(str(error), aside, _usable_settings(content.decode(errors="replace"))) from error


STRING_OR_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
"""A string, or a comma before the end of an object or a list, where JSON has none."""
SETTING = re.compile(r'^ {0,2}(?:\{ *)?"(\w+)"\s*:\s*', re.MULTILINE)
ELEMENT = re.compile(r"^ {4}(?=\S)", re.MULTILINE)
"""Where settings, and the elements of those that are lists, begin in a file as `write_settings` lays it out."""


def _usable_settings(text: str) -> Settings:
    """Return what can be read of a file that is not valid as a whole, setting by setting."""
    found: dict[str, Any] = _values_in(STRING_OR_COMMA.sub(lambda match: match[1] or "", text))
    with suppress(RecursionError):  # with half a character they could never be written again
        found = replace_surrogates_in_builtins(found)
    usable: dict[str, Any] = {}
    for field in msgspec.structs.fields(Settings):
        value = found.get(field.encode_name)
        with suppress(msgspec.ValidationError):
            usable[field.name] = msgspec.convert(value, field.type)
        if field.name not in usable and isinstance(value, list) and get_origin(field.type) is tuple:
            usable[field.name] = tuple(_usable_elements(value, get_args(field.type)[0]))
    return Settings(**usable)


def _usable_elements(values: list[Any], kind: Any) -> Iterator[Any]:
    for value in values:
        with suppress(msgspec.ValidationError):
            yield msgspec.convert(value, kind)


def _values_in(text: str) -> dict[str, Any]:
    """Return the values of an object by their names; where it is not valid, those that are, as far as they are."""
    with suppress(ValueError, RecursionError):
        whole = json.loads(text)
        return whole if isinstance(whole, dict) else {}
    values: dict[str, Any] = {}
    begins = [*SETTING.finditer(text)]
    for match, following in zip_longest(begins, begins[1:]):
        own = text[match.end() : following.start() if following else None]
        values.update((match[1], value) for value in _value_at(own, 0))
        if match[1] not in values and own.startswith("["):
            values[match[1]] = [value for at in ELEMENT.finditer(own) for value in _value_at(own, at.end())]
    return values


def _value_at(text: str, at: int) -> Iterator[Any]:
    """Yield the value that begins there, if one does."""
    with suppress(ValueError, RecursionError):
        yield json.JSONDecoder().raw_decode(text, at)[0]


def write_settings(path: Path, settings: Settings) -> None:
    """Replace the file in one step. Raises OSError."""
    replace_private_file(path, msgspec.json.format(msgspec.json.encode(settings), indent=2))


LOCK_SECONDS = 5.0
"""Another process holds the file for a few milliseconds."""


def update_settings(path: Path, change: Callable[[Settings], Settings], otherwise: Settings) -> Settings:
    """Replace the stored settings by what `change` makes of them, and return that as it will be read again.

    Processes that do so at the same time do it one after the other. otherwise: taken for the stored settings where
    there are none, or where they are damaged; the damaged file is kept beside. Raises OSError.
    """
    make_folder(path.parent)
    with file_lock(path.with_suffix(".lock"), LOCK_SECONDS):
        try:
            stored = read_settings(path) if path.exists() else otherwise
        except SettingsDamaged:
            stored = otherwise
        changed = change(stored)
        write_settings(path, changed)
    return msgspec.json.decode(msgspec.json.encode(changed), type=Settings)


def merge_settings(base: Settings, changed: Settings, stored: Settings) -> Settings:
    """Return the stored settings with what somebody changed who had read `base`.

    Of servers, policies, rules and the like each one is taken for itself, so that nobody takes back what another has
    added. Where both changed the same, the newer change holds.
    """
    merged: dict[str, Any] = {}
    for name in Settings.__struct_fields__:
        before, after, other = (getattr(settings, name) for settings in (base, changed, stored))
        if _is_same(before, after):
            continue
        merged[name] = _merge_elements(before, after, other) if isinstance(after, tuple) else after
    return replace(stored, **merged)


def _merge_elements(base: Sequence[Any], changed: Sequence[Any], stored: Sequence[Any]) -> tuple[Any, ...]:
    before, others = {_key(one): one for one in base}, {_key(one): one for one in stored}
    made: list[Any] = []
    for one in changed:
        key = _key(one)
        if key not in before or not _is_same(one, before[key]):
            made.append(one)
        elif key in others:
            made.append(others[key])
    known = {*before, *map(_key, changed)}
    return (*made, *(one for key, one in others.items() if key not in known))


def _key(element: Any) -> Any:
    """Return what tells the elements of a list apart: the name, or the tool, its state and the pattern of a rule."""
    if isinstance(element, Rule):
        return element.tool, element.pattern, element.fingerprint
    return getattr(element, "name", element)


def _is_same(one: Any, other: Any) -> bool:
    return msgspec.json.encode(one) == msgspec.json.encode(other)  # a list that was read may have been a tuple
