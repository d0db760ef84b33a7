"""The tuning loop, against the same steps written out with other libraries."""

import io
import json
import math
import random
import re
from dataclasses import replace
from functools import partial

import pytest
import torch
from plain_training import cut
from pytorch_metric_learning.losses import NTXentLoss
from tiny_models import RECIPE, make_sentences
from transformers import AutoModel, AutoTokenizer

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.embedding.torch_setup import has_bfloat16
from workflow_scripts.errors import UserError
from workflow_scripts.tuning import devices, losses
from workflow_scripts.tuning.augmented_strings import draw_batches
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.loop import tune_model
from workflow_scripts.tuning.plain_step import plain_step
from workflow_scripts.tuning.recipe import Development, DropoutRates, tuning_recipe_of
from workflow_scripts.tuning.span_masking import SpanMasking
from workflow_scripts.tuning.tuning_state import StateFile

STRINGS = make_sentences(26)
CHOICES = tuning_recipe_of("own", {**RECIPE, "pooling": "cls", "epochs": 2})


def but(choices=CHOICES, **changes):
    return choices.model_copy(update=changes)


def watching(every, patience=None):
    return Development(dataset="d", every=every, patience=patience)


PLAIN = but(span_masking=None, dropout=0.0)
SPAN = {"length": 5, "unit": "token", "side": "random", "min_length": 2, "mask_token": "tokenizer"}


def tune(folder, seed=33, choices=CHOICES, log=None, **options):
    """The weights and the summary; with the list `log`, the rows of the step log go into it."""
    loaded, stream = load_model(str(folder)), io.StringIO()
    summary = tune_model(loaded, Corpus(STRINGS), choices, seed, stream, **options)
    if log is not None:
        log.extend(map(json.loads, stream.getvalue().splitlines()))
    return loaded.model.state_dict(), summary


def same(left, right):
    return all(torch.equal(left[key], right[key]) for key in left)


