"""Streamlit's tables, as every page of the app has them."""

from __future__ import annotations

from pathlib import Path

import streamlit

from components.server.page_styles import SHEETS

ROOT = Path(__file__).parents[3]


def test_no_table_offers_a_csv_with_formulas() -> None:
    """The rule is on every page, and names the button as this version of Streamlit does."""
    assert "kit/brand/tables.css" in SHEETS
    rule = (ROOT / "components/kit/brand/tables.css").read_text(encoding="utf-8")
    scripts = [
        file.read_text(encoding="utf-8") for file in (Path(streamlit.__file__).parent / "static/static/js").glob("*.js")
    ]
    for name in ("Download as CSV", "stElementToolbarButton"):
        assert name in rule
        assert any(name in script for script in scripts)
