"""Every command as people see it: real records through the views, at several widths, with and without colours."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from chunking.cli import COMMANDS
from chunking.cli.terminal.look import ASCII, TerminalLook
from chunking.cli.terminal.terminal_text import width
from chunking.cli.terminal.views import VIEWS, find_view
from chunking.store import Workspace
from tests.cli.command import SAMPLES, Run
from tests.cli.terminal.pseudo_terminal import Watch, plain

ENGLISH = "How do I rotate the gateway certificates?"
CHINESE = "三盏灯同时紫色快闪说明什么？"
WIDTHS = (60, 100)
TEXT_ONLY = {"app", "fetch", "doctor", "completion", "mcp"}
"""Commands that print text in any case."""


def test_every_command_that_gives_data_has_a_view() -> None:
    """Each one view, and no view is without its command."""
    names = [view.command for view in VIEWS]
    assert len(names) == len(set(names))
    assert set(names) == {command.name for command in COMMANDS} - TEXT_ONLY


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("colour", [False, True], ids=["plain", "colours"])
def test_a_search_shows_its_hits(watch: Watch, samples: Path, columns: int, colour: bool) -> None:
    """Query, citations, what matched; nothing is JSON, nothing wider than the terminal."""
    shown = watch("search", ENGLISH, "--workspace", samples, "--mode", "text", "--k", 3, columns=columns, colour=colour)
    assert shown.code == 0
    text = "\n".join(shown.lines)
    assert ENGLISH in " ".join(text.split())
    assert re.search(r"[\w-]+\.(md|txt|pdf)", text)
    assert "{" not in shown.lines[0]
    assert max(map(width, shown.lines)) <= columns
    marked = re.findall(r"\x1b\[1;4;33m([^\x1b]+)" if colour else r"«([^»]+)»", shown.raw)
    assert any("gateway" in one.lower() for one in marked)


def test_a_chinese_search_fits_sixty_columns(watch: Watch, samples: Path) -> None:
    """Wide characters count as two."""
    shown = watch("search", CHINESE, "--workspace", samples, "--mode", "text", columns=60)
    assert any("固件" in line for line in shown.lines)
    assert max(map(width, shown.lines)) <= 60


def test_an_explained_search_adds_tables(watch: Watch, samples: Path) -> None:
    """A row a hit and a row a stage."""
    words = ("search", ENGLISH, "--workspace", samples, "--budget", 300)
    usual, explained = watch(*words), watch(*words, "--explain")
    assert len(explained.lines) > len(usual.lines) + 6
    assert any(re.match(r"fusion +\d+ +\d+\.\d$", line) for line in explained.lines)


def test_a_cut_search_lists_what_was_left_out(watch: Watch, samples: Path) -> None:
    """A row each, with its evidence."""
    words = ("search", ENGLISH, "--workspace", samples, "--k", 8, "--explain")
    usual, cut = watch(*words), watch(*words, "--cut", 0.7, "--trim", 0.5)
    assert "Evidence" in cut.lines
    assert "Evidence" not in usual.lines
    assert any(re.match(r" *8 .*\d", line) for line in cut.lines)


def test_searches_without_an_index_or_hits_are_drawn(watch: Watch, run: Run, own_samples: Path) -> None:
    """Whole documents are searched; nothing is no error."""
    search = ("search", CHINESE, "--workspace", own_samples, "--mode", "text")
    nothing = watch(*search, "--where", "category=none")
    assert (nothing.code, len([line for line in nothing.lines if line])) == (0, 1)
    assert run("delete", "handbook_operations-handbook", "--workspace", own_samples).code == 0
    workspace = Workspace.open(own_samples)
    for row in workspace.indexes():
        workspace.drop_index(row.name)
    shown = watch(*search)
    assert shown.code == 0
    assert any("固件" in line for line in shown.lines)


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("command", ["documents", "indexes", "configurations"])
def test_what_a_workspace_has_is_a_table(watch: Watch, run: Run, own_samples: Path, command: str, columns: int) -> None:
    """As many rows as records; each name is there."""
    assert run("configurations", "--workspace", own_samples, "--save", "for 合同", "--set", "size=100").code == 0
    (items,) = run(command, "--workspace", own_samples).row.values()
    shown = watch(command, "--workspace", own_samples, columns=columns)
    assert shown.code == 0
    assert max(map(width, shown.lines)) <= columns
    for item in items:
        name = Path(item.get("source") or item["name"]).name[-12:]
        assert any(name in line for line in shown.lines)


def test_models_and_an_empty_list(watch: Watch, run: Run, own_samples: Path) -> None:
    """The models of this machine by their values; of nothing a sentence."""
    for model in run("models").row["models"]:
        assert any(model["value"][-12:] in line for line in watch("models").lines)
    shown = watch("configurations", "--workspace", own_samples)
    assert (shown.code, len([line for line in shown.lines if line])) == (0, 1)


def test_the_chunks_of_a_document_cover_its_text(watch: Watch, guide: Path) -> None:
    """Every line of a small document stands in a band with the number of its chunk."""
    shown = watch("chunk", guide, "--set", "size=40", columns=60)
    rows = "\n".join(shown.lines)
    for line in (guide / "pump" / "guide.md").read_text(encoding="utf-8").splitlines():
        for word in line.split():
            assert word in rows
    assert [int(number) for number in re.findall(r"^▌ (\d+)  \d+ tokens", rows, re.MULTILINE)] == list(
        range(1, len(re.findall(r"^▌ \d+  ", rows, re.MULTILINE)) + 1)
    )


def test_an_overlap_has_an_edge_of_its_own(watch: Watch, guide: Path) -> None:
    """What two chunks share is told without colours too."""
    shown = watch(
        "chunk", guide, "--set", "size=40", "--set", "overlap=15", "--set", "keep_whole=none", "--set", "strategy=fixed"
    )
    assert any(line.startswith("┊ ") for line in shown.lines)


def test_each_document_is_drawn_by_itself(watch: Watch) -> None:
    """Of a folder one after the other, each with its sums."""
    shown = watch("chunk", SAMPLES / "faq", SAMPLES / "api")
    assert [line for line in shown.lines if line.endswith((".txt", ".md")) and " " not in line.strip()]
    assert len(re.findall(r"median", shown.raw)) == 2


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_parsed_document_shows_its_outline(watch: Watch, columns: int) -> None:
    """The titles of its sections, moved in by level."""
    shown = watch("parse", SAMPLES / "manual-zh", columns=columns)
    assert any(line.startswith("  ") and "指示灯" in line for line in shown.lines)
    assert max(map(width, shown.lines)) <= columns


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_run_a_leaderboard_and_a_comparison_are_drawn(
    watch: Watch, run: Run, samples: Path, tmp_path: Path, columns: int
) -> None:
    """A run with intervals, a leaderboard with its verdict once, and two runs compared."""
    lines = (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    few = tmp_path / "questions.jsonl"
    few.write_text(
        "\n".join([line for line in lines if json.loads(line)["doc"] == "faq/faq.txt"][:6]), encoding="utf-8"
    )
    arguments = (SAMPLES / "faq", "--questions", few)
    shown = watch("evaluate", *arguments, columns=columns)
    assert shown.code == 0
    assert any(line.startswith("Recall ") and "%" in line for line in shown.lines)
    assert ("●" in shown.raw) == (columns >= 72)
    assert max(map(width, shown.lines)) <= columns
    board = watch("sweep", *arguments, "--grid", "size=40,120", columns=columns)
    assert (board.code, sum("size 40" in line for line in board.lines) >= 1) == (0, True)
    assert max(map(width, board.lines)) <= columns
    estimates = watch("sweep", *arguments, "--grid", "size=40,120", "--estimate", "--measure", 0, columns=columns)
    assert (estimates.code, any("size 120" in line for line in estimates.lines)) == (0, True)
    for name, size in (("a", 40), ("b", 120)):
        (tmp_path / f"{name}.json").write_text(
            run("evaluate", *arguments, "--set", f"size={size}").out, encoding="utf-8"
        )
    compared = watch("compare", tmp_path / "a.json", tmp_path / "b.json", columns=columns)
    assert compared.code == 0
    assert any(line.startswith("A") and "a.json" in line for line in compared.lines)
    assert max(map(width, compared.lines)) <= columns


def test_what_was_done_is_a_sentence(watch: Watch, own_samples: Path, guide: Path, tmp_path: Path) -> None:
    """Of each command that does something; the files are there, and no JSON."""
    at = ("--workspace", own_samples)
    commands: tuple[tuple[object, ...], ...] = (
        ("index", guide, *at, "--dry-run"),
        ("index", guide, *at),
        ("save", tmp_path / "samples.chunkscope", *at),
        ("open", tmp_path / "samples.chunkscope", "--workspace", tmp_path / "opened"),
        ("backup", own_samples, tmp_path / "backup"),
        ("restore", tmp_path / "backup", tmp_path / "restored"),
        ("export", "chunks-jsonl", *at, "--out", tmp_path / "chunks.jsonl"),
        ("compact", own_samples),
        ("delete", "faq_faq", *at),
    )
    for words in commands:
        shown = watch(*words)
        said = [line for line in shown.lines if line]
        assert shown.code == 0, (words[0], shown.lines)
        assert said[-1].endswith("."), (words[0], shown.lines)
        assert "{" not in said[-1], words[0]
    assert (tmp_path / "chunks.jsonl").stat().st_size > 0


def test_a_failed_file_is_named(watch: Watch, tmp_path: Path) -> None:
    """Exit code 1; what was done is said all the same, and what was not."""
    (tmp_path / "good.md").write_text("# Pump\n\nSwitch it off.\n", encoding="utf-8")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 no pdf")
    shown = watch("index", tmp_path / "good.md", tmp_path / "bad.pdf", "--workspace", tmp_path / "w")
    assert shown.code == 1
    assert any("bad.pdf" in line and line.startswith("!") for line in shown.lines)


def test_json_on_a_terminal_where_it_is_asked_for(watch: Watch, run: Run, samples: Path) -> None:
    """The same object as in a pipe."""
    words = ("search", CHINESE, "--workspace", samples, "--mode", "text")
    assert json.loads(watch(*words, "--json").lines[-2]) == run(*words).row == run(*words, "--json").row


def test_a_record_of_a_pipe_is_not_changed_by_where_stderr_goes(run: Run, samples: Path) -> None:
    """`--json` and none give the same bytes."""
    words = ("documents", "--workspace", samples)
    assert run(*words).out == run(*words, "--json").out


def test_views_work_with_ascii_alone(samples: Path, run: Run) -> None:
    """Signs and texts of a terminal that has nothing else."""
    view, look = find_view("chunk"), TerminalLook(60, encoding="ascii")
    assert view is not None
    assert look.symbols == ASCII
    lines = list(view.load()(run("chunk", SAMPLES / "faq").rows, look))
    assert any(line.startswith("| 1 ") for line in map(plain, lines))
