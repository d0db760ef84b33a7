"""Readers under damaged files, in short; `make fuzz` is the long form."""

import random
from pathlib import Path

import pytest

from tools.fuzz_readers import Case, all_cases, damage, fuzz, run_case


def test_damaged_files_give_a_result_or_one_error():
    cases = all_cases()
    done, wrong = fuzz(cases, 2 * len(cases), seed=33, seconds=25)
    assert not wrong
    assert done > len(cases) // 4


def test_what_is_wrong_is_found(tmp_path):
    def fails(root):
        raise ValueError("a traceback")

    said = run_case(Case(fails, (Path("nli/en.tsv"),)), random.Random(3), tmp_path)
    assert said.startswith("ValueError at ") and said.endswith(": a traceback")


@pytest.mark.parametrize("body", [b"", b"a\tb\nc\td\n"])
def test_damage_changes_a_file_and_is_repeatable(body):
    changed = [damage(body, random.Random(seed)) for seed in range(50)]
    assert changed == [damage(body, random.Random(seed)) for seed in range(50)]
    assert len(set(changed)) > 10
