"""What the command ``importcycle`` and ``python -m importcycle`` run.

A scanned project may have a ``json.py`` or ``click`` of its own, or may be installed beside this tool and offer
plugins. Nothing of it may be imported in place of, or along with, what this tool is made of: so this comes first.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OPTIONAL_EXTRAS = frozenset({"IPython", "attr", "ipywidgets", "org"})
"""What libraries in use here, and Python itself, import only if it happens to be there: it may be the target."""

_REQUIRED = ("click", "grimp", "networkx", "pathspec", "rich")


def main() -> None:
    """Run the command line in this process, shielded from the target, and leave with its exit status."""
    _open_closed_streams()
    _distrust_environment()
    sys.meta_path.insert(0, _Shield)
    from importcycle.cli import main as run_command_line

    run_command_line()


class _Shield:
    """Comes before Python's own finders, to keep out what is installed but no part of this tool."""

    @staticmethod
    def find_spec(name: str, path: "Sequence[str] | None" = None, target: object = None) -> None:
        """Refuse optional extras; leave all else to the other finders."""
        if name in _OPTIONAL_EXTRAS:
            raise ModuleNotFoundError(f"{name} is not used here", name=name)
        if name == "networkx":
            _hide_plugins()


def _hide_plugins() -> None:
    """Let nothing see entry points: networkx would import the packages that offer to be its backends."""
    import importlib.metadata

    importlib.metadata.entry_points = lambda **_: importlib.metadata.EntryPoints()  # type: ignore[assignment]


def _open_closed_streams() -> None:
    """Let standard streams that are closed lead nowhere; files that are opened later would else take their places."""
    import os

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _leave_current_folder() -> None:
    """Take the current folder, which ``-m`` puts first, out of the search path."""
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]


def _distrust_environment() -> None:
    """Take the folders of ``PYTHONPATH``, which are often those of the target, out of the search path.

    Should this tool have been installed by that variable alone, they come last instead. Interpreters that are started
    from here leave their current folder alone.
    """
    import os

    os.environ["PYTHONSAFEPATH"] = "1"
    if sys.flags.ignore_environment or not os.environ.get("PYTHONPATH"):
        return
    given = {os.path.abspath(folder) for folder in os.environ["PYTHONPATH"].split(os.pathsep) if folder}
    doubtful = [folder for folder in sys.path if os.path.abspath(folder) in given]
    sys.path[:] = [folder for folder in sys.path if folder not in doubtful]
    from importlib.util import find_spec

    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    is_complete = all(find_spec(name) for name in _REQUIRED)
    sys.path += [folder for folder in doubtful if not is_complete or os.path.abspath(folder) == home]


if __name__ == "__main__":
    _leave_current_folder()
    main()
