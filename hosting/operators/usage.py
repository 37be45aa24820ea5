"""What workspaces hold, looked at once in a while: it is added up from all their files."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from chunking.deployment.quotas import existing_folder
from chunking.display import GIGABYTE
from hosting.operators.operator_actions import OperatorActions
from hosting.people.identity import hosted
from hosting.quotas.disk_use import KEPT
from hosting.quotas.usage import FolderUsage, PersonUsage, measured

__all__ = ["DiskUsage", "disk_usage", "people_usage"]


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


def people_usage(actions: OperatorActions) -> list[PersonUsage]:
    """Everybody as the list of people has them now, with sizes that are up to `KEPT` seconds old."""
    return actions.usage(lambda folder: _measured(str(folder)))


@st.cache_data(ttl=KEPT, max_entries=10_000, show_spinner=False)
def _measured(folder: str) -> FolderUsage:
    return measured(Path(folder))


def disk_usage() -> DiskUsage:
    """As it is now; what the deployment takes of it is up to `KEPT` seconds old."""
    here = hosted()
    disk, limits = shutil.disk_usage(existing_folder(here.settings.home)), here.settings.limits
    return DiskUsage(
        disk.total,
        disk.free,
        here.quotas.used_by_all(),
        round(limits.free_disk * GIGABYTE),
        round(limits.disk * GIGABYTE),
    )
