"""The files that Chunkscope is deployed with: they parse, agree with each other and with the project, and hold no
secret.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import sys
import tomllib
from configparser import RawConfigParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from streamlit import config

from chunking.cli.arguments.argument_table import COMMANDS
from chunking.cli.running import parser
from chunking.deployment.operator_sources import operator_rows, variable
from hosting.health.checks import _UNSAFE
from hosting.health.settings_faults import streamlit_option

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
KUBERNETES: dict[str, Any] = {
    one["kind"]: one for one in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8"))
}
PORT = "8501"
HEALTH = "/_stcore/health"
WRITTEN = [path for path in DEPLOY.rglob("*") if path.is_file() and path.suffix != ".pyc"]
FILES = [ROOT / "Dockerfile", ROOT / "compose.yaml", ROOT / ".dockerignore", *WRITTEN]
NOT_IN_IMAGE = frozenset(
    (
        ".ci",
        ".gitignore",
        ".dockerignore",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Dockerfile",
        "Makefile",
        "benchmarks",
        "compose.yaml",
    )
) | {"MANIFEST.in", "deploy", "docs", "mkdocs.yml", "setup.py", "tests"}
"""What stands in the root of the repository, and no server needs."""


@pytest.fixture(scope="module")
def trial() -> ModuleType:
    """The script that carries out the Dockerfile; it belongs to no package."""
    spec = importlib.util.spec_from_file_location("try_image", DEPLOY / "try_image.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def value_of(trial: ModuleType, name: str) -> str:
    """What the last instruction of a name says."""
    values: list[str] = [step.value for step in trial.instructions(DOCKERFILE) if step.name == name]
    return values[-1]


def ignored_by_docker() -> list[str]:
    """The rules of .dockerignore."""
    return [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("page", ["container", "systemd", "kubernetes"])
def test_each_page_backs_up_and_restores_by_commands_that_exist(page: str) -> None:
    """A backup of a running server, and the way back; `tar` takes half-written files."""
    text = (ROOT / "docs" / "deploy" / f"{page}.md").read_text(encoding="utf-8")
    arguments = re.findall(r"chunkscope ((?:backup|restore) (?:[-/]|\"/)[^\n&']*)", text)
    names = {"backup", "restore"}
    assert {parser().parse_args(shlex.split(words)).run for words in arguments} == {
        row.run for row in COMMANDS if row.name in names
    }
    assert not re.search(r"\btar\b", text)


def test_the_image_has_the_python_that_the_project_asks_for(trial: ModuleType) -> None:
    """Both of its stages."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
    bases = [step.value.partition(" AS ")[0] for step in trial.instructions(DOCKERFILE) if step.name == "FROM"]
    assert len(bases) == 2
    assert {trial.BASE_IMAGE.fullmatch(base)["python"] for base in bases} == {needed}


def test_every_instruction_can_be_tried_without_a_container_engine(trial: ModuleType, tmp_path: Path) -> None:
    """Those that carry nothing out are carried out; what they say is what starts."""
    assert {step.name for step in trial.instructions(DOCKERFILE)} <= {*trial.Build(tmp_path, "", {}, ())._do, "FROM"}
    with pytest.raises(SystemExit):
        trial.Build(tmp_path, "", {}, ()).carry_out("FROM alpine:3")


def test_continued_lines_and_comments_are_read_as_docker_does(trial: ModuleType) -> None:
    """A comment may stand between continued lines."""
    steps = list(trial.instructions("# first\nRUN a && \\\n    # why\n    b\n\nUSER 1:1\n"))
    assert [(step.name, step.value) for step in steps] == [("RUN", "a && b"), ("USER", "1:1")]


def test_neither_secrets_nor_workspaces_get_into_the_image(trial: ModuleType, tmp_path: Path) -> None:
    """Only what is named does."""
    inside = [
        "app.py",
        "chunking/model.py",
        "chunking/export/report/report.css",
        ".streamlit/config.toml",
        "requirements.txt",
    ]
    outside = [
        ".streamlit/secrets.toml",
        ".workspaces/default/a",
        "tests/app.py",
        "chunking/__pycache__/a.pyc",
        ".env",
        "x/app.py",
    ]
    for name in (*inside, *outside):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    used = trial.copied(tmp_path, ignored_by_docker(), ["."])
    assert sorted(path.as_posix() for path in used) == sorted(inside)
    assert [path.as_posix() for path in trial.copied(tmp_path, ignored_by_docker(), ["requirements*.txt"])] == [
        "requirements.txt"
    ]


