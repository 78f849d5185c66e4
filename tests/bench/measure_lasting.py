"""What is sent of a user's rules, constraints, facts, goals and preferences after five compactions at 30 %.

    .venv/bin/python tests/bench/measure_lasting.py [TREE ...] [--kit FOLDER] [--seeds 12]

Each tree (default: this one) is measured in a process of its own, without a model: conversations grow, and are brought
to 30 % five times. A line for each corpus, in percent of each kind:

- *plain sentences*: tests/context/data/lasting.tsv, in six languages (`tests/context/test_lasting.py`)
- *kit, random* and *kit, generated*: the sessions of compaction-conformance-kit, if it is installed or --kit names the
  folder with the package. The even seeds of the generated ones were looked at while the program was changed, the odd
  ones were not; sessions are numbered from 2, and from 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()


def shares(found: Iterable[tuple[str, bool]]) -> dict[str, int]:
    """Return the percentage of each kind."""
    kept = defaultdict[str, list[bool]](list)
    for kind, is_kept in found:
        kept[kind].append(is_kept)
    return {kind: round(100 * sum(each) / len(each)) for kind, each in sorted(kept.items())}


def of_kit(build: Callable[[int], Any], seeds: Iterable[int]) -> dict[str, int]:
    """Return the shares of the kit's statements that its own probe finds in the request."""
    from compaction_kit.probes import BehaviorProbe
    from test_lasting import after_rounds

    from builders import message
    from desktop_app.context.counting.tokens import TokenCounts
    from desktop_app.context.view.view import assemble
    from desktop_app.conversation.message import Role
    from desktop_app.models.tokens.tokenizers import tokenizer_for

    roles = {"system": Role.SYSTEM, "user": Role.USER}
    found, counts = list[tuple[str, bool]](), TokenCounts(tokenizer_for("gpt-4o"))
    for seed in seeds:
        session, planted = build(seed)
        turns = enumerate(session.turns)
        said = [message(roles.get(turn.role, Role.ASSISTANT), turn.text, id=f"m{n}") for n, turn in turns]
        sent = "\n".join(one.text for one in assemble(after_rounds(said, counts)))
        found += [(each.type.value, BehaviorProbe().probe(each, sent).survived) for each in planted]
    return shares(found)


def of_sentences() -> dict[str, int]:
    """Return the shares of plain sentences."""
    from test_lasting import after_rounds, conversations

    from desktop_app.context.counting.tokens import TokenCounts
    from desktop_app.context.view.view import assemble
    from desktop_app.models.tokens.tokenizers import tokenizer_for

    found, counts = list[tuple[str, bool]](), TokenCounts(tokenizer_for("gpt-4o"))
    for messages, planted in conversations():
        sent = "\n".join(one.text for one in assemble(after_rounds(messages, counts))).lower()
        found += [(kind, all(text.lower() in sent for text in wanted.split("|"))) for _, kind, _, wanted in planted]
    return shares(found)


def measure(seeds: int) -> None:
    """Print the lines of the build that this process imports."""
    from desktop_app.context import sentence_kinds
    from desktop_app.paths import SENTENCE_KINDS

    sentence_kinds.load(SENTENCE_KINDS.read_bytes())
    print("plain sentences", json.dumps(of_sentences()), flush=True)
    try:
        from compaction_kit import corpus, generated
    except ImportError:
        print("compaction-conformance-kit is not installed")
        return
    print("kit, random", json.dumps(of_kit(corpus.build_random_session, range(1, seeds + 1))), flush=True)
    for name, first in (("looked at", 2), ("not looked at", 1)):
        numbers = range(first, first + 2 * seeds, 2)
        print(f"kit, generated, {name}", json.dumps(of_kit(generated.build_generated_session, numbers)), flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("trees", nargs="*", type=Path, default=[HERE.parents[2]])
    asked.add_argument("--kit", default="", help="the folder that contains the package compaction_kit")
    asked.add_argument("--seeds", type=int, default=12)
    asked.add_argument("--here", action="store_true", help="measure in this process")
    order = asked.parse_args()
    if order.here:
        measure(order.seeds)
        return
    for tree in (tree.resolve() for tree in order.trees):
        tests = HERE.parents[1]
        paths = [tree, tests / "context", tests / "support", *filter(None, [order.kit])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
        print(tree.name, flush=True)
        command = [str(tree / ".venv/bin/python"), str(HERE), "--here", "--seeds", str(order.seeds)]
        subprocess.run(command, env=environment, cwd=tree, check=True)


if __name__ == "__main__":
    sys.exit(main())
