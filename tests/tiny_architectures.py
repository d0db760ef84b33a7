"""A random model of each architecture, with the tokenizer class that goes with it.

The configs differ from the defaults where the published checkpoints do (embeddings narrower than
the hidden states, relative positions, shared layers, no dropout), and where padding, positions and
special tokens may go wrong.
"""

import json
from collections.abc import Callable
from pathlib import Path

import torch
import transformers
from tiny_models import CHARACTERS, SIZES, WORDS, byte_pairs, word_pieces
from tokenizers import processors
from transformers import PreTrainedConfig, PreTrainedTokenizerBase, PreTrainedTokenizerFast


def unigrams(marks: list[str]) -> list[tuple[str, float]]:
    """Return a SentencePiece unigram vocabulary: marks, words, characters."""
    words = [(f"▁{word}", -2.0) for word in dict.fromkeys(WORDS.split())]
    characters = [(piece, -9.0) for one in CHARACTERS for piece in (one, f"▁{one}")]
    # "▁a" is a word and a character.
    pieces = dict([("▁", -9.0), *characters, *words])
    return [*((mark, 0.0) for mark in marks), *pieces.items()]


def bert_tokenizer() -> PreTrainedTokenizerBase:
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return transformers.BertTokenizer(vocab=word_pieces(marks))


def distilbert_tokenizer() -> PreTrainedTokenizerBase:
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return transformers.DistilBertTokenizer(vocab=word_pieces(marks))


def mpnet_tokenizer() -> PreTrainedTokenizerBase:
    marks = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]
    return transformers.MPNetTokenizer(vocab=word_pieces(marks))


def roberta_tokenizer() -> PreTrainedTokenizerBase:
    model = json.loads(byte_pairs(["<s>", "<pad>", "</s>", "<unk>", "<mask>"]).to_str())["model"]
    return transformers.RobertaTokenizer(
        vocab=model["vocab"], merges=[tuple(pair) for pair in model["merges"]]
    )


def xlm_roberta_tokenizer() -> PreTrainedTokenizerBase:
    marks = ["<s>", "<pad>", "</s>", "<unk>"]
    return transformers.XLMRobertaTokenizer(vocab=[*unigrams(marks), ("<mask>", 0.0)])


def camembert_tokenizer() -> PreTrainedTokenizerBase:
    # Like the published vocabulary: the marks in use stand behind others that are not.
    marks = ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"]
    return transformers.CamembertTokenizer(vocab=[*unigrams(marks), ("<mask>", 0.0)])


def albert_tokenizer() -> PreTrainedTokenizerBase:
    return transformers.AlbertTokenizer(
        vocab=unigrams(["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"])
    )


def deberta_tokenizer() -> PreTrainedTokenizerBase:
    model = json.loads(byte_pairs(["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]).to_str())["model"]
    return transformers.DebertaTokenizer(
        vocab=model["vocab"], merges=[tuple(pair) for pair in model["merges"]]
    )


def deberta_v2_tokenizer() -> PreTrainedTokenizerBase:
    return transformers.DebertaV2Tokenizer(
        vocab=[*unigrams(["[PAD]", "[CLS]", "[SEP]", "[UNK]"]), ("[MASK]", 0.0)], unk_id=3
    )


def modernbert_tokenizer() -> PreTrainedTokenizerBase:
    # The padding token stands at the end, as in the published vocabulary.
    tokenizer = byte_pairs(["[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.add_special_tokens(["[PAD]"])
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        pad_token="[PAD]",
        model_input_names=["input_ids", "attention_mask"],
    )


RELATIVE = {
    "relative_attention": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "type_vocab_size": 0,
}
# Name: tokenizer, config class, what the config says besides SIZES, class with a head.
ARCHITECTURES: dict[str, tuple[Callable[[], PreTrainedTokenizerBase], str, dict, str]] = {
    "bert": (bert_tokenizer, "BertConfig", {}, "BertForPreTraining"),
    "roberta": (roberta_tokenizer, "RobertaConfig", {"type_vocab_size": 1}, "RobertaForMaskedLM"),
    "xlm-roberta": (
        xlm_roberta_tokenizer,
        "XLMRobertaConfig",
        {"type_vocab_size": 1},
        "XLMRobertaForMaskedLM",
    ),
    "camembert": (
        camembert_tokenizer,
        "CamembertConfig",
        {"type_vocab_size": 1, "bos_token_id": 5, "eos_token_id": 6},
        "CamembertForMaskedLM",
    ),
    "distilbert": (distilbert_tokenizer, "DistilBertConfig", {}, "DistilBertForMaskedLM"),
    "electra": (
        bert_tokenizer,
        "ElectraConfig",
        {"embedding_size": 16},
        "ElectraForPreTraining",
    ),
    "mpnet": (mpnet_tokenizer, "MPNetConfig", {}, "MPNetForMaskedLM"),
    "albert": (albert_tokenizer, "AlbertConfig", {"embedding_size": 16}, "AlbertForPreTraining"),
    "deberta": (deberta_tokenizer, "DebertaConfig", RELATIVE, "DebertaForMaskedLM"),
    "deberta-v2": (
        deberta_v2_tokenizer,
        "DebertaV2Config",
        {
            **RELATIVE,
            "position_buckets": 8,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "conv_kernel_size": 3,
        },
        "DebertaV2ForMaskedLM",
    ),
    "modernbert": (
        modernbert_tokenizer,
        "ModernBertConfig",
        # A window narrower than the strings; every rate is 0, as published.
        {"local_attention": 8, "layer_types": ["full_attention", "sliding_attention"]},
        "ModernBertForMaskedLM",
    ),
}
# Those whose AutoModel has a pooler layer.
WITH_POOLER = ("bert", "roberta", "xlm-roberta", "camembert", "mpnet", "albert")


def dropout_keys(name: str, rate: float) -> dict[str, float]:
    """Return what sets every dropout of architecture `name` to `rate` in its config."""
    keys = {
        "distilbert": ("dropout", "attention_dropout"),
        "modernbert": ("embedding_dropout", "attention_dropout", "mlp_dropout"),
    }.get(name, ("hidden_dropout_prob", "attention_probs_dropout_prob"))
    return dict.fromkeys(keys, rate)


def make_config(
    name: str, tokenizer: PreTrainedTokenizerBase, **changes: object
) -> PreTrainedConfig:
    """Return the config of a tiny model of architecture `name` for `tokenizer`."""
    _, config_class, own, _ = ARCHITECTURES[name]
    sizes = dict(SIZES)
    if name == "distilbert":
        del sizes["intermediate_size"]
        sizes["hidden_dim"] = SIZES["intermediate_size"]
    marks = {
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.cls_token_id,
        "eos_token_id": tokenizer.sep_token_id,
    }
    if name == "modernbert":
        marks |= {"cls_token_id": tokenizer.cls_token_id, "sep_token_id": tokenizer.sep_token_id}
    return getattr(transformers, config_class)(
        **{**sizes, "vocab_size": len(tokenizer), **marks, **own, **changes}
    )


def make_architecture(folder: Path, name: str, head: bool = False, **changes: object) -> Path:
    """Save a random model of architecture `name` with its tokenizer; `changes` are of its config.

    Without `head` it is what AutoModel loads, pooler layer included; with it, the class that the
    published checkpoints were saved from.
    """
    tokenizer = ARCHITECTURES[name][0]()
    config = make_config(name, tokenizer, **changes)
    torch.manual_seed(3)
    model_class = getattr(transformers, ARCHITECTURES[name][3])
    model = model_class(config) if head else transformers.AutoModel.from_config(config)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    return folder
