"""The plain loop against the formulas of the loss and of the optimiser, step by step."""

import random

import pytest
import tiny_models
import torch
from tiny_models import make_sentences

from benchmarks.plain_tuning import pair_views, tune_plainly
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.tuning.recipe import tuning_recipe_of

RECIPE = tiny_models.RECIPE | {"temperature": 0.2, "batch_size": 6, "weight_decay": 0.1}
RECIPE |= {"pooling": "cls", "dropout": 0.0}


def direct_loss(vectors, temperature):
    """The mean over all 2B anchors of Eq. 1 with the positive in the denominator."""
    count = len(vectors)
    unit = [vector / vector.norm() for vector in vectors]
    losses = []
    for anchor in range(count):
        others = [other for other in range(count) if other != anchor]
        terms = {other: torch.exp(unit[anchor] @ unit[other] / temperature) for other in others}
        losses.append(-torch.log(terms[(anchor + count // 2) % count] / sum(terms.values())))
    return torch.stack(losses).mean()


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_one_step_is_that_of_the_formulas(tiny_bert, pooling):
    strings, seed = make_sentences(6), 7
    choices = tuning_recipe_of("own", RECIPE | {"pooling": pooling})
    tuned = load_model(str(tiny_bert))
    summary = tune_plainly(tuned, strings, choices, seed)

    expected = load_model(str(tiny_bert))
    order = list(range(6))
    random.Random(f"{seed} shuffling").shuffle(order)
    shuffled = [strings[index] for index in order]
    masking = random.Random(f"{seed} masking")
    views = pair_views(shuffled, choices, expected.tokenizer, masking)
    assert views[0] != views[1]
    vectors = []
    for text in [*views[0], *views[1]]:
        # One string at a time, without padding: the rest of its batch must not matter.
        batch = expected.tokenizer(text, truncation=True, max_length=20, return_tensors="pt")
        states = expected.model(input_ids=batch["input_ids"]).last_hidden_state[0]
        vectors.append(states[0] if pooling == "cls" else states.mean(dim=0))
    loss = direct_loss(torch.stack(vectors), 0.2)
    loss.backward()

    assert summary.steps == 1
    assert summary.first_loss == summary.last_loss == pytest.approx(loss.item(), abs=1e-5)
    moved, both = 0, (tuned.model.named_parameters(), expected.model.named_parameters())
    for (name, weight), (_, before) in zip(*both, strict=True):
        gradient = torch.zeros_like(before) if before.grad is None else before.grad
        # AdamW's first step: both bias-corrected moments are those of this gradient.
        after = before * (1 - 1e-3 * 0.1) - 1e-3 * gradient / (gradient.abs() + 1e-8)
        # Gradients of about zero have the sign of a rounding error.
        clear = gradient.abs() > 1e-5
        moved += int(clear.sum())
        assert torch.allclose(weight[clear], after[clear], atol=2e-6), name
    assert moved > 1000


def test_seed_decides_and_incomplete_batches_are_dropped(tiny_bert):
    def tune(seed):
        loaded = load_model(str(tiny_bert))
        summary = tune_plainly(loaded, make_sentences(20), tuning_recipe_of("own", RECIPE), seed)
        return summary.steps, loaded.model.get_input_embeddings().weight.detach()

    steps, weights = tune(1)
    assert steps == 3
    assert torch.equal(tune(1)[1], weights)
    assert not torch.equal(tune(2)[1], weights)


@pytest.mark.parametrize(
    "changes", [{"drophead": 0.2}, {"loss_denominator": "negatives_only"}, {"positives": "pairs"}]
)
def test_what_the_plain_loop_does_not_know_is_refused(tiny_bert, changes):
    choices = tuning_recipe_of("own", RECIPE | changes)
    with pytest.raises(ValueError, match="plain loop takes recipes"):
        tune_plainly(load_model(str(tiny_bert)), make_sentences(6), choices, 1)
