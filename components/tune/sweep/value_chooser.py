"""Choose what a sweep tries: settings, their values, other splitters, and a time limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from chunking.config import Config
from chunking.config.settings import Setting
from chunking.errors import ConfigError
from chunking.evaluation import read_chunks, save_chunks
from chunking.parsing import PARSERS
from chunking.splitting.strategies.custom_splitters import splitter_names
from chunking.store import Workspace
from components.kit.wording import parser_word, plain, quantity
from components.session.current_workspace import editing
from components.session.page.page_frame import sentences
from components.session.workspace import check_room, loaded_of, workspace
from components.tune.setting_words import setting_named, spoken_title, spoken_value
from components.tune.sweep.setting_grid import (
    Grid,
    default_estimate_grid,
    default_grid,
    offered_values,
    value_fault,
    variable_settings,
    with_current,
)

__all__ = ["ALL", "WITHIN", "SweepChoice", "choose_values"]

ALL, WITHIN = "all", "within"
MINUTES = (1, 2, 5, 10, 20, 40, 60)

_GRID, _HOW, _MINUTES, _SPLITTERS = "tune.grid", "tune.how", "tune.minutes", "tune.splitters"
_PARSERS, _VARY = "tune.parsers", "tune.vary"

_IMPORTED_FILE = "tune.elsewhere.taken"


@dataclass(frozen=True, slots=True)
class SweepChoice:
    """Settings, splitters and time limit chosen for a sweep, with errors of the values."""

    grid: Grid
    splitters: tuple[str, ...]
    """Custom splitters, splitters of other libraries, or imported chunks; a configuration for each."""
    minutes: float
    """Time limit; 0 runs all configurations."""
    faults: tuple[str, ...] = ()
    """Errors of invalid values."""
    wide: Grid | None = None
    """Grid that an estimate uses instead, while the default grid is unchanged."""
    parsers: tuple[str, ...] = ()
    """Parsers that read the documents, each with every combination of the grid; none: the documents as they are."""

    @property
    def estimated(self) -> SweepChoice:
        """This choice for an estimate: with the wider grid, if it has one."""
        return self if self.wide is None else replace(self, grid=self.wide, wide=None)


def choose_values(base: Config) -> SweepChoice:
    """Draw the form of settings, values, splitters and time limit, and return the choice.

    Args:
        base: configuration that the grid varies.
    """
    grid = _kept(base)
    settings = {one.key: one for one in variable_settings()}
    st.session_state[_VARY] = list(grid)
    st.multiselect(
        "Settings to vary",
        list(settings),
        key=_VARY,
        format_func=spoken_title,
        placeholder="Choose settings",
        on_change=_vary,
        args=(base,),
        help=(
            "Every combination of the values below is one configuration. All other settings keep their current value."
        ),
    )
    faults = [sentence for key, values in grid.items() if (sentence := _row(settings[key], values, base))]
    parsers = _parsers()
    splitters = _splitters()
    wide = None if _GRID in st.session_state else default_estimate_grid(base)
    return SweepChoice(grid, splitters, _time(), tuple(faults), wide, parsers)


def _kept(base: Config) -> dict[str, tuple[str, ...]]:
    """Return the grid chosen in this session, or the default grid."""
    keys = {one.key for one in variable_settings()}
    chosen: dict[str, tuple[str, ...]] | None = st.session_state.get(_GRID)
    grid = default_grid(base) if chosen is None else chosen
    return {key: values for key, values in grid.items() if key in keys}


def _vary(base: Config) -> None:
    """Store the settings to vary; settings that stay keep their values."""
    before = _kept(base)
    st.session_state[_GRID] = {
        key: before.get(key) or with_current(setting, base)
        for key in st.session_state[_VARY]
        if (setting := setting_named(key))
    }


# -- a row of chips


def _row(setting: Setting, values: Sequence[str], base: Config) -> str:
    """Draw the values of a setting, and return its error or ""."""
    chips, other = f"tune.values.{setting.key}", f"tune.other.{setting.key}"
    st.session_state[chips] = list(values)
    unit = {"of unit": str(base.chunk.unit)}.get(setting.unit, setting.unit if setting.unit != "of unit, or %" else "")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.pills(
            spoken_title(setting.key) + (f" ({unit})" if unit else ""),
            offered_values(setting, values, base),
            selection_mode="multi",
            key=chips,
            format_func=lambda value: spoken_value(setting.key, value),
            wrap=True,
            help=f"The setting `{setting.key}`. {plain(setting.help)}",
            on_change=_chosen,
            args=(setting.key, chips, base),
        )
        if not setting.choices and setting.type is not bool:
            st.text_input(
                f"Another value of {spoken_title(setting.key)}",
                key=other,
                placeholder="+ other",
                label_visibility="collapsed",
                width=84,
                max_chars=60,
                on_change=_typed,
                args=(setting.key, other, base),
            )
    sentence = "Choose a value, or stop varying this setting." if not values else value_fault(setting.key, values, base)
    if sentence:
        st.caption(f":red[{plain(sentence)}]")
    return sentence


def _chosen(key: str, widget: str, base: Config) -> None:
    st.session_state[_GRID] = _kept(base) | {key: tuple(st.session_state[widget])}


def _typed(key: str, widget: str, base: Config) -> None:
    """Add typed values, separated by spaces or semicolons."""
    grid = _kept(base)
    values = grid.get(key, ())
    typed = st.session_state[widget].replace(";", " ").split()
    st.session_state[_GRID] = grid | {key: tuple(dict.fromkeys([*values, *typed]))}
    st.session_state[widget] = ""


# -- parsers, other splitters and time limit


def _parsers() -> tuple[str, ...]:
    """Draw the choice of parsers, if there are several, and return their names."""
    names = [row.name for row in PARSERS if row.is_offered]
    if len(names) < 2:
        return ()
    field = _PARSERS + ".field"
    st.session_state[field] = [one for one in st.session_state.get(_PARSERS, ()) if one in names]
    st.multiselect(
        "Parsers",
        names,
        key=field,
        format_func=parser_word,
        placeholder="As chosen on the Documents page",
        on_change=lambda: st.session_state.update({_PARSERS: tuple(st.session_state[field])}),
        help=(
            "For this comparison only, each parser reads the stored files again, with every combination of the "
            "values above. Gold answers are located in its text by their words; those that it lacks count as "
            "missed, and the result lists them."
        ),
    )
    chosen = tuple(st.session_state[field])
    if chosen:
        st.caption("Parsers are measured, not estimated: live estimates use the documents as parsed here.")
    return chosen


def _splitters() -> tuple[str, ...]:
    """Draw the choice of custom splitters and imported chunks, and return their names."""
    field = _SPLITTERS + ".field"
    try:
        names = list(dict.fromkeys([*loaded_splitters(), *splitter_names()]))
    except ConfigError as error:
        st.caption(f":red[{plain(str(error))}]")
        return ()
    st.session_state[field] = [one for one in st.session_state.get(_SPLITTERS, ()) if one in names]

    def keep() -> None:
        st.session_state[_SPLITTERS] = tuple(st.session_state[field])

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.multiselect(
            "Other splitters",
            names,
            key=field,
            placeholder="None",
            disabled=not names,
            on_change=keep,
            help=(
                "Installed splitters of other libraries, your own, and chunks made elsewhere: each adds one "
                "configuration, with the other settings unchanged."
            ),
        )
        brought = import_chunks(workspace())
    if brought:
        st.session_state[_SPLITTERS] = (*st.session_state[field], brought)
        st.rerun()
    return tuple(st.session_state[field])


def _time() -> float:
    """Draw the time limit and return it in minutes; 0 runs all."""
    how, minutes = _HOW + ".field", _MINUTES + ".field"
    st.session_state[how] = st.session_state.get(_HOW, ALL)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.segmented_control(
            "Search strategy",
            [ALL, WITHIN],
            key=how,
            format_func={ALL: "Run all", WITHIN: "Successive halving"}.__getitem__,
            required=True,
            on_change=lambda: st.session_state.update({_HOW: st.session_state[how]}),
            help="Run all: every configuration on every question. Successive halving: find good settings within a "
            "time limit; all are "
            "tried on a few questions first, and the better half on more of them, until few are run on all.",
        )
        if st.session_state[how] == ALL:
            return 0.0
        st.session_state[minutes] = st.session_state.get(_MINUTES, 5)
        st.selectbox(
            "Minutes",
            MINUTES,
            key=minutes,
            format_func=lambda value: f"{value} min",
            width=110,
            on_change=lambda: st.session_state.update({_MINUTES: st.session_state[minutes]}),
        )
    return float(st.session_state[minutes])


def loaded_splitters() -> tuple[str, ...]:
    """Return the splitter names of the workspace's imported chunks; warn of unreadable ones."""
    loaded = loaded_of(workspace())
    for warning in loaded.warnings:
        st.warning(plain(warning), icon=":material/warning:")
    return tuple(loaded.splitters)


def import_chunks(target: Workspace) -> str | None:
    """Draw the upload of chunks made elsewhere, and store them in the workspace.

    Returns:
        Splitter name of the chunks in the run that stored them, else None.
    """
    with st.popover("Chunks made elsewhere", icon=":material/upload_file:", key="tune.elsewhere"):
        st.caption(
            "One line of JSON per chunk: its document (`doc`, the path or id), and `start` and `end` in characters, or "
            "its `text`. LangChain Documents can be read as they are."
        )
        looks = editing(label_visibility="collapsed")
        typed = st.file_uploader("File of chunks", type=["jsonl", "json"], key="tune.elsewhere.file", **looks)
        if typed is None or st.session_state.get(_IMPORTED_FILE) == typed.file_id:
            return None
        with sentences():
            check_room(typed.size)
            documents = list(target.read_documents([row.doc_id for row in target.documents()]))
            loaded = read_chunks(typed.getvalue(), typed.name, documents)
            save_chunks(target, loaded)
            st.session_state[_IMPORTED_FILE] = typed.file_id
            st.toast(
                f"{quantity(sum(loaded.documents.values()), 'chunk')} of {quantity(len(loaded.documents), 'document')} "
                "are included."
            )
            return loaded.splitter
    return None
