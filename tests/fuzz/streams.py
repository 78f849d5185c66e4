"""Tries bad streams by their seeds, or one script of recipes as a failure prints it, and prints what came of them.

python tests/fuzz/streams.py [FIRST] [COUNT]
python tests/fuzz/streams.py '[{"seed": 59, "kind": "vllm", "changes": [["repeated", 69629]]}]'
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "support"), str(Path(__file__).parents[2])]


def main(first: str = "0", count: str = "10000") -> int:
    from stream_trials import run_trials, tell_of

    from desktop_app.context import sentence_kinds
    from desktop_app.models.litellm_library import LiteLLM
    from desktop_app.paths import SENTENCE_KINDS

    sentence_kinds.load(SENTENCE_KINDS.read_bytes())

    async def run() -> bool:
        library = LiteLLM()
        with tempfile.TemporaryDirectory() as folder:
            if not first.isdigit():
                return await tell_of(first, Path(folder), library)
            trials = await run_trials(range(int(first), int(first) + int(count)), Path(folder), library)
        print(trials)
        return bool(trials.failures)

    return asyncio.run(run())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
