"""CMLM against a plain implementation: every sequence padded, all logits, explicit joining."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tiny_models import WORDS, cpu_means
from torch.nn import functional

from workflow_scripts.embedding.encoder_folder import load_model, save_encoder
from workflow_scripts.embedding.projections import Projections
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.masking import IGNORED
from workflow_scripts.language_modelling.prediction import load_masked_lm
from workflow_scripts.tuning import slices
from workflow_scripts.tuning.cmlm_objective import CmlmObjective
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.loop import tune_model
from workflow_scripts.tuning.methods.cmlm import Choices, Corpora
from workflow_scripts.tuning.neighbours import Sequences
from workflow_scripts.tuning.processes import Workers
from workflow_scripts.tuning.running_text import RunningText

MEANS = cpu_means()
ARCHITECTURES = ["bert", "roberta", "xlm-roberta", "distilbert"]
KEYS = {
    **{"method": "cmlm", "pooling": "mean", "embed_max_length": 20, "max_length": 16},
    **{"batch_size": 9, "steps": 4, "projections": 4, "dropout": 0.0},
    **{"learning_rate": 1e-3, "max_gradient_norm": 1.0},
}
BITEXT = {"corpus": "bitext", "batch_size": 5, "weight": 0.3, "margin": 0.2}


@pytest.fixture(autouse=True)
def small_slices(monkeypatch):
    """A batch of tiny strings in several slices, as a real one is."""
    monkeypatch.setitem(slices.SLICE_OVERHEAD, "cpu", 4)
    monkeypatch.setitem(slices.MOST_TOKENS, "cpu", 60)


def make_documents(count=6, seed=0):
    """Documents of three to six sentences of one to nine words."""
    generator = np.random.default_rng(seed)
    words = WORDS.split()
    return [
        [
            " ".join(generator.choice(words, size=generator.integers(1, 10)))
            for _ in range(generator.integers(3, 7))
        ]
        for _ in range(count)
    ]


def corpora_of(choices):
    sides = (
        [document[0] for document in make_documents(8, 1)],
        [document[1] for document in make_documents(8, 1)],
    )
    bitext = Corpus(*sides) if choices.bitext else None
    held_out = RunningText(make_documents(3, 2)) if choices.held_out else None
    return Corpora(RunningText(make_documents()), bitext, held_out)


def objective_of(folder, dtype=torch.float64, means=MEANS, **changes):
    loaded, choices = load_model(str(folder)), Choices(**{**KEYS, **changes})
    loaded.model.to(dtype)
    objective = CmlmObjective(loaded, corpora_of(choices), choices, means)
    objective.trained.train()
    return loaded, objective


def take_first_step(objective, number=1):
    """The measures and the gradients by name of the first step; what it drew is seeded."""
    batch = next(iter(objective.batches()))
    with objective.settings():
        taken = objective.step(number, batch)
    found = {}
    for name, parameter in objective.trained.named_parameters():
        if parameter.grad is not None:
            dense = parameter.grad.to_dense() if parameter.grad.is_sparse else parameter.grad
            found[name] = dense.clone()
    objective.trained.zero_grad()
    return taken, found


class Recorded:
    """Remembers what an objective masked, so that the plain way takes the same."""

    def __init__(self, objective):
        self.drawn, of = [], objective._masking.of

        def remember(sequences, generator):
            self.drawn.append((sequences, *of(sequences, generator)))
            return self.drawn[-1][1:]

        objective._masking.of = remember


def padded(rows, value, length):
    return torch.tensor([[*map(int, row), *[value] * (length - len(row))] for row in rows])


def plain_pool(states, mask, pooling):
    if pooling == "cls":
        return states[:, 0]
    kept = [row[: int(real.sum())] for row, real in zip(states, mask, strict=True)]
    if pooling == "max":
        return torch.stack([row.max(dim=0).values for row in kept])
    return torch.stack([row.mean(dim=0) for row in kept])


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


def plain_embeddings(model, ids):
    """Token, position and segment embeddings with their normalisation, by the layers' weights."""
    own, kind = model.embeddings, model.config.model_type
    places = torch.arange(ids.shape[1])
    if "roberta" in kind:
        # positions count from the padding id on, padding has that id
        real = (ids != model.config.pad_token_id).long()
        places = real.cumsum(dim=1) * real + model.config.pad_token_id
    sums = own.word_embeddings.weight[ids] + own.position_embeddings.weight[places]
    if hasattr(own, "token_type_embeddings"):
        sums = sums + own.token_type_embeddings.weight[0]
    return own.LayerNorm(sums)


def plain_layers(model, states, mask):
    """The transformer's layers over hidden states [B, T, D] with mask [B, T]."""
    blocked = (1.0 - mask[:, None, None, :].to(states.dtype)) * torch.finfo(states.dtype).min
    layers = getattr(model, "encoder", None) or model.transformer
    for layer in layers.layer:
        found = layer(states, attention_mask=blocked)
        states = found[0] if isinstance(found, tuple) else found
    return states


