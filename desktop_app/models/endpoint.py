"""Endpoints: a server's kind, address and key, and the HTTP clients that reach it.

PALIMPSEST_KEYS_FILE=/path/to/keys.json contains {"server": "key", ...} as plain text, for machines without a keyring;
other users must not be able to read it. Without any of these, an entered key lasts only for this run, and `storage`
says so.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from desktop_app.addresses import RUNNING_MODELS, host_of, is_local, is_nearby, secrets_of, without_secrets
from desktop_app.connections import clean_key, odd_characters, proxy_of, sendable_headers, tls_context
from desktop_app.conversation.model_servers import KeyPlace
from desktop_app.conversation.words import translatable
from desktop_app.paths import KEYS_FILE_VARIABLE, keys_file, replace_private_file
from desktop_app.process_secrets import variable
from desktop_app.settings import Cloud, Server, ServerKind, header_key, is_secret_header

DEFAULT_ADDRESS: dict[ServerKind, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
    "moonshot": "https://api.moonshot.ai/v1",
    "ollama": "http://127.0.0.1:11434",
    "lm_studio": "http://127.0.0.1:1234/v1",
    "llama_cpp": "http://127.0.0.1:8080/v1",
    "vllm": "http://127.0.0.1:8000/v1",
    "bedrock": "https://bedrock-runtime.us-east-1.amazonaws.com",
    "vertex": "https://aiplatform.googleapis.com",
}
"""A provider's address, or a local server's usual port, used if the settings have no address (or no region)."""

PREFIX: dict[ServerKind, str] = {
    "openai_compatible": "openai",
    "anthropic": "anthropic",
    "openai": "openai",
    "openrouter": "openrouter",
    "gemini": "gemini",
    "moonshot": "moonshot",
    "ollama": "ollama_chat",
    "lm_studio": "lm_studio",
    "llama_cpp": "openai",
    "vllm": "hosted_vllm",
    "azure": "azure",
    "bedrock": "bedrock",
    "vertex": "vertex_ai",
}
"""litellm's provider names. Ollama's own protocol is used, since OpenAI's has no `num_ctx`."""

THROUGH_OPENAI_CLIENT: frozenset[ServerKind] = frozenset(
    {"openai_compatible", "openai", "moonshot", "lm_studio", "llama_cpp"}
)
"""Kinds for which litellm uses a client of the package openai; for the others it uses its own, based on httpx."""

_WITHOUT_VERSION: frozenset[ServerKind] = frozenset({"anthropic", "ollama"})
"""Kinds to whose address litellm appends the whole path, including "v1"."""


AWS_REGION = "us-east-1"
GOOGLE_LOCATION = "global"
"""Where models are used if neither the settings nor the environment name a place."""
_REGIONS: dict[ServerKind, tuple[str, ...]] = {
    "bedrock": ("AWS_REGION", "AWS_DEFAULT_REGION"),
    "vertex": ("GOOGLE_CLOUD_LOCATION", "VERTEXAI_LOCATION", "CLOUD_ML_REGION"),
}


