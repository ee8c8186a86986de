"""The benchmarks: what they compute from times, what they write, and that a small measurement runs from end to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import __main__ as command
from benchmarks import packages, peers
from benchmarks.generate import generate_package
from benchmarks.measuring import MeasureFailed, Stopwatch
from benchmarks.model import Noise, Results, Row, Section, Series, Target, row_of
from benchmarks.packages import RELEASES, chosen_releases
from benchmarks.peers import FRESH_IMPORTS, PEERS, Limits, PeerUnavailable, module_names, peer_rows
from benchmarks.picture import render_picture
from benchmarks.processes import Measured, run, smallest_peak
from benchmarks.report import Circumstances, line_of, render_markdown
from benchmarks.scans import COLD, middling_file, with_line_in_function
from tests.support.registry import RegistryUnreachable

HERE = Circumstances("2030-01-02", "3.11.0", 2, "Linux", 20 * 1024 * 1024)
MEGABYTE = 1024 * 1024


def small_target(folder: Path, modules: int = 21) -> Target:
    return Target("small", generate_package(folder, modules).name, folder)


def row(section: Section, what: str, ratio: float, **more: object) -> Row:
    values = {"modules": 10, "seconds": ratio * 2, "ratio": ratio, "peak_bytes": 50 * MEGABYTE, "runs": 3, **more}
    return Row(section, "shop 1.0", what, **values)  # type: ignore[arg-type]


def results() -> Results:
    rows = [
        row(Section.SCANS, COLD, 1.5),
        row(Section.PEERS, "slow 1.0", 60.0, at_least=True, runs=1),
        Row(Section.PEERS, "shop 1.0", "absent 1.0", 10, note="not installed: a|b <c>"),
        Row(Section.SCALING, "1,000 modules", COLD, 1000, 2.0, 1.0, MEGABYTE, 3),
        Row(Section.SCALING, "2,000 modules", COLD, 2000, 6.0, 1.5, MEGABYTE, 3),
    ]
    return Results(rows, {"shop 1.0": [2.0, 1.0, 4.0]})


# What is computed


def test_each_run_counts_against_the_measures_around_it() -> None:
    # The machine was half as fast during the second run, for both.
    series = Series((Measured(2.0, 5), Measured(4.0, 7), Measured(9.0, 6)), (1.0, 1.0, 3.0, 3.0))
    assert series.ratio == 2.0
    assert series.seconds == 4.0
    assert series.peak_bytes == 7


def test_a_run_at_its_time_limit_has_at_least_that_time(tmp_path: Path) -> None:
    series = Series((Measured(1.0, 1), Measured(30.0, 2, timed_out=True)), (1.0, 1.0, 1.0))
    made = row_of(Section.PEERS, small_target(tmp_path), "slow", series, 21)
    assert (made.at_least, made.ratio, made.runs) == (True, 30.0, 1)


def test_a_run_that_failed_says_why_and_has_no_figures(tmp_path: Path) -> None:
    series = Series((Measured(1.0, 1, problem="exit status 2: no"),), (1.0, 1.0))
    made = row_of(Section.PEERS, small_target(tmp_path), "broken", series, 21)
    assert (made.seconds, made.note) == (None, "exit status 2: no")


def test_noise_is_relative_to_the_median() -> None:
    assert Noise.of([2.0, 1.0, 4.0]) == Noise(2.0, 0.5, 2.0)


def test_series_end_when_they_take_long_or_fail(tmp_path: Path) -> None:
    target = small_target(tmp_path)
    found = Results()
    patient, hasty = Stopwatch(found, 3, 600.0, 60.0), Stopwatch(found, 3, 0.0, 60.0)
    assert len(patient.repeated(target, lambda: Measured(1.0, 1)).runs) == 3
    assert len(hasty.repeated(target, lambda: Measured(1.0, 1)).runs) == 1
    assert len(patient.repeated(target, lambda: Measured(1.0, 1, problem="no")).runs) == 1
    assert len(found.measures["small"]) == 4 + 2 + 2


def test_without_the_measure_there_is_no_figure(tmp_path: Path) -> None:
    with pytest.raises(MeasureFailed):
        Stopwatch(Results(), 3, 600.0, 0.0).repeated(small_target(tmp_path), lambda: Measured(1.0, 1))


# Processes


def test_the_peak_is_that_of_the_largest_process(tmp_path: Path) -> None:
    child = "held = b'x' * 300_000_000"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    assert run([sys.executable, "-c", code], folder=tmp_path, timeout=60).peak_bytes > 300_000_000


def test_problems_and_time_limits_are_told(tmp_path: Path) -> None:
    failing = run([sys.executable, "-c", "raise SystemExit('sorry')"], folder=tmp_path, timeout=60)
    assert failing.problem == "exit status 1: sorry"
    assert run([sys.executable, "-c", "import time; time.sleep(60)"], folder=tmp_path, timeout=0.3).timed_out
    assert run(["no-such-command"], folder=tmp_path, timeout=60).problem
    assert smallest_peak() > MEGABYTE


# Generated packages


def test_the_same_seed_gives_the_same_package(tmp_path: Path) -> None:
    def texts(name: str, seed: int) -> list[tuple[str, str]]:
        root = generate_package(tmp_path / name, 100, seed=seed)
        return [(str(file.relative_to(root)), file.read_text()) for file in sorted(root.rglob("*.py"))]

    first = texts("a", 1)
    assert first == texts("b", 1) != texts("c", 2)
    assert 90 <= len(first) <= 120


def test_generated_cycles_are_such_as_python_survives_but_for_some(tmp_path: Path) -> None:
    target = small_target(tmp_path, 400)
    names = module_names(target)
    code = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    for loaded in [each for each in sys.modules if each.startswith('generated')]: del sys.modules[loaded]\n"
        "    try: importlib.import_module(name)\n"
        "    except ImportError as error: assert 'partially initialized' in str(error), error; print(name)\n"
    )
    command = [sys.executable, "-c", code, *names]
    failing = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()
    assert 0 < len(failing) < len(names) / 20


# What is changed


def test_a_line_more_in_a_function_is_the_only_change(tmp_path: Path) -> None:
    text = "def f(x):\n    y = x\n    return y\n\nVALUE = 1\n"
    changed = with_line_in_function(text)
    assert [line for line in changed.splitlines() if line not in text.splitlines()] == [
        "    added_for_the_benchmark = [1, 2, 3]"
    ]
    assert changed.index("added") < changed.index("return")
    assert with_line_in_function("VALUE = 1\n") == "VALUE = 1\n"
    assert middling_file(small_target(tmp_path)).name.startswith("m")


# What is written


def test_the_document_has_all_that_was_measured() -> None:
    found = results()
    text = render_markdown(found, HERE)
    assert "2030-01-02, Python 3.11.0, 2 cores" in text
    assert "| shop 1.0 | 10 | cold | 3.00 s | 1.50 | 50 MB | 3 |" in text
    assert "| shop 1.0 | slow 1.0 | > 120.00 s | > 60.00 | > 40.00 | 50 MB |" in text
    assert "not installed: a\\|b <c>" in text
    assert "| 2,000 | 6.00 s | 1.50 | 1 MB | 3 | 3.00 | 1.50 |" in text
    assert "| shop 1.0 | 3 | 2.00 s | 0.50 | 2.00 |" in text
    assert "Not all has been measured" in text
    found.is_complete = True
    assert "Not all has been measured" not in render_markdown(found, HERE)


def test_the_picture_is_well_formed_with_a_bar_for_each_figure() -> None:
    found = results()
    picture = ElementTree.fromstring(render_picture(found))
    widths = [
        float(each.attrib["width"]) for each in picture.iter("{http://www.w3.org/2000/svg}rect") if "x" in each.attrib
    ]
    assert len(widths) == len([each for each in found.rows if each.ratio is not None])
    assert all(width > 0 for width in widths)
    assert max(widths) == widths[1]
    ElementTree.fromstring(render_picture(Results()))


def test_rows_on_the_terminal() -> None:
    first, second, third = map(line_of, results().rows[:3])
    assert "1.50" in first
    assert "> 60.00" in second
    assert "not measured: not installed" in third


# From end to end


def test_a_small_measurement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--no-packages", "--sizes", "21,42", "--runs", "1", "--output", str(tmp_path)]
    assert command.main(options) == 0
    text = (tmp_path / "benchmarks.md").read_text()
    assert "| 22 |" in text
    assert "| 43 |" in text
    assert "Not all" not in text
    ElementTree.parse(tmp_path / "benchmarks.svg")
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_scans_of_a_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generate_package(tmp_path / "sources", 21, name="sympy")
    monkeypatch.setattr(packages, "fetch_sources", lambda *_: tmp_path / "sources")
    output = tmp_path / "out"
    options = ["--only", "sympy", "--no-peers", "--no-scaling", "--runs", "1", "--output", str(output)]
    assert command.main(options) == 0
    lines = [line for line in (output / "benchmarks.md").read_text().splitlines() if line.startswith("| sympy")]
    assert len(lines) == 5 + 1
    assert "not measured" not in "".join(lines)


def test_what_was_measured_before_an_interruption_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(*_: object) -> Iterator[Row]:
        yield results().rows[0]
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "measured_rows", rows)
    assert command.main(["--output", str(tmp_path)]) == 130
    text = (tmp_path / "benchmarks.md").read_text()
    assert "| shop 1.0 | 10 | cold |" in text
    assert "Not all has been measured" in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "temporary").mkdir()
    options = ["--no-packages", "--sizes", "21,2000", "--runs", "1", "--output", str(tmp_path / "out")]
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks", *options],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # What is started in the background may have been told to ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert "cold" in process.stdout.readline()
        time.sleep(0.5)
        process.send_signal(number)
        assert process.wait(timeout=60) == 130
    assert "| 22 |" in (tmp_path / "out" / "benchmarks.md").read_text()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_without_a_registry_the_reason_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreachable(*_: object) -> Path:
        raise RegistryUnreachable("the package registry could not be reached")

    monkeypatch.setattr(packages, "fetch_sources", unreachable)
    assert command.main(["--only", "sympy", "--no-scaling", "--output", str(tmp_path)]) == 0
    assert "could not be reached" in capsys.readouterr().out


def test_peers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a script in place of each tool; one is not to be had."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in ("pylint", "lint-imports", "pyscythe", "oboros"):
        (commands / name).write_text("#!/bin/sh\nexit 1\n")
        (commands / name).chmod(0o755)

    def prepare(peer: peers.Peer) -> Path:
        if peer.name == "circular-imports":
            raise PeerUnavailable("not installed: no such release")
        return commands

    monkeypatch.setattr(peers, "prepare_peer", prepare)
    target = small_target(tmp_path / "sources")
    importable = Target(target.label, target.package, target.root, Path(sys.executable))
    (tmp_path / "work").mkdir()
    made = list(peer_rows(importable, tmp_path / "work", Stopwatch(Results(), 1, 60.0, 60.0), Limits(60.0, 2)))
    assert [each.what for each in made] == [*(peer.label for peer in PEERS), FRESH_IMPORTS]
    assert [each.seconds is None for each in made] == [False, False, False, False, True, False]
    assert made[-1].note == "extrapolated from a sample of 2 modules"


def test_packages_are_chosen_by_name() -> None:
    assert [each.label for each in chosen_releases(frozenset({"sympy"}), with_large=False)] == ["sympy 1.14.0"]
    assert len(chosen_releases(frozenset({"vllm"}), with_large=False)) == 2
    assert len(chosen_releases(frozenset(), with_large=True)) == len(RELEASES)
    assert not any(each.is_large for each in chosen_releases(frozenset(), with_large=False))
    assert command.main(["--only", "nothing"]) == 2
