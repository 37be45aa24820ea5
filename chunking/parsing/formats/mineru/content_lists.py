"""Read the items of both forms of the output: a flat list (`content_list.json`), and pages (`_v2`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
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
    page_of,
    tidy,
)
from chunking.parsing.safe_input.safe_json import as_list, as_mapping, as_text, as_texts, as_whole

__all__ = ["FURNITURE", "KINDS", "fenced", "formula", "is_flat", "is_paged", "read_flat", "read_paged"]

_SAMPLED_ITEMS = 20
_DEEPEST_LIST = 8

FURNITURE = {
    "header": "page header",
    "page_header": "page header",
    "header_image": "page header",
    "footer": "page footer",
    "page_footer": "page footer",
    "footer_image": "page footer",
    "page_number": "page number",
    "page_footnote": "footnote",
    "aside_text": "text in the margin",
    "page_aside_text": "text in the margin",
    "discarded": "discarded by the layout parser",
    "abandon": "discarded by the layout parser",
}
"""Types outside the running text, with the reason to leave them out."""

KINDS: dict[str, ItemKind] = {
    **dict.fromkeys(
        ("text", "paragraph", "abstract", "phonetic", "ref_text", "vertical_text", "reference", "seal"), ItemKind.TEXT
    ),
    **dict.fromkeys(("title", "doc_title", "paragraph_title"), ItemKind.HEADING),
    **dict.fromkeys(("list", "index"), ItemKind.LIST),
    "table": ItemKind.TABLE,
    **dict.fromkeys(("image", "figure", "chart"), ItemKind.IMAGE),
    **dict.fromkeys(("equation", "equation_interline", "interline_equation", "formula"), ItemKind.EQUATION),
    **dict.fromkeys(("code", "algorithm"), ItemKind.CODE),
    **dict.fromkeys(FURNITURE, ItemKind.FURNITURE),
}

_OPENS = re.compile(r"(?:`{3,}+|~{3,}+)[ \t]*+(?P<language>[\w+#.-]*)")
_CLOSES = re.compile(r"(?:`{3,}+|~{3,}+)")

_OWN_KEYS = frozenset({"page_idx", "text_level", "img_path", "table_body", "list_items", "code_body"})
_INDENT = re.compile(r"[ \t]*")


# -- the second form: pages of typed items


def is_paged(value: object) -> bool:
    """True if a JSON value is a list of pages of MinerU items (`_v2`), judged by the first 20."""
    pages = as_list(value)[:_SAMPLED_ITEMS]
    items = [item for page in pages for item in as_list(page)[:_SAMPLED_ITEMS]]
    recognised = [
        item
        for item in items
        if as_text(as_mapping(item).get("type")) in KINDS and isinstance(item.get("content"), dict)
    ]
    return bool(recognised) and 2 * len(recognised) > len(items) and all(isinstance(page, list) for page in pages)


def read_paged(value: object, fault: MineruFaults) -> Iterator[Item]:
    """Yield the items of a list of pages in order; count those unreadable in `fault.skipped`.

    Sets `fault.boxes` if the unit of all boxes is unknown.
    """
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
    """Return the text of a list of runs, of one run, or of a string, with formulas and code marked.

    >>> text_of([{"type": "text", "content": "let  "}, {"type": "equation_inline", "content": "x"}, {"content": " be"}])
    'let  $x$ be'
    """
    return "".join(text for _, text in _runs(spans, _DEEPEST))


def captions_of(spans: object) -> tuple[str, ...]:
    """Return the captions in a list of runs, joined to one text, in a tuple; empty without text."""
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


# -- texts of both forms


def fenced(code: str) -> tuple[str, str]:
    """Return (code, language) without the fence that some versions add; the language may be empty.

    >>> fenced("```python\\nx = 1\\n```"), fenced("x = 1")
    (('x = 1', 'python'), ('x = 1', ''))
    """
    lines = code.strip().split("\n")
    opening = _OPENS.match(lines[0])
    if not opening or len(lines) < 2 or not _CLOSES.fullmatch(lines[-1].strip()):
        return code, ""
    return "\n".join(lines[1:-1]), opening["language"]


def formula(latex: str) -> str:
    """Return LaTeX between lines of `$$`, whether or not it has them; empty if it is blank.

    >>> formula("x^2"), formula("$$\\nx^2\\n$$")
    ('$$\\nx^2\\n$$', '$$\\nx^2\\n$$')
    """
    inner = latex.strip()
    if len(inner) >= 4 and inner.startswith("$$") and inner.endswith("$$"):
        inner = inner[2:-2].strip()
    return f"$$\n{inner}\n$$" if inner else ""


# -- the first form: one flat list


def is_flat(value: object) -> bool:
    """True if a JSON value is a flat list of MinerU items, judged by the first 20."""
    items = [item for item in as_list(value)[:_SAMPLED_ITEMS] if isinstance(item, dict)]
    own = [
        item
        for item in items
        if not _OWN_KEYS.isdisjoint(item) and ("type" not in item or as_text(item["type"]) in KINDS)
    ]
    return 2 * len(own) > len(items)


def read_flat(value: object, fault: MineruFaults) -> Iterator[Item]:
    """Yield the items of a flat list in order; count those unreadable in `fault.skipped`.

    Sets `fault.boxes` if the unit of all boxes is unknown, and counts items without a page.
    """
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
    """Kind of an item by its type; if that is unknown, by its content."""
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
    return Item(ItemKind.TEXT, place, tidy(_flat_words(item), keep_lines=True))


def _heading(item: Mapping[str, Any], place: PageBox) -> Item:
    return Item(ItemKind.HEADING, place, tidy(_flat_words(item)), level=max(as_whole(item.get("text_level")) or 0, 0))


def _furniture(item: Mapping[str, Any], place: PageBox) -> Item:
    return Item(ItemKind.FURNITURE, place, tidy(_flat_words(item)), reason=FURNITURE[as_text(item.get("type"))])


def _list(item: Mapping[str, Any], place: PageBox) -> Item:
    lines = as_texts(item.get("list_items")) or _flat_words(item).split("\n")
    entries = tuple(ListEntry(tidy(line), _depth(line)) for line in lines if line.strip())
    return Item(ItemKind.LIST, place, entries=entries)


def _depth(line: str) -> int:
    """Depth of a list item: MinerU indents by four spaces per level."""
    indent = _INDENT.match(line)
    return min(len(indent[0].expandtabs(4)) // 4, 8) if indent else 0


def _table(item: Mapping[str, Any], place: PageBox) -> Item:
    body = as_text(item.get("table_body")) or _flat_words(item)
    return Item(ItemKind.TABLE, place, table=body, **_captioned_flat(item, "table"))


def _image(item: Mapping[str, Any], place: PageBox) -> Item:
    kind = "chart" if as_text(item.get("type")) == "chart" else "image"
    return Item(ItemKind.IMAGE, place, tidy(_flat_words(item), keep_lines=True), **_captioned_flat(item, kind))


def _equation(item: Mapping[str, Any], place: PageBox) -> Item:
    latex = formula(_flat_words(item))
    return Item(ItemKind.EQUATION if latex else ItemKind.IMAGE, place, latex, **_captioned_flat(item, "image"))


def _flat_code(item: Mapping[str, Any], place: PageBox) -> Item:
    code, language = fenced(as_text(item.get("code_body")) or _flat_words(item))
    language = language or as_text(item.get("code_language") or item.get("guess_lang"))
    captioned = _captioned_flat(item, "code")
    settings = {"language": language, "sub_type": as_text(item.get("sub_type"))}
    return Item(
        ItemKind.CODE, place, code, **(captioned | {"meta": {key: text for key, text in settings.items() if text}})
    )


def _flat_words(item: Mapping[str, Any]) -> str:
    return as_text(item.get("text")) or as_text(item.get("content"))


def _captioned_flat(item: Mapping[str, Any], kind: str) -> dict[str, Any]:
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
    ItemKind.CODE: _flat_code,
}
