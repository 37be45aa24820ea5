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


def pick_row(table: pd.DataFrame, *, key: str, default: int | None = None, columns: Mapping[str, Any], **looks: Any) -> int | None:
    """Show a table and give the row that is picked.

    Streamlit's rows can be ticked with a mouse only; its cells follow the arrow keys, so a cell stands for its row. Keys move nothing
    before a cell is selected: one is from the start, and where no row is to be picked yet it is the one that would hold the first mark.

    Args:
        table: a default index, one row each; a column for the mark is put in front of it.
        key: of the table, another one for other rows: what is picked is kept as a row's number.
        default: the row picked before the user has picked one; None: none is.
        columns: Streamlit's settings of columns, by name.
        looks: what `st.dataframe` takes besides.
    Returns:
        A row's number from 0; None where none is picked.
    """
    if key not in st.session_state:  # with another default in its life it would be another table
        st.session_state[f"{key}.begin"] = default
    begin: int | None = st.session_state[f"{key}.begin"]
    first = (0, PICKED) if begin is None else (begin, str(table.columns[0]))
    cells = st.session_state[key]["selection"]["cells"] if key in st.session_state else [first]
    picked = int(cells[0][0]) if cells and (begin is not None or tuple(cells[0]) != first) else default
    if picked is not None and picked >= len(table):
        picked = default
    marked = table.copy(deep=False)
    marked.insert(0, PICKED, [PICKED if row == picked else "" for row in range(len(table))])
    st.dataframe(
        marked,
        hide_index=True,
        column_config={PICKED: st.column_config.TextColumn(" ", width=30, help="Pick a row with a click or the arrow keys."), **columns},
        on_select="rerun",
        selection_mode="single-cell",
        selection_default={"selection": {"cells": [first]}} if len(table) else None,
        key=key,
        placeholder="",
        **looks,
    )
    return picked
