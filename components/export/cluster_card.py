"""Card that makes a job for a cluster: its sample, why there is none, and the file."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from chunking.display import bytes_text
from chunking.export import Export, Material, find_export
from chunking.export.cluster_job.job_files import why_no_job
from chunking.export.cluster_job.job_sample import MOST_DOCUMENTS
from components.export.document_choice import document_choice
from components.export.export_cards import card, file_bytes, input_key
from components.kit.button import button
from components.kit.wording import plain
from components.session.page.page_frame import sentences

__all__ = ["cluster_job_card"]

_JOB = "export.cluster-job.made"
"""Name in the session of the job that was made, with the key of its input."""


def cluster_job_card(material: Material) -> None:
    """Draw the card that makes the job: sample or why there is none, button, and the file."""
    row = find_export("cluster-job")
    good_for = (
        "For more documents than one machine can index: these settings, the command and recipes for Ray, and a check "
        "that the cluster makes the same chunks."
    )
    with card("cluster-job", "Cluster job", "lan", good_for):
        reason = why_no_job(material)
        if reason:
            st.caption(f":material/block: {plain(reason)}")
        else:
            sample = document_choice(
                material,
                "Documents of the sample",
                key="export.cluster-job.sample",
                most=MOST_DOCUMENTS,
                none="The first five",
                files=True,
            )
            material = replace(material, sample=sample)
            st.caption("The file contains the sample's documents as they are.")
        key = (*input_key(material, row), material.sample)
        stored: tuple[object, bytes] | None = st.session_state.get(_JOB)
        if stored is not None and stored[0] == key and not reason:
            _file_download(row, stored[1])
        elif button(
            "Create the job", icon=":material/lan:", key="export.cluster-job.make", about=key, disabled=bool(reason)
        ):
            with sentences(), st.spinner("Splitting the sample again …"):
                st.session_state[_JOB] = key, file_bytes(material, row)
                st.rerun()


def _file_download(row: Export, data: bytes) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.download_button(
            f"Download {row.file}",
            data,
            row.file,
            row.mime,
            on_click="ignore",
            icon=":material/download:",
            type="primary",
            key=f"export.download.{row.name}",
        )
        st.caption(bytes_text(len(data)), width="content")
