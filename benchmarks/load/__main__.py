"""`make load` and `make soak`: many people on one server, some minutes long.

python -m benchmarks.load                        50 people against one; its table goes into the documentation
python -m benchmarks.load --people 10 --mode team
python -m benchmarks.load --kills 100            ten people, while the server and its workers are killed; with backups
taken meanwhile
python -m benchmarks.load --soak 60              so many minutes of people who come and go on a server that must not
grow
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.load.kills import KILLS
from benchmarks.load.kills import run as kills
from benchmarks.load.many import PEOPLE
from benchmarks.load.many import run as many
from benchmarks.load.soak import LONG
from benchmarks.load.soak import run as soak
from docs.marked_blocks import write_block


def main(words: list[str]) -> int:
    """Run a load test; returns 1 if a target was missed or data was lost."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load")
    parser.add_argument("--people", type=int, default=PEOPLE, help="how many at a time")
    parser.add_argument(
        "--mode", choices=("demo", "team"), default="demo", help="everybody has a copy, or everybody has signed in"
    )
    parser.add_argument("--kills", type=int, default=0, help="kill so many processes, while ten people of a team work")
    parser.add_argument(
        "--soak", type=float, default=0.0, metavar="MINUTES", help="see for so long whether a server grows"
    )
    arguments = parser.parse_args(words)
    if arguments.soak:
        table = soak(arguments.soak)
    else:
        table = kills(arguments.kills) if arguments.kills else many(arguments.people, arguments.mode)
    print(table.markdown(), flush=True)
    if arguments.kills >= KILLS:
        write_block("bench:kills", table.markdown())
    elif arguments.soak >= LONG:
        write_block("bench:soak", table.markdown())
    elif not arguments.kills and not arguments.soak and arguments.people == PEOPLE and arguments.mode == "demo":
        write_block("bench:load", table.markdown())
    return int(any(row.met is False for row in table.rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
