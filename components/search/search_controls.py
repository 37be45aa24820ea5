"""Controls of a search besides its query: index, mode, retrieval, number of hits, settings, filters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from chunking.config import SearchMode
from chunking.model import BlockType
from chunking.retrieval.modes.retrieval_modes import MODES as RETRIEVAL
from chunking.store import DocumentRow, IndexRow, Workspace
from components.kit.bounded_options import document_names, find_options
from components.kit.glossary_lines import glossary_text
from components.kit.settings_form import draw_form, read_form
from components.kit.settings_form.widgets import change_setting, number_field, setting_of
from components.kit.wording import LANGUAGES, plain, quantity
from components.session import share

__all__ = ["MODES", "active_filters", "clear_filters", "controls", "index_line"]

MODES = {SearchMode.HYBRID: "Hybrid", SearchMode.VECTOR: "Vector", SearchMode.TEXT: "Full text"}

_SHOWN = ("search.mode", "search.retrieval", "search.k", "search.budget")
"""Settings with a place of their own: controls under the field, and the budget over the context."""
_FILTERS = "search.where"
_MOST_FILTERS = 100


def active_filters() -> dict[str, str]:
    """Return the active filters, by key of `store.FILTERS`; a session starts with the link's."""
    if _FILTERS not in st.session_state:
        st.session_state[_FILTERS] = _linked(share.view("where") or "")
    kept: dict[str, str] = st.session_state[_FILTERS]
    return kept


def _linked(text: str) -> dict[str, str]:
    """Return the filters of a link; empty if there are too many."""
    with suppress(ValueError):
        return dict(parse_qsl(text, max_num_fields=_MOST_FILTERS))
    return {}


def clear_filters() -> None:
    """Remove all filters from the session and the link."""
    _keep({})


