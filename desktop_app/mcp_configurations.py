"""MCP servers as other programs configure them: JSON with comments, or TOML, under several names."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.words import translatable
from desktop_app.settings import McpServer

Json = dict[str, Any]

MAX_TEXT = 1_000_000
PLACES = ("mcpServers", "mcp_servers", "context_servers", "servers", "mcp")
"""Keys under which programs keep their servers; "mcp" holds them itself, or under "servers"."""
COMMANDS, ADDRESSES = ("command", "cmd"), ("url", "serverUrl", "httpUrl", "uri")
READ = (
    *COMMANDS,
    *ADDRESSES,
    *("args", "env", "environment", "envs", "cwd", "headers", "http_headers", "requestInit"),
    *("disabled", "enabled", "type", "transport", "name", "description", "bearer_token"),
)
"""Fields of a server that are read, or that say nothing more."""
_NOT_JSON = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*(?:(?://[^\n]*|/\*.*?\*/)\s*)*[}\]])', re.DOTALL)
"""Strings, which are kept, and comments and commas at the end, which are not."""
_PLACEHOLDER = re.compile(r"\$\{(?:env:|input:)?([^}]+)\}")
_BEARER = re.compile(r"Bearer\s+(\S+)", re.IGNORECASE)

NOTHING = translatable("There is no MCP server in it: a server has a “command” or a “url”.")
NOT_READ = translatable("This is neither JSON nor TOML: {error}.")
UNKNOWN = translatable("{server}: not used: {fields}.")
UNFILLED = translatable("{server}: replace {names} by their values.")
OLD_TRANSPORT = translatable("{server}: the old transport “sse” is not supported; many also have an address “/mcp”.")


class ConfiguredServers(msgspec.Struct, frozen=True):
    """Servers of a configuration, with their keys by name, and remarks for the user."""

    servers: tuple[McpServer, ...]
    keys: dict[str, str] = {}
    remarks: tuple[str, ...] = ()


class BadConfiguration(Exception):
    """Raised if no server can be read, with the reason for the user."""


def read_configuration(text: str) -> ConfiguredServers:
    """Return the servers of a configuration of another program. Raises BadConfiguration."""
    servers: list[McpServer] = []
    keys: dict[str, str] = {}
    remarks: list[str] = []
    for name, fields in _entries_in(_parse(text[:MAX_TEXT])):
        server, key = _server_of(_free_name(name, servers), fields)
        servers.append(server)
        keys |= {server.name: key} if key else {}
        remarks += _remarks_about(server, key, fields)
    if not servers:
        raise BadConfiguration(NOTHING)
    return ConfiguredServers(tuple(servers), keys, tuple(remarks))


def _parse(text: str) -> Json:
    plain = _NOT_JSON.sub(lambda match: match[1] or "", text.strip())
    if plain.startswith('"'):  # a part of a file, from one of its keys on
        plain = "{" + plain.rstrip(",") + "}"
    try:
        value = json.loads(plain)
    except (ValueError, RecursionError) as error:
        try:
            return tomllib.loads(text)
        except (ValueError, RecursionError):
            raise BadConfiguration(NOT_READ.format(error=error)) from None
    return cast("Json", value) if isinstance(value, dict) else {}


def _entries_in(value: Json) -> Iterator[tuple[str, Json]]:
    """Yield the servers by name: the value itself, those under a key of a program, or the values of a bare object."""
    if _is_server(value):
        yield str(value.get("name") or "server"), value
        return
    inner = next((value[place] for place in PLACES if isinstance(value.get(place), dict)), value)
    if isinstance(inner.get("servers"), dict):
        inner = inner["servers"]
    yield from ((str(name), fields) for name, fields in cast("Json", inner).items() if _is_server(fields))


def _is_server(fields: Any) -> bool:
    return isinstance(fields, dict) and any(cast("Json", fields).get(name) for name in (*COMMANDS, *ADDRESSES))


def _server_of(name: str, fields: Json) -> tuple[McpServer, str]:
    """Return a server and its key."""
    server = McpServer(name, is_on=not fields.get("disabled", False) and fields.get("enabled", True) is not False)
    command, url = _first(fields, COMMANDS), _first(fields, ADDRESSES)
    if not command:
        headers = _texts(fields.get("headers") or fields.get("http_headers"))
        authorization = next((name for name in headers if name.lower() == "authorization"), "")
        found = _BEARER.fullmatch(headers.get(authorization, ""))
        key = found[1] if found else str(fields.get("bearer_token") or "")
        kept = {name: value for name, value in headers.items() if not (found and name == authorization)}
        return replace(server, url=str(url), headers=kept), "" if _PLACEHOLDER.search(key) else key
    if isinstance(command, dict):  # {"path": …, "args": …}
        fields = {**fields, **cast("Json", command)}
        command = fields.get("path", "")
    words = cast("list[Any]", command) if isinstance(command, list) else [command]
    arguments = fields.get("args")
    words = [*words, *(cast("list[Any]", arguments) if isinstance(arguments, list) else [])]
    environment = _texts(fields.get("env") or fields.get("environment") or fields.get("envs"))
    return replace(
        server, command=tuple(map(str, words)), environment=environment, folder=str(fields.get("cwd") or "")
    ), ""


def _remarks_about(server: McpServer, key: str, fields: Json) -> Iterator[str]:
    if unknown := sorted(set(fields) - {*READ, "path"}):
        yield UNKNOWN.format(server=server.name, fields=", ".join(unknown))
    written = (*server.command, *server.environment.values(), *server.headers.values(), server.url, key)
    if names := dict.fromkeys(match[0] for text in written for match in _PLACEHOLDER.finditer(text)):
        yield UNFILLED.format(server=server.name, names=", ".join(names))
    if server.url and "sse" in (fields.get("type"), fields.get("transport")):
        yield OLD_TRANSPORT.format(server=server.name)


def _free_name(name: str, servers: list[McpServer]) -> str:
    name = name.replace("/", "-").strip()[:60] or "server"
    taken, count, free = {server.name for server in servers}, 1, name
    while free in taken:
        count += 1
        free = f"{name} {count}"
    return free


def _first(fields: Json, names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name)), "")


def _texts(value: Any) -> dict[str, str]:
    return {str(name): str(each) for name, each in cast("Json", value).items()} if isinstance(value, dict) else {}
