"""Import one module of a source tree in this interpreter, with stand-ins for the third-party packages it misses.

Run by path with any CPython from 3.10 on, in a fresh process for each entry: nothing of this project is imported, so
the interpreter may be one that has nothing installed. The outcome is printed as one JSON object on the last line.

    python stand_ins.py FOLDER ENTRY --force package.module:function=True

A stand-in can be called, subscripted, iterated (it is empty), compared, inherited from, used as a decorator (it gives
back what it decorates) and as a context manager, so that the module-level code of the tree runs on. What the tree
itself lacks, such as its compiled modules, is missing as it would be there.
"""

from __future__ import annotations

import argparse
import ast
import dis
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import os
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

_IMPORT_SYSTEM = "<frozen importlib"
_IMPORTLIB = str(Path(importlib.__file__).parent)
_UNPACK_SEQUENCE = dis.opmap["UNPACK_SEQUENCE"]
_MONITORING_TOOL = 4
_EXCEPTION_SUFFIXES = ("Error", "Exception", "Warning", "Exit", "Interrupt", "Timeout")
_FROM_MESSAGE = re.compile(r"cannot import name '([^']+)' from (?:partially initialized module )?'([^']+)'")
_ATTRIBUTE_MESSAGE = re.compile(r"partially initialized module '([^']+)' has no attribute '([^']+)'")


# ---------------------------------------------------------------------------------------------------- permissive values
@dataclass
class Answers:
    """What stand-ins say when they are asked for something definite."""

    truth: bool = True
    version: str = "99.0.0"


_answers = Answers()


class StandInMeta(type(Protocol)):  # type: ignore[misc]
    """The type of classes made for stand-ins: an attribute that a subclass does not define is a stand-in, too.

    It is that of protocols, which is one of abstract classes as well: a class may have both among its bases.
    """

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _attribute(cls.__name__, name)


class StandInBase(metaclass=StandInMeta):
    """What a class of the tree inherits from in place of a class of a missing package."""

    _is_protocol = False

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return {"type": "any"}

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _attribute(type(self).__name__, name)


def _make_operators() -> type:
    """A class whose arithmetic gives stand-ins, and whose order comparisons give the truth asked for."""
    binary = [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "matmul",
        "pow",
        "and",
        "or",
        "xor",
        "lshift",
        "rshift",
    ]
    names = [prefix + operator for operator in binary for prefix in ("", "r", "i")]
    names += ["neg", "pos", "invert", "abs", "round", "aenter", "aexit"]
    methods: dict[str, Callable[..., Any]] = {
        f"__{name}__": lambda self, *others: StandIn(f"{self._stand_in_name}~") for name in names
    }
    methods.update({f"__{name}__": lambda self, other: _answers.truth for name in ("lt", "le", "gt", "ge")})
    return type("Operators", (), dict(methods))


class StandIn(_make_operators()):  # type: ignore[misc]
    """An object of a missing package."""

    def __init__(self, name: str) -> None:
        self.__dict__["_stand_in_name"] = name
        self.__dict__["_stand_in_base"] = None

    def __getattr__(self, name: str) -> Any:
        if name == "__name__" or name == "__qualname__":
            return self._stand_in_name.rpartition(".")[2]
        if name.startswith("__"):
            raise AttributeError(name)
        return _attribute(self._stand_in_name, name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) == 1 and not keywords and isinstance(arguments[0], (types.FunctionType, type)):
            return arguments[0]
        return StandIn(f"{self._stand_in_name}()")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        # One class for each stand-in: two different ones may be bases of one class.
        if self._stand_in_base is None:
            self.__dict__["_stand_in_base"] = StandInMeta(self.__name__.replace("()", ""), (StandInBase,), {})
        return (self._stand_in_base,)

    def __iter__(self) -> Iterator[Any]:
        frame = sys._getframe(1)
        code, offset = frame.f_code.co_code, frame.f_lasti
        # `a, b = stand_in` needs as many values as there are names.
        count = code[offset + 1] if code[offset] == _UNPACK_SEQUENCE else 0
        return iter([StandIn(f"{self._stand_in_name}[{index}]") for index in range(count)])

    def __getitem__(self, key: Any) -> Any:
        return StandIn(f"{self._stand_in_name}[]")

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __delitem__(self, key: Any) -> None:
        return None

    def __contains__(self, item: Any) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return _answers.truth

    def __hash__(self) -> int:
        return id(self)

    def __int__(self) -> int:
        return 1

    __index__ = __int__

    def __float__(self) -> float:
        return 1.0

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, *details: Any) -> None:
        return None

    def __await__(self) -> Iterator[Any]:
        return iter(())

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        # Where pydantic itself is installed, a field annotated with a stand-in takes anything.
        return {"type": "any"}

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    def __subclasscheck__(self, subclass: Any) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<stand-in {self._stand_in_name}>"


