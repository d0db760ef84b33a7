"""The shipped config files are easy to read and to compare: no long line."""

from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
FILES = [*sorted((PROJECT / "config").rglob("*.yaml")), PROJECT / "bundled_models" / "config.yaml"]
LONGEST = 100


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_line_of_a_config_file_is_over_100_characters(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [n for n, line in enumerate(lines, 1) if len(line) > LONGEST] == []
