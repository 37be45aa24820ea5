"""Parse a source with tree-sitter, within limits, and collect its classes and functions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import accumulate

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Tree

from chunking.parsing.formats.code.code_languages import SIGNATURE, CodeLanguage
from chunking.parsing.formats.code.outlines import MAX_LEVEL, Definition, Outline

__all__ = ["MAX_DEPTH", "MAX_NODES", "NoTreeError", "find_definitions", "syntax_tree"]

MAX_NODES = 2_000_000
"""Most nodes visited, without bodies of functions and data; definitions beyond are plain code."""
MAX_DEPTH = 200
"""Deepest definitions; deeper ones are in data or expressions."""

_COMMENTS = frozenset(
    {
        *("comment", "line_comment", "block_comment", "multiline_comment", "doc_comment", "shebang", "marginalia"),
        *("attribute_item", "decorator", "annotation", "marker_annotation"),
    }
)
"""Nodes that belong to the definition right after them."""
_IMPORT = re.compile(
    r"(?:future_)?import(?:_\w+)?|\w*_import|package_\w+|use_declaration|namespace_use_declaration|using_directive"
    r"|extern_crate\w*|preproc_include"
)
_FUNCTIONS = frozenset(
    {
        *("arrow_function", "function_expression", "generator_function", "function_definition"),
        *("anonymous_function", "anonymous_function_creation_expression"),
    }
)
"""Values whose assignment names a function."""
_DATA = frozenset(
    {
        "initializer_list",
        "array",
        "array_expression",
        "array_creation_expression",
        "list",
        "dictionary",
        "table_constructor",
    }
)
"""Nodes that may hold a million values, and no definitions."""
_KEYWORDS = frozenset(
    {
        *(
            "class",
            "interface",
            "struct",
            "enum",
            "union",
            "trait",
            "module",
            "namespace",
            "record",
            "object",
            "protocol",
        ),
        *("extension", "actor", "mod", "type", "concept"),
    }
)
_BODY = re.compile(
    r"\w*_?body|\w*block|declaration_list|compound_statement|\w*field_declaration_list|\w*enumerator_list|\w*_variant_list"
)
_RECEIVER = re.compile(r"([\w.]+)\s*(?:\[[^\]]*\])?\s*\)$")
_MOST_DECLARATORS = 20
_MOST_TITLE = 200
_FAR = 1_000
"""Bytes searched backwards, so that each node costs the same anywhere."""

MAX_NESTING = 50_000
"""Most nested brackets: each open one costs the parser some 250 bytes."""
MAX_CALLS = 60_000
"""Calls of the parser to its progress function, one per 100 steps.

