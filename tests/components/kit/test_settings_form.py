"""The form made from the settings: by AppTest, and in a real Chromium what only a browser shows."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from chunking.config import Config, Prefix, settings
from chunking.enrichment import PROMPTS
from components.kit.settings_form.groups import APPLIES, GROUPS, MORE, TECHNIQUES, grouped
from tests.browser.app import settled
from tests.components.kit.viewer.viewer_tab import after_repaint, ready


def _script() -> None:
    import streamlit as st

    from chunking.config import Config
    from components.kit.settings_form import settings_form

    if st.button("reset"):
        st.session_state["config"] = Config()
    config = settings_form(st.session_state.get("config", Config()), st.session_state["parts"], key="form")
    st.session_state["config"] = config


def form(*parts: str, expanded: bool = False, values: dict[str, str] | None = None) -> AppTest:
    """A page that holds the form and nothing else."""
    page = AppTest.from_function(_script)
    page.session_state["parts"] = parts
    if expanded:
        for group in (*GROUPS, MORE):
            page.session_state[f"form.{group.slug}"] = True
    page.session_state["config"] = Config.from_settings(values or {})
    return page.run()


def set_number(page: AppTest, key: str, text: str) -> AppTest:
    """What the slider does."""
    turn = page.session_state["form.form"].turn
    page.session_state[f"form.{key}.value"] = (text, turn)
    return page.run()


def config(page: AppTest) -> Config:
    """The configuration in force."""
    result: Config = page.session_state["config"]
    return result


EVERYTHING: tuple[dict[str, str], ...] = (
    {},
    {
        "strategy": "semantic",
        "prefix": "context",
        "embedding.mode": "late",
        "enrich.generator": "llm",
        "enrich.summaries": "true",
        "enrich.raptor": "true",
        "enrich.describe_tables": "true",
        "search.retrieval": "multi_granularity",
        "search.rerank": "title,cross_encoder,diversity",
    },
    {"strategy": "custom", "search.retrieval": "merge"},
    {"search.retrieval": "hierarchical", "index.vector_index": "ivf_hnsw_sq"},
)
"""Between them every setting has something to say."""


def titles(page: AppTest) -> set[str]:
    """Of the widgets on the page."""
    native = {getattr(element, "label", "").split(" (")[0] for element in page.main}
    return native | {json.loads(element.proto.json).get("label") for element in page.get("bidi_component")}


@pytest.mark.parametrize("part", list(Config.model_fields))
def test_each_setting_has_a_widget(part: str) -> None:
    """Its title is on the page where it applies; what is drawn changes nothing by itself."""
    missing = {setting.title for setting in settings() if setting.part == part}
    for values in EVERYTHING:
        page = form(part, expanded=True, values=values)
        assert not page.exception
        assert config(page) == Config.from_settings(values)
        missing -= titles(page)
    assert not missing


def test_a_newcomer_sees_few_settings() -> None:
    """How to cut, how large, how much twice, and what stands before; the rest opens on demand."""
    page = form("chunk")
    shown = titles(page)
    assert {setting.title for setting in settings() if setting.part == "chunk" and setting.title in shown} == {
        "Strategy",
        "Size",
        "Overlap",
        "Prefix",
    }
    assert len(page.expander) == 5


def test_only_what_applies_is_shown() -> None:
    """A setting that another one makes pointless is not there; it comes with that one, beside it, and keeps its value
    meanwhile.
    """
    page = form("chunk", values={"semantic_share": "90"})
    assert "Breakpoint percentile" not in titles(page)
    page.selectbox(key="form.0.strategy").select("semantic").run()
    assert {"Breakpoint percentile"} <= titles(page)
    set_number(page, "semantic_share", "95")
    page.selectbox(key="form.0.strategy").select("sentence").run()
    assert "Breakpoint percentile" not in titles(page)
    assert config(page).chunk.semantic_share == 95
    assert set(APPLIES) <= {setting.key for setting in settings()}


def test_every_setting_stands_in_one_place() -> None:
    """The groups name no setting twice and none that there is not; one that they do not name is shown all the same."""
    named = [key for group in GROUPS for key in group.keys]
    assert len(named) == len(set(named))
    assert set(named) <= {setting.key for setting in settings()}
    rows = grouped(settings())
    assert sorted(setting.key for _, members in rows for setting in members) == sorted(
        setting.key for setting in settings()
    )
    assert MORE not in [group for group, _ in rows]


def test_each_technique_says_what_it_is_good_for_and_what_it_costs() -> None:
    """Every choice of those settings that are techniques, in a line that fits under the widget."""
    choices = {
        (setting.key, choice)
        for setting in settings()
        if setting.key
        in (
            "strategy",
            "prefix",
            "embedding.mode",
            "enrich.generator",
            "index.tokenizer",
            "index.vector_index",
            "search.rerank",
        )
        for choice in map(str, setting.choices)
    }
    alone = {
        (key, "")
        for key in ("parent_size", "granularities", "enrich.summaries", "enrich.raptor", "enrich.describe_tables")
    }
    assert set(TECHNIQUES) == choices | alone
    assert all(0 < len(f"{row.good_for}{row.cost}") < 130 for row in TECHNIQUES.values())
    page = form("chunk")
    page.selectbox(key="form.0.strategy").select("semantic").run()
    said = [caption.value for caption in page.caption]
    assert sum(TECHNIQUES["strategy", "semantic"].cost in one for one in said) == 1


def test_a_splitter_of_ones_own_is_offered_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name only; a wrong table of splitters is told in its sentence."""
    monkeypatch.setattr("chunking.splitting.strategies.custom_splitters._registered", {})
    monkeypatch.setattr("chunking.splitting.strategies.custom_splitters.foreign_names", tuple)
    page = form("chunk")
    assert "custom" not in [option.lower() for option in page.selectbox(key="form.0.strategy").options]
    monkeypatch.setenv("CHUNKSCOPE_SPLITTERS", "lines=builtins:str.splitlines")
    page.run()
    page.selectbox(key="form.0.strategy").select("custom").run()
    page.selectbox(key="form.0.splitter").select("lines").run()
    assert config(page).changed() == {"strategy": "custom", "splitter": "lines"}
    monkeypatch.setenv("CHUNKSCOPE_SPLITTERS", "nonsense")
    page.run()
    assert not page.exception
    assert "'nonsense'" in " ".join(caption.value.replace("\\", "") for caption in page.caption)


