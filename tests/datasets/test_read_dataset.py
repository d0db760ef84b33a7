"""The command that reads a data set: strings and items by string id."""

import json

import pytest
from dataset_reading import entry

from workflow_scripts.datasets.read_dataset import main
from workflow_scripts.errors import UserError

SIMLEX = entry("similarity", "simlex", path="s.txt")
LEXICON = {"task": "lexicon", "format": "xling-eval", "source": "en", "target": "fr"}
LEXICON |= {"path": "bli", "vocabulary_size": 0}
LINKING = entry("entity-linking", "askapatient", path="ask", dictionary="ask/dictionary.txt")
COMMON = {"language": "en", "split": "test", "dropped": {}}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "bli").mkdir()
    (tmp_path / "ask").mkdir()
    files = {
        "s.txt": "word1\tword2\tPOS\tSimLex999\ndog\tcat\tN\t1\nsun\tdog\tN\t2.5\n",
        "bad.txt": "word1\tword2\tPOS\tSimLex999\ndog\tcat\n",
        "bli/yacle.train.freq.5k.en-fr.tsv": "dog\tchien\nmoon\tlune\n",
        "bli/yacle.test.freq.2k.en-fr.tsv": "cat\tchat\ncat\tminet\n",
        "ask/dictionary.txt": "1||Dog  bite\n2||dog\n",
        "ask/AskAPatient.fold-0.test.txt": "1\tDog bite\tbitten by  DOG\n-1\tx\ty\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(root, block, *files):
    """Return the strings of each file, and the items, as the command writes them."""
    paths = [root / "out" / file for file in files]
    outputs = ["--strings", *map(str, paths), "--items", str(root / "out/items.json")]
    main(["--dataset", "mine", "--root", str(root), "--block", json.dumps(block), *outputs])
    texts = [path.read_text(encoding="utf-8") for path in paths]
    assert all(text.endswith("\n") for text in texts)
    items = json.loads((root / "out/items.json").read_text(encoding="utf-8"))
    return *(text.split("\n")[:-1] for text in texts), items


def test_strings_are_unique_and_items_point_at_them(root):
    strings, items = run(root, SIMLEX, "strings.txt")
    assert strings == ["dog", "sun", "cat"]
    pairs = {"left": [0, 1], "right": [2, 0], "gold": [1.0, 2.5], "subset": ["N", "N"]}
    assert items == {"dataset": "mine", "task": "similarity", **COMMON, **pairs}
    strings, items = run(root, LINKING, "strings.txt")
    assert strings == ["dog bite", "dog", "bitten by dog"]
    ask = {"task": "entity-linking", **COMMON, "dropped": {"no_concept": 1}, "mentions": [[2]]}
    ask |= {"names": [0, 1], "name_concepts": [["1"], ["2"]], "gold": [[["1"]]]}
    assert items == {"dataset": "mine", **ask}


def test_each_side_of_a_lexicon_has_strings_of_its_own(root):
    # the same word in both languages is a string of each
    (root / "bli/yacle.test.freq.2k.en-fr.tsv").write_text("cat\tchat\ncat\tdog\n")
    source, target, items = run(root, LEXICON, "source.txt", "target.txt")
    assert source == ["dog", "moon", "cat"]
    assert target == ["chien", "lune", "chat", "dog"]
    assert (items["dataset"], items["task"]) == ("mine", "lexicon")
    assert items["source_vocabulary"] == [0, 1, 2]
    assert items["target_vocabulary"] == [0, 1, 2, 3]
    assert (items["train"], items["test"]) == ([[0, 0], [1, 1]], [[2, 2], [2, 3]])


@pytest.mark.parametrize(
    ("block", "files", "message"),
    [
        (LEXICON, ["strings.txt"], "--strings: 1 files for 2 lists of strings; give one, or both"),
        (SIMLEX, ["source.txt", "target.txt"], "--strings: 2 files for 1 lists of strings"),
        ({**SIMLEX, "path": "bad.txt"}, ["strings.txt"], r"bad\.txt:2: expected a row with word1"),
    ],
)
def test_after_an_error_nothing_is_written(root, block, files, message):
    with pytest.raises(UserError, match=message):
        run(root, block, *files)
    assert not (root / "out").exists()
