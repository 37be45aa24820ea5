"""Prepare a part of a Word file for mammoth: keep text it would lose, drop markup it need not read.

Mammoth has no formulas, no simple fields and no text boxes without a VML twin, and takes styles by their names. Here
each paragraph gets one of the few styles of `STYLE_MAP` and loses the rest: fonts, bookmarks, fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking.errors import TooLargeError
from chunking.parsing.formats.html.html_elements import collapse
from chunking.parsing.formats.html.list_markers import JOINED, MARKER
from chunking.parsing.formats.office.docx.formulas import formula_text
from chunking.parsing.formats.office.docx.heading_lines import GUESS, LEVEL
from chunking.parsing.formats.office.docx.word_numbering import LEVELS, ListCounts, ListDefinitions, Marker
from chunking.parsing.formats.office.docx.word_styles import (
    DocxStyleEffect,
    StyleSheet,
    mark_raised_runs,
    outline_level,
)
from chunking.parsing.formats.office.office_parts import whole_number

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = [
    "ITEM_STYLES",
    "MAX_PARAGRAPHS",
    "PART",
    "PART_STYLE",
    "PATH_END",
    "STYLE_MAP",
    "PreparedPart",
    "flat_words",
    "prepare",
]

MAX_PARAGRAPHS = 150_000
"""Most paragraphs of a Word file, including cells: some 10,000 pages."""

PATH_END = "|"
"""Separator of a picture's name and description in the one attribute that mammoth passes on."""

PART_STYLE = "Part"
"""Style of a placeholder paragraph, whose number identifies an inserted part."""

ITEM_STYLES = ("Bullet", "Number")
"""Style names of list items; the level from 1 follows."""
_MARKERS = ("Marker", "JoinedMarker")
"""Character styles of paragraph numbers: with a space after them, or without."""

STYLE_MAP = {
    **{
        f"Bullet{level}": f"p.Bullet{level} => {'ul|ol > li > ' * (level - 1)}ul > li:fresh"
        for level in range(1, LEVELS + 1)
    },
    **{
        f"Number{level}": f"p.Number{level} => {'ul|ol > li > ' * (level - 1)}ol > li:fresh"
        for level in range(1, LEVELS + 1)
    },
    _MARKERS[0]: f"r.{_MARKERS[0]} => {MARKER}",
    _MARKERS[1]: f"r.{_MARKERS[1]} => {MARKER}.{JOINED}",
    **{f"Level{level}": f"p.Level{level} => h{level}:fresh" for level in range(1, 7)},
    "Code": "p.Code => pre:separator('\\n')",
    "Quote": "p.Quote => blockquote > p:fresh",
    "Formula": "p.Formula => formula:fresh",
    PART_STYLE: f"p.{PART_STYLE} => part:fresh",
}
"""Mammoth's rules for the styles that `prepare` assigns.

It tries every rule on each paragraph, so it gets only those in use.
"""

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_STRICT_MATH = "{http://purl.oclc.org/ooxml/officeDocument/math}"
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_VML = "{urn:schemas-microsoft-com:vml}"

PART = "part"
"""Attribute of a placeholder paragraph for an inserted file."""
_FORMULA = "formula"
"""Attribute of a paragraph that is nothing but a formula."""
_STYLES = {"code": "Code", "quote": "Quote"}

