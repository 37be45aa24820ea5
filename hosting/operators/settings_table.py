"""The operator's settings as they are in force, and where each comes from."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from chunking.deployment.operator_sources import operator_rows, settings_sources, variable
from components.session.host import deployment

__all__ = ["settings_table"]


def settings_table() -> None:
    """A row a setting. Those that somebody has set stand first."""
    sources, settings = settings_sources(), deployment().settings
    rows = sorted(operator_rows(), key=lambda row: (row.part, row.name) not in sources)
    table = pd.DataFrame(
        {
            "Setting": [row.title for row in rows],
            "Value": [_shown(getattr(getattr(settings, row.part), row.name), row.unit) for row in rows],
            "Set by": [_source(sources.get((row.part, row.name), "")) for row in rows],
            "Variable": [variable(row) for row in rows],
            "What it does": [row.help for row in rows],
        }
    )
    column = st.column_config
    st.dataframe(
        table,
        hide_index=True,
        height=420,
        key="operator.settings",
        column_config={
            "Setting": column.TextColumn(width=140),
            "Value": column.TextColumn(width=190, help="Current value, read at the server's start, with its unit."),
            "Set by": column.TextColumn(
                width=190, help="An environment variable overrides the file; without either, the default applies."
            ),
            "Variable": column.TextColumn(width=220, help="Set it, or the line in the file, and restart the server."),
            "What it does": column.TextColumn(width="large"),
        },
    )
    st.caption(
        "These are read when the server starts. Secrets are not among them: they are in "
        ".streamlit/secrets.toml and are not shown here."
    )


def _shown(value: object, unit: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)
    return f"{text} {unit}".strip() or "not set"


def _source(place: str) -> str:
    return place if place else "default"
