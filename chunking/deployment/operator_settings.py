"""Operator settings of a deployment: sharing, limits and allowed names.

Each setting is a field below, defined once: its environment variable, its line of the TOML file, the check, the page
for operators and the table of the documentation are made from it (`operator_sources`).
"""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

from pydantic import field_validator

from chunking.allowed import ENGINES
from chunking.config.settings import Settings, knob

__all__ = [
    "NO_FOLDER",
    "AgentAccess",
    "AllowedSettings",
    "LimitSettings",
    "LogForm",
    "Mode",
    "OperatorSettings",
    "SharingSettings",
    "SignIn",
]

NO_FOLDER = (
    "it should be the path of a folder of this machine, such as /data: on object storage no lock keeps two "
    "writers apart"
)
"""End of an error sentence about an address of object storage."""
_NONE = "none"
"""Value of a list setting for an empty list instead of the default."""
_SITE = re.compile(r"https?://(\*\.)?[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*(:[0-9]{1,5})?")
"""Scheme, host and port; nothing that could end the header that contains it."""
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9.-]+)(:[0-9]{1,5})?")
"""Valid value of a `Host` header."""


class Mode(StrEnum):
    """Sharing mode of a deployment."""

    LOCAL = "local"
    """One person, on their own machine, without sign-in."""
    DEMO = "demo"
    """Visitors work in private copies of one workspace, without sign-in.

    A copy is deleted some hours after the last click.
    """
    TEAM = "team"
    """People sign in; each has workspaces and shares them with others."""


class SignIn(StrEnum):
    """Sign-in method of the mode `team`."""

    OIDC = "oidc"
    """OpenID Connect provider, configured by `[auth]` of `.streamlit/secrets.toml`."""
    PROXY = "proxy"
    """Proxy in front, with headers named by `server.trustedUserHeaders`.

    The proxy must remove such headers from requests.
    """


class AgentAccess(StrEnum):
    """Switch for agents' access to the server."""

    AUTO = "auto"
    """On in the modes local and team."""
    ON = "on"
    OFF = "off"


class LogForm(StrEnum):
    """Format of the server's log on standard error."""

    PLAIN = "plain"
    """Lines for people: errors and warnings."""
    JSON = "json"
    """JSON lines for programs; also one for each page run, job, upload, download and sign-in."""


class SharingSettings(Settings):
    """Settings for the sharing of a deployment and its home folder."""

    mode: Mode = knob(Mode.LOCAL, "Mode", "How the deployment is shared: local, demo or team.")
    home: str = knob(
        "",
        "Home folder",
        (
            "Folder for all data: workspaces, the list of people, jobs. Empty: the parent folder of "
            "`CHUNKSCOPE_WORKSPACE`, else `.workspaces`, or the user's data folder for an installed program."
        ),
    )
    sign_in: SignIn = knob(SignIn.OIDC, "Sign-in", "Sign-in of the mode team: oidc or proxy.")
    operators: str = knob(
        "", "Operators", "E-mail addresses of operators, separated by commas; they see the Operator page (mode team)."
    )
    trust_email: bool = knob(
        False,
        "Trusted addresses",
        (
            "Accept e-mail addresses from a provider that does not say whether they are verified (no claim "
            "`email_verified`), such as Entra ID: only if people cannot choose their own. Addresses marked "
            "unverified are never accepted (sign-in oidc)."
        ),
    )
    public_url: str = knob(
        "", "Public address", "Address of the deployment as people type it; links and invitations start with it."
    )
    embedded_in: str = knob(
        "",
        "Embedding sites",
        (
            "Sites that may embed the app in a frame, separated by commas: `https://intranet.example.com`, "
            "`https://*.example.com`. Empty: none, which prevents clickjacking."
        ),
    )
    demo_base: str = knob(
        "",
        "Demo template",
        (
            "Workspace that visitors get a copy of (mode demo): its folder, or a file it was saved to "
            "(`.chunkscope`), which is opened once. Empty: the sample documents."
        ),
    )
    idle_hours: float = knob(
        4.0,
        "Idle time",
        (
            "Time after the last click at which a demo workspace is deleted; without a click after the first "
            "page, 15 minutes."
        ),
        unit="hours",
        ge=0.01,
        le=720,
    )
    bin_days: int = knob(30, "Bin", "Time in which a deleted workspace can be restored.", unit="days", ge=0, le=3650)
    invitation_days: int = knob(7, "Invitations", "Time in which an invitation can be used.", unit="days", ge=1, le=365)
    open_snapshots: bool = knob(
        False,
        "Open snapshots",
        "Show a snapshot to anyone who has its address. Off: only to people who are signed in (mode team).",
    )
    agents: AgentAccess = knob(
        AgentAccess.AUTO,
        "Agents",
        (
            "Serve agents at `/mcp` over the Model Context Protocol: on, off, or auto, which is on in the modes "
            "local and team. On in the mode demo: anyone who can reach the server may read and search the "
            "workspace that visitors get copies of."
        ),
    )
    agent_hosts: str = knob(
        "",
        "Host names for agents",
        (
            "Host names, separated by commas, that agents may use besides `localhost` and the public address: "
            "`chunkscope:8501`. Requests with another `Host` are refused at `/mcp`."
        ),
    )
    token_days: int = knob(90, "Agents' tokens", "Maximum lifetime of an agent's token.", unit="days", ge=1, le=3650)
    log: LogForm = knob(
        LogForm.PLAIN,
        "Log",
        (
            "Format of the server's log: plain lines, or json, one object per line, one for each page run, job, "
            "upload and download, without document content."
        ),
    )
    metrics: bool = knob(
        False, "Metrics", "Serve metrics at `/_stcore/metrics`; it has no sign-in, so use it only behind a proxy."
    )

    @field_validator("embedded_in")
    @classmethod
    def _sites(cls, names: str) -> str:
        wrong = sorted(name for name in _listed(names) if not _SITE.fullmatch(name))
        if wrong:
            raise ValueError(
                f"it should name sites such as https://intranet.example.com, without a path, and "
                f"{wrong[0]!r} is not one"
            )
        return names

    @field_validator("agent_hosts")
    @classmethod
    def _hosts(cls, names: str) -> str:
        wrong = sorted(name for name in _listed(names) if not _HOST.fullmatch(name))
        if wrong:
            raise ValueError(
                f"it should name hosts such as chunkscope:8501, without a scheme or path, and {wrong[0]!r} is not one"
            )
        return names

    @field_validator("home", "demo_base")
    @classmethod
    def _folder(cls, path: str) -> str:
        if "://" in path:
            raise ValueError(NO_FOLDER)
        return path


