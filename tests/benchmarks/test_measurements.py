"""Tidy measurements in a tsv file."""

from pathlib import Path

import pytest

from workflow_scripts.benchmarks.measurements import (
    Measurement,
    read_measurements,
    replace_measured,
    rows_of,
    write_measurements,
)
from workflow_scripts.errors import UserError


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "measures.tsv"
    rows = rows_of("tuning", "words", "plain", 2, {"seconds": 1 / 3, "note": "two\twords\n"})
    write_measurements(path, rows)
    assert path.read_text().splitlines() == [
        "section\ttask\tcontender\trun\tmeasure\tvalue",
        "tuning\twords\tplain\t2\tseconds\t0.333333",
        "tuning\twords\tplain\t2\tnote\ttwo words",
    ]
    assert read_measurements(path) == rows


def test_a_task_measured_again_loses_its_old_rows() -> None:
    def row(task: str, value: str) -> Measurement:
        return Measurement("tuning", task, "plain", 1, "seconds", value)

    old = [row("words", "1"), row("phrases", "2"), row("words", "3")]
    assert replace_measured(old, [row("words", "4")]) == [row("phrases", "2"), row("words", "4")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n", r":1: expected a row of section"),
        ("a\tb\tc\td\te\tf\n", r":1: expected the head section task"),
        (
            "section\ttask\tcontender\trun\tmeasure\tvalue\na\tb\tc\tx\te\tf\n",
            r":2: run is 'x', not a number",
        ),
    ],
)
def test_another_file_is_refused_with_the_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "measures.tsv"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_measurements(path)
