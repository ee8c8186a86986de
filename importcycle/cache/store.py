"""The cache folder: bytes by key, in one SQLite database.

SQLite sees to it that two scans can write at once and that a scan which is killed leaves nothing half-written.
Whatever else goes wrong (a folder that cannot be written, a full disk, a damaged file) ends the use of the cache, never
the scan.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

CACHE_FOLDER = ".importcycle_cache"
DATABASE = "facts.sqlite3"
DAYS_KEPT = 30
"""Facts that no scan has asked for in this time are dropped."""
SIZE_KEPT = 1024 * 1024 * 1024
"""Bytes of the database beyond which it is begun anew."""

_TAG = "CACHEDIR.TAG"
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of importcycle; see https://bford.info/cachedir/\n"
_TABLE = "CREATE TABLE facts (key BLOB PRIMARY KEY, value BLOB NOT NULL, used INTEGER NOT NULL)"
_SUFFIXES = ("-journal", "-wal", "-shm")
_MANY_JOURNALS = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""How a journal ends that belongs to a transaction over several databases; this tool has but one."""
_SECONDS_OF_A_DAY = 86_400
_LOCK_SECONDS = 2.0
"""How long to wait for another scan that is writing."""
_MOST_VARIABLES = 500
_ERRORS = (sqlite3.Error, OSError, OverflowError)


def digest_of(*parts: bytes) -> bytes:
    """A key that stands for the parts: 20 bytes, different whenever any part is."""
    digest = hashlib.blake2b(digest_size=20)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()


@dataclass(slots=True)
class Cache:
    """Facts by key; one that has no folder, or whose folder fails, holds nothing."""

    folder: Path | None = None
    _connection: sqlite3.Connection | None = None
    _used: set[bytes] = field(default_factory=set)
    """Keys that were found and whose time of use is old."""

    def get(self, key: bytes) -> bytes | None:
        """What was put under the key; ``None`` if there is nothing."""
        return self.get_all([key]).get(key)

    def get_all(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """What was put under each of the keys that are there."""
        found: dict[bytes, bytes] = {}
        if self._connection is None:
            return found
        old = time.time() - _SECONDS_OF_A_DAY
        wanted = list(keys)
        try:
            for start in range(0, len(wanted), _MOST_VARIABLES):
                part = wanted[start : start + _MOST_VARIABLES]
                places = ",".join("?" * len(part))
                query = f"SELECT key, value, used FROM facts WHERE key IN ({places})"
                for key, value, used in self._connection.execute(query, part):
                    found[key] = value
                    if used < old:
                        self._used.add(key)
        except _ERRORS:
            self._give_up()
        return {key: value for key, value in found.items() if isinstance(value, bytes)}

    def put_all(self, facts: Mapping[bytes, bytes]) -> None:
        """Keep facts for later scans; all of them or, if that fails, none."""
        if self.folder is None or not (facts or self._used):
            return
        try:
            if self._connection is None:
                self._connection = _made_in(self.folder)
            now = int(time.time())
            with self._connection as connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(
                    "INSERT OR REPLACE INTO facts (key, value, used) VALUES (?, ?, ?)",
                    [(key, value, now) for key, value in facts.items()],
                )
                connection.executemany("UPDATE facts SET used = ? WHERE key = ?", [(now, key) for key in self._used])
                connection.execute("DELETE FROM facts WHERE used < ?", (now - DAYS_KEPT * _SECONDS_OF_A_DAY,))
            self._used.clear()
        except _ERRORS:
            self._give_up()

    def close(self) -> None:
        """Let go of the database."""
        if self._connection is not None:
            with suppress(*_ERRORS):
                self._connection.close()
            self._connection = None

    def _give_up(self) -> None:
        self.close()
        self.folder = None


def open_cache(folder: Path | None) -> Cache:
    """The cache in a folder, which is made when something is first put into it; without a folder, an empty one."""
    if folder is None:
        return Cache()
    cache = Cache(folder)
    file = folder / DATABASE
    try:
        if _has_links(folder):  # would have other folders of the user written to
            return Cache()
        if not file.is_file():
            return cache
        if file.stat().st_size > SIZE_KEPT or _has_foreign_journal(folder):
            _remove_database(folder)
            return cache
        cache._connection = _connect(file)
    except sqlite3.DatabaseError as error:
        if not isinstance(error, sqlite3.OperationalError):  # damaged
            with suppress(*_ERRORS):
                _remove_database(folder)
    except _ERRORS:
        cache.folder = None
    return cache


def remove_cache(folder: Path) -> bool:
    """Delete a cache folder, if it is one; tells whether it was there.

    Raises:
        OSError: it cannot be deleted.
    """
    if folder.is_symlink() or not _is_own(folder):
        return False
    shutil.rmtree(folder)
    return True


def _is_own(folder: Path) -> bool:
    """Whether the folder is a cache of this tool: a configuration file, which may be a stranger's, names it."""
    tag = folder / _TAG
    # What is no regular file could keep a reader waiting.
    return tag.is_file() and tag.stat().st_size == len(_SIGNATURE) and tag.read_bytes() == _SIGNATURE.encode("ascii")


def _has_links(folder: Path) -> bool:
    names = (_TAG, ".gitignore", *(f"{DATABASE}{suffix}" for suffix in ("", *_SUFFIXES)))
    return any(path.is_symlink() for path in (folder, *(folder / name for name in names)))


def _has_foreign_journal(folder: Path) -> bool:
    """Whether a journal lies there that no scan can have left: SQLite would delete files that it names."""
    journal = folder / f"{DATABASE}-journal"
    if any((folder / f"{DATABASE}{suffix}").exists() for suffix in _SUFFIXES[1:]):
        return True
    if not journal.exists():
        return False
    if not journal.is_file():
        return True
    with journal.open("rb") as file:
        file.seek(max(0, journal.stat().st_size - len(_MANY_JOURNALS)))
        return file.read() == _MANY_JOURNALS


def _made_in(folder: Path) -> sqlite3.Connection:
    """A connection to the folder's database; both are made if they are not there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not _is_own(folder) and any(folder.iterdir()):
        raise FileExistsError("the folder holds something else")
    for name, text in ((_TAG, _SIGNATURE), (".gitignore", "*\n")):
        if not (folder / name).is_file():
            (folder / name).write_text(text, encoding="utf-8")
    return _connect(folder / DATABASE)


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_LOCK_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        shapes = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if shapes not in ([], [(_TABLE,)]):  # views and triggers could have anything computed
            raise sqlite3.DatabaseError("no database of this tool")
        # Facts can be found out again: it is enough that a reader never sees half of a transaction.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(_TABLE.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"))
    except BaseException:
        connection.close()
        raise
    return connection


def _remove_database(folder: Path) -> None:
    for file in folder.glob(f"{DATABASE}*"):
        file.unlink(missing_ok=True)
