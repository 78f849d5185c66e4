"""Keep the keys of this process from the programs that it starts.

On Linux, every process of a user can read another one's initial environment in /proc/PID/environ, and its memory in
/proc/PID/mem. A command that a model runs is such a process, so keys are removed from the environment as soon as the
program starts, and the engine forbids others to inspect it. The window cannot forbid that: the desktop's portal
inspects its callers, and refuses those it cannot inspect. So the window leaves its keys in a socket for the engine, and
replaces its own memory (decision 61).
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_KEY = re.compile(
    r"PALIMPSEST_KEY_.*|PALIMPSEST_LLAMA_TOKEN|AWS_BEARER_TOKEN_BEDROCK|.*_API_?(?:KEY|TOKEN)S?"
    r"|(?:OPENAI|ANTHROPIC|CLAUDE|OPENROUTER|GEMINI|GOOGLE_AI|MOONSHOT|KIMI|MISTRAL"
    r"|GROQ|DEEPSEEK|XAI|TOGETHER|FIREWORKS|COHERE|PERPLEXITY|CEREBRAS|REPLICATE|AZURE_OPENAI|AZURE_AI|LITELLM"
    r"|HF|HUGGINGFACE|HUGGING_FACE|HUGGINGFACEHUB|OLLAMA|LM_STUDIO|VLLM)_\w*(?:KEY|TOKEN|SECRET)\w*",
    re.IGNORECASE,
)
_PR_SET_DUMPABLE = 4
_SOCKET_VARIABLE = "PALIMPSEST_KEYS_SOCKET"  # the number of the inherited socket in which keys wait
_MAX_BYTES = 1 << 20  # of all keys
_BYTES_HEAD = sys.getsizeof(b"") - 1  # bytes before the content of a bytes object
_SMALLEST_BLOCK, _COPIES = 528, 8  # bytes of the smallest block that is not Python's own, and copies of each size

taken: dict[str, str] = {}
"""The keys that were in the environment, by the names of their variables; in a window on Linux they wait elsewhere."""

_waiting: list[socket.socket] = []  # at most one: the socket in which this window's keys wait for engines


def is_key(name: str) -> bool:
    """Return whether a variable of that name contains a key of ours or of a provider."""
    return _KEY.fullmatch(name) is not None


def variable(name: str) -> str:
    """Return an environment variable, even if it was removed from the environment; "" if there is none."""
    return taken.get(name) or os.environ.get(name, "")


def leave_keys_for_engine() -> None:
    """Remove the keys from a process that stays open to inspection, as the window does; its engines still get them.

    On Linux they are written to a socket, and the program is executed again without them: only that is sure to leave no
    copy in this process. It returns in the second run, or at once if there is no key.
    """
    if sys.platform != "linux":
        seal_process()
        return
    if number := os.environ.pop(_SOCKET_VARIABLE, ""):
        waiting = socket.socket(fileno=int(number))
        waiting.set_inheritable(False)
        _waiting.append(waiting)
    keys = {name: value for name, value in os.environ.items() if is_key(name)}
    if keys:
        _run_again_without(keys)


@contextmanager
def keys_for_child() -> Iterator[dict[str, str]]:
    """Let a process that is started within the context have the keys; yields the variables to start it with."""
    if not _waiting:
        yield taken
        return
    waiting = _waiting[0]
    waiting.set_inheritable(True)
    try:
        yield {_SOCKET_VARIABLE: str(waiting.fileno())}
    finally:
        waiting.set_inheritable(False)


def forget_line(line: bytes) -> None:
    """Overwrite a line that contained a key and was sent, and the copies of it that Qt has freed.

    No other reference to the line may be used. Freed memory is handed out again first: it is taken and filled with
    zeros.
    """
    length = len(line)
    ctypes.memset(id(line) + _BYTES_HEAD, 0, length)
    sizes = (*range(_SMALLEST_BLOCK, 2 * length + _SMALLEST_BLOCK, 16), *range(length, 4 * length, max(length // 8, 1)))
    _ = [ctypes.create_string_buffer(size) for size in reversed(sizes) for _ in range(_COPIES)]


def _run_again_without(keys: dict[str, str]) -> None:
    reading, writing = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with reading, writing:
        writing.send(json.dumps(keys).encode())
        reading.set_inheritable(True)
        others = {name: value for name, value in os.environ.items() if name not in keys}
        others[_SOCKET_VARIABLE] = str(reading.fileno())
        arguments = sys.argv if getattr(sys, "frozen", False) else sys.orig_argv
        os.execve(sys.executable, [sys.executable, *arguments[1:]], others)


def seal_process() -> None:
    """Remove the keys from the environment, overwrite them in /proc/PID/environ, and forbid other processes of the user
    to inspect this one. Keys that a window left for it are received.

    Because of the last there are no core dumps, and debuggers and profilers (gdb, strace -p, py-spy) can attach only
    as root. It does not help against root, nor against programs with CAP_SYS_PTRACE: only the overwriting does.
    The shell from which Palimpsest was started keeps its own copy, which only that shell can remove: therefore commands
    that read /proc need the user's permission.
    """
    keys = {name: value for name, value in os.environ.items() if is_key(name)}
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        _overwrite(libc, {os.fsencode(name) for name in keys})
        keys |= _receive_keys()
    for name in keys:
        os.environ.pop(name, None)
    taken.update(keys)


def _receive_keys() -> dict[str, str]:
    """Return the keys in the inherited socket. They stay in it for the engine that follows this one."""
    if not (number := os.environ.pop(_SOCKET_VARIABLE, "")):
        return {}
    with socket.socket(fileno=int(number)) as waiting:
        return json.loads(waiting.recv(_MAX_BYTES, socket.MSG_PEEK))


def _overwrite(libc: ctypes.CDLL, names: set[bytes]) -> None:
    """Overwrite the strings where the system put them when this process started: /proc still shows a variable that is
    only deleted."""
    strings = ctypes.POINTER(ctypes.c_void_p).in_dll(libc, "environ")
    index = 0
    while address := strings[index]:
        name, _, value = ctypes.string_at(address).partition(b"=")
        if name in names:
            ctypes.memset(address + len(name) + 1, 0, len(value))
        index += 1
