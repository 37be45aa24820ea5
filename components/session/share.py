"""Configuration and view of the session, and the address that restores both in another session.

Settings have their command-line names in the address, and only those that differ from the defaults:
`?doc=handbook&size=300&search.k=10`, with the view (document, chunk, query, index). A session without a link begins
with the settings of `chunkscope app --config`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import streamlit as st

from chunking.config import Config, remote_name, settings
from chunking.config.renamed_settings import current_key, current_settings
from chunking.config.settings import category_key
from chunking.deployment.deployment import SNAPSHOT_KEY
from chunking.deployment.forbidden_settings import check_names
from chunking.errors import ConfigError
from components.kit.wording import plain, shortened
from components.session.current_workspace import ASKED, linked
from components.session.host import deployment
from components.session.page.page_frame import arrival, arrive_again, current_page
from components.streamlit_patches.rerun_requests import RETURNED

__all__ = [
    "config",
    "is_link_to_chunks",
    "keep_config",
    "keep_view",
    "linkable",
    "look_at",
    "read_address",
    "turn",
    "view",
    "write_address",
]

VIEW_KEYS = ("doc", "chunk", "index", "q", "where", "show", "with", "questions", "run", "against", "compare", "review")
"""URL parameters of the view: document id, chunk number, index name, query, filters, view of a search and what it is
compared with, question set, key of a run and of the one it is compared with, settings whose boundaries are compared,
live index whose candidate is reviewed."""

AT_HOME = "home"
"""URL parameter of the front page's address with settings: without a page, such an address is a link to Chunks."""

NEVER_LINKED = frozenset(
    {
        "embedding.allow_download",
        "search.rerank_model",
        "enrich.context_prompt",
        "enrich.summary_prompt",
        "enrich.table_prompt",
    }
)
"""Settings that no link may carry, as whoever opens it has not consented: it could make the server download a model (a
search downloads its cross-encoder if its index allowed downloads), or set a language model's prompts. Prompts are also
too long for an address."""

_LONGEST = 300
"""Most characters of a sentence about a link, as an address may hold anything."""
_MOST_FAULTS = 10
"""Most invalid settings of a link removed one by one, each with a validation of the rest."""
_TURN = "share.turn"
_CONFIG = "share.config"
_VIEW = "share.view"
_FAULTS = "share.faults"


def config() -> Config:
    """Return the current settings of this session; the defaults if none are set."""
    kept: Config = st.session_state.get(_CONFIG) or Config()
    return kept


def keep_config(new: Config) -> None:
    """Set the current settings of this session, for all pages."""
    st.session_state[_CONFIG] = new


def view(key: str) -> str | None:
    """Return the session's value of one of VIEW_KEYS; None if unset."""
    kept: dict[str, str] = st.session_state.get(_VIEW, {})
    return kept.get(key)


def keep_view(**changes: str | int | None) -> None:
    """Set session values of VIEW_KEYS, which is not checked, as text; None removes one."""
    kept = dict(st.session_state.get(_VIEW, {}))
    for key, value in changes.items():
        if value is None:
            kept.pop(key, None)
        else:
            kept[key] = str(value)
    st.session_state[_VIEW] = kept


def look_at(doc_id: str) -> None:
    """Choose the document to show; if it is another one, remove the chunk number."""
    if doc_id != view("doc"):
        keep_view(doc=doc_id, chunk=None)


def is_link_to_chunks() -> bool:
    """True if the link of a new session names settings or a view but no page: it is to Chunks.

    Such links are older than the front page, and agents are given them.
    """
    query = dict(st.query_params)
    return (
        _CONFIG not in st.session_state
        and AT_HOME not in query
        and bool(_settings_in(query) or query.keys() & set(VIEW_KEYS))
    )


