"""Named configurations shared by the users of a workspace: save, compare and use them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from chunking.config import Config, settings
from chunking.config.config import value_label
from chunking.deployment import Mode
from chunking.deployment.forbidden_settings import check_names
from chunking.deployment.person import readable_name
from chunking.display import first_names
from chunking.errors import ChunkscopeError, ConfigError
from chunking.store import (
    Author,
    SavedConfiguration,
    Workspace,
    delete_configuration,
    rename_configuration,
    save_configuration,
    saved_configurations,
)
from chunking.store.named_configurations import MOST_CONFIGURATION_NAME
from components.kit.button import button
from components.kit.clock import moment_text
from components.kit.wording import plain, quantity, shortened
from components.session import share
from components.session.current_workspace import editing
from components.session.host import deployment, host
from components.session.page.page_frame import dialog
from components.session.workspace import workspace

__all__ = ["changes", "changes_table", "open_configurations", "usable"]

_TURN, _REFUSED, _DRAWN = "configurations.turn", "configurations.refused", "configurations.drawn"
"""Session keys: number of names saved so far; the last refused name; the configurations as they were drawn, by name,
which clicks refer to."""
_NAMED, _LONGEST = 3, 200
"""Most changed settings named in a row; most characters of a fault."""

Change = tuple[str, str, str]
"""Title of a setting, its current and its new value."""

_SHOWN = 60
"""Most characters of a value in the list of changes."""


class _Refused(NamedTuple):
    """A name that could not be saved."""

    sentence: str = ""
    there: SavedConfiguration | None = None
    """The configuration that has this name, as it was then; None if the name itself is invalid."""


def open_configurations() -> None:
    """Open the dialog of saved configurations, without an earlier visit's error."""
    for key in (_REFUSED, _DRAWN):
        st.session_state.pop(key, None)
    configurations_dialog()


@dialog("Saved configurations")
def configurations_dialog() -> None:
    """Draw the form that saves the current settings, and the saved configurations."""
    target = workspace()
    _save_form(target)
    entries = saved_configurations(target)
    drawn: Mapping[str, SavedConfiguration] = st.session_state.get(_DRAWN, {})
    st.session_state[_DRAWN] = {one.name: one for one in entries}
    if not entries:
        st.caption("No configuration is saved in this workspace yet.")
    for one in entries:
        _row(target, one, drawn.get(one.name, one))


def usable(one: SavedConfiguration) -> Config:
    """Return a saved configuration's settings, checked for use on this server.

    Raises ConfigError if this version does not know one, or it names something forbidden here.
    """
    config = one.config()
    check_names(config)
    return config


