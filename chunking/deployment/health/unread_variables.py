"""Environment variables that nothing reads, since their names are misspelt: what they were to set has its default, and nobody notices."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from chunking.deployment.operator.operator_sources import operator_rows, variable
from chunking.llm.endpoints import endpoint_variables

__all__ = ["misspelt_variables"]

_PREFIX = "CHUNKSCOPE_"
_OTHERS = ("ENGINES", "MODELS", "SETTINGS", "SPLITTERS", "TRACEBACKS", "WORKSPACE", "WORKSPACE_NAME")
"""Read besides the operator's settings and the servers of models; a test holds that these are all."""
_ALIKE = 0.7
"""How like a known name one has to be: `OPERATOR` and `LLM_API_KEY` are, the `PORT` and `SERVICE_HOST` of a cluster's service are not."""


def misspelt_variables(environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """A sentence for each variable that begins as ours do, that nothing reads, and whose name is like one that is read.

    Others are left alone: Kubernetes, for one, sets `CHUNKSCOPE_PORT` for a service of that name.

    Args:
        environment: instead of the process's own.

    >>> list(misspelt_variables({"CHUNKSCOPE_OPERATOR": "ann@example.com", "CHUNKSCOPE_PORT": "tcp://10.0.0.1:80"}))
    ['Nothing reads CHUNKSCOPE_OPERATOR; did you mean CHUNKSCOPE_OPERATORS?']
    """
    environment = os.environ if environment is None else environment
    read = [*map(variable, operator_rows()), *endpoint_variables("llm"), *endpoint_variables("embedding")]
    names = [*(name.removeprefix(_PREFIX) for name in read), *_OTHERS]
    for given in sorted(name.removeprefix(_PREFIX) for name in environment if name.startswith(_PREFIX)):
        near = get_close_matches(given, names, 1, _ALIKE)
        if near and given not in names:
            yield f"Nothing reads {_PREFIX}{given}; did you mean {_PREFIX}{near[0]}?"
