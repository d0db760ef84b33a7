"""Tokenizers of the two model families: WordPiece as in BERT, byte-level pairs as in RoBERTa."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from tokenizers.processors import TemplateProcessing
from tokenizers.trainers import BpeTrainer, WordPieceTrainer
from transformers import PreTrainedTokenizerFast

from bundled_models.settings import TokenizerSettings
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, write_json

# In the order of their ids.
_WORDPIECE_SPECIALS = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]"}
_WORDPIECE_SPECIALS |= {"mask": "[MASK]"}
_BYTE_PAIRS_SPECIALS = {"cls": "<s>", "pad": "<pad>", "sep": "</s>", "unk": "<unk>"}
_BYTE_PAIRS_SPECIALS |= {"mask": "<mask>"}


def train(text: Sequence[str], settings: TokenizerSettings) -> PreTrainedTokenizerFast:
    """Train the tokenizer that `settings.kind` names; special tokens get the ids 0 to 4."""
    if settings.kind == "wordpiece":
        tokenizer = _train_wordpiece(text, settings)
        start, end, pair = "[CLS]", "[SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"
        named: dict[str, str | AddedToken] = {**_WORDPIECE_SPECIALS}
    else:
        tokenizer = _train_byte_pairs(text, settings)
        start, end, pair = "<s>", "</s>", "<s> $A </s> </s> $B </s>"
        # As in RoBERTa, `<mask>` takes the space before it.
        mask = AddedToken("<mask>", lstrip=True, special=True)
        named = _BYTE_PAIRS_SPECIALS | {"bos": start, "eos": end, "mask": mask}
    tokenizer.post_processor = TemplateProcessing(
        single=f"{start} $A {end}",
        pair=pair,
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in (start, end)],
    )
    options = {f"{name}_token": token for name, token in named.items()}
    options["model_max_length"] = settings.maximum_length
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **options)


def _train_wordpiece(text: Sequence[str], settings: TokenizerSettings) -> Tokenizer:
    """Train word pieces; the same text gives the same pieces.

    The trainer numbers the characters inside words (`##a`) in the random order of a hash table, and
    breaks ties by these numbers. So it runs twice: first without merges, to learn which there are,
    then with them handed over in a fixed order.
    """
    case = {"strip_accents": settings.strip_accents, "lowercase": settings.lower_case}
    normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.BertNormalizer(**case)])
    counts = Counter(character for line in text for character in normalizer.normalize_str(line))
    characters = (character for character in counts if not character.isspace())
    by_frequency = sorted(characters, key=lambda character: (-counts[character], character))
    alphabet = by_frequency[: settings.alphabet]

    def tokenizer_of(pieces: dict[str, int]) -> Tokenizer:
        model = models.WordPiece(pieces, unk_token="[UNK]", max_input_chars_per_word=100)
        tokenizer = Tokenizer(model)
        tokenizer.normalizer = normalizer
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece(prefix="##")
        return tokenizer

    def trained_pieces(size: int, inside: list[str]) -> dict[str, int]:
        tokenizer = tokenizer_of({})
        trainer = WordPieceTrainer(
            vocab_size=size,
            initial_alphabet=alphabet,
            limit_alphabet=len(alphabet),
            special_tokens=[*_WORDPIECE_SPECIALS.values(), *inside],
            show_progress=False,
        )
        tokenizer.train_from_iterator(text, trainer)
        return tokenizer.get_vocab()

    single = trained_pieces(0, [])
    inside = sorted(piece for piece in single if piece.startswith("##") and len(piece) == 3)
    return tokenizer_of(trained_pieces(settings.size, inside))


def _train_byte_pairs(text: Sequence[str], settings: TokenizerSettings) -> Tokenizer:
    """Train cased byte-level byte pairs; as in RoBERTa, no space is put before the first word."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(
        vocab_size=settings.size,
        special_tokens=list(_BYTE_PAIRS_SPECIALS.values()),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(text, trainer)
    return tokenizer


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
        raise UserError(folder, "no tokenizer.json", "make the folder with train_tokenizer")
    return PreTrainedTokenizerFast.from_pretrained(folder)
