"""Torch as the library runs it, also where a test imports torch first."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # see chunking.embedding.local.model_tokenizer
