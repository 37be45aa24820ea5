"""What all tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

# Before numpy and torch are imported, here and in every process that a test starts: the workers of a run have a core each,
# and more threads than cores burn time by waiting for each other.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1"))
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # see chunking.embedding.opening

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.support")  # before its modules are imported

from tests.support.llm_server import LLMServer, running  # noqa: E402

# No deadline: a busy machine is no fault. The same examples in every run: a red test is the change's doing.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None)  # new examples in every run: `make explore`
settings.load_profile(os.environ.get("EXAMPLES", "fixed"))


def pytest_collection_finish() -> None:
    """What collecting has made lives as long as the run: garbage is looked for among what the tests make."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def llm_server() -> Iterator[LLMServer]:
    """A local HTTP server that speaks the OpenAI protocol, and misbehaves on demand (see tests/support/llm_server.py)."""
    with running() as server:
        yield server
