"""The report from measurements made by hand, its figures worked out by hand."""

from pathlib import Path

import pytest

from workflow_scripts.benchmarks import report
from workflow_scripts.benchmarks.measurements import ABOUT, Measurement, rows_of
from workflow_scripts.errors import UserError

MIB = 2**20
MACHINE = {"date": "2026-01-02", "processor": "A processor", "cores": 2, "memory": "24 GiB"}


def tuning_rows(
    task: str, plain: list[float], trainer: list[float], ours: list[float], memory: list[int]
) -> list[Measurement]:
    """Return rows of rounds; the authors' way takes 2000 MiB, the trainer 1000."""
    about = {
        **MACHINE,
        "model": "mini",
        "recipe": "mirror-word",
        "max_length": 25,
        "batch_size": 200,
        "available": 10_000,
        "source": "a list",
        "threads": 2,
    }
    rows = rows_of("tuning", task, ABOUT, 0, about)
    for name, seconds, peaks in (
        ("plain", plain, [2000] * len(plain)),
        ("sentence-transformers", trainer, [1000] * len(trainer)),
        ("mirror", ours, memory),
    ):
        for run, (second, peak) in enumerate(zip(seconds, peaks, strict=True), start=1):
            values = {
                "seconds_per_step": second,
                "processor_seconds_per_step": 2 * second,
                "steps": 10,
                "tokens_per_string": 3.5,
                "peak_memory": peak * MIB,
                "memory_growth": (peak - 400) * MIB,
            }
            rows += rows_of("tuning", task, name, run, values)
    return rows


def test_tuning_shows_medians_and_the_median_of_the_ratios_of_each_round() -> None:
    # Ratios to the authors' way: 3, 4, 3. The ratio of the medians would be 4.
    rows = tuning_rows("words", [6, 8, 9], [2.4, 3, 3], [2, 2, 3], [900, 1000, 1100])
    lines = report.tuning_report(rows).splitlines()
    assert (
        "| the authors' way | 8.000 (6.000 to 9.000) | 16.000 "
        "| 1.00 | 0.38 | 2,000 | 1,600 | 1.00 |" in lines
    )
    assert (
        "| this project | 2.000 (2.000 to 3.000) | 4.000 | 3.00 | 1.20 | 1,000 | 600 | 0.50 |"
        in lines
    )
    assert (
        "- Aim: at least 3 times as fast as the authors' way: reached, 3.00 (3.00 to 4.00)" in lines
    )
    assert (
        "- Aim: at least 1.3 times as fast as sentence-transformers: **missed**, "
        "1.20 (1.00 to 1.50)" in lines
    )
    assert (
        "- Aim: at most 0.5 of the authors' way's peak memory: reached, 0.50 (0.45 to 0.55)"
        in lines
    )


def test_sentences_have_an_aim_of_their_own_and_one_run_has_no_spread() -> None:
    text = report.tuning_report(tuning_rows("sentences", [5], [2.6], [2], [1001]))
    assert "at least 2.5 times as fast as the authors' way: reached, 2.50\n" in text
    assert "at least 1.3 times as fast as sentence-transformers: reached, 1.30\n" in text
    assert "at most 0.5 of the authors' way's peak memory: **missed**, 0.50\n" in text


def test_what_was_not_measured_is_said() -> None:
    text = report.write_report(tuning_rows("words", [6], [3], [2], [900]), "benchmarks.tsv")
    assert "### Phrases\n\nNot measured.\n" in text
    assert "Not measured: no GPU was to be had." in text
    assert "from `benchmarks.tsv`" in text
    assert "A processor, 2 cores, 24 GiB" in " ".join(text.split())


