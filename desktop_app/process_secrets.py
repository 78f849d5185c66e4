"""Keep the keys of this process from the programs that it starts.

On Linux, every process of a user can read another one's initial environment in /proc/PID/environ. A command that a
model runs is such a process, so keys are removed from the environment as soon as the program starts.
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
"""The keys that were in the environment, by the names of their variables."""


def is_key(name: str) -> bool:
    """Return whether a variable of that name contains a key of ours or of a provider."""
    return _KEY.fullmatch(name) is not None


def variable(name: str) -> str:
    """Return an environment variable, even if it was removed from the environment; "" if there is none."""
    return taken.get(name) or os.environ.get(name, "")


def seal_process() -> None:
    """Remove the keys from the environment, overwrite them in /proc/PID/environ, and forbid other processes of the user
    to inspect this one.

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
    for name in keys:
        del os.environ[name]
    taken.update(keys)


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
