"""Embeddings of a server: used like a local model's, and every way in which they can be wrong."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import chunking.llm.endpoints
from chunking.config import ENGLISH_MODEL, Config, EmbeddingConfig, SearchConfig
from chunking.embedding import CachedEmbedder, Embedder, RemoteEmbedder, load_embedder, sentence_vectors
from chunking.embedding.base import Unshared
from chunking.embedding.model_folder import counting_folder, counting_note, find_model, model_of, same_model
from chunking.embedding.remote import _embedder
from chunking.errors import ChunkscopeError, EndpointError, ModelError
from chunking.indexing import build_index, make_plan, read_files, save
from chunking.llm import endpoint
from chunking.parsing import parse
from chunking.retrieval import search
from chunking.splitting import chunk_document
from chunking.store import Workspace
from tests.support.llm_server import EMBEDDER, KEY, LLMServer, running

SAMPLES = Path(__file__).parents[2] / "sample_data"
REMOTE = EmbeddingConfig(model=f"remote:{EMBEDDER}")
CONFIG = Config(embedding=REMOTE)
TEXTS = ["Close the valve.", "关闭阀门。", "Close the valve.", "Open the door.", "x" * 3000, ""]


@pytest.fixture(autouse=True)
def _configured(llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The local server is the endpoint, as an operator sets it; nothing else is."""
    for name in [name for name in os.environ if name.startswith(("CHUNKSCOPE_LLM_", "CHUNKSCOPE_EMBEDDING_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(chunking.llm.endpoints, "SECRETS", tmp_path)
    for name, value in (llm_server.environment("embedding") | {"CHUNKSCOPE_EMBEDDING_RETRIES": "0"}).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def embedder() -> RemoteEmbedder:
    """Of the local server."""
    output = load_embedder(REMOTE)
    assert isinstance(output, RemoteEmbedder)
    return output


def test_a_remote_model_returns_unit_rows_in_the_order_of_the_texts(
    embedder: RemoteEmbedder, llm_server: LLMServer
) -> None:
    """Unit rows in the order of the texts, each different text sent once; nothing is sent before that."""
    used: Embedder = embedder
    assert (used.precision, used.max_tokens, used.calls) == ("remote", 8191, 0)
    assert llm_server.requests == []
    vectors = used.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), 64) == (len(TEXTS), used.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    expected = np.array([llm_server.vector(text) for text in TEXTS])
    np.testing.assert_allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    assert sorted(llm_server.embedded_texts) == sorted({*TEXTS[:-1], " "})
    assert (used.calls, used.texts_encoded) == (1, 5)
    assert embedder.usage.requests == 1


def test_the_size_of_its_vectors_is_asked_once(embedder: RemoteEmbedder, llm_server: LLMServer) -> None:
    """With one short text; a vector seen before tells it as well."""
    assert embedder.dimension == embedder.dimension == 64
    embedder.prepare()
    assert embedder.embed([]).shape == (0, 64)
    assert len(llm_server.requests) == 1


def test_texts_go_in_batches_several_at_a_time(llm_server: LLMServer) -> None:
    """As many at a time as the endpoint says, and no more; each vector still belongs to its text."""
    embedder = RemoteEmbedder(llm_server.endpoint("embedding", batch=4, parallel=3))
    texts = [f"text number {n}" for n in range(50)]
    calls: list[int] = []
    vectors = embedder.embed(texts, on_progress=calls.append)
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    np.testing.assert_array_equal(vectors, alone)
    assert [len(request.body["input"]) for request in llm_server.requests[:13]].count(4) == 12
    assert 1 <= llm_server.most_at_once <= 3
    assert calls == sorted(calls)
    assert calls[-1] == 50


def test_progress_may_stop_it(llm_server: LLMServer) -> None:
    """What has not been sent by then is not sent."""
    embedder = RemoteEmbedder(llm_server.endpoint("embedding", batch=1, parallel=1))

    def stop(done: int) -> None:
        if done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embedder.embed([f"text {n}" for n in range(200)], on_progress=stop)
    assert len(llm_server.requests) < 100


def test_a_user_who_stops_does_not_wait_for_the_server(llm_server: LLMServer) -> None:
    """Progress is told also while the server asks to wait, so that stopping is noticed."""
    llm_server.always, llm_server.retry_after = "429", "60"
    embedder = RemoteEmbedder(llm_server.endpoint("embedding"))
    message: list[int] = []

    def stop(done: int) -> None:
        message.append(done)
        if len(message) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embedder.embed(["a", "b"], on_progress=stop)
    assert message == [0, 0]


def test_a_user_who_stops_does_not_wait_for_an_answer(llm_server: LLMServer) -> None:
    """The request is still being held by the server when the call is over."""
    llm_server.always = "slow"

    def stop(_: int) -> None:
        if llm_server.at_once:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        RemoteEmbedder(llm_server.endpoint("embedding", timeout=60.0)).embed(["a"], on_progress=stop)
    assert llm_server.at_once == 1


def test_keys_tell_servers_and_models_apart(llm_server: LLMServer, embedder: RemoteEmbedder) -> None:
    """The same name at another address may be another model; prompts are part of a text's key."""
    here = llm_server.endpoint("embedding")
    assert embedder.key == f"remote:{EMBEDDER}@{here.url_hash}+remote"
    assert model_of(embedder.key) == f"remote:{EMBEDDER}@{here.url_hash}"
    assert same_model(embedder.key, RemoteEmbedder(here).key)
    others = [replace(here, model="other"), replace(here, url="http://127.0.0.1:9/v1")]
    assert not any(same_model(embedder.key, RemoteEmbedder(other).key) for other in others)
    asking = RemoteEmbedder(here, EmbeddingConfig(query_prefix="query: ", passage_prefix="passage: "))
    keys = {embedder.cache_key("a"), asking.cache_key("a"), asking.cache_key("a", "query"), embedder.cache_key("b")}
    assert len(keys) == 4
    assert embedder.cache_key("a") == embedder.cache_key("a", "query") == RemoteEmbedder(here).cache_key("a")
    asking.embed(["a"], role="query")
    asking.embed(["a"])
    assert llm_server.embedded_texts == ["query: a", "passage: a"]


def test_equal_settings_share_one_embedder(monkeypatch: pytest.MonkeyPatch, embedder: RemoteEmbedder) -> None:
    """The same settings give the same one, which has learned the size; another key or address gives another."""
    assert load_embedder(REMOTE) is embedder
    monkeypatch.setenv("CHUNKSCOPE_EMBEDDING_KEY", "sk-another")
    assert load_embedder(REMOTE) is not embedder


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("remote:", "embedding.model names no model"),
        ("remote:  ", "names no model"),
        ("remote:a\nb", "names no model"),
        ("remote:" + "a" * 300, "names no model"),
    ],
)
def test_an_invalid_model_name_is_refused_before_a_request(model: str, sentence: str) -> None:
    """Told before anything is sent."""
    with pytest.raises(ModelError, match=sentence):
        load_embedder(EmbeddingConfig(model=model))


