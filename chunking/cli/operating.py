"""For the operator of a deployment: `doctor` checks it, `users` lists its people and keeps somebody out."""

from __future__ import annotations

import argparse

from chunking.cli.streams import write, write_row
from chunking.errors import ConfigError

__all__ = ["doctor", "users"]


def doctor(arguments: argparse.Namespace) -> int:
    """A line a check; exit 1 where one of them failed. Settings that cannot be used are the first, and then the only line."""
    from chunking.deployment import Deployment, operator_settings
    from chunking.deployment.health import Finding, examine

    try:
        settings = operator_settings()
    except ConfigError as error:
        write(f"{Finding(False, str(error)).line}\n")
        return 1
    sound = Finding(True, f"The operator's settings can be used; the mode is {settings.sharing.mode}.")
    well = True
    for finding in (sound, *examine(Deployment(settings))):
        write(f"{finding.line}\n")
        well = well and finding.well
    return int(not well)


def users(arguments: argparse.Namespace) -> int:
    """One object: everybody with their last visit and what they use; after a change, whom it was about alone."""
    from chunking.deployment import Deployment, operator_settings
    from chunking.deployment.people_usage import people_usage

    if arguments.suspend and arguments.admit:
        raise ConfigError("Give either --suspend or --admit.", where="--admit")
    here = Deployment(operator_settings())
    whom = arguments.suspend or arguments.admit
    person = (here.people.get(whom) or here.people.by_email(whom)) if whom else None
    if person is not None:
        here.people.suspend(person.id, bool(arguments.suspend))
    found = [one.as_record() for one in people_usage(here) if person is None or one.person.id == person.id]
    write_row({"people": found})
    return 0
