"""Pooling and length of encoders that sentence-transformers saved."""

import json

import pytest

from workflow_scripts.embedding.recorded_choices import settle_pooling
from workflow_scripts.errors import UserError


def save_folder(folder, kinds, pooling, length=None):
    folder.mkdir()
    modules = [
        {"path": "" if kind == "Transformer" else f"{number}_{kind}", "type": f"package.{kind}"}
        for number, kind in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    if length is not None:
        config = {"max_seq_length": length, "do_lower_case": False}
        (folder / "sentence_bert_config.json").write_text(json.dumps(config))
    return str(folder)


def older(**modes):
    names = {"cls": "cls_token", "mean": "mean_tokens", "max": "max_tokens"}
    return {f"pooling_mode_{names[name]}": chosen for name, chosen in modes.items()}


BOTH = ["Transformer", "Pooling"]


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({"embedding_dimension": 8, "pooling_mode": "cls"}, "cls"),
        ({"embedding_dimension": 8, "pooling_mode": "mean"}, "mean"),
        (older(cls=False, mean=True), "mean"),
        (older(cls=True, mean=False), "cls"),
        ({"embedding_dimension": 8, "pooling_mode": "max"}, "max"),
        (older(mean=False, max=True), "max"),
    ],
)
def test_pooling_and_length_are_read_in_the_present_and_the_older_form(tmp_path, pooling, expected):
    folder = save_folder(tmp_path / "f", ["Transformer", "Pooling", "Normalize"], pooling, 256)
    assert settle_pooling(folder, None, None) == (expected, 256)
    assert settle_pooling(folder, "mean", 32) == ("mean", 32)


@pytest.mark.parametrize(
    ("kinds", "pooling"),
    [
        ([*BOTH, "Dense"], {"pooling_mode": "mean"}),
        (BOTH, {"pooling_mode": "lasttoken"}),
        (BOTH, {"pooling_mode": ["max", "mean"]}),
        (BOTH, older(cls=True, mean=True)),
        (BOTH, older(max=True, mean=True)),
    ],
)
def test_a_folder_that_does_more_needs_its_pooling_given(tmp_path, kinds, pooling):
    folder = save_folder(tmp_path / "f", kinds, pooling)
    with pytest.raises(UserError, match="give --pooling"):
        settle_pooling(folder, None, None)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": True}),
        (
            "config_sentence_transformers.json",
            {"prompts": {"q": "q: "}, "default_prompt_name": "q"},
        ),
    ],
)
def test_a_folder_that_changes_strings_needs_its_pooling_given(tmp_path, name, content):
    folder = save_folder(tmp_path / "f", BOTH, {"pooling_mode": "mean"}, 16)
    (tmp_path / "f" / name).write_text(json.dumps(content))
    with pytest.raises(UserError, match="give --pooling"):
        settle_pooling(folder, None, None)


def test_a_tokenizer_without_limit_leaves_the_default_length(tmp_path):
    folder = save_folder(tmp_path / "f", BOTH, {"pooling_mode": "cls"})
    config = '{"model_max_length": 1000000000000000019884624838656}'
    (tmp_path / "f" / "tokenizer_config.json").write_text(config)
    assert settle_pooling(folder, None, None) == ("cls", 64)
