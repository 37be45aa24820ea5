"""Field that chooses the split to compare with (B): a configuration, a splitter or a file of chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import streamlit as st

from chunking.config import PLAIN_SPLITTING, Config, Strategy
from chunking.config.config import value_label
from chunking.errors import ChunkscopeError, ConfigError, QuestionError
from chunking.evaluation import LocatedChunks, config_of_loaded, locate_chunks
from chunking.evaluation.runs.located_chunks import MOST_BYTES
from chunking.model import Document
from chunking.splitting.strategies.foreign_splitters import foreign_names
from components.chunks.inspector import COMPARED, open_inspector
from components.chunks.split_comparison import OtherSplit, split_by_config, split_by_file
from components.kit.settings_form import settings_form
from components.kit.viewer import text_key
from components.kit.wording import plain, quantity
from components.session import share
from components.session.document_caches import clear_when_unused
from components.session.settings.other_configuration import (
    KnownConfiguration,
    baseline_splitting,
    from_address,
    indexes,
    runs,
    saved,
    to_address,
)
from components.session.workspace import loaded_of, workspace

__all__ = ["choose_other", "is_comparing"]

_PARTS = ("chunk", "embedding")
_PICK, _KEPT, _BY_FILE = "chunks.compare.pick", "chunks.compare.kept", "chunks.compare.by_file"
_NONE, _KEEP, _PRESENT, _FILE = "none", "keep", "kept", "file"

_UPLOAD, _UPLOAD_FIELD = "chunks.compare.file", "chunks.compare.file.field"
"""Session keys of the uploaded file, which outlives the page, and of its widget."""


def is_comparing() -> bool:
    """True if the link names a split to compare with (B), or a file of chunks was chosen as B."""
    return share.view("compare") is not None or bool(st.session_state.get(_BY_FILE))


def choose_other(of: Document) -> OtherSplit | None:
    """Draw the choice of the split to compare with (B), and return the document split that way.

    Returns:
        The split; None if none is chosen or it fails, with the reason drawn under the field.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="chunks.compare"):
        config = _chosen()
        sources = _sources(config)
        _field(sources, config)
        try:
            if config is None and st.session_state.get(_BY_FILE):
                located = file_chunks(of)
                return split_by_file(of, located, share.config()) if located else None
            if config is None:
                return None
            _settings(config)
            return split_by_config(of, config, sources[st.session_state[_PICK]].name)
        except ChunkscopeError as error:
            fault = str(error)
    st.caption(f":red[{plain(fault)}]")
    return None


def _chosen() -> Config | None:
    """Return the configuration to compare with from the session or the link, or None."""
    said = share.view("compare")
    if said is None:
        return None
    kept: tuple[str, Config] | None = st.session_state.get(_KEPT)
    if kept and kept[0] == said:
        return kept[1]
    try:
        config, _ = from_address(said, _PARTS)
    except ConfigError as error:
        st.warning(plain(f"The comparison in the link is not possible. {error}"))
        share.keep_view(compare=None)
        return None
    st.session_state[_KEPT] = (said, config)
    return config


def _keep(config: Config | None) -> None:
    """Store the configuration to compare with; the link carries only part of it."""
    if config is None:
        share.keep_view(compare=None)
        return
    said = _address(config)
    st.session_state[_KEPT] = (said, config)
    share.keep_view(compare=said)


def _address(config: Config) -> str:
    """Return the link value of a configuration; never "", which means no comparison."""
    return to_address(config, _PARTS) or f"size={config.chunk.size}"


def _sources(chosen: Config | None) -> dict[str, KnownConfiguration]:
    """Return the choices that have a configuration, by key."""
    present = share.config()
    loaded = loaded_of(workspace()).splitters
    rows = [
        KnownConfiguration("usual", "512/50, recursive (usual)", baseline_splitting(present)),
        *(
            KnownConfiguration(f"splitter:{name}", f"{name}, at this size", _foreign(name, present))
            for name in _foreign_names()
        ),
        *saved(),
        *indexes(),
        *runs(),
        *(
            KnownConfiguration(name, f"Loaded chunks “{one.name}”", config_of_loaded(one, present))
            for name, one in loaded.items()
        ),
    ]
    if chosen is not None:
        rows.append(KnownConfiguration(_PRESENT, _short(chosen), chosen))
    return {row.key: row for row in rows}


