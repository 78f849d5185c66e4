"""What is asked for: secrets, by whatever tool and whatever words, and commands that do more than look."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from tool_calls import Desk

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import Rule, ToolContext, leads_to_other_host
from desktop_app.permissions.command_line import parse_commands
from desktop_app.permissions.rules import decide, suggest_pattern
from desktop_app.tools import path_policy
from desktop_app.tools.bash import BashTool, SandboxedArguments
from desktop_app.tools.path_policy import PathPolicy
from desktop_app.tools.sandbox.sandbox import Sandbox
from desktop_app.tools.tool import ToolFailed
from slowness import slowness

TOKEN = "oauth_token: gho_canary"
SECRETS = (
    *(".config/gh/hosts.yml", ".docker/config.json", ".cargo/credentials", ".cargo/credentials.toml", ".kube/config"),
    *(".local/share/keyrings/login.keyring", ".aws/config", ".config/gcloud/access_tokens.db", ".npmrc", ".pypirc"),
    *(".azure/msal_token_cache.json", ".netrc", ".git-credentials", ".config/git/credentials", "own.keys"),
    *(".password-store/mail.gpg", ".mozilla/firefox/x.default/logins.json", ".config/chromium/Default/Cookies"),
    ".config/google-chrome/Default/Login Data",
)
SHARED_FOLDERS = (".cargo", ".config/git/")
"""Folders that hold other things, too."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk whose working folder is the user's home."""
    monkeypatch.setenv("PALIMPSEST_KEYS_FILE", str(tmp_path / "work" / "own.keys"))
    desk = Desk(tmp_path)
    monkeypatch.setenv("HOME", str(desk.folder))
    for name in SECRETS:
        desk.file(name, TOKEN)
    desk.file(".config/app/settings.yml", "oauth: no\n")
    desk.file("notes.txt", "oauth is a protocol\n")
    return desk


@pytest.mark.parametrize("path", [".", "~", ".config/app/..", ".local", ".cargo"])
@pytest.mark.long
async def test_grep_shows_no_secret_wherever_it_begins(home: Desk, path: str) -> None:
    said = await home.call("grep", pattern="oauth", path=path)
    assert "gho_canary" not in said
    if path == ".":
        assert "notes.txt\n1: oauth is a protocol" in said
        assert ".config/app/settings.yml" in said


async def test_a_folder_of_secrets_is_searched_where_permission_was_given(home: Desk) -> None:
    [need] = await home.needs("grep", pattern="oauth", path=".config/gh")
    assert need.suggestion == ""
    assert "gho_canary" in await home.call("grep", pattern="oauth", path=".config/gh")


async def test_one_rule_for_every_tool(home: Desk) -> None:
    """Rules that allow everything in the home folder, and wide ones for commands, do not reach secrets."""
    rules = [Rule("*", f"{home.folder}/*"), Rule("bash", "cat *")]
    for name in SECRETS:
        folder, target = (home.folder / name).parent, Path(name).name
        link = home.folder / "harmless.txt"
        link.unlink(missing_ok=True)
        link.symlink_to(home.folder / name)
        asked = [await home.needs("read", path=name), await home.needs("grep", path=name, pattern="x")]
        path = str(folder)
        if folder != home.folder and not name.startswith(SHARED_FOLDERS):
            asked += [await home.needs("list", path=path), await home.needs("glob", path=path, pattern="*")]
        lines = (f"cat '{home.folder / name}'", "cat harmless.txt")
        commands = [await home.needs("bash", command=line) for line in lines]
        within = ToolContext("one", path)
        for word in (f"'{target}'", f"{target[:-2]}?{target[-1]}".replace(" ", "?")):
            call = ToolCall("1", "bash", json.dumps({"command": f"cat {word}"}))
            commands.append(await home.tools.needs(call, within))
        assert {decide(needs, rules) for needs in (*asked, *commands)} == {"ask"}, name
        assert {decide(needs, [Rule("bash", "*")]) for needs in commands} == {"allow"}, "who allows all commands"


async def test_a_pattern_that_would_take_for_ever_to_expand_requires_permission(home: Desk) -> None:
    began = time.monotonic()
    needs = await home.needs("bash", command="cat a/*/b/*/c/*/d/*/x.txt")
    assert time.monotonic() - began < 2 * slowness()
    assert decide(needs, [Rule("bash", "cat *")]) == "ask"


