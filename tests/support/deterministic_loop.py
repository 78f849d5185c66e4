"""An event loop whose every choice comes from a seed: a virtual clock, no selector, executors as steps of the loop.

asyncio promises one order: callbacks run in the order in which they were scheduled. That order is kept. What it does
not promise is when something arrives from without: the end of a timer among others that are due, the start of a job on
a thread, and the arrival of its result. Which of them comes next, and behind which callback, the seed decides. The jobs
of one executor with one thread run in the order of their submission, as they do there.
"""

from __future__ import annotations

import asyncio
import heapq
import random
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

MAX_STEPS = 200_000
"""Callbacks of one run: more than this is a loop without an end."""
EARLY, LONGEST_CALLBACK = 0.2, 0.05
"""How often something arrives from without while callbacks are ready, and the most virtual seconds that these take."""
JOB_SECONDS = 0.02
"""The longest that a job on a thread takes; most take a tenth of it."""


class Stuck(Exception):
    """Something is awaited that nobody will ever do."""


class Job:
    """A function on a thread: it runs at one moment, and its result arrives at a later one."""

    def __init__(self, loop: DeterministicLoop, work: Callable[[], Any]) -> None:
        self.future: asyncio.Future[Any] = loop.create_future()
        self._work = work
        self._result: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as error:  # noqa: BLE001 - it is raised to whoever waits
            self._error = error

    def arrive(self) -> None:
        if self.future.cancelled():
            return
        if self._error is not None:
            self.future.set_exception(self._error)
        else:
            self.future.set_result(self._result)
        self._error = None


class DeterministicLoop(asyncio.BaseEventLoop):
    """seed: of all choices. now: the virtual clock, in seconds, which `time` and `loop.time()` have in common."""

    def __init__(self, seed: str) -> None:
        super().__init__()
        self.choices = random.Random(seed)
        self.now = 1_000.0
        self.steps = 0
        self.slowness = 1.0  # of executors with one thread, such as that of a disk
        self.errors: list[dict[str, Any]] = []
        self._queues: dict[object, deque[Job]] = {}
        self._busy: set[object] = set()
        self.set_exception_handler(lambda _, context: self.errors.append(context))

    def time(self) -> float:
        return self.now

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        job = Job(self, lambda: func(*args))
        is_single = isinstance(executor, ThreadPoolExecutor) and executor._max_workers == 1
        thread: object = executor if is_single else job
        self._queues.setdefault(thread, deque()).append(job)
        self._start_next(thread)
        return job.future

    def _start_next(self, thread: object) -> None:
        queue = self._queues[thread]
        if thread not in self._busy and queue:
            self._busy.add(thread)
            self._later(lambda: self._begin(thread, queue.popleft()))
        elif not queue and thread not in self._busy:
            del self._queues[thread]

    def _begin(self, thread: object, job: Job) -> None:
        if not job.future.cancelled():  # else it never starts, as a thread pool's
            job.run()
        self._later(lambda: self._end(thread, job), 1.0 if thread is job else self.slowness)

    def _end(self, thread: object, job: Job) -> None:
        self._busy.discard(thread)
        self._start_next(thread)
        job.arrive()

    def _later(self, act: Callable[[], None], slowness: float = 1.0) -> None:
        self.call_later(slowness * JOB_SECONDS * self.choices.random() ** 3, act)

    def _run_once(self) -> None:
        """Run all callbacks that are ready, in their order, and behind them, or else alone, what comes from without."""
        self._drop_cancelled()
        if not self._ready or (self.choices.random() < EARLY and self._is_something_near()):
            self._take_from_without()
        for _ in range(len(self._ready)):
            self.steps += 1
            handle = self._ready.popleft()
            if not handle._cancelled:
                handle._run()
        if self.steps > MAX_STEPS:
            raise Stuck(f"more than {MAX_STEPS:,} callbacks")

    def _drop_cancelled(self) -> None:
        """Drop timers that nobody waits for: one that is near would let a far one come before what is ready."""
        while self._scheduled and self._scheduled[0]._cancelled:
            heapq.heappop(self._scheduled)._scheduled = False

    def _is_something_near(self) -> bool:
        scheduled = self._scheduled
        return bool(scheduled) and not self._stopping and scheduled[0]._when <= self.now + LONGEST_CALLBACK

    def _take_from_without(self) -> None:
        scheduled = self._scheduled
        if self._stopping:
            return
        if not scheduled:
            raise Stuck("nothing is scheduled any more")
        self.now = max(self.now, scheduled[0]._when)
        due = []
        while scheduled and scheduled[0]._when <= self.now:
            handle = heapq.heappop(scheduled)
            handle._scheduled = False
            due.append(handle)
        chosen = due.pop(self.choices.randrange(len(due)))
        for handle in due:
            handle._scheduled = True
            heapq.heappush(scheduled, handle)
        self._ready.append(chosen)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Left where it is: it is dropped once it is due."""

    def _write_to_self(self) -> None:
        """There is no selector to wake."""

    def _process_events(self, event_list: object) -> None:
        raise AssertionError("nothing is read from files")
