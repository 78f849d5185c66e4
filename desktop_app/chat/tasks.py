"""Background tasks by key, cancellable computations on threads, and locks by name."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import partial
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

CheckPoint = Callable[[], None]
"""Called often by a computation on a thread; raises NotWanted once its result is no longer awaited."""


class NotWanted(Exception):
    """Raised in a computation whose result is no longer awaited, to end it."""


class Job(Enum):
    """A kind of background task."""

    # One of each in a conversation; `of` takes its id:
    OPENING = "opening"
    TURN = "turn"
    NEXT_MESSAGE = "next message"  # starts the turn of the first queued message
    ROOM = "room"  # makes room after a turn
    AHEAD = "summary ahead"  # writes the summary of the next compaction
    IDLE = "wait for the cache to expire"  # then room is made, if the user wants it
    TITLE = "title"
    CONTEXT = "context"  # records the system prompt, tools and memory that the next request will carry
    TOOL_COUNT = "tool count"
    READ_AHEAD = "read ahead"  # a local model reads the conversation while the user types
    # One for each model, request, list or command:
    MODEL_START = "model start"
    REQUEST = "request"
    COMMAND = "command"  # of a draft, by the key from the window
    LIST = "list"
    # One in the engine:
    WARM_UP = "warm-up"
    BACKUPS = "backups"
    FACETS = "facets"
    SERVER_MODELS = "server models"
    SERVER_TEST = "server test"

    def of(self, name: str | int = "") -> TaskKey:
        """Return the key of this job for a conversation, model or request; "" for a job of the engine."""
        return TaskKey(self, str(name))


class TaskKey(NamedTuple):
    """The key of a task. job: a `Job`, or the enum member of another kind of work.

    of: the id of the conversation or model, or the number of the request; "" for the engine.
    """

    job: Enum
    of: str = ""

    def __str__(self) -> str:
        return f"{self.job.value} {self.of}".strip()


class Tasks:
    """Runs one task at a time for each key. `on_bug` is called with each exception except cancellations."""

    def __init__(self, on_bug: Callable[[BaseException], None]) -> None:
        self._on_bug = on_bug
        self._running: dict[TaskKey, asyncio.Task[Any]] = {}
        self._is_ending = False

    def start(self, key: TaskKey, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run `work` under that key. After `cancel_all`, it is cancelled before it begins.

        Raises RuntimeError if another task is running under that key.
        """
        if self.is_running(key):
            work.close()
            raise RuntimeError(f"{key} is running already")
        task = asyncio.get_running_loop().create_task(work, name=str(key))
        self._running[key] = task
        task.add_done_callback(partial(self._forget, key))
        if self._is_ending:
            task.cancel()
        return task

    def start_once(self, key: TaskKey, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        """Run `work()` under that key, unless another task is running under it."""
        if not self.is_running(key):
            self.start(key, work())

    def is_running(self, key: TaskKey) -> bool:
        return self._task(key) is not None

    async def wait(self, key: TaskKey) -> None:
        """Wait until no task is running under that key. Cancelling the wait does not cancel the task."""
        while (task := self._task(key)) is not None:
            await asyncio.wait({task})

    async def cancel(self, key: TaskKey) -> None:
        """Cancel the task under that key, if there is one, and wait for its end.

        A task that is already being cancelled is only waited for, since it may be storing something.
        """
        task = self._task(key)
        if task is not None:
            _cancel(task)
            await asyncio.wait({task})

    async def cancel_all(self) -> None:
        """Cancel all tasks, wait for them to end, and let none begin from now on."""
        self._is_ending = True
        while tasks := {task for task in self._running.values() if not task.done()}:
            for task in tasks:
                _cancel(task)
            await asyncio.wait(tasks)

    def _task(self, key: TaskKey) -> asyncio.Task[Any] | None:
        task = self._running.get(key)
        return None if task is None or task.done() else task

    def _forget(self, key: TaskKey, task: asyncio.Task[Any]) -> None:
        if self._running.get(key) is task:  # otherwise the next task under that key is already running
            del self._running[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            self._on_bug(error)


def _cancel(task: asyncio.Task[Any]) -> None:
    if not task.cancelling():
        task.cancel()


async def gather_bounded(works: Sequence[Coroutine[Any, Any, T]], most: int) -> list[T]:
    """Run the works, at most `most` at a time, and return their results in order.

    The first error ends the others and is raised; so does a cancellation. No work outlives this call.
    """
    gate = asyncio.Semaphore(max(most, 1))

    async def run(work: Coroutine[Any, Any, T]) -> T:
        async with gate:
            return await work

    tasks = [asyncio.ensure_future(run(work)) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for work in works:
            work.close()  # those that have never begun


async def shielded(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end and return its result. A cancellation in the meantime is raised at the next await.

    This is for work that must not be interrupted halfway, such as storing entries and then folding them.
    """
    task = asyncio.ensure_future(work)
    is_cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            is_cancelled = True
    current = asyncio.current_task()
    if is_cancelled and current is not None:
        current.cancel()
    return task.result()


async def run_while_wanted(work: Callable[[CheckPoint], T]) -> T:
    """Run a computation on a thread. If the caller is cancelled, the computation ends at its next check point."""
    with check_point() as check:
        return await asyncio.get_running_loop().run_in_executor(None, work, check)


@contextmanager
def check_point() -> Generator[CheckPoint]:
    """Yield the check point of a computation that the block awaits."""
    is_cancelled = threading.Event()

    def check() -> None:
        if is_cancelled.is_set():
            raise NotWanted

    try:
        yield check
    except asyncio.CancelledError:
        is_cancelled.set()
        raise


class NamedLocks:
    """Locks by name. A lock that is neither held nor waited for is dropped."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._locks)

    def of(self, name: str) -> asyncio.Lock:
        """Return the lock of that name, the same object as long as it is referenced, such as by `async with`."""
        return self._locks.setdefault(name, asyncio.Lock())

    def is_locked(self, name: str) -> bool:
        lock = self._locks.get(name)
        return lock is not None and lock.locked()
