"""What to call the documents of a list, so that no two of them are called the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from chunking.store.documents.document_rows import DocumentRow

__all__ = ["distinct_labels", "document_labels"]


def document_labels(rows: Iterable[DocumentRow]) -> dict[str, str]:
    """A label for each document by its id: its title, and its path where another document has the same title."""
    return distinct_labels({row.doc_id: (row.title, row.source) for row in rows})


def distinct_labels(documents: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """The same of documents that are known by their title and path only.

    Args:
        documents: by id, the title and the path. Where both are the same, the id tells them apart.

    >>> distinct_labels({"a_faq": ("FAQ", "a/faq.md"), "b_faq": ("FAQ", "b/faq.md"), "guide": ("Guide", "guide.md")})
    {'a_faq': 'FAQ (a/faq.md)', 'b_faq': 'FAQ (b/faq.md)', 'guide': 'Guide'}
    """
    titles, places = Counter(title for title, _ in documents.values()), Counter(documents.values())
    labels = {}
    for doc_id, (title, source) in documents.items():
        where = source if places[title, source] == 1 and source else doc_id
        labels[doc_id] = f"{title or doc_id} ({where})" if titles[title] > 1 else title or source or doc_id
    return labels
