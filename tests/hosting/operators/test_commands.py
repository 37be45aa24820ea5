"""`doctor`, `users` and `snapshot`: what an operator is told, and that no secret is among it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from chunking.config import Config
from chunking.deployment import Person, operator_settings
from chunking.errors import AccessError
from chunking.paths import PROJECT
from chunking.store import Workspace, build_vector_index
from components.server.jobs.job_record import JobRecord
from hosting.health import settings_faults as health
from hosting.health.checks import examine
from hosting.hosted_deployment import HostedDeployment
from tests.cli.command import Run
from tests.store.indexed import INSTALL, fill
from tests.support import store_rows as created

ANN, BOB = Person("a" * 24, "Ann", "ann@example.com"), Person("b" * 24, "Bob", "bob@example.com")
SECRET = "a-secret-that-is-short"
AUTH = {
    "redirect_uri": "https://x.example.com/oauth2callback",
    "cookie_secret": "c" * 64,
    "client_id": "x",
    "client_secret": SECRET,
    "server_metadata_url": "https://id.example.com/.well-known/openid-configuration",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A team's home folder; Streamlit's files are those of a folder beside it, which begin as none."""
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    for name in ("PROJECT", "SECRETS"):
        monkeypatch.setattr(health, name, tmp_path / "project")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / "home"


def configured(project: Path, options: str = "[browser]\ngatherUsageStats = false\n", **auth: str) -> None:
    """Write both files of Streamlit."""
    folder = project / ".streamlit"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(options, encoding="utf-8")
    lines = "".join(f'{key} = "{value}"\n' for key, value in (AUTH | auth).items())
    (folder / "secrets.toml").write_text(f"[auth]\n{lines}", encoding="utf-8")


