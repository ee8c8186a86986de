"""The import graph of a project: what Grimp finds, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import networkx

from importcycle.graph.gaps import GrimpGaps
from importcycle.graph.grimping import RETRY_LIMIT, BadFile, GrimpFailure, RawImport, find_imports, fit_for_grimp
from importcycle.graph.model import ImportGraph, ImportKind, ImportSite
from importcycle.graph.reading import ImportStatement, kinds_of_lines, read_imports
from importcycle.project.errors import SourceError
from importcycle.project.model import Module, ModuleKind, Project
from importcycle.project.names import absolute_name
from importcycle.project.source import decode_source, may_exhaust_parser, read_source, unify_line_ends

TEXT_MEMORY_LIMIT = 50_000_000
"""Characters of source that are kept between two looks at a file; beyond them, files are read again."""

_Sites = dict[tuple[str, str], dict[tuple[int, ImportKind, ImportKind], ImportSite]]


def build_import_graph(project: Project) -> ImportGraph:
    """The imports between the modules of a project, each with its lines and kinds.

    Nothing is imported, and nothing is written. Files that cannot be read or parsed are named in ``unparsable``; the
    other files are taken in regardless.
    """
    return _Builder(project).build()


def sites_of_module(project: Project, name: str) -> dict[str, tuple[ImportSite, ...]]:
    """The part of the graph that one module's file makes up: what it imports, and where.

    Raises:
        SourceError: the file cannot be read or parsed.
    """
    return _Builder(project).build_one(project.modules[name])


class _Builder:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._modules = project.modules
        self._sites: _Sites = {}
        self._unparsable: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._text_memory = 0

    def build(self) -> ImportGraph:
        fit, left_out = self._divide()
        raw_imports = self._ask_grimp(fit, left_out)
        self._take(raw_imports, fit, left_out)
        for name, parse in left_out.items():
            self._read(self._modules[name], parse)
        self._add_implied()
        digraph: networkx.DiGraph[str] = networkx.DiGraph()
        digraph.add_nodes_from(self._modules)
        for (importer, imported), sites in sorted(self._sites.items()):
            digraph.add_edge(importer, imported, sites=tuple(sorted(sites.values(), key=_order)))
        return ImportGraph(digraph, dict(sorted(self._unparsable.items())))

    def build_one(self, module: Module) -> dict[str, tuple[ImportSite, ...]]:
        """The imports of one module alone."""
        self._read(module, True)
        if module.display_path in self._unparsable:
            raise SourceError(self._unparsable[module.display_path])
        self._add_implied()
        return {
            imported: tuple(sorted(sites.values(), key=_order))
            for (importer, imported), sites in sorted(self._sites.items())
            if importer == module.name
        }

    def _divide(self) -> tuple[dict[str, Module], dict[str, bool]]:
        """Modules for Grimp, and modules to be read here, with whether a parser may be used."""
        fit: dict[str, Module] = {}
        left_out: dict[str, bool] = {}
        for name, module in self._modules.items():
            if module.kind is not ModuleKind.SOURCE:
                continue
            text = self._text(module)
            if text is None:
                continue
            parse = not may_exhaust_parser(text)
            if parse and fit_for_grimp(module):
                fit[name] = module
            else:
                left_out[name] = parse
        return fit, left_out

    def _ask_grimp(self, fit: dict[str, Module], left_out: dict[str, bool]) -> list[RawImport]:
        """Grimp's imports; modules that it cannot take are moved from the first to the second."""
        for attempt in range(RETRY_LIMIT + 1):
            try:
                return find_imports(fit)
            except BadFile as bad:
                for name in [name for name, module in fit.items() if str(module.path) == bad.path]:
                    left_out[name] = True
                    del fit[name]
            except GrimpFailure:
                break
            if attempt == RETRY_LIMIT - 1:
                self._leave_out_unparsable(fit, left_out)
        left_out.update(dict.fromkeys(fit, True))
        fit.clear()
        return []

    def _leave_out_unparsable(self, fit: dict[str, Module], left_out: dict[str, bool]) -> None:
        for name, module in list(fit.items()):
            try:
                read_imports(self._text(module) or "")
            except SourceError:
                left_out[name] = True
                del fit[name]

    def _take(self, raw_imports: list[RawImport], fit: Mapping[str, Module], left_out: dict[str, bool]) -> None:
        """Enter Grimp's imports, with their kinds."""
        by_importer: dict[str, list[RawImport]] = {}
        for raw in raw_imports:
            by_importer.setdefault(raw.importer, []).append(raw)
        is_incomplete = GrimpGaps(self._project, fit)
        for name, module in fit.items():
            text = self._text(module)
            if text is None:
                continue
            if is_incomplete(module, text):
                left_out[name] = True
                continue
            found = by_importer.get(name, ())
            kinds = kinds_of_lines(text, {raw.line for raw in found})
            for raw in found:
                kind = kinds[raw.line]
                if raw.lazy and kind is ImportKind.EAGER:
                    kind = ImportKind.DEFERRED
                self._add(name, raw.imported, raw.line, kind)

    def _read(self, module: Module, parse: bool) -> None:
        text = self._text(module)
        if text is None:
            return
        try:
            statements = read_imports(text, parse=parse)
        except SourceError as error:
            self._unparsable[module.display_path] = error.reason
            statements = read_imports(text, parse=False)
        for statement in statements:
            imported = self._resolve(module, statement)
            if imported is not None:
                self._add(module.name, imported, statement.line, statement.kind)

    def _resolve(self, module: Module, statement: ImportStatement) -> str | None:
        """The module of the project that the statement imports, or as much of it as there is."""
        name = absolute_name(module.name, module.is_package, statement.level, statement.module)
        if name and statement.name is not None and f"{name}.{statement.name}" in self._modules:
            return f"{name}.{statement.name}"
        while name and name not in self._modules:
            name = name.rpartition(".")[0]
        return name or None

    def _text(self, module: Module) -> str | None:
        if module.name in self._texts:
            return self._texts[module.name]
        try:
            text = unify_line_ends(decode_source(read_source(module)))
        except SourceError as error:
            self._unparsable[module.display_path] = error.reason
            return None
        if self._text_memory + len(text) <= TEXT_MEMORY_LIMIT:
            self._text_memory += len(text)
            self._texts[module.name] = text
        return text

    def _add(self, importer: str, imported: str, line: int, kind: ImportKind, implied: bool = False) -> None:
        if importer == imported:
            return
        site = ImportSite(line, ImportKind.IMPLIED if implied else kind, kind)
        self._sites.setdefault((importer, imported), {}).setdefault((line, site.kind, kind), site)

    def _add_implied(self) -> None:
        named = [(pair, list(sites.values())) for pair, sites in self._sites.items()]
        for (importer, imported), sites in named:
            for package in self._packages_above(imported):
                # Its own packages are initialised, or being initialised, whatever a module does.
                if package != importer and not importer.startswith(f"{package}."):
                    for site in sites:
                        self._add(importer, package, site.line, site.statement, implied=True)
        for name in self._modules:
            for package in self._packages_above(name):
                self._add(name, package, 0, ImportKind.EAGER, implied=True)

    def _packages_above(self, name: str) -> Iterator[str]:
        while name := name.rpartition(".")[0]:
            if name in self._modules:
                yield name


def _order(site: ImportSite) -> tuple[int, str, str]:
    return site.line, site.kind.value, site.statement.value
