"""Checks of a deployment; each yields a finding that says what is right, or wrong and how to fix it."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from chunking.config import EmbeddingConfig
from chunking.deployment.quotas import existing_folder, free_bytes
from chunking.display import GIGABYTE, first_names
from chunking.errors import ChunkscopeError, NotFoundError
from chunking.paths import PROJECT
from chunking.store import Workspace
from chunking.store.copies.home_folder import JOBS, workspace_folders
from chunking.store.copies.workspace_files import is_workspace
from components.server.process_settings import NEEDED, most_open_files
from hosting.health.data_faults import damage, fault_line, folder_faults
from hosting.health.settings_faults import allow_list_faults, misspelt_variables, sign_in_faults, streamlit_option
from hosting.hosted_deployment import HostedDeployment

__all__ = ["Finding", "examine"]

_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)(;?)", re.MULTILINE)
"""Name, version, and a semicolon if the package is listed for some systems only."""
_UNSAFE = {
    "server.enableXsrfProtection": False,
    "server.enableCORS": False,
    "server.enableAgentApi": True,
    "server.enableStaticServing": True,
    "global.developmentMode": True,
}
"""Streamlit option to the value that is unsafe in the modes demo and team."""
_MOST_NAMED = 5
"""Most packages in a message."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check."""

    well: bool
    what: str
    """A sentence, with the remedy if something is wrong. Never a secret."""

    @property
    def line(self) -> str:
        """The sentence with a check mark or a cross in front.

        >>> Finding(True, "The home folder can be written to.").line
        '✓ The home folder can be written to.'
        """
        return f"{'✓' if self.well else '✗'} {self.what}"


def examine(here: HostedDeployment, option: Callable[[str], object] = streamlit_option) -> Iterator[Finding]:
    """Yield findings on a deployment's settings, disk, data, model, packages and sign-in.

    Nothing is changed but a file that is written to the home folder and deleted again.

    Args:
        option: value of an option of Streamlit, such as `server.trustedUserHeaders`; None if not set.
    """
    yield from (Finding(False, fault) for fault in misspelt_variables())
    for check in (_home, _disk, _open_files, _directory, _jobs, _workspaces, _lost, _base):
        yield from check(here)
    yield from _model()
    yield from _packages()
    unusable = [Finding(False, fault) for fault in allow_list_faults(here)]
    yield from unusable
    if here.settings.shared and not unusable:
        yield Finding(True, "Everything that people may choose is available.")
    faults = sign_in_faults(here.settings, option)
    yield from (Finding(False, fault) for fault in faults)
    if not faults:
        yield Finding(True, f"Sign-in suits the mode {here.settings.sharing.mode}.")
    if here.settings.shared:
        yield from _protection(option)
        yield Finding(True, _agents(here))
    counts = option("browser.gatherUsageStats")
    advice = "Streamlit reports usage statistics; set browser.gatherUsageStats = false in .streamlit/config.toml."
    yield Finding(counts is False, "Usage statistics are off." if counts is False else advice)


def _protection(option: Callable[[str], object]) -> Iterator[Finding]:
    """Check the options of Streamlit that keep other sites and programs from speaking for somebody."""
    wrong = [name for name, unsafe in _UNSAFE.items() if option(name) is unsafe]
    for name in wrong:
        yield Finding(
            False,
            f"{name} is {str(_UNSAFE[name]).lower()}, which is unsafe on a shared server; delete the line.",
        )
    if not wrong:
        yield Finding(True, "Streamlit's protection against other sites is on.")


def _agents(here: HostedDeployment) -> str:
    """Return a sentence with the host names of the server for agents: a missing one is easily overlooked."""
    settings = here.settings
    if not settings.answers_agents:
        return "Agent access is off."
    names = [*([settings.sharing.public_url] if settings.sharing.public_url else []), *sorted(settings.agent_hosts)]
    if names:
        return f"Agents reach the server at {', '.join(names)}, and on this machine at localhost."
    return (
        "Agents reach the server only from this machine, at localhost; for others set CHUNKSCOPE_PUBLIC_URL or "
        "CHUNKSCOPE_AGENT_HOSTS."
    )


def _home(here: HostedDeployment) -> Iterator[Finding]:
    home = here.settings.home
    there = existing_folder(home)
    try:
        with tempfile.TemporaryDirectory(prefix=".doctor-", dir=there) as folder:
            file = Path(folder, "file")
            file.write_bytes(b"x")
            suffix = "" if home.exists() else "; it is created at the first start"
            yield Finding(True, f"The home folder {home} is writable{suffix}.")
            try:
                os.link(file, Path(folder, "link"))
            except OSError as error:
                why = error.strerror or error
                yield Finding(
                    False,
                    f"The disk of {home} makes no links ({why}): every copy takes its whole size; use a local disk.",
                )
            else:
                yield Finding(True, "Copies are hard links and take no space.")
    except OSError as error:
        why = error.strerror or error
        yield Finding(
            False,
            (
                f"The home folder {home} cannot be written to ({why}); give it to the user of the server, or set "
                f"CHUNKSCOPE_HOME."
            ),
        )


