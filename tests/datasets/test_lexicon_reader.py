"""Bilingual dictionaries and their vocabularies."""

from dataset_reading import cases, given, raw_files

ENTRY = {"task": "lexicon", "format": "xling-eval", "source": "en", "target": "et", "path": "bli"}
ENTRY |= {"vocabulary_size": 2, "source_words": "en.txt", "target_words": "et.txt"}
TRAIN, TEST = "bli/yacle.train.freq.5k.en-et.tsv", "bli/yacle.test.freq.2k.en-et.tsv"
FILES = {TRAIN: "dog\tkoer\ncat\tkass\n", TEST: "dog\tpeni\ndog\tkoer\nsun\tpäike\n"}
FILES |= {"en.txt": "the\n\n42\n the \nsun\ndog\n", "et.txt": "on\nja\nei\n"}
WORDFREQ = {**ENTRY, "source_words": None, "vocabulary_size": 3}

test_lexicons = cases(
    # frequent words, then those of the dictionary
    given("rows as they stand", ENTRY, FILES)(
        train=[("dog", "koer"), ("cat", "kass")],
        test=[("dog", "peni"), ("dog", "koer"), ("sun", "päike")],
        source_vocabulary=["the", "sun", "dog", "cat"],
        target_vocabulary=["on", "ja", "koer", "kass", "peni", "päike"],
        source_language="en",
        target_language="et",
    ),
    given("no frequent words", {**ENTRY, "vocabulary_size": 0}, FILES)(
        source_vocabulary=["dog", "cat", "sun"]
    ),
    given("those of wordfreq", WORDFREQ, FILES)(
        source_vocabulary=["the", "to", "and", "dog", "cat", "sun"]
    ),
    ("one column", ENTRY, {**FILES, TRAIN: "dog koer\n"}, f"{TRAIN}:1: expected a row of word"),
    ("blank", ENTRY, {**FILES, TEST: "dog\tkoer\nsun\t\n"}, f"{TEST}:2: a word is empty"),
    ("no test", ENTRY, {**FILES, TEST: ""}, "data set 'mine': no test entry"),
    ("no training", ENTRY, {**FILES, TRAIN: ""}, "data set 'mine': no training entry"),
    (
        *("no list", {**ENTRY, "target_words": None}, FILES),
        "wordfreq: no list of words of language 'et'; name a file",
    ),
)


def test_raw_files_names_dictionaries_and_lists_without_opening_them(tmp_path):
    names = [path.name for path in raw_files(tmp_path, {**ENTRY, "train": "1k"})]
    files = ["yacle.train.freq.1k.en-et.tsv", "yacle.test.freq.2k.en-et.tsv"]
    assert names == [*files, "en.txt", "et.txt"]
