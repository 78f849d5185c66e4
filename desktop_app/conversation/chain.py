"""Persistent collections: appending costs the work of one element, and every earlier version stays as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar, cast, overload

T = TypeVar("T")


class Chain(Sequence[T], Generic[T]):
    """An immutable sequence whose versions share one list.

    `append` on the newest version pushes onto the shared list: O(1), nothing copied. On an older version it copies
    first, as a branch. A version sees only its own first elements, so sharing is never visible. Like every value here
    it belongs to one thread at a time while it grows; reading is safe from any.
    """

    __slots__ = ("_length", "_shared")

    def __init__(self, elements: Iterable[T] = ()) -> None:
        self._shared: list[T] = list(elements)
        self._length = len(self._shared)

    def append(self, element: T) -> Chain[T]:
        grown = Chain[T]()
        grown._shared = self._shared if len(self._shared) == self._length else self._shared[: self._length]
        grown._shared.append(element)
        grown._length = self._length + 1
        return grown

    def extends(self, earlier: Chain[T]) -> bool:
        """Return whether this version grew from `earlier` by appending alone. False may also mean "not known"."""
        return self._shared is earlier._shared and self._length >= earlier._length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return list(self)[index] if index.step else self._shared[slice(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._shared[index if index >= 0 else self._length + index]

    def __iter__(self) -> Iterator[T]:
        return islice(self._shared, self._length)

    def __reversed__(self) -> Iterator[T]:
        shared = self._shared
        for position in range(self._length - 1, -1, -1):
            yield shared[position]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Chain) and list(self) == list(cast("Chain[T]", other))

    def __hash__(self) -> int:
        return hash((self._length, self._shared[self._length - 1] if self._length else None))

    def __repr__(self) -> str:
        return f"Chain({list(self)!r})"


class GrowingSet:
    """A set that only grows, and whose versions share one dictionary, as those of a `Chain` share one list."""

    __slots__ = ("_length", "_shared")

    def __init__(self) -> None:
        self._shared: dict[str, int] = {}
        self._length = 0

    def add(self, name: str) -> GrowingSet:
        """Return this set with that name, which must not be in it."""
        grown = GrowingSet()
        grown._shared = self._shared if len(self._shared) == self._length else self._copy()
        grown._shared[name] = self._length
        grown._length = self._length + 1
        return grown

    def _copy(self) -> dict[str, int]:
        return {name: index for name, index in self._shared.items() if index < self._length}

    def __contains__(self, name: str) -> bool:
        return self._shared.get(name, self._length) < self._length

    def __len__(self) -> int:
        return self._length
