"""The rights of a program in the sandbox, and bubblewrap's arguments for them.

Files with secrets are hidden. Some files and folders are read-only, including the parts of existing repositories that
git runs or reads settings from.
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
"""Folders that the sandbox replaces: devices, processes, sockets of services, temporary files."""
READ_ONLY_STATE = ("/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/fs", "/proc/scsi")
"""Kernel settings, which root can write in any namespace, without a capability."""
RUNNING_SYSTEM = ("/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers")
"""Programs and libraries of NixOS."""
_SECRET_VARIABLE = re.compile(
    r".*(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|COOKIE).*"
    r"|.*_(PASS|PWD|PAT|PIN|AUTH|KEY|DSN)S?",
    re.IGNORECASE,
)
_PROXY = re.compile(r"(https?|all|ftp)_proxy", re.IGNORECASE)
"""Variables whose passwords are kept for programs that use the network."""
_DOORS = lexicon(
    "SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS DISPLAY"
    " WAYLAND_DISPLAY WAYLAND_SOCKET XAUTHORITY ICEAUTHORITY SESSION_MANAGER DESKTOP_STARTUP_ID XDG_RUNTIME_DIR"
    " PULSE_SERVER DOCKER_HOST CONTAINER_HOST TMUX STY KRB5CCNAME GNOME_KEYRING_CONTROL VSCODE_IPC_HOOK_CLI"
    " VSCODE_GIT_IPC_HANDLE"
)
"""Variables that lead to agents, the desktop and services, which the sandbox closes."""
CACHES = "/tmp/.cache"
CACHE_VARIABLES = {
    "GOCACHE": "go-build",
    "npm_config_cache": "npm",
    "UV_CACHE_DIR": "uv",
    "UV_TOOL_DIR": "uv-tools",
    "PIP_CACHE_DIR": "pip",
}
"""Subfolders of CACHES for the caches of programs, which must be writable; the user's own caches are read-only."""


class Confinement(msgspec.Struct, frozen=True):
    """The rights of one program. Paths are absolute and exist; only the path of `folder` may contain links."""

    folder: str
    """The working folder."""
    writable: tuple[str, ...]
    """Writable folders; everything else is read-only."""
    temporary: str
    """The folder that is mounted as /tmp and /var/tmp."""
    empty_file: str
    """An empty file that is mounted over hidden files."""
    has_network: bool = False
    hidden_folders: tuple[str, ...] = ()
    hidden_files: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    """Hidden files, or files and folders in hidden folders, that the user has allowed to read."""
    guarded: tuple[str, ...] = ()
    """Files and folders in writable folders that cannot be written."""
    kept: tuple[str, ...] = ()
    """Folders in writable folders that can be written, but neither removed nor renamed."""
    caches: str = ""
    """The folder that is mounted as /tmp/.cache, if caches are kept for the next start; "" otherwise."""
    resolver: str = ""
    """The file with the addresses of name servers, if it is in a replaced folder; "" otherwise."""
    home: str = ""
    """The home folder of its own, which is writable, although it is in a hidden folder; "" for the user's."""


def bubblewrap_options(wanted: Confinement, handles: Mapping[str, int]) -> tuple[str, ...]:
    """Return the options of bubblewrap except --disable-userns and --seccomp. Later mounts cover earlier ones.

    handles: the handles of the paths of `mounted_inside`; paths without one are not mounted.
    """
    is_let_in = _within(wanted.folder, REPLACED) and not _within(wanted.folder, wanted.writable)
    seen = (*wanted.writable, wanted.folder) if is_let_in else wanted.writable
    hidden = tuple(_outermost(path for path in wanted.hidden_folders if _is_visible(path, seen)))
    files = [path for path in wanted.hidden_files if _is_visible(path, seen) and not _within(path, hidden)]
    own = (wanted.home,) if wanted.home else ()
    readable = [path for path in wanted.readable if _within(path, hidden) or not _is_visible(path, seen)]
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
        *(word for path in hidden for word in _hidden_folder(path, (*wanted.readable, *own))),
        *(word for path in files if path not in wanted.readable for word in ("--ro-bind", wanted.empty_file, path)),
        *(word for path in readable for word in ("--ro-bind-try", path, path)),
        *(word for path in own for word in ("--bind", path, path)),
        *(word for path in hidden if path not in wanted.readable for word in ("--remount-ro", path)),
        *("--chdir", wanted.folder),
    )


