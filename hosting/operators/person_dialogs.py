"""Dialogs that say what happens to a person, and do it after a click."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking.deployment import Person
from chunking.display import first_names
from chunking.errors import ChunkscopeError
from components.kit.button import button
from components.kit.wording import plain, quantity
from components.session.jobs import jobs
from components.session.page.page_frame import dialog, sentences
from hosting.operators.operator_actions import OperatorActions
from hosting.people.identity import hosted, operator_actions

__all__ = ["delete_dialog", "sign_out_dialog", "suspend_dialog"]

_BIN = "To the bin"
_NAMED = 5
"""Workspaces that the dialog names."""


@dialog("Sign out", asks=operator_actions)
def sign_out_dialog(person: Person) -> None:
    """Ends the sign-ins, not the account."""
    st.markdown(
        f"**{plain(person.name)}** must sign in again in every browser, from the next click on. Their jobs keep "
        "running."
    )
    _done("Sign out", lambda by: by.sign_out(person.id))


def suspend_dialog(person: Person) -> None:
    """Keeps somebody out, or lets them in again."""
    dialog("Admit" if person.suspended else "Suspend", asks=operator_actions)(_suspension)(person)


def _suspension(person: Person) -> None:
    if person.suspended:
        st.markdown(f"**{plain(person.name)}** can sign in again and has the same roles as before.")
        _done("Admit", lambda by: by.suspend(person.id, False))
        return
    st.markdown(
        f"**{plain(person.name)}** is locked out from the next click on. Workspaces and roles stay; others can keep "
        f"working in them. {_jobs_stop(person)}"
    )
    _done("Suspend", lambda by: _suspend(by, person))


def _suspend(by: OperatorActions, person: Person) -> None:
    by.suspend(person.id)
    _stop_jobs(person)


@dialog("Delete a person", asks=operator_actions, width="medium")
def delete_dialog(person: Person) -> None:
    """Names what goes, and where to."""
    with sentences():
        _delete(person)


def _delete(person: Person) -> None:
    going = operator_actions().preview_deletion(person.id)
    address = f" ({plain(person.email)})" if person.email else ""
    st.markdown(f"**{plain(person.name)}**{address} is removed from the list of people.")
    heir = ""
    if going.owned:
        names = first_names([f"“{plain(name)}”" for _, name in going.owned], _NAMED)
        st.markdown(f"{quantity(len(going.owned), 'workspace')} that nobody else owns: {names}.")
        heir = _heir(person)
        days = hosted().settings.sharing.bin_days
        if not heir:
            st.caption(
                f"The workspaces are deleted for good after {quantity(days, 'day')}. Until then only this person can "
                "restore them, after signing in again."
            )
    endings = [
        f"{quantity(going.roles, 'role')} in workspaces of others" if going.roles else "",
        f"{quantity(going.invitations, 'unused invitation')}" if going.invitations else "",
    ]
    ends = " and ".join(part for part in endings if part)
    if ends:
        st.markdown(f"Also ended: {ends}.")
    st.markdown(f"{_jobs_stop(person)} Sign-ins end in every browser.".strip())
    st.caption(
        "A deleted person can sign in again as a new one. To lock them out, suspend them instead, or remove them at "
        "the provider first."
    )
    _done("Delete", lambda by: _really_delete(by, person, heir))


def _heir(person: Person) -> str:
    """Who gets the workspaces; empty for the bin."""
    others = {one.id: one for one in hosted().people.all() if one.id != person.id and not one.suspended}

    def named(id: str) -> str:
        return f"To {others[id].name} · {others[id].email}" if id else _BIN

    return st.selectbox("Their workspaces go", ["", *others], format_func=named, key=f"operator.heir.{person.id}") or ""


def _really_delete(by: OperatorActions, person: Person, heir: str) -> None:
    binned = by.delete(person.id, heir)
    _stop_jobs(person)
    for id in binned:
        jobs().leave(str(hosted().workspaces.place(id)))


def _jobs_stop(person: Person) -> str:
    number = sum(job.person == person.id for job in jobs().queued)
    return f"{quantity(number, 'job')} of this person {'is' if number == 1 else 'are'} stopped." if number else ""


def _stop_jobs(person: Person) -> None:
    for job in jobs().queued:
        if job.person == person.id:
            jobs().cancel(job)


def _done(label: str, act: Callable[[OperatorActions], object]) -> None:
    """The button that closes the dialog once it has worked; else its sentence stands here."""
    if not button(label, type="primary", key="operator.done"):
        return
    try:
        act(operator_actions())
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.rerun()
