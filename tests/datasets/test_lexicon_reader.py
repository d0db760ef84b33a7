"""Bilingual dictionaries and their vocabularies."""

import pytest
from dataset_reading import mistake, raw_files, read_dataset

ENTRY = {"task": "lexicon", "format": "xling-eval", "source": "en", "target": "et", "path": "bli"}
ENTRY |= {"vocabulary_size": 2, "source_words": "en.txt", "target_words": "et.txt"}


def write_lexicon(root, train="dog\tkoer\ncat\tkass\n", test="dog\tpeni\ndog\tkoer\nsun\tpäike\n"):
    (root / "bli").mkdir(exist_ok=True)
    (root / "bli/yacle.train.freq.5k.en-et.tsv").write_text(train, encoding="utf-8")
    (root / "bli/yacle.test.freq.2k.en-et.tsv").write_text(test, encoding="utf-8")
    (root / "en.txt").write_text("the\n\n42\n the \nsun\ndog\n", encoding="utf-8")
    (root / "et.txt").write_text("on\nja\nei\n", encoding="utf-8")


def test_rows_stay_as_they_stand_and_vocabularies_hold_frequent_words_then_the_dictionary(tmp_path):
    write_lexicon(tmp_path)
    lexicon = read_dataset(tmp_path, ENTRY)
    assert lexicon.train == [("dog", "koer"), ("cat", "kass")]
    assert lexicon.test == [("dog", "peni"), ("dog", "koer"), ("sun", "päike")]
    assert lexicon.source_vocabulary == ["the", "sun", "dog", "cat"]
    assert lexicon.target_vocabulary == ["on", "ja", "koer", "kass", "peni", "päike"]
    assert (lexicon.source_language, lexicon.target_language) == ("en", "et")
    # vocabularies of size zero and of wordfreq
    lexicon = read_dataset(tmp_path, {**ENTRY, "vocabulary_size": 0})
    assert lexicon.source_vocabulary == ["dog", "cat", "sun"]
    lexicon = read_dataset(tmp_path, {**ENTRY, "source_words": None, "vocabulary_size": 3})
    assert lexicon.source_vocabulary[:3] == ["the", "to", "and"]


def test_raw_files_names_dictionaries_and_lists_without_opening_them(tmp_path):
    names = [path.name for path in raw_files(tmp_path, {**ENTRY, "train": "1k"})]
    files = ["yacle.train.freq.1k.en-et.tsv", "yacle.test.freq.2k.en-et.tsv"]
    assert names == [*files, "en.txt", "et.txt"]


@pytest.mark.parametrize(
    ("files", "change", "message"),
    [
        ({"train": "dog koer\n"}, {}, "yacle.train.freq.5k.en-et.tsv:1: expected a row of word"),
        ({"test": "dog\tkoer\nsun\t\n"}, {}, "yacle.test.freq.2k.en-et.tsv:2: a word is empty"),
        ({"test": ""}, {}, "data set 'mine': no test entry"),
        ({"train": ""}, {}, "data set 'mine': no training entry"),
        ({}, {"target_words": None}, "wordfreq: no list of words of language 'et'; name a file"),
        ({}, {"vocabulary_size": -1}, "size` is -1; give a number of 0 or more"),
    ],
)
def test_malformed_dictionaries_name_file_and_line(tmp_path, files, change, message):
    write_lexicon(tmp_path, **files)
    assert message in mistake(tmp_path, {**ENTRY, **change})
