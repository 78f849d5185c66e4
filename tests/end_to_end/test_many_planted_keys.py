"""A key in each place where a user can put one, and what servers say back, searched for in all that is written and
shown: files, processes, events, answers, exports, logs."""

from __future__ import annotations

import base64
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from test_planted_keys import files_with, shown_by_processes

from desktop_app.__main__ import main
from desktop_app.conversation.tools import Rule
from desktop_app.engine import protocol as p
from desktop_app.settings import McpServer, Server, ServerKind, Settings, write_settings
from engine_client import EngineClient, Refused
from provider import Call, Reply, ScriptedProvider, Status

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc"), pytest.mark.wire]
NAMES = (
    *("file", "exported", "named", "gemini", "typed", "user_of_url", "query", "dead_url", "proxy", "mcp_key"),
    *("mcp_env", "mcp_url", "mcp_query", "bearer"),
)
KEYS = {name: f"canary{number:02}{name}zq7" for number, name in enumerate(NAMES)}
IN_SETTINGS = {"user_of_url", "query", "dead_url", "mcp_env", "mcp_url", "mcp_query"}
"""What the user writes into the settings stands there, and nowhere else."""
IN_ENVIRONMENT = {"proxy", "mcp_env"}
"""What programs have to find in the environment that they are started with."""
FAILING = "import os, sys; sys.stderr.write('no login with ' + os.environ['SERVICE']); sys.exit(3)"
LOOK = "env; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' '\\n'; true"
LOOKING = Call("bash", json.dumps({"command": LOOK}))


def script(name: str) -> list[Reply | Status]:
    """A turn in which a command looks around; then errors that quote a key, as servers do."""
    key = KEYS[name]
    return [
        Reply("I look.", calls=(LOOKING,), finish="tool_calls"),
        Reply("Seen."),
        Status(401, f"Incorrect API key provided: {key}" if name != "bearer" else f"Bearer ya29.a0Af-x_1.{key}"),
        Status(400, json.dumps({"error": {"message": f"In Authorization: Bearer ya29.a0Af-x_1.{key} was refused"}})),
        Status(403, f"<html><body>Authorization: Bearer {key}</body></html>"),
    ]


def providers(stack: ExitStack) -> tuple[Server, ...]:
    """Servers with a key each, in the file, in the environment, or in their addresses; and some that do not answer."""

    def started(name: str, key: str = "", flavour: str = "openai") -> str:
        found = ScriptedProvider(script(name), key=KEYS.get(key, ""), flavour=flavour)
        return stack.enter_context(found).base_url

    one, basic = started("bearer", "file"), started("user_of_url")
    addresses = {
        "scripted": one,
        "basic": basic.replace("://", f"://me:{KEYS['user_of_url']}@"),
        "query": f"{one}?key={KEYS['query']}",
        "dead": f"http://me:{KEYS['dead_url']}@127.0.0.1:9/v1",
        "gem": started("gemini", "gemini", "gemini"),
        "named": started("named", "named"),
        "outside": "https://models.invalid/v1",
    }
    kinds: dict[str, ServerKind] = {"gem": "gemini"}
    return tuple(
        Server(name, url, ("scripted",), 8_192, 1_000, kinds.get(name, "openai_compatible"))
        for name, url in addresses.items()
    )


