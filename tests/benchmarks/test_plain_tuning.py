"""The plain loop against the formulas of the loss and of the optimiser, step by step."""

import random
from pathlib import Path

import pytest
import torch
from tiny_models import make_sentences

from workflow_scripts.benchmarks.plain_tuning import tune_plainly
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.tuning.recipes import MirrorChoices, SpanMasking
from workflow_scripts.tuning.span_masking import make_views

CHOICES = MirrorChoices(
    max_length=20,
    epochs=1,
    temperature=0.2,
    batch_size=6,
    learning_rate=1e-3,
    weight_decay=0.1,
    span_masking=SpanMasking(length=5, min_length=10),
    dropout=0.0,
)


def direct_loss(vectors: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return the mean over all 2B anchors of Eq. 1 with the positive in the denominator."""
    count = len(vectors)
    losses = []
    for anchor in range(count):
        positive = (anchor + count // 2) % count
        exponentials = {
            other: torch.exp(
                torch.dot(vectors[anchor], vectors[other])
                / (vectors[anchor].norm() * vectors[other].norm() * temperature)
            )
            for other in range(count)
            if other != anchor
        }
        losses.append(-torch.log(exponentials[positive] / sum(exponentials.values())))
    return torch.stack(losses).mean()


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_one_step_is_that_of_the_formulas(tiny_bert: Path, pooling: str) -> None:
    strings, seed = make_sentences(6), 7
    tuned = load_model(str(tiny_bert))
    summary = tune_plainly(tuned, strings, CHOICES, pooling, seed)

    expected = load_model(str(tiny_bert))
    order = list(range(6))
    random.Random(f"{seed} shuffling").shuffle(order)
    views = make_views(
        [strings[index] for index in order],
        CHOICES.span_masking,
        "[MASK]",
        lambda text: [],
        random.Random(f"{seed} masking"),
    )
    assert views[0] != views[1]
    vectors = []
    for text in [*views[0], *views[1]]:
        # One string at a time, without padding: what stands beside it must not matter.
        batch = expected.tokenizer(text, truncation=True, max_length=20, return_tensors="pt")
        states = expected.model(input_ids=batch["input_ids"]).last_hidden_state[0]
        vectors.append(states[0] if pooling == "cls" else states.mean(dim=0))
    loss = direct_loss(torch.stack(vectors), CHOICES.temperature)
    loss.backward()

    assert summary.steps == 1
    assert summary.first_loss == summary.last_loss == pytest.approx(loss.item(), abs=1e-5)
    moved = 0
    for (name, weight), (_, before) in zip(
        tuned.model.named_parameters(), expected.model.named_parameters(), strict=True
    ):
        gradient = torch.zeros_like(before) if before.grad is None else before.grad
        # AdamW's first step: both bias-corrected moments are those of this gradient.
        after = before * (1 - 1e-3 * 0.1) - 1e-3 * gradient / (gradient.abs() + 1e-8)
        # Gradients of about zero have the sign of a rounding error.
        clear = gradient.abs() > 1e-5
        moved += int(clear.sum())
        assert torch.allclose(weight[clear], after[clear], atol=2e-6), name
    assert moved > 1000


def test_seed_decides_and_incomplete_batches_are_dropped(tiny_bert: Path) -> None:
    def tune(seed: int) -> tuple[int, torch.Tensor]:
        loaded = load_model(str(tiny_bert))
        summary = tune_plainly(loaded, make_sentences(20), CHOICES, "cls", seed)
        return summary.steps, loaded.model.get_input_embeddings().weight.detach()

    steps, weights = tune(1)
    assert steps == 3
    assert torch.equal(tune(1)[1], weights)
    assert not torch.equal(tune(2)[1], weights)


@pytest.mark.parametrize(
    "changes", [{"drophead": 0.2}, {"loss_denominator": "negatives_only"}, {"positives": "pairs"}]
)
def test_what_the_plain_loop_does_not_know_is_refused(tiny_bert: Path, changes: dict) -> None:
    choices = MirrorChoices(**{**vars(CHOICES), **changes})
    with pytest.raises(ValueError, match="plain loop takes recipes"):
        tune_plainly(load_model(str(tiny_bert)), make_sentences(6), choices, "cls", 1)
