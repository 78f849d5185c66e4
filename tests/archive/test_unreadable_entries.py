"""What could be stored but not be read again is refused before anything is lost."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.archive.rows import UnreadableEntry
from desktop_app.archive.store import Store
from desktop_app.conversation.message import Message, Role, Text, ToolCall, Usage

ODD: list[Any] = [12.5, "12", [3], {"a": 1}, None, float("nan"), object()]
"""Values that msgspec takes for a field of another type, since it looks at types only as it decodes."""


def message(message_id: str, text: Any = "Hello", usage: Any = None, name: Any = "read") -> Message:
    parts = (Text(text), ToolCall("c1", name))
    return Message(id=message_id, at=1.0, role=Role.ASSISTANT, parts=parts, usage=usage)


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_an_entry_with_a_value_of_another_type_is_refused_and_nothing_of_its_transaction_is_stored(
    store: Store, value: Any
) -> None:
    odd = [message("m", usage=Usage(9, value))]
    if not isinstance(value, str):
        odd += [message("m", text=value), message("m", name=value)]
    store.append("c", message("before"))
    for entry in odd:
        with pytest.raises(UnreadableEntry):
            store.append("c", message("whole"), entry)
    assert [entry.id for entry in store.entries("c")] == ["before"]


def test_a_partial_reply_that_could_not_be_read_again_does_not_replace_the_one_before(store: Store) -> None:
    store.store_partial("c", message("m", "Hel"))
    with pytest.raises(UnreadableEntry):
        store.store_partial("c", message("m", "Hello", Usage(9, 12.5)))  # type: ignore[arg-type]
    assert store.recover_partials() == 1
    (entry,) = store.entries("c")
    assert isinstance(entry, Message)
    assert entry.text == "Hel"


def test_a_list_where_a_tuple_belongs_is_refused_too(store: Store) -> None:
    with pytest.raises(UnreadableEntry):
        store.append("c", Message(id="m", role=Role.USER, parts=[Text("x")]))  # type: ignore[arg-type]