@pytest.mark.parametrize("pooling", ["cls", "mean", "mean_padded"])
@pytest.mark.parametrize("model", ["tiny_bert", "tiny_roberta"])
def test_twenty_steps_end_at_the_weights_of_the_plain_padded_two_pass_loop(model, pooling, request):
    """In float64: the gradient of the key bias is 0 up to rounding, which Adam would scale up.

    Twice: by transformers alone, and by `plain_step`.
    """
    folder = request.getfixturevalue(model)
    loaded, plain = load_model(str(folder)), load_model(str(folder))
    for one in (loaded, plain):
        one.model.double()
    choices = but(PLAIN, epochs=7, pooling=pooling)
    summary = tune_model(loaded, Corpus(STRINGS), choices, 33)
    reference = AutoModel.from_pretrained(
        folder, dtype=torch.float64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
    ).train()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    optimizer, plain_optimizer = (
        torch.optim.AdamW(one.parameters(), lr=1e-3, weight_decay=0.01)
        for one in (reference, plain.model)
    )
    oracle = NTXentLoss(temperature=0.1)

    def encode(strings):
        options = {"truncation": True, "max_length": 20, "padding": "max_length"}
        tokens = tokenizer(strings, **options, return_tensors="pt")
        mask = tokens["attention_mask"]
        states = reference(input_ids=tokens["input_ids"], attention_mask=mask).last_hidden_state
        weights = {"cls": torch.eye(20)[0].expand_as(mask), "mean": mask.double()}
        weights["mean_padded"] = torch.ones_like(mask).double()
        weight = weights[pooling] / weights[pooling].sum(dim=1, keepdim=True)
        return (states * weight.unsqueeze(-1)).sum(dim=1)

    losses = []
    for batch in draw_batches(26, 8, 7, random.Random("33 shuffling")):
        strings = [STRINGS[index] for index in batch]
        first, second = encode(strings), encode(strings)
        labels = torch.arange(8).repeat(2)
        loss = oracle(torch.cat([first, second]), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        views = [tokenizer(strings, truncation=True, max_length=20)["input_ids"]] * 2
        settings, loss_of = choices.training_settings, partial(oracle, labels=labels)
        again = plain_step(plain, views, settings, loss_of, plain_optimizer)
        assert again == pytest.approx(losses[-1], rel=1e-6)
    assert summary.steps == len(losses) == 21
    found = [summary.first_loss, summary.last_loss]
    assert found == pytest.approx([losses[0], losses[-1]], rel=1e-6)
    expected = reference.state_dict()
    for one in (loaded, plain):
        found = one.model.state_dict()
        torch.testing.assert_close(found, {key: expected[key] for key in found}, rtol=0, atol=1e-5)


def test_another_seed_gives_other_weights(tiny_bert):
    assert not same(tune(tiny_bert, 33)[0], tune(tiny_bert, 44)[0])


CHANGES = {
    **{"dropout": 0.0, "drophead": 0.2, "span_masking": None, "temperature": 0.2, "warmup": 0.5},
    **{"loss_denominator": "negatives_only", "learning_rate": 2e-3, "weight_decay": 0.5},
    **{"max_length": 5, "batch_size": 13, "controlled_dropout": True, "schedule": "linear"},
    **{"max_gradient_norm": 0.01, "precision": "bfloat16"},
}


MORE = [{"schedule": "cosine"}, {"dropout": DropoutRates(embeddings=0.4)}]


@pytest.mark.parametrize("change", [*({key: CHANGES[key]} for key in CHANGES), *MORE])
def test_every_choice_changes_the_weights(change, tiny_bert):
    assert not same(tune(tiny_bert)[0], tune(tiny_bert, choices=but(**change))[0])


ALIKE = [{"pooling": "mean"}, {"pooling": "mean_padded"}, {"dropout": 0.0, "drophead": 0.2}]
ALIKE += [{"controlled_dropout": True}, {"gradient_cache": True}, {"max_gradient_norm": 0.01}]
ALIKE += [{"span_masking": SpanMasking(**SPAN)}, {"loss_denominator": "negatives_only"}]


@pytest.mark.parametrize("change", [*ALIKE, {"development": watching(3)}])
def test_any_number_of_threads_gives_the_same_weights(change, tiny_bert, monkeypatch):
    traits = replace(devices.TRAITS["cpu"], overhead=4, most_tokens=40)
    monkeypatch.setitem(devices.TRAITS, "cpu", traits)
    found, scored = [], []

    def score(loaded, classifier):
        scored.append(torch.get_num_threads())
        return 1.0

    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        found.append(tune(tiny_bert, choices=but(**change), score=score))
        assert torch.get_num_threads() == threads
    torch.set_num_threads(1)
    (weights, summary), *others = found
    assert all(same(weights, other[0]) and summary == other[1] for other in others)
    # scores, untuned and after every third step, are computed with all threads
    assert scored == ([1, 1, 1, 2, 2, 2, 3, 3, 3] if "development" in change else [])


def test_batches_are_full_shuffled_and_cover_the_corpus_once_an_epoch():
    batches = list(draw_batches(26, 8, 2, random.Random(1)))
    assert [len(batch) for batch in batches] == [8] * 6
    for epoch in (batches[:3], batches[3:]):
        drawn = [index for batch in epoch for index in batch]
        assert len(set(drawn)) == 24
        assert set(drawn) <= set(range(26))
        assert drawn != sorted(drawn)
    assert [*map(list, batches[:3])] != [*map(list, batches[3:])]
    assert list(draw_batches(7, 8, 1, random.Random(1))) == []


def test_each_step_is_logged_as_one_json_line(tiny_bert, capsys):
    rows = []
    _, summary = tune(tiny_bert, log=rows)
    assert [row["step"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert (rows[0]["loss"], rows[-1]["loss"]) == (summary.first_loss, summary.last_loss)
    assert {row["learning_rate"] for row in rows} == {1e-3}
    assert all(row["tokens_per_second"] > row["strings_per_second"] > 0 for row in rows)
    assert all(0 <= row["alignment"] <= 4 and -8 <= row["uniformity"] <= 0 for row in rows)
    told = capsys.readouterr().err
    assert told.startswith(f"tuning: 6 steps, {torch.get_num_threads()} threads\n")
    assert re.search(r"^step 2/6: loss [.\d]+, \d+ strings/s, 00:\d\d left$", told, re.MULTILINE)
    assert re.search(r"^step 6/6: loss [.\d]+, \d+ strings/s$", told, re.MULTILINE)


@pytest.mark.parametrize(
    ("changes", "factors"),
    [
        ({"schedule": "linear"}, [1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]),
        ({"schedule": "constant", "warmup": 0.5}, [0, 1 / 3, 2 / 3, 1, 1, 1]),
        ({"schedule": "linear", "warmup": 0.5}, [0, 1 / 3, 2 / 3, 1, 2 / 3, 1 / 3]),
        ({"schedule": "cosine"}, [(1 + math.cos(math.pi * step / 6)) / 2 for step in range(6)]),
    ],
)
def test_the_learning_rate_follows_the_schedule(changes, factors, tiny_bert):
    rows = []
    tune(tiny_bert, choices=but(**changes), log=rows)
    rates = [row["learning_rate"] for row in rows]
    assert rates == pytest.approx([1e-3 * factor for factor in factors])

    # the rate that is logged is the one that is taken: with one step of warm-up, none
    choices = but(epochs=1, batch_size=26, warmup=0.9, weight_decay=0.0)
    assert same(tune(tiny_bert, choices=choices)[0], load_model(str(tiny_bert)).model.state_dict())


def test_clipping_bounds_the_gradient_that_the_optimiser_gets(tiny_bert, monkeypatch):
    norms = []
    step = torch.optim.AdamW.step

    def watched(self, *arguments, **options):
        held = (p.grad for group in self.param_groups for p in group["params"])
        norms.append(torch.nn.utils.get_total_norm([g for g in held if g is not None]).item())
        return step(self, *arguments, **options)

    monkeypatch.setattr(torch.optim.AdamW, "step", watched)
    tune(tiny_bert, choices=but(max_gradient_norm=0.25))
    assert norms == pytest.approx([0.25] * 6, rel=1e-3)


def test_supervised_pairs_are_the_positives(tiny_bert):
    """The loss of the first step, from vectors of whole strings by transformers."""
    partners = STRINGS[::-1]
    choices = but(PLAIN, epochs=1, batch_size=26)
    loaded = load_model(str(tiny_bert))
    summary = tune_model(load_model(str(tiny_bert)), Corpus(STRINGS, partners), choices, 33)
    tokens = [loaded.tokenizer(text, return_tensors="pt") for text in [*STRINGS, *partners]]
    with torch.no_grad():
        vectors = torch.stack([loaded.model(**one).last_hidden_state[0, 0] for one in tokens])
    expected = NTXentLoss(temperature=0.1)(vectors, torch.arange(26).repeat(2)).item()
    assert summary.first_loss == pytest.approx(expected, rel=1e-4)


def watch(values, *development, untuned=0.0):
    """Return options of `tune`: a development set, and its scores one after the other."""
    scores = iter([untuned, *values])
    choices = but(development=watching(*development))
    return {"choices": choices, "score": lambda loaded, classifier: next(scores)}


def test_the_weights_of_the_best_score_are_kept_and_patience_ends_the_tuning(tiny_bert):
    rows = []
    best, summary = tune(tiny_bert, **watch([0.1, 0.5, 0.3], 2), log=rows)
    assert (summary.steps, summary.best_step, summary.best_score) == (6, 4, 0.5)
    scored = {row["step"]: row["development"] for row in rows if "development" in row}
    assert scored == {0: 0.0, 2: 0.1, 4: 0.5, 6: 0.3}
    # The same run cut off after four steps.
    four, summary = tune(tiny_bert, **watch([0.5, 0.3], 4, 1))
    assert (summary.steps, summary.best_step) == (6, 4)
    assert same(best, four)
    assert not same(best, tune(tiny_bert)[0])
    _, summary = tune(tiny_bert, **watch([0.3, 0.4, 0.4, 0.2], 1, 2))
    assert (summary.steps, summary.best_step, summary.best_score) == (4, 2, 0.4)


def test_the_untuned_model_is_scored_first_and_a_tuning_in_vain_is_told(tiny_bert, capsys):
    """It is not a step: the weights of a step are kept, and patience is counted from the first."""
    seen, before = [], load_model(str(tiny_bert)).model.state_dict()

    def score(loaded, classifier):
        seen.append({name: weight.clone() for name, weight in loaded.model.state_dict().items()})
        return [0.5, 0.3, 0.4, 0.2, 0.1, 0.1, 0.1][len(seen) - 1]

    rows = []
    options = {"choices": but(development=watching(1, 2)), "score": score, "log": rows}
    kept, summary = tune(tiny_bert, **options)
    assert same(seen[0], before) and not same(seen[1], before) and same(kept, seen[2])
    assert (summary.untuned_score, summary.best_step, summary.best_score) == (0.5, 2, 0.4)
    assert summary.steps == 4
    assert rows[0] == {"step": 0, "development": 0.5}
    told = capsys.readouterr().err
    assert "step 0/6: untuned, development 0.5000" in told
    assert "no step is better on the development set than the model untuned (0.5000; best" in told
    tune(tiny_bert, **watch([0.1, 0.5, 0.3], 2))
    assert "no step is better" not in capsys.readouterr().err


def test_scoring_does_not_touch_the_tuning(tiny_bert):
    """The score embeds strings with the model in eval mode; the weights after it are the same."""
    seen = []

    def score(loaded, classifier):
        encode_strings(loaded, STRINGS, EncoderSettings("cls", 20))
        assert not loaded.model.training
        seen.append(loaded)
        return float(len(seen))

    watched, _ = tune(tiny_bert, choices=but(development=watching(1)), score=score)
    assert len(seen) == 7
    assert same(tune(tiny_bert)[0], watched)

    # a score that is not finite and a set without one are named
    options = watch([float("nan")], 1)
    with pytest.raises(UserError, match="score after step 1 is nan"):
        tune(tiny_bert, **options)
    with pytest.raises(UserError, match="no data set to score on"):
        tune(tiny_bert, choices=options["choices"])


@pytest.mark.parametrize("steps", [1, 3, 5])
@pytest.mark.parametrize("development", [None, watching(1, patience=5)])
def test_a_cut_run_ends_at_the_same_weights(steps, development, tiny_bert, tmp_path, monkeypatch):
    choices = but(schedule="linear", development=development)
    scores = [0.05, 0.1, 0.9, 0.3, 0.2, 0.4, 0.5]

    def score_from(position):
        # a resumed run has scored the untuned model
        values = iter(scores[position + 1 if position else 0 :])
        return None if development is None else lambda loaded, classifier: next(values)

    whole, summary = tune(tiny_bert, choices=choices, score=score_from(0))
    state = StateFile(tmp_path / "state.safetensors", "digest", seconds=0.0)
    given = {"choices": choices, "score": score_from(0), "state": state}
    cut(lambda: tune(tiny_bert, **given), steps, monkeypatch)
    rows, options = [], {"choices": choices, "score": score_from(steps)}
    resumed, again = tune(tiny_bert, **options, state=state, log=rows)
    assert rows[0]["step"] == steps + 1
    assert again == summary
    assert same(whole, resumed)


def test_the_state_of_another_run_or_a_damaged_one_is_not_gone_on_from(tiny_bert, tmp_path, capsys):
    plain, _ = tune(tiny_bert)
    path = tmp_path / "state.safetensors"
    tune(tiny_bert, seed=44, state=StateFile(path, "other", seconds=0.0))
    assert path.is_file()
    again, summary = tune(tiny_bert, state=StateFile(path, "digest"))
    assert summary.steps == 6
    assert same(plain, again)
    path.write_bytes(b"half a file")
    again, _ = tune(tiny_bert, state=StateFile(path, "digest"))
    assert same(plain, again)
    assert "damaged" in capsys.readouterr().err


def lacking(*arguments):
    raise torch.OutOfMemoryError("CUDA out of memory")


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (lambda first, *_: first.sum() * math.nan, "not finite at step 1; lower learning_rate"),
        (lacking, "out of memory for the loss or the optimiser"),
    ],
)
def test_what_cannot_be_tuned_is_named(loss, message, tiny_bert, monkeypatch):
    monkeypatch.setattr(losses, "nt_xent_loss", loss)
    with pytest.raises(UserError, match=message):
        tune(tiny_bert)
    with pytest.raises(UserError, match="more than the 66 positions"):
        tune(tiny_bert, choices=but(max_length=67))


def test_a_card_that_emulates_bfloat16_does_not_have_it(monkeypatch):
    """As those before Ampere do, the paper's own among them."""
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation=True: including_emulation
    )
    assert not has_bfloat16(torch.device("cuda"))
