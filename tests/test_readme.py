"""The README tells the truth: its map of the tree, its dependencies, claims and links; and so do the generated tables
of all pages.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import chunking
from benchmarks.__main__ import BENCHMARKS
from docs.marked_blocks import names_of_blocks, page_of, pages, with_block, write_block
from docs.tables import TABLES, with_tables

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [path.relative_to(ROOT).as_posix() for path in pages()]


def test_it_is_read_in_one_go() -> None:
    """At most 150 lines; the rest is in docs/."""
    assert len(README.splitlines()) <= 150


def test_every_dependency_is_named_with_its_reason() -> None:
    """A package of requirements.txt stands in the table of dependencies."""
    table = README[README.index("## Dependencies") :]
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name = re.split(r"[\[=]", line)[0]
            assert re.search(rf"\b{re.escape(name)}\b", table), line


def test_every_module_and_package_of_the_library_is_on_the_map() -> None:
    """What stands in chunking/ stands under "Where things are"."""
    tree = README[README.index("## Where things are") : README.index("## Dependencies")]
    for path in (ROOT / "chunking").iterdir():
        name = f"{path.name}/" if path.is_dir() else path.name
        if not name.startswith("__") and name != "py.typed":
            assert name in tree, name


def test_every_link_leads_to_a_file() -> None:
    """Pictures and pages."""
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_every_claim_has_the_numbers_of_the_page_it_links_to() -> None:
    """Bold numbers of a claim occur on its page, so that a new benchmark run must update the claim."""
    claims = re.split(r"^- ", README[: README.index("## Start")], flags=re.MULTILINE)[1:]
    assert len(claims) == 4
    for claim in claims:
        (link,) = re.findall(r"\]\((docs/[^)]+)\)", claim)
        page = (ROOT / link).read_text(encoding="utf-8")
        numbers = [" ".join(bold.split()) for bold in re.findall(r"\*\*([^*]+)\*\*", claim) if re.search(r"\d", bold)]
        assert numbers
        assert [number for number in numbers if number not in page] == [], link


@pytest.mark.parametrize("name", chunking.__all__)
def test_the_handful_of_names_can_be_imported(name: str) -> None:
    """Each name of the library leads somewhere, and the list is sorted."""
    assert getattr(chunking, name).__doc__
    assert sorted(chunking.__all__) == chunking.__all__


@pytest.mark.parametrize("page", PAGES)
def test_the_tables_of_a_page_are_those_of_the_code(page: str) -> None:
    """`make docs` brings them up to date."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert with_tables(text) == text


@pytest.mark.parametrize("name", [*TABLES, *(f"bench:{name}" for name in BENCHMARKS)])
def test_every_table_has_its_place(name: str) -> None:
    """What code or a benchmark makes stands on one page."""
    assert page_of(name).is_file()


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_made_by_something(page: str) -> None:
    """A renamed benchmark or part of the settings leaves no table behind."""
    outputs = {
        *TABLES,
        *(f"bench:{name}" for name in BENCHMARKS),
        "bench:load",
        "bench:kills",
        "bench:soak",
        "recommendation",
        "coverage",
    }
    names = names_of_blocks((ROOT / page).read_text(encoding="utf-8"))
    assert {name for name in names if not name.startswith("example")} <= outputs


def test_a_block_that_is_not_there_is_an_error() -> None:
    """A benchmark never runs for nothing."""
    with pytest.raises(LookupError):
        write_block("bench:unheard-of", "| a |")
    with pytest.raises(LookupError):
        with_block("<!-- a -->\nwithout an end", "a", "new")


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_every_file_that_a_page_names_is_there(page: str) -> None:
    """A module that moves takes along the pages that name it."""
    named = re.findall(
        r"`((?:chunking|components|hosting|pages|tests|benchmarks|docs|deploy|sample_data)/[\w./-]+)`",
        (ROOT / page).read_text(encoding="utf-8"),
    )
    assert [name for name in named if not (ROOT / name).exists()] == []