_UNWRAPPED = (
    "sdt",
    "sdtContent",
    "fldSimple",
    "dir",
    "bdo",
    "smartTag",
    "customXml",
    "ins",
    "moveTo",
    "ruby",
    "rubyBase",
    "hyperlink",
    "r",
)
"""Elements removed, keeping their content."""
_UNNEEDED = (
    *(
        "sdtPr",
        "sdtEndPr",
        "rubyPr",
        "rt",
        "proofErr",
        "bookmarkStart",
        "bookmarkEnd",
        "instrText",
        "fldChar",
        "softHyphen",
    ),
    *("lastRenderedPageBreak", "commentRangeStart", "commentRangeEnd", "commentReference", "annotationRef", "moveFrom"),
    *("tblPr", "tblGrid", "tcW", "tcBorders", "tcMar", "cnfStyle", "shd", "vAlign", "sectPr", "permStart", "permEnd"),
    *("footnoteRef", "endnoteRef", "separator", "continuationSeparator"),
)
"""Elements that show nothing to a reader (of a table of contents' sdt, only the frame)."""
_UNREAD = ("rsidR", "rsidRDefault", "rsidP", "rsidRPr", "rsidDel", "rsidTr")
_UNREAD_ELSEWHERE = (
    "{http://schemas.microsoft.com/office/word/2010/wordml}*",
    "{http://www.w3.org/XML/1998/namespace}space",
)
"""Attributes of editing sessions; each costs mammoth as much as an element does."""


@dataclass(slots=True)
class PreparedPart:
    """A part prepared in place, the contents lines removed from it, and the styles in use."""

    root: _Element
    contents: list[str] = field(default_factory=list)
    """Lines of tables of contents."""
    styles: Counter[str] = field(default_factory=Counter)
    """Number of uses of each style."""


def prepare(
    root: _Element, styles: StyleSheet, lists: ListDefinitions, pictures: Mapping[str, str], source: str
) -> PreparedPart:
    """Change a part in place to what mammoth reads, and collect its contents lines and styles.

    Hidden text, contents lines and most formatting are removed. Headings, list items, code, quotes and formulas get a
    style of `STYLE_MAP`; list numbers start anew and become text.

    Args:
        root: of the part.
        pictures: names of pictures by relation id.
        source: name of the file, for the error.

    Raises:
        TooLargeError: it has more than `MAX_PARAGRAPHS`.
    """
    from lxml import etree

    word = root.tag[: root.tag.index("}") + 1]
    count = sum(1 for _ in root.iter(f"{word}p"))
    if count > MAX_PARAGRAPHS:
        sentence = (
            f"{source} has {count:,} paragraphs; the limit is {MAX_PARAGRAPHS:,}. Split it into smaller documents."
        )
        raise TooLargeError(sentence, where=source)
    prepared = PreparedPart(root)
    _lift_boxes(root, word)
    _name_pictures(root, pictures)
    _write_formulas(root, word)
    mark_raised_runs(root, word, styles.raised)
    _drop_hidden_runs(root, word)
    _take_contents_frames(root, word, prepared)
    for moved in root.iter(f"{word}moveFrom"):
        if moved.getparent().tag == f"{word}rPr":  # the end of the paragraph is gone from here
            moved.tag = f"{word}del"
    etree.strip_elements(root, *(word + name for name in _UNNEEDED), with_tail=False)
    etree.strip_tags(root, *(word + name for name in _UNWRAPPED))
    etree.strip_attributes(root, *(word + name for name in _UNREAD), *_UNREAD_ELSEWHERE)
    for line_end in root.iter(f"{word}cr"):
        line_end.tag = f"{word}br"
    styling = _Styling(word, styles, lists, prepared)
    for paragraph in list(root.iter(f"{word}p")):
        styling.apply(paragraph)
    return prepared


def flat_words(element: _Element) -> str:
    """Text of an element as one line; paragraphs, tabs and line ends become spaces."""
    parts = []
    for node in element.iter():
        name = node.tag.rpartition("}")[2]
        if name == "t":
            parts.append(node.text or "")
        elif name in ("p", "tab", "br", "cr"):
            parts.append(" ")
    return collapse("".join(parts))


