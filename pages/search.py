"""Search: ask, see what is found and why, and read each hit in its place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from chunking import indexing
from chunking.config import SearchConfig, SearchMode, settings
from chunking.embedding import load_embedder
from chunking.errors import ChunkscopeError
from chunking.retrieval import SearchResult, fetch, search, siblings, to_tool_json
from chunking.store import DocumentRow, IndexRow, Workspace
from components import frame, share
from components.hits import Opened, Place, examples, hits, moved, opened_place, read
from components.search_controls import clear_filters, controls, where
from components.viewer import deliver_text
from components.words import count, plain
from components.workspace import document, workspace

# Comments, not strings: Streamlit would print a page's strings.
HEIGHT = 660  # of the text beside the hits, in pixels

LONGEST_IN_LINK = 500  # characters of a query; a longer one stays in the session only, since addresses have limits

BESIDE = 55  # what stands above the text: a line and a gap, in pixels
# Step of a search to its name on screen.
STAGES = {
    "query vector": "question read",
    "vector": "by meaning",
    "text": "by words",
    "fusion": "together",
    "repeats dropped": "distinct",
    "neighbours": "neighbours",
}

_QUERY, _LAST, _OPENED = "search.query", "search.last", "hits.opened"


# -- what is asked


def ask() -> str:
    """The search field; returns the query, which outlives a switch of pages and stands in the link."""
    query: str = st.session_state.setdefault(_QUERY, share.view("q") or "")
    st.session_state["search.field"] = query
    st.text_input(
        "Search",
        type="search",
        key="search.field",
        placeholder="Ask a question, or type words; put an exact phrase in “quotes”",
        label_visibility="collapsed",
        on_change=lambda: keep_query(st.session_state["search.field"]),
    )
    return str(st.session_state[_QUERY])


def keep_query(query: str | None) -> None:
    """Make it the query of this session and, where it is not too long, of the link."""
    query = query or ""
    st.session_state[_QUERY] = query
    share.keep_view(q=query if query.strip() and len(query) <= LONGEST_IN_LINK else None)


# -- what is found


def found(target: Workspace, row: IndexRow, query: str, config: SearchConfig, filters: Mapping[str, str]) -> SearchResult:
    """The search; the same question is not searched twice, so that opening a hit costs nothing."""
    asked = (query, target.uri, target.version(), row.name, config, tuple(sorted(filters.items())))
    last = st.session_state.get(_LAST)
    if last is None or last[0] != asked:
        with waiting(row, config):
            result = search(target, query, config, index=row.name, where=filters)
        if last is not None and last[0][0] != query:
            st.session_state.pop(_OPENED, None)  # a new question begins with its best hit; a changed setting keeps what is open
        last = st.session_state[_LAST] = (asked, result)
    kept: SearchResult = last[1]
    return kept


def waiting(row: IndexRow, config: SearchConfig) -> AbstractContextManager[None]:
    """Says what takes long when the first search by meaning of this process loads the model; one by words never does."""
    by_meaning = config.mode is SearchMode.VECTOR or (config.mode is SearchMode.HYBRID and config.vector_weight > 0)
    if by_meaning and not load_embedder(row.config.embedding).loaded:
        return st.spinner(f"Loading the model {plain(row.config.embedding.model)} (once) …")
    return nullcontext()


def opened_in(result: SearchResult) -> Opened:
    """What is open: what was clicked, at the start of a session what the link says, else the best hit."""
    opened: Opened | None = st.session_state.get(_OPENED)
    turn = st.session_state.get("search.turn", 0)
    if opened is None or all(opened.hit != hit.chunk.chunk_id for hit in result.results):
        linked = (share.view("doc"), share.view("chunk")) if turn == 0 else ()
        hit = next((hit for hit in result.results if (hit.chunk.doc_id, str(hit.chunk.chunk_index)) == linked), result.results[0])
        opened = st.session_state[_OPENED] = Opened(hit.chunk.chunk_id, hit.chunk.chunk_id, turn + 1)
    st.session_state["search.turn"] = max(turn, opened.turn)
    return opened


def stale(target: Workspace, row: IndexRow) -> str:
    """Why the index is not what it would be if it were built now; empty where it is."""
    now, then = share.config(), row.config
    if now.fingerprint() == then.fingerprint():
        return documents_changed(target.uri, target.version(), row.name)
    different = [f"{s.title} {s.text(now) or 'empty'}" for s in settings() if s.part != "search" and s.value(now) != s.value(then)]
    return f"Out of date: the settings now say {', '.join(different[:3])}{' …' if len(different) > 3 else ''}. Build it again."


@st.cache_data(show_spinner=False, max_entries=32)
def documents_changed(address: str, version: str, name: str) -> str:
    """Asked once a version of the workspace, not once a search."""
    target = workspace()
    return indexing.staleness(target, target.index(name).row)


# -- what is shown


def show(target: Workspace, row: IndexRow, result: SearchResult) -> None:
    """Notes, hits, and the one that is open in its document."""
    for note in result.notes:
        st.info(plain(note))
    if not result.results:
        nothing(result)
        return
    opened = opened_in(result)
    place = opened_place(result, opened)
    share.keep_view(doc=place.hit.chunk.doc_id, chunk=place.hit.chunk.chunk_index)
    text = document(target, place.doc_id)
    deliver_text(text)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        hits(result, opened, fusion=share.config().search.fusion, height=HEIGHT + BESIDE)
    with right:
        reader(target, row, result, place, opened)
    stages(result)
    tool_json(result)


def nothing(result: SearchResult) -> None:
    """No hit: what to try."""
    if where():
        st.markdown("**Nothing found** inside the filters.")
        st.button("Search everywhere", on_click=clear_filters, key="search.everywhere")
    elif result.mode is SearchMode.TEXT:
        st.markdown("**Nothing found.** No chunk holds these words: try others, or search by meaning as well.")
    else:
        st.markdown("**Nothing found.** Ask in other words, or lower the minimum similarity under More.")


def reader(target: Workspace, row: IndexRow, result: SearchResult, place: Place, opened: Opened) -> None:
    """The document of the open hit, and what can be done with it."""
    text = document(target, place.doc_id)
    with st.container(horizontal=True, vertical_alignment="center", height=40, border=False, key="search.reading"):
        st.markdown(f"**{plain(text.title)}**", width="stretch")
        st.download_button(
            "↓ Whole document",
            data=lambda: fetch(target, place.doc_id, index=row.name),
            file_name=f"{place.doc_id}.txt",
            mime="text/plain",
            type="tertiary",
            help="The document in the form that an agent's `fetch` tool gets: its id, its number of chunks, its text.",
            on_click="ignore",
            key="search.fetch",
        )
    if moved(result, text):
        st.warning("This document has changed since the index was built; hits that have moved are not marked. Build the index again.")
    nonce = f"{result.query}/{opened.turn}"
    read(result, place, text, nonce=nonce, height=HEIGHT, key="search.viewer", on_open=open_from_text)
    beside(target, place.doc_id)


def open_from_text(hit: str, target: str) -> None:
    """A click in the text: its card becomes the open one, and the text stays where it is."""
    opened: Opened = st.session_state[_OPENED]
    st.session_state[_OPENED] = Opened(hit, target, opened.turn)


def beside(target: Workspace, doc_id: str) -> None:
    """Documents in the same folder."""
    around = siblings(target, doc_id, 3)
    if not around.nearest:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="search.beside"):
        folder = "/".join(around.path) or "the top folder"
        st.caption(f"{count(around.count, 'other document')} in {plain(folder)}:", width="content")
        for row in around.nearest:
            if st.button(plain(row.title), type="tertiary", key=f"search.beside.{row.doc_id}", help="Read it on the Documents page."):
                share.keep_view(doc=row.doc_id, chunk=None)
                st.switch_page("pages/documents.py")


def stages(result: SearchResult) -> None:
    """How the search went, as one line."""
    steps = []
    for stage in result.stages:
        if stage.name in STAGES:
            chunks = "" if stage.name == "query vector" else f"{count(stage.count, 'chunk')}, "
            steps.append(f"{STAGES[stage.name]}: {chunks}{stage.milliseconds:.0f} ms")
    total = sum(stage.milliseconds for stage in result.stages)
    calls = count(result.storage_calls, "storage call")
    st.caption(
        " → ".join([*steps, f"**{count(len(result.results), 'hit')}** in {total:.0f} ms, {calls}"]),
        help="For each step the number of chunks it handed on and its time on this machine, in milliseconds. "
        "The number of storage calls does not grow with the number of hits.",
    )


def tool_json(result: SearchResult) -> None:
    """What an agent's `search` tool would get."""
    box = st.expander("Tool JSON: what an agent gets for this search", key="search.json", on_change="rerun")
    if not box.open:
        return
    text = json.dumps(to_tool_json(result), ensure_ascii=False, indent=2)
    with box:
        st.code(text, language="json", height=360)
        st.download_button("Download", text, "search.json", "application/json", on_click="ignore", key="search.json.download")


