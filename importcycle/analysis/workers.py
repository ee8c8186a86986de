"""Other processes on this machine."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection
from typing import TypeVar

Result = TypeVar("Result")


@contextmanager
def local_workers(jobs: int) -> Iterator[Executor | None]:
    """An executor for all but one of this many processes: the last is the one that runs."""
    if jobs < 2:
        yield None
        return
    executor = ProcessPoolExecutor(jobs - 1, mp_context=_context(), initializer=_begin)
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def processors() -> int:
    """How many processors there are to run on."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only some systems have it
        return os.cpu_count() or 1


def submitted(executor: Executor | None, task: Callable[..., Result], *arguments: object) -> Future[Result] | None:
    """The task, given to an executor; ``None`` if there is none that takes it."""
    if executor is None:
        return None
    try:
        return executor.submit(task, *arguments)
    except (BrokenExecutor, OSError):
        return None


def _context() -> multiprocessing.context.BaseContext:
    """Forking is quickest, and safe only where no other thread can hold a lock."""
    return multiprocessing.get_context("fork" if _has_one_thread() else "spawn")


def _has_one_thread() -> bool:
    """Whether it is certain that there is no other thread: neither one of Python nor one of a compiled library."""
    try:
        return sys.platform.startswith("linux") and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _begin() -> None:
    """Set up a worker.

    It ends at Ctrl-C, without a word, and when its parent is killed: it would else wait for work for ever, since it
    holds both ends of the pipe through which work comes. It collects no cyclic garbage, of which its work makes none.
    """
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_wait_for, args=(parent.sentinel,), daemon=True).start()


def _wait_for(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
