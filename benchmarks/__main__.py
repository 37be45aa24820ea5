"""`make bench`: run every benchmark, print its table, and put the tables into the documentation.

python -m benchmarks                   all of them
python -m benchmarks splitting search  only these
"""

from __future__ import annotations

import importlib
import sys

from docs.marked_blocks import write_block

BENCHMARKS = (
    *("live", "evaluation", "retrieval", "late", "search", "answerability", "questions", "simulations"),
    *("reading", "testdata", "headings", "splitting", "viewer", "embedding", "start", "five_minutes"),
)


def main(names: list[str]) -> int:
    """Run the benchmarks of these names; returns 1 where a target was missed."""
    missed = 0
    for name in names or BENCHMARKS:
        table = importlib.import_module(f"benchmarks.{name}").run()
        print(table.markdown(), end="\n\n", flush=True)
        write_block(f"bench:{name}", table.markdown())
        missed += sum(row.met is False for row in table.rows)
    print(f"{missed} targets missed" if missed else "every target met")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