class LimitSettings(Settings):
    """Limits of a person and of the whole server; in the mode local only those of jobs and the disk apply."""

    jobs: int = knob(
        0,
        "Running jobs",
        (
            "Maximum number of heavy jobs that run at once, and the same number of light jobs; if it is more "
            "than one, the modes demo and team reserve the last free slot for a person with no running job. "
            "0: half of the processors, 2 to 8."
        ),
        ge=0,
        le=256,
    )
    job_threads: int = knob(
        0,
        "Threads per job",
        "Threads of a job that runs alone; parallel jobs share them. 0: one per processor.",
        ge=0,
        le=256,
    )
    job_memory: float = knob(
        0.0,
        "Memory per job",
        (
            "Memory at which a job is stopped. 0: half of the total, which is that of the machine, or the limit "
            "of its container or unit. All jobs together may take three quarters of the total; beyond that, the "
            "job that started last is stopped."
        ),
        unit="GB",
        ge=0,
        le=4096,
    )
    job_hours: float = knob(
        0.0,
        "Time per job",
        "Running time at which a job is stopped. 0: 12 hours, or 4 for a light job.",
        unit="hours",
        ge=0,
        le=720,
    )
    waiting_jobs: int = knob(20, "Waiting jobs", "Waiting jobs of one person.", ge=1, le=10_000)
    person_disk: float = knob(
        5.0, "Disk per person", "Total size of one person's workspaces.", unit="GB", ge=0.01, le=100_000
    )
    upload_memory: float = knob(
        1.0,
        "Memory for uploads",
        "Memory for uploaded files not yet in a workspace; one person may take a quarter of it.",
        unit="GB",
        ge=0.01,
        le=4096,
    )
    documents: int = knob(5_000, "Documents", "Documents of one workspace.", ge=1, le=10_000_000)
    characters: int = knob(
        200_000_000, "Characters", "Characters of all documents of one workspace.", ge=1_000, le=10**12
    )
    chunks: int = knob(1_000_000, "Chunks", "Chunks of one index.", ge=100, le=10**10)
    workspaces: int = knob(50, "Workspaces", "Workspaces of one person, including those in the bin.", ge=1, le=100_000)
    sweep_runs: int = knob(500, "Configurations", "Configurations of one sweep.", ge=1, le=100_000)
    llm_requests: int = knob(
        1_000,
        "Requests per day",
        "Requests of one person to the language model and the embedding server in 24 hours.",
        ge=0,
        le=10**9,
    )
    llm_cost: float = knob(
        5.0,
        "Cost per day",
        "Cost of one person's requests in 24 hours, in the currency of the prices.",
        ge=0,
        le=10**9,
    )
    llm_requests_all: int = knob(
        0,
        "Requests per day, all",
        ("Requests of all demo visitors together in 24 hours, as new visits are free. 0: 20 times a person's."),
        ge=0,
        le=10**9,
    )
    llm_cost_all: float = knob(
        0.0,
        "Cost per day, all",
        "Cost of the requests of all demo visitors together in 24 hours. 0: 20 times a person's.",
        ge=0,
        le=10**9,
    )
    disk: float = knob(
        0.0, "Disk", "Total size of all workspaces. 0: limited by the disk only.", unit="GB", ge=0, le=10**6
    )
    free_disk: float = knob(
        1.0,
        "Free disk",
        "Free disk space below which nothing new starts and running jobs are stopped, newest first.",
        unit="GB",
        ge=0,
        le=10**6,
    )