def confined_environment(environment: Mapping[str, str], has_network: bool = False) -> dict[str, str]:
    """Return the environment without secrets and variables that lead to services.

    In other variables, anything that looks like a secret is masked. has_network: keep proxies, including passwords.
    """
    kept = {
        name: value if has_network and _PROXY.fullmatch(name) else mask_secrets(value)
        for name, value in environment.items()
        if name not in _DOORS and not _SECRET_VARIABLE.fullmatch(name)
    }
    return kept | {"TMPDIR": "/tmp"} | {name: f"{CACHES}/{folder}" for name, folder in CACHE_VARIABLES.items()}


def is_within(path: str, folder: str) -> bool:
    """Return whether a path is a folder, or in it; both are absolute and without links."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _within(path: str, folders: Iterable[str]) -> bool:
    return any(is_within(path, folder) for folder in folders)


def _is_visible(path: str, let_in: Sequence[str]) -> bool:
    """Return whether a path exists in the sandbox: it is not in a replaced folder, except in a part that is let in."""
    return not _within(path, REPLACED) or _within(path, let_in)


def _outermost(paths: Iterable[str]) -> Iterator[str]:
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda path: (path.count("/"), path)):
        if not _within(path, kept):
            kept.append(path)
            yield path


def mounted_inside(wanted: Confinement) -> tuple[str, ...]:
    """Return the paths that are mounted in writable folders: guarded and kept ones, and their parent folders."""
    return (*_pinned(wanted), *sorted(wanted.guarded))


def _pinned(wanted: Confinement) -> tuple[str, ...]:
    """Return the kept folders, and the parent folders of kept and guarded paths.

    Parents are also mounted, because a folder could otherwise be renamed together with its mounts, and be replaced.
    """
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


def _hidden_folder(path: str, readable: Sequence[str]) -> tuple[str, ...]:
    """Return the options for a folder that cannot be listed, and not be entered if nothing in it is readable."""
    if path in readable:
        return ()
    return ("--perms", "0111" if any(is_within(each, path) for each in readable) else "0000", "--tmpfs", path)


SETTINGS = ("config", "config.worktree")
STORES = ("objects", "refs")
"""Folders without which git does not recognize a repository, and looks for one in the parent folders."""
COMMON = "commondir"
"""The file that refers git to settings elsewhere. A repository without one gets a file that refers to itself."""
TO_ITSELF = "./\n"
"""With a slash, because libgit2 resolves "." to the process's working folder, and finds no repository."""
MAX_FOLDERS = 5_000
MAX_READ = 200_000
"""Bytes of a settings file."""
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
    """Yield the paths to make read-only for a `.git` folder: in it, in its submodules, and in the working trees.

    Missing hooks folders are created, as git does, because a path that does not exist cannot be guarded.
    """
    tree = os.path.dirname(path)
    for place, own_tree in ((path, tree), *_submodules(path)):
        if is_repository(place):
            _make_folder(os.path.join(place, "hooks"))
        if "worktreeconfig" in _read(os.path.join(place, "config")).lower():
            for each in (place, *_worktrees(place)):
                _make_file(os.path.join(each, "config.worktree"))
        yield from (os.path.join(place, name) for name in ("hooks", *SETTINGS, COMMON))
        yield from (os.path.join(each, name) for each in _worktrees(place) for name in (COMMON, "config.worktree"))
        if own_tree:
            yield from ([os.path.join(own_tree, ".git")] if own_tree != tree else [])
            yield from _named_in_settings(place, own_tree)


def repositories(path: str) -> Iterator[str]:
    """Yield a `.git` folder and the ones of its submodules, if they are repositories."""
    yield from (place for place, _ in ((path, ""), *_submodules(path)) if is_repository(place))


def is_repository(place: str) -> bool:
    """Return whether git recognizes a folder as a repository."""
    return os.path.isfile(os.path.join(place, "HEAD")) and all(
        os.path.isdir(os.path.join(place, name)) for name in STORES
    )


def _submodules(path: str) -> Iterator[tuple[str, str]]:
    """Yield the repositories of submodules, recursively, each with its working tree; "" if it has none."""
    for count, (folder, inside, files) in enumerate(os.walk(os.path.join(path, "modules"))):
        if count > MAX_FOLDERS:
            return
        if "HEAD" in files:
            trees = (value for key, value in settings_of(os.path.join(folder, "config")) if key == "core.worktree")
            yield folder, next((os.path.normpath(os.path.join(folder, tree)) for tree in trees), "")
            inside[:] = [name for name in inside if name == "modules"]


