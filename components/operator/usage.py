"""What workspaces hold, looked at once in a while: it is added up from all their files."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from chunking.deployment.operator.operating import Operating
from chunking.deployment.people.usage import Measured, PersonUsage, measured
from chunking.store.copies.workspace_files import folder_bytes
from components.session.identity import deployment

__all__ = ["KEPT", "DiskUsage", "disk_usage", "people_usage", "size"]

KEPT = 30
"""Seconds for which a size is believed."""
_GIGABYTE = 10**9


@dataclass(frozen=True, slots=True)
class DiskUsage:
    """The disk of the home folder, in bytes."""

    total: int
    free: int
    home: int
    """Of all files of the deployment, each counted once."""
    floor: int
    """Free space under which nothing new is begun."""
    most: int
    """That all workspaces may take; 0 for no limit of its own."""

    @property
    def others(self) -> int:
        """What is not the deployment's."""
        return max(0, self.total - self.free - self.home)


def people_usage(operating: Operating) -> list[PersonUsage]:
    """Everybody as the list of people has them now, with sizes that are up to `KEPT` seconds old."""
    return operating.usage(lambda folder: _measured(str(folder)))


@st.cache_data(ttl=KEPT, max_entries=10_000, show_spinner=False)
def _measured(folder: str) -> Measured:
    return measured(Path(folder))


@st.cache_data(ttl=KEPT, max_entries=4, show_spinner=False)
def _folder(home: str) -> int:
    return folder_bytes(home)


def disk_usage() -> DiskUsage:
    """As it is now; what the deployment takes of it is up to `KEPT` seconds old."""
    settings = deployment().settings
    there = next((one for one in (settings.home, *settings.home.absolute().parents) if one.is_dir()), Path("/"))
    facts = shutil.disk_usage(there)
    limits = settings.limits
    return DiskUsage(
        facts.total, facts.free, _folder(str(settings.home)), round(limits.free_disk * _GIGABYTE), round(limits.disk * _GIGABYTE)
    )


def size(number: float) -> str:
    """Bytes as people say them.

    >>> size(300), size(51_000), size(5 * 10**6), size(1.5 * 10**9)
    ('300 bytes', '51 kB', '5.0 MB', '1.5 GB')
    """
    if number < 1_000:
        return f"{number:.0f} bytes"
    for least, unit, places in ((_GIGABYTE, "GB", 1), (10**6, "MB", 1)):
        if number >= least:
            return f"{number / least:,.{places}f} {unit}"
    return f"{number / 1_000:,.0f} kB"
