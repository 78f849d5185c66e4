"""How long each of `bombs` holds the window, in CPU time of its thread: shown, scrolled through, growing, and found in.

    python tests/bench/measure_bombs.py [PART OF A NAME]

Those of the other places (`bomb_places`) are named as "composer: one word", those of the transcript as "one word
(user)".

A process takes one after the other; where it takes over four minutes for one it is killed, and another one goes on.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "tests" / "support"))

from bombs import ELSEWHERE, TEXTS, bombs, large_texts  # noqa: E402

LIMIT = 50.0  # milliseconds
KILLED_AFTER = 240.0  # seconds: more than all steps of one that never settles
SETTLED, LONGEST = 0.15, 12.0  # seconds without work, and of one step at most


Steps = dict[str, Callable[[], object]]


class Held(TypedDict):
    """The longest that one of them held the window. cpu: milliseconds. causes: where the thread was."""

    cpu: float
    step: str
    causes: list[str]
    steps: list[str]  # all that held it for too long


def measured(names: list[str]) -> Iterator[tuple[str, Held]]:
    """Yield what each of them took."""
    left = list(names)
    while left:
        command = [sys.executable, __file__, "--window"]
        window = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert window.stdin is not None
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_forward, args=(window, lines), daemon=True).start()
        window.stdin.write(json.dumps(left) + "\n")
        window.stdin.flush()
        while left:
            try:
                line = lines.get(timeout=KILLED_AFTER)
            except queue.Empty:
                line = ""
            name = left.pop(0)
            yield (
                name,
                json.loads(line)
                if line
                else {"cpu": 1000 * KILLED_AFTER, "step": "killed or ended", "causes": [], "steps": []},
            )
            if not line:
                break
        window.kill()
        window.wait()


def _forward(window: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    assert window.stdout is not None
    for line in window.stdout:
        lines.put(line)
    lines.put("")


def run_window() -> None:
    """Show the bombs that are named on standard input, and print what each one took."""
    from bomb_places import PLACES
    from bomb_transcript import transcript
    from PySide6.QtCore import QEventLoop
    from PySide6.QtWidgets import QApplication, QWidget
    from ui_pauses import Pause, PauseWatch

    from desktop_app.conversation.markdown_html import block_parser
    from desktop_app.ui.garbage import GarbageCollector
    from desktop_app.ui.style import show_theme
    from desktop_app.ui.transcript.transcript_model import TranscriptModel
    from desktop_app.ui.transcript.transcript_widget import TranscriptWidget

    application = QApplication([])
    application.setStyle("Fusion")
    show_theme(application, "light", 1.0)
    block_parser()  # as the application does in another thread while the engine starts
    view = TranscriptWidget(TranscriptModel())
    view.resize(900, 700)
    view.show()
    watch, known, _ = PauseWatch(view), bombs(), GarbageCollector(view)

    def settle(longest: float = LONGEST) -> None:
        begun = quiet = time.monotonic()
        while time.monotonic() - quiet < SETTLED and time.monotonic() - begun < longest:
            before = time.thread_time()
            application.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
            if time.thread_time() - before > 0.002:
                quiet = time.monotonic()
            time.sleep(0.001)

    def look(name: str) -> Held:
        place, _, text = name.partition(": ")
        holder, worst, over = QWidget(), ("", Pause()), list[str]()
        if place in PLACES:
            holder.resize(900, 700)
            holder.show()
        steps = PLACES[place](holder, all_texts()[text]) if place in PLACES else transcript(view, known[name], settle)
        settle()
        for step, do in steps.items():
            watch.take()
            do()
            settle()
            pause = watch.take()
            worst = max(worst, (step, pause), key=lambda pair: pair[1].cpu)
            if pause.cpu > LIMIT:
                over.append(f"{step} {pause.cpu:.0f}")
        view.resize(900, 700)
        holder.deleteLater()
        settle()
        return {"cpu": worst[1].cpu, "step": worst[0], "causes": list(worst[1].causes), "steps": over}

    for name in json.loads(sys.stdin.readline()):
        print(json.dumps(look(name)), flush=True)


def all_texts() -> dict[str, str]:
    """Return the texts that are shown in other places, by their names."""
    return {name: TEXTS[name] for name in ELSEWHERE} | large_texts()


def all_names() -> list[str]:
    """Return the names of all bombs: of the transcript, and of the other places."""
    from bomb_places import PLACES

    return [*bombs(), *(f"{place}: {name}" for place in PLACES for name in all_texts())]


def main(part: str = "") -> int:
    names = [name for name in all_names() if part in name]
    missed = 0
    for name, found in measured(names):
        is_over = found["cpu"] > LIMIT
        missed += is_over
        print(
            f"{found['cpu']:9.1f} ms  {name}"
            + (f"  [{', '.join(found['steps'])}] {'; '.join(found['causes'])}" if is_over else ""),
            flush=True,
        )
    print(f"{len(names)} bombs, {missed} over {LIMIT:.0f} ms")
    return 1 if missed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--window"]:
        run_window()
    else:
        sys.exit(main(*sys.argv[1:2]))
