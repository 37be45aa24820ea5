"""The languages in which questions are made by rule."""

from __future__ import annotations

from collections.abc import Mapping

from chunking.evaluation.generating.chinese import CHINESE
from chunking.evaluation.generating.drafts import Language
from chunking.evaluation.generating.english import ENGLISH

__all__ = ["LANGUAGES"]

LANGUAGES: Mapping[str, Language] = {language.tag: language for language in (ENGLISH, CHINESE)}
"""By tag; documents in others get the questions they ask themselves, or none."""
