"""Plotly reads tags in labels and on hover: values that people have typed stand there as text."""

from __future__ import annotations

import numpy as np
import pytest

from chunking.evaluation import Heat, metric_of
from components.tune.plots import heat_figure

TYPED = '<a href="javascript:alert(1)">click</a><b>bold</b><br>&lt;i&gt;%{x}'


@pytest.mark.parametrize("key", ["split_before", "prefix", "embedding.model", "size"])
def test_values_of_settings_are_no_markup(key: str) -> None:
    """Whatever the setting is."""
    heat_map = Heat(key, key, (TYPED, "a"), (TYPED, "b"), np.zeros((2, 2)), np.ones((2, 2), np.int64), 3)
    drawn = heat_figure(heat_map, metric_of("recall"), mark=(TYPED, TYPED), dark=False)
    said = [*drawn.layout.xaxis.ticktext, *drawn.layout.yaxis.ticktext]
    assert not any("<" in text for text in said)
    assert any("&lt;a" in text for text in said)
