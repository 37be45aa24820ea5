"""The Chunks page: what a link restores, the card of a picked chunk, and settings that cannot be used."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from chunking.config import DEFAULT_MODEL, Config, Rerank, SearchConfig
from chunking.indexing import build_index
from chunking.model import Flag
from chunking.parsing import parse
from chunking.splitting import chunk_document, split_document
from chunking.store import Workspace
from components.chunks.inspector import FLAG_SENTENCES, SIZES
from components.kit.wording import token_words
from components.session import share
from components.session.measured_documents import chunker
from components.session.page import run_order
from tests.pages.app_session import (
    go_to,
    message_at,
    metrics,
    open_link,
    open_page,
    page_text,
    run_app,
    state,
    type_setting,
)
from tests.support.facts import tells
from tests.support.pdfs import report

HANDBOOK = "handbook_operations-handbook"


def pick_at(app: AppTest, at: int) -> AppTest:
    """What a click in the text does."""
    app.session_state["chunks.viewer.at"] = at
    return run_app(app)


def viewer_message(app: AppTest) -> dict[str, object]:
    """What the viewer is sent."""
    messages = [message_at(app, number) for number in range(len(app.get("bidi_component")))]
    return next(message for message in messages if "bands" in message)


class TestShown:
    def test_first_start_shows_the_handbook_cut(self, samples: Workspace) -> None:
        """Numbers are those of the library, and the address names the document."""
        app = open_page()
        chunks = chunk_document(samples.document(HANDBOOK))
        assert metrics(app)["Chunks"] == f"{len(chunks):,}"
        assert app.query_params["doc"] == HANDBOOK
        assert "Click a chunk" in page_text(app)
        assert app.selectbox(key="chunks.document").value == HANDBOOK

    def test_boundaries_come_before_others_have_their_turn(
        self, samples: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And the numbers and the form after it."""
        monkeypatch.setattr(run_order, "give_way", st.stop)
        app = open_page()
        assert viewer_message(app)["n"]
        assert not app.metric
        assert not [box for box in app.selectbox if str(box.key).startswith("settings.")]

    def test_the_column_has_what_matters_and_a_drawer(self, samples: Workspace) -> None:
        """Size, overlap, prefix and strategy; what else differs is counted on the drawer, and drawn when it opens."""
        app = open_page("chunks", settings={"min_size": "0", "category.faq.size": "100", "size": "60"})
        fields = {
            str(field.key).rpartition(".")[2] for field in app.selectbox if str(field.key).startswith("settings.")
        }
        assert fields == {"prefix", "strategy"}
        (drawer,) = [one for one in app.expander if str(one.proto.label).startswith("Advanced")]
        assert tells(drawer.proto.label, "2 changed")
        assert not [button for button in app.button if button.key == "chunks.settings.reset"]
        app.session_state["settings.advanced"] = True
        run_app(app)
        assert [button for button in app.button if button.key == "chunks.settings.reset"]
        assert len(app.expander) > 4

    def test_a_fault_in_the_closed_drawer_is_in_sight(self, samples: Workspace) -> None:
        """Where nobody could find it otherwise."""
        app = open_page("chunks")
        form = state(app, "settings.form")
        app.session_state[f"settings.{form.turn}.categories"] = "faq: {sise: 3}"
        assert tells(page_text(run_app(app)), "sise")

    def test_without_documents_the_page_leads_to_documents(self, samples: Workspace) -> None:
        """It leads to the documents."""
        samples.delete_documents([row.doc_id for row in samples.documents()])
        assert "Add a document" in page_text(open_page())

    def test_another_document_drops_the_pick(self, samples: Workspace) -> None:
        """And stays over a switch of pages; the card belongs to the document it was picked in."""
        app = pick_at(open_page(), 3_000)
        assert state(app, "share.view")["chunk"]
        app.selectbox(key="chunks.document").select("faq_faq")
        run_app(app)
        assert state(app, "share.view") == {"doc": "faq_faq"}
        assert "Click a chunk" in page_text(app)
        assert go_to(go_to(app, "index"), "chunks").selectbox(key="chunks.document").value == "faq_faq"

    def test_the_card_of_a_picked_chunk(self, samples: Workspace) -> None:
        """Every field, as the library makes it; the pick stays at its place when the size changes, and over a switch of
        pages.
        """
        chunk = next(chunk for chunk in chunk_document(samples.document(HANDBOOK)) if chunk.flags and chunk.prefix)
        app = pick_at(open_page(), chunk.start)
        text = page_text(app)
        assert f"Chunk {chunk.chunk_index}" in text
        assert f" · characters {chunk.start:,} to {chunk.end:,}" in text
        boundaries = chunker(samples.document(HANDBOOK), Config().embedding).split(Config().chunk).boundaries
        sizes = [int(column[chunk.chunk_index]) for column in (boundaries.tokens, boundaries.prefix_tokens)]
        assert token_words(*sizes, chunk.token_count) in text
        assert FLAG_SENTENCES[chunk.flags[0]] in text
        assert chunk.content in [shown.value for shown in app.text]
        assert app.query_params["chunk"] == str(chunk.chunk_index)
        app.session_state["share.config"] = Config.from_settings({"size": 100})
        other = next(
            one
            for one in reversed(chunk_document(samples.document(HANDBOOK), state(app, "share.config")))
            if one.start <= chunk.start
        )
        run_app(app)
        assert f"Chunk {other.chunk_index}" in page_text(app)
        go_to(go_to(app, "documents"), "chunks")
        assert f"Chunk {other.chunk_index}" in page_text(app)

    def test_the_card_names_related_chunks(self, samples: Workspace) -> None:
        """A large table and the text around it."""
        config = Config.from_settings({"table_rows_limit": "3"})
        chunks = chunk_document(samples.document(HANDBOOK), config)
        chunk = next(chunk for chunk in chunks if len(chunk.metadata.get("related_chunk_ids", ())) == 1)
        (other,) = chunk.metadata["related_chunk_ids"]
        app = open_link(doc=HANDBOOK, chunk=str(chunk.chunk_index), table_rows_limit="3")
        assert f"Related chunks: {other.rpartition('_chunk')[2]}" in page_text(app)

    def test_each_flag_has_its_sentence(self) -> None:
        """On the card."""
        assert FLAG_SENTENCES.keys() == set(Flag)

    def test_the_sizes_are_drawn_where_somebody_looks(self, samples: Workspace) -> None:
        """Plotly is slow: only in its tab."""
        app = open_page()
        assert not app.get("plotly_chart")
        app.session_state["chunks.inspector"] = SIZES
        assert run_app(app).get("plotly_chart")

    def test_the_inspector_follows_the_pick(self, samples: Workspace) -> None:
        """It opens with a pick, from the sizes too; Close picks nothing, and a pick that is gone closes it."""
        app = open_link(doc=HANDBOOK)
        assert "**Chunk " not in page_text(app)
        app.session_state["chunks.inspector"] = SIZES
        assert "**Chunk " in page_text(pick_at(run_app(app), 900))
        assert "**Chunk " not in page_text(app.button(key="chunks.inspector.close").click().run())
        assert state(app, "chunks.viewer.at") is None
        assert "**Chunk " in page_text(pick_at(app, 900))
        app.session_state["chunks.viewer.at"] = None
        assert "**Chunk " not in page_text(run_app(app))

    def test_an_index_that_holds_these_chunks_is_named(self, indexed: Workspace) -> None:
        """Settings and document decide, under one fingerprint."""
        app = open_page()
        assert "✓ In the index “main”" in page_text(app)
        fingerprint = indexed.index("main").document_fingerprints()["faq_faq"]
        assert any(fingerprint in (caption.help or "") for caption in app.caption)
        app.session_state["share.config"] = Config.from_settings({"search.k": 9})
        assert "✓ In the index “main”" in page_text(run_app(app))
        app.session_state["share.config"] = Config.from_settings({"size": 100})
        assert "○ In no index yet" in page_text(run_app(app))
        indexed.put_document(parse(b"# New\n\nOther words.", "faq/faq.txt", doc_id="faq_faq"))
        assert "○ In no index yet" in page_text(open_page())


