"""Paths of data and resources, and modes that keep other users of the machine from reading the data.

Modes are set after a file is created, so that no umask changes them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import platformdirs

KEYS_FILE_VARIABLE = "PALIMPSEST_KEYS_FILE"
RESOURCES = Path(__file__).resolve().parent.parent / "resources"
APP_ICON = RESOURCES / "icons" / "palimpsest.svg"
SENTENCE_KINDS = RESOURCES / "sentence_kinds.bin"
O200K_PART = RESOURCES / "o200k_part.bin"
WORD_MEANINGS = RESOURCES / "word_meanings.bin"
FOLDER_MODE, FILE_MODE = 0o700, 0o600
OURS = ("archive.*", "archive-*", "settings*", "palimpsest.log*", "keys*", "drafts*", "window.*")
FOLDERS = ("spills", "prompts", "drafts", "backups")
"""Folders in which all files are ours, whatever their names."""
_used: set[Path] = set()
"""Data folders that this process uses."""


def data_folder(chosen: str | None = None) -> Path:
    """Return `chosen`, or the folder that PALIMPSEST_DATA_DIR names, or the system's folder for user data."""
    named = chosen or os.environ.get("PALIMPSEST_DATA_DIR")
    return Path(os.path.expanduser(named)) if named else Path(platformdirs.user_data_dir("palimpsest", appauthor=False))


def keys_file() -> Path | None:
    """Return the file of keys that PALIMPSEST_KEYS_FILE names; None if it is not set."""
    path = os.environ.get(KEYS_FILE_VARIABLE, "")
    return Path(os.path.expanduser(path)) if path else None


def database_file(data: Path) -> Path:
    """Return the archive of that data folder."""
    return data / "archive.sqlite3"


def backups_folder(data: Path) -> Path:
    """Return the folder of the archive's backups."""
    return data / "backups"


def spills_folder(data: Path) -> Path:
    """Return the folder of the full texts of tools' long outputs."""
    return data / "spills"


def last_known_file(data: Path) -> Path:
    """Return the file with the models' capabilities that servers last reported."""
    return data / "models.json"


def models_folders() -> tuple[Path, ...]:
    """Return the folders of downloaded models: the data folder's, to which they are downloaded, and the system's."""
    own, systems = data_folder(), Path(platformdirs.user_data_dir("palimpsest", appauthor=False))
    return tuple(dict.fromkeys(folder / "models" for folder in (own, systems)))


def settings_file(data: Path) -> Path:
    """Return the settings of that data folder."""
    return data / "settings.json"


def log_file(data: Path) -> Path:
    """Return the file to which bugs and warnings are written."""
    return data / "palimpsest.log"


def picture_file(data: Path) -> Path:
    """Return the file with the picture of the window that the last session left."""
    return data / "window.picture"


def forget_picture(data: Path) -> None:
    """Remove the picture of the window, which may show what is being deleted. Raises OSError."""
    picture_file(data).unlink(missing_ok=True)


def prompt_files(data: Path, name: str) -> tuple[Path, Path]:
    """Return the user's prompt of that name, which need not exist, and the one that is shipped with Palimpsest."""
    return data / "prompts" / f"{name}.md", RESOURCES / "prompts" / f"{name}.md"


def make_private_folder(folder: Path) -> None:
    """Create the data folder, and remove other users' permissions for it and for our files in it.

    A folder that is also used for other things, such as the home folder, keeps its mode. Raises OSError.
    """
    is_new = not folder.exists()
    _used.discard(folder.absolute())
    make_folder(folder)
    _used.add(folder.absolute())
    if is_new or _is_ours_alone(folder):
        _set_mode(folder, FOLDER_MODE)
    for path in _files_of(folder):
        _set_mode(path, FOLDER_MODE if path.is_dir() else FILE_MODE)


def make_private_file(path: Path) -> None:
    """Create an empty file that only the user can read, unless it exists. Raises OSError."""
    with contextlib.suppress(FileExistsError):  # not opened if it exists: closing it would release our locks
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
    _set_mode(path, FILE_MODE)


def create_file(path: Path) -> int:
    """Remove the file of that name, and open a new private one for reading and writing. Raises OSError.

    In a folder where others can write, such as /tmp, the old one may be their file, or their link to one of the user's
    files: it is neither written to nor followed.
    """
    path.unlink(missing_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE)


def replace_private_file(path: Path, content: bytes) -> None:
    """Replace the file atomically, so that a crash or a power cut leaves either the old one or the new one.

    Only the user can read it. Raises OSError.
    """
    make_folder(path.parent)
    new = path.with_name(path.name + ".new")
    with open(create_file(new), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Create a folder and its parents unless they exist, so that they survive a power cut. Raises OSError.

    A data folder that vanishes while this process uses it was moved, or its disk was removed. It is not created again:
    what would be written there would be missing once the old one is back.
    """
    if not folder.is_dir():
        if folder.absolute() in _used:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
        make_folder(folder.parent)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        sync_folder(folder.parent)


def sync_file(path: Path) -> None:
    """Wait until all of a file is on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk: otherwise a power cut undoes renames and new files there.

    Ignored if the file system does not support it for folders. Raises OSError if the folder cannot be opened.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_ours_alone(folder: Path) -> bool:
    known = folder.resolve() != Path.home().resolve() and not folder.stat().st_mode & stat.S_ISVTX
    return known and (folder / "archive.sqlite3").exists()


def _files_of(folder: Path) -> Iterator[Path]:
    for pattern in OURS:
        yield from (path for path in folder.glob(pattern) if path.is_file())
    for name in FOLDERS:
        if (folder / name).is_dir():
            yield from (folder / name, *(folder / name).rglob("*"))


def _set_mode(path: Path, mode: int) -> None:
    with contextlib.suppress(FileNotFoundError, PermissionError):  # removed in the meantime, or of another user
        if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) != mode:
            path.chmod(mode)
