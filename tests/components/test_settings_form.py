"""The form made from the settings: by AppTest, and in a real Chromium what only a browser shows."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from chunking.config import Config, settings
from tests.browser.app import settled
from tests.components.test_viewer import after_repaint, ready


def _script() -> None:
    import streamlit as st

    from chunking.config import Config
    from components.settings_form import settings_form

    if st.button("reset"):
        st.session_state["config"] = Config()
    config = settings_form(st.session_state.get("config", Config()), st.session_state["parts"], key="form")
    st.session_state["config"] = config


def form(*parts: str, opened: bool = False) -> AppTest:
    """A page that holds the form and nothing else."""
    page = AppTest.from_function(_script)
    page.session_state["parts"] = parts
    if opened:
        page.session_state["form.more"] = True
    return page.run()


def set_number(page: AppTest, key: str, text: str) -> AppTest:
    """What the slider does."""
    turn = page.session_state["form.form"].turn
    page.session_state[f"form.{key}"] = {"value": {"text": text, "turn": turn}}
    return page.run()


def config(page: AppTest) -> Config:
    """The configuration in force."""
    result: Config = page.session_state["config"]
    return result


@pytest.mark.parametrize("part", list(Config.model_fields))
def test_each_setting_has_a_widget(part: str) -> None:
    """Its title is on the page, everyday ones at once, the others behind More settings; defaults give the default configuration."""
    page = form(part, opened=True)
    assert not page.exception
    native = {getattr(element, "label", "").split(" (")[0] for element in page.main}
    live = {json.loads(element.proto.json).get("label") for element in page.get("bidi_component")}
    assert {setting.title for setting in settings() if setting.part == part} <= native | live
    assert config(page) == Config()


def test_every_kind_of_widget_changes_its_setting() -> None:
    """Choice, slider, share, number, switch, several, text."""
    page = form("chunk", "embedding", "search", opened=True)
    page.selectbox(key="form.0.strategy").select("sentence").run()
    set_number(page, "size", "320")
    set_number(page, "overlap", "15%")
    page.number_input(key="form.0.min_size").set_value(20).run()
    page.toggle(key="form.0.search.drop_repeats").set_value(False).run()
    page.button_group(key="form.0.keep_whole").set_value(["code"]).run()
    page.text_input(key="form.0.embedding.query_prefix").input("query: ").run()
    assert not page.exception
    assert config(page).changed() == {
        "strategy": "sentence",
        "size": "320",
        "overlap": "15%",
        "min_size": "20",
        "keep_whole": "code",
        "embedding.query_prefix": "query: ",
        "search.drop_repeats": "false",
    }


def test_a_widget_in_a_popover_that_opens_late_shows_its_setting() -> None:
    """The browser makes it only when the popover is opened: every run tells it the value, else it would show an empty one."""
    page = form("embedding", "search").run()
    assert page.toggle(key="form.0.search.drop_repeats").proto.set_value
    assert page.text_input(key="form.0.embedding.model").proto.set_value


def test_a_faulty_setting_changes_nothing_and_is_named() -> None:
    """The sentence stands beside the field; the configuration before stays in force until it is mended."""
    page = set_number(form("chunk"), "size", "300")
    set_number(page, "overlap", "300")
    assert config(page).changed() == {"size": "300"}
    assert "not less than the size 300" in page.session_state["form.form"].errors["overlap"]
    set_number(page, "overlap", "20")
    assert config(page).changed() == {"size": "300", "overlap": "20"}
    assert page.session_state["form.form"].errors == {}


def test_a_configuration_from_outside_is_taken_over() -> None:
    """A link or a reset sets all widgets, also those the user had touched, and a late message of the old ones is not heard."""
    page = form("chunk", opened=True)
    set_number(page, "size", "640")
    page.selectbox(key="form.0.strategy").select("fixed").run()
    page.button[0].click().run()
    assert config(page) == Config()
    page.session_state["form.size"] = {"value": {"text": "640", "turn": 0}}
    page.run()
    assert config(page) == Config()
    assert page.selectbox(key="form.1.strategy").value == "structure"


def test_hidden_settings_keep_their_values() -> None:
    """Parts that are not shown are not changed."""
    page = AppTest.from_function(_script)
    page.session_state["parts"] = ("search",)
    page.session_state["config"] = Config.from_settings({"size": "77", "search.k": "9"})
    page.run()
    set_number(page, "search.k", "12")
    assert config(page).changed() == {"size": "77", "search.k": "12"}


@pytest.mark.browser
def test_boundaries_follow_the_slider_while_it_is_dragged(scene_address: str, tab: Page) -> None:
    """Before the mouse is let go, the viewer has been painted anew several times."""
    ready(tab, scene_address)
    box = tab.locator(".st-key-settings-size input[type=range]").bounding_box()
    assert box is not None
    runs = {tab.locator(".view").get_attribute("data-run")}
    tab.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 10)
    tab.mouse.down()
    for step in range(25):
        tab.mouse.move(box["x"] + box["width"] * (0.3 + step * 0.02), box["y"] + 10)
        tab.wait_for_timeout(30)
        runs.add(tab.locator(".view").get_attribute("data-run"))
    tab.mouse.up()
    settled(tab)
    assert len(runs) >= 4
    shown = tab.locator(".st-key-settings-size #box").input_value()
    expect(tab.get_by_text(re.compile(rf"size:\s*{shown}\b"))).to_be_visible()


@pytest.mark.browser
def test_errors_stand_beside_the_field_and_settings_survive_a_page_switch(scene_address: str, tab: Page) -> None:
    """An overlap above the size is refused in a sentence; what was good before comes back from another page."""
    ready(tab, scene_address)
    size = tab.locator(".st-key-settings-size #box")
    after_repaint(tab, lambda: size.fill("256"))
    overlap = tab.locator(".st-key-settings-overlap")
    overlap.locator("#box").fill("256")
    expect(overlap.locator(".fault")).to_contain_text("not less than the size 256")
    expect(tab.get_by_text(re.compile(r"size:\s*256\s*overlap:\s*30"))).to_be_visible()
    overlap.locator("#box").fill("64")
    expect(tab.get_by_text(re.compile(r"overlap:\s*64"))).to_be_visible()
    expect(overlap.locator(".fault")).to_be_hidden()
    tab.get_by_role("link", name="Other").click()
    expect(tab.get_by_text("another page")).to_be_visible()
    tab.get_by_role("link", name="Workbench").click()
    tab.locator(".view[data-rev]").wait_for()
    expect(tab.locator(".st-key-settings-size #box")).to_have_value("256")
    expect(tab.get_by_text(re.compile(r"size:\s*256\s*overlap:\s*64"))).to_be_visible()


@pytest.mark.browser
def test_overlap_changes_between_amount_and_share(scene_address: str, tab: Page) -> None:
    """30 of 120 characters are 25 %."""
    ready(tab, scene_address)
    overlap = tab.locator(".st-key-settings-overlap")
    overlap.get_by_role("button", name="share of the size").click()
    expect(tab.get_by_text(re.compile(r"overlap:\s*25%"))).to_be_visible()
    overlap.get_by_role("button", name="in characters").click()
    expect(tab.get_by_text(re.compile(r"overlap:\s*30\b(?!%)"))).to_be_visible()


@pytest.mark.browser
def test_a_reset_reaches_the_sliders(scene_address: str, tab: Page) -> None:
    """What Python sets is shown at once, in the sliders too."""
    ready(tab, scene_address)
    tab.get_by_role("button", name="back to the defaults").click()
    expect(tab.locator(".st-key-settings-size #box")).to_have_value("200")
    expect(tab.locator(".st-key-settings-overlap #box")).to_have_value("0")
    expect(tab.get_by_text(re.compile(r"size:\s*200"))).to_be_visible()
