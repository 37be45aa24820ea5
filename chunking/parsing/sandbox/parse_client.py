"""Read a file in a child of the server, and explain in a sentence if that fails."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

from chunking.allowed import allowed
from chunking.errors import ChunkscopeError, ParseError, TooLargeError
from chunking.model import BUILT_IN, Document
from chunking.parsing.builder.reader_types import ParseOptions
from chunking.parsing.detection.path_names import clean_source
from chunking.parsing.document import check_size, empty_file, load_file
from chunking.parsing.parsers.parser_table import Parser, parser_named
from chunking.parsing.parsers.unstructured_reader import SecondElement
from chunking.parsing.sandbox import process
from chunking.parsing.sandbox.limits import OCR, OUT_OF_MEMORY, SECOND_PARSER, ChildLimits
from chunking.parsing.sandbox.process import ChildOutcome, exchange
from chunking.parsing.sandbox.wire import Frame, decode, encode, read_documents
from chunking.paths import AnyPath

__all__ = [
    *(
        "PageImage",
        "parse_all_guarded",
        "parse_file_guarded",
        "parse_guarded",
        "read_parquet",
        "read_with_second_parser",
    ),
    "render_page",
]

_ERRORS: Mapping[str, type[ChunkscopeError]] = {"ParseError": ParseError, "TooLargeError": TooLargeError}
_SIGKILL, _SIGALRM, _SIGXCPU = (
    getattr(signal, name, 0) for name in ("SIGKILL", "SIGALRM", "SIGXCPU")
)  # Windows has none
_TABLE = ChildLimits(cpu=60, wall=120, result=2**28)
_LONGEST = 1_000
"""Most characters of a sentence from a child."""


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page of a document, rendered as PNG or JPEG."""

    width: int
    """Width in pixels."""
    height: int
    """Height in pixels."""
    data: bytes
    mime: str
    """Media type, `image/png` or `image/jpeg`."""


class _Guarded(ParseOptions, total=False):
    cancelled: Callable[[], bool] | None
    limits: ChildLimits | None


def parse_guarded(data: bytes, source: str, **options: Unpack[_Guarded]) -> Document:
    """Read a file like `parse`, in a guarded process; for the arguments see `parse_all_guarded`."""
    return parse_all_guarded(data, source, **options)[0]


def parse_all_guarded(
    data: bytes,
    source: str,
    *,
    cancelled: Callable[[], bool] | None = None,
    limits: ChildLimits | None = None,
    **options: Unpack[ParseOptions],
) -> tuple[Document, ...]:
    """Read a file like `parse_all`, in a process that a hostile file cannot leave.

    Thread-safe; a few files are read side by side, the others wait.

    Args:
        data, source, options: see `parse_all`.
        cancelled: called ten times a second; once True, the process is killed.
        limits: of the file and its inner files together, instead of the usual ones.
    Raises:
        TooLargeError: over `MAX_BYTES`, over a limit of its format, or over the limits of memory and time.
        ParseError: what `parse` raises; or the reader crashed; or an engine is not allowed here (`chunking.allowed`).
        Cancelled: if requested.
    """
    source = clean_source(source)
    check_size(len(data), source)
    if options.get("ocr"):
        allowed().check_engine("ocr")  # the child knows of no list
    parser = parser_named(options.get("parser", BUILT_IN))  # for the same reason
    if not data and not options.get("encoding"):
        raise empty_file(source)  # without a process: a folder may hold many of them
    request = Frame({"do": "parse", "source": source, "options": dict(options)}, data)
    try:
        answer = _ask(request, limits or _limits(parser, ocr=options.get("ocr", False)), cancelled)
    except TooLargeError as error:
        raise error if parser.reader is None else _with_parser(error, parser) from error
    try:
        return read_documents(answer)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise _unreadable(source) from error


def _limits(parser: Parser, *, ocr: bool) -> ChildLimits:
    limits = OCR if ocr else ChildLimits()
    return replace(limits, memory=max(limits.memory, parser.memory))


def _with_parser(error: TooLargeError, parser: Parser) -> TooLargeError:
    """Return the error of a file that is too large for a chosen parser, with its name."""
    return TooLargeError(f"{error} The parser was {parser.label}; another may read it.", where=error.where)


def parse_file_guarded(
    path: AnyPath, *, root: AnyPath | None = None, **options: Unpack[_Guarded]
) -> tuple[Document, ...]:
    """Read a file from disk like `parse_all_guarded`, with its source from `load_file`.

    Its date is that of its last change, unless `updated_at` is among the options.

    Raises:
        ParseError: it cannot be opened, and what `parse_all_guarded` raises.
    """
    file = load_file(path, root)
    dated: _Guarded = {"updated_at": file.updated_at, **options}
    return parse_all_guarded(file.data, file.source, **dated)


