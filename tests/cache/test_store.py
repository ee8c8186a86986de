"""The cache keeps facts between runs, and whatever happens to its folder costs time and nothing else."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sqlite3
import zlib
from pathlib import Path

import pytest

from importcycle.cache import UnknownContent, digest_of, open_cache, pack, remove_cache, unpack
from importcycle.cache.store import DATABASE


def _filled(folder: Path, facts: dict[bytes, bytes]) -> None:
    cache = open_cache(folder)
    cache.put_all(facts)
    cache.close()


def _found(folder: Path, key: bytes) -> bytes | None:
    cache = open_cache(folder)
    try:
        return cache.get(key)
    finally:
        cache.close()


def test_facts_are_there_in_the_next_run(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    _filled(folder, {b"a": b"1", b"b": b"2"})
    cache = open_cache(folder)
    assert cache.get_all([b"a", b"b", b"c"]) == {b"a": b"1", b"b": b"2"}
    cache.close()


def test_the_folder_keeps_itself_out_of_version_control_and_backups(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    _filled(folder, {b"a": b"1"})
    assert (folder / ".gitignore").read_text() == "*\n"
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_nothing_is_written_before_there_is_something_to_keep(tmp_path: Path) -> None:
    cache = open_cache(tmp_path / "cache")
    assert cache.get(b"a") is None
    cache.put_all({})
    cache.close()
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("damage", [b"", b"no database at all", b"SQLite format 3\0" + bytes(3000)])
def test_a_damaged_database_is_begun_anew(tmp_path: Path, damage: bytes) -> None:
    folder = tmp_path / "cache"
    _filled(folder, {b"a": b"1"})
    (folder / DATABASE).write_bytes(damage)
    assert _found(folder, b"a") is None
    _filled(folder, {b"a": b"2"})
    _filled(folder, {b"b": b"3"})
    assert _found(folder, b"b") == b"3"


def test_a_database_that_is_cut_off_costs_only_facts(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    _filled(folder, {bytes([number]): bytes(10_000) for number in range(100)})
    file = folder / DATABASE
    for part in (0.99, 0.7, 0.5, 0.1, 0.01):
        os.truncate(file, int(file.stat().st_size * part))
        cache = open_cache(folder)
        cache.get_all([bytes([number]) for number in range(100)])
        cache.put_all({b"new": b"1"})
        cache.close()


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    _filled(tmp_path / "file" / "cache", {b"a": b"1"})
    assert _found(tmp_path / "file" / "cache", b"a") is None


def test_a_folder_that_is_removed_meanwhile_is_done_without(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    _filled(folder, {b"a": b"1"})
    cache = open_cache(folder)
    assert remove_cache(folder)
    assert cache.get(b"a") in (None, b"1")
    cache.put_all({b"b": b"2"})
    cache.close()


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "cache").symlink_to(tmp_path / "elsewhere")
    _filled(tmp_path / "cache", {b"a": b"1"})
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["CACHEDIR.TAG", ".gitignore", DATABASE, f"{DATABASE}-journal", f"{DATABASE}-wal"])
def test_a_link_in_the_folder_is_not_written_through(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "cache"
    _filled(folder, {b"a": b"1"})
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(tmp_path / "elsewhere")
    _filled(folder, {b"b": b"2"})
    assert not (tmp_path / "elsewhere").exists()


def test_a_journal_that_names_other_files_is_not_heeded(tmp_path: Path) -> None:
    folder, precious = tmp_path / "cache", tmp_path / "precious"
    _filled(folder, {b"a": b"1"})
    precious.write_text("")
    name = str(precious).encode()
    journal = bytes(512) + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big")
    (folder / f"{DATABASE}-journal").write_bytes(journal + bytes.fromhex("d9d505f920a163d7"))
    _filled(folder, {b"b": b"2"})
    assert precious.exists()
    assert _found(folder, b"b") == b"2"


def test_a_database_that_would_compute_for_ever_is_begun_anew(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    _filled(folder, {b"a": b"1"})
    endless = (
        "WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n) SELECT x AS key, x AS value, 1 AS used FROM n"
    )
    with sqlite3.connect(folder / DATABASE) as connection:
        connection.execute("DROP TABLE facts")
        connection.execute(f"CREATE VIEW facts AS {endless}")
    connection.close()
    assert _found(folder, b"a") is None
    _filled(folder, {b"b": b"2"})
    assert _found(folder, b"b") == b"2"


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("")
    _filled(tmp_path, {b"a": b"1"})
    (tmp_path / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n# Of another tool\n")
    _filled(tmp_path, {b"a": b"1"})
    assert not remove_cache(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["CACHEDIR.TAG", "precious"]


def test_a_database_of_another_shape_is_begun_anew(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    with sqlite3.connect(folder / DATABASE) as connection:
        connection.execute("CREATE TABLE facts (other TEXT)")
    connection.close()
    _filled(folder, {b"a": b"1"})
    assert _found(folder, b"a") == b"1"


def _write(folder: Path, number: int) -> None:
    for count in range(10):
        _filled(folder, {f"{number}-{count}".encode(): b"x" * 1000})


def test_runs_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_write, args=(folder, number)) for number in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    cache = open_cache(folder)
    keys = [f"{number}-{count}".encode() for number in range(4) for count in range(10)]
    assert len(cache.get_all(keys)) == 40
    cache.close()


def test_only_a_cache_folder_is_removed(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    assert not remove_cache(tmp_path / "precious")
    assert (tmp_path / "precious").is_dir()


def test_digests_tell_parts_apart() -> None:
    assert digest_of(b"ab", b"c") != digest_of(b"a", b"bc") != digest_of(b"abc")


def test_values_come_back() -> None:
    value = {"a": (1, 2.5, None, True, ..., 3j, b"x"), "b": frozenset({"y"})}
    assert unpack(pack(value), {}) == value


class _Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("exit 1",)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no zlib",
        zlib.compress(b"no pickle"),
        zlib.compress(pickle.dumps(_Trap())),
        zlib.compress(pickle.dumps(Path("x"))),
        zlib.compress(b"cbuiltins\neval\n(S'1'\ntR."),
        zlib.compress(pickle.dumps([1] * 1000))[:-10],
    ],
)
def test_bytes_of_a_stranger_make_nothing_but_plain_values(data: bytes) -> None:
    with pytest.raises(UnknownContent):
        unpack(data, {})
