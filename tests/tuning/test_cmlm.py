"""CMLM against a plain implementation: every sequence padded, all logits, explicit joining."""

import io
import json
from functools import partial

import numpy as np
import pytest
import torch
from plain_training import (
    Recorded,
    assert_gradients,
    assert_same_steps,
    make_documents,
    objective_of,
    padded,
    plain_embeddings,
    plain_head,
    plain_layers,
    plain_retrieval,
    plain_similarities,
    plain_vectors,
    small_micro_batches,
    take_first_step,
)
from safetensors.torch import load_file
from tiny_models import WORDS
from torch.nn import functional

from workflow_scripts.embedding.encoder_folder import OWN_WEIGHTS, load_model, save_encoder
from workflow_scripts.embedding.projections import Projections
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.masking import IGNORED
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.loop import tune_model
from workflow_scripts.tuning.methods.cmlm import Choices, Corpora
from workflow_scripts.tuning.neighbours import Sequences
from workflow_scripts.tuning.running_text import RunningText
from workflow_scripts.tuning.tune_encoder import make_encoder

__all__ = ["small_micro_batches"]
ARCHITECTURES = ["bert", "roberta", "xlm-roberta", "distilbert"]
KEYS = {
    **{"method": "cmlm", "pooling": "mean", "embed_max_length": 20, "max_length": 16},
    **{"batch_size": 9, "steps": 4, "projections": 4, "dropout": 0.0},
    **{"learning_rate": 1e-3, "max_gradient_norm": 1.0},
}
BITEXT = {"corpus": "bitext", "batch_size": 5, "weight": 0.3, "margin": 0.2}


TEXT, HELD_OUT = RunningText(make_documents()), RunningText(make_documents(3, 2))
SIDES = ([document[side] for document in make_documents(8, 1)] for side in (0, 1))
# those that a recipe does not name are not used
CORPORA = Corpora(TEXT, Corpus(*SIDES), HELD_OUT)


def cmlm(folder, dtype=torch.float64, **changes):
    return objective_of(folder, CORPORA, {**KEYS, **changes}, dtype)


def plain_projections(vectors, module):
    """The three-layer perceptrons written out, one vector and one projection at a time."""
    views = []
    for vector in vectors:
        own = [vector]
        for number in range(len(module.weights[0]) if len(module.weights) else 0):
            state = vector
            for layer, (weight, bias) in enumerate(zip(module.weights, module.biases, strict=True)):
                state = state @ weight[number] + bias[number, 0]
                if layer < len(module.weights) - 1:
                    state = torch.clamp(state, min=0)
            own.append(state)
        views.append(torch.stack(own))
    return torch.stack(views)


def plain_loss(objective, loaded, choices, drawn, batch):
    """The loss of a step, from what was masked."""
    seconds, inputs, labels = drawn
    text = objective._text
    firsts = []
    for number, second in zip(batch[0], seconds, strict=True):
        pair = [text[number].tolist(), text[number + 1].tolist()]
        firsts.append(pair[1] if pair[0] == list(second) else pair[0])
    vectors = plain_vectors(loaded, choices, firsts)
    own = objective.trained["own"]
    views = plain_projections(vectors, own["projections"])
    if choices.vector_embeddings == "learned":
        views = views + own["places"].weight
    return plain_masked_loss(objective, loaded, choices, views, inputs, labels)


def plain_masked_loss(objective, loaded, choices, views, inputs, labels):
    """The loss and accuracy of masked tokens next to views: padded to the maximum, all logits."""
    model, whole = loaded.model, objective.trained["whole"]
    own, pad, length = objective.trained["own"], loaded.tokenizer.pad_token_id, choices.max_length
    ids, number = padded(inputs, pad, length), views.shape[1]
    mask = padded([[1] * len(row) for row in inputs], 0, length)
    parts = [views, plain_embeddings(model, ids)]
    masks = [torch.ones(len(mask), number, dtype=mask.dtype), mask]
    after = choices.vector_position == "after"
    states = torch.cat(parts[::-1] if after else parts, dim=1)
    states = plain_layers(model, states, torch.cat(masks[::-1] if after else masks, dim=1))
    states = states[:, :length] if after else states[:, number:]
    if choices.conditioning == "skip":
        beside = views.flatten(1)[:, None].expand(-1, length, -1)
        states = own["skip"](torch.cat([states, beside], dim=2))
    logits = plain_head(whole, states)
    truth = padded(labels, IGNORED, length)
    loss = functional.cross_entropy(logits.flatten(0, 1), truth.flatten(), ignore_index=IGNORED)
    right = logits.argmax(dim=2)[truth != IGNORED] == truth[truth != IGNORED]
    return loss, right.to(loss.dtype).mean()


CHANGES = [
    {},
    {"projections": 1},
    {"projections": 3, "projection_layers": 1, "projection_width": 0.5},
    {"pooling": "cls", "vector_position": "after"},
    {"pooling": "max", "swap": 0.0},
    {"conditioning": "skip"},
    {"vector_embeddings": "learned", "masked_count": 2},
    {"inputs": "packed"},
    {"bitext": BITEXT},
    {"bitext": {**BITEXT, "normalize": False, "logit_scale": 1.0}},
]