class Endpoint(msgspec.Struct, frozen=True):
    """A server's address, key and kind."""

    name: str
    """The server's name in the settings."""
    base_url: str
    """"" for the default address."""
    key: str = ""
    """Never displayed."""
    kind: ServerKind = "openai_compatible"
    patience: int = 0
    """Seconds to wait for the first token; 0 for the default."""
    headers: dict[str, str] = {}
    """Headers of each request, with the values of secret ones."""
    cloud: Cloud = Cloud()

    @property
    def region(self) -> str:
        """The region or location of a model in Bedrock or Vertex; "" for other servers."""
        default = {"bedrock": AWS_REGION, "vertex": GOOGLE_LOCATION}.get(self.kind, "")
        named = (os.environ.get(name, "") for name in _REGIONS.get(self.kind, ()))
        return self.cloud.region or next(filter(None, named), default)

    @property
    def _cloud_address(self) -> str:
        match self.kind:
            case "bedrock":
                return f"https://bedrock-runtime.{self.region}.amazonaws.com"
            case "vertex":
                prefix = "" if self.region == GOOGLE_LOCATION else f"{self.region}-"
                return f"https://{prefix}aiplatform.googleapis.com"
            case _:
                return ""

    @property
    def first_token_limit(self) -> int | None:
        """Seconds that it may take before the first token; 0 for as long as it takes, None for the usual limits.

        A server nearby may have to load a model, or to read a long prompt, on a slow machine.
        """
        takes_its_time = self.kind in RUNNING_MODELS or is_nearby(self.address)
        return self.patience or (0 if takes_its_time else None)

    @property
    def address(self) -> str:
        """The address without a trailing slash; the default one if the settings have none."""
        return (self.base_url or self._cloud_address or DEFAULT_ADDRESS.get(self.kind, "")).rstrip("/")

    @property
    def shown_address(self) -> str:
        """The address for people: without a password or a key."""
        return without_secrets(self.address)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that must never be displayed: the key, and secrets in headers and in the address."""
        of_headers = [value.strip() for name, value in self.headers.items() if is_secret_header(name)]
        of_headers += [value.partition(" ")[2].strip() for value in of_headers]  # as in "Bearer …"
        return tuple(filter(None, (self.key, *of_headers, *secrets_of(self.base_url))))

    @property
    def odd_key(self) -> str:
        """The characters of the key that cannot be sent; "" for none."""
        return odd_characters(self.key)

    @property
    def api_base(self) -> str:
        """The address in the form that litellm expects for this kind of server."""
        address = self.address
        if self.kind in _WITHOUT_VERSION:
            return address.removesuffix("/v1/messages").removesuffix("/api/chat").removesuffix("/v1")
        return address.removesuffix("/chat/completions")

    @property
    def is_address(self) -> bool:
        return bool(host_of(self.address))

    @property
    def is_local(self) -> bool:
        return is_local(self.address)

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {without_secrets(self.base_url)!r}, kind={self.kind!r})"


def endpoint_of(server: Server, key: str, key_of: Callable[[str], str] = lambda _: "") -> Endpoint:
    """Return the endpoint of a server in the settings. key_of: returns what is stored under the name of a key."""
    headers = {name: value or key_of(header_key(server.name, name)) for name, value in server.headers.items()}
    return Endpoint(server.name, server.base_url, clean_key(key), server.kind, server.patience, headers, server.cloud)


def names_of_headers(servers: Sequence[Server]) -> tuple[str, ...]:
    """Return the names under which secret headers of these servers are stored."""
    return tuple(
        header_key(server.name, name) for server in servers for name, value in server.headers.items() if not value
    )


SERVICE = "palimpsest"
MEMORY = translatable("in memory, for this session only")
MEMORY_BECAUSE = translatable("in memory, for this session only: {reason}")
OTHERS = stat.S_IRWXG | stat.S_IRWXO

VARIABLES: dict[ServerKind, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "moonshot": ("MOONSHOT_API_KEY",),
    "azure": ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY"),
}
"""The providers' own environment variables, in the order in which their libraries read them."""


def named_key(name: str) -> str:
    """Return the value of PALIMPSEST_KEY_<NAME> for a server of that name; tool servers have the name "mcp/NAME"."""
    return variable(key_variable(name)).strip()


def key_variable(name: str) -> str:
    """Return the name of the environment variable for that server's key: PALIMPSEST_KEY_<NAME>."""
    return "PALIMPSEST_KEY_" + re.sub(r"[^A-Z0-9]", "_", name.upper())


def environment_key(server: Server) -> str:
    """Return the key for the server's name, or the provider's key, which is sent only to the provider's own address."""
    return named_key(server.name) or next((_key_of_kind(kind) for kind in VARIABLES if _is_own(server, kind)), "")


def _is_own(server: Server, kind: ServerKind) -> bool:
    """Return whether it is the provider's own server, whatever kind the settings say."""
    if not server.base_url:
        return server.kind == kind
    if kind == "azure":
        is_azure = host_of(server.base_url).endswith(AZURE_HOSTS)
        return server.kind == kind and is_azure and server.base_url.startswith("https://")
    return server.base_url.startswith("https://") and host_of(server.base_url) == host_of(DEFAULT_ADDRESS[kind])


AZURE_HOSTS = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")


def _key_of_kind(kind: ServerKind) -> str:
    return next(filter(None, (variable(name).strip() for name in VARIABLES[kind])), "")


def kinds_with_key() -> tuple[ServerKind, ...]:
    """Return the providers whose own environment variable is set."""
    return tuple(kind for kind in VARIABLES if kind in DEFAULT_ADDRESS and _key_of_kind(kind))


