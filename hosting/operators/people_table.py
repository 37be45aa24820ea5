"""Table of people and their usage, and the dialogs of an operator's actions."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

import pandas as pd
import streamlit as st

from chunking.deployment import Person, SignIn
from chunking.display import GIGABYTE, MEGABYTE, bytes_text, first_names
from chunking.errors import ChunkscopeError
from components.kit.button import button
from components.kit.clock import clock_time
from components.kit.pick_table import pick_row
from components.kit.wording import plain, quantity
from components.session.host import host
from components.session.jobs import jobs
from components.session.page.page_frame import dialog, sentences
from hosting.operators.operator_actions import OperatorActions
from hosting.people.identity import hosted, operator_actions
from hosting.quotas.disk_use import KEPT
from hosting.quotas.usage import FolderUsage, PersonUsage, measured

__all__ = ["people_table"]

_BARS = 8
"""Most people in the chart; the table has all."""
_ROWS = 10
"""Rows shown before the table scrolls."""
_OWN = "Counts towards the quota: each file of their workspaces, bin and snapshots once, even if others have copies."

_BIN = "To the bin"
_NAMED = 5
"""Most workspaces that the dialog names."""


def people_table(actions: OperatorActions) -> None:
    """Draw a table of people's usage, actions on the selected person above it, and a disk chart."""
    usage = _usage(actions)
    if not usage:
        st.caption("Nobody has signed in yet.")
        return
    acts = st.container(horizontal=True, vertical_alignment="center", gap="small", key="operator.acts")
    row = pick_row(
        _table(usage),
        key="operator.people",
        columns=_columns(hosted().settings.limits.person_disk),
        height=min(len(usage), _ROWS) * 35 + 38,
    )
    with acts:
        _acts(usage[min(row, len(usage) - 1)])
    _bars(usage)


def _usage(actions: OperatorActions) -> list[PersonUsage]:
    """Return the usage of all people now, with sizes up to `KEPT` seconds old."""
    return actions.usage(lambda folder: _measured(str(folder)))


@st.cache_data(ttl=KEPT, max_entries=10_000, show_spinner=False)
def _measured(folder: str) -> FolderUsage:
    return measured(Path(folder))


def _table(usage: list[PersonUsage]) -> pd.DataFrame:
    quota = hosted().settings.limits.person_disk * GIGABYTE
    return pd.DataFrame(
        {
            "Person": [one.person.name for one in usage],
            "E-mail": [one.person.email for one in usage],
            "State": [
                "Suspended" if one.person.suspended else "Operator" if hosted().is_operator(one.person) else ""
                for one in usage
            ],
            "Last seen": [clock_time(one.person.last_seen) for one in usage],
            "Workspaces": [len(one.workspaces) for one in usage],
            "Documents": [one.documents for one in usage],
            "Own": [one.disk / MEGABYTE for one in usage],
            "Of the quota": [100 * one.disk / quota for one in usage],
            "Linked": [one.linked / MEGABYTE for one in usage],
            "Requests": [one.requests for one in usage],
        }
    )


def _columns(quota: float) -> dict[str, object]:
    column = st.column_config
    return {
        "Person": column.TextColumn(width=130, help="The name from the sign-in."),
        "E-mail": column.TextColumn(width=180, help="The address verified by the sign-in."),
        "State": column.TextColumn(width=90, help="Suspended: kept out. Operator: named in CHUNKSCOPE_OPERATORS."),
        "Last seen": column.DatetimeColumn(
            width=130, format="D MMM YYYY, HH:mm", help="Last click, to the minute, on your clock."
        ),
        "Workspaces": column.NumberColumn(width=90, help="Workspaces that they own, without those in the bin."),
        "Documents": column.NumberColumn(width=90, help="In those workspaces."),
        "Own": column.NumberColumn("Own, MB", width=85, format="%.1f", help=_OWN),
        "Of the quota": column.ProgressColumn(
            width=120,
            format="%.1f %%",
            min_value=0,
            max_value=100,
            help=f"Their own bytes, of the {quota:g} GB that a person may use.",
        ),
        "Linked": column.NumberColumn(
            "Linked, MB", width=90, format="%.1f", help="Shared with copies: stored on the disk once."
        ),
        "Requests": column.NumberColumn(
            "Requests, 24 h", width=125, help="To the language model and the embedding server, in the last 24 hours."
        ),
    }