def test_nothing_that_the_server_needs_is_left_out(trial: ModuleType) -> None:
    """A new file or folder in the root goes into the image, or is named here."""
    rules = ignored_by_docker()
    kept_local = (ROOT / ".gitignore").read_text().split()
    local = {name.strip("/") for name in kept_local} | {".git", "build", ".venv"}
    names = {path.name for path in ROOT.iterdir()} - NOT_IN_IMAGE - local
    names = {name for name in names if not name.endswith(".egg-info") and not name.startswith(".coverage")}
    used = {path.parts[0] for path in trial.copied(ROOT, rules, ["."])}
    assert names - used == set()
    assert used & NOT_IN_IMAGE == set()


def test_what_the_dockerfile_names_is_there(trial: ModuleType) -> None:
    """The default list of packages, and torch in it."""
    assert (ROOT / "requirements-light.txt").is_file()
    defaults = dict(step.value.split("=", 1) for step in trial.instructions(DOCKERFILE) if step.name == "ARG")
    assert (ROOT / defaults["REQUIREMENTS"]).is_file()
    assert defaults["TORCH_INDEX"] == ""
    assert re.search(r"^torch==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert set(COMPOSE["services"]["chunkscope"]["build"]["args"]) == set(defaults)


def test_ports_and_the_health_check_agree(trial: ModuleType) -> None:
    """The server's, the proxy's, the unit's and the pod's."""
    assert value_of(trial, "EXPOSE") == PORT
    command = " ".join(json.loads(value_of(trial, "CMD")))
    assert command.startswith(f"streamlit run serve.py --server.address 0.0.0.0 --server.port {PORT}")
    assert "--browser.serverAddress" in command  # else a public service is asked at every start
    assert f"127.0.0.1:{PORT}{HEALTH}" in value_of(trial, "HEALTHCHECK")
    assert f"chunkscope:{PORT}" in (DEPLOY / "Caddyfile").read_text()
    container = KUBERNETES["StatefulSet"]["spec"]["template"]["spec"]["containers"][0]
    assert [str(port["containerPort"]) for port in container["ports"]] == [PORT]
    assert {container[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "readiness", "liveness")} == {HEALTH}


def test_nothing_runs_as_root_or_writes_to_its_root(trial: ModuleType) -> None:
    """The image, the pod and every service of compose.yaml."""
    user, group = value_of(trial, "USER").split(":")
    pod = KUBERNETES["StatefulSet"]["spec"]["template"]["spec"]
    assert (str(pod["securityContext"]["runAsUser"]), str(pod["securityContext"]["fsGroup"])) == (user, group)
    allowed = pod["containers"][0]["securityContext"]
    assert allowed == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    for service in COMPOSE["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    volume = value_of(trial, "VOLUME")
    assert f"workspaces:{volume}" in COMPOSE["services"]["chunkscope"]["volumes"]
    assert volume in [mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]]


def test_whatever_compose_fetches_has_a_version() -> None:
    """Images and what the provider's is made of."""
    services = COMPOSE["services"]
    for service in services.values():
        assert re.search(r":\d+\.\d+\.\d+", service.get("image", ":0.0.0"))
    inline = services["sign-in"]["build"]["dockerfile_inline"]
    assert re.findall(r"pip install .*?(\S+)$", inline, re.MULTILINE) == re.findall(
        r"\S+==[\d.]+$", inline, re.MULTILINE
    )


def test_only_one_pod_writes(trial: ModuleType) -> None:
    """A second one would not find the locks of the first."""
    spec = KUBERNETES["StatefulSet"]["spec"]
    assert spec["replicas"] == 1
    assert spec["volumeClaimTemplates"][0]["spec"]["accessModes"] == ["ReadWriteOncePod"]
    assert (
        spec["template"]["metadata"]["labels"]
        == spec["selector"]["matchLabels"]
        == KUBERNETES["Service"]["spec"]["selector"]
    )


def test_a_team_has_operators() -> None:
    """Else nobody sees their page: where the mode is set, they are named."""
    container = KUBERNETES["StatefulSet"]["spec"]["template"]["spec"]["containers"][0]
    for arguments in (
        COMPOSE["services"]["chunkscope"]["environment"],
        {one["name"]: one["value"] for one in container["env"]},
    ):
        assert arguments["CHUNKSCOPE_MODE"] == "team"
        assert "@" in arguments["CHUNKSCOPE_OPERATORS"]


def test_commands_next_to_the_unit_have_its_settings() -> None:
    """Else they look at the mode local, and at a folder of the sources."""
    unit = RawConfigParser()
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(DEPLOY / "chunkscope.service")
    page = (ROOT / "docs" / "deploy" / "systemd.md").read_text(encoding="utf-8")
    arguments = page[page.index("as_chunkscope() {") :]
    assert f"--property=EnvironmentFile={unit['Service']['EnvironmentFile']}" in arguments
    assert f"--setenv=CHUNKSCOPE_HOME=/var/lib/{unit['Service']['StateDirectory']} " in arguments


def test_the_app_and_the_browser_know_the_provider_under_one_address() -> None:
    """The name in secrets.example.toml is the proxy's, inside too; the app's own is the site's."""
    auth = tomllib.loads((DEPLOY / "secrets.example.toml").read_text())["auth"]
    site = COMPOSE["services"]["proxy"]["environment"]["SITE"].partition(":-")[2].removesuffix("}")
    assert auth["redirect_uri"] == f"{site}/oauth2callback"
    provider = re.match(r"http://([\w.-]+):\d+", auth["server_metadata_url"])
    assert provider is not None
    assert provider[1] in COMPOSE["services"]["proxy"]["networks"]["default"]["aliases"]
    assert f"{provider[0]} {{" in (DEPLOY / "Caddyfile").read_text()
    assert (auth["cookie_secret"], auth["client_secret"]) == ("...", "any")


def test_the_unit_is_tight_and_starts_the_server() -> None:
    """Its own user, one folder to write to, no new rights, a limit of memory, and the namespaces that reading a file
    needs.
    """
    unit = RawConfigParser()
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(DEPLOY / "chunkscope.service")
    service = dict(unit["Service"])
    assert f"streamlit run serve.py --server.address 127.0.0.1 --server.port {PORT}" in service["ExecStart"]
    for name in ("DynamicUser", "NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome"):
        assert service[name] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["StateDirectory"] in service["Environment"]
    assert {"MemoryMax", "TasksMax", "Restart"} <= set(service)
    assert service["RestrictNamespaces"].split() == ["user", "net"]


def test_every_setting_that_is_named_is_one() -> None:
    """In the files and on their pages; a renamed one takes them along."""
    expected = {variable(row) for row in operator_rows()} | {
        "CHUNKSCOPE_SETTINGS",
        "CHUNKSCOPE_WORKSPACE",
        "CHUNKSCOPE_PORT",
    }
    expected |= {"CHUNKSCOPE_SPLITTERS", "CHUNKSCOPE_EMBEDDING_MODEL"}  # of a machine, in every mode
    pages = [path.read_text(encoding="utf-8") for path in [*FILES, *(ROOT / "docs" / "deploy").glob("*.md")]]
    assert {name for page in pages for name in re.findall(r"\bCHUNKSCOPE_[A-Z_]+\b", page)} - expected == set()


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_no_file_names_a_machine_or_a_package_index(path: Path) -> None:
    """Addresses are arguments; those that stand there lead to this machine or to an example."""
    if path.suffix == ".pyc":
        pytest.fail("deploy/ holds no package: nothing is compiled there")
    hosts = re.findall(r"https?://([\w.-]+)", path.read_text(encoding="utf-8"))
    assert [host for host in hosts if host != "127.0.0.1" and not host.endswith((".localhost", ".example.com"))] == []


@pytest.mark.parametrize("name", sorted(_UNSAFE))
def test_no_way_to_deploy_opens_a_door(name: str) -> None:
    """Neither what the project sets, nor Streamlit's default, nor a file that it is deployed with."""
    assert streamlit_option(name) is not _UNSAFE[name]
    assert config.get_option(name) is not _UNSAFE[name]
    section, _, key = name.partition(".")
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in key).upper()
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        assert name not in text
        assert f"STREAMLIT_{section.upper()}_{words}" not in text
    assert not config.get_option("server.trustedUserHeaders")
    assert not config.get_option("server.corsAllowedOrigins")
