"""Training resumes exactly, is seeded, learns, and writes a model that users can load."""

import json
import math

import numpy as np
import pytest
import torch
from command_words import as_argv
from safetensors.numpy import load_file
from transformers import AutoModelForMaskedLM, AutoTokenizer

from bundled_models import model_card, pretrain_model, train_word_vectors, training
from bundled_models.masked_lm import build_model
from bundled_models.settings import Architecture, Stage, Training
from bundled_models.tokenizers_of_families import load_tokenizer, save_tokenizer
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.prediction import masked_loss

STEPS = 14


@pytest.fixture(scope="module")
def inputs(tokenizer, prepared, tmp_path_factory):
    """The options of pretrain_model except those of the training and its outputs."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "tokenizer").mkdir()
    save_tokenizer(tokenizer, folder / "tokenizer")
    common = {"--text": prepared, "--tokenizer": folder / "tokenizer", "--seed": "5"}
    vectors = {"--units": "24", "--settings": '{"window": 4}', "--output": folder / "v.safetensors"}
    train_word_vectors.main(as_argv(common | vectors))
    family = "bert" if tokenizer.mask_token == "[MASK]" else "roberta"
    architecture = {"family": family, "layers": 1, "units": 24, "heads": 2, "feed_forward": 32}
    return common | {
        "--name": "tiny",
        "--word-vectors": vectors["--output"],
        "--architecture": json.dumps(architecture),
        "--language-exponent": "0.5",
        "--examples": '["the cat {mask} a dog ."]',
    }


def pretrain(inputs, folder, seed=5, **changes):
    stages = [{"until": 0.5, "length": 16}, {"until": 1.0, "length": 24, "pack": True}]
    settings = {"steps": STEPS, "stages": stages, "tokens_per_batch": 128, "log_every": 2}
    settings |= {"sequences_per_block": 60, "checkpoint_minutes": 0.0, **changes}
    folder.mkdir(exist_ok=True)
    outputs = {
        "--training": json.dumps(settings),
        "--seed": seed,
        "--checkpoint": folder / "checkpoint.safetensors",
        "--training-log": folder / "training.jsonl",
        "--output": folder / "model",
    }
    pretrain_model.main(as_argv(inputs | outputs))
    return folder / "model"


def same_weights(first, second):
    a, b = (load_file(folder / "model.safetensors") for folder in (first, second))
    return a.keys() == b.keys() and all((a[key] == b[key]).all() for key in a)


@pytest.fixture(scope="module")
def finished(inputs, tmp_path_factory):
    return pretrain(inputs, tmp_path_factory.mktemp("finished"))


def pretrain_until(killed_at, inputs, folder, monkeypatch, **changes):
    save = training.save_state

    def save_and_die(path, model, optimiser, position):
        save(path, model, optimiser, position)
        if position["step"] == killed_at:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training, "save_state", save_and_die)
        with pytest.raises(KeyboardInterrupt):
            pretrain(inputs, folder, **changes)


@pytest.mark.parametrize("killed_at", [3, 9])
def test_a_killed_training_resumes_exactly(inputs, finished, tmp_path, monkeypatch, killed_at):
    pretrain_until(killed_at, inputs, tmp_path, monkeypatch)
    assert same_weights(pretrain(inputs, tmp_path), finished)
    records = [json.loads(line) for line in (tmp_path / "training.jsonl").read_text().splitlines()]
    assert {"event": "resumed", "step": killed_at} in records
    assert not (tmp_path / "checkpoint.safetensors").exists()


def test_the_model_folder_loads_as_users_load_it_and_its_card_tells_of_it(finished):
    model = AutoModelForMaskedLM.from_pretrained(finished)
    tokenizer = AutoTokenizer.from_pretrained(finished)
    assert str(model.dtype) == "torch.float16"
    config = model.config
    assert (config.hidden_dropout_prob, config.attention_probs_dropout_prob) == (0.1, 0.1)
    assert (config.vocab_size, config.pad_token_id) == (len(tokenizer), tokenizer.pad_token_id)
    suffixes = sorted(path.suffix for path in finished.iterdir())
    assert suffixes == [".json", ".json", ".json", ".md", ".safetensors"]
    card = (finished / "README.md").read_text()
    example = f"the cat {tokenizer.mask_token} a dog ."
    told = ("| Made up | en | CC0 | 250 | 9000 |", f"{STEPS} steps", "1 CPU core", example)
    assert all(text in card for text in told)


def test_training_learns_more_than_frequencies_and_the_seed_counts(inputs, finished, tmp_path):
    assert not same_weights(pretrain(inputs, tmp_path, seed=6), finished)
    pretrain(inputs, tmp_path, steps=250, learning_rate=5e-3, checkpoint_minutes=9.0)
    end = json.loads((tmp_path / "training.jsonl").read_text().splitlines()[-1])
    assert end["validation_loss"] < 0.8 * end["unigram_entropy"]


def test_another_checkpoint_and_a_stage_that_is_too_long_are_told(inputs, tmp_path, monkeypatch):
    pretrain_until(3, inputs, tmp_path, monkeypatch)
    with pytest.raises(UserError, match="checkpoint of another training"):
        pretrain(inputs, tmp_path, learning_rate=1e-3)
    (tmp_path / "checkpoint.safetensors").write_bytes(b"torn")
    with pytest.raises(UserError, match=r"damaged.*remove it"):
        pretrain(inputs, tmp_path)
    with pytest.raises(UserError, match="longer than the tokenizer's maximum"):
        pretrain(inputs, tmp_path, stages=[{"until": 1.0, "length": 99}])


def test_the_rate_rises_and_falls_linearly_and_stages_follow_progress():
    stages = [Stage(until=0.5, length=8), Stage(until=1.0, length=16)]
    schedule = Training(steps=10, learning_rate=1.0, warm_up=0.2, stages=stages)
    rates = [training.rate_at(progress, schedule) for progress in (0.0, 0.1, 0.2, 0.6, 1.0)]
    assert rates == pytest.approx([0.0, 0.5, 1.0, 0.5, 0.0])
    assert [training.stage_at(p, schedule) for p in (0.0, 0.49, 0.5, 1.0)] == [0, 0, 1, 1]


def test_unigram_entropy_and_loss_by_hand():
    assert model_card.unigram_entropy(np.array([1, 2, 3, 4])) == pytest.approx(math.log(4))
    expected = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert model_card.unigram_entropy(np.array([5, 5, 5, 9])) == pytest.approx(expected)
    counts = np.array([5, 1, 0, 0])  # with one more of each: 6, 2, 1, 1 of 10
    expected = -(2 * math.log(0.6) + math.log(0.1)) / 3
    assert model_card.unigram_loss(np.array([0, 0, 3]), counts) == pytest.approx(expected)


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_the_embedding_matrix_has_a_rate_of_its_own(inputs, share):
    architecture = Architecture(**json.loads(inputs["--architecture"]))
    tokenizer = load_tokenizer(inputs["--tokenizer"])
    model = build_model(architecture, tokenizer, seed=1)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    chosen = Training(steps=9, embedding_rate=share, weight_decay=0.0)
    optimiser = training.make_optimiser(model, chosen)
    for group in optimiser.param_groups:
        group["lr"] = 1e-3 * group["scale"]
    torch.manual_seed(2)
    ids = torch.randint(len(tokenizer), (4, 8))
    masked_loss(model, ids, torch.ones_like(ids), ids).backward()
    optimiser.step()
    moved = {name: (p - before[name]).abs().max().item() for name, p in model.named_parameters()}
    (embedding,) = [name for name in moved if name.endswith("word_embeddings.weight")]
    # The first step of Adam moves an entry by its rate, however large the gradient.
    assert moved.pop(embedding) == pytest.approx(1e-3 * share, rel=0.01)
    assert max(moved.values()) == pytest.approx(1e-3, rel=0.01)


def test_a_frozen_embedding_matrix_resumes_and_stays(inputs, tmp_path, monkeypatch):
    whole = pretrain(inputs, tmp_path / "whole", embedding_rate=0.0)
    pretrain_until(9, inputs, tmp_path / "killed", monkeypatch, embedding_rate=0.0)
    assert same_weights(pretrain(inputs, tmp_path / "killed", embedding_rate=0.0), whole)
    weights = load_file(whole / "model.safetensors")
    (name,) = [key for key in weights if key.endswith("word_embeddings.weight")]
    vectors = load_file(inputs["--word-vectors"])["embeddings"]
    np.testing.assert_array_equal(weights[name], vectors.astype(np.float16))
    # the command for word vectors wrote the whole vocabulary
    assert vectors.shape == (len(load_tokenizer(inputs["--tokenizer"])), 24)
    assert vectors.std() == pytest.approx(0.05, rel=0.1)
