"""A virtual X screen of its own, whose pixels are read from a file. Needs Xvfb, openbox and xdotool."""

from __future__ import annotations

import mmap
import os
import subprocess
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

WIDTH, HEIGHT = 1440, 900
BYTES = WIDTH * HEIGHT * 4
TRIES = 5


class Screen:
    """display: for the programs that are shown on it."""

    def __init__(self, display: str, pixels: mmap.mmap) -> None:
        self.display = display
        self._pixels = pixels

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb"}

    def checksum(self, top: int = 0, bottom: int = HEIGHT) -> int:
        """Return a number for what is shown in these rows."""
        start = len(self._pixels) - BYTES
        return zlib.adler32(self._pixels[start + top * WIDTH * 4 : start + bottom * WIDTH * 4])

    def checksum_of(self, part: tuple[int, int, int, int]) -> int:
        """Return a number for what is shown in a part: left, right, top and bottom."""
        left, right, top, bottom = part
        start, value = len(self._pixels) - BYTES, 1
        for row in range(top, bottom):
            line = start + row * WIDTH * 4
            value = zlib.adler32(self._pixels[line + left * 4 : line + right * 4], value)
        return value

    def differing(self, before: bytes) -> int:
        """Return about how many pixels differ from an earlier picture, from a sample of their rows."""
        now, step, count = self.picture(), 10, 0
        for start in range(0, BYTES, WIDTH * 4 * step):
            row = slice(start, start + WIDTH * 4)
            pairs = zip(memoryview(before)[row].cast("I"), memoryview(now)[row].cast("I"), strict=True)
            count += sum(one != other for one, other in pairs)
        return step * count

    def picture(self) -> bytes:
        """Return the pixels, four bytes each."""
        return self._pixels[len(self._pixels) - BYTES :]

    def do(self, *arguments: str) -> None:
        """Press keys, or move and click the mouse: what xdotool can."""
        subprocess.run(["xdotool", *arguments], env=self.environment, check=True, capture_output=True)

    def wait_until(self, is_done: Callable[[], bool], seconds: float, what: str) -> float:
        """Return how long it took. Raises TimeoutError."""
        start = time.monotonic()
        while not is_done():
            if time.monotonic() - start > seconds:
                raise TimeoutError(f"in vain for {what}")
            time.sleep(0.005)
        return time.monotonic() - start


def _start_server(folder: str) -> tuple[subprocess.Popen[bytes], str]:
    """Return an X server, and its display. One that finds no free display at once is started again."""
    size = ["-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-fbdir", folder, "-nolisten", "tcp", "-noreset"]
    for _ in range(TRIES):
        reading, writing = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), *size], pass_fds=[writing])
        os.close(writing)
        with os.fdopen(reading) as lines:
            number = lines.readline().strip()  # up to the newline, which is written separately
        if number:
            return server, f":{number}"
        server.wait()
    raise RuntimeError("Xvfb does not start")


@contextmanager
def virtual_screen() -> Iterator[Screen]:
    """A screen with a window manager."""
    with tempfile.TemporaryDirectory() as folder:
        server, display = _start_server(folder)
        manager = subprocess.Popen(["openbox"], env=os.environ | {"DISPLAY": display}, stderr=subprocess.DEVNULL)
        time.sleep(1.0)
        try:
            with (Path(folder) / "Xvfb_screen0").open("rb") as file:
                yield Screen(display, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        finally:
            for process in (manager, server):
                process.terminate()
                process.wait()
