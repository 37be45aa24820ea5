"""The server: whether anything is wrong with it, and which versions run."""

from __future__ import annotations

import platform
import time
from html import escape
from importlib.metadata import PackageNotFoundError, version

import streamlit as st

from chunking.deployment.directory import SCHEMA_VERSION
from chunking.text.byte_caches import cached_bytes
from chunking.text.byte_sizes import bytes_text
from chunking.versions import PARSING_VERSION, RETRIEVAL_VERSION, SPLITTING_VERSION
from components.kit.button import button
from components.kit.clock import said
from hosting.health.checks import Finding, examine
from hosting.people.identity import hosted, operator_actions

__all__ = ["server_state"]

_CHECKED = "operator.checked"
"""Session key: (time, findings) of the last check."""
_PACKAGES = ("chunkscope", "streamlit", "lancedb", "torch", "openvino")


def server_state() -> None:
    """The checks of `chunkscope doctor`, and the versions beside them."""
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
    st.markdown(f"**{summary}** · {said(at)}")
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
