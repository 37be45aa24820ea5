"""Every error of the library, as one tree.

    ChunkscopeError
    ├── ParseError (ValueError)         a file that cannot be read as a document
    │   └── TooLargeError               ... because it is over a limit
    ├── ConfigError (ValueError)        a setting out of range, of a wrong type, or unknown
    ├── QueryError (ValueError)         a query that cannot be searched
    ├── ModelError (RuntimeError)       an embedding model that is missing, changed or failing
    ├── QuestionError (ValueError)      a question set, or chunks made elsewhere, that cannot be used
    ├── ChangeError (ValueError)        an edit or a pin that cannot be read or made
    ├── EndpointError (ConnectionError) a language model's or embedding server that does not answer as it should
    ├── QuotaError (RuntimeError)       more than the operator of a deployment lets a person, or the server, use
    ├── MissingPackageError (ImportError) an optional package that is not installed
    ├── StoreError (OSError)            a workspace that cannot be read or written
    │   ├── LockedError                 ... because another process is writing to it
    │   ├── AccessError (PermissionError) ... because who asks has not the right
    │   ├── WorkspaceFileError          ... or the file is none that it was saved to, damaged, or too large
    │   └── NotFoundError (LookupError) ... or there is no such document, chunk or index in it
    └── Cancelled                       the user stopped the work; not a fault

Each message is one sentence that says what, where and what to do. Each class also is the builtin a caller
would catch who does not know this library.
"""

from __future__ import annotations

from typing import Literal, Self

__all__ = [
    "AccessError",
    "Cancelled",
    "ChangeError",
    "ChunkscopeError",
    "ConfigError",
    "EndpointError",
    "LockedError",
    "MissingPackageError",
    "ModelError",
    "NotFoundError",
    "ParseError",
    "QueryError",
    "QuestionError",
    "QuotaError",
    "StoreError",
    "TooLargeError",
    "WorkspaceFileError",
]


class ChunkscopeError(Exception):
    """Base of every error this library raises on purpose.

    Attributes:
        where: the file, setting or table the sentence is about, or None.
    """

    def __init__(self, message: str, *, where: str | None = None) -> None:
        super().__init__(message)
        self.where = where

    def __str__(self) -> str:
        return str(self.args[0])

    @classmethod
    def needs_full_installation(cls, what: str, *, where: str | None = None) -> Self:
        """Return the error for a feature whose packages the light installation lacks.

        >>> str(ConfigError.needs_full_installation("The setting enrich.raptor")).partition(":")[0]
        'The setting enrich.raptor needs packages of the full installation'
        """
        how = "run pip install 'chunkscope[full]', or in the repository pip install -r requirements.txt"
        return cls(f"{what} needs packages of the full installation: {how}.", where=where)


class ParseError(ChunkscopeError, ValueError):
    """A file that cannot be read as a document."""


class TooLargeError(ParseError):
    """A file over one of the limits of `parsing`."""


class ConfigError(ChunkscopeError, ValueError):
    """A setting that is unknown, of a wrong type, or out of range; `where` is its key."""


class QueryError(ChunkscopeError, ValueError):
    """A query that cannot be searched, such as an empty one."""


class QuestionError(ChunkscopeError, ValueError):
    """A question set, or chunks made elsewhere, that cannot be used.

    `where` is the file, the line or the question.
    """


class ChangeError(ChunkscopeError, ValueError):
    """An edit or a pin of a document that cannot be read or made.

    `where` is the file, the line or the document.
    """


class ModelError(ChunkscopeError, RuntimeError):
    """An embedding model or reranker that is missing, not the one expected, or failing."""


class EndpointError(ChunkscopeError, ConnectionError):
    """A model or embedding server that cannot be reached, or does not answer as it should.

    Its sentence never holds a key, nor more than a few words of what the server said.

    Attributes:
        kind: `llm` or `embedding`. Without a language model a run continues at a lower fallback level; without
            embeddings it does not.
    """

    def __init__(self, message: str, *, where: str | None = None, kind: Literal["llm", "embedding"] = "llm") -> None:
        super().__init__(message, where=where)
        self.kind = kind


class QuotaError(ChunkscopeError, RuntimeError):
    """A quota of a person or the server that is used up.

    `where` is the operator's setting.
    """


class MissingPackageError(ChunkscopeError, ImportError):
    """An optional package that is not installed; `where` is its name."""

    @classmethod
    def of(cls, package: str, purpose: str) -> Self:
        """Return the error for a package that a feature needs.

        >>> print(MissingPackageError.of("qdrant-client", "Writing to Qdrant"))
        Writing to Qdrant needs the package qdrant-client, which is not installed; run pip install qdrant-client.
        """
        return cls(
            f"{purpose} needs the package {package}, which is not installed; run pip install {package}.", where=package
        )


class StoreError(ChunkscopeError, OSError):
    """A workspace that cannot be read or written."""


class LockedError(StoreError):
    """A workspace that another process is writing to."""


class AccessError(StoreError, PermissionError):
    """A missing right to read, change or manage the workspace."""


class WorkspaceFileError(StoreError):
    """A workspace file that cannot be saved or opened: wrong, damaged, too new or too large."""


class NotFoundError(StoreError, LookupError):
    """A workspace that does not exist, or a document, chunk, index, run ... that is not in it."""


class Cancelled(ChunkscopeError):
    """Error that ends work the user has stopped; what was committed before stays."""
