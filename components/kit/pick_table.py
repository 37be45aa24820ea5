"""A table of which one row is picked: by a click anywhere on it, or with the arrow keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PICKED", "pick_row"]

PICKED = "●"
"""The column that marks the picked row, by name and by sign."""


def pick_row(table: pd.DataFrame, *, key: str, default: int = 0, columns: Mapping[str, Any], **looks: Any) -> int:
    """Show a table and give the row that is picked.

    Streamlit's rows can be ticked with a mouse only; its cells follow the arrow keys, so a cell stands for its row.
    Keys move nothing before a cell is selected, so one is from the start, and some row is always picked.

    Args:
        table: a default index, one row each; a column for the mark is put in front of it.
        key: of the table, another one for other rows: what is picked is kept as a row's number.
        default: the row picked before the user has picked one.
        columns: Streamlit's settings of columns, by name.
        looks: what `st.dataframe` takes besides.
    Returns:
        A row's number from 0, also of a table without rows.
    """
    if key not in st.session_state:  # with another default in its life it would be another table
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