def test_embedding_compares_with_encode_as_it_comes_and_at_its_best() -> None:
    about = {
        **MACHINE,
        "model": "mini",
        "recipe": "mirror-phrase",
        "strings": 20_000,
        "source": "a list",
        "threads": 2,
        "best_batch_size": 128,
    }
    rows = rows_of("embedding", "names", ABOUT, 0, about)
    for name, seconds in (
        ("sentence-transformers", [10.0, 12.0]),
        ("sentence-transformers-best", [8.0, 9.0]),
        ("mirror", [5.0, 5.0]),
        ("mirror-int8", [5.0, 6.5]),
    ):
        for run, second in enumerate(seconds, start=1):
            values = {
                "loop_seconds": second,
                "strings_per_second": 20_000 / second,
                "peak_memory": 500 * MIB,
            }
            rows += rows_of("embedding", "names", name, run, values)
    rows += rows_of("embedding", "names", "mirror", 0, {"largest_difference": 2e-5})
    rows += rows_of("embedding", "stsb", ABOUT, 0, {"recipe": "mirror-sentence", "pairs": 1379})
    rows += rows_of("embedding", "stsb", "mirror", 1, {"spearman": 0.59})
    rows += rows_of("embedding", "stsb", "mirror-int8", 1, {"spearman": 0.5879})
    text = report.embedding_report(rows)
    assert "| this project | 5.00 (5.00 to 5.00) | 4,000 | 2.20 | 1.70 | 500 | 2.0e-05 |" in text
    assert "sentence-transformers' encode: reached, 2.20 (2.00 to 2.40)" in text
    assert "vectors equal within 1e-05: **missed**, 2.0e-05" in text
    assert "20,000 names (a list)" in text
    # 10 / 5 and 12 / 6.5
    assert "with int8 at least 2 times as fast: **missed**, 1.92 (1.85 to 2.00)" in text
    assert "on STS-B within 0.002 of float32: **missed**, -0.0021" in text
    assert "this project 0.5900, this project, ONNX int8 0.5879." in " ".join(text.split())


def test_quality_is_compared_by_welchs_test() -> None:
    about = {
        **MACHINE,
        "model": "mini",
        "recipe": "mirror-sentence",
        "pooling": "mean",
        "temperature": 0.1,
        "learning_rate": 3e-4,
        "strings": 10_000,
        "source": "a list",
    }
    rows = rows_of("quality", "stsb-dev", ABOUT, 0, about)
    for name, scores in (("plain", [0.70, 0.72]), ("mirror", [0.71, 0.73])):
        for run, score in enumerate(scores, start=1):
            rows += rows_of("quality", "stsb-dev", name, run, {"spearman": score})
    text = report.quality_report(rows)
    assert "| the authors' way | 2 | 0.7100 | 0.0141 | 0.7000 | 0.7200 |" in text
    # variances .0002, so t = .01 / sqrt(.0002); with 2 degrees of freedom p = 1 - t / sqrt(2 + t2)
    assert "Difference +0.0100; Welch's t-test: t = 0.71, p = 0.55." in text
    assert "do not differ beyond chance" in text


@pytest.mark.parametrize(
    ("seconds", "verdict"), [(2.9, "reached, 2.90"), (3.1, "**missed**, 3.10")]
)
def test_gpu_section_shows_share_of_peak(seconds: float, verdict: str) -> None:
    rows = rows_of("gpu", "words", ABOUT, 0, {**MACHINE, "device": "NVIDIA H100", "peak": "9e14"})
    values = {
        "loop_seconds": seconds,
        "tokens_per_second": 1e6,
        "flops_per_second": 2.5e14,
        "share_of_peak": 0.2528,
        "gpu_memory": 3000 * MIB,
    }
    text = report.gpu_report(rows + rows_of("gpu", "words", "mirror", 1, values))
    assert "NVIDIA H100." in text
    assert f"| {seconds:.2f} | 1,000,000 | 250.0 | 25.3% | 3,000 |" in text
    assert f"tuning, 10,000 words, two epochs, within 3 s: {verdict}\n" in text


def test_saving_replaces_what_was_measured_again_and_keeps_the_rest(tmp_path: Path) -> None:
    output, measures = tmp_path / "out.md", tmp_path / "out.tsv"
    report.save_report(output, None, tuning_rows("words", [6], [3], [2], [900]))
    report.save_report(output, None, tuning_rows("phrases", [9], [3], [3], [900]))
    report.save_report(output, measures, tuning_rows("words", [8], [3], [2], [900]))
    text = output.read_text()
    assert "reached, 4.00" in text and "reached, 3.00" in text
    remade = tmp_path / "remade.md"
    report.main(["--measures", str(measures), "--output", str(remade)])
    assert remade.read_text() == text


def test_a_report_of_nothing_is_an_error(tmp_path: Path) -> None:
    empty = tmp_path / "empty.tsv"
    empty.write_text("section\ttask\tcontender\trun\tmeasure\tvalue\n")
    with pytest.raises(UserError, match="no measurements in it; run make bench"):
        report.main(["--measures", str(empty), "--output", str(tmp_path / "out.md")])
    assert not (tmp_path / "out.md").exists()
