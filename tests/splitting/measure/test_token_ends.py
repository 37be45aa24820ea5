"""A SentencePiece model reads each distinct word once, and finds the tokens that it finds in the text."""

from __future__ import annotations

import pytest

from chunking.config import MULTILINGUAL_MODEL
from chunking.embedding.model_folder import find_model
from chunking.splitting import TokenCounter
from chunking.splitting.measure.token_ends import ends_by_word
from chunking.text.characters import points_of

TEXTS = (
    "",
    " \n\t ",
    "one",
    "The pump is switched off, and the pump is cleaned.\n\n  Then the filter\tfollows. ",
    "请在更换滤芯之前关闭电源。\u3000然后 打开\xa0阀门。",
    "ปิดปั๊มก่อนเปลี่ยนไส้กรอง แล้วเปิดใหม่",
    "Отключите насос. أغلق المضخة قبل تغيير المرشح.",
    "😀 👍🏽 ½ ﬁne ① Ⅷ na\u00efve e\u0301 \u200bz a\u200bb \u00ad-",
    " ".join(f"word{number} and" for number in range(2000)),
)


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return TokenCounter(find_model(MULTILINGUAL_MODEL).path)


@pytest.mark.model
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_tokens_end_where_they_end_in_the_whole_text(counter: TokenCounter, text: str) -> None:
    """Numbers and places, with white space of every kind between the words."""
    ends = ends_by_word(text, points_of(text), counter)
    assert ends is not None
    assert ends.tolist() == counter.token_ends([text])[0].clip(1).tolist()


@pytest.mark.model
def test_each_word_is_read_once(counter: TokenCounter) -> None:
    """A thousand copies of a text take one call of the tokenizer."""
    before = counter.calls
    text = "The pump is red. " * 1000
    ends = ends_by_word(text, points_of(text), counter)
    assert ends is not None
    assert len(ends) == 5000
    assert counter.calls - before == 1


@pytest.mark.model
def test_a_form_feed_leaves_the_words_to_the_model(counter: TokenCounter) -> None:
    """Python parts a word there, the model may not."""
    assert ends_by_word("one\x0ctwo", points_of("one\x0ctwo"), counter) is None
