"""The settings of a scan: most fields are a key of the configuration file, an option and an argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from importcycle.configuration import checks
from importcycle.configuration.checks import Check, Place

DEFAULT_ORIGIN = "default"
BASELINE_NAME = "importcycle-baseline.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a scan is to do; made by ``load_settings``. ``KEYS`` says what the fields mean."""

    working_directory: Path
    """Names and relative paths of targets are looked for from here."""
    folder: Path
    """The folder of the configuration file, else the working directory: patterns are relative to it."""
    file: Path | None = None
    """The configuration file, if there is one."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Name of field to where its value comes from; those with their defaults are left out."""

    targets: tuple[str, ...] = ()
    source_roots: tuple[Path, ...] = ()
    follow: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_path_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    severity: Mapping[str, str] = field(default_factory=dict)
    fail_on: str = "error"
    python: Path | None = None
    python_version: tuple[int, int] | None = None
    platform: str | None = None
    assume: Mapping[str, bool] = field(default_factory=dict)
    entries: tuple[str, ...] = ()
    baseline: Path | None = None
    format: str = "text"
    warn_unused_ignores: bool = False
    cache_dir: Path | None = None
    jobs: int = 1
    max_file_size: float | None = None

    def origin(self, name: str) -> str:
        """Where the value of a field comes from."""
        return self.origins.get(name, DEFAULT_ORIGIN)

    def is_given(self, name: str) -> bool:
        """Whether the value of a field was given on the command line or by the caller."""
        return self.origin(name) not in (DEFAULT_ORIGIN, str(self.file))

    def place(self, name: str) -> Place:
        """For errors about the value of a field."""
        return Place(self.origin(name), name.replace("_", "-"), self.folder)


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the configuration."""

    name: str
    """As it is written in a file."""
    check: Check
    meaning: str

    @property
    def field(self) -> str:
        """Name of the field of ``Settings``."""
        return self.name.replace("-", "_")


KEYS = (
    Key("targets", checks.texts, "names of packages, folders or files to scan; by default the packages of the project"),
    Key("source-roots", checks.paths, "folders that hold top-level packages; by default the project and its src"),
    Key("follow", checks.texts, "packages of others to look into where the target imports them: names"),
    Key("exclude", checks.texts, "files that are not analysed: patterns as in .gitignore"),
    Key("select", checks.codes, "apply only these rules: codes, names or prefixes such as IC1"),
    Key("ignore", checks.codes, "leave out these rules"),
    Key("per-path-ignores", checks.codes_by_path, "leave out rules for files that match a pattern"),
    Key("severity", checks.levels_by_code, "the severity of rules: error, warning, note or off"),
    Key("fail-on", checks.threshold, "the least grave finding that makes the exit status 1: a severity, or never"),
    Key("python", checks.optional_path, "another interpreter, whose installed packages are looked for as well"),
    Key("python-version", checks.version, "the version of Python to simulate; by default the interpreter's"),
    Key("platform", checks.optional_text, "the sys.platform to simulate; by default this one"),
    Key("assume", checks.truths, "values of tests that are known: nothing is found that needs another value"),
    Key("entries", checks.texts, "import only these modules first; by default all"),
    Key("baseline", checks.path_or_none, "the file of known findings; false for none"),
    Key("format", checks.text, "the format of the report"),
    Key("warn-unused-ignores", checks.flag, "report comments that silence nothing"),
    Key("cache-dir", checks.path_or_none, "the folder in which results are kept for the next scan; false for none"),
    Key("jobs", checks.count, "processes to use at once; by default one for each processor"),
    Key("max-file-size", checks.megabytes, "files of more megabytes are left out; by default 4"),
)
