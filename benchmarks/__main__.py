"""`make bench`: run the benchmarks, print their tables, and write them into the documentation.

python -m benchmarks                   all of them
python -m benchmarks splitting search  only these
python -m benchmarks pages --before v1 against that version
python -m benchmarks growth --chunks 10000,100000,1000000
python -m benchmarks quality --help    its options: models, collections of your own
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

from benchmarks.ir_collections import HALVES
from chunking.errors import ChunkscopeError
from docs.marked_blocks import write_block

BENCHMARKS = (
    *("live", "evaluation", "retrieval", "defaults", "quality", "late", "search", "answerability", "citations"),
    *("questions", "evidence", "neighbours", "generated_questions", "articles", "simulations"),
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
        "growth",
        "engines",
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
    arguments = _parser().parse_args(words)
    names = arguments.names or BENCHMARKS
    options = {
        "pages": {"before": arguments.before},
        "quality": _quality_options(arguments),
        "growth": _growth_options(arguments),
    }
    missed = 0
    for name in names:
        try:
            table = importlib.import_module(f"benchmarks.{name}").run(**options.get(name, {}))
        except ChunkscopeError as error:
            print(error, file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            kept = "; what it measured is kept: the same command goes on from there" if name == "quality" else ""
            print(f"\n{name} was stopped{kept}.", file=sys.stderr)
            return 130
        print(table.markdown(), end="\n\n", flush=True)
        if not (name == "quality" and _is_part(arguments)):
            write_block(f"bench:{name}", table.markdown())
        missed += sum(row.met is False for row in table.rows)
    print(f"{missed} targets missed" if missed else "every target met")
    return int(missed > 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}; all of them where none is given"
    )
    parser.add_argument(
        "--before",
        metavar="REV",
        help="the version that `pages` is measured against, instead of the last landed one; `growth`, with it only",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="for results of `quality` or `growth`, which a new run reuses"
    )
    growth = parser.add_argument_group("growth", "Options of `growth`.")
    growth.add_argument("--chunks", type=_sizes, metavar="N,N", help="numbers of chunks, instead of 10000,100000")
    quality = parser.add_argument_group("quality", "Options of `quality`; several values by several options.")
    quality.add_argument("--model", action="append", metavar="NAME", help="another embedding model for the default")
    quality.add_argument(
        "--collection",
        action="append",
        metavar="NAME",
        help="only this collection, or a path; the docs stay as they are",
    )
    quality.add_argument("--configuration", action="append", metavar="NAME", help="only this row; likewise")
    quality.add_argument("--half", choices=HALVES, default="report", help="of the questions; likewise")
    return parser


def _quality_options(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "models": arguments.model or (),
        "collections": arguments.collection or (),
        "configurations": arguments.configuration or (),
        "half": arguments.half,
        "keep": arguments.keep,
    }


def _growth_options(arguments: argparse.Namespace) -> dict[str, Any]:
    sizes = {"chunks": arguments.chunks} if arguments.chunks else {}
    return {"before": arguments.before, "keep": arguments.keep, **sizes}


def _sizes(text: str) -> tuple[int, ...]:
    """Return numbers of chunks, hundreds at least.

    >>> _sizes("10000,100000")
    (10000, 100000)
    """
    sizes = tuple(int(part) for part in text.split(","))
    if min(sizes) < 100:
        raise argparse.ArgumentTypeError(f"{min(sizes)} chunks are too few; give at least 100.")
    return sizes


def _is_part(arguments: argparse.Namespace) -> bool:
    """True if the table is not that of the documentation."""
    return bool(arguments.collection or arguments.configuration or arguments.half != "report")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