def test_a_model_that_the_server_does_not_have(llm_server: LLMServer) -> None:
    """Told in one sentence, with the name."""
    with pytest.raises(EndpointError, match="has no model 'no-such-model'"):
        load_embedder(EmbeddingConfig(model="remote:no-such-model")).prepare()


def test_no_endpoint_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration, or a link, can name a remote model; only the operator can say where it is."""
    monkeypatch.delenv("CHUNKSCOPE_EMBEDDING_URL")
    with pytest.raises(ModelError, match="set CHUNKSCOPE_EMBEDDING_URL"):
        load_embedder(REMOTE)


@pytest.mark.parametrize(
    "behaviour", ["html", "wrong_json", "empty", "429", "500", "401", "ragged", "fewer", "nan", "zeros", "words", "cut"]
)
def test_a_batch_that_fails_fails_the_call(
    llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch, behaviour: str
) -> None:
    """One sentence, and no vector of the batches beside it."""
    monkeypatch.setattr("chunking.llm.llm_client.PATIENCE", 0.0)
    embedder = RemoteEmbedder(llm_server.endpoint("embedding", batch=2, parallel=2, retries=0))
    llm_server.respond("ok", "ok", behaviour)
    with pytest.raises(EndpointError, match="The embedding endpoint at 127"):
        embedder.embed([f"text {n}" for n in range(8)])
    assert (embedder.calls, embedder.texts_encoded) == (0, 0)


def test_vectors_of_another_size_than_before(embedder: RemoteEmbedder, llm_server: LLMServer) -> None:
    """Within a process: the server has changed its model between two requests."""
    embedder.embed(["a"])
    llm_server.always = "longer"
    with pytest.raises(EndpointError, match=r"\b65 numbers .*\b64\b.* 'test-embedder'"):
        embedder.embed(["b"])


def test_vectors_of_another_size_than_the_cache_holds(llm_server: LLMServer) -> None:
    """Between two processes: they are not mixed with what comes now; the old ones are embedded again, once."""
    kept: dict[str, np.ndarray] = {}

    class Cache(Unshared):
        def get(self, keys: list[str]) -> dict[str, np.ndarray]:
            return {key: kept[key] for key in keys if key in kept}

        def put(self, rows: dict[str, np.ndarray]) -> None:
            kept.update(rows)

    def again(*texts: str) -> tuple[tuple[int, ...], list[str]]:
        """Shape of what a new process makes of texts, and what it sends for it."""
        sent = len(llm_server.embedded_texts)
        shape = CachedEmbedder(RemoteEmbedder(llm_server.endpoint("embedding")), Cache()).embed(texts).shape
        return shape, sorted(set(llm_server.embedded_texts[sent:]) - {"dimension"})

    assert again("a", "b") == ((2, 64), ["a", "b"])
    llm_server.dimension = 32
    assert again("a", "b") == ((2, 64), [])  # nothing is new, so nobody is asked
    assert again("a", "c") == ((2, 32), ["a", "c"])
    assert again("a", "b", "c") == ((3, 32), ["b"])
    assert again("a", "b", "c") == ((3, 32), [])


def test_numbers_of_any_size_become_unit_rows(embedder: RemoteEmbedder) -> None:
    """Also where their squares have no place in a float."""
    vectors = embedder._checked([[1e300, 1e300], [1e-300, 0.0]])
    np.testing.assert_allclose(vectors, [[0.5**0.5, 0.5**0.5], [1.0, 0.0]], atol=1e-6)


def test_sizes_are_counted_with_the_tokenizer_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the remote model's name and with its limit; the note says so. A local model counts itself."""
    default = find_model("all-MiniLM-L6-v2")
    assert counting_folder(EmbeddingConfig(model="all-MiniLM-L6-v2")) is default
    folder = counting_folder(REMOTE)
    assert (folder.path, folder.name, folder.max_tokens, folder.languages) == (default.path, REMOTE.model, 8191, ())
    assert "all-MiniLM-L6-v2" in str(counting_note(REMOTE))
    assert "127.0.0.1" in str(counting_note(REMOTE))
    assert counting_note(EmbeddingConfig()) is None
    monkeypatch.setenv("CHUNKSCOPE_EMBEDDING_MAX_TOKENS", "512")
    assert counting_folder(REMOTE).max_tokens == load_embedder(REMOTE).max_tokens == 512


