"""Files in syntax that the running Python does not know are analysed like all others."""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from importcycle import Report, scan
from importcycle.project.syntax import UnparsableError, parse
from tests.judge.interpreters import Interpreter, find_interpreters
from tests.project.trees import plant_texts

OLDER = [
    ("except A, B:\n        pass", "except (A, B):\n        pass"),
    ("except A.b, C[1, 2]:\n        pass", "except (A.b, C[1, 2]):\n        pass"),
    ("except A, B: x = f(1, 2)", "except (A, B): x = f(1, 2)"),
]
PLACES = """
import sys
def f[T: (int, str), *Ts, **P](x: T, *a: T) -> list[T]:
    return f"{x["a"]!r:>{a["b"]}} é {x=} {{literal}} \\N{BULLET} \\
 {
   x  # comment }
   + g(1)
 }" "tail" f'{"\\n".join(a)}'
class A[
   T,
   *Ts
](B[T], metaclass=M):
    type Z[K: int] = dict[K, T]
    type W = (int |
       str)
    def m[S](self, x: S) -> f"{x['y']}": pass
@decorated(1)
async def g[S](): await h[S](f'{a['b']}', (lambda: f"{yes if f'{no}' else f"{1:{w["x"]}%}"}")())
x = rf"\\d{x["\\w"]}" f"{x:%H:%M}" + f"{f"{f"{1+y}"}"}" + f"{d | {'a': 1}}{[b for b in c]}{z!s:>10}"
type = type[1]
type X = int; type += 1
print(f"{x!r}", f'''{a['''b''']}
''' f"{c}", f"{x:{{1}.pop()}}", f"{a!=b} {a==b} {a<=b}")
"""
FIELDS = """
import ast, json, sys
skipped = {"Constant", "JoinedStr", "FormattedValue", "TypeAlias", "TypeVar", "TypeVarTuple", "ParamSpec"}
found = []
def look(node):
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            # bounds and parameters are evaluated on demand, and not kept
            if isinstance(child, ast.AST) and name != "type_params":
                if hasattr(child, "lineno") and type(child).__name__ not in skipped:
                    shown = getattr(child, "id", getattr(child, "attr", getattr(child, "name", "")))
                    parameters = [each.name for each in getattr(child, "type_params", ())]
                    found.append([type(child).__name__, child.lineno, child.col_offset, str(shown), parameters])
                look(child)
"""


def newest() -> Interpreter:
    """The newest CPython there is."""
    return find_interpreters()[-1]


def test_what_is_put_back_stands_where_cpython_sees_it() -> None:
    """Asked of a CPython that knows type parameters and f-strings without limits."""
    if newest().version < (3, 12):
        pytest.skip("no Python 3.12")
    program = f"{FIELDS}\nlook(ast.parse(sys.stdin.read()))\nprint(json.dumps(sorted(found)))"
    answer = subprocess.run(
        [newest().executable, "-I", "-c", program], input=PLACES, capture_output=True, check=True, encoding="utf-8"
    ).stdout
    names: dict[str, object] = {}
    exec(compile(FIELDS, "fields", "exec"), names)
    names["look"](parse(PLACES))  # type: ignore[operator]
    assert sorted(map(tuple_of, names["found"])) == sorted(map(tuple_of, json.loads(answer)))  # type: ignore[call-overload]


def tuple_of(entry: list[object]) -> tuple[str, ...]:
    """For sorting and comparing."""
    return tuple(map(str, entry))


def dump(text: str) -> str:
    """The tree, without positions; names of newer nodes are those of CPython."""
    return ast.dump(parse(text))


@pytest.mark.parametrize(("new", "old"), OLDER)
def test_except_without_parentheses(new: str, old: str) -> None:
    assert dump(f"try:\n    pass\n{new}\n") == dump(f"try:\n    pass\n{old}\n")


def test_a_group_is_told_from_a_plain_handler() -> None:
    (statement,) = parse("try:\n    pass\nexcept* A, B:\n    pass\nexcept* C as e:\n    pass\n").body
    assert type(statement).__name__ == "TryStar"
    (statement,) = parse("try:\n    pass\nexcept A:\n    pass\n").body
    assert type(statement).__name__ == "Try"