class AllowedSettings(Settings):
    """Names allowed in the modes demo and team (see `chunking.allowed`).

    In the mode local everything is allowed.
    """

    models: str = knob(
        "",
        "Models",
        (
            "Embedding models and cross-encoders besides the packaged one, separated by commas: names, folders "
            "on this machine (people see the last part), `remote:NAME` of the embedding server."
        ),
    )
    downloads: bool = knob(False, "Downloads", "Download models of that list that are not on this machine.")
    splitters: bool = knob(False, "Custom splitters", "Allow the splitters of `CHUNKSCOPE_SPLITTERS` and plug-ins.")
    endpoints: bool = knob(
        False,
        "Endpoints",
        (
            "Allow the configured language model and embedding server; of the latter's models, the configured "
            "one and those of the list."
        ),
    )
    engines: str = knob(
        ", ".join(ENGINES),
        "Parsing engines",
        (
            "Readers allowed besides Chunkscope's own, separated by commas: ocr (tesseract, for scanned pages), "
            "unstructured (the second parser). none: neither."
        ),
    )
    folders: str = knob(
        "",
        "Folders",
        "Folders on this machine that documents may be read from, separated by commas. Empty: uploads only.",
    )

    @field_validator("engines")
    @classmethod
    def _check_names(cls, names: str) -> str:
        unknown = _listed(names) - {*ENGINES, _NONE}
        if unknown:
            raise ValueError(f"it should name {', '.join(ENGINES)} or {_NONE}")
        return names


class OperatorSettings(Settings):
    """Settings of a deployment, frozen; `home` is filled in when they are read."""

    sharing: SharingSettings = SharingSettings()
    limits: LimitSettings = LimitSettings()
    allow: AllowedSettings = AllowedSettings()

    @property
    def shared(self) -> bool:
        """True if other people use the deployment: limits and the allow list apply."""
        return self.sharing.mode is not Mode.LOCAL

    @property
    def home(self) -> Path:
        """Home folder, with all data."""
        return Path(self.sharing.home)

    @property
    def operators(self) -> frozenset[str]:
        """E-mail addresses of the operators, in lower case."""
        return _listed(self.sharing.operators.lower())

    @property
    def answers_agents(self) -> bool:
        """True if the server answers agents at `/mcp`: on, or auto in a mode other than demo."""
        chosen = self.sharing.agents
        return chosen is AgentAccess.ON or (chosen is AgentAccess.AUTO and self.sharing.mode is not Mode.DEMO)

    @property
    def agent_hosts(self) -> frozenset[str]:
        """Additional `Host` values that agents may send, in lower case."""
        return _listed(self.sharing.agent_hosts.lower())

    @property
    def sites(self) -> tuple[str, ...]:
        """Origins of other sites that may show the app in a frame."""
        return tuple(sorted(_listed(self.sharing.embedded_in)))

    @property
    def models(self) -> frozenset[str]:
        """Allowed models besides the packaged one."""
        return _listed(self.allow.models)

    @property
    def engines(self) -> frozenset[str]:
        """Allowed engines for reading files, besides the program's own readers."""
        return _listed(self.allow.engines) - {_NONE}

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders that documents may be read from, as the setting names them, sorted."""
        return tuple(Path(name) for name in sorted(_listed(self.allow.folders)))


def _listed(names: str) -> frozenset[str]:
    return frozenset(name.strip() for name in names.split(",") if name.strip())
