"""Blocks of corpora in config."""

import pytest

from workflow_scripts.corpora.catalogue import check_block, raw_files
from workflow_scripts.errors import UserError

WORDS = {"kind": "frequent-words", "language": "en", "size": 5}
NAMES = {"kind": "names", "path": "n.txt", "size": 5}
SENTENCES = {"kind": "sentences", "path": "s.txt", "size": "all"}


def test_defaults_are_filled_in():
    assert check_block("c", WORDS) == {**WORDS, "path": None, "deduplicate": True}
    assert check_block("c", SENTENCES)["margin"] == 1.04
    assert check_block("c", {**NAMES, "format": "mrconso"})["suppress"] == ["N"]


def test_raw_files_are_those_below_the_root(tmp_path):
    assert raw_files(tmp_path, WORDS) == []
    assert raw_files(tmp_path, {**WORDS, "path": "et.txt"}) == [tmp_path / "et.txt"]
    assert raw_files(tmp_path, NAMES) == [tmp_path / "n.txt"]


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
    ],
)
def test_mistakes_name_the_corpus_and_the_key(block, message):
    with pytest.raises(UserError) as caught:
        check_block("c", block)
    assert str(caught.value).startswith(message)
