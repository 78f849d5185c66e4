"""A second model server for the tour: llama.cpp with the built-in model and a smaller window, on a usual port."""

from __future__ import annotations

import json
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

import desktop_app
from desktop_app.models.builtin import model_path
from desktop_app.models.discovery import USUAL_PORTS
from desktop_app.own_processes import module_command

NAME, WINDOW = "smollm2-135m", 4_096


class OtherServer:
    """A server that runs from `start` until this process ends."""

    def __init__(self) -> None:
        self.base_url = ""
        self._child: subprocess.Popen[bytes] | None = None  # it ends when its standard input is closed

    def start(self) -> None:
        """Start the server on the first usual port that is free, and wait until it answers. Raises OSError."""
        model, port = model_path(), next(filter(_is_free, USUAL_PORTS), 0)
        if model is None or not port:
            raise OSError("There is no built-in model, or no usual port is free")
        command = module_command("models.llama_server", str(model), str(WINDOW), str(port), NAME)
        root = Path(desktop_app.__file__).parent.parent
        self._child = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._child.stdout is not None
        self.base_url = json.loads(self._child.stdout.readline())["base_url"]


def _is_free(port: int) -> bool:
    with socket.socket() as tried, suppress(OSError):
        tried.bind(("127.0.0.1", port))
        return True
    return False
