"""Settings: frozen values with defaults, stored as JSON in the data folder. They never contain keys."""

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
"""Factor of the normal size. The window's slider stays within this range, beyond which the window is unusable."""
NotNegative = Annotated[int, msgspec.Meta(ge=0)]
Dollars = Annotated[float, msgspec.Meta(ge=0)]

Summaries = Literal["auto", "extractive"]
"""What writes automatic summaries. "auto": the utility model, or code if that is the built-in model; "extractive":
always code, so that no tokens are spent."""


CommandNetwork = Literal["ask", "allowed", "off"]
"""Whether commands in the sandbox have network access: if the user allows it, always, or never."""
ServerSandbox = Literal["network", "closed", "off"]
"""Whether a tool server runs in the sandbox with network access, in the sandbox without it, or outside."""

ServerAllowance = Literal["", "reading", "all"]
"""The tools of a tool server that run without a question, unless a rule forbids them."""

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
    "azure",
    "bedrock",
    "vertex",
]
"""The API of a server, by provider or program."""


class ModelLimits(msgspec.Struct, frozen=True):
    """Limits of one model, in tokens; 0 if they come from its server's settings, the server or the catalogue."""

    window: NotNegative = 0
    max_output: NotNegative = 0
    # Whether it is sent pictures; None if the server, the catalogue or its name decides.
    supports_vision: bool | None = None
    # Tokens to use of a larger window, unless a request cannot be shorter; 0 for the policy's number.
    max_window: NotNegative = 0
    # Whether its provider keeps the beginning of requests for an hour instead of five minutes, if it can.
    caches_an_hour: bool = False


class Cloud(msgspec.Struct, frozen=True):
    """The place of a server in Azure, Bedrock or Vertex; "" for what the environment says."""

    # The region of Bedrock, or the location of Vertex.
    region: str = ""
    # The project of Vertex.
    project: str = ""
    # The profile of AWS, or the path of Google's file of credentials.
    profile: str = ""
    # The version of Azure's API.
    api_version: str = ""


class Server(msgspec.Struct, frozen=True):
    """A provider or a local server. Its key is in the system keyring, or in the environment."""

    # Unique, without "/".
    name: str
    # "" for the default address of its kind.
    base_url: str
    models: tuple[str, ...]
    # Limits of all its models, in tokens; 0 if they come from the server or the catalogue.
    window: NotNegative = 0
    max_output: NotNegative = 0
    kind: ServerKind = "openai_compatible"
    # Limits of single models, by name.
    limits: dict[str, ModelLimits] = {}
    # Seconds to wait for the first token; 0 for as long as a server nearby takes, and for two minutes otherwise.
    patience: NotNegative = 0
    # Headers of each request. Those whose names sound secret have "" here, and their values where keys are stored.
    headers: dict[str, str] = {}
    cloud: Cloud = Cloud()

    def limits_of(self, model: str) -> ModelLimits:
        """Return the limits that are set for the model, or for all models of the server."""
        own = self.limits.get(model, ModelLimits())
        return replace(own, window=own.window or self.window, max_output=own.max_output or self.max_output)


def with_window_limit(settings: Settings, model_id: str, tokens: int) -> Settings:
    """Return the settings in which at most that many tokens of the model's window are used; 0 for the policy's number.

    model_id: "server/model"; other models cannot be limited, and nothing changes.
    """
    return _with_limits(settings, model_id, max_window=tokens)


def with_cache_of_an_hour(settings: Settings, model_id: str, is_on: bool) -> Settings:
    """Return the settings in which the model's provider keeps the beginning of requests for an hour, or does not.

    model_id: as for `with_window_limit`.
    """
    return _with_limits(settings, model_id, caches_an_hour=is_on)


def _with_limits(settings: Settings, model_id: str, **changes: Any) -> Settings:
    name, _, model = model_id.partition("/")

    def limited(server: Server) -> Server:
        own = replace(server.limits.get(model, ModelLimits()), **changes)
        others = {key: value for key, value in server.limits.items() if key != model}
        return replace(server, limits=others if own == ModelLimits() else {**others, model: own})

    servers = tuple(limited(server) if server.name == name else server for server in settings.servers)
    return replace(settings, servers=servers)


HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SECRET_NAME = re.compile(r"auth|key|token|secret|pass|cookie|credential|signature|session", re.IGNORECASE)
OWN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})
"""Headers that belong to the connection."""


def is_secret_header(name: str) -> bool:
    """Return whether a header of that name usually contains a secret."""
    return bool(_SECRET_NAME.search(name))


def header_key(server: str, header: str) -> str:
    """Return the name under which a secret header of a model server is stored, like its key."""
    return f"header/{server}/{header.lower()}"


class McpServer(msgspec.Struct, frozen=True):
    """A tool server: a program, or an address. Its key, if it needs one, is in the keyring as "mcp/NAME"."""

    name: str
    # The program and its arguments; it communicates over standard input and output.
    command: tuple[str, ...] = ()
    # The address of a server that communicates over HTTP.
    url: str = ""
    # Variables of the program, in addition to a minimal environment.
    environment: dict[str, str] = {}
    # The folder in which the program runs; "" for the working folder of the conversation.
    folder: str = ""
    is_on: bool = True
    sandbox: ServerSandbox = "network"
    # Folders that the program may write, in addition to its own.
    writable: tuple[str, ...] = ()
    # Headers of each request to its address, in addition to its key.
    headers: dict[str, str] = {}
    # The tools that run without a question: none, those that only read, as the server says, or all.
    allowed: ServerAllowance = ""


class Settings(msgspec.Struct, frozen=True, rename={"max_rounds": "rounds_most"}):
    """The user's choices. The models for other roles may be "", which means the chat model."""

    # The model of new conversations.
    chat_model: str = "builtin"
    servers: tuple[Server, ...] = ()
    theme: Theme = "system"
    contrast: Contrast = "system"
    language: Language = ""
    font_scale: FontScale = 1.0
    # The name of a preset, or of one of `policies`.
    policy: str = "balanced"
    policies: tuple[OwnPolicy, ...] = ()
    # US dollars that a conversation, and a day with all conversations, may cost before the user is asked; 0: no limit.
    max_dollars: Dollars = 0.0
    max_dollars_a_day: Dollars = 0.0
    # Whether room is made automatically.
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
    # Permanent permissions and prohibitions for tools.
    rules: tuple[Rule, ...] = ()
    # Names of tools that are not offered.
    tools_off: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    # Whether commands and the programs of tool servers run in the sandbox, if there is one.
    is_sandboxed: bool = True
    command_network: CommandNetwork = "ask"
    # Folders that commands in the sandbox may write, in addition to the working folder.
    writable_folders: tuple[str, ...] = ()
    # Requests in one turn, after which the user is asked whether to continue.
    max_rounds: NotNegative = 25
    # A SearXNG server for web_search; "" for DuckDuckGo.
    search_url: str = ""
    # The working folder of new conversations.
    folder: str = ""
    # Whether memories are sent.
    is_memory_on: bool = True
    # Whether the archive is searched for the messages that a new one refers to, before it is sent.
    is_recalling: bool = True
    # Whether summaries are written ahead, while the provider has the conversation in its cache.
    is_summarizing_ahead: bool = True
    # Whether a conversation that nobody uses is compacted shortly before its large cache expires.
    is_compacting_idle: bool = False
    # Whether the price is shown before a change that loses a large cache of the provider's.
    is_warning_of_resets: bool = True
    # Whether a desktop notification reports the end of a long reply, or a question, while the window is not active.
    is_notifying: bool = True


class SettingsDamaged(Exception):
    """The settings file is not valid; `copy` is a copy of it.

    usable: the settings that could be read, with defaults for the others.
    """

    def __init__(self, reason: str, copy: Path, usable: Settings) -> None:
        super().__init__(reason)
        self.copy = copy
        self.usable = usable


def read_settings(path: Path) -> Settings:
    """Return the settings of that file, or the defaults if there is none.

    If the file is not valid, a copy is stored next to it, and SettingsDamaged is raised with the usable settings.
    Raises OSError.
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


def unknown_fields(content: bytes) -> tuple[str, ...]:
    """Return the fields of MCP servers in the settings' file that mean nothing, such as "tracker: args"."""
    with suppress(ValueError, RecursionError, AttributeError, TypeError):
        servers = json.loads(content).get("mcp_servers", ())
        return tuple(
            f"{server.get('name')}: {field}"
            for server in servers
            for field in server
            if field not in McpServer.__struct_fields__
        )
    return ()


