"""Hand-made outcomes of a simulation, for tests of the rooms that come after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from importcycle.findings import Evidence, ImportCycle, Report, Rule, judge, select_rules
from importcycle.importing.outcomes import (
    Condition,
    Cut,
    DeferredImport,
    Failure,
    FailureKind,
    Opaque,
    SimulationReport,
    Site,
    Step,
    StepKind,
)
from importcycle.project.model import Module, ModuleKind, Project

MODULES = ("shop", "shop.orders", "shop.customers", "shop.log", "shop.parts", "shop.parts.wheel", "till")


def make_project(modules: Sequence[str] = MODULES, python_version: tuple[int, int] = (3, 11)) -> Project:
    """A project with these modules; those that others are below are packages."""
    packages = {name for name in modules if any(other.startswith(f"{name}.") for other in modules)}
    made = {}
    for name in modules:
        path = name.replace(".", "/") + ("/__init__.py" if name in packages else ".py")
        made[name] = Module(name, ModuleKind.SOURCE, name in packages, Path("/nowhere", path), path)
    tops = tuple(sorted({name.partition(".")[0] for name in modules}))
    return Project(Path("/nowhere"), tops, made, python_version)


def site(module: str, line: int, function: str | None = None) -> Site:
    """A place in a module of the sample project."""
    return Site(module, make_project().modules[module].display_path, line, 0, function)


def step(kind: StepKind, module: str, line: int, text: str, function: str | None = None) -> Step:
    """A step in a module of the sample project."""
    return Step(kind, site(module, line, function), text)


def import_crash(entry: str = "shop.orders") -> Failure:
    """A cycle of two module-level imports, entered at shop.orders."""
    first = step(StepKind.IMPORT, "shop.orders", 1, "from shop.customers import Customer")
    asking = step(StepKind.IMPORT, "shop.customers", 1, "from shop.orders import Order")
    return Failure(
        kind=FailureKind.CRASH,
        entry=entry,
        error_type="ImportError",
        module="shop.orders",
        name="Order",
        site=asking.site,
        bound_at=site("shop.orders", 3),
        trace=(first, asking),
        cycle=("shop.orders", "shop.customers"),
        conditions=(),
        certain=True,
        exact=True,
        reached=first.site,
    )


def conditional_crash(entry: str = "shop") -> Failure:
    """A module-level call that runs a deferred import when a test is true."""
    trace = (
        step(StepKind.IMPORT, "shop", 2, "import shop.orders"),
        step(StepKind.CALL, "shop.orders", 4, "LIMIT = read_limit()"),
        step(StepKind.CALL, "shop.log", 8, "note('limited')", "read_limit"),
        step(StepKind.DEFERRED_IMPORT, "shop.log", 3, "from shop.customers import name", "note"),
        step(StepKind.IMPORT, "shop.customers", 1, "from shop.orders import Order"),
    )
    return replace(
        import_crash(entry),
        bound_at=site("shop.orders", 9),
        trace=trace,
        site=trace[-1].site,
        cycle=("shop.orders", "shop.log", "shop.customers"),
        conditions=(Condition("is_limited()", True, "shop/log.py", 7),),
        certain=False,
        reached=trace[1].site,
    )


def make_simulation(
    failures: Iterable[Failure] = (),
    *,
    deferred: Iterable[DeferredImport] = (),
    cuts: Iterable[Cut] = (),
    opaque: Iterable[Opaque] = (),
    unparsable: dict[str, str] | None = None,
) -> SimulationReport:
    """The report of a simulation."""
    return SimulationReport(
        entries=MODULES,
        failures=tuple(failures),
        deferred=tuple(deferred),
        cuts=tuple(cuts),
        opaque=tuple(opaque),
        unparsable=unparsable or {},
        executed_edges=frozenset(),
    )


def make_report(
    *failures: Failure,
    project: Project | None = None,
    simulation: SimulationReport | None = None,
    cycles: Iterable[ImportCycle] = (),
    rules: Iterable[Rule] | None = None,
) -> Report:
    """The judged report of these failures, or of a whole simulation."""
    evidence = Evidence(project or make_project(), simulation or make_simulation(failures), tuple(cycles))
    return judge(evidence, select_rules() if rules is None else rules)
