"""Source files are read whatever they hold, and the reason is told when they cannot be."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from importcycle.project import (
    Module,
    ModuleKind,
    SourceError,
    decode_source,
    may_exhaust_parser,
    read_file,
    read_source,
    source,
)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"x = 1\r\n", "x = 1\r\n"),
        ("x = 'é'".encode(), "x = 'é'"),
        (b"\xef\xbb\xbfx = 1", "x = 1"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'", "# -*- coding: latin-1 -*-\nx = 'é'"),
        (
            b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n'\x80'",
            "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n'€'",
        ),
    ],
)
def test_decoding(data: bytes, text: str) -> None:
    assert decode_source(data) == text


@pytest.mark.parametrize(
    "data",
    [
        b"x = '\xff'",
        b"# coding: nonsense\n",
        b"# coding: hex\n",
        b"# coding: ascii\n\xe9",
        b"# coding: utf-16\n",
        b"\xef\xbb\xbf# coding: latin-1\n",
        b"x = 1\0",
        b"\xff\xfex\0",
    ],
)
def test_what_cannot_be_decoded(data: bytes) -> None:
    with pytest.raises(SourceError) as raised:
        decode_source(data)
    assert raised.value.reason


def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match="no such file"):
        read_file(tmp_path / "absent.py")
    with pytest.raises(SourceError):
        read_file(tmp_path)
    (tmp_path / "large.py").write_bytes(b"#" * 100)
    monkeypatch.setattr(source, "SOURCE_SIZE_LIMIT", 99)
    with pytest.raises(SourceError, match="larger"):
        read_file(tmp_path / "large.py")


@pytest.mark.skipif(sys.platform == "win32", reason="needs FIFOs")
def test_a_fifo_does_not_hold_up_the_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(SourceError, match="not a regular file"):
        read_file(tmp_path / "pipe.py")


def test_modules_without_source(tmp_path: Path) -> None:
    assert read_source(Module("p", ModuleKind.NAMESPACE, True, tmp_path, "p")) == b""
    with pytest.raises(SourceError, match="compiled"):
        read_source(Module("p", ModuleKind.EXTENSION, False, tmp_path / "p.so", "p.so"))


def test_texts_that_could_end_the_process() -> None:
    assert may_exhaust_parser("x = " + "1+" * 60_000 + "1")
    assert may_exhaust_parser("x = a" + ".b" * 60_000)
    assert not may_exhaust_parser("x = [" + "1, " * 60_000 + "1]")
    assert not may_exhaust_parser("import a\n" * 60_000)