def render_page(data: bytes, page: int, *, width: int = 1000, source: str = "The document") -> PageImage:
    """Render a page of a PDF as an image, in a guarded process of its own.

    Args:
        data: the whole file.
        page: 1-based.
        width: of the image, in pixels.
        source: its name, for sentences.
    Raises:
        ParseError: there is no such page, or it cannot be rendered.
        TooLargeError: over the limits of memory and time.
    """
    answer = _ask(
        Frame({"do": "render", "source": source, "page": page, "width": width}, data),
        ChildLimits(cpu=60, wall=120),
        None,
    )
    try:
        return PageImage(int(answer.head["width"]), int(answer.head["height"]), answer.body, str(answer.head["mime"]))
    except (ValueError, TypeError, KeyError) as error:
        raise _unreadable(source) from error


def read_with_second_parser(
    data: bytes, source: str, module: str, *, limits: ChildLimits | None = None
) -> list[SecondElement]:
    """Read a file with `unstructured`, in a guarded process of its own.

    Args:
        module: of `unstructured.partition`, from `Format.second_parser`.
    Raises:
        ParseError: the parser or the process failed, or it is not allowed here (`chunking.allowed`).
        TooLargeError: over the limits of memory and time.
    """
    source = clean_source(source)
    check_size(len(data), source)
    allowed().check_engine("unstructured")
    answer = _ask(Frame({"do": "second", "source": source, "module": module}, data), limits or SECOND_PARSER, None)
    try:
        return [
            SecondElement(str(kind), str(text), str(links), int(page))
            for kind, text, links, page in answer.head["elements"]
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise _unreadable(source) from error


def read_parquet(data: bytes, source: str, *, most_rows: int) -> bytes:
    """Convert the rows of a Parquet file to UTF-8 JSON lines, in a guarded process of its own.

    Raises:
        ParseError: it is damaged.
        TooLargeError: it has more rows, or is over the limits of memory and time.
    """
    request = Frame({"do": "table", "source": source, "most_rows": most_rows}, data)
    return _ask(request, _TABLE, None).body


def _ask(request: Frame, limits: ChildLimits, cancelled: Callable[[], bool] | None) -> Frame:
    """Send a request to a child, and return the answer or raise its error.

    Raises:
        ParseError, TooLargeError: its error, or one about its end.
        Cancelled: if requested.
    """
    source = str(request.head["source"])
    ending = source[source.rfind(".") :].lower()
    data, status = _exchanged(request, limits, ending, cancelled)
    if data is None:
        raise _ended(source, status, limits)
    try:
        answer = decode(data)
        if "error" not in answer.head:
            return Frame(answer.head["value"], answer.body)
        kind, message, where = (answer.head[key] for key in ("error", "message", "where"))
        sentence = " ".join(str(message).split())[:_LONGEST]
    except (ValueError, KeyError, RecursionError) as error:
        raise _unreadable(source) from error
    raise _ERRORS.get(kind, ParseError)(sentence, where=where if isinstance(where, str) else source)


def _exchanged(request: Frame, limits: ChildLimits, ending: str, cancelled: Callable[[], bool] | None) -> ChildOutcome:
    """Exchange a request for an outcome, with a second server if the first is gone."""
    source = str(request.head["source"])
    for _ in range(2):
        try:
            line = process.connect(limits, ending)
        except process.Gone:
            continue
        except OSError as error:
            reason = f"the process that reads files cannot be started ({error.strerror})"
            raise ParseError(
                f"{source} was not read: {reason}; close other programs and try again.", where=source
            ) from error
        try:
            return exchange(line, encode(*request), limits.result, cancelled)
        except process.Gone:
            process.retire(line.server)
    raise ParseError(
        f"{source} was not read: the reading process crashed on it twice; try again, or leave it out.",
        where=source,
    )


_TOO_MUCH: Mapping[str | int, str] = {
    "wall": "takes longer to read than the limit of {wall} seconds",
    -_SIGALRM: "takes longer to read than the limit of {wall} seconds",
    -_SIGXCPU: "takes more processor time to read than the limit of {cpu} seconds",
    "result": "yields a document that is too large",
    OUT_OF_MEMORY: "needs more memory to read than the limit of {memory} GB",
    -_SIGKILL: "needs more memory to read than this machine has",  # nobody here sent it: the system did
}
"""Sentence by the server's reason to kill, the exit code, or the signal (negative)."""


def _ended(source: str, status: Mapping[str, Any], limits: ChildLimits) -> ParseError:
    """Return the error for a child that ended without an answer."""
    what = _TOO_MUCH.get(status.get("killed") or status.get("exit", 0))
    if what is None:
        return _unreadable(source)
    reason = what.format(wall=limits.wall, cpu=limits.cpu, memory=f"{limits.memory / 2**30:.2g}")
    return TooLargeError(f"{source} {reason}; split it into smaller files.", where=source)


def _unreadable(source: str) -> ParseError:
    what = f"{source} could not be read: it is damaged, or uses features that the reader does not support"
    return ParseError(f"{what}; save it again with the program that made it.", where=source)
