"""Tricks with command lines, paths and addresses: what runs without a question is run, and its effect looked at."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from _pytest.mark.structures import ParameterSet
from tricks import CANARY, HOSTILE_NAMES, Place, Trick, hidden_parts, place_with_server, table

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission, Rule, ToolContext, ToolOutcome
from desktop_app.permissions.command_line import parse_commands
from desktop_app.permissions.rules import decide, suggest_pattern
from desktop_app.tools.registry import BuiltinTools
from desktop_app.tools.web_fetch import Address, FetchTool, NoSuchHost, is_public, resolve_host

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs and folders of Linux")
LINES, PATHS, URLS = table("tricks_shell.txt"), table("tricks_paths.txt"), table("tricks_urls.txt")
EVERYDAY = [line for line in LINES if line.sign in "+~"]
PROPOSED = tuple(
    dict.fromkeys(
        Rule("bash", suggest_pattern(command))
        for line in LINES
        if line.sign == "+"
        for command in parse_commands(line.text) or ()
        if suggest_pattern(command).endswith(" *")
    )
)
"""What is proposed for "always" after the everyday commands."""
PROGRAMS = (
    *("git blame", "git cat-file", "git grep", "git stash", "git reflog", "git help", "git config", "git bisect"),
    *("git submodule", "git worktree", "jq", "tar -tf", "tar tf", "less", "more", "man", "diff", "cmp", "comm", "nl"),
    *("test", "[[]", "printf", "xxd", "rev", "strings", "hexdump", "column", "fold", "paste", "join", "base64"),
    *("zgrep", "rgrep", "rg", "fd", "tree", "hostname", "ps", "printenv", "env", "xargs", "read", "declare", "export"),
    *("cd", "alias", "compgen", "trap", "nohup", "timeout", "nice", "time", "stdbuf", "setsid", "sudo"),
)
WIDE = (*PROPOSED, *(Rule("bash", f"{program} *") for program in PROGRAMS))
"""With patterns that a user may write for programs of which one thinks that they only read."""
FOLDER_TOOLS = ("read", "list", "grep", "glob", "write", "edit")


@pytest.fixture
async def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    for name in os.environ:
        if name.startswith("GIT_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    for name, value in {"HOME": "home", "TMPDIR": "tmp", "XDG_CONFIG_HOME": "home/.config"}.items():
        monkeypatch.setenv(name, str(tmp_path / value))
    for name, value in {"PLAIN_SECRET": CANARY, "SECRET_FILE": ".env", "OPTIONS": "--output=made"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OLDPWD", str(tmp_path / "home/.ssh"))  # as after `cd ~/.ssh; cd -`
    async with place_with_server(tmp_path) as made:
        made.write("home/.ssh/notes", f"canary={CANARY}\n")
        yield made


async def rules_needed(place: Place, line: str) -> str:
    """Return the first rules under which a line runs: "" for no question at all, else "proposed", "wide" or "ask"."""
    needs = await place.needs("bash", command=line)
    if not needs:
        return ""
    assert not hidden_parts(line, needs), f"the question does not show all of {line!r}"
    rules = {"proposed": PROPOSED, "wide": WIDE}
    return next((name for name in rules if decide(needs, rules[name]) == "allow"), "ask")


async def run_line(place: Place, before: dict[str, object], line: Trick) -> str:
    """Run a line if nobody is asked for it; return what is wrong with that."""
    text = place.filled(line.text)
    how = await rules_needed(place, text)
    if line.sign != "?" and (how == "ask" or (line.sign == "+" and how != "proposed")):
        return f"asked for: {text}"
    if how == "ask":
        return ""
    found, outcome = await place.effects("bash", before, command=text)
    if line.sign != "?" and outcome.is_error:
        found.append(outcome.text)
    return f"{text!r}: {', '.join(found)}" if found else ""


def steps(sample: int, wire: int) -> list[ParameterSet]:
    """Every so many lines: in seconds, in the wire lane, and all."""
    wired = pytest.param(wire, id="more", marks=pytest.mark.wire)
    return [pytest.param(sample, id="sample"), wired, pytest.param(1, id="all", marks=pytest.mark.slow)]


def counts(tricks: list[Trick]) -> dict[str, int]:
    return {sign: sum(trick.sign.startswith(sign) for trick in tricks) for sign in "+~?%ahr@"}


def test_the_tables_are_large_enough() -> None:
    tricks = sum(counts(some)[sign] for some in (LINES, PATHS, URLS) for sign in "?%ahr@")
    assert tricks >= 1_000
    assert len(EVERYDAY) >= 100
    assert len({(line.sign, line.text) for line in LINES}) == len(LINES)


@pytest.mark.parametrize("step", steps(60, 8))
async def test_a_line_that_runs_without_a_question_does_no_harm(place: Place, step: int) -> None:
    before = place.files()
    wrong = [await run_line(place, before, line) for line in LINES[::step] if line.sign != "@"]
    assert [text for text in wrong if text] == []


@pytest.mark.parametrize("step", steps(90, 8))
async def test_names_in_the_folder_do_not_become_options(place: Place, step: int) -> None:
    for name in HOSTILE_NAMES:
        (place.work / name).touch()
    before = place.files()
    wrong = [await run_line(place, before, Trick(*line[:1], "?", line.text)) for line in LINES[::step]]
    assert [text for text in wrong if text] == []


def allowed_paths(place: Place) -> tuple[Rule, ...]:
    own = (Rule(tool, f"{place.work}/*") for tool in FOLDER_TOOLS)
    return (*own, *(Rule(tool, f"{place.root}/out/open/*") for tool in ("read", "list")))


async def run_path(place: Place, trick: Trick) -> str:
    """Call a tool with a path if nobody is asked; return what is wrong with that."""
    tool, path, *rest = place.filled(trick.text).split("\t")
    arguments = {"path": path} | dict(part.split("=", 1) for part in rest if not part.startswith("link:"))
    needs = await place.needs(tool, **arguments)
    assert all(is_true(need, place, path) for need in needs), f"{path} is asked for as {needs}"
    is_asked = decide(needs, allowed_paths(place)) == "ask"
    if is_asked:
        return f"asked for: {trick.text}" if trick.sign == "+" else ""
    if trick.sign == "%":
        place.swap(path, rest[0])
    found, outcome = await place.effects(tool, place.files(), **arguments)
    harm = [one for one in found if not is_wanted(one, place)]
    is_shown = any(word in outcome.text for word in ("kept", "not open", "archive.sqlite3", "id_rsa", ".netrc\n"))
    harm += ["shown: what is outside"] if is_shown and trick.sign != "+" and not outcome.is_error else []
    harm += [outcome.text] if trick.sign == "+" and outcome.is_error else []
    return f"{trick.text!r}: {', '.join(harm)}" if harm else ""


def is_true(need: RequiredPermission, place: Place, path: str) -> bool:
    """Return whether a question names where the path really leads."""
    real = os.path.realpath(os.path.join(place.work, os.path.expanduser(path)))
    return re.sub(r"\d+", "", need.target).rstrip("/") == re.sub(r"\d+", "", real).rstrip("/")  # without thread's ids


def is_wanted(effect: str, place: Place) -> bool:
    """Return whether a change is one of a file in the working folder that no program runs."""
    name = effect.removeprefix("changed: ")
    return name.startswith(f"{place.work}/") and "/.git" not in name and ".env" not in name


@pytest.mark.parametrize("step", steps(16, 3))
@pytest.mark.long
async def test_a_path_means_what_was_asked_for(place: Place, step: int) -> None:
    wrong: list[str] = []
    for trick in PATHS[::step]:
        place.write("work/swap.txt", "harmless\n")
        place.write("work/swap/c.txt", "harmless\n")
        place.write("work/swap/kept.txt", "harmless\n")
        wrong.append(await run_path(place, trick))
        if (place.work / "aside").exists():
            for name in ("swap", "swap.txt"):
                if (place.work / name).is_symlink():
                    (place.work / name).unlink()
            shutil.rmtree(place.work / "aside", ignore_errors=True)
            (place.work / "aside").unlink(missing_ok=True)
    assert [text for text in wrong if text] == []


HERE = ip_address("127.0.0.1")
NAMES = {
    "both.test": ("127.0.0.1", "192.168.0.1"),
    "inside.test": ("10.1.2.3",),
    "mapped.test": ("::ffff:127.0.0.1",),
    "metadata.test": ("169.254.169.254",),
    "loopback.test": ("127.0.0.1",),
}


async def resolve(host: str, port: int) -> tuple[Address, ...]:
    """Return the addresses of the names above, and of numbers as the system reads them."""
    if host in NAMES:
        return tuple(map(ip_address, NAMES[host]))
    if host.endswith(".test"):
        raise NoSuchHost(f"There is no host {host}.")
    return await resolve_host(host, port)


async def resolve_here(host: str, port: int) -> tuple[Address, ...]:
    """Return this machine for each name under .test that is not named above: it stands for the public web."""
    return (HERE,) if host.endswith("test") and host not in NAMES else await resolve(host, port)


async def fetched(place: Place, tools: BuiltinTools, url: str) -> tuple[tuple[RequiredPermission, ...], bool]:
    """Fetch an address; return what was asked for, and whether a page came."""
    call, context = ToolCall("1", "web_fetch", json.dumps({"url": url})), ToolContext("one")
    needs = await tools.needs(call, context)
    if needs and decide(needs, WEB) == "ask":
        return needs, False
    *_, outcome = [piece async for piece in tools.run(call, context)]
    assert isinstance(outcome, ToolOutcome)
    assert CANARY not in outcome.text or CANARY in url
    return needs, not outcome.is_error


WEB = (Rule("web_fetch", "site.test"), Rule("web_fetch", "*.site.test"))


async def test_nothing_inside_is_reached_by_any_of_its_names(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "WEB", (Rule("web_fetch"),))
    tools = BuiltinTools([FetchTool(resolve, is_public)])
    came = [url for url in of_kind(place, "a") if (await fetched(place, tools, url))[1]]
    assert (came, place.connections) == ([], 0)


async def test_a_host_that_looks_like_an_allowed_one_is_not_reached(place: Place) -> None:
    tools = BuiltinTools([FetchTool(resolve_here, lambda address: address == HERE)])
    for url in of_kind(place, "h"):
        needs, _ = await fetched(place, tools, url)
        assert all(need.target in ascii_hosts(url) for need in needs), f"{url!r} is asked for as {needs}"
    for url in of_kind(place, "h+"):
        assert (await fetched(place, tools, url))[1], url
    assert {host_of(request) for request in place.requests} == {"site.test", "www.site.test"}


async def test_a_redirect_leads_to_no_other_host(place: Place) -> None:
    tools = BuiltinTools([FetchTool(resolve_here, lambda address: address == HERE)])
    url = f"http://site.test:{place.port}/redirect"
    for sign in ("r", "r+"):
        for location in of_kind(place, sign):
            place.location = location
            _, is_page = await fetched(place, tools, url)
            assert is_page or sign == "r", location
    assert {host_of(request) for request in place.requests} == {"site.test"}
    assert place.connections == len(place.requests)


def of_kind(place: Place, sign: str) -> list[str]:
    return [place.filled(url.text) for url in URLS if url.sign == sign]


def host_of(request: str) -> str:
    found = re.search(r"\r\nhost: ([^:\r]*)", request, re.IGNORECASE)
    return found[1].rstrip(".").lower() if found else request


def ascii_hosts(url: str) -> set[str]:
    """Return the host of an address as a question may name it."""
    host = (urlsplit(url).hostname or "").rstrip(".").lower()
    with suppress(UnicodeError):
        return {host, host.encode("idna").decode()}
    return {host}
