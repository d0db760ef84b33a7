"""The report from measurements made by hand, its figures worked out by hand."""

import pytest

from benchmarks.measurements import ABOUT, read_measurements, rows_of
from benchmarks.report import save_report
from workflow_scripts.errors import UserError

MIB = 2**20
MACHINE = {"date": "2026-01-02", "processor": "A processor", "cores": 2, "memory": "24 GiB"}
COMMON = {"model": "mini", "recipe": "a-recipe", "source": "a list", "threads": 2}


def runs(section, task, way, **measures):
    """Rows of {measure: values}, the first that of run 1."""
    rows = []
    for measure, values in measures.items():
        for run, value in enumerate(values, start=1):
            rows += rows_of(section, task, way, run, {measure: value})
    return rows


def about(section, task, **told):
    return rows_of(section, task, ABOUT, 0, {**MACHINE, **COMMON, **told})


def tuning(task, plain, trainer, ours, memory):
    """Rows of rounds; the authors' way takes 2000 MiB, the trainer 1000."""
    rows = about("tuning", task, max_length=25, batch_size=200, available=10_000)
    seconds_of = {"plain": plain, "sentence-transformers": trainer, "mirror": ours}
    peaks = {"plain": [2000] * 3, "sentence-transformers": [1000] * 3, "mirror": memory}
    for way, seconds in seconds_of.items():
        for run, (second, peak) in enumerate(zip(seconds, peaks[way], strict=False), start=1):
            measures = {"seconds_per_step": second, "processor_seconds_per_step": 2 * second}
            measures |= {"peak_memory": peak * MIB, "memory_growth": (peak - 400) * MIB}
            measures |= {"steps": 10, "tokens_per_string": 3.5}
            rows += rows_of("tuning", task, way, run, measures)
    return rows


def report(folder, rows):
    save_report(folder / "out.md", rows)
    return (folder / "out.md").read_text()


def test_tuning_shows_medians_and_the_median_of_the_ratios_of_each_round(tmp_path):
    # Ratios to the authors' way: 3, 4, 3. The ratio of the medians would be 4.
    text = report(tmp_path, tuning("words", [6, 8, 9], [2.4, 3, 3], [2, 2, 3], [900, 1000, 1100]))
    for line in (
        "| the authors' way | 8.000 (6.000 to 9.000) | 16.000 | 1.00 | 0.38 | 2,000 | 1,600 "
        "| 1.00 |",
        "| this project | 2.000 (2.000 to 3.000) | 4.000 | 3.00 | 1.20 | 1,000 | 600 | 0.50 |",
        "- Aim: at least 3 times as fast as the authors' way: reached, 3.00 (3.00 to 4.00)",
        "- Aim: at least 1.3 times as fast as sentence-transformers: **missed**, "
        "1.20 (1.00 to 1.50)",
        "- Aim: at most 0.5 of the authors' way's peak memory: reached, 0.50 (0.45 to 0.55)",
        "Not measured: no GPU was available.",
    ):
        assert line in text.splitlines()
    assert "### Phrases\n\n<!-- measured: phrases -->\n\nNot measured.\n" in text
    assert "A processor, 2 cores, 24 GiB" in " ".join(text.split())
    # an aim of its own; one run has no spread
    text = report(tmp_path, tuning("sentences", [5], [2.6], [2], [1001]))
    assert "at least 2.5 times as fast as the authors' way: reached, 2.50\n" in text
    assert "at least 1.3 times as fast as sentence-transformers: reached, 1.30\n" in text
    assert "at most 0.5 of the authors' way's peak memory: **missed**, 0.50\n" in text


def test_embedding_compares_with_encode_as_it_comes_and_at_its_best(tmp_path):
    rows = about("embedding", "names", strings=20_000, best_batch_size=128)
    times = {"sentence-transformers": [10.0, 12.0], "sentence-transformers-best": [8.0, 9.0]}
    for way, seconds in {**times, "mirror": [5.0, 5.0], "mirror-int8": [5.0, 6.5]}.items():
        speeds = [20_000 / second for second in seconds]
        measures = {"loop_seconds": seconds, "strings_per_second": speeds}
        rows += runs("embedding", "names", way, **measures, peak_memory=[500 * MIB] * 2)
    rows += rows_of("embedding", "names", "mirror", 0, {"largest_difference": 2e-5})
    rows += rows_of("embedding", "stsb", ABOUT, 0, {"recipe": "mirror-sentence", "pairs": 1379})
    rows += runs("embedding", "stsb", "mirror", spearman=[0.59])
    rows += runs("embedding", "stsb", "mirror-int8", spearman=[0.5879])
    text = report(tmp_path, rows)
    for part in (
        "| this project | 5.00 (5.00 to 5.00) | 4,000 | 2.20 | 1.70 | 500 | 2.0e-05 |",
        "sentence-transformers' encode: reached, 2.20 (2.00 to 2.40)",
        "vectors equal within 1e-05: **missed**, 2.0e-05",
        "20,000 names (a list)",
        # 10 / 5 and 12 / 6.5
        "with int8 at least 2 times as fast: **missed**, 1.92 (1.85 to 2.00)",
        "on STS-B within 0.002 of float32: **missed**, -0.0021",
        "| this project | 0.5900 | | this project, ONNX int8 | 0.5879 |",
    ):
        assert part in " ".join(text.split())


