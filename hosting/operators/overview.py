"""The operator's overview: people, jobs, disk, and recent activity without names of documents."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pandas as pd
import streamlit as st

from chunking.deployment.quotas import existing_folder
from chunking.display import GIGABYTE, bytes_text
from components.kit.clock import clock_time
from components.kit.wording import quantity
from components.session.jobs import jobs
from hosting.operators.operator_actions import OperatorActions
from hosting.people.identity import hosted
from hosting.quotas.disk_use import KEPT

__all__ = ["activity_list", "overview"]

_STYLE = Path(__file__).parent / "operator.css"

_MOST = 200


@dataclass(frozen=True, slots=True)
class _DiskUsage:
    """Disk of the home folder, in bytes."""

    total: int
    free: int
    home: int
    """All files of the deployment, each counted once."""
    floor: int
    """Free space below which nothing new begins."""
    most: int
    """Limit for all workspaces together; 0 for none."""

    @property
    def others(self) -> int:
        """Bytes of other files on the disk."""
        return max(0, self.total - self.free - self.home)


def overview(actions: OperatorActions) -> None:
    """Draw the numbers of people, workspaces and jobs, and the disk as a bar."""
    st.html(_STYLE)
    people, workspaces = hosted().people.all(), actions.workspace_names()
    queued = jobs().queued
    running = sum(job.running for job in queued)
    suspended = sum(person.suspended for person in people)
    facts = (
        (len(people), "person", "people", f"{suspended:,} suspended" if suspended else ""),
        (len(workspaces), "workspace", "workspaces", ""),
        (running, "job running", "jobs running", f"{len(queued) - running:,} waiting"),
    )
    shown = "".join(_fact(*fact) for fact in facts)
    st.html(f'<div class="op-top"><div class="op-facts">{shown}</div>{_disk_bar(_disk_usage())}</div>')


def _fact(number: int, one: str, several: str, more: str) -> str:
    """Return a large number before its noun, with a detail below.

    >>> _fact(1, "person", "people", "")
    '<div><b>1</b> person<small></small></div>'
    >>> _fact(0, "person", "people", "")
    '<div><b>0</b> people<small></small></div>'
    """
    return f"<div><b>{number:,}</b> {one if number == 1 else several}<small>{more}</small></div>"


def _disk_usage() -> _DiskUsage:
    """Return the disk's usage now; the deployment's size is up to `KEPT` seconds old."""
    here = hosted()
    disk, limits = shutil.disk_usage(existing_folder(here.settings.home)), here.settings.limits
    return _DiskUsage(
        disk.total,
        disk.free,
        here.quotas.used_by_all(),
        round(limits.free_disk * GIGABYTE),
        round(limits.disk * GIGABYTE),
    )


def _disk_bar(disk: _DiskUsage) -> str:
    """Return the disk as a bar with a legend, and a mark at the free space below which nothing new begins."""
    parts = (
        ("home", "Chunkscope", disk.home),
        ("others", "other files", disk.others),
        ("free", "free", disk.free),
    )
    total = max(1, disk.total)
    bars = "".join(f'<i class="op-{key}" style="width:{100 * size / total:.2f}%"></i>' for key, _, size in parts)
    floor = f'<u style="right:{min(100, 100 * disk.floor / total):.2f}%"></u>'
    legend = "".join(f'<span><i class="op-{key}"></i>{noun} {bytes_text(size)}</span>' for key, noun, size in parts)
    most = (
        f"All workspaces together may use {bytes_text(disk.most)}."
        if disk.most
        else "Workspaces are limited only by the disk."
    )
    low = disk.free < disk.floor
    mark = (
        f'<span class="op-low">⚠ under the {bytes_text(disk.floor)} that is kept free: nothing new begins</span>'
        if low
        else (f"<span><u></u>{bytes_text(disk.floor)} is kept free</span>")
    )
    tooltip = (
        f"Disk of the home folder, {bytes_text(disk.total)}. {most} Sizes of files are added up at most every "
        f"{quantity(KEPT, 'second')}."
    )
    spoken = f"Disk: {', '.join(f'{noun} {bytes_text(size)}' for _, noun, size in parts)}, of {bytes_text(disk.total)}."
    return (
        f'<div class="op-disk" title="{escape(tooltip)}"><div class="op-bar" role="img" '
        f'aria-label="{escape(spoken)}">{bars}{floor}</div>'
        f'<div class="op-legend"><span><b>Disk {bytes_text(disk.total)}</b></span>{legend}{mark}</div></div>'
    )


def activity_list(actions: OperatorActions) -> None:
    """Draw the latest activity of all workspaces."""
    lines, names = actions.activity(most=_MOST), actions.workspace_names()
    if not lines:
        st.caption("No activity yet.")
        return
    people = hosted().people.names()
    table = pd.DataFrame(
        {
            "When": [clock_time(line.at) for line in lines],
            "Who": [people.get(line.person, "A deleted person") for line in lines],
            "What": [f"{line.what} …" if line.name else line.what for line in lines],
            "Workspace": [names.get(line.workspace, "a deleted workspace") for line in lines],
        }
    )
    column = st.column_config
    st.dataframe(
        table,
        hide_index=True,
        height=min(len(lines), 14) * 35 + 38,
        key="operator.activity",
        column_config={
            "When": column.DatetimeColumn(width=150, format="D MMM YYYY, HH:mm", help="On your clock."),
            "Who": column.TextColumn(width=180),
            "What": column.TextColumn(width=300, help="“…” replaces a name that only people in the workspace can see."),
            "Workspace": column.TextColumn(width=220),
        },
    )
    st.caption(f"At most the last {_MOST:,} lines; each workspace keeps all of its own.")
