"""Queries DuckDuckGo with the package ddgs in a child process, run as a script, because its calls cannot be cancelled.

Its arguments are the query, the number of results, and the timeout in seconds. It prints a JSON object:
{"results": [[title, URL, snippet], ...]} or {"error": text}.
"""

from __future__ import annotations

import json

from desktop_app.own_processes import given_arguments

BACKEND = "duckduckgo"


def search(query: str, max_results: int, seconds: int) -> dict[str, object]:
    """Return the results or the error as a JSON object."""
    from ddgs import DDGS
    from ddgs.engines import ENGINES

    if BACKEND not in ENGINES["text"]:  # ddgs would use another engine, which the user has not allowed
        return {"error": "This version of ddgs does not know DuckDuckGo."}
    try:
        found = DDGS(timeout=seconds).text(query, backend=BACKEND, max_results=max_results)
    except Exception as error:  # noqa: BLE001 - any error of the package is reported to the model
        return {"results": []} if "No results" in str(error) else {"error": str(error)[:500]}
    return {"results": [[each.get("title", ""), each.get("href", ""), each.get("body", "")] for each in found]}


def main() -> None:
    """Run the search and print the result."""
    query, max_results, seconds = given_arguments()
    print(json.dumps(search(query, int(max_results), int(seconds))))


if __name__ == "__main__":
    main()
