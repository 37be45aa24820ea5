"""Links to documents and chunks in the app, for agents' answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, urlencode, urlsplit

from chunking.config import Config, remote_name
from chunking.errors import ConfigError
from chunking.model import CHUNK, Chunk

__all__ = ["AppAddress"]

_MODEL = "embedding.model"


@dataclass(frozen=True, slots=True)
class AppAddress:
    """Address of the app, from which links to documents and chunks are built.

    >>> AppAddress("http://127.0.0.1:8501").of_document("handbook")
    'http://127.0.0.1:8501/?doc=handbook'
    >>> AppAddress().of_document("handbook")
    'chunkscope://document/handbook'
    """

    base: str = ""
    """Base address, such as `http://127.0.0.1:8501`; empty without an app: links are `chunkscope://`."""
    workspace: str = ""
    """Id of the workspace in a deployment with several; empty: the only one."""

    @classmethod
    def parse(cls, base: str, workspace: str = "") -> AppAddress:
        """Parse an app address that a user typed; if it is empty, links are `chunkscope://`.

        Raises:
            ConfigError: it is no http or https address.
        """
        text = base.strip().rstrip("/")
        try:
            parts = urlsplit(text)
            valid = not text or (parts.scheme in ("http", "https") and bool(parts.hostname))
        except ValueError:
            valid = False
        if not valid:
            raise ConfigError(
                f"The address '{base[:200]}' is not valid; give that of the app, such as http://127.0.0.1:8501.",
                where="address",
            )
        return cls(text, workspace)

    def of_document(self, doc_id: str) -> str:
        """Return the link to a document: in the app, or `chunkscope://` without an app."""
        return self._address(doc_id)

    def of_chunk(self, chunk: Chunk, config: Config) -> str:
        """Return the link to a chunk; for a parent or a summary, to its first chunk or document.

        Args:
            config: of the chunk's index: the app splits with these settings, so that the chunk's number means the same
                span.
        """
        number = _chunk_number(chunk)
        if number is None:
            return self._address(chunk.doc_id)
        return self._address(chunk.doc_id, number, _split_settings(config))

    def _address(self, doc_id: str, chunk: int | None = None, settings: Mapping[str, str] | None = None) -> str:
        if not self.base:
            return f"chunkscope://document/{quote(doc_id, safe='')}" + ("" if chunk is None else f"#chunk={chunk}")
        keys: dict[str, object] = {"workspace": self.workspace} if self.workspace else {}
        keys |= {"doc": doc_id} | ({} if chunk is None else {"chunk": chunk, **(settings or {})})
        return f"{self.base}/?{urlencode(keys, errors='replace')}"


def _chunk_number(chunk: Chunk) -> int | None:
    """Return the number of a chunk in its document, or of its first child; None without one."""
    if chunk.level == CHUNK:
        return chunk.chunk_index
    head = f"{chunk.doc_id}_chunk"
    numbers = (child.removeprefix(head) for child in chunk.children if chunk.doc_id and child.startswith(head))
    return next((int(number) for number in numbers if number.isdecimal()), None)


@lru_cache(maxsize=16)
def _split_settings(config: Config) -> Mapping[str, str]:
    """Return the changed settings that decide the boundaries, for links to a chunk."""
    changed = config.changed()
    remote = remote_name(changed.get(_MODEL, "")) is not None  # no link carries a server's model
    return {
        key: value
        for key, value in changed.items()
        if "." not in key or key.startswith("category.") or (key == _MODEL and not remote)
    }
