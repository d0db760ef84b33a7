"""Numbers of pages come from recorded runs, and no number of their kinds is unmarked."""

import os
import re

import pytest

from tools.recorded_numbers import (
    BY_HAND,
    RECORD,
    Recorded,
    filled,
    names_in,
    pages,
    read_record,
    shown,
    unfilled,
    write_record,
)
from tools.run_numbers import (
    CONFIGS,
    cell_value,
    example_value,
    job_counts,
    planned_jobs,
    recorded_anew,
    run_numbers,
)
from workflow_scripts.errors import UserError

FILL = "make numbers RESULTS=<results of a run>, or make docs where nothing was run anew"


@pytest.fixture(scope="module")
def texts(project):
    return {str(page.relative_to(project)): page.read_text() for page in pages(project)}


@pytest.fixture(scope="module")
def record(project):
    return read_record(project / RECORD)


def test_pages_have_the_recorded_numbers(texts, record):
    for page, text in texts.items():
        assert text == filled(text, record, page), f"{page} is stale: {FILL}"


def test_the_record_has_what_pages_name_and_no_more(texts, record):
    assert set(record) == set().union(*map(names_in, texts.values())), FILL
    assert len(record) > 10


def test_no_count_time_size_or_score_stands_unmarked(texts):
    for page, text in texts.items():
        if page not in BY_HAND:
            assert unfilled(text) == [], f"{page}: mark the numbers (tools/recorded_numbers.py)"


def assert_planned(run, record):
    recorded = {name: at.value for name, at in record.items() if name.startswith(f"{run}/jobs")}
    counts = {f"{run}/{name}": n for name, n in job_counts(planned_jobs(CONFIGS[run])).items()}
    assert recorded
    assert recorded == {name: counts[name] for name in recorded}, FILL


def test_recorded_counts_are_those_that_the_default_config_plans(record):
    assert_planned("default", record)


@pytest.mark.slow
def test_recorded_counts_are_those_that_the_papers_grid_plans(record):
    assert_planned("paper", record)


def test_recorded_scores_are_those_of_the_example_run(project, record):
    tables = project / "docs/example-run/tables"
    names = [name for name in record if name.startswith("example/")]
    for name in names:
        assert record[name].value == example_value(tables, name.removeprefix("example/"))


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        ("669", None, "669"),
        ("1330", None, "1,330"),
        ("AMD EPYC, 2 cores", None, "AMD EPYC, 2 cores"),
        ("5.92", "0", "6"),
        ("5.92", "1", "5.9"),
        ("12345.6", "0", "12,346"),
        ("0.59239", "3", ".592"),
        ("0.1079", "+3", "+.108"),
        ("-0.002", "+3", "-.002"),
        ("48.38", "%3", ".484"),
        ("6.95", "%+2", "+.07"),
    ],
)
def test_values_are_shown_as_pages_write_numbers(value, form, text):
    assert shown(value, form) == text


def test_marks_are_filled_and_the_rest_of_a_page_stays():
    record = {"a/b": Recorded("1330", "x"), "a/t/r/0.5": Recorded("0.25", "x")}
    text = "It takes <!--=a/b-->7<!--/--> jobs.\n\n| x | <!--=a/t/r/0.5:2--><!--/-->\\* |\n"
    expected = (
        "It takes <!--=a/b-->1,330<!--/--> jobs.\n\n| x | <!--=a/t/r/0.5:2-->.25<!--/-->\\* |\n"
    )
    assert filled(text, record, "page.md") == expected
    assert names_in(text) == {"a/b", "a/t/r/0.5"}
    assert filled("`<!--=NAME-->0<!--/-->`", {}, "page.md") == "`<!--=NAME-->0<!--/-->`"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n\nb <!--=a/c-->1<!--/-->", "page.md:3: no number 'a/c' is recorded; "),
        ("a\n<!--=a/b-->1<!--/-->", "page.md:2: a line that begins with a mark is not Markdown; "),
        ("- <!--=a/b-->1<!--/-->", "page.md:1: a line that begins with a mark"),
        ("run `x <!--=a/b-->1<!--/-->`", "page.md:1: a mark in code would show; "),
        ("    x <!--=a/b-->1<!--/-->", "page.md:1: a mark in code would show; "),
        ("it <!--=a/b-->1", "page.md:1: a mark that is not complete; "),
        ("it <!--=a/b:x-->1<!--/-->", "page.md:1: a mark that is not complete; "),
    ],
)
def test_a_mark_that_cannot_be_filled_is_refused_with_its_line(text, message):
    with pytest.raises(UserError, match=f"^{re.escape(message)}"):
        filled(text, {"a/b": Recorded("1", "x")}, "page.md")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("takes 669 jobs", ["669 jobs"]),
        ("a\nin 1,330 jobs and 9 minutes", ["1,330 jobs", "9 minutes"]),
        ("9, 6 and 5 seconds", ["9, 6 and 5 seconds"]),
        ("92 encoders, 0.5 GB", ["92 encoders", "0.5 GB"]),
        ("| STS | .484 | 0.592 | +.108\\* |", [".484", "0.592", "+.108"]),
        ("takes <!--=a/b-->669<!--/--> jobs, <!--=a/c:3-->.484<!--/-->", []),
        ("at most <!--fixed-->100 MB, and 5 MB", ["5 MB"]),
        ("`sleep 5 s`, p < .05, version 1.12.3, [9 jobs](a.md)", ["9 jobs"]),
        ("    669 jobs\n\n```\n5 seconds\n```\n", []),
        ("Table 3, 36 languages, 3 layers of 192 units", []),
    ],
)
def test_numbers_of_runs_are_seen(text, numbers):
    assert [number for _, number in unfilled(text)] == numbers


