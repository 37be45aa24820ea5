"""The hit cards: what they say, and in Chromium, what they do with hostile text and keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, Request

from chunking.config import Fusion, SearchMode
from chunking.evaluation import AnswerSpan
from chunking.model import Span
from components.search.hit_reader import viewer_target
from components.search.hits import ViewedHit, _targets, _viewed_hit
from components.search.hits.cards import adding_up, cards
from components.search.hits.snippets import snippet
from tests.browser.app import new_tab, put_back
from tests.components.apps.made_search_result import HOSTILE, TEXTS, judged_result, parent_result, search_result


class TestCards:
    def test_bars_add_up(self) -> None:
        """What the bars stack is the score, and no bar is longer than the scale."""
        result = search_result()
        rows = cards(result)
        low, high = rows["scale"]
        for hit, row in zip(result.results, rows["hits"], strict=True):
            parts = [step["part"] for step in row["steps"]]
            assert sum(parts) == pytest.approx(hit.score)
            assert low <= sum(part for part in parts if part < 0)
            assert high >= sum(part for part in parts if part > 0)

    @given(
        st.lists(st.tuples(st.floats(-9, 9), st.booleans()), min_size=1, max_size=6), st.sampled_from([".2f", ".4f"])
    )
    def test_printed_parts_add_up_to_the_printed_score(self, parts: list[tuple[float, bool]], digits: str) -> None:
        """No part is changed by more than one in the last digit."""
        amounts = [amount for amount, _ in parts]
        shown = adding_up(amounts, [fixed for _, fixed in parts], digits)
        last = 10.0 ** -int(digits[1])
        assert f"{sum(shown):{digits}}".lstrip("-") == f"{round(sum(amounts), 9):{digits}}".lstrip("-")
        assert all(abs(one - amount) <= 1.5 * last + 1e-9 for one, amount in zip(shown, amounts, strict=True))

    def test_sums_of_the_waterfall_are_those_of_its_printed_steps(self) -> None:
        """Up to the score on the card; the legs below it say the same."""
        for row in cards(parent_result())["hits"]:
            total = 0.0
            for step in row["steps"]:
                total += float(step["adds"].replace("−", "-"))
                assert float(step["sum"].replace("−", "-")) == pytest.approx(total)
            assert row["steps"][-1]["sum"].lstrip("−") == row["score"].lstrip("−")
            said = {step["name"]: step["adds"] for step in row["steps"]}
            assert all(leg["adds"] == said.get(leg["name"], leg["adds"]) for leg in row["legs"])

    def test_score_and_parts_have_the_digits_of_their_kind(self) -> None:
        """Reciprocal ranks need four digits; a leg alone shows its own score and no weights."""
        ranks = cards(search_result(fusion=Fusion.RECIPROCAL_RANK), Fusion.RECIPROCAL_RANK)
        assert all(len(row["score"].partition(".")[2]) == 4 for row in ranks["hits"])
        assert not ranks["words"]["z"]
        words = cards(search_result(mode=SearchMode.TEXT))
        assert words["hits"][0]["legs"] == [words["hits"][0]["legs"][0]]
        assert words["hits"][0]["score"] == "9.40"
        assert not words["words"]["weight"]
        assert "BM25" in words["words"]["score"]

    def test_neighbours_stand_in_reading_order_around_the_hit(self) -> None:
        """Before, hit, after."""
        for row in cards(search_result())["hits"]:
            assert [row["side"] for row in row["near"]] == ["before", "hit", "after"]
            assert row["near"][1]["id"] == row["id"]

    def test_a_neighbour_chosen_by_evidence_says_why(self) -> None:
        """Fixed ones have no reason to give."""
        result = search_result()
        hit = result.results[0]
        first, *_ = hit.neighbours
        chosen = replace(hit, neighbours=(first,), neighbour_reasons={first.chunk_id: "one list"})
        rows = cards(replace(result, results=(chosen, *result.results[1:])))["hits"]
        assert [row["why"] for row in rows[0]["near"] if row["side"] != "hit"] == ["one list"]
        assert not any(row["why"] for other in rows[1:] for row in other["near"])

    def test_a_leg_that_missed_says_so(self) -> None:
        """The table is found by words only."""
        table = next(
            row
            for row in cards(search_result())["hits"]
            if [text for text, *_ in row["tags"] if text == "table"] == ["table"]
        )
        meaning, words = table["legs"]
        assert (meaning["found"], meaning["raw"], meaning["rank"]) == (False, "none", "not in 4")
        assert meaning["part"] < 0 < words["part"]

    def test_groups_name_every_hit_once(self) -> None:
        """The same hits by rank and by document."""
        rows = cards(search_result())
        assert sorted(place for group in rows["documents"] for place in group["hits"]) == list(range(len(rows["hits"])))


class TestParents:
    def test_a_parent_lists_what_was_found_in_it(self) -> None:
        """Best first, each with its place among all candidates; the card shows the best of them."""
        top, *others, last = cards(parent_result())["hits"]
        assert top["children"]["label"] == "2 of 4 chunks found"
        assert [row["rank"] for row in top["children"]["rows"]] == [1, 5]
        assert next(text for text, *_ in top["tags"]) == "parent"
        assert "".join(text for text, _ in top["pieces"]).startswith("Stop the service")
        assert not any(row["children"] for row in (*others, last))

    def test_a_summary_says_what_it_is_and_who_wrote_it(self) -> None:
        """It has no text of its own in the document."""
        last = cards(parent_result())["hits"][-1]
        assert [text for text, *_ in last["tags"]][:1] == ["section summary"]
        assert "LLM-generated" in [text for text, *_ in last["tags"]]
        assert HOSTILE in "".join(text for text, _ in last["pieces"])

    def test_the_waterfall_ends_at_the_score(self) -> None:
        """Each step begins where the one before ended."""
        result = parent_result()
        for hit, row in zip(result.results, cards(result)["hits"], strict=True):
            steps = row["steps"]
            assert [step["from"] for step in steps[1:]] == pytest.approx(
                [step["from"] + step["part"] for step in steps[:-1]]
            )
            assert steps[-1]["from"] + steps[-1]["part"] == pytest.approx(hit.score)
        assert [step["name"] for step in cards(result)["hits"][0]["steps"]] == [
            "vector",
            "full text",
            "2× chunk",
            "headings",
        ]

    def test_a_child_leads_to_its_own_place(self) -> None:
        """Inside the parent, in the same document."""
        result = parent_result()
        top = result.results[0]
        child = top.matched[1].chunk
        assert child.chunk_id in _targets(result)[top.chunk.chunk_id]
        place = viewer_target(result, ViewedHit(top.chunk.chunk_id, child.chunk_id, 1))
        assert (place.start, place.elsewhere) == (child.start, False)


class TestAnswers:
    def test_the_gold_answer_is_marked_where_it_is_found(self) -> None:
        """In place of the query's words, with a tag; a card without it is as before."""
        result = search_result()
        chunk = result.results[0].chunk
        gold = AnswerSpan(chunk.doc_id, chunk.end - 12, chunk.end + 40, "")
        first, *others = cards(result, answers=[gold])["hits"]
        assert first["answered"]
        assert "".join(text for text, marked in first["pieces"] if marked) == " ".join(chunk.content[-12:].split())
        assert "answer" in [kind for *_, kind in first["tags"]]
        assert others == cards(result)["hits"][1:]


