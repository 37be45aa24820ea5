"""Settings of how configurations are compared: they are no part of a configuration, since they change nothing that is
measured.
"""

from __future__ import annotations

from chunking.config.settings import Setting, Settings, knob, read_settings

__all__ = ["CompareConfig", "margin_setting"]


class CompareConfig(Settings):
    """How the recommended configuration is chosen."""

    margin: float = knob(
        2.0,
        "Margin",
        "How much worse than the best a recommended cheaper configuration may be: percentage points of a share, "
        "percent of tokens. 0: only the best is recommended.",
        unit="points",
        ge=0.0,
        le=20.0,
    )


class _Comparing(Settings):
    """The one part, as `read_settings` wants it."""

    compare: CompareConfig = CompareConfig()


def margin_setting() -> Setting:
    """The row of the margin, for a form, a command line and a help text."""
    return next(one for one in read_settings(_Comparing) if one.name == "margin")
