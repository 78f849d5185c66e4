"""MCP servers as other programs configure them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.mcp_configurations import BadConfiguration, read_configuration
from desktop_app.settings import McpServer

MEMORY = {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"], "env": {"MEMORY_FILE_PATH": "/m"}}
READ = McpServer("memory", ("npx", *MEMORY["args"]), environment={"MEMORY_FILE_PATH": "/m"})


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"mcpServers": {"memory": MEMORY}}),  # Claude Desktop and Code, Cursor, Windsurf, Cline, Gemini CLI
        json.dumps({"servers": {"memory": {"type": "stdio", **MEMORY}}, "inputs": []}),  # VS Code
        json.dumps({"mcp": {"servers": {"memory": MEMORY}}}),  # VS Code's settings
        json.dumps({"memory": MEMORY}),
        json.dumps({"name": "memory", **MEMORY}),
        '"memory": ' + json.dumps(MEMORY) + ",",
        '{ // of a friend\n "mcpServers": {"memory": ' + json.dumps(MEMORY)[:-1] + ", /* on */ },\n}, }",
        '[mcp_servers.memory]\ncommand = "npx"\nargs = ["-y", "@modelcontextprotocol/server-memory"]\n'
        'env = { MEMORY_FILE_PATH = "/m" }\n',  # Codex
        json.dumps({"context_servers": {"memory": {"command": {"path": "npx", **dict(list(MEMORY.items())[1:])}}}}),
        json.dumps(  # opencode
            {
                "mcp": {
                    "memory": {
                        "type": "local",
                        "command": ["npx", *MEMORY["args"]],
                        "environment": MEMORY["env"],
                        "enabled": True,
                    }
                }
            }
        ),
    ],
)
def test_every_program_writes_the_same_server(text: str) -> None:
    found = read_configuration(text)
    assert found.servers == (READ,)
    assert found.remarks == ()


def test_addresses_headers_and_keys() -> None:
    servers = {
        "docs": {"url": "https://a.example/mcp", "headers": {"Authorization": "Bearer k-1", "X-Team": "7"}},
        "other": {"serverUrl": "https://b.example/mcp", "headers": {"Authorization": "Basic eA=="}, "disabled": True},
    }
    found = read_configuration(json.dumps({"mcpServers": servers}))
    assert found.servers == (
        McpServer("docs", url="https://a.example/mcp", headers={"X-Team": "7"}),
        McpServer("other", url="https://b.example/mcp", headers={"Authorization": "Basic eA=="}, is_on=False),
    )
    assert found.keys == {"docs": "k-1"}


def test_what_is_not_used_is_named() -> None:
    fields = {**MEMORY, "autoApprove": ["read"], "timeout": 5, "env": {"TOKEN": "${input:token}"}}
    found = read_configuration(
        json.dumps({"mcpServers": {"a": fields, "b": {"url": "https://x.example/sse", "type": "sse"}}})
    )
    assert [remark.partition(":")[0] for remark in found.remarks] == ["a", "a", "b"]
    assert "autoApprove, timeout" in found.remarks[0]
    assert "${input:token}" in found.remarks[1]
    assert "sse" in found.remarks[2]


@pytest.mark.parametrize("text", ["", "hello", "{}", "[]", '{"mcpServers": {"a": {"args": []}}}', '{"a": 1', "7"])
def test_what_holds_no_server_is_refused(text: str) -> None:
    with pytest.raises(BadConfiguration):
        read_configuration(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["mcpServers", "a", "command", "args", "env", "url", "headers", "path"]), inner
        )
    ),
    max_leaves=15,
)


@given(JSON)
def test_anything_else_is_read_or_refused(value: object) -> None:
    try:
        found = read_configuration(json.dumps(value))
    except BadConfiguration:
        return
    assert all(server.command or server.url for server in found.servers)
    assert len({server.name for server in found.servers}) == len(found.servers)
