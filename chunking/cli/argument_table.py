"""Table of the commands and their arguments; parser, help and documentation are generated from it."""

from __future__ import annotations

from chunking.cli.command_words import (
    Command,
    choices_of,
    encoding,
    export_help,
    export_names,
    margin_help,
    margin_unit,
    parser,
    parsers_help,
    retrieval,
    settings_help,
    syntaxes,
    writer_help,
    writer_names,
)
from chunking.cli.command_words import path as _path
from chunking.cli.command_words import word as _word

__all__ = ["COMMANDS", "Command"]

_FILES = _word("files", nargs="+", type=_path, metavar="FILE", help="files, or folders to read recursively")
_CONFIG = _word("--config", metavar="F", help="a YAML file with settings")
_CONFIG_OR_NAME = _word(
    "--config", metavar="F", help="a YAML file with settings, or the name of a saved configuration of the workspace"
)
_SET = _word("--set", action="append", default=[], metavar="k=v", help=settings_help)
_RETRIEVAL = _word(
    "--retrieval", type=retrieval, choices=choices_of("Retrieval"), help="retrieval mode: what a result is"
)
_READING = (
    _word("--ocr", action="store_true", help="recognise the text of scanned pages (OCR; needs tesseract)"),
    _word("--comments", action="store_true", help="read comments in office files too; left out by default"),
    _word(
        "--encoding",
        type=encoding,
        metavar="NAME",
        help="read text files in this encoding, such as cp866; detected by default",
    ),
    _word("--parser", metavar="NAME", type=parser, help=parsers_help),
    _word("--edits", type=_path, metavar="FILE", help="edits to the parse of documents, as `export edits` writes them"),
    _word(
        "--pins", type=_path, metavar="FILE", help="pins on the boundaries of documents, as `export pins` writes them"
    ),
)
"""Options for reading files, shared by every command that reads files."""
_WORKSPACE = _word("--workspace", required=True, metavar="DIR", help="the folder of the workspace")
_SOLE_WRITER = _word(
    "--sole-writer",
    action="store_true",
    help=(
        "write to a workspace on object storage (s3://, gs://, az://), which has no lock: nothing else may "
        "write to it at the same time"
    ),
)
_NAME = _word("--name", metavar="N", help="the index; default: the newest")

_QUESTIONS = _word(
    "--questions",
    required=True,
    metavar="FILE",
    help=(
        "question set: CSV, JSON, JSONL or Parquet with questions and gold answers (RAGAS, SQuAD or a BEIR "
        "folder too), or the name of a saved set"
    ),
)
_SYNTAX = _word(
    "--syntax",
    choices=syntaxes,
    help=(
        "how questions are read: plain language, where quotation marks are just text, or typed searches with "
        "operators; default: as the set says, else plain"
    ),
)
_MEASURE = (
    _SYNTAX,
    _word("--n", type=int, metavar="N", help="number of results to evaluate; default: search.k"),
    _word("--budget", type=int, metavar="TOKENS", help="evaluate at a token budget instead"),
    _word("--expanded", action="store_true", help="evaluate results together with their neighbours"),
)
_SEARCHED = _word(
    "paths",
    nargs="*",
    type=_path,
    metavar="PATH",
    help="files, or folders to read recursively; default: all documents in the workspace",
)
_KEPT = _word(
    "--workspace", metavar="DIR", help="a workspace for the embedding cache and the runs; nothing is saved without one"
)
_METRIC = _word(
    "--metric",
    default="recall",
    metavar="NAME",
    help="recall, precision, iou, hit, reciprocal_rank, ndcg, whole, tokens ...",
)
_ENGINE = (
    _word(
        "--engine",
        choices=["embedded", "ray"],
        default="embedded",
        help=(
            "embedded: this process (default); ray: several processes or machines (pip install 'chunkscope[cluster]')"
        ),
    ),
    _word("--address", metavar="HOST:PORT", help="ray: a running cluster; default: Ray on this machine only"),
    _word("--workers", type=int, metavar="N", help="ray: parts at work at once; default: one per processor"),
)
"""Options of the engine, shared by every command that works on a cluster."""
_MARGIN = _word("--margin", type=float, metavar=margin_unit, help=margin_help)

