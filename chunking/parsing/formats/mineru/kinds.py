"""Item types of both forms of the output."""

from __future__ import annotations

import re

from chunking.parsing.formats.mineru.items import ItemKind

__all__ = ["FURNITURE", "KINDS", "fenced", "formula"]

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


def fenced(code: str) -> tuple[str, str]:
    """Code and its language, without the fence that some versions add.

    >>> fenced("```python\\nx = 1\\n```"), fenced("x = 1")
    (('x = 1', 'python'), ('x = 1', ''))
    """
    lines = code.strip().split("\n")
    opening = _OPENS.match(lines[0])
    if not opening or len(lines) < 2 or not _CLOSES.fullmatch(lines[-1].strip()):
        return code, ""
    return "\n".join(lines[1:-1]), opening["language"]


def formula(latex: str) -> str:
    """A displayed formula as in MinerU's Markdown, from either form.

    >>> formula("x^2"), formula("$$\\nx^2\\n$$")
    ('$$\\nx^2\\n$$', '$$\\nx^2\\n$$')
    """
    inner = latex.strip()
    if len(inner) >= 4 and inner.startswith("$$") and inner.endswith("$$"):
        inner = inner[2:-2].strip()
    return f"$$\n{inner}\n$$" if inner else ""
