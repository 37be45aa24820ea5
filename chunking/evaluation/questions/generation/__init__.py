"""Generated questions: made by rule or by a language model, with their origin.

question_languages.py  question templates and key phrases of each language
drafts.py              draft questions, and the choice of distinct ones
by_rule.py             questions about headings and key phrases
question_prompts.py    prompts for a language model, and the parser of its answers
by_model.py            questions by a language model, checked
"""

from __future__ import annotations

from chunking.evaluation.questions.generation.by_model import generate_with_llm, questions_estimate
from chunking.evaluation.questions.generation.by_rule import RULES, generate
from chunking.evaluation.questions.generation.question_prompts import QUESTIONS_PROMPT

__all__ = ["QUESTIONS_PROMPT", "RULES", "generate", "generate_with_llm", "questions_estimate"]
