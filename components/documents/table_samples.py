"""Samples of tables on the Documents page: the dialog that adds one, and where they came from."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from chunking.allowed import allowed
from chunking.indexing import IndexProgress, TableSample, TableSampleAdded, add_table_sample, table_samples
from chunking.indexing.adding.table_sample import SampleColumns, suggest_columns
from chunking.model import Document
from chunking.store import Workspace
from chunking.store.source_tables import SourceTable, open_source_table, source_tables
from components.documents.adding import UploadOutcome, check_files
from components.documents.uploads import announce
from components.kit.button import button
from components.kit.clock import moment_text
from components.kit.wording import plain, quantity
from components.session.current_workspace import editing
from components.session.host import deployment
from components.session.page.page_frame import dialog, sentences
from components.session.workspace import check_room, writing

__all__ = ["draw_samples", "sample_entry"]

_DOCUMENTS, _MOST_DOCUMENTS = 1_000, 10_000
_MOST_SEED = 2**31 - 1
_PREVIEWED, _MOST_SHOWN = 3, 300
"""Rows of the preview, and characters of a cell."""
_ROOM_EVERY = 8_000_000
"""Characters between two checks of the room on the disk."""
_PAUSE = 0.2
"""Seconds between updates of the progress bar."""
_OPENED = "documents.sample.opened"
_WORKSPACE_COLUMNS = ("title", "source", "characters")


class _OpenedPlace(NamedTuple):
    """Place that the dialog has open: read once, not in every run."""

    place: str
    names: list[str]
    table: SourceTable | None
    previews: dict[tuple[SampleColumns, int], pd.DataFrame]


def sample_entry(target: Workspace) -> None:
    """Draw the button that opens the dialog, where files or tables may be read by their place."""
    if not allowed().everything and not deployment().settings.folders:
        return
    about = "Adds random documents of a Lance or LanceDB table, to tune on before the settings run on all of it."
    if button("Sample a table …", key="documents.sample", **editing(help=about)):
        st.session_state.pop(_OPENED, None)
        sample_dialog(target)


def draw_samples(target: Workspace) -> None:
    """Draw a line on each sample: how much of which table the documents are."""
    for sample in table_samples(target):
        st.caption(f"Sample: {plain(sample.sentence)}.", help=plain(_details(sample)))


def _details(sample: TableSample) -> str:
    """Return how a sample was made, and what was left out of it."""
    columns = [f"{purpose} from the column {name}" for purpose, name in sample.columns._asdict().items() if name]
    parts = [f"Chosen at random with the seed {sample.seed}", *columns, f"added {moment_text(sample.added)}"]
    return f"{', '.join(parts)}.{_left_out(sample)}"


def _left_out(sample: TableSample) -> str:
    said = ""
    if sample.without_text:
        said += f" Left out: {quantity(sample.without_text, 'document')} without text."
    if sample.without_id:
        said += f" {quantity(sample.without_id, 'row')} of the table without an id could not be chosen."
    return said


@dialog("Sample a table", width="medium")
def sample_dialog(target: Workspace) -> None:
    """Ask for a table, its columns and a number of documents, and add them."""
    st.caption(
        "Adds random documents of a Lance or LanceDB table, to tune on before the settings run on all of it. The table "
        "is only read."
    )
    with sentences():
        table = _choose_table()
        if table is not None:
            _draw_choices(target, table)
            return
    if button("Cancel", key="documents.sample.cancel"):
        st.rerun()


def _choose_table() -> SourceTable | None:
    """Draw the fields of place and table, and return the open table; None while there is none."""
    place = st.text_input(
        "Folder or address",
        key="documents.sample.place",
        placeholder="/data/lake or s3://bucket/lake",
        help="Of a LanceDB database, of one Lance table (NAME.lance), or of another workspace. Keys for s3://, gs:// "
        "and az:// come from the environment of the app.",
    ).strip()
    if not place:
        return None
    state: _OpenedPlace | None = st.session_state.get(_OPENED)
    if state is None or state.place != place:
        state = st.session_state[_OPENED] = _OpenedPlace(place, source_tables(place), None, {})
    if len(state.names) > 1:
        key = f"documents.sample.table.{_tag(place)}"
        name = st.selectbox("Table", state.names, index=None, placeholder="Choose", key=key)
    else:
        name = state.names[0]
    if not name:
        return None
    if state.table is None or state.table.name != name:
        state = st.session_state[_OPENED] = state._replace(table=open_source_table(place, name), previews={})
    return state.table


def _tag(*names: str) -> str:
    """Return a part of a widget's key, so that its choice is forgotten with the table."""
    return f"{zlib.crc32(chr(0).join(names).encode()):08x}"


def _draw_choices(target: Workspace, table: SourceTable) -> None:
    """Draw the choices about a table, what they take, a preview and the button that adds it."""
    columns = SampleColumns() if table.is_workspace else _choose_columns(table)
    left, right = st.columns(2)
    count = left.number_input(
        "Documents",
        min_value=1,
        max_value=_MOST_DOCUMENTS,
        value=_DOCUMENTS,
        key="documents.sample.count",
        help="How many are chosen, each equally likely.",
    )
    seed = right.number_input(
        "Seed",
        min_value=0,
        max_value=_MOST_SEED,
        value=0,
        key="documents.sample.seed",
        help="The same seed and version of the table give the same documents; another seed gives others.",
    )
    may_add = bool(table.rows and (columns.text or table.is_workspace))
    st.markdown(_summary(table, columns, count))
    if may_add:
        st.dataframe(_preview(table, columns, seed), hide_index=True, key="documents.sample.preview")
    progress = st.empty()
    with st.container(horizontal=True):
        number = min(count, table.rows)
        label = f"Add up to {quantity(number, 'document')}" if columns.id else f"Add {quantity(number, 'document')}"
        if button(label, type="primary", key="documents.sample.add", **editing(disabled=not may_add)):
            with sentences():
                _add(target, table, columns, count, seed, progress)
        if button("Cancel", key="documents.sample.cancel"):
            st.rerun()


