"""Search page: search, see the hits and why they rank, and read each in its document."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping

import streamlit as st

from chunking.allowed import allowed
from chunking.config import SearchMode
from chunking.errors import ChunkscopeError
from chunking.retrieval import SearchResult, siblings_of, to_tool_json
from chunking.retrieval.document_search import NO_INDEX
from chunking.retrieval.modes.retrieval_modes import MODES as RETRIEVAL
from chunking.store import IndexRow, Workspace, documents_by_id
from components.index.chunk_map import chunk_map
from components.kit.glossary_lines import term_line
from components.kit.wording import plain
from components.search.answer_panel import answer_panel
from components.search.context_panel import context_panel
from components.search.hit_reader import (
    HEADER_HEIGHT,
    OPENED,
    chunk_number,
    read_next,
    reader,
    viewed_hit,
    viewer_target,
)
from components.search.hits import hits
from components.search.pipeline import pipeline
from components.search.search_controls import active_filters, clear_filters, controls, index_line
from components.search.search_field import example_buttons, no_index, query_field
from components.search.search_labels import apply_labels, note_query
from components.search.searches import index_staleness, search_once
from components.search.side_by_side import side_by_side
from components.session import share
from components.session.endpoint_status import server_name
from components.session.page import page_frame
from components.session.page.page_entry import show
from components.session.workspace import workspace

# Comments, not strings: Streamlit would print a page's strings.
HEIGHT = 600  # of the text beside the hits, in pixels

FIRST_VIEW = "search.view.first"


# -- the search


def search_result(target: Workspace, row: IndexRow | None, query: str) -> SearchResult:
    """Search, and add the query to the history; a new query opens its best hit.

    A changed setting keeps the open hit.
    """
    last = st.session_state.get("search.last")
    result = search_once(target, row, query, share.config().search, active_filters())
    if last is not None and last[0][0] != query:
        st.session_state.pop(OPENED, None)
    note_query(target, query)
    return result


# -- the result


def show_hits(target: Workspace, row: IndexRow | None, result: SearchResult) -> None:
    """Draw the hits to open and label, the open one in its document, and what to read next.

    Also saves a pending label, puts the open hit into the link, and draws the result as an agent's JSON.
    """
    labels = apply_labels(target, result)
    viewed = viewed_hit(result)
    place = viewer_target(result, viewed)
    if place.doc_id:
        share.keep_view(doc=place.hit.chunk.doc_id, chunk=chunk_number(place.hit))
    left, right = st.columns([2, 3.4], gap="medium")
    with left:
        hits(result, viewed, fusion=share.config().search.fusion, height=HEIGHT + HEADER_HEIGHT, labels=labels)
    with right.container(gap="xsmall"):
        reader(target, row, result, place, viewed, height=HEIGHT)
        if place.doc_id:
            read_next(target, row, place.doc_id)
    tool_json(result)


def show_context(target: Workspace, row: IndexRow, result: SearchResult) -> None:
    """Draw the passages that a language model would get within the token budget."""
    context_panel(result, height=HEIGHT)


def show_answer(target: Workspace, row: IndexRow, result: SearchResult) -> None:
    """Draw the button that asks the language model, and its answer."""
    answer_panel(target, result, st.session_state["search.last"][0], height=HEIGHT)


def show_map(target: Workspace, row: IndexRow, result: SearchResult) -> None:
    """Draw the hits on the map of the index's chunks."""
    chunk_map(target, row, result, height=HEIGHT)


def show_compared(target: Workspace, row: IndexRow, result: SearchResult) -> None:
    """Search with other settings or another index too, and draw both results side by side."""
    side_by_side(target, row, result, filters=active_filters(), height=HEIGHT)


VIEWS: Mapping[str, Callable[[Workspace, IndexRow, SearchResult], None]] = {
    "Hits": show_hits,
    "Context": show_context,
    "Answer": show_answer,
    "Map": show_map,
    "Compare": show_compared,
}


def views(target: Workspace, row: IndexRow, result: SearchResult) -> None:
    """Draw the tabs of the result; only the open one is computed, and the link names it."""
    titles, first = view_titles(), first_view()
    tabs = st.tabs(
        list(titles.values()), default=titles.get(first) if first else None, key="search.view", on_change="rerun"
    )
    for tab, name in zip(tabs, titles, strict=True):
        draw = VIEWS[name]
        if tab.open:
            share.keep_view(show=name.lower() if name != "Hits" else None)
            with tab:
                draw(target, row, result)


