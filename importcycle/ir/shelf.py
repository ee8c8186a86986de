"""The lowered modules of a project: from the cache, from other processes, or made when they are asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field

from importcycle.cache import Cache, UnknownContent, digest_of, tool_identity
from importcycle.ir.code import ModuleCode
from importcycle.ir.lowering import lower_module
from importcycle.ir.packing import pack_code, unpack_code
from importcycle.project import SourceError, decode_source, read_source, unify_line_ends
from importcycle.project.model import Module
from importcycle.project.syntax import UnparsableError

MODULES_OF_A_BATCH = 20
"""Modules that another process lowers at one go: some tenths of a second of work."""


@dataclass(slots=True)
class _Batch:
    """Modules that another process is to lower."""

    future: Future[dict[bytes, bytes]]
    waiting: set[str]
    """Those that were not asked for yet."""


@dataclass(slots=True)
class CodeShelf:
    """Gives the code of modules, each as often as it is asked for; keeps none of it."""

    cache: Cache = field(default_factory=Cache)
    digests: dict[str, bytes] = field(default_factory=dict)
    """For each module that was read, what stands for its content."""
    _packed: dict[bytes, bytes] = field(default_factory=dict)
    """By key; those of the cache, and those that other processes made."""
    _fresh: set[bytes] = field(default_factory=set)
    """Keys of what the cache does not hold yet."""
    _made: list[tuple[bytes, ModuleCode]] = field(default_factory=list)
    """What was lowered here and the cache does not hold yet."""
    _batches: dict[str, _Batch] = field(default_factory=dict)
    """By name of module."""

    def prepare(self, modules: Sequence[Module], digests: Mapping[str, bytes], executor: Executor | None) -> None:
        """Look the modules up in the cache, and have others lowered by other processes, the last ones first.

        Args:
            modules: Sources, in the order in which they will be asked for.
            digests: By name of module, what stands for its content.
            executor: Whose processes see the same files; ``None`` for no other processes.
        """
        keys = {each.name: _key(each, digests[each.name]) for each in modules if each.name in digests}
        self._packed.update(self.cache.get_all(keys.values()))
        if executor is not None:
            missing = [each for each in reversed(modules) if keys.get(each.name) not in self._packed]
            with suppress(BrokenExecutor, OSError):  # what they do not take is done here
                for part in _parts(missing):
                    names = {each.name for each in part}
                    batch = _Batch(executor.submit(lower_batch, part), names)
                    self._batches.update(dict.fromkeys(names, batch))

    def code(self, module: Module) -> ModuleCode:
        """The code of a source module.

        Raises:
            SourceError: the file cannot be read or decoded.
            UnparsableError: it is not valid for the running Python.
        """
        data = read_source(module)
        self.digests[module.name] = digest = digest_of(data)
        text = unify_line_ends(decode_source(data))
        key = _key(module, digest)
        self._collect(module.name)
        packed = self._packed.get(key)
        if packed is not None:
            try:
                return unpack_code(packed, text)
            except UnknownContent:
                del self._packed[key]
        code = lower_module(module.name, module.display_path, text)
        if self.cache.folder is not None:
            self._made.append((key, code))
        return code

    def earlier(self, module: Module, digest: bytes) -> ModuleCode | None:
        """The code of a module as it was with this content, without its text, if the cache still has it."""
        packed = self.cache.get(_key(module, digest))
        try:
            return unpack_code(packed, "") if packed is not None else None
        except UnknownContent:
            return None

    def close(self) -> None:
        """Put what is new into the cache, and forget it; work that was given to others and not needed is taken back."""
        for batch in {id(each): each for each in self._batches.values()}.values():
            if not batch.future.cancel() and batch.future.done():
                self._take(batch.future)
        self._batches.clear()
        if self.cache.folder is not None:
            facts = {key: self._packed[key] for key in self._fresh if key in self._packed}
            facts.update(_packed(self._made))
            self.cache.put_all(facts)
        self._packed.clear()
        self._fresh.clear()
        self._made.clear()

    def _collect(self, name: str) -> None:
        """Take over the batch with this module, if it is finished; else the module is made here, and maybe there."""
        batch = self._batches.pop(name, None)
        if batch is None:
            return
        if batch.future.done():
            self._take(batch.future)
        batch.waiting.discard(name)
        if not batch.waiting:
            batch.future.cancel()

    def _take(self, future: Future[dict[bytes, bytes]]) -> None:
        try:
            found = future.result()
        except (BrokenExecutor, CancelledError):
            return  # what is missing is made here
        self._fresh |= found.keys() - self._packed.keys()
        self._packed.update(found)


def lower_batch(modules: Collection[Module]) -> dict[bytes, bytes]:
    """The packed code of modules, by key; those that cannot be read or parsed are left out."""
    found: dict[bytes, bytes] = {}
    for module in modules:
        try:
            data = read_source(module)
            code = lower_module(module.name, module.display_path, decode_source(data))
            found.update(_packed([(_key(module, digest_of(data)), code)]))
        except (SourceError, UnparsableError, RecursionError):
            continue  # whoever asks for it makes it, or says why not
    return found


def _packed(codes: Iterable[tuple[bytes, ModuleCode]]) -> Iterator[tuple[bytes, bytes]]:
    """What can be kept of the codes: not those that are nested too deeply to be packed."""
    for key, code in codes:
        with suppress(RecursionError):
            yield key, pack_code(code)


def _parts(modules: Sequence[Module]) -> Iterator[Sequence[Module]]:
    return (modules[start : start + MODULES_OF_A_BATCH] for start in range(0, len(modules), MODULES_OF_A_BATCH))


def _key(module: Module, digest: bytes) -> bytes:
    names = (each.encode("utf-8", "surrogatepass") for each in (module.name, module.display_path))
    return digest_of(b"code", tool_identity(), *names, digest)
