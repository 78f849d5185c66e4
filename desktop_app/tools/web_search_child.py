"""Asks DuckDuckGo through the package ddgs, in a process of its own, run as a script: a call of it cannot be stopped.

Its arguments are the query, the number of results, and the seconds that it may take. It prints a JSON object:
{"results": [[title, URL, snippet], ...]} or {"error": text}.
"""

from __future__ import annotations

import json

from desktop_app.own_processes import given_arguments

BACKEND = "duckduckgo"


def search(query: str, max_results: int, seconds: int) -> dict[str, object]:
    """Return the JSON object."""
    from ddgs import DDGS
    from ddgs.engines import ENGINES

    if BACKEND not in ENGINES["text"]:  # it would ask another one, which the user has not allowed
        return {"error": "This version of ddgs does not know DuckDuckGo."}
    try:
        found = DDGS(timeout=seconds).text(query, backend=BACKEND, max_results=max_results)
    except Exception as error:  # noqa: BLE001 - of the package and its parts: reported to the model
        return {"results": []} if "No results" in str(error) else {"error": str(error)[:500]}
    return {"results": [[one.get("title", ""), one.get("href", ""), one.get("body", "")] for one in found]}


def main() -> None:
    """Run the search."""
    query, max_results, seconds = given_arguments()
    print(json.dumps(search(query, int(max_results), int(seconds))))


if __name__ == "__main__":
    main()
