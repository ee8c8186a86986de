"""The words of errors are CPython's: each is asked of every CPython that is there."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from importcycle.findings.wording import conditions_in_words, crash_message, error_text, fix_advice
from importcycle.importing.outcomes import Condition, Failure, FailureKind, Site, Step, StepKind
from tests.judge.interpreters import Interpreter, find_interpreters
from tests.support.samples import conditional_crash, import_crash, make_project


@dataclass(frozen=True, slots=True)
class Program:
    """A small tree that fails, and the failure as the simulation tells it."""

    files: dict[str, str]
    entry: str
    error_type: str
    module: str
    name: str
    half_loaded: bool = True
    is_left_over: bool = False


PROGRAMS = {
    "from": Program({"m.py": "from k import x\nn = 1\n", "k.py": "from m import n\n"}, "m", "ImportError", "m", "n"),
    "attribute": Program({"m.py": "import k\nn = 1\n", "k.py": "import m\nm.n\n"}, "m", "AttributeError", "m", "n"),
    "star": Program(
        {"m.py": "__all__ = ['n']\nimport k\nn = 1\n", "k.py": "from m import *\n"}, "m", "AttributeError", "m", "n"
    ),
    "submodule": Program(
        {"p/__init__.py": "", "p/s.py": "import p.t\n", "p/t.py": "import p\np.s\n"},
        "p.s",
        "AttributeError",
        "p",
        "s",
        half_loaded=False,
    ),
    "submodule of half-loaded": Program(
        {"p/__init__.py": "import p.s\n", "p/s.py": "import p\np.s\n"}, "p", "AttributeError", "p", "s"
    ),
    "global": Program(
        {"m.py": "def f():\n    return n\nimport k\nn = 1\n", "k.py": "import m\nm.f()\n"}, "m", "NameError", "m", "n"
    ),
    "left over": Program(
        {
            "m.py": "try:\n    import k\nexcept ImportError:\n    pass\nn = 1\nimport k\n",
            "k.py": "import kept\nfrom m import n\nvalue = n\nkept.ask()\n",
            "kept.py": "import k\ndef ask():\n    return k.value\n",
        },
        "m",
        "AttributeError",
        "k",
        "value",
        is_left_over=True,
    ),
    "no module": Program({"p/__init__.py": "import p.zz\n"}, "p", "ModuleNotFoundError", "p.zz", "p.zz"),
    "complete": Program(
        {"m.py": "import k\nfrom k import n\n", "k.py": "x = 1\n"}, "m", "ImportError", "k", "n", half_loaded=False
    ),
}


@pytest.mark.parametrize("interpreter", find_interpreters(), ids=str)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_errors_are_worded_as_cpython_words_them(program: Program, interpreter: Interpreter, tmp_path: Path) -> None:
    error_type, text = ask(interpreter, program, tmp_path)
    modules = [path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in program.files]
    project = make_project(modules, interpreter.version)
    assert error_type == program.error_type
    # An ImportError ends with the file that the module came from.
    assert text == error_text(failure_of(program), project) or text.startswith(
        error_text(failure_of(program), project) + " ("
    )


def ask(interpreter: Interpreter, program: Program, folder: Path) -> tuple[str, str]:
    """The type and text of the error that CPython raises."""
    for name, content in program.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    code = (
        f"import sys; sys.path.append({str(folder)!r})\n"
        f"try: import {program.entry}\n"
        "except Exception as error: print(type(error).__name__); print(error)"
    )
    answer = subprocess.run(
        [interpreter.executable, "-I", "-B", "-c", code], capture_output=True, text=True, check=True
    ).stdout
    error_type, text = answer.replace(f"{folder}/", "").splitlines()
    return error_type, text


def failure_of(program: Program) -> Failure:
    """The failure that the simulation would give."""
    asking = Site("asking", "asking.py", 1)
    reached = Site(program.module, "module.py", 1) if program.half_loaded else None
    return Failure(
        kind=FailureKind.CRASH,
        entry=program.entry,
        error_type=program.error_type,
        module=program.module,
        name=program.name,
        site=asking,
        bound_at=None,
        trace=(Step(StepKind.IMPORT, asking, ""),),
        cycle=(),
        conditions=(),
        certain=True,
        exact=True,
        reached=reached,
        is_left_over=program.is_left_over,
    )


def test_conditions_are_said_in_plain_words() -> None:
    conditions = [Condition("in_wsl()", True, "a.py", 1), Condition("DEBUG", False, "a.py", 2)]
    assert conditions_in_words([*conditions, conditions[0]]) == "in_wsl() is true and DEBUG is false"


def test_a_message_says_what_fails_when_and_why() -> None:
    message = crash_message(conditional_crash(), 3)
    assert message.startswith("import shop fails when is_limited() is true (and so do 2 other modules): ")
    assert message.endswith("shop.orders, which binds it at line 9 and has only reached line 4")


def test_advice_for_a_call_at_import_names_the_statement() -> None:
    advice = fix_advice(conditional_crash(), 1)
    assert "the statement at shop/orders.py:4" in advice
    assert "after line 9" in advice
    assert "shop/customers.py:1 into the function that uses 'Order'" in advice


def test_what_a_failed_import_left_behind_is_told_apart() -> None:
    failure = replace(import_crash(), is_left_over=True, reached=None)
    assert "gets the object that a failed import of it left half-loaded" in crash_message(failure, 1)
    assert "mend the import that fails first" in fix_advice(failure, 0)


def test_advice_for_plain_imports_names_both_lines() -> None:
    advice = fix_advice(import_crash(), 0)
    assert "move the statement at shop/orders.py:1 below line 3, which binds 'Order'" in advice
    assert "the import at shop/customers.py:1" in advice
