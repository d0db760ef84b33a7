"""Blocks of corpora in config."""

import pytest

from workflow_scripts.corpora.catalogue import (
    check_block,
    check_joined,
    joined_corpora,
    raw_files,
    string_shape,
)
from workflow_scripts.corpora.random_strings import StringShape
from workflow_scripts.errors import UserError

WORDS = {"kind": "frequent-words", "language": "en", "size": 5}
NAMES = {"kind": "names", "path": "n.txt", "size": 5}
SENTENCES = {"kind": "sentences", "path": "s.txt", "size": "all"}
RANDOM = {"kind": "random-strings", "size": 5}
JOINED = {"kind": "joined", "of": ["one", "two"]}


def test_defaults_are_filled_in():
    assert check_block("c", WORDS) == {**WORDS, "path": None, "skip": 0, "deduplicate": True}
    assert check_block("c", SENTENCES)["margin"] == 1.04
    assert check_block("c", {**NAMES, "format": "mrconso"})["suppress"] == ["N"]
    assert string_shape(check_block("c", RANDOM)) == StringShape(2, 12, 1, 1)
    assert string_shape(check_block("c", {**RANDOM, "words": [5, 15]})) == StringShape(2, 12, 5, 15)


def test_raw_files_are_those_below_the_root(tmp_path):
    assert raw_files(tmp_path, WORDS) == []
    assert raw_files(tmp_path, {**WORDS, "path": "et.txt"}) == [tmp_path / "et.txt"]
    assert raw_files(tmp_path, RANDOM) == []
    assert raw_files(tmp_path, NAMES) == [tmp_path / "n.txt"]
    assert raw_files(tmp_path, JOINED) == []


def test_a_joined_corpus_names_known_corpora_of_other_kinds():
    corpora = {"one": WORDS, "two": NAMES, "c": JOINED}
    assert joined_corpora(JOINED) == ["one", "two"]
    assert joined_corpora(WORDS) == []
    check_joined("c", corpora)
    with pytest.raises(UserError, match="corpus 'c': of names the unknown corpus 'two'; known are"):
        check_joined("c", {"one": WORDS, "c": JOINED})
    with pytest.raises(UserError, match="corpus 'c': 'two' is of kind joined too"):
        check_joined("c", {**corpora, "two": JOINED})
    with pytest.raises(UserError, match="corpus 'one': 'one' is of kind joined too"):
        check_joined("one", {**corpora, "one": JOINED})


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"size": 5}, "corpus 'c': option 'kind' is missing"),
        ({**NAMES, "kind": "name"}, "corpus 'c': unknown kind 'name'; did you mean 'names'?"),
        ({**NAMES, "pth": "x"}, "corpus 'c': unknown option 'pth'; did you mean 'path'?"),
        ({**NAMES, "size": 0}, "corpus 'c': size cannot be 0"),
        ({**NAMES, "size": "many"}, "corpus 'c': size cannot be 'many'"),
        ({**NAMES, "size": True}, "corpus 'c': option 'size' must be int or str"),
        ({**NAMES, "format": "rrf"}, "corpus 'c': option 'format' cannot be 'rrf'"),
        ({**NAMES, "sources": ["MSH"]}, "corpus 'c': option 'sources' is for format 'mrconso'"),
        ({**SENTENCES, "margin": 1.1}, "corpus 'c': option 'margin' is for format 'wikimatrix'"),
        ({"kind": "frequent-words", "size": 5}, "corpus 'c': option 'language' is missing"),
        ({**WORDS, "skip": -1}, "corpus 'c': skip cannot be -1"),
        ({**NAMES, "skip": 1}, "corpus 'c': unknown option 'skip'"),
        ({**JOINED, "of": ["one"]}, "corpus 'c': of cannot be ['one']; list two or more"),
        ({**JOINED, "of": []}, "corpus 'c': of cannot be []"),
        ({**JOINED, "of": ["one", "one", "two"]}, "corpus 'c': of cannot be"),
        ({**JOINED, "size": 5}, "corpus 'c': unknown option 'size'"),
        ({**RANDOM, "size": "all"}, "corpus 'c': size cannot be 'all' for random strings"),
        ({**RANDOM, "path": "x"}, "corpus 'c': unknown option 'path'"),
        ({**RANDOM, "words": 0}, "corpus 'c': words cannot be 0"),
        ({**RANDOM, "words": [2]}, "corpus 'c': words cannot be [2]"),
        ({**RANDOM, "words": [3, 2]}, "corpus 'c': words cannot be [3, 2]"),
        ({**RANDOM, "words": [1, "2"]}, "corpus 'c': words cannot be [1, '2']"),
        ({**RANDOM, "words": [True, 2]}, "corpus 'c': words cannot be [True, 2]"),
        ({**RANDOM, "min_length": 0}, "corpus 'c': min_length 0 and max_length 12"),
        ({**RANDOM, "min_length": 13}, "corpus 'c': min_length 13 and max_length 12"),
        (
            # 36 strings of one character
            {**RANDOM, "min_length": 1, "max_length": 1, "size": 37},
            "corpus 'c': there are only 36 different strings of this shape, 37 are asked for",
        ),
    ],
)
def test_mistakes_name_the_corpus_and_the_key(block, message):
    with pytest.raises(UserError) as caught:
        check_block("c", block)
    assert str(caught.value).startswith(message)
