"""Settings that had another name are read under both, from wherever a configuration comes, and no digest changes with a
name.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from chunking.cli.commands.files import config_of
from chunking.cli.commands.sweeping import sweep
from chunking.cli.running import parser
from chunking.config import ENGLISH_MODEL, Config, Retrieval, settings
from chunking.config.renamed_settings import ADDED, RENAMED
from chunking.errors import ConfigError, QuestionError
from chunking.evaluation import Answered, Cause, Diagnosis, EvaluationRun, Sweep, SweepReport
from chunking.evaluation.runs import run as run_module
from chunking.store.index.index_registry import IndexRow
from chunking.worker import WorkerJob

EXAMPLES: Mapping[str, str] = {
    "larger_sizes": "2,4",
    "written_size": "40",
    "enrich.writer": "llm",
    "search.drop_repeats": "false",
    "search.larger_weight": "0.25",
}
"""A value of each key that was renamed, other than its default."""
Pair = tuple[str, str]


def pair(text: str) -> Pair:
    """`key` or `key=value` of the table as a setting and a value."""
    key, _, value = text.partition("=")
    return key, value


ROWS = [
    (pair(earlier if "=" in earlier else f"{earlier}={EXAMPLES[earlier]}"), now) for earlier, now in RENAMED.items()
]


def tree_of(pairs: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Settings as a YAML file holds them."""
    tree: dict[str, dict[str, Any]] = {}
    for key, value in pairs.items():
        part, _, name = key.rpartition(".")
        tree.setdefault(part or "chunk", {})[name] = value
    return tree


def read_yaml(pairs: Mapping[str, str]) -> Config:
    """From the text of a YAML file."""
    return Config.from_yaml(yaml.safe_dump(tree_of(pairs)), where="mine.yaml")


def read_set(pairs: Mapping[str, str]) -> Config:
    """From `--set`."""
    return config_of(Namespace(config=None, set=[f"{key}={value}" for key, value in pairs.items()]))


def read_job(pairs: Mapping[str, str]) -> Config:
    """From a line for the worker."""
    return WorkerJob.from_line(json.dumps({"workspace": "w", "config": dict(pairs)})).config


def read_run(pairs: Mapping[str, str]) -> Config:
    """From a stored run."""
    run = json.loads(EvaluationRun("k", "", Config(), "set", "q", "d", (), 5, 30).to_json())
    return EvaluationRun.from_json(json.dumps(run | {"config": yaml.safe_dump(tree_of(pairs))})).config


def read_index(pairs: Mapping[str, str]) -> Config:
    """From the row of an index."""
    row = replace(IndexRow.new("main", Config(), model_key="m", dimension=3, code_version="1"), scope=None)
    values = {name: getattr(row, name) for name in IndexRow.__slots__}
    texts = {"config": yaml.safe_dump(tree_of(pairs)), "scope": "null", "built": row.built.to_json()}
    return IndexRow.from_row(values | texts).config


def sweep_of(**changed: Any) -> Sweep:
    """A stored sweep with something of it changed."""
    return Sweep.from_json(json.dumps(json.loads(Sweep("mine", "set").to_json()) | changed))


def read_sweep(pairs: Mapping[str, str]) -> Config:
    """From the base of a stored sweep."""
    return sweep_of(base=yaml.safe_dump(tree_of(pairs))).base


def read_grid(pairs: Mapping[str, str]) -> Config:
    """From the grid of a stored sweep."""
    (planned,) = sweep_of(grid={key: [value] for key, value in pairs.items()}).configs()
    return Config.from_settings(planned.settings)


def read_tries(pairs: Mapping[str, str]) -> Config:
    """From a single configuration of a stored sweep."""
    (planned,) = sweep_of(tries=[dict(pairs)]).configs()
    return Config.from_settings(planned.settings)


READERS: tuple[Callable[[Mapping[str, str]], Config], ...] = (
    *(Config.from_settings, read_yaml, read_set, read_job, read_run, read_index, read_sweep, read_grid, read_tries),
)


