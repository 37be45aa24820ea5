"""Read a file's bytes into a Document."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Unpack

from chunking.allowed import allowed
from chunking.display import first_names, quantity
from chunking.errors import ParseError, TooLargeError
from chunking.model import BUILT_IN, READ_OPTIONS, BlockType, Document, Section
from chunking.parsing.builder.line_joining import ends_sentence
from chunking.parsing.builder.nested_files import as_raw_file, is_archived_page
from chunking.parsing.builder.reader_types import ParseOptions, RawFile, Reading
from chunking.parsing.detection.encoding import makes_text, unknown_encoding
from chunking.parsing.detection.language import language_of, prose
from chunking.parsing.detection.path_names import category_of, clean_source, make_doc_id, path_hierarchy, stem
from chunking.parsing.headings.heading_labels import names_part
from chunking.parsing.outline import build_sections, clean_label, toc
from chunking.parsing.parsers.parser_table import PARSERS, Parser, parser_named, read_with
from chunking.parsing.registry import FORMATS, Recognised, recognise
from chunking.paths import AnyPath, paths_of

__all__ = [
    "MAX_BYTES",
    "MAX_SECTIONS",
    "LoadedFile",
    "check_size",
    "empty_file",
    "find_files",
    "load_file",
    "parse",
    "parse_all",
    "parse_file",
]

MAX_BYTES = 50 * 2**20
"""Most bytes of a file, except for formats with their own limit (`Format.max_bytes`)."""
MAX_SECTIONS = 100_000
"""Most headings of a document; the longest known book has 3,000."""
_MOST_TITLE_LINES, _LONGEST_TITLE_LINE = 3, 80
"""Most lines before all headings, and characters of each, that form a title and its authors."""
_PARAGRAPH_END = re.compile(r"(?:\r\n?|\n)[^\S\r\n]*(?:\r\n?|\n)")
_MOST_NAMED = 10
"""Inner files named one by one in warnings."""

_INSTALLED = frozenset({"node_modules", "site-packages", "__pycache__"})
"""Folders of third-party code."""


def parse(data: bytes, source: str, **options: Unpack[ParseOptions]) -> Document:
    """Read a file and return its own document, without those of inner files (mail attachments).

    Args:
        data, source, options: see `parse_all`.
    Returns:
        The first document of `parse_all`; its `warnings` also name inner files that could not be read.
    Raises:
        TooLargeError, ParseError: see `parse_all`.

    >>> document = parse(b"# Install\\n\\nRun it.", "handbook/install.md")
    >>> document.doc_id, document.title, [block.type.value for block in document.blocks]
    ('handbook_install', 'Install', ['heading', 'paragraph'])
    """
    return parse_all(data, source, **options)[0]


def parse_all(
    data: bytes,
    source: str,
    *,
    encoding: str | None = None,
    category: str | None = None,
    updated_at: str | None = None,
    doc_id: str | None = None,
    ocr: bool = False,
    comments: bool = False,
    parser: str = BUILT_IN,
) -> tuple[Document, ...]:
    """Read a file and the files in it, each as a document of its own.

    Args:
        data: the whole file.
        source: its path inside the workspace; made safe.
        encoding: of the bytes; None: detect.
        category: api, doc, demo, faq ...; None: from the path.
        updated_at: ISO 8601; None: now.
        doc_id: of the file's own document; None: from the path. The other options apply to inner files too.
        ocr: read scanned pages by optical character recognition, if installed.
        comments: read comments of office files as blocks of their own; else they are left out.
        parser: name of the row of `PARSERS` that reads the file itself; the files in it are read by the built-in
            parser, and so is a file of a format that the parser does not read, with a warning.
    Returns:
        The file's document, then its inner files' in order: their `parent_id` is its id, their sources are
        paths below its own (`mail.eml/notes.txt`). Its warnings explain which inner files could not be read.
    Raises:
        TooLargeError: the file itself is over `MAX_BYTES`, `MAX_SECTIONS`, or a limit of its format.
        ParseError: it is empty, not text, of no known format, the encoding is unknown, the parser is unknown, not
            installed or failed, or it or OCR is not allowed here (`chunking.allowed`).

    >>> mail = b"Subject: Sizes\\nContent-Type: message/rfc822\\n\\nSubject: Before\\n\\nThe finch is small."
    >>> [(document.source, document.parent_id) for document in parse_all(mail, "mail.eml")]
    [('mail.eml', ''), ('mail.eml/Before.eml', 'mail')]
    """
    source = clean_source(source)
    check_size(len(data), source)
    if encoding and not makes_text(encoding):
        raise unknown_encoding(source, encoding)
    if ocr:
        allowed().check_engine("ocr")
    chosen = parser_named(parser)
    files = _FamilyReader(category, updated_at or datetime.now(UTC).isoformat(timespec="seconds"))
    raw = RawFile(data, source, encoding, ocr, comments)
    recognised = _recognised(raw)
    _check_limit(len(data), source, recognised.format.max_bytes)  # its name may have promised a format of larger files
    files.parse(raw, recognised, doc_id, chosen)
    return tuple(files.documents)


def _recognised(raw: RawFile) -> Recognised:
    if not raw.data.strip():
        raise empty_file(raw.source)
    return recognise(raw)


def empty_file(source: str) -> ParseError:
    """Return the error of a file without text."""
    return ParseError(
        f"{source} is empty: it holds no text; leave it out, or save it again with its content.", where=source
    )


class _FamilyReader:
    """Reader of a file and its inner files.

    Attributes:
        documents: read so far, each before its inner files.
    """

    def __init__(self, category: str | None, updated_at: str) -> None:
        self.documents: list[Document] = []
        self._category, self._updated_at = category, updated_at

    def parse(
        self, raw: RawFile, recognised: Recognised, doc_id: str | None = None, parser: Parser | None = None
    ) -> None:
        """Read a file and its inner files.

        Raises:
            ParseError: the file cannot be read; no document of it is added.
        """
        reading, parser = read_with(parser or PARSERS[0], recognised.format, raw)
        if not reading.blocks:
            raise empty_file(raw.source)
        _check_sections(reading, raw.source)
        place = len(self.documents)
        self.documents.append(self._document(raw, recognised, reading, doc_id, parser.name))
        unread = tuple(self._parse_inner(raw, reading, recognised))
        if unread:
            outer = self.documents[place]
            self.documents[place] = replace(outer, warnings=(*outer.warnings, *unread))

    def _document(
        self, raw: RawFile, recognised: Recognised, reading: Reading, doc_id: str | None, parser: str
    ) -> Document:
        doc_id = doc_id or make_doc_id(raw.source, {document.doc_id for document in self.documents})
        sections = build_sections(doc_id, reading.text, reading.blocks)
        return Document(
            doc_id=doc_id,
            source=raw.source,
            text=reading.text,
            blocks=reading.blocks,
            sections=sections,
            title=_title(reading, sections, raw.source),
            hash=hashlib.sha256(raw.data).hexdigest(),
            updated_at=self._updated_at,
            format=recognised.format.name,
            category=self._category or category_of(raw.source),
            path_hierarchy=path_hierarchy(raw.source),
            language=language_of(prose(reading.text, reading.blocks)),
            encoding=reading.encoding,
            doc_toc=toc(sections),
            left_out=reading.left_out,
            warnings=(*recognised.warnings, *_warnings(reading)),
            locations=reading.locations,
            page_count=reading.page_count,
            parent_id=self.documents[0].doc_id if self.documents else "",
            parser=parser,
            read_options=tuple(name for name in READ_OPTIONS if getattr(raw, name)),
        )

    def _parse_inner(self, outer: RawFile, reading: Reading, outer_format: Recognised) -> Iterator[str]:
        """Read the inner files; yields a warning for each that cannot be read."""
        faults: list[str] = []
        beyond: list[str] = []
        for inner in reading.inner_files:
            raw = as_raw_file(outer, inner)
            if raw is None:
                beyond.append(inner.name)
                continue
            try:
                if inner.reader is not None:
                    recognised = Recognised(replace(outer_format.format, reader=inner.reader))
                elif is_archived_page(raw.data):
                    recognised = Recognised(next(row for row in FORMATS if row.name == "email"))
                else:
                    recognised = _recognised(raw)
                self.parse(raw, recognised)
            except ParseError as error:
                faults.append(str(error))
        yield from faults[:_MOST_NAMED]
        if len(faults) > _MOST_NAMED:
            yield f"{quantity(len(faults) - _MOST_NAMED, 'more file')} in it could not be read."
        if beyond:
            yield (
                f"{_listed(beyond)} not read: too many or too large nested files; add the ones that matter as files."
            )


def _listed(names: Sequence[str]) -> str:
    return (
        f"{quantity(len(names), 'file')} in it ({first_names(names, _MOST_NAMED)}) "
        f"{'was' if len(names) == 1 else 'were'}"
    )


class LoadedFile(NamedTuple):
    """A file from disk: its bytes, its path as a document's source, and its last change."""

    data: bytes
    source: str
    """Path relative to the root; the file's name if there is no root above it."""
    updated_at: str
    """Last change, ISO 8601, UTC."""