An ambiguous grammar takes up to 30 kB of memory between them. Sources need 0.005 to 0.012 a byte, lists of numbers
0.03.
"""
_CALLS_A_BYTE = 0.012
"""Allowance for larger sources."""
_SLICE = 1 << 16
"""Bytes given to the parser at a time."""

_BRACKETS = b"([{)]}"
_NO_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_STEPS = {ord(bracket): 1 if bracket in "([{" else -1 for bracket in _BRACKETS.decode()}
_OLD_LINE_END = re.compile(rb"\r(?!\n)")


def find_definitions(tree: Tree, data: bytes, language: CodeLanguage) -> Outline:
    """Collect the classes and functions of a tree; a function inside another is part of it.

    Args:
        data: the source in UTF-8; offsets are in bytes.
    """
    return _Walk(tree, data, language).outline


class _Walk:
    def __init__(self, tree: Tree, data: bytes, language: CodeLanguage) -> None:
        self.outline = Outline(faulty=tree.root_node.has_error)
        self._data, self._language = data, language
        self._words = {**language.types, **language.functions}
        self._comments = (0, -1)  # the last run of them
        self._walk(tree)

    def _walk(self, tree: Tree) -> None:
        cursor = tree.walk()
        levels = [0]
        """Level of the definition around the children of each open node."""
        wrapped: list[int | None] = [None]
        """Start of the wrapper whose child the node may be."""
        if not cursor.goto_first_child():
            return
        for _ in range(MAX_NODES):
            node = cursor.node
            assert node is not None
            kind = node.type
            down = False
            if node.is_named and kind in _COMMENTS:
                self._comment(node)
            elif node.child_count:
                start = wrapped[-1] if wrapped[-1] is not None else self._with_comments(node)
                level = self._definition(node, start, levels[-1] + 1) if levels[-1] < MAX_LEVEL else None
                if len(levels) == 1:
                    self._statement(node, start)
                if level is None:
                    down = len(levels) < MAX_DEPTH and kind not in _DATA
                    inner, wrapper = levels[-1], start if kind in self._language.wrappers else None
                else:
                    down = kind in self._language.types
                    inner, wrapper = level, None
                    wrapped[:] = [None] * len(wrapped)  # a wrapper begins with its first definition only
            if down and cursor.goto_first_child():
                levels.append(inner)
                wrapped.append(wrapper)
                continue
            while not cursor.goto_next_sibling():
                cursor.goto_parent()
                levels.pop()
                wrapped.pop()
                if not levels:
                    return
        self.outline.complete = False

    def _comment(self, node: Node) -> None:
        """Record a comment, unless it follows code on its line."""
        start, end = node.start_byte, node.end_byte
        if not start and self._data.startswith(b"#!"):
            return
        if self._adjacent(self._comments[1], start):
            self._comments = self._comments[0], end
        elif not self._data[
            max(self._data.rfind(b"\n", max(start - _FAR, 0), start) + 1, start - _FAR) : start
        ].strip():
            self._comments = start, end

    def _with_comments(self, node: Node) -> int:
        first, end = self._comments
        return first if self._adjacent(end, node.start_byte) else node.start_byte

    def _adjacent(self, end: int, start: int) -> bool:
        """True if only space without an empty line separates two nodes."""
        if not 0 <= end <= start <= end + _FAR:
            return False
        between = self._data[end:start]
        ended = self._data[end - 1 : end] == b"\n"  # some grammars count a comment's line end as part of it
        return not between.strip() and between.count(b"\n") + between.count(b"\r") - between.count(b"\r\n") + ended <= 1

    def _statement(self, node: Node, start: int) -> None:
        self.outline.statements.append(start)
        if _IMPORT.fullmatch(node.type):
            self.outline.imports.append((node.start_byte, node.end_byte))

    def _definition(self, node: Node, start: int, level: int) -> int | None:
        """Add a node if it is a definition; returns its level, or None."""
        word = self._words.get(node.type)
        value = None
        if word is None:
            value = self._assigned(node)
            if value is None:
                return None
            word = ""
        body = _body_of(value or node)
        if node.type in self._language.bodied and body is None and not _typed_body(node):
            return None
        title = self._title(node, word, body)
        if not title:
            return None
        opens = body.start_byte if body is not None else node.end_byte
        plain = not self._data[start:opens].strip().startswith((b"/", b"#", b"-", b"@", b"["))
        self.outline.definitions.append(
            Definition(
                start, node.end_byte, title, level, opens, plain, node.type in self._language.types, node.has_error
            )
        )
        if body is not None and node.type not in self._language.types:
            self._inner_statements(body)
        return level

    def _inner_statements(self, body: Node) -> None:
        self._comments = (0, -1)
        for child in body.named_children:
            if child.type in _COMMENTS:
                self._comment(child)
            else:
                self.outline.statements.append(self._with_comments(child))

    def _assigned(self, node: Node) -> Node | None:
        """Return the function that an assignment names."""
        fields = self._language.assignments.get(node.type)
        if fields is None:
            return None
        value = node.child_by_field_name(fields[1]) if fields[1] else node.named_child(node.named_child_count - 1)
        while value is not None and value.type == "expression_list" and value.named_child_count == 1:
            value = value.named_child(0)
        return value if value is not None and value.type in _FUNCTIONS else None

    def _title(self, node: Node, word: str, body: Node | None) -> str:
        if word == SIGNATURE:
            return self._text(node.start_byte, body.start_byte if body is not None else node.end_byte)
        named = self._name(node)
        if named is None:
            return ""
        name = self._text(named.start_byte, named.end_byte)
        receiver = node.child_by_field_name("receiver")
        if receiver is not None and (owner := _RECEIVER.search(self._text(receiver.start_byte, receiver.end_byte))):
            name = f"{owner[1]}.{name}"
        if node.type in self._language.types or node.type == "type_definition":
            word = word or _keyword(node)
        return f"{word} {name}".strip()

    def _name(self, node: Node) -> Node | None:
        fields = self._language.assignments.get(node.type)
        if fields is not None:
            return node.child_by_field_name(fields[0]) if fields[0] else node.named_child(0)
        if (name := node.child_by_field_name("name")) is not None:
            return name
        inner: Node | None = node
        for _ in range(_MOST_DECLARATORS):
            below = inner.child_by_field_name("declarator") if inner is not None else None
            if below is None:
                break
            inner = below
        if inner is not None and inner.id != node.id:
            return inner
        return next((child for child in node.named_children if child.type in ("object_reference", "identifier")), None)

    def _text(self, start: int, end: int) -> str:
        words = self._data[start : min(end, start + 4 * _MOST_TITLE)].decode("utf-8", "ignore").split()
        return " ".join(words)[:_MOST_TITLE].strip()


def _body_of(node: Node) -> Node | None:
    body = node.child_by_field_name("body")
    if body is not None:
        return body
    return next((child for child in _children(node) if _BODY.fullmatch(child.type)), None)


def _typed_body(node: Node) -> bool:
    """True if the type named by a `typedef` has a body."""
    inner = node.child_by_field_name("type")
    return inner is not None and inner.child_by_field_name("body") is not None


def _keyword(node: Node) -> str:
    """The keyword of a definition."""
    for child in _children(node):
        if not child.is_named and child.type in _KEYWORDS:
            return child.type
    inner = node.child_by_field_name("type")
    return _keyword(inner) if inner is not None and inner.id != node.id else ""


def _children(node: Node) -> Iterator[Node]:
    """The first children, which include name and body."""
    for number in range(min(node.child_count, 50)):
        child = node.child(number)
        if child is not None:
            yield child


class NoTreeError(Exception):
    """Error for a source that takes too much work to parse; the text says why."""


def syntax_tree(data: bytes, language: CodeLanguage) -> Tree:
    """Parse a source with tree-sitter; syntax errors still give a tree, whose offsets are bytes.

    Args:
        data: the source in UTF-8.
        language: has a grammar.
    Raises:
        NoTreeError: its brackets are nested too deeply, or its parser needs too many steps.
    """
    if max(accumulate(map(_STEPS.__getitem__, data.translate(None, _NO_BRACKETS)), initial=0)) > MAX_NESTING:
        raise NoTreeError(f"its brackets are nested more than {MAX_NESTING:,} deep")
    calls = 0
    limit = max(MAX_CALLS, _CALLS_A_BYTE * len(data))

    def too_many(*_: object) -> bool:
        nonlocal calls
        calls += 1
        return calls > limit

    lines = _OLD_LINE_END.sub(b"\n", data) if b"\r" in data else data  # grammars do not know the line ends of old Macs
    try:
        tree = Parser(_grammar(language.grammar, language.entry)).parse(
            lambda start, _: lines[start : start + _SLICE], progress_callback=too_many
        )
    except ValueError as error:  # as a parser says that it was stopped
        raise NoTreeError("reading it takes too many steps") from error
    assert tree is not None  # nobody else stops it
    return tree


@cache
def _grammar(module: str, entry: str) -> Grammar:
    return Grammar(getattr(import_module(module), entry)())
