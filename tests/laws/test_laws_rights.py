"""Rights: every public function of the library that reads or writes a workspace, by everybody who might come to it."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from pathlib import Path

import pytest

import chunking
from chunking.errors import AccessError, ChunkscopeError
from chunking.store import Role, RoleAccess, Workspace
from chunking.store.access import Right
from chunking.store.copies.linked_copy import linked_copy
from tests.support.product import app_sources, present
from tests.support.rights_calls import CALLS, Held, Takes, Things, filled
from tests.support.stand_in_model import stand_in_model

ROOT = Path(__file__).parents[2]
OPERATORS = ("chunking.cli", "chunking.deployment", "chunking.worker")
"""What an operator or a server runs; it says itself for whom a workspace is opened. The middle one has a matrix of its
own in tests/hosting."""
FOR_EVERYBODY = {
    "hosting/health/checks.py": "the operator's doctor",
    "hosting/quotas/usage.py": "how many documents people have, a number for the operator",
    "hosting/backups.py": "the operator's backups",
    "chunking/store/copies/linked_copy.py": "the operator's upkeep",
    "chunking/store/workspace_file/opening.py": "a file becomes a new workspace",
    "chunking/evaluation/runs/trial_indexes.py": "a folder that was made a line before, for who may write",
    "chunking/worker.py": "a job that no server started",
    "chunking/indexing/cluster/build_tasks.py": "a worker of a build, which its driver began for who may write",
    "chunking/export/cluster_job/sample_check.py": "on a cluster, the workspace of a sample that its user names",
    "chunking/integrations/index_search.py": "a pipeline in a process of one's own, on a workspace that its user names",
    "components/session/jobs/__init__.py": "the queue asks whether documents have changed, for itself alone",
    "components/session/workspace.py": "the one that the workspaces of people are made of",
}
"""Modules that open a workspace without saying for whom, and why they may."""
PARTS_ON_RAY = frozenset({"BuildDriver", "build_on_engine", "UpdateDriver", "list_files", "resume_run", "start_run"})
"""Parts of `index_files`, which is tried as a whole; the caller holds the workspace's lock."""
HOLDERS = re.compile(r"\b(Workspace|Index)\b")


@dataclass
class Changing:
    """The access of somebody whose role is changed, or taken away, while a workspace is open."""

    role: Role | None
    key: str = "changing"

    def allows(self, right: Right) -> bool:
        """Whether the present role has the right."""
        return self.role is not None and RoleAccess(self.role).allows(right)

    def note(self, what: str, name: str) -> None:
        """Who did what is not listed here."""


@dataclass(frozen=True)
class Made:
    """The workspace that all calls are made on, or on a copy of it."""

    workspace: Workspace
    things: Things
    spare: Iterator[Path]

    def open_as(self, uri: str, access: Changing) -> Held:
        """A handle with the rights of `access`."""
        workspace = Workspace.open(uri, create=False, access=access)
        return Held(workspace, workspace.index("main"), self.things, next(self.spare))


@pytest.fixture(scope="module")
def rights_workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """Shared by all tests here: nothing refused, or read, changes it."""
    folder = tmp_path_factory.mktemp("rights")
    with stand_in_model():
        workspace, things = filled(folder)
        yield Made(workspace, things, (folder / f"spare{number}" for number in count()))


def state(uri: str) -> dict[str, tuple[int, bytes]]:
    """Every file of a workspace: when it was written, and its bytes. What a writer's lock leaves is no part of it."""
    folder = Path(uri)
    return {
        str(file.relative_to(folder)): (file.stat().st_mtime_ns, file.read_bytes())
        for file in folder.rglob("*")
        if file.is_file()
    }


def outcome(call: str, handle: Held) -> str:
    """What a call does: "done", "refused", or the error that it fails with, which is no answer to the question."""
    try:
        CALLS[call].make(handle)
    except AccessError:
        return "refused"
    except ChunkscopeError as error:  # all that fail are told together
        return f"{type(error).__name__}: {error}"[:300]
    return "done"


EXPECTED = {
    "viewer": {Takes.WRITE: {"refused"}, Takes.READ: {"done"}, Takes.KEEPS: {"done"}, Takes.NOTHING: {"done"}},
    "nobody": {
        Takes.WRITE: {"refused"},
        Takes.READ: {"refused"},
        Takes.KEEPS: {"refused", "done"},
        Takes.NOTHING: {"done"},
    },
}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(Role.VIEWER, Role.VIEWER, "viewer", id="a viewer"),
        pytest.param(Role.EDITOR, Role.VIEWER, "viewer", id="an editor who is a viewer now"),
        pytest.param(Role.OWNER, None, "nobody", id="an owner whose role was taken away"),
    ],
)
def test_a_forbidden_call_changes_no_byte(
    rights_workspace: Made, before: Role, after: Role | None, expected: str
) -> None:
    """Whatever is called; nor does what only reads."""
    was, wrong = state(rights_workspace.workspace.uri), {}
    for name, call in CALLS.items():
        access = Changing(before)
        handle = rights_workspace.open_as(rights_workspace.workspace.uri, access)
        access.role = after
        did = outcome(name, handle)
        if did not in EXPECTED[expected][call.takes]:
            wrong[name] = did
        now = state(rights_workspace.workspace.uri)
        if now != was:
            wrong[f"{name} changes"] = ", ".join(
                sorted(path for path in {*was, *now} if was.get(path) != now.get(path))
            )
            was = now
    assert wrong == {}


