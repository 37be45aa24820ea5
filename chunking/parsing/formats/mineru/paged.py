"""The second form, `content_list_v2.json`: a list of pages, each a list of typed items with runs of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chunking.parsing.builder.line_joining import joint
from chunking.parsing.formats.mineru.items import (
    Item,
    ItemKind,
    ListEntry,
    MineruFaults,
    PageBox,
    box_of,
    boxes_scale,
    tidy,
)
from chunking.parsing.formats.mineru.kinds import FURNITURE, KINDS, fenced, formula
from chunking.parsing.safe_input.safe_json import as_list, as_mapping, as_text, as_whole

__all__ = ["is_paged", "read_paged"]

_SAMPLED_ITEMS = 20
_DEEPEST_LIST = 8


def is_paged(value: object) -> bool:
    """True for a list of pages of this form, judged by the first ones."""
    pages = as_list(value)[:_SAMPLED_ITEMS]
    items = [item for page in pages for item in as_list(page)[:_SAMPLED_ITEMS]]
    recognised = [
        item
        for item in items
        if as_text(as_mapping(item).get("type")) in KINDS and isinstance(item.get("content"), dict)
    ]
    return bool(recognised) and 2 * len(recognised) > len(items) and all(isinstance(page, list) for page in pages)


def read_paged(value: object, fault: MineruFaults) -> Iterator[Item]:
    """Items in order; invalid ones, and those of unknown type without words, are counted."""
    pages = [as_list(page) for page in as_list(value)]
    scale = boxes_scale(as_mapping(item).get("bbox") for page in pages for item in page)
    fault.boxes = scale is None
    for number, page in enumerate(pages, 1):
        for item in page:
            if not isinstance(item, dict):
                fault.skipped["of no known form"] += 1
            elif item:  # the parser writes empty ones for what it knows no type for
                place = PageBox(number, box_of(item.get("bbox"), scale))
                read = _read(as_text(item.get("type")), item, place)
                fault.skipped["without words"] += read is None
                if read is not None:
                    yield read


def _read(name: str, item: Mapping[str, Any], place: PageBox) -> Item | None:
    content = item.get("content")
    values = as_mapping(content) or {f"{name}_content": content}
    kind = KINDS.get(name)
    captioned = _captioned(name, values)
    if kind is ItemKind.HEADING:
        return Item(kind, place, tidy(_words(name, values)), level=max(as_whole(values.get("level")) or 0, 0))
    if kind is ItemKind.FURNITURE:
        return Item(kind, place, tidy(_words(name, values)), reason=FURNITURE[name])
    if kind is ItemKind.LIST:
        return Item(kind, place, entries=tuple(_entries(values.get("list_items"), 0)))
    if kind is ItemKind.TABLE:
        return Item(kind, place, table=as_text(values.get("html")) or _words(name, values), **captioned)
    if kind is ItemKind.IMAGE:
        return Item(kind, place, tidy(_words(name, values), keep_lines=True), **captioned)
    if kind is ItemKind.EQUATION:
        latex = formula(as_text(values.get("math_content")) or _words(name, values))
        return Item(kind if latex else ItemKind.IMAGE, place, latex, **captioned)
    if kind is ItemKind.CODE:
        return _code(name, values, place, captioned)
    words = tidy(_words(name, values), keep_lines=True)
    return Item(ItemKind.TEXT, place, words) if words else None


def _code(name: str, values: Mapping[str, Any], place: PageBox, captioned: dict[str, Any]) -> Item:
    code, language = fenced(_words(name, values))
    language = language or as_text(values.get("code_language"))
    settings = {
        "language": "" if language == "txt" else language,
        "sub_type": "algorithm" if name == "algorithm" else "",
    }
    return Item(
        ItemKind.CODE, place, code, **(captioned | {"meta": {key: text for key, text in settings.items() if text}})
    )


def _words(name: str, values: Mapping[str, Any]) -> str:
    """Text of an item: under its own name, under `content`, or under any name with that suffix."""
    for key in (
        f"{name}_content",
        "content",
        *(key for key in values if isinstance(key, str) and key.endswith("_content")),
    ):
        if text := text_of(values.get(key)):
            return text
    return ""


def _captioned(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Captions, notes and path of a table, image or code."""
    path = as_text(as_mapping(values.get("image_source")).get("path"))
    return {
        "captions": tuple(map(tidy, captions_of(values.get(f"{name}_caption")))),
        "footnotes": tuple(map(tidy, captions_of(values.get(f"{name}_footnote")))),
        "meta": {"path": path} if path and not path.endswith("/") else {},
    }


def _entries(items: object, depth: int) -> Iterator[ListEntry]:
    """Items of a list, with nested ones after their parent."""
    for item in as_list(items):
        values = as_mapping(item)
        if not values:
            text, level, inner = text_of(item), depth, None
        else:
            text, inner = text_of(values.get("item_content") or values.get("content")), values.get("list_items")
            level = min(max(as_whole(values.get("ilevel")) or depth, depth), _DEEPEST_LIST)
        prefix = tidy(as_text(values.get("prefix")))
        if text.strip():
            yield ListEntry(f"{prefix} {tidy(text)}".strip(), level)
        if inner and depth < _DEEPEST_LIST:
            yield from _entries(inner, depth + 1)


_MARKS = {"equation_inline": "$", "inline_equation": "$", "code_inline": "`"}
"""Delimiters of a run, as in MinerU's own Markdown."""
_DEEPEST = 16


def text_of(spans: object) -> str:
    """Text of a list of runs, of one run, or of a plain string.

    >>> text_of([{"type": "text", "content": "let  "}, {"type": "equation_inline", "content": "x"}, {"content": " be"}])
    'let  $x$ be'
    """
    return "".join(text for _, text in _runs(spans, _DEEPEST))


def captions_of(spans: object) -> tuple[str, ...]:
    """Texts of captions: those of one item follow each other unmarked, each starting with a run of words."""
    caption, kind = "", ""
    for its, text in _runs(spans, _DEEPEST):
        between = joint(caption, text) if its == kind == "text" else ""
        caption, kind = caption + between + text, its
    return (caption,) if caption.strip() else ()


def _runs(value: object, depth: int) -> Iterator[tuple[str, str]]:
    """Type and text of each run."""
    if isinstance(value, list):
        for one in value if depth else ():
            yield from _runs(one, depth - 1)
    elif isinstance(value, dict):
        span = as_mapping(value)
        kind, content = as_text(span.get("type")), span.get("content")
        if isinstance(content, (list, dict)):
            yield from _runs(content, depth - 1) if depth else ()
        elif text := as_text(content):
            mark = _MARKS.get(kind, "")
            yield kind, f"{mark}{text.strip()}{mark}" if mark and text.strip() else text
        else:
            yield from _runs(span.get("children"), depth - 1) if depth else ()
    elif text := as_text(value):
        yield "text", text
