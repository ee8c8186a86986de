"""One simulated import of one entry, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from importcycle.evaluate.frames import Frame, FrameKind, Guard
from importcycle.evaluate.machine import Machine
from importcycle.evaluate.signals import BudgetExceededError, Miss, Raised
from importcycle.importing.outcomes import Site
from importcycle.importing.recording import Recorder, StarLoss
from importcycle.importing.sources import Sources
from importcycle.importing.system import SimulatedImports
from importcycle.project.model import Module, Project
from importcycle.values.model import NONE, Constant, ListValue, ModuleValue, Symbolic

STEPS_OF_A_RUN = 300_000


@dataclass(frozen=True, slots=True)
class Swallowed:
    """A miss that a handler hid."""

    miss: Miss
    handler: Site


@dataclass(frozen=True, slots=True)
class Outcome:
    """How importing an entry ended in one world."""

    entry: str
    crash: Miss | None = None
    """The miss that ended it."""
    shadow: Miss | None = None
    """What was asked of a module that hides one of the standard library, when that ended it."""
    again: Miss | None = None
    """Where a script is imported again under its own name."""
    error_site: tuple[str, int] | None = None
    """Module and line of the statement that raised it."""
    error_type: str | None = None
    """The type of the exception that ended it, whatever its cause."""
    swallowed: tuple[Swallowed, ...] = ()
    losses: tuple[StarLoss, ...] = ()
    decisions: tuple[Guard, ...] = ()
    side_failures: tuple[Miss, ...] = ()
    is_complete: bool = True
    """Whether the run was not cut by a budget."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """A run in which names are taken as bound that were asked of half-loaded modules in vain."""

    names: frozenset[tuple[str, str]]
    """Module and name."""
    expected: Mapping[str, bool]
    """The values of unknown tests in the run that is repeated, by key."""
    preferred: bool | None
    """The value of tests that the repeated run did not have; None: the likely one."""


@dataclass(slots=True)
class Interpreter:
    """A fresh interpreter for simulated imports."""

    project: Project
    sources: Sources
    is_exact: bool
    recorder: Recorder = field(default_factory=Recorder)
    machine: Machine = field(init=False)
    imports: SimulatedImports = field(init=False)

    def __post_init__(self) -> None:
        self.machine = Machine(self.project, self.is_exact)
        self.machine.results = self.sources.results
        self.machine.asked = self.sources.asked
        self.imports = SimulatedImports(self.machine, self.project, self.sources, self.recorder)

    def run(self, entry: str, is_script: bool = False) -> Outcome:
        """Import the entry; the state stays as it is afterwards."""
        machine = self.machine
        self.recorder.reset_run()
        machine.runs += 1
        machine.swallowed, machine.side_failures, machine.misses = [], [], []
        machine.run_limit = machine.step_limit = machine.steps + STEPS_OF_A_RUN
        crash: Miss | None = None
        error_type: str | None = None
        error_site: tuple[str, int] | None = None
        shadow: Miss | None = None
        is_complete = True
        self.recorder.script = entry if is_script else None
        self.recorder.again = None
        try:
            if is_script:
                self._run_script(entry)
            else:
                self.imports.import_entry(entry)
        except Raised as error:
            crash, error_type, shadow = error.miss, error.type_name, error.shadow
            error_site = error.site
        except BudgetExceededError as error:
            machine.cut(error.reason)
            is_complete = False
        except RecursionError:
            machine.cut("nested too deeply")
            is_complete = False
        machine.frame, machine.depth = None, 0
        return Outcome(
            entry,
            crash,
            shadow,
            self.recorder.again,
            error_site,
            error_type,
            tuple(Swallowed(miss, _handler_site(frame, line)) for miss, frame, line in machine.swallowed),
            tuple(self.imports.star_losses()),
            tuple(decision.guard for decision in machine.made),
            tuple(miss for miss, _ in machine.side_failures),
            is_complete,
        )

    def _run_script(self, entry: str) -> None:
        """``python file.py``: the body runs as ``__main__``, its folder comes first on ``sys.path``."""
        module = self.project.modules[entry]
        code = self.sources.code(module)
        if code is None:
            return
        value = ModuleValue("__main__", False)
        value.namespace.update(_script_names(module))
        self.imports.loaded_modules()["__main__"] = value
        frame = Frame(FrameKind.MODULE, value, code, None, value.namespace)
        value.is_initializing = True
        self.machine.push(frame)
        self.machine.execute(code.body, frame)
        self.machine.pop()
        value.is_initializing = False


def run_world(
    project: Project,
    sources: Sources,
    entry: str,
    script: Sequence[bool],
    is_script: bool = False,
    repairs: Repairs | None = None,
) -> tuple[Outcome, Interpreter]:
    """Import the entry in the world whose first unknown tests have the scripted values."""
    interpreter = Interpreter(project, sources, is_exact=True)
    machine = interpreter.machine
    machine.script = script
    if repairs is not None:
        machine.repaired = repairs.names
        machine.expected = repairs.expected
        machine.preferred = repairs.preferred
    return interpreter.run(entry, is_script), interpreter


def _handler_site(frame: Frame, line: int) -> Site:
    return Site(frame.module.name, frame.code.path, line, 0, frame.name)


def _script_names(module: Module) -> dict[str, Constant | Symbolic | ListValue]:
    return {
        "__name__": Constant("__main__"),
        "__file__": Constant(str(module.path)),
        "__doc__": NONE,
        "__package__": NONE,
        "__spec__": NONE,
        "__loader__": Symbolic("__loader__"),
    }
