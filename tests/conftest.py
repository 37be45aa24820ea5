"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.llm_server import LLMServer, running

pytest.register_assert_rewrite("tests.laws_levels", "tests.laws_storage", "tests.laws_retrieval")  # their tests run from test_laws.py

settings.register_profile("fixed", derandomize=True)  # the same examples in every run: a red test is the change's doing
settings.register_profile("explore", derandomize=False)  # new examples in every run: `make explore`
settings.load_profile(os.environ.get("EXAMPLES", "fixed"))


@pytest.fixture
def llm_server() -> Iterator[LLMServer]:
    """A local HTTP server that speaks the OpenAI protocol, and misbehaves on demand (see tests/llm_server.py)."""
    with running() as server:
        yield server
