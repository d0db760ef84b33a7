"""Tokenizers of the two model families, trained on the project's own text.

WordPiece as in BERT and byte-level byte-pair encoding as in RoBERTa, saved so that
`transformers.AutoTokenizer.from_pretrained` loads them offline.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, write_json
from workflow_scripts.pretraining.settings import TokenizerSettings

WORDPIECE_SPECIALS = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
# RoBERTa has both the BERT names and the names of the sequence ends; ids in the order of RoBERTa.
BYTE_PAIRS_SPECIALS = {
    "cls_token": "<s>",
    "pad_token": "<pad>",
    "sep_token": "</s>",
    "unk_token": "<unk>",
    "mask_token": "<mask>",
}


def train_wordpiece(text: Sequence[str], settings: TokenizerSettings) -> PreTrainedTokenizerFast:
    """Train lower-cased word pieces; special tokens get the ids 0 to 4, padding 0.

    Accents are stripped only on request: they tell words apart in most languages. Chinese
    characters are split apart.

    The trainer numbers the characters inside words (`##a`) in the random order of a hash table, and
    breaks ties by these numbers. So it runs twice: first without merges, to learn which there are,
    then with them handed over in a fixed order. The same text then gives the same pieces.
    """
    normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            normalizers.BertNormalizer(
                clean_text=True,
                handle_chinese_chars=True,
                strip_accents=settings.strip_accents,
                lowercase=settings.lower_case,
            ),
        ]
    )
    specials = list(WORDPIECE_SPECIALS.values())
    alphabet = _frequent_characters(text, normalizer, settings.alphabet)

    def pieces(size: int, inside: list[str]) -> dict[str, int]:
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
        tokenizer.normalizer = normalizer
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(
            vocab_size=size,
            initial_alphabet=alphabet,
            limit_alphabet=len(alphabet),
            special_tokens=[*specials, *inside],
            show_progress=False,
        )
        tokenizer.train_from_iterator(text, trainer)
        return tokenizer.get_vocab()

    inside = sorted(piece for piece in pieces(0, []) if piece.startswith("##") and len(piece) == 3)
    model = models.WordPiece(
        pieces(settings.size, inside), unk_token="[UNK]", max_input_chars_per_word=100
    )
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=settings.maximum_length,
        **WORDPIECE_SPECIALS,
    )


def _frequent_characters(
    text: Iterable[str], normalizer: normalizers.Normalizer, limit: int
) -> list[str]:
    counts: Counter[str] = Counter()
    for line in text:
        counts.update(normalizer.normalize_str(line))
    characters = (character for character in counts if not character.isspace())
    return sorted(characters, key=lambda character: (-counts[character], character))[:limit]


def train_byte_pairs(text: Sequence[str], settings: TokenizerSettings) -> PreTrainedTokenizerFast:
    """Train cased byte-level byte pairs; special tokens get the ids 0 to 4, padding 1.

    As in RoBERTa, `<mask>` takes the space before it, and no space is put before the first word.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    specials = list(BYTE_PAIRS_SPECIALS.values())
    trainer = trainers.BpeTrainer(
        vocab_size=settings.size,
        special_tokens=specials,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(text, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>")],
    )
    named = {**BYTE_PAIRS_SPECIALS, "bos_token": "<s>", "eos_token": "</s>"}
    named["mask_token"] = AddedToken("<mask>", lstrip=True, special=True)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=settings.maximum_length, **named
    )


TRAINERS = {"wordpiece": train_wordpiece, "byte-pairs": train_byte_pairs}


def train(text: Sequence[str], settings: TokenizerSettings) -> PreTrainedTokenizerFast:
    """Train the tokenizer that `settings.kind` names; `UserError` for an unknown kind."""
    if settings.kind not in TRAINERS:
        raise UserError(
            f"tokenizer.kind: unknown kind {settings.kind!r}; use one of {', '.join(TRAINERS)}"
        )
    return TRAINERS[settings.kind](text, settings)


def save_tokenizer(tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Save into an existing folder, under the class name that transformers 4 and 5 both know."""
    tokenizer.save_pretrained(folder)
    path = Path(folder) / "tokenizer_config.json"
    config = read_json(path)
    config["tokenizer_class"] = "PreTrainedTokenizerFast"
    for internal in ("backend", "is_local", "local_files_only"):
        config.pop(internal, None)
    write_json(path, config)


def load_tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    """Load a saved tokenizer; `UserError` if the folder holds none."""
    if not (Path(folder) / "tokenizer.json").is_file():
        raise UserError(f"{folder}: no tokenizer.json; make the folder with train_tokenizer")
    return PreTrainedTokenizerFast.from_pretrained(folder)
