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


def unigrams(marks: list[str]) -> list[tuple[str, float]]:
    """Return a SentencePiece unigram vocabulary: marks, words, characters."""
    words = [(f"▁{word}", -2.0) for word in dict.fromkeys(WORDS.split())]
    characters = [(piece, -9.0) for one in CHARACTERS for piece in (one, f"▁{one}")]
    # "▁a" is a word and a character.
    pieces = dict([("▁", -9.0), *characters, *words])
    return [*((mark, 0.0) for mark in marks), *pieces.items()]


MPNET_MARKS = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]
DEBERTA_MARKS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
BERT_MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA_MARKS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]

XLNET_MARKS = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eop>", "<eod>"]
XLM_MARKS = ["<s>", "</s>", "<pad>", "<unk>", "<special1>"]

UNUSED = ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>"]


def byte_pair_tokenizer(kind: str, marks: list[str]) -> transformers.PreTrainedTokenizerBase:
    model = json.loads(byte_pairs(marks).to_str())["model"]
    merges = [tuple(pair) for pair in model["merges"]]
    return getattr(transformers, kind)(vocab=model["vocab"], merges=merges)


def xlm_tokenizer() -> transformers.PreTrainedTokenizerBase:
    tokenizer = byte_pairs(XLM_MARKS)
    tokenizer.post_processor = processors.BertProcessing(("</s>", 1), ("<s>", 0))
    names = ("bos_token", "sep_token", "pad_token", "unk_token", "mask_token")
    options = dict(zip(names, XLM_MARKS, strict=True)) | {"cls_token": "</s>"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **options)


def modernbert_tokenizer() -> transformers.PreTrainedTokenizerBase:
    # The padding token is at the end, as in the published vocabulary.
    names = ("unk_token", "cls_token", "sep_token", "mask_token", "pad_token")
    marks = ["[UNK]", "[CLS]", "[SEP]", "[MASK]", "[PAD]"]
    tokenizer = byte_pairs(marks[:4])
    tokenizer.add_special_tokens(marks[4:])
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    options = dict(zip(names, marks, strict=True))
    options["model_input_names"] = ["input_ids", "attention_mask"]
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **options)


