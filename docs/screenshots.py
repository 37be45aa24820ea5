"""Screenshots of the documentation, taken of the real app with the samples: `make screenshots`."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect

from chunking import Workspace
from chunking.evaluation import QuestionPart, Sweep, load_set, run_sweep, save_sweep
from chunking.samples import SAMPLE_SET, prepare
from tests.browser.app import chromium, running_app, settled
from tests.browser.jupyter import NOTEBOOKS, choose_theme, open_notebook, run_all_cells, running_lab
from tests.browser.notebook_viewer import drag_slider, view_of

IMAGES = Path(__file__).parent / "images"
SIZE = {"width": 1440, "height": 900}
PUBLIC = "http://localhost:8501"
"""Address shown on pages instead of the random port."""
_PICTURES = 60
"""Maximum screenshots of a page until two are equal."""
GRID = {"size": ("100", "175", "250"), "search.retrieval": ("chunk", "multi_granularity")}


def main() -> None:
    """Take screenshots of every page in light and dark, including the views of Search and Tune."""
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder) / "workspace")
        _draw(Path(folder) / "workspace")
        _draw_notebook(Path(folder) / "lab")


def _measure(folder: Path) -> None:
    """Fill a workspace with the samples as the app does, and runs of a few configurations on the dev questions."""
    workspace = Workspace.open(folder)
    samples = prepare()
    with workspace.writer():
        samples.put_into(workspace)
    sweep = Sweep("Sizes", SAMPLE_SET, grid=GRID)
    save_sweep(workspace, sweep)
    run_sweep(workspace, sweep, load_set(workspace, SAMPLE_SET).questions.of(QuestionPart.TUNE))


def _draw(workspace: Path) -> None:
    with (
        running_app(workspace, environment={"CHUNKSCOPE_PUBLIC_URL": PUBLIC}) as address,
        chromium("--font-render-hinting=none") as browser,
    ):
        for scheme in ("light", "dark"):
            _guide(
                browser.new_page(viewport=SIZE, color_scheme=scheme),
                address,
                IMAGES / f"guide-{scheme}.png",
                last=scheme == "dark",
            )
        _build(browser.new_page(viewport=SIZE), address)
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport=SIZE, color_scheme=scheme)
            for name, view in _VIEWS.items():
                page = context.new_page()
                page.goto(f"{address}/{view}")
                _ready(page, name)
                (IMAGES / f"{name}-{scheme}.png").write_bytes(_at_rest(page))
                page.close()
            context.close()
        for scheme in ("light", "dark"):  # last: they change documents
            for name, change in (("pins", _pin), ("mending", _mend)):
                page = browser.new_page(viewport=SIZE, color_scheme=scheme)
                change(page, address)
                (IMAGES / f"{name}-{scheme}.png").write_bytes(_at_rest(page))
                page.close()


def _draw_notebook(home: Path) -> None:
    """Take the notebook viewer in JupyterLab, with its slider where a boundary splits an answer."""
    home.mkdir()
    book = NOTEBOOKS / "tune_my_corpus.ipynb"
    with running_lab(home, [book], stand_in=False) as address, chromium("--font-render-hinting=none") as browser:
        page = browser.new_page(viewport=SIZE)
        panel = open_notebook(page, address, book.name)
        run_all_cells(page, panel)
        drag_slider(page, panel.locator(".chunkscope .at-size #slide"), to=0.05)
        expect(view_of(panel).locator(".tick").first).to_be_visible()
        for scheme in ("light", "dark"):
            choose_theme(page, f"JupyterLab {scheme.title()}")
            expect(panel.locator(".chunkscope")).to_have_attribute("data-theme", scheme)
            panel.locator(".chunkscope").evaluate("node => node.scrollIntoView({ block: 'center' })")
            page.mouse.move(0, 0)
            (IMAGES / f"notebook-{scheme}.png").write_bytes(_at_rest(page))


_VIEWS = {
    "home": "",
    "live": "chunks?doc=handbook_operations-handbook&questions=Sample+questions&size=40",
    "documents": "documents?doc=handbook_operations-handbook",
    "pages": "documents?doc=datasheet_heron-g4-datasheet",
    "chunks": "chunks?doc=handbook_operations-handbook&overlap=15%25&chunk=4",
    "boundaries": "chunks?doc=handbook_operations-handbook&questions=Sample+questions"
    "&compare=strategy%3Dfixed%26size%3D60%26prefix%3Dnone",
    "index": "index?size=260",
    "search": "search?q=What+makes+a+firmware+rollout+stop+by+itself%3F",
    "context": "search?q=What+makes+a+firmware+rollout+stop+by+itself%3F&show=context",
    "map": "search?q=What+makes+a+firmware+rollout+stop+by+itself%3F&show=map",
    "compare": "search?q=What+makes+a+firmware+rollout+stop+by+itself%3F&show=compare",
    "evaluate": "evaluate?questions=Sample+questions&size=60&search.retrieval=chunk&prefix=none",
    "tune": "tune?questions=Sample+questions",
    "pareto": "tune?questions=Sample+questions",
    "export": "export?questions=Sample+questions",
    "agents": "agents",
}
_IN_THE_TEXT = ("live", "documents", "pages", "chunks", "boundaries", "search")
"""Views with a document's text, which is drawn last."""