def plain_loss(objective, loaded, choices, drawn, batch):
    """The loss of a step, from what was masked: both sides padded to the maximum, all logits."""
    model, whole = loaded.model, objective.trained["whole"]
    pad, length = loaded.tokenizer.pad_token_id, choices.max_length
    seconds, inputs, labels = drawn
    text = objective._text
    firsts = []
    for number, second in zip(batch[0], seconds, strict=True):
        pair = [text[number].tolist(), text[number + 1].tolist()]
        firsts.append(pair[1] if pair[0] == list(second) else pair[0])
    ids = padded(firsts, pad, length)
    mask = padded([[1] * len(row) for row in firsts], 0, length)
    states = plain_layers(model, plain_embeddings(model, ids), mask)
    vectors = plain_pool(states, mask, choices.pooling)
    own = objective.trained["own"]
    views = plain_projections(vectors, own["projections"])
    if "places" in own:
        views = views + own["places"].weight
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


def plain_head(whole, states):
    """All logits [B, T, vocabulary]: a layer, its normalisation, and the embeddings' transpose."""
    embeddings = whole.get_input_embeddings().weight
    if whole.config.model_type == "distilbert":
        inner = functional.gelu(whole.vocab_transform(states))
        return whole.vocab_layer_norm(inner) @ embeddings.T + whole.vocab_projector.bias
    if whole.config.model_type == "bert":
        head = whole.cls.predictions
        inner = head.transform.LayerNorm(functional.gelu(head.transform.dense(states)))
    else:
        head = whole.lm_head
        inner = head.layer_norm(functional.gelu(head.dense(states)))
    return inner @ embeddings.T + head.bias


def plain_retrieval(objective, loaded, choices, translations):
    """Additive margin softmax in both directions, summed pair by pair (section 4.2)."""
    sides = []
    for side in objective._bitext:
        ids = [side[one] for one in translations]
        mask = padded([[1] * len(row) for row in ids], 0, choices.max_length)
        ids = padded(ids, loaded.tokenizer.pad_token_id, choices.max_length)
        states = plain_layers(loaded.model, plain_embeddings(loaded.model, ids), mask)
        sides.append(plain_pool(states, mask, choices.pooling))
    given, total = choices.bitext, 0
    for ours, theirs in (sides, sides[::-1]):
        for place, one in enumerate(ours):
            scores = [
                given.logit_scale * functional.cosine_similarity(one, other, dim=0)
                if given.normalize
                else given.logit_scale * (one * other).sum()
                for other in theirs
            ]
            margin = given.margin * given.logit_scale
            top = torch.exp(scores[place] - margin)
            rest = sum(torch.exp(score) for at, score in enumerate(scores) if at != place)
            total = total - torch.log(top / (top + rest)) / len(ours)
    return total


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
    loaded, objective = objective_of(folder_of(name), **changes)
    choices, recorded = objective._choices, Recorded(objective)
    taken, gradients = take_first_step(objective)
    batch = next(iter(objective.batches()))
    with torch.random.fork_rng():
        loaded.model.eval()
        masked, right = plain_loss(objective, loaded, choices, recorded.drawn[0], batch)
        loss = masked
        if choices.bitext:
            retrieval = plain_retrieval(objective, loaded, choices, batch[1])
            loss = masked + choices.bitext.weight * retrieval
            torch.testing.assert_close(taken.measures["bitext_loss"], retrieval.detach())
        loss.backward()
    measured = (taken.measures[key] for key in ("loss", "masked_loss", "masked_accuracy"))
    expected = (loss.detach(), masked.detach(), right)
    torch.testing.assert_close(tuple(measured), expected, rtol=1e-9, atol=1e-9)
    plain = {
        name: one.grad for name, one in objective.trained.named_parameters() if one.grad is not None
    }
    assert gradients.keys() == plain.keys()
    torch.testing.assert_close(gradients, plain, rtol=1e-9, atol=1e-9)


def test_tokens_of_the_first_sentence_get_gradients_through_the_vector_alone(tiny_bert):
    _, objective = objective_of(tiny_bert, swap=0.0)
    recorded = Recorded(objective)
    # cut: the vectors reach the second sentences, their gradient does not come back
    backward = objective._masked.backward

    def cut(inputs, labels, step, views=None, further=None):
        loss, right, gradient = backward(inputs, labels, step, views, further)
        return loss, right, torch.zeros_like(gradient)

    _, whole = take_first_step(objective)
    objective._masked.backward = cut
    _, without = take_first_step(objective)
    seconds = recorded.drawn[0][1]
    embeddings = "whole.bert.embeddings.position_embeddings.weight"
    assert not torch.equal(whole[embeddings], without[embeddings])
    longest = max(len(row) for row in seconds)
    # positions that only first sentences reach have no other gradient
    assert not without[embeddings][longest:].any()
    assert any("projections" in name for name in whole)
    assert not any("projections" in name and one.any() for name, one in without.items())