def _lift_boxes(root: _Element, word: str) -> None:
    """Turn text boxes into VML ones, which mammoth reads; keep one version of each drawing."""
    from lxml import etree

    holders = (f"{_COMPATIBILITY}AlternateContent", f"{word}pict", f"{word}drawing", f"{word}object")
    for holder in list(root.iter(*holders)):
        branch = _branch(holder, word)
        boxes = [box for box in branch.iter(f"{word}txbxContent") if _outermost(box, branch)]
        pictures = [one for one in branch.iter(*holders[1:]) if one is not holder and _outermost(one, branch)]
        if not boxes and holder.tag != holders[0]:
            continue
        parent = holder.getparent()
        place = parent.index(holder)
        for box in boxes:
            frame = etree.Element(f"{word}pict")
            etree.SubElement(frame, f"{_VML}textbox").append(box)
            parent.insert(place, frame)
            place += 1
        for picture in pictures if not boxes else ():
            parent.insert(place, picture)
            place += 1
        parent.remove(holder)


def _branch(holder: _Element, word: str) -> _Element:
    """Choose the first version of a drawing that has text, else the newest."""
    branches = [*holder.iterchildren(f"{_COMPATIBILITY}Choice"), *holder.iterchildren(f"{_COMPATIBILITY}Fallback")]
    with_words = (branch for branch in branches if next(branch.iter(f"{word}t"), None) is not None)
    return next(with_words, branches[0] if branches else holder)


def _outermost(element: _Element, top: _Element) -> bool:
    """True if no ancestor up to `top` has the same tag."""
    for ancestor in element.iterancestors():
        if ancestor is top:
            return True
        if ancestor.tag == element.tag:
            return False
    return True


def _name_pictures(root: _Element, pictures: Mapping[str, str]) -> None:
    """Put the name of each picture into its description, the only field that mammoth passes on."""
    for drawing in list(root.iter("{*}inline", "{*}anchor")):
        blip, described = next(drawing.iter("{*}blip"), None), drawing.find("{*}docPr")
        if blip is None or described is None:
            continue
        relation = next((value for key, value in blip.attrib.items() if key.endswith(("}embed", "}link"))), "")
        alt = described.get("descr") or ""
        described.set("descr", f"{pictures.get(relation, '')}{PATH_END}{alt}")


def _write_formulas(root: _Element, word: str) -> None:
    for space in (_MATH, _STRICT_MATH):
        for display in list(root.iter(f"{space}oMathPara")):
            paragraph = next(display.iterancestors(f"{word}p"), None)
            if paragraph is not None and not any((text.text or "").strip() for text in paragraph.iter(f"{word}t")):
                paragraph.set(_FORMULA, "yes")
            display.tag = f"{word}r"
        for formula in list(root.iter(f"{space}oMath")):
            text = formula_text(formula)
            formula.clear(keep_tail=False)
            formula.tag, formula.text = f"{word}t", text


def _drop_hidden_runs(root: _Element, word: str) -> None:
    """Remove hidden runs, and the formatting of the others."""
    for looks in list(root.iter(f"{word}rPr")):
        run = looks.getparent()
        if run is None or run.tag == f"{word}pPr":
            continue
        hidden = looks.find(f"{word}vanish")
        removed = run if hidden is not None and hidden.get(f"{word}val") not in ("0", "false") else looks
        removed.tag = word + _UNNEEDED[0]


def _take_contents_frames(root: _Element, word: str, prepared: PreparedPart) -> None:
    for gallery in list(root.iter(f"{word}docPartGallery")):
        frame = next(gallery.iterancestors(f"{word}sdt"), None)
        if frame is not None and gallery.get(f"{word}val") == "Table of Contents":
            prepared.contents += filter(None, map(flat_words, frame.iter(f"{word}p")))
            frame.tag = word + _UNNEEDED[0]


