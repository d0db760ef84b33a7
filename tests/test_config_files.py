"""The shipped files of config/ are easy to read and to compare: no long line."""

from pathlib import Path

import pytest

CONFIG = Path(__file__).parents[1] / "config"
LONGEST = 100


@pytest.mark.parametrize("file", sorted(CONFIG.rglob("*.yaml")), ids=lambda file: file.name)
def test_no_line_of_a_config_file_is_over_100_characters(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [n for n, line in enumerate(lines, 1) if len(line) > LONGEST] == []
