"""Which document a file means by a name: its path, the end of it, its id, or the file's name with or without its
ending.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extractOne

from chunking.model import Document

__all__ = ["DocumentNames"]

_SHOWN = 60
_LEAST_ALIKE = 60.0
"""Percent: of a name that is suggested for an unknown one."""


class DocumentNames:
    """Documents by everything they may be called."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self._tables: tuple[dict[str, list[Document]], ...] = ({}, {}, {}, {})
        for document in documents:
            path = _plain(document.source)
            tails = [path[at + 1 :] for at, char in enumerate(path) if char == "/"]
            stems = [name.rpartition(".")[0] or name for name in (path, *tails)]
            for table, names in zip(
                self._tables, ((path,), (_plain(document.doc_id),), tails or [path], stems), strict=True
            ):
                for name in dict.fromkeys(names):
                    table.setdefault(name, []).append(document)

    def find(self, name: str) -> Document | str:
        """The document of a name, or a sentence that says why there is none."""
        wanted = _plain(name)
        while wanted:
            for table in self._tables:
                found = table.get(wanted, [])
                if len(found) == 1:
                    return found[0]
                if found:
                    both = " and ".join(document.source for document in found[:2])
                    return f"'{name[:_SHOWN]}' may be {both}; name the document by its path."
            wanted = wanted.partition("/")[2]  # a longer path, from another folder
        near = extractOne(_plain(name)[:200], self._tables[2].keys(), scorer=ratio, score_cutoff=_LEAST_ALIKE)
        hint = (
            f"; is it {self._tables[2][near[0]][0].source}?" if near else "; add it, or name the document by its path."
        )
        return f"There is no document '{name[:_SHOWN]}' here{hint}"


def _plain(name: str) -> str:
    """A path in one spelling: composed letters, forward slashes, small."""
    return unicodedata.normalize("NFC", name).strip().replace("\\", "/").removeprefix("./").strip("/").casefold()
