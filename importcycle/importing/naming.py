"""Which names a module will have when it is complete, as far as its source tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from importcycle.importing.sources import Sources
from importcycle.ir import DynamicNames, ModuleCode, dynamic_names, nodes
from importcycle.project.model import Module, Project
from importcycle.project.names import absolute_name


@dataclass(slots=True)
class EventualNames:
    """The names that modules of one project will have."""

    project: Project
    sources: Sources
    is_internal: Callable[[str], bool]
    """Whether a dotted name belongs to the target."""
    _dynamic: dict[str, DynamicNames] = field(default_factory=dict)

    def of(self, name: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """The names that the source of a module binds at any place, those of its star imports included."""
        code = self._code(name)
        if code is None or name in seen:
            return set()
        names = set(code.bound_lines) | set(self._dynamic_names(code).lines)
        for statement in _star_imports(code.body):
            names |= self.public(self._source_of(name, statement), seen | {name})
        return names

    def public(self, name: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """The names that a star import of the complete module takes."""
        declared = self._declared(name, seen)
        if declared is not None:
            return declared
        return {each for each in self.of(name, seen) if not each.startswith("_")}

    def is_open(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the module, or one that it takes all names from, may bind names that its source does not spell."""
        code = self._code(name)
        if code is None or name in seen:
            return False
        if self._dynamic_names(code).is_open or self.has_open_star(name):
            return True
        sources = (self._source_of(name, statement) for statement in _star_imports(code.body))
        return any(self.is_open(source, seen | {name}) for source in sources)

    def has_open_star(self, name: str) -> bool:
        """Whether a star import of something outside the target may bind any name of the module."""
        code = self._code(name)
        return code is not None and any(
            not statement.level and not self.is_internal(statement.module) for statement in _star_imports(code.body)
        )

    def bound_line(self, module: Module, name: str) -> int | None:
        """The line at which a module binds a name for the first time."""
        code = self.sources.code(module)
        if code is None:
            return None
        line = code.bound_lines.get(name)
        return self._dynamic_names(code).lines.get(name) if line is None else line

    def imported_modules(self, name: str) -> set[str]:
        """The names that plain imports of a module bind, to modules: nobody misses them in a star import."""
        code = self._code(name)
        imports = [each for each in (code.body if code is not None else ()) if isinstance(each, nodes.Import)]
        return {alias.alias or alias.name.partition(".")[0] for each in imports for alias in each.names}

    def _code(self, name: str) -> ModuleCode | None:
        module = self.project.modules.get(name)
        return self.sources.code(module) if module is not None else None

    def _dynamic_names(self, code: ModuleCode) -> DynamicNames:
        if not code.has_open_names:
            return DynamicNames({}, False)
        known = self._dynamic.get(code.name)
        if known is None:
            code.source.lowered.add((1, len(code.lines)))  # all functions were looked at
            known = self._dynamic[code.name] = dynamic_names("\n".join(code.lines))
        return known

    def _source_of(self, name: str, statement: nodes.ImportFrom) -> str:
        """The absolute name of the module that a from-import asks."""
        module = self.project.modules.get(name)
        return absolute_name(name, module is not None and module.is_package, statement.level, statement.module)

    # ------------------------------------------------------------------------------------------ __all__
    def _declared(self, name: str, seen: frozenset[str]) -> set[str] | None:
        """The ``__all__`` that a module will have; None if it has none, or none that its source spells."""
        code = self._code(name)
        if code is None or name in seen:
            return None
        declared: set[str] | None = None
        for statement in code.body:
            match statement:
                case nodes.Assign(targets=(nodes.NameTarget(name="__all__"),), value=value):
                    declared = self._listed(name, value, declared, seen)
                case nodes.AnnotatedAssign(target=nodes.NameTarget(name="__all__"), value=nodes.Expression() as value):
                    declared = self._listed(name, value, declared, seen)
                case (
                    nodes.AugmentedAssign(target=nodes.NameTarget(name="__all__"), value=value)
                    | nodes.ExpressionStatement(
                        value=nodes.Call(
                            function=nodes.AttributeLoad(value=nodes.NameLoad(name="__all__"), name="extend"),
                            arguments=(value,),
                        )
                    )
                ) if declared is not None:
                    more = self._listed(name, value, declared, seen)
                    declared = None if more is None else declared | more
                case nodes.ExpressionStatement(
                    value=nodes.Call(
                        function=nodes.AttributeLoad(value=nodes.NameLoad(name="__all__"), name="append"),
                        arguments=(nodes.Literal(value=str(text)),),
                    )
                ) if declared is not None:
                    declared = declared | {text}
        return declared

    def _listed(
        self, name: str, value: nodes.Expression, declared: set[str] | None, seen: frozenset[str]
    ) -> set[str] | None:
        """The strings of a list or tuple as a source spells it, or as another module's ``__all__`` does."""
        match value:
            case nodes.Display(elements=elements):
                listed: set[str] = set()
                for element in elements:
                    part = self._element(name, element, declared, seen)
                    if part is None:
                        return None
                    listed |= part
                return listed
            case nodes.BinaryOperation(operator="+", left=left, right=right):
                parts = [self._listed(name, each, declared, seen) for each in (left, right)]
                return None if None in parts else set().union(*(part for part in parts if part is not None))
            case nodes.NameLoad(name="__all__"):
                return declared
            case nodes.AttributeLoad(value=nodes.NameLoad(name=owner), name="__all__"):
                source = next((each for each in self._modules_called(name, owner) if self._code(each)), None)
                return None if source is None else self._declared(source, seen | {name})
        return None

    def _element(
        self, name: str, element: nodes.Expression, declared: set[str] | None, seen: frozenset[str]
    ) -> set[str] | None:
        match element:
            case nodes.Literal(value=str(text)):
                return {text}
            case nodes.Starred(value=value):
                return self._listed(name, value, declared, seen)
        return None

    def _modules_called(self, name: str, owner: str) -> Iterator[str]:
        """The modules that a name of a module may stand for."""
        code = self._code(name)
        for statement in code.body if code is not None else ():
            match statement:
                case nodes.Import(names=names):
                    yield from (alias.name for alias in names if (alias.alias or alias.name) == owner)
                case nodes.ImportFrom(names=names):
                    source = self._source_of(name, statement)
                    yield from (f"{source}.{alias.name}" for alias in names if (alias.alias or alias.name) == owner)
        yield f"{name}.{owner}"


def _star_imports(block: nodes.Block) -> Iterator[nodes.ImportFrom]:
    """The star imports of a module's body, in whatever branch."""
    for statement in block:
        if isinstance(statement, nodes.ImportFrom) and statement.names[0].name == "*":
            yield statement
        for inner in nodes.inner_blocks(statement):
            yield from _star_imports(inner)
