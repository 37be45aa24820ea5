"""All settings at once: what a loaded configuration would change, and what is said of one that cannot be used."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.errors import ConfigError
from components.session.settings.saved_configurations import changes
from components.session.settings.settings_row import read_configuration
from tests.pages.app_session import open_page, run_app, state

LOADED = "chunk:\n  size: 300\n  strategy: sentence\nsearch:\n  k: 9\ncategories:\n  api: {size: 400}\n"


def test_a_configuration_comes_back_from_its_file() -> None:
    """As Export writes it, with a mark of its encoding before it or not; earlier names of settings too."""
    config = Config.from_settings({"size": "300", "category.api.size": "400", "search.retrieval": "merge"})
    assert read_configuration(config.to_yaml()) == config
    assert read_configuration(b"\xef\xbb\xbf" + config.to_yaml().encode()) == config
    assert read_configuration("chunk:\n  larger_sizes: 3\n") == Config.from_settings({"granularities": "3"})


NONE = [
    b"\xff\xfe\x00",
    "",
    " \n",
    "- a",
    "size: 300",
    "chunk: {sise: 3}",
    "chunk: {size: 0}",
    "chunk: {size: 2020-13-45}",
    "[" * 20_000,
]
NONE += ["\x00", "a: &a [*a]", "x" * 200_001, "1: {a: 1}"]


@pytest.mark.parametrize("data", NONE, ids=range(len(NONE)))
def test_an_invalid_configuration_file_is_one_sentence(data: bytes | str) -> None:
    """Whatever the file holds."""
    with pytest.raises(ConfigError) as error:
        read_configuration(data)
    assert str(error.value).endswith((".", "?"))


def test_changes_are_listed_with_both_values() -> None:
    """Of settings under their titles, of categories under their keys; nothing that stays."""
    new = read_configuration(LOADED)
    rows = {title: (before, after) for title, before, after in changes(Config.from_settings({"size": 120}), new)}
    assert rows["Size"] == ("120", "300")
    assert rows["api.size"][1] == "400"
    assert len(rows) == 4
    assert changes(new, new) == []


@pytest.mark.usefixtures("dialogs", "indexed")
def test_a_pasted_configuration_is_put_in_effect_and_reset() -> None:
    """After its changes were shown; a fault stands beside the field and changes nothing."""
    page = open_page("export")

    def pasted(text: str) -> AppTest:
        page.button(key="export.settings.load").click()
        run_app(page)
        page.button(key="export.settings.load").click()
        page.text_area(key="settings.text").set_value(text)
        return run_app(page)

    pasted("chunk: {sise: 3}")
    assert any("sise" in caption.value for caption in page.caption)
    assert not [button for button in page.button if button.key == "settings.apply"]
    pasted(LOADED)
    assert any("| Size |" in table.value for table in page.markdown)
    page.button(key="export.settings.load").click()
    page.button(key="settings.apply").click()
    run_app(page)
    assert state(page, "share.config") == read_configuration(LOADED)
    page.button(key="export.settings.reset").click()
    run_app(page)
    page.button(key="export.settings.reset").click()
    page.button(key="settings.reset.sure").click()
    run_app(page)
    assert state(page, "share.config") == Config()
