"""What a program in the sandbox sees and may do, and the arguments of bubblewrap for it.

Files with secrets are hidden; some folders are read-only, among them what git runs or reads settings from in an
existing repository.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from desktop_app.context.masking import mask_secrets
from desktop_app.conversation.words import lexicon
from desktop_app.permissions.secret_paths import ENDINGS, FOLDERS, is_secret
from desktop_app.tools.path_policy import STARTS_PROGRAMS

REPLACED = ("/dev", "/proc", "/run", "/tmp", "/var/tmp")
"""Folders of which the sandbox has its own: devices, processes, sockets of services, temporary files."""
READ_ONLY_STATE = ("/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/fs", "/proc/scsi")
"""Settings of the kernel: root may write them in any namespace, without a capability."""
RUNNING_SYSTEM = ("/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers")
"""Programs and libraries of NixOS."""
_SECRET_VARIABLE = re.compile(
    r".*(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|COOKIE).*"
    r"|.*_(PASS|PWD|PAT|PIN|AUTH|KEY|DSN)S?",
    re.IGNORECASE,
)
_PROXY = re.compile(r"(https?|all|ftp)_proxy", re.IGNORECASE)
"""Variables whose passwords programs need that use the network."""
_DOORS = lexicon(
    "SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS DISPLAY"
    " WAYLAND_DISPLAY WAYLAND_SOCKET XAUTHORITY ICEAUTHORITY SESSION_MANAGER DESKTOP_STARTUP_ID XDG_RUNTIME_DIR"
    " PULSE_SERVER DOCKER_HOST CONTAINER_HOST TMUX STY KRB5CCNAME GNOME_KEYRING_CONTROL VSCODE_IPC_HOOK_CLI"
    " VSCODE_GIT_IPC_HANDLE"
)
"""Variables that lead to agents, the desktop, and services, all of which are closed."""
CACHES = "/tmp/.cache"
CACHE_VARIABLES = {"GOCACHE": "go-build", "npm_config_cache": "npm", "UV_CACHE_DIR": "uv", "PIP_CACHE_DIR": "pip"}
"""Where programs keep caches, which they must be able to write; those of the user are only read."""


class Confinement(msgspec.Struct, frozen=True):
    """One program's rights. Paths are absolute, exist, and are without links, but for those to the folder."""

    folder: str
    """Where it runs."""
    writable: tuple[str, ...]
    """Folders; what is in none of them can only be read."""
    temporary: str
    """The folder that is its /tmp and /var/tmp."""
    empty_file: str
    """Shown in place of a file that is hidden."""
    has_network: bool = False
    hidden_folders: tuple[str, ...] = ()
    hidden_files: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    """What may be read although it is in a hidden folder, or is a hidden file: the user has allowed it."""
    guarded: tuple[str, ...] = ()
    """Files and folders in the writable ones that cannot be written."""
    kept: tuple[str, ...] = ()
    """Folders in the writable ones that can be written, but neither removed nor renamed."""
    caches: str = ""
    """The folder that is its /tmp/.cache, if it is kept for the next start."""
    resolver: str = ""
    """The file with the addresses of name servers, where it is in a replaced folder."""


def bubblewrap_options(wanted: Confinement, handles: Mapping[str, int]) -> tuple[str, ...]:
    """Return the options of bubblewrap but for --disable-userns and --seccomp. Later ones cover earlier ones.

    handles: of `mounted_inside`; what has none is not mounted.
    """
    is_let_in = _within(wanted.folder, REPLACED) and not _within(wanted.folder, wanted.writable)
    seen = (*wanted.writable, wanted.folder) if is_let_in else wanted.writable
    hidden = tuple(_outermost(path for path in wanted.hidden_folders if _is_visible(path, seen)))
    files = [path for path in wanted.hidden_files if _is_visible(path, seen) and not _within(path, hidden)]
    shown = [path for path in wanted.shown if _within(path, hidden) or not _is_visible(path, seen)]
    return (
        *("--unshare-user", "--unshare-all", *(("--share-net",) if wanted.has_network else ())),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(word for path in READ_ONLY_STATE for word in ("--ro-bind-try", path, path)),
        *("--tmpfs", "/run", "--bind", wanted.temporary, "/tmp", "--bind-try", wanted.temporary, "/var/tmp"),
        *(("--bind", wanted.caches, CACHES) if wanted.caches else ()),
        *(word for path in RUNNING_SYSTEM for word in ("--ro-bind-try", path, path)),
        *(("--ro-bind-try", wanted.resolver, wanted.resolver) if wanted.resolver and wanted.has_network else ()),
        *(("--ro-bind", wanted.folder, wanted.folder) if is_let_in else ()),
        *(word for path in sorted(wanted.writable) for word in ("--bind", path, path)),
        *_guards(wanted, handles),
        *(word for path in hidden for word in _hidden_folder(path, wanted.shown)),
        *(word for path in files if path not in wanted.shown for word in ("--ro-bind", wanted.empty_file, path)),
        *(word for path in shown for word in ("--ro-bind-try", path, path)),
        *(word for path in hidden if path not in wanted.shown for word in ("--remount-ro", path)),
        *("--chdir", wanted.folder),
    )