def test_prompts_are_seen_changed_and_put_back() -> None:
    """The field shows the shipped prompt; a typed one counts if valid, and the shipped one is no setting."""
    page = form("enrich", expanded=True, values={"enrich.generator": "llm", "enrich.summaries": "true"})
    (field,) = page.text_area
    assert field.value == PROMPTS["summary"].user
    assert config(page).enrich.summary_prompt == ""
    field.input("Sum up in one word: {text}").run()
    assert config(page).enrich.summary_prompt == "Sum up in one word: {text}"
    page.text_area[0].input("Sum up {nothing}").run()
    assert config(page).enrich.summary_prompt == "Sum up in one word: {text}"
    assert "{nothing}, which is" in " ".join(caption.value.replace("\\", "") for caption in page.caption)
    next(button for button in page.button if "built-in" in button.label).click().run()
    assert page.text_area[0].value == PROMPTS["summary"].user
    assert config(page).enrich.summary_prompt == ""
    assert not page.exception


def test_every_kind_of_widget_changes_its_setting() -> None:
    """Choice, slider, share, number, number or word, switch, several, text."""
    page = form("chunk", "embedding", "search", expanded=True)
    page.selectbox(key="form.0.strategy").select("sentence").run()
    set_number(page, "size", "320")
    set_number(page, "overlap", "15%")
    page.number_input(key="form.0.min_size").set_value(20).run()
    page.toggle(key="form.0.search.deduplicate").set_value(False).run()
    page.selectbox(key="form.0.search.before").select("auto").run()
    page.selectbox(key="form.0.search.after").select("3").run()
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
        "search.deduplicate": "false",
        "search.before": "auto",
        "search.after": "3",
    }


def test_a_widget_in_a_popover_that_opens_late_shows_its_setting() -> None:
    """The browser makes it only when the popover is opened: every run tells it the value, else it would show an empty
    one.
    """
    page = form("embedding", "search").run()
    assert page.toggle(key="form.0.search.deduplicate").proto.set_value
    assert page.selectbox(key="form.0.embedding.model").proto.set_value


