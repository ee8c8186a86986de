"""Other processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def local_workers(jobs: int) -> Iterator[Executor | None]:
    """An executor for all but one of this many processes: the last is the one that runs.

    Args:
        jobs: How many.
    """
    if jobs < 2:
        yield None
        return
    executor = ProcessPoolExecutor(jobs - 1, mp_context=_context())
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


def _context() -> multiprocessing.context.BaseContext:
    """Forking is quickest, and safe only where no other thread holds a lock."""
    can_fork = sys.platform.startswith("linux") and threading.active_count() == 1
    return multiprocessing.get_context("fork" if can_fork else "spawn")
