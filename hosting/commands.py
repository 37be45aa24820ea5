"""The operator's commands: `doctor`, `users` and `snapshot`."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from chunking.cli.streams import write, write_row
from chunking.errors import ConfigError

if TYPE_CHECKING:
    from hosting.snapshots import Snapshot

__all__ = ["doctor", "snapshot", "users"]


def doctor(arguments: argparse.Namespace) -> int:
    """Print a line per check of the deployment; exit code 1 if one fails.

    Invalid settings are reported first, and then alone.
    """
    from chunking.deployment import operator_settings
    from hosting.health.checks import Finding, examine
    from hosting.hosted_deployment import HostedDeployment

    try:
        settings = operator_settings()
    except ConfigError as error:
        write(f"{Finding(False, str(error)).line}\n")
        return 1
    sound = Finding(True, f"The operator's settings can be used; the mode is {settings.sharing.mode}.")
    well = True
    for finding in (sound, *examine(HostedDeployment(settings))):
        write(f"{finding.line}\n")
        well = well and finding.well
    return int(not well)


def users(arguments: argparse.Namespace) -> int:
    """Suspend or admit a person if asked to, and print everybody's last visits and usage.

    Prints one JSON object; after a change, with the changed person alone.
    """
    from chunking.deployment import operator_settings
    from hosting.hosted_deployment import HostedDeployment
    from hosting.quotas.usage import people_usage

    if arguments.suspend and arguments.admit:
        raise ConfigError("Give either --suspend or --admit.", where="--admit")
    here = HostedDeployment(operator_settings())
    whom = arguments.suspend or arguments.admit
    person = (here.people.get(whom) or here.people.by_email(whom)) if whom else None
    if person is not None:
        here.people.suspend(person.id, bool(arguments.suspend))
    rows = [one.as_record() for one in people_usage(here) if person is None or one.person.id == person.id]
    write_row({"people": rows})
    return 0


def snapshot(arguments: argparse.Namespace) -> int:
    """List, make or revoke snapshots, and print one JSON object.

    `make` prints the new snapshot with its address, which is not shown again; `revoke` prints the remaining ones.
    """
    from chunking.deployment import operator_settings
    from hosting.hosted_deployment import HostedDeployment
    from hosting.snapshots import OPERATOR, Shows

    here = HostedDeployment(operator_settings())
    if (arguments.of is None) != (arguments.what == "list"):
        needs = {"make": "the id of a workspace", "revoke": "the id of a snapshot", "list": "no id"}
        raise ConfigError(f"snapshot {arguments.what} takes {needs[arguments.what]}.", where="of")
    if arguments.what == "make":
        token = here.snapshots.make(
            arguments.of, arguments.name or f"{datetime.now(UTC):%Y-%m-%d}", Shows(arguments.shows), OPERATOR
        )
        frozen = here.snapshots.find(token)
        write_row(
            _snapshot_record(frozen)
            | {"address": here.snapshots.address(frozen, token, here.settings.sharing.public_url)}
        )
        return 0
    if arguments.what == "revoke":
        here.snapshots.revoke(arguments.of, OPERATOR)
    write_row({"snapshots": [_snapshot_record(one) for one in here.snapshots.all()]})
    return 0


def _snapshot_record(one: Snapshot) -> dict[str, object]:
    return {
        "id": one.id,
        "workspace": one.workspace,
        "name": one.name,
        "shows": one.shows.value,
        "made": _moment(one.created),
        "visited": None if one.visited is None else _moment(one.visited),
        "visits": one.visits,
    }


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
