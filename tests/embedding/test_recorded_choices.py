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


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({"embedding_dimension": 8, "pooling_mode": "cls"}, "cls"),
        ({"embedding_dimension": 8, "pooling_mode": "mean"}, "mean"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
    ],
)
def test_pooling_and_length_are_read_in_the_present_and_the_older_form(tmp_path, pooling, expected):
    folder = save_folder(tmp_path / "f", ["Transformer", "Pooling", "Normalize"], pooling, 256)
    assert settle_pooling(folder, None, None) == (expected, 256)


def test_what_is_given_wins(tmp_path):
    folder = save_folder(tmp_path / "f", ["Transformer", "Pooling"], {"pooling_mode": "cls"}, 256)
    assert settle_pooling(folder, "mean", 32) == ("mean", 32)


@pytest.mark.parametrize(
    ("kinds", "pooling"),
    [
        (["Transformer", "Pooling", "Dense"], {"pooling_mode": "mean"}),
        (["Transformer", "Pooling"], {"pooling_mode": "max"}),
        (
            ["Transformer", "Pooling"],
            {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
        ),
        (
            ["Transformer", "Pooling"],
            {"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": True},
        ),
    ],
)
def test_a_folder_that_does_more_needs_its_pooling_given(tmp_path, kinds, pooling):
    folder = save_folder(tmp_path / "f", kinds, pooling)
    with pytest.raises(UserError, match="give --pooling"):
        settle_pooling(folder, None, None)


def test_a_tokenizer_without_limit_leaves_the_default_length(tmp_path):
    folder = save_folder(tmp_path / "f", ["Transformer", "Pooling"], {"pooling_mode": "cls"})
    (tmp_path / "f" / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": 1000000000000000019884624838656})
    )
    assert settle_pooling(folder, None, None) == ("cls", 64)
