"""The operator's overview: faults, versions and settings of the server; people, jobs, disk, recent activity."""

from __future__ import annotations

import platform
import shutil
import time
from dataclasses import dataclass
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd
import streamlit as st

from chunking.deployment.directory import SCHEMA_VERSION
from chunking.deployment.operator_sources import operator_rows, settings_sources, variable
from chunking.deployment.quotas import existing_folder
from chunking.display import GIGABYTE, bytes_text
from chunking.text.byte_caches import cached_bytes
from chunking.versions import PARSING_VERSION, RETRIEVAL_VERSION, SPLITTING_VERSION
from components.kit.button import button
from components.kit.clock import clock_time, moment_text
from components.kit.wording import quantity
from components.session.host import deployment
from components.session.jobs import jobs
from hosting.health.checks import Finding, examine
from hosting.operators.operator_actions import OperatorActions
from hosting.people.identity import hosted, operator_actions
from hosting.quotas.disk_use import KEPT

__all__ = ["activity_list", "overview", "server_state", "settings_table"]

_STYLE = Path(__file__).parent / "operator.css"

_MOST = 200

_CHECKED = "operator.checked"
"""Session key: (time, findings) of the last check."""
_PACKAGES = ("chunkscope", "streamlit", "lancedb", "torch", "openvino")


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
    """Draw a table of the latest activity in all workspaces; names of documents etc. are hidden."""
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


def server_state() -> None:
    """Draw a button that runs the checks of `chunkscope doctor`, last findings, and versions."""
    health, versions = st.columns([3, 2], gap="large")
    with health:
        _health()
    with versions:
        _versions()


def _health() -> None:
    about = "Runs the checks of chunkscope doctor, which open every workspace."
    if button("Check now", key="operator.check", icon=":material/health_and_safety:", help=about):
        operator_actions()
        with st.spinner("Checking the deployment …"):
            st.session_state[_CHECKED] = (time.time(), list(examine(hosted(), st.get_option)))
    if _CHECKED not in st.session_state:
        st.caption(
            "Checks the folder and its disk, the list of people, every workspace, the model, the packages "
            "and the sign-in."
        )
        return
    at, findings = st.session_state[_CHECKED]
    wrong = sum(not one.well for one in findings)
    summary = "Nothing is wrong" if not wrong else f"{wrong} of {len(findings)} checks failed"
    st.markdown(f"**{summary}** · {moment_text(at)}")
    st.html(f'<ul class="op-health">{"".join(_line(one) for one in sorted(findings, key=lambda one: one.well))}</ul>')


def _line(one: Finding) -> str:
    return f'<li class="{"" if one.well else "op-wrong"}"><b>{"✓" if one.well else "✗"}</b>{escape(one.what)}</li>'


def _versions() -> None:
    rows = [
        *((name, _version(name)) for name in _PACKAGES),
        ("Python", platform.python_version()),
        ("Database schema version", str(SCHEMA_VERSION)),
        ("Results: parsing, splitting, retrieval", f"{PARSING_VERSION}, {SPLITTING_VERSION}, {RETRIEVAL_VERSION}"),
    ]
    st.markdown("\n".join(["| Part | Version |", "|---|---|", *(f"| {name} | {number} |" for name, number in rows)]))
    st.caption(f"Documents and questions cached in memory: {bytes_text(cached_bytes())}.")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def settings_table() -> None:
    """Draw a table of the operator's settings, those set first."""
    sources, settings = settings_sources(), deployment().settings
    rows = sorted(operator_rows(), key=lambda row: (row.part, row.name) not in sources)
    table = pd.DataFrame(
        {
            "Setting": [row.title for row in rows],
            "Value": [_shown(getattr(getattr(settings, row.part), row.name), row.unit) for row in rows],
            "Set by": [sources.get((row.part, row.name)) or "default" for row in rows],
            "Variable": [variable(row) for row in rows],
            "What it does": [row.help for row in rows],
        }
    )
    column = st.column_config
    st.dataframe(
        table,
        hide_index=True,
        height=420,
        key="operator.settings",
        column_config={
            "Setting": column.TextColumn(width=140),
            "Value": column.TextColumn(width=190, help="Current value, read at the server's start, with its unit."),
            "Set by": column.TextColumn(
                width=190, help="An environment variable overrides the file; without either, the default applies."
            ),
            "Variable": column.TextColumn(width=220, help="Set it, or the line in the file, and restart the server."),
            "What it does": column.TextColumn(width="large"),
        },
    )
    st.caption(
        "These are read when the server starts. Secrets are not among them: they are in .streamlit/secrets.toml and "
        "are not shown here."
    )


def _shown(value: object, unit: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)
    return f"{text} {unit}".strip() or "not set"
