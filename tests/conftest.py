"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.support")  # before its modules are imported

from tests.support.llm_server import LLMServer, running  # noqa: E402

settings.register_profile("fixed", derandomize=True)  # the same examples in every run: a red test is the change's doing
settings.register_profile("explore", derandomize=False)  # new examples in every run: `make explore`
settings.load_profile(os.environ.get("EXAMPLES", "fixed"))


@pytest.fixture
def llm_server() -> Iterator[LLMServer]:
    """A local HTTP server that speaks the OpenAI protocol, and misbehaves on demand (see tests/support/llm_server.py)."""
    with running() as server:
        yield server
