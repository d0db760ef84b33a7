"""Entries and suites of config/datasets.yaml."""

import pytest
import yaml

from workflow_scripts.datasets.catalogue import (
    FORMATS,
    check_entry,
    check_suite,
    corpus_files,
    raw_files,
)
from workflow_scripts.errors import UserError

GOOD = {"task": "similarity", "format": "simlex", "language": "en"}


@pytest.fixture(scope="module")
def config(project):
    return yaml.safe_load((project / "config" / "datasets.yaml").read_text(encoding="utf-8"))


def test_every_shipped_entry_is_valid_and_every_suite_names_known_entries(config, tmp_path):
    for name, entry in config["datasets"].items():
        check_entry(name, entry)
        assert raw_files(tmp_path, entry) or corpus_files(entry), name
    for name, block in config["suites"].items():
        check_suite(name, block)
        assert set(block["datasets"]) <= set(config["datasets"]), name


def test_a_lexicon_is_in_the_suites_of_both_its_languages_and_in_that_of_all(config):
    for name, entry in config["datasets"].items():
        if entry["task"] == "lexicon":
            languages = [
                block.get("language")
                for block in config["suites"].values()
                if name in block["datasets"]
            ]
            assert sorted(languages, key=str) == sorted(
                [entry["source"], entry["target"], None], key=str
            )
            assert name in config["suites"]["base-multi"]["datasets"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pth": "x"}, "data set 'mine': unknown option 'pth'; did you mean 'path'?"),
        ({"format": "simlx"}, "data set 'mine': unknown format 'simlx'; did you mean 'simlex'?"),
        ({"task": "lexicon"}, "data set 'mine': format 'simlex' is of task 'similarity'"),
        ({"task": "similar"}, "data set 'mine': option 'task' cannot be 'similar'"),
        ({"language": None}, "data set 'mine': option 'language' must be str"),
        ({"dictionary": "x"}, "data set 'mine': unknown option 'dictionary'"),
    ],
)
def test_mistakes_in_an_entry_name_the_key_and_the_nearest_known_one(change, message):
    with pytest.raises(UserError) as caught:
        check_entry("mine", {**GOOD, **change})
    assert str(caught.value).startswith(message)


def test_an_entry_needs_a_format():
    with pytest.raises(UserError, match="option 'format' is missing"):
        check_entry("mine", {"task": "similarity"})


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"datasets": []}, "suite 's': no data sets"),
        ({"datasets": ["a", "b", "a"]}, "suite 's': data set 'a' is listed twice"),
        ({"dataset": ["a"]}, "suite 's': unknown option 'dataset'; did you mean 'datasets'?"),
        (["a"], "suite 's': expected a block of keys"),
    ],
)
def test_mistakes_in_a_suite_name_it(block, message):
    with pytest.raises(UserError) as caught:
        check_suite("s", block)
    assert str(caught.value).startswith(message)


def test_the_common_options_do_not_hide_a_format_option():
    for form in FORMATS.values():
        assert {"task", "format", "split", "obtain"} <= set(form.known)