def _attribute(owner: str, name: str) -> Any:
    if name == "__version__":
        return _answers.version
    if name.endswith(_EXCEPTION_SUFFIXES):
        return type(name, (Exception,), {"__module__": owner})
    return StandIn(f"{owner}.{name}")


# ---------------------------------------------------------------------------------------------------- missing packages
class StandInModule(types.ModuleType):
    """A module of a missing package."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        value = _attribute(self.__name__, name)
        setattr(self, name, value)
        return value


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last finder: it finds what the tree asks for, but its own modules, the standard library's and absent ones.

    What an installed package probes for stays missing, as it is without the tree.
    """

    def __init__(self, root: Path, own: frozenset[str], absent: frozenset[str], also: frozenset[str]) -> None:
        self.root = str(root)
        self.own = own
        self.absent = absent
        self.also = also
        self.found: set[str] = set()

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        top = name.partition(".")[0]
        kept_out = top in self.own or top in sys.stdlib_module_names or not self.absent.isdisjoint((top, name))
        parent = sys.modules.get(name.rpartition(".")[0])
        part_of_real_package = parent is not None and not isinstance(parent, StandInModule)
        is_wanted = not kept_out and not part_of_real_package and self.is_asked_by_tree()
        if not is_wanted and self.also.isdisjoint((top, name)):
            return None
        self.found.add(top)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def is_asked_by_tree(self) -> bool:
        """Whether the caller's caller, or who asked the import system for it, is code of the tree."""
        frame: types.FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename.startswith((_IMPORT_SYSTEM, _IMPORTLIB)):
            frame = frame.f_back
        # The command line's own imports, of functions to be forced, count as the tree's.
        return frame is None or frame.f_code.co_filename.startswith((self.root, __file__))

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return StandInModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        # Some look for files beside a package: there are none.
        module.__file__ = str(Path(os.devnull, *module.__name__.split("."), "__init__.py"))


def stand_in_metadata(finder: StandInFinder, versions: Mapping[str, str]) -> None:
    """Let ``importlib.metadata`` know the distributions given, and one for each package that a stand-in replaces."""
    original = importlib.metadata.version

    def version(distribution_name: str) -> str:
        if distribution_name in versions:
            return versions[distribution_name]
        try:
            return original(distribution_name)
        except importlib.metadata.PackageNotFoundError:
            if distribution_name.replace("-", "_") in finder.own | finder.absent or not finder.is_asked_by_tree():
                raise
            return _answers.version

    importlib.metadata.version = version


# ---------------------------------------------------------------------------------------------------- forced conditions
@dataclass(frozen=True)
class ForcedFunction:
    """A function or method that must return a constant."""

    module: str
    qualified_name: str
    value: object


@dataclass(frozen=True)
class ForcedTest:
    """An expression on a line that must have a truth value."""

    path: str
    line: int
    text: str
    value: bool


class _Forcing(ast.NodeTransformer):
    """Write constants into a module's syntax tree; line numbers stay."""

    def __init__(self, functions: Mapping[str, object], tests: Sequence[ForcedTest]) -> None:
        self.functions = functions
        self.tests = {(test.line, _canonical(test.text)): test for test in tests}
        self.scope: list[str] = []
        self.used: set[object] = set()

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.scope.append(node.name)
        self.generic_visit(node)
        self.scope.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.scope.append(node.name)
        self.generic_visit(node)
        name = ".".join(self.scope)
        self.scope.pop()
        if name in self.functions:
            self.used.add(name)
            answer = ast.Return(ast.Constant(self.functions[name]))  # type: ignore[arg-type]
            node.body = [ast.fix_missing_locations(ast.copy_location(answer, node.body[0]))]
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.expr) and self.tests:
            forced = self.tests.get((node.lineno, ast.unparse(node)))
            if forced is not None:
                self.used.add(forced)
                return ast.copy_location(ast.Constant(forced.value), node)
        return node


