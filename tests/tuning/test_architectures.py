"""Every architecture from end to end: tuned, saved, loaded by transformers and by its peers."""

import json

import numpy as np
import pytest
import tiny_architectures as tiny
import torch
from sentence_transformers import SentenceTransformer
from tiny_models import RECIPE, make_sentences
from transformers import AutoModel, AutoTokenizer

from workflow_scripts.embedding.architectures import first_position_only
from workflow_scripts.embedding.encoder_folder import load_model, position_limit
from workflow_scripts.embedding.settings import POOLINGS as POOLING_NAMES
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.chosen_positions import ChosenPositions
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.dropout import drop_out_heads
from workflow_scripts.tuning.dropout_masks import DropoutMasks
from workflow_scripts.tuning.loop import tune_model
from workflow_scripts.tuning.methods.mirror import Choices
from workflow_scripts.tuning.recipe import DropoutRates
from workflow_scripts.tuning.tune_encoder import make_encoder

# Some need padding, one is cut, one is a single piece, one holds characters no vocabulary has.
STRINGS = [*make_sentences(12), "a", "the small cat " * 30, "naïve 猫 [MASK]"]
LENGTH = RECIPE["embed_max_length"]
POOLINGS = [
    (name, pooling)
    for name in tiny.ARCHITECTURES
    for pooling in POOLING_NAMES
    if pooling != "projected"
    if pooling != "pooler" or name in tiny.WITH_POOLER
]


@pytest.fixture
def tune(folder_of, tmp_path):
    """Tune an architecture for two steps; the keywords are changes of the recipe."""

    def run(name, **changes):
        corpus, output = tmp_path / "corpus.txt", tmp_path / "encoder"
        corpus.write_text("\n".join(make_sentences(16)) + "\n")
        block = {**RECIPE, **changes}
        make_encoder(str(folder_of(name)), str(corpus), "own", block, seed=33, output=output)
        return output

    return run


@torch.no_grad()
def pooled_by_hand(folder, pooling):
    """The vectors by transformers alone, string by string, from what the pooling means."""
    model, tokenizer = (kind.from_pretrained(folder) for kind in (AutoModel, AutoTokenizer))
    padding = "max_length" if pooling == "mean_padded" else False
    options = {"truncation": True, "max_length": LENGTH, "padding": padding}
    rows = []
    for string in STRINGS:
        output = model.eval()(**tokenizer(string, **options, return_tensors="pt"))
        states = output.last_hidden_state[0]
        if pooling == "pooler":
            rows.append(output.pooler_output[0])
        elif pooling in ("cls", "max"):
            rows.append(states[0] if pooling == "cls" else states.max(dim=0).values)
        else:
            rows.append((states[1:-1] if pooling == "mean_pieces" else states).mean(dim=0))
    return torch.stack(rows).numpy()


@pytest.mark.parametrize(("name", "pooling"), POOLINGS)
def test_it_is_tuned_saved_and_gives_equal_vectors_everywhere(name, pooling, tune, tmp_path):
    folder = tune(name, pooling=pooling)
    assert json.loads((folder / "encoder.json").read_text())["tuning"]["steps"] == 2
    ours = encode_strings(load_model(str(folder)), STRINGS, EncoderSettings(pooling, LENGTH))
    assert np.isfinite(ours).all()
    # Vectors that hardly differ would agree whatever is done wrong.
    assert np.ptp(ours, axis=0).mean() > 0.5
    np.testing.assert_allclose(ours, pooled_by_hand(folder, pooling), rtol=0, atol=1e-5)
    encoder = SentenceTransformer(str(folder), device="cpu")
    np.testing.assert_allclose(encoder.encode(STRINGS), ours, rtol=0, atol=1e-5)
    encoder.save(str(tmp_path / "again"))
    again = SentenceTransformer(str(tmp_path / "again"), device="cpu")
    np.testing.assert_allclose(again.encode(STRINGS), ours, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", tiny.ARCHITECTURES)
def test_tuning_moves_every_weight_that_the_vectors_depend_on(name, tune, folder_of):
    before = load_model(str(folder_of(name))).model.state_dict()
    after = load_model(str(tune(name, pooling="cls", weight_decay=0.0))).model.state_dict()
    assert before.keys() == after.keys()
    still = {key for key in before if torch.equal(before[key], after[key])}
    # cls does not pass through the pooler; everything else has a part in it.
    assert {key for key in still if not key.startswith("pooler.")} == set()


@pytest.mark.parametrize("name", tiny.ARCHITECTURES)
def test_drophead_works_on_the_context_of_every_layer(name, folder_of):
    loaded = load_model(str(folder_of(name)))
    model, masks = loaded.model.train(), DropoutMasks(33, "cpu")
    calls = []
    drop_out_heads(model, 0.5, masks)
    masks.draw = lambda shape, rate, dtype: calls.append(tuple(shape)) or torch.ones(shape)
    model(input_ids=torch.tensor([[2, 7, 8, 3], [2, 9, 7, 3]]))
    assert calls == [(2, 1, 4, 1)] * 2


# the first alone; some in any order, one of them twice
FIRST, SOME = torch.tensor([[0], [0]]), torch.tensor([[3, 0, 1], [1, 2, 1]])


def states_at(positions, name, folder, few):
    """States and gradients at positions, of a model that computes no others or all of them."""
    ids = torch.tensor([[2, 7, 8, 9, 3], [2, 9, 3, 1, 1]])
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    model = load_model(str(folder)).model.double()

    def pass_over():
        return model(input_ids=ids, attention_mask=mask).last_hidden_state

    with first_position_only(model, few and positions is FIRST):
        chosen = few and positions is SOME
        states = ChosenPositions(model).of(positions, pass_over) if chosen else pass_over()
    if not chosen:
        assert states.shape[1] == (1 if few and name != "albert" else 5)
        states = torch.stack([row[own] for row, own in zip(states, positions, strict=True)])
    (states * torch.linspace(-1, 1, states.numel()).view(states.shape).sin()).sum().backward()
    return [states, *(p.grad for p in model.parameters() if p.grad is not None)]


@pytest.mark.parametrize("positions", [FIRST, SOME])
@pytest.mark.parametrize("name", tiny.ARCHITECTURES)
def test_fewer_positions_have_the_states_and_gradients_of_all(name, positions, folder_of):
    results = [states_at(positions, name, folder_of(name), few) for few in (True, False)]
    # the norms of DeBERTa compute in float32
    tolerance = 1e-5 if name == "deberta" else 1e-9
    torch.testing.assert_close(*results, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", tiny.ARCHITECTURES)
def test_a_head_is_dropped_and_the_weights_below_it_are_used(name, tmp_path):
    folder = tiny.make_architecture(tmp_path / "model", name, head=True)
    whole = tiny.head_class(name).from_pretrained(folder)
    expected = getattr(whole, whole.base_model_prefix).state_dict()
    found = load_model(str(folder)).model.state_dict()
    assert len(whole.state_dict()) > len(expected)
    # Not even a pooler layer that the weights lack is made up.
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[key], expected[key]) for key in expected)


