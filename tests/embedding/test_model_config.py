"""config.json and tokenizers that ask for what the weights do not hold."""

import json
import resource
import shutil

import pytest
from tiny_models import tiny_bert
from transformers import AutoModel

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.prediction import load_masked_lm

__all__ = ["tiny_bert"]


@pytest.fixture
def model(tiny_bert, tmp_path):
    return shutil.copytree(tiny_bert, tmp_path / "model")


def change(folder, name, edit):
    content = json.loads((folder / name).read_text())
    edit(content)
    (folder / name).write_text(json.dumps(content))


@pytest.mark.parametrize(
    "key",
    [
        *("num_hidden_layers", "hidden_size", "vocab_size", "intermediate_size"),
        *("max_position_embeddings", "type_vocab_size"),
    ],
)
@pytest.mark.parametrize("value", [200_000, 10**13])
def test_a_config_larger_than_the_weights_is_refused_before_anything_is_made(model, key, value):
    change(model, "config.json", lambda config: config.update({key: value}))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(UserError, match=rf"config\.json: {key} is {value}, more than the weights"):
        load_model(str(model))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


@pytest.mark.parametrize("key", ["attn_implementation", "_attn_implementation"])
def test_a_config_cannot_name_the_code_of_attention(model, tiny_bert, key, monkeypatch):
    """transformers fetches a kernel of that name from the hub."""
    asked = []
    name = "_check_and_adjust_attn_implementation"
    real = getattr(AutoModel._model_mapping[type(load_model(str(model)).model.config)], name)

    def note(self, attention, *args, **options):
        asked.append(attention)
        return real(self, attention, *args, **options)

    monkeypatch.setattr(f"transformers.PreTrainedModel.{name}", note)
    change(model, "config.json", lambda config: config.update({key: "someone/kernel"}))
    loaded = load_model(str(model))
    load_masked_lm(loaded, 0)
    assert set(asked) == {"sdpa"}
    assert loaded.model.config._attn_implementation == "sdpa"


def test_a_tokenizer_without_an_unknown_token_is_one_error(model):
    def drop(content):
        content["model"]["vocab"].pop("[UNK]")
        content["added_tokens"] = [t for t in content["added_tokens"] if t["content"] != "[UNK]"]

    whole = load_model(str(model)).tokenizer
    change(model, "tokenizer.json", drop)
    change(model, "tokenizer_config.json", lambda content: content.pop("unk_token", None))
    with pytest.raises(UserError, match=r"the tokenizer cannot be loaded \(.*UNK"):
        load_model(str(model))
    whole.backend_tokenizer.model.unk_token = "none"
    with pytest.raises(UserError, match="the tokenizer does not take these strings"):
        tokenize_strings(whole, ["\u16a0"], EncoderSettings("mean", 8))