def _guide(page: Page, address: str, picture: Path, *, last: bool) -> None:
    """Take the guide after its first step, then close it: other screenshots show the pages alone."""
    page.goto(f"{address}/chunks")
    page.get_by_role("button", name="How most people split").click(timeout=120_000)
    prepare = page.get_by_role("button", name="Show live recall")
    page.locator(".dial").or_(prepare).first.wait_for()
    if prepare.count():
        prepare.click()
    page.locator(".dial").first.wait_for(timeout=120_000)
    page.locator(".curve[data-state=done]").first.wait_for(timeout=120_000)
    settled(page)
    picture.write_bytes(_at_rest(page))
    if last:
        page.get_by_role("button", name="Close the guide").click()
        expect(page.get_by_role("button", name="Close the guide")).to_have_count(0)
    page.close()


def _build(page: Page, address: str) -> None:
    page.goto(f"{address}/index")
    page.get_by_role("button", name="Build the index").click()
    expect(page.get_by_text(re.compile(r"Done: \d+ chunks"))).to_be_visible(timeout=180_000)
    page.goto(f"{address}/search?q=warm+up")
    page.locator(".card").first.wait_for(timeout=120_000)
    page.close()


def _pick(page: Page) -> None:
    """Select a table on its page, in the text and in the outline."""
    page.locator(".pages[data-drawn=true]").wait_for()
    while not page.locator(".pages .box.t-table").count():
        page.get_by_label("Next page").click()
        page.locator(".pages[data-drawn=true] .box").first.wait_for()
    page.locator(".pages .box.t-table").first.click()
    page.locator(".view .line.picked").first.wait_for()
    page.locator(".pages").evaluate("node => node.scrollIntoView({ block: 'end' })")


def _follow(page: Page) -> None:
    """Show the dial after two sizes, and the first answers."""
    prepare = page.get_by_role("button", name="Show live recall")
    if prepare.count():
        prepare.click()
    page.locator(".dial").first.wait_for()
    page.get_by_role("button", name="split").first.click()
    expect(page.locator(".curve[data-state=done]")).to_have_count(2, timeout=60_000)
    settled(page)


def _pin(page: Page, address: str) -> None:
    """Pin a chunk together, split the next one, and show the list of both pins."""
    page.goto(f"{address}/chunks?doc=handbook_operations-handbook")
    page.locator(".view[data-rev]").wait_for()
    settled(page)
    signs = page.locator(".view .pinsign")
    if not signs.count():
        page.locator(".view .scroller").focus()
        for keys, pins in ((("ArrowDown", "ArrowDown", "k"), 1), (("ArrowDown", "s"), 2)):
            for key in keys:
                page.keyboard.press(key)
            expect(signs).to_have_count(pins)
            settled(page)
    page.get_by_text("Pins", exact=True).click()
    page.get_by_role("button", name="Undo").first.wait_for()
    settled(page)


def _mend(page: Page, address: str) -> None:
    """Select a heading in the text, with its corrections."""
    page.goto(f"{address}/documents?doc=datasheet_heron-g4-datasheet")
    page.locator(".pages[data-drawn=true]").wait_for()
    page.locator(".view[data-rev]").wait_for()
    settled(page)
    page.locator(".view .part", has_text="1.1 Radio").first.click()
    page.get_by_role("button", name="Promote").wait_for()
    settled(page)
    page.locator(".pages").evaluate("node => node.scrollIntoView({ block: 'end' })")


def _ready(page: Page, name: str) -> None:
    if name == "search":
        page.locator(".card").first.wait_for()
    if name in _IN_THE_TEXT:
        page.locator(".view[data-rev]").wait_for()
    if name == "map":
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
    settled(page)
    if name == "live":
        _follow(page)
    if name == "pareto":
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
        page.locator(".js-plotly-plot").first.evaluate("node => node.scrollIntoView({ block: 'center' })")
        settled(page)
    if name == "pages":
        _pick(page)
    if name == "boundaries":
        page.get_by_role("button", name="A and B").or_(page.get_by_role("radio", name="A and B")).first.click()
        expect(page.locator(".curve[data-state=done]")).to_have_count(2, timeout=60_000)
        settled(page)


def _at_rest(page: Page) -> bytes:
    """Return a screenshot once the page is stable: no placeholder, and two equal screenshots in a row.

    Raises:
        TimeoutError: the page keeps changing.
    """
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.evaluate("() => document.fonts.ready.then(() => true)")
    before = b""
    for _ in range(_PICTURES):
        picture = page.screenshot(animations="disabled")
        if picture == before:
            return picture
        before = picture
    raise TimeoutError(f"{page.url} looks different in each of {_PICTURES} pictures")


if __name__ == "__main__":
    main()
