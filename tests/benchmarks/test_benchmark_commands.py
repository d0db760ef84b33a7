"""The commands, on a tiny model: every contender, every section, and mistakes."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from children_inside import measure_inside

from workflow_scripts.benchmarks import compare_quality, run_benchmarks, run_gpu_benchmarks
from workflow_scripts.benchmarks.contenders import EMBEDDING_CONTENDERS, TUNING_CONTENDERS
from workflow_scripts.benchmarks.measurements import ABOUT, read_measurements
from workflow_scripts.benchmarks.settings import Settings
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.errors import UserError

SMALL_SHAPE = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 64,
}


def quick(sampler: Path, model: Path, output: Path, *more: str) -> list[str]:
    common = ["--data", sampler, "--model", model, "--output", output, "--threads", 1, "--quick"]
    return [*map(str, common), *more]


@pytest.mark.slow
def test_quick_run_as_a_process_measures_every_way_to_tune(
    sampler: Path, tiny_bert: Path, tmp_path: Path, project: Path
) -> None:
    arguments = quick(sampler, tiny_bert, tmp_path / "bench.md", "--only", "words")
    subprocess.run(
        [sys.executable, "-m", "workflow_scripts.benchmarks.run_benchmarks", *arguments],
        check=True,
        cwd=project,
    )
    rows = read_measurements(tmp_path / "bench.tsv")
    for contender in TUNING_CONTENDERS:
        values = {row.measure: float(row.value) for row in rows if row.contender == contender}
        assert values["steps"] == 1
        assert 0 < values["seconds_per_step"] < values["process_seconds"]
        assert 0 < values["memory_growth"] < values["peak_memory"]
    text = (tmp_path / "bench.md").read_text()
    assert "### Words\n\nModel " in text
    assert "### Phrases\n\nNot measured." in text
    # no names of the machine's folders
    assert str(tmp_path) not in text + (tmp_path / "bench.tsv").read_text()


@pytest.mark.parametrize("contender", TUNING_CONTENDERS)
def test_every_contender_tunes_masked_sentences(
    tiny_bert: Path, tmp_path: Path, contender: str
) -> None:
    strings = tmp_path / "strings.txt"
    lines = [f"a small red cat sees the big green house number {i}" for i in range(12)]
    strings.write_text("\n".join(lines) + "\n")
    recipe = {
        "method": "mirror",
        "pooling": "cls",
        "embed_max_length": 24,
        "max_length": 20,
        "epochs": 7,
        "temperature": 0.1,
        "batch_size": 4,
        "span_masking": {"length": 5},
        "dropout": 0.1,
    }
    measures = measure_inside(
        "run",
        "workflow_scripts.benchmarks.tuning_run",
        {
            "--contender": contender,
            "--model": tiny_bert,
            "--recipe": json.dumps(recipe),
            "--strings": strings,
            "--warmup-strings": 4,
            "--seed": 1,
            "--threads": 1,
        },
        1,
    )
    # 8 strings after those of the warm-up, one epoch whatever the recipe says
    assert measures["steps"] == 2
    tokenizer = load_model(str(tiny_bert)).tokenizer
    lengths = [min(len(tokenizer(line)["input_ids"]), 20) for line in lines[4:]]
    assert measures["tokens_per_string"] == pytest.approx(sum(lengths) / 8)
    assert measures["seconds_per_step"] == pytest.approx(measures["loop_seconds"] / 2)


def test_names_are_embedded_alike_by_all(
    sampler: Path, tiny_bert: Path, tmp_path: Path, inside: Callable[[str], None]
) -> None:
    inside("embedding_rounds")
    run_benchmarks.main(quick(sampler, tiny_bert, tmp_path / "bench.md", "--only", "names"))
    rows = read_measurements(tmp_path / "bench.tsv")
    about = {row.measure: row.value for row in rows if row.contender == ABOUT}
    assert about["best_batch_size"] == "32"
    for contender in EMBEDDING_CONTENDERS:
        values = {
            row.measure: float(row.value)
            for row in rows
            if row.contender == contender and row.task == "names"
        }
        assert values["strings"] == float(about["strings"]) > 50
        # int8 is a coarser form of the same vectors, whose values are about 1
        limit = 0.5 if contender == "mirror-int8" else 1e-5
        assert values.get("largest_difference", 0) < limit
    text = (tmp_path / "bench.md").read_text()
    assert "vectors equal within 1e-05: reached" in text
    assert "Spearman's rho of int8 on STS-B within 0.002 of float32: " in text


def test_quality_scores_both_loops_for_each_seed(
    sampler: Path, tiny_bert: Path, tmp_path: Path, inside: Callable[[str], None]
) -> None:
    inside("compare_quality")
    compare_quality.main(quick(sampler, tiny_bert, tmp_path / "bench.md"))
    rows = read_measurements(tmp_path / "bench.tsv")
    for contender in ("plain", "mirror"):
        scores = [
            float(row.value)
            for row in rows
            if row.contender == contender and row.measure == "spearman"
        ]
        assert len(scores) == 2
        assert all(-1 <= score <= 1 for score in scores)
    assert "Welch's t-test" in (tmp_path / "bench.md").read_text()


def test_gpu_tasks_count_tokens_and_flops(
    sampler: Path, tiny_bert: Path, tmp_path: Path, inside: Callable[[str], None]
) -> None:
    inside("run_gpu_benchmarks")
    settings = Settings(data=sampler, model=tiny_bert, threads=1, runs=1, batch_size=8, strings=32)
    rows = run_gpu_benchmarks.measure_gpu(
        settings, tmp_path, names=50, shape=SMALL_SHAPE, peak=1e12, device="cpu"
    )
    values = {
        (row.task, row.measure): float(row.value) for row in rows if row.contender == "mirror"
    }
    assert values["names", "tokens"] == 8 * 50
    # one layer: 4 matrices of attention, 2 of the feed-forward part, two norms; the norm after
    # the embeddings
    parameters = 4 * (16 * 16 + 16) + (16 * 24 + 24) + (24 * 16 + 16) + 2 * 32 + 32
    assert values["names", "parameters"] == parameters
    for task, factor in (("names", 2), ("words", 6), ("sentences", 6)):
        rate = factor * parameters * values[task, "tokens_per_second"]
        assert values[task, "flops_per_second"] == pytest.approx(rate, rel=1e-4)
        assert values[task, "share_of_peak"] == pytest.approx(rate / 1e12, rel=1e-4)
    tokenizer = load_model(str(tiny_bert)).tokenizer
    words = (tmp_path / "words.txt").read_text().splitlines()
    assert values["words", "tokens"] == 4 * sum(
        min(len(tokenizer(word)["input_ids"]), 25) for word in words
    )


@pytest.mark.parametrize(
    ("device", "peak"),
    [
        ("NVIDIA H100 80GB HBM3", 989e12),
        ("NVIDIA H100 PCIe", 756e12),
        ("NVIDIA A100-SXM4-80GB", 312e12),
        ("NVIDIA L40S", 362e12),
        ("Some other device", None),
    ],
)
def test_peaks_go_by_the_name_of_the_device(device: str, peak: float | None) -> None:
    assert run_gpu_benchmarks.peak_of(device) == peak


def test_without_a_gpu_there_is_one_clear_error(
    sampler: Path, tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match="no CUDA device here"):
        run_gpu_benchmarks.main(quick(sampler, tiny_bert, tmp_path / "bench.md"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "wrods"], "--only wrods: no such benchmark; did you mean 'words'"),
        (["--runs", "0"], "--runs 0: give 1 or more"),
        (["--model", "nowhere"], "--model nowhere: no such folder"),
        (["--data", "nowhere"], "--data nowhere: no such folder"),
    ],
)
def test_mistakes_are_named_before_anything_runs(
    sampler: Path, tiny_bert: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        run_benchmarks.main([*quick(sampler, tiny_bert, tmp_path / "bench.md"), *arguments])
    assert not list(tmp_path.iterdir())


def test_largest_difference_is_that_of_any_value(tmp_path: Path) -> None:
    from workflow_scripts.benchmarks.embedding_rounds import largest_difference

    np.save(tmp_path / "a.npy", np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32))
    np.save(tmp_path / "b.npy", np.array([[1.0, 2.5], [2.25, 4.0]], dtype=np.float32))
    assert largest_difference(tmp_path / "a.npy", tmp_path / "b.npy") == 0.75
