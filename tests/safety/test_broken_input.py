"""Whatever is broken or huge: the rest is analysed, the place is named with its reason, in bounded time and memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import SCRIPT, importcycle
from tests.gate.projects import CRASH
from tests.project.trees import plant_texts

MOST_SECONDS = 240
"""On a busy machine; by itself, each takes a tenth of that at most."""
MOST_MEMORY = 2_500_000_000

LEFT_OUT: Mapping[str, tuple[bytes, str]] = {
    "syntax error": (b"def f(:\n  pass\n", "line 1: "),
    "syntax error in a function": (b"x = 1\ndef f():\n    return 1 +\n", "line 3: "),
    "Python 2": (b"print 'hello'\n", "line 1: Missing parentheses"),
    "Python 2 in a function": (b"def f():\n    exec 'hello'\n", "line 2: Missing parentheses"),
    "NUL bytes": (b"x = 1\0\n", "null byte"),
    "no UTF-8": (b"x = '\xff'\n", "encoding"),
    "lying coding comment": (b"# coding: ascii\nx = '\xc3\xa9'\n", "not valid ascii"),
    "unknown encoding": (b"# coding: nonsense\nx = 1\n", "unknown encoding: nonsense"),
    "encoding that is none of text": (b"# coding: rot13\nk = 1\n", "rot13"),
    "UTF-16": ("x = 1\n".encode("utf-16"), "null byte"),
    "mark and comment that disagree": (b"\xef\xbb\xbf# coding: latin-1\nx = 1\n", "encoding problem"),
    "10 MB of constants": (b"".join(b"C%d = {%d: (1.5, 'a')}\n" % (i, i) for i in range(350_000)), "max-file-size"),
    "brackets 10,000 deep": (b"x = " + b"(" * 10_000 + b"1" + b")" * 10_000, "nested"),
    "calls 10,000 deep": (b"x = " + b"f(" * 10_000 + b")" * 10_000, "nested"),
    "negations 10,000 deep": (b"x = " + b"not " * 10_000 + b"1\n", "nested"),
    "lambdas 10,000 deep": (b"x = " + b"lambda: " * 10_000 + b"1\n", "nested"),
    "conditions 10,000 deep": (b"x = " + b"1 if a else " * 10_000 + b"1\n", "nested"),
    "branches 10,000 deep": (b"if a: pass\n" + b"elif b: pass\n" * 10_000, "nested"),
    "f-strings 1,000 deep": (b"x = " + b"f'{" * 1_000 + b"1" + b"}'" * 1_000, "nested"),
    "a sum of 60,000": (b"x = 1" + b"+1" * 60_000, "too long"),
    "a chain of 60,000": (b"x = a" + b".b()" * 60_000, "too long"),
    "indented 101 deep": (b"".join(b" " * i + b"if a:\n" for i in range(101)) + b" " * 101 + b"pass\n", "indent"),
    "a number of 5,000 digits": (b"x = " + b"9" * 5_000 + b"\n", ""),
}
CUT: Mapping[str, str] = {
    "endless loop": "while True: pass\n",
    "endless loop with growth": "x = []\nwhile True: x.append(x)\n",
    "endless generator": "def g():\n    while True: yield 1\nx = list(g())\n",
    "recursion": "def f(): return f()\nf()\n",
    "recursion that branches": "def f(n): return f(n + 1) + f(n + 2)\nf(0)\n",
    "recursion in __getattr__": "class A:\n    def __getattr__(self, name): return getattr(self, name + 'x')\nA().y\n",
    "decorators that call one another": "def a(f): return b(f)\ndef b(f): return a(f)\n@a\n@b\ndef g(): pass\n",
    "10,000 rounds, four deep": "".join(f"{' ' * i}for v{i} in range(100):\n" for i in range(4)) + "     x = v0 + v3\n",
    "dictionaries of dictionaries": "d = {'a': 1}\n"
    + "d = {**d, **{k + k: v for k, v in d.items()}, **{k + 'x': v for k, v in d.items()}}\n" * 60,
    "20,000 functions that call one another": "def f0(): return 1\n"
    + "".join(f"def f{i + 1}(): return f{i}()\n" for i in range(20_000))
    + "f20000()\n",
}
QUIET: Mapping[str, bytes] = {
    "mark": b"\xef\xbb\xbfx = 1\n",
    "CR LF": b"x = 1\r\ndef f():\r\n    return 1\r\n",
    "CR": b"x = 1\rdef f():\r    return 1\r",
    "form feeds": b"\x0cx = 1\n\x0cdef f(): pass\n",
    "empty": b"",
    "only a comment": b"# x",
    "a line of 3 MB": b"x = '" + b"a" * 3_000_000 + b"'\n",
    "100,000-line function": b"def f():\n" + b"    x = 1\n" * 100_000 + b"f()\n",
    "table of 50,000 rows": b"X = [\n" + b"    (-1.5, {'a.b': [1 + 2]}),\n" * 50_000 + b"]\n",
    "attributes 10,000 deep": b"x = a" + b".b" * 10_000 + b"\n",
    "sum of 10,000": b"x = 1" + b"+1" * 10_000 + b"\n",
    "20,000 decorators": b"@f\n" * 20_000 + b"def g(): pass\n",
    "assignments 10,000 deep": b"x = " + b"a = " * 10_000 + b"1\n",
    "3,000 unknown tests": b"".join(b"if u%d: x%d = 1\n" % (i, i) for i in range(3_000)),
    "300 tests of the environment": b"import os\n"
    + b"".join(b"if os.environ.get('A%d'): x%d = 1\n" % (i, i) for i in range(300)),
    "endless iterator": b"import itertools\nfor i in itertools.count(): x = i\n",
    "class hierarchy that loops": b"class A(B): pass\nclass B(A): pass\nA.__bases__ = (B,)\n"
    b"B.__bases__ = (A,)\nA().x\n",
    "MRO conflict": b"class A: pass\nclass B(A): pass\nclass C(A, B): pass\nC.x\n",
    "lists of lists": b"x = [1]\n" + b"x = [x, x]\n" * 80 + b"y = str(x), x == [x, x], hash((x,)), f'{x}', sorted(x)\n",
    "tuples of tuples": b"x = (1,)\n" + b"x = (x, x)\n" * 80 + b"d = {x: 1}\nd[x]\nx == (x, x)\nx in d\n'%s' % x\n",
    "sets of sets": b"s = frozenset()\n" + b"s = frozenset([s, frozenset([s])])\n" * 80 + b"t = {s}\nt == {s}\n",
    "lists that double": b"x = [1]\n" + b"x = x + x\n" * 80,
    "texts that double": b"x = y = z = w = v = 'a'\n"
    + b"x = x + x\ny = f'{y}{y}'\nz = '%s%s' % (z, z)\nw = w.join([w, w, w])\nv = v.replace('a', v + 'a')\n" * 80,
    "numbers that grow": b"x = 10 ** 10 ** 10\ny = 1 << 10 ** 12\nz = pow(3, 10 ** 9)\nu = 7 ** 4000\n"
    b"for i in range(60): u = u * u\n",
    "fractions that grow": b"from fractions import Fraction\nfrom decimal import Decimal\nx = Fraction('1e999999999')\n"
    b"y = int(Decimal('1e999999999'))\nz = Fraction(1, 3)\nfor i in range(60): z = z * z\n",
    "texts as wide as asked": b"a = 'x' * 10 ** 12\nb = '%99999999999d' % 1\nc = '{:>99999999999}'.format(1)\n"
    b"d = f'{1:>99999999999}'\ne = 'x'.ljust(10 ** 12)\nf = bytes(10 ** 12)\ng = list(range(10 ** 12))\n"
    b"h = '%*d' % (10 ** 12, 1)\ni = '{:{}}'.format(1, 10 ** 12)\nj = (1).to_bytes(10 ** 12, 'big')\n"
    b"import struct\nk = struct.pack('999999999999s', b'')\nl = '\\t'.expandtabs(10 ** 12)\n",
    "ranges beyond a machine's word": b"a = range(10 ** 30)\nb = [x for x in range(2 ** 70)]\n",
    "expressions that take for ever": b"import re\na = re.match('(a+)+$', 'a' * 60 + 'b')\n"
    b"b = re.match('(a|a)*$', 'a' * 60 + 'b')\nc = re.match('a?' * 60 + 'a' * 60, 'a' * 60)\n"
    b"d = re.search('(.*)(.*)(.*)(.*)x', 'a' * 1900)\ne = re.match('((a{100}){100}){100}', 'a' * 1900)\n",
    "methods that call themselves": b"class A:\n    def __eq__(self, other): return self == other\n"
    b"    def __hash__(self): return hash(self)\n    def __bool__(self): return bool(self)\na = A()\n"
    b"try:\n    a == a, hash(a), bool(a), {a: 1}\nexcept RecursionError: pass\n",
    "code in texts": b"exec('x = 1\\n' * 100000)\ns = 'exec(s)'\nexec(s)\neval('(' * 9999)\nimport ast\n"
    b"ast.parse('(' * 5000)\nast.literal_eval('1+' * 50000 + '1')\ncompile('1+' * 100000 + '1', '', 'exec')\n",
    "a module that clears everything": b"import sys\nsys.modules.clear()\nsys.setrecursionlimit(10 ** 9)\n"
    b"globals().clear()\n",
    "lone surrogates": b"x = '\\ud800'\ny = '\\udcff' + x\nz = {x: y}\nx.encode\nglobals()[x] = 1\n",
}


def scanned(folder: Path, *options: str) -> dict[str, Any]:
    """The JSON report of a scan of ``shop``, within bounds of time and memory."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))

    begun = time.monotonic()
    completed = subprocess.run(
        [SCRIPT, "scan", "shop", "--format", "json", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_SECONDS,
        preexec_fn=limit if sys.platform == "linux" else None,
    )
    assert time.monotonic() - begun < MOST_SECONDS
    assert completed.stderr == ""
    assert completed.returncode == 1  # for the crash in the rest
    document: dict[str, Any] = json.loads(completed.stdout)
    crashes = {each["location"]["path"] for each in document["findings"] if each["rule"] == "IC101"}
    assert {"shop/orders.py", "shop/customers.py"} <= crashes
    return document


def project(folder: Path, content: bytes) -> Path:
    """A project with a crash, and this file."""
    plant_texts(folder, CRASH)
    (folder / "shop/broken.py").write_bytes(content)
    return folder


def reasons(document: dict[str, Any], rule: str) -> list[str]:
    """The messages of a rule about the broken file."""
    found = [each for each in document["findings"] if each["location"]["path"] == "shop/broken.py"]
    return [each["message"] for each in found if each["rule"] == rule]


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_file_that_is_left_out_is_named_with_its_reason(name: str, tmp_path: Path) -> None:
    content, reason = LEFT_OUT[name]
    (message,) = reasons(scanned(project(tmp_path, content)), "IC901")
    assert "shop/broken.py was left out: " in message
    assert reason.lower() in message.lower()


@pytest.mark.parametrize("name", CUT)
def test_a_place_where_evaluation_is_cut_is_named(name: str, tmp_path: Path) -> None:
    messages = reasons(scanned(project(tmp_path, CUT[name].encode())), "IC903")
    assert messages
    assert all(message.startswith("evaluation was cut here: ") for message in messages)


@pytest.mark.parametrize("name", QUIET)
def test_what_only_looks_dangerous_is_analysed(name: str, tmp_path: Path) -> None:
    assert reasons(scanned(project(tmp_path, QUIET[name])), "IC901") == []


def test_the_size_of_files_is_a_setting(tmp_path: Path) -> None:
    project(tmp_path, b"x = 1\n" * 100_000)
    assert reasons(scanned(tmp_path), "IC901") == []
    assert "larger than 0.5 MB" in reasons(scanned(tmp_path, "--max-file-size", "0.5"), "IC901")[0]
    (tmp_path / "importcycle.toml").write_text("max-file-size = 0.25\n")
    assert "larger than 0.25 MB" in reasons(scanned(tmp_path), "IC901")[0]
    for wrong in ("0", "-1", "many", "inf", "nan"):
        answer = importcycle("scan", "shop", "--max-file-size", wrong, folder=tmp_path)
        assert answer.returncode == 2
        assert "must be a number of megabytes" in answer.stderr


class TestOddFiles:
    """Files that are none, or not for long."""

    @pytest.fixture
    def shop(self, tmp_path: Path) -> Path:
        return plant_texts(tmp_path, CRASH) / "shop"

    def test_a_file_that_may_not_be_read(self, shop: Path) -> None:
        (shop / "broken.py").write_text("x = 1\n")
        (shop / "broken.py").chmod(0)
        if os.access(shop / "broken.py", os.R_OK):
            pytest.skip("this user may read everything")
        assert "permission denied" in reasons(scanned(shop.parent), "IC901")[0]

    def test_folders_links_and_pipes(self, shop: Path) -> None:
        (shop / "folder.py").mkdir()
        (shop / "dangling.py").symlink_to("nowhere.py")
        (shop / "self.py").symlink_to("self.py")
        (shop / "round").symlink_to(".")
        os.mkfifo(shop / "broken.py")
        found = {each["location"]["path"] for each in scanned(shop.parent)["findings"] if each["rule"] == "IC901"}
        assert {"shop/dangling.py", "shop/broken.py"} <= found

    def test_names_that_are_no_identifiers(self, shop: Path) -> None:
        for name in ("a-b.py", "1.py", "a b.py", "class.py", "$(x).py", "\u202e.py", "None.py", "é.py", "Orders.py"):
            (shop / name).write_text("import shop\n")
        with open(os.fsencode(shop) + b"/\xff\xfe.py", "wb"):
            pass
        with open(os.fsencode(shop) + b"/a\nb.py", "wb"):
            pass
        scanned(shop.parent)

    def test_files_that_vanish_and_change_meanwhile(self, shop: Path) -> None:
        for number in range(200):
            (shop / f"part{number}.py").write_text("from shop import orders\n" * 200)
        command = [SCRIPT, "scan", "shop", "--format", "json"]
        with subprocess.Popen(command, cwd=shop.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            for number in range(0, 200, 2):
                time.sleep(0.01)
                (shop / f"part{number}.py").unlink()
                (shop / f"part{number + 1}.py").write_bytes(b"def (\0")
            output, errors = process.communicate(timeout=MOST_SECONDS)
        assert errors == b""
        assert process.returncode == 1
        assert json.loads(output)["summary"]["error"] >= 2