def _short(config: Config) -> str:
    """Return strategy, size and overlap, short enough for the field."""
    chunk = config.chunk
    name = chunk.splitter if chunk.strategy is Strategy.CUSTOM else value_label("strategy", chunk.strategy.value)
    return f"{name} {chunk.size}/{chunk.overlap}"


def _foreign_names() -> tuple[str, ...]:
    """Return the installed splitters of other packages, and always LangChain's recursive one."""
    return tuple(dict.fromkeys(["langchain:recursive", *foreign_names()]))


def _foreign(name: str, present: Config) -> Config:
    """Return a configuration of another package's splitter, with the current size and overlap only."""
    return Config.from_settings(
        {**PLAIN_SPLITTING, "strategy": "custom", "splitter": name}, present.model_copy(update={"categories": ()})
    )


def _field(sources: Mapping[str, KnownConfiguration], chosen: Config | None) -> None:
    """Draw the field, synchronised with the session or the link."""
    none = _FILE if st.session_state.get(_BY_FILE) else _NONE
    st.session_state[_PICK] = none if chosen is None else _named(sources, chosen)
    names = {_NONE: "No comparison", _KEEP: "Keep these settings as B", _FILE: "Chunks from a file …"}
    names |= {key: f"B: {row.name}" if key == _PRESENT else row.name for key, row in sources.items()}
    options = [_NONE, _KEEP, *(key for key in sources if key != _PRESENT or st.session_state[_PICK] == _PRESENT), _FILE]

    def picked() -> None:
        key = st.session_state[_PICK]
        st.session_state[_BY_FILE] = key == _FILE
        open_inspector(COMPARED)
        _keep(share.config() if key == _KEEP else sources[key].config if key in sources else None)

    st.selectbox(
        "Compare with",
        options,
        key=_PICK,
        format_func=lambda key: names[key],
        label_visibility="collapsed",
        on_change=picked,
        help="Another split (B), drawn over the same lines as the current one",
    )


def _named(sources: Mapping[str, KnownConfiguration], chosen: Config) -> str:
    """Return the key of the choice with this configuration, else the key of the kept configuration."""
    said = _address(chosen)
    same = (key for key, row in sources.items() if not key.startswith("splitter:") and _address(row.config) == said)
    return next(same, _PRESENT)


def _settings(config: Config) -> None:
    with st.popover("B", icon=":material/tune:", key="chunks.compare.settings", on_change="rerun") as shown:
        if shown.open:
            changed = settings_form(config, ("chunk",), key="chunks.compare.form")
            if changed != config:
                _keep(changed)
                st.rerun()


def file_chunks(of: Document) -> LocatedChunks | None:
    """Draw the upload of a file of chunks, and return them located in the document.

    Returns:
        The chunks; None without a file, or if it cannot be read, with the error drawn.
    """

    def chosen() -> None:
        upload = st.session_state[_UPLOAD_FIELD]
        st.session_state[_UPLOAD] = (upload.name, upload.getvalue()) if upload else None
        open_inspector(COMPARED)

    with st.popover("File", icon=":material/upload_file:", key="chunks.compare.open"):
        st.caption(
            "One line of JSON per chunk, with its `content` or `text`, and `start` and `end` in characters "
            "if known: an export of the chunks, or LangChain Documents. Each must occur in this "
            "document word for word."
        )
        st.file_uploader(
            "File of chunks",
            type=["jsonl", "json"],
            key=_UPLOAD_FIELD,
            on_change=chosen,
            label_visibility="collapsed",
            max_upload_size=MOST_BYTES // 1_000_000,
        )
        kept: tuple[str, bytes] | None = st.session_state.get(_UPLOAD)
        if kept is None:
            return None
        name, data = kept
        try:
            located = _located(of, hashlib.sha256(data).hexdigest(), name, data)
        except QuestionError as error:
            st.caption(f":red[{plain(str(error))}]")
            return None
        st.caption(plain(f"{quantity(len(located), 'chunk')} of {name}"))
        return located


@clear_when_unused
@st.cache_data(
    show_spinner="Finding the chunks in the document …",
    max_entries=4,
    hash_funcs={Document: lambda of: of.doc_id + of.source + text_key(of.text)},
)
def _located(of: Document, file: str, name: str, _data: bytes) -> LocatedChunks:
    return locate_chunks(_data, name, of)
