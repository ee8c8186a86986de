"""Asks git what has changed."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from importcycle.changes.model import Changes, FileChange

_QUIET_CONFIGURATION = ("core.fsmonitor=false", "diff.autoRefreshIndex=false", "core.quotePath=false")
"""Neither programs that the repository's configuration names nor a rewritten index are wanted for a look at it."""
_NO_TRANSPORT = "none"
"""The protocols that may be used: a partial clone would fetch what it lacks, by a command that it names itself."""
_DIFF_OPTIONS = (
    *("--raw", "-z", "--patch", "--unified=0", "--inter-hunk-context=0", "--text", "--no-renames", "--no-relative"),
    *("--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
)
_FILTERS = re.compile(rb"filter\.(.*)\.(?:clean|smudge|process|required)", re.DOTALL | re.IGNORECASE)
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_STATEMENT = (b" ", b"\t", b"#", b")", b"]", b"}", b"\n", b"\r")
"""How a line begins that is no statement at module level of its own."""


class ChangesError(Exception):
    """Git is missing, the folder is in no repository, or it has no such commit."""


def changes_since(folder: Path, reference: str | None = None) -> Changes:
    """What differs between the files of the folder's repository and a commit; new files that are not ignored count.

    Args:
        folder: Any folder in the repository.
        reference: A commit or branch; what matters is the commit at which HEAD has left it. Without one, HEAD itself:
            the changes that are not committed yet.

    Raises:
        ChangesError: git is missing, the folder is in no repository, or it has no such commit.
    """
    top = os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").rstrip(b"\r\n"))
    base = _base(Path(top), reference)
    new = _names(_git(Path(top), "ls-files", "-z", "--others", "--exclude-standard"))
    if base is None:
        new += _names(_git(Path(top), "ls-files", "-z", "--cached"))
        changed = {}
    else:
        changed = _parse(_git(Path(top), "diff", *_DIFF_OPTIONS, base, "--", settings=_without_filters(Path(top))))
    changed.update(dict.fromkeys(new, FileChange(whole=True)))
    paths = {os.path.join(top, name): change for name, change in changed.items()}
    gone = frozenset(os.path.realpath(os.path.dirname(path)) for path in paths if not os.path.lexists(path))
    return Changes({os.path.realpath(path): change for path, change in paths.items()}, gone)


def _base(top: Path, reference: str | None) -> str | None:
    """The commit to compare with; ``None`` where nothing is committed yet."""
    if reference is None:
        return _commit(top, "HEAD")
    commit = _commit(top, reference)
    if commit is None:
        raise ChangesError(f"git knows no commit {reference!r} here; a shallow clone has to fetch it first")
    try:
        return _text(_git(top, "merge-base", commit, "HEAD"))
    except ChangesError:
        # No common ancestor, or a clone too shallow to know it: then all that differs counts.
        return commit


def _commit(top: Path, reference: str) -> str | None:
    try:
        return _text(_git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}"))
    except ChangesError:
        return None


def _without_filters(top: Path) -> list[str]:
    """Settings that keep git from running the filters (programs) which the repository's configuration names."""
    keys = _git(top, "config", "--list", "--name-only", "-z").split(b"\0")
    names = sorted({match[1] for match in map(_FILTERS.fullmatch, keys) if match})
    if any(b"=" in name for name in names):
        raise ChangesError("a filter in git's configuration has '=' in its name: it cannot be kept from running")
    switches = ("clean=", "smudge=", "process=", "required=false")
    return [f"filter.{os.fsdecode(name)}.{switch}" for name in names for switch in switches]


def _git(folder: Path, *arguments: str, settings: Sequence[str] = ()) -> bytes:
    # In a hook git sets variables that would lead it elsewhere than to the folder's repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    options = [part for setting in (*_QUIET_CONFIGURATION, *settings) for part in ("-c", setting)]
    try:
        completed = subprocess.run(
            ["git", *options, *arguments],
            cwd=folder,
            env={
                **environment,
                "GIT_OPTIONAL_LOCKS": "0",
                "GIT_ALLOW_PROTOCOL": _NO_TRANSPORT,
                "GIT_NO_LAZY_FETCH": "1",
                "LC_ALL": "C",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except (OSError, ValueError) as error:
        raise ChangesError(f"git cannot be run: {error}") from error
    if completed.returncode != 0:
        lines = completed.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ChangesError(f"git {arguments[0]}: {lines[0] if lines else 'failed'}")
    return completed.stdout


def _text(output: bytes) -> str:
    return output.decode("ascii", "replace").strip()


def _names(output: bytes) -> list[str]:
    return [os.fsdecode(name) for name in output.split(b"\0") if name]


def _parse(output: bytes) -> dict[str, FileChange]:
    """The changes in what ``git diff --raw -z --patch`` prints: all names first, then a part for each, in their order.

    Names are taken from the first half, where git does not quote them.
    """
    head, _, patch = output.partition(b"\0\0")
    fields = head.split(b"\0")
    names = [os.fsdecode(name) for name in fields[1::2]]
    parts = re.split(rb"^diff --git ", patch, flags=re.MULTILINE)[1:]
    if len(parts) != len(names):
        # A file became a link, or a merge is going on: then lines say nothing.
        return dict.fromkeys(names, FileChange(whole=True))
    pairs = zip(names, fields[0::2], parts, strict=False)
    return {name: _file_change(part, is_new=status.endswith(b" A")) for name, status, part in pairs}


def _file_change(part: bytes, *, is_new: bool) -> FileChange:
    if is_new:
        return FileChange(whole=True)
    lines: list[range] = []
    gaps: list[int] = []
    lost = False
    in_gap = False
    for line in part.split(b"\n"):
        hunk = _HUNK.match(line)
        if hunk is not None:
            removed, first, count = (int(number) if number is not None else 1 for number in hunk.groups())
            in_gap = removed > 0 and count == 0
            if in_gap:
                gaps.append(first)
            else:
                lines.append(range(first, first + count))
        elif in_gap and line.startswith(b"-"):
            lost = lost or not (line[1:] + b"\n").startswith(_NO_STATEMENT)
    return FileChange(lines=tuple(lines), gaps=tuple(gaps), lost_statements=lost)
