"""Training written out plainly, and what must hold for every method on text or pairs."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tiny_models import WORDS, cpu_means
from torch.nn import functional

from workflow_scripts import plugins
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.tuning import devices
from workflow_scripts.tuning.recipe import METHODS, tuning_recipe_of
from workflow_scripts.tuning.tuning_state import StateFile

MEANS = cpu_means()
# what training does on a GPU, with a batch of tiny strings in several micro-batches
GPU_TRAITS = replace(devices.TRAITS["cuda"], overhead=4, most_tokens=200, most_logits=2000)


@pytest.fixture
def gpu_ways(monkeypatch):
    """Let a processor train as a GPU."""
    monkeypatch.setitem(devices.TRAITS, "cpu", GPU_TRAITS)


@pytest.fixture(autouse=True)
def small_micro_batches(monkeypatch):
    """A batch of tiny strings in several micro-batches, as a real one is."""
    traits = replace(devices.TRAITS["cpu"], overhead=4, most_tokens=60)
    monkeypatch.setitem(devices.TRAITS, "cpu", traits)


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


def objective_of(folder, corpus, block, dtype=torch.float64, means=MEANS):
    """A model in `dtype`, and the objective of a recipe's block on it."""
    loaded, recipe = load_model(str(folder)), tuning_recipe_of("own", block)
    loaded.model.to(dtype)
    return loaded, plugins.load(METHODS, recipe.method).objective(loaded, corpus, recipe, means)


def gradients_of(module):
    """The gradients by name, dense, which the module then has no more."""
    found = {}
    for name, parameter in module.named_parameters():
        if parameter.grad is not None:
            dense = parameter.grad.to_dense() if parameter.grad.is_sparse else parameter.grad
            found[name] = dense.clone()
    module.zero_grad()
    return found


def take_first_step(objective, number=1):
    """The measures and the gradients by name of the first step; what it drew is seeded."""
    batch = next(iter(objective.batches()))
    taken = objective.step(number, batch)
    return taken, gradients_of(objective.trained)


class Killed(Exception):
    """Stands for the end of the process."""


def cut(run, step, monkeypatch):
    """Let `run`, which keeps its state after each step, end after `step`."""
    save = StateFile.save

    def save_and_die(self, trained, progress, best):
        save(self, trained, progress, best)
        if progress.step == step:
            raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(StateFile, "save", save_and_die)
        run()


def assert_gradients(objective, gradients, loss):
    """The gradients of a step are those of `loss`, computed plainly in float64."""
    loss.backward()
    named = objective.trained.named_parameters()
    plain = {name: one.grad for name, one in named if one.grad is not None}
    assert gradients.keys() == plain.keys()
    torch.testing.assert_close(gradients, plain, rtol=1e-9, atol=1e-9)


def assert_same_steps(mine, other, tolerance=1e-9):
    """Measures and gradients of two first steps."""
    own, expected = ((taken.measures, gradients) for taken, gradients in (mine, other))
    torch.testing.assert_close(own, expected, rtol=tolerance, atol=tolerance)


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


def plain_vectors(loaded, choices, token_ids):
    """Vectors [R, D] of strings, all padded to the maximum."""
    ids = padded(token_ids, loaded.tokenizer.pad_token_id, choices.max_length)
    mask = padded([[1] * len(row) for row in token_ids], 0, choices.max_length)
    states = plain_layers(loaded.model, plain_embeddings(loaded.model, ids), mask)
    return plain_pool(states, mask, choices.pooling)


def plain_similarities(one, others, given):
    """The similarities of a vector to others, one by one."""
    return [
        given.logit_scale * functional.cosine_similarity(one, other, dim=0)
        if given.normalize
        else given.logit_scale * (one * other).sum()
        for other in others
    ]


def plain_retrieval(sides, given):
    """Additive margin softmax in both directions, summed pair by pair (CMLM, section 4.2)."""
    total = 0
    for ours, theirs in (sides, sides[::-1]):
        for place, one in enumerate(ours):
            scores = plain_similarities(one, theirs, given)
            top = torch.exp(scores[place] - given.margin * given.logit_scale)
            rest = sum(torch.exp(score) for at, score in enumerate(scores) if at != place)
            total = total - torch.log(top / (top + rest)) / len(ours)
    return total


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
