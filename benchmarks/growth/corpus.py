"""Documents of any number, recombined from the sentences of the English samples; the same ones in every run.

The words are real, but there are few of them; so each section also names a record of its own, by Zipf's law, as the
numbers and names in real documents are many and rare.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

__all__ = [
    "CHUNKS_A_DOCUMENT",
    "document_path",
    "document_text",
    "document_title",
    "queries",
    "sentences",
    "write_documents",
]

SAMPLES = Path(__file__).parents[2] / "sample_data"
CHUNKS_A_DOCUMENT = 10
"""Sections of a document, each as long as one chunk of the default size."""
_WORDS = 75
"""Words of a section, at least; a chunk of 175 tokens holds about 110."""
_FOLDER = 1_000
"""Documents in a folder."""
_RECORDS, _TAIL = 500_000, 0.3
"""Records that a section may name, and the exponent of how seldom."""
_SENTENCE = re.compile(r"[A-Z][^.!?|#*`\[\]<>\n]{40,240}[.!?](?=\s|$)")


@cache
def sentences() -> tuple[str, ...]:
    """Return the distinct sentences of prose of the English samples."""
    files = sorted(path for path in SAMPLES.rglob("*") if path.suffix in (".md", ".txt") and path.name.isascii())
    found = (one for path in files for one in _SENTENCE.findall(path.read_text(encoding="utf-8")))
    return tuple(dict.fromkeys(one for one in found if one.isascii() and one[1] != ":"))  # no questions and answers


def document_path(number: int) -> str:
    """Return a document's path, a thousand to a folder.

    >>> document_path(12345)
    '0012/record-0012345.md'
    """
    return f"{number // _FOLDER:04d}/record-{number:07d}.md"


def document_title(number: int) -> str:
    """Return a document's title."""
    return f"Record {number:07d}"


def document_text(number: int, version: int = 0) -> str:
    """Return a document of ten sections; another version differs in one of them."""
    parts = [f"# {document_title(number)}"]
    for section in range(CHUNKS_A_DOCUMENT):
        changed = version if section == CHUNKS_A_DOCUMENT // 2 else 0
        parts.append(_section(random.Random(f"{number} {section} {changed}"), section))
    return "\n\n".join(parts) + "\n"


def _section(chance: random.Random, section: int) -> str:
    pool, body, words = sentences(), list[str](), 0
    heading = " ".join(chance.choice(pool).split()[:4]).strip(",;:")
    while words < _WORDS:
        body.append(chance.choice(pool))
        words += body[-1].count(" ") + 1
    record = int(chance.paretovariate(_TAIL)) % _RECORDS
    return f"## {section + 1}. {heading}\n\n{' '.join(body)} See record R{record}."


def write_documents(folder: Path, numbers: Sequence[int], version: int = 0) -> list[Path]:
    """Write documents below a folder, and return their paths."""
    paths = [folder / document_path(number) for number in numbers]
    for parent in dict.fromkeys(path.parent for path in paths):
        parent.mkdir(parents=True, exist_ok=True)
    for number, path in zip(numbers, paths, strict=True):
        path.write_text(document_text(number, version), encoding="utf-8")
    return paths


def queries(count: int) -> list[str]:
    """Return queries of four words of one sentence each."""
    chance = random.Random("queries")
    found = []
    while len(found) < count:
        words = re.findall(r"[a-z]{4,}", chance.choice(sentences()))
        if len(words) >= 4:
            found.append(" ".join(chance.sample(words, 4)))
    return found