def read_address() -> None:
    """Take settings and view from the link in a new session, and draw warnings about it.

    Warnings name invalid settings and unknown parameters. After the browser's Back or Forward, take the view only.
    """
    if _CONFIG not in st.session_state:
        query = dict(st.query_params)
        settable_keys = _settings_in(query)
        keep_view(**{key: value for key, value in query.items() if key in VIEW_KEYS})
        kept, faults = _begin_with({key: value for key, value in query.items() if key in settable_keys})
        keep_config(kept)
        faults += _not_known(query.keys() - settable_keys - {*VIEW_KEYS, AT_HOME, RETURNED, ASKED, SNAPSHOT_KEY})
        st.session_state[_FAULTS] = (arrival(), faults)
    elif RETURNED in st.query_params:
        _return_to({key: value for key, value in st.query_params.items() if key in VIEW_KEYS})
    arrived, faults = st.session_state.get(_FAULTS, (0, []))
    if faults and arrived == arrival():
        st.warning("\n\n".join(plain(fault) for fault in faults), icon=":material/link_off:")


def _return_to(query: Mapping[str, str]) -> None:
    """Restore the view of an entry of the browser's history; settings stay, as Back undoes no slider."""
    st.session_state[_VIEW] = dict(query)
    st.session_state[_TURN] = turn() + 1
    arrive_again()


def turn() -> int:
    """Return how often the user went back or forward; each time, the view comes from the address."""
    number: int = st.session_state.get(_TURN, 0)
    return number


def _settings_in(query: Mapping[str, str]) -> set[str]:
    """Return the keys of settings that a link may set, spelled as in the link; old names count."""
    settable = {setting.key for setting in settings()} - _unlinked(
        {current_key(key): value for key, value in query.items()}
    )
    return {key for key in query if category_key(key) or current_key(key) in settable}


def _unlinked(query: Mapping[str, str]) -> frozenset[str]:
    """Return the settings that no link may set; also the model if it is a server's.

    Texts would go to that server before anybody has agreed.
    """
    remote = remote_name(query.get("embedding.model", "")) is not None
    return NEVER_LINKED | {"embedding.model"} if remote else NEVER_LINKED


def _begin_with(query: Mapping[str, str]) -> tuple[Config, list[str]]:
    """Return the settings of a link, or those that the app was started with.

    Settings that no link may carry come from the latter in either case.
    """
    kept, faults = _from_link(query)
    try:
        start = start_settings()
        if not query:
            return start, faults
        changed = start.changed()
        own = _unlinked(changed) & (changed.keys() - query.keys())
        return Config.from_settings({key: changed[key] for key in own}, kept), faults
    except ConfigError as error:
        return kept, [*faults, shortened(str(error), _LONGEST)]


def _from_link(query: Mapping[str, str]) -> tuple[Config, list[str]]:
    """Validate a link's settings together, dropping invalid ones with a sentence each.

    With too many invalid ones none is used, as a link may hold a thousand.
    """
    left: dict[str, object] = dict(query)
    faults: list[str] = []
    while len(faults) < _MOST_FAULTS:
        try:
            left = current_settings(left, where="The link")
            linked_config = Config.from_settings(left)
            check_names(linked_config)
            return linked_config, faults
        except ConfigError as error:
            faults.append(shortened(f"A setting in the link is not valid. {error}", _LONGEST))
            wrong = error.where if error.where in left else next(reversed(left))
            left.pop(wrong)
            if wrong.endswith("splitter"):  # its strategy cannot run without it
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
    """Return the settings without those that no link may carry, by key."""
    return {key: value for key, value in changed.items() if key not in _unlinked(changed)}


def write_address() -> None:
    """Write view, changed settings and workspace to the address, if they differ from it."""
    address = {key: value for key in VIEW_KEYS if (value := view(key)) is not None} | linkable(config().changed())
    if address and not current_page():
        address[AT_HOME] = "1"
    address |= linked()
    if dict(st.query_params) != address:
        st.query_params.from_dict(address)


def start_settings() -> Config:
    """Return the settings in the file of CHUNKSCOPE_CONFIG; defaults without one, or if shared.

    Raises:
        ConfigError: the file cannot be read, or a setting in it is invalid.
    """
    file = os.environ.get("CHUNKSCOPE_CONFIG")
    if not file or deployment().settings.shared:
        return Config()
    return Config.from_file(file)