@pytest.mark.parametrize(
    ("name", "changes"),
    [*(("bert", one) for one in CHANGES), *((name, {}) for name in ARCHITECTURES[1:])],
)
def test_loss_and_gradients_are_those_of_the_plain_way(name, changes, folder_of):
    loaded, objective = cmlm(folder_of(name), **changes)
    choices, recorded = objective._choices, Recorded(objective)
    taken, gradients = take_first_step(objective)
    batch = next(iter(objective.batches()))
    masked, right = plain_loss(objective, loaded, choices, recorded.drawn[0], batch)
    loss = masked
    if choices.bitext:
        strings = objective._bitext(batch[1], 1)
        sides = plain_vectors(loaded, choices, strings).chunk(2)
        retrieval = plain_retrieval(sides, choices.bitext)
        loss = masked + choices.bitext.weight * retrieval
        torch.testing.assert_close(taken.measures["bitext_loss"], retrieval.detach())
        near = [
            torch.stack(plain_similarities(one, sides[1], choices.bitext)).argmax().item()
            for one in sides[0]
        ]
        hits = sum(own == place for place, own in enumerate(near)) / len(near)
        assert taken.measures["bitext_accuracy"] == pytest.approx(hits)
    measured = (taken.measures[key] for key in ("loss", "masked_loss", "masked_accuracy"))
    expected = (loss.detach(), masked.detach(), right)
    torch.testing.assert_close(tuple(measured), expected, rtol=1e-9, atol=1e-9)
    assert_gradients(objective, gradients, loss)
    if choices.vector_embeddings == "learned":
        assert gradients["own.places.weight"].any(dim=1).all()

    # what is counted: both sentences of each pair, and both sides of translations
    sentences = [objective._text[one] for pair in batch[0] for one in (pair, pair + 1)]
    sentences += strings if choices.bitext else []
    assert (taken.strings, taken.tokens) == (len(sentences), sum(map(len, sentences)))
    for sentence, own in zip(recorded.drawn[0][0], recorded.drawn[0][2], strict=True):
        wanted = choices.masked_count or max(1, round(choices.masked_share * len(sentence)))
        assert (own != IGNORED).sum() == min(wanted, len(sentence) - 2)


def test_held_out_losses_are_those_of_true_and_of_others_neighbours(tiny_bert):
    held_out = {"corpus": "held-out", "every": 5, "pairs": 4}
    loaded, objective = cmlm(tiny_bert, held_out=held_out, dropout=0.3)
    choices, recorded = objective._choices, Recorded(objective)
    measured = objective.held_out_losses()
    assert measured == objective.held_out_losses()
    (copy,) = objective._passes.copies
    assert all(module.training for module in copy.whole.modules())
    text = Sequences(loaded.tokenizer, make_documents(3, 2), "sentence", choices.training_settings)
    pairs = np.random.default_rng([4]).permutation(text.followed)[:4]
    seconds, inputs, labels = recorded.drawn[0]
    for pair, second in zip(pairs, seconds, strict=True):
        assert text[pair + 1].tolist() == second.tolist()
    vectors = plain_vectors(loaded, choices, [text[pair].tolist() for pair in pairs])
    views = plain_projections(vectors, objective.trained["own"]["projections"])
    masked = partial(plain_masked_loss, objective, loaded, choices)
    others = views[[3, 0, 1, 2]]
    expected = [masked(one, inputs, labels)[0].detach() for one in (views, others)]
    torch.testing.assert_close([*measured.values()], expected, rtol=1e-9, atol=1e-9)
    assert [*measured] == ["held_out_loss", "held_out_loss_shuffled"]


@pytest.mark.parametrize("fitting", [0, 2], ids=["vectors", "masked"])
def test_held_out_losses_that_lack_memory_are_taken_in_parts_and_keep_the_gradients(
    fitting, tiny_bert, monkeypatch, capsys
):
    held_out = {"corpus": "held-out", "every": 1, "pairs": 4}
    expected = take_first_step(cmlm(tiny_bert, held_out=held_out)[1])
    loaded, objective = cmlm(tiny_bert, held_out=held_out)
    forward, passes = type(loaded.model).forward, []

    def limited(self, input_ids=None, **options):
        if not self.training:
            passes.append(len(options["inputs_embeds"] if input_ids is None else input_ids))
            if passes[-1] > 1 and len(passes) > fitting:
                raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, input_ids=input_ids, **options)

    monkeypatch.setattr(type(loaded.model), "forward", limited)
    found = take_first_step(objective)
    assert {"held_out_loss", "held_out_loss_shuffled"} <= found[0].measures.keys()
    assert_same_steps(found, expected)
    assert "in parts of 1 strings" in capsys.readouterr().err


