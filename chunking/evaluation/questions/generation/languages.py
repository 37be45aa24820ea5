"""The languages in which questions are made by rule."""

from __future__ import annotations

from collections.abc import Mapping

from chunking.evaluation.questions.generation.chinese import CHINESE
from chunking.evaluation.questions.generation.drafts import Language
from chunking.evaluation.questions.generation.english import ENGLISH

__all__ = ["LANGUAGES"]

LANGUAGES: Mapping[str, Language] = {language.tag: language for language in (ENGLISH, CHINESE)}
"""By tag; documents in others get the questions they ask themselves, or none."""
