"""Other processes do a part of the work; the result is the same, whoever they are and whatever becomes of them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

import importcycle
from importcycle.analysis import making
from importcycle.report.json import render_json
from tests.analysis.large import write_large_project


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_large_project(tmp_path_factory.mktemp("large"))


@pytest.fixture(scope="module")
def expected(folder: Path) -> str:
    return _scan(folder)


def _scan(folder: Path, **how: Any) -> str:
    report = importcycle.scan("big", working_directory=folder, configuration=False, **how)
    return render_json(report, version="0", deferred=True)


def test_there_is_something_to_find(expected: str) -> None:
    assert '"IC101"' in expected
    assert '"IC202"' in expected


def test_own_processes_give_the_same(folder: Path, expected: str) -> None:
    assert _scan(folder, jobs=2) == expected
    assert _scan(folder, jobs=3) == expected


def test_what_other_processes_lower_is_kept(folder: Path, expected: str, tmp_path: Path) -> None:
    assert _scan(folder, jobs=2, cache_dir=tmp_path / "cache") == expected
    module = folder / "big" / "m3.py"
    text = module.read_text()
    module.write_text(f"{text}MORE = 1\n")
    try:
        assert _scan(folder, jobs=2, cache_dir=tmp_path / "cache") == _scan(folder)
    finally:
        module.write_text(text)


def test_a_process_pool_of_the_caller_gives_the_same(folder: Path, expected: str) -> None:
    # Forked processes would lack the threads that a scan before may have begun.
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert _scan(folder, executor=pool) == expected
        assert pool.submit(abs, -1).result() == 1  # it is still the caller's


def test_a_cluster_gives_the_same(folder: Path, expected: str) -> None:
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster,
        Client(cluster) as client,
        client.get_executor() as executor,
    ):
        assert _scan(folder, executor=executor) == expected


class _Refusing(Executor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise BrokenExecutor("no")


class _Dying(Executor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor("gone"))
        return future


@pytest.mark.parametrize("executor", [_Refusing(), _Dying()])
def test_processes_that_fail_are_done_without(folder: Path, expected: str, executor: Executor) -> None:
    assert _scan(folder, executor=executor) == expected


def test_small_projects_are_done_alone(tmp_path: Path) -> None:
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "__init__.py").write_text("from big import missing\n")
    report = importcycle.scan("big", working_directory=tmp_path, configuration=False, executor=_Forbidden())
    assert report.findings


class _Forbidden(Executor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise AssertionError("used")


def test_a_syntax_error_that_only_the_graph_sees_makes_the_module_unknown(folder: Path, tmp_path: Path) -> None:
    copy = write_large_project(tmp_path)
    module = copy / "big" / "m3.py"
    module.write_text(module.read_text().replace("return None", "return None +", 1))
    assert _scan(copy, jobs=2) == _scan(copy)
    assert '"IC901"' in _scan(copy, jobs=2)


_PARENT = """
import os, signal, time
from importcycle.analysis import local_workers

signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background of a shell ignores it
with local_workers(2) as executor:
    print(executor.submit(os.getpid).result(), flush=True)
    executor.submit(time.sleep, 600)
    time.sleep(600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_process_is_left_behind(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        if number is signal.SIGINT:
            os.killpg(parent.pid, number)  # as a terminal does
        else:
            parent.kill()
        try:
            parent.wait(timeout=60)
        finally:
            parent.kill()
    for _ in range(600):
        if not _is_running(worker):
            return
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    raise AssertionError("the worker is still there")


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_the_work_that_is_given_away_is_small_to_send(folder: Path) -> None:
    import pickle

    from importcycle.project import discover

    project = discover(["big"], working_directory=folder)
    assert len(pickle.dumps(project)) < 100_000
    assert pickle.loads(pickle.dumps(making.graph_facts(project))).cycles
