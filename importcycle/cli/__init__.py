"""The command line. Nothing heavy is imported before a command needs it: ``--version`` and ``--help`` are instant."""

from __future__ import annotations

import errno
import gc
import os
import platform
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

import click

from importcycle import __version__
from importcycle.cli.commands import Session, command_group

INTERNAL_ERROR = 3
INTERRUPTED = 130
USAGE_ERROR = 2
_NO_ROOM = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF])
"""What the system says when it cannot take output; an error about a file that has a name is none of these."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit status, without a second spent on freeing memory before the end."""
    gc.disable()
    status = run(arguments)
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (OSError, ValueError):
        sys.exit(status)  # the interpreter knows what to say
    os._exit(status)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit status, and never lets an exception pass."""
    _tolerate_unencodable_text()
    session = Session()
    try:
        status = command_group.main(arguments, prog_name="importcycle", standalone_mode=False, obj=session)
    except click.ClickException as error:
        error.show()
        return USAGE_ERROR
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as error:
        if error.filename is None and error.errno in _NO_ROOM:
            return _report_lost_output(error)
        _report_internal_error(error, debug=session.debug)
        return INTERNAL_ERROR
    except Exception as error:
        _report_internal_error(error, debug=session.debug)
        return INTERNAL_ERROR
    return status if isinstance(status, int) else 0


def _report_lost_output(error: OSError) -> int:
    """Standard output cannot be written: the disk is full, say."""
    # The interpreter flushes standard output again at exit: give it a place to flush to.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    click.echo(f"importcycle: cannot write the output: {error.strerror}", err=True)
    return USAGE_ERROR


def _tolerate_unencodable_text() -> None:
    """Show what the terminal's encoding lacks as escapes, where Python would raise an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _report_internal_error(error: Exception, *, debug: bool) -> None:
    if debug:
        traceback.print_exception(error)
    versions = f"importcycle {__version__}, Python {platform.python_version()}, {sys.platform}"
    more = "" if debug else " Run it again with --debug to see where."
    click.echo(
        f"importcycle: internal error: {type(error).__name__}: {error!s}\n"
        f"This is a fault of importcycle, not of the code it looked at.{more} "
        f"Please report it with the command you gave, the text above and these versions: {versions}.",
        err=True,
    )
