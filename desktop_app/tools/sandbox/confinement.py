"""What a program in the sandbox sees and may do, and the arguments of bubblewrap that make it so. Pure."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from desktop_app.context.masking import mask_secrets
from desktop_app.conversation.words import lexicon

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
