"""Every setting of an encoder is recorded, compared, exported and applied.

The tests go over the fields of `EncoderSettings`: a new one needs another value in
tests/support/other_settings.py, and fails here until all places know it.
"""

import json
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from transformers import AutoTokenizer

from tests.support.other_settings import (
    OTHER,
    PROMPTS,
    REFUSED_BY_ONNX,
    REFUSED_BY_SENTENCE_TRANSFORMERS,
    other_keys,
)
from tests.support.tiny_models import make_sentences
from workflow_scripts import embed, evaluate
from workflow_scripts.command_line import read_options, run
from workflow_scripts.embedding.encoder_folder import load_model, onnx_file, save_encoder
from workflow_scripts.embedding.onnx_encoding import onnx_encoder
from workflow_scripts.embedding.onnx_export import export_onnx
from workflow_scripts.embedding.recorded_settings import (
    join_settings,
    recorded_settings,
    settle_settings,
)
from workflow_scripts.embedding.settings import (
    OPTIONS,
    POOLINGS,
    RECIPE_KEYS,
    ROLES,
    SETTINGS,
    EncoderSettings,
    Pooling,
    SettingsOptions,
)
from workflow_scripts.embedding.string_encoding import encode_strings, torch_encoder
from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.errors import UserError
from workflow_scripts.plan.comparability import _recipe_differences, frozen
from workflow_scripts.retrieval import name_index
from workflow_scripts.tuning.methods.register import read_recipe
from workflow_scripts.tuning.recipe import TuningRecipe

STRINGS = [*make_sentences(23), "a", "the " * 60, "dog", "éß 中文", "dog"]
USUAL = EncoderSettings("mean", 20)


def changed(name):
    return replace(USUAL, **{name: OTHER[name]})


def test_every_setting_has_another_value_and_a_name_in_options():
    assert set(OTHER) == set(SETTINGS) == set(OPTIONS)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_changes_vectors(name, tiny_bert):
    loaded = load_model(str(tiny_bert))
    usual, other = (encode_strings(loaded, STRINGS, each) for each in (USUAL, changed(name)))
    if name == "dimensions":
        assert other.tobytes() == usual[:, : OTHER[name]].tobytes()
    else:
        assert np.abs(usual - other).max() > 0.01


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_recorded_and_read_back(name, tiny_bert, tmp_path):
    settings = changed(name)
    record = json.loads(json.dumps(settings.as_record()))
    assert EncoderSettings.from_record(record) == settings
    assert record != USUAL.as_record()
    if name not in REFUSED_BY_SENTENCE_TRANSFORMERS:
        save_encoder(tmp_path / "encoder", load_model(str(tiny_bert)), settings, {}, {})
        assert recorded_settings(str(tmp_path / "encoder")) == record


def test_what_no_encoder_folder_can_hold_is_no_key_of_recipes_that_tune():
    """Or a tuning would end where its encoder is written."""
    assert not REFUSED_BY_SENTENCE_TRANSFORMERS & other_keys(TuningRecipe).keys()


def test_defaults_are_not_recorded():
    # or a new setting would cause every vector to be computed again
    assert USUAL.as_record() == {"pooling": "mean", "max_length": 20}


@pytest.mark.parametrize("name", SETTINGS)
def test_sentence_transformers_gives_the_same_vectors_or_is_not_written(name, tiny_bert, tmp_path):
    settings, loaded = changed(name), load_model(str(tiny_bert))
    if name in REFUSED_BY_SENTENCE_TRANSFORMERS:
        with pytest.raises(UserError, match=f"^{name} "):
            save_encoder(tmp_path / "encoder", loaded, settings, {}, {})
        assert not any(tmp_path.iterdir())
        return
    save_encoder(tmp_path / "encoder", loaded, settings, {}, {})
    theirs = SentenceTransformer(str(tmp_path / "encoder"), device="cpu")
    ours = torch_encoder(load_model(str(tmp_path / "encoder")), settings)
    ways = {"default": theirs.encode, "query": theirs.encode_query}
    ways["passage"] = theirs.encode_document
    assert set(ways) == set(ROLES)
    for role, encode in ways.items():
        np.testing.assert_allclose(encode(STRINGS), ours.encode(STRINGS, role=role), atol=2e-5)
    # read as a folder of theirs, without our record
    (tmp_path / "encoder" / "encoder.json").unlink()
    assert join_settings("", recorded_settings(str(tmp_path / "encoder"))) == settings


