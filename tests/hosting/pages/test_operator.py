"""The operator's page: who sees it, what it shows, and what it does to people and jobs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.deployment import Person, operator_settings
from chunking.store import Role
from components.server.jobs import INDEX, SWEEP, ServerJob
from components.session import jobs as session_jobs
from hosting.hosted_deployment import HostedDeployment
from hosting.people import identity
from hosting.people.people import person_id
from hosting.server import request_person
from tests.hosting.pages.team import ANN, BOB, CAY
from tests.pages.app_session import ROOT, run_app
from tests.support.fake_workers import FakeWorkers

OPERATOR = Person("e" * 24, "Eve Operator", "Eve@Example.com")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HostedDeployment:
    """A team with an operator, who has been here once like the others."""
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    for name, value in {"MODE": "team", "HOME": str(tmp_path / "home"), "OPERATORS": "eve@example.com"}.items():
        monkeypatch.setenv(f"CHUNKSCOPE_{name}", value)
    created = HostedDeployment(operator_settings())
    for person in (ANN, BOB, CAY, OPERATOR):
        created.people.record_visit(person)
    return created


def signed_in(monkeypatch: pytest.MonkeyPatch, person: Person, at: float = 9e9) -> None:
    """Have the sign-in vouch for somebody since then."""
    monkeypatch.setattr(identity, "_signed_in", lambda sign_in: person)
    monkeypatch.setattr(identity, "_signed_in_at", lambda: at)


def open_one() -> AppTest:
    """The operator's page in a new session."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    return run_app(app.switch_page("hosting/pages/operators.py"))


def keys(app: AppTest) -> set[str]:
    """Of the buttons."""
    return {str(button.key) for button in app.button}