def _disk(here: HostedDeployment) -> Iterator[Finding]:
    free, floor = free_bytes(here.settings.home) / GIGABYTE, here.settings.limits.free_disk
    if free >= floor:
        yield Finding(True, f"{free:,.1f} GB are free; nothing new starts below {floor:g} GB.")
    else:
        tell = "free some (chunkscope compact), or lower CHUNKSCOPE_FREE_DISK"
        yield Finding(False, f"{free:,.1f} GB are free, and nothing new starts below {floor:g} GB; {tell}.")


def _open_files(here: HostedDeployment) -> Iterator[Finding]:
    most = most_open_files() if here.settings.shared else None
    if most is None:
        return
    if most >= NEEDED:
        yield Finding(True, f"{most:,} files and connections may be open at once.")
    else:
        tell = (
            f"raise it to {NEEDED:,} or more (LimitNOFILE of a systemd unit, --ulimit nofile of a container, "
            f"ulimit -n of a shell)"
        )
        yield Finding(
            False, f"Only {most:,} files and connections may be open at once, and a busy server needs more; {tell}."
        )


def _directory(here: HostedDeployment) -> Iterator[Finding]:
    file = here.directory.file
    try:
        with here.directory.reading() as connection:
            if connection is None:
                return  # nobody but one person was ever here
            answers = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(1)")]
    except ChunkscopeError as error:
        yield Finding(False, f"{error} The file is {file}; restore it from a backup (chunkscope restore).")
        return
    if answers == ["ok"]:
        yield Finding(True, f"The list of people and workspaces ({file.name}) is whole.")
    else:
        yield Finding(
            False, f"{file} is damaged ({fault_line(answers[0])}); restore it from a backup (chunkscope restore)."
        )


def _jobs(here: HostedDeployment) -> Iterator[Finding]:
    file = here.settings.home / JOBS
    try:
        fault = damage(file)
    except FileNotFoundError:
        return  # there was never a job
    except OSError as error:
        fault = error.strerror or str(error)
    tell = (
        f"{file} is damaged ({fault}), and no job can be started; stop the server and delete the file: jobs that "
        f"waited are lost."
    )
    yield Finding(not fault, tell if fault else f"The record of jobs ({file.name}) is whole.")


def _check(folder: Path) -> None:
    """Open a workspace and read all its tables."""
    try:
        Workspace.open(folder, create=False).check()
    except NotFoundError:  # an index was built anew meanwhile
        Workspace.open(folder, create=False).check()


def _workspaces(here: HostedDeployment) -> Iterator[Finding]:
    try:
        folders = workspace_folders(here.settings.home)
    except NotFoundError:
        if not any(_lost(here)):
            yield Finding(True, "There is no workspace yet; the first visit creates one.")
        return
    except ChunkscopeError as error:
        yield Finding(False, str(error))
        return
    except OSError as error:
        yield Finding(
            False, f"The workspaces cannot be listed ({error.strerror or error}); give them to the user of the server."
        )
        return
    sound = every = 0
    for path, folder in folders.items():
        try:
            _check(folder)
        except ChunkscopeError as error:
            if not is_workspace(folder):
                continue  # deleted meanwhile
            every += 1
            yield Finding(
                False,
                (
                    f"The workspace {path or folder} cannot be opened: {error} Restore it from a backup, or "
                    f"delete its folder."
                ),
            )
        else:
            sound, every = sound + 1, every + 1
    if sound:
        yield Finding(True, f"{sound:,} of {every:,} workspaces can be opened and their tables read.")


def _lost(here: HostedDeployment) -> Iterator[Finding]:
    try:
        yield from (Finding(False, fault) for fault in folder_faults(here))
    except ChunkscopeError:
        return  # the check of the directory says it


def _base(here: HostedDeployment) -> Iterator[Finding]:
    if here.base.named is None:
        return
    try:
        base = here.base.check()
        if base is not None:
            base.documents()
    except ChunkscopeError as error:
        yield Finding(
            False, f"The demo template cannot be opened: {error} Name another folder or file in CHUNKSCOPE_DEMO_BASE."
        )
    else:
        yield Finding(
            True,
            "The demo template can be opened."
            if base
            else "The demo template is a file, which the server opens when it starts.",
        )


def _model() -> Iterator[Finding]:
    from chunking.embedding.model_folder import check_weights, find_model

    name = EmbeddingConfig().model
    try:
        check_weights(find_model(name))
    except ChunkscopeError as error:
        yield Finding(False, str(error))
    else:
        yield Finding(True, f"The model {name} is installed, with the published weights.")


def _packages() -> Iterator[Finding]:
    """Compare packages with the pins of this installation: full, or light without torch."""
    listed = PROJECT / ("requirements.txt" if find_spec("torch") else "requirements-light.txt")
    if not listed.is_file():
        return  # installed as a package: pip has seen to the versions
    wrong = []
    pins = _PIN.findall(listed.read_text(encoding="utf-8"))
    for name, pinned, some_systems in pins:
        try:
            installed = version(name)
        except PackageNotFoundError:
            if some_systems:
                continue
            installed = "missing"
        if installed.partition("+")[0] != pinned:
            wrong.append(f"{name} {installed} instead of {pinned}")
    if wrong:
        yield Finding(
            False,
            (
                f"Packages differ from {listed.name}: {first_names(wrong, _MOST_NAMED)}; install it anew "
                f"with -c constraints.txt."
            ),
        )
    else:
        yield Finding(True, f"All {len(pins)} packages have the versions of {listed.name}.")