class TestSnippet:
    def test_query_words_are_marked(self) -> None:
        """The words themselves, in both languages."""
        by_id = {row["id"]: row for row in cards(search_result())["hits"]}
        assert {text for text, marked in by_id["handbook_chunk1"]["pieces"] if marked} == {"restore"}
        assert "备份" in {text for text, marked in by_id["manual_chunk16"]["pieces"] if marked}

    def test_the_heading_that_is_the_title_is_not_said_twice(self) -> None:
        """A chunk that begins with its heading shows what stands under it."""
        pieces = snippet("### Restore\n\nStop the service.", ())
        assert pieces == [("Stop the service.", False)]
        assert snippet("### Restore\n", ()) == [("### Restore", False)]

    @given(st.text(max_size=900), st.data())
    def test_shows_what_stands_there(self, content: str, data: st.DataObject) -> None:
        """Whatever the text and the spans: pieces are a stretch of the content, marked pieces are spans, and it is not
        too long.
        """
        cuts = sorted(data.draw(st.sets(st.integers(0, len(content)), max_size=12)))
        spans = [Span(*pair) for pair in zip(cuts[::2], cuts[1::2], strict=False)]
        pieces = snippet(content, spans, lines=True)
        texts = [text for text, _ in pieces]
        shown = "".join(texts[int(texts[:1] == ["… "]) : len(texts) - int(texts[-1:] == [" …"])])
        assert shown in content or "…" in content
        assert len(shown) <= 310
        marked = {text for text, mark in pieces if mark}
        assert all(any(text in content[start:end] for start, end in spans) for text in marked)


