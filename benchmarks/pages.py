"""Speed of the app in Chromium: first page, page switches, slider, live recall, search, first load.

python -m benchmarks pages                  against the version before, in the same run
python -m benchmarks pages --before REV     against another one

Both versions are served in turn from trees of their own, with the same packages and each with a workspace that its own
code has made of the samples. Nothing waits for a fixed time: a page has settled when the script rests and nothing on
the page, in no component of it, has changed for a while; what counts is the time until its last change.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser

from benchmarks.page_probe import Load, Probe
from benchmarks.report import Row, Table
from benchmarks.tree_before import last_version, tree_of
from tests.browser.app import ROOT, chromium, running_app

STARTS, ROUNDS, STEPS = 3, 2, 20
PAGES = ("Documents", "Index", "Search", "Evaluate", "Tune", "Export")
HOME = "Chunks"
TEXT = "/?doc=handbook_operations-handbook"
"""Link to the text, which is on another page than in versions before the front page."""
QUERIES = (
    "How is a sensor calibrated after it was replaced?",
    "What does error E34 mean?",
    "Who may change the alarm limits of a site?",
    "How long are measurements kept?",
    "Which gateway works without a mobile network?",
    "How is a unit returned for repair?",
    "What does the service plan cost?",
    "when is the filter cleaned",
)

START, AGAIN, FIRST, SWITCH, SLIDER, LIVE, SEARCH = "start", "again", "first", "switch", "slider", "live", "search"
_GOALS: Mapping[str, tuple[str, float | None]] = {
    START: ("text of a document, from the start of a server with nothing in its workspace", 4000),
    AGAIN: ("the same with a workspace that is there", None),
    SWITCH: ("switch of pages until all has settled, there and back", 500),
    FIRST: ("the same, the first time a page is seen", None),
    SLIDER: ("a step of the size slider to painted boundaries", 120),
    LIVE: ("a step of the size slider to the numbers of live recall", 150),
    SEARCH: ("from Enter to the hits, warm", 300),
}
"""Measurements, with a goal in milliseconds."""
BYTES = 400_000

_PREPARE = """
import sys
from dataclasses import replace
from pathlib import Path
from chunking import Config, Workspace, add_files, build_index
from chunking.evaluation import EvaluationOptions, LiveRecall, evaluate, read_questions, save_set
samples, target = Path("sample_data"), Workspace.open(sys.argv[1])
if not target.documents():
    add_files(target, [samples])
if not target.indexes():
    with target.writer():
        build_index(target, Config(), name="main")
documents = [target.document(row.doc_id) for row in target.documents()]
read = read_questions((samples / "questions.jsonl").read_bytes(), "questions.jsonl", documents).questions
questions = save_set(target, replace(read, name="Sample questions"))
LiveRecall(documents, Config().embedding, questions, encodings=target.encodings, vectors=target.vectors).prepare()
evaluate(target, questions, Config(), EvaluationOptions())
"""
"""Script that prepares a version's workspace: documents, index, question set, encodings and a run."""


@dataclass(slots=True)
class Version:
    """Source tree with its measurements."""

    name: str
    tree: Path
    folder: Path
    """Folder for its workspaces."""
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Milliseconds by measurement."""
    load: Load = field(default_factory=Load)
    """Traffic of the first page with an empty cache."""

    @property
    def script(self) -> str:
        """Script that `make app` starts."""
        return "serve.py" if (self.tree / "serve.py").exists() else "app.py"

    @property
    def home(self) -> str:
        """Path of the page with the text."""
        return HOME.lower() if (self.tree / "pages" / "home.py").exists() else ""

    @property
    def workspace(self) -> Path:
        """Prepared workspace."""
        return self.folder / "workspace"


def run(before: str | None = None) -> Table:
    """Measure the current tree, and the previous version if there is one.

    Args:
        before: a revision; the last version that was landed where it is not given.
    """
    revision = before or last_version()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        versions = [Version("now", ROOT, folder / "now")]
        notes = []
        if revision is None:
            notes.append(
                "Against nothing: git knows no tag and no landed branch before this commit; name a revision "
                "with --before."
            )
        else:
            try:
                versions.append(Version(revision[:12], stack.enter_context(tree_of(revision, folder)), folder / "then"))
                notes.append(f"Against: {revision[:12]}, served from a tree of its own with the same packages.")
            except LookupError as error:
                notes.append(f"Against nothing: {error}.")
        for version in versions:
            version.folder.mkdir()
            subprocess.run([sys.executable, "-c", _PREPARE, str(version.workspace)], cwd=version.tree, check=True)
        browser = stack.enter_context(chromium())
        for number in range(STARTS):
            for version in versions:
                _start(browser, version, version.folder / f"fresh{number}", START)
                _start(browser, version, version.workspace, AGAIN)
        for version in versions:
            _use(browser, version)
    return _table(versions, notes)


def _start(browser: Browser, version: Version, workspace: Path, what: str) -> None:
    """Measure from no server to a document's text in a new browser."""
    began = time.perf_counter()
    with running_app(workspace, version.script, root=version.tree) as address:
        probe = Probe(browser)
        probe.page.goto(f"{address}{TEXT}", wait_until="commit")
        probe.page.locator(".view[data-rev]").wait_for()
        version.times[what].append(1000 * (time.perf_counter() - began))
        probe.settle()
        version.load = probe.load
        probe.close()


