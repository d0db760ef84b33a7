"""Running times from benchmark files, worked out by hand."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from html_reading import Page
from latex_reading import read_latex_table

from workflow_scripts.errors import UserError
from workflow_scripts.tables.assemble_running_time import Job, main, read_benchmark

HEADER = "s h:m:s max_rss max_vms max_uss max_pss io_in io_out mean_load cpu_time"


def benchmark(path: Path, *rows: str) -> str:
    """Write a benchmark file as Snakemake does; return its path."""
    path.write_text("".join("\t".join(row.split()) + "\n" for row in (HEADER, *rows)))
    return str(path)


def row(seconds: Any, memory: Any, cpu: Any) -> str:
    return f"{seconds} 0:00:10 {memory} 4 0.3 0.7 0 0 0 {cpu}"


@pytest.fixture
def block(tmp_path: Path) -> dict[str, Any]:
    words = [
        benchmark(tmp_path / "a.tsv", row(10.0, 500, 15)),
        benchmark(tmp_path / "b.tsv", row(14.0, 700.4, 25)),
        benchmark(tmp_path / "c.tsv", row(30.0, "NA", "-")),
    ]
    tables = [benchmark(tmp_path / "d.tsv", row(0.5, 3, 0.1), row(1.5, 1200, 1.2))]
    return {
        "id": "running-time",
        "title": "Running time",
        "notes": ["The paper: 10-20 seconds for an epoch."],
        "groups": [
            {"label": "Mirror tuning, words", "files": words},
            {"label": "Tables", "files": tables},
            {"label": "Pre-training", "files": []},
        ],
    }


def forms(block: dict[str, Any], tmp_path: Path) -> dict[str, str]:
    prefix = tmp_path / "out" / "running-time"
    main(["--block", json.dumps(block), "--output-prefix", str(prefix)])
    return {e: Path(f"{prefix}.{e}").read_text("utf-8") for e in ("tsv", "md", "html", "tex")}


EXPECTED = [
    ["Jobs", "Number", "Median (s)", "Longest (s)", "Sum (s)", "CPU time, sum (s)"],
    ["Mirror tuning, words", "3", "14.0", "30.0", "54.0", "40.0"],
    ["Tables", "2", "1.0", "1.5", "2.0", "1.3"],
    ["Pre-training", "0", "–", "–", "–", "–"],
    ["All jobs", "5", "10.0", "30.0", "56.0", "41.3"],
]
MEMORY = ["Largest memory (MB)", "700", "1,200", "–", "1,200"]


def test_groups_have_medians_sums_and_largest(block: dict[str, Any], tmp_path: Path) -> None:
    texts = forms(block, tmp_path)
    rows = list(csv.reader(texts["tsv"].splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    expected = [[*line, memory] for line, memory in zip(EXPECTED, MEMORY, strict=True)]
    assert rows == expected
    assert Page(texts["html"]).tables == [expected]
    latex, rules, _ = read_latex_table(texts["tex"])
    plain = [[f.replace(r"\textbf{", "").rstrip("}").replace("--", "–") for f in r] for r in latex]
    assert plain == expected
    assert rules == [0, 1, 4, 5]


def test_what_was_not_measured_is_told(block: dict[str, Any], tmp_path: Path) -> None:
    texts = forms(block, tmp_path)
    for text in (texts["md"], texts["html"]):
        assert "left out of the numbers: memory of 1, CPU time of 1 of 5 jobs." in text
        assert "The paper: 10-20 seconds for an epoch." in text


def test_measured_jobs_have_no_such_line(block: dict[str, Any], tmp_path: Path) -> None:
    text = forms(block | {"groups": block["groups"][1:]}, tmp_path)["md"]
    assert "left out of the numbers" not in text


def test_table_without_groups_is_a_table(block: dict[str, Any], tmp_path: Path) -> None:
    texts = forms(block | {"groups": []}, tmp_path)
    assert len(texts["tsv"].splitlines()) == 1
    assert "All jobs" not in texts["html"]


def test_columns_may_stand_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "b.tsv"
    path.write_text("cpu_time\tmax_rss\ts\n3\t2\t1\n")
    assert read_benchmark(path) == [Job(seconds=1, memory=2, cpu_seconds=3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"b\.tsv: the file is empty"),
        ("s\tmax_rss\n1\t2\n", r"b\.tsv:1: the header has no column 'cpu_time'"),
        ("s\tmax_rss\tcpu_time\n", r"b\.tsv: no run in it"),
        ("s\tmax_rss\tcpu_time\nlong\t2\t3\n", r"b\.tsv:2: `s` is 'long', not a number"),
        ("s\tmax_rss\tcpu_time\n1\tinf\t3\n", r"b\.tsv:2: `max_rss` is 'inf', not a number"),
        ("s\tmax_rss\tcpu_time\n1\t2\t-3\n", r"b\.tsv:2: `cpu_time` is '-3', not a number"),
        ("s\tmax_rss\tcpu_time\n1\t2\n", r"b\.tsv:2: expected a row"),
    ],
)
def test_malformed_benchmark_names_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "b.tsv"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_benchmark(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"groups": [{"label": "a"}]}, "group 1: option 'files' is missing"),
        ({"groups": [{"label": "a", "files": [1]}]}, "group 1: expected strings"),
        ({"groups": [{"label": "a", "files": []}] * 2}, "labels of groups: `a` twice"),
        ({"groups": [{"label": "a", "files": ["x", "x"]}]}, "files: `x` twice"),
        ({"title": 3}, "option 'title' must be str"),
    ],
)
def test_malformed_block_is_a_user_error(
    block: dict[str, Any], tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError) as caught:
        forms(block | changes, tmp_path)
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()