def test_template_strings_keep_what_they_evaluate() -> None:
    (statement,) = parse('x = t"a {b.c!r:>{d}} {"}"}" rt\'{e}\'').body
    assert isinstance(statement, ast.Assign)
    assert {node.id for node in ast.walk(statement.value) if isinstance(node, ast.Name)} == {"b", "d", "e"}


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("lazy import a.b as c, d", "import a.b as c, d"),
        ("lazy from . import (a,\n  b)", "from . import (a,\n  b)"),
        ("if x: lazy import a", "if x: import a"),
        ("lazy = 1; lazy.x; lazy(import_)", "lazy = 1; lazy.x; lazy(import_)"),
    ],
)
def test_lazy_imports(text: str, old: str) -> None:
    tree = parse(text)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [getattr(node, "is_lazy", 0) for node in imports] == [1] * len(imports)
    for node in imports:
        node.is_lazy = 0  # type: ignore[union-attr]
    assert ast.dump(tree).replace(", is_lazy=0", "") == ast.dump(ast.parse(old))


@pytest.mark.parametrize(
    "text",
    ["def f(:", "x = f'{'", "x = f'{a b}'", "x = t'{a:'", "print 'x'", "except A, B:", "type X[ = 1",
     "def f[T(x): pass", "x = '", "f'{" * 500, "x = [" * 500, "lazy import", "class A[T](: pass",
     "\\", "x = f'{a!}'", "f'{x:{y:{z'"],
)  # fmt: skip
def test_what_is_no_python_of_any_version_is_told_with_its_line(text: str) -> None:
    with pytest.raises(UnparsableError) as raised:
        parse(f"y = 1\n{text}\n")
    assert str(raised.value)


def report(folder: Path, texts: Mapping[str, str], *targets: str) -> Report:
    """Of a scan of these files."""
    return scan(*(targets or ("shop",)), working_directory=plant_texts(folder, texts), configuration=False)


NEWER = {
    "type parameters": "class Box[T: int = int](list[T]):\n    def put[S](self, item: S | T) -> T: ...\n"
    "def make[T](kind: type[T]) -> T: ...\n",
    "type statement": "type Pair[T] = tuple[T, Undefined]\ntype Name = str\n",
    "f-strings": 'd = {"a": 1}\ntext = f"{d["a"]} {"\\n".join(map(str, d))}"\n',
    "except": "try:\n    x = 1\nexcept ValueError, KeyError:\n    x = 2\n",
    "except groups": "try:\n    x = 1\nexcept* ValueError, KeyError:\n    x = 2\n",
    "template strings": 'name = "x"\ntext = t"Hello {name}"\n',
    "lazy imports": "lazy import json\nlazy from os import path\n",
}


@pytest.mark.parametrize("name", NEWER)
def test_the_file_is_analysed(name: str, tmp_path: Path) -> None:
    text = f"{NEWER[name]}from shop.customers import Customer\nclass Order: ...\n"
    customers = "from shop.orders import Order\nclass Customer: ...\n"
    found = report(tmp_path, {"shop/__init__.py": "", "shop/orders.py": text, "shop/customers.py": customers})
    assert {(finding.rule, finding.location.path) for finding in found.findings if finding.rule < "IC2"} == {
        ("IC101", "shop/orders.py"),
        ("IC101", "shop/customers.py"),
    }
    line = text.splitlines().index("from shop.customers import Customer") + 1
    sites = [step.site for finding in found.findings for step in finding.trace]
    assert {site.line for site in sites if site.path == "shop/orders.py"} == {line}


@pytest.mark.parametrize(
    "text",
    [
        "class Box[T](Base[T], key=T):\n    y: T\n    def m(self, x: T) -> T: return T\nBox().m(1)\n",
        "class Out:\n    class In: ...\n    def m[T](self, x: In, y: T) -> In: ...\n    class Deep[T](In): ...\n",
        "def f[T](x: T, y: list[T] = []) -> T:\n    def g(y: T) -> T: return T\n    return g(x)\nf(1)\n",
        "class A[T]:\n    type X = Undefined\n    def m(self): return super().__init__()\nA().m()\n",
        "def f[T: Undefined](): ...\n",
        "class A[**P, *Ts]:\n    @property\n    def m[T](self) -> Ts: return P\nA().m\n",
    ],
)
def test_type_parameters_are_seen_where_cpython_sees_them(text: str, tmp_path: Path) -> None:
    """Each text runs to its end; behind it, a name is missing, which is found only if the analysis gets there."""
    base = "class Base:\n    def __class_getitem__(cls, key): return cls\n    def __init_subclass__(cls, **more): ...\n"
    texts = {"shop/__init__.py": f"{base}{text}from shop.end import x\n", "shop/end.py": "from shop import gone\n"}
    (finding,) = [each for each in report(tmp_path, texts).findings if each.rule < "IC2"]
    assert finding.error is not None
    assert (finding.error.name, finding.location.path) == ("gone", "shop/end.py")
    if newest().version >= (3, 12):
        shown = subprocess.run(
            [newest().executable, "-c", "import shop"], cwd=tmp_path, capture_output=True, text=True, check=False
        ).stderr
        assert "cannot import name 'gone'" in shown


