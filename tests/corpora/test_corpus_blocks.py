"""Blocks of corpora in config."""

from pathlib import Path

import pytest

from workflow_scripts import rooms
from workflow_scripts.corpora.block import missing_message, raw_files
from workflow_scripts.corpora.kinds.register import KINDS, check_joined, read_corpus_block
from workflow_scripts.errors import UserError

WORDS = {"kind": "frequent-words", "language": "en", "size": 5}
NAMES = {"kind": "names", "path": "n.txt", "size": 5}
SENTENCES = {"kind": "sentences", "path": "s.txt", "size": "all"}
RANDOM = {"kind": "random-strings", "size": 5}
JOINED = {"kind": "joined", "of": ["one", "two"]}


def read(block):
    return read_corpus_block("c", block)


def test_raw_files_are_those_below_the_root_and_a_missing_one_names_its_key(tmp_path):
    own = {**WORDS, "path": "et.txt"}
    without = [(block, []) for block in (WORDS, RANDOM, JOINED)]
    for block, files in [*without, (own, ["et.txt"]), (NAMES, ["n.txt"])]:
        assert raw_files(tmp_path, read(block)) == [tmp_path / file for file in files]
    said = missing_message("c", read(NAMES), Path("n.txt"))
    assert said.endswith("needed by corpus `c`; put it there or change `corpora.c.path`")
    said = missing_message("c", read({**NAMES, "format": "mrconso"}), Path("n.txt"))
    assert "UMLS is licensed: get MRCONSO.RRF" in said


def test_every_module_of_the_folder_is_in_the_register():
    folder = Path(rooms.load("corpora.kinds", "names").__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "register"}
    assert modules == {kind.replace("-", "_") for kind in KINDS}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, None),
        ({"two": None}, "`corpora.c.of` has `two`, which is not in `corpora`; known are c, one"),
        ({"two": JOINED}, "`corpora.two.of` has `two`, which is of kind joined too"),
        ({"one": {**JOINED, "of": ["one", "two"]}}, "has `one`, which is of kind joined too"),
    ],
)
def test_a_joined_corpus_names_known_corpora_of_other_kinds(change, message):
    blocks = {"one": WORDS, "two": NAMES, "c": JOINED} | change
    corpora = {name: read(block) for name, block in blocks.items() if block is not None}
    if message is None:
        check_joined(corpora)
        return
    with pytest.raises(UserError, match=message):
        check_joined(corpora)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"size": 5}, "key `corpora.c.kind` is missing"),
        ({**NAMES, "kind": "name"}, "`corpora.c.kind` is 'name'; use one of: .*mean 'names'"),
        ({**NAMES, "pth": "x"}, "unknown key `corpora.c.pth`; did you mean 'path'?"),
        ({**NAMES, "size": 0}, "`corpora.c.size` is 0; give a number of 1 or more"),
        ({**NAMES, "size": "many"}, "`corpora.c.size` is 'many'; "),
        ({**NAMES, "format": "rrf"}, "`corpora.c.format` is 'rrf'; use one of: lines, mrconso"),
        ({**NAMES, "sources": ["MSH"]}, "`corpora.c.sources` is .*; it is for format mrconso"),
        ({**SENTENCES, "margin": 1.1}, "`corpora.c.margin` is 1.1; it is for format wikimatrix"),
        ({"kind": "frequent-words", "size": 5}, "key `corpora.c.language` is missing"),
        ({**WORDS, "skip": -1}, "`corpora.c.skip` is -1; give a number of 0 or more"),
        ({**NAMES, "skip": 1}, "unknown key `corpora.c.skip`"),
        ({**JOINED, "of": ["one"]}, r"`corpora.c.of` is \['one'\]; give at least 2"),
        ({**JOINED, "of": ["one", "one", "two"]}, "`corpora.c.of` is .* has 'one' twice"),
        ({**JOINED, "size": 5}, "unknown key `corpora.c.size`"),
        ({**RANDOM, "size": "all"}, "`corpora.c.size` is 'all'; give a whole number"),
        ({**RANDOM, "words": 0}, "`corpora.c.words` is 0; give a number of 1 or more"),
        ({**RANDOM, "words": [2]}, r"`corpora.c.words` is \[2\]; give a number, or the smallest"),
        ({**RANDOM, "words": [3, 2]}, r"`corpora.c.words` is \[3, 2\]; give a number, or the"),
        ({**RANDOM, "words": [1, "2"]}, "`corpora.c.words.1` is '2'; "),
        ({**RANDOM, "min_length": 0}, "`corpora.c.min_length` is 0; give a number of 1"),
        ({**RANDOM, "max_length": 1}, "`corpora.c.size` is 5; there are only 0 different strings"),
        (
            {**RANDOM, "min_length": 13, "deduplicate": False},
            "`corpora.c.size` is 5; there are only 0 different strings of this shape; raise max",
        ),
        (
            {**RANDOM, "min_length": 1, "max_length": 1, "size": 37},
            "`corpora.c.size` is 37; there are only 36 different strings of this shape",
        ),
    ],
)
def test_mistakes_name_the_key_and_the_remedy(block, message):
    with pytest.raises(UserError, match=f"^config: {message}"):
        read(block)
