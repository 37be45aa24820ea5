"""Questions that are made, not written: each says how.

drafts.py     what is made before it is chosen; how a language asks
english.py    chinese.py    the rules of a language
headings.py   headings, and the questions a document asks itself
sentences.py  sentences held out
phrases.py    key phrases, asked for where they are explained
choosing.py   different ones, spread over documents and kinds
by_rule.py    all of it
"""

from __future__ import annotations

from chunking.evaluation.generating.by_rule import RULES, generate

__all__ = ["RULES", "generate"]
