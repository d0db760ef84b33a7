"""Blocks of corpora in config."""

import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from workflow_scripts import plugins
from workflow_scripts.corpora.block import missing_file_error, raw_files
from workflow_scripts.corpora.kinds.register import KINDS, check_joined, holds, read_corpus_block
from workflow_scripts.errors import UserError

WORDS = {"kind": "frequent-words", "language": "en", "size": 5}
NAMES = {"kind": "names", "path": "n.txt", "size": 5}
SENTENCES = {"kind": "sentences", "path": "s.txt", "size": "all"}
RANDOM = {"kind": "random-strings", "size": 5}
JOINED = {"kind": "joined", "of": ["one", "two"]}
PLAIN = {"reader": "blank-line-documents", "files": ["t/*.txt"]}
TEXT = {"kind": "text", "texts": [PLAIN], "size": "all"}
BITEXT = {"kind": "bitext", "pairs": [{"source": "a.en", "target": "a.de"}], "size": 5}
NLI = {"kind": "nli", "path": "nli.jsonl", "size": 5}
XNLI = {"kind": "nli", "path": "xnli.{language}", "labels": "labels", "size": "all"}


def read(block):
    return read_corpus_block("c", block)


def test_raw_files_are_those_below_the_root_and_a_missing_one_names_its_key(tmp_path):
    own = {**WORDS, "path": "et.txt"}
    without = [(block, []) for block in (WORDS, RANDOM, JOINED)]
    for block, files in [*without, (own, ["et.txt"]), (NAMES, ["n.txt"])]:
        assert raw_files(tmp_path, read(block)) == [tmp_path / file for file in files]
    kept_out = {"kept_out": [{"reader": "lines", "files": ["e.txt"]}]}
    more = [(TEXT | kept_out, ["t/*.txt", "e.txt"]), (BITEXT, ["a.en", "a.de"])]
    xnli = XNLI | {"languages": ["de", "ru"]}
    for block, files in [*more, (NLI, ["nli.jsonl"]), (xnli, ["xnli.de", "xnli.ru", "labels"])]:
        assert raw_files(tmp_path, read(block)) == [tmp_path / file for file in files]
    assert str(missing_file_error("c", read(TEXT), Path("n.txt"))).endswith(
        "put the file there or change `corpora.c.texts` or `corpora.c.kept_out`"
    )
    said = str(missing_file_error("c", read(NAMES), Path("n.txt")))
    assert said.endswith("needed by corpus `c`; put the file there or change `corpora.c.path`")
    said = str(missing_file_error("c", read({**NAMES, "format": "mrconso"}), Path("n.txt")))
    assert "UMLS needs a licence: get MRCONSO.RRF" in said


