"""`make bench`: run every benchmark, print its table, and put the tables into the README.

python -m benchmarks                 all of them
python -m benchmarks cutting search  only these
"""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

BENCHMARKS = (
    *("live", "evaluation", "retrieval", "late", "search", "questions", "statistics"),
    *("reading", "testdata", "headings", "cutting", "viewer", "embedding", "start"),
)
README = Path(__file__).parent.parent / "README.md"


def main(names: list[str]) -> int:
    """Run the benchmarks of these names; returns 1 where a target was missed."""
    missed = 0
    for name in names or BENCHMARKS:
        table = importlib.import_module(f"benchmarks.{name}").run()
        print(table.markdown(), end="\n\n", flush=True)
        _into_readme(name, table.markdown())
        missed += sum(row.met is False for row in table.rows)
    print(f"{missed} targets missed" if missed else "every target met")
    return int(missed > 0)


def _into_readme(name: str, markdown: str) -> None:
    """Replace what stands between the marks of this benchmark."""
    text = README.read_text(encoding="utf-8")
    block = f"<!-- bench:{name} -->\n{markdown}\n<!-- /bench:{name} -->"
    changed = re.sub(rf"<!-- bench:{name} -->.*?<!-- /bench:{name} -->", lambda _: block, text, flags=re.DOTALL)
    README.write_text(changed, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
