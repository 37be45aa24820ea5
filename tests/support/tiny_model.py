"""Tiny sentence-transformers models made in a test: random weights, real architecture and files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DIMENSION, MAX_TOKENS = 16, 24
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "query",
    "passage",
    ":",
    "the",
    "pump",
    "filter",
    "is",
    "red",
    "blue",
]


def save_tiny_model(
    folder: Path,
    *,
    prompts: Mapping[str, str] | None = None,
    include_prompt: bool = True,
    padding_side: str = "right",
    pooling: tuple[str, ...] = ("cls", "mean"),
    dense: bool = True,
) -> Path:
    """Save a pooled two-layer BERT with 24 tokens; returns `folder`.

    Its vectors have 16 numbers after a dense layer; without it 32 per way of pooling.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.manual_seed(7)
    source = folder.with_name(f"{folder.name}-source")
    _save_transformer(source, padding_side)
    model = SentenceTransformer(
        modules=[
            modules.Transformer(str(source)),
            modules.Pooling(32, pooling_mode=pooling, include_prompt=include_prompt),
            *([modules.Dense(32 * len(pooling), DIMENSION)] if dense else []),
            modules.Normalize(),
        ],
        prompts=dict(prompts or {}),
        device="cpu",
    )
    model.save_pretrained(str(folder))
    return folder


def save_tiny_cross_encoder(folder: Path, *, scores: int = 1) -> Path:
    """Save a two-layer BERT with a scoring layer: `scores` numbers per pair, 24 tokens. Returns `folder`."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import BertForSequenceClassification
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.manual_seed(11)
    source = folder.with_name(f"{folder.name}-source")
    vocabulary = _save_tokenizer(source, "right")
    BertForSequenceClassification(_bert(vocabulary, num_labels=scores)).save_pretrained(str(source))
    CrossEncoder(str(source), device="cpu", local_files_only=True).save_pretrained(str(folder))
    return folder


def edit_json(file: Path, **changes: object) -> None:
    """Set keys of a JSON file."""
    content = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**content, **changes}), encoding="utf-8")


def _save_transformer(folder: Path, padding_side: str) -> None:
    from transformers import BertModel

    vocabulary = _save_tokenizer(folder, padding_side)
    BertModel(_bert(vocabulary)).save_pretrained(str(folder))


def _bert(vocabulary: int, **settings: int) -> Any:
    from transformers import BertConfig

    return BertConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=40,
        **settings,
    )


def _save_tokenizer(folder: Path, padding_side: str) -> int:
    """Save a tokenizer and return the size of its vocabulary."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = [*WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {
        "unk_token": "[UNK]",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    }
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=MAX_TOKENS, padding_side=padding_side, **special
    )
    fast.save_pretrained(str(folder))
    return len(vocabulary)
