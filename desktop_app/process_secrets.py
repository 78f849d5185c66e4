"""Keeps the keys of this process from the programs that it starts.

On Linux every process of a user may read what another one was started with in /proc/PID/environ. A command that a model
runs is such a process, so keys are taken out of the environment as soon as a program of ours begins.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys

_KEY = re.compile(
    r"PALIMPSEST_KEY_.*|PALIMPSEST_LLAMA_TOKEN|.*_API_?(?:KEY|TOKEN)S?"
    r"|(?:OPENAI|ANTHROPIC|CLAUDE|OPENROUTER|GEMINI|GOOGLE_AI|MOONSHOT|KIMI|MISTRAL"
    r"|GROQ|DEEPSEEK|XAI|TOGETHER|FIREWORKS|COHERE|PERPLEXITY|CEREBRAS|REPLICATE|AZURE_OPENAI|AZURE_AI|LITELLM"
    r"|HF|HUGGINGFACE|HUGGING_FACE|HUGGINGFACEHUB|OLLAMA|LM_STUDIO|VLLM)_\w*(?:KEY|TOKEN|SECRET)\w*",
    re.IGNORECASE,
)
_PR_SET_DUMPABLE = 4

taken: dict[str, str] = {}
"""The keys that the environment held, by the names of their variables."""


def is_key(name: str) -> bool:
    """Return whether a variable of that name holds a key of ours or of a provider."""
    return _KEY.fullmatch(name) is not None


def variable(name: str) -> str:
    """Return a variable of the environment, also one that was taken out of it; "" without one."""
    return taken.get(name) or os.environ.get(name, "")


def seal_process() -> None:
    """Take the keys out of the environment, overwrite what /proc/PID/environ shows of them, and forbid other processes
    of the user to look into this one.

    The last costs core dumps, and that no debugger or profiler can attach (gdb, strace -p, py-spy) but as root. Against
    root it does not help, nor against anything that runs with CAP_SYS_PTRACE: there the overwriting has to do.
    The shell from which Palimpsest was started keeps its own copy, which nobody but that shell can take away: commands
    that look into /proc are asked for.
    """
    found = {name: value for name, value in os.environ.items() if is_key(name)}
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        _overwrite(libc, {os.fsencode(name) for name in found})
    for name in found:
        del os.environ[name]
    taken.update(found)


def _overwrite(libc: ctypes.CDLL, wanted: set[bytes]) -> None:
    """Overwrite the strings themselves, which lie where the system put them when this process began: a variable that is
    only deleted is still shown."""
    strings = ctypes.POINTER(ctypes.c_void_p).in_dll(libc, "environ")
    index = 0
    while address := strings[index]:
        name, _, value = ctypes.string_at(address).partition(b"=")
        if name in wanted:
            ctypes.memset(address + len(name) + 1, 0, len(value))
        index += 1
