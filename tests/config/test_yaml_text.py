"""Settings as YAML that somebody means ill with: refused in one sentence, without growing."""

from __future__ import annotations

import tracemalloc

import pytest

from chunking.config import Config
from chunking.config.config import LONGEST_YAML
from chunking.errors import ConfigError


def billion(start: str, link: str) -> str:
    """Nine lines, each of which names the one before nine times."""
    lines = [f"  a0: &a0 {start}"]
    lines += [f"  a{n}: &a{n} " + link.format(", ".join([f"*a{n - 1}"] * 9)) for n in range(1, 9)]
    return "chunk:\n" + "\n".join(lines) + "\n"


HOSTILE = {
    "lists": billion("[x, x, x]", "[{}]") + "  size: *a8\n",
    "mappings": billion("{k: 1}", "{{<<: [{}]}}"),
    "itself": "chunk: &a\n  size: *a\n",
    "deep lists": "chunk: " + "[" * 5_000,
    "deep mappings": "{a: " * 3_000,
    "long": "chunk: {size: " + "9" * LONGEST_YAML + "}",
    "number": "chunk: {size: " + "9" * 5_000 + "}",
    "clock": "chunk: {size: " + ":".join(["59"] * 3_000) + "}",
    "program": "!!python/object/apply:os.system ['id']",
    "date": "chunk: {size: 2024-99-99}",
    "keys": "chunk: {? [a, b] : 1}",
    "value": f"chunk: {{size: {'x' * 100_000}}}",
    "name": f"chunk: {{{'x' * 1_000}: 1}}",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_settings_are_refused_in_a_sentence(text: str) -> None:
    """In memory of the text's order, and without saying all of it again."""
    tracemalloc.start()
    try:
        with pytest.raises(ConfigError) as refused:
            Config.from_yaml(text)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 50 * 2**20
    assert len(str(refused.value)) < 3_000
