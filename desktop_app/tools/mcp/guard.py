"""Ends the servers of an engine that was killed: a shell waits for the end of its input, and then kills them."""

from __future__ import annotations

import os
import subprocess

SHELL = "/bin/sh"
SCRIPT = """
trap '' HUP INT TERM
groups=' '
while read -r verb group; do
    case $verb in
        start) groups="$groups$group " ;;
        end) case $groups in *" $group "*) groups="${groups%% "$group" *} ${groups#* "$group" }" ;; esac ;;
    esac
done
for group in $groups; do kill -s TERM -- "-$group"; done 2>/dev/null
[ "$groups" = ' ' ] || sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done 2>/dev/null
"""


class Guard:
    """One small process that watches all process groups of this one, where there is a shell.

    It reads from a pipe whose only writing end is here, so that it notices however this process ends.
    """

    def __init__(self) -> None:
        self._shell: subprocess.Popen[bytes] | None = None

    def watch(self, group: int) -> None:
        """Do not let that process group outlive this process from now on."""
        if self._shell is None and os.path.exists(SHELL):
            self._shell = subprocess.Popen(
                [SHELL, "-c", SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": os.environ.get("PATH", os.defpath)},
                cwd="/",
                start_new_session=True,  # a Ctrl-C for this process is not for the guard
            )
        self._send(f"start {group}\n")

    def forget(self, group: int) -> None:
        """Stop watching a group that has ended; its number may be given to others."""
        self._send(f"end {group}\n")

    def close(self) -> None:
        """End the guard, and whatever it still watches."""
        shell, self._shell = self._shell, None
        if shell is not None and shell.stdin is not None:
            shell.stdin.close()
            shell.wait()  # milliseconds: it has nothing left to kill

    def _send(self, line: str) -> None:
        if self._shell is not None and self._shell.stdin is not None:
            try:
                self._shell.stdin.write(line.encode())
                self._shell.stdin.flush()
            except OSError:  # somebody killed it: the servers still see the end of their input
                self._shell = None