def confined_environment(environment: Mapping[str, str], has_network: bool = False) -> dict[str, str]:
    """Return the environment without secrets, and without ways to services. In other variables, what looks like a
    secret is masked.

    has_network: keep what leads through proxies, also with a password.
    """
    kept = {
        name: value if has_network and _PROXY.fullmatch(name) else mask_secrets(value)
        for name, value in environment.items()
        if name not in _DOORS and not _SECRET_VARIABLE.fullmatch(name)
    }
    return kept | {"TMPDIR": "/tmp"} | {name: f"{CACHES}/{folder}" for name, folder in CACHE_VARIABLES.items()}


def is_within(path: str, folder: str) -> bool:
    """Return whether a path is that folder, or in it; both are absolute and without links."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(is_within(path, folder) for folder in folders)


def _is_visible(path: str, let_in: Sequence[str]) -> bool:
    """Return whether there is something to hide: not in a folder that is replaced, unless a part of it was let in."""
    return not _within(path, REPLACED) or _within(path, let_in)


def _outermost(paths: Iterable[str]) -> Iterator[str]:
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda path: (path.count("/"), path)):
        if not _within(path, kept):
            kept.append(path)
            yield path


def mounted_inside(wanted: Confinement) -> tuple[str, ...]:
    """Return what is mounted within the writable folders: what cannot be written, and the folders above it."""
    return (*_pinned(wanted), *sorted(wanted.guarded))


def _pinned(wanted: Confinement) -> tuple[str, ...]:
    """Return what is kept, and the folders above that and above what cannot be written. They are mounted, too: a folder
    could be renamed otherwise, with what is mounted in it, and another one be put into its place."""
    pinned = set(wanted.kept)
    for path in (*wanted.kept, *wanted.guarded):
        above = os.path.dirname(path)
        while _within(above, wanted.writable) and above not in wanted.writable:
            pinned.add(above)
            above = os.path.dirname(above)
    return tuple(sorted(pinned))


def _guards(wanted: Confinement, handles: Mapping[str, int]) -> Iterator[str]:
    for option, paths in (("--bind-fd", _pinned(wanted)), ("--ro-bind-fd", sorted(wanted.guarded))):
        for path in paths:
            if path in handles:
                yield from (option, str(handles[path]), path)


def _hidden_folder(path: str, shown: Sequence[str]) -> tuple[str, ...]:
    """Return the options for a folder that cannot be listed; nor entered, if nothing in it is shown."""
    if path in shown:
        return ()
    return ("--perms", "0111" if any(is_within(one, path) for one in shown) else "0000", "--tmpfs", path)


SETTINGS = ("config", "config.worktree")
STORES = ("objects", "refs")
"""Without one of these folders a repository is none, and git takes the folder around it, or one above, for another."""
COMMON = "commondir"
"""The file by which git finds the settings elsewhere. A repository that has none is given one that leads to itself."""
TO_ITSELF = "./\n"
"""With a slash, since libgit2 takes "." for the folder in which its own process works, and finds no repository."""
MAX_FOLDERS = 5_000
MAX_READ = 200_000
"""Bytes of a file of settings."""
MAX_INCLUDED = 20
_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"([\w-]+)\s*=\s*(.*)")
_INCLUDE = re.compile(r"include(if\..*)?\.path")
_FOLDER = "core.hookspath"
_PROGRAM = re.compile(
    r"core\.(fsmonitor|sshcommand|editor|pager|askpass|gitproxy)|sequence\.editor|interactive\.difffilter"
    r"|(filter|diff|difftool|merge|mergetool|gpg|credential|pager)\..*",
)
"""Settings whose values are command lines."""


def guarded_in_repository(path: str) -> Iterator[str]:
    """Yield what is to be read only, of a `.git` that is a folder, beside the working tree in which it lies.

    Folders of hooks are made if there are none, as git does: what is not there cannot be guarded.
    """
    tree = os.path.dirname(path)
    for place, own_tree in ((path, tree), *_submodules(path)):
        if is_repository(place):
            _make_folder(os.path.join(place, "hooks"))
        if "worktreeconfig" in _read(os.path.join(place, "config")).lower():
            for one in (place, *_worktrees(place)):
                _make_file(os.path.join(one, "config.worktree"))
        yield from (os.path.join(place, name) for name in ("hooks", *SETTINGS, COMMON))
        yield from (os.path.join(one, name) for one in _worktrees(place) for name in (COMMON, "config.worktree"))
        if own_tree:
            yield from ([os.path.join(own_tree, ".git")] if own_tree != tree else [])
            yield from _named_in_settings(place, own_tree)


def repositories(path: str) -> Iterator[str]:
    """Yield a `.git` folder and those of its submodules, as far as they are repositories."""
    yield from (place for place, _ in ((path, ""), *_submodules(path)) if is_repository(place))


def is_repository(place: str) -> bool:
    """Return whether git would take a folder for a repository."""
    return os.path.isfile(os.path.join(place, "HEAD")) and all(
        os.path.isdir(os.path.join(place, name)) for name in STORES
    )


def _submodules(path: str) -> Iterator[tuple[str, str]]:
    """Yield the repositories of submodules, which git names by their paths, and of theirs; with their working trees, or
    "" for those that have none."""
    for count, (folder, inside, files) in enumerate(os.walk(os.path.join(path, "modules"))):
        if count > MAX_FOLDERS:
            return
        if "HEAD" in files:
            trees = (value for key, value in settings_of(os.path.join(folder, "config")) if key == "core.worktree")
            yield folder, next((os.path.normpath(os.path.join(folder, tree)) for tree in trees), "")
            inside[:] = [name for name in inside if name == "modules"]


def _named_in_settings(place: str, tree: str) -> Iterator[str]:
    """Yield what settings name in the working tree: further settings, the folder of hooks, programs."""
    own = (os.path.join(place, name) for name in SETTINGS)
    of_user = ("/etc/gitconfig", str(Path.home() / ".gitconfig"), str(Path.home() / ".config/git/config"))
    for key, value, file in _all_settings([*of_user, *own]):
        if _INCLUDE.fullmatch(key):
            yield _path_of(value, os.path.dirname(file))
        elif key == _FOLDER:
            yield (folder := _path_of(value, tree))
            if os.path.realpath(folder).startswith(os.path.realpath(tree) + "/"):
                _make_folder(folder)
        elif _PROGRAM.fullmatch(key):
            yield from filter(os.path.isfile, (_path_of(word, tree) for word in re.split(r"[\s'\"!;&|=]+", value)))


def _all_settings(files: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the settings of files, and of those that they include, with the file of each."""
    seen: set[str] = set()
    while files and len(seen) < MAX_INCLUDED:
        if (file := files.pop()) in seen:
            continue
        seen.add(file)
        for key, value in settings_of(file):
            yield key, value, file
            if _INCLUDE.fullmatch(key):
                files.append(_path_of(value, os.path.dirname(file)))


