"""Settings: one definition, read the same way from the command line, a YAML file and a link."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import Config, Keep, Prefix, SearchConfig, Strategy, settings
from chunking.errors import ConfigError

BAD = [
    ({"size": 0}, "size", "greater than or equal to 16"),
    ({"size": 9000}, "size", "less than or equal to 8192"),
    ({"size": "many"}, "size", "valid integer"),
    ({"overlap": "175"}, "overlap", "size 175"),
    ({"overlap": "100%"}, "overlap", "size 175"),
    ({"overlap": "-1"}, "overlap", "15%"),
    ({"min_size": 176}, "min_size", "more than the size 175"),
    ({"strategy": "magic"}, "strategy", "'structure', 'recursive'"),
    ({"keep_whole": "code,song"}, "keep_whole", "no value 'song'"),
    ({"heading_levels": "3-1"}, "heading_levels", "levels from 1 to 6"),
    ({"sise": 200}, "sise", "There is no setting 'sise'; the settings are strategy, unit, size"),
    ({"search.vector_weight": 2}, "search.vector_weight", "less than or equal to 1"),
    ({"nowhere.size": 2}, "nowhere.size", "There is no setting"),
    ({"search.before": "some"}, "search.before", "auto"),
    ({"search.after": "21"}, "search.after", "less than or equal to 20"),
    ({"search.before": -1}, "search.before", "greater than or equal to 0"),
]


@pytest.mark.parametrize(("changes", "key", "words"), BAD)
def test_a_bad_setting_is_named_in_one_sentence(changes: dict[str, object], key: str, words: str) -> None:
    """The error says which setting, what is wrong and what would be right."""
    with pytest.raises(ConfigError) as caught:
        Config.from_settings(changes)
    assert caught.value.where == key
    assert key in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "stored", "reach", "is_adaptive"),
    [(0, 0, 0, False), ("3", 3, 3, False), (20, 20, 20, False), (" Auto ", "auto", 1, True)],
)
def test_neighbours_are_a_number_or_auto(value: object, stored: object, reach: int, is_adaptive: bool) -> None:
    """Numbers stay numbers, in YAML and in a link, as they were before there was another value."""
    config = Config.from_settings({"search.before": value, "search.after": 2})
    assert config.search.before == stored
    assert type(config.search.before) is type(stored)
    assert config.search.reach == (reach, 2)
    assert config.search.adaptive == (is_adaptive, False)
    assert f"before: {stored}\n" in config.to_yaml()
    assert Config.from_yaml(config.to_yaml()) == config
    assert Config.from_settings({row.key: row.text(config) for row in settings()}) == config
    row = next(row for row in settings() if row.key == "search.before")
    assert (row.minimum, row.maximum, row.type, row.words) == (0, 20, int, ("auto",))


def configs() -> st.SearchStrategy[Config]:
    """Any valid configuration of the settings that people change."""
    return st.builds(
        lambda size, share, strategy, prefix, keep, levels, weight, k: Config.from_settings(
            {
                "size": size,
                "overlap": share,
                "strategy": strategy,
                "prefix": prefix,
                "keep_whole": tuple(keep),
                "heading_levels": tuple(levels),
                "search.vector_weight": weight,
                "search.k": k,
            }
        ),
        st.integers(16, 8192),
        st.integers(0, 99).map("{}%".format) | st.integers(0, 15),
        st.sampled_from(Strategy),
        st.sampled_from(Prefix),
        st.sets(st.sampled_from(Keep)),
        st.sets(st.integers(1, 6), min_size=1),
        st.floats(0, 1),
        st.integers(1, 200),
    )


@given(configs())
def test_yaml_and_link_give_the_same_configuration_back(config: Config) -> None:
    """`to_yaml` and `changed` lose nothing."""
    assert Config.from_yaml(config.to_yaml()) == config
    assert Config.from_settings(config.changed()) == config


def test_a_link_carries_only_what_differs_from_the_defaults() -> None:
    """So that links stay short and follow better defaults."""
    assert Config().changed() == {}
    assert Config.from_settings({"size": 300, "search.k": 9}).changed() == {"size": "300", "search.k": "9"}


def test_overlap_is_an_amount_or_a_share_of_the_size() -> None:
    """Shares are rounded down."""
    assert Config.from_settings({"size": 150, "overlap": "15%"}).chunk.overlap_amount == 22
    assert Config.from_settings({"overlap": 32}).chunk.overlap_amount == 32


def test_minimum_size_is_an_eighth_unless_set() -> None:
    """Empty text means: not set."""
    assert Config.from_settings({"size": 400}).chunk.min_amount == 50
    assert Config.from_settings({"size": 400, "min_size": "0"}).chunk.min_amount == 0
    assert Config.from_settings({"min_size": ""}).chunk.min_size is None


def test_candidates_are_at_least_three_times_the_results() -> None:
    """R11; by default ten times, at least 100."""
    assert SearchConfig().candidate_count == 100
    assert SearchConfig(k=50).candidate_count == 500
    assert SearchConfig(k=50, candidates=10).candidate_count == 150


def test_search_settings_do_not_change_the_fingerprint() -> None:
    """An index stays valid when only the way it is searched changes."""
    assert Config.from_settings({"search.k": 9}).fingerprint() == Config().fingerprint()
    assert Config.from_settings({"embedding.batch_tokens": 1024}).fingerprint() == Config().fingerprint()
    assert Config.from_settings({"size": 201}).fingerprint() != Config().fingerprint()


@pytest.mark.parametrize("text", ["chunk: [", "- size", "chunk: 3", "colour: {x: 1}", "chunk: {size: 5}"])
def test_a_bad_configuration_file_is_one_sentence(text: str, tmp_path: Path) -> None:
    """Not YAML, not a mapping, unknown parts, values out of range."""
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        Config.from_file(path)
    assert "\n" not in str(caught.value)


def test_a_missing_configuration_file_is_named(tmp_path: Path) -> None:
    """And an empty one holds the defaults."""
    with pytest.raises(ConfigError, match=r"no\.yaml cannot be read"):
        Config.from_file(tmp_path / "no.yaml")
    (tmp_path / "empty.yaml").write_text("")
    assert Config.from_file(tmp_path / "empty.yaml") == Config()


def test_every_setting_can_be_shown_in_a_form() -> None:
    """Each has a title, a help text, and either choices, a range or a free text."""
    for setting in settings():
        assert setting.title, setting.key
        assert setting.help.endswith("."), setting.key
        assert setting.choices or setting.maximum is not None or setting.type in (str, bool), setting.key


@pytest.mark.parametrize("levels", ["[0, 9]", "[1, a]", "[[1]]", "[true]"])
def test_a_list_of_levels_is_held_to_the_same_range(levels: str) -> None:
    """A list in a YAML file says no more than text could, and is never a traceback."""
    with pytest.raises(ConfigError, match="heading_levels"):
        Config.from_yaml(f"chunk: {{heading_levels: {levels}}}")


API = {"size": "300", "category.api.size": "400", "category.api.keep_whole": "none", "category.faq.prefix": "none"}


def test_a_category_has_settings_of_its_own() -> None:
    """In the place of the general ones, and only for its documents."""
    config = Config.from_settings(API)
    assert (config.chunk.size, config.for_category("api").chunk.size, config.for_category("faq").chunk.size) == (
        300,
        400,
        300,
    )
    assert config.for_category("api").chunk.keep_whole == ()
    assert config.for_category("faq").chunk.prefix is Prefix.NONE
    assert config.for_category("doc") == Config.from_settings({"size": "300"})
    assert config.for_category("api").categories == ()


def test_so_many_categories_are_refused_before_one_is_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a link and from YAML: each of thousands would have all settings of the chunks made anew."""
    fifty = Config.from_settings({f"category.c{n}.size": "400" for n in range(50)})
    assert Config.from_yaml(fifty.to_yaml()) == fifty
    monkeypatch.setattr(Config, "for_category", lambda *_: pytest.fail("A category was validated."))
    for make in (
        lambda: Config.from_settings({f"category.c{n}.size": "400" for n in range(5_000)}),
        lambda: Config.from_yaml("categories:\n" + "".join(f"  c{n}: {{size: 400}}\n" for n in range(5_000))),
    ):
        with pytest.raises(ConfigError, match="5,000 categories") as told:
            make()
        assert told.value.where == "categories"


