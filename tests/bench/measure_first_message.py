"""Measures a quick typist's first request. `python tests/bench/measure_first_message.py [TREE] [RUNS] [FORMAT]`

TREE: the tree of another build, with its environment in .venv, to alternate with. The window has rested; then forty
characters are typed at ten a second, and Enter. Printed for each format of a provider: seconds of the clock from Enter
until the request arrived at the scripted server. Needs Xvfb, openbox and xdotool.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from measure_memory import KINDS
from virtual_screen import Screen, virtual_screen
from whole_process import HERE, running

from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings, write_settings
from provider import Reply, ScriptedProvider

LOOKS, RESTING = 5.0, 0.15
"""Seconds between two looks at the CPU time, and the growth between them with which the program rests."""
TEXT = "Please say in one line what this can do."
KEY_PAUSE = 100
"""Milliseconds between two keys."""


def measure(tree: Path, screen: Screen, flavour: str) -> float:
    """Return the seconds from Enter to the request."""
    kind, shape, model = KINDS[flavour]
    scripted = ScriptedProvider([Reply("A page.")], flavour=shape, models=(model,), repeat_last=True)
    with tempfile.TemporaryDirectory() as folder, scripted as provider:
        data = Path(folder)
        server = Server("scripted", provider.base_url, (model,), kind=kind, window=100_000)
        settings = Settings(chat_model=f"scripted/{model}", servers=(server,), theme="light", is_memory_on=False)
        write_settings(settings_file(data), settings)
        with running(tree, data, screen.environment) as program:
            used = -1.0
            while (now := program.cpu_seconds()) - used > RESTING:
                used = now
                time.sleep(LOOKS)
            screen.do("mousemove", "720", "820", "click", "1")
            screen.do("type", "--delay", str(KEY_PAUSE), TEXT)
            screen.do("key", "Return")
            return screen.wait_until(lambda: bool(provider.requests), 180, "a request")


def main(other: str = "", runs: str = "3", only: str = "") -> None:
    """Print the medians of the other build and of this one."""
    trees = [Path(other).resolve(), HERE] if other else [HERE]
    with virtual_screen() as screen:
        for flavour in [only] if only else KINDS:
            found = [[measure(tree, screen, flavour) for tree in trees] for _ in range(1 + int(runs))]
            medians = [statistics.median(times) for times in zip(*found[1:], strict=True)]
            print(f"{flavour:<12}" + "".join(f"{seconds:9.2f} s" for seconds in medians), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
