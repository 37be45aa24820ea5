"""What each stage makes of the samples is what its version has always made of them: a change of results raises the
version.
"""

from __future__ import annotations

import pytest

from chunking import versions
from chunking.embedding import loading
from chunking.versions import chunks_version, results_version
from tests.support.golden import STAGES, Stage, differences, is_right
from tests.support.stand_in_model import stand_in_model


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_the_results_are_those_of_the_version(stage: Stage) -> None:
    """Else raise the version in `chunking/versions.py`, and take the results over with `make golden`."""
    kept, now = stage.kept(), stage.values()
    assert is_right(kept, stage.number, now), "\n".join(
        [f"{stage.version}: {kept[0]} -> {stage.number}", *differences(kept[1], now)[:20]]
    )


def test_other_results_need_another_version() -> None:
    """Neither new results under the old number nor a new number alone will do."""
    assert is_right((3, {"a": 1}), 3, {"a": 1})
    assert not is_right((3, {"a": 1}), 3, {"a": 2})
    assert not is_right((3, {"a": 1}), 4, {"a": 1})
    assert differences({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}) == ["b: 2 -> 3", "c: None -> 4"]


def test_what_was_made_before_there_were_versions_stays_current() -> None:
    """The first versions carry the digits that indexes and runs of then were stored with."""
    assert all(stage.number >= 1 for stage in STAGES)
    assert versions._digest(1, 1, 1) == "2b47de02c78fd8f1"
    assert versions._digest(1, 1, 1, 1, 1) == "179ad964c5af2d5e"


@pytest.mark.parametrize(
    "version", ["PARSING_VERSION", "SPLITTING_VERSION", "CONTEXT_VERSION", "RETRIEVAL_VERSION", "SCORING_VERSION"]
)
def test_every_version_counts(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the key of a measurement; those of the chunks in the key of an index too."""
    before = chunks_version(), results_version()
    monkeypatch.setattr(versions, version, 99)
    assert results_version() != before[1]
    assert (chunks_version() != before[0]) is (version in {"PARSING_VERSION", "SPLITTING_VERSION", "CONTEXT_VERSION"})


def test_a_stand_in_knows_nothing_of_the_model_in_whose_place_it_stands() -> None:
    """Forget encodings that the process remembers: with them, results would depend on the tests before."""
    loading.PROCESS_ENCODINGS.put("a key", b"the model's")
    with stand_in_model():
        assert loading.PROCESS_ENCODINGS.get("a key") is None
        loading.PROCESS_ENCODINGS.put("a key", b"the stand-in's")
    assert loading.PROCESS_ENCODINGS.get("a key") != b"the stand-in's"
