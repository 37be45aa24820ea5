"""`configurations`: the settings that people of a workspace share under a name."""

from __future__ import annotations

import argparse

from chunking.cli.files import config_of
from chunking.cli.streams import write_row
from chunking.errors import ConfigError

__all__ = ["configurations"]


def configurations(arguments: argparse.Namespace) -> int:
    """One object: those there are, after the change that was asked for, the newest first; `settings` has what differs
    from the defaults.
    """
    from chunking import store

    changes = [name for name in ("save", "rename", "delete") if getattr(arguments, name) is not None]
    if len(changes) > 1:
        raise ConfigError(f"Give either {' or '.join(f'--{name}' for name in changes)}.", where=f"--{changes[1]}")
    if arguments.save is None and (arguments.config or arguments.set or arguments.replace):
        raise ConfigError("--config, --set and --replace need --save; add it with a name.", where="--save")
    workspace = store.Workspace.open(arguments.workspace, create=False)
    if arguments.save is not None:
        name = store.configuration_name(arguments.save)
        there = [one for one in store.saved_configurations(workspace) if one.name == name] if arguments.replace else []
        store.save_configuration(workspace, name, config_of(arguments), replacing=there[0] if there else None)
    if arguments.rename is not None:
        old, new = arguments.rename
        store.rename_configuration(workspace, store.saved_configuration(workspace, old), new)
    if arguments.delete is not None:
        store.delete_configuration(workspace, store.saved_configuration(workspace, arguments.delete))
    write_row({"configurations": [one.as_record() for one in store.saved_configurations(workspace)]})
    return 0
