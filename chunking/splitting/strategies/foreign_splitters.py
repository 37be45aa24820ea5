"""Splitters of other packages by name, where installed, such as `langchain:recursive`.

Each runs with this project's size, overlap and counting, so that only the cuts differ. Their chunks are made to keep
the laws like those of any custom splitter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from chunking.errors import ConfigError
from chunking.model import Document
from chunking.splitting.strategies.splitter_contract import Lengths

__all__ = ["FOREIGN", "Foreign", "foreign_names"]

Cut = Callable[[Document], Iterable[str | tuple[int, int]]]

_FULL_INSTALLATION = frozenset({"unstructured"})
"""Packages of requirements.txt, with versions and extras; the others are the user's choice."""


@cache
def _version(package: str) -> str:
    """The installed version, empty if none; looked up once, as a form asks with every click."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A splitter of another package."""

    name: str
    package: str
    """As pip names it."""
    make: Callable[[Lengths], Cut]
    """Imports the package."""

    @property
    def version(self) -> str:
        """Of the package; empty if it is not installed."""
        return _version(self.package)

    def cut(self, lengths: Lengths) -> Cut:
        """Make the splitter for some lengths.

        Raises:
            ConfigError: its package is not installed.
        """
        if not self.version and self.package in _FULL_INSTALLATION:
            raise ConfigError.needs_full_installation(f"The splitter '{self.name}'", where="splitter")
        if not self.version:
            raise ConfigError(
                f"The splitter '{self.name}' needs the package {self.package}: pip install {self.package}.",
                where="splitter",
            )
        return self.make(lengths)


def _langchain(language: str) -> Callable[[Lengths], Cut]:
    def make(lengths: Lengths) -> Cut:
        from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

        separators = (
            RecursiveCharacterTextSplitter.get_separators_for_language(Language(language)) if language else None
        )
        splitter = RecursiveCharacterTextSplitter(
            separators=separators,
            is_separator_regex=bool(language),
            chunk_size=lengths.size,
            chunk_overlap=lengths.overlap,
            length_function=lengths.count,
        )
        return lambda document: splitter.split_text(document.text)

    return make


def _chonkie(kind: str) -> Callable[[Lengths], Cut]:
    def make(lengths: Lengths) -> Cut:
        import chonkie

        overlap = {"chunk_overlap": lengths.overlap} if kind == "SentenceChunker" else {}
        chunker = getattr(chonkie, kind)(tokenizer=lengths.count, chunk_size=lengths.size, **overlap)
        return lambda document: [(one.start_index, one.end_index) for one in chunker.chunk(document.text)]

    return make


def _semantic_text_splitter(kind: str) -> Callable[[Lengths], Cut]:
    def make(lengths: Lengths) -> Cut:
        import semantic_text_splitter

        splitter = getattr(semantic_text_splitter, kind).from_callback(
            lengths.count, lengths.size, overlap=lengths.overlap
        )
        return lambda document: [(start, start + len(part)) for start, part in splitter.chunk_indices(document.text)]

    return make


def _unstructured(*, by_title: bool) -> Callable[[Lengths], Cut]:
    def make(lengths: Lengths) -> Cut:
        from chunking.splitting.strategies.unstructured_chunking import cut_elements, load

        load()
        return lambda document: cut_elements(document, lengths, by_title=by_title)

    return make


FOREIGN: Mapping[str, Foreign] = {
    row.name: row
    for row in (
        Foreign("unstructured:by_title", "unstructured", _unstructured(by_title=True)),
        Foreign("unstructured:basic", "unstructured", _unstructured(by_title=False)),
        Foreign("langchain:recursive", "langchain-text-splitters", _langchain("")),
        Foreign("langchain:markdown", "langchain-text-splitters", _langchain("markdown")),
        Foreign("chonkie:recursive", "chonkie", _chonkie("RecursiveChunker")),
        Foreign("chonkie:sentence", "chonkie", _chonkie("SentenceChunker")),
        Foreign("semantic-text-splitter:text", "semantic-text-splitter", _semantic_text_splitter("TextSplitter")),
        Foreign(
            "semantic-text-splitter:markdown", "semantic-text-splitter", _semantic_text_splitter("MarkdownSplitter")
        ),
    )
}


def foreign_names() -> tuple[str, ...]:
    """Names of those whose packages are installed; nothing is imported."""
    return tuple(name for name, row in FOREIGN.items() if row.version)
