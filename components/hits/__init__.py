"""Search hits as cards: what was found, where it stands, and how its score came about."""

from components.hits.cards import cards, snippet
from components.hits.component import Opened, hits
from components.hits.examples import examples
from components.hits.reading import Place, moved, opened_place, read

__all__ = ["Opened", "Place", "cards", "examples", "hits", "moved", "opened_place", "read", "snippet"]