def settings_of(file: str) -> Iterator[tuple[str, str]]:
    """Yield the settings of a file, their names as in `core.hookspath`."""
    section = ""
    for line in _read(file).splitlines():
        rest = line.strip()
        if found := _SECTION.match(rest):
            section = ".".join(filter(None, (found[1].lower(), found[2])))
            rest = rest[found.end() :].strip()
        if found := _SETTING.match(rest):
            value = re.split(r"\s[#;]", found[2])[0].strip().replace('\\"', "'").replace('"', "")
            yield f"{section}.{found[1].lower()}", value.replace("\\\\", "\\")


def _path_of(value: str, folder: str) -> str:
    return os.path.normpath(os.path.join(folder, os.path.expanduser(value)))


def _read(file: str) -> str:
    try:
        with open(file, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as opened:
            is_file = stat.S_ISREG(os.fstat(opened.fileno()).st_mode)  # not a pipe, whose end may never come
            return os.fsdecode(opened.read(MAX_READ)) if is_file else ""
    except (OSError, ValueError):
        return ""


def _worktrees(place: str) -> list[str]:
    """Return what a repository holds of further working trees."""
    folder = os.path.join(place, "worktrees")
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)[:MAX_FOLDERS]]
    except OSError:
        return []


def _make_folder(path: str) -> None:
    try:
        os.mkdir(path)
    except OSError:  # it is there; or a folder that cannot be written: then nothing can be put there
        return


def _make_file(path: str) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    except OSError:  # as above
        return


SYSTEM_SECRETS = (
    *("/var/lib/AccountsService", "/var/spool/cron", "/var/mail", "/etc/NetworkManager/system-connections"),
    "/var/lib/NetworkManager",
    *(f"/{name}" for name in FOLDERS if name.startswith(("etc/", "var/"))),
)
SYSTEM_FOLDERS = (
    "/etc",
    "/etc/ssh",
    "/etc/dropbear",
    "/etc/ppp",
    "/etc/security",
    "/etc/wpa_supplicant",
    "/var/backups",
)
"""In which root finds files with secrets, among others. What everyone may read there, such as pip.conf, is none."""
GIT = ".git"
VERSION_CONTROL = {
    GIT: (),
    ".hg": ("hgrc",),
    ".svn": (),
    ".jj": ("repo/config.toml",),
}
"""In these folders, what starts programs: the rest changes with each commit. For git, see `guarded_in_repository`."""
MAX_NAMES = 5_000
"""Of one folder that is looked through."""
SOCKETS = Path("/proc/net/unix")
_SOCKET = re.compile(r"^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (/.*)$", re.MULTILINE)


