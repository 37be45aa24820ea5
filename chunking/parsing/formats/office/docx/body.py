"""A part of a Word file made ready for mammoth: what it would lose is put into words it knows, what it need not see is
gone.

Mammoth has no formulas, no fields written short, no text boxes without a twin in the old drawing language, and takes
styles by
their names. Here each paragraph gets one of the few styles of `STYLE_MAP`, and loses the rest: fonts, bookmarks,
fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking.errors import TooLargeError
from chunking.parsing.formats.html.html_lines import collapse
from chunking.parsing.formats.html.list_markers import JOINED, MARKER
from chunking.parsing.formats.office.docx.formulas import formula_text
from chunking.parsing.formats.office.docx.heading_lines import GUESS, LEVEL
from chunking.parsing.formats.office.docx.numbering import LEVELS, ListCounts, ListDefinitions, Marker
from chunking.parsing.formats.office.docx.raised_runs import mark_raised_runs
from chunking.parsing.formats.office.docx.styles import DocxStyleEffect, StyleSheet, outline_level
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
"""Paragraphs of a Word file, those in cells included: some 10,000 pages."""

PATH_END = "|"
"""Between the name of a picture and its description, which share an attribute on the way through mammoth."""

PART_STYLE = "Part"
"""Of a paragraph whose number says what stands in its place."""

ITEM_STYLES = ("Bullet", "Number")
"""Of items of lists, before the level from 1."""
_MARKERS = ("Marker", "JoinedMarker")
"""Of the runs with the numbers of paragraphs: parted from the text after them by a space, or by nothing."""

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
"""What mammoth makes of the styles that `prepare` gives. It tries all that it is given on each paragraph, so it gets
those in use.
"""

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_STRICT_MATH = "{http://purl.oclc.org/ooxml/officeDocument/math}"
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_VML = "{urn:schemas-microsoft-com:vml}"

PART = "part"
"""An attribute of a paragraph that stands for a file in the file, whose number is its text."""
_FORMULA = "formula"
"""An attribute of a paragraph that is nothing but a formula."""
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
"""Elements that only hold others."""
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
"""Elements of which a reader sees nothing (of a table of contents' sdt only the frame is meant)."""
_UNREAD = ("rsidR", "rsidRDefault", "rsidP", "rsidRPr", "rsidDel", "rsidTr")
_UNREAD_ELSEWHERE = (
    "{http://schemas.microsoft.com/office/word/2010/wordml}*",
    "{http://www.w3.org/XML/1998/namespace}space",
)
"""Attributes that say which session wrote a paragraph; each costs mammoth as much as an element does."""


@dataclass(slots=True)
class PreparedPart:
    """A part, changed in place, and what was taken out of it."""

    root: _Element
    contents: list[str] = field(default_factory=list)
    """Lines of tables of contents."""
    styles: Counter[str] = field(default_factory=Counter)
    """How often each style is used."""


def prepare(
    root: _Element, styles: StyleSheet, lists: ListDefinitions, pictures: Mapping[str, str], source: str
) -> PreparedPart:
    """Change a part for mammoth; its lists are counted from the beginning.

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
    """The words of an element as one line; paragraphs, tabs and line ends in it are parted by a space."""
    parts = []
    for node in element.iter():
        name = node.tag.rpartition("}")[2]
        if name == "t":
            parts.append(node.text or "")
        elif name in ("p", "tab", "br", "cr"):
            parts.append(" ")
    return collapse("".join(parts))


def _lift_boxes(root: _Element, word: str) -> None:
    """Text boxes become those of the old drawing language, which mammoth reads; of two versions of a drawing one stays."""
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
    """The version of a drawing that has words, of those there are; the newest where all have or none."""
    branches = [*holder.iterchildren(f"{_COMPATIBILITY}Choice"), *holder.iterchildren(f"{_COMPATIBILITY}Fallback")]
    with_words = (branch for branch in branches if next(branch.iter(f"{word}t"), None) is not None)
    return next(with_words, branches[0] if branches else holder)


def _outermost(element: _Element, within: _Element) -> bool:
    """Whether an element is in no other of its kind, up to `within`."""
    for ancestor in element.iterancestors():
        if ancestor is within:
            return True
        if ancestor.tag == element.tag:
            return False
    return True


def _name_pictures(root: _Element, pictures: Mapping[str, str]) -> None:
    """The name of a picture goes where its description is, which is all that mammoth hands on."""
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
    """Runs that are not shown; of the others, what they look like."""
    for looks in list(root.iter(f"{word}rPr")):
        run = looks.getparent()
        if run is None or run.tag == f"{word}pPr":
            continue
        hidden = looks.find(f"{word}vanish")
        gone = run if hidden is not None and hidden.get(f"{word}val") not in ("0", "false") else looks
        gone.tag = word + _UNNEEDED[0]


def _take_contents_frames(root: _Element, word: str, prepared: PreparedPart) -> None:
    for gallery in list(root.iter(f"{word}docPartGallery")):
        frame = next(gallery.iterancestors(f"{word}sdt"), None)
        if frame is not None and gallery.get(f"{word}val") == "Table of Contents":
            prepared.contents += filter(None, map(flat_words, frame.iter(f"{word}p")))
            frame.tag = word + _UNNEEDED[0]


@dataclass(slots=True)
class _Styling:
    """Gives paragraphs, in order, one of the few styles, and their numbers and places in lists."""

    word: str
    styles: StyleSheet
    lists: ListDefinitions
    prepared: PreparedPart
    _counts: ListCounts = field(init=False)
    _holder: _Element | None = None
    """What the last item of a list stood in; None where the last paragraph was none."""
    _levels: list[int] = field(default_factory=list)
    """Levels of that item and of those it is under."""

    def __post_init__(self) -> None:
        self._counts = ListCounts(self.lists)

    def apply(self, paragraph: _Element) -> None:
        """Give a paragraph its style; one of a table of contents is taken out."""
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
        hidden = mark is not None and mark.find(f"{word}vanish") is not None and not _says(paragraph, word)
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
        if marker is not None and marker.text and name != _STYLES["code"] and _says(paragraph, word):
            properties.addnext(self._run(paragraph, marker))
        if not len(properties):
            paragraph.remove(properties)

    def _marker(self, properties: _Element | None, look: DocxStyleEffect) -> Marker | None:
        """Count a paragraph in the list that it is in: by itself, else by its style."""
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
        """The style of an item by its depth under those before it: a list may begin at any level."""
        if self._holder is not paragraph.getparent():
            self._holder, self._levels = paragraph.getparent(), []
        while self._levels and self._levels[-1] >= marker.level:
            self._levels.pop()
        self._levels.append(marker.level)
        return f"{ITEM_STYLES[not marker.bullet]}{len(self._levels)}"

    def _run(self, paragraph: _Element, marker: Marker) -> _Element:
        """A run with the number of a paragraph."""
        run, looks, text = (paragraph.makeelement(self.word + name) for name in ("r", "rPr", "t"))
        name = _MARKERS[marker.joined]
        self.prepared.styles[name] += 1
        looks.append(run.makeelement(f"{self.word}rStyle", {f"{self.word}val": name}))
        text.text = marker.text
        run.extend([looks, text])
        return run


def _says(paragraph: _Element, word: str) -> bool:
    """Whether a paragraph shows anything: an empty one is counted, but nobody reads its number."""
    texts = any((text.text or "").strip() for text in paragraph.iter(f"{word}t"))
    return texts or next(paragraph.iter(f"{word}drawing", f"{word}pict"), None) is not None
