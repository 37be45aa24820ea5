"""XML parts of an Office Open XML archive, each with a list of related parts."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from chunking.errors import ParseError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.safe_input.safe_archives import open_archive, read_entry
from chunking.parsing.safe_input.safe_xml import parse_xml

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["OfficePart", "Package", "attribute", "local_name", "relations_of", "whole_number"]

_PROPERTIES = "docProps/core.xml"
"""Default part of the properties."""
_LONGEST_NUMBER = 18
"""Maximum digits of a number in XML; Python refuses to read more than 4,300."""


class OfficePart(NamedTuple):
    """Reference from a part to another part, or to an external address."""

    kind: str
    """Last word of the relationship type, equal in both dialects: `slide`, `worksheet`, `chart`."""
    part: str
    """Name of the part in the archive; the address if it is external."""


class Package:
    """An Office Open XML or OpenDocument archive, checked within limits before a part is read."""

    def __init__(self, raw: RawFile) -> None:
        """
        Raises:
            ParseError, TooLargeError: see `open_archive`.
        """
        self.source = raw.source
        self._archive = open_archive(raw)
        self._names = {name.replace("\\", "/").lower(): name for name in self._archive.namelist()}

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._names

    def data(self, part: str) -> bytes:
        """Bytes of a part.

        Raises:
            ParseError: there is no such part.
        """
        return read_entry(self._archive, self._names.get(part.lower(), part), self.source)

    def root(self, part: str) -> _Element:
        """Parse a part with one branch of each `AlternateContent`: the newer one if it has content.

        Raises:
            ParseError: it is missing or damaged.
            TooLargeError: it is nested too deep.
        """
        root = self.tree(part)
        _choose_alternatives(root)
        return root

    def tree(self, part: str) -> _Element:
        """Parse a part unchanged; raises as `root` does."""
        return parse_xml(self.data(part), self.source, part=part)

    def related(self, part: str) -> dict[str, OfficePart]:
        """Return the parts and addresses that a part refers to, by relation id; may be empty.

        The part "" stands for the package itself.
        """
        folder, listing = posixpath.dirname(part), relations_of(part)
        if listing not in self:
            return {}
        parts = {}
        for entry in self.tree(listing).iter("{*}Relationship"):
            kind, target = entry.get("Type", "").rpartition("/")[2], entry.get("Target", "").replace("\\", "/")
            inside = entry.get("TargetMode") != "External"
            parts[entry.get("Id", "")] = OfficePart(
                kind, posixpath.normpath(posixpath.join("/" + folder, target))[1:] if inside else target
            )
        return parts

    def parts(self, part: str, *kinds: str) -> list[str]:
        """Return the existing parts that a part refers to, of these kinds, kind by kind."""
        related = self.related(part).values()
        return list(
            dict.fromkeys(one.part for kind in kinds for one in related if one.kind == kind and one.part in self)
        )

    def main(self, what: str, usual: str = "") -> str:
        """Return the name of the main part: the one that the package names, else `usual`.

        Args:
            what: expected file kind, for the error: `presentation`.
            usual: default name of that part.
        Raises:
            ParseError: it has none.
        """
        for one in self.related("").values():
            if one.kind == "officeDocument" and one.part in self:
                return one.part
        if usual in self:
            return usual
        raise ParseError(
            (
                f"{self.source} is not a valid {what}: its main part is missing; save it again with the program "
                f"that made it."
            ),
            where=self.source,
        )

    def title(self) -> str | None:
        """Return the title in the file's properties; None if there is none, or they are damaged."""
        part = next(iter(self.parts("", "core-properties")), _PROPERTIES)
        try:
            title = self.tree(part).findtext("{*}title") if part in self else None
        except ParseError:
            return None
        named = str(title or "").strip()
        return named or None


def relations_of(part: str) -> str:
    """Name of the part that lists a part's relations.

    >>> relations_of("word/document.xml"), relations_of("")
    ('word/_rels/document.xml.rels', '_rels/.rels')
    """
    folder, name = posixpath.split(part)
    return posixpath.join(folder, "_rels", f"{name}.rels")


def local_name(element: _Element) -> str:
    """Return a tag without its namespace, in which the standard's two dialects differ."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: _Element, name: str) -> str | None:
    """Return an attribute by its name without namespace (`id` for `r:id`); None if unset.

    A namespaced one wins over a plain one: `<p:sldId id="256" r:id="rId2">` refers to `rId2`.
    """
    for key, value in element.attrib.items():
        if str(key).endswith("}" + name):
            return str(value)
    plain = element.get(name)
    return None if plain is None else str(plain)


def whole_number(value: str | None, otherwise: int = 0) -> int:
    """Parse a non-negative integer of up to 18 digits; `otherwise` for any other text.

    >>> whole_number("12"), whole_number("9" * 5000), whole_number("-1", 7), whole_number(None)
    (12, 0, 7, 0)
    """
    return int(value) if value and len(value) <= _LONGEST_NUMBER and value.isdecimal() else otherwise


def _choose_alternatives(root: _Element) -> None:
    """Keep the newer branch of each `AlternateContent`, or the fallback if that is empty."""
    for choices in list(root.iter("{*}AlternateContent")):
        newer, older = choices.find("{*}Choice"), choices.find("{*}Fallback")
        if newer is None or older is None:
            continue
        choices.remove(newer if not _is_visible(newer) and _is_visible(older) else older)


def _is_visible(element: _Element) -> bool:
    return (
        any((text.text or "").strip() for text in element.iter("{*}t"))
        or next(element.iter("{*}graphicFrame"), None) is not None
    )
