"""Token counting as in an embedding model; each distinct word is tokenized once, then looked up.

A BERT tokenizer (WordPiece) makes no token across white space, so the tokens of a text are the sum of those of its
words, and a corpus has few distinct words. Other tokenizers do not add up like this: for them `crosses_space` is True,
`token_positions` takes token places from passages, and each final chunk is counted again. SentencePiece models make no
token across white space either, but their words may be long: in Chinese or Thai, as long as a sentence.

The only module that imports tokenizers.
"""

from __future__ import annotations

import json
import re
import string
import sys
import threading
import time
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.errors import ModelError
from chunking.model import Document
from chunking.paths import AnyPath
from chunking.splitting.measure.unread_words import unread_share, worded_scripts
from chunking.text.byte_caches import list_cache
from chunking.text.sentence_pieces import MODEL_FILE, UNKNOWN, SentencePieceTokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Letter", "TokenCounter", "block_tokens", "token_counter"]

Ints = NDArray[np.int32]

_WORDS_AT_ONCE = 512
"""Words in one line for the tokenizer; many short texts cost three times as much as few longer ones."""
_LINES_AT_ONCE = 64
_ASCII_SPACE = re.compile(r"[ \t\n\r]+")
_ASCII_PARTS = re.compile(r"[^ \t\n\r!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")
"""Words and punctuation marks, separated as by a BERT tokenizer in ASCII."""
_ODD_SPACE = re.compile(r"[^\S \t\n\r]")
"""White space for Python that may be none for a tokenizer, such as a form feed."""
_FEW = 256
"""Maximum words that are added up one by one, in less time than an array takes to be made."""
_PIECE = 1 << 18
"""Characters of a text split at once.

A list of all words of a long document takes ten times its memory.
"""
_REMEMBERED_WORDS = 2_000_000
"""Maximum cached words, some 200 MB; the cache is then emptied."""
_REMEMBERED_BYTES = 256 * 2**20
"""Maximum bytes of cached words with their numbers: a word may be a complete file."""
_EACH = 112
"""Bytes of a word's number and count, beyond its letters."""


_PIECES: dict[str, Any] = {"model": {"type": "Unigram", "unk_id": UNKNOWN}}
"""Description of a SentencePiece model, in the form of `tokenizer.json`."""


class Letter(NamedTuple):
    """Treatment of a character by the tokenizer, observed between two letters."""

    space: bool
    """True if it separates words and is no token."""
    alone: bool
    """True if it is always a word of its own: punctuation, a Chinese character."""
    length: int
    """Number of characters it adds to its word.

    0 for a control character or an accent, which the tokenizer drops.
    """