@pytest.mark.parametrize("name", tiny.ARCHITECTURES)
def test_a_model_takes_what_it_has_positions_a_mark_and_a_pooler_for(name, folder_of, capsys):
    loaded = load_model(str(folder_of(name)))
    limit = position_limit(loaded.model)
    # 66 positions, of which the RoBERTa family loses those up to the padding id.
    shifted = name in ("roberta", "xlm-roberta", "camembert", "mpnet")
    assert limit == (64 if shifted else 66)
    ids = torch.full((1, limit + 1), loaded.tokenizer("cat")["input_ids"][1])
    with torch.no_grad():
        assert loaded.model(input_ids=ids[:, :limit]).last_hidden_state.shape == (1, limit, 32)
        if name not in ("deberta", "deberta-v2", "modernbert"):
            # Absolute positions end there; the relative ones of the others continue.
            with pytest.raises((IndexError, RuntimeError)):
                loaded.model(input_ids=ids)
    with pytest.raises(UserError, match=f"more than the {limit} positions"):
        loaded.check_settings(EncoderSettings("cls", limit + 1))
    loaded.warn_of_missing_mark("cls")
    assert capsys.readouterr().err == ""
    if name not in tiny.WITH_POOLER:
        with pytest.raises(UserError, match="hold no pooler layer; use cls"):
            loaded.check_settings(EncoderSettings("pooler", LENGTH))


def drops_out(name, folder, dropout, own):
    """Whether the loss of the first step, over all strings, is another under another seed.

    Without dropout it differs by the order of the strings alone. `own` is the rate in config.json.
    """
    tiny.make_architecture(folder, name, **tiny.dropout_keys(name, own))
    plain = {**RECIPE, "pooling": "cls", "max_length": LENGTH, "batch_size": 12}
    choices = Choices(**{**plain, "span_masking": None, "learning_rate": 2e-5, "dropout": dropout})
    first, second = (
        tune_model(load_model(str(folder)), Corpus(STRINGS[:12]), choices, seed).first_loss
        for seed in (1, 2)
    )
    return first != pytest.approx(second, rel=1e-4)


@pytest.mark.parametrize(("rate", "own", "drops"), [(0.0, 0.4, 0), (None, 0.4, 1), (0.5, 0.0, 1)])
@pytest.mark.parametrize("name", tiny.ARCHITECTURES)
def test_a_rate_holds_whatever_config_says_and_null_is_its_own(name, rate, own, drops, tmp_path):
    assert drops_out(name, tmp_path / "model", rate, own) == bool(drops)


# Places that an architecture does not have (DistilBERT and ALBERT in transformers 5).
NO_SUCH_PLACE = {("distilbert", "attention_output"), ("albert", "feed_forward")}
PLACES = ("embeddings", "attention", "attention_output", "feed_forward")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", tiny.ARCHITECTURES)
def test_a_rate_by_place_is_set_there_and_nowhere_else(name, place, tmp_path):
    folder, nowhere = tmp_path / "model", dict.fromkeys(PLACES, 0.0)
    there = DropoutRates(**{**nowhere, place: 0.5})
    if (name, place) in NO_SUCH_PLACE:
        with pytest.raises(UserError, match=place):
            drops_out(name, folder, there, 0.0)
        return
    assert drops_out(name, folder, there, 0.0)
    assert not drops_out(name, folder, DropoutRates(**nowhere), 0.4)
