"""Measures the memory of all processes. `python tests/bench/measure_memory.py [TREE] [RUNS] [openai|anthropic]`

TREE: the tree of another build, with its environment in .venv, to alternate with. After each step the MiB (PSS) of
window, engine and helpers: *idle*, two minutes after the start, nothing was typed; *typed*, once somebody has typed as
quickly as a person; *replied*, a minute after a reply; *later*, twelve minutes after it. "request" is the time from
Enter until the request arrived at the scripted server. Needs Xvfb, openbox, xdotool and root (the engine is sealed).
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from virtual_screen import Screen, virtual_screen
from whole_process import HERE, running

from desktop_app.paths import settings_file
from desktop_app.settings import Server, ServerKind, Settings, write_settings
from provider import Reply, ScriptedProvider

IDLE, AFTER, LATER = 120.0, 60.0, 720.0
TEXT = "Please tell me in one short sentence what a palimpsest is"
KEY_PAUSE = 120
"""Milliseconds between two keys: five words in three seconds."""
KINDS: dict[str, tuple[ServerKind, str, str]] = {
    "openai": ("openai_compatible", "openai", "large"),
    "anthropic": ("anthropic", "anthropic", "claude-sonnet-4-5"),
}


def measure(tree: Path, screen: Screen, flavour: str, waits_long: bool) -> dict[str, float]:
    """Return the figures of one run."""
    kind, shape, model = KINDS[flavour]
    found: dict[str, float] = {}
    said = [Reply("A page that was written on again.")]
    scripted = ScriptedProvider(said, flavour=shape, models=(model,), repeat_last=True)
    with tempfile.TemporaryDirectory() as folder, scripted as provider:
        data = Path(folder)
        server = Server("scripted", provider.base_url, (model,), kind=kind, window=100_000)
        settings = Settings(chat_model=f"scripted/{model}", servers=(server,), theme="light", is_memory_on=False)
        write_settings(settings_file(data), settings)
        with running(tree, data, screen.environment) as program:
            time.sleep(IDLE)
            note(found, "idle", program.memory())
            screen.do("mousemove", "720", "820", "click", "1")
            screen.do("type", "--delay", str(KEY_PAUSE), TEXT)
            note(found, "typed", program.memory())
            screen.do("key", "Return")
            found["request"] = screen.wait_until(lambda: bool(provider.requests), 60, "a request")
            time.sleep(AFTER)
            note(found, "replied", program.memory())
            if waits_long:
                time.sleep(LATER)
                note(found, "later", program.memory())
    return found


def note(found: dict[str, float], step: str, memory: dict[str, float]) -> None:
    found |= {f"{step}, {name}": size for name, size in memory.items()} | {f"{step}, all": sum(memory.values())}


def main(other: str = "", runs: str = "3", flavour: str = "openai", wait: str = "") -> None:
    """Print each figure of the other build and of this one, and their ratio."""
    trees = [Path(other).resolve(), HERE] if other else [HERE]
    figures: dict[Path, list[dict[str, float]]] = {tree: [] for tree in trees}
    with virtual_screen() as screen:
        for _ in range(int(runs)):
            for tree in trees:
                figures[tree].append(measure(tree, screen, flavour, bool(wait)))
    for name in dict.fromkeys(name for made in figures.values() for run in made for name in run):
        medians = [statistics.median(run.get(name, 0.0) for run in figures[tree]) for tree in trees]
        ratio = f"{medians[-1] / medians[0]:6.2f}" if other and medians[0] else ""
        print(f"{name:<28}" + "".join(f"{value:9.2f}" for value in medians) + ratio, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
