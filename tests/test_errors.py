"""The tree of errors is the one drawn at its top."""

import re

import pytest

from chunking import errors


def test_every_error_is_drawn_in_the_tree() -> None:
    """The docstring names each class, indented under its parent."""
    drawn = re.findall(r"[├└]── (\w+)|^ {4}(ChunkscopeError)", errors.__doc__ or "", re.MULTILINE)
    assert sorted(name for pair in drawn for name in pair if name) == errors.__all__


@pytest.mark.parametrize("name", errors.__all__)
def test_an_error_is_one_sentence_and_knows_where(name: str) -> None:
    """`str` is the sentence, `where` is kept, and all can be caught by the base."""
    error = getattr(errors, name)("The file a.md is empty; upload one with text.", where="a.md")
    assert isinstance(error, errors.ChunkscopeError)
    assert (str(error), error.where) == ("The file a.md is empty; upload one with text.", "a.md")


def test_errors_are_the_builtins_a_caller_would_catch() -> None:
    """Who does not know this library catches ValueError, LookupError, OSError or RuntimeError."""
    assert issubclass(errors.ParseError, ValueError)
    assert issubclass(errors.ConfigError, ValueError)
    assert issubclass(errors.NotFoundError, LookupError)
    assert issubclass(errors.StoreError, OSError)
    assert issubclass(errors.ModelError, RuntimeError)