def controls(rows: Sequence[IndexRow], target: Workspace) -> IndexRow:
    """Draw index, mode, retrieval, results, settings and filters; return the chosen index.

    Stores changed settings. At least one index must exist.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="search.fold"):
        st.toggle("Settings and filters", key="search.unfolded")  # on a phone, where they are folded (layout.css)
        _filter_badge()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="search.controls"):
        chosen = _choose_index(rows)
        _choose_mode()
        _choose_retrieval()
        number_field("search.k", key="search.k", label="Results", width=195)
        # Read in every run, for a change may come with the click that closes it.
        form = read_form(share.config(), ("search",), key="search.settings", hide=_SHOWN)
        share.keep_config(form.config)
        # What stands in a popover is drawn while it is open: no other search waits for it. One of another label is
        # another one, and closed.
        with st.popover("More", key="search.more", on_change="rerun") as more:
            if more.open:
                draw_form(form)
        with st.popover("Filters", key="search.filters", on_change="rerun") as filters:
            if filters.open:
                st.caption("Search only part of the documents.")
                _filters(target)
        _filter_badge()
    return chosen


def _filter_badge() -> None:
    """Draw how many filters are active; nothing without any."""
    if active_filters():
        st.badge(f"{quantity(len(active_filters()), 'filter')} active", color="blue")


def _choose_index(rows: Sequence[IndexRow]) -> IndexRow:
    """Return the index of the link, else the newest; draw a choice if there are several."""
    by_name = {row.name: row for row in rows}
    linked = share.view("index")
    name = linked if linked in by_name else rows[0].name
    if len(rows) > 1:
        st.session_state["search.index"] = name
        st.selectbox(
            "Index",
            list(by_name),
            key="search.index",
            format_func=lambda key: f"{key} ({quantity(by_name[key].chunks, 'chunk')})",
            help="The index to search, newest first.",
            width=220,
            on_change=lambda: share.keep_view(index=st.session_state["search.index"]),
        )
    return by_name[name]


def _choose_mode() -> None:
    """Draw the choice of the search mode."""
    setting = setting_of("search.mode")
    st.session_state["search.mode"] = share.config().search.mode
    st.segmented_control(
        "Search mode",
        list(MODES),
        key="search.mode",
        format_func=lambda mode: MODES[mode],
        required=True,
        help=f"{glossary_text('Hybrid search')}\n\nThe setting `{setting.key}`. {setting.help}",
        on_change=change_setting,
        args=("search.mode", "search.mode"),
    )


def _choose_retrieval() -> None:
    """Draw the choice of the retrieval mode."""
    setting = setting_of("search.retrieval")
    present = RETRIEVAL[share.config().search.retrieval]
    st.session_state["search.retrieval"] = share.config().search.retrieval
    st.selectbox(
        setting.title,
        list(RETRIEVAL),
        key="search.retrieval",
        format_func=lambda retrieval: RETRIEVAL[retrieval].label,
        help=f"{present.label}: {present.good_for}\n\nThe setting `{setting.key}`. {setting.help}",
        width=275,
        on_change=change_setting,
        args=("search.retrieval", "search.retrieval"),
    )


def index_line(row: IndexRow, levels: Collection[str], stale: str) -> None:
    """Draw what the index lacks for the retrieval mode, and why it is out of date, if anything.

    Args:
        row: the index.
        levels: levels in the index.
        stale: why the index is out of date; "" if it is current.
    """
    lacks = RETRIEVAL[share.config().search.retrieval].lacks(levels)
    said = [f"The index “{plain(row.name)}” {lacks}."] if lacks else []
    said += [f"Index “{plain(row.name)}”: {plain(stale)}"] if stale else []
    if said:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="search.stale"):
            st.caption(f"⚠ {' '.join(said)}", width="content")
            st.page_link("pages/index.py", label="Go to Index", icon=":material/arrow_forward:")


def _filters(target: Workspace) -> None:
    """Draw a field per filter."""
    choices: tuple[tuple[str, str, str, Mapping[str, str]], ...] = (
        ("document", "Document", "documents", target.derived(document_names)),
        ("path", "Folder", "folders", target.derived(_folders)),
        ("category", "Category", "categories", target.derived(_categories)),
        ("language", "Language", "languages", target.derived(_languages)),
        ("content_type", "Content type", "content types", {kind.value: kind.value for kind in BlockType}),
    )
    for key, label, many, names in choices:
        _one_filter(key, label, many, names)
    st.session_state["search.where.section"] = active_filters().get("section", "")
    st.text_input(
        "Section",
        key="search.where.section",
        placeholder="Any heading in its section path",
        help="A complete heading, or a section's id.",
        on_change=lambda: _keep_filter("section"),
    )
    st.button("Clear all", on_click=clear_filters, disabled=not active_filters())


def _folders(rows: Sequence[DocumentRow]) -> dict[str, str]:
    folders = {"/".join(row.path_hierarchy[:depth]) for row in rows for depth in range(1, len(row.path_hierarchy) + 1)}
    return {folder: folder for folder in sorted(folders)}


def _categories(rows: Sequence[DocumentRow]) -> dict[str, str]:
    return {row.category: row.category for row in rows}


def _languages(rows: Sequence[DocumentRow]) -> dict[str, str]:
    return {row.language: LANGUAGES.get(row.language, row.language) for row in rows}


def _one_filter(key: str, label: str, many: str, names: Mapping[str, str]) -> None:
    value = active_filters().get(key)
    options = find_options(names, key=f"search.where.{key}", many=many, chosen=[value] if value else [])
    if value and value not in names:
        options.append(value)
    options.sort(key=lambda name: names.get(name, name))
    st.session_state[f"search.where.{key}"] = value
    st.selectbox(
        label,
        options,
        index=None,
        key=f"search.where.{key}",
        placeholder="Any",
        format_func=lambda name: names.get(name, name),
        on_change=lambda: _keep_filter(key),
    )


def _keep_filter(key: str) -> None:
    changed = {**active_filters(), key: st.session_state[f"search.where.{key}"]}
    _keep({name: value for name, value in changed.items() if value})


def _keep(filters_: dict[str, str]) -> None:
    st.session_state[_FILTERS] = filters_
    share.keep_view(where=urlencode(filters_) or None)