def _acts(one: PersonUsage) -> None:
    person, me = one.person, host().user()
    myself = me is not None and me.id == person.id
    st.markdown(f"**{plain(person.name)}**", width="content")
    proxy = hosted().settings.sharing.sign_in is SignIn.PROXY
    own = "You cannot do that to yourself." if myself else ""
    if button(
        "Sign out",
        key="operator.sign-out",
        about=person.id,
        icon=":material/logout:",
        disabled=proxy,
        help="The proxy signs people in: suspend them, or end their session there."
        if proxy
        else "They have to sign in again everywhere.",
    ):
        sign_out_dialog(person)
    word, icon = ("Admit", "person_check") if person.suspended else ("Suspend", "person_off")
    if button(
        word, key="operator.suspend", about=person.id, icon=f":material/{icon}:", disabled=myself, help=own or None
    ):
        suspend_dialog(person)
    if button(
        "Delete", key="operator.delete", about=person.id, icon=":material/delete:", disabled=myself, help=own or None
    ):
        delete_dialog(person)


def _bars(usage: list[PersonUsage]) -> None:
    """Draw the largest disk users: own bytes filled, linked ones striped."""
    largest = sorted((one for one in usage if one.disk + one.linked), key=lambda one: -(one.disk + one.linked))
    if not largest:
        return
    most = largest[0].disk + largest[0].linked
    rows = "".join(_bar(one, most) for one in largest[:_BARS])
    more = f"<span>{len(largest) - _BARS:,} more in the table</span>" if len(largest) > _BARS else ""
    st.markdown("**Disk by person**")
    st.html(
        f'<div class="op-legend"><span><i class="op-home"></i>own</span><span><i '
        f'class="op-linked"></i>linked (shared)</span>{more}'
        f'</div><div class="op-people">{rows}</div>'
    )


def _bar(one: PersonUsage, most: int) -> str:
    own, linked = (100 * part / most for part in (one.disk, one.linked))
    linked_bar = f'<i class="op-linked" style="width:{linked:.2f}%"></i>' if one.linked else ""
    return (
        f'<bdi>{escape(one.person.name)}</bdi><div class="op-line"><i class="op-home" '
        f'style="width:{own:.2f}%"></i>{linked_bar}</div>'
        f"<span>{bytes_text(one.disk)} own · {bytes_text(one.linked)} linked</span>"
    )


@dialog("Sign out", check=operator_actions)
def sign_out_dialog(person: Person) -> None:
    """Ask, then end a person's sign-ins in all browsers; the account stays."""
    st.markdown(
        f"**{plain(person.name)}** must sign in again in every browser, from the next click on. Their jobs "
        f"keep running."
    )
    _done("Sign out", lambda by: by.sign_out(person.id))


def suspend_dialog(person: Person) -> None:
    """Ask, then suspend a person and cancel their jobs, or admit a suspended one."""
    dialog("Admit" if person.suspended else "Suspend", check=operator_actions)(_suspension)(person)


def _suspension(person: Person) -> None:
    if person.suspended:
        st.markdown(f"**{plain(person.name)}** can sign in again and has the same roles as before.")
        _done("Admit", lambda by: by.suspend(person.id, False))
        return
    st.markdown(
        f"**{plain(person.name)}** is locked out from the next click on. Workspaces and roles stay; others "
        f"can keep working in them. {_jobs_stop(person)}"
    )
    _done("Suspend", lambda by: _suspend(by, person))


def _suspend(by: OperatorActions, person: Person) -> None:
    by.suspend(person.id)
    _stop_jobs(person)


@dialog("Delete a person", check=operator_actions, width="medium")
def delete_dialog(person: Person) -> None:
    """Ask for an heir of their workspaces, then delete a person and cancel their jobs."""
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
                f"The workspaces are deleted for good after {quantity(days, 'day')}. Until then only this "
                f"person can restore them, after signing in again."
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
        "A deleted person can sign in again as a new one. To lock them out, suspend them instead, or remove "
        "them at the provider first."
    )
    _done("Delete", lambda by: _really_delete(by, person, heir))


def _heir(person: Person) -> str:
    """Draw the choice of who gets the workspaces, and return their id; empty for the bin."""
    others = {one.id: one for one in hosted().people.all() if one.id != person.id and not one.suspended}

    def named(id: str) -> str:
        return f"To {others[id].name} · {others[id].email}" if id else _BIN

    return st.selectbox("Their workspaces go", ["", *others], format_func=named, key=f"operator.heir.{person.id}") or ""


def _really_delete(by: OperatorActions, person: Person, heir: str) -> None:
    binned = by.delete(person.id, heir)
    _stop_jobs(person)
    for id in binned:
        jobs().forget_workspace(str(hosted().workspaces.place(id)))


def _jobs_stop(person: Person) -> str:
    number = sum(job.person == person.id for job in jobs().queued)
    return f"{quantity(number, 'job')} of this person {'is' if number == 1 else 'are'} stopped." if number else ""


def _stop_jobs(person: Person) -> None:
    for job in jobs().queued:
        if job.person == person.id:
            jobs().cancel(job)


def _done(label: str, act: Callable[[OperatorActions], object]) -> None:
    """Draw the button that acts and closes the dialog; an error is shown in the dialog."""
    if not button(label, type="primary", key="operator.done"):
        return
    try:
        act(operator_actions())
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.rerun()
