"""Workspaces of people: who sees, shares, hands over, deletes and takes back, and what strangers are told."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from chunking.deployment.activity import Activity
from chunking.deployment.operator_sources import operator_settings
from chunking.deployment.person import EVERYONE, Person
from chunking.deployment.workspaces import Workspaces
from chunking.errors import AccessError, ConfigError, StoreError
from chunking.store import Right, Role, Workspace
from hosting.dialogs.activity_list import group_repeats
from hosting.health.checks import examine
from hosting.health.data_faults import folder_faults
from hosting.hosted_deployment import HostedDeployment
from hosting.snapshots import Shows
from tests.support.disks import mounted, use_up

A, B, C = "a", "b", "c"


@pytest.fixture
def deployment(tmp_path: Path) -> HostedDeployment:
    """A deployment of a team in an empty home."""
    return HostedDeployment(operator_settings({"CHUNKSCOPE_HOME": str(tmp_path / "home"), "CHUNKSCOPE_MODE": "team"}))


@pytest.fixture
def workspaces(deployment: HostedDeployment) -> Workspaces:
    """Its workspaces; A has signed in."""
    deployment.people.record_visit(Person(A))
    return deployment.workspaces


MANAGED: dict[str, Callable[[Workspaces, str, str], object]] = {
    "rename": lambda workspaces, id, by: workspaces.rename(id, "Other", by),
    "share": lambda workspaces, id, by: workspaces.share(id, C, Role.VIEWER, by),
    "unshare": lambda workspaces, id, by: workspaces.unshare(id, A, by),
    "hand_over": lambda workspaces, id, by: workspaces.hand_over(id, C, by),
    "delete": lambda workspaces, id, by: workspaces.delete(id, by),
    "take_back": lambda workspaces, id, by: workspaces.take_back(id, by),
}


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR, None])
@pytest.mark.parametrize("what", MANAGED)
def test_only_an_owner_manages(workspaces: Workspaces, what: str, role: Role | None) -> None:
    """A stranger is told the same as of a workspace that does not exist."""
    id = workspaces.create("Mine", A)
    if role is not None:
        workspaces.share(id, B, role, A)
    before = workspaces.shares(id, A)
    with pytest.raises(AccessError) as refused:
        MANAGED[what](workspaces, id, B)
    if role is None:
        with pytest.raises(AccessError) as unknown:
            MANAGED[what](workspaces, "0" * 16, B)
        assert str(refused.value) == str(unknown.value)
    assert workspaces.shares(id, A) == before
    assert [one.name for one in workspaces.of(A)] == ["Mine"]


@pytest.mark.parametrize("by", ["snapshot-0a1b2c", "", "*", B])
def test_only_who_has_signed_in_makes_one(deployment: HostedDeployment, workspaces: Workspaces, by: str) -> None:
    """Who reads a snapshot is no person whose workspaces are counted, shared or deleted; nothing is filled for them."""
    filled: list[Path] = []
    with pytest.raises(AccessError, match="signed in"):
        workspaces.create("Mine", by, fill=filled.append)
    assert filled == []
    assert workspaces.create("Mine", A)
    deployment.people.suspend(A)
    with pytest.raises(AccessError, match="signed in"):
        workspaces.create("More", A)


def test_nothing_is_written_until_something_is_made(deployment: HostedDeployment) -> None:
    """Reading an empty home makes no file."""
    assert deployment.workspaces.of(A) == [] == deployment.people.all()
    assert not deployment.settings.home.exists()


def test_a_role_is_given_and_taken_away_while_a_workspace_is_open(
    deployment: HostedDeployment, workspaces: Workspaces
) -> None:
    """The store asks the directory: what was refused is allowed, and refused again."""
    id = workspaces.create("Mine", A)
    place = workspaces.place(id)
    Workspace.open(place, access=workspaces.access(id, A)).question_sets.put({"kept": "{}"})
    with pytest.raises(AccessError, match="no access"):
        Workspace.open(place, access=workspaces.access(id, B))
    workspaces.share(id, B, Role.VIEWER, A)
    visible = Workspace.open(place, access=workspaces.access(id, B))
    assert visible.question_sets.names() == ["kept"]
    with pytest.raises(AccessError, match="not change it"):
        visible.question_sets.put({"mine": "{}"})
    workspaces.share(id, B, Role.EDITOR, A)
    visible.question_sets.put({"mine": "{}"})
    workspaces.unshare(id, B, A)
    with pytest.raises(AccessError, match="no access"):
        visible.question_sets.names()


def test_who_is_suspended_and_what_is_deleted_is_closed(deployment: HostedDeployment, workspaces: Workspaces) -> None:
    """Both at the next call, and both can be taken back."""
    deployment.people.record_visit(Person(A, "Ann", "ann@example.com"))
    id = workspaces.create("Mine", A)
    access = workspaces.access(id, A)
    assert access.allows(Right.MANAGE)
    deployment.people.suspend(A)
    assert not access.allows(Right.READ)
    deployment.people.suspend(A, False)
    workspaces.delete(id, A)
    assert not access.allows(Right.READ)
    assert (workspaces.of(A), [one.id for one in workspaces.bin(A)]) == ([], [id])
    workspaces.take_back(id, A)
    assert access.allows(Right.MANAGE)


def test_a_workspace_always_has_an_owner_who_is_a_person(deployment: HostedDeployment, workspaces: Workspaces) -> None:
    """Neither by sharing, nor by leaving, nor by giving oneself another role. Who never signed in is not among
    everyone.
    """
    for one in (A, C):
        deployment.people.record_visit(Person(one))
    id = workspaces.create("Mine", A)
    for wrong in (
        lambda: workspaces.share(id, EVERYONE, Role.OWNER, A),
        lambda: workspaces.unshare(id, A, A),
        lambda: workspaces.share(id, A, Role.VIEWER, A),
        lambda: workspaces.hand_over(id, EVERYONE, A),
    ):
        with pytest.raises(AccessError):
            wrong()
    workspaces.share(id, EVERYONE, Role.VIEWER, A)
    assert workspaces.role(id, C) is Role.VIEWER
    for nobody in ("", "snapshot-0"):
        assert workspaces.role(id, nobody) is None
        assert workspaces.of(nobody) == []
    deployment.people.record_visit(Person(B))
    workspaces.hand_over(id, B, A)
    assert (workspaces.role(id, A), workspaces.role(id, B)) == (Role.EDITOR, Role.OWNER)
    workspaces.unshare(id, A, A)
    assert workspaces.role(id, A) is Role.VIEWER


def test_who_has_the_role_of_everyone_alone_has_none_to_leave(
    deployment: HostedDeployment, workspaces: Workspaces
) -> None:
    """They are told so, and nothing is written down; an own role beside it can be given up."""
    for one in (A, B):
        deployment.people.record_visit(Person(one))
    id = workspaces.create("Mine", A)
    workspaces.share(id, EVERYONE, Role.VIEWER, A)
    before = deployment.activity.of(id)
    with pytest.raises(AccessError, match="everyone"):
        workspaces.unshare(id, B, B)
    assert deployment.activity.of(id) == before
    workspaces.share(id, B, Role.EDITOR, A)
    workspaces.unshare(id, B, B)
    assert workspaces.role(id, B) is Role.VIEWER


def test_an_owner_is_somebody_who_can_work_in_it(deployment: HostedDeployment, workspaces: Workspaces) -> None:
    """Not one whom nobody knows, nor who is suspended; who is an owner already stays one."""
    deployment.people.record_visit(Person(B, "Bob"))
    deployment.people.suspend(B)
    id = workspaces.create("Mine", A)
    for person in (B, C, ""):
        for give in (lambda: workspaces.hand_over(id, person, A), lambda: workspaces.share(id, person, Role.OWNER, A)):  # noqa: B023
            with pytest.raises(AccessError, match="signed in"):
                give()
    workspaces.share(id, A, Role.OWNER, A)
    assert [(one.person, one.role) for one in workspaces.shares(id, A)] == [(A, Role.OWNER)]


@pytest.mark.parametrize("id", ["..", "../x", "", "/etc", "G" * 16, "0" * 17, "a\0b"])
def test_an_invalid_id_names_no_folder(workspaces: Workspaces, id: str) -> None:
    """An id comes from an address: it names no folder but that of a workspace."""
    with pytest.raises(AccessError):
        workspaces.place(id)


def test_on_a_full_disk_who_is_known_is_let_in(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """To read, whether their server had the directory open before or not; who is new, and what has to be written, is
    told what fails.
    """
    ann, token, settings = (
        Person(A, "Ann", "ann@example.com"),
        "",
        {"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_FREE_DISK": "0"},
    )
    with mounted(tmp_path / "disk", "size=4m") as disk:
        here = HostedDeployment(operator_settings({**settings, "CHUNKSCOPE_HOME": str(disk / "home")}))
        here.people.record_visit(ann)
        id = here.workspaces.create("Mine", A)
        Workspace.open(here.workspaces.place(id)).question_sets.put({"Q": "{}"})
        token = here.snapshots.make(id, "Review", Shows.DOCUMENTS, A)
        with here.directory.writing() as connection:
            connection.execute("UPDATE people SET last_seen = last_seen - 3600")
        use_up(disk / "filler")
        for one in (here, HostedDeployment(here.settings)):
            visible = one.people.record_visit(ann)
            assert (visible.id, visible.name) == (A, "Ann")
            assert one.workspaces.role(id, A) is Role.OWNER
            one.workspaces.note_use(id)
            assert one.snapshots.visit(token).workspace == id
            for new in (Person(A, "Ann Other", "ann@example.com"), Person(B, "Bob")):
                with pytest.raises(StoreError, match="chunkscope doctor"):
                    one.people.record_visit(new)
        said = [line.getMessage() for line in caplog.records if line.name == "chunking.deployment.directory"]
        assert len(said) == 2  # once a minute and server
        (disk / "filler").unlink()
        fresh = HostedDeployment(here.settings)
        assert fresh.people.record_visit(ann).last_seen > visible.last_seen
        assert fresh.people.get(A) == fresh.people.record_visit(ann)


def test_names_are_one_line_without_tricks(workspaces: Workspaces) -> None:
    """Direction marks, line breaks and ten thousand letters; nothing at all is refused."""
    id = workspaces.create("a\u202eb\n<b>" + "x" * 10_000, A)
    (name,) = (one.name for one in workspaces.of(A))
    assert name.startswith("ab <b>xxx")
    assert len(name) == 80
    with pytest.raises(ConfigError, match="needs a name"):
        workspaces.rename(id, " \u200b\n", A)


def test_what_was_done_is_listed(deployment: HostedDeployment, workspaces: Workspaces) -> None:
    """The last first, with who did it."""
    id = workspaces.create("Mine", A)
    workspaces.share(id, B, Role.EDITOR, A)
    workspaces.unshare(id, B, B)
    done = [(line.person, line.what, line.name) for line in deployment.activity.of(id)]
    assert done == [
        (B, "left this workspace", ""),
        (A, "gave the role of editor to", B),
        (A, "made this workspace", ""),
    ]


def test_what_is_listed_and_gone_is_lost_and_not_new(deployment: HostedDeployment) -> None:
    """A workspace and a snapshot; one that nobody has looked at yet is there. An operator is told of each, and of
    unlisted folders.
    """
    assert list(folder_faults(deployment)) == []
    deployment.people.record_visit(Person(A))
    new, ours = (deployment.workspaces.create(name, A) for name in ("New", "Contracts"))
    place = deployment.workspaces.place(ours)
    Workspace.open(place).question_sets.put({"Q": "{}"})
    deployment.check_there(str(place))
    token = deployment.snapshots.make(ours, "Review", Shows.DOCUMENTS, A)
    frozen = deployment.snapshots.place(deployment.snapshots.find(token).id)
    deployment.check_there(str(frozen))
    shutil.rmtree(frozen.parent)
    place.rename(place.with_name("0" * 16))
    for lost in (place, frozen):
        with pytest.raises(StoreError, match="on the disk") as message:
            deployment.check_there(str(lost))
        assert str(deployment.settings.home) not in str(message.value)
    deployment.check_there(str(deployment.workspaces.place(new)))
    told_operator = list(folder_faults(deployment))
    assert [ours in told_operator[0], frozen.parent.name in told_operator[1], "0" * 16 in told_operator[2]] == [
        True
    ] * 3
    assert not any(new in line for line in told_operator)
    assert set(told_operator) <= {one.what for one in examine(deployment, {}.get) if not one.well}


def test_what_is_cut_short_is_on_no_list(deployment: HostedDeployment) -> None:
    """Whatever ends the making of a folder; and a folder that nobody lists, because there are too many, is not left."""
    visible: list[Path] = []
    deployment.people.record_visit(Person(A))

    def half(place: Path) -> None:
        place.mkdir(parents=True)
        visible.append(place)
        assert deployment.workspaces.of(A) == []
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deployment.workspaces.create("Half", A, fill=half)
    assert deployment.workspaces.of(A) == []
    assert not visible[0].exists()
    created = deployment.workspaces.create("Whole", A, fill=lambda place: place.mkdir(parents=True))
    deployment.check_there(str(deployment.workspaces.place(created)))


def test_a_directory_of_a_later_version_is_not_touched(deployment: HostedDeployment) -> None:
    """One sentence, and the file stays as it is."""
    deployment.people.record_visit(Person(A))
    deployment.workspaces.create("Mine", A)
    with deployment.directory.writing() as connection:
        connection.execute("PRAGMA user_version=99")
    before = deployment.directory.file.read_bytes()
    with pytest.raises(StoreError, match="later version"):
        HostedDeployment(deployment.settings).workspaces.of(A)
    assert deployment.directory.file.read_bytes() == before


def test_what_editors_do_is_listed_by_person(deployment: HostedDeployment, workspaces: Workspaces) -> None:
    """Through the workspace that each has opened; the same thing done again within an hour is counted."""
    id = workspaces.create("Ours", A)
    workspaces.share(id, B, Role.EDITOR, A)
    begun = deployment.activity.last(id)
    ours, theirs = (Workspace.open(workspaces.place(id), access=workspaces.access(id, person)) for person in (A, B))
    for n in range(3):
        ours.changes.append("a", "pins", [{"n": n}])
        theirs.question_sets.put({"Q": str(n)})
    lines = deployment.activity.of(id, after=begun)
    assert [(one.person, one.name) for one in lines] == [(B, "Q"), (A, "a")] * 3
    assert [(one.last.person, one.times) for one in group_repeats(lines)] == [(B, 3), (A, 3)]
    assert {one.name for one in deployment.activity.of(id, after=begun, person=B)} == {"Q"}
    assert deployment.activity.last(id) == lines[0].number


def test_a_repetition_after_an_hour_is_another_line() -> None:
    """As is another person's."""
    lines = [
        Activity(n, person, at, "added", "x")
        for n, person, at in ((5, A, 9000), (4, B, 8900), (3, A, 8000), (2, A, 6000), (1, A, 100))
    ]
    assert [(one.last.number, one.times) for one in group_repeats(lines)] == [(5, 3), (4, 1), (1, 1)]
