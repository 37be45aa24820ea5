"""Means over collections and their intervals; rows of the table; the picture."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks.quality.configurations import BASELINE, DEFAULT, PRINTED, Configuration, chosen_configurations
from benchmarks.quality.figures import AT_RESULTS, figures, mean_difference
from benchmarks.quality.picture import HEIGHT, THEMES, WIDTH, draw_curves
from benchmarks.quality.quality_table import CurvePlace, MeasuredQuestions, QualityTable
from chunking.evaluation import AnswerSpan, Found, Question, QuestionSet, paired

QUESTIONS = QuestionSet(
    "four", tuple(Question(str(number), "?", (AnswerSpan("a", 0, 10, "x" * 10),)) for number in range(4))
)
HIT, MISS = (Found("a", 0, 40, 12, 0, 40),), (Found("b", 0, 40, 12, 0, 40),)
ROWS = (DEFAULT, Configuration(BASELINE))


def measured(name: str, ours: Sequence[bool], theirs: Sequence[bool], family: str = "") -> MeasuredQuestions:
    """A collection of four questions, of which some are answered; the last two are of the report half."""
    rankings = {
        row.name: [HIT if one else MISS for one in some] for row, some in zip(ROWS, (ours, theirs), strict=True)
    }
    scored = {row: figures(QUESTIONS, some) for row, some in rankings.items()}
    return MeasuredQuestions(name, family or name, np.array([0, 0, 1, 1]), scored)


def cells(table: QualityTable, row: int) -> list[str]:
    """The cells of a row, from 0."""
    return [cell.strip() for cell in table.markdown().splitlines()[4 + row].split("|")[1:-1]]


def test_a_row_has_the_report_half_and_the_recall_of_the_other() -> None:
    table = QualityTable(ROWS, [measured("Chroma", (True, True, True, False), (False,) * 4)])
    ours, theirs = cells(table, 0), cells(table, 1)
    assert (ours[2], theirs[2]) == ("measured", "rebuilt")
    assert ours[3:5] == ["50.0 · 12.5 · 12.5", "12"]
    assert ours[-3:-1] == ["100.0", "100.0"]
    assert theirs[3] == "0.0 · 0.0 · 0.0"
    assert (ours[9], theirs[9][:5]) == ("", "+50.0")


def test_printed_numbers_stand_in_the_last_column_only() -> None:
    """Those of a rebuilt method in its row, the others in rows of their own."""
    collection = measured("Chroma", (True,) * 4, (True,) * 4)
    lines = QualityTable(ROWS, [collection]).markdown().splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")][2:]
    assert len({len(row) for row in rows}) == 1
    assert [row[-1] for row in rows[:2]] == ["", PRINTED["Chroma"][0].text]
    assert {row[2] for row in rows[2:]} == {"printed"}
    assert not any(cell for row in rows[2:] for cell in (row[0], *row[3:-1]))
    assert not any("MiniLM" in cell for row in rows for cell in row[:-1])


def test_a_mean_is_that_of_the_collections() -> None:
    """However many questions each has."""
    several = [
        measured("one", (True, True, True, True), (False, False, False, True)),
        measured("two", (True, True, False, False), (True, True, False, False)),
    ]
    table = QualityTable(ROWS, several)
    assert cells(table, 0)[3].startswith("50.0")
    assert cells(table, 1)[9].startswith("+25.0")
    in_equal_text, _ = table.rows
    assert in_equal_text.ours == "50.0"
    assert in_equal_text.result.startswith("+25.0")


def test_the_interval_of_one_collection_is_that_of_the_product() -> None:
    values = np.random.default_rng(1).integers(-1, 2, 50) / 1.0
    one = paired(values, np.zeros(50))
    assert mean_difference([("a", values)]) == (one.mean, one.low, one.high)


def test_the_same_questions_in_other_languages_are_no_new_evidence() -> None:
    """Three translations have the interval of one; three collections a narrower one."""
    values = np.random.default_rng(1).normal(0.1, 1, 100)
    alike = mean_difference([("XQuAD", values)] * 3)
    apart = mean_difference([(name, values) for name in "abc"])
    twice = mean_difference([("XQuAD", values)] * 2)
    assert alike.high - alike.low == pytest.approx(twice.high - twice.low)
    assert apart.high - apart.low < 0.75 * (alike.high - alike.low)
    assert alike.mean == pytest.approx(values.mean())


def test_another_model_is_another_row_of_the_default() -> None:
    """Once, however often it is named."""
    names = [one.name for one in chosen_configurations(["a/b", "multilingual-e5-small", "a/b"])]
    assert names.count("default, a/b") == 1
    assert names.count("default, multilingual-e5-small") <= 1
    assert AT_RESULTS.n == 5


@pytest.mark.parametrize("theme", THEMES)
def test_the_picture_has_a_curve_and_a_label_for_each_name(theme: str) -> None:
    """All inside its frame, with the labels apart."""
    curve = [CurvePlace(100 * n, 1 - 0.5 / n) for n in range(1, 11)]
    names = ["default", "a < b", "c"]
    drawn = ElementTree.fromstring(draw_curves(dict.fromkeys(names, curve), "mean recall, %", THEMES[theme]))
    shapes = {tag: [one for one in drawn.iter() if one.tag.endswith(tag)] for tag in ("circle", "text")}
    assert len(shapes["circle"]) == 10 * len(names)
    assert all(
        0 <= float(one.attrib["cx"]) <= WIDTH and 0 <= float(one.attrib["cy"]) <= HEIGHT for one in shapes["circle"]
    )
    places = [float(one.attrib["y"]) for one in shapes["text"] if one.text in names]
    assert sorted(places) == places
    assert len(places) == len(names)
    assert min(np.diff(places)) >= 16
