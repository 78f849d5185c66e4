"""What an import tells of the conversation that it makes."""

from __future__ import annotations

import json
from pathlib import Path

from desk import Desk

from desktop_app.context.view.items import Repair
from desktop_app.engine import protocol as p

CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}


async def test_repairs_are_told_by_their_kind_for_the_window_to_name(desk: Desk, tmp_path: Path) -> None:
    said = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        {"role": "user", "content": "Well?"},
    ]
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(map(json.dumps, said)))
    assert (await desk.ask(p.ImportFile(str(file)))).repairs == ((Repair.MISSING_RESULT, 1),)
    file.write_text(json.dumps(said[0]))
    assert (await desk.ask(p.ImportFile(str(file)))).repairs == ()
