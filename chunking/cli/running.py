"""One run of the command: words in, exit code out; whatever goes wrong is one line on stderr."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from chunking.cli.argument_table import parser
from chunking.cli.streams import complain, drop_output, flush, say, use_utf8
from chunking.errors import ChunkscopeError, ConfigError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: words after the program's name; those of the process where None.
    Returns:
        The exit code: 0 done, 1 failed (one line on stderr says why), 2 wrong usage.
    """
    use_utf8()
    try:
        words = sys.argv[1:] if argv is None else argv
        only = next((word for word in words if not word.startswith("-")), "")
        arguments = parser(only).parse_args(words)
    except SystemExit as stop:  # argparse has said what is wrong, or printed the help
        return int(stop.code or 0)
    try:
        code = int(arguments.run(arguments))
        flush()
    except ConfigError as error:
        complain(error)
        return 2
    except ChunkscopeError as error:
        complain(error)
        return 1
    except BrokenPipeError:  # the reader, such as `head`, has had enough: no fault of anyone
        drop_output()
        return 0
    except KeyboardInterrupt:
        say("Stopped; what was written before is kept.")
        return 1
    return code
