"""Summaries by rule read as the text does, and rise from section to document."""

from __future__ import annotations

import pytest

from chunking.config import EmbeddingConfig
from chunking.embedding import sentence_vectors
from chunking.enrichment.prose_sentences import sentence_spans, sentences_of, usable
from chunking.llm import Client
from chunking.model import DOCUMENT, SECTION, Flag
from chunking.splitting import TokenCounter
from tests.enrichment.pumps import Make, cut, document_of, sample, settings
from tests.support.llm_server import LLMServer

SAMPLES = [
    "handbook/operations-handbook.md",
    "manual-zh/产品使用手册.md",
    "datasheet/heron-g4-datasheet.pdf",
    "faq/faq.txt",
]
SUMMARIES = settings(enrich_summaries="true")


@pytest.mark.parametrize("name", SAMPLES)
def test_every_section_and_the_document_has_a_node(make: Make, counter: TokenCounter, name: str) -> None:
    """With a summary inside of its size, children one level down, and what the model reads of it."""
    document = sample(name)
    levels = cut(document, SUMMARIES)
    nodes = make(SUMMARIES).enrich(document, levels).nodes
    by_id = {node.chunk_id: node for node in nodes}
    assert [node.level for node in nodes] == [SECTION] * len(document.sections) + [DOCUMENT]
    assert set(by_id) == {section.section_id for section in document.sections} | {f"{document.doc_id}_doc"}
    for node in nodes:
        assert node.summary
        assert node.content == ""
        assert counter.count(node.summary) <= SUMMARIES.enrich.summary_size
        assert node.embedding_content == node.counted_text
        assert node.token_count == counter.count(node.counted_text)
        assert all(by_id[child].parent_id == node.chunk_id for child in node.children if child in by_id)
    children = [child for node in nodes for child in node.children if child not in by_id]
    assert children == list(dict.fromkeys(children))
    assert set(children) == {chunk.chunk_id for chunk in levels.chunks}


@pytest.mark.parametrize("name", SAMPLES[:3])
def test_sentences_are_the_documents_own(make: Make, name: str) -> None:
    """Of sections without parts: every sentence of a summary is one of the text, in its order."""
    document = sample(name)
    nodes = make(SUMMARIES).enrich(document, cut(document, SUMMARIES)).nodes
    leaves = [node for node in nodes if node.level == SECTION and not any("_sec" in child for child in node.children)]
    checked = 0
    for node in leaves:
        text = "".join(char for char in document.text[node.start : node.end] if char.isalnum())
        place = 0
        for sentence in filter(usable, sentences_of(node.summary)):
            bare = "".join(char for char in sentence if char.isalnum())
            if (result := text.find(bare, place)) >= 0:
                place, checked = result + len(bare), checked + 1
    assert checked > len(leaves)


def test_a_section_with_parts_says_what_they_are() -> None:
    """Its introduction, then the titles below, without their numbers."""
    text = "# Guide\n\nThis guide is for people who run pumps.\n\n## 1. Care\n\nClean it.\n\n## 2. Faults\n\nCall us.\n"
    from chunking.enrichment.extracts import Extracts
    from tests.enrichment.pumps import vectors

    document = document_of(text)
    extracts = Extracts(document, [], vectors, len, 400)
    assert extracts.document(400) == "This guide is for people who run pumps. It covers: Care; Faults."
    assert extracts.section(document.sections[0]) == extracts.document(400)


def test_the_titles_of_thousands_of_parts_are_counted_a_few_times() -> None:
    """As many as have room are named; the text is not counted once for each part."""
    from chunking.enrichment.extracts import Extracts
    from tests.enrichment.pumps import vectors

    calls = 0

    def count(text: str) -> int:
        nonlocal calls
        calls += 1
        return len(text)

    document = document_of("# Guide\n\n" + "".join(f"## Part {n}\n\n| a |\n|---|\n| {n} |\n\n" for n in range(3_000)))
    said = Extracts(document, [], vectors, count, 100).document(100)
    assert said == "It covers: Part 0; Part 1; Part 2, and more."
    assert calls < 100


INTRODUCED = [
    ("handbook/operations-handbook.md", "This handbook is for the people who keep Roost running"),
    ("manual-zh/产品使用手册.md", "内容包括：使用前须知；认识产品；安装"),
]


