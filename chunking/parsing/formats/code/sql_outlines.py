"""Find the objects that a SQL script creates, in any dialect."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chunking.parsing.formats.code.outlines import Definition, Outline

__all__ = ["outline_sql"]

_QUOTED = r'"(?:[^"\n]|"")*+"|`[^`\n]*+`|\[[^\]\n]*+\]'
_NAME = rf"(?:{_QUOTED}|[\w$#@]++)(?:[ \t]*+\.[ \t]*+(?:{_QUOTED}|[\w$#@]++))*+"
_CREATE = re.compile(
    r"CREATE\s++(?:OR\s++(?:REPLACE|ALTER)\s++)?(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|UNIQUE|CLUSTERED|NONCLUSTERED|COLUMNSTORE"
    r"|EXTERNAL|RECURSIVE|FORCE|NO\s++FORCE|(?:NON)?EDITIONABLE|FULLTEXT|SPATIAL|BITMAP|VIRTUAL|FOREIGN|CONSTRAINT|TRANSIENT|TRUSTED"
    r"|DEFINER\s*+=\s*+\S++|ALGORITHM\s*+=\s*+\S++|SQL\s++SECURITY\s++\w++|AGGREGATE)\s++)*+"
    r"(?P<kind>TABLE|(?:MATERIALIZED\s++)?VIEW|FUNCTION|PROC(?:EDURE)?|TRIGGER|(?:TYPE|PACKAGE)(?:\s++BODY)?|INDEX|SEQUENCE|SCHEMA"
    r"|DATABASE|ROLE|EXTENSION|POLICY|DOMAIN|EVENT|SYNONYM|RULE|MACRO)\s++"
    rf"(?:CONCURRENTLY\s++)?(?:IF\s++NOT\s++EXISTS\s++)?(?P<name>{_NAME})",
    re.IGNORECASE,
)
_TOKENS = r"""
    (?P<comment>--[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)
    |(?P<string>'(?:[^'{escape}]|{escaped}'')*+'?)
    |(?P<quoted>{quoted})
    |(?P<dollar>\$\w*+\$)
    |(?P<end>^[ \t]*+(?:GO|/|\\g)[ \t]*+(?=[\r\n;]|\Z))
    |(?P<delimiter>^[ \t]*+DELIMITER[ \t]++(?P<mark>[^\s]++)[^\r\n]*+)
    |(?P<no_end>\bEND\s++(?:IF|LOOP|WHILE|REPEAT|FOR)\b|\bBEGIN\s++(?:TRAN|TRANSACTION|WORK)\b)
    |(?P<word>[^\W\d]\w*+)
    |(?P<semicolon>;)
    |(?P<other>[^\s\w])
