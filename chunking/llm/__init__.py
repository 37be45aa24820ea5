"""Client for language models and embeddings on any OpenAI-compatible server.

>>> from chunking.llm import Client, Endpoint
>>> Client(Endpoint("http://127.0.0.1:8000/v1", "small")).usage  # connects on the first request only
Usage(requests=0, prompt_tokens=0, answer_tokens=0, cached_tokens=0)
"""

from __future__ import annotations

from chunking.llm.endpoints import Endpoint, Kind, endpoint
from chunking.llm.llm_client import Client, PartialAnswer
from chunking.llm.model_answers import Usage

__all__ = ["Client", "Endpoint", "Kind", "PartialAnswer", "Usage", "endpoint"]
