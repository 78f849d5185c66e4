"""Find system libraries that Qt needs and that are missing, and the packages that install them."""

from __future__ import annotations

import contextlib
import ctypes
import shutil
from collections.abc import Mapping

LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libX11.so.6": "libx11-6",
}
"""Libraries that Qt always loads: soname to package name on Debian and Ubuntu."""
SCREEN_LIBRARIES = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
"""Additional libraries for a window on X11."""


def missing_packages(libraries: Mapping[str, str]) -> list[str]:
    """Return the packages of those libraries that cannot be loaded."""
    return [package for library, package in libraries.items() if not _is_loadable(library)]


def explain_missing() -> str:
    """Return advice to print on the terminal if libraries are missing; "" if all are installed."""
    everything = LIBRARIES | SCREEN_LIBRARIES
    packages = missing_packages(everything)
    if not packages:
        return ""
    if shutil.which("apt-get"):
        remedy = f"Install them, and start it again: sudo apt-get install {' '.join(packages)}"
    else:
        names = (library for library, package in everything.items() if package in packages)
        remedy = f"Install them with the system's packages, and start it again: {', '.join(names)}"
    return f"Palimpsest cannot open its window: libraries of the system are missing.\n{remedy}\n"


def _is_loadable(library: str) -> bool:
    with contextlib.suppress(OSError):
        ctypes.CDLL(library)
        return True
    return False
