"""Read YAML event by event: no object is constructed and no alias expanded, so that no file grows."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.detection.encoding import decode
from chunking.parsing.detection.path_names import stem
from chunking.parsing.formats.data.data_writer import DataWriter, Key, Literal, Pairs
from chunking.parsing.formats.data.json_reader import title_of

if TYPE_CHECKING:
    from yaml import Event

__all__ = ["MAX_DEPTH", "MAX_VALUES", "read_yaml"]

MAX_DEPTH = 200
"""Most nesting levels; no honest file has more than some twenty."""
MAX_VALUES = 2_000_000
"""Most keys and values of a file."""
_LONGEST_ALIAS = 200
"""Maximum characters of a value inserted for its alias."""
_COMMENT = re.compile(r"[ \t]*#[ \t#!-]*(.*)")
_SAME_LINE = re.compile(r"[ \t]+#[ \t]*(\S.*)")
_NOT_YAML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")


def read_yaml(raw: RawFile) -> Reading:
    """Read a YAML file as sections, lines and tables; several documents are numbered sections.

    Raises:
        ParseError: it is no YAML; the sentence names the line.
        TooLargeError: it nests too deep, or holds too many values or too much text.
    """
    import yaml

    decoded = decode(raw.data, raw.source, raw.encoding)
    tree = _Tree(_NOT_YAML.sub(" ", decoded.text), raw.source)
    try:
        for event in yaml.parse(tree.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            tree.apply(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1:,})" if mark is not None else ""
        raise ParseError(
            f"{raw.source} is not valid YAML{where}; correct it, or save it as text.", where=raw.source
        ) from error
    writer = Writer(raw.source)
    documents = [document for document in tree.documents if document not in ("", None)]
    content = documents[0] if len(documents) == 1 else documents
    DataWriter(writer, content, first_number=1).write()
    if rest := tree.comments_before(len(tree.lines)):
        writer.block(BlockType.PARAGRAPH, rest)
    reading = writer.finish(
        title=title_of(content) or stem(raw.source), encoding=decoded.encoding, warnings=decoded.warnings
    )
    return replace(reading, title_rules=True)


class _Tree:
    """Builder of a file's values from its events.

    Attributes:
        documents: finished so far.
    """

    def __init__(self, text: str, source: str) -> None:
        self.text, self._source = text, source
        self.lines = text.splitlines()
        self.documents: list[Any] = []
        self._comments = [number for number, line in enumerate(self.lines) if line.lstrip()[:1] == "#"]
        self._next_comment = 0
        self._open: list[Any] = []
        self._keys: list[str | None] = []
        self._anchors: dict[str, str] = {}
        self._count = 0

    def apply(self, event: Event) -> None:
        """Apply the next event.

        Raises:
            TooLargeError: over a limit.
        """
        import yaml

        self._count += 1
        if self._count > MAX_VALUES:
            raise TooLargeError(
                f"{self._source} holds more than {MAX_VALUES:,} values; split it into smaller files.",
                where=self._source,
            )
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.AliasEvent):
            name = str(event.anchor)
            self._add(Literal(self._anchors.get(name, f"*{name}")), _line_of(event.start_mark))
        elif isinstance(event, yaml.CollectionStartEvent):
            self._start(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            value = self._open.pop()
            self._keys.pop()
            self._add(value, _line_of(event.end_mark))
        elif isinstance(event, yaml.DocumentStartEvent):
            self._anchors.clear()

    def comments_before(self, line: int) -> str:
        """Unused comment lines above a line."""
        last = bisect_left(self._comments, line)
        numbers = self._comments[self._next_comment : last]
        self._next_comment = max(last, self._next_comment)
        texts = (match[1].strip() for number in numbers if (match := _COMMENT.fullmatch(self.lines[number])))
        return "\n".join(filter(None, texts))

    def _scalar(self, event: Any) -> None:
        text = str(event.value)
        first, last = event.start_mark.line, event.end_mark.line
        if event.anchor:
            self._anchors[event.anchor] = text if len(text) <= _LONGEST_ALIAS else f"*{event.anchor}"
        tag = str(event.tag or "")
        if tag and not tag.startswith("tag:yaml.org,2002:") and tag != "!":
            text = f"{tag} {text}".strip()
        comment = ""
        if last > first + 1:  # what looks like a comment in it is its text
            comment = self.comments_before(first + 1)
            self._next_comment = max(bisect_left(self._comments, last), self._next_comment)
        elif not event.implicit[0] or event.value:
            match = _SAME_LINE.fullmatch(self.lines[last][event.end_mark.column :]) if last < len(self.lines) else None
            text = f"{text}  # {match[1]}" if match and not self._is_key() else text
        self._add(text, first, comment)

    def _is_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1], Pairs) and self._keys[-1] is None

    def _start(self, event: Any) -> None:
        import yaml

        if len(self._open) >= MAX_DEPTH:
            sentence = f"{self._source} nests its values more than {MAX_DEPTH} deep, so it was not read."
            raise TooLargeError(sentence, where=self._source)
        if event.anchor:
            self._anchors[event.anchor] = f"*{event.anchor}"
        self._open.append(Pairs() if isinstance(event, yaml.MappingStartEvent) else [])
        self._keys.append(None)

    def _add(self, value: Any, line: int, comment: str = "") -> None:
        """Add a value to its place: a document, an element, a key or a key's value."""
        if not self._open:
            self.documents.append(value)
        elif not isinstance(self._open[-1], Pairs):
            self._open[-1].append(value)
        elif self._keys[-1] is None:
            key = Key(value if isinstance(value, str) else "?")
            key.comment = "\n".join(filter(None, (comment, self.comments_before(line))))
            self._keys[-1] = key
        else:
            self._open[-1].append((self._keys[-1], value))
            self._keys[-1] = None


def _line_of(mark: Any) -> int:
    """The line of a mark, which an event may lack."""
    return 0 if mark is None else int(mark.line)
