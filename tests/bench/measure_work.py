"""What a request says of an agent's work after a cut, and whether files must be read again.

    .venv/bin/python tests/bench/measure_work.py [TREE ...]

Each tree (default: this one) is measured in a process of its own. *Stated*: the labelled pieces of work of recorded
sessions (tests/data/work/labels.json) that a request of a quarter states with the right state. *Read again*: each
session is cut to a quarter at CUTS points. Of the next 20 calls, those count that change a text which the agent had
read before the cut and not again since. If that text is not in the request, the agent must read the file again,
unless the request lists the file as read and unchanged, so that recall gives it without a call of the file's tool.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from posixpath import basename
from typing import Any

HERE = Path(__file__).resolve()
CUTS, CALLS = 8, 20
"""Points at which a session is cut, and calls behind a cut that are looked at."""
MIN_OLD = 12
"""Characters of a replaced text; a shorter one is anywhere."""
OLD = ("oldtext", "oldstring", "old", "oldstr", "search")


def measure() -> None:
    """Print what the tree that is on the path states, in this process."""
    from conftest import SENTENCE_KINDS
    from desktop_app.context import sentence_kinds
    from work_sessions import Sent, labels, session

    sentence_kinds.load(SENTENCE_KINDS.read_bytes())
    stated, all_of, cuts = Counter[bool](), Counter[bool](), Counter[str]()
    for label in labels():
        messages = session(label)
        sent = Sent(messages)
        all_of[label["held_out"]] += len(label["items"])
        stated[label["held_out"]] += sum(sent.states_correctly(*item) for item in label["items"])
        for number in range(1, CUTS + 1):
            at = len(messages) * (number + 1) // (CUTS + 2)
            cuts.update(_needs_behind(messages, at, Sent))
    print(f"stated: known {stated[False]} of {all_of[False]}, held out {stated[True]} of {all_of[True]}")
    print(
        f"cuts {cuts['cuts']}: with a text that is needed {cuts['needed']}, not in the request {cuts['gone']}, "
        f"and not listed as read either {cuts['unlisted']} ({100 * cuts['unlisted'] / max(cuts['cuts'], 1):.0f} %)"
    )


def _needs_behind(messages: Sequence[Any], at: int, sent_of: Any) -> Iterator[str]:
    """Yield what becomes of a cut: whether its next calls need texts, and where those texts are."""
    from msgspec.structs import replace

    from desktop_app.context.compact.room_decision import WindowTooSmall

    numbered = [replace(message, id=str(n)) for n, message in enumerate(messages[:at])]
    needed = list(_texts_needed(messages, at))
    try:
        sent = sent_of(numbered)
    except WindowTooSmall:  # too little to be cut to a quarter
        return
    yield "cuts"
    if not needed:
        return
    yield "needed"
    gone = [(path, text) for path, text in needed if _flat(text) not in _flat(sent.text)]
    if gone:
        yield "gone"
    if any(basename(path) not in sent.summary for path, _ in gone):
        yield "unlisted"


def _texts_needed(messages: Sequence[Any], at: int) -> Iterator[tuple[str, str]]:
    """Yield path and text of what the calls behind the cut replace, and was read before it and not again."""
    from desktop_app.context.ledger.changed_files import fields_of, files_of_call

    before = "\n".join(message.text for message in messages[:at] if message.tool_result)
    since, left = "", CALLS
    for message in messages[at:]:
        since += message.text if message.tool_result else ""
        for call in message.tool_calls:
            left -= 1
            fields = fields_of(call) or {}
            edited, _ = files_of_call(call, fields)
            for text in _old_texts(fields):
                if edited and len(text) >= MIN_OLD and _flat(text) in _flat(before) and _flat(text) not in _flat(since):
                    yield edited[0], text
        if left <= 0:
            return


def _old_texts(fields: dict[str, Any]) -> Iterator[str]:
    for key, value in fields.items():
        if isinstance(value, str) and key.lower().replace("_", "") in OLD:
            yield value
        for part in value if isinstance(value, list) else []:
            if isinstance(part, dict):
                yield from _old_texts(part)


def _flat(text: str) -> str:
    """Return the words of a text; files are read with numbers of lines between them."""
    return " ".join(word for word in text.split() if not word.rstrip(":|→").isdigit())


def main() -> None:
    if sys.argv[1:] == ["--here"]:
        measure()
        return
    root = HERE.parents[2]
    for tree in [Path(name).resolve() for name in sys.argv[1:]] or [root]:
        places = (tree, root / "tests" / "support", root / "tests")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places)), "QT_QPA_PLATFORM": "offscreen"}
        print(tree.name, flush=True)
        subprocess.run((tree / ".venv/bin/python", HERE, "--here"), env=environment, check=False)


if __name__ == "__main__":
    main()
