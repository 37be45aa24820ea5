"""Sentences and labels of the product, read from its sources, for a snapshot and the rule on quoting.

`python -m tests.support.wording` (or `make wording`) rewrites the snapshot after an intended change.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.support.product import app_sources

__all__ = ["QUOTED_WORDS", "SNAPSHOT", "literals", "product_runs", "product_sources", "quotations", "wording"]

ROOT = Path(__file__).parents[2]
SNAPSHOT = ROOT / "tests" / "wording" / "snapshot.json"
LEAST_WORDS = 3
"""Minimum words of a sentence; shorter literals are keys, formats or labels that tests may name."""
QUOTED_WORDS = 5
"""Number of consecutive words by which a test quotes a sentence."""

NO_WORDING = frozenset({"The pump must be switched off before the filter is changed."})
"""Texts that no user sees: sentences that test a model."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PROSE = re.compile(rf"(?:{_WORD.pattern}(?:[,;:.?!)”’\"']*\s+[(“‘\"']*|(?=\W|$)))+")
_HOLE = "{}"
_CODE = re.compile(r"[{}][^{}]*;|=>|</|\(\)|\bfunction\b")


def product_sources() -> list[Path]:
    """Return all modules of the product."""
    return [
        *sorted((ROOT / "chunking").rglob("*.py")),
        *app_sources(),
        ROOT / "app.py",
    ]


def literals(source: str) -> Iterator[tuple[str, int]]:
    """Yield (text, line) of a module's string literals in order, with `{}` for fields of f-strings.

    Docstrings and types are left out.
    """
    tree = ast.parse(source)
    passed = {id(node) for node in _without_meaning(tree)}
    for node in _in_order(tree):
        if id(node) in passed:
            continue
        if isinstance(node, ast.JoinedStr):
            passed |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
            yield "".join(part.value if isinstance(part, ast.Constant) else _HOLE for part in node.values), node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, node.lineno


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _without_meaning(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield docstrings, format specifications, and lists of words written to be split."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            yield from ast.walk(node.format_spec)
        elif isinstance(node, ast.Attribute) and node.attr == "split":
            yield node.value


def wording() -> dict[str, list[str]]:
    """Return each module's literals of at least three words, in order, without code of other languages."""
    texts = {}
    for path in product_sources():
        runs_found = [
            text
            for text, _ in literals(path.read_text(encoding="utf-8"))
            if len(_WORD.findall(text)) >= LEAST_WORDS and text not in NO_WORDING
        ]
        if kept := [
            text for text in runs_found if text not in NO_WORDING and not _CODE.search(text.replace(_HOLE, ""))
        ]:
            texts[path.relative_to(ROOT).as_posix()] = kept
    return texts


def runs(text: str) -> Iterator[tuple[str, ...]]:
    """Yield every sequence of `QUOTED_WORDS` words that only spaces and punctuation separate."""
    for part in _PROSE.findall(text):
        words = [word.lower() for word in _WORD.findall(part)]
        yield from (tuple(words[first : first + QUOTED_WORDS]) for first in range(len(words) - QUOTED_WORDS + 1))


def product_runs() -> frozenset[tuple[str, ...]]:
    """Return the word sequences of all texts of the product."""
    return frozenset(run for texts in wording().values() for text in texts for run in runs(text))


def quotations(source: str, fixed: Iterable[tuple[str, ...]]) -> list[tuple[int, str]]:
    """Return (line, text) of a test's literals that quote the product, also in regular expressions."""
    fixed = frozenset(fixed)
    return [
        (line, text) for text, line in literals(source) if any(run in fixed for run in runs(text.replace("\\", "")))
    ]


if __name__ == "__main__":
    SNAPSHOT.parent.mkdir(exist_ok=True)
    SNAPSHOT.write_text(json.dumps(wording(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
