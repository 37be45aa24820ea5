"""The server for operators: faults, versions, and the current settings with their sources."""

from __future__ import annotations

import platform
import time
from html import escape
from importlib.metadata import PackageNotFoundError, version

import pandas as pd
import streamlit as st

from chunking.deployment.directory import SCHEMA_VERSION
from chunking.deployment.operator_sources import operator_rows, settings_sources, variable
from chunking.display import bytes_text
from chunking.text.byte_caches import cached_bytes
from chunking.versions import PARSING_VERSION, RETRIEVAL_VERSION, SPLITTING_VERSION
from components.kit.button import button
from components.kit.clock import moment_text
from components.session.host import deployment
from hosting.health.checks import Finding, examine
from hosting.people.identity import hosted, operator_actions

__all__ = ["server_state", "settings_table"]

_CHECKED = "operator.checked"
"""Session key: (time, findings) of the last check."""
_PACKAGES = ("chunkscope", "streamlit", "lancedb", "torch", "openvino")


def server_state() -> None:
    """Draw the checks of `chunkscope doctor`, next to the versions."""
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
