"""The tuning loop, against the same steps written out with other libraries."""

import dataclasses
import io
import json
import random

import pytest
import torch
from pytorch_metric_learning.losses import NTXentLoss
from tiny_models import make_sentences
from transformers import AutoModel, AutoTokenizer

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.errors import UserError
from workflow_scripts.tuning import mirror_tuning
from workflow_scripts.tuning.mirror_tuning import draw_batches, encode_views, tune_model
from workflow_scripts.tuning.recipes import MirrorChoices, SpanMasking

STRINGS = make_sentences(26)
CHOICES = MirrorChoices(
    max_length=20,
    epochs=2,
    temperature=0.1,
    batch_size=8,
    learning_rate=1e-3,
    span_masking=SpanMasking(length=5, min_length=10),
    dropout=0.1,
)
PLAIN = dataclasses.replace(CHOICES, span_masking=None, dropout=0.0)


def tune(folder, seed=33, pooling="cls", choices=CHOICES, **options):
    loaded = load_model(str(folder))
    summary = tune_model(loaded, STRINGS, choices, pooling, seed, **options)
    return loaded.model.state_dict(), summary


def same(left, right):
    return all(torch.equal(left[key], right[key]) for key in left)


@pytest.mark.parametrize("pooling", ["cls", "mean", "mean_padded"])
@pytest.mark.parametrize("model", ["tiny_bert", "tiny_roberta"])
def test_weights_are_those_of_the_loop_written_with_other_libraries(model, pooling, request):
    folder = request.getfixturevalue(model)
    state, summary = tune(folder, pooling=pooling, choices=PLAIN)
    reference = AutoModel.from_pretrained(
        folder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
    ).train()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    optimizer = torch.optim.AdamW(reference.parameters(), lr=1e-3, weight_decay=0.01)
    oracle = NTXentLoss(temperature=0.1)
    losses = []
    for batch in draw_batches(26, 8, 2, random.Random("33 shuffling")):
        tokens = tokenizer(
            [STRINGS[index] for index in batch] * 2,
            truncation=True,
            max_length=20,
            padding="max_length",
            return_tensors="pt",
        )
        mask = tokens["attention_mask"]
        states = reference(input_ids=tokens["input_ids"], attention_mask=mask).last_hidden_state
        weights = {"cls": torch.eye(20)[0].expand_as(mask), "mean": mask.float()}
        weights["mean_padded"] = torch.ones_like(mask).float()
        weight = weights[pooling] / weights[pooling].sum(dim=1, keepdim=True)
        loss = oracle((states * weight.unsqueeze(-1)).sum(dim=1), torch.arange(8).repeat(2))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert summary.steps == len(losses) == 6
    assert summary.first_loss == pytest.approx(losses[0], rel=1e-4)
    assert summary.last_loss == pytest.approx(losses[-1], rel=1e-2)
    expected = reference.state_dict()
    for key in state:
        # Softmax cancels the key bias: its gradient is rounding noise, which Adam scales up.
        if not key.endswith("self.key.bias"):
            torch.testing.assert_close(state[key], expected[key], rtol=0, atol=3e-4, msg=key)
            assert (state[key] - expected[key]).abs().mean() < 1e-5, key


def test_slices_sorted_by_length_give_the_gradients_of_one_pass(tiny_bert, monkeypatch):
    def gradients(slice_size):
        monkeypatch.setattr(mirror_tuning, "SLICE_SIZE", slice_size)
        loaded = load_model(str(tiny_bert))
        vectors = encode_views(loaded, STRINGS, "mean", 20)
        (vectors * torch.linspace(-1, 1, vectors.numel()).view_as(vectors)).sum().backward()
        return vectors, [p.grad for p in loaded.model.parameters() if p.grad is not None]

    vectors, sliced = gradients(7)
    whole_vectors, whole = gradients(1000)
    torch.testing.assert_close(vectors, whole_vectors, rtol=1e-4, atol=1e-5)
    for mine, other in zip(sliced, whole, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    "choices",
    [
        CHOICES,
        dataclasses.replace(CHOICES, dropout=0.0, drophead=0.2),
        dataclasses.replace(PLAIN, span_masking=SpanMasking(5, "token", "random", 2, "tokenizer")),
        dataclasses.replace(CHOICES, loss_denominator="negatives_only", span_masking=None),
    ],
)
def test_same_seed_same_weights_and_another_seed_others(choices, tiny_bert):
    once, _ = tune(tiny_bert, 33, choices=choices)
    again, _ = tune(tiny_bert, 33, choices=choices)
    other, _ = tune(tiny_bert, 44, choices=choices)
    assert same(once, again)
    assert not same(once, other)


@pytest.mark.parametrize(
    "change",
    [
        {"dropout": 0.0},
        {"drophead": 0.2},
        {"span_masking": None},
        {"temperature": 0.2},
        {"loss_denominator": "negatives_only"},
        {"learning_rate": 2e-3},
        {"weight_decay": 0.5},
        {"max_length": 5},
        {"batch_size": 13},
    ],
)
def test_every_choice_changes_the_weights(change, tiny_bert):
    before, _ = tune(tiny_bert)
    after, _ = tune(tiny_bert, choices=dataclasses.replace(CHOICES, **change))
    assert not same(before, after)


def test_tuning_pulls_the_two_views_together(tiny_bert):
    choices = dataclasses.replace(CHOICES, span_masking=None, dropout=0.05, epochs=4)
    _, summary = tune(tiny_bert, choices=choices)
    assert summary.last_loss < summary.first_loss


def test_batches_are_full_shuffled_and_cover_the_corpus_once_an_epoch():
    batches = list(draw_batches(26, 8, 2, random.Random(1)))
    assert [len(batch) for batch in batches] == [8] * 6
    for epoch in (batches[:3], batches[3:]):
        drawn = [index for batch in epoch for index in batch]
        assert len(set(drawn)) == 24
        assert set(drawn) <= set(range(26))
        assert drawn != sorted(drawn)
    assert batches[:3] != batches[3:]
    assert list(draw_batches(7, 8, 1, random.Random(1))) == []


def test_each_step_is_logged_as_one_json_line(tiny_bert, capsys):
    log = io.StringIO()
    _, summary = tune(tiny_bert, step_log=log)
    rows = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [row["step"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[0]["loss"] == summary.first_loss
    assert rows[-1]["loss"] == summary.last_loss
    assert {row["learning_rate"] for row in rows} == {1e-3}
    assert all(row["strings_per_second"] > 0 for row in rows)
    assert "step 6/6: loss" in capsys.readouterr().err


def test_a_loss_that_runs_away_is_named(tiny_bert, monkeypatch):
    monkeypatch.setattr(
        mirror_tuning, "nt_xent_loss", lambda *_: torch.tensor(float("nan"), requires_grad=True)
    )
    with pytest.raises(UserError, match=r"not finite at step 1; lower learning_rate"):
        tune(tiny_bert)


def test_a_length_beyond_the_models_positions_is_refused(tiny_bert):
    with pytest.raises(UserError, match="more than the 66 positions"):
        tune(tiny_bert, choices=dataclasses.replace(CHOICES, max_length=67))
