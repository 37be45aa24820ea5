"""What a new parse loses, said before it is saved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunking.evaluation.questions.parse_losses import parse_losses
from chunking.evaluation.questions.question import AnswerSpan, Judged, Question, QuestionSet
from chunking.evaluation.questions.set_editing import save_set
from chunking.model import Document, PinKind
from chunking.parsing import parse
from chunking.parsing.edits import EDIT_FILE, LeaveOut
from chunking.splitting.pins.stored_pins import PIN_FILE, StoredPin
from chunking.store import Workspace
from chunking.text.anchors import Anchor

OLD = "# Owls\n\nThey fly by night.\n\nThe secret is their wing.\n\nThey sleep by day in hollow trees.\n"
NEW = "# Owls\n\nThey fly by night.\n"


@pytest.fixture
def workspace() -> Workspace:
    """With answers, labels, an edit and pins in what stays and in what goes."""
    target, document = Workspace("memory://"), parse(OLD.encode(), "owls.md")
    target.put_document(document)
    target.put_document(parse(b"# Mice\n\nThey run.\n", "mice.md"))
    questions = (
        Question("one", "When?", (span(document, "by night"),)),
        Question("two", "How?", (span(document, "secret is their wing"), span(document, "They fly"))),
        Question("three", "What?", (AnswerSpan("owls", 0, 5, "Never"),)),
        Question("four", "Who?", (AnswerSpan("mice", 8, 12, "They"),)),
    )
    judged = span(document, "hollow trees")
    labelled = replace(questions[0], judged=(Judged("owls", judged.start, judged.end, judged.text, relevant=False),))
    save_set(target, QuestionSet("first", (labelled, *questions[1:])))
    save_set(target, QuestionSet("second", questions[1:2]))
    wing = document.text.index("The secret")
    edit = LeaveOut(anchor=Anchor.of(document.text, wing, wing + 25))
    target.changes.append("owls", EDIT_FILE.kind, [EDIT_FILE.to_add(edit).as_record()], label="edit")
    for words in ("They fly by night.", "They sleep by day"):
        start = document.text.index(words)
        pin = StoredPin.of(document, PinKind.KEEP, start, start + len(words))
        target.changes.append("owls", PIN_FILE.kind, [PIN_FILE.to_add(pin).as_record()], label="pin")
    return target


def span(document: Document, quote: str) -> AnswerSpan:
    start = document.text.index(quote)
    return AnswerSpan(document.doc_id, start, start + len(quote), quote)


def test_each_kind_is_counted_with_what_is_lost(workspace: Workspace) -> None:
    """An answer that had no place before is not lost by the new parse; each set counts its own."""
    losses = parse_losses(workspace, [parse(NEW.encode(), "owls.md")])
    assert [(one.noun, len(one.lost), one.total) for one in losses] == [
        ("gold answer", 2, 6),
        ("label", 1, 1),
        ("edit", 1, 1),
        ("pin", 1, 2),
    ]
    assert str(losses[0]).count("“secret is their wing”") == 1


def test_the_same_text_and_new_documents_lose_nothing(workspace: Workspace) -> None:
    assert parse_losses(workspace, [parse(OLD.encode(), "owls.md"), parse(NEW.encode(), "bats.md")]) == ()