def _canonical(text: str) -> str:
    try:
        return ast.unparse(ast.parse(text.strip(), mode="eval"))
    except SyntaxError:
        return text


def force_in_tree(root: Path, functions: Sequence[ForcedFunction], tests: Sequence[ForcedTest]) -> list[str]:
    """Change the code of the modules concerned as they are loaded; gives the list that failures are written to."""
    by_file: dict[str, tuple[dict[str, object], list[ForcedTest]]] = {}
    for function in functions:
        place = root.joinpath(*function.module.split("."))
        path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        by_file.setdefault(str(path), ({}, []))[0][function.qualified_name] = function.value
    for test in tests:
        by_file.setdefault(str(root / test.path), ({}, []))[1].append(test)
    unused: list[str] = []
    original = importlib.machinery.SourceFileLoader.get_code

    def get_code(loader: importlib.machinery.SourceFileLoader, fullname: str) -> types.CodeType | None:
        wanted = by_file.get(loader.path)
        if wanted is None:
            return original(loader, fullname)
        forcing = _Forcing(*wanted)
        tree = forcing.visit(ast.parse(Path(loader.path).read_bytes()))
        unused.extend(str(one) for one in [*wanted[0], *wanted[1]] if one not in forcing.used)
        code: types.CodeType = compile(tree, loader.path, "exec", dont_inherit=True)
        return code

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    return unused


def force_elsewhere(function: ForcedFunction) -> None:
    """Replace a function of the standard library or of an installed package."""
    owner: Any = importlib.import_module(function.module)
    *path, last = function.qualified_name.split(".")
    for name in path:
        owner = getattr(owner, name)
    setattr(owner, last, lambda *arguments, **keywords: function.value)


# ---------------------------------------------------------------------------------------------------- the outcome
@dataclass
class Watch:
    """Every failure of a half-loaded module that was raised, also a caught one (CPython 3.12 and later)."""

    own: frozenset[str]
    raised: list[dict[str, Any]] = field(default_factory=list)

    def start(self) -> None:
        if sys.version_info < (3, 12):
            return
        sys.monitoring.use_tool_id(_MONITORING_TOOL, "stand-ins")
        sys.monitoring.register_callback(_MONITORING_TOOL, sys.monitoring.events.RAISE, self.on_raise)
        sys.monitoring.set_events(_MONITORING_TOOL, sys.monitoring.events.RAISE)

    def on_raise(self, code: types.CodeType, offset: int, error: BaseException) -> None:
        module, name = asked(error)
        if module is None or module.partition(".")[0] not in self.own or not is_half_loaded(module):
            return
        entry = {"type": type(error).__name__, "module": module, "name": name}
        if entry not in self.raised:
            self.raised.append(entry)


def is_half_loaded(module: str) -> bool:
    """Whether the body of the module is running now."""
    spec = getattr(sys.modules.get(module), "__spec__", None)
    return getattr(spec, "_initializing", False) is True


def asked(error: BaseException) -> tuple[str | None, str | None]:
    """The module that was asked for a name, and the name, as far as the exception tells."""
    if isinstance(error, ImportError):
        match = _FROM_MESSAGE.search(str(error))
        return (match[2], match[1]) if match else (error.name, None)
    if isinstance(error, AttributeError):
        match = _ATTRIBUTE_MESSAGE.search(str(error))
        if match:
            return match[1], match[2]
        owner = getattr(error, "obj", None)
        return (owner.__name__ if isinstance(owner, types.ModuleType) else None), getattr(error, "name", None)
    if isinstance(error, NameError):
        return None, getattr(error, "name", None)
    return None, None