@pytest.mark.parametrize("role", [Role.EDITOR, Role.OWNER])
def test_who_may_write_may_do_everything(rights_workspace: Made, role: Role) -> None:
    """In a copy of their own where they change it: the workspace that it was made of keeps its bytes."""
    was, wrong = state(rights_workspace.workspace.uri), {}
    for name, call in CALLS.items():
        writes = call.takes in (Takes.WRITE, Takes.KEEPS)
        place = (
            linked_copy(rights_workspace.workspace, next(rights_workspace.spare)).folder
            if writes
            else Path(rights_workspace.workspace.uri)
        )
        did = outcome(name, rights_workspace.open_as(str(place), Changing(role)))
        if did != "done":
            wrong[name] = did
        if writes:
            shutil.rmtree(place)
    assert wrong == {}
    assert state(rights_workspace.workspace.uri) == was


def test_a_stranger_is_refused_at_the_door(rights_workspace: Made) -> None:
    """Also through a workspace that the server has open for somebody else."""
    for handle in (
        lambda: Workspace.open(rights_workspace.workspace.uri, access=Changing(None)),
        lambda: rights_workspace.workspace.seen_by(Changing(None)),
    ):
        with pytest.raises(AccessError):
            handle()


def public() -> Iterator[tuple[str, object]]:
    """(name, object) of what the library's modules offer: functions, and classes with their public methods."""
    for module in map(import_module, sorted(modules())):
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if getattr(value, "__module__", "") == module.__name__ and callable(value):
                yield value.__qualname__, value
                if inspect.isclass(value):
                    yield from (
                        (f"{value.__qualname__}.{key}", one)
                        for key, one in vars(value).items()
                        if not key.startswith("_")
                    )


def modules() -> Iterator[str]:
    """The library's modules."""
    for module_info in pkgutil.walk_packages(chunking.__path__, "chunking."):
        if not module_info.name.startswith(OPERATORS) and not module_info.name.endswith("__main__"):
            yield module_info.name


def takes_one(value: object) -> bool:
    """Whether a function, or a class when it is made, is given a workspace or an index."""
    function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
    if not callable(function):
        return False
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return False
    return any(HOLDERS.search(str(one.annotation)) for one in parameters)


def reached(workspace: Workspace) -> set[type]:
    """The classes of a workspace, of its index and of what stands in its attributes."""
    stores = {
        type(one) for name, one in vars(workspace).items() if not name.startswith("_") and hasattr(one, "_tables")
    }
    return {Workspace, type(workspace.index()), *stores}


def test_every_function_has_its_row(rights_workspace: Made) -> None:
    """A new one that is given a workspace or an index, and a new method of what a workspace gives, is tried by
    everybody: add its call to `tests/support/rights_calls.py`."""
    names = {name for name, function in public() if takes_one(function)}
    names -= {
        name for name in names if name.partition(".")[0] == "IndexBuild" and "." in name
    }  # parts of a run, whose whole is tried
    names -= PARTS_ON_RAY
    methods = {
        f"{kind.__name__}.{name}"
        for kind in reached(rights_workspace.workspace)
        for name, _ in inspect.getmembers(kind)
        if name[0] != "_"
    }
    assert {*names, *methods} - CALLS.keys() == set()
    assert CALLS.keys() - {*names, *methods} == set()


def open_functions() -> Iterator[str]:
    """Modules of the product in which a workspace or its tables are opened without an access."""
    for path in [*sorted((ROOT / "chunking").rglob("*.py")), *app_sources()]:
        name = path.relative_to(ROOT).as_posix()
        if name.startswith("chunking/cli/"):
            continue
        calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
        opening = (call for call in calls if ast.unparse(call.func) in ("Workspace.open", "Tables"))
        if any("access" not in {keyword.arg for keyword in call.keywords} for call in opening):
            yield name


def test_nothing_else_is_opened_without_saying_for_whom() -> None:
    """A page or a component that opens a workspace by its address would pass its rights by: it asks
    `session.workspace.workspace()`.
    """
    assert set(open_functions()) == present(FOR_EVERYBODY).keys()
