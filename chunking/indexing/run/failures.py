"""Files that failed, with reasons; sentences alike about many files are told in one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["MOST_ALIKE", "Failure", "SimilarSentences", "merge_similar", "merged_failures"]

MOST_ALIKE = 20
"""Sentences of one kind that are told one by one."""
_MOST_KINDS = 50
"""Kinds told apart; further ones are counted together."""
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Failure:
    """File that could not be read, or document that could not be split, with the reason."""

    source: str
    error: str
    """Reason as one sentence."""
    files: int = 1
    """Files it stands for: several if many failed alike (`merged_failures`)."""

    def as_record(self) -> dict[str, Any]:
        """Return source and error, and the number of files if it stands for several."""
        return {name: value for name, value in asdict(self).items() if name != "files" or self.files > 1}


class SimilarSentences:
    """Counter of sentences by kind: alike but for the file's name and numbers.

    Args:
        most: sentences of a kind to tell one by one.
    """

    def __init__(self, most: int = MOST_ALIKE) -> None:
        self._most = most
        self._kinds: dict[str, tuple[int, Failure]] = {}

    def add(self, source: str, sentence: str) -> bool:
        """Count a sentence about a file; True if it is to be told by itself."""
        kind = _NUMBER.sub("", sentence.replace(source, "").replace(source.rpartition("/")[2], ""))
        if kind not in self._kinds and len(self._kinds) >= _MOST_KINDS:
            kind = ""
        number, first = self._kinds.get(kind, (0, Failure(source, sentence)))
        self._kinds[kind] = number + 1, first
        return number < self._most

    def counted(self) -> Iterator[tuple[int, Failure]]:
        """Yield the number of sentences of each kind, and the first of them."""
        yield from self._kinds.values()

    def others(self) -> Iterator[Failure]:
        """Yield a failure for each kind that has more sentences than were told, with the number of the rest."""
        for number, first in self.counted():
            rest = number - self._most
            if rest > 0:
                files = f"{rest:,} more {'file' if rest == 1 else 'files'}"
                yield Failure(files, f"As with {first.source}: {first.error}", rest)


def merged_failures(failed: Iterable[Failure], most: int = MOST_ALIKE) -> list[Failure]:
    """Return failures with those of many files alike merged: `Failure.files` add up to the number of all.

    >>> alike = [Failure(f"{n}.md", f"{n}.md is empty.") for n in range(5)]
    >>> [(one.source, one.files) for one in merged_failures(alike, 2)]
    [('0.md', 1), ('1.md', 1), ('3 more files', 3)]
    """
    kinds = SimilarSentences(most)
    return [one for one in failed if kinds.add(one.source, one.error)] + list(kinds.others())


def merge_similar(sentences: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Merge sentences that differ only in their document into the first of them, with their number.

    Args:
        sentences: source of the document, and the sentence.

    >>> list(merge_similar([("a.md", "No table in a.md."), ("b.md", "No table in b.md.")]))
    ['No table in a.md. (2 documents)']
    """
    kinds = SimilarSentences()
    for source, sentence in sentences:
        kinds.add(source, sentence)
    for number, first in kinds.counted():
        yield first.error if number == 1 else f"{first.error} ({number:,} documents)"