def describe(error: BaseException, root: Path) -> dict[str, Any]:
    """The exception as JSON: frames of the tree only, outermost first."""
    module, name = asked(error)
    frames = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(root):
            function = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
            frames.append(
                {
                    "module": frame.f_globals.get("__name__"),
                    "function": None if function == "<module>" else function,
                    "path": path.relative_to(root).as_posix(),
                    "line": line,
                }
            )
    result: dict[str, Any] = {"type": type(error).__name__, "message": str(error), "module": module, "name": name}
    result["frames"] = frames
    behind = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if behind is not None:
        result["behind"] = describe(behind, root)
    return result


def import_entry(entry: str, root: Path, watch: Watch) -> dict[str, Any]:
    """Import the entry, and say how it went."""
    try:
        importlib.import_module(entry)
    except BaseException as error:  # SystemExit is an outcome, too
        return {"entry": entry, "ok": False, "error": describe(error, root), "raised": watch.raised}
    return {"entry": entry, "ok": True, "error": None, "raised": watch.raised}


# ---------------------------------------------------------------------------------------------------- the command
def _forced_function(text: str) -> ForcedFunction:
    place, _, value = text.rpartition("=")
    module, _, name = place.partition(":")
    if not module or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not MODULE:FUNCTION=VALUE")
    return ForcedFunction(module, name, ast.literal_eval(value))


def _forced_test(text: str) -> ForcedTest:
    match = re.fullmatch(r"(.+?):(\d+):(.+)=(True|False)", text, re.DOTALL)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not PATH:LINE:TEST=True or =False")
    return ForcedTest(match[1], int(match[2]), match[3], match[4] == "True")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Import one module with stand-ins for missing packages.")
    parser.add_argument("root", type=Path, help="folder that holds the packages of the tree")
    parser.add_argument("entry", help="dotted name of the module that is imported first")
    parser.add_argument(
        "--force", metavar="MODULE:FUNCTION=VALUE", action="append", default=[], type=_forced_function,
        help="make a function return a constant",
    )  # fmt: skip
    parser.add_argument(
        "--assume", metavar="PATH:LINE:TEST=BOOL", action="append", default=[], type=_forced_test,
        help="make the expression TEST on a line of the tree true or false",
    )  # fmt: skip
    parser.add_argument("--absent", metavar="NAME", action="append", default=[], help="a package that stays missing")
    parser.add_argument(
        "--also",
        metavar="NAME",
        action="append",
        default=[],
        help="a module to replace, whoever asks for it: one of the tree, or a package that an installed one needs",
    )
    parser.add_argument("--metadata", metavar="NAME=VERSION", action="append", default=[], help="a distribution")
    parser.add_argument("--false", action="store_true", help="stand-ins are false, not true, in tests")
    parser.add_argument("--version", default="99.0.0", help="version of every stand-in")
    return parser


def run(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Do what the command line says in this process, which must not have loaded any module of the tree."""
    options = _parser().parse_args(arguments)
    root: Path = options.root.resolve()
    own = frozenset(
        child.stem
        for child in root.iterdir()
        if (child.is_dir() or child.suffix == ".py") and child.stem.isidentifier()
    )
    _answers.truth, _answers.version = not options.false, options.version
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(root))
    finder = StandInFinder(root, own, frozenset(options.absent), frozenset(options.also))
    sys.meta_path.append(finder)
    stand_in_metadata(finder, dict(item.split("=", 1) for item in options.metadata))
    is_own: Callable[[ForcedFunction], bool] = lambda forced: forced.module.partition(".")[0] in own  # noqa: E731
    unused = force_in_tree(root, [forced for forced in options.force if is_own(forced)], options.assume)
    for forced in options.force:
        if not is_own(forced):
            force_elsewhere(forced)
    watch = Watch(own)
    watch.start()
    outcome = import_entry(options.entry, root, watch)
    return {**outcome, "python": sys.version.split()[0], "stand_ins": sorted(finder.found), "not_forced": unused}


if __name__ == "__main__":
    sys.path.pop(0)  # The folder of this script: its modules must not be found by the tree.
    result = run()
    sys.stdout.flush()
    print(json.dumps(result), flush=True)
    os._exit(0 if result["ok"] else 1)  # Threads that the tree started must not keep the process.