def test_a_sound_deployment_has_no_fault(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a person and a workspace; nothing is left behind in the folder."""
    monkeypatch.setenv("CHUNKSCOPE_OPERATORS", "ann@example.com")
    configured(home.parent / "project")
    here = HostedDeployment(operator_settings())
    here.people.record_visit(ANN)
    Workspace.open(here.workspaces.place(here.first_workspace(ANN)))
    before = {path.name for path in home.iterdir()}
    message = run("doctor")
    assert "✗" not in message.out
    assert (message.code, message.err) == (0, "")
    assert {path.name for path in home.iterdir()} == before


def test_an_open_door_is_reported(home: Path) -> None:
    """Where pages of other sites could speak for people; the option is named."""
    result = [
        one.what
        for one in examine(HostedDeployment(operator_settings()), {"server.enableXsrfProtection": False}.get)
        if not one.well
    ]
    assert len([what for what in result if "server.enableXsrfProtection" in what]) == 1
    assert not [what for what in result if "server.enableCORS" in what]


@pytest.mark.parametrize(
    ("auth", "message"),
    [
        ({"cookie_secret": SECRET}, "cookie_secret of"),
        ({"client_id": ""}, "has no client_id"),
        ({"redirect_uri": "https://x.example.com/"}, "does not end with /oauth2callback"),
        ({"redirect_uri": "https://y.example.com/oauth2callback"}, "is not CHUNKSCOPE_PUBLIC_URL"),
        ({"client_id": 'x"x'}, "is not TOML"),
    ],
)
def test_a_fault_of_the_sign_in_is_reported_without_a_secret(
    home: Path, monkeypatch: pytest.MonkeyPatch, auth: dict[str, str], message: str
) -> None:
    """One sentence each."""
    monkeypatch.setenv("CHUNKSCOPE_OPERATORS", "ann@example.com")
    monkeypatch.setenv("CHUNKSCOPE_PUBLIC_URL", "https://x.example.com")
    configured(home.parent / "project", **auth)
    (fault,) = health.sign_in_faults(operator_settings())
    assert message in fault
    assert SECRET not in fault


def test_headers_belong_to_a_proxy_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named where a proxy vouches for people; a hole where a provider does."""
    monkeypatch.setenv("CHUNKSCOPE_OPERATORS", "ann@example.com")
    configured(home.parent / "project")
    named = {"server.trustedUserHeaders": {"X-Email": "email"}}
    (fault,) = health.sign_in_faults(operator_settings(), named.get)
    assert "could impersonate others" in fault
    monkeypatch.setenv("CHUNKSCOPE_SIGN_IN", "proxy")
    assert health.sign_in_faults(operator_settings(), named.get) == []
    (fault,) = health.sign_in_faults(operator_settings(), {}.get)
    assert "nobody can sign in" in fault
    example = re.search(r"(STREAMLIT_\w+)='(\{.*\})'", fault)
    assert example
    assert example[0] in (PROJECT / "docs" / "deploy" / "index.md").read_text(encoding="utf-8")
    monkeypatch.setenv(example[1], example[2])
    assert health.sign_in_faults(operator_settings()) == []


def test_what_is_damaged_is_named(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of people, a workspace of a later version, the disk, the settings."""
    broken = home / "workspaces" / "0123456789abcdef"
    Workspace.open(broken).documents()
    (broken / "documents.lance").mkdir(exist_ok=True)
    (broken / "format.json").write_text('{"chunkscope_store": 99}', encoding="utf-8")
    (home / "directory.sqlite").write_bytes(b"no database " * 100)
    monkeypatch.setenv("CHUNKSCOPE_FREE_DISK", "999999")
    message = run("doctor")
    faults = [line for line in message.out.splitlines() if line.startswith("✗")]
    for expected in (
        "directory.sqlite",
        "workspaces/0123456789abcdef cannot be opened",
        "nothing new starts",
        "usage statistics",
    ):
        assert [line for line in faults if expected in line], (expected, message.out)
    assert message.code == 1
    monkeypatch.setenv("CHUNKSCOPE_MODE", "teem")
    assert run("doctor").out.splitlines() == ["✗ CHUNKSCOPE_MODE is 'teem'; it should be 'local', 'demo' or 'team'."]


@pytest.mark.parametrize("part", ["chunks", "documents", "embeddings", "runs"])
@pytest.mark.parametrize("damage", ["deleted", "overwritten"])
def test_a_workspace_that_lists_what_cannot_be_read_is_named(home: Path, part: str, damage: str) -> None:
    """Its lists may be whole while the data that they name is gone."""
    place = home / "workspaces" / "0123456789abcdef"
    workspace = Workspace.open(place)
    fill(workspace, INSTALL)
    workspace.runs.put({"a": "{}"})
    table = {"chunks": "chunks*", "runs": "kept"}.get(part, part)
    workspace.vectors.put({"key": np.ones(4, np.float32)})
    files = list(place.glob(f"{table}.lance/data/*"))
    assert files
    for file in files:
        file.unlink() if damage == "deleted" else file.write_bytes(b"x" * file.stat().st_size)
    (fault,) = [one.what for one in examine(HostedDeployment(operator_settings())) if "0123456789abcdef" in one.what]
    assert "cannot be opened" in fault


@pytest.mark.parametrize("file", ["auxiliary.idx", "part_0_tokens.lance"], ids=["vectors", "words"])
def test_a_search_index_that_cannot_be_read_is_named(home: Path, file: str) -> None:
    """Its chunks may be whole while no search of them works."""
    place = home / "workspaces" / "0123456789abcdef"
    workspace, document = Workspace.open(place), created.document("busy", *[f"Text {n}." for n in range(300)])
    config = Config.from_settings({"index.vector_index": "ivf_sq"})
    workspace.put_document(document)
    index = workspace.publish(workspace.create_index("main", config, model_key="fake@1", dimension=created.DIMENSION))
    rows = created.chunks(document)
    index.replace_document(document, rows, created.vectors(rows), "f")
    index.build()
    assert build_vector_index(index)
    folders = [result.parent for result in place.glob(f"chunks*.lance/_indices/*/{file}")]
    assert folders
    for folder in folders:
        shutil.rmtree(folder)
    (fault,) = [one.what for one in examine(HostedDeployment(operator_settings())) if "0123456789abcdef" in one.what]
    assert "cannot be opened" in fault


def test_a_damaged_record_of_jobs_is_named(home: Path) -> None:
    """One that a server has for itself is read without disturbing it; one that nobody damaged is whole."""

    def message() -> list[bool]:
        return [one.well for one in examine(HostedDeployment(operator_settings())) if "jobs.sqlite" in one.what]

    home.mkdir()
    assert message() == []
    record = JobRecord(home / "jobs.sqlite")
    number = record.add("workspace", "index", "main", "ann", {}, ())
    assert message() == [True]
    record.note_start(number)
    record.close()
    assert message() == [True]
    (home / "jobs.sqlite").write_bytes(b"damaged " * 500)
    assert message() == [False]


def test_people_are_listed_suspended_and_admitted(run: Run, home: Path) -> None:
    """By address; who is not known is one line."""
    assert run("users").row == {"people": []}
    here = HostedDeployment(operator_settings())
    for person in (ANN, BOB):
        here.people.record_visit(person)
    Workspace.open(here.workspaces.place(here.first_workspace(ANN)))
    people = {one["email"]: one for one in run("users").row["people"]}
    assert (people[ANN.email]["workspaces"], people[BOB.email]["workspaces"], people[BOB.email]["disk_bytes"]) == (
        1,
        0,
        0,
    )
    assert [one["suspended"] for one in run("users", "--suspend", "BOB@example.com").row["people"]] == [True]
    assert HostedDeployment(operator_settings()).people.by_email(BOB.email).suspended
    assert [one["suspended"] for one in run("users", "--admit", BOB.id).row["people"]] == [False]
    assert run("users", "--suspend", "eve@example.com").code == 1
    assert run("users", "--suspend", ANN.id, "--admit", BOB.id).code == 2


def test_snapshots_are_made_listed_and_revoked(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The address is told once; its token opens the snapshot."""
    monkeypatch.setenv("CHUNKSCOPE_PUBLIC_URL", "https://chunks.example.com/")
    here = HostedDeployment(operator_settings())
    here.people.record_visit(ANN)
    id = here.first_workspace(ANN)
    Workspace.open(here.workspaces.place(id))
    created = run("snapshot", "make", id, "--name", "Review").rows[0]
    beginning, token = created["address"].split("=")
    assert beginning == "https://chunks.example.com/?snapshot"
    assert here.snapshots.find(token).id == created["id"]
    listed = run("snapshot", "list")
    assert listed.rows[0]["snapshots"] == [{key: value for key, value in created.items() if key != "address"}]
    assert token.split(".")[1] not in listed.out
    assert run("snapshot", "revoke", created["id"]).rows == [{"snapshots": []}]
    with pytest.raises(AccessError):
        here.snapshots.find(token)
    assert run("snapshot", "revoke", created["id"][::-1]).code == 1
    assert run("snapshot", "make").code == 2
    assert run("snapshot", "make", id, "--shows", "report").code == 1
