"""Blocks of corpora in config."""

import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from workflow_scripts import plugins
from workflow_scripts.corpora.block import missing_file_error, raw_files
from workflow_scripts.corpora.kinds.register import KINDS, check_joined, read_corpus_block
from workflow_scripts.errors import UserError

WORDS = {"kind": "frequent-words", "language": "en", "size": 5}
NAMES = {"kind": "names", "path": "n.txt", "size": 5}
SENTENCES = {"kind": "sentences", "path": "s.txt", "size": "all"}
RANDOM = {"kind": "random-strings", "size": 5}
LONG = {**RANDOM, "min_length": 13, "deduplicate": False}
JOINED = {"kind": "joined", "of": ["one", "two"]}
PLAIN = {"reader": "blank-line-documents", "files": ["t/*.txt"]}
TEXT = {"kind": "text", "texts": [PLAIN], "size": "all"}
BITEXT = {"kind": "bitext", "pairs": [{"source": "a.en", "target": "a.de"}], "size": 5}
NLI = {"kind": "nli", "path": "nli.jsonl", "size": 5}
XNLI = {"kind": "nli", "path": "xnli.{language}", "labels": "labels", "size": "all"}


def read(block):
    return read_corpus_block("c", block)


def text(**keys):
    return {**TEXT, "texts": [PLAIN | keys]}


def bitext(**keys):
    return {**BITEXT, "pairs": [keys]}


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
    for kind in KINDS:
        # or the table of running times could not group what is tuned on it
        assert "holds" in vars(plugins.load("corpora.kinds", kind).Options)


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


PAIR_OF = "give either source and target, or path"
LANGUAGES = "give either languages, or premise_language and hypothesis_language"


@pytest.mark.parametrize(
    ("block", "key", "value", "message"),
    [
        (NAMES, "size", 0, "give a number of 1 or more"),
        (NAMES, "size", "many", ""),
        (NAMES, "format", "rrf", "use one of: lines, mrconso"),
        (NAMES, "sources", ["MSH"], "it is only for format mrconso"),
        (SENTENCES, "margin", 1.1, "it is only for format wikimatrix"),
        (WORDS, "skip", -1, "give a number of 0 or more"),
        (JOINED, "of", ["one"], "give at least 2"),
        (JOINED, "of", ["one", "one", "two"], "has 'one' twice"),
        (JOINED, "exponent", -1.0, "give a number of 0.0 or"),
        (TEXT, "texts", [], "give at least 1"),
        (TEXT, "held_out", 1, "give a number of 2 or more"),
        (TEXT, "part", "held_out", "set held_out: N to hold out"),
        (TEXT, "whitespace", "kept", "use one of: collapsed"),
        (XNLI, "languages", ["de"], "give at least 2"),
        (NLI, "columns", ["a", "b"], "give at least 3"),
        (RANDOM, "words", 0, "give a number of 1 or more"),
        (RANDOM, "words", [2], "give a number, or the smallest"),
        (RANDOM, "words", [3, 2], "give a number, or the smallest"),
        (RANDOM, "min_length", 0, "give a number of 1"),
        (RANDOM, "size", "all", "give a whole number"),
        ({**RANDOM, "max_length": 1}, "size", 5, "there are only 0 different strings"),
        (LONG, "size", 5, "there are only 0 different strings of this shape"),
        ({**RANDOM, "min_length": 1, "max_length": 1}, "size", 37, "there are only 36 different"),
    ],
)
def test_a_bad_value_is_named_with_its_key_and_the_remedy(block, key, value, message):
    with pytest.raises(UserError) as caught:
        read({**block, key: value})
    assert str(caught.value).startswith(f"config: `corpora.c.{key}` is {value!r}; {message}")


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"size": 5}, "key `corpora.c.kind` is missing"),
        ({**NAMES, "kind": "name"}, "`corpora.c.kind` is 'name'; use one of: .*mean 'names'"),
        ({**NAMES, "pth": "x"}, "unknown key `corpora.c.pth`; did you mean 'path'?"),
        ({**RANDOM, "words": [1, "2"]}, "`corpora.c.words.1` is '2'; "),
        (text(reader="tsv"), ".*'columns' is required by reader tsv and"),
        (text(reader="txt"), "`corpora.c.texts.0.reader` is 'txt'; use"),
        (text(document_ids="i"), ".*'document_ids' is only for reader lines"),
        (bitext(source="a"), f".*{PAIR_OF}"),
        (bitext(path="a", source="b"), f".*{PAIR_OF}"),
        (bitext(path="a", columns=[1]), ".*columns` is .*give at least 2"),
        (bitext(path="a", margin=1.0, columns=[1, 2]), ".*`columns` is only for a `path` without"),
        (bitext(source="a", target="b", margin=1.0), ".*`margin` is only for a `path`; remove it"),
        (XNLI, f".*: {LANGUAGES}"),
        ({**XNLI, "languages": ["de", "ru"], "premise_language": "de"}, f".*: {LANGUAGES}"),
        ({**NLI, "languages": ["de", "ru"]}, ".*: with `languages`, write {language} in path"),
    ],
)
def test_keys_that_do_not_go_together_are_named(block, message):
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