class _Numbered(dict[str, int]):
    """Dictionary that numbers each new word, so that words are looked up and collected in one pass."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


class _Spaced(dict[int, str]):
    """Table for `str.translate` that puts spaces around lone characters and in place of separators."""

    def __init__(self, letter: Callable[[str], Letter]) -> None:
        super().__init__(
            {ord(char): f" {char} " for char in string.punctuation} | dict.fromkeys(map(ord, "\t\n\r"), " ")
        )
        self._letter = letter

    def __missing__(self, point: int) -> str:
        char = chr(point)
        space, alone, _ = (char == " ", False, 1) if char.isascii() else self._letter(char)
        self[point] = result = " " if space else f" {char} " if alone else char
        return result


class TokenCounter:
    """Token counter of a model, without special tokens; threads may share it.

    Attributes:
        calls: texts passed to the tokenizer so far; law 6 is tested with it.
        crosses_space: tokens may cross white space, or words are too long to be counted each.
        divides_at_space: no token crosses white space, so counts up to it add up exactly.
        holds_text: its cache contains words of documents.
        longest_word: maximum letters of a word that is not one unknown token; None without such a limit.
    """

    holds_text = True

    def __init__(self, folder: AnyPath) -> None:
        """Read `tokenizer.json` of a folder.

        Raises:
            ModelError: the file is missing or no tokenizer.
        """
        path = Path(folder, "tokenizer.json")
        pieces = Path(folder, MODEL_FILE)
        is_pieces = pieces.is_file() and not path.is_file()
        description = _PIECES if is_pieces else _description(path)
        self.calls = 0
        self.crosses_space = not _adds_up(description)
        self.divides_at_space = is_pieces or not self.crosses_space
        self.longest_word: int | None = (
            None if self.crosses_space else description["model"].get("max_input_chars_per_word", 100)
        )
        self.special: tuple[str, ...] = tuple(
            row["content"] for row in description.get("added_tokens") or () if row["content"]
        )
        self._marks = re.compile("|".join(map(re.escape, self.special))) if self.special else None
        self._tokenizer: Any = SentencePieceTokenizer(pieces) if is_pieces else _load(path)
        self._unknown = _unknown_id(self._tokenizer, description)
        self._words = _Numbered()
        self._counts = array("i")
        self._letters: dict[str, Letter] = {}
        self._spaced = _Spaced(self.letter)
        self._texts: dict[str, int] = {}
        self._texts_bytes = self._words_bytes = 0
        self._used = time.monotonic()
        self._lock = threading.Lock()
        list_cache(self)

    @property
    def name(self) -> str:
        """Name of module and class, under which lists of caches show the counter."""
        return f"{__name__}.{type(self).__name__}"

    @property
    def most(self) -> int:
        """Maximum bytes of cached words and texts."""
        return 2 * _REMEMBERED_BYTES

    @property
    def size(self) -> int:
        """Bytes of cached words and texts."""
        return self._words_bytes + self._texts_bytes

    def clear(self) -> None:
        """Clear the cached words and texts."""
        with self._lock:
            self._forget_words()
            self._texts, self._texts_bytes = {}, 0

    def drop_unused(self, seconds: float) -> None:
        """Clear the cache if nothing was counted for this many seconds."""
        if self._used < time.monotonic() - seconds:
            self.clear()

    def _forget_words(self) -> None:
        self._words, self._counts, self._words_bytes = _Numbered(), array("i"), 0

    def count(self, text: str) -> int:
        """Count the tokens of a text without special ones.

        A literal "[SEP]" in the text counts, as for the model.
        """
        if self.crosses_space:
            number = self._texts.get(text)
            return self._remember(text) if number is None else number
        parts = self.parts(text)
        if len(parts) <= _FEW:
            with self._lock:
                words, counts = self._words, self._counts
                numbers = [words[part] for part in parts if part in words]
                if len(numbers) == len(parts) and len(words) == len(counts):
                    self._used = time.monotonic()
                    return sum([counts[number] for number in numbers])
        return int(self.count_words(parts).sum())

    def learn(self, text: str) -> None:
        """Count and cache each distinct word; texts of these words then need no tokenizer (law 6).

        Does nothing if tokens cross white space.
        """
        if not self.crosses_space:
            at, words = 0, set[str]()
            while at < len(text):
                end = text.find(" ", at + _PIECE)
                piece = text[at : end if end >= 0 else len(text)]
                words.update([piece] if _ODD_SPACE.search(piece) else piece.split())
                at += len(piece) + 1
            once = "\n".join(words)  # each word once: a tenth of a long text
            parts = set(self._apart(once))
            if self._has_marks(once):  # each is a part of its own, and its letters are where it is taken out
                parts.update(self.parts(once))
            if _ODD_SPACE.search(once):  # a text may be stripped of it before it is counted
                parts.update([part.strip() for part in parts])
            self.count_words(list(parts))

    def parts(self, text: str) -> list[str]:
        """Split a text into the words, punctuation and special tokens that `count` adds up."""
        if not self._has_marks(text):
            return self._apart(text)
        marks = re.split(
            "|".join(f"({re.escape(mark)})" for mark in self.special), text
        )  # they are tokens whatever they are made of
        return [part for some in marks if some for part in ([some] if some in self.special else self._apart(some))]

    def _has_marks(self, text: str) -> bool:
        return self._marks is not None and self._marks.search(text) is not None

    def _apart(self, text: str) -> list[str]:
        """Split a text into parts, ignoring added tokens."""
        if text.isascii():
            return _ASCII_PARTS.findall(text)
        return [part for part in text.translate(self._spaced).split(" ") if part]

    def words(self, text: str) -> list[str]:
        """Split a text at white space as the tokenizer sees it (a form feed is none, U+2003 is)."""
        if text.isascii():
            return [word for word in _ASCII_SPACE.split(text) if word]
        spaces = {char for char in set(text) if self.letter(char).space}
        return [word for word in text.translate(dict.fromkeys(map(ord, spaces), " ")).split(" ") if word]

    def count_words(self, words: Sequence[str]) -> Ints:
        """Count the tokens of each word; only new words reach the tokenizer.

        Returns:
            (len(words),) int32.
        """
        with self._lock:  # two sessions that meet new words at once must not both append their counts
            numbers = np.fromiter(map(self._words.__getitem__, words), np.int32, len(words))
            if len(self._words) > len(self._counts):
                new = list(self._words)[len(self._counts) :]
                self._counts.extend(self._tokenize(new))
                self._words_bytes += sum(map(sys.getsizeof, new)) + _EACH * len(new)
            counts: Ints = np.frombuffer(self._counts, np.int32)[numbers] if len(words) else numbers
            self._used = time.monotonic()
            if len(self._words) > _REMEMBERED_WORDS or self._words_bytes > _REMEMBERED_BYTES:
                self._forget_words()
        return counts

    def count_each(self, texts: Sequence[str]) -> Ints:
        """Count the tokens of each text, as `count`, in one pass.

        Returns:
            (len(texts),) int32.
        """
        if self.crosses_space:
            return np.array([self.count(text) for text in texts], np.int32)
        words = [self.parts(text) for text in texts]
        running = np.concatenate(([0], np.cumsum(self.count_words(list(chain.from_iterable(words))), dtype=np.int32)))
        ends = np.cumsum([len(some) for some in words], dtype=np.int32)
        return np.diff(running[ends], prepend=0).astype(np.int32)

    def letter(self, char: str) -> Letter:
        """Return the tokenizer's treatment of a character."""
        letter = self._letters.get(char)
        if letter is None:
            letter = self._letters[char] = self._observe(char)
        return letter

    def token_ends(self, texts: Sequence[str]) -> list[Ints]:
        """Return the (t,) ascending end offsets of each text's tokens; for tokenizers that cross white space."""
        self.calls += len(texts)
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        rows = [one.offsets for one in encoded]
        if self.divides_at_space:  # a token of white space alone belongs to the word after it
            pairs = zip(texts, rows, strict=True)
            rows = [[(start, end + text[start:end].isspace()) for start, end in row] for text, row in pairs]
        return [np.maximum.accumulate(np.array([end for _, end in row], np.int32)) for row in rows]

    def unread_share(self, text: str) -> float:
        """Return the share of a text's words that the model cannot read, 0 to 1.

        These are words that its vocabulary lacks, and those in scripts of which it has letters but no words. Near 1 on
        Chinese for an English model.
        """
        return unread_share(text, lambda: self._worded_scripts, self._unknown_tokens)

    @cached_property
    def _worded_scripts(self) -> frozenset[str] | None:
        pieces = self._tokenizer.get_vocab(with_added_tokens=False)
        if isinstance(self._tokenizer, SentencePieceTokenizer):  # its pieces are their own text
            return worded_scripts(pieces)
        plain = (piece for piece in pieces if piece.isascii())
        # Decoded, because a byte-level vocabulary has letters of its own for bytes.
        others = self._tokenizer.decode_batch([[number] for piece, number in pieces.items() if not piece.isascii()])
        return worded_scripts(chain(plain, others))

    def _unknown_tokens(self, words: Sequence[str]) -> list[float]:
        """Return for each word the share of its tokens that the vocabulary lacks."""
        if self._unknown is None or not words:
            return [0.0] * len(words)
        self.calls += len(words)
        rows = (one.ids for one in self._tokenizer.encode_batch_fast(list(words), add_special_tokens=False))
        return [ids.count(self._unknown) / len(ids) if ids else 0.0 for ids in rows]

    def _remember(self, text: str) -> int:
        self.calls += 1
        self._used = time.monotonic()
        if len(self._texts) > _REMEMBERED_WORDS // 20 or self._texts_bytes + sys.getsizeof(text) > _REMEMBERED_BYTES:
            self._texts, self._texts_bytes = {}, 0
        self._texts[text] = number = self._count_text(text)
        self._texts_bytes += sys.getsizeof(text) + _EACH
        return number

    def _count_text(self, text: str) -> int:
        if isinstance(self._tokenizer, SentencePieceTokenizer):
            return self._tokenizer.count(text)
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def _tokenize(self, words: Sequence[str]) -> Iterable[int]:
        """Count the tokens of each word, tokenized in lines with a special token between words."""
        mark = next((mark for mark in self.special if self._tokenizer.token_to_id(mark) is not None), None)
        if self.crosses_space or mark is None:
            return self._tokenize_singly(words)
        shared = [word for word in words if mark not in word and word]
        counts = dict(zip(shared, self._tokenize_in_lines(shared, mark), strict=True))
        rest = [word for word in words if word not in counts]
        counts.update(zip(rest, self._tokenize_singly(rest), strict=True))
        return [counts[word] for word in words]

    def _tokenize_in_lines(self, words: Sequence[str], mark: str) -> list[int]:
        stop = self._tokenizer.token_to_id(mark)
        lines = [words[at : at + _WORDS_AT_ONCE] for at in range(0, len(words), _WORDS_AT_ONCE)]
        counts: list[int] = []
        for at in range(0, len(lines), _LINES_AT_ONCE):
            texts = [f" {mark} ".join(line) + f" {mark}" for line in lines[at : at + _LINES_AT_ONCE]]
            self.calls += len(texts)
            for encoded in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False):
                places = np.flatnonzero(np.array(encoded.ids, np.int32) == stop)
                counts.extend((np.diff(places, prepend=-1) - 1).tolist())
        return counts

    def _tokenize_singly(self, words: Sequence[str]) -> list[int]:
        self.calls += len(words)
        return (
            [len(one) for one in self._tokenizer.encode_batch_fast(list(words), add_special_tokens=False)]
            if words
            else []
        )

    def _observe(self, char: str) -> Letter:
        if self.crosses_space:
            return Letter(char.isspace(), unicodedata.category(char)[0] == "P" or "\u3041" <= char <= "\u9fff", 1)
        self.calls += 1
        text = f"a{char}a"
        normal = self._tokenizer.normalizer.normalize_str(text) if self._tokenizer.normalizer else text
        words = [word for word, _ in self._tokenizer.pre_tokenizer.pre_tokenize_str(normal)]
        if len(words) == 1:
            return Letter(False, False, len(words[0]) - 2)
        return Letter(len(words) == 2, len(words) > 2, 0)


