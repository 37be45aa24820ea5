"""Search hits as cards: what was found, where it stands, and how its score came about."""

from components.search.hits.cards import ONLY, cards, level_words
from components.search.hits.component import ViewedHit, hits
from components.search.hits.examples import examples
from components.search.hits.hit_in_document import ViewerTarget, moved, opened_place, read
from components.search.hits.hit_labels import HitLabel, Said, hit_label
from components.search.hits.snippets import snippet

__all__ = [
    "ONLY",
    "HitLabel",
    "Said",
    "ViewedHit",
    "ViewerTarget",
    "cards",
    "examples",
    "hit_label",
    "hits",
    "level_words",
    "moved",
    "opened_place",
    "read",
    "snippet",
]
