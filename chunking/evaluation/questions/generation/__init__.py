"""Generated questions: made by rule or by a language model, with their origin.

question_languages.py  how a language asks
drafts.py              headings and titles as questions, before one is chosen
phrases.py             key phrases, asked for where they are explained
by_rule.py             different ones, spread over documents and kinds
question_prompts.py    what a language model is asked, and how its answer is read
by_model.py            questions by a language model, checked
"""

from __future__ import annotations

from chunking.evaluation.questions.generation.by_model import generate_with_llm, questions_estimate
from chunking.evaluation.questions.generation.by_rule import RULES, generate
from chunking.evaluation.questions.generation.question_prompts import QUESTIONS_PROMPT

__all__ = ["QUESTIONS_PROMPT", "RULES", "generate", "generate_with_llm", "questions_estimate"]
