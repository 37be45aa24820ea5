"""The configuration and the view in the address, so that a link restores both in another session.

Settings stand in the address under their command-line names, only where they differ from the defaults:
`?doc=handbook&size=300&search.k=10`. What a page shows (document, chunk, query, index) stands beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from chunking.config import Config, remote_name, settings
from chunking.config.renamed_settings import current_key, current_settings
from chunking.config.settings import category_key
from chunking.deployment.forbidden_settings import check_names
from chunking.deployment.plug import SNAPSHOT_KEY
from chunking.errors import ConfigError
from components.kit.wording import plain, shortened
from components.session.current_workspace import ASKED, linked
from components.session.page.page_frame import arrival, arrive_again
from components.session.settings.start_settings import start_settings
from components.streamlit_patches.rerun_requests import RETURNED

__all__ = ["config", "keep_config", "keep_view", "linkable", "look_at", "read_address", "turn", "view", "write_address"]

VIEW_KEYS = ("doc", "chunk", "index", "q", "where", "show", "with", "questions", "run", "against", "compare")
"""What a link restores besides settings: document id, chunk number, index name, query, filters, how a search is looked
at and what
it is compared with; name of the question set, key of a run, and of the one it is held against; settings whose
boundaries are
compared with the present ones."""

NEVER_LINKED = frozenset(
    {
        "embedding.allow_download",
        "search.rerank_model",
        "enrich.context_prompt",
        "enrich.summary_prompt",
        "enrich.table_prompt",
    }
)
"""Whoever opens a link has not been asked: no link may fetch a model to this machine (a search fetches the
cross-encoder it
names, where its index was built with downloads allowed), or say what a language model is told. Prompts are also too
long for
an address."""

_LONGEST = 300
"""Characters of a sentence about a link: an address may hold anything."""
_MOST_FAULTS = 10
"""Settings of a link that are left out one by one, each with all others validated anew."""
_TURN = "share.turn"
_CONFIG = "share.config"
_VIEW = "share.view"
_FAULTS = "share.faults"


def config() -> Config:
    """The configuration of this session."""
    kept: Config = st.session_state.get(_CONFIG) or Config()
    return kept


def keep_config(new: Config) -> None:
    """Make `new` the configuration of this session."""
    st.session_state[_CONFIG] = new


def view(key: str) -> str | None:
    """What the session looks at: one of VIEW_KEYS, or None."""
    kept: dict[str, str] = st.session_state.get(_VIEW, {})
    return kept.get(key)


def keep_view(**changes: str | int | None) -> None:
    """Remember what is looked at; None forgets."""
    kept = dict(st.session_state.get(_VIEW, {}))
    for key, value in changes.items():
        if value is None:
            kept.pop(key, None)
        else:
            kept[key] = str(value)
    st.session_state[_VIEW] = kept


def look_at(doc_id: str) -> None:
    """Look at a document; a chunk number belongs to the one it was picked in."""
    if doc_id != view("doc"):
        keep_view(doc=doc_id, chunk=None)


def read_address() -> None:
    """At the start of a session, take over what the link says; say, during the first stay, what in it cannot be used."""
    if _CONFIG not in st.session_state:
        given = dict(st.query_params)
        known = _settings_in(given)
        keep_view(**{key: value for key, value in given.items() if key in VIEW_KEYS})
        kept, faults = _begin_with({key: value for key, value in given.items() if key in known})
        keep_config(kept)
        faults += _not_known(given.keys() - known - {*VIEW_KEYS, RETURNED, ASKED, SNAPSHOT_KEY})
        st.session_state[_FAULTS] = (arrival(), faults)
    elif RETURNED in st.query_params:
        _return_to({key: value for key, value in st.query_params.items() if key in VIEW_KEYS})
    arrived, faults = st.session_state.get(_FAULTS, (0, []))
    if faults and arrived == arrival():
        st.warning("\n\n".join(plain(fault) for fault in faults), icon=":material/link_off:")


def _return_to(seen: Mapping[str, str]) -> None:
    """Look at what stood in an entry of the browser's history. Settings stay as they are: Back undoes no move of a
    slider.
    """
    st.session_state[_VIEW] = dict(seen)
    st.session_state[_TURN] = turn() + 1
    arrive_again()


def turn() -> int:
    """How often the user went back or forward: another number means that what is looked at has come from the address."""
    number: int = st.session_state.get(_TURN, 0)
    return number


def _settings_in(given: Mapping[str, str]) -> set[str]:
    """Keys of the settings that are taken from a link, as the link spells them: earlier names are read too."""
    settable = {setting.key for setting in settings()} - _unlinked(
        {current_key(key): value for key, value in given.items()}
    )
    return {key for key in given if category_key(key) or current_key(key) in settable}


def _unlinked(given: Mapping[str, str]) -> frozenset[str]:
    """Settings that no link carries; the model too where it is a server's, to which texts would go before anybody was
    asked.
    """
    remote = remote_name(given.get("embedding.model", "")) is not None
    return NEVER_LINKED | {"embedding.model"} if remote else NEVER_LINKED


def _begin_with(given: Mapping[str, str]) -> tuple[Config, list[str]]:
    """The settings of a link, else those that the app was started with; what no link carries is theirs in either case."""
    kept, faults = _from_link(given)
    try:
        start = start_settings()
        if not given:
            return start, faults
        changed = start.changed()
        own = _unlinked(changed) & (changed.keys() - given.keys())
        return Config.from_settings({key: changed[key] for key in own}, kept), faults
    except ConfigError as error:
        return kept, [*faults, shortened(str(error), _LONGEST)]


def _from_link(given: Mapping[str, str]) -> tuple[Config, list[str]]:
    """All settings at once, since some depend on others, but those that cannot be used; a sentence for each of these.

    Where many cannot, none is: a link may hold a thousand.
    """
    left: dict[str, object] = dict(given)
    faults: list[str] = []
    while len(faults) < _MOST_FAULTS:
        try:
            left = current_settings(left, where="The link")
            made = Config.from_settings(left)
            check_names(made)
            return made, faults
        except ConfigError as error:
            faults.append(shortened(f"A setting in the link is not valid. {error}", _LONGEST))
            wrong = error.where if error.where in left else next(reversed(left))
            left.pop(wrong)
            if wrong.endswith("splitter"):  # without one there is nothing that its strategy could call
                left.pop(f"{wrong.removesuffix('splitter')}strategy", None)
    faults.append("The link is too damaged, so none of its settings are used; ask for a new copy.")
    return Config(), faults


def _not_known(keys: Iterable[str]) -> list[str]:
    names = sorted(keys)
    if not names:
        return []
    settable = {setting.key for setting in settings()}
    allowed = [
        f"{name} (a link cannot allow that; set it here)" if current_key(name) in settable else name for name in names
    ]
    return [shortened(f"Parts of the link are ignored here: {', '.join(allowed)}.", _LONGEST)]


def linkable(changed: Mapping[str, str]) -> dict[str, str]:
    """Of some settings, by their keys, those that a link may carry."""
    return {key: value for key, value in changed.items() if key not in _unlinked(changed)}


def write_address() -> None:
    """Put the configuration and the view into the address."""
    wanted = (
        {key: value for key in VIEW_KEYS if (value := view(key)) is not None} | linkable(config().changed()) | linked()
    )
    if dict(st.query_params) != wanted:
        st.query_params.from_dict(wanted)