def load_file(path: AnyPath, root: AnyPath | None = None) -> LoadedFile:
    """Read a file's bytes; its source is its path below `root`, or its name if not below `root`.

    Raises:
        ParseError: it cannot be opened.
        TooLargeError: over `MAX_BYTES`, or over the larger limit of its extension's format.
    """
    path, root = Path(path), None if root is None else Path(root)
    try:
        status = path.stat()
        with path.open("rb") as file:  # not what `stat` says decides: a pipe or device has no size
            limit = _limit_of(path.name)
            data = file.read(limit + 1) if status.st_size <= limit else b""
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise ParseError(
            f"{path} cannot be opened ({reason}); check its name and its permissions.", where=str(path)
        ) from error
    check_size(max(status.st_size, len(data)), path.name)
    changed = datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="seconds")
    inside = root is not None and path.is_relative_to(root) and path != root
    return LoadedFile(data, path.relative_to(root).as_posix() if inside and root is not None else path.name, changed)


def parse_file(
    path: AnyPath,
    *,
    root: AnyPath | None = None,
    encoding: str | None = None,
    ocr: bool = False,
    comments: bool = False,
    parser: str = BUILT_IN,
) -> Document:
    """Read a file from disk as one document, like `parse`; it is dated by its last change.

    Args:
        root: see `load_file`.
        encoding, ocr, comments, parser: as for `parse_all`.

    Raises:
        ParseError, TooLargeError: see `load_file` and `parse_all`.
    """
    file = load_file(path, root)
    options: ParseOptions = {"encoding": encoding, "ocr": ocr, "comments": comments, "parser": parser}
    options["updated_at"] = file.updated_at
    return parse(file.data, file.source, **options)


