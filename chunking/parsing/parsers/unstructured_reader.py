"""Read a file with `unstructured` as elements or as a document, without its network calls.

By default it sends a message to its makers when imported and for each file (`unstructured.telemetry`), prints a notice
(`unstructured._usage_notice`), and downloads a spaCy model at its first text (`unstructured.nlp.tokenize`). It no
longer uses NLTK.
"""

from __future__ import annotations

import importlib
import io
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from chunking.errors import ChunkscopeError, ParseError, TooLargeError
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.detection.encoding import Decoded, decode
from chunking.parsing.registry import format_named

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = [
    *("MAX_CHARACTERS", "SecondElement", "prepare_readers", "read_document", "read_second"),
    "switch_messages_off",
]

MAX_CHARACTERS = 1_000_000
"""Most characters of all elements together, and of the document compared.

The comparison runs in the shared server process, and takes 0.5 kB and 4 µs a character where each is a word.
"""

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
"""Start of Outlook mails."""

_SWITCHES = {
    "SCARF_NO_ANALYTICS": "true",
    "DO_NOT_TRACK": "true",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
}
"""Environment variables that turn off the library's messages, read at import and with each file."""
_LONGEST = 10**9
"""Most characters of a text: spaCy's default limit of a million is for models not used here."""


class SecondElement(NamedTuple):
    """An element returned by `unstructured`: its type, text, links and page."""

    category: str
    text: str
    links: str
    """Addresses and texts of links and images, which are apart from its text."""
    page: int
    """Page number from 1; 0 if it has none."""


def read_second(data: bytes, source: str, module: str) -> list[SecondElement]:
    """Read a file with `unstructured` in this process, with its messages and downloads turned off.

    Args:
        module: of `unstructured.partition`, from `Format.second_parser`.
    Raises:
        ParseError: it is not installed, or cannot read the file, with its message.
        TooLargeError: it returned more than can be compared.
    """
    elements = [_element(one) for one in _partition(data, source, module)]
    if sum(len(one.text) + len(one.links) for one in elements) > MAX_CHARACTERS:
        raise TooLargeError(
            f"unstructured found more than {MAX_CHARACTERS:,} characters in {source}; that is not compared.",
            where=source,
        )
    return elements


def read_document(raw: RawFile) -> Reading:
    """Read a file with `unstructured`, in this process, as a text whose blocks are its elements.

    A text file is decoded first, since its own guess of the encoding differs from that of our readers.

    Raises:
        ParseError: it is not installed, or cannot read the file, with its message; or the file is no text.
        TooLargeError: over a limit of tables or of texts.
    """
    from chunking.parsing.formats.unstructured_elements import elements_reading

    row = format_named(raw.format)
    assert row is not None  # the registry recognised it
    decoded = decode(raw.data, raw.source, raw.encoding) if row.text_is_file else Decoded("", "utf-8")
    data = decoded.text.encode() if row.text_is_file else raw.data
    elements = _partition(data, raw.source, row.second_parser)
    reading = elements_reading([one.to_dict() for one in elements], raw.source)
    return replace(reading, encoding=decoded.encoding, warnings=(*decoded.warnings, *reading.warnings))


def _partition(data: bytes, source: str, module: str) -> list[Any]:
    """Return the elements of a file, as the library makes them.

    Raises:
        ParseError: the library is not installed, or cannot read the file.
    """
    if find_spec("unstructured") is None:
        raise ParseError.needs_full_installation("The second parser", where=source)
    module = "msg" if module == "email" and data.startswith(_OLE) else module
    try:
        prepare_readers()
        partition: Callable[..., Any] = getattr(
            importlib.import_module(f"unstructured.partition.{module}"), f"partition_{module}"
        )
    except (ImportError, OSError) as error:  # the latter where memory for a library of its is wanting
        raise ParseError(f"unstructured cannot be loaded to read {source} ({error}).", where=source) from error
    options: dict[str, Any] = {"languages": [""], **_OPTIONS.get(module, {})}  # no guess of languages
    try:
        return list(partition(file=io.BytesIO(data), **options))
    except (ChunkscopeError, MemoryError):
        raise
    except Exception as error:  # whatever its readers raise is what there is to be told of them
        raise ParseError(f"unstructured failed on {source} ({type(error).__name__}: {error}).", where=source) from error


_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "pptx": {"include_slide_notes": True},
    "email": {"process_attachments": False},
    "msg": {"process_attachments": False},
}


def _element(one: Any) -> SecondElement:
    metadata = one.metadata
    links = [
        *(metadata.link_urls or ()),
        *(metadata.link_texts or ()),
        metadata.image_url or "",
        metadata.image_path or "",
        metadata.url or "",
    ]
    return SecondElement(one.category, one.text or "", " ".join(filter(None, links)), metadata.page_number or 0)


def switch_messages_off() -> None:
    """Set variables and a log level that silence `unstructured`; call before importing it."""
    os.environ.update(_SWITCHES)
    logging.getLogger("unstructured").setLevel(logging.ERROR)


@cache
def prepare_readers() -> None:
    """Import `unstructured` silenced, with a sentence splitter in place of a model to download.

    The library's guesses whether a text is a title or a narrative rest on that model, and mean little without it.
    """
    switch_messages_off()
    from unstructured.nlp import tokenize

    tokenize._get_nlp = _sentencizer


@cache
def _sentencizer() -> Language:
    """Return a splitter of sentences by full stops, in place of the model."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = _LONGEST
    return nlp
