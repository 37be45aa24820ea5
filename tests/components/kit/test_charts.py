"""The histogram of sizes, and the colours it shares with the components."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from chunking.viewing.colours import COLOURS, PAPER, RAISED, TEXT, css_variables
from components.kit.charts import size_histogram


@pytest.mark.parametrize("dark", [False, True])
def test_the_bars_hold_every_chunk_and_mark_those_over(dark: bool) -> None:
    """Counts add up; bars beyond the size asked for have the warning colour of the theme."""
    figure = size_histogram([10, 50, 50, 199, 200, 320], 200, "tokens", dark=dark)
    (bars,) = figure.data
    assert sum(bars.y) == 6
    over = [count for count, colour in zip(bars.y, bars.marker.color, strict=True) if colour == COLOURS["warning"].on(dark=dark)]
    assert sum(over) == 1
    assert "size 200" in [note.text for note in figure.layout.annotations]
    assert "tokens" in figure.layout.xaxis.title.text


def test_no_chunks_still_make_a_figure() -> None:
    """An empty document has a size asked for and no bars."""
    assert sum(size_histogram([], 200, "characters", dark=False).data[0].y) == 0


def test_css_has_each_colour_for_both_themes() -> None:
    """Every role is a variable, light and dark."""
    styles = css_variables(".x")
    for role, colour in COLOURS.items():
        assert f"--cs-{role.replace('_', '-')}: {colour.light};" in styles
        assert f"--cs-{role.replace('_', '-')}: {colour.dark};" in styles


def test_figures_have_the_colours_of_the_page() -> None:
    """They cannot ask the theme: its colours are held to those of the settings."""
    theme = tomllib.loads((Path(__file__).parents[3] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    page = [(theme[kind]["backgroundColor"], theme[kind]["textColor"]) for kind in ("light", "dark")]
    assert page == [(PAPER.light, TEXT.light), (PAPER.dark, TEXT.dark)]
    assert RAISED.dark == theme["dark"]["secondaryBackgroundColor"]