def check_size(size: int, source: str) -> None:
    """Raise TooLargeError if `size` is over `MAX_BYTES`, or a larger limit of the extension."""
    _check_limit(size, source, _limit_of(source))


def _limit_of(source: str) -> int:
    return max(MAX_BYTES, *(row.max_bytes for row in FORMATS if source.lower().endswith(row.extensions)), 0)


def _check_limit(size: int, source: str, limit: int) -> None:
    limit = max(limit, MAX_BYTES)
    if size > limit:
        sentence = (
            f"{source} has {size / 2**20:,.1f} MB; the limit is {limit // 2**20} MB. Split it into smaller files."
        )
        raise TooLargeError(sentence, where=source)


def _check_sections(reading: Reading, source: str) -> None:
    count = sum(block.type is BlockType.HEADING or "opens_section" in block.meta for block in reading.blocks)
    if count > MAX_SECTIONS:
        sentence = f"{source} has {count:,} headings; the limit is {MAX_SECTIONS:,}. Split it into smaller files."
        raise TooLargeError(sentence, where=source)


def _title(reading: Reading, sections: tuple[Section, ...], source: str) -> str:
    """Choose the title of a document.

    The only heading of level 1; of several the metadata's title, else the first that is no chapter, else the line above
    it, else the file's name. A page with guessed headings is titled by its own title first.
    """
    headings = [section for section in sections if section.level and not section.title_made]
    top = [section.title for section in headings if section.level == 1]
    if reading.title and reading.title_rules:
        return reading.title
    if len(top) == 1 or reading.title:
        return (top[0] if len(top) == 1 else "") or reading.title or ""
    names = top or [section.title for section in headings[:1]]
    if names and not names_part(names[0], names[1:]):
        return names[0]
    return (_first_line(reading.text, sections[0]) if names and not sections[0].level else "") or stem(source)


def _first_line(text: str, section: Section) -> str:
    """Return the first line above all headings, if only a few short lines precede an empty one."""
    lines = _PARAGRAPH_END.split(text[section.body_start : section.own_end].strip(), maxsplit=1)[0].splitlines()
    short = 0 < len(lines) <= _MOST_TITLE_LINES and all(len(line) <= _LONGEST_TITLE_LINE for line in lines)
    return clean_label(lines[0]) if short and not ends_sentence(lines[0]) else ""


def _warnings(reading: Reading) -> tuple[str, ...]:
    if not reading.inner_files and all(
        block.type in (BlockType.HEADING, BlockType.METADATA) for block in reading.blocks
    ):
        return (*reading.warnings, "This document has nothing but headings and front matter: there is no text in it.")
    return reading.warnings


def find_files(paths: AnyPath | Iterable[AnyPath]) -> list[tuple[Path, Path]]:
    """Return (file, root) of each file to read, in the order of `paths`, sorted inside a folder.

    A folder is searched for known formats, without hidden files and folders and installed packages; it is the root of
    its files. Of `.json` and `.zip` files, which may be anything, only those named by a parser count. A file given by
    name is taken whatever its extension; its folder is its root. Each file comes once. A folder that cannot be opened
    is returned like a file, so that reading it reports the error.

    Raises:
        ParseError: a path does not exist or is inaccessible.
    """
    files: dict[str, tuple[Path, Path]] = {}
    for path in paths_of(paths):
        for file in sorted(_files_under(path)) if _is_folder(path) else [path]:
            files.setdefault(os.path.abspath(file), (file, path if file is not path else path.parent))
    return list(files.values())


def _is_folder(path: Path) -> bool:
    try:
        if not path.exists():
            raise ParseError(f"{path} does not exist; check the name.", where=str(path))
        return path.is_dir()
    except OSError as error:  # a name that is too long, a folder above it that may not be entered
        raise ParseError(
            f"{path} cannot be opened ({error.strerror}); check its name and its permissions.", where=str(path)
        ) from error


def _is_document(name: str) -> bool:
    """True if a file in a folder is a document, by its extension, or by a word in a parser's file names."""
    named = [row for row in FORMATS if Path(name).suffix in row.extensions]
    return any(not row.name_words or any(word in name for word in row.name_words) for row in named)


def _files_under(folder: Path) -> Iterator[Path]:
    closed: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _INSTALLED]
        for name in names:
            if not name.startswith(".") and _is_document(name.lower()):
                yield Path(place, name)
    yield from (Path(error.filename) for error in closed)
