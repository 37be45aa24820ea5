"""A document's pages as pictures, with blocks, chunks or hits drawn where they stand; selecting here selects in the
text, and back.

Lines and their places travel to the browser once a document (`deliver_pages`), a picture once a page and width.
"""

from components.documents.page_view.component import deliver_pages, page_view
from components.documents.page_view.pictures import picture_of
from components.documents.page_view.places import has_places, page_of

__all__ = ["deliver_pages", "has_places", "page_of", "page_view", "picture_of"]
