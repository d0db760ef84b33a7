"""Pooling and length of encoders that sentence-transformers saved."""

import json

import pytest

from workflow_scripts.embedding.recorded_settings import join_settings, recorded_settings
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.errors import UserError


def settle(folder, **given):
    return join_settings(folder, recorded_settings(folder), given)


def save_folder(folder, kinds, pooling, length=None, lower_case=False, prompts=None):
    folder.mkdir()
    modules = [
        {
            "path": "" if kind == "Transformer" else f"{number}_{kind}",
            "type": kind if "." in kind else f"sentence_transformers.models.{kind}",
        }
        for number, kind in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    if length is not None:
        config = {"max_seq_length": length, "do_lower_case": lower_case}
        (folder / "sentence_bert_config.json").write_text(json.dumps(config))
    if prompts is not None:
        (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
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
    assert settle(folder) == EncoderSettings(expected, 256)
    assert settle(folder, pooling="mean", max_length=32) == EncoderSettings("mean", 32)


MEAN = {"pooling_mode": "mean"}


@pytest.mark.parametrize(
    ("kinds", "pooling", "lower_case", "problem"),
    [
        ([*BOTH, "LSTM"], MEAN, False, "its module 2_LSTM is of kind LSTM"),
        ([*BOTH, "own.Dense"], MEAN, False, "its module 2_own.Dense is of kind own.Dense"),
        (["Transformer", "Dense", "Pooling"], MEAN, False, "Transformer, Dense, Pooling, in this"),
        (["Transformer"], MEAN, False, "its modules are Transformer, in this order"),
        (BOTH, {"pooling_mode": "lasttoken"}, False, "its pooling is lasttoken"),
        (BOTH, {"pooling_mode": ["max", "mean"]}, False, "its pooling is max and mean"),
        (BOTH, older(cls=True, mean=True), False, "its pooling is cls and mean"),
        (
            *(BOTH, {"pooling_mode_weightedmean_tokens": True}, False),
            "its pooling is weightedmean_tokens",
        ),
        (BOTH, MEAN, True, "it lower-cases strings itself"),
    ],
)
def test_a_folder_that_does_more_is_refused_by_what_that_is(
    tmp_path, kinds, pooling, lower_case, problem
):
    folder = save_folder(tmp_path / "f", kinds, pooling, 16, lower_case)
    with pytest.raises(UserError, match=f"{problem}.*; use sentence-transformers"):
        settle(folder)
    # an explicit pooling means the model alone
    given = {"pooling": "cls"}
    assert join_settings(folder, recorded_settings(folder, given), given).pooling == "cls"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"processing_kwargs": {"text": {"add_special_tokens": False}}}, "processing_kwargs"),
        ({"module_output_name": "sentence_embedding"}, "its model gives sentence_embedding"),
        (
            {"modality_config": {"text": {"method_output_name": "pooler_output"}}},
            "it pools pooler_output",
        ),
    ],
)
def test_a_model_that_is_run_otherwise_is_refused(tmp_path, content, problem):
    folder = save_folder(tmp_path / "f", BOTH, MEAN)
    (tmp_path / "f" / "sentence_roberta_config.json").write_text(json.dumps(content))
    with pytest.raises(UserError, match=problem):
        settle(folder)


def test_a_module_that_reads_something_else_is_refused(tmp_path):
    folder = save_folder(tmp_path / "f", [*BOTH, "Normalize"], MEAN)
    (tmp_path / "f" / "2_Normalize").mkdir()
    config = '{"module_input_name": "token_embeddings"}'
    (tmp_path / "f" / "2_Normalize" / "config.json").write_text(config)
    with pytest.raises(UserError, match="2_Normalize has module_input_name token_embeddings"):
        settle(folder)


def test_the_shorter_of_tokenizer_and_positions_is_the_length_where_no_other_is_said(tmp_path):
    folder = save_folder(tmp_path / "f", BOTH, MEAN)
    (tmp_path / "f" / "tokenizer_config.json").write_text('{"model_max_length": 512}')
    (tmp_path / "f" / "config.json").write_text('{"max_position_embeddings": 130}')
    assert settle(folder) == EncoderSettings("mean", 130)
    (tmp_path / "f" / "sentence_bert_config.json").write_text('{"max_seq_length": 200}')
    assert settle(folder) == EncoderSettings("mean", 200)


def test_a_tokenizer_without_limit_leaves_the_default_length(tmp_path):
    folder = save_folder(tmp_path / "f", BOTH, {"pooling_mode": "cls"})
    config = '{"model_max_length": 1000000000000000019884624838656}'
    (tmp_path / "f" / "tokenizer_config.json").write_text(config)
    assert settle(folder) == EncoderSettings("cls", 64)


NAMED = {"query": "q: ", "passage": "p: ", "s": "s: "}
EMPTY = {"query": "", "document": ""}


@pytest.mark.parametrize(
    ("config", "prompts"),
    [
        ({"prompts": NAMED}, {"query": "q: ", "passage": "p: "}),
        (
            {"prompts": NAMED, "default_prompt_name": "s"},
            {"default": "s: ", "query": "q: ", "passage": "p: "},
        ),
        ({"prompts": EMPTY}, None),
        # an empty prompt of its own keeps the default one from a role
        (
            {"prompts": {**EMPTY, "s": "s: "}, "default_prompt_name": "s"},
            {"default": "s: ", "query": "", "passage": ""},
        ),
    ],
)
def test_prompts_of_other_folders_are_theirs(tmp_path, config, prompts):
    folder = save_folder(tmp_path / "f", BOTH, {"pooling_mode": "mean"}, prompts=config)
    expected = {"pooling": "mean"} | ({} if prompts is None else {"prompts": prompts})
    assert recorded_settings(folder) == expected


def test_a_folder_that_leaves_the_tokens_of_a_prompt_out_is_refused(tmp_path):
    # which no pooling here does
    pooling = {"pooling_mode": "mean", "include_prompt": False}
    config = {"prompts": NAMED, "default_prompt_name": "s"}
    folder = save_folder(tmp_path / "f", BOTH, pooling, prompts=config)
    with pytest.raises(UserError, match="its pooling leaves out the tokens of the prompt"):
        recorded_settings(folder)
