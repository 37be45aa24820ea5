"""Questions that are made, not written: each says how.

drafts.py     what is made before it is chosen
languages.py  how a language asks
titles.py     titles as questions
headings.py   headings, and the questions a document asks itself
phrase_finding.py  key phrases of sentences
phrases.py    key phrases, asked for where they are explained
choosing.py   different ones, spread over documents and kinds
by_rule.py    these together
passages.py   what a language model is asked about
asked.py      what it is asked, and what it answered
checking.py   whether that is a question
by_model.py   these together
"""

from __future__ import annotations

from chunking.evaluation.questions.generation.by_model import generate_with_llm, questions_estimate
from chunking.evaluation.questions.generation.by_rule import RULES, generate
from chunking.evaluation.questions.generation.question_prompts import QUESTIONS_PROMPT

__all__ = ["QUESTIONS_PROMPT", "RULES", "generate", "generate_with_llm", "questions_estimate"]