def current(row: tuple[Pair, str]) -> dict[str, str]:
    """The setting of a row under its current name."""
    (_, value), now = row
    key, _, renamed = now.partition("=")
    return {key: renamed or value}


@pytest.mark.parametrize("row", ROWS, ids=list(RENAMED))
def test_both_names_say_the_same(row: tuple[Pair, str]) -> None:
    """Whatever reads a configuration; what is written bears the current name only."""
    (key, value), _ = row
    expected = Config.from_settings(current(row))
    for read in READERS:
        assert read({key: value}) == expected, read
    assert expected.changed() in ({}, current(row))
    assert Config.from_settings({key: value}).to_yaml() == expected.to_yaml()


@pytest.mark.parametrize("row", [row for row in ROWS if "." not in row[0][0]], ids=lambda row: "=".join(row[0]))
def test_settings_of_categories_have_both_names_too(row: tuple[Pair, str]) -> None:
    """On the command line and in a YAML file."""
    (key, value), _ = row
    expected = Config.from_settings({f"category.api.{name}": value for name, value in current(row).items()})
    assert expected.categories
    assert Config.from_settings({f"category.api.{key}": value}) == expected
    assert Config.from_yaml(yaml.safe_dump({"categories": {"api": {key: value}}})) == expected


def test_a_part_may_be_named_before_a_setting_of_chunks() -> None:
    """As messages name one."""
    assert Config.from_settings({"chunk.larger_sizes": "3"}).chunk.granularities == (3,)


@pytest.mark.parametrize("row", [row for row in ROWS if "=" not in row[1]], ids=lambda row: row[1])
def test_both_names_at_once_are_an_error(row: tuple[Pair, str]) -> None:
    """One sentence: what, where, what to do."""
    (key, value), now = row
    for read in (Config.from_settings, read_yaml, read_set, read_job):
        with pytest.raises(ConfigError) as caught:
            read({key: value, now: value})
        said = str(caught.value)
        assert all(name.rpartition(".")[2] in said for name in (key, now))
        assert f"leave {caught.value.where} out" in said
        assert "\n" not in said
    for read in (read_grid, read_tries):
        with pytest.raises(QuestionError, match="are the same setting"):
            read({key: value, now: value})


def test_the_place_is_reported() -> None:
    """The file, where it was one; the category, where it is one's."""
    with pytest.raises(
        ConfigError,
        match=r"^mine\.yaml: category\.api\.granularities and category\.api\.larger_sizes are the same setting",
    ):
        Config.from_yaml("categories: {api: {larger_sizes: 2, granularities: 3}}", where="mine.yaml")


def test_one_name_in_a_file_and_the_other_over_it_are_no_fault(tmp_path: Path) -> None:
    """`--set` changes what `--config` says, whichever name either uses."""
    file = tmp_path / "mine.yaml"
    file.write_text("chunk: {larger_sizes: 2}\nsearch: {deduplicate: false}\n", encoding="utf-8")
    config = config_of(Namespace(config=str(file), set=["granularities=4", "search.drop_repeats=true"]))
    assert (config.chunk.granularities, config.search.deduplicate) == ((4,), True)


def test_the_command_line_takes_earlier_names_of_its_own_options() -> None:
    """Of a retrieval mode, of what a sweep varies, and of its single configurations."""
    read = parser().parse_args(["evaluate", "files", "--questions", "q.jsonl", "--retrieval", "multisize"])
    assert read.retrieval == "multi_granularity"
    with pytest.raises(ConfigError, match=r"^--grid: granularities and larger_sizes"):
        sweep(
            parser().parse_args(
                ["sweep", "files", "--questions", "q", "--grid", "larger_sizes=2", "--grid", "granularities=3"]
            )
        )
    with pytest.raises(ConfigError, match=r"^--try: granularities and larger_sizes"):
        sweep(parser().parse_args(["sweep", "files", "--questions", "q", "--try", "larger_sizes=2 granularities=3"]))