TABLE = Path(__file__).with_name("commands_executed.txt").read_text(encoding="utf-8").splitlines()
LINES = [line.split("\t", 1) for line in TABLE if line and line[0] not in "=#"]
SEEDS = [line.removeprefix("== ") for line in TABLE if line.startswith("== ")]
STORED = tuple(
    Rule("bash", f"{program} *")
    for program in (
        *("cat", "cd", "cut", "date", "diff", "echo", "egrep", "fd", "file", "grep", "head", "hostname", "jq", "ls"),
        *("od", "printenv", "printf", "ps", "pushd", "pwd", "pytest", "realpath", "rg", "sha256sum", "sort", "stat"),
        *("tail", "tree", "umask", "wc", "xxd", "git", "make"),
        *("gh auth", "gh pr", "git archive", "git blame", "git branch", "git cat-file", "git diff", "git foo"),
        *("git grep", "git log", "git ls-files", "git ls-remote", "git rev-parse", "git show", "git stash"),
        *("git status", "git tag", "git reflog", "git remote", "make test", "pip list"),
    )
)
"""Patterns that were proposed before only those for what looks were, and may be among a user's rules."""
PROPOSED = tuple(Rule("bash", suggest_pattern(command)) for seed in SEEDS for command in parse_commands(seed) or ())
"""What is proposed for "always" after each seed."""
TABLE_SECRETS = (
    *("work/.env", "work/server.pem", "work/credentials.json", "work/sub/server.pem", "home/.ssh/id_rsa"),
    *("home/.config/gh/hosts.yml", "home/.npmrc", "home/.aws/credentials", "home/.kube/config", "home/.netrc"),
    *("home/.docker/config.json", "home/.cargo/credentials.toml", "home/.local/share/keyrings/login.keyring"),
    *("home/.git-credentials", "home/.pypirc", "home/.gnupg/secring.gpg", "home/.bash_history"),
    "home/.mozilla/firefox/p/logins.json",
)


@pytest.mark.parametrize("rules", [PROPOSED, STORED], ids=["proposed", "stored"])
@pytest.mark.long
async def test_nothing_is_allowed_that_does_more_than_look(
    rules: tuple[Rule, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in (*TABLE_SECRETS, *("work/a.txt", "work/sub/c.txt", "home/notes.txt")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "work/link.md").symlink_to("../home/.netrc")
    bash, context = (
        BashTool(PathPolicy(tmp_path / "data"), Sandbox(tmp_path / "data")),
        ToolContext("one", str(tmp_path / "work")),
    )
    allowed: dict[str, list[str]] = {effect: [] for effect in ("w", "s", "ws", "-", "-+")}
    for effect, command in LINES:
        line = command.replace("{run}", f"{tmp_path}/work/runs.sh").replace("{out}", f"{tmp_path}/outside")
        line = line.replace("\\n", "\n") if "\\n/" in line or "\\ngit" in line else line
        if decide(await bash.needs(SandboxedArguments(line), context), rules) != "ask":
            allowed[effect].append(command)
    assert allowed["w"] + allowed["s"] + allowed["ws"] == []
    assert sum(effect[0] != "-" for effect, _ in LINES) >= 342, "lines that do something"
    plain = [command for effect, command in LINES if effect == "-+"]
    assert len(plain) > 60
    assert rules is STORED or allowed["-+"] == plain, "what looks is still allowed"


@pytest.mark.parametrize("path", [r"\\evil\share\x", "//evil/share/x", r"\\?\UNC\evil\share", r"/\evil\share\x"])
def test_on_windows_no_path_on_another_computer_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(path_policy, "IS_WINDOWS", True)
    desk, looked_at = Desk(tmp_path), list[str]()
    monkeypatch.setattr(path_policy.os.path, "realpath", lambda each, **_: looked_at.append(str(each)) or str(each))
    with pytest.raises(ToolFailed, match="another computer"):
        path_policy.resolve_path(path, ToolContext("c", str(desk.folder)))
    assert not looked_at


@pytest.mark.parametrize("path", ["x", r"\\nas\home\other\x"])
def test_the_working_folder_may_be_on_a_server(path: str) -> None:
    assert not leads_to_other_host(path, r"\\NAS\home\work")


@pytest.mark.parametrize("path", [r"\\nas\secret\x", r"\\nas2\home\x", "//nas/homes/x", r"\\.\pipe\x"])
def test_another_share_is_elsewhere(path: str) -> None:
    assert leads_to_other_host(path, r"\\NAS\home\work")
    assert leads_to_other_host(path, r"C:\Users\ann")
