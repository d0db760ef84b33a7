"""Tokenizers load offline as users load them, with the special tokens of their family."""

import json

import pytest
from transformers import AutoTokenizer

from bundled_models import tokenizers_of_families as families
from bundled_models.encoded_text import read_prepared
from bundled_models.settings import TokenizerSettings
from bundled_models.train_tokenizer import main, sample_lines
from workflow_scripts.errors import UserError

# padding, unknown, start, end and mask; separators of a pair of texts
SPECIALS = {
    "WordPiece": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    "BPE": ("<pad>", "<unk>", "<s>", "</s>", "<mask>"),
}
SEPARATORS_OF_PAIRS = {"WordPiece": 2, "BPE": 3}


def test_auto_tokenizer_loads_the_folder_with_the_special_tokens_of_the_family(tokenizer, tmp_path):
    families.save_tokenizer(tokenizer, tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    kind = type(tokenizer.backend_tokenizer.model).__name__
    for name, token in zip(("pad", "unk", "cls", "sep", "mask"), SPECIALS[kind], strict=True):
        assert getattr(loaded, f"{name}_token") == token
        assert getattr(loaded, f"{name}_token_id") == tokenizer.convert_tokens_to_ids(token)
    assert (loaded.pad_token_id, loaded.model_max_length) == ({"WordPiece": 0, "BPE": 1}[kind], 64)
    text = "my sister follows one bird"
    ids = loaded(text).input_ids
    assert ids == tokenizer(text).input_ids
    assert (ids[0], ids[-1]) == (loaded.cls_token_id, loaded.sep_token_id)
    assert loaded.cls_token_id not in ids[1:]
    assert loaded.decode(ids, skip_special_tokens=True) == text
    pair = loaded("the cat", "a dog").input_ids
    assert pair.count(loaded.sep_token_id) == SEPARATORS_OF_PAIRS[kind]
    masked = loaded(f"the {loaded.mask_token} sees").input_ids
    assert masked.count(loaded.mask_token_id) == 1


def test_byte_pairs_know_every_text_and_keep_case():
    tokenizer = families.train(["a b"], TokenizerSettings(kind="byte-pairs", size=262))
    text = "Ünïcode 漢字 ТЕКСТ"
    ids = tokenizer(text).input_ids
    assert tokenizer.unk_token_id not in ids
    assert tokenizer.decode(ids, skip_special_tokens=True) == text


@pytest.mark.parametrize("strip", [True, False])
def test_accents_are_stripped_on_request_only_and_chinese_characters_split(strip):
    settings = TokenizerSettings(kind="wordpiece", size=80, strip_accents=strip)
    tokenizer = families.train(["mur mûr mur mûr MUR"] * 5, settings)
    assert (tokenizer("mur").input_ids == tokenizer("mûr").input_ids) is strip
    assert tokenizer("MUR").input_ids == tokenizer("mur").input_ids
    assert tokenizer("mûr").input_ids == tokenizer("mu\u0302r").input_ids
    tokenizer = families.train(["我去北京"] * 5, TokenizerSettings(kind="wordpiece", size=60))
    assert tokenizer.tokenize("我去北京") == ["我", "去", "北", "京"]


def test_small_languages_gain_by_smoothing(prepared):
    text = read_prepared(prepared, "train")
    french = set(text["fr"])
    plain = sum(line in french for line in sample_lines(text, 1.0, 60, 1))
    smoothed = sum(line in french for line in sample_lines(text, 0.3, 60, 1))
    assert plain < smoothed < 40


@pytest.mark.parametrize("kind", ["wordpiece", "byte-pairs"])
def test_the_command_writes_the_same_folder_each_time(prepared, tmp_path, kind):
    settings = json.dumps({"kind": kind, "size": 300})
    arguments = ["--text", str(prepared), "--settings", settings, "--seed", "1"]
    main([*arguments, "--output", str(tmp_path / "one")])
    main([*arguments, "--output", str(tmp_path / "two")])
    one, two = ((tmp_path / name / "tokenizer.json").read_text() for name in ("one", "two"))
    assert one == two
    assert len(families.load_tokenizer(tmp_path / "one")) <= 300


def test_mistakes_are_told(prepared, tmp_path):
    with pytest.raises(UserError, match=r"no tokenizer\.json"):
        families.load_tokenizer(tmp_path)
    with pytest.raises(UserError, match=r"no train/\*.txt with text"):
        read_prepared(tmp_path, "train")
    settings = '{"kind": "wordpiece", "size": 10}'
    output = str(tmp_path / "out")
    with pytest.raises(UserError, match="size 10 is too small"):
        main(["--text", str(prepared), "--settings", settings, "--seed", "1", "--output", output])
