"""Entry point of the server (`python -m chunking.parsing.sandbox FOLDER`), with a socket as input."""

from __future__ import annotations

import os
import signal
import socket
import sys
import warnings

from chunking.parsing.sandbox.limits import forbid
from chunking.parsing.sandbox.parse_server import ParseServer


def main() -> None:
    """Give up the network, then serve on the socket at standard input until its peer closes."""
    warnings.simplefilter("ignore")  # of libraries, about themselves
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for who started this; the end of its socket ends this
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit()
    )  # with its files, also where all processes of the app are told to end
    control = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.close(nothing)
    forbid()
    ParseServer(control, sys.argv[1]).serve()


if __name__ == "__main__":
    main()
