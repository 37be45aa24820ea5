"""Arguments of the tools as pydantic models; invalid ones are refused with one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from chunking.agents.answers import plain_text
from chunking.config import Retrieval
from chunking.errors import QueryError

__all__ = [
    "Arguments",
    "CollectArguments",
    "DeleteArguments",
    "EvaluateArguments",
    "FetchArguments",
    "FilterKey",
    "ListArguments",
    "RelatedArguments",
    "ResearchFetchArguments",
    "ResearchSearchArguments",
    "SearchArguments",
    "ShowArguments",
    "TocArguments",
    "input_schema",
    "output_schema",
    "read_arguments",
]

FilterKey = Literal["document", "category", "path", "content_type", "section", "language", "page"]
"""Keys of `store.FILTERS` (a test compares them): that package is slow to import."""

_SHOWN = 60
"""Maximum characters of a name in a refusal."""
_RETRIEVAL_MODES = ", ".join(mode.value for mode in Retrieval)


def _object_of(value: Any) -> Any:
    """Decode an object that a client sent as JSON text."""
    if isinstance(value, str):
        try:
            return json.loads(value) if value.strip() else {}
        except ValueError:
            return value
    return value


Query = Annotated[
    str, Field(min_length=1, max_length=2_000, description="A question or words, in the language of the documents.")
]
Id = Annotated[str, Field(min_length=1, max_length=500, description="Id from search, toc or list_documents.")]
DocId = Annotated[str, Field(min_length=1, max_length=500, description="Id of a document.")]
Cursor = Annotated[str, Field(max_length=100, description="`next` of the previous answer.")]


class Arguments(BaseModel):
    """Base of the argument models: unknown names are refused."""

    model_config = ConfigDict(extra="forbid")


class SearchArguments(Arguments):
    query: Query
    k: int = Field(5, ge=1, le=50, description="Results.")
    mode: Literal["auto", "hybrid", "vector", "text"] = Field(
        "auto",
        description="hybrid: meaning and words; vector: meaning; text: exact words and names; "
        "auto: as the index is set.",
    )
    retrieval: str = Field("auto", max_length=100, description=f"Retrieval mode: auto, {_RETRIEVAL_MODES}.")
    filters: Annotated[dict[FilterKey, str], BeforeValidator(_object_of)] = Field(
        {}, description='Conditions that every result meets, such as {"path": "handbook"}.'
    )
    neighbours: int = Field(0, ge=0, le=5, description="Chunks to add before and after each result.")
    budget: int = Field(
        2_000, ge=50, le=20_000, description="Token limit for the texts in the answer; results are never cut."
    )
    detail: bool = Field(False, description="Also return document, section, offsets, pages, score and its explanation.")
    operators: bool = Field(False, description='Every result must contain the phrases in "quotation marks".')


class FetchArguments(Arguments):
    id: Id
    cursor: Cursor = ""
    budget: int = Field(4_000, ge=50, le=20_000, description="Token limit for the text in the answer.")
    neighbours: int = Field(0, ge=0, le=20, description="For a chunk: neighbouring chunks to read on both sides.")


class TocArguments(Arguments):
    doc: DocId
    cursor: Cursor = ""


class ListArguments(Arguments):
    cursor: Cursor = ""


class RelatedArguments(Arguments):
    doc: DocId
    n: int = Field(5, ge=1, le=20, description="Documents.")


class ShowArguments(Arguments):
    doc: DocId
    query: str = Field("", max_length=2_000, description="Query whose hits are marked in the document.")


class EvaluateArguments(Arguments):
    questions: str = Field("", max_length=500, description="Name of a saved question set; empty: the newest.")
    part: Literal["", "tune", "holdout"] = Field(
        "", description="Only the dev split (tune) or only the held-out split."
    )


class CollectArguments(Arguments):
    path: str = Field("", max_length=1_000, description="A file or folder inside a folder that the server may read.")
    text: str = Field("", max_length=1_000_000, description="Markdown or plain text instead of a path, with a name.")
    name: str = Field(
        "", max_length=100, description="Name of the text, such as notes.md; using a name again replaces the text."
    )


class DeleteArguments(Arguments):
    ids: Annotated[list[DocId], BeforeValidator(_object_of)] = Field(
        min_length=1, max_length=100, description="Ids of documents."
    )


class ResearchSearchArguments(Arguments):
    query: Query


class ResearchFetchArguments(Arguments):
    id: Id


A = TypeVar("A", bound=Arguments)


def read_arguments(tool: str, model: type[A], raw: Mapping[str, Any]) -> A:
    """Validate the arguments that a client sent.

    >>> read_arguments("toc", TocArguments, {"doc": "handbook"}).doc
    'handbook'

    Raises:
        QueryError: an argument is unknown, missing, of a wrong type or out of range; one sentence names the first and
            what it may be.
    """
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=True, include_input=False)
        raise QueryError(_sentence(tool, model, faults), where=tool) from None


def _sentence(tool: str, model: type[Arguments], faults: list[Any]) -> str:
    first = faults[0]
    name = plain_text(".".join(str(part) for part in first["loc"] if part != "[key]"))[:_SHOWN]
    more = f" ({len(faults) - 1} more arguments are not valid.)" if len(faults) > 1 else ""
    if first["type"] == "extra_forbidden":
        return (
            f"The tool {tool} has no argument '{name}'; its arguments are "
            f"{', '.join(model.model_fields) or 'none'}.{more}"
        )
    if first["type"] == "missing":
        return f"The tool {tool} needs the argument '{name}'.{more}"
    said, should, rule = plain_text(str(first["msg"])).partition("should")
    return f"The argument '{name}' of {tool} {should}{rule or said}.{more}"


def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of arguments without titles and class docstrings: they cost tokens."""
    return _schema(model, {"title"})


def output_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of an answer, also without defaults: answers omit empty fields."""
    return _schema(model, {"title", "default"})


def _schema(model: type[BaseModel], dropped: AbstractSet[str]) -> dict[str, Any]:
    raw = model.model_json_schema()
    definitions = raw.pop("$defs", {})
    for node in (raw, *definitions.values()):
        node.pop("description", None)  # the class's docstring, for readers of the code
    schema: dict[str, Any] = _without(_inlined(raw, definitions), dropped)
    return schema


def _inlined(node: Any, definitions: Mapping[str, Any]) -> Any:
    """Replace references by their definitions, which clients would resolve for every line of a list."""
    if isinstance(node, dict):
        named = str(node.get("$ref", "")).removeprefix("#/$defs/")
        return (
            _inlined(definitions[named], definitions)
            if named
            else {key: _inlined(one, definitions) for key, one in node.items()}
        )
    return [_inlined(one, definitions) for one in node] if isinstance(node, list) else node


def _without(node: Any, dropped: AbstractSet[str], *, names: bool = False) -> Any:
    """Remove some keys from a schema.

    Args:
        names: the keys of this mapping are names of properties, which stay.
    """
    if isinstance(node, dict):
        kept = {key: one for key, one in node.items() if names or key not in dropped}
        return {key: _without(one, dropped, names=key == "properties" and not names) for key, one in kept.items()}
    return [_without(one, dropped) for one in node] if isinstance(node, list) else node
