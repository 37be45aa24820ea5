"""How far a session is in the guide, and what it had set before: nothing of the user's own is lost to a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from chunking.config import Config
from chunking.samples import SAMPLE_SET
from components.search.search_field import keep_query
from components.session import share
from components.session.bounded_set import BoundedSet
from components.session.identity import asker
from components.session.questions.question_state import set_names
from components.session.samples import holds_only_samples
from components.session.workspace import workspace

__all__ = ["Progress", "back", "close", "closed", "has_samples", "open_again", "progress", "set_progress", "take_step"]

_PROGRESS = "guide.progress"


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a session is."""

    present: int = 0
    """The step that was clicked last, from 1; 0 before the first."""
    done: frozenset[int] = frozenset()
    before: tuple[Config, Mapping[str, str | None]] | None = None
    """Configuration and view before the first step; None where they are in force."""
    given: Config | None = None
    """The configuration that the last step set."""
    estimation: int | None = None
    """Number of the estimation whose best the guide is to have measured, once it has ended."""


def progress() -> Progress:
    """Of this session."""
    kept: Progress = st.session_state.get(_PROGRESS) or Progress()
    return kept


def set_progress(**changes: object) -> None:
    """Change some of it."""
    st.session_state[_PROGRESS] = replace(progress(), **changes)  # type: ignore[arg-type]


def take_step(number: int, config: Config, view: Mapping[str, str | None], query: str | None = None) -> None:
    """Put a step's settings in force; what was in force before the first step, or was changed since the last, is kept for `back`.

    Args:
        view: what is looked at, by the keys of a link.
        query: what is searched; None: as before.
    """
    now = progress()
    before = now.before if now.before is not None and share.config() == now.given else _in_force()
    set_progress(present=number, done=now.done | {number}, before=before, given=config)
    share.keep_config(config)
    share.keep_view(**view)
    if query is not None:
        keep_query(query)


def _in_force() -> tuple[Config, dict[str, str | None]]:
    return share.config(), {key: share.view(key) for key in share.VIEW_KEYS}


def back() -> None:
    """Put in force what was before the guide; settings that were changed since its last step are the user's own, and stay."""
    now = progress()
    if now.before is not None:
        config, view = now.before
        if share.config() == now.given:
            share.keep_config(config)
        share.keep_view(**view)
        keep_query(view.get("q"))
    set_progress(before=None, given=None, present=0)


def has_samples() -> bool:
    """The workspace is the samples, with their questions."""
    return holds_only_samples(workspace()) and SAMPLE_SET in set_names()


def closed() -> bool:
    """Its person has closed it for this workspace, in this server's life; others who work there see it still."""
    return _mine() in _closed()


def close() -> None:
    """Close it, and put in force what was before it."""
    back()
    _closed().add(_mine())


def open_again() -> None:
    """Open it where it was closed."""
    _closed().discard(_mine())


def _mine() -> tuple[str, str]:
    person = asker()
    return workspace().uri, person.id if person else ""


@st.cache_resource(show_spinner=False)
def _closed() -> BoundedSet:
    """Workspaces by their address, with who has closed it there."""
    return BoundedSet()
