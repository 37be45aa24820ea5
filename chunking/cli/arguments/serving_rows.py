"""Rows of the commands for agents, a deployment's operator, the demo and the shell."""

from __future__ import annotations

from chunking.cli.arguments.command_words import Command
from chunking.cli.arguments.command_words import path as _path
from chunking.cli.arguments.command_words import word as _word
from chunking.cli.arguments.shared_arguments import WORKSPACE

__all__ = ["SERVING"]

SERVING: tuple[Command, ...] = (
    Command(
        "mcp",
        "serve a workspace to agents as a Model Context Protocol server over stdin and stdout",
        "serving.mcp",
        (
            WORKSPACE,
            _word("--write", action="store_true", help="offer collect and delete too, and let evaluations be saved"),
            _word(
                "--profile",
                choices=["full", "research"],
                default="full",
                help="research: exactly the tools search and fetch that ChatGPT's deep research calls",
            ),
            _word(
                "--address",
                default="",
                metavar="URL",
                help="address of the app, such as http://127.0.0.1:8501, for links in answers",
            ),
            _word(
                "--files",
                action="append",
                type=_path,
                default=[],
                metavar="DIR",
                help="a folder that collect may read files from (repeatable)",
            ),
        ),
    ),
    Command(
        "doctor",
        "check a deployment, one line per check, and say what to do; exit 1 if something is wrong",
        "maintaining.doctor",
        (),
    ),
    Command(
        "users",
        "list the people of a deployment with their last visit and disk use; suspend or readmit someone",
        "maintaining.users",
        (
            _word(
                "--suspend",
                metavar="WHO",
                help="suspend this e-mail address or id from their next click on; their workspaces stay",
            ),
            _word("--admit", metavar="WHO", help="readmit this e-mail address or id"),
        ),
    ),
    Command(
        "snapshot",
        "make read-only snapshots of a deployment's workspaces, each at its own address; list and revoke them",
        "maintaining.snapshot",
        (
            _word("what", choices=["make", "list", "revoke"], metavar="WHAT", help="make, list or revoke"),
            _word(
                "of",
                nargs="?",
                metavar="ID",
                help="make: the workspace, as in its address (?workspace=ID); revoke: the snapshot, as list prints it",
            ),
            _word("--name", metavar="NAME", help="its name; default: today's date"),
            _word(
                "--shows",
                choices=["documents", "report"],
                default="documents",
                help="documents: everything readable (default); report: results only, no text of the documents",
            ),
        ),
    ),
    Command(
        "demo",
        "play the guide over the sample documents, without a model download",
        "demo.demo",
        (
            _word(
                "--workspace",
                metavar="DIR",
                help="keep the demo's workspace in this new folder; deleted by default",
            ),
        ),
    ),
    Command(
        "completion",
        "print a shell completion script for commands and options",
        "completion.completion",
        (_word("shell", choices=["bash", "fish", "zsh"], metavar="SHELL", help="bash, zsh or fish"),),
    ),
)
