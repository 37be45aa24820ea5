"""The first form, `content_list.json`: one flat list of items."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from chunking.parsing.formats.mineru.items import (
    Item,
    ItemKind,
    ListEntry,
    MineruFaults,
    PageBox,
    box_of,
    boxes_scale,
    page_of,
    tidy,
)
from chunking.parsing.formats.mineru.kinds import FURNITURE, KINDS, fenced, formula
from chunking.parsing.safe_input.safe_json import as_list, as_mapping, as_text, as_texts, as_whole

__all__ = ["is_flat", "read_flat"]

_SAMPLED_ITEMS = 20
_OWN_KEYS = frozenset({"page_idx", "text_level", "img_path", "table_body", "list_items", "code_body"})
_INDENT = re.compile(r"[ \t]*")


def is_flat(value: object) -> bool:
    """True for a list of items of this form, judged by the first ones."""
    items = [item for item in as_list(value)[:_SAMPLED_ITEMS] if isinstance(item, dict)]
    own = [
        item
        for item in items
        if not _OWN_KEYS.isdisjoint(item) and ("type" not in item or as_text(item["type"]) in KINDS)
    ]
    return 2 * len(own) > len(items)


def read_flat(value: object, fault: MineruFaults) -> Iterator[Item]:
    """Items in order; invalid ones, and those of unknown type without words, are counted."""
    values = as_list(value)
    scale = boxes_scale(as_mapping(item).get("bbox") for item in values)
    fault.boxes = scale is None
    page = 1
    for item in values:
        if not isinstance(item, dict):
            fault.skipped["of no known form"] += 1
            continue
        page = page_of(item.get("page_idx"), page, fault)
        kind = _kind(item)
        if kind is None:
            fault.skipped["without words"] += bool(item.keys() - {"page_idx", "bbox"})
            continue
        yield _READERS[kind](item, PageBox(page, box_of(item.get("bbox"), scale)))


def _kind(item: Mapping[str, Any]) -> ItemKind | None:
    """Kind by type; if unknown, by content."""
    kind = KINDS.get(as_text(item.get("type")))
    if kind is ItemKind.TEXT and (as_whole(item.get("text_level")) or 0) > 0:
        return ItemKind.HEADING
    if kind is not None:
        return kind
    if item.get("table_body"):
        return ItemKind.TABLE
    if item.get("list_items"):
        return ItemKind.LIST
    if item.get("code_body"):
        return ItemKind.CODE
    if not as_text(item.get("text")).strip() and not as_text(item.get("content")).strip():
        return ItemKind.IMAGE if item.get("img_path") else None
    return ItemKind.HEADING if (as_whole(item.get("text_level")) or 0) > 0 else ItemKind.TEXT


def _text(item: Mapping[str, Any], place: PageBox) -> Item:
    return Item(ItemKind.TEXT, place, tidy(_words(item), keep_lines=True))


def _heading(item: Mapping[str, Any], place: PageBox) -> Item:
    return Item(ItemKind.HEADING, place, tidy(_words(item)), level=max(as_whole(item.get("text_level")) or 0, 0))


def _furniture(item: Mapping[str, Any], place: PageBox) -> Item:
    return Item(ItemKind.FURNITURE, place, tidy(_words(item)), reason=FURNITURE[as_text(item.get("type"))])


def _list(item: Mapping[str, Any], place: PageBox) -> Item:
    lines = as_texts(item.get("list_items")) or _words(item).split("\n")
    entries = tuple(ListEntry(tidy(line), _depth(line)) for line in lines if line.strip())
    return Item(ItemKind.LIST, place, entries=entries)


def _depth(line: str) -> int:
    """MinerU indents an item by four spaces per level."""
    indent = _INDENT.match(line)
    return min(len(indent[0].expandtabs(4)) // 4, 8) if indent else 0


def _table(item: Mapping[str, Any], place: PageBox) -> Item:
    body = as_text(item.get("table_body")) or _words(item)
    return Item(ItemKind.TABLE, place, table=body, **_captioned(item, "table"))


def _image(item: Mapping[str, Any], place: PageBox) -> Item:
    kind = "chart" if as_text(item.get("type")) == "chart" else "image"
    return Item(ItemKind.IMAGE, place, tidy(_words(item), keep_lines=True), **_captioned(item, kind))


def _equation(item: Mapping[str, Any], place: PageBox) -> Item:
    latex = formula(_words(item))
    return Item(ItemKind.EQUATION if latex else ItemKind.IMAGE, place, latex, **_captioned(item, "image"))


def _code(item: Mapping[str, Any], place: PageBox) -> Item:
    code, language = fenced(as_text(item.get("code_body")) or _words(item))
    language = language or as_text(item.get("code_language") or item.get("guess_lang"))
    captioned = _captioned(item, "code")
    settings = {"language": language, "sub_type": as_text(item.get("sub_type"))}
    return Item(
        ItemKind.CODE, place, code, **(captioned | {"meta": {key: text for key, text in settings.items() if text}})
    )


def _words(item: Mapping[str, Any]) -> str:
    return as_text(item.get("text")) or as_text(item.get("content"))


def _captioned(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Captions, notes and path of a table, image or code; older versions write `img_caption`."""
    texts = {
        name: as_texts(item.get(f"{kind}_{name}")) or as_texts(item.get(f"img_{name}"))
        for name in ("caption", "footnote")
    }
    path = as_text(item.get("img_path")) or as_text(item.get("image_path"))
    return {
        "captions": tuple(map(tidy, texts["caption"])),
        "footnotes": tuple(map(tidy, texts["footnote"])),
        "meta": {"path": path} if path and not path.endswith("/") else {},
    }


_READERS: dict[ItemKind, Callable[[Mapping[str, Any], PageBox], Item]] = {
    ItemKind.TEXT: _text,
    ItemKind.HEADING: _heading,
    ItemKind.FURNITURE: _furniture,
    ItemKind.LIST: _list,
    ItemKind.TABLE: _table,
    ItemKind.IMAGE: _image,
    ItemKind.EQUATION: _equation,
    ItemKind.CODE: _code,
}