"""
_FLAGS = re.IGNORECASE | re.MULTILINE | re.VERBOSE
_PLAIN = re.compile(_TOKENS.format(escape="", escaped="", quoted=_QUOTED), _FLAGS)
_ESCAPED = re.compile(_TOKENS.format(escape=r"\\", escaped=r"\\.|", quoted=_QUOTED), _FLAGS | re.DOTALL)
"""For MySQL, where a backslash escapes."""
_NO_QUOTES = str.maketrans("", "", '[]`"')
_CASE = re.compile(r"\s++CASE\b", re.IGNORECASE)
_PROCEDURAL = frozenset({"function", "procedure", "trigger", "package", "package body", "type body", "event"})
_FAR = 200
"""Characters searched backwards, so that each token costs the same anywhere."""
_MOST_MISSES = 100
"""Unclosed dollar quotes after which no more are tried."""


@dataclass(slots=True)
class _Statement:
    """A statement being read."""

    definition: Definition | None
    procedural: bool = False
    depth: int = 0
    has_begin: bool = False
    """True after a BEGIN."""
    declares: bool = False
    """True if AS, IS or DECLARE opened a body whose statements end with semicolons too."""


class _Scan:
    def __init__(self, text: str) -> None:
        self.outline = Outline()
        self._text = text
        self._open: _Statement | None = None
        self._comments = (0, -1)
        self._delimiter = ";"
        self._misses = 0
        self._last = ""  # word, in lower case

    def run(self) -> None:
        """Scan the tokens of the whole text."""
        pattern = _ESCAPED if "`" in self._text else _PLAIN
        place = 0
        while token := pattern.search(self._text, place):
            kind = token.lastgroup if token.lastgroup != "mark" else "delimiter"
            place = token.end()
            if kind == "comment":
                self._comment(*token.span())
            elif kind in ("end", "delimiter"):
                self._terminate(token)
            elif kind == "dollar":
                place = self._dollar(token)
            elif kind == "semicolon":
                self._semicolon(place)
            else:
                place = self._token(token, kind or "")
        self._finish(len(self._text))

    def _comment(self, start: int, end: int) -> None:
        first, last = self._comments
        if self._adjacent(last, start):
            self._comments = first, end
        elif self._begins_line(start):
            self._comments = start, end

    def _adjacent(self, end: int, start: int) -> bool:
        between = self._text[end:start] if 0 <= end <= start <= end + _FAR else "no"
        return not between.strip() and between.count("\n") <= 1

    def _terminate(self, token: re.Match[str]) -> None:
        """End a batch; the line that ends it belongs to its last statement."""
        if mark := token["mark"]:
            self._finish(token.start())
            self._delimiter = mark
            if mark != ";":
                return
        if self._open is None and self.outline.definitions:
            last = self.outline.definitions[-1]
            if not self._text[last.end : token.start()].strip():
                last.end = token.end()
        self._finish(token.end())

    def _dollar(self, token: re.Match[str]) -> int:
        """Skip a dollar-quoted text: the body of the object being created."""
        end = self._text.find(token[0], token.end()) if self._misses < _MOST_MISSES else -1
        if end < 0:
            self._misses += 1
            return token.end()
        if self._open is not None:
            self._open.declares = False
        return end + len(token[0])

    def _semicolon(self, end: int) -> None:
        one = self._open
        if one is None or self._delimiter != ";":
            return
        if one.procedural and (one.depth > 0 or (one.declares and not one.has_begin)):
            return
        self._finish(end)

    def _token(self, token: re.Match[str], kind: str) -> int:
        start = token.start()
        word = token[0].lower() if kind == "word" else ""
        if word == "create" and self._may_begin(start) and (created := _CREATE.match(self._text, start)):
            return self._create(created)
        if self._open is None:
            self._open = _Statement(None)
            self.outline.statements.append(self._with_comments(start))
        one = self._open
        if word in ("begin", "case"):
            one.depth += 1
            one.has_begin = one.has_begin or word == "begin"
        elif word == "end":
            one.depth -= 1
            if after := _CASE.match(self._text, token.end()):
                return after.end()
        elif word in ("as", "is", "declare") and one.procedural and not one.has_begin:
            one.declares = True
        elif kind == "string" and self._last == "as":
            one.declares = False
        self._last = word
        return token.end()

    def _create(self, created: re.Match[str]) -> int:
        start = self._with_comments(created.start())
        self._finish(start)
        kind = " ".join(created["kind"].lower().split()).replace("proc ", "procedure ")
        kind = "procedure" if kind == "proc" else kind
        title = f"{kind} {created['name'].translate(_NO_QUOTES)}"
        definition = Definition(start, created.end(), title, 1, created.end(), plain=start == created.start())
        self.outline.definitions.append(definition)
        self.outline.statements.append(start)
        self._open = _Statement(
            definition, kind in _PROCEDURAL, depth=int(kind.startswith("package") or kind == "type body")
        )
        self._last = ""
        if self._delimiter != ";":
            line_end = re.compile(re.escape(self._delimiter) + r"[ \t]*+(?=[\r\n]|\Z)")
            if line_end_match := line_end.search(self._text, created.end()):
                self._finish(line_end_match.end())
                return line_end_match.end()
        return created.end()

    def _with_comments(self, start: int) -> int:
        return self._comments[0] if self._adjacent(self._comments[1], start) else start

    def _may_begin(self, start: int) -> bool:
        """True if a statement may begin here: none is open, or on its own line outside of a body."""
        one = self._open
        if one is None:
            return True
        return one.depth <= 0 and self._begins_line(start)

    def _begins_line(self, start: int) -> bool:
        floor = max(start - _FAR, 0)
        return not self._text[max(self._text.rfind("\n", floor, start) + 1, floor) : start].strip()

    def _finish(self, end: int) -> None:
        """End the open statement."""
        if self._open is not None and self._open.definition is not None:
            one = self._open.definition
            one.end = max(one.body, one.start + len(self._text[one.start : end].rstrip()))
        self._open = None


def outline_sql(text: str) -> Outline:
    """Outline a SQL script: each `CREATE` of a table, view, function, index or other object.

    >>> script = "-- Keys.\\nCREATE TABLE [dbo].[Keys] (id INT)\\nGO\\ncreate view latest as select 1;"
    >>> [one.title for one in outline_sql(script).definitions]
    ['table dbo.Keys', 'view latest']
    """
    scan = _Scan(text)
    scan.run()
    return scan.outline
