"""Commands that patterns allow unasked: none of them does more than look."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.conversation.tools import Rule, ToolContext
from desktop_app.permissions.command_line import parse_commands
from desktop_app.permissions.rules import decide, suggest_pattern
from desktop_app.tools.bash import BashArguments, BashTool
from desktop_app.tools.path_policy import PathPolicy

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
SECRETS = (
    *("work/.env", "work/server.pem", "work/credentials.json", "work/sub/server.pem", "home/.ssh/id_rsa"),
    *("home/.config/gh/hosts.yml", "home/.npmrc", "home/.aws/credentials", "home/.kube/config", "home/.netrc"),
    *("home/.docker/config.json", "home/.cargo/credentials.toml", "home/.local/share/keyrings/login.keyring"),
    *("home/.git-credentials", "home/.pypirc", "home/.gnupg/secring.gpg", "home/.bash_history"),
    "home/.mozilla/firefox/p/logins.json",
)


@pytest.mark.parametrize("rules", [PROPOSED, STORED], ids=["proposed", "stored"])
async def test_nothing_is_allowed_that_does_more_than_look(
    rules: tuple[Rule, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in (*SECRETS, *("work/a.txt", "work/sub/c.txt", "home/notes.txt")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "work/link.md").symlink_to("../home/.netrc")
    bash, context = BashTool(PathPolicy(tmp_path / "data")), ToolContext("one", str(tmp_path / "work"))
    allowed: dict[str, list[str]] = {effect: [] for effect in ("w", "s", "ws", "-", "-+")}
    for effect, command in LINES:
        line = command.replace("{run}", f"{tmp_path}/work/runs.sh").replace("{out}", f"{tmp_path}/outside")
        line = line.replace("\\n", "\n") if "\\n/" in line or "\\ngit" in line else line
        if decide(await bash.needs(BashArguments(line), context), rules) != "ask":
            allowed[effect].append(command)
    assert allowed["w"] + allowed["s"] + allowed["ws"] == []
    assert sum(effect[0] != "-" for effect, _ in LINES) >= 342, "lines that do something"
    plain = [command for effect, command in LINES if effect == "-+"]
    assert len(plain) > 60
    assert rules is STORED or allowed["-+"] == plain, "what looks is still allowed"