def test_settings_of_categories_go_every_way() -> None:
    """Link, YAML (also as people write it) and back; an empty value takes one away, a later one comes over it."""
    config = Config.from_settings(API)
    assert config.changed() == API
    assert Config.from_settings(config.changed()) == config
    assert Config.from_yaml(config.to_yaml()) == config
    assert (
        Config.from_yaml(
            "chunk: {size: 300}\ncategories:\n  faq: {prefix: none}\n  api: {size: 400, keep_whole: []}\n  doc:\n"
        )
        == config
    )
    assert Config.from_settings(
        {"category.api.size": "", "category.api.keep_whole": "", "category.faq.prefix": "header"}, config
    ) == (Config.from_settings({"size": 300, "category.faq.prefix": "header"}))
    assert Config.from_settings({"min_size": 9, "category.api.min_size": ""}).for_category("api").chunk.min_size is None


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"category.api.size": 0}, "category.api.size", "greater than or equal to 16"),
        (
            {"category.api.sise": 200},
            "category.api.sise",
            "There is no setting 'category.api.sise'; the settings are strategy, unit, size",
        ),
        ({"category.api.search.k": 2}, "categories", "without a dot"),
        ({"overlap": "64", "category.api.size": "32"}, "category.api.overlap", "size 32"),
        ({"category.size": 32}, "category.size", "There is no setting 'category.size'"),
        ({"category. .size": 32}, "categories", "short name"),
    ],
)
def test_a_bad_setting_of_a_category_is_named(changes: dict[str, object], key: str, words: str) -> None:
    """In one sentence, with the whole key."""
    with pytest.raises(ConfigError) as caught:
        Config.from_settings(changes)
    assert (caught.value.where, words in str(caught.value)) == (key, True), caught.value


@pytest.mark.parametrize(
    "text", ["categories: 3", "categories: {api: 3}", "categories: [api]", "categories: {api: [size]}"]
)
def test_invalid_categories_in_yaml_are_one_sentence(text: str) -> None:
    """A sentence, whatever stands there."""
    with pytest.raises(ConfigError, match="categories"):
        Config.from_yaml(text)


def test_only_its_own_settings_count_in_a_documents_fingerprint() -> None:
    """An index of other documents is the same with and without them; the fingerprint tells them apart."""
    plain, config = Config.from_settings({"size": 300}), Config.from_settings(API)
    assert plain.fingerprint() == config.for_category("doc").fingerprint() != config.fingerprint()
    assert config.for_category("api").fingerprint() != plain.fingerprint()