def test_pairs_are_neighbours_of_one_document_and_swapped_half_of_the_time(tiny_bert):
    _, objective = cmlm(tiny_bert, torch.float32, steps=80)
    recorded, text = Recorded(objective), objective._text
    sentences = [tuple(text[number].tolist()) for number in range(len(text))]
    numbers = [document for document, own in enumerate(make_documents()) for _ in own]
    seen, swapped, epochs = 0, 0, []
    for step, batch in enumerate(objective.batches(), start=1):
        assert all(numbers[one] == numbers[one + 1] for one in batch[0])
        objective.step(step, batch)
        for number, second in zip(batch[0], recorded.drawn[-1][0], strict=True):
            assert tuple(second) in (sentences[number], sentences[number + 1])
            swapped += tuple(second) == sentences[number]
            seen += 1
        epochs.append(set(batch[0].tolist()))
    # each pair once in an epoch, whose last incomplete batch is dropped
    per_epoch = len(text.followed) // 9
    first = epochs[:per_epoch]
    assert sum(map(len, first)) == len(set.union(*first)) == 9 * per_epoch
    assert abs(swapped - seen / 2) < 5 * (seen / 4) ** 0.5


def test_projected_vectors_are_means_over_the_views(tiny_bert, tmp_path):
    loaded, choices = load_model(str(tiny_bert)), Choices(**{**KEYS, "steps": 12})
    summary = tune_model(loaded, CORPORA, choices, 33)
    views = Projections(32, 4, 2.0, 3, seed=0)
    save_encoder(
        tmp_path / "encoder", loaded, EncoderSettings("mean", 20), {}, {}, summary.own_weights
    )
    own = {key.rpartition("projections.")[2]: one for key, one in summary.own_weights.items()}
    views.load_state_dict({key: one for key, one in own.items() if key in views.state_dict()})
    read = load_model(str(tmp_path / "encoder"))
    strings = make_documents()[0]
    means = torch.from_numpy(encode_strings(read, strings, EncoderSettings("mean", 20)))
    expected = plain_projections(means, views).mean(dim=1).detach().numpy()
    found = encode_strings(read, strings, EncoderSettings("projected", 20))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    with pytest.raises(UserError, match="was not trained by method cmlm"):
        encode_strings(load_model(str(tiny_bert)), strings, EncoderSettings("projected", 20))


@pytest.fixture
def made(tiny_bert, tmp_path):
    """Make an encoder of recipe and corpus `first` and return its folder."""
    corpus = tmp_path / "text.txt"
    corpus.write_text("".join("\n".join(one) + "\n\n" for one in make_documents()))

    def make(name, model=tiny_bert, **changes):
        block = {key: one for key, one in {**KEYS, **changes}.items() if one is not None}
        folder = tmp_path / name
        make_encoder(str(model), str(corpus), name, block, 33, folder)
        return folder

    return make


def test_what_starts_from_an_encoder_takes_over_head_and_projections(made):
    first = made("first")
    kept = load_file(first / OWN_WEIGHTS)
    assert {name.split(".")[1] for name in kept} == {"cls", "projections"}
    start = {"recipe": "first", "corpus": "text"}
    # the rate of the only step is 0: what it starts with is what it ends with
    still = {"steps": 1, "warmup": 0.9, "start": start}
    second = made("second", first, **still)
    torch.testing.assert_close(load_file(second / OWN_WEIGHTS), kept, rtol=0, atol=0)
    twin = made("twin", first, **still, method="mlm", projections=None)
    heads = {name: one for name, one in kept.items() if "cls" in name}
    torch.testing.assert_close(load_file(twin / OWN_WEIGHTS), heads, rtol=0, atol=0)
    weights = [load_file(folder / "model.safetensors") for folder in (first, second, twin)]
    torch.testing.assert_close(weights[1:], weights[:1] * 2, rtol=0, atol=0)
    with pytest.raises(UserError, match=r"projections\.weights\.0 is \[3, 32, 64\].*\[6, 32, 64\]"):
        made("third", first, start=start, projections=7)
    assert not (first.parent / "third").exists()


@pytest.mark.parametrize("tells", [True, False])
def test_the_neighbours_help_where_they_tell_something(tells, tiny_bert):
    """Documents have two words each, or all: held-out loss with true neighbours and with others."""
    generator, words = np.random.default_rng(3), sorted(set(WORDS.split()))

    def documents(count):
        for _ in range(count):
            own = generator.choice(words, size=2, replace=False) if tells else words
            yield [" ".join(generator.choice(own, size=5)) for _ in range(3)]

    corpora = [RunningText(list(documents(count))) for count in (300, 60)]
    changes = {"batch_size": 32, "steps": 60, "masked_share": 0.7, "learning_rate": 3e-3}
    changes["held_out"] = {"corpus": "held-out", "every": 25, "pairs": 120}
    choices, log = Choices(**{**KEYS, **changes}), io.StringIO()
    tune_model(load_model(str(tiny_bert)), Corpora(corpora[0], None, corpora[1]), choices, 33, log)
    rows = [json.loads(line) for line in log.getvalue().splitlines()]
    measured = [row for row in rows if "held_out_loss" in row]
    # the last step is measured too
    assert [row["step"] for row in measured] == [25, 50, 60]
    gap = measured[-1]["held_out_loss_shuffled"] - measured[-1]["held_out_loss"]
    assert gap > 0.3 if tells else abs(gap) < 0.1