def view_titles() -> dict[str, str]:
    """Return the title of each tab by its name in `VIEWS`.

    Without a language model, that of the answer says that it needs one, or is left out where the user cannot set it up.
    """
    titles = {name: name for name in VIEWS}
    if not server_name("llm"):
        titles["Answer"] = "Answer (needs a language model)"
        if not allowed().everything:
            del titles["Answer"]
    return titles


def first_view() -> str | None:
    """Return the tab that the link names, or None; read once per stay.

    Tabs with another default would be new tabs, and lose a click.
    """
    stay, name = st.session_state.get(FIRST_VIEW, (0, None))
    if stay != page_frame.arrival():
        linked = (share.view("show") or "").capitalize()
        name = linked if linked in VIEWS else None
        st.session_state[FIRST_VIEW] = (page_frame.arrival(), name)
    kept: str | None = name
    return kept


def show_nothing(result: SearchResult) -> None:
    """Draw a hint after a search without hits: filters, an index, other words or a lower limit."""
    if active_filters():
        st.markdown("**Nothing found** within the filters.")
        st.button("Search everywhere", on_click=clear_filters, key="search.everywhere")
    elif not result.index:
        st.markdown(
            "**Nothing found.** No document contains these words: try others, or build an index for vector search."
        )
    elif result.mode is SearchMode.TEXT:
        st.markdown("**Nothing found.** No chunk contains these words: try others, or use hybrid or vector search.")
    else:
        st.markdown("**Nothing found.** Rephrase the question, or lower the minimum similarity under More.")


def tool_json(result: SearchResult) -> None:
    """Draw, in an expander, the JSON that an agent's `search` tool returns for this result."""
    box = st.expander("Tool JSON: this search as an agent gets it", key="search.json", on_change="rerun")
    if not box.open:
        return
    siblings = siblings_of(workspace(), [one.doc_id for one in result.documents])
    text = json.dumps(to_tool_json(result, siblings), ensure_ascii=False, indent=2)
    with box:
        st.code(text, language="json", height=360)
        st.download_button(
            "Download", text, "search.json", "application/json", on_click="ignore", key="search.json.download"
        )


def show_result(target: Workspace, row: IndexRow, result: SearchResult) -> None:
    """Draw notes, probable absence, phases and tabs of a result, or a hint if it has no hits."""
    said = RETRIEVAL[share.config().search.retrieval].instead  # the line under the controls says it already
    for note in result.notes:
        if note != said:
            st.info(plain(note))
    if not result.results:
        st.session_state.pop(FIRST_VIEW, None)  # the tabs will be new ones
        show_nothing(result)
        return
    if result.absence is not None and result.absence.probable:
        with st.container(key="search.absence"):
            st.markdown(
                f"**Probably not in these documents.** {plain(result.absence.evidence)}",
                help=plain(result.absence.reliability),
            )
    pipeline(result)
    views(target, row, result)


def without_index(target: Workspace, documents: Collection[str]) -> None:
    """Draw the Search page without an index: full-text search of whole documents."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.title("Search", anchor=False, width="content")
        query = query_field()
    no_index(documents)
    if not query.strip():
        example_buttons(target)
        return
    try:
        result = search_result(target, None, query)
    except ChunkscopeError as error:
        st.error(plain(str(error)))
        return
    for note in result.notes:
        if note != NO_INDEX:
            st.info(plain(note))
    if result.results:
        show_hits(target, None, result)
    else:
        show_nothing(result)


@page_frame.fragment()
def search_fragment() -> None:
    """Draw the page as a fragment, so that a search does not redraw header and guide."""
    page()
    share.write_address()


def page() -> None:
    """Draw the Search page: field, controls, and the result, or examples without a query."""
    target = workspace()
    rows, documents = target.indexes(), target.derived(documents_by_id)
    if not documents:
        st.title("Search", anchor=False)
        no_index(documents)
        return
    if not rows:
        without_index(target, documents)
        return
    with st.container(gap="xsmall", key="search.head"):
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            st.title("Search", anchor=False, width="content")
            query = query_field()
        problem = st.empty()
        row = controls(rows, target)
        index_line(row, target.index(row.name).levels, index_staleness(target, row))
    if not query.strip():
        st.session_state.pop(FIRST_VIEW, None)
        term_line("Hybrid search")
        example_buttons(target)
        return
    try:
        show_result(target, row, search_result(target, row, query))
    except ChunkscopeError as error:
        problem.error(plain(str(error)))


show(search_fragment)
