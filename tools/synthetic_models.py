"""Synthetic models for those of the hub: tiny, random, each in the layout that its repository has.

Architecture, kind of tokenizer, and the names and number of the weights' files are those of the
repositories; shapes are a few units, weights are drawn with the id as seed. The pieces of the
tokenizers are those of the bundled models, so that words of all languages are distinguished.
"""

import json
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
import transformers
from safetensors.torch import load_file, save_file

from tests.support.fake_hub import Repository

BUNDLED = Path(__file__).resolve().parents[1] / "resources" / "models"
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
# far wider than in use, so that vectors of different strings differ clearly
SIZES |= {"intermediate_size": 48, "initializer_range": 0.3}
_BERT_SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_ROBERTA_MARKS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
_CAMEMBERT_MARKS = ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"]
_XLNET_MARKS = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<eop>", "<eod>"]
WEIGHTS = "model.safetensors"


@dataclass(frozen=True)
class Layout:
    """What a repository is like.

    `head` is the end of the name of the class that its weights are of; `vocabulary` says whether
    the tokenizer is a list of pieces alone, as old repositories have it; `old_names` are the
    `LayerNorm.gamma` and `.beta` of weights that came from TensorFlow.
    """

    architecture: Literal["Bert", "Roberta", "XLMRoberta", "Camembert", "XLNet"] = "Bert"
    head: Literal["Model", "ForMaskedLM", "ForPreTraining", "LMHeadModel"] = "ForMaskedLM"
    vocabulary: bool = False
    weights: Literal["whole", "sharded", "pickled"] = "whole"
    old_names: bool = False
    sentence_transformers: bool = False


_SBERT = Layout(head="Model", sentence_transformers=True)
_GOOGLE = Layout(head="ForPreTraining", old_names=True)
LAYOUTS = {
    "google-bert/bert-base-uncased": _GOOGLE,
    "google-bert/bert-large-uncased": _GOOGLE,
    "google-bert/bert-base-chinese": _GOOGLE,
    "google-bert/bert-base-multilingual-uncased": _GOOGLE,
    "google-bert/bert-base-multilingual-cased": _GOOGLE,
    "almanach/camembert-base": Layout("Camembert"),
    "FacebookAI/roberta-base": Layout("Roberta"),
    "FacebookAI/roberta-large": Layout("Roberta"),
    "FacebookAI/xlm-roberta-large": Layout("XLMRoberta", weights="sharded"),
    "xlnet/xlnet-base-cased": Layout("XLNet", "LMHeadModel", weights="pickled"),
    "DeepPavlov/rubert-base-cased": Layout("Bert", "ForPreTraining", vocabulary=True),
    "tartuNLP/EstBERT": Layout("Bert", "ForPreTraining", vocabulary=True),
    "dkleczek/bert-base-polish-uncased-v1": Layout(vocabulary=True),
    "cambridgeltl/SapBERT-from-PubMedBERT-fulltext": Layout(head="Model", vocabulary=True),
    "microsoft/BiomedNLP-BiomedBERT-base-uncased-abstract-fulltext": Layout(
        vocabulary=True, weights="pickled"
    ),
    "dbmdz/bert-base-italian-uncased": Layout(vocabulary=True, weights="pickled"),
    "dbmdz/bert-base-turkish-uncased": Layout(vocabulary=True, weights="pickled"),
    "sentence-transformers/bert-base-nli-mean-tokens": _SBERT,
    "sentence-transformers/bert-large-nli-mean-tokens": _SBERT,
    "setu4993/LaBSE": Layout(head="Model"),
}


def _word_pieces() -> list[str]:
    """Return the pieces of the bundled multilingual model, special tokens first."""
    text = (BUNDLED / "bert-multi-mini" / "tokenizer.json").read_text(encoding="utf-8")
    pieces = json.loads(text)["model"]["vocab"]
    return list(dict.fromkeys([*_BERT_SPECIAL_TOKENS, *pieces]))