def test_every_run_tells_each_widget_its_value() -> None:
    """A browser that never heard of the first run, because it was cut short, would begin with the first choice and send
    that.
    """
    page = form("chunk").run().run()
    assert page.selectbox(key="form.0.prefix").proto.set_value
    assert page.selectbox(key="form.0.prefix").value == Config().chunk.prefix.value


def test_a_faulty_setting_changes_nothing_and_is_named() -> None:
    """The sentence stands beside the field; the configuration before stays in force until it is mended."""
    page = set_number(form("chunk"), "size", "300")
    set_number(page, "overlap", "300")
    assert config(page).changed() == {"size": "300"}
    assert "size 300" in page.session_state["form.form"].errors["overlap"]
    set_number(page, "overlap", "20")
    assert config(page).changed() == {"size": "300", "overlap": "20"}
    assert page.session_state["form.form"].errors == {}


def test_a_configuration_from_outside_is_taken_over() -> None:
    """A link or a reset sets all widgets, also those the user had touched, and a late message of the old ones is not
    heard.
    """
    page = form("chunk", expanded=True)
    set_number(page, "size", "640")
    page.selectbox(key="form.0.strategy").select("fixed").run()
    page.button[0].click().run()
    assert config(page) == Config()
    page.session_state["form.size.value"] = ("640", 0)
    page.run()
    assert config(page) == Config()
    assert page.selectbox(key="form.1.strategy").value == "structure"


def test_a_ready_made_set_brings_its_prefix() -> None:
    """Where it has one; it can be changed afterwards like any other, and the set's name in a setting changes nothing
    else.
    """
    page = form("chunk", expanded=True)
    page.button(key="form.headings_from.questions").click().run()
    assert (config(page).chunk.prefix, "问" in config(page).chunk.headings_from) == (Prefix.TITLE_PATH, True)
    page.button(key="form.headings_from.chinese_statute").click().run()
    assert config(page) == Config.from_settings({"headings_from": "chinese_statute", "prefix": "header"})
    page.selectbox(key="form.0.prefix").select("none").run()
    assert config(page) == Config.from_settings({"headings_from": "chinese_statute", "prefix": "none"})


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
def test_errors_stand_next_to_the_field_and_settings_survive_a_page_switch(scene_address: str, tab: Page) -> None:
    """An overlap above the size is refused in a sentence; what was good before comes back from another page."""
    ready(tab, scene_address)
    size = tab.locator(".st-key-settings-size #box")
    after_repaint(tab, lambda: size.fill("256"))
    overlap = tab.locator(".st-key-settings-overlap")
    overlap.locator("#box").fill("256")
    expect(overlap.locator(".fault")).to_contain_text("size 256")
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
    size = str(Config().chunk.size)
    expect(tab.locator(".st-key-settings-size #box")).to_have_value(size)
    expect(tab.locator(".st-key-settings-overlap #box")).to_have_value("0")
    expect(tab.get_by_text(re.compile(rf"size:\s*{size}\b"))).to_be_visible()


def test_a_kind_of_document_may_differ() -> None:
    """Lines in an expander, and the kinds named under it; a faulty line keeps what was set and says why."""
    page = form("chunk")
    page.session_state["form.0.categories.more"] = True
    page.run()
    page.text_area(key="form.0.categories").input("api.size=400\n\n faq.prefix = none ").run()
    assert not page.exception
    assert config(page).changed() == {"category.api.size": "400", "category.faq.prefix": "none"}
    assert any("their own: api, faq." in caption.value for caption in page.caption)
    for line, words in {
        "size=400": "api.size=400",
        "api.size=4": "category.api.size is '4'",
        "api.sise=400": "no setting 'category.api.sise'",
    }.items():
        page.text_area(key="form.0.categories").input(line).run()
        assert words in " ".join(caption.value for caption in page.caption)
        assert config(page).for_category("api").chunk.size == 400
    set_number(page, "size", "320")
    page.text_area(key="form.0.categories").input("").run()
    assert config(page).changed() == {"size": "320"}
    page.button[0].click().run()
    assert config(page) == Config()