@pytest.mark.parametrize(("name", "expected"), INTRODUCED)
def test_a_real_document_is_summarised_by_its_introduction_and_parts(make: Make, name: str, expected: str) -> None:
    """In English and Chinese; which of the other sentences are chosen, the vectors decide."""
    document = sample(name)
    assert expected in make(SUMMARIES).enrich(document, cut(document, SUMMARIES)).nodes[-1].summary


@pytest.mark.model
@pytest.mark.parametrize(("name", "expected"), INTRODUCED)
def test_the_beginning_of_a_document_is_summarised_with_the_real_model(make: Make, name: str, expected: str) -> None:
    """As far as into its second or third part."""
    document = document_of(sample(name).text[: 3_300 if name.startswith("manual-zh") else 5_500], name)
    nodes = (
        make(SUMMARIES, vectors=sentence_vectors(EmbeddingConfig())).enrich(document, cut(document, SUMMARIES)).nodes
    )
    assert expected in nodes[-1].summary


@pytest.mark.model
def test_the_summary_in_the_prefix_is_of_the_whole(make: Make) -> None:
    """The same text before every chunk."""
    document, config = sample("faq/faq.txt"), settings(prefix="summary")
    enriched = make(config, vectors=sentence_vectors(EmbeddingConfig())).enrich(document, cut(document, config))
    written = {chunk.written for chunk in enriched.levels.chunks}
    assert enriched.written == {"summary by rules": 1}
    assert max(written, key=len).startswith(
        "About Finch sensors, Heron gateways and Roost, for growers, schools and gardeners."
    )


def test_a_server_summarises_from_the_bottom_up(make: Make, llm_server: LLMServer) -> None:
    """A section's request holds its parts' summaries; a section as short as a summary is its own."""
    llm_server.answer = lambda system, user: (
        f"Told about {user.partition('<section>')[2].partition('</section>')[0].split(' > ')[-1]}."
    )
    document = sample("handbook/operations-handbook.md")
    config = settings(enrich_summaries="true", enrich_writer="llm")
    enriched = make(config, Client(llm_server.endpoint())).enrich(document, cut(document, config))
    by_title = {node.title_path[-1]: node for node in enriched.nodes if node.level == SECTION}
    assert by_title["Monitoring"].summary == "Told about Monitoring."
    assert Flag.GENERATED in by_title["Monitoring"].flags
    assert by_title["Silences"].summary.startswith("A silence has an owner, a reason and an end.")
    assert Flag.GENERATED not in by_title["Silences"].flags
    # none by rule: the run would say that an answer could not be used
    assert enriched.written.keys() == {"summary by llm", "summary by the text itself"}
    monitoring = next(
        request.user
        for request in llm_server.chat_requests
        if "<section>Roost Operations Handbook > Monitoring</section>" in request.user
    )
    assert "Alerts you will meet: Told about Alerts you will meet." in monitoring
    assert enriched.written["summary by llm"] == len(llm_server.chat_requests)


def test_only_the_documents_summary_costs_one_request(make: Make, llm_server: LLMServer) -> None:
    """With prefix summary and no summaries of sections: from what each section opens with."""
    document = sample("handbook/operations-handbook.md")
    config = settings(prefix="summary", enrich_writer="llm")
    enriched = make(config, Client(llm_server.endpoint())).enrich(document, cut(document, config))
    assert len(llm_server.chat_requests) == 1
    assert all(section.title in llm_server.chat_requests[0].user for section in document.sections if section.level == 2)
    assert {chunk.written for chunk in enriched.levels.chunks} == {"An answer of the test server."}


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("See Fig. 3 of Dr. Li. It is 3.5 metres. Good!", ["See Fig. 3 of Dr. Li.", "It is 3.5 metres.", "Good!"]),
        ("他说：“停。”然后走了。门关着；灯亮着。", ["他说：“停。”", "然后走了。", "门关着；灯亮着。"]),
        ("No end", ["No end"]),
        ("", []),
    ],
)
def test_a_text_is_split_into_sentences(text: str, sentences: list[str]) -> None:
    """As a reader would part them."""
    assert sentences_of(text) == sentences


def test_sentences_of_a_document_are_of_its_prose() -> None:
    """No headings, tables and code; items of a list each by themselves."""
    prose = "One is here. Two is here.\n\n- Three is here\n- Four is here\n\n"
    document = document_of(f"# A heading.\n\n{prose}```\nFive. Six.\n```\n\n| Seven. |\n|---|\n| Eight. |\n")
    result = [document.text[start:end] for start, end in sentence_spans(document)]
    assert result == ["One is here.", "Two is here.", "- Three is here", "- Four is here"]