TOKENIZERS: dict[str, Callable[[], transformers.PreTrainedTokenizerBase]] = {
    "bert": lambda: transformers.BertTokenizer(vocab=word_pieces(BERT_MARKS)),
    "distilbert": lambda: transformers.DistilBertTokenizer(vocab=word_pieces(BERT_MARKS)),
    "electra": lambda: transformers.BertTokenizer(vocab=word_pieces(BERT_MARKS)),
    "mpnet": lambda: transformers.MPNetTokenizer(vocab=word_pieces(MPNET_MARKS)),
    "roberta": lambda: byte_pair_tokenizer("RobertaTokenizer", ROBERTA_MARKS),
    "xlm-roberta": lambda: transformers.XLMRobertaTokenizer(
        vocab=[*unigrams(ROBERTA_MARKS[:4]), ("<mask>", 0.0)]
    ),
    # Like the published vocabulary: the special tokens in use follow others that are not.
    "camembert": lambda: transformers.CamembertTokenizer(
        vocab=[*unigrams([*UNUSED, "<unk>NOTUSED", "<s>", "</s>"]), ("<mask>", 0.0)]
    ),
    "albert": lambda: transformers.AlbertTokenizer(
        vocab=unigrams(["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"])
    ),
    "deberta": lambda: byte_pair_tokenizer("DebertaTokenizer", DEBERTA_MARKS),
    "deberta-v2": lambda: transformers.DebertaV2Tokenizer(
        vocab=[*unigrams(DEBERTA_MARKS[:4]), ("[MASK]", 0.0)], unk_id=3
    ),
    "modernbert": modernbert_tokenizer,
    # [SEP] and [CLS] follow the string, and it pads on the left
    "xlnet": lambda: transformers.XLNetTokenizer(vocab=unigrams(XLNET_MARKS)),
    # that of the published ones needs a package of its own to cut words
    "xlm": xlm_tokenizer,
}
RELATIVE = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}
RELATIVE |= {"position_biased_input": False, "type_vocab_size": 0}
ROBERTA = {"type_vocab_size": 1}
V2 = {"position_buckets": 8, "norm_rel_ebd": "layer_norm", "share_att_key": True}
# A window narrower than the strings; every rate is 0, as published.
WINDOW = {"local_attention": 8, "layer_types": ["full_attention", "sliding_attention"]}
# Name: begin of the names of its classes, class with a head, what the config says besides SIZES.
ARCHITECTURES: dict[str, tuple[str, str, dict]] = {
    "bert": ("Bert", "ForPreTraining", {}),
    "roberta": ("Roberta", "ForMaskedLM", ROBERTA),
    "xlm-roberta": ("XLMRoberta", "ForMaskedLM", ROBERTA),
    "camembert": ("Camembert", "ForMaskedLM", {**ROBERTA, "bos_token_id": 5, "eos_token_id": 6}),
    "distilbert": ("DistilBert", "ForMaskedLM", {}),
    "electra": ("Electra", "ForPreTraining", {"embedding_size": 16}),
    "mpnet": ("MPNet", "ForMaskedLM", {}),
    "albert": ("Albert", "ForPreTraining", {"embedding_size": 16}),
    "deberta": ("Deberta", "ForMaskedLM", RELATIVE),
    "deberta-v2": ("DebertaV2", "ForMaskedLM", {**RELATIVE, **V2, "conv_kernel_size": 3}),
    "modernbert": ("ModernBert", "ForMaskedLM", WINDOW),
}
# The same of those that are embedded, not tuned: the names of their sizes are others.
AS_THEY_ARE: dict[str, tuple[str, str, dict]] = {
    "xlnet": ("XLNet", "LMHeadModel", {}),
    "xlm": ("XLM", "WithLMHeadModel", {"pad_index": 2, "unk_index": 3, "mask_index": 4}),
}
_OWN_SIZES = {
    "xlnet": {
        "hidden_size": "d_model",
        "num_hidden_layers": "n_layer",
        "num_attention_heads": "n_head",
        "intermediate_size": "d_inner",
        "initializer_range": "initializer_range",
    },
    "xlm": {
        "hidden_size": "emb_dim",
        "num_hidden_layers": "n_layers",
        "num_attention_heads": "n_heads",
        "initializer_range": "embed_init_std",
        "max_position_embeddings": "max_position_embeddings",
    },
    "distilbert": {**{key: key for key in SIZES}, "intermediate_size": "hidden_dim"},
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
    name: str, tokenizer: transformers.PreTrainedTokenizerBase, **changes: object
) -> transformers.PreTrainedConfig:
    """Return the config of a tiny model of architecture `name` for `tokenizer`."""
    kind, _, own = {**ARCHITECTURES, **AS_THEY_ARE}[name]
    named = _OWN_SIZES.get(name, {key: key for key in SIZES})
    sizes = {named[key]: size for key, size in SIZES.items() if key in named}
    first, last = tokenizer.cls_token_id, tokenizer.sep_token_id
    marks = {"pad_token_id": tokenizer.pad_token_id, "bos_token_id": first, "eos_token_id": last}
    if name == "modernbert":
        marks |= {"cls_token_id": first, "sep_token_id": last}
    keys = {**sizes, "vocab_size": len(tokenizer), **marks, **own, **changes}
    return getattr(transformers, f"{kind}Config")(**keys)


def head_class(name: str) -> type[transformers.PreTrainedModel]:
    """Return the class that the published checkpoints of an architecture were saved from."""
    return getattr(transformers, "".join({**ARCHITECTURES, **AS_THEY_ARE}[name][:2]))


def make_architecture(folder: Path, name: str, head: bool = False, **changes: object) -> Path:
    """Save a random model of architecture `name` with its tokenizer; `changes` are of its config.

    Without `head` it is what AutoModel loads, pooler layer included; with it, the class that the
    published checkpoints were saved from.
    """
    tokenizer = TOKENIZERS[name]()
    config = make_config(name, tokenizer, **changes)
    torch.manual_seed(3)
    make = head_class(name) if head else transformers.AutoModel.from_config
    make(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