@pytest.mark.parametrize("name", SETTINGS)
def test_onnx_gives_the_same_vectors_or_is_refused(name, tiny_bert, tmp_path):
    settings, loaded = changed(name), load_model(str(tiny_bert))
    export_onnx(loaded, tmp_path)
    path = onnx_file(tmp_path, int8=False)
    if name in REFUSED_BY_ONNX:
        with pytest.raises(UserError, match=f"^{name} "):
            onnx_encoder(loaded, path, settings, 1)
        return
    ours, theirs = torch_encoder(loaded, settings), onnx_encoder(loaded, path, settings, 1)
    for role in ROLES:
        expected = ours.encode(STRINGS, role=role)
        np.testing.assert_allclose(theirs.encode(STRINGS, role=role), expected, atol=1e-4)


@pytest.mark.parametrize("name", SETTINGS)
def test_an_index_made_with_another_setting_is_refused(name):
    assert name in name_index._COMPARED


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_a_recipe_is_a_difference_from_the_paper(name):
    published, key = frozen("mirror-bert"), RECIPE_KEYS[name]
    block = published["recipes"]["base-mp"]
    recipe = read_recipe("base-mp", block | {key: OTHER[name]})
    assert _recipe_differences("base-mp", block, published, type(recipe)) == []
    changed_block = block | {key: OTHER[name]}
    (difference,) = _recipe_differences("base-mp", changed_block, published, type(recipe))
    assert difference.startswith(f"recipe: {key} ")
    assert getattr(recipe.settings, name) == OTHER[name]


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_an_option_of_commands(name, tmp_path):
    (tmp_path / "encoder.json").write_text(json.dumps(USUAL.as_record()))
    for module in (embed, evaluate):
        assert OPTIONS[name] in {option.name for option in read_options(module.main.path_function)}
    values = [f"{role}={text}" for role, text in PROMPTS.items()]
    values = values if name == "prompts" else [str(OTHER[name])]
    words = [word for value in values for word in (OPTIONS[name], value)]
    settled = []

    def settle(*, settings: SettingsOptions) -> None:
        settled.append(settle_settings(str(tmp_path), settings))

    for each in (words, []):
        run(settle, each)
    assert settled == [changed(name), USUAL]


def test_poolings_are_all_described():
    assert get_args(Pooling) == tuple(POOLINGS)


@pytest.mark.parametrize("role", [*ROLES, None])
@pytest.mark.parametrize("prompts", [PROMPTS, {"default": "the "}, {"query": "a man "}, {}])
def test_a_string_has_the_prompt_of_its_role_or_the_default_one(prompts, role, tiny_bert):
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    settings, role = replace(USUAL, prompts=prompts), role or "default"
    prompt = {"default": "", **prompts}.get(role, prompts.get("default", ""))
    texts = [f"{prompt}{string}" for string in STRINGS]
    expected = tokenizer(texts, truncation=True, max_length=20)["input_ids"]
    assert tokenize_strings(tokenizer, STRINGS, settings, role) == expected


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pooling": "men"}, "pooling 'men': unknown; use one of"),
        ({"max_length": 2}, "embed_max_length 2: less than 3 tokens; raise it"),
        ({"max_length": 67}, "embed_max_length 67: more than the 66 positions of tiny-bert"),
        ({"layer": 0}, "layer 0: layers count from 1"),
        ({"layer": 3}, "layer 3: tiny-bert has 2 layers; give one up to 2"),
        ({"layer": 2, "pooling": "pooler"}, "layer 2: pooling pooler uses the last layer"),
        ({"dimensions": 0}, "dimensions 0: a vector has at least one dimension"),
        ({"dimensions": 33}, "dimensions 33: more than the 32 of tiny-bert; lower it"),
        ({"prompts": {"querry": "a "}}, "prompts: unknown role `querry`; use one of default"),
        ({"prompts": {"query": "a\nb"}}, "prompts: more than one line"),
        ({"prompts": {"query": ""}}, "prompts: an empty text; leave it out"),
        # nothing of a string would be left, so that all had one vector
        ({"prompts": {"query": "a the " * 9}}, "prompts query: 20 tokens, where strings are cut"),
    ],
)
def test_what_no_vector_can_be_made_by_is_refused(changes, message, tiny_bert):
    with pytest.raises(UserError) as raised:
        load_model(str(tiny_bert)).check_settings(replace(USUAL, **changes))
    assert message in str(raised.value)
