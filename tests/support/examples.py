"""Number of Hypothesis examples for broad laws."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

__all__ = ["law"]

_EXPLORED = 6


def law(examples: int = 20) -> settings:
    """Return settings for a test of a law; `make explore` tries six times as many, new examples.

    Args:
        examples: In every run of the tests, where they are always the same.
    """
    times = _EXPLORED if os.environ.get("EXAMPLES") == "explore" else 1
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=examples * times, deadline=None, suppress_health_check=slow)
