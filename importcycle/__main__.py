"""``python -m importcycle``."""

import sys


def _leave_current_folder() -> None:
    """Take the current folder, which ``-m`` puts first, out of the search path: it may hold the target.

    A scanned project may have a ``json.py`` of its own; it must not be imported in place of the standard one.
    """
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]


if __name__ == "__main__":
    _leave_current_folder()
    from importcycle.cli import main

    main()