def _choose_columns(table: SourceTable) -> SampleColumns:
    """Draw the columns of text, id and title, the likely ones chosen."""
    likely = suggest_columns(table)
    texts = [column.name for column in table.columns if column.is_text]
    keys = [column.name for column in table.columns if column.is_id]
    places = st.columns(3)
    rows: tuple[tuple[str, str, Sequence[str], str, str], ...] = (
        ("text", "Text", texts, "Choose", "The column that is read as Markdown."),
        ("id", "Document id", keys, "Each row is a document", "Rows with the same value are joined, in their order."),
        ("title", "Title", texts, "From the text", "The title of each document."),
    )
    chosen = {}
    for place, (purpose, label, offered, none, about) in zip(places, rows, strict=True):
        name = getattr(likely, purpose)
        chosen[purpose] = place.selectbox(
            label,
            offered,
            index=offered.index(name) if name else None,
            placeholder=none,
            key=f"documents.sample.{purpose}.{_tag(table.place, table.name)}",
            help=about,
        )
    return SampleColumns(**{purpose: name or "" for purpose, name in chosen.items()})


def _summary(table: SourceTable, columns: SampleColumns, count: int) -> str:
    """Return what is taken of the table, as a line of Markdown."""
    which, number = f"**{plain(table.name)}**, version {table.version:,}", min(count, table.rows)
    if table.is_workspace:
        return f"{number:,} of {quantity(table.rows, 'document')} of that workspace, with their edits and pins."
    if not table.rows:
        return f"{which}, has no rows."
    if not any(column.is_text for column in table.columns):
        return f"{which}, has no column of text."
    if not columns.text:
        return f"{quantity(table.rows, 'row')} in {which}: choose the column with the text."
    if columns.id:
        joined = f"rows with the same **{plain(columns.id)}** are one document"
        return f"Up to {number:,} documents from {quantity(table.rows, 'row')} of {which}: {joined}."
    return f"{number:,} of {quantity(table.rows, 'row')} of {which}: each is a document."


def _preview(table: SourceTable, columns: SampleColumns, seed: int) -> pd.DataFrame:
    """Return the first rows of a sample, cut short; read once."""
    previews = st.session_state[_OPENED].previews
    if (columns, seed) not in previews:
        names = _WORKSPACE_COLUMNS if table.is_workspace else [name for name in columns if name]
        rows = table.preview(table.sample_rows(_PREVIEWED, seed), list(dict.fromkeys(names)), _MOST_SHOWN + 1)
        shown = [{name: _short(value) for name, value in row.items()} for row in rows]
        previews[columns, seed] = pd.DataFrame(shown, columns=list(dict.fromkeys(names)))
    frame: pd.DataFrame = previews[columns, seed]
    return frame


def _short(value: object) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]} …"


class _RoomCheck:
    """Checks each document against the quotas before it is saved; those that it replaces do not count."""

    def __init__(self, target: Workspace) -> None:
        self._others = {row.doc_id: row.characters for row in target.documents()}
        self._characters = sum(self._others.values())
        self._count = self._added = self._unchecked = 0

    def __call__(self, document: Document) -> None:
        """Raise QuotaError if there is no room for one more document."""
        self._characters -= self._others.pop(document.doc_id, 0)
        self._count += 1
        self._added += len(document.text)
        self._unchecked += len(document.text)
        deployment().quotas.check_documents(
            there=len(self._others), adding=self._count, characters=self._characters, more=self._added
        )
        if self._unchecked >= _ROOM_EVERY:
            check_room(self._unchecked)
            self._unchecked = 0


def _add(
    target: Workspace,
    table: SourceTable,
    columns: SampleColumns,
    count: int,
    seed: int,
    place: st.delta_generator.DeltaGenerator,
) -> None:
    """Add the sample with a progress bar, close the dialog and announce the outcome."""
    check_files(len(target.documents()), [0])
    bar, shown = place.progress(0.0, text="Choosing documents …"), 0.0

    def show(progress: IndexProgress) -> None:
        nonlocal shown
        if time.monotonic() - shown > _PAUSE:
            shown = time.monotonic()
            share = progress.done / max(progress.total, progress.done, 1)
            bar.progress(share, text=f"Reading: {progress.done:,} of {quantity(progress.total, 'document')}")

    try:
        with writing(target):
            added = add_table_sample(
                target,
                table,
                **columns._asdict(),
                documents=count,
                seed=seed,
                on_document=_RoomCheck(target),
                on_progress=show,
            )
    finally:
        place.empty()
    if not added.documents:
        st.error(plain(added.failed[0].error), icon=":material/error:")
        return
    st.session_state.pop(_OPENED, None)
    announce([UploadOutcome(_outcome(added), added.documents.doc_ids[0])])
    st.rerun()


def _outcome(added: TableSampleAdded) -> str:
    number = len(added.documents)
    failed = ""
    if added.failed:
        failed = f" {quantity(len(added.failed), 'document')} could not be read, such as: {added.failed[0].error}"
    rows = f"{added.sample.rows:,} of {quantity(added.sample.of_rows, 'row')}"
    return f"{quantity(number, 'document')} added from {rows}.{_left_out(added.sample)}{failed}"
