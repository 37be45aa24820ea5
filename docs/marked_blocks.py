"""Generated blocks of the documentation, between `<!-- name -->` and `<!-- /name -->` on one page."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["ROOT", "names_of_blocks", "page_of", "pages", "with_block", "write_block"]

ROOT = Path(__file__).parent.parent
_OPENING = re.compile(r"^ *<!-- ([a-z][a-z0-9:_-]*) -->$", re.MULTILINE)


def pages() -> list[Path]:
    """Return every page of the site, and the README."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def names_of_blocks(text: str) -> list[str]:
    """Return the names of a page's blocks, in order.

    >>> names_of_blocks("<!-- settings -->\\n| a |\\n<!-- /settings -->\\n")
    ['settings']
    """
    return _OPENING.findall(text)


def with_block(text: str, name: str, body: str) -> str:
    """Replace the content of a block in a page's text.

    Raises:
        LookupError: it has no such block, or one that does not end.

    >>> with_block("<!-- a -->\\nold\\n<!-- /a -->", "a", "new")
    '<!-- a -->\\nnew\\n<!-- /a -->'
    """
    pattern = rf"<!-- {re.escape(name)} -->\n.*?<!-- /{re.escape(name)} -->"
    changed, count = re.subn(pattern, lambda _: f"<!-- {name} -->\n{body}\n<!-- /{name} -->", text, flags=re.DOTALL)
    if count != 1:
        raise LookupError(f"a page has {count} blocks <!-- {name} --> … <!-- /{name} -->; it must have one")
    return changed


def page_of(name: str) -> Path:
    """Return the page that contains a block.

    Raises:
        LookupError: none does, or several do.
    """
    matches = [page for page in pages() if name in names_of_blocks(page.read_text(encoding="utf-8"))]
    if len(matches) != 1:
        raise LookupError(
            f"the block '{name}' stands on {len(matches)} pages of the documentation; it must stand on one"
        )
    return matches[0]


def write_block(name: str, body: str) -> Path:
    """Write a block's content to its page; returns the page."""
    page = page_of(name)
    page.write_text(with_block(page.read_text(encoding="utf-8"), name, body), encoding="utf-8")
    return page
