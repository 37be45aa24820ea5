"""The viewer of the Chunks page in a notebook: `explore(document)`, without Streamlit.

exploration.py  documents, their split, and every message to the browser, without widget or browser
documents.py    documents of a notebook, with splitters shared by all widgets of the process
widget.py       the exploration as an anywidget: two-way traits, events, a lock
front_end.py    front end: the viewer's scripts (`chunking.viewing.scripts`) in the notebook's host (host.js,
                queues.js, frame.css), or one saved file with precomputed steps (page.js)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from chunking.errors import ConfigError

if TYPE_CHECKING:
    from chunking.config import Config
    from chunking.evaluation import QuestionSet
    from chunking.model import Document
    from chunking.notebook.widget import Explorer
    from chunking.paths import AnyPath
    from chunking.store import Workspace

__all__ = ["explore"]


def explore(
    what: Document | Iterable[Document] | Workspace | AnyPath,
    questions: QuestionSet | str | None = None,
    *,
    config: Config | None = None,
    height: int = 460,
) -> Explorer:
    """Show how documents are split, in a notebook, and move the boundaries with sliders.

    Args:
        what: a document, several, a workspace, or the path of a file to parse.
        questions: with answers in these documents, or the name of a set in the workspace. Recall then follows the
            sliders; the documents are encoded first, once, with the embedding model.
        config: the settings to begin with; None: the defaults.
        height: of the text, in pixels.
    Returns:
        A widget. `size`, `overlap`, `strategy`, `prefix`, `config`, `doc_id` and `selected_chunk` follow the user, and
        move what is shown where they are set; `boundaries` and `chunks` are the current ones.
    Raises:
        ConfigError: anywidget is not installed, or there is nothing to show.
        ParseError: the file cannot be read.
        ModelError: the model that counts tokens is not at hand.
        QuestionError: none of the answers is in these documents.
    """
    try:
        import anywidget  # noqa: F401
    except ModuleNotFoundError as error:
        raise ConfigError(
            (
                "explore() needs the package anywidget in the notebook's Python: run pip install anywidget, then "
                "restart the kernel."
            ),
            where="anywidget",
        ) from error
    from chunking.notebook.exploration import Exploration
    from chunking.notebook.widget import Explorer

    return Explorer(Exploration.of(what, questions, config=config), height=height)