def test_a_stored_suggestion_and_a_stored_failure_bear_current_names() -> None:
    """They are settings to try."""
    why = Diagnosis(Cause.REPEAT, "It was dropped.", help="search.drop_repeats=false")
    run = EvaluationRun("k", "", Config(), "set", "q", "d", (Answered("1", (), 0.0, why),), 5, 30)
    (answered,) = EvaluationRun.from_json(run.to_json()).answered
    assert answered.diagnosis is not None
    assert answered.diagnosis.help == "search.deduplicate=false"
    record = SweepReport("mine", ()).as_record() | {
        "failed": [{"label": "a", "settings": {"strategy": "own"}, "error": "It failed."}]
    }
    assert SweepReport.from_record(record).failed[0].settings == {"strategy": "custom"}


def test_nothing_new_bears_an_earlier_name() -> None:
    """It would be read as the value that had it."""
    with pytest.raises(ValueError, match="'multisize' is a former name"):
        Retrieval.outside("multisize", "Mine", "what I find")


_THEN = {"search.vector_weight": "0.65", "embedding.model": ENGLISH_MODEL, "size": "150"}
"""The defaults at that time: a run holds every setting of its search."""
PINNED: tuple[tuple[dict[str, str], str, tuple[str, ...], str], ...] = (
    (_THEN, "aeaa563020a642e2", (), "de147695fbb3c88d"),
    (
        _THEN
        | {
            **{
                "strategy": "custom",
                "splitter": "mine",
                "granularities": "2,4",
                "context_size": "40",
                "enrich.generator": "llm",
            },
            **{"search.retrieval": "chunk", "search.deduplicate": "false", "search.granularity_weight": "0.25"},
            **{
                "category.api.strategy": "elements",
                "category.api.granularities": "none",
                "category.api.context_size": "24",
            },
            **{"category.faq.strategy": "custom", "category.faq.size": "90"},
            **{"category.faq.granularities": "3", "category.faq.keep_whole": "none"},
        },
        "72517502f4c87519",
        ("dfb88e3442369ed6", "7258fb3397fa007f"),
        "758701f6b3de4909",
    ),
    (_THEN | {"strategy": "elements", "prefix": "none"}, "3a73e1244abf9b66", (), "3fec624b39bcf468"),
)
"""Settings, their fingerprint, that of the categories api and faq, and the key of a run: made before any name had
changed.
"""


@pytest.mark.parametrize(("stored", "fingerprint", "of_categories", "key"), PINNED)
def test_no_name_changes_a_digest(
    stored: dict[str, str], fingerprint: str, of_categories: tuple[str, ...], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was indexed and evaluated before a name changed stays current."""
    monkeypatch.setattr(run_module, "results_version", lambda: "pinned")
    monkeypatch.setattr(run_module, "model_key", lambda config: "model")
    monkeypatch.setattr(run_module, "_writer", lambda config: "")
    monkeypatch.setattr(run_module, "_splitters", lambda config: [])
    config = Config.from_settings(stored)
    assert config.fingerprint() == fingerprint
    assert tuple(config.for_category(name).fingerprint() for name, _ in config.categories) == of_categories
    run = EvaluationRun(key, "", config, "set", "questions", "docs", (), 5, 30)
    assert run_module.is_current(run, "docs")


def test_a_setting_that_came_later_changes_digests_only_where_it_is_set() -> None:
    """At its default it is left out of them: the pinned ones hold."""
    by_key = {f"{setting.part}.{setting.name}": setting for setting in settings()}
    assert {key: by_key[key].default for key in ADDED} == ADDED
    assert Config.from_settings({"index.m": 32}).fingerprint() != Config().fingerprint()


def test_each_row_leads_to_a_setting_that_there_is() -> None:
    """And from a name that there is no more."""
    keys = {setting.key for setting in settings()}
    for earlier, now in RENAMED.items():
        assert now.partition("=")[0] in keys
        assert "=" in earlier or earlier not in keys
