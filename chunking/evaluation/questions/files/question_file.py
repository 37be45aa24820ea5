"""Import of a question file: locate every quote, list those not found, and offer near misses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chunking.errors import QuestionError
from chunking.evaluation.questions.files.document_lookup import DocumentNames, collection_places
from chunking.evaluation.questions.files.import_problems import Imported, Pending, Problem, ProblemKind
from chunking.evaluation.questions.files.question_rows import read_file
from chunking.evaluation.questions.files.row_values import QuestionFileRow, Quote
from chunking.evaluation.questions.question import AnswerSpan, Judged, Question, QuestionSet, ordered_answers
from chunking.evaluation.questions.relocation import locate, near_misses, shown
from chunking.evaluation.questions.set_editing import MOST_NAME, MOST_QUESTION, free_name, new_id
from chunking.model import Document
from chunking.text.quotes import QuoteFinder, fold

__all__ = ["read_questions", "unplaced_texts"]

MOST_OFFERED = 200
"""Most quotes of a file with near misses, as the search is slow."""


def read_questions(
    data: bytes, name: str, documents: Sequence[Document], other_files: Mapping[str, bytes] | None = None
) -> Imported:
    """Read a question file (CSV, JSON, JSON lines, Parquet, ZIP), and locate every answer.

    Args:
        data: the file; its content decides how it is read. The formats are those of `question_rows`.
        name: of the file; the set is named after it.
        documents: candidates for the answers' documents.
        other_files: other files that belong to it, by name: BEIR's judgements (qrels) and documents (corpus.jsonl).
    Returns:
        The questions with all answers located (perhaps none), and the problems, line by line. Nothing is saved.
    Raises:
        QuestionError: the file cannot be read as questions at all, or there is no document.
    """
    if not documents:
        raise QuestionError(
            "There is no document yet; add the documents that the questions are about first.", where=name
        )
    read = read_file(data, name, other_files)
    importing = _Importing(
        DocumentNames(documents), collection_places(unplaced_texts(read.rows, len(documents)), documents)
    )
    for draft in sorted(
        _drafts(read.rows), key=lambda draft: draft.row.doc
    ):  # one document after the other: each is prepared once
        importing.take(draft)
    stem = name.replace("\\", "/").rpartition("/")[2].rpartition(".")
    title = " ".join((stem[0] or stem[2]).split())[:MOST_NAME] or "Questions"
    in_order = sorted(importing.questions, key=lambda one: one[0])
    questions = QuestionSet(title, tuple(question for _, question in in_order), read.syntax)
    problems = tuple(sorted(importing.problems, key=lambda problem: problem.line))
    return Imported(questions, problems, tuple(importing.pending), read.notes)


def unplaced_texts(rows: Sequence[QuestionFileRow], documents: int) -> Iterator[str]:
    """Yield the texts to search in every document: passages, document texts, quotes without a document."""
    for row in rows:
        for quote in row.quotes:
            if quote.passage:
                yield quote.passage
            if quote.entire or (not (quote.doc or row.doc) and documents > 1):
                yield quote.text


@dataclass(frozen=True, slots=True)
class _Draft:
    """A question of a file, merged from all of its rows."""

    row: QuestionFileRow
    id: str = ""
    """Unique in the file."""
    repeats: int = 0
    """Line of an identical row; 0 if there is none."""


def _drafts(rows: Sequence[QuestionFileRow]) -> Iterator[_Draft]:
    """Yield the questions in order, with unique ids; rows with one answer each are merged by question."""
    ids: set[str] = set()
    joined, repeated = _joined(rows)
    for row in joined:
        question_id = row.id or new_id(
            row.question, [AnswerSpan(quote.doc or row.doc, 0, 0, quote.text) for quote in row.quotes], ()
        )
        ids.add(question_id := free_name(question_id, ids, "-"))
        yield _Draft(row, question_id)
    yield from (_Draft(row, repeats=line) for row, line in repeated)


def _joined(rows: Sequence[QuestionFileRow]) -> tuple[list[QuestionFileRow], list[tuple[QuestionFileRow, int]]]:
    """Merge rows of the same question; return (merged rows, (repeated row, line of the original) pairs)."""
    joined: list[QuestionFileRow] = []
    repeated: list[tuple[QuestionFileRow, int]] = []
    places: dict[tuple[str, str], int] = {}
    sentence: dict[tuple[str, str, Quote], int] = {}
    for row in rows:
        if not row.single or row.error or not row.question or not row.quotes:
            joined.append(row)
            continue
        key = (row.id, fold(row.question))
        quotes = tuple(quote if quote.doc else replace(quote, doc=row.doc) for quote in row.quotes)
        again = [line for quote in quotes if (line := sentence.setdefault((*key, quote), row.line)) != row.line]
        if again:
            repeated.append((row, again[0]))
        elif key in places:
            at = places[key]
            joined[at] = replace(joined[at], quotes=(*joined[at].quotes, *quotes))
        else:
            places[key] = len(joined)
            joined.append(replace(row, quotes=quotes))
    return joined, repeated


@dataclass(slots=True)
class _Importing:
    """State of an import: questions, problems and pending questions so far."""

    names: DocumentNames[Document]
    everywhere: Mapping[str, tuple[AnswerSpan, ...]]
    """First place in each document of each text whose document is not named."""
    questions: list[tuple[int, Question]] = field(default_factory=list)
    """(line, question) pairs."""
    problems: list[Problem] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    earlier: dict[str, list[tuple[int, tuple[AnswerSpan, ...]]]] = field(default_factory=dict)
    """(line, answers) pairs by question."""
    offered: int = 0

    def take(self, draft: _Draft) -> None:
        """Add a question to the set, to the pending questions, or to the problems."""
        row = draft.row
        report = _ProblemLog(self.problems, row, draft.id)
        if row.error:
            return report(ProblemKind.UNREADABLE, f"Line {row.line:,} is left out: {row.error}.")
        if not row.question:
            return report(ProblemKind.NO_QUESTION, f"Line {row.line:,} has no question; write one, or delete the line.")
        if len(row.question) > MOST_QUESTION:
            length = f"{len(row.question):,}"
            return report(
                ProblemKind.TOO_LONG, f"The question has {length} characters; ask in at most {MOST_QUESTION:,}."
            )
        if draft.repeats:
            return report(
                ProblemKind.DUPLICATE, f"Line {draft.repeats:,} has the same question and answer; this one is left out."
            )
        if not row.quotes and not row.unanswerable and not row.judged:
            return report(
                ProblemKind.NO_ANSWER,
                "The question has no answer; give the words of its document that answer it.",
            )
        spans: list[AnswerSpan] = []
        missing = 0
        before = len(self.problems)
        for quote in row.quotes:
            answer = self._place(row, quote, report)
            if answer is None:
                missing += 1
            elif answer not in spans:
                spans.append(answer)
        answers = ordered_answers(spans)
        if missing:  # what was said of its other answers does not put it into the set
            self.problems[before:] = [replace(problem, kept=False) for problem in self.problems[before:]]
        elif self._repeated(row, answers, report):
            return None
        return self._keep(row, answers, missing, report)

    def _keep(self, row: QuestionFileRow, answers: tuple[AnswerSpan, ...], missing: int, report: _ProblemLog) -> None:
        if row.id and report.id != row.id:
            sentence = f"The id '{row.id[:60]}' already occurs in the file; this question is '{report.id[:60]}' now."
            report(ProblemKind.SAME_ID, sentence, kept=not missing)
        language = row.language
        if language == "und" and answers:
            language = next((one.language for one in self.names.documents if one.doc_id == answers[0].doc_id), language)
        question = Question(
            *(report.id, row.question, answers, row.origin, row.part, language),
            unanswerable=row.unanswerable,
            judged=self._judged(row),
            pool=row.pool,
        )
        if missing:
            self.pending.append(Pending(question, missing))
        else:
            self.questions.append((row.line, question))

    def _judged(self, row: QuestionFileRow) -> tuple[Judged, ...]:
        """Locate the judged passages; drop those no longer in the text."""
        spans = []
        for quote, relevant in row.judged:
            document = self.names.find(quote.doc or row.doc) if quote.doc or row.doc else None
            if isinstance(document, str) or document is None:
                continue
            start, end = quote.start or 0, (quote.start or 0) + len(quote.text)
            if document.text[start:end] == quote.text:
                spans.append(Judged(document.doc_id, start, end, quote.text, relevant))
            elif places := locate(quote.text, document, offset=start):
                spans.append(Judged(document.doc_id, places[0].start, places[0].end, places[0].text, relevant))
        return tuple(spans)

    def _repeated(self, row: QuestionFileRow, answers: tuple[AnswerSpan, ...], report: _ProblemLog) -> bool:
        """True if the set holds the question with the same answers; other answers are only reported."""
        earlier = self.earlier.setdefault(fold(row.question), [])
        same = next((line for line, spans in earlier if spans == answers), None)
        if same is not None:
            report(ProblemKind.DUPLICATE, f"Line {same:,} has the same question and answer; this one is left out.")
            return True
        if earlier:
            report(
                ProblemKind.DUPLICATE,
                f"Line {earlier[0][0]:,} has the same question with another answer; both are kept.",
                kept=True,
            )
        earlier.append((row.line, answers))
        return False

    def _place(self, row: QuestionFileRow, quote: Quote, report: _ProblemLog) -> AnswerSpan | None:
        """Locate an answer."""
        name = quote.doc or row.doc
        if quote.entire:
            return self._entire_text(name, quote, report)
        if quote.passage and (place := self._passage(row, quote)):
            return self._inside(place, quote, report)
        if quote.passage:  # it was split or read otherwise: the answer alone is looked for
            quote = replace(quote, start=None, end=None)
        if not name and len(self.names.documents) > 1:
            return self._search(quote, report)
        document = self.names.find(name) if name else self.names.documents[0]
        if isinstance(document, str):
            report(ProblemKind.NO_DOCUMENT, document, self._elsewhere(quote.text, ()))
            return None
        return self._in(document, quote, report)

    def _search(self, quote: Quote, report: _ProblemLog) -> AnswerSpan | None:
        """Locate a quote without a named document: only if a single document holds it."""
        places = self.everywhere.get(quote.text) or self._elsewhere(quote.text, (), most=4)
        if len({place.doc_id for place in places}) == 1 and quote.text.strip():
            return self._in(next(one for one in self.names.documents if one.doc_id == places[0].doc_id), quote, report)
        sources = {one.doc_id: one.source for one in self.names.documents}
        several = " and ".join(sources[place.doc_id] for place in places[:2])
        sentence = f"The question names no document, and its answer is in {several}; name one in a column 'doc'."
        if not places:
            sentence = (
                f"The question names no document, and “{shown(quote.text)}” is in none; add a column 'doc' with "
                f"its path."
            )
        report(ProblemKind.NO_DOCUMENT, sentence, places[:3])
        return None

    def _entire_text(self, name: str, quote: Quote, report: _ProblemLog) -> AnswerSpan | None:
        """Return the span of an entire document, or of the document text in the file."""
        document, places = self.names.find(name), self.everywhere.get(quote.text, ())
        if quote.text.strip():
            own = next(
                (one for one in places if isinstance(document, Document) and one.doc_id == document.doc_id), None
            )
            if own or len(places) == 1:
                return own or places[0]
            several = "several documents" if places else "no document"
            sentence = f"“{shown(quote.text)}” is in {several}; add its document under the name '{name[:60]}'."
            report(ProblemKind.NO_DOCUMENT, sentence, places[:3])
            return None
        if isinstance(document, str):
            report(ProblemKind.NO_DOCUMENT, f"{document.removesuffix('.')}; or give corpus.jsonl with the questions.")
            return None
        start, end = len(document.text) - len(document.text.lstrip()), len(document.text.rstrip())
        return AnswerSpan(document.doc_id, start, end, document.text[start:end])

    def _passage(self, row: QuestionFileRow, quote: Quote) -> AnswerSpan | None:
        """Locate an answer's passage in the named document, else in the first document with it."""
        places = self.everywhere.get(quote.passage, ())
        named = self.names.find(row.doc or row.title) if row.doc or row.title else ""
        own = next((one for one in places if isinstance(named, Document) and one.doc_id == named.doc_id), None)
        return own or (places[0] if places else None)

    def _inside(self, passage: AnswerSpan, quote: Quote, report: _ProblemLog) -> AnswerSpan | None:
        """Locate an answer in its passage, at its offset or as near as possible."""
        first = (quote.start or 0) - (len(quote.passage) - len(quote.passage.lstrip()))
        spans = QuoteFinder(passage.text).find(quote.text)
        if not spans:
            document = next(one for one in self.names.documents if one.doc_id == passage.doc_id)
            self._report_lost(document, quote, report)
            return None
        start, end = min(spans, key=lambda span: abs(span.start - first))
        return AnswerSpan(passage.doc_id, passage.start + start, passage.start + end, passage.text[start:end])

    def _in(self, document: Document, quote: Quote, report: _ProblemLog) -> AnswerSpan | None:
        text, start, end = document.text, quote.start, quote.end
        span = text[start:end] if start is not None and end is not None and 0 <= start < end <= len(text) else ""
        if (
            span.strip()
            and start is not None
            and end is not None
            and (not quote.text.strip() or _same(span, quote.text))
        ):
            return AnswerSpan(document.doc_id, start, end, span)
        if not quote.text.strip():
            where = (
                f"characters {start:,} to {end:,}" if start is not None and end is not None else "a span without an end"
            )
            report(
                ProblemKind.OUT_OF_RANGE,
                f"The answer is {where} of {document.source}, which has {len(text):,}; give its words as well.",
            )
            return None
        spans = locate(quote.text, document, offset=start)
        words = shown(quote.text)
        if not spans:
            self._report_lost(document, quote, report)
            return None
        if start is not None:
            beyond = "" if span else f", outside its {len(text):,} characters"
            sentence = (
                f"“{words}” is not at {start:,} in {document.source}{beyond}; taken from {spans[0].start:,}, "
                f"where it is."
            )
            report(ProblemKind.MOVED, sentence, spans[1:4], kept=True)
        elif len(spans) > 1:
            sentence = f"“{words}” occurs {len(spans):,} times in {document.source}; the first place was taken."
            report(ProblemKind.TWICE, sentence, spans[1:4], kept=True)
        return spans[0]

    def _report_lost(self, document: Document, quote: Quote, report: _ProblemLog) -> None:
        self.offered += 1
        offers = self._elsewhere(quote.text, (document.doc_id,), most=1)
        if self.offered <= MOST_OFFERED:
            offers = (*near_misses(quote.text, document), *offers)
        report(ProblemKind.NOT_FOUND, f"“{shown(quote.text)}” is not in {document.source}; correct the quote.", offers)

    def _elsewhere(self, quote: str, not_in: Sequence[str], most: int = 3) -> tuple[AnswerSpan, ...]:
        """Return exact matches of a quote in other documents, one per document."""
        passage = quote.strip()
        places: list[AnswerSpan] = []
        for document in self.names.documents if passage else ():
            at = document.text.find(passage) if document.doc_id not in not_in else -1
            if at >= 0:
                places.append(AnswerSpan(document.doc_id, at, at + len(passage), passage))
            if len(places) == most:
                break
        return tuple(places)


def _same(span: str, quote: str) -> bool:
    """True if span and quote are equal after folding; a far longer quote is not."""
    return span == quote or (len(quote) <= 4 * len(span) + 64 and fold(span) == fold(quote))


@dataclass(slots=True)
class _ProblemLog:
    """Records the problems of a row."""

    problems: list[Problem]
    row: QuestionFileRow
    id: str

    def __call__(
        self, kind: ProblemKind, sentence: str, offers: Sequence[AnswerSpan] = (), *, kept: bool = False
    ) -> None:
        question = shown(self.row.question, 120)
        self.problems.append(Problem(self.row.line, question, kind, sentence, tuple(offers), self.id, kept))
