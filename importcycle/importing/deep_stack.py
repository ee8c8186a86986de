"""Room for deep nesting: simulated imports nest as deep as the imports and calls of the target do."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
STACK_BYTES = 512 * 1024 * 1024
"""Address space for the stack; only what is used of it takes memory."""
PYTHON_FRAMES = 120_000


def with_deep_stack(function: Callable[[], Result]) -> Result:
    """Call the function in a thread of its own, with a stack and a recursion limit that suffice.

    The cyclic garbage collector pauses meanwhile: nearly all that a simulation makes is kept or freed by reference
    counts, and looking through it again and again takes a third of the time.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size()
    collects = gc.isenabled()
    gc.disable()
    sys.setrecursionlimit(max(limit, PYTHON_FRAMES))
    try:
        threading.stack_size(STACK_BYTES)
        thread = threading.Thread(target=run, name="importcycle simulation", daemon=True)
        thread.start()
        threading.stack_size(size)
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
        if collects:
            gc.enable()
    if errors:
        raise errors[0]
    return results[0]