@dataclass(slots=True)
class _Styling:
    """Assigns styles, numbers and list levels to the paragraphs of a part, in order."""

    word: str
    styles: StyleSheet
    lists: ListDefinitions
    prepared: PreparedPart
    _counts: ListCounts = field(init=False)
    _holder: _Element | None = None
    """Parent of the last list item; None if the last paragraph was no item."""
    _levels: list[int] = field(default_factory=list)
    """Levels of that item and of its ancestors."""

    def __post_init__(self) -> None:
        self._counts = ListCounts(self.lists)

    def apply(self, paragraph: _Element) -> None:
        """Assign a paragraph its style, or remove a line of a table of contents."""
        word = self.word
        properties = paragraph.find(f"{word}pPr")
        named = None if properties is None else properties.find(f"{word}pStyle")
        look = self.styles.look(None if named is None else named.get(f"{word}val"))
        own = outline_level(properties)
        level = int(paragraph.get(LEVEL) or (look.level if own is None else own))
        if look.role == "contents" and not own:
            self.prepared.contents += filter(None, [flat_words(paragraph)])
            paragraph.getparent().remove(paragraph)
            return
        special = PART_STYLE if paragraph.get(PART) else "Formula" if paragraph.get(_FORMULA) else ""
        guess = paragraph.get(GUESS)
        name = special or guess or (f"Level{min(level, 6)}" if level else _STYLES.get(look.role))
        mark = None if properties is None else properties.find(f"{word}rPr")
        deleted = mark is not None and mark.find(f"{word}del") is not None
        hidden = mark is not None and mark.find(f"{word}vanish") is not None and not _is_visible(paragraph, word)
        marker = None if deleted or hidden or special else self._marker(properties, look)
        if name is None and marker is not None and (marker.bullet or marker.text):
            name = self._item_style(paragraph, marker)
        else:
            self._holder = None
        if properties is None:
            if name is None:
                return
            properties = paragraph.makeelement(f"{word}pPr")
            paragraph.insert(0, properties)
        properties.clear()
        if name is not None:
            self.prepared.styles[name] += 1
            properties.append(properties.makeelement(f"{word}pStyle", {f"{word}val": name}))
        if deleted:
            properties.append(mark)
        if marker is not None and marker.text and name != _STYLES["code"] and _is_visible(paragraph, word):
            properties.addnext(self._run(paragraph, marker))
        if not len(properties):
            paragraph.remove(properties)

    def _marker(self, properties: _Element | None, look: DocxStyleEffect) -> Marker | None:
        """Count a paragraph in its list, which its own properties or its style name."""
        own = None if properties is None else properties.find(f"{self.word}numPr")
        if own is None and look.number is None:
            return None
        values = {} if own is None else {child.tag.rpartition("}")[2]: child.get(f"{self.word}val") for child in own}
        number = values.get("numId") or look.number
        if not number or number == "0":
            return None
        depth = values.get("ilvl") or look.depth
        level = (
            self.lists.level_of_style(number, look.numbered_by)
            if depth is None and look.numbered_by
            else whole_number(depth)
        )
        return self._counts.next(number, min(level or 0, LEVELS - 1))

    def _item_style(self, paragraph: _Element, marker: Marker) -> str:
        """Style of an item by its depth below the items before it: a list may start at any level."""
        if self._holder is not paragraph.getparent():
            self._holder, self._levels = paragraph.getparent(), []
        while self._levels and self._levels[-1] >= marker.level:
            self._levels.pop()
        self._levels.append(marker.level)
        return f"{ITEM_STYLES[not marker.bullet]}{len(self._levels)}"

    def _run(self, paragraph: _Element, marker: Marker) -> _Element:
        run, looks, text = (paragraph.makeelement(self.word + name) for name in ("r", "rPr", "t"))
        name = _MARKERS[marker.joined]
        self.prepared.styles[name] += 1
        looks.append(run.makeelement(f"{self.word}rStyle", {f"{self.word}val": name}))
        text.text = marker.text
        run.extend([looks, text])
        return run


def _is_visible(paragraph: _Element, word: str) -> bool:
    """True if a paragraph shows anything: an empty one is counted, but its number is not shown."""
    texts = any((text.text or "").strip() for text in paragraph.iter(f"{word}t"))
    return texts or next(paragraph.iter(f"{word}drawing", f"{word}pict"), None) is not None