def test_one_projection_is_the_vector_itself(tiny_bert):
    _, objective = objective_of(tiny_bert, projections=1)
    vectors = torch.randn(3, 32, dtype=torch.float64)
    torch.testing.assert_close(objective._views(vectors), vectors[:, None], rtol=0, atol=0)
    assert not list(objective.trained["own"].parameters())


@pytest.mark.parametrize("changes", [{"dropout": 0.2}, {"bitext": BITEXT, "pooling": "max"}])
def test_any_number_of_threads_gives_every_bit(changes, tiny_bert):
    found = []
    for count in (1, 2, 3):
        with Workers(count) as workers:
            means = replace(MEANS, workers=workers)
            _, objective = objective_of(tiny_bert, torch.float32, means, **changes)
            taken, gradients = take_first_step(objective)
            found.append((taken.measures, gradients))
    torch.testing.assert_close(found[1:], found[:1] * 2, rtol=0, atol=0)


@pytest.mark.parametrize("rows", [1, 3])
def test_lack_of_memory_is_met_by_smaller_parts(rows, tiny_bert, monkeypatch):
    expected = take_first_step(objective_of(tiny_bert, dropout=0.2, bitext=BITEXT)[1])
    loaded, objective = objective_of(tiny_bert, dropout=0.2, bitext=BITEXT)
    forward = type(loaded.model).forward

    def limited(self, input_ids=None, **options):
        if len(input_ids) > rows:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, input_ids=input_ids, **options)

    monkeypatch.setattr(type(loaded.model), "forward", limited)
    found = take_first_step(objective)
    torch.testing.assert_close(found[0].measures, expected[0].measures, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(found[1], expected[1], rtol=1e-9, atol=1e-9)


def test_pairs_are_neighbours_of_one_document_and_swapped_half_of_the_time(tiny_bert):
    _, objective = objective_of(tiny_bert, torch.float32, steps=80)
    recorded, text = Recorded(objective), objective._text
    sentences = [tuple(text[number].tolist()) for number in range(len(text))]
    numbers = [document for document, own in enumerate(make_documents()) for _ in own]
    seen, swapped, epochs = 0, 0, []
    with objective.settings():
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


def tuned(folder, steps=12, **options):
    loaded = load_model(str(folder))
    changes = options.pop("changes", {})
    choices = Choices(**{**KEYS, "steps": steps, **changes})
    summary = tune_model(loaded, corpora_of(choices), choices, 33, **options)
    return loaded, summary


def test_the_same_seed_gives_the_same_weights(tiny_bert):
    changes = {"dropout": 0.1, "bitext": BITEXT, "optimiser": "lamb"}
    (first, one), (second, other) = (tuned(tiny_bert, changes=changes) for _ in range(2))
    torch.testing.assert_close(first.model.state_dict(), second.model.state_dict(), rtol=0, atol=0)
    torch.testing.assert_close(one.own_weights, other.own_weights, rtol=0, atol=0)
    assert any("projections" in name for name in one.own_weights)


def test_projected_vectors_are_means_over_the_views(tiny_bert, tmp_path):
    loaded, summary = tuned(tiny_bert)
    views = Projections(32, 4, 2.0, 3, seed=0)
    save_encoder(tmp_path / "encoder", loaded, "mean", 20, {}, "", summary.own_weights)
    own = {key.rpartition("projections.")[2]: one for key, one in summary.own_weights.items()}
    views.load_state_dict({key: one for key, one in own.items() if key in views.state_dict()})
    read = load_model(str(tmp_path / "encoder"))
    strings = make_documents()[0]
    means = torch.from_numpy(encode_strings(read, strings, "mean", 20))
    expected = plain_projections(means, views).mean(dim=1).detach().numpy()
    found = encode_strings(read, strings, "projected", 20)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    with pytest.raises(UserError, match="no encoder that method cmlm trained"):
        encode_strings(load_model(str(tiny_bert)), strings, "projected", 20)


def test_a_padded_batch_of_sequences_keeps_documents_apart(tiny_bert):
    loaded = load_model(str(tiny_bert))
    documents = make_documents()
    packed = Sequences(loaded.tokenizer, documents, "packed", 16)
    assert max(len(packed[one]) for one in range(len(packed))) <= 16
    assert len(packed) < sum(map(len, documents))
    assert load_masked_lm(loaded, 1).get_output_embeddings().weight is (
        loaded.model.get_input_embeddings().weight
    )
