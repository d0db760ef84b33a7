"""Sides of a lexicon, from suites of one language and from a suite of both."""

import json

from workflow_scripts.datasets.read_suite import read_suite

from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.retrieval.suite_files import SIDES, read_side

ENTRY = {"task": "lexicon", "format": "xling-eval", "source": "en", "target": "fr"}
ENTRY |= {"path": "bli-xling-eval/en-fr", "train": "5k", "vocabulary_size": 50}


def words_of(folder, sample_data, side, language):
    """Return the words of a side, by part, read from a suite of the language (or of both: None)."""
    entries = {"bli-en-fr": read_entry("bli-en-fr", ENTRY)}
    strings, datasets = read_suite(sample_data, entries, language)
    file = folder / f"{language}.json"
    file.write_text(json.dumps({"suite": "s", "datasets": datasets}))
    entry = read_side(file, "bli-en-fr", side)
    words = {key: [strings[i] for i in entry[key]] for key in ("vocabulary", "train", "test")}
    return entry["side"], entry["split"], entry["dropped"], words


def test_a_suite_of_both_languages_gives_the_sides_of_two_suites(tmp_path, sample_data):
    for side, language in zip(SIDES, ("en", "fr"), strict=True):
        alone = words_of(tmp_path, sample_data, side, language)
        assert alone == words_of(tmp_path, sample_data, side, None)
        assert alone[0] == side
