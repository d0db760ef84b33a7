"""The command, on a tiny model: every workload, every way, and mistakes."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from command_words import as_argv
from tiny_models import make_sentences

from benchmarks import run_benchmarks
from benchmarks.measurements import ABOUT, read_measurements
from benchmarks.report import save_report
from benchmarks.settings import Settings
from benchmarks.timed_run import spearman
from benchmarks.workloads import (
    CMLM_WAYS,
    EMBEDDING_WAYS,
    TUNING_WAYS,
    WORKLOADS,
    peak_of,
)
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.errors import UserError

SMALL_SHAPE = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
SMALL_SHAPE |= {"intermediate_size": 24, "max_position_embeddings": 64}


@pytest.fixture
def quick(sample_data, tiny_bert, tmp_path):
    """The arguments of a quick run, to bench.md."""
    paths = {"--data": sample_data, "--model": tiny_bert, "--output": tmp_path / "bench.md"}
    return [*as_argv(paths), "--threads", "1", "--quick"]


def values_of(folder, way, task):
    values = {}
    for row in read_measurements(folder / "bench.tsv"):
        if (row.way, row.task) == (way, task):
            values.setdefault(row.measure, []).append(float(row.value))
    return values


@pytest.mark.nightly
def test_quick_run_as_a_process_measures_every_way_to_tune(quick, tmp_path, project):
    command = [sys.executable, "-m", "benchmarks.run_benchmarks", *quick]
    subprocess.run([*command, "--only", "words"], check=True, cwd=project)
    for way in TUNING_WAYS:
        found = values_of(tmp_path, way, "words")
        assert found["steps"] == [1]
        assert 0 < found["seconds_per_step"][0] < found["process_seconds"][0]
        assert 0 < found["memory_growth"][0] < found["peak_memory"][0]
    text = (tmp_path / "bench.md").read_text()
    assert "### Words\n\n<!-- measured: words -->\n\nModel " in text
    # no names of the machine's folders
    assert str(tmp_path) not in text + (tmp_path / "bench.tsv").read_text()


@pytest.mark.usefixtures("inside")
def test_every_way_tunes_masked_sentences(tiny_bert, tmp_path):
    folder = tmp_path / "data" / "mirror-corpus"
    folder.mkdir(parents=True)
    name = "stsbenchmark_train_10k_sents_random_sampled.txt"
    (folder / name).write_text("\n".join(make_sentences(12)) + "\n")
    numbers = {"threads": 1, "runs": 2, "batch_size": 4, "steps": 2, "warmup_steps": 1}
    settings = Settings(folder.parent, tiny_bert, **numbers)
    rows = run_benchmarks.measure(WORKLOADS["sentences"], settings, tmp_path)
    ways = [row.way for row in rows if row.measure == "steps" and row.value == "2"]
    assert ways == [*TUNING_WAYS] * 2  # in turns
    values = {(row.way, row.measure): row.value for row in rows}
    tokenizer = load_model(str(tiny_bert)).tokenizer
    lines = (tmp_path / "strings.txt").read_text().splitlines()
    lengths = [min(len(tokenizer(line)["input_ids"]), 50) for line in lines]
    assert len(lengths) == 8
    for way in TUNING_WAYS:
        assert float(values[way, "tokens_per_string"]) == pytest.approx(sum(lengths) / 8)
        assert float(values[way, "tokens"]) == 2 * sum(lengths)
        per_step = float(values[way, "loop_seconds"]) / 2
        assert float(values[way, "seconds_per_step"]) == pytest.approx(per_step, rel=1e-4)


@pytest.mark.usefixtures("inside")
def test_every_way_trains_on_neighbours(quick, tiny_bert, tmp_path):
    run_benchmarks.main([*quick, "--only", "cmlm"])
    rows = read_measurements(tmp_path / "bench.tsv")
    about = {row.measure: row.value for row in rows if row.way == ABOUT}
    assert (about["max_length"], about["batch_size"], about["available"]) == ("64", "8", "64")
    assert about["source"].endswith("instead of articles")
    for way in CMLM_WAYS:
        found = values_of(tmp_path, way, "64")
        assert found["steps"] == [1]
        assert found["units_per_second"][0] == pytest.approx(8 / found["loop_seconds"][0], rel=1e-4)
        # each sentence of the 8 pairs is read once
        tokens = 16 * found["tokens_per_string"][0]
        assert found["tokens"][0] == pytest.approx(tokens, rel=1e-4)
    text = (tmp_path / "bench.md").read_text()
    assert "| sentence-transformers, TSDAE, at most 64 tokens | " in text
    assert "- Aim: of 64 tokens at least 3 times as fast as the plain way: " in text
    assert "- Aim: of 128 tokens at least 2 times as fast as the plain way: not measured" in text


@pytest.mark.usefixtures("inside")
def test_names_are_embedded_alike_by_all(quick, tmp_path):
    run_benchmarks.main([*quick, "--only", "names,stsb"])
    rows = read_measurements(tmp_path / "bench.tsv")
    about = {row.measure: row.value for row in rows if row.way == ABOUT}
    assert about["best_batch_size"] == "32"
    for way in EMBEDDING_WAYS:
        found = values_of(tmp_path, way, "names")
        assert found["strings"] == [float(about["strings"])] and found["strings"][0] > 50
        # int8 is a coarser form of the same vectors, whose values are about 1
        assert max(found.get("largest_difference", [0])) < (0.5 if "int8" in way else 1e-5)
    text = (tmp_path / "bench.md").read_text()
    assert "vectors equal within 1e-05: reached" in text
    assert "Spearman's rho of int8 on STS-B within 0.002 of float32: " in text


@pytest.mark.usefixtures("inside")
def test_threads_are_compared_with_one(sample_data, tiny_bert, tmp_path):
    numbers = {"threads": 1, "runs": 1, "batch_size": 8, "strings": 32, "steps": 1}
    settings = Settings(sample_data, tiny_bert, **numbers, shape=SMALL_SHAPE)
    rows = run_benchmarks.measure(WORKLOADS["threads-base-busy"], settings, tmp_path)
    assert [row.way for row in rows if row.measure == "steps"] == ["one-thread", "mirror"]
    save_report(tmp_path / "bench.md", rows)
    text = (tmp_path / "bench.md").read_text()
    assert "| BERT-base's shape, next to two busy processes, one thread | " in text


@pytest.mark.usefixtures("inside")
def test_senteval_by_the_plain_way_and_by_ours_is_the_same(quick, tmp_path):
    """Sets measured later are added to those measured before."""
    run_benchmarks.main([*quick, "--only", "senteval-trec"])
    run_benchmarks.main([*quick, "--only", "senteval-sick-r"])
    for task in ("trec", "sick-r"):
        plain, ours = (values_of(tmp_path, way, task) for way in ("plain", "mirror"))
        assert plain["tested"] == ours["tested"] and plain["tested"][0] > 0
        assert plain["score"] == pytest.approx(ours["score"], abs=0.01)
        assert plain["processor_seconds"][0] > 0 and ours["processor_seconds"][0] > 0
    text = (tmp_path / "bench.md").read_text()
    assert "| trec, one fit at a time | " in text and "- Aim: sick-r: within 0.5 points: " in text
    assert "- Aim: mr: within 0.5 points: not measured" in text


def test_a_section_names_all_its_benchmarks():
    of_section = [name for name in WORKLOADS if name.startswith("senteval-")]
    assert len(of_section) == 9 and run_benchmarks.named("senteval") == of_section
    # that of the name goes before the section
    assert run_benchmarks.named("threads") == ["threads"]
    assert not set(of_section) & set(run_benchmarks.USUAL)


@pytest.mark.usefixtures("inside")
def test_quality_scores_both_loops_for_each_seed(quick, tmp_path):
    run_benchmarks.main([*quick, "--only", "quality"])
    for way in ("plain", "mirror"):
        found = values_of(tmp_path, way, "stsb-dev")
        assert found["seed"] == [33, 34]
        assert len(set(found["spearman"])) == 2 and all(abs(rho) <= 1 for rho in found["spearman"])
    assert "Welch's t-test" in (tmp_path / "bench.md").read_text()


@pytest.mark.usefixtures("inside")
def test_gpu_workloads_count_tokens_and_flops(sample_data, tiny_bert, tmp_path):
    tokenizer = load_model(str(tiny_bert)).tokenizer
    # one layer: 4 matrices of attention, 2 of the feed-forward part, two norms; the norm after
    # the embeddings
    parameters = 4 * (16 * 16 + 16) + (16 * 24 + 24) + (24 * 16 + 16) + 2 * 32 + 32
    settings = Settings(
        *(sample_data, tiny_bert),
        **{"threads": 1, "runs": 1, "batch_size": 8, "strings": 32, "gpu_names": 50},
        **{"shape": SMALL_SHAPE, "peak": 1e12, "device": "cpu"},
    )
    for name, factor in (
        *(("gpu-names", 2), ("gpu-words", 6)),
        *(("gpu-sentences", 6), ("gpu-cmlm", 6)),
    ):
        rows = run_benchmarks.measure(WORKLOADS[name], settings, tmp_path)
        values = {row.measure: float(row.value) for row in rows if row.way == "mirror"}
        strings = (tmp_path / "strings.txt").read_text().splitlines()
        tokens = sum(map(len, tokenizer(strings, truncation=True, max_length=25)["input_ids"]))
        expected = {"gpu-names": 8 * 50, "gpu-words": 4 * tokens}.get(name, values["tokens"])
        assert values["tokens"] == expected
        rate = factor * parameters * values["tokens_per_second"]
        assert values["flops_per_second"] == pytest.approx(rate, rel=1e-4)
        assert values["share_of_peak"] == pytest.approx(rate / 1e12, rel=1e-4)

    # peaks go by the name of the device
    names = ("NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe", "NVIDIA L40S", "Some other device")
    assert [*map(peak_of, names)] == [989e12, 756e12, 362e12, None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gpu"], "no CUDA device here"),
        (["--only", "wrods"], "--only wrods: no such benchmark; did you mean 'words'"),
        (["--runs", "0"], "--runs 0: give 1 or more"),
        (["--model", "nowhere"], "--model nowhere: no such folder"),
        (["--data", "nowhere"], "--data nowhere: no such folder"),
    ],
)
def test_mistakes_are_named_before_anything_runs(quick, tmp_path, monkeypatch, arguments, message):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match=message):
        run_benchmarks.main([*quick, *arguments])
    assert not list(tmp_path.iterdir())


def test_cosines_are_ranked_against_scores():
    # cosines 1, 0, -1 and 0.6 of the scores 4, 2, 1, 3: the same order
    vectors = np.array([[1, 0], [2, 0], [1, 0], [0, 1], [1, 0], [-3, 0], [1, 0], [3, 4]])
    pairs = [(score, "", "") for score in (4.0, 2.0, 1.0, 3.0)]
    assert spearman(pairs, vectors) == pytest.approx(1)
