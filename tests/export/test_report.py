"""The report: what it says of noise, that nothing in it runs but its own two scripts, and that it is the same every
time.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from chunking.config import BASELINE, Config
from chunking.errors import QuestionError
from chunking.evaluation import Answered, CardRole, EvaluationRun, Measure, Pool, Question, QuestionSet
from chunking.export import Material, gather, report_html
from chunking.export.report import contents
from chunking.export.report.figures import Plot
from chunking.store import Workspace
from tests.support.facts import tells
from tests.support.stored_runs import CONFIG, EVIL, questions_about, run_of


class Page(HTMLParser):
    """What a browser would make of a page: scripts, their types, attributes that would run or load something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: list[tuple[str, str]] = []
        self.tags: set[str] = set()
        self.risky: list[tuple[str, str, str | None]] = []
        self.words: list[str] = []
        self._in = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self._in = tag
        if tag == "script":
            self.scripts.append((dict(attrs).get("type") or "", ""))
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "srcdoc", "action") or (name == "href" and value != "data:,"):
                self.risky.append((tag, name, value))

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif self._in != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def questions(shelf: Workspace) -> QuestionSet:
    """60 questions on the shelf."""
    return questions_about([shelf.document(row.doc_id) for row in shelf.documents()], 60)


def material_of_runs(workspace: Workspace, questions: QuestionSet, runs: Sequence[EvaluationRun]) -> Material:
    """What the report is made of."""
    return Material(workspace, runs=tuple(runs), questions=questions)


def runs_of(questions: QuestionSet, *missed: Sequence[int]) -> list[EvaluationRun]:
    """Runs of growing size that miss these places."""
    return [
        run_of(
            questions,
            some,
            key=f"{n:016x}",
            label=f"size {100 * n}",
            config=Config.from_settings({"size": 100 * n}),
            tokens=100 * n,
        )
        for n, some in enumerate(missed, start=1)
    ]


@pytest.mark.parametrize(
    ("missed", "first", "facts"),
    [
        ([range(3)], "size 100", "nothing compare"),
        ([range(3), range(2)], "size 200", "both tied"),
        ([range(30), range(2)], "size 200", "best 2"),
        ([range(30), range(2), range(40)], "size 200", "best 3"),
        ([range(3), range(2), range(40)], "size 200", "2 3 tied"),
    ],
)
def test_no_winner_is_named_on_noise(
    shelf: Workspace, questions: QuestionSet, missed: list[Sequence[int]], first: str, facts: str
) -> None:
    """Recommended where it is decided; else the best mean of those that are tied."""
    report = contents(material_of_runs(shelf, questions, runs_of(questions, *missed)))
    assert report.lines[0].run.label == first
    said = [report.headline] if len(missed) == 1 else [one.text for one in report.decision.reasons]
    assert any(tells(text, facts) for text in said)
    assert report.recommended is None or report.recommended.decided == ("best" in facts)


def test_it_opens_with_the_cards_and_tells_one_question(shelf: Workspace, questions: QuestionSet) -> None:
    """The baseline under its name in cards, picture and story; the gold answer is marked on the right side only."""
    usual = run_of(questions, range(30), key="a" * 16, label="long label", config=Config.from_settings(BASELINE))
    better = run_of(questions, [59], key="b" * 16, label="small", config=CONFIG)
    material = material_of_runs(shelf, questions, [usual, better])
    report, page = contents(material), report_html(material)
    text = Page(page).text
    baseline = report.decision.card(CardRole.BASELINE)
    assert baseline is not None
    assert baseline.line is not None
    assert baseline.line.run.key == usual.key
    for card in report.decision.cards:
        assert card.confidence in text
        assert card.value in text
    assert report.compared is not None
    assert report.compared[0].run.key == usual.key
    assert report.story is not None
    assert report.story.question in text
    marked = "".join(one.text for one in report.story.right.excerpt if one.is_answer)
    assert marked == report.story.answer
    assert not any(one.is_answer for one in report.story.wrong.excerpt)
    assert page.count("<mark>") == 2  # the answer itself, and where it is found
    labels = [one["text"] for one in report.plots["pareto"].light["layout"]["annotations"]]
    assert any("Baseline" in label for label in labels)
    assert page.index('class="cards"') < page.index('class="story"') < page.index('class="more"')