def test_cmlm_and_threads_have_an_aim_for_each_task(tmp_path):
    rows = []
    for task, seconds in (("64", [6, 8]), ("128", [3, 3])):
        rows += about("cmlm", task, batch_size=64, available=99)
        for way, times in {"plain": seconds, "mirror": [2, 2]}.items():
            measures = {"seconds_per_step": times, "units_per_second": [64 / one for one in times]}
            rows += runs("cmlm", task, way, steps=[9, 9], tokens_per_string=[20.0] * 2, **measures)
    for task, seconds in (("mini", [3, 3]), ("base", [2.1, 2.1])):
        rows += about("threads", task, batch_size=64)
        for way, times in {"one-thread": seconds, "mirror": [2, 2]}.items():
            rows += runs("threads", task, way, steps=[9, 9], seconds_per_step=times)
    text = report(tmp_path, rows)
    for line in (
        "- Aim: of 64 tokens at least 3 times as fast as the plain way: reached, 3.50 "
        "(3.00 to 4.00)",
        "- Aim: of 128 tokens at least 2 times as fast as the plain way: **missed**, 1.50 "
        "(1.50 to 1.50)",
        "- Aim: size of the bundled models: at least 1.7 times as fast as one thread: **missed**, "
        "1.50 (1.50 to 1.50)",
        "- Aim: BERT-base's shape: no slower than one thread (at least 1 times as fast): reached, "
        "1.05 (1.05 to 1.05)",
    ):
        assert line in text.splitlines()
    assert "| this project, at most 64 tokens | 2.000 (2.000 to 2.000) | 32 | - | 3.50 |" in text


def test_quality_is_compared_by_welchs_test(tmp_path):
    choices = {"pooling": "mean", "temperature": 0.1, "learning_rate": 3e-4}
    rows = about("quality", "stsb-dev", **choices, strings=10_000)
    rows += runs("quality", "stsb-dev", "plain", spearman=[0.70, 0.72])
    rows += runs("quality", "stsb-dev", "mirror", spearman=[0.71, 0.73])
    text = report(tmp_path, rows)
    assert "| the authors' way | 2 | 0.7100 | 0.0141 | 0.7000 | 0.7200 |" in text
    # variances .0002, so t = .01 / sqrt(.0002); with 2 degrees of freedom p = 1 - t / sqrt(2 + t2)
    assert "Difference +0.0100; Welch's t-test: t = 0.71, p = 0.55." in text
    assert "do not differ beyond chance" in text


@pytest.mark.parametrize(("seconds", "told"), [(2.9, "reached, 2.90"), (3.1, "**missed**, 3.10")])
def test_gpu_section_shows_share_of_peak(tmp_path, seconds, told):
    rows = about("gpu", "words", device="NVIDIA H100")
    measures = {"tokens_per_second": 1e6, "flops_per_second": 2.5e14, "share_of_peak": 0.2528}
    measures |= {"gpu_memory": 3000 * MIB, "loop_seconds": seconds}
    text = report(tmp_path, rows + rows_of("gpu", "words", "mirror", 1, measures))
    assert "NVIDIA H100." in text
    assert f"| {seconds:.2f} | 1,000,000 | 250.0 | 25.3% | 3,000 |" in text
    assert f"tuning, 10,000 words, two epochs, within 3 s: {told}\n" in text
    aim = "- Aim: tuning, 10,000 sentences, one epoch, at least 40% of the peak:"
    assert f"{aim} not measured\n" in text
    rows = about("gpu", "sentences", device="NVIDIA H100")
    rows += rows_of("gpu", "sentences", "mirror", 1, {"share_of_peak": 0.41})
    text = report(tmp_path, rows)
    assert f"{aim} reached, 41.0%\n" in text


def test_what_is_measured_again_is_replaced_and_the_rest_and_the_prose_kept(tmp_path):
    report(tmp_path, tuning("words", [6], [3], [2], [900]))
    text = report(tmp_path, tuning("phrases", [9], [3], [3], [900]))
    (tmp_path / "out.md").write_text("Own words.\n" + text)
    text = report(tmp_path, tuning("words", [8], [3], [2], [900]))
    assert text.startswith("Own words.\n# Performance\n")
    assert "reached, 4.00" in text and "reached, 3.00" in text
    rows = read_measurements(tmp_path / "out.tsv")
    assert len(rows) == 2 * len(tuning("words", [8], [3], [2], [900]))


def test_the_shipped_report_is_that_of_the_shipped_measurements(project, tmp_path):
    (tmp_path / "out.tsv").write_bytes(
        (project / "docs" / "explanation" / "performance.tsv").read_bytes()
    )
    assert report(tmp_path, []) == (project / "docs" / "explanation" / "performance.md").read_text()

    # another file is refused
    (tmp_path / "out.tsv").write_text("a\tb\n")
    with pytest.raises(UserError, match=r"out.tsv:1: expected the head section task"):
        report(tmp_path, [])
