"""Search hits as cards: what was found, where it stands, and how its score came about."""

from components.hits.cards import ONLY, cards, level_words
from components.hits.component import Opened, hits
from components.hits.examples import examples
from components.hits.reading import Place, moved, opened_place, read
from components.hits.snippets import snippet

__all__ = ["ONLY", "Opened", "Place", "cards", "examples", "hits", "level_words", "moved", "opened_place", "read", "snippet"]
