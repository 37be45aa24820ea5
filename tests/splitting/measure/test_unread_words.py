"""Which texts a model cannot read, by its tokenizer: the packaged model's, and small ones made here of each kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from chunking.embedding.model_folder import find_model
from chunking.splitting.measure.token_counter import TokenCounter, token_counter
from chunking.splitting.measure.unread_words import worded_scripts, words_of
from chunking.text.characters import main_script, script_of
from tests.support.examples import law

FOLDER = find_model("all-MiniLM-L6-v2").path

UNREAD = {
    "Russian": "Как настроить датчик давления?",
    "Ukrainian": "Як налаштувати датчик тиску?",
    "Arabic": "كيف يمكن ضبط المستشعر",
    "Arabic with marks": "كَيْفَ يُمْكِنُ ضَبْطُ",
    "Persian": "چگونه می‌توان حسگر را تنظیم کرد",
    "Hebrew": "איך מגדירים את החיישן",
    "Hebrew with points": "שָׁלוֹם עֲלֵיכֶם",
    "Greek": "Πώς ρυθμίζω τον αισθητήρα;",
    "Hindi": "सेंसर कैसे सेट करें",
    "Bengali": "সেন্সর কীভাবে সেট করবেন",
    "Tamil": "தமிழ் மொழி",
    "Armenian": "Հայերեն տեքստ",
    "Georgian": "ქართული ენა",
    "Korean": "연차휴가",
    "Korean, decomposed": "\u110b\u1167\u11ab\u110e\u1161\u1112\u1172\u1100\u1161",
    "kana": "どうやってセンサーを設定しますか",
    "half-width kana": "ｾﾝｻｰ",
    "Thai": "เซ็นเซอร์",
    "Chinese": "怎么配置传感器",
    "Chinese, each character in the vocabulary": "日本人",
}
READ = (
    "How do I set up the sensor?",
    "TNF-α inhibitors in rheumatoid arthritis",
    "5 µg of β-carotene, ΔG‡ and a resistance of 10 Ω",
    "α",
    "rs1801133 BRCA1 XQZ-100 3f9a7be2c1",
    "phosphatidylinositol-4,5-bisphosphate 3-kinase catalytic subunit",
    "pneumonoultramicroscopicsilicovolcanoconiosis",
    "recieve the adress of teh sytem",
    "def parse_http(request): return json.loads(request.body)  # → 200",
    "Wie stelle ich den Sensor ein? Łódź, café, Ærøskøbing",
    "soft\u00adly co\u200dop 🙂 – ©",
    "2021",
    "->",
    "🙂",
    "",
)


@pytest.mark.parametrize("text", UNREAD.values(), ids=UNREAD)
def test_a_script_that_is_spelled_or_unknown_is_not_read(text: str) -> None:
    """The model has at most letters of it."""
    assert token_counter(FOLDER).unread_share(text) == 1


@pytest.mark.parametrize("text", READ)
def test_rare_words_are_read(text: str) -> None:
    """However short the pieces of a rare word are; single signs in a formula are no spelling."""
    assert token_counter(FOLDER).unread_share(text) == 0


@law(60)
@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), max_size=60))
def test_no_typing_error_makes_a_word_unreadable(text: str) -> None:
    """Any ASCII text of short words: the model has every letter, and words of the script."""
    assert token_counter(FOLDER).unread_share(text) == 0


@law(60)
@given(st.text(max_size=80).filter(lambda text: text.isprintable()))
def test_the_share_of_unread_words_lies_between_0_and_1(text: str) -> None:
    """Of any text."""
    assert 0 <= token_counter(FOLDER).unread_share(text) <= 1


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("What does the word сталь mean in this catalogue?", 0.05, 0.2),
        ("nginx настройка", 0.4, 0.6),
        ("nginx 配置", 0.4, 0.6),
        ("센서 설정 nginx", 0.6, 0.8),
        ("The pump runs. 水泵正在运行。", 0.4, 0.6),
    ],
)
def test_mixed_texts_lie_between(text: str, low: float, high: float) -> None:
    """A foreign word counts as one word, though a model spells it in many tokens."""
    assert low <= token_counter(FOLDER).unread_share(text) <= high


def test_scripts_are_looked_at_only_where_there_are_others() -> None:
    """An English query costs one call of the tokenizer, and no reading of the vocabulary."""
    counter = TokenCounter(FOLDER)
    counter.unread_share("How do I set up the sensor?")
    assert "_worded_scripts" not in vars(counter)


RUSSIAN = [
    f"{first}{middle}{last}"
    for first in ("вод", "тепл", "двер", "стол")
    for middle in "аеиоу"
    for last in ("ми", "ной", "вых", "лся", "ть", "ка")
]


def saved(folder: Path, tokenizer: Tokenizer) -> TokenCounter:
    folder.mkdir(exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    return TokenCounter(folder)


def test_a_multilingual_vocabulary_reads_what_it_has_words_of(tmp_path: Path) -> None:
    """SentencePiece (Unigram), as of multilingual-e5: Russian words, of Greek the letters alone."""
    pieces = [("<unk>", 0.0), ("▁", -1.0), *((word, -2.0) for word in (*RUSSIAN, *"абвгдежзαβγδεικλνορστωρυ"))]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    counter = saved(tmp_path, tokenizer)
    assert counter.unread_share(" ".join(RUSSIAN[:9])) == 0
    assert counter.unread_share("νερο πορτα") == 1
    assert counter.unread_share("οτι 水") == 1


@pytest.mark.parametrize(("language", "unread"), [("Russian", 0), ("English", 1)])
def test_a_byte_level_vocabulary_is_read_as_it_decodes(tmp_path: Path, language: str, unread: float) -> None:
    """Its pieces are written in letters of its own, which are no script of the text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    words = (
        RUSSIAN
        if language == "Russian"
        else [
            f"{a}{b}{c}"
            for a in ("wat", "ste", "do", "ta")
            for b in "aeiou"
            for c in ("ing", "ed", "er", "ly", "s", "ble")
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=1_000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([" ".join(words)] * 3, trainer)
    assert saved(tmp_path, tokenizer).unread_share(" ".join(RUSSIAN[:9])) == unread


def test_a_vocabulary_of_characters_alone_tells_nothing(tmp_path: Path) -> None:
    """Where every script is spelled, spelling is how the model reads; what it lacks is unread all the same."""
    description = json.loads((FOLDER / "tokenizer.json").read_text(encoding="utf-8"))
    letters = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", *"абвгдежзиклмнопрст"]
    description["model"]["vocab"] = {
        piece: number for number, piece in enumerate([*letters, *(f"##{one}" for one in letters[5:])])
    }
    description["added_tokens"] = [row | {"id": letters.index(row["content"])} for row in description["added_tokens"]]
    description["post_processor"] = None
    (tmp_path / "tokenizer.json").write_text(json.dumps(description), encoding="utf-8")
    counter = TokenCounter(tmp_path)
    assert counter.unread_share("дом и сад") == 0
    assert counter.unread_share("дом и юг") == pytest.approx(1 / 3)


def test_a_vocabulary_of_a_thousand_characters_reads_them() -> None:
    """Chinese models have single characters too: there a character is a word."""
    characters = [chr(0x4E00 + number) for number in range(1_000)]
    assert worded_scripts(characters) == frozenset({"CJK"})
    assert worded_scripts(characters[:999]) is None


def test_words_and_scripts() -> None:
    """Marks stay with their letters, format characters go; compatibility forms are the letters that they stand for."""
    assert words_of("हिन्दी में, re\u00admove\u200d it_now → ٣") == ["हिन्दी", "में", "remove", "it", "now", "٣"]
    assert [script_of(char) for char in "ｶー𝐱µ7—"] == ["KATAKANA", "KATAKANA", "LATIN", "GREEK", "", ""]
    assert main_script("RS-485 до контроллера") == "CYRILLIC"
