"""Colours with a meaning, shared by the components' CSS and plotly figures.

Each is the strong form, for lines and bars; tints are mixed from it and the page's background.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["COLOURS", "GRID", "PAPER", "RAISED", "TEXT", "Colour", "css_variables"]


class Colour(NamedTuple):
    """Colour in the light and the dark theme."""

    light: str
    """On the light theme."""
    dark: str
    """On the dark theme."""

    def on(self, *, dark: bool) -> str:
        """Return the colour of the dark or the light theme."""
        return self.dark if dark else self.light


PAPER, RAISED, TEXT = Colour("#ffffff", "#11151f"), Colour("#ffffff", "#1a2030"), Colour("#0d1322", "#e4e8f2")
"""Colours of the page, of raised surfaces and of text, for figures, which cannot read the theme."""
GRID = Colour("#e6eaf3", "#2b3347")
"""Colour of grid lines in a figure."""

COLOURS: dict[str, Colour] = {
    "chunk_a": Colour("#4f6df5", "#8aa0ff"),
    "chunk_b": Colour("#c98a1b", "#e0b054"),
    "hit": Colour("#3f5bd9", "#8aa0ff"),
    "neighbour": Colour("#0e8aa8", "#4cc3dd"),
    "answer": Colour("#0b8a5f", "#3ecf9a"),
    "highlight": Colour("#f2b705", "#ffd24a"),
    "meaning": Colour("#7a4fd6", "#b79cff"),
    "words": Colour("#a87400", "#ffd24a"),
    "larger": Colour("#0f766e", "#5eead4"),
    "second": Colour("#be2a86", "#f08ad0"),
    "picked": Colour("#3f5bd9", "#8aa0ff"),
    "against": Colour("#7a4fd6", "#b79cff"),
    "section": Colour("#64748b", "#94a3b8"),
    "prefix": Colour("#64748b", "#94a3b8"),
    "pin": Colour("#a8174e", "#ff9dbb"),
    "warning": Colour("#c2410c", "#ff9a5c"),
    "block_heading": Colour("#3f5bd9", "#8aa0ff"),
    "block_paragraph": Colour("#64748b", "#94a3b8"),
    "block_list": Colour("#0e8aa8", "#4cc3dd"),
    "block_table": Colour("#b8790f", "#e0b054"),
    "block_code": Colour("#7a4fd6", "#b79cff"),
    "block_quote": Colour("#8a6d52", "#c9ab8c"),
    "block_image": Colour("#be2a86", "#f08ad0"),
    "block_equation": Colour("#0b8a5f", "#3ecf9a"),
    "code_keyword": Colour("#6a1b9a", "#d9c2ff"),
    "code_type": Colour("#0b4f5c", "#9ae6ee"),
    "code_function": Colour("#1c3f94", "#b5d4ff"),
    "code_string": Colour("#0c5130", "#a9e8bf"),
    "code_number": Colour("#7d3206", "#ffd0a1"),
    "code_comment": Colour("#4a5261", "#c6ccd8"),
}
"""Colours by role.

chunk_a and chunk_b alternate along a document and differ in lightness, for colour-blind readers. meaning and words are
the vector and the full-text search; words is the darker form of highlight, which marks matches. larger marks larger
chunks that contain a hit, second a reranker's share of a score. picked is the selected configuration, against its
baseline. pin marks pinned boundaries. block_... are the block types, code_... the token kinds of code.
"""


def css_variables(selector: str = ".cs") -> str:
    """Return CSS variables such as `--cs-chunk-a`, with dark values for data-theme="dark".

    >>> css_variables(".x").splitlines()[0][:26]
    '.x { --cs-chunk-a: #4f6df5'
    """
    rows = [
        " ".join(f"--cs-{role.replace('_', '-')}: {colour.on(dark=dark)};" for role, colour in COLOURS.items())
        for dark in (False, True)
    ]
    return f"{selector} {{ {rows[0]} }}\n{selector}[data-theme=dark] {{ {rows[1]} }}\n"