def test_a_record_is_read_as_it_was_written(tmp_path):
    record = {"b/x": Recorded("1", "y"), "a/x": Recorded(".5", "z, 2 cores")}
    write_record(tmp_path / "record.tsv", record)
    assert read_record(tmp_path / "record.tsv") == record
    assert (tmp_path / "record.tsv").read_text().splitlines()[1] == "a/x\t.5\tz, 2 cores"


JOBS = {"tune_encoder": 2, "score_suite": 1, "all_tables": 1, "total": 4}


@pytest.fixture
def results(tmp_path):
    """Three jobs of 10, 20 and 5 s that end at 110, 130 and 135 s: 35 s in all."""
    used = {"tune_encoder/a": (10, 4, 110), "tune_encoder/b": (20, 8.75, 130)}
    used["score_suite/a"] = (5, 2, 135)
    for job, (seconds, processor, end) in used.items():
        file = tmp_path / f"benchmarks/{job}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        head = "s\tmax_rss\tio_out\tcpu_time\tmachine\tcommit\n"
        file.write_text(f"{head}{seconds}\t100\t1\t{processor}\tbox\tabc\n")
        os.utime(file, (end, end))
    cells = tmp_path / "tables/cells/t1.tsv"
    cells.parent.mkdir(parents=True)
    cells.write_text("row\tcolumn\tmean\tdifference\nr\t0.5\t0.61\t0.02\nr\tx\t\t\n")
    (tmp_path / "weights").write_bytes(bytes(3_000_000))
    return tmp_path


def test_numbers_of_a_run_are_summed_over_its_jobs(results):
    numbers = run_numbers(results, JOBS)
    assert numbers["seconds"] == "35"
    assert numbers["minutes"] == "0.58"
    assert numbers["processor_seconds"] == "15"
    assert numbers["processor_seconds/tune_encoder"] == "12.8"
    assert numbers["megabytes"] == "3"
    assert (numbers["machine"], numbers["commit"]) == ("box", "abc")


def test_results_that_are_not_one_whole_run_are_refused(results):
    with pytest.raises(UserError, match=r"not a run of this config \(2 of 3 tune_encoder"):
        run_numbers(results, JOBS | {"tune_encoder": 3})
    file = results / "benchmarks/score_suite/a.tsv"
    os.utime(file, (9000, 9000))
    with pytest.raises(UserError, match="the run was interrupted"):
        run_numbers(results, JOBS)
    file.write_text(file.read_text().replace("abc", "abd"))
    with pytest.raises(UserError, match="several values of commit: abc, abd"):
        run_numbers(results, JOBS)


def test_cells_are_named_by_table_row_column_and_field(results):
    assert cell_value(results, "t1/r/0.5") == "0.61"
    assert cell_value(results, "t1/r/0.5/difference") == "0.02"
    assert [cell_value(results, name) for name in ("t1/r/x", "t1/q/0.5", "t2/r/0.5")] == [None] * 3


def test_cells_of_the_example_run_are_named_by_their_labels(tmp_path):
    page = "# T\n\n|  | STS-b | x |\n|---|--:|--:|\n"
    page += "| BERT-mp | **.489**<br><sub>paper .203</sub> | – |\n"
    page += "| + Mirror<br><sub>↑↓ to BERT-mp</sub> | -.592<br><sub>\\[.5, .6\\]</sub><br>↓.108\\*"
    page += "<br><sub>paper .7</sub> | –<sup>1</sup> |\n"
    (tmp_path / "t1.md").write_text(page)
    assert example_value(tmp_path, "t1/bert-mp/sts-b") == ".489"
    assert example_value(tmp_path, "t1/mirror-to-bert-mp/sts-b") == "-.592"
    assert example_value(tmp_path, "t1/mirror-to-bert-mp/sts-b/difference") == "-.108"
    assert example_value(tmp_path, "t1/bert-mp/sts-b/published") == ".203"
    assert example_value(tmp_path, "t1/mirror-to-bert-mp/x") is None
    assert example_value(tmp_path, "t1/bert-mp/y") is None


def test_what_was_measured_by_hand_stays_and_what_no_page_names_goes(results):
    record = {"measured/a": Recorded("6.2", "by hand"), "measured/b": Recorded("1", "by hand")}
    assert recorded_anew(["measured/a"], record, results) == {"measured/a": record["measured/a"]}
