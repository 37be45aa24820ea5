"""`python -m chunking` is the `chunkscope` command."""

from __future__ import annotations

import gc
import sys

from chunking.cli import main

__all__ = ["run"]


def run() -> int:
    """Run the command line to the end of the process. Returns the exit code.

    Imports leave over a hundred thousand long-lived objects: without garbage collections among them a search takes a
    seventh less processor time, and splitting a file a fifth less.
    """
    gc.set_threshold(100_000)
    code = main()
    gc.freeze()  # nor when the process ends
    return code


if __name__ == "__main__":
    sys.exit(run())
