"""Words of command lines that mean nothing: one line reports each, before anything is loaded."""

import sys
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from workflow_scripts import embed, evaluate, link, search
from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.blocks import SEED_LIMIT, Seed
from workflow_scripts.downloads.model_files import local_path
from workflow_scripts.errors import UserError
from workflow_scripts.imports import check_threads
from workflow_scripts.retrieval.mention_links import Link, Report
from workflow_scripts.retrieval.mentions import Mention, read_mentions
from workflow_scripts.tune import outputs_of, step_log_of


@pytest.fixture
def words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("words.txt").write_text("a\tb\n")
    return {
        link: "--encoder e --names words.txt --mentions words.txt --gold-column 2",
        embed: "--model e --strings words.txt --output v.npy",
        search: "nearest --encoder e --strings words.txt --queries words.txt --output f",
        evaluate: "--model e --datasets s --data-root . --output",
    }


@pytest.mark.parametrize(
    ("command", "more", "message"),
    [
        (evaluate, ".", "--output .: is a folder; give a file name"),
        (link, "--output o --errors o", "--errors o: is read from, or written by another option"),
        (embed, "--record v.npy", "--record v.npy: is read from, or written by another option"),
        (embed, "--record words.txt", "--record words.txt: is read from"),
        (embed, "--threads 2000", "--threads 2000: give 1 or more, 1024 at most"),
        (search, "--record f", "--record f: is read from, or written by another option"),
    ],
)
def test_odd_words_of_a_command_are_told(words, command, more, message):
    with pytest.raises(UserError) as told:
        command.main(f"{words[command]} {more}".split())
    assert str(told.value).startswith(message)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        *((lambda count=count: check_threads(count), "--threads") for count in (0, 1025, 10**12)),
        (lambda: outputs_of(Path("o"), [SEED_LIMIT]), "--seed"),
        (lambda: step_log_of(".", 33, [33, 44]), r"--step-log .*: is a folder"),
        (lambda: list(read_mentions("words.txt", "²", None)), "no column '²'"),
    ],
)
def test_values_that_mean_nothing_are_told(words, read, message):
    with pytest.raises(UserError, match=message):
        read()


def test_a_seed_is_one_that_torch_takes():
    assert outputs_of(Path("o"), [SEED_LIMIT - 1]) == {SEED_LIMIT - 1: Path("o")}
    with pytest.raises(ValidationError):
        TypeAdapter(Seed).validate_python(SEED_LIMIT)


def test_a_report_takes_a_k_of_any_size():
    report = Report(10**12, None)
    links = [Link("1", "one", 0.5), Link("2", "two", 0.4)]
    for gold in ("1", "2", "2", "3"):
        report.add(Mention("m", gold), links, True)
    assert [report.hits_at(k) for k in (1, 2, 10**12)] == [1, 3, 3]
    assert "accuracy@1 0.2500, accuracy@1000000000000 0.7500" in list(report.lines())[-1]


def test_the_home_of_nobody_is_a_name_like_others():
    assert local_path("~nobody-of-that-name/model") == Path("~nobody-of-that-name/model")
    assert local_path("~") == Path.home()


def test_words_that_are_no_text_are_told(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["command", "--output", "a\udcffb", "é"])
    with pytest.raises(SystemExit):
        run_command(lambda: None)
    assert "error: 'a\\udcffb': not UTF-8; rename the file" in capsys.readouterr().err