class _NotStored(Exception):
    """Keys cannot be stored; the text says why and contains no key."""


class _KeyFile:
    def __init__(self, path: Path) -> None:
        self.words = translatable("in the file {path}, as plain text that only you can read").format(path=path)
        self._path = path

    def read(self, names: Sequence[str]) -> dict[str, str]:
        stored = self._content()
        return {name: stored[name] for name in names if stored.get(name)}

    def write(self, server: str, key: str) -> None:
        kept = {name: old for name, old in self._content().items() if name != server}
        content = json.dumps(kept | ({server: key} if key else {}), indent=2, sort_keys=True).encode()
        try:
            replace_private_file(self._path, content)
        except OSError as error:
            text = translatable("{path} cannot be written ({reason})")
            raise _NotStored(text.format(path=self._path, reason=error.strerror)) from error

    def _content(self) -> dict[str, str]:
        path = self._path
        try:
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                if os.name == "posix" and (status.st_mode & OTHERS or status.st_uid != os.getuid()):
                    text = translatable("others can read {path}; chmod 600 makes it yours alone")
                    raise _NotStored(text.format(path=path))
                content = json.loads(file.read())
        except FileNotFoundError:
            return {}
        except OSError as error:
            text = translatable("{path} cannot be read ({reason})")
            raise _NotStored(text.format(path=path, reason=error.strerror)) from error
        except (ValueError, RecursionError):
            raise _NotStored(translatable("{path} is not JSON").format(path=path)) from None  # the cause would quote it
        if not isinstance(content, dict) or not all(isinstance(key, str) for key in content.values()):
            raise _NotStored(translatable("{path} is not of the shape {{server: key}}").format(path=path))
        return content


class _Keyring:
    """The system's keyring, which takes 0.2 s to import, and may ask the user to unlock it."""

    def __init__(self) -> None:
        import keyring

        self._keyring = keyring
        backend = keyring.get_keyring()
        if not _is_safe(backend):
            text = translatable("this system offers no keyring ({variable} can name a file)")
            raise _NotStored(text.format(variable=KEYS_FILE_VARIABLE))
        self.words = translatable("in the system’s keyring ({name})").format(name=backend.name)

    def read(self, names: Sequence[str]) -> dict[str, str]:
        with _translate_errors():
            found = ((name, self._keyring.get_password(SERVICE, name)) for name in names)
            return {name: key for name, key in found if key}

    def write(self, server: str, key: str) -> None:
        with _translate_errors():
            if key:
                self._keyring.set_password(SERVICE, server, key)
            elif self._keyring.get_password(SERVICE, server):
                self._keyring.delete_password(SERVICE, server)


@contextmanager
def _translate_errors() -> Iterator[None]:
    from keyring.errors import KeyringError

    try:
        yield
    except KeyringError as error:  # locked or broken; its text is not shown, since it might contain anything
        text = translatable("the system’s keyring did not open ({kind})")
        raise _NotStored(text.format(kind=type(error).__name__)) from None


def _is_safe(backend: Any) -> bool:
    """Return whether a keyring backend stores keys, and not as plain text."""
    if backend.priority <= 0 or backend.__class__.__module__.endswith((".fail", ".null")):
        return False
    return "plain" not in backend.__class__.__name__.lower()