class TestLazyImports:
    """PEP 810: a name is bound at once, and its module loaded when the name is first used."""

    def findings(self, folder: Path, texts: Mapping[str, str]) -> list[tuple[str, str, int]]:
        """Rule and place of each."""
        found = report(folder, {"shop/__init__.py": "", **texts}).findings
        return [(each.rule, each.location.path, each.location.line) for each in found if each.rule < "IC2"]

    def test_a_name_that_is_not_used_loads_nothing(self, tmp_path: Path) -> None:
        texts = {
            "shop/orders.py": "lazy from shop.customers import Customer\nclass Order: ...\ndef f(): return Customer\n",
            "shop/customers.py": "lazy from shop.orders import Order\nclass Customer: ...\n",
        }
        assert self.findings(tmp_path, texts) == []

    def test_a_name_that_is_used_at_import_loads_then(self, tmp_path: Path) -> None:
        texts = {
            "shop/orders.py": "lazy from shop.customers import Customer\ndef f(): return Customer\nf()\n"
            "class Order: ...\n",
            "shop/customers.py": "from shop.orders import Order\nclass Customer: ...\n",
        }
        found = self.findings(tmp_path, texts)
        assert ("IC101", "shop/customers.py", 1) in found
        (crash,) = [each for each in report(tmp_path, {}).findings if each.location.path == "shop/customers.py"]
        assert ("shop/orders.py", 2) in [(step.site.path, step.site.line) for step in crash.trace]

    def test_use_after_the_definition_survives(self, tmp_path: Path) -> None:
        texts = {
            "shop/orders.py": "lazy from shop.customers import Customer\nclass Order: ...\nCustomer()\n",
            "shop/customers.py": "from shop.orders import Order\nclass Customer: ...\n",
        }
        # With customers first, its class does not exist yet when orders uses it.
        assert self.findings(tmp_path, texts) == [("IC101", "shop/orders.py", 3)]

    @pytest.mark.parametrize(
        "use",
        [
            "import shop.orders\nshop.orders.Customer\n",
            "from shop.orders import Customer\n",
            "from shop.orders import *\n",
        ],
    )
    def test_another_module_that_takes_the_name_loads_it(self, use: str, tmp_path: Path) -> None:
        texts = {
            "shop/orders.py": "lazy from shop.customers import Customer\nclass Order: ...\n",
            "shop/customers.py": "import shop.user\nclass Customer: ...\n",
            "shop/user.py": use,
        }
        found = self.findings(tmp_path, texts)
        assert found

    def test_a_package_and_its_own_submodules(self, tmp_path: Path) -> None:
        texts = {
            "shop/__init__.py": "lazy from . import orders\nlazy import shop.customers as c\n"
            "x = orders.Order\ny = c.C\n",
            "shop/orders.py": "class Order: ...\n",
            "shop/customers.py": "class C: ...\nlazy from shop import nothing\n",
        }
        assert self.findings(tmp_path, texts) == []

    def test_a_module_that_is_missing_fails_at_its_use(self, tmp_path: Path) -> None:
        texts = {
            "shop/orders.py": "lazy import shop.gone\nlazy import not_installed_anywhere\n"
            "lazy from shop.customers import nothing\nfrom shop.customers import C, late\n",
            "shop/customers.py": "class C: ...\nimport shop.orders\nlate = 1\n",
        }
        assert ("IC101", "shop/orders.py", 4) in self.findings(tmp_path, texts)


def test_names_that_are_bound_dynamically_are_looked_for_in_newer_syntax(tmp_path: Path) -> None:
    texts = {
        "shop/__init__.py": "",
        "shop/a.py": 'import shop.b\n\nglobals()["LATE"] = 1\n\n\ndef f():\n    try:\n        pass\n'
        "    except KeyError, ValueError:\n        pass\n",
        "shop/b.py": "from shop.a import *\n",
    }
    plant_texts(tmp_path, texts)
    report = scan("shop", working_directory=tmp_path, configuration=False)
    (loss,) = [finding for finding in report.findings if finding.rule == "IC104"]
    assert "LATE" in loss.message
