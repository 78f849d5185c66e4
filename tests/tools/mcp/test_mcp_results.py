"""Results of servers' tools: texts, images, files, and parts of kinds that are not known."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import types
from pydantic import TypeAdapter

from desktop_app.conversation.tools import ToolOutcome
from desktop_app.tools.mcp.results import MAX_PICTURES, correct_result, outcome_of

ACCEPTED: TypeAdapter[types.CallToolResult] = TypeAdapter(types.CallToolResult)
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()


def read(result: dict[str, Any], files: Path | None = None) -> ToolOutcome:
    """Read a result as a session does: corrected, then accepted by the package."""
    accepted = ACCEPTED.validate_python(correct_result(result), by_name=False)
    return outcome_of(accepted.model_dump(by_alias=True, exclude_none=True), "shot", files)


def test_images_are_kept_for_user_and_model() -> None:
    content = [{"type": "text", "text": "Took it."}, {"type": "image", "data": PNG, "mimeType": "image/png"}]
    outcome = read({"content": content})
    assert outcome.text == "Took it.\n\n[Image: shot-1.png, 48 bytes]"
    [image] = outcome.attachments
    assert (image.name, image.media_type) == ("shot-1.png", "image/png")
    assert image.content == f"data:image/png;base64,{PNG}"


def test_a_part_of_an_unknown_kind_does_not_spoil_the_others() -> None:
    odd = [{"type": "hologram", "points": [1, 2]}, {"type": "text"}, {"type": "image", "data": 5}, 7, None, "plain"]
    outcome = read({"content": [{"type": "text", "text": "first"}, *odd, {"type": "text", "text": "last"}]})
    assert outcome.text.startswith("first\n\n")
    assert outcome.text.endswith("plain\n\nlast")
    assert '[A part of an unknown kind: {"type": "hologram", "points": [1, 2]}]' in outcome.text
    assert outcome.text.count("unknown kind") == 5
    assert read({"content": "only a text", "isError": "yes"}) == ToolOutcome("only a text")
    assert json.loads(read({"structuredContent": [1, 2]}).text) == [1, 2]
    assert json.loads(read({"content": [], "structuredContent": {"a": 1}}).text) == {"a": 1}


def test_files_are_stored_and_texts_among_them_read(tmp_path: Path) -> None:
    def blob(kind: str, data: bytes, uri: str = "files:///out/report") -> dict[str, Any]:
        encoded = base64.b64encode(data).decode()
        return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "blob": encoded}}

    parts = [blob("application/pdf", b"%PDF-1.7"), blob("text/csv; charset=utf-8", b"a,b"), blob("text/plain", b"\xff")]
    outcome = read({"content": [*parts, blob("x/y", b"1", "files:///../../etc/passwd")]}, tmp_path / "received")
    stored = {path.name.partition("-")[2]: path for path in (tmp_path / "received").iterdir()}
    assert set(stored) == {"report.pdf", "report.txt", "passwd"}
    assert stored["report.pdf"].read_bytes() == b"%PDF-1.7"
    assert f"stored for the user as {stored['report.pdf']}]" in outcome.text
    assert "[files:///out/report]\na,b" in outcome.text
    broken = read({"content": [{"type": "audio", "data": "A", "mimeType": "audio/wav"}]}).text
    assert "audio/wav" in broken
    assert "base64" in broken


def test_images_beyond_the_limit_are_files(tmp_path: Path) -> None:
    image = {"type": "image", "data": PNG, "mimeType": "image/png"}
    outcome = read({"content": [image] * (MAX_PICTURES + 2)}, tmp_path)
    assert len(outcome.attachments) == MAX_PICTURES
    assert outcome.text.count("stored for the user") == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "data", "mimeType", "resource", "uri", "blob", "name", "description"]),
            inner | st.sampled_from(["text", "image", "audio", "resource", "resource_link", "AAAA"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.fixed_dictionaries({}, optional={key: JSON for key in ("content", "isError", "structuredContent", "_meta")}))
def test_any_result_is_accepted(result: dict[str, Any]) -> None:
    result.pop("_meta", None) if not isinstance(result.get("_meta"), dict) else None
    outcome = read(result)
    assert outcome.text
    json.dumps(outcome.text)


@pytest.mark.parametrize("kind", ["image/svg+xml", "application/ld+json"])
def test_data_that_is_text_is_read_as_text(kind: str) -> None:
    encoded = base64.b64encode("<ü/>".encode()).decode()
    assert "<ü/>" in read({"content": [{"type": "image", "data": encoded, "mimeType": kind}]}).text