def _save_form(target: Workspace) -> None:
    """Draw the name and its button; for a taken name also the error and a Replace button."""
    turn, refused = st.session_state.get(_TURN, 0), st.session_state.get(_REFUSED, _Refused())
    with (
        st.form("configurations", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        name = st.text_input(
            "Save the current settings as",
            key=f"configurations.name.{turn}",
            max_chars=MOST_CONFIGURATION_NAME,
            placeholder="Contracts, small chunks",
            **editing(),
        )
        saves = st.form_submit_button("Save", type="primary", key="configurations.save", **editing())
        replaces = refused.there is not None and st.form_submit_button(
            "Replace it", key="configurations.replace", **editing()
        )
    if refused.sentence:
        st.error(plain(refused.sentence), icon=":material/error:")
    if not saves and not replaces:
        return
    replaced = refused.there if replaces else None
    try:
        save_configuration(target, replaced.name if replaced else name, share.config(), _author(), replacing=replaced)
        st.session_state[_TURN] = turn + 1
        st.session_state.pop(_REFUSED, None)
    except ChunkscopeError as error:
        there = {one.name: one for one in saved_configurations(target)}
        st.session_state[_REFUSED] = _Refused(str(error), there.get(error.where or ""))
    st.rerun(scope="fragment")


def _author() -> Author | None:
    """Return the session's user as the author; None where nobody signs in."""
    person = host().user()
    if person is None or deployment().settings.sharing.mode is not Mode.TEAM:
        return None
    return Author(person.id, readable_name(person.name))


def _row(target: Workspace, one: SavedConfiguration, drawn: SavedConfiguration) -> None:
    """Draw a saved configuration: author, changes and actions."""
    key = f"configurations.{hashlib.sha256(one.name.encode()).hexdigest()[:12]}"
    try:
        config, fault = usable(one), ""
    except ConfigError as error:
        config, fault = None, shortened(str(error), _LONGEST)
    rows = changes(share.config(), config) if config else []
    with st.container(key=f"{key}.row", gap="xxsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            by = f"{plain(one.author.name)} · " if one.author.name else ""
            st.markdown(f"**{plain(one.name)}**  \n:small[:gray[{by}{moment_text(one.saved)}]]", width="stretch")
            with st.container(horizontal=True, width="content", gap="small"):  # both buttons wrap together
                if button(
                    "Apply",
                    key=f"{key}.apply",
                    about=one,
                    disabled=not rows,
                    help="Use these settings on all pages.",
                ):
                    assert config is not None
                    share.keep_config(config)
                    st.rerun()
                with st.popover("Edit", key=f"{key}.edit", help="Rename or delete"):
                    _edit(target, drawn, key)
        if fault:
            st.caption(f":red[{plain(fault)}]")
        elif rows:
            named = first_names([plain(title) for title, _, _ in rows], _NAMED)
            with st.expander(f":small[{quantity(len(rows), 'setting')} differ{'s' * (len(rows) == 1)}: {named}]"):
                st.markdown(changes_table(rows))
        else:
            st.caption("These are the current settings.")


def _edit(target: Workspace, drawn: SavedConfiguration, key: str) -> None:
    """Draw the form that renames or deletes; a version saved meanwhile is kept, and the error shown."""
    name = st.text_input("Name", drawn.name, max_chars=MOST_CONFIGURATION_NAME, key=f"{key}.name", **editing())
    acts: Mapping[str, Callable[[], object]] = {
        "rename": partial(rename_configuration, target, drawn, name),
        "delete": partial(delete_configuration, target, drawn),
    }
    with st.container(horizontal=True, gap="small"):
        clicked = [act for act in acts if button(act.title(), key=f"{key}.{act}", **editing())]
    for act in clicked:
        try:
            acts[act]()
        except ChunkscopeError as error:
            st.error(plain(str(error)), icon=":material/error:")
            return
        st.rerun(scope="fragment")


def changes(now: Config, new: Config) -> list[Change]:
    """Return title, current and new value of each setting in which `new` differs.

    Settings of categories come last, under their keys.
    """
    entries = [(one, one.text(now), one.text(new)) for one in settings()]
    rows = [(one.title, _shown(one.key, old), _shown(one.key, other)) for one, old, other in entries if old != other]
    before, after = (_of_categories(config) for config in (now, new))
    keys = (key for key in dict.fromkeys([*before, *after]) if before.get(key) != after.get(key))
    return rows + [(key, before.get(key, "same as the others"), after.get(key, "same as the others")) for key in keys]


def _of_categories(config: Config) -> dict[str, str]:
    return {f"{category}.{name}": value for category, own in config.categories for name, value in own}


def _shown(key: str, text: str) -> str:
    """Return a value's label, short enough for a table."""
    return shortened(value_label(key, text) if text else "none", _SHOWN)


def changes_table(rows: Sequence[Change]) -> str:
    """Return the changes as a Markdown table; without changes, its header."""
    lines = [f"| {_cell(title)} | {_cell(before)} | {_cell(after)} |" for title, before, after in rows]
    return "\n".join(["| setting | now | new |", "|---|---|---|", *lines])


def _cell(text: str) -> str:
    return plain(text) or "–"