COMMANDS: tuple[Command, ...] = (
    Command(
        "app",
        "open the app in a browser, on the samples or on your own documents",
        "serving.app",
        (
            _word(
                "paths",
                nargs="*",
                type=_path,
                metavar="PATH",
                help=(
                    "files or folders to open in a separate workspace; default: your workspace, which starts "
                    "with the samples"
                ),
            ),
            _word("--questions", metavar="FILE", help="question set on these documents, as `evaluate` reads it"),
            _word("--config", metavar="F", help="a YAML file with the settings to begin with"),
            _word("--workspace", metavar="DIR", help="the folder of the workspace to open; PATH is added to it"),
            _word("--port", type=int, metavar="N", help="port of the server, or the next free one; default: 8501"),
            _word("--no-browser", action="store_true", help="only serve, and print the address"),
            *_READING,
        ),
    ),
    Command("parse", "print each file as a document", "files.parse", (_FILES, _CONFIG, _SET, *_READING)),
    Command("chunk", "print the chunks of each file", "files.chunk", (_FILES, _CONFIG, _SET, *_READING)),
    Command(
        "index",
        "add files to a workspace and index them",
        "building.index",
        (
            _word("paths", nargs="+", type=_path, metavar="PATH", help="files, or folders to read recursively"),
            _WORKSPACE,
            _SOLE_WRITER,
            _word("--name", metavar="N", help="the index to build or update; default: main"),
            _CONFIG_OR_NAME,
            _SET,
            *_READING,
            _word("--again", action="store_true", help="read files again that the workspace has unchanged"),
            _word("--dry-run", action="store_true", help="print the plan and do nothing"),
            *_ENGINE,
            _word("--resume", metavar="RUN", help="ray: go on with a run that was stopped or killed, by its id"),
        ),
    ),
    Command(
        "sample",
        "add a random sample of a Lance or LanceDB table to a workspace, as documents in Markdown",
        "sampling.sample",
        (
            _word(
                "place",
                metavar="PLACE",
                help="the folder or address (s3://, gs://, az://) of a database or of one table (NAME.lance)",
            ),
            _WORKSPACE,
            _SOLE_WRITER,
            _word("--table", default="", metavar="NAME", help="the table; default: the only one"),
            _word("--text", default="", metavar="COLUMN", help="column of the text; default: by its name and type"),
            _word(
                "--id",
                default="",
                metavar="COLUMN",
                help="column of the id: rows with the same id are one document; default: each row is one",
            ),
            _word("--title", default="", metavar="COLUMN", help="column of the title; default: from the text"),
            _word("--documents", type=int, default=1_000, metavar="N", help="number of documents; default: 1,000"),
            _word("--seed", type=int, default=0, metavar="N", help="seed of the random sample; default: 0"),
            _word("--version", type=int, metavar="N", help="version of the table; default: the newest"),
        ),
    ),
    Command(
        "search",
        "search an index",
        "workspace_commands.search",
        (
            _word("query", metavar="QUERY", help="any text; text in quotation marks is searched as a phrase"),
            _WORKSPACE,
            _NAME,
            _word("--mode", choices=choices_of("SearchMode")),
            _RETRIEVAL,
            _word("--k", type=int, help="results"),
            _word("--before", metavar="N", help="neighbours to add before each result: a number, or auto"),
            _word("--after", metavar="N", help="neighbours to add after each result: a number, or auto"),
            _word(
                "--budget",
                type=int,
                metavar="TOKENS",
                help="context budget: maximum number of tokens; whole results, best first",
            ),
            _word(
                "--cut",
                type=float,
                metavar="SHARE",
                help="leave out results that score below this, from the lowest candidate (0) to the best result (1)",
            ),
            _word(
                "--trim",
                type=float,
                metavar="SHARE",
                help="keep of each result the sentences with at least this share of its best one's evidence (0 to 1)",
            ),
            _word(
                "--where",
                action="append",
                default=[],
                metavar="k=v",
                help="filter: only chunks whose field k equals v (repeatable)",
            ),
            _word(
                "--explain", action="store_true", help="add an explanation of each score, the stages, and the context"
            ),
        ),
    ),
    Command(
        "fetch",
        "print a whole document",
        "workspace_commands.fetch",
        (
            _word("doc_id", metavar="DOC_ID"),
            _WORKSPACE,
            _NAME,
            _word("--json", action="store_true", help="print its chunks, one per line"),
        ),
    ),
    Command(
        "evaluate",
        "evaluate settings on a question set (one run)",
        "evaluating.evaluate",
        (
            _SEARCHED,
            _QUESTIONS,
            _CONFIG_OR_NAME,
            _SET,
            *_MEASURE,
            _RETRIEVAL,
            _word(
                "--part",
                choices=["tune", "holdout"],
                help="only one split of the set: tune is the dev split, holdout the held-out split",
            ),
            _word(
                "--chunks",
                type=_path,
                metavar="FILE",
                help="evaluate chunks made elsewhere: JSONL with offsets or text",
            ),
            _KEPT,
            _SOLE_WRITER,
            *_READING,
            _word(
                "--fail-below",
                action="append",
                default=[],
                metavar="METRIC=PERCENT",
                help=("exit 1 if the whole 95 % confidence interval of the metric is below this (repeatable)"),
            ),
        ),
    ),
    Command(
        "sweep",
        "evaluate many configurations on a question set (an experiment)",
        "sweeping.sweep",
        (
            _SEARCHED,
            _QUESTIONS,
            _word(
                "--grid",
                action="append",
                default=[],
                metavar="k=v1,v2",
                help=(
                    "values of a setting, or of `parser`; all combinations are run (repeatable); separate values by | "
                    "if one contains a comma"
                ),
            ),
            _word(
                "--try",
                dest="tries",
                action="append",
                default=[],
                metavar="'k=v k=v'",
                help="one more configuration (repeatable)",
            ),
            _CONFIG_OR_NAME,
            _SET,
            _word(
                "--minutes",
                type=float,
                default=0.0,
                metavar="M",
                help=(
                    "time limit: successive halving drops the worse half on a sample of the questions; default: "
                    "all configurations on all questions"
                ),
            ),
            _word(
                "--estimate",
                action="store_true",
                help=(
                    "estimate all configurations first, without an index, and evaluate only the few that matter: "
                    "the best estimate, the cheapest within the margin, and the unchanged settings"
                ),
            ),
            _word(
                "--measure",
                type=int,
                default=3,
                metavar="N",
                help="with --estimate: how many to evaluate; 0: none (default: 3)",
            ),
            *_MEASURE,
            _METRIC,
            _MARGIN,
            _word("--name", metavar="NAME", help="name of the experiment in the workspace"),
            _KEPT,
            _SOLE_WRITER,
            *_READING,
            *_ENGINE,
        ),
    ),
    Command(
        "compare",
        "compare two runs printed by evaluate, or a candidate index with the live one, question by question",
        "sweeping.compare",
        (
            _word("a", nargs="?", type=_path, metavar="A.json", help="output of evaluate"),
            _word("b", nargs="?", type=_path, metavar="B.json", help="output of evaluate with other settings"),
            _METRIC,
            _word(
                "--fail-if-worse",
                action="store_true",
                help="exit 1 if the first run, or the candidate, is significantly worse",
            ),
            _word(
                "--candidate",
                action="store_true",
                help="compare NAME.candidate with the live index NAME: boundaries, gold answers, embedded texts",
            ),
            _word("--workspace", metavar="DIR", help="with --candidate: the folder of the workspace"),
            _word("--name", metavar="N", help="with --candidate: the live index; default: main"),
            _word(
                "--questions", metavar="FILE", help="with --candidate: question set, as for evaluate, or a saved one"
            ),
            *_MEASURE,
            _word(
                "--max-drop",
                type=float,
                metavar="POINTS",
                help="with --candidate: exit 1 if the mean of the metric falls by more points, significantly or not",
            ),
        ),
    ),
    Command(
        "candidate",
        "make the candidate of an index live, undo that, or drop the candidate",
        "candidate_commands.candidate",
        (
            _word(
                "what",
                choices=["promote", "undo", "drop"],
                metavar="WHAT",
                help=(
                    "promote: NAME.candidate becomes NAME, and NAME becomes NAME.previous; undo: the other way round; "
                    "drop: delete the candidate"
                ),
            ),
            _WORKSPACE,
            _SOLE_WRITER,
            _word("--name", metavar="N", help="the live index; default: main"),
        ),
    ),
    Command(
        "export",
        "write the configuration, chunks, code, questions with results, or a report to a file",
        "exporting.export",
        (
            _word("what", choices=export_names, metavar="WHAT", help=export_help),
            _WORKSPACE,
            _NAME,
            _word(
                "--run",
                dest="runs",
                nargs="+",
                action="extend",
                default=[],
                metavar="KEY",
                help="runs for the report and the questions; default: all runs on the newest run's questions",
            ),
            _word("--out", type=_path, metavar="FILE", help="the file to write, or a folder; default: stdout"),
            _word(
                "--levels",
                metavar="L",
                help="levels of the index, such as chunk,x2,parent; default: those that suit the format",
            ),
            _word(
                "--text",
                choices=["content", "embedded"],
                default="content",
                help="text of a LangChain Document: the span, or the embedded text",
            ),
            _METRIC,
            _MARGIN,
            _word(
                "--budget",
                type=int,
                metavar="TOKENS",
                help="evaluate the report at a token budget instead of the runs' number of results",
            ),
            _word("--vectors", action="store_true", help="include the vectors in Parquet"),
            _word(
                "--sample",
                nargs="+",
                action="extend",
                default=[],
                metavar="PATH",
                help="documents in the sample of a cluster job, by their paths in the workspace; default: the first 5",
            ),
        ),
    ),
    Command(
        "write",
        "write an index with its vectors to another vector store; later runs write only changes",
        "building.write",
        (
            _word("what", choices=writer_names, metavar="WHAT", help=writer_help),
            _WORKSPACE,
            _NAME,
            _word(
                "--to",
                required=True,
                metavar="PLACE",
                help="the folder, created if missing, or the address of the server",
            ),
            _word(
                "--collection",
                default="chunks",
                metavar="NAME",
                help="the collection to synchronise with the index; default: chunks",
            ),
            _word("--levels", metavar="L", help="levels of the index with vectors, such as chunk,x2; default: chunk"),
        ),
    ),
    Command("documents", "list the documents of a workspace", "workspace_commands.list_documents", (_WORKSPACE,)),
    Command("indexes", "list the indexes of a workspace", "workspace_commands.list_indexes", (_WORKSPACE,)),
    Command(
        "configurations",
        "list the configurations saved in a workspace, and save, rename or delete one",
        "workspace_commands.configurations",
        (
            _WORKSPACE,
            _word(
                "--save",
                metavar="NAME",
                help="save settings under this name: those of --config and --set; without them, the defaults",
            ),
            _CONFIG_OR_NAME,
            _SET,
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
        (_word("doc_ids", nargs="+", metavar="DOC_ID"), _WORKSPACE, _SOLE_WRITER),
    ),
    Command(
        "save",
        "save a workspace to one file",
        "maintaining.save",
        (
            _word("file", type=_path, metavar="FILE", help="the file to write, such as handbook.chunkscope"),
            _WORKSPACE,
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
    Command(
        "mcp",
        "serve a workspace to agents as a Model Context Protocol server over stdin and stdout",
        "serving.mcp",
        (
            _WORKSPACE,
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
