"""The lowered modules of a project: from the cache, from other processes, or made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field

from importcycle.cache import Cache, UnknownContent, digest_of
from importcycle.ir.ahead import LoweringAhead
from importcycle.ir.code import ModuleCode
from importcycle.ir.lowering import lower_module
from importcycle.ir.packing import code_key, packed_codes, unpack_code
from importcycle.project import decode_source, read_source, unify_line_ends
from importcycle.project.model import Module


@dataclass(slots=True)
class CodeShelf:
    """Gives the code of modules, each as often as it is asked for; keeps none of it."""

    cache: Cache = field(default_factory=Cache)
    digests: dict[str, bytes] = field(default_factory=dict)
    """For each module that was read, what stands for its content."""
    _packed: dict[bytes, bytes] = field(default_factory=dict)
    """By key; those of the cache, and those that other processes made."""
    _new: dict[bytes, bytes] = field(default_factory=dict)
    """By key: what other processes made, for the cache."""
    _made: list[tuple[bytes, ModuleCode]] = field(default_factory=list)
    """What was lowered here, for the cache."""
    _ahead: LoweringAhead | None = None

    def prepare(
        self,
        modules: Sequence[Module],
        wanted: Sequence[str] | None,
        digests: Mapping[str, bytes],
        executor: Executor | None,
        then: Callable[[], None],
    ) -> None:
        """Look the modules up in the cache, and have other processes lower those that are not there.

        Args:
            modules: Sources, about in the order in which they may be asked for.
            wanted: Names of those that certainly will be; ``None`` for all.
            digests: By name of module, what stands for its content.
            executor: Whose processes see the same files; ``None`` for no other processes.
            then: Called when other processes have been given all that is wanted.
        """
        keys = {each.name: code_key(each, digests[each.name]) for each in modules if each.name in digests}
        self._packed.update(self.cache.get_all(keys.values()))
        if executor is not None:
            missing = [each for each in modules if keys.get(each.name) not in self._packed]
            self._ahead = LoweringAhead.of(missing, wanted, executor, then)

    def code(self, module: Module) -> ModuleCode:
        """The code of a source module.

        Raises:
            SourceError: the file cannot be read or decoded.
            UnparsableError: it is not valid for the running Python.
        """
        data = read_source(module)
        self.digests[module.name] = digest = digest_of(data)
        text = unify_line_ends(decode_source(data))
        code = self._code(module, code_key(module, digest), text)
        if self._ahead is not None:
            self._ahead.expect(code)
        return code

    def _code(self, module: Module, key: bytes, text: str) -> ModuleCode:
        if self._ahead is not None:
            self._keep(self._ahead.take(module.name))
        packed = self._packed.pop(key, None)
        if packed is not None:
            with suppress(UnknownContent):
                return unpack_code(packed, text)
        code = lower_module(module.name, module.display_path, text)
        if self.cache.folder is not None:
            self._made.append((key, code))
        return code

    def earlier(self, module: Module, digest: bytes) -> ModuleCode | None:
        """The code of a module as it was with this content, without its text, if the cache still has it."""
        packed = self.cache.get(code_key(module, digest))
        try:
            return unpack_code(packed, "") if packed is not None else None
        except UnknownContent:
            return None

    def close(self) -> None:
        """Put what is new into the cache, and forget it; work that was given to others and not needed is taken back."""
        if self._ahead is not None:
            self._keep(self._ahead.end())
            self._ahead = None
        if self.cache.folder is not None:
            self.cache.put_all({**self._new, **dict(packed_codes(self._made))})
        self._packed.clear()
        self._new.clear()
        self._made.clear()

    def _keep(self, found: Mapping[bytes, bytes]) -> None:
        self._packed.update(found)
        if self.cache.folder is not None:
            self._new.update(found)
