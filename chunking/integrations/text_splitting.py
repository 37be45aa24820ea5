"""Parsing and splitting of texts and files as in the app, for every framework."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from chunking.errors import ConfigError, ParseError
from chunking.export.frameworks import PageContent
from chunking.indexing import Ids, read_files
from chunking.integrations.exported_settings import ExportedSettings
from chunking.model import BUILT_IN, CHUNK, PARENT, Chunk, Document, larger_level
from chunking.parsing import FORMATS, clean_source, parse, parse_all_guarded
from chunking.paths import AnyPath
from chunking.splitting import split_document

__all__ = [
    "TEXT_FORMATS",
    "FileContent",
    "SplitText",
    "TextSource",
    "TextSplitting",
    "chunk_metadata",
    "content_choice",
    "metadata_name",
]

TEXT_FORMATS = {"markdown": ".md", "text": ".txt"}
"""Formats of texts whose name has no known extension, with the extension used instead."""
_NAME_KEYS = ("relative_path", "source", "file_path", "file_name")
"""Metadata keys for the path of a file, in order of precedence."""
_OF_DOCUMENT = ("source", "title", "category", "language")
"""Metadata of a document for which a loader's values take precedence."""
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")
_BYTE_ORDER_MARK = "\ufeff"

_log = logging.getLogger(__name__)


class TextSource(NamedTuple):
    """A text to split, as a framework passes it, with its metadata."""

    text: str
    metadata: Mapping[str, Any] = {}


class FileContent(NamedTuple):
    """File in memory."""

    data: bytes
    name: str
    """Path of the file."""


class SplitText(NamedTuple):
    """Parsed text with its chunks."""

    document: Document
    chunks: list[Chunk]
    """Chunks of the requested levels, in order; `document.text[chunk.start:chunk.end] == chunk.content`."""


