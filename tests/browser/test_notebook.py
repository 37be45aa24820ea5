"""The viewer in a notebook: a real JupyterLab in Chromium, and what nbconvert makes of a notebook that was run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking.notebook.exploration import Exploration
from chunking.notebook.front_end import saved_page
from chunking.parsing import parse
from tests.browser.jupyter import NOTEBOOKS, choose_theme, open_notebook, run_all_cells, running_lab
from tests.browser.notebook_viewer import drag_slider, local_tab, ticks, view_of
from tests.support.stand_in_model import stand_in_path

pytestmark = pytest.mark.browser

TOUR, CORPUS = NOTEBOOKS / "tour.ipynb", NOTEBOOKS / "tune_my_corpus.ipynb"

_END_KERNELS = """async () => {
    const kernels = await (await fetch("/api/kernels")).json();
    for (const { id } of kernels) await fetch(`/api/kernels/${id}`, { method: "DELETE" });
}"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_lab(tmp_path_factory.mktemp("lab"), [TOUR, CORPUS]) as address:
        yield address


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A tab that asks nobody but this machine, and ends without an error in its page."""
    with local_tab(browser) as page:
        yield page


def test_the_slider_moves_the_boundaries(lab: str, tab: Page) -> None:
    """The widget is drawn, follows the mouse, tells the next cell, and leaves the notebook's keys alone."""
    panel = open_notebook(tab, lab, TOUR.name)
    cells = panel.locator(".jp-Cell").count()
    run_all_cells(tab, panel)
    expect(ticks(panel).first).to_be_visible()
    size = panel.locator(".chunkscope .at-size")
    expect(size.locator("#box")).to_have_value("40")  # set by a cell
    sizes = panel.locator(".chunkscope .strip")
    before = sizes.get_attribute("aria-label") or ""
    drag_slider(tab, size.locator("#slide"), to=0.95)
    expect(size.locator("#box")).not_to_have_value("40")
    expect(sizes).not_to_have_attribute("aria-label", before)
    # the arrow keys and `d d` are the viewer's, not JupyterLab's, which would go to another cell and delete one
    view_of(panel).locator(".scroller").focus()
    for key in ("ArrowDown", "Enter", "d", "d"):
        tab.keyboard.press(key)
    expect(view_of(panel).locator(".tick.picked")).to_have_count(1)
    assert panel.locator(".jp-Cell").count() == cells


def test_recall_follows_the_slider(lab: str, tab: Page) -> None:
    """With questions there is a dial, and a sweep in a cell moves it."""
    panel = open_notebook(tab, lab, CORPUS.name)
    run_all_cells(tab, panel)
    dial = panel.locator(".chunkscope .dial")
    expect(dial).to_be_visible()
    turn = dial.get_attribute("data-turn")
    drag_slider(tab, panel.locator(".chunkscope .at-size #slide"), to=0.6)
    expect(dial).not_to_have_attribute("data-turn", turn or "")
    documents = panel.locator(".chunkscope select[data-key=document]")
    documents.select_option("travel")
    expect(view_of(panel)).to_contain_text("Trains are booked in second class.")


def test_dark_follows_the_notebooks_theme(lab: str, tab: Page) -> None:
    """By the colour of its text; switched while it is open."""
    panel = open_notebook(tab, lab, TOUR.name)
    run_all_cells(tab, panel)
    host = panel.locator(".chunkscope")
    expect(host).to_have_attribute("data-theme", "light")
    choose_theme(tab, "JupyterLab Dark")
    expect(host).to_have_attribute("data-theme", "dark")


def test_a_kernel_that_has_ended_is_reported(lab: str, tab: Page) -> None:
    """Beside the controls; what was drawn stays."""
    panel = open_notebook(tab, lab, TOUR.name)
    run_all_cells(tab, panel)
    silence = panel.locator(".chunkscope .silence")
    expect(silence).to_be_hidden()
    tab.evaluate(_END_KERNELS)
    box = panel.locator(".chunkscope .at-size #box")
    box.fill("77")
    box.press("Enter")
    expect(silence).to_be_visible()
    expect(ticks(panel).first).to_be_visible()


@pytest.mark.parametrize("notebook", [TOUR, CORPUS], ids=["tour", "corpus"])
def test_a_notebook_runs_and_its_page_shows_the_chunks(notebook: Path, tab: Page, tmp_path: Path) -> None:
    """Converted as the guide says: the page needs no kernel and, when it is opened, fetches nothing."""
    environment = {
        **os.environ,
        "PYTHONPATH": stand_in_path(),
        **{f"JUPYTER_{name}_DIR": str(tmp_path / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")},
        "IPYTHONDIR": str(tmp_path / "ipython"),
    }
    convert = [sys.executable, "-m", "nbconvert", "--execute", "--ExecutePreprocessor.store_widget_state=False"]
    convert += ["--HTMLExporter.require_js_url=", "--HTMLExporter.mathjax_url="]
    for to in ("html", "notebook"):
        command = [*convert, "--to", to, "--output-dir", str(tmp_path), "--output", "ran", str(notebook)]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr[-3000:]
    tab.goto((tmp_path / "ran.html").as_uri())
    chunks = tab.locator(".jp-RenderedHTMLCommon div[style*='border-left:3px solid']")
    expect(chunks.first).to_be_visible()
    assert chunks.count() > 3
    cells = json.loads((tmp_path / "ran.ipynb").read_text(encoding="utf-8"))["cells"]
    shown = [
        output["data"] for cell in cells for output in cell.get("outputs", ()) if "text/html" in output.get("data", {})
    ]
    assert any("application/vnd.jupyter.widget-view+json" in data for data in shown)
    assert all(len("".join(data["text/plain"])) < 300 for data in shown)


def test_a_page_without_a_kernel_moves_over_its_steps(tab: Page, tmp_path: Path) -> None:
    """One file, opened from the disk; the slider goes to the nearest size that was computed."""
    document = parse(("# A\n\n" + "One sentence of the text stands here. " * 60).encode(), "a.md")
    file = tmp_path / "page.html"
    file.write_text(saved_page(Exploration.of(document), sizes=[32, 64, 150], overlaps=["0%"]), encoding="utf-8")
    tab.goto(file.as_uri())
    chunks = tab.locator(".chunkscope .view .tick")
    expect(chunks.first).to_be_visible()
    box, before = tab.locator(".at-size #box"), chunks.count()
    box.fill("40")
    box.press("Enter")
    expect(box).to_have_value("32")
    expect(chunks).not_to_have_count(before)