STRING_OR_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
"""A string, or a comma before the end of an object or a list, which JSON does not allow."""
SETTING = re.compile(r'^ {0,2}(?:\{ *)?"(\w+)"\s*:\s*', re.MULTILINE)
ELEMENT = re.compile(r"^ {4}(?=\S)", re.MULTILINE)
"""The beginnings of settings, and of the elements of lists among them, in the layout of `write_settings`."""


def _usable_settings(text: str) -> Settings:
    """Return the settings that can be read from a file that is not valid as a whole."""
    values: dict[str, Any] = _values_in(STRING_OR_COMMA.sub(lambda match: match[1] or "", text))
    with suppress(RecursionError):  # settings with a lone surrogate could not be written again
        values = replace_surrogates_in_builtins(values)
    usable: dict[str, Any] = {}
    for field in msgspec.structs.fields(Settings):
        value = values.get(field.encode_name)
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
    """Return the values of a JSON object by name; if it is not valid, the values and list elements that are."""
    with suppress(ValueError, RecursionError):
        content = json.loads(text)
        return content if isinstance(content, dict) else {}
    values: dict[str, Any] = {}
    beginnings = [*SETTING.finditer(text)]
    for match, following in zip_longest(beginnings, beginnings[1:]):
        section = text[match.end() : following.start() if following else None]
        values.update((match[1], value) for value in _value_at(section, 0))
        if match[1] not in values and section.startswith("["):
            values[match[1]] = [value for at in ELEMENT.finditer(section) for value in _value_at(section, at.end())]
    return values


def _value_at(text: str, index: int) -> Iterator[Any]:
    """Yield the JSON value that begins at that index, if there is a valid one."""
    with suppress(ValueError, RecursionError):
        yield json.JSONDecoder().raw_decode(text, index)[0]


def write_settings(path: Path, settings: Settings) -> None:
    """Replace the file atomically. Raises OSError."""
    replace_private_file(path, msgspec.json.format(msgspec.json.encode(settings), indent=2))


LOCK_SECONDS = 5.0
"""Seconds to wait for the lock, which other processes hold for a few milliseconds."""


def update_settings(path: Path, change: Callable[[Settings], Settings], otherwise: Settings) -> Settings:
    """Replace the stored settings by the result of `change`, and return it as it will be read from the file.

    Concurrent updates of several processes are serialized. otherwise: used as the stored settings if there are none, or
    they are damaged; a copy of the damaged file is kept. Raises OSError.
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
    """Return the stored settings with the changes from `base` to `changed`.

    Servers, policies, rules and the like are merged element by element, so that no change undoes another process's
    additions. Where both changed the same element or setting, `changed` wins.
    """
    merged: dict[str, Any] = {}
    for name in Settings.__struct_fields__:
        before, after, other = (getattr(settings, name) for settings in (base, changed, stored))
        if _is_same(before, after):
            continue
        merged[name] = _merge_elements(before, after, other) if isinstance(after, tuple) else after
    return replace(stored, **merged)


def _merge_elements(base: Sequence[Any], changed: Sequence[Any], stored: Sequence[Any]) -> tuple[Any, ...]:
    before, others = {_key(element): element for element in base}, {_key(element): element for element in stored}
    merged: list[Any] = []
    for element in changed:
        key = _key(element)
        if key not in before or not _is_same(element, before[key]):
            merged.append(element)
        elif key in others:
            merged.append(others[key])
    known = {*before, *map(_key, changed)}
    return (*merged, *(element for key, element in others.items() if key not in known))


def _key(element: Any) -> Any:
    """Return what identifies an element of a list: its name, or a rule's tool, pattern and fingerprint."""
    if isinstance(element, Rule):
        return element.tool, element.pattern, element.fingerprint
    return getattr(element, "name", element)


def _is_same(element: Any, other: Any) -> bool:
    return msgspec.json.encode(element) == msgspec.json.encode(other)  # a list that was read may have been a tuple