def test_one_question_has_no_statistics(shelf: Workspace, questions: QuestionSet) -> None:
    """It is said, in the headline and in the page."""
    one = questions.only(["q0"])
    runs = runs_of(one, [], [0])
    assert "One question" in contents(material_of_runs(shelf, one, runs)).headline
    text = Page(report_html(material_of_runs(shelf, one, runs))).text
    assert "one question: no interval" in text
    assert "nan" not in text.lower()


def test_what_was_never_judged_and_never_answered_is_reported(shelf: Workspace, questions: QuestionSet) -> None:
    """Of a set that was labelled on pools; a set that nothing answers has no report, and the sentence says why."""
    pooled = replace(questions, questions=tuple(replace(one, pool=Pool(10, 3, 4)) for one in questions.questions))
    (run,) = runs_of(questions, [0])
    nothing = Question("none", "Where do penguins breed?", (), unanswerable=True)
    mixed = replace(pooled, questions=(*pooled.questions, nothing))
    run = replace(run, questions=mixed.fingerprint, answered=(*run.answered, Answered("none", (), 0.0, absent=True)))
    report = contents(material_of_runs(shelf, mixed, [run]))
    assert any("60 of 119" in note for note in report.notes)
    assert any("1 of 1" in note for note in report.notes)
    with pytest.raises(QuestionError, match="nothing"):
        contents(material_of_runs(shelf, QuestionSet("none", (nothing,)), [run]))


def test_gained_and_lost_questions_are_shown(shelf: Workspace, questions: QuestionSet) -> None:
    """With their answers, where they stand, and why they failed; the default settings are what is compared with."""
    plain = run_of(questions, range(0, 30), key="d" * 16, label="default settings")
    small = run_of(questions, [40], key="a" * 16, label="small", config=CONFIG)
    report = contents(material_of_runs(shelf, questions, [plain, small]))
    assert report.compared is not None
    assert [line.run.label for line in report.compared] == ["default settings", "small"]
    assert (report.changes["gained"], report.changes["lost"], len(report.gained), len(report.lost)) == (30, 1, 6, 1)
    text = Page(report_html(material_of_runs(shelf, questions, [plain, small]))).text
    assert report.gained[0].question in text
    assert all(" ".join(quote.split()) in text for _, quote in report.gained[0].quotes)
    assert "“small” is better than “default settings”" in text
    assert "Rank 9 of 40." in text


def test_the_page_is_whole(shelf: Workspace, questions: QuestionSet) -> None:
    """Numbers with intervals and how each was made, settings, fingerprints, documents; plotly once; equal input, equal
    bytes.
    """
    material = material_of_runs(shelf, questions, runs_of(questions, range(9), range(2), range(40)))
    page = report_html(material)
    text = Page(page).text
    report = contents(material)
    for fact in report.facts:
        assert fact.value in text
        assert fact.interval in text
        assert " ".join(fact.metric.help.split()) in text
    for row in shelf.documents():
        assert row.source in text
        assert row.hash[:16] in text
    assert all(value in text for _, value in report.fingerprints)
    assert "embedding.model" in text
    assert page == report_html(material)
    assert page.count("plotly.js v") == 1


def test_only_its_own_scripts_run(shelf: Workspace, questions: QuestionSet) -> None:
    """The policy names both by their hashes, and allows no address; nothing in the page loads or runs anything else."""
    page = report_html(material_of_runs(shelf, questions, runs_of(questions, [1], [2])))
    parsed = Page(page)
    assert [kind for kind, _ in parsed.scripts] == ["application/json", "", ""]
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for kind, text in parsed.scripts if not kind
    ]
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    rules = policy[1].replace("&#39;", "'")
    assert re.findall(r"'sha256-([^']+)'", rules) == hashes
    assert rules.startswith("default-src 'none'; ")
    assert "http" not in rules
    assert parsed.risky == []