def tools(remote: str) -> tuple[McpServer, ...]:
    return (
        McpServer("failing", (sys.executable, "-c", FAILING), environment={"SERVICE": KEYS["mcp_env"]}),
        McpServer("remote", url=f"{remote}/mcp"),
        McpServer("user", url=f"http://me:{KEYS['mcp_url']}@127.0.0.1:9/mcp"),
        McpServer("asked", url=f"http://127.0.0.1:9/mcp?api_key={KEYS['mcp_query']}"),
    )


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, a file of keys, and variables; returns the working folder."""
    for name in ("home", "elsewhere", "work"):
        (tmp_path / name).mkdir()
    keys = tmp_path / "elsewhere" / "keys.json"
    keys.write_text(json.dumps({"scripted": KEYS["file"], "gem": KEYS["gemini"]}))
    keys.chmod(0o600)
    variables = {
        "HOME": str(tmp_path / "home"),
        "PALIMPSEST_KEYS_FILE": str(keys),
        "ANTHROPIC_API_KEY": KEYS["exported"],
        "PALIMPSEST_KEY_NAMED": KEYS["named"],
        "PALIMPSEST_KEY_MCP_REMOTE": KEYS["mcp_key"],
        "HTTPS_PROXY": f"http://me:{KEYS['proxy']}@127.0.0.1:9",
        "PALIMPSEST_LOG_LEVEL": "DEBUG",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return tmp_path / "work"


async def asked_everything(engine: EngineClient, opened: str, server: Server) -> list[str]:
    """What the window asks of a model and its server: the request, curl, tools, checks."""
    model = f"{server.name}/scripted"
    requests: tuple[Any, ...] = (
        *(p.ReadRequest(opened), p.ReadRequestCurl(opened), p.ListTools(opened), p.PreviewModel(opened, model)),
        *(p.ListServerModels(server, "", server.name), p.ListModels(), p.DescribeProgram(), p.DescribeData()),
        *(p.CheckServer(server, "scripted", step, "", server.name) for step in ("list", "window", "reply", "tools")),
    )
    answers: list[str] = []
    for request in requests:
        try:
            answers.append(repr(await engine.ask(request)))
        except Refused as error:
            answers.append(repr(error.failure))
    return answers


async def used(engine: EngineClient, servers: tuple[Server, ...], work: Path) -> tuple[str, dict[str, str]]:
    """Talk to all servers, and return the conversation and what was shown."""
    settings = (await engine.ask(p.ReadSettings())).settings
    await engine.ask(p.WriteSettings(settings, {"dead": KEYS["typed"]}))
    opened = (await engine.ask(p.CreateConversation())).conversation.id
    answers: list[str] = []
    shown = ""
    for server in servers:
        await engine.ask(p.ChooseModel(opened, f"{server.name}/scripted"))
        for _ in range(1 if server.name in ("dead", "outside", "query") else 4):
            await engine.turn(opened, "Look")
        shown += shown_by_processes(engine.process.pid)
        answers += await asked_everything(engine, opened, server)
    rows = (await engine.ask(p.OpenConversation(opened))).rows
    assert "PALIMPSEST_CALL=" in "".join(row.message.text for row in rows), "the command has looked"
    await engine.ask(p.ExportInsights(str(work / "insights.csv")))
    events = repr(engine.events) + repr(engine.lists) + repr(rows)
    assert "refused" in events
    return opened, {"processes": shown, "events": events, "answers": "\n".join(answers)}


def exported(opened: str, work: Path) -> None:
    for ending in ("md", "html", "json"):
        with ThreadPoolExecutor(1) as thread:  # it has a loop of its own
            assert thread.submit(main, ["export", opened, str(work / f"chat.{ending}")]).result() == 0
    assert main(["export", "--all", str(work / "all.zip")]) == 0
    assert main(["backup", str(work / "backup.sqlite3")]) == 0
    with ThreadPoolExecutor(1) as thread:
        for command in ("doctor", "data"):
            thread.submit(main, [command]).result()


async def test_no_key_is_found_anywhere(engines, data: Path, tmp_path: Path, planted: Path, monkeypatch, capfd) -> None:
    with ExitStack() as stack:
        servers = providers(stack)
        settings = Settings(
            "scripted/scripted",
            servers,
            mcp_servers=tools(servers[0].base_url),
            rules=(Rule("bash"),),
            folder=str(planted),
        )
        write_settings(data / "settings.json", settings)
        engine = await engines(is_forked=False)
        opened, said = await used(engine, servers, planted)
        await engine.close()
    monkeypatch.setenv("PALIMPSEST_DATA_DIR", str(data))
    capfd.readouterr()
    exported(opened, planted)
    printed = capfd.readouterr()
    said |= {"output": printed.out + printed.err, "log": (tmp_path / "engine.log").read_text()}
    for name, key in KEYS.items():
        for text in (key, base64.b64encode(f"me:{key}".encode()).decode()):
            places = {where for where, what in said.items() if text in what}
            assert places <= ({"processes"} if name in IN_ENVIRONMENT else set()), name
            files = [str(data / "settings.json")] if name in IN_SETTINGS and text == key else []
            assert list(files_with([data, tmp_path / "home", planted], text)) == files
