"""A sentence-transformers model small enough to be made in a test: random weights, real architecture and files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

DIMENSION, MAX_TOKENS = 16, 24
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "query", "passage", ":", "the", "pump", "filter", "is", "red", "blue"]


def save_tiny_model(
    folder: Path, *, prompts: Mapping[str, str] | None = None, include_prompt: bool = True, padding_side: str = "right"
) -> Path:
    """BERT of two layers, pooled by [CLS] and mean, with a dense layer on top: (n, 16), 24 tokens. Returns `folder`."""
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
            modules.Pooling(32, pooling_mode=("cls", "mean"), include_prompt=include_prompt),
            modules.Dense(64, DIMENSION),
            modules.Normalize(),
        ],
        prompts=dict(prompts or {}),
        device="cpu",
    )
    model.save_pretrained(str(folder))
    return folder


def edit_json(file: Path, **changes: object) -> None:
    """Set keys of a JSON file."""
    content = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**content, **changes}), encoding="utf-8")


def _save_transformer(folder: Path, padding_side: str) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    vocabulary = [*WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=MAX_TOKENS, padding_side=padding_side, **special)
    fast.save_pretrained(str(folder))
    BertModel(
        BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=40,
        )
    ).save_pretrained(str(folder))