def test_hostile_texts_are_text(hostile: Workspace) -> None:
    """In titles, names, questions, answers, labels, settings and sentences: they are shown, and none is a tag, a script
    or a template.
    """
    documents = [hostile.document(row.doc_id) for row in hostile.documents() if row.source != "plain.md"]
    evil = f"{EVIL} {{{{7*7}}}} {{% for %}} <b>bold</b> \u202e\x00"
    questions = questions_about(documents, 12, name=evil, text=evil)
    config = Config.from_settings(
        {"enrich.context_prompt": EVIL, f"category.{EVIL[:20].replace('.', '').replace('=', '')}.size": "70"}
    )
    runs = [
        replace(run_of(questions, missed, key=key, label=evil, config=one, why=evil), notes=(evil,))
        for missed, key, one in (([1, 2], "a" * 16, config), ([3], "b" * 16, Config()))
    ]
    page = report_html(material_of_runs(hostile, questions, runs))
    parsed = Page(page)
    assert len(parsed.scripts) == 3
    assert parsed.risky == []
    assert not parsed.tags & {"img", "iframe", "object", "embed", "base", "form"}
    assert "window.hacked=1" in parsed.text
    assert "{{7*7}}" in parsed.text
    assert "\u202e" not in page
    assert "\x00" not in page
    plots = json.loads(parsed.scripts[0][1])
    assert "<" not in json.dumps([one["y"] for one in plots["intervals"]["light"]["data"]])


def test_plots_are_plotly_s(shelf: Workspace, questions: QuestionSet) -> None:
    """Every figure, on light and on dark paper, is one that plotly takes; a heat map where two settings vary."""
    from plotly.graph_objects import Figure

    runs = [
        run_of(
            questions,
            range(n),
            key=f"{n:016x}",
            label=f"run {n}",
            config=Config.from_settings({"size": size, "overlap": overlap}),
        )
        for n, (size, overlap) in enumerate([("100", "0"), ("100", "20"), ("200", "0"), ("200", "20")])
    ]
    plots: dict[str, Plot] = contents(material_of_runs(shelf, questions, runs)).plots
    assert list(plots) == ["intervals", "pareto", "causes", "heat"]
    for plot in plots.values():
        for figure in (plot.light, plot.dark):
            assert Figure(figure).data
            json.dumps(figure, allow_nan=False)


def test_many_configurations_are_folded(shelf: Workspace, questions: QuestionSet) -> None:
    """The first 20 are drawn and listed, the others stand behind a fold; none is left out."""
    runs = [run_of(questions, [n % 3], key=f"{n:016x}", label=f"run {n};", tokens=50 + n) for n in range(23)]
    page = report_html(material_of_runs(shelf, questions, runs))
    parsed = Page(page)
    assert "The other 3" in parsed.text
    assert all(f"run {n};" in parsed.text for n in range(23))
    assert sum(len(trace["x"]) for trace in json.loads(parsed.scripts[0][1])["intervals"]["light"]["data"]) == 20


def test_at_a_budget(shelf: Workspace, questions: QuestionSet) -> None:
    """The measure is said, and used."""
    material = replace(material_of_runs(shelf, questions, runs_of(questions, [1], [2])), measure=Measure.at_budget(60))
    assert "at 60 tokens" in Page(report_html(material)).text
    assert contents(material).lines[0].summary["tokens"].mean <= 60


def test_ranked_by_another_metric(shelf: Workspace, questions: QuestionSet) -> None:
    """Headline, first card and plots are about it; an unknown one is a sentence."""
    material = material_of_runs(shelf, questions, runs_of(questions, range(30), range(2)))
    report = contents(replace(material, metric="iou"))
    assert "IoU" in report.headline
    assert report.facts[0].metric.name == "iou"
    assert report.plots["pareto"].alt.startswith("IoU against context tokens")
    assert "pareto" not in contents(replace(material, metric="tokens")).plots
    with pytest.raises(QuestionError, match="no metric 'beauty'"):
        contents(replace(material, metric="beauty"))


def test_what_cannot_be_reported_is_a_sentence(shelf: Workspace, questions: QuestionSet) -> None:
    """No run; or runs that failed, whose reason is told. Beside others a failed run is listed."""
    with pytest.raises(QuestionError, match="no run"):
        contents(material_of_runs(shelf, questions, []))
    failed = replace(run_of(questions, [], key="f" * 16, label="broken"), answered=(), error="The model is missing.")
    with pytest.raises(QuestionError, match="The model is missing"):
        contents(material_of_runs(shelf, questions, [failed]))
    assert (
        "The model is missing."
        in Page(report_html(material_of_runs(shelf, questions, [*runs_of(questions, [1]), failed]))).text
    )


def test_a_report_of_a_workspace(measured: Workspace) -> None:
    """Straight from what is kept."""
    report = contents(gather(measured, wants_index=False))
    assert report.lines[0].run.config.chunk.size == 48
    assert report.decision.card(CardRole.RECOMMENDED) is not None
    assert report.more_documents == 0
