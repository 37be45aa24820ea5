"""A document, and questions about it, for the tests of notebooks."""

from __future__ import annotations

from chunking.evaluation import AnswerSpan, Question, QuestionSet
from chunking.model import Document
from chunking.parsing import parse

__all__ = ["guide", "questions_about", "second_guide"]

_SECTION = """## Part {number}

The pump of part {number} runs at {speed} turns a minute. It is stopped before anybody opens the housing.
Valve {number} closes within {number} seconds. A leak shows as a red light on panel {number}.

"""


def guide(parts: int = 12) -> Document:
    """Sections of a few sentences each."""
    text = "# Pump guide\n\n" + "".join(_SECTION.format(number=number, speed=900 + number) for number in range(parts))
    return parse(text.encode(), "guide.md")


def second_guide() -> Document:
    """Another one."""
    return parse(b"# Valves\n\nA valve is opened by hand. It is closed by a motor.\n", "valves.md")


def questions_about(document: Document) -> QuestionSet:
    """Two, each with a sentence of the document as its answer."""
    quotes = {
        "How fast is pump 3?": "The pump of part 3 runs at 903 turns a minute.",
        "When does valve 5 close?": "Valve 5 closes within 5 seconds.",
    }
    documents = []
    for number, (text, quote) in enumerate(quotes.items()):
        start = document.text.index(quote)
        answer = AnswerSpan(document.doc_id, start, start + len(quote), quote)
        documents.append(Question(f"q{number}", text, (answer,)))
    return QuestionSet("pumps", tuple(documents))