def _use(browser: Browser, version: Version) -> None:
    """Measure sessions of a few minutes, on a fresh server."""
    with running_app(version.workspace, version.script, root=version.tree) as address:
        probe = Probe(browser)
        probe.page.goto(f"{address}/?questions=Sample+questions&index=main")
        probe.settle()
        _switch(probe, version)
        _search(probe, version)
        probe.go(HOME)
        probe.settle()
        if probe.page.locator(".dial").count():
            _steps(probe, version, LIVE)
        probe.close()
        probe = Probe(browser)
        probe.page.goto(f"{address}{TEXT}")
        _steps(probe, version, SLIDER)
        probe.close()


def _switch(probe: Probe, version: Version) -> None:
    """Switch to each page and back repeatedly; the first time is counted separately."""
    for turn in range(ROUNDS + 1):
        for title in PAGES:
            for page_title in (title, HOME):
                probe.go(page_title)
                milliseconds = probe.settle(version.home if page_title == HOME else page_title.lower())
                if turn or page_title != HOME:
                    version.times[SWITCH if turn else FIRST].append(milliseconds)


def _search(probe: Probe, version: Version) -> None:
    """Measure searches; the first query loads the model and is not counted."""
    probe.go("Search")
    probe.settle("search")
    field = probe.page.get_by_placeholder("Ask a question")
    for number, query in enumerate(QUERIES):
        field.fill(query)
        probe.settle()
        field.press("Enter")
        probe.page.locator(".card").first.wait_for()
        milliseconds = probe.changed("hits")
        if number:
            version.times[SEARCH].append(milliseconds)


def _steps(probe: Probe, version: Version, what: str) -> None:
    """Press arrow keys on the size slider around the default; the first step is not counted."""
    probe.settle()
    probe.page.locator(".st-key-settings-size input[type=range]").focus()
    for step in range(STEPS + 1):
        painted = probe.press("ArrowRight" if step % 10 < 5 else "ArrowLeft")
        dialled = probe.changed("live-recall")
        if step:
            version.times[what].append(dialled if what == LIVE else painted)


def _table(versions: Sequence[Version], notes: Sequence[str]) -> Table:
    now, then = versions[0], versions[1] if len(versions) > 1 else None
    rows = []
    for what, (words, goal) in _GOALS.items():
        if not now.times[what]:
            raise RuntimeError(f"nothing was measured of: {words}")
        ours = median(now.times[what])
        theirs = median(then.times[what]) if then and then.times[what] else None
        rows.append(
            Row(
                f"{words} (median of {len(now.times[what])})",
                _spoken(ours),
                "" if then is None else "not shown there" if theirs is None else _spoken(theirs),
                "" if theirs is None else f"{theirs / ours:.1f} × as fast",
                "" if goal is None else f"< {_spoken(goal)}",
                None if goal is None else ours < goal,
            )
        )
    load = now.load
    rows.append(
        Row(
            "bytes of the first load, files over the wire",
            f"{load.total / 1000:,.0f} kB",
            "" if then is None else f"{then.load.total / 1000:,.0f} kB",
            "" if then is None else f"{load.total / then.load.total:.0%}",
            f"< {BYTES / 1000:.0f} kB",
            load.total < BYTES,
        )
    )
    parts = (
        ("of them Streamlit's own files", load.streamlit),
        ("the app's own, with what the web socket brings", load.ours),
    )
    rows += [Row(words, _kinds(part), "", f"{sum(part.values()) / 1000:,.0f} kB") for words, part in parts]
    packed = ", ".join(f"{count} {name}" for name, count in load.packed.most_common())
    return Table("Pages", rows, [*notes, f"Files of the first load by compression: {packed}."])


def _kinds(part: Counter[str]) -> str:
    return ", ".join(f"{kind} {size / 1000:,.0f} kB" for kind, size in part.most_common())


def _spoken(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


if __name__ == "__main__":
    print(run().markdown())
