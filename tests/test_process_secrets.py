"""Keys in the environment of a process, as other processes see them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app.process_secrets import is_key, taken, variable
from memory_of import written_memory

ROOT = Path(__file__).resolve().parent.parent
LOOKS = "tr '\\0' '\\n' < /proc/$PPID/environ | grep -a KEY; cat /proc/$PPID/mem 2>&1 | head -c 60; env | grep KEY"
SCRIPT = f"""
import subprocess, sys
sys.path.insert(0, {str(ROOT)!r})
from desktop_app.process_secrets import seal_process, variable
subprocess.run(["sh", "-c", {LOOKS!r}])
print("sealed", flush=True)
seal_process()
subprocess.run(["sh", "-c", {LOOKS!r}])
print(variable("OPENAI_API_KEY"), variable("PALIMPSEST_KEY_A_B"), variable("OTHER"), variable("NOT_THERE") == "")
"""
GIVEN = {"OPENAI_API_KEY": "sk-secret", "PALIMPSEST_KEY_A_B": "k-secret", "OTHER": "kept"}


def told(*before: str, program: str = sys.executable) -> list[str]:
    environment = {"PATH": os.environ["PATH"], **GIVEN}
    done = subprocess.run([*before, program, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split("sealed\n")


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_sealed_process_shows_no_key_and_has_it_all_the_same() -> None:
    open_before, after = told()
    assert "sk-secret" in open_before
    assert "k-secret" in open_before
    assert after.endswith("sk-secret k-secret kept True\n")
    assert "secret" not in after.removesuffix("sk-secret k-secret kept True\n")


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root may become somebody else")
def test_whoever_is_not_root_may_not_even_look() -> None:
    setpriv, python = shutil.which("setpriv"), "/usr/bin/python3"
    if setpriv is None or not os.path.exists(python):
        pytest.skip("there is no program to become somebody else with")
    if subprocess.run([setpriv, "--reuid", "65534", "test", "-r", str(ROOT)], check=False).returncode:
        pytest.skip("somebody else cannot read the program")
    open_before, after = told(setpriv, "--reuid", "65534", "--regid", "65534", "--clear-groups", program=python)
    assert "sk-secret" in open_before
    assert "KEY" not in after, "there is not even a name"


@pytest.mark.parametrize(
    ("name", "does_hold"),
    [
        *[(name, True) for name in ("OPENAI_API_KEY", "PALIMPSEST_KEY_HOME", "HF_TOKEN", "mistral_api_key")],
        *[(name, False) for name in ("PATH", "GITHUB_TOKEN", "PALIMPSEST_KEYS_FILE", "PALIMPSEST_DATA_DIR")],
    ],
)
def test_which_variables_hold_keys(name: str, does_hold: bool) -> None:
    assert is_key(name) == does_hold


def test_a_variable_that_was_not_taken_is_that_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-now")
    assert variable("OPENAI_API_KEY") == "sk-now"
    monkeypatch.setitem(taken, "OPENAI_API_KEY", "sk-taken")
    assert variable("OPENAI_API_KEY") == "sk-taken"


WINDOW = f"""
import os, subprocess, sys
sys.path.insert(0, {str(ROOT)!r})
from desktop_app.process_secrets import keys_for_child, leave_keys_for_engine, taken
leave_keys_for_engine()
print(taken, dict(os.environ), flush=True)
for _ in range(2):
    with keys_for_child() as variables:
        environment = {{**os.environ, **variables}}
        subprocess.run([sys.executable, "-c", sys.argv[1]], env=environment, close_fds=False)
subprocess.run(["sh", "-c", "ls -l /proc/self/fd | grep -c socket"], close_fds=False)
sys.stdout.flush()
sys.stdin.read()
"""
ENGINE = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from desktop_app.process_secrets import seal_process, variable
seal_process()
print(variable("OPENAI_API_KEY"), [name for name in os.environ if "KEY" in name])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_window_keeps_no_key_and_each_of_its_engines_gets_it() -> None:
    planted, other = "sk-PLANTED-7f3a9c51e2", "a-variable-that-it-keeps"
    with subprocess.Popen(
        [sys.executable, "-c", WINDOW, ENGINE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={"PATH": os.environ["PATH"], "OPENAI_API_KEY": planted, "OTHER": other},
    ) as window:  # fmt: skip
        assert window.stdout is not None
        in_window, first, second, sockets = (window.stdout.readline().strip() for _ in range(4))
        memory = written_memory(window.pid)
        environment = Path(f"/proc/{window.pid}/environ").read_bytes()
    assert "KEY" not in in_window
    assert first == second == f"{planted} []"
    assert sockets == "0", "no other program inherits it"
    for form in ("utf-8", "utf-16-le", "utf-32-le"):
        assert planted.encode(form) not in memory + environment
    assert other.encode() in memory, "the search finds what is there"