def test_cutting_needs_no_server(llm_server: LLMServer) -> None:
    """The same chunks as with the packaged model, up to the remote model's limit, without a request."""
    document = parse((SAMPLES / "handbook" / "operations-handbook.md").read_bytes(), "operations-handbook.md")
    packaged = Config.from_settings({"embedding.model": ENGLISH_MODEL})
    spans = [[(chunk.start, chunk.end) for chunk in chunk_document(document, config)] for config in (packaged, CONFIG)]
    assert spans[0] == spans[1]
    assert llm_server.requests == []


def test_sentences_of_a_document_are_sent_once(llm_server: LLMServer) -> None:
    """Semantic breakpoints and summaries ask again and again; a process sends each sentence once."""
    document = parse("The pump hums. The pump stops. 关闭阀门。".encode(), "note.md")
    starts, ends = np.array([0, 15, 31]), np.array([14, 30, 36])
    first = sentence_vectors(REMOTE)(document, starts, ends)
    again = sentence_vectors(REMOTE)(document, starts[1:], ends[1:])
    np.testing.assert_array_equal(first[1:], again)
    assert first.shape == (3, 64)
    sent = [text for text in llm_server.embedded_texts if text != "dimension"]
    assert sent == ["The pump hums.", "The pump stops.", "关闭阀门。"]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An English and a Chinese document, not indexed."""
    output = Workspace.open(tmp_path / "workspace")
    save(output, read_files([SAMPLES / "handbook" / "operations-handbook.md", SAMPLES / "manual-zh"]).documents)
    return output


def test_an_index_of_remote_vectors(workspace: Workspace, llm_server: LLMServer) -> None:
    """Planned without a word to the server, built, searched in two languages, and built again without a request."""
    plan = make_plan(workspace, CONFIG)
    assert llm_server.requests == []
    assert not any("cannot read" in warning for warning in plan.warnings)
    assert counting_note(REMOTE) in plan.warnings
    report = build_index(workspace, CONFIG)
    assert report.embedded == plan.new > 0
    assert workspace.index().row.model_key == load_embedder(REMOTE).key
    assert workspace.index().row.dimension == 64
    chunk = workspace.index().chunks_of("operations-handbook")[4]
    for text in (chunk.embedding_content, "如何更换滤芯？"):
        before = len(llm_server.requests)
        result = search(workspace, text, SearchConfig(mode="vector", k=3))
        assert len(llm_server.requests) == before + 1
        assert len(result.results) == 3
        assert not any("cannot read" in note for note in result.notes)
    assert (
        search(workspace, chunk.embedding_content, SearchConfig(mode="vector", k=1)).results[0].chunk.chunk_id
        == chunk.chunk_id
    )
    before = len(llm_server.requests)
    assert build_index(workspace, CONFIG).embedded == 0
    llm_server.stop()
    assert build_index(workspace, CONFIG, name="copy").embedded == 0
    assert len(llm_server.requests) == before


def test_other_sizes_send_only_new_texts(workspace: Workspace, llm_server: LLMServer) -> None:
    """Law 7 holds for a server, which is paid by the token: no text is ever sent twice."""
    for size in ("120", "200", "120"):
        build_index(workspace, Config.from_settings({"size": size}, CONFIG))
    sent = llm_server.embedded_texts
    assert len(sent) == len(set(sent))


def test_a_server_that_dies_midway_loses_nothing(
    tmp_path: Path, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run fails with one sentence, the index still searches, and the next run reuses the vectors."""
    monkeypatch.setattr("chunking.embedding.base.SLICE", 8)
    workspace = Workspace.open(tmp_path / "workspace")
    save(workspace, read_files([SAMPLES / "manual-zh", SAMPLES / "faq"]).documents)
    build_index(workspace, CONFIG)
    before = search(workspace, "滤芯", SearchConfig(mode="text")).results
    assert before
    llm_server.die_after(2)
    smaller = Config.from_settings({"size": "60", "overlap": "0"}, CONFIG)
    with pytest.raises(EndpointError, match="The embedding endpoint at 127"):
        build_index(workspace, smaller)
    assert search(workspace, "滤芯", SearchConfig(mode="text")).results == before
    llm_server.start()
    assert build_index(workspace, smaller).reused > 0
    sent = llm_server.embedded_texts
    assert len(set(sent)) >= len(sent) - 32  # those under way when it died were sent again