def teach(documents: Sequence[DocumentRow]) -> None:
    """No question yet: three to begin with."""
    st.markdown("Ask in your own words, or begin with one of these:")
    for number, question in enumerate(examples(documents)):
        st.button(plain(question), key=f"search.example.{number}", on_click=keep_query, args=(question,))


def no_index(documents: Sequence[DocumentRow]) -> None:
    """Nothing to search in yet: the next step."""
    if documents:
        held = "document is" if len(documents) == 1 else "documents are"
        st.info(f"{len(documents):,} {held} here, but not indexed yet. Build an index; with the samples it takes under a minute.")
        st.page_link("pages/index.py", label="Build an index", icon=":material/arrow_forward:")
    else:
        st.info("There is nothing to search yet. Add a document, or load the samples, on the Documents page.")
        st.page_link("pages/documents.py", label="Go to Documents", icon=":material/arrow_forward:")


def page() -> None:
    """The page from top to bottom."""
    st.header("Search", anchor=False)
    target = workspace()
    rows, documents = target.indexes(), target.documents()
    if not rows or not documents:
        no_index(documents)
        return
    query = ask()
    problem = st.empty()
    row = controls(rows, documents)
    reason = stale(target, row)
    if reason:
        with st.container(horizontal=True, vertical_alignment="center", key="search.stale"):
            st.caption(f"⚠ Index “{plain(row.name)}”: {plain(reason)}", width="content")
            st.page_link("pages/index.py", label="Go to Index", icon=":material/arrow_forward:")
    if not query.strip():
        teach(documents)
        return
    try:
        show(target, row, found(target, row, query, share.config().search, where()))
    except ChunkscopeError as error:
        problem.error(plain(str(error)))


frame.show(page)
