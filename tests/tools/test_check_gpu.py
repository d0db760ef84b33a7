"""The checks of a GPU as one command: its report, whatever becomes of the tests."""

import re

import pytest
import torch

from tools import check_gpu
from workflow_scripts.errors import UserError

TESTS = """
import os, pytest
pytestmark = pytest.mark.gpu

def test_the_sums_are_close(record_property):
    record_property("difference", "0.01, at most 0.1")

def test_the_products_are_close(record_property):
    record_property("difference", "0.5, at most 0.1")
    assert 0.5 <= 0.1

def test_two_cards(): pytest.skip("needs two | here is one")

def test_device(): assert os.environ["TEST_DEVICE"] == "cpu"

@pytest.fixture
def late():
    yield
    pytest.fail("too late", pytrace=False)

def test_the_end_is_close(late, record_property):
    record_property("seconds", "9, at most 1")

def test_not_of_a_gpu(): pass
"""


@pytest.fixture
def run(tmp_path):
    """A function that runs the files of {name: text} and returns the report."""

    def run_files(**texts):
        files = [tmp_path / f"test_{name}.py" for name in texts]
        for file, text in zip(files, texts.values(), strict=True):
            file.write_text(text)
        report = tmp_path / "report.md"
        arguments = ["--device", "cpu", "--report", str(report), "--tests", *map(str, files)]
        try:
            check_gpu.main(arguments)
        except UserError as error:
            return report.read_text(), str(error)
        return report.read_text(), ""

    return run_files


def row_of(report, name):
    return next(line for line in report.splitlines() if f": {name} | " in line)


def test_figures_results_and_reasons_are_in_the_report(run):
    report, error = run(close=TESTS)
    assert error.endswith("2 of 6 checks failed; send this file to the maintainers")
    assert "2 failed, 3 passed, 1 skipped" in report
    expected = "| test_close.py: the sums are close | passed | difference: 0.01, at most 0.1 | "
    assert row_of(report, "the sums are close").startswith(expected)
    assert "| **failed** | difference: 0.5, at most 0.1 | " in row_of(
        report, "the products are close"
    )
    expected = "| **failed** | seconds: 9, at most 1 | "
    assert expected in row_of(report, "the end is close") and "\ntoo late\n" in report
    assert r"skipped (needs two \| here is one)" in report
    assert "assert 0.5 <= 0.1" in report.partition("## test_close.py: the products are close")[2]


def test_a_process_that_dies_is_a_failed_check_and_the_next_file_runs(run):
    dying = "import os, pytest\n@pytest.mark.gpu\ndef test_dies():\n    os._exit(7)\n"
    report, error = run(dies=dying, lives="import pytest\n@pytest.mark.gpu\ndef test_b(): pass\n")
    assert "1 of 2 checks failed" in error
    assert "ended with status 7" in report.partition("## test_dies.py: the process")[2]
    assert "| test_lives.py: b | passed | " in report


def test_a_file_that_does_not_end_is_a_failed_check(run, monkeypatch):
    monkeypatch.setattr(check_gpu, "SECONDS", 3)
    slow = "import pytest, time\n@pytest.mark.gpu\ndef test_hangs():\n    time.sleep(600)\n"
    report, error = run(hangs=slow)
    assert "1 of 1 checks failed" in error and "not over after 3 s" in report


def test_without_a_device_one_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UserError, match=r"--device cuda: no CUDA device here; run it where"):
        check_gpu.main(["--report", str(tmp_path / "report.md")])
    assert not list(tmp_path.iterdir())


def test_the_checks_themselves_run_on_a_processor(tmp_path, project):
    """All of them with `--device cpu`; here the quickest file."""
    report, file = tmp_path / "report.md", project / "tests" / "gpu" / "test_device.py"
    check_gpu.main(["--device", "cpu", "--report", str(report), "--tests", str(file)])
    assert re.search(r"machine and packages \| passed \| .*<br>torch: \d", report.read_text())