class TestOpened:
    def test_nonsense_from_the_browser_is_ignored(self) -> None:
        """A state of an earlier search, or none at all."""
        ids = _targets(search_result())
        assert _viewed_hit({"hit": "handbook_chunk1", "target": "faq_chunk9", "turn": 3}, ids) == ViewedHit(
            "handbook_chunk1", "faq_chunk9", 3
        )
        for said in (
            None,
            "x",
            {},
            {"hit": "gone", "target": "gone"},
            {"hit": "handbook_chunk1", "target": "manual_chunk16"},
            {"hit": []},
        ):
            assert _viewed_hit(said, ids) is None

    def test_places_of_hit_neighbour_and_repeat(self) -> None:
        """Each leads to its own document and offset; what is not of this search leads to the best hit."""
        result = search_result()
        best = result.results[0].chunk
        assert viewer_target(result, ViewedHit(best.chunk_id, best.chunk_id, 0)).start == best.start
        assert viewer_target(result, ViewedHit(best.chunk_id, "handbook_chunk2", 0)).start == best.end
        repeat = viewer_target(result, ViewedHit(best.chunk_id, "faq_chunk9", 0))
        assert (repeat.doc_id, repeat.start, repeat.elsewhere) == ("faq", 40, True)
        assert viewer_target(result, ViewedHit("gone", "gone", 0)).start == best.start

    def test_a_trimmed_hit_shows_what_is_left_and_why(self) -> None:
        """Its snippet is the sentence that stays; results that were left out lead to their places."""
        result = judged_result()
        rows = cards(result)
        best, other = rows["hits"][:2]
        assert "".join(text for text, _ in best["pieces"]) == result.results[0].part.content
        assert "trimmed" in [text for text, *_ in best["tags"]]
        assert "trimmed" not in [text for text, *_ in other["tags"]]
        assert best["evidence"]
        assert other["evidence"]
        assert rows["evidence"]
        assert [row["rank"] for row in rows["left_out"]] == [4, 5]
        for hit in result.left_out:
            place = viewer_target(result, ViewedHit(hit.chunk.chunk_id, hit.chunk.chunk_id, 0))
            assert (place.hit, place.start) == (hit, hit.chunk.start)
        assert not cards(search_result())["evidence"]


@pytest.fixture
def requested() -> list[str]:
    """Addresses the page has asked for."""
    return []


@pytest.fixture
def page(scene_address: str, browser: Browser, requested: list[str]) -> Iterator[Page]:
    """The cards on screen."""
    tab = new_tab(browser, width=900)

    def note(request: Request) -> None:
        requested.append(request.url)

    tab.on("request", note)
    tab.goto(f"{scene_address}/?app=hits_app")
    tab.wait_for_selector(".card")
    yield tab
    tab.remove_listener("request", note)
    put_back(tab)


