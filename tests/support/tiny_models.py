"""Random models of a few thousand weights, with tokenizers made from a handful of words."""

import json
from pathlib import Path

import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from workflow_scripts.embedding.encoder_folder import load_model, save_encoder
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.processes import Processes

WORDS = "a the small big red green cat dog man woman house tree runs sleeps eats sees near under"
CHARACTERS = [*"abcdefghijklmnopqrstuvwxyz0123456789"]
SIZES = {
    **{"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4},
    **{"intermediate_size": 48, "max_position_embeddings": 66},
    # Far wider than in use, so that vectors of different strings differ clearly.
    "initializer_range": 0.3,
}


# A recipe that the tiny models and sentences can be tuned by.
RECIPE = {
    **{"method": "mirror", "pooling": "mean_padded", "embed_max_length": 24, "max_length": 20},
    **{"epochs": 1, "temperature": 0.1, "batch_size": 8, "learning_rate": 1e-3},
    **{"span_masking": {"length": 5, "min_length": 10}, "dropout": 0.1},
}


def make_sentences(count: int) -> list[str]:
    """Return `count` different sentences, some of them shorter than 30 characters."""
    words = WORDS.split()
    return [
        " ".join(words[(number * step + step) % len(words)] for step in range(2, 4 + number % 8))
        + f" {number}"
        for number in range(count)
    ]


def cpu_means() -> TrainingContext:
    """Return what the loop gives a method in one process on a processor, in float32."""
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    return TrainingContext(33, torch.device("cpu"), torch.float32, scaler, Processes())


def word_pieces(marks: list[str]) -> dict[str, int]:
    """Return a WordPiece vocabulary: marks, words, characters, characters inside of words."""
    pieces = [*marks, *WORDS.split(), *CHARACTERS, *(f"##{one}" for one in CHARACTERS)]
    return {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}


def byte_pairs(marks: list[str]) -> Tokenizer:
    """Return a byte-level BPE tokenizer trained on a few sentences."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = pre_tokenizers.ByteLevel.alphabet()
    options = {"special_tokens": marks, "initial_alphabet": letters, "show_progress": False}
    trainer = trainers.BpeTrainer(vocab_size=320, **options)
    tokenizer.train_from_iterator(make_sentences(40), trainer)
    return tokenizer


def save_tokenizer(folder: Path, tokenizer: Tokenizer, marks: dict[str, str]) -> None:
    whole = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks)
    whole.save_pretrained(folder)


def make_bert(folder: Path, **changes: object) -> Path:
    """Save a BERT style masked language model (so without a pooler layer) with its tokenizer."""
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    ids = word_pieces(marks)
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    save_tokenizer(folder, tokenizer, dict(zip(names, marks, strict=True)))
    torch.manual_seed(1)
    sizes = {**SIZES, "vocab_size": len(ids), "pad_token_id": 0, **changes}
    config = transformers.BertConfig(**sizes)
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    return folder


def make_roberta(folder: Path) -> Path:
    """Save a RoBERTa style model with a pooler layer and a byte-level tokenizer."""
    tokenizer = byte_pairs(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    names = {"bos": "<s>", "cls": "<s>", "eos": "</s>", "sep": "</s>"}
    names |= {"unk": "<unk>", "pad": "<pad>", "mask": "<mask>"}
    save_tokenizer(folder, tokenizer, {f"{name}_token": mark for name, mark in names.items()})
    torch.manual_seed(2)
    sizes = SIZES | {"vocab_size": tokenizer.get_vocab_size(), "type_vocab_size": 1}
    config = transformers.RobertaConfig(**sizes)
    transformers.RobertaModel(config).save_pretrained(folder)
    return folder


def edit_model(folder: Path, name: str) -> None:
    """Change the config.json or tokenizer.json of a model so that its vectors are others."""
    content = json.loads((folder / name).read_text())
    if name == "config.json":
        content["layer_norm_eps"] = 0.5
    else:
        # other ids for all tokens but the special ones
        ids, special = content["model"]["vocab"], len(content["added_tokens"])
        last = max(ids.values())
        changed = {word: last + special - n if n >= special else n for word, n in ids.items()}
        content["model"]["vocab"] = dict(sorted(changed.items(), key=lambda pair: pair[1]))
    (folder / name).write_text(json.dumps(content))


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a random BERT style model."""
    return make_bert(tmp_path_factory.mktemp("models") / "tiny-bert")


@pytest.fixture(scope="session")
def tiny_roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a random RoBERTa style model."""
    return make_roberta(tmp_path_factory.mktemp("models") / "tiny-roberta")


@pytest.fixture
def encoder(tiny_roberta: Path, tmp_path: Path) -> Path:
    """An encoder folder that records pooling mean and 16 tokens."""
    record = {"pooling": "mean", "max_length": 16}
    settings, texts = EncoderSettings("mean", 16), {"README.md": ""}
    save_encoder(tmp_path / "encoder", load_model(str(tiny_roberta)), settings, record, texts)
    return tmp_path / "encoder"


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """Tiny matrices are slower on several threads, and results may depend on their number."""
    torch.set_num_threads(1)