def test_every_module_of_the_folder_is_in_the_register():
    folder = Path(plugins.load("corpora.kinds", "names").__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "register"}
    assert modules == {kind.replace("-", "_") for kind in KINDS}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, None),
        ({"two": None}, "`corpora.c.of` has `two`, which is not in `corpora`; known are c, one"),
        ({"two": JOINED}, "`corpora.two.of` has `two`, which is of kind joined too"),
        ({"one": {**JOINED, "of": ["one", "two"]}}, "has `one`, which is of kind joined too"),
        ({"two": TEXT, "one": TEXT}, None),
        ({"two": TEXT}, "of` has `two`, which is running text, and `one`, which is not; join them"),
    ],
)
def test_a_joined_corpus_names_known_corpora_of_other_kinds(change, message):
    blocks = {"one": WORDS, "two": NAMES, "c": JOINED} | change
    corpora = {name: read(block) for name, block in blocks.items() if block is not None}
    if message is None:
        check_joined(corpora)
        return
    with pytest.raises(UserError, match=f"^config: .*{message.removeprefix('`')}"):
        check_joined(corpora)
    # by the file that has the key
    with pytest.raises(UserError, match=r"^corpora\.(c|one|two)\.of: "):
        check_joined(corpora, ".".join)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"size": 5}, "key `corpora.c.kind` is missing"),
        ({**NAMES, "kind": "name"}, "`corpora.c.kind` is 'name'; use one of: .*mean 'names'"),
        ({**NAMES, "pth": "x"}, "unknown key `corpora.c.pth`; did you mean 'path'?"),
        ({**NAMES, "size": 0}, "`corpora.c.size` is 0; give a number of 1 or more"),
        ({**NAMES, "size": "many"}, "`corpora.c.size` is 'many'; "),
        ({**NAMES, "format": "rrf"}, "`corpora.c.format` is 'rrf'; use one of: lines, mrconso"),
        ({**NAMES, "sources": ["MSH"]}, "`corpora.c.sources` is .*; it is only for format mrconso"),
        (
            {**SENTENCES, "margin": 1.1},
            "`corpora.c.margin` is 1.1; it is only for format wikimatrix",
        ),
        # bounds that a key has for itself
        ({**WORDS, "skip": -1}, "`corpora.c.skip` is -1; give a number of 0 or more"),
        ({**JOINED, "of": ["one"]}, r"`corpora.c.of` is \['one'\]; give at least 2"),
        ({**JOINED, "exponent": -1.0}, "`corpora.c.exponent` is -1.0; give a number of 0.0 or"),
        ({**TEXT, "texts": []}, r"`corpora.c.texts` is \[\]; give at least 1"),
        ({**TEXT, "held_out": 1}, "`corpora.c.held_out` is 1; give a number of 2 or more"),
        ({**BITEXT, "pairs": [{"path": "a", "columns": [1]}]}, ".*columns` is .*give at least 2"),
        ({**XNLI, "languages": ["de"]}, "`corpora.c.languages` is .*; give at least 2"),
        ({**NLI, "columns": ["a", "b"]}, "`corpora.c.columns` is .*; give at least 3"),
        ({**RANDOM, "words": 0}, "`corpora.c.words` is 0; give a number of 1 or more"),
        ({**RANDOM, "words": [1, "2"]}, "`corpora.c.words.1` is '2'; "),
        ({**RANDOM, "min_length": 0}, "`corpora.c.min_length` is 0; give a number of 1"),
        ({**JOINED, "of": ["one", "one", "two"]}, "`corpora.c.of` is .* has 'one' twice"),
        (
            {**TEXT, "texts": [PLAIN | {"reader": "tsv"}]},
            ".*'columns' is required by reader tsv and",
        ),
        (
            {**TEXT, "texts": [PLAIN | {"reader": "txt"}]},
            "`corpora.c.texts.0.reader` is 'txt'; use",
        ),
        (
            {**TEXT, "part": "held_out"},
            "`corpora.c.part` is 'held_out'; set held_out: N to hold out",
        ),
        ({**TEXT, "whitespace": "kept"}, "`corpora.c.whitespace` is 'kept'; use one of: collapsed"),
        ({**BITEXT, "pairs": [{"source": "a"}]}, ".*give either source and target, or path"),
        (
            {**BITEXT, "pairs": [{"path": "a", "source": "b"}]},
            ".*give either source and target, or",
        ),
        (
            {**BITEXT, "pairs": [{"path": "a", "margin": 1.0, "columns": [1, 2]}]},
            ".*`columns` is only for a `path` without `margin`; remove it",
        ),
        (
            {**BITEXT, "pairs": [{"source": "a", "target": "b", "margin": 1.0}]},
            ".*`margin` is only for a `path`; remove it",
        ),
        (XNLI, ".*: give either languages, or premise_language and hypothesis_language"),
        (
            {**XNLI, "languages": ["de", "ru"], "premise_language": "de"},
            ".*: give either languages",
        ),
        ({**NLI, "languages": ["de", "ru"]}, ".*: with `languages`, write {language} in path"),
        ({**RANDOM, "size": "all"}, "`corpora.c.size` is 'all'; give a whole number"),
        ({**RANDOM, "words": [2]}, r"`corpora.c.words` is \[2\]; give a number, or the smallest"),
        ({**RANDOM, "words": [3, 2]}, r"`corpora.c.words` is \[3, 2\]; give a number, or the"),
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


def test_the_kind_of_the_docs_gives_strings_and_counts_the_others(project, tmp_path):
    """As CONTRIBUTING.md has it."""
    page = (project / "CONTRIBUTING.md").read_text()
    section = page.partition("\n### A kind of corpus\n")[2]
    code = re.search(r"^```python\n(.*?)^```$", section, flags=re.M | re.S)[1]
    kind = ModuleType("questions")
    exec(code, vars(kind))
    (tmp_path / "mine.txt").write_text("Why?\nSo.\nWho?\n")
    options = kind.Options(kind="questions", path="mine.txt", size="all")
    assert options.list_files(tmp_path) == [tmp_path / "mine.txt"]
    dropped = Counter()
    assert list(options.strings(tmp_path, 0, dropped)) == ["Why?", "Who?"]
    assert dropped == {"no question": 1}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_what_its_strings_are(kind):
    """Or the table of running times could not group what is tuned on them."""
    assert holds(kind)
    assert "holds" in vars(plugins.load("corpora.kinds", kind).Options)
