"""Training resumes exactly, is seeded, learns, and writes a model that users can load."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from transformers import AutoModelForMaskedLM, AutoTokenizer, PreTrainedTokenizerFast

from workflow_scripts.errors import UserError
from workflow_scripts.pretraining import pretrain_model, train_word_vectors, training
from workflow_scripts.pretraining.checkpoints import Position
from workflow_scripts.pretraining.masked_lm import build_model, masked_loss
from workflow_scripts.pretraining.settings import Architecture, Stage, Training, parse_settings
from workflow_scripts.pretraining.tokenizers_of_families import load_tokenizer, save_tokenizer

STEPS = 14


class Killed(Exception):
    """Stands in for a kill of the process."""


def settings(**changes: object) -> dict[str, object]:
    stages = [{"until": 0.5, "length": 16}, {"until": 1.0, "length": 24, "pack": True}]
    tiny = {"steps": STEPS, "stages": stages, "tokens_per_batch": 128, "log_every": 2}
    return tiny | {"sequences_per_block": 60, "checkpoint_minutes": 0.0} | changes


@pytest.fixture(scope="module")
def inputs(
    tokenizer: PreTrainedTokenizerFast, prepared: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "tokenizer").mkdir()
    save_tokenizer(tokenizer, folder / "tokenizer")
    vectors = folder / "vectors.safetensors"
    common = ["--text", str(prepared), "--tokenizer", str(folder / "tokenizer"), "--seed", "5"]
    train_word_vectors.main(
        [*common, "--units", "24", "--settings", '{"window": 4}', "--output", str(vectors)]
    )
    family = "bert" if tokenizer.mask_token == "[MASK]" else "roberta"
    architecture = {"family": family, "layers": 1, "units": 24, "heads": 2, "feed_forward": 32}
    return [
        *("--name", "tiny", "--word-vectors", str(vectors), *common),
        *("--architecture", json.dumps(architecture), "--device", "cpu"),
        *("--language-exponent", "0.5", "--examples", '["the cat {mask} a dog ."]'),
    ]


def pretrain(inputs: list[str], folder: Path, **changes: object) -> Path:
    extra = []
    if "seed" in changes:
        extra = ["--seed", str(changes.pop("seed"))]
    pretrain_model.main(
        [
            *inputs,
            *extra,
            *("--training", json.dumps(settings(**changes))),
            *("--checkpoint", str(folder / "checkpoint.safetensors")),
            *("--training-log", str(folder / "training.jsonl")),
            *("--output", str(folder / "model")),
        ]
    )
    return folder / "model"


def same_weights(first: Path, second: Path) -> bool:
    a, b = (load_file(folder / "model.safetensors") for folder in (first, second))
    return a.keys() == b.keys() and all((a[key] == b[key]).all() for key in a)


@pytest.fixture(scope="module")
def finished(inputs: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pretrain(inputs, tmp_path_factory.mktemp("finished"))


def pretrain_until(
    killed_at: int,
    inputs: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    **changes: object,
) -> None:
    save = training.save_checkpoint

    def save_and_die(path: Path, model: object, optimiser: object, position: Position) -> None:
        save(path, model, optimiser, position)
        if position.step == killed_at:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(training, "save_checkpoint", save_and_die)
        with pytest.raises(Killed):
            pretrain(inputs, folder, **changes)


@pytest.mark.parametrize("killed_at", [3, 9])
def test_a_killed_training_resumes_to_the_same_weights(
    inputs: list[str],
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    killed_at: int,
) -> None:
    pretrain_until(killed_at, inputs, tmp_path, monkeypatch)
    assert not (tmp_path / "model").exists()
    model = pretrain(inputs, tmp_path)
    assert same_weights(model, finished)
    records = [json.loads(line) for line in (tmp_path / "training.jsonl").read_text().splitlines()]
    assert {"event": "resumed", "step": killed_at} in records
    assert not (tmp_path / "checkpoint.safetensors").exists()


def test_the_seed_decides_the_weights(inputs: list[str], finished: Path, tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    (tmp_path / "other").mkdir()
    assert same_weights(pretrain(inputs, tmp_path / "again"), finished)
    assert not same_weights(pretrain(inputs, tmp_path / "other", seed=6), finished)


def test_the_model_folder_loads_as_users_load_it(finished: Path) -> None:
    model = AutoModelForMaskedLM.from_pretrained(finished)
    tokenizer = AutoTokenizer.from_pretrained(finished)
    assert str(model.dtype) == "torch.float16"
    assert model.config.hidden_dropout_prob == 0.1
    assert model.config.attention_probs_dropout_prob == 0.1
    assert model.config.vocab_size == len(tokenizer)
    assert model.config.pad_token_id == tokenizer.pad_token_id
    assert sorted(path.suffix for path in finished.iterdir()) == sorted(
        [".json", ".json", ".json", ".md", ".safetensors"]
    )


def test_the_card_tells_text_loss_and_examples(finished: Path) -> None:
    card = (finished / "README.md").read_text()
    assert "| Made up | en | CC0 | 250 | 9000 |" in card
    assert f"{STEPS} steps" in card
    assert "1 CPU core" in card
    assert "unigram entropy" in card
    assert "the cat [MASK] a dog ." in card or "the cat <mask> a dog ." in card


def test_training_learns_more_than_frequencies(inputs: list[str], tmp_path: Path) -> None:
    pretrain(inputs, tmp_path, steps=250, learning_rate=5e-3, checkpoint_minutes=9.0)
    end = json.loads((tmp_path / "training.jsonl").read_text().splitlines()[-1])
    assert end["validation_loss"] < 0.8 * end["unigram_entropy"]


def test_a_checkpoint_of_another_training_is_refused(
    inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretrain_until(3, inputs, tmp_path, monkeypatch)
    with pytest.raises(UserError, match="checkpoint of another training"):
        pretrain(inputs, tmp_path, learning_rate=1e-3)
    (tmp_path / "checkpoint.safetensors").write_bytes(b"torn")
    with pytest.raises(UserError, match="a damaged checkpoint"):
        pretrain(inputs, tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": None}, "give either minutes or steps"),
        ({"minutes": 1}, "give either minutes or steps"),
        ({"stages": [{"until": 1.0, "length": 99}]}, "longer than the tokenizer's maximum"),
        ({"learning_rat": 1}, "did you mean 'learning_rate'"),
        ({"masked": "many"}, r"--training\.masked: expected float"),
    ],
)
def test_mistakes_in_settings_are_told(
    inputs: list[str], tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        pretrain(inputs, tmp_path, **changes)


def test_rate_rises_and_falls_linearly() -> None:
    schedule = Training(steps=10, learning_rate=1.0, warm_up=0.2)
    rates = [training.rate_at(progress, schedule) for progress in (0.0, 0.1, 0.2, 0.6, 1.0)]
    assert rates == pytest.approx([0.0, 0.5, 1.0, 0.5, 0.0])


def test_stages_follow_progress() -> None:
    schedule = Training(steps=10, stages=[Stage(0.5, 8), Stage(1.0, 16)])
    assert [training.stage_at(p, schedule) for p in (0.0, 0.49, 0.5, 1.0)] == [0, 0, 1, 1]


def test_unigram_entropy_of_even_and_uneven_pieces() -> None:
    assert training.unigram_entropy(np.array([1, 2, 3, 4])) == pytest.approx(math.log(4))
    expected = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert training.unigram_entropy(np.array([5, 5, 5, 9])) == pytest.approx(expected)


def test_unigram_loss_is_that_of_other_texts_frequencies() -> None:
    counts = np.array([5, 1, 0, 0])  # with one more of each: 6, 2, 1, 1 of 10
    expected = -(2 * math.log(0.6) + math.log(0.1)) / 3
    assert training.unigram_loss(np.array([0, 0, 3]), counts) == pytest.approx(expected)


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_the_embedding_matrix_has_a_rate_of_its_own(
    inputs: list[str], prepared: Path, share: float
) -> None:
    architecture = parse_settings(
        Architecture, inputs[inputs.index("--architecture") + 1], "--architecture"
    )
    tokenizer = load_tokenizer(Path(inputs[inputs.index("--tokenizer") + 1]))
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


def test_a_frozen_embedding_matrix_resumes_and_stays(
    inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "killed").mkdir()
    whole = pretrain(inputs, tmp_path / "whole", embedding_rate=0.0)
    pretrain_until(9, inputs, tmp_path / "killed", monkeypatch, embedding_rate=0.0)
    assert same_weights(pretrain(inputs, tmp_path / "killed", embedding_rate=0.0), whole)
    weights = load_file(whole / "model.safetensors")
    (name,) = [key for key in weights if key.endswith("word_embeddings.weight")]
    vectors = load_file(inputs[inputs.index("--word-vectors") + 1])["embeddings"]
    np.testing.assert_array_equal(weights[name], vectors.astype(np.float16))


def test_the_command_for_word_vectors_writes_the_whole_vocabulary(
    inputs: list[str], tmp_path: Path
) -> None:
    text, tokenizer = (inputs[inputs.index(key) + 1] for key in ("--text", "--tokenizer"))
    path = tmp_path / "vectors.safetensors"
    train_word_vectors.main(
        [
            *("--text", text, "--tokenizer", tokenizer, "--units", "16", "--seed", "3"),
            *("--settings", '{"deviation": 0.05}', "--output", str(path)),
        ]
    )
    vectors = load_file(path)["embeddings"]
    assert vectors.shape == (len(AutoTokenizer.from_pretrained(tokenizer)), 16)
    assert vectors.std() == pytest.approx(0.05, rel=0.1)
