"""Three questions about the guide that the tests of commands index."""

from __future__ import annotations

ASKED = {
    "pressure": ("How high may the pressure be?", "The pressure must stay under four bar."),
    "drip": ("Why does the pump drip?", "The seal is worn."),
    "filter": ("What is done before the filter is changed?", "Switch the pump off before the filter is changed."),
}
