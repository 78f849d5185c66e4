"""Assemble tool calls from the fragments in which they are streamed. Pure.

In OpenAI's format the first fragment of a call has its index, id and name, and the others its index and a part of its
arguments. Servers that imitate it leave out indexes or ids, give all calls the same one, or each fragment another; send
names in parts, or with each fragment; arguments from their beginning each time, "{}" before them, or all of them again
at the end. The fragments are joined once all have arrived, since only then it is clear which of these it was.

What remains ambiguous keeps arguments that are not valid JSON: the tool then does not run, and says so to the model.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from desktop_app.conversation.openai_chat import Json

EMPTY: tuple[Any, ...] = ({}, None, "")
"""Values that servers send as arguments before the real ones."""
_DECODER = json.JSONDecoder(strict=False)  # models write raw line breaks in strings, which the tools accept


class Fragment(msgspec.Struct, frozen=True, gc=False):
    """A part of a call. index: None if it has none. text: the part of the arguments; like id and name, it may be "".

    metadata: what the provider requires back with the call.
    """

    index: int | None
    call_id: str
    name: str
    text: str
    metadata: Json = {}


class StreamedCall(msgspec.Struct):
    """A call, while its fragments are joined."""

    index: int | None = None
    call_id: str = ""
    name: str = ""
    texts: list[str] = []
    metadata: Json = {}
    joined: tuple[int, str | None] = (0, "")
    """The number of texts that were joined last, and the result."""

    @property
    def whole(self) -> str | None:
        """The arguments so far, if they are complete and unambiguous, otherwise None."""
        if self.joined[0] != len(self.texts):
            self.joined = len(self.texts), join_arguments(self.texts)
        return self.joined[1]

    @property
    def arguments(self) -> str:
        """The arguments as JSON, or the joined fragments if they cannot be read."""
        text = "".join(self.texts) if self.whole is None else self.whole
        return text if text.strip() else "{}"

    def take(self, fragment: Fragment, names: Collection[str]) -> None:
        """Add a fragment."""
        self.index = fragment.index if self.index is None else self.index
        self.call_id = self.call_id or fragment.call_id
        self.name = self.name if self.texts else join_names(self.name, fragment.name, names)
        self.metadata = self.metadata or fragment.metadata
        if fragment.text:
            self.texts.append(fragment.text)


def join_calls(fragments: Iterable[Fragment], names: Collection[str] = ()) -> list[StreamedCall]:
    """Return the calls of a reply from its fragments in their order. names: of the tools that the model may call."""
    calls: list[StreamedCall] = []
    by_id: dict[str, StreamedCall] = {}
    by_index: dict[int, StreamedCall] = {}
    for fragment in fragments:
        call = _call_of(fragment, calls, by_id, by_index)
        if call is None or _begins_another(call, fragment, names):
            call = StreamedCall()
            calls.append(call)
        call.take(fragment, names)
        if fragment.call_id:
            by_id[fragment.call_id] = call
        if fragment.index is not None:
            by_index[fragment.index] = call
    return _with_own_ids(_withheld(_without_repetitions(calls)))


def _call_of(
    fragment: Fragment,
    calls: Sequence[StreamedCall],
    by_id: dict[str, StreamedCall],
    by_index: dict[int, StreamedCall],
) -> StreamedCall | None:
    """Return the call that the fragment continues unless it `_begins_another`; None if it begins one."""
    of_id = by_id.get(fragment.call_id)
    of_index = None if fragment.index is None else by_index.get(fragment.index)
    if of_id is not None and fragment.index is not None and of_id.index not in (None, fragment.index):
        return of_index if fragment.name else of_index or of_id  # all calls have the same id, or all fragments indexes
    if of_id is not None or of_index is not None:
        return of_id or of_index
    if fragment.index is not None and (fragment.name or fragment.call_id):
        return None
    return calls[-1] if calls else None


def _begins_another(call: StreamedCall, fragment: Fragment, names: Collection[str]) -> bool:
    """Return whether the fragment begins another call than the one that its index and id name."""
    if not fragment.name:
        return False
    is_same_id = bool(fragment.call_id) and fragment.call_id == call.call_id
    is_other_id = bool(fragment.call_id and call.call_id) and not is_same_id
    if not call.texts:
        is_another = call.name in names and fragment.name in names and not fragment.name.startswith(call.name)
        return is_other_id or is_another
    if fragment.name != call.name:
        return True
    if not _may_be_whole(call, fragment) or call.whole is None:
        return False  # the name comes with each fragment
    if not fragment.text.strip():
        return True  # it is dropped if no arguments follow
    if is_same_id:
        values = _values_in(fragment.text)
        return not _is_empty(call.whole) and values is not None and values[-1:] != _values_in(call.whole)
    is_repeated = len(call.texts) > 1 and _values_in(fragment.text) == _values_in(call.whole)
    return is_other_id or not is_repeated


def _may_be_whole(call: StreamedCall, fragment: Fragment) -> bool:
    """Return whether it is worth parsing the arguments: names that come with each fragment would make it quadratic."""
    return call.texts[-1].rstrip().endswith("}") and fragment.text.lstrip()[:1] in ("", "{")


def join_names(name: str, part: str, names: Collection[str]) -> str:
    """Return the name so far with the next one, which may be a part of it, all of it so far, or the same again."""
    if name + part in names or not name or not part:
        return name + part
    if part.startswith(name):
        return part
    return name if name in names else name + part


def join_arguments(texts: Sequence[str]) -> str | None:
    """Return the arguments from their fragments; "" if all are blank, None if they are incomplete or ambiguous."""
    joined = "".join(texts)
    if not joined.strip():
        return ""
    values = _values_in(joined)
    if values is not None:
        return _one_of(values, joined)
    last = texts[-1]
    is_growing = all(later.startswith(earlier) for earlier, later in pairwise(texts))
    if is_growing or last.startswith("".join(texts[:-1])):  # each from the beginning, or all of it after some parts
        values = _values_in(last)
        return None if values is None else _one_of(values, last)
    return None


def _one_of(values: list[Any], text: str) -> str | None:
    """Return the only value as JSON; None if they differ. Empty values do not count besides others."""
    filled = [value for value in values if value not in EMPTY]
    if any(value != filled[0] for value in filled):
        return None
    if filled and isinstance(filled[0], str):  # JSON in a string
        inner = _values_in(filled[0])
        return filled[0] if inner is not None and isinstance(inner[0], dict) else None
    return text if len(values) == 1 else json.dumps(filled[0], ensure_ascii=False) if filled else "{}"


def _values_in(text: str) -> list[Any] | None:
    """Return the JSON values that follow each other in the text; None if it has anything else."""
    values: list[Any] = []
    place, end = 0, len(text)
    while (place := _skip_blanks(text, place)) < end:
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            return None
        values.append(value)
    return values


def _skip_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\r\n":
        place += 1
    return place


def _is_empty(arguments: str) -> bool:
    return not arguments.strip() or all(value in EMPTY for value in _values_in(arguments) or ("x",))


def _without_repetitions(calls: list[StreamedCall]) -> list[StreamedCall]:
    """Leave out calls that only repeat one: its name without arguments after it, or all of it under the same id."""
    kept: list[StreamedCall] = []
    named: set[tuple[int | None, str, str]] = set()
    whole: dict[tuple[str, str, str], int | None] = {}
    for call in calls:
        name, key = (call.index, call.name, call.call_id), (call.call_id, call.name, call.arguments)
        is_repeated = bool(call.call_id) and key in whole and None in (call.index, whole[key])
        if is_repeated or (not call.texts and name in named):
            continue
        whole[key] = call.index
        if call.texts:
            named |= {name, (call.index, call.name, "")}
        kept.append(call)
    return kept


def _withheld(calls: list[StreamedCall]) -> list[StreamedCall]:
    """Give calls without arguments the ambiguous ones of a later call, since these may be theirs: so none of them runs.

    This concerns only calls that neither an index nor an id tells apart.
    """
    unmarked = [call for call in calls if call.index is None and not call.call_id]
    ambiguous = next((call.texts for call in unmarked if call.whole is None), [])
    for call in unmarked:
        call.texts = call.texts or ambiguous
    return calls


def _with_own_ids(calls: list[StreamedCall]) -> list[StreamedCall]:
    """Give each call an id that no other has: results are paired by it."""
    used: set[str] = set()
    for number, call in enumerate(calls):
        call_id = call.call_id or f"call_{number}"
        while call_id in used:
            call_id += f"_{number}"
        used.add(call_id)
        call.call_id = call_id
    return calls
