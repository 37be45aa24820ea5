"""The second form, `content_list_v2.json`: a list of pages, each a list of typed items with runs of text inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
from chunking.parsing.formats.mineru.spans import captions_of, text_of
from chunking.parsing.safe_input.safe_json import as_list, as_mapping, as_text, as_whole

__all__ = ["is_paged", "read_paged"]

_LOOKED_AT = 20
_DEEPEST_LIST = 8


def is_paged(value: object) -> bool:
    """Whether it is a list of pages of this form; looks at the first of them only."""
    pages = as_list(value)[:_LOOKED_AT]
    items = [item for page in pages for item in as_list(page)[:_LOOKED_AT]]
    known = [
        item
        for item in items
        if as_text(as_mapping(item).get("type")) in KINDS and isinstance(item.get("content"), dict)
    ]
    return bool(known) and 2 * len(known) > len(items) and all(isinstance(page, list) for page in pages)


def read_paged(value: object, fault: MineruFaults) -> Iterator[Item]:
    """The items, in order; what is no item, or of no known type and without words, is counted."""
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
    known = _beside(name, values)
    if kind is ItemKind.HEADING:
        return Item(kind, place, tidy(_words(name, values)), level=max(as_whole(values.get("level")) or 0, 0))
    if kind is ItemKind.FURNITURE:
        return Item(kind, place, tidy(_words(name, values)), reason=FURNITURE[name])
    if kind is ItemKind.LIST:
        return Item(kind, place, entries=tuple(_entries(values.get("list_items"), 0)))
    if kind is ItemKind.TABLE:
        return Item(kind, place, table=as_text(values.get("html")) or _words(name, values), **known)
    if kind is ItemKind.IMAGE:
        return Item(kind, place, tidy(_words(name, values), keep_lines=True), **known)
    if kind is ItemKind.EQUATION:
        latex = formula(as_text(values.get("math_content")) or _words(name, values))
        return Item(kind if latex else ItemKind.IMAGE, place, latex, **known)
    if kind is ItemKind.CODE:
        return _code(name, values, place, known)
    words = tidy(_words(name, values), keep_lines=True)
    return Item(ItemKind.TEXT, place, words) if words else None


def _code(name: str, values: Mapping[str, Any], place: PageBox, known: dict[str, Any]) -> Item:
    code, language = fenced(_words(name, values))
    language = language or as_text(values.get("code_language"))
    said = {"language": "" if language == "txt" else language, "sub_type": "algorithm" if name == "algorithm" else ""}
    return Item(ItemKind.CODE, place, code, **(known | {"meta": {key: text for key, text in said.items() if text}}))


def _words(name: str, values: Mapping[str, Any]) -> str:
    """The text of an item: under its own name, under `content`, or under any name that ends alike."""
    for key in (
        f"{name}_content",
        "content",
        *(key for key in values if isinstance(key, str) and key.endswith("_content")),
    ):
        if text := text_of(values.get(key)):
            return text
    return ""


def _beside(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """What stands beside a table, image or code."""
    path = as_text(as_mapping(values.get("image_source")).get("path"))
    return {
        "captions": tuple(map(tidy, captions_of(values.get(f"{name}_caption")))),
        "footnotes": tuple(map(tidy, captions_of(values.get(f"{name}_footnote")))),
        "meta": {"path": path} if path and not path.endswith("/") else {},
    }


def _entries(items: object, depth: int) -> Iterator[ListEntry]:
    """The items of a list, those of lists inside it after the item they stand in."""
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
