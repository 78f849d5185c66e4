"""The sandbox of commands: what it keeps from them, what it leaves to them, and what is said of it."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from sandbox_attempts import Attempt, all_attempts, controls
from sandbox_world import World, make_confined, make_unconfined, world
from tool_calls import Desk

from desktop_app.conversation.tools import RequiredPermission, Rule
from desktop_app.permissions.rules import decide
from desktop_app.settings import Settings
from desktop_app.tools.sandbox import confinement, sandbox
from desktop_app.tools.sandbox.confinement import (
    Confinement,
    bubblewrap_options,
    confined_environment,
    mounted_inside,
    secret_places,
)
from desktop_app.tools.sandbox.sandbox import MACHINES, filter_program
from sandbox_here import why_not

SAMPLE = 70
needs_sandbox = pytest.mark.skipif(bool(why_not()), reason=why_not())
wire = pytest.mark.wire
WANTED = Confinement(
    folder="/home/me/work",
    writable=("/home/me/work", "/tmp/more"),
    temporary="/tmp/palimpsest/own",
    empty_file="/tmp/palimpsest/empty",
    hidden_folders=("/home/me/.ssh", "/home/me/.ssh/old", "/run/user/1", "/tmp/more/data"),
    hidden_files=("/home/me/.netrc", "/home/me/.ssh/id", "/tmp/else/socket"),
    guarded=("/home/me/work/.git/config", "/home/me/work/.vscode"),
    resolver="/run/resolve/stub",
)


def options(**changed) -> str:
    wanted = replace(WANTED, **changed)
    handles = {path: 20 + number for number, path in enumerate(mounted_inside(wanted))}
    return f" {' '.join(bubblewrap_options(wanted, handles))} "


def test_the_options_open_the_folders_and_close_the_rest() -> None:
    said = options()
    for part in ("--unshare-all --die", "--cap-drop ALL --ro-bind / /", "--new-session", "--chdir /home/me/work"):
        assert part in said
    assert "--share-net" not in said
    order = [
        *("--tmpfs /run", "--bind /tmp/palimpsest/own /tmp", "--bind /home/me/work /home/me/work "),
        *("--bind-fd 20 /home/me/work/.git ", "--ro-bind-fd 21 /home/me/work/.git/config "),
        *("--perms 0000 --tmpfs /home/me/.ssh ", "--ro-bind /tmp/palimpsest/empty /home/me/.netrc"),
    ]
    assert [said.index(part) for part in order] == sorted(said.index(part) for part in order)
    assert "--tmpfs /tmp/more/data" in said  # it is in a folder that is let into the own temporary one
    assert not [path for path in ("/.ssh/old", ".ssh/id", "/run/user", "/tmp/else") if path in said]


def test_the_network_and_single_secrets_are_given_when_they_are_allowed() -> None:
    said = options(has_network=True, readable=("/home/me/.ssh/id", "/home/me/.netrc"))
    assert "--unshare-all --share-net" in said
    assert "--ro-bind-try /run/resolve/stub /run/resolve/stub" in said
    opened, shown = (said.index(part) for part in ("0111 --tmpfs /home/me/.ssh ", "--ro-bind-try /home/me/.ssh/id "))
    assert opened < shown < said.index("--remount-ro /home/me/.ssh ")
    assert "/home/me/.netrc" not in said


KEPT = "PATH=/bin LANG=de KEYBOARD=de MONKEY=x PWD=/a OLDPWD=/b SSH_ASKPASS=/bin/x GIT_AUTHOR_NAME=x PASSENGER=x"
KEPT += " MAP_PATH=/c GIT_CONFIG_KEY_0=a.b HOMEPAGE=https://example.org/a@b no_proxy=a,b"
SECRET = (
    "GITHUB_TOKEN AWS_SECRET_ACCESS_KEY DB_PASSWORD openai_api_key DB_PASS MYSQL_PWD GH_PAT REDISCLI_AUTH STRIPE_KEY"
)
SECRET += " npm_config__auth SENTRY_DSN SIGNING_KEY SSH_KEYS SESSION_COOKIE GPG_PASSPHRASE SMTP_PASS MY_CREDENTIALS"
BY_VALUE = "DATABASE_URL=postgres://me:pass1@db/x FOO=sk-ant-0123456789abcdefghij REMOTE=https://me:ghp1@example.org/a"
BY_VALUE += " https_proxy=http://me:pass1@proxy:1 HTTP_PROXY=http://me:pass1@proxy:1 OPTIONS=--password=hunter22"
DOORS = "SSH_AUTH_SOCK DISPLAY DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR"


def test_the_environment_holds_no_secrets_and_no_doors() -> None:
    kept, by_value = (dict(pair.split("=", 1) for pair in text.split(" ")) for text in (KEPT, BY_VALUE))
    closed = dict.fromkeys(f"{SECRET} {DOORS}".split(), "x")
    found = confined_environment(kept | closed | by_value | {"TMPDIR": "/home/me/tmp"})
    assert kept.items() <= found.items()
    assert not closed.keys() & found.keys()
    assert not [value for value in by_value.values() if value in found.values()]
    assert found["TMPDIR"] == "/tmp"
    proxies = {name for name in by_value if "proxy" in name.lower()}
    assert dict(by_value.items() & confined_environment(by_value, has_network=True).items()).keys() == proxies


def test_the_filter_of_calls_exists_for_known_machines_only() -> None:
    assert filter_program(False, "vax") == b""
    for machine in MACHINES:
        assert len(filter_program(True, machine)) == len(filter_program(False, machine)) + 16  # one kind of socket


def test_secrets_are_found_by_their_names_in_any_case(tmp_path: Path) -> None:
    for name in (".SSH/id", ".config/BraveSoftware/x", ".config/app/Cookies", ".local/share/keyrings/a", "work/.env"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / ".aws").symlink_to(tmp_path / "dotfiles")
    folders, files = secret_places([str(tmp_path)], [str(tmp_path / "data")])
    ours = [path.removeprefix(f"{tmp_path}/") for path in (*folders, *files) if path.startswith(str(tmp_path))]
    assert {".SSH", ".config/BraveSoftware", ".local/share/keyrings", "dotfiles", ".config/app/Cookies"} <= set(ours)
    assert "work/.env" not in ours


def test_secrets_of_the_system_are_hidden_from_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = {"ssh_host_rsa_key": 0o600, "shadow.bak": 0o640, "host.keytab": 0o600, "pip.conf": 0o644, "hosts": 0o600}
    for name, mode in modes.items():
        (tmp_path / name).touch()
        (tmp_path / name).chmod(mode)
    monkeypatch.setattr(confinement, "SYSTEM_FOLDERS", (str(tmp_path),))
    _, files = secret_places([], [])
    hidden = {path.removeprefix(f"{tmp_path}/") for path in files if path.startswith(str(tmp_path))}
    assert hidden == {"ssh_host_rsa_key", "shadow.bak", "host.keytab"}


@needs_sandbox
async def test_a_command_works_in_its_folder_and_keeps_its_temporary_files(desk: Desk) -> None:
    odd = desk.folder / "a 'folder' with \"$(marks)\" \\ and ümlauts\n"
    odd.mkdir()
    desk.context = replace(desk.context, folder=str(odd))
    _, outcome = await desk.pieces("bash", '{"command": "echo one > a && echo two > /tmp/b && pwd"}')
    assert (outcome.sandbox, outcome.is_error) == ("closed", False)
    assert (odd / "a").read_text() == "one\n"
    assert await desk.call("bash", command="cat /tmp/b /var/tmp/b") == "two\ntwo\n[exit code 0]"
    assert not Path("/tmp/b").exists()
    desk.context = replace(desk.context, conversation="another")
    await desk.failure("bash", command="cat /tmp/b")
    assert "ended by signal SIGSEGV, exit code 139" in await desk.failure("bash", command="kill -SEGV $$")


@wire
@needs_sandbox
async def test_a_failure_says_that_it_was_the_sandbox_and_how_to_ask(desk: Desk) -> None:
    said = await desk.failure("bash", command="touch ~/.new-file")
    assert "Read-only file system" in said
    assert 'call it again with access "outside" or "network"' in said
    assert "sandbox" not in await desk.failure("bash", command="echo no; false")
    desk.settings = Settings(command_network="off")
    assert 'or "network"' not in await desk.failure("bash", command="touch ~/.new-file")
    assert "switched the network off" in await desk.failure("bash", command="true", access="network")


@needs_sandbox
async def test_what_goes_beyond_the_sandbox_is_asked_for_by_a_name_of_its_own(desk: Desk) -> None:
    anything = [Rule("bash", "*")]
    for access, name in (("", "bash"), ("network", "bash_network"), ("outside", "bash_outside")):
        needs = await desk.needs("bash", command="git push", access=access)
        assert needs == (RequiredPermission(name, "run", "git push", "git push"),)
        assert decide(needs, anything) == ("ask" if access else "allow")
        assert decide(needs, [*anything, Rule(name, "git push")]) == "allow"
        assert decide(needs, [Rule(name, "*"), Rule("bash", "git *", is_allowed=False)]) == "deny"
    desk.settings = Settings(command_network="allowed")
    assert [need.tool for need in await desk.needs("bash", command="git push", access="network")] == ["bash"]
    target = desk.folder.parent / "outside"
    _, outcome = await desk.pieces("bash", json.dumps({"command": f"touch {target}", "access": "outside"}))
    assert (outcome.sandbox, target.exists()) == ("outside", True)


@needs_sandbox
async def test_models_are_told_of_the_sandbox_where_there_is_one(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def offered() -> tuple[str, str]:
        return next((s.description, s.parameters) for s in await desk.tools.specs(desk.context) if s.name == "bash")

    description, parameters = await offered()
    assert "no network" in description
    assert '"enum":["","network","outside"]' in parameters.replace('"enum": ', '"enum":')
    desk.settings = Settings(is_sandboxed=False)
    assert "sandbox" not in str(await offered())
    desk.settings = Settings()
    monkeypatch.setattr(sandbox, "probe", lambda: sandbox.SandboxProbe(sandbox.NOT_INSTALLED))
    assert "sandbox" not in str(await offered())
    _, outcome = await desk.pieces("bash", '{"command": "echo as before"}')
    assert (outcome.sandbox, outcome.text) == ("missing", "as before\n[exit code 0]")


@wire
@needs_sandbox
async def test_the_user_types_commands_as_in_a_terminal(desk: Desk) -> None:
    desk.context = replace(desk.context, is_by_user=True)
    _, outcome = await desk.pieces("bash", f'{{"command": "touch {desk.folder.parent}/mine"}}')
    assert outcome.sandbox == ""
    assert (desk.folder.parent / "mine").exists()


@wire
@needs_sandbox
async def test_folders_that_hold_too_much_are_only_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(desk.folder / "me"))
    (desk.folder / "me").mkdir()
    assert "Read-only" in await desk.failure("bash", command="touch a")
    desk.context = replace(desk.context, folder=str(desk.data))
    assert "hidden in the sandbox" in await desk.failure("bash", command="true")
    monkeypatch.setenv("HOME", "/root")
    desk.context = replace(desk.context, folder=str(desk.folder.parent))  # it holds the data folder
    (desk.data / "keys.json").write_text("secret")
    assert await desk.call("bash", command="touch a && ls") == "a\ndata\nwork\n[exit code 0]"
    assert "Permission denied" in await desk.failure("bash", command="d=dat; ls ${d}a")


@wire
@needs_sandbox
async def test_a_secret_that_was_allowed_can_be_read_and_no_other(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (".ssh/config", ".ssh/id_rsa", ".netrc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    assert await desk.call("bash", command="cat ~/.ssh/config ~/.netrc") == ".ssh/config.netrc\n[exit code 0]"
    said = await desk.failure("bash", command="cat ~/.ssh/config; x=id; cat ~/.ssh/${x}_rsa ~/.net${y}rc")
    assert said.startswith(".ssh/configcat: ")
    assert ".ssh/id_rsa\n" not in said
    assert ".netrc\n" not in said


@wire
@needs_sandbox
async def test_other_folders_of_the_settings_can_be_written(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    desk.settings = Settings(writable_folders=(str(tmp_path / "more"), str(tmp_path / "gone"), "/"))
    await desk.call("bash", command=f"touch {tmp_path}/more/a")
    assert (tmp_path / "more" / "a").exists()
    await desk.call("bash", command=f"touch {tmp_path}/b")  # in its own temporary folder
    assert not (tmp_path / "b").exists()


@wire
@needs_sandbox
async def test_git_works_but_what_it_runs_cannot_be_changed(desk: Desk) -> None:
    commit = "git -c user.email=a@b -c user.name=a commit -qm one"
    modules = desk.folder / ".git" / "modules"
    submodules = [modules / name for name in ("one", "third/party", "third/party/modules/of/theirs")]
    for folder in (desk.folder, desk.folder / "inner", *submodules):
        bare = ("--bare",) if folder in submodules else ()
        subprocess.run(["git", "init", "-q", *bare, str(folder)], check=True)
        shutil.rmtree(folder / "hooks" if bare else folder / ".git" / "hooks")
    await desk.call("bash", command=f"echo 1 > a && git add a && {commit} && git branch two && git checkout -q two")
    for folder in (".git", "inner/.git", *(path.relative_to(desk.folder) for path in submodules)):
        for command in (
            f"echo x > {folder}/hooks/pre-commit",
            f"echo x >> {folder}/config",
            f"mv {folder} {folder}2",
            f"rm -rf {folder}/hooks && mkdir {folder}/hooks",
            f"git --git-dir {folder} config core.fsmonitor x",
        ):
            await desk.failure("bash", command=command)
    await desk.failure("bash", command="mv inner other")
    assert list((desk.folder / ".git" / "hooks").iterdir()) == []


@wire
@needs_sandbox
async def test_with_network_programs_of_this_machine_still_are_out_of_reach(desk: Desk) -> None:
    code = "import socket; socket.create_server(('', 0)); socket.socketpair(); print('so far'); socket.socket(1)"
    desk.settings = Settings(command_network="allowed")
    _, outcome = await desk.pieces("bash", json.dumps({"command": f'{sys.executable} -c "{code}"'}))
    assert outcome.sandbox == "network"
    assert "so far" in outcome.text
    assert "Operation not permitted" in outcome.text
    interfaces = json.dumps({"command": "cat /proc/net/dev"})
    with_network = (await desk.pieces("bash", interfaces))[1].text
    desk.settings = Settings()
    assert (await desk.pieces("bash", interfaces))[1].text.count(":") < with_network.count(":")


@needs_sandbox
async def test_commands_that_start_at_once_share_one_folder_and_a_whole_filter(tmp_path: Path) -> None:
    (work := tmp_path / "work").mkdir()
    own, argv = sandbox.Sandbox(tmp_path / "data"), ("true",)
    try:
        first = await asyncio.gather(*(own.confine(argv, work, {}, sandbox.Rights(f"c{n}")) for n in range(12)))
        filters = {next(word for word in one.argv if "/filter-" in word) for one in first}
        assert len(filters) == 1
        written = Path(filters.pop()).stat()
        await own.confine(argv, work, {}, sandbox.Rights("c1"))
        after = Path(next(word for word in first[0].argv if "/filter-" in word)).stat()
        assert (after.st_ino, after.st_mtime_ns) == (written.st_ino, written.st_mtime_ns), "another may be reading it"
    finally:
        own.close()


@needs_sandbox
async def test_its_temporary_files_go_with_the_engine(desk: Desk) -> None:
    one = sandbox.Sandbox(desk.data)
    left = one._root()
    dead = left.with_name("palimpsest-999999999-left")
    dead.mkdir()
    one.close()
    sandbox.Sandbox(desk.data)._root()
    assert not left.exists()
    assert not dead.exists()


def confined(one: World, attempts: list[Attempt]) -> list[Attempt]:
    file, before = one.prepare(attempts), one.look(attempts)
    outcome = make_confined(one, file)
    assert (outcome.sandbox, outcome.is_error) == ("closed", False), outcome.text
    made = {path.name for path in (file.parent / "out").iterdir()}
    assert made == {str(attempt.number) for attempt in attempts}  # each was executed
    return one.succeeded(attempts, before)


def unconfined(one: World, attempts: list[Attempt]) -> list[Attempt]:
    file, before = one.prepare(attempts), one.look(attempts)
    make_unconfined(file)
    return one.succeeded(attempts, before)


def sample() -> tuple[list[Attempt], list[Attempt]]:
    """Some of the attempts, and some of the controls: others in each run, of each kind."""
    chosen = random.Random().sample(all_attempts(), SAMPLE)
    return chosen, random.Random().sample(controls(), SAMPLE // 2)


@needs_sandbox
@pytest.mark.parametrize(
    "is_whole", [pytest.param(False, marks=pytest.mark.wire), pytest.param(True, marks=pytest.mark.slow)]
)
def test_no_attempt_has_its_effect_but_without_the_sandbox_all_have(
    monkeypatch: pytest.MonkeyPatch, is_whole: bool
) -> None:
    attempts, control = (all_attempts(), controls()) if is_whole else sample()
    assert len(all_attempts()) > 700
    with world(monkeypatch) as one:
        assert confined(one, attempts) == []
    if subprocess.run(["id", "-u"], capture_output=True, check=True).stdout != b"0\n":
        return  # who is not root cannot do all of it without the sandbox either
    with world(monkeypatch) as one:
        assert unconfined(one, control) == control
