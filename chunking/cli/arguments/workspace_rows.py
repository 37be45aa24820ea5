"""Rows of the commands that list, change, save and back up workspaces."""

from __future__ import annotations

from chunking.cli.arguments.command_words import Command
from chunking.cli.arguments.command_words import path as _path
from chunking.cli.arguments.command_words import word as _word
from chunking.cli.arguments.shared_arguments import CONFIG_OR_NAME, SET, SOLE_WRITER, WORKSPACE

__all__ = ["WORKSPACES"]

WORKSPACES: tuple[Command, ...] = (
    Command("documents", "list the documents of a workspace", "workspace_commands.list_documents", (WORKSPACE,)),
    Command("indexes", "list the indexes of a workspace", "workspace_commands.list_indexes", (WORKSPACE,)),
    Command(
        "configurations",
        "list the configurations saved in a workspace, and save, rename or delete one",
        "workspace_commands.configurations",
        (
            WORKSPACE,
            _word(
                "--save",
                metavar="NAME",
                help="save settings under this name: those of --config and --set; without them, the defaults",
            ),
            CONFIG_OR_NAME,
            SET,
            _word("--replace", action="store_true", help="with --save: replace the configuration of that name"),
            _word("--rename", nargs=2, metavar=("OLD", "NEW"), help="rename a configuration"),
            _word("--delete", metavar="NAME", help="delete one"),
        ),
    ),
    Command("models", "list the available embedding models", "workspace_commands.list_models", ()),
    Command(
        "delete",
        "delete documents from a workspace",
        "workspace_commands.delete",
        (_word("doc_ids", nargs="+", metavar="DOC_ID"), WORKSPACE, SOLE_WRITER),
    ),
    Command(
        "save",
        "save a workspace to one file",
        "maintaining.save",
        (
            _word("file", type=_path, metavar="FILE", help="the file to write, such as handbook.chunkscope"),
            WORKSPACE,
            _word(
                "--history", action="store_true", help="include the search history; left out by default, it is private"
            ),
        ),
    ),
    Command(
        "open",
        "check a file that save wrote and open it as a new workspace",
        "maintaining.open_file",
        (
            _word("file", type=_path, metavar="FILE"),
            _word(
                "--workspace",
                required=True,
                type=_path,
                metavar="DIR",
                help="the folder of the new workspace; it must not exist yet",
            ),
        ),
    ),
    Command(
        "backup",
        "back up a workspace, or a folder of workspaces, while people work in it",
        "maintaining.backup",
        (
            _word("folder", type=_path, metavar="FOLDER", help="a workspace, or the home folder with all of them"),
            _word("dest", type=_path, metavar="DEST", help="the folder of the backup; it must not exist yet"),
            _word(
                "--copy",
                action="store_true",
                help="copy all bytes; by default, files on the same disk are hard-linked, at no cost",
            ),
        ),
    ),
    Command(
        "restore",
        "restore a backup to a new folder and verify it",
        "maintaining.restore",
        (
            _word("backup", type=_path, metavar="BACKUP", help="the folder that backup made"),
            _word("dest", type=_path, metavar="DEST", help="the folder to restore to; it must not exist yet"),
        ),
    ),
    Command(
        "compact",
        "free disk space: merge files and delete unused ones",
        "maintaining.compact",
        (_word("folder", type=_path, metavar="FOLDER", help="a workspace, or the home folder with all of them"),),
    ),
)
