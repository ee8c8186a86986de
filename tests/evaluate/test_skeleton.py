"""A source without the bodies of its functions says the same of module level as the whole source does."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest

from importcycle.ir import UnparsableError, lower_module
from importcycle.ir.skeleton import without_function_bodies
from importcycle.project import SourceError, decode_source


class _WithoutBodies(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [ast.Pass()]
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.body = [ast.Pass()]
        return node


def _module_level(text: str) -> str:
    return ast.dump(_WithoutBodies().visit(ast.parse(text)), include_attributes=False)


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    return 1\nx = 2\n",
        "def f(): return 1\nx = 2\n",
        "def f(\n    a: int = (1),  # ) comment\n    b: str = ')',\n) -> dict[str, int]:  # :\n    return a\nx = 1",
        "def f():\n    '''\nimport os\n'''\n    return 1\nx = 1\n",
        'def f():\n    text = """\ndef g():\n    pass\n"""\n    return text\nx = 1\n',
        "def f():\n    # it's\n    x = 'def g():'\n\n    # more\n# less\n    return x\n\n\ny = 1\n",
        "class A:\n    def f(self):\n        return 1\n    x = 1\n    async def g(self):\n        await x\n",
        '"""\ndef f():\n    code in a docstring\n"""\nx = 1\n',
        "def f():\n    return [\n1,\n2,\n]\nx = 1\n",
        "def f():\n    x = 1 + \\\n2\n    return x\ny = 1\n",
        "def f(a=lambda: 1) -> None:\n    pass\n",
        "def f():\n\tif 1:\n\t\treturn 2\n\treturn 3\nx = 1\n",
        "if True:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n",
        "x = '''a''' 'def f():'\ndef f():\n    return '''\n'''  # '''\ny = 2\n",
        "def f():\n    return 1",
        "def f():\n    pass\n    # comment \\",
        "\n\ndef f():\n    return '\\\n'\nx = 1\n",
    ],
)
def test_module_level_stays_the_same(text: str) -> None:
    skeleton = without_function_bodies(text)
    try:
        found = _module_level(skeleton)
    except SyntaxError:  # then the whole text is parsed instead
        found = _module_level(text)
    assert found == _module_level(text)


def test_lines_keep_their_numbers_and_most_bodies_are_gone() -> None:
    text = "import a\n\n\ndef f(x):\n    '''Doc.'''\n    import b\n\n    return b\n\n\nclass C(f(1)):\n    y = 1\n"
    assert without_function_bodies(text) == "import a\n\n\ndef f(x):\n\n\n\n pass\n\n\nclass C(f(1)):\n    y = 1\n"


def test_the_standard_library_stays_the_same() -> None:
    folder = Path(sysconfig.get_paths()["stdlib"])
    bodies_left = files = 0
    for path in [*folder.glob("*.py"), *folder.glob("asyncio/*.py"), *folder.glob("email/*.py")]:
        text = decode_source(path.read_bytes())
        skeleton = without_function_bodies(text)
        assert _module_level(skeleton) == _module_level(text), path
        files += 1
        bodies_left += skeleton.count("\n    return ")
    assert files > 150
    assert bodies_left < files


def test_a_body_that_cannot_be_parsed_is_opaque() -> None:
    code = lower_module("m", "m.py", "x = 1\ndef f():\n    return 1 +\ny = 2\n")
    assert set(code.bound_lines) == {"x", "f", "y"}


def test_errors_at_module_level_are_told_with_their_line() -> None:
    with pytest.raises(UnparsableError, match="line 4"):
        lower_module("m", "m.py", "def f():\n    return 1\n\nx = = 2\n")


def test_unreadable_text_is_an_error_of_the_source() -> None:
    with pytest.raises(SourceError):
        decode_source(b"\xff")
