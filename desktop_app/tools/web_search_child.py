"""Asks DuckDuckGo through the package ddgs, in a process of its own, run as a script: a call of it cannot be stopped.

Its arguments are the query, how many results, and the seconds that it may take. It prints a JSON object: {"results":
[[title, address, words], ...]} or {"error": text}.
"""

from __future__ import annotations

import json
import signal
import sys

BACKEND = "duckduckgo"


def results(query: str, most: int, seconds: int) -> dict[str, object]:
    """What it answers."""
    from ddgs import DDGS
    from ddgs.engines import ENGINES

    if BACKEND not in ENGINES["text"]:  # it would ask others then, whom the user was not told of
        return {"error": "This version of ddgs does not know DuckDuckGo."}
    try:
        found = DDGS(timeout=seconds).text(query, backend=BACKEND, max_results=most)
    except Exception as error:  # noqa: BLE001 - of the package, and of what it is made with: told to the model
        return {"results": []} if "No results" in str(error) else {"error": str(error)[:500]}
    return {"results": [[one.get("title", ""), one.get("href", ""), one.get("body", "")] for one in found]}


def main() -> None:
    """Does what the arguments say."""
    query, most, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if hasattr(signal, "alarm"):
        signal.alarm(seconds + 5)
    print(json.dumps(results(query, most, seconds)))


if __name__ == "__main__":
    main()