def _named_in_settings(place: str, tree: str) -> Iterator[str]:
    """Yield the paths in the working tree that settings name: further settings, the hooks folder, programs."""
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
    """Yield the settings in files and in the files that they include, each with its file."""
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
    """Yield the settings in a file, with names such as `core.hookspath`."""
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
            is_file = stat.S_ISREG(os.fstat(opened.fileno()).st_mode)  # not a pipe, which may never end
            return os.fsdecode(opened.read(MAX_READ)) if is_file else ""
    except (OSError, ValueError):
        return ""


def _worktrees(place: str) -> list[str]:
    """Return the folders of a repository for additional working trees."""
    folder = os.path.join(place, "worktrees")
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)[:MAX_FOLDERS]]
    except OSError:
        return []


def _make_folder(path: str) -> None:
    try:
        os.mkdir(path)
    except OSError:  # it exists, or its parent is not writable, so that it cannot be created by anyone
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
"""Folders that contain files with secrets that root can read. Files that everyone can read, such as pip.conf, are not
secret."""
GIT = ".git"
VERSION_CONTROL = {
    GIT: (),
    ".hg": ("hgrc",),
    ".svn": (),
    ".jj": ("repo/config.toml",),
}
"""Files in folders of version control that start programs; the rest changes with each commit. For git, see
`guarded_in_repository`."""
MAX_NAMES = 5_000
"""Entries of one folder that are checked."""
SOCKETS = Path("/proc/net/unix")
_SOCKET = re.compile(r"^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (/.*)$", re.MULTILINE)


def home_folders() -> tuple[str, ...]:
    """Return the home folder, and other users' home folders if they are readable, as for root."""
    homes = [str(Path.home()), "/root", *(entry.path for entry in _entries("/home"))]
    return tuple(dict.fromkeys(os.path.realpath(home) for home in homes if os.access(home, os.R_OK | os.X_OK)))


def secret_places(homes: Iterable[str], ours: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders and the files to hide.

    These are the names in permissions/secret_paths.py in each home, its hidden folders and its settings folders; the
    system's secrets; and sockets. ours: Palimpsest's data folder and keys file.
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
    """Yield the files of open sockets on this machine, through which a program could communicate with others."""
    try:
        yield from _SOCKET.findall(SOCKETS.read_text(errors="surrogateescape"))
    except OSError:  # another system
        return


def guarded_places(folder: str) -> Iterator[str]:
    """Yield the files and folders that start programs later, in a writable folder and its direct subfolders."""
    for place in _projects(folder):
        for entry in _entries(place):
            if entry.name.lower() in STARTS_PROGRAMS and not entry.is_symlink():
                yield from (path for path in _guarded_in(entry.path) if _is_inside(path, folder))


def repositories_in(folder: str) -> Iterator[str]:
    """Yield the git repositories that are guarded in a writable folder."""
    for place in _projects(folder):
        path = os.path.join(place, GIT)
        if os.path.isdir(path) and not os.path.islink(path):
            yield from repositories(path)


def _projects(folder: str) -> Iterator[str]:
    yield folder
    inside = (entry.path for entry in _entries(folder) if entry.is_dir(follow_symlinks=False))
    yield from (path for path in inside if os.path.lexists(os.path.join(path, GIT)))


def _is_inside(path: str, folder: str) -> bool:
    """Return whether a path is below a folder, and contains no links."""
    return path != folder and is_within(path, folder) and os.path.realpath(path) == path


def name_servers() -> str:
    """Return the file that lists the name servers, if it is in a replaced folder; otherwise ""."""
    real = os.path.realpath("/etc/resolv.conf")
    return real if is_within(real, "/run") and os.path.isfile(real) else ""


def _guarded_in(path: str) -> Iterator[str]:
    parts = VERSION_CONTROL.get(os.path.basename(path).lower())
    if parts is None or not os.path.isdir(path):  # the entire path; .git is a file in submodules and extra worktrees
        yield path
        return
    names = (os.path.join(path, part) for part in parts)
    named = guarded_in_repository(path) if os.path.basename(path).lower() == GIT else names
    yield from filter(os.path.lexists, named)


def _folders_looked_through(home: str) -> Iterator[str]:
    """Yield the home, its hidden folders, the folders in ~/.config, and the folders in the list of secrets."""
    yield home
    hidden = (entry.path for entry in _entries(home) if entry.name.startswith(".") and _is_folder(entry))
    settings = [entry.path for entry in _entries(os.path.join(home, ".config")) if _is_folder(entry)]
    settings += [os.path.join(folder, "User") for folder in settings]  # where editors keep theirs
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
    """Return the first MAX_NAMES entries of a folder; [] if it is missing or unreadable."""
    try:
        with os.scandir(folder) as entries:
            return [entry for entry, _ in zip(entries, range(MAX_NAMES), strict=False)]
    except OSError:
        return []