@dataclass(frozen=True, slots=True)
class TextSplitting:
    """Parser and splitter of texts and files with fixed settings.

    Raises:
        ConfigError: an unknown text format, or a level that the settings do not make.
    """

    settings: ExportedSettings
    levels: Sequence[str] = (CHUNK,)
    text_format: str = "markdown"
    """Format of texts whose name has no known extension: a key of `TEXT_FORMATS`."""
    root: str = ""
    """Folder to which file names are made relative, so that ids match an app that added this folder."""

    def __post_init__(self) -> None:
        if self.text_format not in TEXT_FORMATS:
            raise ConfigError(
                f"There is no text format '{self.text_format}'; choose one of {', '.join(TEXT_FORMATS)}.",
                where="text_format",
            )
        chunk = self.settings.config.chunk
        there = (CHUNK, *([PARENT] if chunk.parent_size else []), *map(larger_level, chunk.granularities))
        for level in self.levels:
            if level not in there:
                raise ConfigError(
                    f"These settings make no level '{level}'; their levels are {', '.join(there)}.", where="levels"
                )

    def split_texts(self, sources: Iterable[TextSource]) -> Iterator[SplitText | None]:
        """Split the texts of one batch; None for empty ones.

        Equal names in a batch are different documents, with ids of their own (`handbook`, `handbook_2`).

        Raises:
            ParseError: a text is too large, or something else than its name says.
            ModelError: the tokenizer of the configured model is missing.
        """
        ids = Ids()
        for source in sources:
            yield self._split_text(source, ids) if source.text.strip() else None

    def split_files(self, paths: Iterable[AnyPath], contents: Iterable[FileContent] = ()) -> Iterator[SplitText]:
        """Read and split files and folders in any format the app reads, each in a guarded process.

        Args:
            contents: files that are in memory.
        Raises:
            ParseError: one cannot be read.
        """
        inputs = self.settings.inputs
        read = read_files([Path(path) for path in paths], encodings=inputs.encodings, parsers=inputs.parsers)
        if read.failed:
            raise ParseError(read.failed[0].error, where=read.failed[0].source)
        ids = Ids(used={document.doc_id for document in read.documents})
        for data, name in contents:
            source = clean_source(name)
            parser, encoding = inputs.parsers.get(source, BUILT_IN), inputs.encodings.get(source)
            read.documents.extend(ids.assign(parse_all_guarded(data, name, encoding=encoding, parser=parser)))
        for document in self.settings.apply_inputs(read.documents):
            yield self.split(document)

    def split(self, document: Document) -> SplitText:
        """Split a document whose edits and pins have been applied; warnings go to the log."""
        split = split_document(document, self.settings.config)
        for warning in split.warnings:
            _log.warning("%s: %s", document.source, warning)
        chunks = [replace(chunk, metadata={"title": document.title, **chunk.metadata}) for chunk in split]
        return SplitText(document, [chunk for level in self.levels for chunk in chunks if chunk.level == level])

    def _split_text(self, source: TextSource, ids: Ids) -> SplitText:
        readable = _UNREADABLE.sub("\ufffd", source.text)  # one character for one: offsets stay
        shift = len(readable) - len(readable.removeprefix(_BYTE_ORDER_MARK))
        document = self._parse(readable[shift:], self._name(source), ids)
        document, chunks = self.split(self.settings.apply_inputs([document])[0])
        if not shift:
            return SplitText(document, chunks)
        moved = [replace(chunk, start=chunk.start + shift, end=chunk.end + shift) for chunk in chunks]
        return SplitText(replace(document, text=readable), moved)

    def _parse(self, text: str, name: str, ids: Ids) -> Document:
        """Parse a text as the app would parse a file of this name."""
        named = next((row for row in FORMATS if row.text_is_file and name.lower().endswith(row.extensions)), None)
        path = name if named else f"{_without_ending(name)}{TEXT_FORMATS[self.text_format]}"
        document = parse(text.encode(), path, encoding="utf-8")
        if document.text != text:
            raise ParseError(
                (
                    f"The text of {name} is not {named.label if named else self.text_format} but "
                    f"{document.format}, whose offsets would refer to the text inside it; split the file itself."
                ),
                where=name,
            )
        return ids.assign([replace(document, source=name)])[0]

    def _name(self, source: TextSource) -> str:
        """Return the file name from the metadata, relative to the root; else a name from the text's hash."""
        name = metadata_name(source.metadata)
        if not name:
            return f"text_{hashlib.sha256(source.text.encode('utf-8', 'replace')).hexdigest()[:16]}"
        if self.root and Path(name).is_relative_to(self.root):
            name = Path(name).relative_to(self.root).as_posix()
        return clean_source(name)


def metadata_name(metadata: Mapping[str, Any]) -> str:
    """Return the path of a file from a loader's metadata; empty if there is none."""
    return next((str(metadata[key]) for key in _NAME_KEYS if metadata.get(key)), "")


def content_choice(text: str) -> PageContent:
    """Return the content of a framework's document (span or embedded text) by its name.

    Raises:
        ConfigError: there is no such choice.
    """
    try:
        return PageContent(text)
    except ValueError:
        raise ConfigError(f"There is no text '{text}'; choose one of {', '.join(PageContent)}.", where="text") from None


def chunk_metadata(own: Mapping[str, Any], computed: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a text's metadata with its chunk's; of `_OF_DOCUMENT`, the text's own values win.

    Args:
        own: of the text, as its loader wrote it.
        computed: as the exports write it (`export.frameworks`).

    >>> chunk_metadata({"source": "/docs/a.md", "author": "Lin"}, {"source": "a.md", "start_index": 0})
    {'source': '/docs/a.md', 'author': 'Lin', 'start_index': 0}
    """
    return {
        **deepcopy(dict(own)),
        **{key: value for key, value in computed.items() if key not in _OF_DOCUMENT or key not in own},
    }


def _without_ending(name: str) -> str:
    folder, slash, file = name.rpartition("/")
    head, dot, _ = file.rpartition(".")
    return f"{folder}{slash}{head if dot and head else file}"
