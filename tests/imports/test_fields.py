"""Objects of foreign files, read field by field."""

from __future__ import annotations

from desktop_app.imports.fields import Fields


def test_a_list_of_texts_with_anything_else_in_it_is_kept_whole() -> None:
    fields = Fields({"models": ["a", "b"], "tags": ["x", 7]})
    assert fields.strings("models") == ["a", "b"]
    assert fields.strings("tags") == ["x"]
    assert fields.rest() == {"tags": ["x", 7]}
