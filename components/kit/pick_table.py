"""A table with one picked row, by click or arrow keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PICKED", "pick_row"]

PICKED = "●"
"""Name and sign of the column that marks the picked row."""


def pick_row(table: pd.DataFrame, *, key: str, default: int = 0, columns: Mapping[str, Any], **looks: Any) -> int:
    """Draw a table in which one row is always picked, and return that row's number.

    Streamlit's rows can be ticked with a mouse only; its cells follow the arrow keys, so a cell stands for its row.
    Keys move nothing before a cell is selected, so one is from the start, and some row is always picked.

    Args:
        table: rows with a default index; a column for the mark is added in front.
        key: key of the widget; change it with the rows, as the pick is stored as a row number.
        default: row picked at first.
        columns: Streamlit's column settings by name.
        looks: further arguments of `st.dataframe`.
    Returns:
        Row number from 0; for a table without rows, `default`.
    """
    if key not in st.session_state:  # a changed default would make it a new widget
        st.session_state[f"{key}.begin"] = default
    first = (st.session_state[f"{key}.begin"], str(table.columns[0]))
    cells = st.session_state[key]["selection"]["cells"] if key in st.session_state else [first]
    picked = int(cells[0][0]) if cells and cells[0][0] < len(table) else default
    marked = table.copy(deep=False)
    marked.insert(0, PICKED, [PICKED if row == picked else "" for row in range(len(table))])
    st.dataframe(
        marked,
        hide_index=True,
        column_config={
            PICKED: st.column_config.TextColumn(" ", width=30, help="Pick a row with a click or the arrow keys."),
            **columns,
        },
        on_select="rerun",
        selection_mode="single-cell",
        selection_default={"selection": {"cells": [first]}} if len(table) else None,
        key=key,
        placeholder="",
        **looks,
    )
    return picked
