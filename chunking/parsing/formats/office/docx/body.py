"""A part of a Word file made ready for mammoth: what it would lose is put into words it knows, what it need not see is gone.

Mammoth has no formulas, no fields written short, no text boxes without a twin in the old drawing language, and takes styles by
their names. Here each paragraph gets one of the few styles of `STYLE_MAP`, and loses the rest: fonts, bookmarks, fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking.errors import TooLargeError
from chunking.parsing.formats.html.lines import collapse
from chunking.parsing.formats.office.docx.formulas import formula_text
from chunking.parsing.formats.office.docx.raised_runs import mark_raised_runs
from chunking.parsing.formats.office.docx.styles import StyleEffect, StyleSheet, outline_level

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["MAX_PARAGRAPHS", "PART", "PART_STYLE", "PATH_END", "STYLE_MAP", "Prepared", "flat_words", "prepare"]

MAX_PARAGRAPHS = 150_000
"""Paragraphs of a Word file, those in cells included: some 10,000 pages."""

PATH_END = "|"
"""Between the name of a picture and its description, which share an attribute on the way through mammoth."""

PART_STYLE = "Part"
"""Of a paragraph whose number says what stands in its place."""

STYLE_MAP = "\n".join(
    [
        *(f"p.Level{level} => h{level}:fresh" for level in range(1, 7)),
        "p.Code => pre:separator('\\n')",
        "p.Quote => blockquote > p:fresh",
        "p.Formula => formula:fresh",
        f"p.{PART_STYLE} => part:fresh",
    ]
)
"""The styles that `prepare` gives, for mammoth."""

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
    *("sdtPr", "sdtEndPr", "rubyPr", "rt", "proofErr", "bookmarkStart", "bookmarkEnd", "instrText", "fldChar", "softHyphen"),
    *("lastRenderedPageBreak", "commentRangeStart", "commentRangeEnd", "commentReference", "annotationRef", "moveFrom"),
    *("tblPr", "tblGrid", "sectPr", "permStart", "permEnd", "footnoteRef", "endnoteRef", "separator", "continuationSeparator"),
)
"""Elements of which a reader sees nothing (of a table of contents' sdt only the frame is meant)."""


@dataclass(slots=True)
class Prepared:
    """A part, changed in place, and what was taken out of it."""

    root: _Element
    contents: list[str] = field(default_factory=list)
    """Lines of tables of contents."""


def prepare(root: _Element, styles: StyleSheet, pictures: Mapping[str, str], source: str) -> Prepared:
    """Change a part for mammoth.

    Raises:
        TooLargeError: it has more than `MAX_PARAGRAPHS`.
    """
    from lxml import etree

    word = root.tag[: root.tag.index("}") + 1]
    count = sum(1 for _ in root.iter(f"{word}p"))
    if count > MAX_PARAGRAPHS:
        sentence = f"{source} has {count:,} paragraphs; the limit is {MAX_PARAGRAPHS:,}. Split it into smaller documents."
        raise TooLargeError(sentence, where=source)
    prepared = Prepared(root)
    _lift_boxes(root, word)
    _name_pictures(root, pictures)
    _write_formulas(root, word)
    mark_raised_runs(root, word, styles.raised)
    _drop_hidden_runs(root, word)
    _take_contents_frames(root, word, prepared)
    etree.strip_elements(root, *(word + name for name in _UNNEEDED), with_tail=False)
    etree.strip_tags(root, *(word + name for name in _UNWRAPPED))
    for line_end in root.iter(f"{word}cr"):
        line_end.tag = f"{word}br"
    for paragraph in list(root.iter(f"{word}p")):
        _style(paragraph, word, styles, prepared)
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


def _take_contents_frames(root: _Element, word: str, prepared: Prepared) -> None:
    for gallery in list(root.iter(f"{word}docPartGallery")):
        frame = next(gallery.iterancestors(f"{word}sdt"), None)
        if frame is not None and gallery.get(f"{word}val") == "Table of Contents":
            prepared.contents += filter(None, map(flat_words, frame.iter(f"{word}p")))
            frame.tag = word + _UNNEEDED[0]


def _style(paragraph: _Element, word: str, styles: StyleSheet, prepared: Prepared) -> None:
    """Give a paragraph one of the few styles, and its place in a list."""
    properties = paragraph.find(f"{word}pPr")
    named = None if properties is None else properties.find(f"{word}pStyle")
    look = styles.look(None if named is None else named.get(f"{word}val"))
    own = outline_level(properties)
    level = look.level if own is None else own
    if look.role == "contents" and not own:
        prepared.contents += filter(None, [flat_words(paragraph)])
        paragraph.getparent().remove(paragraph)
        return
    special = PART_STYLE if paragraph.get(PART) else "Formula" if paragraph.get(_FORMULA) else ""
    name = special or (f"Level{min(level, 6)}" if level else _STYLES.get(look.role))
    numbering = None if level else _numbering(properties, word, look)
    if properties is None:
        if name is None and numbering is None:
            return
        properties = paragraph.makeelement(f"{word}pPr")
        paragraph.insert(0, properties)
    mark = properties.find(f"{word}rPr")
    properties.clear()
    if name is not None:
        properties.append(properties.makeelement(f"{word}pStyle", {f"{word}val": name}))
    if numbering is not None:
        place = properties.makeelement(f"{word}numPr")
        for key, value in zip(("ilvl", "numId"), numbering, strict=True):
            place.append(place.makeelement(word + key, {f"{word}val": value}))
        properties.append(place)
    if mark is not None and mark.find(f"{word}del") is not None:
        properties.append(mark)


def _numbering(properties: _Element | None, word: str, look: StyleEffect) -> tuple[str, str] | None:
    """(level, id) of the list that a paragraph is in: by itself, else by its style."""
    own = None if properties is None else properties.find(f"{word}numPr")
    values = {} if own is None else {child.tag.rpartition("}")[2]: child.get(f"{word}val") for child in own}
    number = values.get("numId") or look.number
    return (values.get("ilvl") or look.depth, number) if number and number != "0" else None
