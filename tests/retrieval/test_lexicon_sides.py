"""Items of data sets as they are read from disk, and the sides of a lexicon."""

import pytest

from tests.support.suite_files import write_items
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.datasets.read_dataset import number_items, read_dataset
from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.suite_files import read_datasets, side_of

ENTRY = {"task": "lexicon", "format": "xling-eval", "source": "en", "target": "fr"}
ENTRY |= {"path": "bli-xling-eval/en-fr", "train": "5k", "vocabulary_size": 50}


def test_each_side_of_a_lexicon_has_the_words_of_its_language(tmp_path, sample_data):
    entry = read_entry("bli", ENTRY)
    lexicon = read_dataset(sample_data, entry, "bli")
    strings, numbered = number_items("bli", entry, lexicon)
    items = read_datasets(write_items(tmp_path, {"bli": numbered}))["bli"]
    for column, side in enumerate(SIDES):
        one = side_of(items, side)
        assert (one["side"], one["split"], one["dropped"]) == (side, "test", lexicon.dropped)
        words = {key: [strings[side][i] for i in one[key]] for key in ("train", "test")}
        assert words == {key: [pair[column] for pair in getattr(lexicon, key)] for key in words}
        vocabulary = [strings[side][i] for i in one["vocabulary"]]
        assert vocabulary == getattr(lexicon, f"{side}_vocabulary")


def test_items_of_several_data_sets_are_known_by_their_ids(tmp_path):
    entries = {name: {"task": "similarity", "left": [n]} for n, name in enumerate("ab")}
    files = write_items(tmp_path, entries)
    assert read_datasets(files) == {n: {"dataset": n, **one} for n, one in entries.items()}
    with pytest.raises(UserError, match=r"items\.json: is of data set a, as another; give it once"):
        read_datasets([files[0], files[1], files[0]])