def home_folders() -> tuple[str, ...]:
    """Return the home folder, and those of others, which only root can read."""
    homes = [str(Path.home()), "/root", *(entry.path for entry in _entries("/home"))]
    return tuple(dict.fromkeys(os.path.realpath(home) for home in homes if os.access(home, os.R_OK | os.X_OK)))


def secret_places(homes: Iterable[str], ours: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders and the files that are hidden: by the names that permissions/secret_paths.py lists, in each
    home, its hidden folders and those where programs keep settings; those of the system; sockets.

    ours: the data folder and the file of keys.
    """
    found = {*ours, *SYSTEM_SECRETS, *sockets()}
    for folder in SYSTEM_FOLDERS:
        found.update(entry.path for entry in _entries(folder) if is_secret(entry.path) and not _is_for_all(entry))
    for home in homes:
        for folder in _folders_looked_through(home):
            found.update(entry.path for entry in _entries(folder) if is_secret(entry.path))
    folders: set[str] = set()
    files: set[str] = set()
    for path in map(os.path.realpath, found):
        if os.path.isdir(path):
            folders.add(path)
        elif os.path.exists(path):
            files.add(path)
    return tuple(sorted(folders)), tuple(sorted(files))


def sockets() -> Iterator[str]:
    """Yield the files of sockets that are open on this machine: whoever can reach one can talk to its program."""
    try:
        yield from _SOCKET.findall(SOCKETS.read_text(errors="surrogateescape"))
    except OSError:  # another system
        return


def guarded_places(folder: str) -> Iterator[str]:
    """Yield what starts programs later on, in a writable folder and in the folders directly in it."""
    for place in _projects(folder):
        for entry in _entries(place):
            if entry.name.lower() in STARTS_PROGRAMS and not entry.is_symlink():
                yield from (path for path in _guarded_in(entry.path) if _is_inside(path, folder))


def repositories_in(folder: str) -> Iterator[str]:
    """Yield the repositories of git that are guarded there."""
    for place in _projects(folder):
        path = os.path.join(place, GIT)
        if os.path.isdir(path) and not os.path.islink(path):
            yield from repositories(path)


def _projects(folder: str) -> Iterator[str]:
    yield folder
    inside = (entry.path for entry in _entries(folder) if entry.is_dir(follow_symlinks=False))
    yield from (path for path in inside if os.path.lexists(os.path.join(path, GIT)))


def _is_inside(path: str, folder: str) -> bool:
    """Return whether it is in the folder, below it, and no link leads to it."""
    return path != folder and is_within(path, folder) and os.path.realpath(path) == path


def name_servers() -> str:
    """Return the file that lists them, if it lies where the sandbox has a folder of its own; else ""."""
    real = os.path.realpath("/etc/resolv.conf")
    return real if is_within(real, "/run") and os.path.isfile(real) else ""


def _guarded_in(path: str) -> Iterator[str]:
    parts = VERSION_CONTROL.get(os.path.basename(path).lower())
    if parts is None or not os.path.isdir(path):  # all of it; .git is a file where a repository has several folders
        yield path
        return
    names = (os.path.join(path, part) for part in parts)
    named = guarded_in_repository(path) if os.path.basename(path).lower() == GIT else names
    yield from filter(os.path.lexists, named)


def _folders_looked_through(home: str) -> Iterator[str]:
    """Yield the home, its hidden folders, those of ~/.config, and those of which the list of secrets speaks."""
    yield home
    hidden = (entry.path for entry in _entries(home) if entry.name.startswith(".") and _is_folder(entry))
    settings = (entry.path for entry in _entries(os.path.join(home, ".config")) if _is_folder(entry))
    listed = {os.path.dirname(name) for name in (*FOLDERS, *ENDINGS)} - {""}
    yield from dict.fromkeys((*hidden, *settings, *sorted(os.path.join(home, name) for name in listed)))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_for_all(entry: os.DirEntry[str]) -> bool:
    try:
        return bool(entry.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return what is in a folder; nothing of one that is not there or may not be read."""
    try:
        with os.scandir(folder) as entries:
            return [entry for entry, _ in zip(entries, range(MAX_NAMES), strict=False)]
    except OSError:
        return []