def _unigrams(marks: list[str]) -> list[tuple[str, float]]:
    """Return the same as pieces of SentencePiece, where a word begins with a mark of its own."""
    inner = "##"
    pieces = [one for one in _word_pieces() if one not in _BERT_SPECIAL_TOKENS]
    found = [one.removeprefix(inner) if one.startswith(inner) else f"▁{one}" for one in pieces]
    scored = {piece: -8.0 if len(piece) == 1 else -5.0 for piece in ("▁", *found)}
    return [*((mark, 0.0) for mark in marks), *scored.items(), ("<mask>", 0.0)]


def _tokenizer(layout: Layout) -> transformers.PreTrainedTokenizerBase:
    if layout.architecture == "Roberta":
        return transformers.AutoTokenizer.from_pretrained(BUNDLED / "roberta-en-mini")
    if layout.architecture == "XLMRoberta":
        return transformers.XLMRobertaTokenizer(vocab=_unigrams(_ROBERTA_MARKS[:4]))
    if layout.architecture == "Camembert":
        return transformers.CamembertTokenizer(vocab=_unigrams(_CAMEMBERT_MARKS))
    if layout.architecture == "XLNet":
        return transformers.XLNetTokenizer(vocab=_unigrams(_XLNET_MARKS))
    return transformers.BertTokenizer(vocab={p: i for i, p in enumerate(_word_pieces())})


def _config(layout: Layout, tokenizer: transformers.PreTrainedTokenizerBase) -> object:
    keys = {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    if layout.architecture == "XLNet":
        keys |= {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 48, "initializer_range": 0.3}
        return transformers.XLNetConfig(**keys)
    # positions begin behind the padding's in all but BERT
    keys["max_position_embeddings"] = 512 if layout.architecture == "Bert" else 514
    if layout.architecture != "Bert":
        keys |= {"type_vocab_size": 1, "bos_token_id": tokenizer.cls_token_id}
        keys["eos_token_id"] = tokenizer.sep_token_id
    return getattr(transformers, f"{layout.architecture}Config")(**SIZES, **keys)


def _save_weights(folder: Path, layout: Layout, model: transformers.PreTrainedModel) -> None:
    if layout.weights == "pickled":
        model.config.save_pretrained(folder)
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
        return
    sharded = {"max_shard_size": "1MB"} if layout.weights == "sharded" else {}
    model.save_pretrained(folder, **sharded)
    if layout.old_names:
        old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
        tensors = load_file(folder / WEIGHTS)
        for new_end, old_end in old.items():
            for name in [name for name in tensors if name.endswith(new_end)]:
                tensors[name.removesuffix(new_end) + old_end] = tensors.pop(name)
        save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})


def _save_tokenizer(
    folder: Path, layout: Layout, tokenizer: transformers.PreTrainedTokenizerBase, cased: bool
) -> None:
    if not layout.vocabulary:
        tokenizer.save_pretrained(folder)
        return
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece, _ in pieces))
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": not cased}))


def _save_modules(folder: Path) -> None:
    """Write the files that tell sentence-transformers to take the mean over tokens."""
    kinds = {"": "Transformer", "1_Pooling": "Pooling"}
    modules = [
        {"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for n, (path, kind) in enumerate(kinds.items())
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": SIZES["hidden_size"], "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))


def synthetic_model(hub: str, revision: str) -> Repository:
    """Return the repository of a synthetic model at a commit."""
    layout = LAYOUTS.get(hub, Layout())
    tokenizer = _tokenizer(layout)
    torch.manual_seed(zlib.crc32(hub.encode()))
    kind = getattr(transformers, layout.architecture + layout.head)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        _save_weights(folder, layout, kind(_config(layout, tokenizer)))
        _save_tokenizer(folder, layout, tokenizer, cased=hub.endswith("-cased"))
        if layout.sentence_transformers:
            _save_modules(folder)
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
    # what most repositories have besides, and nobody fetches
    files |= {"README.md": b"synthetic\n", ".gitattributes": b"", "flax_model.msgpack": b"\x80"}
    return Repository({"pytorch_model.bin": b"\x80"} | files, revision)