def token_counter(folder: AnyPath) -> TokenCounter:
    """Return the counter of a model's folder, shared by the process with its cached words.

    Raises:
        ModelError: the folder's `tokenizer.json` is missing or no tokenizer.
    """
    return _counter(Path(folder))


@lru_cache(maxsize=8)
def _counter(folder: Path) -> TokenCounter:
    return TokenCounter(folder)


def _adds_up(description: dict[str, Any]) -> bool:
    """True for a BERT tokenizer whose added tokens do not depend on their context."""
    kinds = [(description.get(part) or {}).get("type") for part in ("model", "pre_tokenizer", "normalizer")]
    added = description.get("added_tokens") or ()
    context_free = not any(
        row.get("single_word") or row.get("normalized") or re.search(r"\s", row["content"]) for row in added
    )
    return kinds == ["WordPiece", "BertPreTokenizer", "BertNormalizer"] and context_free


def _description(path: Path) -> dict[str, Any]:
    try:
        description: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"The tokenizer {path} cannot be read ({error}); give a model that has one.", where=str(path)
        ) from error
    return description


def _load(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        raise ModelError(
            f"The tokenizer {path} cannot be read ({error}); give a model that has one.", where=str(path)
        ) from error
    # The file of all-MiniLM-L6-v2 cuts *and* fills every text to 128 tokens.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _unknown_id(tokenizer: Any, description: dict[str, Any]) -> int | None:
    model = description["model"]
    name = model.get("unk_token")
    if name is not None:
        number: int | None = tokenizer.token_to_id(name)
        return number
    unknown: int | None = model.get("unk_id")
    return unknown


def block_tokens(document: Document, counter: TokenCounter) -> Ints:
    """Return (blocks,) tokens of each block of a document."""
    return counter.count_each([document.text[block.start : block.end] for block in document.blocks])
