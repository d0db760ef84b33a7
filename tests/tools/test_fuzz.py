"""The fuzz target in short; `make fuzz` is the long form."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tools import fuzz_limits
from tools.fuzz import all_cases, fuzz
from tools.fuzz_damage import damage, damage_words, wear_file
from tools.fuzz_limits import Case, run_case
from workflow_scripts.errors import UserError


def test_damaged_files_give_a_result_or_one_error(tmp_path, capsys):
    cases = all_cases(tmp_path, light=True)
    # each kind once; other seeds and more cases are those of `make fuzz`
    assert fuzz(cases, len(cases), 33, seconds=600) == (len(cases), {})


@pytest.mark.slow
def test_damaged_models_and_commands_give_a_result_or_one_error(project):
    # in a process of its own, since others may have threads, which no fork takes along
    words = [sys.executable, "-m", "tools.fuzz", "--heavy", "--seed", "33"]
    words += ["--cases", "30", "--minutes", "10"]
    ran = subprocess.run(words, cwd=project, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr[-2000:]
    assert "30 cases of" in ran.stdout and "0 of them wrong" in ran.stdout


@pytest.mark.nightly
def test_each_case_gives_a_result_where_nothing_is_damaged(project):
    words = [sys.executable, "-m", "tools.fuzz", "--undamaged"]
    ran = subprocess.run(words, cwd=project, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-2000:]


def said(*error):
    def run(words):
        raise UserError(*error)

    return run


def fails(words):
    raise ValueError("a mistake")


def leaves(words):
    Path(".out.host.1.tmp").write_text("half")


def changes(words):
    Path("read.txt").write_text("anew")


def works(words):
    while sum(os.times()[:2]) < 2:
        pass


@pytest.mark.parametrize(
    ("run", "wrong"),
    [
        (lambda words: None, None),
        (said("read.txt", "no words", "write some"), None),
        (fails, "ValueError at tools/test_fuzz.py:"),
        (lambda words: sys.exit(1), "exit with 1"),
        (lambda words: os.kill(os.getpid(), signal.SIGTERM), "was ended by SIGTERM"),
        (said("read.txt", "a" * 300, "b" * 600), "a message of more than"),
        (said(None, "something is wrong", "fix it"), "a message that names neither"),
        (said("read.txt", "is wrong", None), "a message without a remedy"),
        (lambda words: [0] * 10**7, "took more than 0 GB"),
        (works, "took more than 1 s"),
        (leaves, "left out.*.tmp"),
        (changes, "read.txt was changed"),
    ],
)
def test_what_is_wrong_is_found(tmp_path, monkeypatch, run, wrong):
    monkeypatch.setattr(fuzz_limits, "SECONDS", 1)
    monkeypatch.setattr(fuzz_limits, "BYTES", 5 * 10**7)
    monkeypatch.setattr(fuzz_limits, "CHARACTERS", 700)
    (tmp_path / "body").write_text("some words\n")
    (tmp_path / "case").mkdir()
    case = Case(run, {"read.txt": tmp_path / "body"})
    found = run_case(case, random.Random(3), tmp_path / "case")
    assert found is None if wrong is None else found.startswith(wrong)


@pytest.mark.parametrize("body", [b"", b"a\tb\nc\td\n"])
def test_damage_changes_a_file_and_is_repeatable(body):
    changed = [damage(body, random.Random(seed)) for seed in range(50)]
    assert changed == [damage(body, random.Random(seed)) for seed in range(50)]
    assert len(set(changed)) > 10


def test_words_are_changed_but_no_amount_is_made_huge():
    words = ["--model", "m", "--set", "steps=2", "--epochs", "1"]
    changed = [damage_words(words, ["--k"], ["file"], random.Random(n)) for n in range(300)]
    assert sum(one != words for one in changed) > 250
    assert any("file" in line for line in changed)
    for line in changed:
        amounts = [w.partition("=")[2] for w in line if w.startswith("steps=")]
        assert not {"99999999999", "1e30"} & set(amounts)


def test_a_worn_file_keeps_what_is_left_of_it(tmp_path):
    body = bytes(range(1, 251)) * 40
    for number in range(20):
        (tmp_path / "a.tsv").write_bytes(body)
        wear_file(tmp_path / "a.tsv", random.Random(number))
        worn = (tmp_path / "a.tsv").read_bytes()
        assert all(own in (0, other) for own, other in zip(worn, body, strict=False))
