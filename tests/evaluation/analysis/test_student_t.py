"""Quantiles of Student's t are scipy's."""

from __future__ import annotations

import pytest

from chunking.evaluation.analysis.statistics import t_quantile
from tests.support.facts import tells


def test_quantiles_are_scipys() -> None:
    """Few and many degrees of freedom, odd and even, in the middle and far out."""
    from scipy.special import stdtrit

    for freedom in (*range(1, 12), 30, 99, 275, 4288, 100_000):
        for share in (0.01, 0.5, 0.6, 0.975, 0.999, 0.99995):
            assert t_quantile(freedom, share) == pytest.approx(float(stdtrit(freedom, share)), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(("freedom", "share"), [(0, 0.9), (5, 0.0), (5, 1.0), (5, float("nan"))])
def test_an_impossible_quantile_names_both_numbers(freedom: int, share: float) -> None:
    """Both numbers are in the sentence."""
    with pytest.raises(ValueError, match="Student") as raised:
        t_quantile(freedom, share)
    assert tells(str(raised.value), f"{freedom} {share}")
