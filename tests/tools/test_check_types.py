"""The ratchet of the type checker: which lines count, and what is more or fewer than recorded."""

import pytest

from tools.check_types import RECORD, compare, package_of, read_record, write_record

# what is to have no findings, so that it is never in the record
CLEAN = [
    "canonical",
    "configuration",
    "content_hashes",
    "delimited",
    "errors",
    "files",
    "plan",
    "plugins",
    "sources",
]


@pytest.mark.parametrize(
    ("line", "package"),
    [
        ('workflow_scripts/tables/cells.py:77: error: Unsupported "x: y"  [operator]', "tables"),
        ("workflow_scripts/tables/kinds/grid.py:7: error: Bad  [misc]", "tables"),
        ("workflow_scripts/files.py:3: error: Bad  [misc]", "files"),
        ("workflow_scripts/tuning/recipe.py: error: Bad  [valid-type]", "tuning"),
        ("workflow_scripts/files.py:3: note: See error: codes", None),
        ("Found 3 errors in 2 files (checked 326 source files)", None),
        ("Success: no issues found in 326 source files", None),
    ],
)
def test_a_finding_counts_for_its_package(line, package):
    assert package_of(line) == package


def test_packages_with_more_and_with_fewer_findings_are_told_apart():
    recorded = {"tables": 3, "tuning": 2, "scoring": 1}
    assert compare(recorded, {"tables": 4, "tuning": 1, "scoring": 1, "plan": 1}) == (
        ["plan", "tables"],
        ["tuning"],
    )
    assert compare(recorded, recorded) == ([], [])
    assert compare(recorded, {}) == ([], ["scoring", "tables", "tuning"])


def test_the_record_is_read_as_it_was_written(tmp_path):
    counts = {"tuning": 12, "cells": 3}
    write_record(tmp_path / "record.tsv", counts)
    assert read_record(tmp_path / "record.tsv") == counts
    assert (tmp_path / "record.tsv").read_text() == "cells\t3\ntuning\t12\n"


def test_no_finding_is_recorded_where_there_may_be_none():
    assert not read_record(RECORD).keys() & CLEAN
