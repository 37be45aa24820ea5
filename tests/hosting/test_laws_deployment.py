"""Rights in a deployment: every public function of `chunking.deployment` by everybody who might come to it."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import shutil
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType

import pytest

from chunking import deployment
from chunking.deployment import Person, operator_settings
from chunking.errors import AccessError, ChunkscopeError
from chunking.parsing import parse
from chunking.store import Role, Workspace
from hosting.hosted_deployment import HostedDeployment
from hosting.snapshots import Shows
from tests.hosting.deployment_calls import ASKED, BELOW, GUEST, OPERATORS_OWN, UNASKED, Needs, Team

ROOT = Path(__file__).parents[2]
HOST = Person("a" * 24, "Ann", "ann@example.com")
"""Made the workspace, and is not tried."""
COMING = {
    "owner": Person("b" * 24, "Owner", "owner@example.com"),
    "editor": Person("c" * 24, "Editor", "editor@example.com"),
    "viewer": Person("d" * 24, "Viewer", "viewer@example.com"),
    "nobody": Person("e" * 24, "Nobody", "nobody@example.com"),
    "who lost it": Person("1" * 24, "Lost", "lost@example.com"),
    "suspended owner": Person("2" * 24, "Suspended", "suspended@example.com"),
    "operator": Person("3" * 24, "Operator", "operator@example.com"),
    "suspended operator": Person("4" * 24, "Gone", "gone@example.com"),
    "stranger": Person("5" * 24, "Stranger", "stranger@example.com"),
}
LET_IN = {
    Needs.ROLE: {"owner", "editor", "viewer"},
    Needs.WRITER: {"owner", "editor"},
    Needs.OWNER: {"owner"},
    Needs.OPERATOR: {"operator"},
}


def open_one(home: Path) -> HostedDeployment:
    """The deployment in a folder."""
    names = ",".join(COMING[visitor].email for visitor in ("operator", "suspended operator"))
    return HostedDeployment(
        operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home), "CHUNKSCOPE_OPERATORS": names})
    )


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Team:
    """A workspace, one in the bin, a snapshot, an invitation, a token; everybody has their role in both workspaces."""
    here = open_one(tmp_path_factory.mktemp("team") / "home")
    for person in (HOST, GUEST, *(one for visitor, one in COMING.items() if visitor != "stranger")):
        here.people.record_visit(person)
    ids = [here.workspaces.create(name, HOST.id) for name in ("Contracts", "Old")]
    for id in ids:
        roles = {
            "owner": Role.OWNER,
            "editor": Role.EDITOR,
            "viewer": Role.VIEWER,
            "who lost it": Role.OWNER,
            "suspended owner": Role.OWNER,
        }
        for visitor, role in roles.items():
            here.workspaces.share(id, COMING[visitor].id, role, HOST.id)
        here.workspaces.share(id, GUEST.id, Role.VIEWER, HOST.id)
        here.workspaces.unshare(id, COMING["who lost it"].id, HOST.id)
    Workspace.open(here.workspaces.place(ids[0])).put_document(parse(b"# Pump\n\nSwitch it off.", "pump.md"))
    here.snapshots.make(ids[0], "Frozen", Shows.DOCUMENTS, HOST.id)
    here.invitations.make(ids[0], Role.VIEWER, HOST.id)
    ((invitation, _),) = here.invitations.open_ones(ids[0], HOST.id)
    (snapshot,) = here.snapshots.of(ids[0], HOST.id)
    here.agent_tokens.make(ids[0], "Claude", Role.VIEWER, HOST.id)
    (token,) = here.agent_tokens.of(ids[0], HOST.id)
    here.workspaces.delete(ids[1], HOST.id)
    for visitor in ("suspended owner", "suspended operator"):
        here.people.suspend(COMING[visitor].id)
    return Team(here, *ids, snapshot.id, invitation.id, token.id, HOST)


def state(here: HostedDeployment) -> tuple[list[str], list[str]]:
    """Every row of the directory, and every file beside it."""
    with here.directory.reading() as connection:
        assert connection is not None
        rows = list(connection.iterdump())
    home = here.settings.home
    return rows, sorted(str(file.relative_to(home)) for file in home.rglob("*") if "directory.sqlite" not in file.name)


@pytest.mark.parametrize("visitor", COMING)
def test_each_call_is_let_in_or_refused_by_the_role(team: Team, tmp_path: Path, visitor: str) -> None:
    """Whatever is refused changes nothing. Those who may are tried on a copy of their own each."""
    wrong, spare = {}, (tmp_path / str(number) for number in count())
    was = state(team.here)
    for name, call in ASKED.items():
        may = visitor in LET_IN[call.needs] or (name in OPERATORS_OWN and visitor == "suspended operator")
        here = open_one(Path(shutil.copytree(team.here.settings.home, next(spare)))) if may else team.here
        try:
            call.make(replace(team, here=here, by=COMING[visitor]))
            did = True
        except AccessError:
            did = False
        except ChunkscopeError as error:  # all that fail are told together
            wrong[name] = f"{type(error).__name__}: {error}"
            continue
        if did is not may:
            wrong[name] = "done" if did else "refused"
    assert wrong == {}
    assert state(team.here) == was


PARTS = ("demo", "health", "people", "quotas")
"""Packages of hosting/ that know of people and workspaces."""
SESSION = {"st", "host"}
"""Names in a module that belongs to a session."""


def modules() -> Iterator[ModuleType]:
    """The modules of both packages that know no session: what a session may see is asked of these."""
    for result in pkgutil.walk_packages(deployment.__path__, "chunking.deployment."):
        yield import_module(result.name)
    for part in PARTS:
        for result in pkgutil.walk_packages([str(ROOT / "hosting" / part)], f"hosting.{part}."):
            module = import_module(result.name)
            if not SESSION & vars(module).keys():
                yield module
    yield import_module("hosting.hosted_deployment")
    yield import_module("hosting.snapshots")
    yield import_module("hosting.operators.operator_actions")


def public() -> Iterator[tuple[str, str]]:
    """(module, name) of the functions and methods that the package's modules offer; a module that is not asked is told
    by its folder, where that stands among the reasons."""
    for module in modules():
        name_of_module = module.__name__
        for name in getattr(module, "__all__", ()):
            one = getattr(module, name)
            if getattr(one, "__module__", "") != name_of_module:
                continue
            path = name_of_module.removeprefix("chunking.deployment.").removeprefix("hosting.")
            folder = path.partition(".")[0]
            short = folder if folder in UNASKED else path
            if inspect.isclass(one):
                yield from (
                    (short, f"{name}.{key}")
                    for key, created in vars(one).items()
                    if key[0] != "_" and inspect.isfunction(created)
                )
            elif inspect.isfunction(one) or hasattr(one, "__wrapped__"):
                yield short, name


def test_every_function_asks_or_says_why_not() -> None:
    """A new one is tried by everybody (`ASKED`), is closed to pages (`BELOW`), or has its reason (`UNASKED`)."""
    offered = [(module, name) for module, name in public() if module not in UNASKED]
    names = {name for _, name in offered}
    expected = [*ASKED, *BELOW, *(name for name in UNASKED if name not in {module for module, _ in public()})]
    assert names - set(expected) == set()
    assert set(expected) - names - {name for module, name in public() if module in UNASKED and name in BELOW} == set()
    assert len(expected) == len(set(expected))


CALLERS = {"components/server/upkeep.py"}


def test_no_page_calls_what_asks_nobody() -> None:
    """By the names of the attribute and its method, such as `activity.of`."""
    closed = {
        f"{kind.removesuffix('Log').lower()}.{method}" for kind, _, method in (name.partition(".") for name in BELOW)
    }
    calling = {
        path.relative_to(ROOT).as_posix()
        for folder in ("components", "pages", "hosting/dialogs", "hosting/pages")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ".".join(ast.unparse(node).split(".")[-2:]) in closed
    }
    assert calling == CALLERS