class Keys:
    """Keys by server name. After `load`, they can be read on any thread."""

    def __init__(self) -> None:
        self._entered: dict[str, str] = {}  # stored, or entered in this session
        self._stored: set[str] = set()  # names of servers whose keys are stored
        self._of_environment: dict[str, str] = {}
        self._is_keyring_refused = False
        self.storage = MEMORY
        """Where keys are stored, or why they last for this session only, as text for the user."""

    def __repr__(self) -> str:
        return f"Keys of {', '.join(self.servers_with_key()) or 'nobody'}"

    def get(self, server: str) -> str:
        """Return the key of that server; "" if it has none. A tool server has the name "mcp/NAME"."""
        return self._entered.get(server) or self._of_environment.get(server, "")

    def stored(self, server: str) -> str:
        """Return the key that is stored or was entered for that server; "" if there is none."""
        return self._entered.get(server, "")

    def servers_with_key(self) -> tuple[str, ...]:
        return tuple(sorted(self._entered.keys() | self._of_environment.keys()))

    def unstored(self) -> dict[str, KeyPlace]:
        """Return the places of keys that are not stored, by server name."""
        places: dict[str, KeyPlace] = dict.fromkeys(self._of_environment.keys() - self._entered.keys(), "environment")
        places.update(dict.fromkeys(self._entered.keys() - self._stored, "session"))
        return places

    async def load(self, servers: Sequence[Server], others: Sequence[str] = ()) -> None:
        """Read the keys of these servers on a thread. others: other names that may have a key, such as "mcp/NAME"."""
        names = [*(server.name for server in servers), *others]
        await asyncio.to_thread(self._use_store, lambda store: self._take(store.read(names)))
        # Read again each time: a provider's key must not go to a server whose address was changed.
        keys = {server.name: environment_key(server) for server in servers}
        keys |= {name: named_key(name) for name in others}
        self._of_environment = {name: key for name, key in keys.items() if key}

    async def set(self, server: str, key: str) -> None:
        """Store the key; an empty one removes the stored key, but not one in the environment."""
        key = key.strip()
        is_stored = await asyncio.to_thread(self._use_store, lambda store: store.write(server, key))
        self._entered.pop(server, None)
        self._stored.discard(server)
        if key:
            self._entered[server] = key
            self._stored |= {server} if is_stored else set()

    def _take(self, stored: dict[str, str]) -> None:
        self._entered.update(stored)
        self._stored.update(stored)

    def _use_store(self, use: Callable[[_KeyFile | _Keyring], None]) -> bool:
        """Call `use` with the key file or the keyring. Return whether that succeeded."""
        file = keys_file()
        if file is None and self._is_keyring_refused:
            return False  # the keyring would ask the user again
        try:
            store = _KeyFile(file) if file else _Keyring()
            self.storage = store.words
            use(store)
        except _NotStored as error:
            self.storage = MEMORY_BECAUSE.format(reason=error)
            self._is_keyring_refused = file is None
            return False
        return True


Answer = tuple[int, Any]
"""Status and JSON; status 0 if there was no answer, JSON None if it was an error or not JSON."""
LOADING = "loading"
"""Instead of the JSON, if the error says that the server is loading a model."""


def http_client(endpoint: Endpoint, limit: int = 0, **options: Any) -> Any:
    """Return an httpx.AsyncClient that uses the environment's proxies, except to reach this machine.

    limit: maximum bytes of one answer; 0 for MAX_PAGE_BYTES. Raises ConnectionUnusable, such as for socks5:// without
    the package socksio.
    """
    import httpx

    proxy, tls = check_connection(endpoint)
    of_proxy = tls if proxy.lower().startswith("https:") else None  # refused for one that is not encrypted
    through = httpx.Proxy(proxy, ssl_context=of_proxy) if proxy else None
    client = httpx.AsyncClient(trust_env=False, verify=tls, proxy=through, **options)
    client.headers.update(dict(sendable_headers(endpoint.headers)))
    return limit_size(client, limit)


def check_connection(endpoint: Endpoint) -> tuple[str, Any]:
    """Return the proxy to the server, or "", and a TLS context, or False. Raises ConnectionUnusable."""
    proxy = proxy_of(endpoint.address)
    is_encrypted = any(address.lower().startswith("https:") for address in (endpoint.address, proxy))
    return proxy, tls_context() if is_encrypted else False


def limit_size(client: Any, limit: int = 0) -> Any:
    """Limit the bytes that the client reads of an answer, and return the client. limit: as above."""
    from .bounded_response import ENCODING, MAX_PAGE_BYTES, limit_bytes

    hooks: dict[str, list[Any]] = client.event_hooks
    hook = partial(limit_bytes, limit or MAX_PAGE_BYTES)
    client.event_hooks = {**hooks, "response": [*hooks.get("response", ()), hook]}
    client.headers["Accept-Encoding"] = ENCODING
    return client


async def ask(client: Any, url: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
    """Return the answer to a GET request, or to a POST of `body` as JSON. Never raises."""
    import httpx

    from .errors.classify import classify

    try:
        sent = client.get(url, headers=headers) if body is None else client.post(url, json=body, headers=headers)
        response = await sent
        if response.status_code == 200:
            return 200, response.json()
        is_loading = classify(response.status_code, response.headers, response.text).kind == "loading"
        return response.status_code, LOADING if is_loading else None
    except httpx.HTTPError:
        return 0, None
    except (ValueError, RecursionError):  # not JSON, not text, or nested too deeply
        return 200, None