@pytest.mark.browser
class TestInChromium:
    def test_hostile_text_is_text(self, page: Page, requested: list[str]) -> None:
        """Markup in titles, texts, neighbours and citations stands there letter by letter; nothing runs, nothing is
        fetched.
        """
        for fold in page.locator(".fold").all():
            fold.click()
        assert page.locator(".open", has_text=HOSTILE).count() == 1
        assert HOSTILE in page.locator(".card", has_text="hostile").locator(".snippet").inner_text()
        assert page.locator(".board img, .board script, .board a").count() == 0
        assert page.locator(".board > .list > ol.cards > li.card").count() == len(TEXTS)
        assert page.evaluate("window.broken") is None
        assert not [url for url in requested if ":9/" in url]

    def test_tables_and_code_are_drawn_as_what_they_are(self, page: Page) -> None:
        """Cells under their header, words of code in their kind, what was asked marked in both; the raw text is a
        button away.
        """
        table = page.locator(".snippet .drawn")
        assert [row.locator("th, td").all_inner_texts() for row in table.locator("tr").all()] == [
            ["what", "how often", "kept"],
            ["full backup", "weekly", "90 days"],
            ["incremental backup", "hourly", "7 days"],
            ["restore drill", "monthly", "1 year"],
        ]
        assert table.locator("th").count() == 3
        assert table.locator("mark").count() == 3
        assert page.locator(".snippet .k-string").count() >= 2
        switch = page.get_by_role("button", name=re.compile("raw", re.IGNORECASE))
        switch.press("Enter")
        assert table.count() == 0
        assert "| full backup | weekly | 90 days |" in page.locator(".snippet", has_text="weekly").inner_text()
        switch.click()
        assert table.count() == 1

    def test_arrow_keys_move_through_the_hits(self, page: Page) -> None:
        """Down and Up move through the cards, End goes to the last, Enter opens; words name the open card, too."""
        opens = page.locator(".open")
        opens.first.focus()
        for key, rank in (
            ("ArrowDown", 2),
            ("ArrowDown", 3),
            ("ArrowUp", 2),
            ("End", 5),
            ("ArrowDown", 5),
            ("Home", 1),
            ("ArrowDown", 2),
        ):
            page.keyboard.press(key)
            assert page.locator(".card:focus-within .rank").inner_text() == str(rank)
        page.keyboard.press("Enter")
        page.get_by_text("opened ViewedHit(hit='handbook_chunk6', target='handbook_chunk6', turn=1)").wait_for()
        assert page.locator("[aria-current=true]").inner_text() == "Schedule"
        assert page.locator(".card.opened .rank").inner_text() == "2"
        assert page.locator(".card:focus-within .rank").inner_text() == "2", (
            "the answer from the server must not take the focus away"
        )

    def test_what_is_open_stays_open(self, page: Page) -> None:
        """A disclosure does not close, and the list does not scroll, when another card is opened."""
        first = page.locator(".card").first
        first.get_by_role("button", name="Why this hit").click()
        assert "cosine 0.610" in first.locator(".panel:visible").inner_text()
        page.locator(".card").nth(1).locator(".citation").click()
        page.get_by_text("turn=1)").wait_for()
        assert first.locator(".panel:visible").count() == 1
        assert page.locator(".list").evaluate("list => list.scrollTop") == 0

    def test_neighbour_and_repeat_lead_there(self, page: Page) -> None:
        """Both are buttons that open their own place."""
        first = page.locator(".card").first
        first.get_by_role("button", name="2 neighbours").click()
        first.locator(".places .link").nth(1).click()
        page.get_by_text("target='handbook_chunk2', turn=1").wait_for()
        first.get_by_role("button", name="also in 1 place").click()
        first.locator("ul.places .link").click()
        page.get_by_text("target='faq_chunk9', turn=2").wait_for()

    def test_results_that_were_left_out_are_a_click_away(self, page: Page, scene_address: str) -> None:
        """They open like hits; "Why this hit" says how a hit was judged."""
        page.goto(f"{scene_address}/?app=hits_app&judged=1")
        page.wait_for_selector(".judged")
        assert page.locator(".card").count() == 3
        first = page.locator(".card").first
        first.get_by_role("button", name="Why this hit").click()
        assert "0.65" in first.locator(".panel:visible").inner_text()
        page.locator(".judged summary").click()
        page.locator(".judged .link").last.click()
        page.get_by_text("turn=1)").wait_for()

    def test_hits_are_grouped_by_document(self, page: Page) -> None:
        """The same cards under their documents; the ranks stay, the choice is known to the server."""
        page.get_by_role("button", name="By document").click()
        assert page.locator(".group h3").all_inner_texts() == [
            "Operations handbook",
            "REST API <b>reference</b>",
            "产品手册",
        ]
        assert page.locator(".rank").count() == len(TEXTS)
        page.get_by_text("grouped True").wait_for()
