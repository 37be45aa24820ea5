"""Addresses lead to the very span in the app, with the settings that the chunk was made with."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest

from chunking.agents import AppAddress, Toolbox
from chunking.config import Config
from chunking.errors import ConfigError
from chunking.model import Document
from chunking.splitting import chunk_document
from components.session.share import VIEW_KEYS


def _keys(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query))


def test_an_address_opens_the_very_span(shelf: Toolbox) -> None:
    """Split with the settings in the address, the chunk of that number is the hit."""
    workspace = shelf.open_workspace()
    for hit in shelf.search("How is a backup restored?", retrieval="chunk").results:
        keys = _keys(hit.url)
        document: Document = workspace.document(keys["doc"])
        settings = {key: value for key, value in keys.items() if key not in VIEW_KEYS}
        chunks = chunk_document(document, Config.from_settings(settings))
        assert chunks[int(keys["chunk"])].content == hit.text


def test_the_keys_are_those_of_the_app() -> None:
    """And of a deployment's workspaces."""
    address = AppAddress.parse("https://chunks.example/app/", "w1")
    assert _keys(address.of_document("a b")) == {"workspace": "w1", "doc": "a b"}
    assert address.of_document("a").startswith("https://chunks.example/app/?")
    assert "doc" in VIEW_KEYS
    assert "chunk" in VIEW_KEYS


def test_a_larger_level_leads_to_its_first_chunk(samples: Toolbox) -> None:
    """It has no number of its own in the app."""
    index = samples.open_workspace().index()
    for level in sorted(index.levels.keys() - {"chunk"}):
        chunk = index.by_level(level)[3]
        assert (
            _keys(AppAddress("http://x").of_chunk(chunk, index.config))["chunk"]
            == chunk.children[0].rpartition("_chunk")[2]
        )


def test_without_an_app_it_is_a_name(shelf: Toolbox) -> None:
    """Never empty: ChatGPT cites only what has an address."""
    box = Toolbox(shelf.open_workspace)
    assert all(hit.url.startswith("chunkscope://document/") for hit in box.search("backup", mode="text").results)


@pytest.mark.parametrize("base", ["ftp://x", "nonsense", "http://", "http://[", "javascript:alert(1)"])
def test_an_invalid_address_is_refused_at_the_start(base: str) -> None:
    """When the server starts, not in answers."""
    with pytest.raises(ConfigError):
        AppAddress.parse(base)