def test_an_index_and_a_server_of_two_sizes(workspace: Workspace, llm_server: LLMServer, tmp_path: Path) -> None:
    """The server has got another model under the old name: searching and indexing say so; the index still searches by
    words.
    """
    build_index(workspace, CONFIG)
    chunks = workspace.index().count()
    llm_server.dimension = 32
    _embedder.cache_clear()  # as a new process
    with pytest.raises(ChunkscopeError, match=r"32.*64") as caught:
        search(workspace, "a question that nobody has asked", SearchConfig(mode="vector"))
    assert "Traceback" not in str(caught.value)
    note = tmp_path / "note.md"
    note.write_text("# A note\n\nNothing of this was embedded before.\n", encoding="utf-8")
    save(workspace, read_files([note]).documents)
    with pytest.raises(ChunkscopeError, match=r"32.*64"):
        build_index(workspace, CONFIG)
    assert workspace.index().count() == chunks
    assert search(workspace, "backup", SearchConfig(mode="text")).results


def test_another_address_is_another_model(
    workspace: Workspace, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index is not searched with what another server makes of the same name."""
    build_index(workspace, CONFIG)
    with running() as other:
        monkeypatch.setenv("CHUNKSCOPE_EMBEDDING_URL", other.url)
        with pytest.raises(ModelError, match="vectors of remote:test-embedder@"):
            search(workspace, "backup", SearchConfig(mode="vector"))
        assert other.requests == []


def test_the_key_is_in_no_configuration(embedder: RemoteEmbedder, caplog: pytest.LogCaptureFixture) -> None:
    """Neither in a file of settings, nor in what makes a link or a fingerprint; an embedder does not show it either."""
    caplog.set_level(logging.DEBUG)
    embedder.prepare()
    shown = [
        CONFIG.to_yaml(),
        repr(CONFIG),
        str(CONFIG.changed()),
        CONFIG.fingerprint(),
        embedder.key,
        repr(embedder),
        repr(endpoint("embedding")),
    ]
    assert KEY not in "\n".join([*shown, caplog.text])
    assert "127.0.0.1" not in CONFIG.to_yaml()
