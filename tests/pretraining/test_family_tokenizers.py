"""Tokenizers load offline as users load them, with the special tokens of their family."""

import json
from pathlib import Path

import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from workflow_scripts.errors import UserError
from workflow_scripts.pretraining.prepared_text import read_prepared
from workflow_scripts.pretraining.settings import TokenizerSettings
from workflow_scripts.pretraining.tokenizers_of_families import (
    load_tokenizer,
    save_tokenizer,
    train,
)
from workflow_scripts.pretraining.train_tokenizer import main, sample_lines

SPECIALS = {
    "WordPiece": {"cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "unk": "[UNK]", "mask": "[MASK]"},
    "BPE": {"cls": "<s>", "sep": "</s>", "pad": "<pad>", "unk": "<unk>", "mask": "<mask>"},
}
PADDING_IDS = {"WordPiece": 0, "BPE": 1}


def kind_of(tokenizer: PreTrainedTokenizerFast) -> str:
    return type(tokenizer.backend_tokenizer.model).__name__


def test_auto_tokenizer_loads_the_saved_folder(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    save_tokenizer(tokenizer, tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    for name, token in SPECIALS[kind_of(tokenizer)].items():
        assert getattr(loaded, f"{name}_token") == token
        assert getattr(loaded, f"{name}_token_id") == tokenizer.convert_tokens_to_ids(token)
    assert loaded.pad_token_id == PADDING_IDS[kind_of(tokenizer)]
    assert loaded.model_max_length == 64
    text = "the old king paints her new house ."
    assert loaded(text).input_ids == tokenizer(text).input_ids


def test_texts_stand_between_the_special_tokens(tokenizer: PreTrainedTokenizerFast) -> None:
    ids = tokenizer("the cat sees").input_ids
    assert ids[0] == tokenizer.cls_token_id
    assert ids[-1] == tokenizer.sep_token_id
    assert tokenizer.cls_token_id not in ids[1:]
    padded = tokenizer(["the cat", "the old king sees two red apples"], padding=True)
    assert padded.input_ids[0][-1] == tokenizer.pad_token_id
    assert padded.attention_mask[0][-1] == 0


def test_pairs_are_separated_as_in_their_family(tokenizer: PreTrainedTokenizerFast) -> None:
    ids = tokenizer("the cat", "a dog").input_ids
    separators = {"WordPiece": 2, "BPE": 3}
    assert ids.count(tokenizer.sep_token_id) == separators[kind_of(tokenizer)]


def test_decoding_undoes_encoding(tokenizer: PreTrainedTokenizerFast) -> None:
    text = "my sister follows one bird"
    assert tokenizer.decode(tokenizer(text).input_ids, skip_special_tokens=True) == text


def test_the_mask_inside_a_text_is_one_token(tokenizer: PreTrainedTokenizerFast) -> None:
    ids = tokenizer(f"the {tokenizer.mask_token} sees").input_ids
    assert ids.count(tokenizer.mask_token_id) == 1


def test_byte_pairs_know_every_text_and_keep_case() -> None:
    tokenizer = train(["a b"], TokenizerSettings("byte-pairs", size=262))
    text = "Ünïcode 漢字 ТЕКСТ"
    ids = tokenizer(text).input_ids
    assert tokenizer.unk_token_id not in ids
    assert tokenizer.decode(ids, skip_special_tokens=True) == text


@pytest.mark.parametrize(
    ("strip", "same"), [(True, True), (False, False)], ids=["stripped", "kept"]
)
def test_accents_are_stripped_on_request_only(strip: bool, same: bool) -> None:
    settings = TokenizerSettings("wordpiece", size=80, strip_accents=strip)
    tokenizer = train(["mur mûr mur mûr MUR"] * 5, settings)
    assert (tokenizer("mur").input_ids == tokenizer("mûr").input_ids) is same
    assert tokenizer("MUR").input_ids == tokenizer("mur").input_ids
    assert tokenizer("mûr").input_ids == tokenizer("mu\u0302r").input_ids


def test_chinese_characters_are_split_apart() -> None:
    tokenizer = train(["我去北京"] * 5, TokenizerSettings("wordpiece", size=60))
    assert tokenizer.tokenize("我去北京") == ["我", "去", "北", "京"]


def test_small_languages_gain_by_smoothing(prepared: Path) -> None:
    text = read_prepared(prepared, "train")
    french = set(text["fr"])
    plain = sum(line in french for line in sample_lines(text, 1.0, 60, 1))
    smoothed = sum(line in french for line in sample_lines(text, 0.3, 60, 1))
    assert plain < smoothed < 40


@pytest.mark.parametrize("kind", ["wordpiece", "byte-pairs"])
def test_the_command_writes_the_same_folder_each_time(
    prepared: Path, tmp_path: Path, kind: str
) -> None:
    settings = json.dumps({"kind": kind, "size": 300})
    arguments = ["--text", str(prepared), "--settings", settings, "--seed", "1"]
    main([*arguments, "--output", str(tmp_path / "one")])
    main([*arguments, "--output", str(tmp_path / "two")])
    one, two = ((tmp_path / name / "tokenizer.json").read_text() for name in ("one", "two"))
    assert one == two
    assert len(load_tokenizer(tmp_path / "one")) <= 300


def test_mistakes_are_told(prepared: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"unknown kind 'bpe'; use one of wordpiece, byte-pairs"):
        train(["a"], TokenizerSettings("bpe", size=10))
    with pytest.raises(UserError, match=r"no tokenizer\.json"):
        load_tokenizer(tmp_path)
    with pytest.raises(UserError, match=r"no train/\*.txt with text"):
        read_prepared(tmp_path, "train")
    settings = '{"kind": "wordpiece", "size": 10}'
    output = str(tmp_path / "out")
    with pytest.raises(UserError, match="size 10 is too small"):
        main(["--text", str(prepared), "--settings", settings, "--seed", "1", "--output", output])