class TestLinks:
    def test_settings_document_and_chunk_are_restored(self, samples: Workspace) -> None:
        """In a new session, by the address of another."""
        app = open_link(size="120", overlap="15%", doc="faq_faq", chunk="3", **{"search.k": "9"})
        assert state(app, "share.config") == Config.from_settings({"size": 120, "overlap": "15%", "search.k": 9})
        assert "Chunk 3" in page_text(app)
        chunk = chunk_document(samples.document("faq_faq"), state(app, "share.config"))[3]
        assert viewer_message(app)["goto"] == {"at": chunk.start, "nonce": "1", "pick": False}
        again = open_link(**app.query_params)
        assert page_text(again) == page_text(app)
        assert again.query_params == app.query_params

    def test_a_kind_of_document_may_differ(self, samples: Workspace) -> None:
        """A link restores it; its documents are cut so, others are not, and the page says so."""
        app = open_link(doc="faq_faq", **{"category.faq.size": "100"})
        config = state(app, "share.config")
        assert config == Config.from_settings({"category.faq.size": "100"})
        assert metrics(app)["Chunks"] == f"{len(chunk_document(samples.document('faq_faq'), config)):,}"
        assert "category, faq" in page_text(app)
        assert app.query_params == {"doc": "faq_faq", "category.faq.size": "100"}
        other = open_link(doc=HANDBOOK, **{"category.faq.size": "100"})
        assert metrics(other)["Chunks"] == f"{len(chunk_document(samples.document(HANDBOOK))):,}"
        assert "its own settings" not in page_text(other)

    def test_earlier_names_of_settings_are_read(self, samples: Workspace) -> None:
        """The address says the present ones; where it has both, the present one counts, and the page says so."""
        app = open_link(
            strategy="fragments",
            larger_sizes="4",
            **{"search.drop_repeats": "false", "category.faq.larger_sizes": "none"},
        )
        assert not app.warning
        now = {
            "strategy": "elements",
            "granularities": "4",
            "search.deduplicate": "false",
            "category.faq.granularities": "none",
        }
        assert app.query_params == {"doc": HANDBOOK, **now}
        assert state(app, "share.config") == Config.from_settings(now)
        both = open_link(larger_sizes="4", granularities="3")
        (warning,) = both.warning
        assert "leave larger_sizes out" in warning.value.replace("\\", "")
        assert state(both, "share.config").chunk.granularities == (3,)

    def test_defaults_are_left_out_of_the_address(self, samples: Workspace) -> None:
        """It stays short."""
        app = open_link(size=str(Config().chunk.size), prefix="title_path")
        assert app.query_params == {"doc": HANDBOOK}

    def test_what_cannot_be_used_is_said_and_left_out(self, samples: Workspace) -> None:
        """The other settings count, also those that are right only together; the sentence goes with the page."""
        app = open_link(overlap="300", size="400", prefix="sideways", sise="9", strategy="magic")
        assert state(app, "share.config") == Config.from_settings({"size": 400, "overlap": "300"})
        (warning,) = app.warning
        for words in ("prefix", "strategy", "here: sise"):
            assert words in warning.value.replace("\\", "")
        assert app.query_params == {"doc": HANDBOOK, "size": "400", "overlap": "300"}
        assert run_app(app).warning
        assert "setting in the link" not in page_text(go_to(app, "index"))

    @pytest.mark.parametrize("size", ["0", "-1", "99999999", "1e3", "", "x" * 5_000, "²", "<b>"])
    def test_any_size_in_a_link_is_answered_in_a_sentence(self, samples: Workspace, size: str) -> None:
        """And the default is used."""
        app = open_link(size=size)
        assert state(app, "share.config") == Config()
        assert len(app.warning[0].value) < 700

    @pytest.mark.parametrize("name", ["category.c{}.size", "category.api.made_up_{}", "category.{}.size"])
    def test_hundreds_of_faults_in_a_link_are_not_tried_one_by_one(
        self, samples: Workspace, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        """After some, the defaults are used: each one left out means that all others are validated again."""
        tried: list[int] = []
        real = share.current_settings

        def current_settings(pairs: Mapping[str, object], *, where: str) -> dict[str, object]:
            tried.append(len(pairs))
            return real(pairs, where=where)

        monkeypatch.setattr(share, "current_settings", current_settings)
        app = open_link(size="300", **{name.format(number): "0" for number in range(40 if "c{}" in name else 900)})
        assert len(tried) == 10
        assert state(app, "share.config") == Config()
        assert len(app.warning[0].value) < 5_000
        assert app.query_params == {"doc": HANDBOOK}

    @pytest.mark.parametrize("chunk", ["-1", "999999", "²", "9" * 5_000, "x", ""])
    def test_any_chunk_in_a_link_picks_one_or_none(self, samples: Workspace, chunk: str) -> None:
        """Never a traceback."""
        app = open_link(doc="faq_faq", chunk=chunk)
        assert "Click a chunk" in page_text(app)
        assert app.query_params == {"doc": "faq_faq"}

    def test_an_unknown_document_is_reported(self, samples: Workspace) -> None:
        """And the first one is shown."""
        app = open_link(doc="![x](y)" * 100)
        assert "not in this workspace" in page_text(app)
        assert "![x](" not in app.info[0].value
        assert app.query_params["doc"] == HANDBOOK

    def test_no_link_allows_a_download(self, samples: Workspace) -> None:
        """Whoever opens it has not been asked; and no address carries it on."""
        app = open_link(**{"embedding.allow_download": "true"})
        assert not state(app, "share.config").embedding.allow_download
        assert "a link cannot" in page_text(app)
        app.session_state["share.config"] = Config.from_settings({"embedding.allow_download": "true", "size": 90})
        assert run_app(app).query_params == {"size": "90", "home": "1"}

    def test_a_link_names_no_model_of_a_server(self, samples: Workspace) -> None:
        """Opening it would send texts there before anybody was asked; what is set here stays out of the address."""
        app = open_link(**{"embedding.model": "remote:small", "size": "90"})
        assert state(app, "share.config") == Config.from_settings({"size": 90})
        assert "a link cannot" in app.warning[0].value
        app.session_state["share.config"] = Config.from_settings({"embedding.model": "remote:small", "size": 90})
        app.run()
        assert "embedding.model" not in app.query_params

    def test_no_link_names_a_cross_encoder(self, samples: Workspace) -> None:
        """A search would fetch it where the index was built with downloads allowed."""
        app = open_link(**{"search.rerank": "cross_encoder", "search.rerank_model": "somebody/model"})
        assert state(app, "share.config").search == SearchConfig(rerank=(Rerank.CROSS_ENCODER,))
        assert "a link cannot" in page_text(app)


class TestLevels:
    def test_parents_and_granularities_are_counted_and_drawn(self, samples: Workspace) -> None:
        """As many as an index will hold; the card says which chunks stand in one with the picked one."""
        settings = {"parent_size": "600", "granularities": "2", "size": "120"}
        app = pick_at(open_page("chunks", settings, doc=HANDBOOK), 3_000)
        levels = split_document(samples.document(HANDBOOK), Config.from_settings(settings))
        assert (
            f"⊏ {len(levels.parents):,} parents, {len(levels.chunks) / len(levels.parents):.1f} chunks each"
            in page_text(app)
        )
        assert f"⊏ {len(levels.larger[2]):,} chunks at ×2" in page_text(app)
        number = int(state(app, "share.view")["chunk"])
        parent = next(parent for parent in levels.parents if levels.chunks[number].chunk_id in parent.children)
        first, last = (int(parent.children[place].rpartition("_chunk")[2]) for place in (0, -1))
        position = f"chunks {first} to {last}" if first < last else "this chunk alone"
        assert (
            f"Parent {levels.parents.index(parent)}: {position}, characters {parent.start:,} to {parent.end:,}"
            in page_text(app)
        )

    def test_room_for_a_context_and_then_the_context(self, indexed: Workspace) -> None:
        """Before an index is built what is kept free; afterwards what was written, and by whom."""
        settings = {"prefix": "context"}
        app = pick_at(open_page("chunks", settings, doc="faq_faq"), 400)
        assert "reserved for" in page_text(app)
        assert "Written by rule" not in page_text(app)
        build_index(indexed, Config.from_settings(settings))
        app = pick_at(open_page("chunks", settings, doc="faq_faq"), 400)
        chunk = indexed.index("main").rows_by_id([f"faq_faq_chunk{state(app, 'share.view')['chunk']}"])
        (row,) = chunk.values()
        assert row.written
        assert " ".join(row.written.split()) in page_text(app)

        assert "by rule" in page_text(app)

    def test_the_section_is_the_parent_where_there_is_no_other(self, samples: Workspace) -> None:
        """And nothing is said of levels that are not set."""
        app = pick_at(open_page("chunks", doc=HANDBOOK), 3_000)
        assert "Parent: its section" in page_text(app)
        assert "parents" not in page_text(app)


class TestModel:
    def test_a_model_that_is_not_here_is_said_next_to_its_field(self, samples: Workspace) -> None:
        """The text and the settings stay; a good name mends it."""
        app = open_link(**{"embedding.model": "nobody/nothing"})
        assert "'nobody/nothing'" in page_text(app)
        assert viewer_message(app)["n"] == 0
        type_setting(app, "embedding.model", DEFAULT_MODEL)
        run_app(app)
        assert metrics(app)["Chunks"]
        assert "on this machine" not in page_text(app)
        assert "embedding.model" not in app.query_params

    @pytest.mark.parametrize("model", ["../..", "/", "\x00", "a b", "x" * 400, "pyproject.toml"])
    def test_any_model_name_is_answered_in_a_sentence(self, samples: Workspace, model: str) -> None:
        """On the Chunks page and on the Index page, which both go on."""
        app = open_page("chunks", {"embedding.model": model})
        assert len([caption for caption in app.caption if caption.value.startswith(":red[")]) == 1
        go_to(app, "index")
        assert len(app.error) == 1
        assert app.button(key="index.build").disabled


class TestLargeDocuments:
    @pytest.mark.parametrize(("data", "name"), [(b"word " * 1_000_000, "line.txt"), (b"x" * 5 * 2**20, "letters.md")])
    def test_a_line_of_five_megabytes(self, samples: Workspace, data: bytes, name: str) -> None:
        """Without a place to break, too; a step of a slider sends little, and the text goes once."""
        samples.put_document(parse(data, name))
        app = open_link(doc=Path(name).stem, chunk="7")
        assert int(metrics(app)["Chunks"].replace(",", "")) > 1_000
        assert "Chunk 7" in page_text(app)
        message = app.get("bidi_component")[0].proto
        assert len(str(viewer_message(app))) < 60_000, message

    def test_a_document_is_measured_once_for_all_sessions(
        self, samples: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And again when it has changed, also when only its name has."""
        import components.session.measured_documents

        measured = []
        original = components.session.measured_documents._measure
        monkeypatch.setattr(
            components.session.measured_documents,
            "_measure",
            lambda *args: (measured.append(args[0].title), original(*args))[1],
        )
        for size in ("100", "150", "200"):
            open_link(doc="faq_faq", size=size)
        assert len(measured) == 1
        text = samples.document("faq_faq").text.encode()
        samples.put_document(parse(text, "faq/renamed.txt", doc_id="faq_faq"))
        app = open_link(doc="faq_faq")
        assert len(measured) == 2
        assert "renamed" in str(app.selectbox(key="chunks.document").options)


def test_the_index_holds_what_the_page_showed(samples: Workspace) -> None:
    """Law 5, from the page: the same boundaries and tokens, in the same numbers."""
    app = open_link(doc="faq_faq", size="90", overlap="10")
    build_index(samples, state(app, "share.config"), name="small", doc_ids=["faq_faq"])
    indexed_chunks = samples.index("small").chunks_of("faq_faq")
    assert metrics(app)["Chunks"] == str(len(indexed_chunks))
    assert "✓ In the index “small”" in page_text(run_app(app))


class TestPaged:
    def test_the_page_takes_the_outlines_place_where_it_is_asked_for(self, samples: Workspace) -> None:
        """Only for documents with pages; the choice stays over a switch of pages."""
        pump = parse(report(), "pump.pdf")
        samples.put_documents([pump], {pump.hash: report()})
        app = open_page("chunks", doc="pump", chunk="2")
        assert not shows_pages(app)
        app.session_state["chunks.beside"] = "Page"
        assert shows_pages(run_app(app))
        go_to(app, "documents")
        assert shows_pages(go_to(app, "chunks"))
        assert not shows_pages(open_page("chunks", doc="faq_faq"))

    def test_the_card_names_the_pages(self, samples: Workspace) -> None:
        """As the format calls them."""
        samples.put_document(parse(report(), "pump.pdf"))
        assert re.search(
            r"tokens.* · page 2 · characters", page_text(open_page("chunks", {"size": "60"}, doc="pump", chunk="2"))
        )


def shows_pages(app: AppTest) -> bool:
    """Whether a page's picture is sent."""
    return any("picture" in json.loads(part.proto.json) for part in app.get("bidi_component"))
