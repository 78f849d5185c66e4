"""A folder in which command lines are run for real, and what they have done there: written, run, or shown."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from desktop_app.tools.child_process import clean_environment

TABLE = Path(__file__).with_name("commands_executed.txt")
SECRET = "canary-secret"
SECONDS = 30
RUN = "work/runs.sh"
SECRETS = (
    *("work/.env", "work/server.pem", "work/credentials.json", "work/sub/server.pem", "home/.ssh/id_rsa"),
    *("home/.config/gh/hosts.yml", "home/.npmrc", "home/.aws/credentials", "home/.kube/config", "home/.netrc"),
    *("home/.docker/config.json", "home/.cargo/credentials.toml", "home/.local/share/keyrings/login.keyring"),
    *("home/.git-credentials", "home/.pypirc", "home/.gnupg/secring.gpg", "home/.bash_history"),
    "home/.mozilla/firefox/p/logins.json",
)
HARMLESS = {
    "work/a.txt": "one\ntwo\nthree\n",
    "work/b.txt": "one\nfour\n",
    "work/a.json": "{}\n",
    "work/sub/c.txt": "one\n",
    "work/opt/-omade": "x\n",
    "work/opt/x.txt": "x\n",
    "work/magic.txt": "0 string one x\n",
    "work/Makefile": "test:\n\t@true\n",
    "work/evil/Makefile": "test:\n\t@{run}\n",
    "work/evil/evil.py": "import subprocess\nsubprocess.run(['{run}'])\n",
    "work/evil.py": "import subprocess\nsubprocess.run(['{run}'])\n",
    "work/evil.ini": "[pytest]\naddopts = -p evil\n",
    "work/evil/conftest.py": "import evil\n",
    "work/evil/setup.py": "import subprocess\nsubprocess.run(['{run}'])\n",
    "home/notes.txt": "notes\n",
    "home/.gitconfig": "[user]\nname = x\nemail = x@example.com\n[init]\ndefaultBranch = main\n[safe]\ndirectory = *\n",
}
PROGRAMS = {
    "work/runs.sh": "#!/bin/sh\n: > '{folder}/executed'\nexit 0\n",
    "work/canary.sh": ": > '{folder}/executed'\n",
    "work/evil/cat": "#!/bin/sh\n{run}\n",
    "work/evil/git": "#!/bin/sh\n{run}\n",
    "work/evil/git-status": "#!/bin/sh\n{run}\n",
    "work/evil/hooks/post-checkout": "#!/bin/sh\n{run}\n",
}
STAND_INS = {
    "pytest": f'#!/bin/sh\nexec "{sys.executable}" -m pytest -q "$@"\n',
    "hostname": "#!/bin/sh\n[ $# = 0 ] && exec /bin/uname -n\n"
    'cat ${2:+"$2"} "{folder}/work/a.txt"; : > "{folder}/named"\n',
    "date": '#!/bin/sh\nfor word; do case $word in -s*|--s*|[0-9]*) : > "{folder}/clock"; exit;; esac; done\n'
    'exec /bin/date "$@"\n',
    "pip": '#!/bin/sh\ncase $1 in download|wheel) for last; do :; done; exec python3 "$last/setup.py";;\n'
    'config) : > "{folder}/pip.conf.made";; *) echo listed;; esac\n',
    "gh": '#!/bin/sh\ncase "$*" in "auth token"*|*--show-tok*|*" -t"*) echo canary-secret;;\n'
    '"pr list"|"auth status") echo listed;; *) : > "{folder}/changed";; esac\n',
    "rg": '#!/bin/sh\nfor word; do case $last$word in --pre=*|--hostname-bin=*) exec "${{word#*=}}";;\n'
    '--pre?*) exec "$word";; esac; last=; [ "$word" = --pre ] && last=--pre; done\n'
    'case $* in *--hidden*) exec grep -r canary "{folder}/home";; *) exec grep -r canary .;; esac\n',
    "fd": '#!/bin/sh\nfor word; do [ "$run" ] && exec "$word"; case $word in -*[xX]|--exec*) run=1;; esac; done\n',
    "tree": '#!/bin/sh\nfor word; do case $word in -*o*) : > "{folder}/work/made";; esac; done\n',
    "xxd": '#!/bin/sh\nfor last; do :; done\n[ $# -gt 1 ] && : > "$last"\n',
}
"""For what is not there on every machine, and for what would change the machine."""


class Effect(msgspec.Struct, frozen=True):
    """What a command has done: changed a file (what it ran leaves one behind, too), or shown a secret."""

    changed: tuple[str, ...]
    has_shown: bool

    @property
    def letters(self) -> str:
        """As in the table: w, s, ws, or - for nothing."""
        return ("w" if self.changed else "") + ("s" if self.has_shown else "") or "-"


class Case(msgspec.Struct, frozen=True):
    """A line of the table. seed: the command for which a pattern was allowed. is_plain: it must not be asked for."""

    seed: str
    command: str
    effect: str
    is_plain: bool


def cases() -> Iterator[Case]:
    """Every line of the table."""
    seed = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            seed = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            effect, _, command = line.partition("\t")
            yield Case(seed, command, effect.rstrip("+"), effect.endswith("+"))


class Sandbox:
    """A home, a working folder under version control, secrets, and programs that tell that they were run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pattern = folder / "pattern"
        self._make(self.pattern)
        self._count = 0

    def line_of(self, case: Case, place: str = "{folder}") -> str:
        """The command as it is run in that place."""
        line = case.command.replace("{run}", f"{place}/{RUN}").replace("{out}", f"{place}/outside")
        return line.replace("\\n", "\n") if "\\n/" in line or "\\ngit" in line or "\\n{" in line else line

    def run(self, case: Case) -> Effect:
        """Runs the command in a copy of its own, and says what it did. Its parent has a key in its environment."""
        self._count += 1
        place = self.folder / f"{self._count:04}"
        shutil.copytree(self.pattern, place, symlinks=True)
        self._name_in(place)
        before = snapshot(place)
        environment = clean_environment(
            {
                "PATH": f"{place}/bin:{os.environ['PATH']}",
                "HOME": f"{place}/home",
                "LC_ALL": "C",
                "SHELL": "/bin/sh",
                "GITHUB_TOKEN": SECRET,
                "SECRET_FILE": ".env",
                "RUN": f"{place}/{RUN}",
            }
        )
        argv = ("sh", "-c", 'env -u ENGINE_KEY bash -c "$0"; :', self.line_of(case, str(place)))
        done = subprocess.run(
            argv,
            cwd=place / "work",
            env={**environment, "ENGINE_KEY": SECRET},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
        after = snapshot(place)
        changed = tuple(sorted(path for path in before.keys() | after if before.get(path) != after.get(path)))
        shutil.rmtree(place)
        return Effect(changed, SECRET.encode() in done.stdout)

    def _make(self, place: Path) -> None:
        for name in SECRETS:
            _write(place / name, SECRET + "\n")
        for name, text in {**HARMLESS, **PROGRAMS}.items():
            _write(place / name, text, name in PROGRAMS)
        for name, text in STAND_INS.items():
            _write(place / "bin" / name, text, True)
        _write(place / "work/big.txt", "".join(f"{n * 7919 % 99991} line\n" for n in range(60_000)))
        _write(place / "outside/precious", "precious\n")
        (place / "work/link.md").symlink_to("../home/.netrc")
        for argv in (
            ("init", "-q", "--template="),
            ("config", "alias.runs", "!{run}"),
            ("config", "gpg.program", "{run}"),
            ("config", "diff.external", "{run}"),
            ("add", "a.txt", "b.txt", "Makefile"),
            ("commit", "-qm", "first"),
            ("add", "-f", ".env", "sub"),
            ("commit", "-qm", "second"),
            ("branch", "other"),
            ("tag", "v1"),
            ("remote", "add", "origin", "../outside"),
        ):
            _git(place, place / "work", *argv)
        _write(place / "work/hostile/x", "x\n")
        _git(place, place / "work/hostile", "init", "-q", "--template=")
        _git(place, place / "work/hostile", "config", "core.fsmonitor", "{run}")
        _write(place / "work/a.txt", "one\ntwo\nthree\nfour\n")
        subprocess.run(("tar", "cf", "x.tar", "a.txt"), cwd=place / "work", check=True)

    def _name_in(self, place: Path) -> None:
        """Writes where it is into the programs and settings of a copy."""
        files = (*PROGRAMS, *HARMLESS, *(f"bin/{name}" for name in STAND_INS))
        for name in (*files, "work/.git/config", "work/hostile/.git/config"):
            text = (place / name).read_text()
            text = text.replace("{run}", f"{place}/{RUN}").replace("{folder}", str(place)).replace("{{", "{")
            (place / name).write_text(text.replace("}}", "}"))


def snapshot(folder: Path) -> dict[str, str]:
    """Every file below it, with what is in it."""
    found: dict[str, str] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
    return found


def _git(place: Path, folder: Path, *arguments: str) -> None:
    environment = {**os.environ, "HOME": str(place / "home"), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(("git", *arguments), cwd=folder, env=environment, check=True, capture_output=True)


def _write(path: Path, text: str, runs: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755 if runs else 0o644)