def test_the_page_is_there_for_operators_alone(here: HostedDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn past the navigation it still refuses, and shows nobody."""
    signed_in(monkeypatch, BOB)
    refused = AppTest.from_file(str(ROOT / "hosting" / "pages" / "operators.py"), default_timeout=120).run()
    assert [error.icon for error in refused.error] == [":material/error:"]
    assert not refused.dataframe
    signed_in(monkeypatch, OPERATOR)
    (here.workspaces.place(here.first_workspace(OPERATOR)) / "documents.lance").mkdir(parents=True)  # it does not open
    app = open_one()
    assert not app.error
    assert list(app.dataframe[0].value["Person"]) == [person.name for person in (OPERATOR, CAY, BOB, ANN)]
    assert {"operator.sign-out", "operator.suspend", "operator.delete"} <= keys(app)
    here.people.suspend(OPERATOR.id)
    assert run_app(app).error


@pytest.mark.parametrize("mode", ["local", "demo"])
def test_nobody_is_an_operator_where_nobody_signs_in(
    here: HostedDeployment, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """The page is not in their navigation, and refuses."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    monkeypatch.setattr(identity, "_cookie", lambda: "")
    refused = AppTest.from_file(str(ROOT / "hosting" / "pages" / "operators.py"), default_timeout=120).run()
    assert refused.error
    assert not refused.dataframe


@pytest.mark.parametrize("tab", ["Jobs", "Health and versions", "Settings", "Activity"])
def test_every_part_is_drawn(here: HostedDeployment, monkeypatch: pytest.MonkeyPatch, tab: str) -> None:
    """Also with nothing to show."""
    signed_in(monkeypatch, OPERATOR)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["operator.tab"] = tab
    assert not run_app(app.switch_page("hosting/pages/operators.py")).error
    if tab == "Settings":
        shown = app.dataframe[0].value.set_index("Variable")
        assert shown.loc["CHUNKSCOPE_OPERATORS", ["Value", "Set by"]].tolist() == [
            "eve@example.com",
            "CHUNKSCOPE_OPERATORS",
        ]
        assert shown.loc["CHUNKSCOPE_BIN_DAYS", "Set by"] == "default"


def test_who_is_signed_out_meets_the_door(here: HostedDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the next click; a sign-in of after that lets in."""
    signed_in(monkeypatch, BOB, at=1.0)
    app = run_app(AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page("pages/export.py"))
    assert "sign-in" not in keys(app)
    here.people.sign_out(BOB.id)
    signed_in(monkeypatch, BOB, at=1.0)
    assert keys(run_app(app)) == {"sign-in"}
    signed_in(monkeypatch, BOB, at=9e9)
    assert "sign-in" not in keys(run_app(app))


def test_a_request_of_who_is_signed_out_is_nobodys(here: HostedDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Media and uploads ask the cookie themselves; a token without a time counts as an old one."""
    said: dict[str, object] = {"is_logged_in": True, "sub": "bob", "iss": "https://id.example.com"}
    id = person_id("https://id.example.com", "bob")
    monkeypatch.setattr(request_person, "_signed", lambda cookies: said)
    assert request_person.person_of([], {}) == id
    here.people.sign_out(id)
    assert request_person.person_of([], {}) == ""
    said["iat"] = 1
    assert request_person.person_of([], {}) == ""
    said["iat"] = 9_000_000_000
    assert request_person.person_of([], {}) == id


def test_an_operator_cannot_act_on_themselves(here: HostedDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first row is the operator's own: they can sign themselves out, and no more."""
    signed_in(monkeypatch, OPERATOR)
    app = open_one()
    assert [app.button(key=f"operator.{act}").disabled for act in ("sign-out", "suspend", "delete")] == [
        False,
        True,
        True,
    ]


def dialog(act: str, id: str) -> None:
    """A page that is nothing but one of the dialogs."""
    from chunking.deployment import Person
    from hosting.operators import people_table

    getattr(people_table, f"{act}_dialog")(Person(id, "Bob"))


@pytest.mark.parametrize("act", ["sign_out", "suspend", "delete"])
def test_a_dialog_asks_before_anything_happens(
    here: HostedDeployment, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    """And its button asks again whether it is an operator who clicks."""
    workspace = here.workspaces.create("Bob's", BOB.id)
    signed_in(monkeypatch, OPERATOR)
    app = run_app(AppTest.from_function(dialog, args=(act, BOB.id)))
    assert not changes(here, workspace)
    signed_in(monkeypatch, CAY)
    app.button(key="operator.done").click()
    assert run_app(app).error
    assert not changes(here, workspace)
    signed_in(monkeypatch, OPERATOR)
    app = run_app(AppTest.from_function(dialog, args=(act, BOB.id)))
    app.button(key="operator.done").click()
    app.run()  # a person who is deleted cannot be deleted again, which the dialog says that this page opens anew
    assert (
        changes(here, workspace)
        == {"sign_out": {"signed out"}, "suspend": {"suspended"}, "delete": {"signed out", "gone", "binned"}}[act]
    )


def changes(here: HostedDeployment, workspace: str) -> set[str]:
    """What has happened to Bob and his workspace."""
    names = here.people.get(BOB.id)
    result = {
        "gone": names is None,
        "suspended": names is not None and names.suspended,
        "signed out": here.people.signed_out(BOB.id) > 0,
        "binned": workspace in {one.id for one in here.workspaces.bin(BOB.id)},
    }
    return {name for name, holds in result.items() if holds}


def test_jobs_of_everybody_are_listed_and_cancelled(here: HostedDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that runs first, then those that wait by their places."""
    workers = FakeWorkers()
    signed_in(monkeypatch, OPERATOR)
    queue = workers.jobs(may=session_jobs.may_stop)
    for person in (ANN, BOB, CAY):
        id = here.workspaces.create(f"Of {person.name}", person.id)
        queue.start_job(str(here.workspaces.place(id)), SWEEP, {}, name="one", person=person.id)
    for module in ("hosting.operators.job_list", "hosting.operators.overview", "components.session.jobs.job_line"):
        monkeypatch.setattr(import_module(module), "jobs", lambda: queue)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["operator.tab"] = "Jobs"
    run_app(app.switch_page("hosting/pages/operators.py"))
    cancels = [button for button in app.button if str(button.key).startswith("operator.cancel.")]
    assert len(cancels) == len(queue.queued) == 3
    cancels[1].click()
    run_app(app)
    assert [job.person for job in queue.queued] == [ANN.id, CAY.id]
    (ended,) = [table.value for table in app.dataframe if "Outcome" in table.value]
    assert ended[["Outcome", "Who", "Workspace"]].values.tolist() == [["Cancelled", BOB.name, f"Of {BOB.name}"]]


def test_operators_and_owners_stop_jobs_of_others(here: HostedDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job of Bob's in Ann's workspace: Ann and the operator may stop it from wherever they are, Cay, an editor, may
    not.
    """
    id = here.workspaces.create("Ours", ANN.id)
    for person in (BOB, CAY):
        here.workspaces.share(id, person.id, Role.EDITOR, ANN.id)
    job = ServerJob("main", None, INDEX, person=BOB.id, address=str(here.workspaces.place(id)))
    may = {}
    for person in (ANN, BOB, CAY, OPERATOR):
        signed_in(monkeypatch, person)
        may[person.name] = session_jobs.may_stop(job)
    assert may == {ANN.name: True, BOB.name: True, CAY.name: False, OPERATOR.name: True}
