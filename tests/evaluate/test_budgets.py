"""What is cut, what goes on, and what is looked at although the followed world does not come to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from importcycle.evaluate import core, statements
from importcycle.importing.runs import Interpreter
from importcycle.importing.sources import Sources
from importcycle.project.model import Project
from tests.judge.tree import project_of, write_tree


def project_with(folder: Path, text: str) -> Project:
    """A package of three modules, the first of which has the text."""
    write_tree(folder, {"pkg/__init__.py": "", "pkg/first.py": text, "pkg/second.py": "", "pkg/third.py": ""})
    return project_of(folder, (3, 12))


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "STEPS_OF_A_STATEMENT", 500)
    monkeypatch.setattr(core, "STEPS_OF_DOUBT", 0)
    monkeypatch.setattr(core, "STEPS_OF_CERTAINTY", 0)


@pytest.mark.usefixtures("few_steps")
def test_a_cut_ends_one_part_of_a_branch(tmp_path: Path) -> None:
    text = "import sys\nif sys:\n    sum([each for each in range(2000)])\n    import pkg.second\nimport pkg.third\n"
    project = project_with(tmp_path, text)
    interpreter = Interpreter(project, Sources(project), is_exact=False)
    outcome = interpreter.run("pkg.first")
    assert (outcome.error_type, outcome.is_complete) == (None, True)
    assert [line for _, _, line in interpreter.machine.cuts] == [3]
    assert {"pkg.second", "pkg.third"} <= set(interpreter.imports.loaded_modules())


def test_a_long_statement_goes_on_while_all_is_known(tmp_path: Path) -> None:
    text = "count = 0\nfor number in range(9_000):\n    count += number % 7\n    count -= number % 5\n"
    project = project_with(tmp_path, f"{text}if count == 8989:\n    import pkg.second\n")
    interpreter = Interpreter(project, Sources(project), is_exact=False)
    interpreter.run("pkg.first")
    assert interpreter.machine.steps > statements.STEPS_OF_A_STATEMENT
    assert not interpreter.machine.cuts


def test_what_follows_an_unknown_test_that_leaves_is_predicted_with_its_condition(tmp_path: Path) -> None:
    text = (
        "import elsewhere\n\ndef load():\n    for each in (1, 2):\n"
        "        if elsewhere.rejects(each):\n            continue\n"
        "        if not elsewhere.accepts(each):\n            return None\n        import pkg.second\n\nload()\n"
    )
    project = project_with(tmp_path, text)
    interpreter = Interpreter(project, Sources(project), is_exact=False)
    interpreter.run("pkg.first")
    seen = interpreter.recorder.deferred.values()
    assert [(each.target, bool(each.guards)) for each in seen] == [("pkg.second", True)]


def test_what_another_choice_of_function_would_import_is_predicted_with_that_choice(tmp_path: Path) -> None:
    text = (
        "import elsewhere\n\ndef main():\n    import pkg.second\n\ndef other():\n    import pkg.third\n\n"
        "chosen = main\nif elsewhere.prefers():\n    chosen = other\nchosen()\n"
    )
    project = project_with(tmp_path, text)
    interpreter = Interpreter(project, Sources(project), is_exact=False)
    interpreter.run("pkg.first")
    seen = {each.target: [guard.text for guard in each.guards] for each in interpreter.recorder.deferred.values()}
    assert seen["pkg.second"] == []
    assert seen["pkg.third"] == ["main is pkg.first.other"]


def test_a_costly_function_of_its_arguments_is_evaluated_once_for_all_runs(tmp_path: Path) -> None:
    text = (
        "import functools\n\n@functools.lru_cache\ndef costly(number):\n"
        "    return [each for each in range(number) if each % 2]\n\n"
        "names = costly(5_000)\nnames.append('second')\n__import__(f'pkg.{names[-1]}')\n"
    )
    project = project_with(tmp_path, text)
    sources = Sources(project)
    steps = []
    for _ in range(2):
        interpreter = Interpreter(project, sources, is_exact=False)
        interpreter.run("pkg.first")
        assert "pkg.second" in interpreter.imports.loaded_modules()
        steps.append(interpreter.machine.steps)
    assert steps[1] < steps[0] / 10


@pytest.mark.usefixtures("few_steps")
def test_what_a_loop_loads_is_not_counted_against_the_loop(tmp_path: Path) -> None:
    names = [f"part{number}" for number in range(12)]
    files = {f"pkg/{name}.py": "total = sum([each for each in range(100)])\n" for name in names}
    text = (
        f"for name in {names!r}:\n    try:\n        __import__(f'pkg.{{name}}')\n    except Exception:\n        pass\n"
    )
    write_tree(tmp_path, files)
    project = project_with(tmp_path, text)
    interpreter = Interpreter(project, Sources(project), is_exact=False)
    interpreter.run("pkg.first")
    assert not interpreter.machine.cuts
    assert {f"pkg.{name}" for name in names} <= set(interpreter.imports.loaded_modules())


def test_a_loop_that_only_the_unknown_ends_is_left(tmp_path: Path) -> None:
    text = "import elsewhere\nwhile True:\n    if elsewhere.done():\n        break\nimport pkg.second\n"
    project = project_with(tmp_path, text)
    interpreter = Interpreter(project, Sources(project), is_exact=False)
    interpreter.run("pkg.first")
    assert interpreter.machine.steps < 5_000
    assert "pkg.second" in interpreter.imports.loaded_modules()
