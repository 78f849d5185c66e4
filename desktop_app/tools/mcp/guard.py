"""Ends the children of an engine that was killed: a shell that waits for the end of its input, and then kills."""

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
    """One small process for all groups of processes of this one. It holds the reading end of a pipe whose only writing
    end is here, so that it wakes however this process ends. Does nothing where there is no such shell (Windows)."""

    def __init__(self) -> None:
        self._shell: subprocess.Popen[bytes] | None = None

    def watch(self, group: int) -> None:
        """From now on that group of processes must not outlive this process."""
        if self._shell is None and os.path.exists(SHELL):
            self._shell = subprocess.Popen(
                [SHELL, "-c", SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": os.environ.get("PATH", os.defpath)},
                cwd="/",
                start_new_session=True,  # a Ctrl-C for this process is none for the guard
            )
        self._tell(f"start {group}\n")

    def forget(self, group: int) -> None:
        """That group has ended; its number may be given to others."""
        self._tell(f"end {group}\n")

    def close(self) -> None:
        """Lets the guard end, with whatever it still watches."""
        shell, self._shell = self._shell, None
        if shell is not None and shell.stdin is not None:
            shell.stdin.close()
            shell.wait()  # it has nothing left to kill: some milliseconds

    def _tell(self, line: str) -> None:
        if self._shell is not None and self._shell.stdin is not None:
            try:
                self._shell.stdin.write(line.encode())
                self._shell.stdin.flush()
            except OSError:  # somebody killed it: the servers still see their input end
                self._shell = None
