"""Modules that other processes lower before they are asked for: those that are imported next, then all others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass, field

from importcycle.cache import digest_of
from importcycle.ir import nodes
from importcycle.ir.code import ModuleCode
from importcycle.ir.lowering import lower_module
from importcycle.ir.packing import code_key, packed_codes
from importcycle.project import SourceError, decode_source, read_source
from importcycle.project.model import Module
from importcycle.project.names import absolute_name, with_packages
from importcycle.project.syntax import UnparsableError

MODULES_OF_A_BATCH = 6
"""Modules that another process lowers at one go, in about a hundredth of a second."""
BATCHES_AT_ONCE = 4
"""Batches that are given away before the first of them is back: more would be less near to what is wanted next."""


@dataclass(slots=True)
class LoweringAhead:
    """Gives modules to other processes, a few at a time, and takes back what they have made."""

    executor: Executor
    _waiting: dict[str, Module]
    """Those that nobody has begun."""
    _later: Iterator[str]
    """Names of modules that will be asked for, sooner or later."""
    _then: Callable[[], None]
    """Called once, when all of these have been given away."""
    _next: list[str] = field(default_factory=list)
    """Names of modules that are imported soon, the first of them last."""
    _running: list[Future[dict[bytes, bytes]]] = field(default_factory=list)
    _has_ended: bool = False

    @classmethod
    def of(
        cls, modules: Iterable[Module], wanted: Sequence[str] | None, executor: Executor, then: Callable[[], None]
    ) -> LoweringAhead:
        """For these modules, all of which are wanted, or some, about in this order."""
        waiting = {module.name: module for module in modules}
        return cls(executor, waiting, iter(list(waiting) if wanted is None else wanted), then)

    def take(self, name: str) -> dict[bytes, bytes]:
        """What has been made since, by key, now that this module is asked for: who asks makes it if it is not there."""
        self._waiting.pop(name, None)
        found: dict[bytes, bytes] = {}
        for future in [each for each in self._running if each.done()]:
            self._running.remove(future)
            try:
                found.update(future.result())
            except (BrokenExecutor, CancelledError):
                self._waiting.clear()  # the processes are gone: what is missing is made by who asks for it
        return found

    def expect(self, code: ModuleCode) -> None:
        """The module is initialised next, and so are those that it imports: the first at once, the others soon."""
        names = [name for name in dict.fromkeys(imported_names(code)) if name in self._waiting]
        self._next += reversed(names[1:])
        while len(self._running) < BATCHES_AT_ONCE and (chosen := self._chosen()):
            try:
                self._running.append(self.executor.submit(lower_batch, [self._waiting.pop(name) for name in chosen]))
            except (BrokenExecutor, OSError):
                self._waiting.clear()

    def end(self) -> dict[bytes, bytes]:
        """Take back what nobody has begun; what was finished meanwhile, by key."""
        self._waiting.clear()
        for future in self._running:
            future.cancel()
        return self.take("")

    def _chosen(self) -> list[str]:
        chosen: dict[str, None] = {}
        while self._next and len(chosen) < MODULES_OF_A_BATCH:
            chosen.update(self._if_waiting(self._next.pop()))
        while len(chosen) < MODULES_OF_A_BATCH:
            name = next(self._later, None)
            if name is None:
                if not self._has_ended:
                    self._has_ended = True
                    self._then()
                break
            chosen.update(self._if_waiting(name))
        return list(chosen)

    def _if_waiting(self, name: str) -> dict[str, None]:
        return {name: None} if name in self._waiting else {}


def lower_batch(modules: Collection[Module]) -> dict[bytes, bytes]:
    """The packed code of modules, by key; those that cannot be read or parsed are left out."""
    found: dict[bytes, bytes] = {}
    for module in modules:
        try:
            data = read_source(module)
            code = lower_module(module.name, module.display_path, decode_source(data))
            found.update(packed_codes([(code_key(module, digest_of(data)), code)]))
        except (SourceError, UnparsableError, RecursionError):
            continue  # whoever asks for it makes it, or says why not
    return found


def imported_names(code: ModuleCode) -> Iterator[str]:
    """What statements of a module may import, in order, packages before what is in them; not all are modules."""
    is_package = code.path.endswith("__init__.py")
    blocks: list[Sequence[nodes.Statement]] = [code.body]
    while blocks:
        inner: list[Sequence[nodes.Statement]] = []
        for statement in blocks.pop():
            match statement:
                case nodes.Import(names=names):
                    for each in names:
                        yield from with_packages(each.name)
                case nodes.ImportFrom(module=module, level=level, names=names):
                    base = absolute_name(code.name, is_package, level, module)
                    yield from with_packages(base)
                    yield from (f"{base}.{each.name}" for each in names)
                case _:
                    inner += nodes.inner_blocks(statement)
        blocks += reversed(inner)
