"""`make bench`: run the benchmarks, print their tables, and write them into the documentation.

python -m benchmarks                   all of them
python -m benchmarks splitting search  only these
python -m benchmarks pages --before v1 against that version
"""

from __future__ import annotations

import argparse
import importlib
import sys

from docs.marked_blocks import write_block

BENCHMARKS = (
    *("live", "evaluation", "retrieval", "defaults", "late", "search", "answerability", "citations", "questions"),
    *("evidence", "generated_questions", "articles", "simulations"),
    *(
        "reading",
        "testdata",
        "headings",
        "pdf_detail",
        "splitting",
        "editing",
        "viewer",
        "notebook",
        "builds",
        "fairness",
        "embedding",
        "start",
        "five_minutes",
        "agents",
        "agents_over_http",
        "pages",
    ),
)


def main(words: list[str]) -> int:
    """Run the benchmarks with these names; returns 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}; all of them where none is given"
    )
    parser.add_argument(
        "--before", metavar="REV", help="the version that `pages` is measured against, instead of the last landed one"
    )
    arguments = parser.parse_args(words)
    missed = 0
    for name in arguments.names or BENCHMARKS:
        options = {"before": arguments.before} if name == "pages" else {}
        table = importlib.import_module(f"benchmarks.{name}").run(**options)
        print(table.markdown(), end="\n\n", flush=True)
        write_block(f"bench:{name}", table.markdown())
        missed += sum(row.met is False for row in table.rows)
    print(f"{missed} targets missed" if missed else "every target met")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
