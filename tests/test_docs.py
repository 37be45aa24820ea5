"""The site of the documentation: it builds without a broken link or a connection, shows every picture, and its example
runs.
"""

from __future__ import annotations

import logging
import re
import socket
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from docs.marked_blocks import names_of_blocks, pages
from tests.support.stand_in_model import stand_in_model

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
_LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}
"""Attributes whose address a browser fetches by itself."""


def build_site(target: Path, pages_folder: Path = DOCS) -> Path:
    """The site, built strictly. mkdocstrings raises Python's recursion limit for good; other tests of the process have
    theirs back.

    Raises:
        Abort: something was warned about, such as a link that leads nowhere.
    """
    limit = sys.getrecursionlimit()
    config = load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(target), docs_dir=str(pages_folder))
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    finally:
        sys.setrecursionlimit(limit)
    return target


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The site of docs/, built once, without network."""

    def refuse(*_: object) -> None:
        raise AssertionError("building the documentation opened a connection")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        yield build_site(tmp_path_factory.mktemp("site"))


class _Fetched(HTMLParser):
    """What a browser fetches for a page by itself."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value for name, value in attrs if value and name == _LOADED.get(tag)]


def test_the_site_builds_strictly_and_fetches_nothing_from_outside(site: Path) -> None:
    """Each page of docs/ is there; what it loads is part of the site."""
    for source in DOCS.rglob("*.md"):
        page = site / source.relative_to(DOCS).with_suffix(".html")
        fetched = _Fetched(page.read_text(encoding="utf-8")).addresses
        assert fetched
        assert [address for address in fetched if re.match(r"(https?:)?//", address)] == [], source


def test_nothing_but_pages_and_pictures_is_published(site: Path) -> None:
    """The modules that make tables and pictures stay out."""
    assert not list(site.rglob("*.py"))


PACKAGES = sorted(
    path.name for path in (ROOT / "chunking").iterdir() if (path / "__init__.py").exists() and path.name != "cli"
)


@pytest.mark.parametrize("name", PACKAGES)
def test_every_name_of_a_package_is_described(site: Path, name: str) -> None:
    """The API reference has a page for each package of the library, with what stands in its `__all__`.

    A function that its module hides, as they have one name, is named on the page itself: `:::
    chunking.retrieval.search.search`.
    """
    page = Path("reference", "api", name)
    named = re.findall(r"^::: (\S+)", (DOCS / page).with_suffix(".md").read_text(encoding="utf-8"), re.MULTILINE)
    described = set(
        re.findall(r'id="(chunking[\w.]+)"', (site / page).with_suffix(".html").read_text(encoding="utf-8"))
    )
    alone = {one.rpartition(".")[2] for one in named}
    offered = import_module(f"chunking.{name}").__all__
    assert [one for one in offered if f"chunking.{name}.{one}" not in described and one not in alone] == []
    assert set(named) <= described


def test_a_broken_link_ends_the_build(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The test above would fail for one."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "index.md").write_text("# Home\n\n[nowhere](gone.md)\n", encoding="utf-8")
    (folder / "images").symlink_to(DOCS / "images")
    with caplog.at_level(logging.WARNING), pytest.raises(Abort):
        build_site(tmp_path / "site", folder)
    assert "gone.md" in caplog.text


def test_every_picture_is_shown_and_every_picture_shown_is_there() -> None:
    """In light and in dark colours. HTML within a page is not looked at by the strict build."""
    shown = set()
    for page in pages():
        for name in re.findall(r'(?:src|srcset)="([^"]+)"', page.read_text(encoding="utf-8")):
            assert (page.parent / name).is_file(), name
            shown.add((page.parent / name).resolve())
    assert set((DOCS / "images").resolve().glob("*.png")) <= shown


EXAMPLES = [
    pytest.param(page, name, id=f"{page.stem}-{name}")
    for page in pages()
    for name in names_of_blocks(page.read_text(encoding="utf-8"))
    if name.startswith("example")
]


@pytest.mark.parametrize(("page", "name"), EXAMPLES)
def test_an_example_runs_as_it_stands(
    page: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the samples, in a folder of its own; it prints something."""
    match = re.search(rf"<!-- {name} -->\n *```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert match
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)
    with stand_in_model():  # what is shown is how the library is called, not what the model finds
        exec(compile(dedent(match[1]), str(page), "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.strip()
